//! What differences between states do to the counts of gates, worked out once and then looked up.
//!
//! The fluents of a state lie in words of 64 bits. A move changes few words, and the same changes of
//! a word come up again and again: the piece that goes from one square to the next, the turn that
//! passes. A change that comes up again is kept with all that it does, so that several fluents that
//! change together cost one look instead of a walk over the readers of each, and what one of them
//! adds to a count and the other takes away costs nothing.
//! Entry point: [`Memory::recall`].

use std::collections::BTreeMap;

use super::ids;
use super::wiring::Wiring;

/// Changes of a word that have come up.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    slots: Vec<Slot>,
    /// The masks and steps of all changes that are kept, one behind the other.
    masks: Vec<(u32, u64)>,
    steps: Vec<Step>,
    /// What is added to each count, while the steps of a change are worked out.
    sums: Vec<i32>,
}

/// A change of a word: which bits change, and which of these were set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    word: u32,
    bits: u64,
    before: u64,
}

/// A place for a change.
#[derive(Clone, Copy, Debug)]
struct Slot {
    change: Change,
    /// Where its masks and its steps begin; [`ONCE`] if the change came up once and has none yet.
    start: [u32; 2],
    length: [u32; 2],
    /// The exclusive or of the keys of its fluents.
    hash: u64,
}

/// What a change of a word does.
pub(super) struct Known<'m> {
    /// Words of outputs, and which of their bits change.
    pub(super) masks: &'m [(u32, u64)],
    /// The counts that change.
    pub(super) steps: &'m [Step],
    /// The exclusive or of the keys of its fluents.
    pub(super) hash: u64,
}

/// What a change adds to the count of a gate; not 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) gate: u32,
    pub(super) added: i32,
}

/// A change that is not kept is free for another one.
const ONCE: [u32; 2] = [u32::MAX; 2];
/// No change has no bits.
const FREE: Slot =
    Slot { change: Change { word: 0, bits: 0, before: 0 }, start: ONCE, length: [0; 2], hash: 0 };
/// A change is kept in one of so many neighbouring slots.
const NEIGHBOURS: usize = 4;
/// There are so many slots for a word, and at most [`MOST_SLOTS`].
const SLOTS_A_WORD: usize = 1 << 9;
const MOST_SLOTS: usize = 1 << 14;
/// All changes together have at most about so many masks and steps.
const MOST_STEPS: usize = 1 << 19;

impl Memory {
    pub(super) fn new(wiring: &Wiring) -> Memory {
        let slots = (SLOTS_A_WORD * wiring.outputs.state_words).next_power_of_two();
        Memory {
            slots: vec![FREE; slots.min(MOST_SLOTS) + NEIGHBOURS],
            masks: Vec::new(),
            steps: Vec::new(),
            sums: vec![0; wiring.nodes()],
        }
    }

    /// What a change of a word does; `None` if that is not known yet.
    #[inline]
    pub(super) fn recall(
        &mut self,
        wiring: &Wiring,
        keys: &[u64],
        word: usize,
        bits: u64,
        before: u64,
    ) -> Option<Known<'_>> {
        let change = Change { word: word as u32, bits, before: before & bits };
        let first = change.place(self.slots.len() - NEIGHBOURS);
        let found = (first..first + NEIGHBOURS).find(|&at| self.slots[at].change == change);
        let at = found.or_else(|| self.take(first, change))?;
        if self.slots[at].start == ONCE && !(found.is_some() && self.keep(at, wiring, keys)) {
            return None;
        }
        let Slot { start, length, hash, .. } = self.slots[at];
        let range = |part: usize| start[part] as usize..(start[part] + length[part]) as usize;
        Some(Known { masks: &self.masks[range(0)], steps: &self.steps[range(1)], hash })
    }

    /// Gives a change a slot that none is kept in.
    fn take(&mut self, first: usize, change: Change) -> Option<usize> {
        let free = (first..first + NEIGHBOURS).find(|&at| self.slots[at].start == ONCE)?;
        self.slots[free] = Slot { change, ..FREE };
        Some(free)
    }

    /// Works out what a change does; `false` if there is no room for it.
    #[cold]
    fn keep(&mut self, at: usize, wiring: &Wiring, keys: &[u64]) -> bool {
        if self.masks.len() + self.steps.len() >= MOST_STEPS {
            return false;
        }
        let start = [self.masks.len() as u32, self.steps.len() as u32];
        let (mut hash, mut masks, mut gates) = (0, BTreeMap::<u32, u64>::new(), Vec::new());
        let Change { word, bits, before } = self.slots[at].change;
        for bit in ids::bits_of(bits) {
            let fluent = 64 * word + bit;
            hash ^= keys[fluent as usize];
            for &tap in wiring.taps(1 + fluent) {
                *masks.entry(tap / 64).or_default() ^= 1 << (tap % 64);
            }
            let holds = before >> bit & 1 == 0;
            for &link in wiring.links(1 + fluent) {
                self.sums[link as usize / 2] += if holds == (link % 2 == 1) { 1 } else { -1 };
                gates.push(link / 2);
            }
        }
        self.masks.extend(masks);
        gates.sort_unstable();
        gates.dedup();
        for gate in gates {
            let added = std::mem::take(&mut self.sums[gate as usize]);
            if added != 0 {
                self.steps.push(Step { gate, added });
            }
        }
        let length = [self.masks.len() as u32 - start[0], self.steps.len() as u32 - start[1]];
        self.slots[at] = Slot { start, length, hash, ..self.slots[at] };
        true
    }
}

