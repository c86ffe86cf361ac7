//! What a move costs a network of a circuit, by counting: so that of two circuits for one game the
//! better is found, and the same one in every run.

use super::Circuit;
use crate::random::Random;

impl Circuit {
    /// How many gates hear of a change with a move, on average over so many random moves; `None` if
    /// someone cannot move.
    pub fn touched_by_moves(&self, count: u32) -> Option<f64> {
        let mut readers = vec![0u64; self.nodes()];
        for gate in self.play_gates() {
            self.gate(gate).for_each(|wire| readers[wire.node() as usize] += 1);
        }
        let mut walk = Walk { circuit: self, readers, values: vec![false; self.nodes()], total: 0 };
        let mut random = Random::new(0);
        walk.values[0] = true;
        walk.enter(&self.initial_values());
        walk.total = 0;
        for _ in 0..count {
            if self.terminal.value(&walk.values) {
                walk.enter(&self.initial_values());
                continue;
            }
            walk.make(&mut random)?;
        }
        Some(walk.total as f64 / f64::from(count.max(1)))
    }

    fn initial_values(&self) -> Vec<bool> {
        let mut state = vec![false; self.fluents.len()];
        self.initial.iter().for_each(|&fluent| state[fluent as usize] = true);
        state
    }
}

/// A line of play in which changes are counted.
struct Walk<'c> {
    circuit: &'c Circuit,
    /// How many gates read each node.
    readers: Vec<u64>,
    values: Vec<bool>,
    total: u64,
}

impl Walk<'_> {
    /// Makes a random joint move.
    fn make(&mut self, random: &mut Random) -> Option<()> {
        let circuit = self.circuit;
        let mut made = Vec::new();
        for (role, legal) in circuit.legal.iter().enumerate() {
            let legal =
                (0..legal.len() as u32).filter(|&at| legal[at as usize].value(&self.values));
            let action = random.choose(&legal.collect::<Vec<u32>>())?;
            made.push(circuit.move_node(role, action) as usize);
        }
        let mut moved = self.values.clone();
        made.iter().for_each(|&node| moved[node] = true);
        self.settle(moved);
        let stays = |fluent: usize| {
            let holds = self.values[circuit.fluent_node(fluent as u32) as usize];
            holds && !circuit.ends[fluent].value(&self.values)
        };
        let next = (0..circuit.fluents.len())
            .map(|fluent| circuit.next[fluent].value(&self.values) || stays(fluent));
        let next: Vec<bool> = next.collect();
        made.iter().for_each(|&node| self.values[node] = false);
        self.enter(&next);
        Some(())
    }

    /// Goes to a state, with no move made.
    fn enter(&mut self, state: &[bool]) {
        let mut values = self.values.clone();
        let first = self.circuit.fluent_node(0) as usize;
        values[first..first + state.len()].copy_from_slice(state);
        self.settle(values);
    }

    /// Computes the gates from new inputs, and counts who hears of it.
    fn settle(&mut self, mut values: Vec<bool>) {
        self.circuit.evaluate(self.circuit.play_gates(), &mut values);
        let changes = self.values.iter().zip(&values).zip(&self.readers);
        self.total += changes.filter(|((a, b), _)| a != b).map(|(_, readers)| readers).sum::<u64>();
        self.values = values;
    }
}
