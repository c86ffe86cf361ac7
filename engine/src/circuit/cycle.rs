//! Which gates of a sorted draft read each other, and where their fixpoint starts.

use super::Cycle;
use super::build::Draft;
use crate::lists::components;

/// The cycles, in the order of their gates.
pub(super) fn cycles(draft: &Draft) -> Vec<Cycle> {
    if draft.recursive.is_empty() {
        return Vec::new();
    }
    let gates = &draft.gates;
    let found =
        components(gates.len(), gates.all(), |gate| gates.get(gate), |wire| gates.gate_of(wire));
    let mut starts = vec![None; gates.len()];
    let mut cycles: Vec<Cycle> = (0..found.len() as u32)
        .map(|component| found.get(component))
        .filter(|members| members.len() > 1)
        .map(|members| cycle(draft, members, &mut starts))
        .collect();
    cycles.sort_unstable_by_key(|cycle| cycle.nodes.start);
    cycles
}

/// A gate made for a fact starts true, for it stands for "no rule holds". From there the others
/// follow: what reads it as it is starts alike, what reads it negated starts the other way.
fn cycle(draft: &Draft, members: &[u32], starts: &mut [Option<bool>]) -> Cycle {
    let gates = &draft.gates;
    let first = members.iter().min().copied().unwrap_or(0);
    let range = first..first + members.len() as u32;
    let made_for_fact = |gate: &u32| draft.recursive.binary_search(gate).is_ok();
    members.iter().filter(|gate| made_for_fact(gate)).for_each(|&gate| {
        starts[gate as usize] = Some(true);
    });
    // Every path within the cycle leads over a gate made for a fact, so this ends.
    while members.iter().any(|&gate| starts[gate as usize].is_none()) {
        for &gate in members {
            let known = gates.get(gate).iter().find_map(|&wire| {
                let read = gates.gate_of(wire).filter(|read| range.contains(read))?;
                Some(starts[read as usize]? != (wire % 2 == 1))
            });
            starts[gate as usize] = starts[gate as usize].or(known);
        }
    }
    let nodes = gates.first() + range.start..gates.first() + range.end;
    Cycle { nodes, starts: range.map(|gate| starts[gate as usize] == Some(true)).collect() }
}
