//! The network as a search uses it: fluents and moves are numbers, and nothing is allocated.
//!
//! These functions stand on the circuit: a position that [`Reasoner::set_state`] or
//! [`Reasoner::apply`] led outside of it is answered by the contract alone.
//!
//! [`Reasoner::set_state`]: crate::Reasoner::set_state
//! [`Reasoner::apply`]: crate::Reasoner::apply

use super::Network;
use crate::random::Random;
use crate::terms::TermId;

/// The numbers of the bits that are set.
pub(super) fn bits(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    words.iter().enumerate().flat_map(|(word, &bits)| {
        let mut left = bits;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| 64 * word as u32 + left.trailing_zeros())?;
            left &= left - 1;
            Some(bit)
        })
    })
}

impl Network {
    /// The state, a bit for each fluent of the circuit.
    pub fn state_bits(&self) -> &[u64] {
        &self.state
    }

    /// The hash of the state: that of equal states is equal, whatever led there.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The legal moves of a role, ascending.
    pub fn legal_ids(&mut self, role: usize) -> &[u32] {
        self.core.legal(role, &mut self.legal_bits);
        self.legal.clear();
        self.legal.extend(bits(&self.legal_bits));
        &self.legal
    }

    /// Whether the match is over.
    pub fn is_over(&self) -> bool {
        self.core.is_terminal()
    }

    /// Every goal value that holds for a role.
    pub fn goal_values(&mut self, role: usize) -> impl Iterator<Item = TermId> + '_ {
        self.core.goal_values(role)
    }

    /// Makes a joint move, one number for each role.
    pub fn apply_ids(&mut self, moves: &[u32]) {
        self.nodes.clear();
        let nodes = moves.iter().enumerate();
        self.nodes.extend(nodes.map(|(role, &action)| self.circuit.move_node(role, action)));
        self.step();
    }

    /// Takes the last move back; `false` if there is none.
    pub fn undo_ids(&mut self) -> bool {
        let words = self.state.len();
        // A game without fluents has states without words.
        let Some(start) = self.history.len().checked_sub(words.max(1)) else { return false };
        self.next.copy_from_slice(&self.history[start..start + words]);
        self.history.truncate(start);
        self.enter_next();
        true
    }

    /// Goes back to the initial state, and forgets the line of play.
    pub fn restart(&mut self) {
        self.outside = None;
        self.history.clear();
        self.core.copy_from(&self.start);
        self.state.copy_from_slice(&self.initial);
        self.hash = self.hash_of(&self.initial);
    }

    /// Makes random moves, all legal ones equally likely, until the match is over, a role has no
    /// legal move, or so many moves are made. Gives the number of moves.
    pub fn random_moves(&mut self, random: &mut Random, most: u64) -> u64 {
        for made in 0..most {
            if self.is_over() || !self.choose(random) {
                return made;
            }
            self.step();
        }
        most
    }

    /// Chooses a legal move for each role; `false` if one has none.
    fn choose(&mut self, random: &mut Random) -> bool {
        self.nodes.clear();
        for role in 0..self.circuit.moves.len() {
            let place = match self.core.legal(role, &mut self.legal_bits) {
                0 => return false,
                1 => 0,
                count => random.below(count as usize) as u32,
            };
            let chosen = nth_bit(&self.legal_bits, place);
            self.nodes.push(self.circuit.move_node(role, chosen));
        }
        true
    }

    /// Makes the joint move in `nodes`.
    fn step(&mut self) {
        self.remember();
        if !self.effects.next_state(&self.core, &self.nodes, &mut self.next) {
            self.core.next_state(&self.nodes, &mut self.next);
        }
        self.enter_next();
    }

    /// Keeps the state for [`Network::undo_ids`].
    pub(super) fn remember(&mut self) {
        self.history.extend_from_slice(&self.state);
        if self.state.is_empty() {
            self.history.push(0);
        }
    }

    /// Goes to `next`.
    fn enter_next(&mut self) {
        self.hash ^= self.core.go_to(&self.next, &self.keys.hashes);
        std::mem::swap(&mut self.state, &mut self.next);
    }

    /// Goes to a state, whatever led there.
    pub(super) fn go_to(&mut self, state: &[u64]) {
        self.next.copy_from_slice(state);
        self.enter_next();
    }
}

/// The number of the n-th bit that is set, counted from 0; there must be so many.
fn nth_bit(words: &[u64], mut n: u32) -> u32 {
    for (word, &bits) in words.iter().enumerate() {
        let count = bits.count_ones();
        if n < count {
            return 64 * word as u32 + nth_bit_of(bits, n);
        }
        n -= count;
    }
    0
}

/// The same in a word. The sums of bits up to and with each byte stand side by side in a word, and
/// so does their comparison with `n`: the byte is found without a loop.
#[inline]
fn nth_bit_of(bits: u64, n: u32) -> u32 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let pairs = bits - ((bits >> 1) & (0x55 * EACH));
    let fours = (pairs & (0x33 * EACH)) + ((pairs >> 2) & (0x33 * EACH));
    let sums = ((fours + (fours >> 4)) & (0x0f * EACH)).wrapping_mul(EACH);
    let not_above = (((u64::from(n) * EACH) | (0x80 * EACH)) - sums) & (0x80 * EACH);
    let byte = 8 * not_above.count_ones();
    let before = (sums << 8 >> byte) as u32 & 0xff;
    let mut left = bits >> byte;
    (before..n).for_each(|_| left &= left - 1);
    byte + left.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_found_by_their_rank() {
        let words = [0b1010, 0, 1 << 63];
        assert_eq!(bits(&words).collect::<Vec<_>>(), [1, 3, 191]);
        assert_eq!([0, 1, 2].map(|n| nth_bit(&words, n)), [1, 3, 191]);
        let mut random = Random::new(1);
        for bits in [u64::MAX, 1, 1 << 63, random.bits(), random.bits() & random.bits()] {
            let found = (0..bits.count_ones()).map(|n| nth_bit(&[0, bits], n) - 64);
            assert!(found.eq(super::bits(&[bits])), "{bits:x}");
        }
    }
}
