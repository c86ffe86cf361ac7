//! Takes out what the parts of a disjunction have in common: `(a & b) | (a & c)` is `a & (b | c)`.
//!
//! Frame rules make such disjunctions: a fluent stays if it holds and one of many things is done.

use gdl_front::hash::HashMap;

use super::build::Draft;
use super::gates::Gates;

/// How many wires are looked at for one disjunction; of very large ones only the most common
/// conditions are taken out.
const MAX_LOOKS: usize = 100_000;

/// Takes out what so many parts of a disjunction have in common, where no other gate reads these.
pub(super) fn factor(draft: &mut Draft, fewest: u32) {
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
    let mut common = Common {
        fewest,
        state_only: state_only(draft),
        looks: 0,
        added: Gates::new(gates.first() + gates.len() as u32),
    };
    let mut new = Gates::new(gates.first());
    for gate in gates.all() {
        let mut parts: Vec<Vec<u32>> = gates.get(gate).iter().map(|&wire| part(wire)).collect();
        common.looks = MAX_LOOKS;
        if common.take_out(&mut parts) {
            let parts = parts.into_iter().map(|mut part| common.added.and(&mut part).0 ^ 1);
            new.push(&parts.collect::<Vec<_>>());
        } else {
            new.push(gates.get(gate));
        }
    }
    common.added.all().for_each(|gate| {
        new.push(common.added.get(gate));
    });
    draft.gates = new;
    super::order::order(draft);
}

/// Takes out what parts of disjunctions have in common.
struct Common {
    /// How many parts must have it.
    fewest: u32,
    /// By node, whether no move has a part in it.
    state_only: Vec<bool>,
    /// How many more wires may be looked at.
    looks: usize,
    /// The gates that it takes.
    added: Gates,
}

impl Common {
    /// Takes common wires out of the parts of a disjunction, the most common first; `false` if there
    /// is none.
    fn take_out(&mut self, parts: &mut Vec<Vec<u32>>) -> bool {
        let mut any = false;
        while let Some(common) = self.most_common(parts) {
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
            self.take_out(&mut with);
            let mut rest: Vec<u32> = with.iter_mut().map(|part| self.added.and(part).0).collect();
            let rest = self.added.or(&mut rest);
            parts.push(vec![self.added.and(&mut vec![common, rest.0]).0]);
        }
        any
    }

    /// The wire that most parts have in common, if enough do; of several the lowest. What depends on
    /// moves is not taken out: it would leave behind a disjunction with a move such as `noop`, which
    /// changes for every fluent of the board whenever someone waits.
    fn most_common(&mut self, parts: &[Vec<u32>]) -> Option<u32> {
        if parts.len() < self.fewest as usize {
            return None;
        }
        self.looks = self.looks.checked_sub(parts.iter().map(Vec::len).sum())?;
        let mut counts: HashMap<u32, u32> = HashMap::default();
        let state_only = |wire: u32| self.state_only.get(wire as usize / 2).copied();
        let wires = parts.iter().flatten().filter(|&&wire| state_only(wire).unwrap_or(false));
        wires.for_each(|&wire| *counts.entry(wire).or_default() += 1);
        let common = counts.into_iter().filter(|&(_, count)| count >= self.fewest);
        common.max_by_key(|&(wire, count)| (count, u32::MAX - wire)).map(|(wire, _)| wire)
    }
}

/// By node, whether no move has a part in it; within cycles that is not always seen.
fn state_only(draft: &Draft) -> Vec<bool> {
    let gates = &draft.gates;
    let mut state_only = vec![true; gates.first() as usize];
    state_only[draft.names.first_nodes()[0] as usize..].fill(false);
    for gate in gates.all() {
        let known = |&wire: &u32| state_only.get(wire as usize / 2).copied().unwrap_or(false);
        let all = gates.get(gate).iter().all(known);
        state_only.push(all);
    }
    state_only
}
