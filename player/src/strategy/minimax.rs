//! Alpha-beta search, deeper and deeper, until the value is proved or time is up.
//!
//! One search serves all games: our role takes the best of its moves, all others together take the
//! worst for us, and they know our move (paranoid). In a two-player turn-taking zero-sum game that
//! is minimax; with more players or simultaneous moves it is what we can be sure of.
//! Values are goal values of our role. A value is *proved* if no estimate went into it.

mod estimate;
mod search;
mod table;

use engine::{Failure, TermId};

use super::{Advice, Settings, Strategy, shown_order};
use crate::interrupt::Interrupt;
use crate::simulator::Simulator;
use search::{Search, Stop};
use table::Table;

/// Deeper than any game that can be searched to its end.
const DEEPEST: usize = 1000;

/// Alpha-beta search for one role.
pub(super) struct Minimax {
    settings: Settings,
    table: Table,
}

impl Minimax {
    pub(super) fn new(settings: Settings) -> Minimax {
        Minimax { table: Table::new(settings.memory), settings }
    }
}

impl Strategy for Minimax {
    fn name(&self) -> &'static str {
        "minimax"
    }

    fn search(
        &mut self,
        simulator: &mut dyn Simulator,
        interrupt: &Interrupt,
        report: &mut dyn FnMut(Advice),
    ) -> Result<(), Failure> {
        let moves = shown_order(simulator, self.settings.role)?;
        // A counted search is always done in full, or it would depend on the clock.
        let only = moves.len() == 1 && self.settings.simulations.is_none();
        report(Advice { action: moves[0], value: None, settled: only, proved: false, effort: 0 });
        let mut search = Search::new(
            simulator,
            self.settings.role,
            &mut self.table,
            interrupt,
            self.settings.simulations,
        );
        for depth in 1..DEEPEST {
            let (action, value) = match search.root(depth, &moves) {
                Ok(found) => found,
                Err(Stop::Interrupted { spent }) => {
                    if spent {
                        report(Advice { settled: true, ..search.last_advice(moves[0]) });
                    }
                    return Ok(());
                }
                Err(Stop::Failed(failure)) => return Err(failure),
            };
            report(search.advise(action, value, value.proved || only));
            if value.proved {
                return Ok(());
            }
        }
        Ok(())
    }

    fn advance(&mut self, _moves: &[TermId]) {
        self.table.age();
    }

    fn forget(&mut self) {
        self.table = Table::new(self.settings.memory);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{advice, after, game};
    use super::super::{Settings, StrategyKind};

    fn value(name: &str, line: &[&[&str]], role: usize) -> (String, f64, bool) {
        let game = game(name);
        let settings = Settings { role, memory: 1 << 26, ..Settings::default() };
        let advice = advice(StrategyKind::Minimax, &mut after(&game, line), settings);
        (game.show(advice.action), advice.value.unwrap_or(-1.0), advice.proved)
    }

    #[test]
    fn proves_tic_tac_toe_a_draw() {
        for role in [0, 1] {
            let (_, goal, proved) = value("tic-tac-toe", &[], role);
            assert!(proved && goal == 50.0, "{goal}");
        }
    }

    #[test]
    fn a_lost_player_holds_out() {
        let line: &[&[&str]] =
            &[&["(mark b2)", "wait"], &["wait", "(mark b1)"], &["(mark a1)", "wait"]];
        let (action, goal, proved) = value("tic-tac-toe", line, 1);
        assert_eq!((action.as_str(), goal, proved), ("(mark c3)", 0.0, true));
    }

    #[test]
    fn is_sure_of_nothing_when_both_move_at_once() {
        let (_, goal, proved) = value("rock-paper-scissors", &[], 0);
        assert!(proved && goal < 50.0, "{goal}");
    }

    #[test]
    fn proves_balanced_heaps_lost_in_nim() {
        let (_, goal, proved) = value("nim", &[], 0);
        assert!(proved && goal == 0.0, "{goal}");
    }
}
