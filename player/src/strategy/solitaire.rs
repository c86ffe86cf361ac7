//! Games for one: searches for a line of play take turns, and the best line found is kept.
//!
//! Breadth-first search ([`breadth`]) solves what is small enough and says when nothing better
//! exists; nested Monte-Carlo search ([`nested`]) finds good lines in what is not; where the order of
//! moves makes no difference, sets of moves are searched instead ([`orderless`]).
//! What always holds: the line leads from the present state to an end of the match.

mod breadth;
mod clock;
mod nested;
mod orderless;

use engine::{Failure, Random, TermId};

use super::{Advice, Settings, Strategy, shown_order};
use crate::goals::BEST_GOAL;
use crate::interrupt::Interrupt;
use crate::simulator::Simulator;
use breadth::{Breadth, Progress};
use nested::Nested;

/// How many states a turn of the breadth-first search expands at first; it doubles.
const FIRST_SLICE: u64 = 256;

/// A line of play to the end of the match.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    moves: Vec<TermId>,
    goal: i32,
}

/// Keeps the best line and tells about it.
struct Keeper<'a> {
    best: &'a mut Option<Line>,
    report: &'a mut dyn FnMut(Advice),
    effort: u64,
}

impl Keeper<'_> {
    fn offer(&mut self, line: impl FnOnce() -> Vec<TermId>, goal: i32) {
        if self.best.as_ref().is_some_and(|best| best.goal >= goal) {
            return;
        }
        let line = Line { moves: line(), goal };
        if !line.moves.is_empty() {
            *self.best = Some(line);
            self.tell(goal >= BEST_GOAL);
        }
    }

    fn tell(&mut self, proved: bool) {
        if let Some(Line { moves, goal }) = &self.best {
            (self.report)(Advice {
                action: moves[0],
                value: Some(f64::from(*goal)),
                settled: proved,
                proved,
                effort: self.effort,
            });
        }
    }

    fn is_perfect(&self) -> bool {
        self.best.as_ref().is_some_and(|best| best.goal >= BEST_GOAL)
    }
}

/// The search for a line of play.
pub(super) struct Solitaire {
    settings: Settings,
    random: Random,
    best: Option<Line>,
    /// Nothing better than the best line exists.
    exhausted: bool,
}

impl Solitaire {
    pub(super) fn new(settings: Settings) -> Solitaire {
        let random = Random::new(settings.seed);
        Solitaire { settings, random, best: None, exhausted: false }
    }
}

impl Strategy for Solitaire {
    fn name(&self) -> &'static str {
        "mcts"
    }

    fn search(
        &mut self,
        simulator: &mut dyn Simulator,
        interrupt: &Interrupt,
        report: &mut dyn FnMut(Advice),
    ) -> Result<(), Failure> {
        let moves = shown_order(simulator, 0)?;
        let mut keeper = Keeper { best: &mut self.best, report, effort: 0 };
        if keeper.best.is_none() {
            let first = moves[0];
            (keeper.report)(Advice {
                action: first,
                value: None,
                settled: false,
                proved: false,
                effort: 0,
            });
        }
        let settled = self.exhausted || keeper.is_perfect();
        keeper.tell(settled);
        if settled {
            return Ok(());
        }
        let mut breadth = Breadth::new(simulator, self.settings.memory, &self.random, interrupt)?;
        let mut nested = Nested::new(self.random.clone());
        let mut orderless = breadth.orderless(simulator, &self.random, interrupt)?;
        let mut slice = FIRST_SLICE;
        while !interrupt.is_raised() && !keeper.is_perfect() {
            if self.settings.simulations.is_some_and(|budget| keeper.effort >= budget) {
                keeper.tell(true);
                break;
            }
            let progress = breadth.expand(simulator, slice, interrupt, &mut keeper)?;
            if progress == Progress::Exhausted {
                self.exhausted = true;
                keeper.tell(true);
                break;
            }
            match &mut orderless {
                Some(search) => search.search(simulator, slice * 64, interrupt, &mut keeper)?,
                None => nested.improve(simulator, slice, interrupt, &mut keeper)?,
            }
            slice *= 2;
        }
        self.random.bits();
        Ok(())
    }

    fn advance(&mut self, moves: &[TermId]) {
        let followed = self.best.as_mut().filter(|best| best.moves.first() == moves.first());
        match followed {
            Some(best) if best.moves.len() > 1 => {
                best.moves.remove(0);
            }
            _ => self.forget(),
        }
    }

    fn forget(&mut self) {
        self.best = None;
        self.exhausted = false;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{advice, after, game};
    use super::super::{Settings, StrategyKind};

    fn solve(name: &str) -> (f64, bool) {
        let game = game(name);
        let advice = advice(StrategyKind::Mcts, &mut after(&game, &[]), Settings::default());
        (advice.value.unwrap_or(-1.0), advice.proved)
    }

    #[test]
    fn blocks_are_stacked() {
        assert_eq!(solve("blocks-world"), (100.0, true));
    }

    #[test]
    fn the_best_of_a_small_space_is_proved() {
        assert_eq!(solve("maze"), (100.0, true));
    }
}
