//! The values of a circuit's nodes, kept up to date by difference.
//!
//! Each gate counts its wires that are false; it holds when the count is zero. When a count leaves
//! or reaches zero the gate's target is toggled: the bit of the one output that it stands for, or
//! the bit that says that it has a change to pass on. Either way one that changes its mind has done
//! nothing. Pending gates are taken in the order of their numbers, which is the order in which they
//! read each other: each passes its change on at most once. Quiet gates have no counts: a move
//! wakes them, and then they are computed. The gates of a cycle are settled together; see
//! [`cyclic`](super::cyclic).

use std::sync::Arc;

use super::cyclic::Cyclic;
use super::outputs::Masks;
use super::wiring::{Way, Wiring};
use crate::terms::TermId;

/// One circuit in one state.
#[derive(Clone, Debug)]
pub(super) struct Core {
    pub(super) wiring: Arc<Wiring>,
    /// By gate or tap, how many of its wires are false.
    pub(super) counts: Vec<u32>,
    /// By node, whether it holds; not kept for gates that nothing but one output reads.
    pub(super) values: Vec<bool>,
    /// The state that the values are those of.
    pub(super) state: Vec<u64>,
    bits: Bits,
    /// Whether the values of the gates for the goals are those of the state.
    goals_known: bool,
    /// The moves that are done and the quiet gates that they have changed.
    awake: Vec<u32>,
    pub(super) cyclic: Cyclic,
}

/// The bits that gates toggle: first the pending gates, then the outputs.
#[derive(Clone, Debug)]
struct Bits {
    bits: Vec<u64>,
    /// A bit for each word of `bits` that may have changed.
    words: Vec<u64>,
    /// The first word of the outputs.
    outputs: usize,
}

impl Bits {
    fn new(wiring: &Wiring) -> Bits {
        let outputs = wiring.outputs.first_bit(wiring.nodes()) as usize / 64;
        let words = outputs + wiring.outputs.words();
        Bits { bits: vec![0; words], words: vec![0; words.div_ceil(64)], outputs }
    }

    #[inline]
    fn toggle(&mut self, bit: u32) {
        self.bits[bit as usize / 64] ^= 1 << (bit % 64);
        self.words[bit as usize / 4096] |= 1 << (bit / 64 % 64);
    }

    #[inline]
    fn insert(&mut self, bit: u32) {
        self.bits[bit as usize / 64] |= 1 << (bit % 64);
        self.words[bit as usize / 4096] |= 1 << (bit / 64 % 64);
    }

    #[inline]
    fn outputs(&self) -> &[u64] {
        &self.bits[self.outputs..]
    }
}

impl Core {
    /// The circuit in the state without fluents.
    pub(super) fn new(wiring: Arc<Wiring>) -> Core {
        let circuit = &wiring.circuit;
        let mut values = vec![false; circuit.nodes()];
        values[0] = true;
        circuit.evaluate(circuit.play_gates(), &mut values);
        let mut counts = vec![0; wiring.targets.len()];
        for gate in circuit.play_gates() {
            let wires = circuit.gate(gate);
            counts[gate as usize] = wires.filter(|wire| !wire.value(&values)).count() as u32;
        }
        for node in 0..wiring.nodes() as u32 {
            let taps = wiring.links(node).iter().filter(|&link| link / 2 >= wiring.nodes() as u32);
            taps.for_each(|link| counts[*link as usize / 2] = u32::from(!values[node as usize]));
        }
        let mut bits = Bits::new(&wiring);
        let first = wiring.outputs.first_bit(wiring.nodes());
        let outputs = wiring.outputs.all(circuit).filter(|(wire, _)| wire.value(&values));
        outputs.for_each(|(_, bit)| bits.insert(first + bit));
        let state = vec![0; wiring.outputs.state_words];
        let (goals_known, cyclic) = (false, Cyclic::new(&wiring, &values));
        let awake = Vec::new();
        Core { counts, values, state, bits, goals_known, awake, cyclic, wiring }
    }

    /// Writes the legal moves of a role, a bit for each, and gives their number.
    #[inline]
    pub(super) fn legal(&self, role: usize, legal: &mut Vec<u64>) -> u32 {
        let Wiring { outputs, masks, .. } = &*self.wiring;
        let Masks { unguarded, guarded } = &masks[role];
        let words = &self.bits.outputs()[outputs.legal[role].clone()];
        legal.resize(words.len(), 0);
        legal.iter_mut().zip(unguarded).for_each(|(legal, mask)| *legal = *mask);
        for (_, mask) in guarded.iter().filter(|(wire, _)| wire.value(&self.values)) {
            legal.iter_mut().zip(mask).for_each(|(legal, mask)| *legal |= mask);
        }
        let mut count = 0;
        for (legal, word) in legal.iter_mut().zip(words) {
            *legal &= word;
            count += legal.count_ones();
        }
        count
    }

