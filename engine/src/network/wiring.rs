//! Where changes go: for each node of a circuit the gates and outputs that read it.
//!
//! Input: a [`Circuit`]. Output: a [`Wiring`], which does not change as the game is played.

use super::outputs::{Masks, Outputs};
use crate::circuit::{Circuit, Wire};

/// The readers of all nodes but those for the goals alone.
#[derive(Debug)]
pub(super) struct Wiring {
    pub(super) circuit: Circuit,
    pub(super) outputs: Outputs,
    /// By role, which of its moves are guarded.
    pub(super) masks: Vec<Masks>,
    /// For each node where its kinds of readers start in `readers`; they end where those of the next
    /// node start.
    starts: Vec<[u32; KINDS]>,
    readers: Vec<u32>,
    /// By node, how it is kept.
    ways: Vec<Way>,
}

/// How the value of a node is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By the count of its false wires.
    Counted,
    /// It has one value while no move is done, whatever the state. It is computed only when a move
    /// wakes it, so that changes of the state need not be counted.
    Quiet,
    /// Together with the other gates of this cycle.
    Cyclic(u32),
}

/// Kinds of readers.
const KINDS: usize = 5;
const PLAIN: usize = 0;
const NEGATED: usize = 1;
const OUTPUTS: usize = 2;
const CYCLIC: usize = 3;
const WATCHERS: usize = 4;

/// A node with more readers than this wakes none of them.
const MOST_WATCHERS: u32 = 4;

/// The readers of a node.
#[derive(Clone, Copy)]
pub(super) struct Readers<'a> {
    /// Counted gates that read it as it is.
    pub(super) plain: &'a [u32],
    /// Counted gates that read it negated.
    pub(super) negated: &'a [u32],
    /// Bits of the output.
    pub(super) outputs: &'a [u32],
    /// Gates in cycles, twice their number, and one more if they read it negated.
    pub(super) cyclic: &'a [u32],
    /// Quiet gates that cannot change unless it does.
    pub(super) watchers: &'a [u32],
}

impl Wiring {
    pub(super) fn new(circuit: &Circuit) -> Wiring {
        let (circuit, guards) = circuit.guarded();
        let outputs = Outputs::new(&circuit);
        let masks = Masks::new(&outputs, &guards);
        let mut readers = vec![0; circuit.nodes()];
        for wire in circuit.play_gates().flat_map(|gate| circuit.gate(gate)) {
            readers[wire.node() as usize] += 1;
        }
        let rests = rests(&circuit, &readers);
        let ways = ways(&circuit, &rests);
        let mut links = links(&circuit, &ways, &rests, &readers);
        let place = |wire: Wire| KINDS as u32 * wire.node() + OUTPUTS as u32;
        links.extend(outputs.all(&circuit).map(|(wire, bit)| (place(wire), bit)));
        links.sort_unstable();
        links.dedup();
        let mut starts = vec![[0; KINDS]; ways.len() + 1];
        for &(place, _) in &links {
            let place = place as usize + 1;
            starts[place / KINDS][place % KINDS] += 1;
        }
        let mut sum = 0;
        for start in starts.iter_mut().flatten() {
            sum += *start;
            *start = sum;
        }
        let readers = links.into_iter().map(|(_, reader)| reader).collect();
        Wiring { circuit, outputs, masks, starts, readers, ways }
    }

    /// How many nodes there are.
    pub(super) fn nodes(&self) -> usize {
        self.ways.len()
    }

    /// How a node is kept.
    #[inline]
    pub(super) fn way(&self, node: u32) -> Way {
        self.ways[node as usize]
    }

