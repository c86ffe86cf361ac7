//! What the inputs and outputs of a circuit are called, and how a draft becomes a circuit.

use std::sync::Arc;

use gdl_front::hash::{HashMap, HashSet};

use super::build::Draft;
use super::gates::Gates;
use super::{Circuit, Cycle, Pass, Wire, cycle};
use crate::game::Game;
use crate::ground::Ground;
use crate::lists::Lists;
use crate::terms::TermId;

/// The terms behind the inputs and outputs.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) game: Arc<Game>,
    pub(super) fluents: Vec<TermId>,
    pub(super) initial: Vec<u32>,
    /// The moves of each role.
    pub(super) moves: Vec<Vec<TermId>>,
    /// The goal values of each role.
    pub(super) goals: Vec<Vec<TermId>>,
}

impl Names {
    pub(super) fn new(ground: &Ground) -> Names {
        let game = ground.game.clone();
        let words = &game.program.vocabulary;
        let fluents = ground.atoms_of(words.true_).map(|atom| TermId(ground.args(atom)[0]));
        let fluents = alike_together(&game, fluents.collect());
        let of_roles = |relation| {
            let mut terms = vec![Vec::new(); game.roles.len()];
            for args in ground.atoms_of(relation).map(|atom| ground.args(atom)) {
                if let Some(role) = game.roles.iter().position(|role| role.0 == args[0]) {
                    terms[role].push(TermId(args[1]));
                }
            }
            terms
        };
        let holds: HashSet<TermId> = ground.initial.iter().copied().collect();
        let initial = (0..).zip(&fluents).filter(|(_, fluent)| holds.contains(fluent));
        let moves = of_roles(words.does);
        Names {
            initial: initial.map(|(number, _)| number).collect(),
            fluents,
            moves: moves.into_iter().map(|moves| alike_together(&game, moves)).collect(),
            goals: of_roles(words.goal),
            game,
        }
    }

    /// The first node of each role's moves, and behind them the first gate.
    pub(super) fn first_nodes(&self) -> Vec<u32> {
        let mut next = 1 + self.fluents.len() as u32;
        let mut first_nodes = vec![next];
        for moves in &self.moves {
            next += moves.len() as u32;
            first_nodes.push(next);
        }
        first_nodes
    }

    /// How many outputs are not goals.
    fn play_outputs(&self) -> usize {
        2 * self.fluents.len() + self.moves.iter().map(Vec::len).sum::<usize>() + 1
    }
}

/// Terms by what they begin with, else in their order: conditions often read many that are alike.
fn alike_together(game: &Game, mut terms: Vec<TermId>) -> Vec<TermId> {
    let arena = game.terms.read();
    let mut places = HashMap::default();
    for (place, term) in terms.iter().enumerate() {
        places.entry(arena.symbol(*term)).or_insert(place);
    }
    terms.sort_by_key(|term| places[&arena.symbol(*term)]);
    terms
}

impl Draft {
    /// A circuit taken apart again.
    pub(super) fn of(circuit: &Circuit) -> Draft {
        let mut gates = Gates::new(circuit.first_gate());
        for gate in 0..circuit.gates.len() as u32 {
            gates.push(circuit.gates.get(gate));
        }
        let cycles = circuit.cycles.iter().flat_map(|cycle| cycle.nodes.clone().zip(&cycle.starts));
        let made_for_facts = cycles.filter(|(_, starts_true)| **starts_true);
        let recursive = made_for_facts.map(|(node, _)| node - circuit.first_gate()).collect();
        let goals = circuit.goals.iter().flatten().map(|(_, wire)| wire);
        let outputs =
            circuit.next.iter().chain(&circuit.ends).chain(circuit.legal.iter().flatten());
        let outputs = outputs.chain([&circuit.terminal]).chain(goals).copied().collect();
        let values = |goals: &Vec<(TermId, Wire)>| goals.iter().map(|(value, _)| *value).collect();
        let names = Names {
            game: circuit.game.clone(),
            fluents: circuit.fluents.clone(),
            initial: circuit.initial.clone(),
            moves: circuit.moves.clone(),
            goals: circuit.goals.iter().map(values).collect(),
        };
        Draft { names, gates, recursive, outputs }
    }

    /// The first node behind all that the other outputs depend on: the gates are sorted from output
    /// to output, and a cycle is never divided.
    fn first_goal_gate(&self, cycles: &[Cycle]) -> u32 {
        let outputs = &self.outputs[..self.names.play_outputs()];
        let end = outputs.iter().map(|wire| wire.node() + 1).max().unwrap_or(0);
        let end = end.max(self.gates.first());
        let divided = |cycle: &&Cycle| cycle.nodes.start < end && end < cycle.nodes.end;
        cycles.iter().find(divided).map_or(end, |cycle| cycle.nodes.end)
    }

    /// Names the parts of a sorted draft.
    pub(super) fn finish(self, passes: Vec<Pass>) -> Circuit {
        let cycles = cycle::cycles(&self);
        let first_goal_gate = self.first_goal_gate(&cycles);
        let first_nodes = self.names.first_nodes();
        let Names { game, fluents, initial, moves, goals } = self.names;
        let mut outputs = self.outputs.into_iter();
        let mut take = |count: usize| outputs.by_ref().take(count).collect::<Vec<Wire>>();
        let next = take(fluents.len());
        let ends = take(fluents.len());
        let legal = moves.iter().map(|moves| take(moves.len())).collect();
        let terminal = take(1)[0];
        let name = |values: Vec<TermId>| {
            let wires = take(values.len());
            values.into_iter().zip(wires).collect()
        };
        let goals = goals.into_iter().map(name).collect();
        let mut gates = Lists::default();
        self.gates.all().for_each(|gate| gates.push(self.gates.get(gate).iter().copied()));
        Circuit {
            game,
            fluents,
            initial,
            moves,
            next,
            ends,
            legal,
            terminal,
            goals,
            cycles,
            passes,
            first_nodes,
            first_goal_gate,
            gates,
        }
    }
}