    /// Whether the match is over.
    pub(super) fn is_terminal(&self) -> bool {
        self.bits.outputs()[self.wiring.outputs.terminal] & 1 == 1
    }

    /// The state that follows from a joint move, given by its nodes. The moves stay done until
    /// [`Core::go_to`].
    pub(super) fn next_state(&mut self, moves: &[u32], next: &mut [u64]) {
        moves.iter().for_each(|&node| self.awaken(node));
        self.settle();
        update(&self.state, self.changes(), next);
    }

    /// For each fluent whether it begins, and behind them whether it ends, with the moves done.
    pub(super) fn changes(&self) -> &[u64] {
        &self.bits.outputs()[..2 * self.state.len()]
    }

    /// Goes to a state, and takes the moves back that are done. Gives the exclusive or of the keys of
    /// all fluents that change.
    pub(super) fn go_to(&mut self, state: &[u64], keys: &[u64]) -> u64 {
        while let Some(node) = self.awake.pop() {
            self.flip(node);
        }
        let mut hash = 0;
        for (word, &new) in state.iter().enumerate() {
            let mut changed = std::mem::replace(&mut self.state[word], new) ^ new;
            while changed != 0 {
                let fluent = 64 * word + changed.trailing_zeros() as usize;
                hash ^= keys[fluent];
                self.flip(1 + fluent as u32);
                changed &= changed - 1;
            }
        }
        self.settle();
        hash
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
        let outputs = self.bits.outputs;
        self.bits.bits[outputs..].copy_from_slice(other.bits.outputs());
        self.goals_known = other.goals_known;
        self.cyclic.copy_from(&other.cyclic);
    }

    /// Passes all pending changes on.
    fn settle(&mut self) {
        self.goals_known = false;
        for word in 0..self.bits.outputs / 64 {
            while self.bits.words[word] != 0 {
                let bits = 64 * word + self.bits.words[word].trailing_zeros() as usize;
                while self.bits.bits[bits] != 0 {
                    let node = 64 * bits as u32 + self.bits.bits[bits].trailing_zeros();
                    self.bits.bits[bits] &= self.bits.bits[bits] - 1;
                    match self.wiring.way(node) {
                        Way::Counted => self.flip(node),
                        Way::Quiet => self.wake(node),
                        Way::Cyclic(cycle) => self.settle_cycle(cycle),
                    }
                }
                self.bits.words[word] &= self.bits.words[word] - 1;
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
        let Core { wiring, bits, .. } = self;
        wiring.watchers(node).iter().for_each(|&gate| bits.insert(gate));
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
        let Core { wiring, counts, bits, .. } = self;
        for &link in wiring.links(node) {
            let gate = link as usize / 2;
            let before = counts[gate];
            let now = recounted(before, value != (link % 2 == 1));
            counts[gate] = now;
            if before == 0 || now == 0 {
                bits.toggle(wiring.targets[gate]);
            }
        }
        if !wiring.circuit.cycles.is_empty() {
            self.tell_cycles(node, value, within);
        }
    }

    /// The part of [`Core::tell`] that few games have: kept apart, so that the other stays small.
    #[inline(never)]
    fn tell_cycles(&mut self, node: u32, value: bool, within: Option<u32>) {
        let Core { wiring, counts, bits, cyclic, .. } = self;
        for &link in wiring.cyclic(node) {
            let gate = link / 2;
            if let Way::Cyclic(cycle) = wiring.way(gate)
                && within != Some(cycle)
            {
                let count = &mut counts[gate as usize];
                *count = recounted(*count, value != (link % 2 == 1));
                bits.insert(cyclic.touch(wiring, cycle, gate));
            }
        }
    }
}

/// A count of false wires of which one has become true or false.
#[inline]
pub(super) fn recounted(count: u32, now_true: bool) -> u32 {
    if now_true { count - 1 } else { count + 1 }
}

/// The state that follows: what does not end, and what begins.
#[inline]
pub(super) fn update(state: &[u64], changes: &[u64], next: &mut [u64]) {
    let (begins, ends) = changes.split_at(state.len());
    for (((next, state), begins), ends) in next.iter_mut().zip(state).zip(begins).zip(ends) {
        *next = state & !ends | begins;
    }
}
