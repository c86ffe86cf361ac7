//! Ways to choose a move. Input: a [`Simulator`] at the present state and an [`Interrupt`]; output:
//! ever better [`Advice`] while the search runs, so that a legal answer is at hand at any moment.
//!
//! Entry point: [`StrategyKind::build`]. What always holds: after a search, however it ended, the
//! simulator stands where it stood, though it may have forgotten how it came there; every advice names a move that is legal there.

mod joint;
mod mcts;
mod minimax;
mod playout;
mod simple;
mod solitaire;

use std::fmt;
use std::str::FromStr;

use engine::{Failure, TermId};
use gdl_front::vocabulary::Keyword;

use crate::interrupt::Interrupt;
use crate::simulator::Simulator;

/// A move that a search would make now.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// The move.
    pub action: TermId,
    /// The goal value that the search expects, 0 to 100, if it has an opinion.
    pub value: Option<f64>,
    /// More time would not change the advice.
    pub settled: bool,
    /// The value is proved, not estimated.
    pub proved: bool,
    /// Playouts or nodes so far.
    pub effort: u64,
}

/// A way to choose moves for one role of one match.
pub trait Strategy: Send {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Searches from where the simulator stands until the interrupt is raised, or until more time
    /// would not change the advice.
    fn search(
        &mut self,
        simulator: &mut dyn Simulator,
        interrupt: &Interrupt,
        report: &mut dyn FnMut(Advice),
    ) -> Result<(), Failure>;

    /// Our move of this turn is given; what is thought from now on is for the next.
    fn commit(&mut self, _action: TermId) {}

    /// The match went on by a joint move: keep what is still of use.
    fn advance(&mut self, _moves: &[TermId]) {}

    /// Another kind of simulator follows, or the state jumped: forget what was found.
    fn forget(&mut self) {}
}

/// What a strategy is told at the start.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The role to play, by its place in the rule sheet.
    pub role: usize,
    /// With one thread and a bound on simulations, the same seed gives the same moves.
    pub seed: u64,
    /// How many threads may search.
    pub threads: usize,
    /// How many bytes the search may remember, roughly.
    pub memory: usize,
    /// Ends each search after so many playouts or nodes, whatever the clock says.
    pub simulations: Option<u64>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { role: 0, seed: 0, threads: 1, memory: 1 << 30, simulations: None }
    }
}

/// The strategies by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrategyKind {
    /// A random legal move.
    Random,
    /// The first legal move.
    Legal,
    /// Alpha-beta search, deeper and deeper.
    Minimax,
    /// Monte-Carlo tree search; in games for one, the search for a single line.
    Mcts,
}

impl StrategyKind {
    /// All of them.
    pub const ALL: [StrategyKind; 4] =
        [StrategyKind::Random, StrategyKind::Legal, StrategyKind::Minimax, StrategyKind::Mcts];

    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            StrategyKind::Random => "random",
            StrategyKind::Legal => Keyword::Legal.name(),
            StrategyKind::Minimax => "minimax",
            StrategyKind::Mcts => "mcts",
        }
    }

    /// A strategy of this kind for a game with so many roles.
    pub fn build(self, roles: usize, settings: Settings) -> Box<dyn Strategy> {
        match self {
            StrategyKind::Random => Box::new(simple::RandomMove::new(settings)),
            StrategyKind::Legal => Box::new(simple::FirstMove::new(settings)),
            StrategyKind::Minimax => Box::new(minimax::Minimax::new(settings)),
            StrategyKind::Mcts if roles == 1 => Box::new(solitaire::Solitaire::new(settings)),
            StrategyKind::Mcts => Box::new(mcts::Mcts::new(settings)),
        }
    }

    /// Whether it uses the time it is given.
    pub fn searches(self) -> bool {
        !matches!(self, StrategyKind::Random | StrategyKind::Legal)
    }
}

impl FromStr for StrategyKind {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<StrategyKind, UnknownStrategy> {
        let known = StrategyKind::ALL.into_iter().find(|kind| kind.name() == name);
        known.ok_or_else(|| UnknownStrategy(name.to_owned()))
    }
}

/// A name that no strategy has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStrategy(pub String);

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = StrategyKind::ALL.map(StrategyKind::name).join(", ");
        write!(f, "`{}` is no strategy; there are {names}", self.0)
    }
}

impl std::error::Error for UnknownStrategy {}

/// The legal moves of a role in the order in which they are shown: the same in every run, whatever
/// ids the terms were given.
fn shown_order(simulator: &mut dyn Simulator, role: usize) -> Result<Vec<TermId>, Failure> {
    let game = simulator.game().clone();
    let mut moves = simulator.legal(role)?;
    if moves.is_empty() {
        return Err(Failure::NoLegalMove { role: game.roles[role] });
    }
    moves.sort_by_cached_key(|&action| game.show(action));
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use engine::{Game, Reasoner, Reference};

    use super::*;

    pub(super) fn game(name: &str) -> Arc<Game> {
        let path = format!("{}/../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        Game::new(gdl_front::load(&text, None).program.unwrap())
    }

    /// Stands behind some joint moves, each given as one text with a move for each role.
    pub(super) fn after(game: &Arc<Game>, line: &[&[&str]]) -> Reference {
        let mut reasoner = Reference::new(game.clone()).unwrap();
        for moves in line {
            let moves: Vec<TermId> = moves.iter().map(|m| game.read_term(m).unwrap()).collect();
            reasoner.check_legal(&moves).unwrap();
            reasoner.apply(&moves).unwrap();
        }
        reasoner
    }

    /// The last advice of a search that ends by itself.
    pub(super) fn advice(
        kind: StrategyKind,
        simulator: &mut dyn Simulator,
        settings: Settings,
    ) -> Advice {
        let roles = simulator.game().roles.len();
        let before = simulator.state().unwrap();
        let mut last = None;
        kind.build(roles, settings)
            .search(simulator, &Interrupt::default(), &mut |advice| last = Some(advice))
            .unwrap();
        assert_eq!(simulator.state().unwrap(), before, "the simulator stands where it stood");
        last.unwrap()
    }

    #[test]
    fn every_strategy_is_found_by_its_name() {
        for kind in StrategyKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert!("chance".parse::<StrategyKind>().is_err());
    }
}
