//! Where the value of each node lies: a bit in a row of words.
//!
//! Input: a circuit and how its gates are kept. Output: a [`Layout`]. The gates of a word do not read
//! each other, and the words are in the order of reading: first the state, then the moves of each
//! role, then the gates, those of a word all kept alike, at last the outputs. Small gates and those
//! that nothing but an output reads stand there themselves; other outputs are gates of one wire.

use std::cmp::Reverse;

use gdl_front::hash::HashMap;

use super::outputs::Outputs;
use super::wiring::Way;
use crate::circuit::{Circuit, Wire};
use crate::lists::Lists;

/// The value of a node that has no place: nothing asks for it while a match is played.
pub(super) const NOWHERE: u32 = u32::MAX;
/// An output that is a gate of at most so many wires is made there once more rather than told of it.
const MOST_COPIED: usize = 4;
/// Counts are bytes: a gate of more wires is made of several.
const MOST_WIRES: usize = 255;

/// Neighbours are chosen by so many of their wires.
const MOST_COMPARED: usize = 4;

/// The places of a circuit's nodes.
#[derive(Debug)]
pub(super) struct Layout {
    /// By node. Parts of large gates are nodes behind those of the circuit.
    pub(super) places: Vec<u32>,
    /// By word, how its gates are kept.
    pub(super) ways: Vec<Way>,
    pub(super) outputs: Outputs,
    /// The first word of gates.
    pub(super) first_gate: usize,
    /// The first word of the outputs, which nothing reads.
    pub(super) first_output: usize,
    /// By output, where it stands and, unless it is a gate of its own, the node that it is.
    pub(super) standing: Vec<Standing>,
    /// The first node of each part of a large gate, and what they read.
    parts: Lists,
    /// Gates that read parts instead of what the circuit says, ascending, and these.
    large: Vec<u32>,
    instead: Lists,
    nodes: usize,
}

/// One output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    pub(super) place: u32,
    pub(super) wire: Wire,
    /// Whether the gate that it reads stands there itself.
    pub(super) is_gate: bool,
}

impl Layout {
    pub(super) fn new(circuit: &Circuit, kept: &[Way]) -> Layout {
        let outputs = Outputs::new(circuit);
        let mut layout = Layout {
            places: vec![NOWHERE; circuit.nodes()],
            ways: Vec::new(),
            outputs,
            first_gate: 0,
            first_output: 0,
            standing: Vec::new(),
            parts: Lists::default(),
            large: Vec::new(),
            instead: Lists::default(),
            nodes: circuit.nodes(),
        };
        let levels = layout.levels(circuit, kept);
        layout.place_inputs(circuit);
        layout.first_gate = layout.words();
        let readers = readers(circuit);
        let standing = standing(circuit, kept, &readers);
        layout.place_gates(circuit, kept, &levels, &standing, &readers);
        layout.place_outputs(standing);
        layout
    }

    /// How many words there are.
    pub(super) fn words(&self) -> usize {
        self.ways.len()
    }

    /// Where a wire lies: twice the place of its node, and one more if it is negated.
    pub(super) fn placed(&self, wire: Wire) -> Wire {
        let place = Wire::of(self.places[wire.node() as usize]);
        if wire.is_negated() { !place } else { place }
    }

    /// The parts of large gates.
    pub(super) fn parts(&self) -> std::ops::Range<u32> {
        self.nodes as u32..self.places.len() as u32
    }

