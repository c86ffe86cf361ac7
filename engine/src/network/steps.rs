//! What joint moves lead to, worked out once and then looked up.
//!
//! What a joint move does is decided by little: the conditions of its effect, the fluents that it
//! ends or begins for certain, and what happens whatever is done, such as whose turn it is. Where
//! these are as they were before, the same fluents change, and they add the same to the counts of
//! gates: several fluents that change together cost one look instead of a walk over the readers of
//! each, and what one of them adds to a count and the other takes away costs nothing.
//! Entry point: [`Steps::find`].

use std::collections::BTreeMap;

use super::effects::Deciding;
use super::ids;
use super::wiring::Wiring;
use crate::processor::{BYTES, Bytes};

/// Steps that have been made.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    slots: Vec<Slot>,
    /// By effect, the steps that are kept.
    known: Vec<Known>,
    /// The checks of all kept steps, one behind the other.
    checks: Vec<Check>,
    /// The words whose counts they change, and what they add to these.
    words: Vec<u32>,
    rows: Vec<Bytes>,
}

/// What steps are found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) effect: u32,
    /// A number made of the values that decide what the effect does.
    pub(super) tag: u64,
}

/// A place for a step.
#[derive(Clone, Copy, Debug)]
struct Slot {
    key: Key,
    /// Where its rows and checks begin; [`ONCE`] if it was made once and is not kept yet.
    rows: u32,
    checks: u32,
    lengths: [u16; 2],
    /// The exclusive or of the keys of its fluents.
    hash: u64,
}

/// The steps of an effect.
#[derive(Clone, Copy, Debug)]
struct Known {
    count: u32,
    /// Where the first ones are.
    slots: [u32; FEW],
}

/// What a word has to be for a step, and which fluents of it then change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check {
    pub(super) word: u32,
    mask: u64,
    value: u64,
    pub(super) flips: u64,
}

/// A step that is known.
#[derive(Clone, Copy)]
pub(super) struct Step<'s> {
    pub(super) checks: &'s [Check],
    /// The words with counts that change.
    pub(super) words: &'s [u32],
    /// What is added to the counts of each.
    pub(super) rows: &'s [Bytes],
    /// The exclusive or of the keys of its fluents.
    pub(super) hash: u64,
}

/// A step as it is made.
pub(super) struct Made<'m> {
    pub(super) wiring: &'m Wiring,
    /// The values before.
    pub(super) values: &'m [u64],
    pub(super) deciding: &'m [Deciding],
    /// The fluents that begin and those that end, whether they hold or not.
    pub(super) changes: (&'m [u64], &'m [u64]),
    pub(super) next: &'m [u64],
    /// By fluent.
    pub(super) keys: &'m [u64],
}

/// A step that is not kept is free for another one.
const ONCE: u32 = u32::MAX;
const FREE: Slot =
    Slot { key: Key { effect: 0, tag: 0 }, rows: ONCE, checks: 0, lengths: [0; 2], hash: 0 };
/// So few steps of an effect are tried one after the other, which waits for no hash.
const FEW: usize = 2;
/// A step is kept in one of so many neighbouring slots.
const NEIGHBOURS: usize = 4;
const SLOTS: usize = 1 << 13;
/// All steps together have at most about so many rows.
const MOST_ROWS: usize = 1 << 14;
/// A step with more rows is not kept.
const MOST_ROWS_A_STEP: usize = 64;

