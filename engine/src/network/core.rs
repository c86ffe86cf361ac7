//! The values of a circuit's nodes, kept up to date by difference.
//!
//! Each gate counts its wires that are false; it holds when the count is zero. When a count leaves
//! or reaches zero the gate's target is toggled: the bit of the one output that it stands for, or
//! the bit that says that it has a change to pass on. Either way one that changes its mind has done
//! nothing. Outputs that are just a node's value are toggled with it. Pending gates are taken in the
//! order of their numbers, which is the order in which they read each other: each passes its change
//! on at most once. Quiet gates have no counts: a move wakes them, and then they are computed. The
//! gates of a cycle are settled together; see [`cyclic`](super::cyclic).

use std::sync::Arc;

use super::cyclic::Cyclic;
use super::ids;
use super::memory::{Memory, Step};
use super::wiring::{Way, Wiring};
use crate::terms::TermId;

/// One circuit in one state.
#[derive(Clone, Debug)]
pub(super) struct Core {
    pub(super) wiring: Arc<Wiring>,
    /// By gate, how many of its wires are false.
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
    pub(super) memory: Memory,
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
        let mut counts = vec![0; wiring.nodes()];
        for gate in circuit.play_gates() {
            let wires = circuit.gate(gate);
            counts[gate as usize] = wires.filter(|wire| !wire.value(&values)).count() as u32;
        }
        let mut bits = Bits::new(&wiring);
        let first = wiring.outputs.first_bit(wiring.nodes());
        let outputs = wiring.outputs.all(circuit).filter(|(wire, _)| wire.value(&values));
        for bit in outputs.map(|(_, bit)| first + bit) {
            bits.bits[bit as usize / 64] |= 1 << (bit % 64);
        }
        let state = vec![0; wiring.outputs.state_words];
        let (goals_known, cyclic) = (false, Cyclic::new(&wiring, &values));
        let (awake, memory) = (Vec::new(), Memory::new(&wiring));
        Core { counts, values, state, bits, goals_known, awake, cyclic, memory, wiring }
    }

    /// The legal moves of a role, a bit for each.
    #[inline(always)]
    pub(super) fn legal(&self, role: usize) -> impl ExactSizeIterator<Item = u64> + '_ {
        let masks = &self.wiring.masks[role];
        let words = self.bits.outputs()[masks.words.clone()].iter().enumerate();
        words.map(|(word, bits)| bits & masks.allowed(word, &self.values))
    }

    /// Whether the match is over.
    #[inline]
    pub(super) fn is_terminal(&self) -> bool {
        self.bits.outputs()[self.wiring.outputs.terminal] & 1 == 1
    }

    /// The state that follows from a joint move, given by its nodes. The moves stay done until
    /// [`Core::go_to`].
    pub(super) fn next_state(&mut self, moves: &[u32], next: &mut [u64]) {
        let mut flow = self.flow().0;
        moves.iter().for_each(|&node| flow.awaken(node));
        self.settle();
        update(&self.state, self.changes(), next);
    }

    /// For each fluent whether it begins, and behind them whether it ends, with the moves done.
    pub(super) fn changes(&self) -> &[u64] {
        &self.bits.outputs()[..2 * self.state.len()]
    }

    /// Goes to a state, and takes the moves back that are done. Gives the exclusive or of the keys of
    /// all fluents that change.
    #[inline(always)]
    pub(super) fn go_to(&mut self, state: &[u64], keys: &[u64]) -> u64 {
        let before = std::mem::take(&mut self.state);
        let (mut flow, memory) = self.flow();
        while let Some(node) = flow.awake.pop() {
            flow.flip(node);
        }
        let mut hash = 0;
        for (word, (&before, &now)) in before.iter().zip(state).enumerate() {
            if before != now {
                hash ^= flow.flip_fluents(memory, word, before ^ now, before, keys);
            }
        }
        self.state = before;
        self.state.copy_from_slice(state);
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
    #[inline(always)]
    fn settle(&mut self) {
        self.goals_known = false;
        while let Some(cycle) = self.flow().0.settle_to_cycle() {
            self.settle_cycle(cycle);
        }
    }

    /// Tells all that read a gate of a cycle, but for those in the cycle, of its new value.
    pub(super) fn tell_outside(&mut self, gate: u32, cycle: u32) {
        let value = self.values[gate as usize];
        self.flow().0.tell(gate, value, Some(cycle));
    }

    #[inline(always)]
    fn flow(&mut self) -> (Flow<'_>, &mut Memory) {
        let flow = Flow {
            wiring: &self.wiring,
            counts: &mut self.counts,
            values: &mut self.values,
            bits: &mut self.bits.bits,
            words: &mut self.bits.words,
            outputs: self.bits.outputs,
            awake: &mut self.awake,
            cyclic: &mut self.cyclic,
        };
        (flow, &mut self.memory)
    }
}

/// A core while changes pass through it: its parts, borrowed apart, so that the compiler need not
/// look for them again after each write.
struct Flow<'c> {
    wiring: &'c Wiring,
    counts: &'c mut [u32],
    values: &'c mut [bool],
    bits: &'c mut [u64],
    words: &'c mut [u64],
    outputs: usize,
    awake: &'c mut Vec<u32>,
    cyclic: &'c mut Cyclic,
}

