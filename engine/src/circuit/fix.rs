//! A circuit in which some inputs never change.

use super::build::Draft;
use super::gates::Gates;
use super::merge::merge;
use super::order::order;
use super::{Circuit, Shape, Wire};

impl Circuit {
    /// The circuit for states and moves in which the given input nodes have these values, with the
    /// frame worked in: `next` is the whole next state, and everything ends.
    ///
    /// A wire of `next` that just reads its fluent says that the fluent stays as it is.
    pub fn fixed(&self, inputs: &[(u32, bool)]) -> Circuit {
        let mut wires: Vec<Wire> = (0..self.nodes() as u32).map(Wire::of).collect();
        for &(node, value) in inputs {
            wires[node as usize] = if value { Wire::TRUE } else { Wire::FALSE };
        }
        let mut draft = Draft::of(self);
        draft.gates = Gates::new(self.first_gate());
        draft.recursive = self.copy_gates(&mut draft.gates, &mut wires);
        let renamed = |wire: Wire| {
            if wire.is_negated() {
                !wires[wire.node() as usize]
            } else {
                wires[wire.node() as usize]
            }
        };
        draft.outputs.iter_mut().for_each(|wire| *wire = renamed(*wire));
        let fluents = self.fluents.len();
        for fluent in 0..fluents {
            let [next, ends] = [draft.outputs[fluent], draft.outputs[fluents + fluent]];
            let holds = Wire::of(self.fluent_node(fluent as u32));
            let stays = draft.gates.and(&mut vec![holds.0, (!ends).0]);
            draft.outputs[fluent] = draft.gates.or(&mut vec![stays.0, next.0]);
            draft.outputs[fluents + fluent] = Wire::TRUE;
        }
        order(&mut draft);
        merge(&mut draft);
        let mut passes = self.passes.clone();
        draft.shape(&Shape::SMALLEST, &mut passes);
        draft.finish(passes)
    }

    /// Adds all gates to others, where `wires` says what the inputs have become, and writes down
    /// what the gates have become. Gives the gates of cycles that start true.
    fn copy_gates(&self, gates: &mut Gates, wires: &mut [Wire]) -> Vec<u32> {
        let mut recursive = Vec::new();
        let mut node = self.first_gate();
        let mut cycles = self.cycles.iter().peekable();
        while node < self.nodes() as u32 {
            let Some(cycle) = cycles.next_if(|cycle| cycle.nodes.start == node) else {
                let mut read: Vec<u32> = renamed(self.gate(node), wires).collect();
                wires[node as usize] = gates.and(&mut read);
                node += 1;
                continue;
            };
            // Gates that read each other are kept as they are.
            for (node, &starts_true) in cycle.nodes.clone().zip(&cycle.starts) {
                let gate = gates.len() as u32 + node - cycle.nodes.start;
                wires[node as usize] = gates.wire(gate);
                if starts_true {
                    recursive.push(gate);
                }
            }
            for node in cycle.nodes.clone() {
                let read: Vec<u32> = renamed(self.gate(node), wires).collect();
                gates.push(&read);
            }
            node = cycle.nodes.end;
        }
        recursive
    }
}

fn renamed<'a>(
    read: impl Iterator<Item = Wire> + 'a,
    wires: &'a [Wire],
) -> impl Iterator<Item = u32> + 'a {
    read.map(|wire| wires[wire.node() as usize].0 ^ u32::from(wire.is_negated()))
}
