//! Where changes go: for each node of a circuit the gates and outputs that read it.
//!
//! Input: a [`Circuit`]. Output: a [`Wiring`], which does not change as the game is played.

use super::outputs::{Masks, Outputs};
use crate::circuit::{Circuit, Wire};
use crate::lists::Lists;

/// The readers of all nodes but those for the goals alone.
#[derive(Debug)]
pub(super) struct Wiring {
    pub(super) circuit: Circuit,
    pub(super) outputs: Outputs,
    /// By role, which of its moves are guarded.
    pub(super) masks: Vec<Masks>,
    /// The counted gates that read each node: twice their number, and one more if they read it negated.
    links: Lists,
    /// The bits of the outputs that are just a node's value, or its negation.
    taps: Lists,
    /// By gate, the bit that changes when it does: that of its output, or the one that says that it
    /// has a change to pass on.
    pub(super) targets: Vec<u32>,
    /// Gates in cycles that read each node, as in `links`.
    cyclic: Lists,
    /// Quiet gates that cannot change unless the node does.
    watchers: Lists,
    /// By node, how it is kept.
    ways: Vec<Way>,
    /// By node, its value while no move is done, if that does not depend on the state.
    pub(super) rests: Vec<Option<bool>>,
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

/// A node with more readers than this wakes none of them.
const MOST_WATCHERS: u32 = 4;

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
        let mut links = Links::default();
        circuit.play_gates().for_each(|gate| links.gate(&circuit, gate, &ways, &rests, &readers));
        let targets = links.outputs(&circuit, &outputs, &ways);
        let nodes = ways.len();
        let [links, taps, cyclic, watchers] =
            [links.counted, links.taps, links.cyclic, links.watchers]
                .map(|pairs| Lists::group(nodes, pairs.into_iter()));
        Wiring { circuit, outputs, masks, links, taps, targets, cyclic, watchers, ways, rests }
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

    /// The counted gates that read a node: twice their number, and one more if they read it negated.
    #[inline]
    pub(super) fn links(&self, node: u32) -> &[u32] {
        self.links.get(node)
    }

    /// The bits of the outputs that change whenever a node does.
    #[inline]
    pub(super) fn taps(&self, node: u32) -> &[u32] {
        self.taps.get(node)
    }

    /// The gates in cycles that read a node.
    #[inline]
    pub(super) fn cyclic(&self, node: u32) -> &[u32] {
        if self.circuit.cycles.is_empty() { &[] } else { self.cyclic.get(node) }
    }

    /// The quiet gates that a node wakes.
    pub(super) fn watchers(&self, node: u32) -> &[u32] {
        self.watchers.get(node)
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

/// Pairs of a node and a reader, by kind.
#[derive(Default)]
struct Links {
    counted: Vec<(u32, u32)>,
    taps: Vec<(u32, u32)>,
    cyclic: Vec<(u32, u32)>,
    watchers: Vec<(u32, u32)>,
}

fn link(wire: Wire, gate: u32) -> (u32, u32) {
    (wire.node(), 2 * gate + u32::from(wire.is_negated()))
}

impl Links {
    /// Adds what a gate reads.
    fn gate(
        &mut self,
        circuit: &Circuit,
        gate: u32,
        ways: &[Way],
        rests: &[Option<bool>],
        readers: &[u32],
    ) {
        let wires = circuit.gate(gate);
        match ways[gate as usize] {
            Way::Counted => self.counted.extend(wires.map(|wire| link(wire, gate))),
            Way::Cyclic(_) => self.cyclic.extend(wires.map(|wire| link(wire, gate))),
            Way::Quiet if rests[gate as usize] == Some(true) => {
                self.watchers.extend(wires.map(|wire| (wire.node(), gate)));
            }
            Way::Quiet => {
                // It stays false while one wire stays false: the one with the fewest readers.
                let false_at_rest = |wire: &Wire| {
                    rests[wire.node() as usize].is_some_and(|rest| rest == wire.is_negated())
                };
                let watched =
                    wires.filter(false_at_rest).min_by_key(|wire| readers[wire.node() as usize]);
                self.watchers.extend(watched.map(|wire| (wire.node(), gate)));
            }
        }
    }

    /// Adds what the outputs read; gives the bit that each gate changes.
    fn outputs(&mut self, circuit: &Circuit, outputs: &Outputs, ways: &[Way]) -> Vec<u32> {
        let mut readers = vec![0; circuit.nodes()];
        let gates = circuit.play_gates().chain(circuit.goal_gates());
        let read = gates.flat_map(|gate| circuit.gate(gate));
        let read = read.chain(circuit.goals.iter().flatten().map(|(_, wire)| *wire));
        let read = read.chain(outputs.all(circuit).map(|(wire, _)| wire));
        read.for_each(|wire| readers[wire.node() as usize] += 1);
        let mut targets: Vec<u32> = (0..ways.len() as u32).collect();
        let first = outputs.first_bit(ways.len());
        for (wire, bit) in outputs.all(circuit) {
            let node = wire.node();
            let is_gate = node >= circuit.first_gate() && ways[node as usize] == Way::Counted;
            if is_gate && readers[node as usize] == 1 {
                // Nothing but this output hears of the gate.
                targets[node as usize] = first + bit;
            } else {
                self.taps.push((node, first + bit));
            }
        }
        targets
    }
}
