//! Gates that read each other, kept right when facts come and when they go.
//!
//! A gate is *derived* when it has left the value at which its fixpoint starts. Counts alone would
//! keep facts that only hold each other up, so every derived gate has a rank, higher than those of
//! the gates that it was derived from. A gate that loses a wire stays derived if what is left of
//! lower rank suffices; otherwise it goes back to its start, and so may its readers. Then whatever
//! can be derived is, with new ranks. The work is bounded by what loses or gains support.

use super::core::{Core, recounted};
use super::wiring::{Way, Wiring};

/// What is kept for the gates of cycles.
#[derive(Clone, Debug, Default)]
pub(super) struct Cyclic {
    /// By node, when it was derived; 0 for gates outside of cycles, which need no reason.
    ranks: Vec<u64>,
    clock: u64,
    /// By cycle, the gates of which a wire from outside has changed.
    touched: Vec<Vec<u32>>,
    /// By node, whether it has changed an odd number of times since the cycle was last settled.
    odd: Vec<bool>,
    changed: Vec<u32>,
    open: Vec<u32>,
}

impl Cyclic {
    /// Ranks for values that are a fixpoint.
    pub(super) fn new(wiring: &Wiring, values: &[bool]) -> Cyclic {
        let play = wiring.circuit.cycles.iter();
        let cycles = play.filter(|cycle| (cycle.nodes.end as usize) <= wiring.nodes()).count();
        if cycles == 0 {
            return Cyclic::default();
        }
        let mut cyclic = Cyclic {
            ranks: vec![0; wiring.nodes()],
            touched: vec![Vec::new(); cycles],
            odd: vec![false; wiring.nodes()],
            ..Cyclic::default()
        };
        (0..cycles as u32).for_each(|cycle| cyclic.rank(wiring, cycle, values));
        cyclic
    }

    /// Ranks the derived gates of a cycle, each behind those that give it reason.
    fn rank(&mut self, wiring: &Wiring, cycle: u32, values: &[bool]) {
        let nodes = wiring.circuit.cycles[cycle as usize].nodes.clone();
        nodes.clone().for_each(|node| self.ranks[node as usize] = u64::MAX);
        let mut again = true;
        while again {
            again = false;
            for node in nodes.clone() {
                let derived = values[node as usize] != wiring.start_of(cycle, node);
                if derived
                    && self.ranks[node as usize] == u64::MAX
                    && self.has_reason(wiring, cycle, node, values)
                {
                    self.clock += 1;
                    self.ranks[node as usize] = self.clock;
                    again = true;
                }
            }
        }
    }

    /// Whether wires of lower rank suffice for a derived gate.
    fn has_reason(&self, wiring: &Wiring, cycle: u32, node: u32, values: &[bool]) -> bool {
        let rank = self.ranks[node as usize];
        let mut wires = wiring.circuit.gate(node);
        if wiring.start_of(cycle, node) {
            let lower = |node: u32| self.ranks[node as usize] < rank;
            wires.any(|wire| !wire.value(values) && lower(wire.node()))
        } else {
            wires.all(|wire| wire.value(values) && self.ranks[wire.node() as usize] < rank)
        }
    }

    /// Notes that a gate of a cycle has to be looked at; gives the cycle's first gate.
    pub(super) fn touch(&mut self, wiring: &Wiring, cycle: u32, gate: u32) -> u32 {
        self.touched[cycle as usize].push(gate);
        wiring.circuit.cycles[cycle as usize].nodes.start
    }

    pub(super) fn copy_from(&mut self, other: &Cyclic) {
        self.ranks.copy_from_slice(&other.ranks);
        self.clock = other.clock;
    }
}

impl Core {
    /// Brings a cycle up to date with what it reads, and tells those outside of what has changed.
    pub(super) fn settle_cycle(&mut self, cycle: u32) {
        let mut touched = std::mem::take(&mut self.cyclic.touched[cycle as usize]);
        for &gate in &touched {
            self.withdraw(cycle, gate);
        }
        // What was withdrawn may have another reason, and what was touched a first one.
        let withdrawn = self.cyclic.changed.len();
        for place in 0..withdrawn {
            self.derive(cycle, self.cyclic.changed[place]);
        }
        for &gate in &touched {
            self.derive(cycle, gate);
        }
        touched.clear();
        self.cyclic.touched[cycle as usize] = touched;
        let mut changed = std::mem::take(&mut self.cyclic.changed);
        for &gate in &changed {
            if std::mem::take(&mut self.cyclic.odd[gate as usize]) {
                self.tell_outside(gate, cycle);
            }
        }
        changed.clear();
        self.cyclic.changed = changed;
    }

    fn is_derived(&self, cycle: u32, gate: u32) -> bool {
        self.values[gate as usize] != self.wiring.start_of(cycle, gate)
    }

    /// Sends a gate without reason back to its start, and then those that it was a reason for.
    fn withdraw(&mut self, cycle: u32, gate: u32) {
        self.cyclic.open.push(gate);
        while let Some(gate) = self.cyclic.open.pop() {
            let stays = !self.is_derived(cycle, gate)
                || self.cyclic.has_reason(&self.wiring, cycle, gate, &self.values);
            if !stays {
                self.cyclic.ranks[gate as usize] = u64::MAX;
                self.change(cycle, gate);
            }
        }
    }

    /// Derives a gate if it can be, and then those that it is a reason for.
    fn derive(&mut self, cycle: u32, gate: u32) {
        self.cyclic.open.push(gate);
        while let Some(gate) = self.cyclic.open.pop() {
            // One that starts true waits for a wire to be false, one that starts false for none.
            let start = self.wiring.start_of(cycle, gate);
            let ready = (self.counts[gate as usize] > 0) == start;
            if ready && !self.is_derived(cycle, gate) {
                self.cyclic.clock += 1;
                self.cyclic.ranks[gate as usize] = self.cyclic.clock;
                self.change(cycle, gate);
            }
        }
    }

    /// Changes a gate within its cycle; the readers there are open to be looked at.
    fn change(&mut self, cycle: u32, gate: u32) {
        let Core { wiring, counts, values, cyclic, .. } = self;
        let value = !values[gate as usize];
        values[gate as usize] = value;
        cyclic.odd[gate as usize] ^= true;
        cyclic.changed.push(gate);
        for &link in wiring.cyclic(gate) {
            if wiring.way(link / 2) == Way::Cyclic(cycle) {
                let count = &mut counts[link as usize / 2];
                *count = recounted(*count, value != (link % 2 == 1));
                cyclic.open.push(link / 2);
            }
        }
    }
}
