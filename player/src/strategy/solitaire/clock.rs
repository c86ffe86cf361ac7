//! Step counters: fluents that only say how late it is. Two states that differ in them alone are
//! one state to a search, and the earlier one is the better.
//!
//! They are recognised from random playouts: in each playout, at every step, exactly one fluent
//! with the counter's name holds, the same in all playouts and never again. That is evidence, not
//! proof: a search that ignores them must not conclude that something does not exist.

use engine::{Failure, TermId};
use gdl_front::Symbol;
use gdl_front::hash::{HashMap, HashSet};

use super::super::playout::{Player, random_line};
use crate::interrupt::Interrupt;
use crate::simulator::{Simulator, fluent_key};

const PLAYOUTS: usize = 6;
const LONGEST: usize = 200;

/// The names of the step counters; empty if the game has none.
pub(super) fn counters(
    simulator: &mut dyn Simulator,
    player: &mut Player,
    interrupt: &Interrupt,
) -> Result<HashSet<Symbol>, Failure> {
    let mut refuted: HashSet<Symbol> = HashSet::default();
    // What each name says at each step; more than one step must have been seen.
    let mut told: HashMap<(Symbol, usize), TermId> = HashMap::default();
    let mut step_of: HashMap<TermId, usize> = HashMap::default();
    let mut longest = 0;
    for _ in 0..PLAYOUTS {
        let states = random_line(simulator, player, LONGEST, interrupt)?;
        longest = longest.max(states.len());
        for (step, state) in states.iter().enumerate() {
            let mut here: HashSet<Symbol> = HashSet::default();
            for &fluent in state {
                let name = simulator.game().terms.read().symbol(fluent);
                let same = *told.entry((name, step)).or_insert(fluent) == fluent
                    && *step_of.entry(fluent).or_insert(step) == step;
                if !here.insert(name) || !same {
                    refuted.insert(name);
                }
            }
        }
    }
    let everywhere = |name: Symbol| (0..longest).all(|step| told.contains_key(&(name, step)));
    let names = told.keys().map(|&(name, _)| name);
    Ok(names.filter(|name| longest > 2 && !refuted.contains(name) && everywhere(*name)).collect())
}

/// The key of a state without its counters.
pub(super) fn timeless_key(
    simulator: &dyn Simulator,
    state: &[TermId],
    counters: &HashSet<Symbol>,
) -> u64 {
    let arena = simulator.game().terms.read();
    let lasting = state.iter().filter(|&&fluent| !counters.contains(&arena.symbol(fluent)));
    lasting.fold(0, |key, &fluent| key ^ fluent_key(fluent))
}
