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
use crate::processor::{BYTES, Bytes};

/// Changes of a word that have come up.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    slots: Vec<Slot>,
    /// The words that all kept changes change, and what they add to their counts, one behind the other.
    words: Vec<u32>,
    rows: Vec<Bytes>,
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
    /// Where its rows begin; [`ONCE`] if the change came up once and has none yet.
    start: u32,
    length: u32,
    /// The exclusive or of the keys of its fluents.
    hash: u64,
}

/// What a change of a word does.
pub(super) struct Known<'m> {
    /// The words with counts that change.
    pub(super) words: &'m [u32],
    /// What is added to the counts of each.
    pub(super) rows: &'m [Bytes],
    /// The exclusive or of the keys of its fluents.
    pub(super) hash: u64,
}

/// A change that is not kept is free for another one.
const ONCE: u32 = u32::MAX;
/// No change has no bits.
const FREE: Slot =
    Slot { change: Change { word: 0, bits: 0, before: 0 }, start: ONCE, length: 0, hash: 0 };
/// A change is kept in one of so many neighbouring slots.
const NEIGHBOURS: usize = 4;
/// There are so many slots for a word, and at most [`MOST_SLOTS`].
const SLOTS_A_WORD: usize = 1 << 9;
const MOST_SLOTS: usize = 1 << 14;
/// All changes together have at most about so many rows.
const MOST_ROWS: usize = 1 << 14;

impl Memory {
    pub(super) fn new(wiring: &Wiring) -> Memory {
        let words = wiring.layout.outputs.next.words();
        let slots = (SLOTS_A_WORD * words).next_power_of_two().min(MOST_SLOTS);
        Memory { slots: vec![FREE; slots + NEIGHBOURS], words: Vec::new(), rows: Vec::new() }
    }

    /// What a change of a word does; `None` if that is not known yet.
    #[inline(always)]
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
        let range = start as usize..(start + length) as usize;
        Some(Known { words: &self.words[range.clone()], rows: &self.rows[range], hash })
    }

    /// Gives a change a slot that none is kept in.
    #[cold]
    fn take(&mut self, first: usize, change: Change) -> Option<usize> {
        let free = (first..first + NEIGHBOURS).find(|&at| self.slots[at].start == ONCE)?;
        self.slots[free] = Slot { change, ..FREE };
        Some(free)
    }

    /// Works out what a change does; `false` if there is no room for it.
    #[cold]
    fn keep(&mut self, at: usize, wiring: &Wiring, keys: &[u64]) -> bool {
        if self.rows.len() >= MOST_ROWS {
            return false;
        }
        let (start, mut hash) = (self.rows.len() as u32, 0);
        let mut sums: BTreeMap<u32, Bytes> = BTreeMap::new();
        let Change { word, bits, before } = self.slots[at].change;
        for bit in ids::bits_of(bits) {
            let fluent = 64 * word + bit;
            hash ^= keys[fluent as usize];
            wiring.readers(fluent).steps(before >> bit & 1 == 0, |word, step| {
                step.add_to(sums.entry(word).or_insert(Bytes([0; BYTES])));
            });
        }
        sums.retain(|_, row| row.0.iter().any(|&change| change != 0));
        self.words.extend(sums.keys());
        self.rows.extend(sums.values());
        let length = self.rows.len() as u32 - start;
        self.slots[at] = Slot { start, length, hash, ..self.slots[at] };
        true
    }
}

impl Change {
    /// The first of its slots among so many, a power of two.
    #[inline(always)]
    fn place(&self, slots: usize) -> usize {
        const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
        let mixed = (self.bits ^ u64::from(self.word)).wrapping_mul(MIX);
        let mixed = (mixed ^ self.before ^ (mixed >> 32)).wrapping_mul(MIX);
        (mixed >> 40) as usize & (slots - 1)
    }
}
