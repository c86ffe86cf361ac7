//! Gates while they are made: each conjunction once, and simplified as it is added.

use super::Wire;
use crate::table::hash;

const EMPTY: u32 = u32::MAX;
/// Larger conjunctions are not looked into.
const MOST_PARTS: usize = 32;

/// Conjunctions. Their node numbers begin at `first`; below are the inputs.
#[derive(Clone, Debug)]
pub(super) struct Gates {
    first: u32,
    ends: Vec<u32>,
    wires: Vec<u32>,
    slots: Vec<u32>,
}

impl Gates {
    pub(super) fn new(first: u32) -> Gates {
        Gates { first, ends: Vec::new(), wires: Vec::new(), slots: vec![EMPTY; 64] }
    }

    pub(super) fn first(&self) -> u32 {
        self.first
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn wires(&self) -> usize {
        self.wires.len()
    }

    /// The numbers of all gates, from 0 on.
    pub(super) fn all(&self) -> std::ops::Range<u32> {
        0..self.len() as u32
    }

    /// The gate that a wire reads, unless it reads an input.
    pub(super) fn gate_of(&self, wire: u32) -> Option<u32> {
        (wire / 2).checked_sub(self.first)
    }

    /// The wire of a gate.
    pub(super) fn wire(&self, gate: u32) -> Wire {
        Wire::of(self.first + gate)
    }

    /// The wires that a gate reads.
    pub(super) fn get(&self, gate: u32) -> &[u32] {
        let gate = gate as usize;
        let start = if gate == 0 { 0 } else { self.ends[gate - 1] };
        &self.wires[start as usize..self.ends[gate] as usize]
    }

    /// The conjunction of some wires, simplified; it may be no gate at all. `wires` is left in
    /// disorder.
    pub(super) fn and(&mut self, wires: &mut Vec<u32>) -> Wire {
        loop {
            wires.sort_unstable();
            wires.dedup();
            wires.retain(|&wire| wire != Wire::TRUE.0);
            let contradicts = |pair: &[u32]| pair[0] ^ 1 == pair[1];
            if wires.first() == Some(&Wire::FALSE.0) || wires.windows(2).any(contradicts) {
                return Wire::FALSE;
            }
            match wires[..] {
                [] => return Wire::TRUE,
                [wire] => return Wire(wire),
                _ => {}
            }
            if !self.absorb(wires) {
                return self.find_or_add(wires);
            }
        }
    }

    /// Simplifies negated conjunctions by what must hold beside them: `a & !(a & b)` is `a & !b`, and
    /// `!a & !(a & b)` is `!a`. Gives whether it found any; the wires must be sorted.
    fn absorb(&self, wires: &mut [u32]) -> bool {
        let found = wires.iter().enumerate().filter_map(|(at, &wire)| {
            let parts =
                self.parts(wire).filter(|parts| wire % 2 == 1 && parts.len() <= MOST_PARTS)?;
            // No wire is judged by one that is judged by it: gates read what has a lower number,
            // and in cycles what has a higher one does not count.
            let below = wires.partition_point(|&other| other < wire);
            Some((at, beside(parts, &wires[..below])?))
        });
        let found: Vec<(usize, u32)> = found.collect();
        found.iter().for_each(|&(at, wire)| wires[at] = wire);
        !found.is_empty()
    }

    /// The wires of a gate that is already made.
    fn parts(&self, wire: u32) -> Option<&[u32]> {
        let gate = self.gate_of(wire).filter(|&gate| gate < self.len() as u32)?;
        Some(self.get(gate))
    }

    /// The disjunction of some wires, simplified. `wires` is left in disorder.
    pub(super) fn or(&mut self, wires: &mut Vec<u32>) -> Wire {
        wires.iter_mut().for_each(|wire| *wire ^= 1);
        !self.and(wires)
    }

    /// Adds a gate as it is, whatever others there are: for gates in cycles.
    pub(super) fn push(&mut self, wires: &[u32]) -> u32 {
        self.wires.extend_from_slice(wires);
        self.ends.push(self.wires.len() as u32);
        self.len() as u32 - 1
    }

    fn find_or_add(&mut self, wires: &[u32]) -> Wire {
        let mask = self.slots.len() - 1;
        let mut slot = hash(wires) as usize & mask;
        while self.slots[slot] != EMPTY {
            if self.get(self.slots[slot]) == wires {
                return self.wire(self.slots[slot]);
            }
            slot = (slot + 1) & mask;
        }
        let gate = self.push(wires);
        self.slots[slot] = gate;
        if self.len() * 2 > self.slots.len() {
            self.grow();
        }
        self.wire(gate)
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 4 - 1;
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; mask + 1]);
        for gate in old.into_iter().filter(|&gate| gate != EMPTY) {
            let mut slot = hash(self.get(gate)) as usize & mask;
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = gate;
        }
    }
}

/// What the negation of a conjunction is where others hold, if it is not itself; the others must be
/// sorted.
fn beside(parts: &[u32], others: &[u32]) -> Option<u32> {
    let holds = |wire: u32| others.binary_search(&wire).is_ok();
    if parts.iter().any(|&part| holds(part ^ 1)) {
        return Some(Wire::TRUE.0);
    }
    let mut open = parts.iter().filter(|&&part| !holds(part));
    match (open.next(), open.next()) {
        (None, _) => Some(Wire::FALSE.0),
        (Some(part), None) => Some(part ^ 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conjunctions_are_simplified_and_made_once() {
        let mut gates = Gates::new(10);
        let [a, b] = [Wire::of(3), Wire::of(4)];
        assert_eq!(gates.and(&mut vec![]), Wire::TRUE);
        assert_eq!(gates.and(&mut vec![a.0, Wire::TRUE.0, a.0]), a);
        assert_eq!(gates.and(&mut vec![a.0, b.0, (!a).0]), Wire::FALSE);
        assert_eq!(gates.or(&mut vec![a.0, Wire::TRUE.0]), Wire::TRUE);
        let both = gates.and(&mut vec![b.0, a.0]);
        assert_eq!(gates.and(&mut vec![a.0, b.0]), both);
        assert_eq!(gates.or(&mut vec![(!a).0, (!b).0]), !both);
        assert_eq!(gates.and(&mut vec![a.0, b.0, (!both).0]), Wire::FALSE);
        assert_eq!(gates.and(&mut vec![(!a).0, (!both).0]), !a);
        assert_eq!(gates.len(), 1);
        let only_a = gates.and(&mut vec![a.0, (!b).0]);
        assert_eq!(gates.and(&mut vec![a.0, (!both).0]), only_a);
        assert_eq!(gates.len(), 2);
    }
}