    #[inline]
    pub(super) fn readers(&self, node: u32) -> Readers<'_> {
        let starts = &self.starts[node as usize];
        let end = self.starts[node as usize + 1][PLAIN];
        let part = |start: u32, end: u32| &self.readers[start as usize..end as usize];
        Readers {
            plain: part(starts[PLAIN], starts[NEGATED]),
            negated: part(starts[NEGATED], starts[OUTPUTS]),
            outputs: part(starts[OUTPUTS], starts[CYCLIC]),
            cyclic: part(starts[CYCLIC], starts[WATCHERS]),
            watchers: part(starts[WATCHERS], end),
        }
    }

    /// Where the fixpoint of a gate in a cycle starts.
    pub(super) fn start_of(&self, cycle: u32, node: u32) -> bool {
        let cycle = &self.circuit.cycles[cycle as usize];
        cycle.starts[(node - cycle.nodes.start) as usize]
    }
}

/// By node, the value that it has whenever no move is done, if that does not depend on the state.
/// Left out are gates of cycles, which are kept in another way, and those that would be woken by
/// something that wakes many: to count is cheaper than to be woken in vain.
fn rests(circuit: &Circuit, readers: &[u32]) -> Vec<Option<bool>> {
    let mut rests = vec![None; circuit.play_gates().end as usize];
    rests[0] = Some(true);
    let first_move = 1 + circuit.fluents.len();
    rests[first_move..circuit.first_gate() as usize].fill(Some(false));
    let cyclic = |gate: u32| {
        let before = circuit.cycles.partition_point(|cycle| cycle.nodes.end <= gate);
        circuit.cycles.get(before).is_some_and(|cycle| cycle.nodes.contains(&gate))
    };
    for gate in circuit.play_gates().filter(|&gate| !cyclic(gate)) {
        let rest = |wire: Wire| rests[wire.node() as usize].map(|rest| rest != wire.is_negated());
        let wires = circuit.gate(gate);
        let few = |wire: Wire| readers[wire.node() as usize] <= MOST_WATCHERS;
        rests[gate as usize] = if wires.clone().any(|wire| rest(wire) == Some(false) && few(wire)) {
            Some(false)
        } else {
            let mut all = wires.clone();
            all.all(|wire| rest(wire) == Some(true) && few(wire)).then_some(true)
        };
    }
    rests
}

fn ways(circuit: &Circuit, rests: &[Option<bool>]) -> Vec<Way> {
    let mut ways = vec![Way::Counted; rests.len()];
    for gate in circuit.play_gates().filter(|&gate| rests[gate as usize].is_some()) {
        ways[gate as usize] = Way::Quiet;
    }
    for (number, cycle) in (0..).zip(&circuit.cycles) {
        let range = cycle.nodes.start as usize..cycle.nodes.end as usize;
        // Cycles that only the goals need lie behind.
        if let Some(members) = ways.get_mut(range) {
            members.fill(Way::Cyclic(number));
        }
    }
    ways
}

/// A reader for each node and kind, in any order.
fn links(
    circuit: &Circuit,
    ways: &[Way],
    rests: &[Option<bool>],
    readers: &[u32],
) -> Vec<(u32, u32)> {
    let place = |wire: Wire, kind: usize| KINDS as u32 * wire.node() + kind as u32;
    let mut links = Vec::new();
    for gate in circuit.play_gates() {
        let wires = circuit.gate(gate);
        match ways[gate as usize] {
            Way::Counted => {
                links.extend(wires.map(|wire| {
                    (place(wire, if wire.is_negated() { NEGATED } else { PLAIN }), gate)
                }))
            }
            Way::Cyclic(_) => links.extend(
                wires.map(|wire| (place(wire, CYCLIC), 2 * gate + u32::from(wire.is_negated()))),
            ),
            Way::Quiet if rests[gate as usize] == Some(true) => {
                links.extend(wires.map(|wire| (place(wire, WATCHERS), gate)));
            }
            Way::Quiet => {
                // It stays false while one wire stays false: the one with the fewest readers.
                let false_at_rest = |wire: &Wire| {
                    rests[wire.node() as usize].is_some_and(|rest| rest == wire.is_negated())
                };
                let watched =
                    wires.filter(false_at_rest).min_by_key(|wire| readers[wire.node() as usize]);
                links.extend(watched.map(|wire| (place(wire, WATCHERS), gate)));
            }
        }
    }
    links
}
