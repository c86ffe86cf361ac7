//! The values of a circuit's nodes, kept up to date by difference.
//!
//! Each gate counts its wires that are false; it holds when the count is zero. When a count leaves
//! or reaches zero the gate's bit in `pending` is toggled, so that one that changes its mind is not
//! pending at all. Pending gates are taken in the order of their numbers, which is the order in
//! which they read each other: each passes its change on at most once. Quiet gates have no counts:
//! a move wakes them, and then they are computed. The gates of a cycle are settled together; see
//! [`cyclic`](super::cyclic).

use std::sync::Arc;

use super::cyclic::Cyclic;
use super::outputs::Masks;
use super::wiring::{Readers, Way, Wiring};
use crate::terms::TermId;

/// One circuit in one state.
#[derive(Clone, Debug)]
pub(super) struct Core {
    pub(super) wiring: Arc<Wiring>,
    /// By node, how many wires of the gate are false.
    pub(super) counts: Vec<u32>,
    /// By node, whether it holds.
    pub(super) values: Vec<bool>,
    /// The state that the values are those of.
    state: Vec<u64>,
    outputs: Vec<u64>,
    pending: Pending,
    /// Whether the values of the gates for the goals are those of the state.
    goals_known: bool,
    /// The moves that are done and the quiet gates that they have changed.
    awake: Vec<u32>,
    pub(super) cyclic: Cyclic,
}

/// A set of gates that gives out the lowest first.
#[derive(Clone, Debug, Default)]
struct Pending {
    bits: Vec<u64>,
    /// A bit for each word of `bits` that may not be zero.
    words: Vec<u64>,
}

impl Pending {
    fn new(nodes: usize) -> Pending {
        let words = nodes.div_ceil(64);
        Pending { bits: vec![0; words], words: vec![0; words.div_ceil(64)] }
    }

    #[inline]
    fn toggle(&mut self, node: u32) {
        self.bits[node as usize / 64] ^= 1 << (node % 64);
        self.words[node as usize / 4096] |= 1 << (node / 64 % 64);
    }

    #[inline]
    fn insert(&mut self, node: u32) {
        self.bits[node as usize / 64] |= 1 << (node % 64);
        self.words[node as usize / 4096] |= 1 << (node / 64 % 64);
    }
}

impl Core {
    /// The circuit in the state without fluents.
    pub(super) fn new(wiring: Arc<Wiring>) -> Core {
        let circuit = &wiring.circuit;
        let mut values = vec![false; circuit.nodes()];
        values[0] = true;
        circuit.evaluate(circuit.play_gates(), &mut values);
        let mut counts = vec![0; wiring.nodes()];
        for gate in circuit.play_gates() {
            let wires = circuit.gate(gate);
            counts[gate as usize] = wires.filter(|wire| !wire.value(&values)).count() as u32;
        }
        let mut outputs = vec![0; wiring.outputs.words()];
        for (wire, bit) in wiring.outputs.all(circuit) {
            outputs[bit as usize / 64] |= u64::from(wire.value(&values)) << (bit % 64);
        }
        let pending = Pending::new(wiring.nodes());
        let state = vec![0; wiring.outputs.state_words];
        let (goals_known, cyclic) = (false, Cyclic::new(&wiring, &values));
        let awake = Vec::new();
        Core { counts, values, state, outputs, pending, goals_known, awake, cyclic, wiring }
    }

    /// Writes the legal moves of a role, a bit for each.
    pub(super) fn legal(&self, role: usize, legal: &mut Vec<u64>) {
        let Wiring { outputs, masks, .. } = &*self.wiring;
        let Masks { unguarded, guarded } = &masks[role];
        let words = &self.outputs[outputs.legal[role].clone()];
        legal.clear();
        legal.extend(words.iter().zip(unguarded).map(|(word, mask)| word & mask));
        for (_, mask) in guarded.iter().filter(|(wire, _)| wire.value(&self.values)) {
            let guarded = words.iter().zip(mask).map(|(word, mask)| word & mask);
            legal.iter_mut().zip(guarded).for_each(|(legal, word)| *legal |= word);
        }
    }

    /// Whether the match is over.
    pub(super) fn is_terminal(&self) -> bool {
        self.outputs[self.wiring.outputs.terminal] & 1 == 1
    }

    /// The state that follows from a joint move, given by its nodes. The moves stay done until
    /// [`Core::go_to`].
    pub(super) fn next_state(&mut self, moves: &[u32], next: &mut [u64]) {
        moves.iter().for_each(|&node| self.awaken(node));
        self.settle();
        let words = self.state.len();
        let (new, ends) = self.outputs[..2 * words].split_at(words);
        for (((next, state), new), ends) in next.iter_mut().zip(&self.state).zip(new).zip(ends) {
            *next = state & !ends | new;
        }
    }