    /// What a gate, or a part of one, reads.
    pub(super) fn wires<'l>(
        &'l self,
        circuit: &'l Circuit,
        node: u32,
    ) -> impl ExactSizeIterator<Item = Wire> + Clone + 'l {
        let list = match self.large.binary_search(&node) {
            _ if node >= self.nodes as u32 => self.parts.get(node - self.nodes as u32),
            Ok(large) => self.instead.get(large as u32),
            Err(_) => circuit.wires_of(node),
        };
        list.iter().map(|&wire| Wire::numbered(wire))
    }

    /// By node, how many gates lie behind each other below it; large gates are taken apart.
    fn levels(&mut self, circuit: &Circuit, kept: &[Way]) -> Vec<u32> {
        let mut levels = vec![0; self.nodes];
        let mut cycles = circuit.cycles.iter();
        let mut in_cycle = 0..0;
        for gate in circuit.play_gates() {
            let above = |levels: &[u32], wires: &[u32]| {
                wires.iter().map(|&wire| levels[wire as usize / 2] + 1).max().unwrap_or(1)
            };
            if let Way::Cyclic(_) = kept[gate as usize] {
                if !in_cycle.contains(&gate)
                    && let Some(cycle) = cycles.find(|cycle| cycle.nodes.contains(&gate))
                {
                    // What lies in the cycle itself still has the level 0.
                    in_cycle = cycle.nodes.clone();
                    let members = in_cycle.clone();
                    let highest = members.map(|member| above(&levels, circuit.wires_of(member)));
                    let level = highest.max().unwrap_or(1);
                    levels[in_cycle.start as usize..in_cycle.end as usize].fill(level);
                }
                continue;
            }
            let mut wires = circuit.wires_of(gate);
            if kept[gate as usize] == Way::Counted && wires.len() > MOST_WIRES {
                self.take_apart(circuit, gate, &mut levels);
                wires = self.instead.get(self.large.len() as u32 - 1);
            }
            levels[gate as usize] = above(&levels, wires);
        }
        levels
    }

    /// Makes a gate of few wires of a large one.
    fn take_apart(&mut self, circuit: &Circuit, gate: u32, levels: &mut Vec<u32>) {
        let mut wires: Vec<u32> = circuit.wires_of(gate).to_vec();
        while wires.len() > MOST_WIRES {
            let parts = wires.chunks(MOST_WIRES).map(|part| {
                let below = part.iter().map(|&wire| levels[wire as usize / 2]).max();
                levels.push(below.unwrap_or(0) + 1);
                self.parts.push(part.iter().copied());
                self.places.push(NOWHERE);
                Wire::of(self.places.len() as u32 - 1).number()
            });
            wires = parts.collect();
        }
        self.large.push(gate);
        self.instead.push(wires);
    }

    /// Puts nodes into new words.
    fn place(&mut self, nodes: impl IntoIterator<Item = u32>, way: Way) {
        let mut place = 64 * self.words() as u32;
        for node in nodes {
            self.places[node as usize] = place;
            place += 1;
        }
        self.ways.resize(place.div_ceil(64) as usize, way);
    }

    fn place_inputs(&mut self, circuit: &Circuit) {
        let fluents = circuit.fluents.len() as u32;
        self.place(1..1 + fluents, Way::Counted);
        for (role, moves) in circuit.moves.iter().enumerate() {
            let first = circuit.move_node(role, 0);
            self.place(first..first + moves.len() as u32, Way::Counted);
        }
        // Facts that were taken to depend on themselves may read a constant.
        let constant = Wire::TRUE.node();
        let mut read = circuit.play_gates().flat_map(|gate| circuit.gate(gate));
        if read.any(|wire| wire.node() == constant) {
            self.place([constant], Way::Counted);
        }
    }

    fn place_gates(
        &mut self,
        circuit: &Circuit,
        kept: &[Way],
        levels: &[u32],
        standing: &[Standing],
        readers: &[u32],
    ) {
        let mut left = vec![true; levels.len()];
        for Standing { wire, .. } in standing.iter().filter(|output| output.is_gate) {
            left[wire.node() as usize] = readers[wire.node() as usize] > 0;
        }
        let way = |node: u32| kept.get(node as usize).copied().unwrap_or(Way::Counted);
        let nodes = circuit.play_gates().chain(self.parts());
        let mut nodes: Vec<u32> = nodes.filter(|&node| left[node as usize]).collect();
        nodes.sort_by_key(|&node| (levels[node as usize], way(node)));
        let alike =
            |a: &u32, b: &u32| (levels[*a as usize], way(*a)) == (levels[*b as usize], way(*b));
        for group in nodes.chunk_by(alike) {
            let way = way(group[0]);
            let group = match way {
                Way::Cyclic(_) => group.to_vec(),
                _ => self.neighbours(circuit, group),
            };
            self.place(group, way);
        }
    }

    /// Puts gates side by side that read the same: first those that read what most of them read.
    fn neighbours(&self, circuit: &Circuit, gates: &[u32]) -> Vec<u32> {
        let mut counts: HashMap<u32, u32> = HashMap::default();
        let read = |gate: u32| self.wires(circuit, gate).map(|wire| wire.node());
        for node in gates.iter().flat_map(|&gate| read(gate)) {
            *counts.entry(node).or_default() += 1;
        }
        let mut gates = gates.to_vec();
        gates.sort_by_cached_key(|&gate| {
            let mut most: Vec<(Reverse<u32>, u32)> =
                read(gate).map(|node| (Reverse(counts[&node]), node)).collect();
            most.sort_unstable();
            most.truncate(MOST_COMPARED);
            most
        });
        gates
    }

    fn place_outputs(&mut self, standing: Vec<Standing>) {
        self.first_output = self.words();
        self.outputs.begin_at(self.first_output);
        self.ways.resize(self.outputs.end(), Way::Counted);
        self.standing = standing;
        let places = self.outputs.places();
        for (output, place) in self.standing.iter_mut().zip(places) {
            output.place = place;
        }
    }
}

