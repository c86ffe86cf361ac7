//! Takes out what the parts of a disjunction have in common: `(a & b) | (a & c)` is `a & (b | c)`.
//!
//! Frame rules make such disjunctions: a fluent stays if it holds and one of many things is done.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gdl_front::hash::HashMap;

use super::build::Draft;
use super::gates::Gates;

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
        added: Gates::new(gates.first() + gates.len() as u32),
    };
    let mut new = Gates::new(gates.first());
    for gate in gates.all() {
        let mut parts: Vec<Vec<u32>> = gates.get(gate).iter().map(|&wire| part(wire)).collect();
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
    /// The gates that it takes.
    added: Gates,
}

impl Common {
    /// Takes common wires out of the parts of a disjunction, the most common first; `false` if there
    /// is none.
    fn take_out(&mut self, parts: &mut Vec<Vec<u32>>) -> bool {
        // A part without wires always holds, and the others do not matter.
        if parts.len() < self.fewest as usize || parts.iter().any(Vec::is_empty) {
            return false;
        }
        let mut left = Occurrences::new(parts, |wire| self.is_taken(wire));
        let mut taken = Vec::new();
        while let Some(with) = left.most_common(parts, self.fewest) {
            taken.push(self.factored(with));
        }
        parts.retain(|part| !part.is_empty());
        let any = !taken.is_empty();
        parts.extend(taken);
        any
    }

    /// One part in place of some that have wires in common.
    fn factored(&mut self, mut with: Vec<Vec<u32>>) -> Vec<u32> {
        let (first, others) = with.split_first().expect("a part has a wire in common with others");
        let common = |wire: &u32| {
            self.is_taken(*wire) && others.iter().all(|part| part.binary_search(wire).is_ok())
        };
        let mut common: Vec<u32> = first.iter().copied().filter(common).collect();
        with.iter_mut().for_each(|part| part.retain(|wire| common.binary_search(wire).is_err()));
        // `a | (a & b)` is `a`.
        if !with.iter().any(Vec::is_empty) {
            self.take_out(&mut with);
            let mut rest: Vec<u32> = with.iter_mut().map(|part| self.added.and(part).0).collect();
            common.push(self.added.or(&mut rest).0);
        }
        vec![self.added.and(&mut common).0]
    }

    /// Whether a wire may be taken out. What depends on moves is not: it would leave behind a
    /// disjunction with a move such as `noop`, which changes for every fluent of the board whenever
    /// someone waits.
    fn is_taken(&self, wire: u32) -> bool {
        self.state_only.get(wire as usize / 2).copied().unwrap_or(false)
    }
}

/// Which parts of a disjunction have which wires; parts that are done with leave.
struct Occurrences {
    /// By wire, the parts that have it, and how many of them are left.
    parts: HashMap<u32, (Vec<u32>, u32)>,
    /// Wires by how many parts had them when they were put here; of equals the lowest first.
    order: BinaryHeap<(u32, Reverse<u32>)>,
}

impl Occurrences {
    fn new(parts: &[Vec<u32>], counts: impl Fn(u32) -> bool) -> Occurrences {
        let mut found: HashMap<u32, (Vec<u32>, u32)> = HashMap::default();
        for (part, wires) in (0..).zip(parts) {
            for &wire in wires.iter().filter(|&&wire| counts(wire)) {
                let (parts, left) = found.entry(wire).or_default();
                parts.push(part);
                *left += 1;
            }
        }
        let order = found.iter().map(|(&wire, &(_, left))| (left, Reverse(wire))).collect();
        Occurrences { parts: found, order }
    }

    /// Takes the parts that have the most common wire, if they are so many.
    fn most_common(&mut self, parts: &mut [Vec<u32>], fewest: u32) -> Option<Vec<Vec<u32>>> {
        while let Some((count, Reverse(wire))) = self.order.pop() {
            let left = self.parts[&wire].1;
            if left < fewest {
                continue;
            }
            if left < count {
                self.order.push((left, Reverse(wire)));
                continue;
            }
            let with = std::mem::take(&mut self.parts.get_mut(&wire)?.0);
            let with = with.into_iter().map(|part| std::mem::take(&mut parts[part as usize]));
            let with: Vec<Vec<u32>> = with.filter(|part| !part.is_empty()).collect();
            for wire in with.iter().flatten() {
                if let Some((_, left)) = self.parts.get_mut(wire) {
                    *left -= 1;
                }
            }
            return Some(with);
        }
        None
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
