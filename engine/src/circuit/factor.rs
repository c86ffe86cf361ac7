//! Takes out what the parts of a disjunction have in common: `(a & b) | (a & c)` is `a & (b | c)`.
//!
//! Frame rules make such disjunctions: a fluent stays if it holds and one of many things is done.

use std::ops::Range;

use gdl_front::hash::HashMap;

use super::build::Draft;
use super::gates::Gates;

/// Disjunctions of more parts than this are left as they are.
const MAX_PARTS: usize = 2000;

/// Factors every disjunction whose parts no other gate reads.
pub(super) fn factor(draft: &mut Draft) {
    let gates = &draft.gates;
    let mut readers = vec![0u32; gates.len()];
    let mut count = |wire: u32| {
        if let Some(gate) = gates.gate_of(wire) {
            readers[gate as usize] += 1;
        }
    };
    draft.outputs.iter().for_each(|wire| count(wire.0));
    gates.all().for_each(|gate| gates.get(gate).iter().for_each(|&wire| count(wire)));
    draft.recursive.iter().for_each(|&gate| readers[gate as usize] = 2);
    let part = |wire: u32| match gates.gate_of(wire) {
        Some(gate) if wire % 2 == 1 && readers[gate as usize] == 1 => gates.get(gate).to_vec(),
        _ => vec![wire ^ 1],
    };
    let moves = draft.names.first_nodes()[0]..gates.first();
    let mut added = Gates::new(gates.first() + gates.len() as u32);
    let mut new = Gates::new(gates.first());
    for gate in gates.all() {
        let mut parts: Vec<Vec<u32>> = gates.get(gate).iter().map(|&wire| part(wire)).collect();
        if take_out(&mut parts, &mut added, &moves) {
            new.push(
                &parts.into_iter().map(|mut part| added.and(&mut part).0 ^ 1).collect::<Vec<_>>(),
            );
        } else {
            new.push(gates.get(gate));
        }
    }
    added.all().for_each(|gate| {
        new.push(added.get(gate));
    });
    draft.gates = new;
    super::order::order(draft);
}

/// Takes common wires out of the parts of a disjunction, the most common first; `false` if there is
/// none.
fn take_out(parts: &mut Vec<Vec<u32>>, added: &mut Gates, moves: &Range<u32>) -> bool {
    let mut any = false;
    while let Some(common) = most_common(parts, moves) {
        any = true;
        let (mut with, without): (Vec<_>, Vec<_>) =
            std::mem::take(parts).into_iter().partition(|part| part.contains(&common));
        *parts = without;
        with.iter_mut().for_each(|part| part.retain(|&wire| wire != common));
        if with.iter().any(Vec::is_empty) {
            // `a | (a & b)` is `a`.
            parts.push(vec![common]);
            continue;
        }
        take_out(&mut with, added, moves);
        let mut rest: Vec<u32> = with.iter_mut().map(|part| added.and(part).0).collect();
        let rest = added.or(&mut rest);
        parts.push(vec![added.and(&mut vec![common, rest.0]).0]);
    }
    any
}

/// The wire that most parts have in common, if two do; of several the lowest. Moves are not taken
/// out: a move such as `noop` has a part in everything, and would change all that is left behind.
fn most_common(parts: &[Vec<u32>], moves: &Range<u32>) -> Option<u32> {
    if parts.len() < 2 || parts.len() > MAX_PARTS {
        return None;
    }
    let mut counts: HashMap<u32, u32> = HashMap::default();
    let wires = parts.iter().flatten().filter(|&&wire| !moves.contains(&(wire / 2)));
    wires.for_each(|&wire| *counts.entry(wire).or_default() += 1);
    let common = counts.into_iter().filter(|&(_, count)| count > 1);
    common.max_by_key(|&(wire, count)| (count, u32::MAX - wire)).map(|(wire, _)| wire)
}