    /// Goes to a state, and takes the moves back that are done.
    pub(super) fn go_to(&mut self, state: &[u64]) {
        while let Some(node) = self.awake.pop() {
            self.flip(node);
        }
        for (word, &new) in state.iter().enumerate() {
            let mut changed = std::mem::replace(&mut self.state[word], new) ^ new;
            while changed != 0 {
                self.flip(1 + 64 * word as u32 + changed.trailing_zeros());
                changed &= changed - 1;
            }
        }
        self.settle();
    }

    /// Computes the gates that only the goals need, once a state; gives every value that holds for a role.
    pub(super) fn goal_values(&mut self, role: usize) -> impl Iterator<Item = TermId> + '_ {
        let Core { wiring, values, goals_known, .. } = self;
        let circuit = &wiring.circuit;
        if !std::mem::replace(goals_known, true) {
            circuit.evaluate(circuit.goal_gates(), values);
        }
        let goals = circuit.goals[role].iter();
        goals.filter(|(_, wire)| wire.value(values)).map(|(value, _)| *value)
    }

    /// Takes over the values of another core of the same circuit.
    pub(super) fn copy_from(&mut self, other: &Core) {
        self.counts.copy_from_slice(&other.counts);
        self.values.copy_from_slice(&other.values);
        self.state.copy_from_slice(&other.state);
        self.outputs.copy_from_slice(&other.outputs);
        self.goals_known = other.goals_known;
        self.cyclic.copy_from(&other.cyclic);
    }

    /// Passes all pending changes on.
    fn settle(&mut self) {
        self.goals_known = false;
        for word in 0..self.pending.words.len() {
            while self.pending.words[word] != 0 {
                let bits = 64 * word + self.pending.words[word].trailing_zeros() as usize;
                while self.pending.bits[bits] != 0 {
                    let node = 64 * bits as u32 + self.pending.bits[bits].trailing_zeros();
                    self.pending.bits[bits] &= self.pending.bits[bits] - 1;
                    match self.wiring.way(node) {
                        Way::Counted => self.flip(node),
                        Way::Quiet => self.wake(node),
                        Way::Cyclic(cycle) => self.settle_cycle(cycle),
                    }
                }
                self.pending.words[word] &= self.pending.words[word] - 1;
            }
        }
    }

    /// Computes a quiet gate.
    fn wake(&mut self, gate: u32) {
        let value = self.wiring.circuit.gate(gate).all(|wire| wire.value(&self.values));
        if value != self.values[gate as usize] {
            self.awaken(gate);
        }
    }

    /// Changes a node until [`Core::go_to`], and wakes the quiet gates that watch it.
    fn awaken(&mut self, node: u32) {
        self.flip(node);
        self.awake.push(node);
        let Core { wiring, pending, .. } = self;
        wiring.readers(node).watchers.iter().for_each(|&gate| pending.insert(gate));
    }

    /// Changes the value of a node, and tells all that read it.
    #[inline]
    fn flip(&mut self, node: u32) {
        let value = !self.values[node as usize];
        self.values[node as usize] = value;
        self.tell(node, value, None);
    }

    /// Tells all that read a node, but for the cycle that it is in itself, of its new value.
    #[inline]
    pub(super) fn tell(&mut self, node: u32, value: bool, within: Option<u32>) {
        let Core { wiring, counts, outputs, pending, cyclic, .. } = self;
        let readers = wiring.readers(node);
        let Readers { plain, negated, .. } = readers;
        let (now_true, now_false) = if value { (plain, negated) } else { (negated, plain) };
        for &gate in now_true {
            let count = &mut counts[gate as usize];
            *count -= 1;
            if *count == 0 {
                pending.toggle(gate);
            }
        }
        for &gate in now_false {
            let count = &mut counts[gate as usize];
            if *count == 0 {
                pending.toggle(gate);
            }
            *count += 1;
        }
        for &bit in readers.outputs {
            outputs[bit as usize / 64] ^= 1 << (bit % 64);
        }
        for &reader in readers.cyclic {
            if let Way::Cyclic(cycle) = wiring.way(reader / 2)
                && within != Some(cycle)
            {
                recount(&mut counts[reader as usize / 2], value != (reader % 2 == 1));
                pending.insert(cyclic.touch(wiring, cycle, reader / 2));
            }
        }
    }
}

/// Counts a wire that has become true or false.
pub(super) fn recount(count: &mut u32, now_true: bool) {
    *count = if now_true { *count - 1 } else { *count + 1 };
}
