//! The network as a search uses it: fluents and moves are numbers, and nothing is allocated.
//!
//! These functions stand on the circuit: a position that [`Reasoner::set_state`] or
//! [`Reasoner::apply`] led outside of it is answered by the contract alone.
//!
//! [`Reasoner::set_state`]: crate::Reasoner::set_state
//! [`Reasoner::apply`]: crate::Reasoner::apply

use super::Network;
use super::core::Core;
use super::steps::Made;
use crate::processor::{Processor, Task};
use crate::random::Random;
use crate::terms::TermId;

/// So few words are copied sooner than the system's copy is called.
const FEW_WORDS: usize = 4;

/// The numbers of the bits that are set.
pub(super) fn bits(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    (0..).zip(words).flat_map(|(word, &bits)| bits_of(bits).map(move |bit| 64 * word + bit))
}

/// The same in a word.
#[inline]
pub(super) fn bits_of(mut left: u64) -> impl Iterator<Item = u32> + Clone {
    std::iter::from_fn(move || {
        let bit = (left != 0).then(|| left.trailing_zeros())?;
        left &= left - 1;
        Some(bit)
    })
}

/// A random number below a bound, if there is one.
#[inline(always)]
fn below(bound: u32, random: &mut Random) -> Option<u32> {
    match bound {
        0 => None,
        1 => Some(0),
        bound => Some(random.below(bound as usize) as u32),
    }
}

/// The place of the n-th bit that is set.
#[inline(always)]
fn select(processor: impl Processor, words: &[u64], mut n: u32) -> Option<u32> {
    for (word, &bits) in (0..).zip(words) {
        let count = bits.count_ones();
        if n < count {
            return Some(64 * word + processor.select(bits, n));
        }
        n -= count;
    }
    None
}

impl Network {
    /// The state, a bit for each fluent of the circuit.
    pub fn state_bits(&self) -> &[u64] {
        self.core.state()
    }

    /// The hash of the state: that of equal states is equal, whatever led there.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The legal moves of a role, ascending.
    pub fn legal_ids(&mut self, role: usize) -> &[u32] {
        self.legal.clear();
        for (word, bits) in (0..).zip(self.core.legal(role)) {
            self.legal.extend(bits_of(bits).map(|bit| 64 * word + bit));
        }
        &self.legal
    }

    /// Whether the match is over.
    pub fn is_over(&self) -> bool {
        self.core.is_terminal()
    }

