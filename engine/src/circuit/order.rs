//! Sorts the gates, each behind all that it reads, those for the goals alone last; what no output
//! reads is dropped.

use super::Wire;
use super::build::Draft;
use super::gates::Gates;
use crate::lists::components;

/// Sorts and sweeps.
pub(super) fn order(draft: &mut Draft) {
    let gates = &draft.gates;
    let roots = draft.outputs.iter().filter_map(|wire| gates.gate_of(wire.0));
    let found = components(gates.len(), roots, |gate| gates.get(gate), |wire| gates.gate_of(wire));
    let mut number = vec![u32::MAX; gates.len()];
    let sorted: Vec<u32> =
        (0..found.len() as u32).flat_map(|component| found.get(component)).copied().collect();
    for (new, &old) in sorted.iter().enumerate() {
        number[old as usize] = new as u32;
    }
    let renumbered = |wire: u32| match gates.gate_of(wire) {
        Some(gate) => 2 * (gates.first() + number[gate as usize]) + wire % 2,
        None => wire,
    };
    let mut new = Gates::new(gates.first());
    let mut wires = Vec::new();
    for &gate in &sorted {
        wires.clear();
        wires.extend(gates.get(gate).iter().map(|&wire| renumbered(wire)));
        wires.sort_unstable();
        new.push(&wires);
    }
    draft.outputs.iter_mut().for_each(|wire| *wire = Wire(renumbered(wire.0)));
    let recursive = draft.recursive.iter().map(|&gate| number[gate as usize]);
    let mut recursive: Vec<u32> = recursive.filter(|&gate| gate != u32::MAX).collect();
    recursive.sort_unstable();
    draft.recursive = recursive;
    draft.gates = new;
}
