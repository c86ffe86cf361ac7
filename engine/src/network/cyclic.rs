//! Gates that read each other, kept right when facts come and when they go.
//!
//! A gate is *derived* when it has left the value at which its fixpoint starts. Counts alone would
//! keep facts that only hold each other up, so every derived gate has a rank, higher than those of
//! the gates that it was derived from. A gate that loses a wire stays derived if what is left of
//! lower rank suffices; otherwise it goes back to its start, and so may its readers. Then whatever
//! can be derived is, with new ranks. The work is bounded by what loses or gains support.

use super::core::Core;
use super::outputs::holds;
use super::wiring::{Way, Wiring};
use crate::circuit::Wire;

/// What is kept for the gates of cycles.
#[derive(Clone, Debug, Default)]
pub(super) struct Cyclic {
    /// By place, how many wires of a gate in a cycle are false.
    pub(super) counts: Vec<u32>,
    /// By place, when it was derived; 0 for gates outside of cycles, which need no reason.
    ranks: Vec<u64>,
    clock: u64,
    /// By cycle, the gates of which a wire from outside has changed.
    touched: Vec<Vec<u32>>,
    /// By place, whether it has changed an odd number of times since the cycle was last settled.
    odd: Vec<bool>,
    /// Gates that have changed.
    pub(super) changed: Vec<u32>,
    open: Vec<u32>,
}

impl Cyclic {
    /// Counts and ranks for values that are a fixpoint.
    pub(super) fn new(wiring: &Wiring, values: &[u64]) -> Cyclic {
        let cycles = wiring.cycles();
        if cycles == 0 {
            return Cyclic::default();
        }
        let mut cyclic = Cyclic {
            counts: vec![0; wiring.places()],
            ranks: vec![0; wiring.places()],
            touched: vec![Vec::new(); cycles],
            odd: vec![false; wiring.places()],
            ..Cyclic::default()
        };
        for cycle in 0..cycles as u32 {
            for gate in wiring.cycle(cycle) {
                let count = wiring.wires(gate).filter(|&wire| holds(values, wire) == 0).count();
                cyclic.counts[gate as usize] = count as u32;
            }
            cyclic.rank(wiring, cycle, values);
        }
        cyclic
    }

    /// Ranks the derived gates of a cycle, each behind those that give it reason.
    fn rank(&mut self, wiring: &Wiring, cycle: u32, values: &[u64]) {
        wiring.cycle(cycle).for_each(|gate| self.ranks[gate as usize] = u64::MAX);
        let mut again = true;
        while again {
            again = false;
            for gate in wiring.cycle(cycle) {
                if is_derived(wiring, values, cycle, gate)
                    && self.ranks[gate as usize] == u64::MAX
                    && self.has_reason(wiring, cycle, gate, values)
                {
                    self.clock += 1;
                    self.ranks[gate as usize] = self.clock;
                    again = true;
                }
            }
        }
    }

    /// Whether wires of lower rank suffice for a derived gate.
    fn has_reason(&self, wiring: &Wiring, cycle: u32, gate: u32, values: &[u64]) -> bool {
        let rank = self.ranks[gate as usize];
        let lower = |wire: Wire| self.ranks[wire.node() as usize] < rank;
        let mut wires = wiring.wires(gate);
        if wiring.start_of(cycle, gate) {
            wires.any(|wire| holds(values, wire) == 0 && lower(wire))
        } else {
            wires.all(|wire| holds(values, wire) == 1 && lower(wire))
        }
    }

    /// Counts the false wires of a gate anew, of which one has become true or false.
    pub(super) fn recount(&mut self, gate: u32, now_true: bool) {
        let count = &mut self.counts[gate as usize];
        *count = if now_true { *count - 1 } else { *count + 1 };
    }

    /// Notes that a gate of a cycle has to be looked at; gives the cycle's first gate.
    pub(super) fn touch(&mut self, wiring: &Wiring, cycle: u32, gate: u32) -> u32 {
        self.touched[cycle as usize].push(gate);
        wiring.cycle(cycle).start
    }

    pub(super) fn copy_from(&mut self, other: &Cyclic) {
        self.counts.copy_from_slice(&other.counts);
        self.ranks.copy_from_slice(&other.ranks);
        self.clock = other.clock;
    }
}

/// Whether a gate has left the value at which its fixpoint starts.
fn is_derived(wiring: &Wiring, values: &[u64], cycle: u32, gate: u32) -> bool {
    (holds(values, Wire::of(gate)) == 1) != wiring.start_of(cycle, gate)
}

impl Core {
    /// Brings a cycle up to date with what it reads; gives the gates that have changed, of which
    /// those outside have to be told.
    #[inline(never)]
    pub(super) fn settle_cycle(&mut self, cycle: u32) -> Vec<u32> {
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
        let Cyclic { changed, odd, touched: all, .. } = &mut self.cyclic;
        all[cycle as usize] = touched;
        changed.retain(|&gate| std::mem::take(&mut odd[gate as usize]));
        std::mem::take(changed)
    }

    fn is_derived(&self, cycle: u32, gate: u32) -> bool {
        is_derived(&self.wiring, &self.values, cycle, gate)
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
            let ready = (self.cyclic.counts[gate as usize] > 0) == start;
            if ready && !self.is_derived(cycle, gate) {
                self.cyclic.clock += 1;
                self.cyclic.ranks[gate as usize] = self.cyclic.clock;
                self.change(cycle, gate);
            }
        }
    }

    /// Changes a gate within its cycle; the readers there are open to be looked at.
    fn change(&mut self, cycle: u32, gate: u32) {
        let Core { wiring, values, cyclic, .. } = self;
        values[gate as usize / 64] ^= 1 << (gate % 64);
        let value = holds(values, Wire::of(gate)) == 1;
        cyclic.odd[gate as usize] ^= true;
        cyclic.changed.push(gate);
        for &link in wiring.cyclic(gate) {
            if wiring.way(link as usize / 128) == Way::Cyclic(cycle) {
                cyclic.recount(link / 2, value != (link % 2 == 1));
                cyclic.open.push(link / 2);
            }
        }
    }
}