    /// Every goal value that holds for a role.
    pub fn goal_values(&mut self, role: usize) -> impl Iterator<Item = TermId> + '_ {
        let values = &self.circuit.goals[role];
        self.core.goals(role).map(|number| values[number].0)
    }

    /// Makes a joint move, one number for each role.
    pub fn apply_ids(&mut self, moves: &[u32]) {
        for (role, (node, &action)) in self.nodes.iter_mut().zip(moves).enumerate() {
            *node = self.circuit.move_node(role, action);
        }
        self.best.run(Step(self));
    }

    /// Takes the last move back; `false` if there is none.
    pub fn undo_ids(&mut self) -> bool {
        let words = self.next.len();
        // A game without fluents has states without words.
        let Some(start) = self.history.len().checked_sub(words.max(1)) else { return false };
        self.next.copy_from_slice(&self.history[start..start + words]);
        self.history.truncate(start);
        self.best.run(EnterNext(self));
        true
    }

    /// Goes back to the initial state, and forgets the line of play.
    pub fn restart(&mut self) {
        self.outside = None;
        self.history.clear();
        self.core.copy_from(&self.start);
        self.hash = self.initial_hash;
    }

    /// Makes random moves, all legal ones equally likely, until the match is over, a role has no
    /// legal move, or so many moves are made. Gives the number of moves.
    pub fn random_moves(&mut self, random: &mut Random, most: u64) -> u64 {
        self.best.run(RandomMoves { network: self, random, most })
    }

    /// Chooses a legal move for each role; `false` if one has none.
    #[inline(always)]
    fn choose(&mut self, processor: impl Processor, random: &mut Random) -> bool {
        let Core { wiring, values, .. } = &self.core;
        for (role, (node, words)) in self.nodes.iter_mut().zip(&wiring.moves).enumerate() {
            let action = if let [word] = &words[..] {
                let bits = word.legal(values);
                below(bits.count_ones(), random).map(|n| processor.select(bits, n))
            } else {
                self.legal_bits.clear();
                self.legal_bits.extend(words.iter().map(|word| word.legal(values)));
                let count = self.legal_bits.iter().map(|bits| bits.count_ones()).sum();
                below(count, random).and_then(|n| select(processor, &self.legal_bits, n))
            };
            let Some(action) = action else { return false };
            *node = wiring.circuit.move_node(role, action);
        }
        true
    }

    /// Makes the joint move in `nodes`.
    #[inline(always)]
    fn step(&mut self, processor: impl Processor) {
        self.remember();
        let Some(effect) = self.effects.find(&self.core, &self.nodes) else {
            self.core.next_state(processor, &self.nodes, &mut self.next);
            return self.enter_next(processor);
        };
        let values = &self.core.values;
        let key = || self.effects.deciding(effect, values).map(|(_, key)| key);
        if let Some(step) = self.steps.find(effect, values, key) {
            self.hash ^= step.hash;
            return self.core.follow(processor, step);
        }
        self.effects.next_state(effect, &self.core, &mut self.next);
        self.notice(effect);
        self.enter_next(processor);
    }

    /// Remembers the step to `next`.
    #[inline(never)]
    fn notice(&mut self, effect: usize) {
        let values = &self.core.values;
        if let Some((deciding, key)) = self.effects.deciding(effect, values) {
            let made = Made {
                wiring: &self.core.wiring,
                values,
                deciding,
                changes: self.effects.changes(),
                next: &self.next,
                keys: &self.keys.hashes,
            };
            self.steps.notice(key, &made);
        }
    }

    /// Keeps the state for [`Network::undo_ids`].
    #[inline(always)]
    pub(super) fn remember(&mut self) {
        let state = self.core.state();
        if state.len() <= FEW_WORDS {
            state.iter().for_each(|&word| self.history.push(word));
        } else {
            self.history.extend_from_slice(state);
        }
        if self.next.is_empty() {
            self.history.push(0);
        }
    }

    /// Goes to `next`.
    #[inline(always)]
    fn enter_next(&mut self, processor: impl Processor) {
        self.hash ^= self.core.go_to(processor, &self.next, &self.keys.hashes);
    }

    /// Goes to a state, whatever led there.
    pub(super) fn go_to(&mut self, state: &[u64]) {
        self.next.copy_from_slice(state);
        self.best.run(EnterNext(self));
    }
}

/// The joint move in `nodes`, compiled for the processor.
struct Step<'n>(&'n mut Network);

impl Task for Step<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, processor: impl Processor) {
        self.0.step(processor);
    }
}

/// The way to `next`, compiled for the processor.
struct EnterNext<'n>(&'n mut Network);

impl Task for EnterNext<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, processor: impl Processor) {
        self.0.enter_next(processor);
    }
}

/// Random moves, compiled for the processor.
struct RandomMoves<'n> {
    network: &'n mut Network,
    random: &'n mut Random,
    most: u64,
}

impl Task for RandomMoves<'_> {
    type Output = u64;

    #[inline(always)]
    fn run(self, processor: impl Processor) -> u64 {
        let RandomMoves { network, random, most } = self;
        for made in 0..most {
            if network.is_over() || !network.choose(processor, random) {
                return made;
            }
            network.step(processor);
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_listed_in_order() {
        assert_eq!(bits(&[0b1010, 0, 1 << 63]).collect::<Vec<_>>(), [1, 3, 191]);
    }
}