impl Flow<'_> {
    /// Passes pending changes on until there are none, or a cycle has to be settled.
    #[inline(always)]
    fn settle_to_cycle(&mut self) -> Option<u32> {
        for word in 0..self.outputs / 64 {
            while self.words[word] != 0 {
                let at = 64 * word + self.words[word].trailing_zeros() as usize;
                while self.bits[at] != 0 {
                    let node = 64 * at as u32 + self.bits[at].trailing_zeros();
                    self.bits[at] &= self.bits[at] - 1;
                    match self.wiring.way(node) {
                        Way::Counted => self.flip(node),
                        Way::Quiet => self.wake(node),
                        Way::Cyclic(cycle) => return Some(cycle),
                    }
                }
                self.words[word] &= self.words[word] - 1;
            }
        }
        None
    }

    /// Computes a quiet gate.
    #[inline(never)]
    fn wake(&mut self, gate: u32) {
        let value = self.wiring.circuit.gate(gate).all(|wire| wire.value(self.values));
        if value != self.values[gate as usize] {
            self.awaken(gate);
        }
    }

    /// Changes a node until [`Core::go_to`], and wakes the quiet gates that watch it.
    fn awaken(&mut self, node: u32) {
        self.flip(node);
        self.awake.push(node);
        self.wiring.watchers(node).iter().for_each(|&gate| self.insert(gate));
    }

    /// Changes fluents of one word, given as bits; gives the exclusive or of their keys.
    #[inline(always)]
    fn flip_fluents(
        &mut self,
        memory: &mut Memory,
        word: usize,
        changed: u64,
        before: u64,
        keys: &[u64],
    ) -> u64 {
        let nodes = ids::bits_of(changed).map(|bit| (1 + 64 * word) as u32 + bit);
        let Some(known) = memory.recall(self.wiring, keys, word, changed, before) else {
            return nodes.fold(0, |hash, node| {
                self.flip(node);
                hash ^ keys[node as usize - 1]
            });
        };
        known.masks.iter().for_each(|&(word, mask)| self.bits[word as usize] ^= mask);
        for &Step { gate, added } in known.steps {
            let count = &mut self.counts[gate as usize];
            let before = *count;
            *count = before.wrapping_add_signed(added);
            // Without a branch: whether a count crosses zero here cannot be foreseen.
            let crosses = (before == 0) | (*count == 0);
            self.toggle_if(crosses, gate);
        }
        nodes.clone().for_each(|node| self.values[node as usize] ^= true);
        if !self.wiring.circuit.cycles.is_empty() {
            nodes.for_each(|node| self.tell_cycles(node, self.values[node as usize], None));
        }
        known.hash
    }

    /// Changes the value of a node, and tells all that read it.
    #[inline(always)]
    fn flip(&mut self, node: u32) {
        let value = !self.values[node as usize];
        self.values[node as usize] = value;
        self.tell(node, value, None);
    }

    /// Tells all that read a node, but for the cycle that it is in itself, of its new value.
    #[inline(always)]
    fn tell(&mut self, node: u32, value: bool, within: Option<u32>) {
        for &bit in self.wiring.taps(node) {
            self.bits[bit as usize / 64] ^= 1 << (bit % 64);
        }
        for &link in self.wiring.links(node) {
            let before = self.counts[link as usize / 2];
            self.count(link / 2, before, recounted(before, value != (link % 2 == 1)));
        }
        if !self.wiring.circuit.cycles.is_empty() {
            self.tell_cycles(node, value, within);
        }
    }

    /// Counts the false wires of a gate anew.
    #[inline(always)]
    fn count(&mut self, gate: u32, before: u32, now: u32) {
        self.counts[gate as usize] = now;
        if before == 0 || now == 0 {
            self.toggle_if(true, gate);
        }
    }

    /// Toggles a gate's target if its count crosses zero; without a branch of its own.
    #[inline(always)]
    fn toggle_if(&mut self, crosses: bool, gate: u32) {
        let bit = self.wiring.targets[gate as usize];
        self.bits[bit as usize / 64] ^= u64::from(crosses) << (bit % 64);
        self.words[bit as usize / 4096] |= u64::from(crosses) << (bit / 64 % 64);
    }

    #[inline(always)]
    fn insert(&mut self, gate: u32) {
        self.bits[gate as usize / 64] |= 1 << (gate % 64);
        self.words[gate as usize / 4096] |= 1 << (gate / 64 % 64);
    }

    /// The part of [`Flow::tell`] that few games have: kept apart, so that the other stays small.
    #[inline(never)]
    fn tell_cycles(&mut self, node: u32, value: bool, within: Option<u32>) {
        for &link in self.wiring.cyclic(node) {
            let gate = link / 2;
            if let Way::Cyclic(cycle) = self.wiring.way(gate)
                && within != Some(cycle)
            {
                let count = &mut self.counts[gate as usize];
                *count = recounted(*count, value != (link % 2 == 1));
                let first = self.cyclic.touch(self.wiring, cycle, gate);
                self.insert(first);
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
