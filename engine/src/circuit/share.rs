//! Finds conditions that several gates begin with, and gives them a gate of their own.
//!
//! The wires of each gate are sorted by how many gates read them, most first; the gates then form a
//! tree of beginnings, and a beginning is shared where that saves wires.

use gdl_front::hash::HashMap;

use super::build::Draft;
use super::gates::Gates;

/// With more wires than this the tree would take longer than it saves.
const MAX_WIRES: usize = 4_000_000;

const NONE: u32 = u32::MAX;

/// A beginning of some gates.
struct Beginning {
    parent: u32,
    wire: u32,
    /// How many gates begin so.
    gates: u32,
    /// How many of these go on in the same way, at most.
    widest: u32,
    /// The gate that is just this, if there is one.
    whole: u32,
    /// The longest beginning of this one that is shared, perhaps itself.
    shared: u32,
    /// How many wires come behind that one.
    rest: u32,
}

struct Tree {
    all: Vec<Beginning>,
    children: HashMap<(u32, u32), u32>,
}

/// Shares beginnings of so many gates or more.
pub(super) fn share(draft: &mut Draft, fewest: u32) {
    let gates = &draft.gates;
    if gates.wires() > MAX_WIRES {
        return;
    }
    let mut uses = vec![0u32; 2 * (gates.first() as usize + gates.len())];
    gates.all().for_each(|gate| gates.get(gate).iter().for_each(|&wire| uses[wire as usize] += 1));
    let mut tree = Tree { all: Vec::new(), children: HashMap::default() };
    let last: Vec<u32> = gates
        .all()
        .map(|gate| {
            let mut wires = gates.get(gate).to_vec();
            wires.sort_unstable_by_key(|&wire| (u32::MAX - uses[wire as usize], wire));
            tree.add(&wires, gate)
        })
        .collect();
    tree.decide(fewest);
    draft.gates = tree.rebuilt(gates, &last);
}

impl Tree {
    /// Adds a gate; gives the beginning that is all of it.
    fn add(&mut self, wires: &[u32], gate: u32) -> u32 {
        let mut at = NONE;
        for &wire in wires {
            let new = self.all.len() as u32;
            let child = *self.children.entry((at, wire)).or_insert(new);
            if child == new {
                let parent = at;
                let shared = NONE;
                let [gates, widest, rest] = [0; 3];
                self.all.push(Beginning { parent, wire, gates, widest, whole: NONE, shared, rest });
            }
            self.all[child as usize].gates += 1;
            at = child;
        }
        if let Some(end) = self.all.get_mut(at as usize)
            && end.whole == NONE
        {
            end.whole = gate;
        }
        at
    }

    /// Decides which beginnings are shared. Parents stand before their children.
    fn decide(&mut self, fewest: u32) {
        for at in (0..self.all.len()).rev() {
            let Beginning { parent, gates, .. } = self.all[at];
            if let Some(parent) = self.all.get_mut(parent as usize) {
                parent.widest = parent.widest.max(gates);
            }
        }
        for at in 0..self.all.len() {
            let (shared, rest) = match self.all.get(self.all[at].parent as usize) {
                Some(parent) => (parent.shared, parent.rest + 1),
                None => (NONE, 1),
            };
            let beginning = &mut self.all[at];
            // Each of the gates would read one wire in place of so many.
            let replaced = rest + u32::from(shared != NONE);
            let saved = (beginning.gates - 1) * (replaced - 1);
            let cost = u32::from(beginning.whole == NONE);
            let divides = beginning.gates >= fewest && beginning.gates > beginning.widest;
            (beginning.shared, beginning.rest) =
                if divides && saved > cost { (at as u32, 0) } else { (shared, rest) };
        }
    }

    /// The gates anew; those of shared beginnings that no gate is come behind all others.
    fn rebuilt(&self, gates: &Gates, last: &[u32]) -> Gates {
        let mut wire_of = vec![NONE; self.all.len()];
        let mut made = Vec::new();
        for (at, beginning) in self.all.iter().enumerate() {
            if beginning.shared == at as u32 {
                let gate = if beginning.whole == NONE {
                    made.push(at as u32);
                    (gates.len() + made.len() - 1) as u32
                } else {
                    beginning.whole
                };
                wire_of[at] = gates.wire(gate).0;
            }
        }
        let mut new = Gates::new(gates.first());
        for (gate, &end) in gates.all().zip(last) {
            new.push(&self.wires(end, Some(gate), &wire_of));
        }
        for &beginning in &made {
            new.push(&self.wires(beginning, None, &wire_of));
        }
        new
    }

    /// The wires of a beginning, in which a shared one other than itself replaces those it holds.
    fn wires(&self, end: u32, gate: Option<u32>, wire_of: &[u32]) -> Vec<u32> {
        let mut wires = Vec::new();
        let mut at = end;
        while let Some(beginning) = self.all.get(at as usize) {
            let itself = at == end && gate.is_none_or(|gate| gate == beginning.whole);
            if beginning.shared == at && !itself {
                // A gate may read another one and its conditions too.
                if !wires.contains(&wire_of[at as usize]) {
                    wires.push(wire_of[at as usize]);
                }
                break;
            }
            wires.push(beginning.wire);
            at = beginning.parent;
        }
        wires
    }
}