impl Change {
    /// The first of its slots among so many, a power of two.
    #[inline]
    fn place(&self, slots: usize) -> usize {
        const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
        let mixed = (self.bits ^ u64::from(self.word)).wrapping_mul(MIX);
        let mixed = (mixed ^ self.before ^ (mixed >> 32)).wrapping_mul(MIX);
        (mixed >> 40) as usize & (slots - 1)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Network;
    use super::super::core::Core;
    use crate::game::Game;
    use crate::ground::Limits;
    use crate::random::Random;

    /// A row of seven places with a piece that goes, jumps over a stone or takes it, and a clock.
    const WALK: &str = "(role x) (init (at 1)) (init (stone 2)) (init (stone 4)) (init (time 0))
        (next_to 1 2) (next_to 2 3) (next_to 3 4) (next_to 4 5) (next_to 5 6) (next_to 6 7)
        (<= (near ?a ?b) (next_to ?a ?b)) (<= (near ?a ?b) (next_to ?b ?a))
        (<= (place ?a) (near ?a ?b))
        (<= (legal x (go ?b)) (true (at ?a)) (near ?a ?b))
        (<= (legal x (jump ?c)) (true (at ?a)) (near ?a ?b) (true (stone ?b)) (near ?b ?c))
        (<= (next (at ?b)) (does x (go ?b))) (<= (next (at ?c)) (does x (jump ?c)))
        (<= (next (stone ?a)) (true (stone ?a)) (not (does x (go ?a))))
        (<= (next (stone ?a)) (true (at ?a)) (does x (jump ?b)))
        (<= (next (time 1)) (true (time 0))) (<= (next (time 0)) (true (time 1)))
        (<= alone (place ?a) (true (at ?a)) (not (close ?a)))
        (<= (close ?a) (near ?a ?b) (true (stone ?b)))
        (<= terminal alone (true (time 1))) (<= (goal x 100) alone) (<= (goal x 0) (not alone))";

    #[test]
    fn what_is_remembered_is_what_a_new_core_counts() {
        let game = Game::new(gdl_front::load(WALK, None).program.expect("a valid game"));
        let mut network = Network::new(&game, &Limits::default()).unwrap();
        let mut random = Random::new(1);
        for _ in 0..200 {
            network.restart();
            for _ in 0..20 {
                network.random_moves(&mut random, 1);
                let mut new = Core::new(Arc::clone(&network.core.wiring));
                new.go_to(&network.state, &network.keys.hashes);
                assert_eq!(new.counts, network.core.counts);
                assert_eq!(new.values, network.core.values);
                assert!(new.legal(0).eq(network.core.legal(0)));
                assert_eq!(new.is_terminal(), network.core.is_terminal());
            }
        }
        let memory = &network.core.memory;
        assert!(!memory.steps.is_empty() && !memory.masks.is_empty(), "nothing was remembered");
    }
}