impl Steps {
    pub(super) fn new() -> Steps {
        Steps {
            slots: vec![FREE; SLOTS + NEIGHBOURS],
            known: Vec::new(),
            checks: Vec::new(),
            words: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// The slots for a key.
    #[inline(always)]
    fn slots_of(key: Key) -> std::ops::Range<usize> {
        // The highest bits of a product depend on all bits of its factors.
        let first = (key.tag >> (64 - SLOTS.ilog2())) as usize;
        first..first + NEIGHBOURS
    }

    /// The step of an effect that is known for these values; `key` gives its key.
    #[inline(always)]
    pub(super) fn find(
        &self,
        effect: usize,
        values: &[u64],
        key: impl FnOnce() -> Option<Key>,
    ) -> Option<Step<'_>> {
        let slot = self.slot(effect, values, key)?;
        let rows = slot.rows as usize..slot.rows as usize + usize::from(slot.lengths[0]);
        Some(Step {
            checks: self.checks(slot),
            words: &self.words[rows.clone()],
            rows: &self.rows[rows],
            hash: slot.hash,
        })
    }

    /// Where it is kept.
    #[inline(always)]
    fn slot(
        &self,
        effect: usize,
        values: &[u64],
        key: impl FnOnce() -> Option<Key>,
    ) -> Option<&Slot> {
        let known = self.known.get(effect)?;
        if let Some(few) = known.slots.get(..known.count as usize) {
            for &at in few {
                let slot = &self.slots[at as usize];
                if self.fits(slot, values) {
                    return Some(slot);
                }
            }
            return None;
        }
        let key = key()?;
        let mut slots = self.slots[Steps::slots_of(key)].iter();
        let slot = slots.find(|slot| slot.key == key && slot.rows != ONCE)?;
        self.fits(slot, values).then_some(slot)
    }

    #[inline(always)]
    fn checks(&self, slot: &Slot) -> &[Check] {
        &self.checks[slot.checks as usize..][..usize::from(slot.lengths[1])]
    }

    /// Whether what the step of a slot depends on is as it was.
    #[inline(always)]
    fn fits(&self, slot: &Slot, values: &[u64]) -> bool {
        let holds = |check: &Check| values[check.word as usize] & check.mask == check.value;
        self.checks(slot).iter().all(holds)
    }

    /// Keeps a step that is made for the second time.
    #[inline(never)]
    pub(super) fn notice(&mut self, key: Key, made: &Made) {
        let mut slots = Steps::slots_of(key);
        if let Some(at) = slots.clone().find(|&at| self.slots[at].key == key) {
            self.keep(at, made);
        } else if let Some(free) = slots.find(|&at| self.slots[at].rows == ONCE) {
            self.slots[free] = Slot { key, ..FREE };
        }
    }

    fn keep(&mut self, at: usize, made: &Made) {
        if self.rows.len() >= MOST_ROWS || self.checks.len() >= MOST_ROWS {
            return;
        }
        let mut hash = 0;
        let mut sums: BTreeMap<u32, Bytes> = BTreeMap::new();
        let mut checks: BTreeMap<u32, Check> = BTreeMap::new();
        let value = |word: u32| made.values[word as usize];
        let mut check = |word: u32, mask: u64, flips: u64| {
            let empty = Check { word, mask: 0, value: 0, flips };
            let check = checks.entry(word).or_insert(empty);
            check.mask |= mask;
            check.value = check.mask & value(word);
        };
        let (begins, ends) = made.changes;
        let touched = begins.iter().zip(ends).map(|(begins, ends)| begins | ends);
        for (word, (&now, touched)) in (0..).zip(made.next.iter().zip(touched)) {
            let flips = value(word) ^ now;
            if touched != 0 {
                check(word, touched, flips);
            }
            for bit in ids::bits_of(flips) {
                let fluent = 64 * word + bit;
                hash ^= made.keys[fluent as usize];
                made.wiring.readers(fluent).steps(now >> bit & 1 == 1, |word, added| {
                    added.add_to(sums.entry(word).or_insert(Bytes([0; BYTES])));
                });
            }
        }
        made.deciding.iter().for_each(|deciding| check(deciding.word, deciding.mask, 0));
        sums.retain(|_, row| row.0.iter().any(|&change| change != 0));
        if sums.len() > MOST_ROWS_A_STEP {
            return;
        }
        let slot = Slot {
            rows: self.rows.len() as u32,
            checks: self.checks.len() as u32,
            lengths: [sums.len() as u16, checks.len() as u16],
            hash,
            ..self.slots[at]
        };
        self.slots[at] = slot;
        let effect = slot.key.effect as usize;
        if self.known.len() <= effect {
            self.known.resize(effect + 1, Known { count: 0, slots: [0; FEW] });
        }
        let known = &mut self.known[effect];
        if let Some(first) = known.slots.get_mut(known.count as usize) {
            *first = at as u32;
        }
        known.count += 1;
        self.words.extend(sums.keys());
        self.rows.extend(sums.values());
        self.checks.extend(checks.values());
    }
}

#[cfg(test)]
mod tests {
    use gdl_front::{Covering, translate};

    use super::super::Network;
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
    fn steps_lead_to_what_a_new_network_counts() {
        let program = gdl_front::load(WALK, None).program.expect("a valid game");
        let translation = translate(&program, Covering::Direct).expect("frame rules");
        let game = Game::new(translation.program);
        let mut network = Network::new(&game, &Limits::default()).unwrap();
        let mut random = Random::new(1);
        for _ in 0..200 {
            network.restart();
            for _ in 0..20 {
                network.random_moves(&mut random, 1);
                let (circuit, wiring) = (network.circuit.clone(), network.core.wiring.clone());
                let mut new = Network::of_wiring(circuit, wiring);
                new.go_to(network.core.state());
                assert_eq!(new.core.counts, network.core.counts);
                assert_eq!(new.core.values, network.core.values);
                assert_eq!(new.hash, network.hash);
            }
        }
        let steps = &network.steps;
        assert!(!steps.rows.is_empty() && !steps.checks.is_empty(), "no step was kept");
    }
}