/// All outputs, in the order of [`Outputs::all`], with no place yet; `readers` tells how many gates
/// read a node.
fn standing(circuit: &Circuit, kept: &[Way], readers: &[u32]) -> Vec<Standing> {
    let mut outputs = vec![0u32; circuit.nodes()];
    Outputs::all(circuit).for_each(|wire| outputs[wire.node() as usize] += 1);
    let standing = Outputs::all(circuit).map(|wire| {
        let node = wire.node();
        let counted = node >= circuit.first_gate() && kept[node as usize] == Way::Counted;
        let alone = counted && readers[node as usize] == 0 && outputs[node as usize] == 1;
        let is_gate = alone || counted && circuit.gate(node).len() <= MOST_COPIED;
        Standing { place: NOWHERE, wire, is_gate }
    });
    standing.collect()
}

/// By node, how many gates read it, and goals.
fn readers(circuit: &Circuit) -> Vec<u32> {
    let mut readers = vec![0; circuit.nodes()];
    let gates = circuit.play_gates().chain(circuit.goal_gates());
    let read = gates.flat_map(|gate| circuit.gate(gate));
    let read = read.chain(circuit.goals.iter().flatten().map(|(_, wire)| *wire));
    read.for_each(|wire| readers[wire.node() as usize] += 1);
    readers
}

#[cfg(test)]
mod tests {
    use super::super::Network;
    use crate::game::Game;
    use crate::ground::Limits;

    #[test]
    fn gates_that_read_the_same_are_neighbours() {
        // Each of 40 switches needs one of 20 keys and a light; the pairs come in the order of switches.
        let mut rules = "(role x) (legal x go) (<= terminal (not (true (light 0))))
            (<= (goal x 100) terminal)"
            .to_owned();
        for key in 0..20 {
            rules += &format!("(init (key {key})) (<= (next (key {key})) (true (key {key})))");
        }
        for light in 0..40 {
            rules += &format!("(init (light {light})) ");
            rules +=
                &format!("(<= (next (light {light})) (true (light {light})) (true (on {light})))");
            for key in 0..20 {
                let on = format!("(true (key {key})) (true (spare {light} {key}))");
                rules += &format!("(<= (next (on {light})) {on}) (init (spare {light} {key}))");
                rules += &format!("(<= (next (spare {light} {key})) {on})");
            }
        }
        let program = gdl_front::load(&rules, None).program.unwrap();
        let network = Network::new(&Game::new(program), &Limits::default()).unwrap();
        let (circuit, wiring) = (&network.circuit, &network.core.wiring);
        let game = &circuit.game;
        let keys = (0u32..).zip(&circuit.fluents);
        let keys = keys.filter(|(_, fluent)| game.show(**fluent).starts_with("(key "));
        for (key, _) in keys {
            let readers = wiring.readers(wiring.place(circuit.fluent_node(key)));
            // 40 gates fit into a word, but need not begin with one.
            let gates =
                readers.words.iter().filter(|&&word| (word as usize) < wiring.layout.first_output);
            assert!(gates.count() <= 2, "the gates that read a key lie in {:?}", readers.words);
        }
    }
}
