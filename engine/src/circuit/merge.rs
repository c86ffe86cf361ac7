//! Merges a conjunction into the one that reads it, where that is its only reader.

use super::build::Draft;
use super::gates::Gates;

/// Leaves merged gates without a reader.
pub(super) fn merge(draft: &mut Draft) {
    let gates = &draft.gates;
    let mut readers = vec![0u32; gates.len()];
    let mut count = |wire: u32, times: u32| {
        if let Some(gate) = gates.gate_of(wire) {
            // A negated reader or an output needs the gate itself.
            readers[gate as usize] += if wire % 2 == 1 { 2 } else { times };
        }
    };
    draft.outputs.iter().for_each(|wire| count(wire.0, 2));
    gates.all().for_each(|gate| gates.get(gate).iter().for_each(|&wire| count(wire, 1)));
    draft.recursive.iter().for_each(|&gate| readers[gate as usize] = 2);
    // Within a cycle a gate may stand before one that it reads: only what is behind is merged.
    let merges = |wire: u32, reader: u32| {
        gates.gate_of(wire).filter(|&gate| gate < reader && readers[gate as usize] == 1)
    };
    let mut new = Gates::new(gates.first());
    let mut wires = Vec::new();
    let mut open = Vec::new();
    for gate in gates.all() {
        wires.clear();
        if readers[gate as usize] != 1 {
            open.extend(gates.get(gate).iter().map(|&wire| (wire, gate)));
        }
        while let Some((wire, reader)) = open.pop() {
            match merges(wire, reader) {
                Some(read) => open.extend(gates.get(read).iter().map(|&wire| (wire, read))),
                None => wires.push(wire),
            }
        }
        wires.sort_unstable();
        wires.dedup();
        new.push(&wires);
    }
    draft.gates = new;
    super::order::order(draft);
}
