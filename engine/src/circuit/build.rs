//! Ground rules to gates: a rule becomes a conjunction, a fact the disjunction of its rules.
//!
//! Facts are taken in the order in which they depend on each other, so that constants and equal
//! gates are seen at once. Facts that depend on themselves get a gate each that is filled in later.

use gdl_front::program::Frame;

use super::gates::Gates;
use super::names::Names;
use super::{Pass, Wire};
use crate::ground::Ground;
use crate::lists::{Lists, components};
use crate::terms::TermId;

/// A circuit in the making.
pub(super) struct Draft {
    pub(super) names: Names,
    pub(super) gates: Gates,
    /// The gates that were made for facts that depend on themselves, sorted.
    pub(super) recursive: Vec<u32>,
    /// What is asked of the circuit: next, ends, legal, terminal, then the goals.
    pub(super) outputs: Vec<Wire>,
}

/// The numbers from here on stand for the gates of facts that depend on themselves.
const RESERVED: u32 = 1 << 30;

struct Builder<'a> {
    ground: &'a Ground,
    gates: Gates,
    /// The wire of each atom.
    wires: Vec<Wire>,
    /// The rules of each atom.
    rules: Lists,
    /// The wires of each reserved gate.
    reserved: Lists,
}

/// Makes the gates; gives the sizes before and after.
pub(super) fn build(ground: &Ground) -> (Draft, Vec<Pass>) {
    let names = Names::new(ground);
    let first_nodes = names.first_nodes();
    let first_gate = first_nodes[names.moves.len()];
    let instances = &ground.rules;
    let heads = instances.heads.iter().enumerate().map(|(rule, &head)| (head, rule as u32));
    let mut builder = Builder {
        ground,
        gates: Gates::new(first_gate),
        wires: vec![Wire::FALSE; ground.atoms()],
        rules: Lists::group(ground.atoms(), heads),
        reserved: Lists::default(),
    };
    builder.inputs(&names, &first_nodes);
    builder.facts();
    let outputs = builder.outputs(&names);
    let draft = builder.close(names, outputs);
    let instantiated = Pass {
        name: "instantiated",
        gates: ground.atoms() + instances.len(),
        wires: instances.literals.len() + instances.len(),
    };
    let made = Pass::over("constants folded, equal gates merged", &draft);
    (draft, vec![instantiated, made])
}

impl Builder<'_> {
    /// `true` and `does` are inputs. A `does` of nobody never holds.
    fn inputs(&mut self, names: &Names, first_nodes: &[u32]) {
        let ground = self.ground;
        let words = &ground.game.program.vocabulary;
        let fluents = names.fluents.iter().map(|&fluent| ground.find(words.true_, &[fluent]));
        let moves = ground.game.roles.iter().zip(&names.moves).zip(first_nodes);
        let moves = moves.flat_map(|((&role, moves), &first)| {
            let find = move |&action: &TermId| ground.find(words.does, &[role, action]);
            (first..).zip(moves.iter().map(find))
        });
        for (node, atom) in (1..).zip(fluents).chain(moves) {
            if let Some(atom) = atom {
                self.wires[atom as usize] = Wire::of(node);
            }
        }
    }

    /// Makes the gates of all other facts.
    fn facts(&mut self) {
        let instances = &self.ground.rules;
        let literals = (0..instances.len()).flat_map(|rule| {
            let head = instances.heads[rule];
            instances.body(rule).iter().map(move |&literal| (head, literal))
        });
        let conditions = Lists::group(self.ground.atoms(), literals);
        let atoms = self.ground.atoms();
        let found = components(
            atoms,
            0..atoms as u32,
            |atom| conditions.get(atom),
            |literal| Some(literal / 2),
        );
        for component in 0..found.len() as u32 {
            match found.get(component) {
                [atom] if !conditions.get(*atom).contains(&(2 * atom)) => self.fact(*atom),
                atoms => self.recursive_facts(atoms),
            }
        }
    }

    fn fact(&mut self, atom: u32) {
        if self.rules.get(atom).is_empty() {
            return;
        }
        let mut bodies = self.bodies(atom);
        self.wires[atom as usize] = self.gates.or(&mut bodies);
    }

    /// The wires of an atom's rules.
    fn bodies(&mut self, atom: u32) -> Vec<u32> {
        let mut bodies = Vec::new();
        let mut body = Vec::new();
        for &rule in self.rules.get(atom) {
            let literals = self.ground.rules.body(rule as usize);
            // What a fact itself is a condition of cannot be what makes it hold.
            if literals.contains(&(2 * atom)) {
                continue;
            }
            body.clear();
            body.extend(
                literals.iter().map(|&literal| self.wires[literal as usize / 2].0 ^ (literal & 1)),
            );
            bodies.push(self.gates.and(&mut body).0);
        }
        bodies
    }

    fn recursive_facts(&mut self, atoms: &[u32]) {
        if let [atom] = *atoms {
            // It depends on nothing but itself.
            return self.fact(atom);
        }
        let first = RESERVED + self.reserved.len() as u32;
        for (number, &atom) in atoms.iter().enumerate() {
            self.wires[atom as usize] = !Wire::of(first + number as u32);
        }
        for &atom in atoms {
            let bodies = self.bodies(atom);
            self.reserved.push(bodies.into_iter().map(|body| body ^ 1));
        }
    }

    fn outputs(&self, names: &Names) -> Vec<Wire> {
        let words = &self.ground.game.program.vocabulary;
        let roles = &self.ground.game.roles;
        let wire = |relation, args: &[TermId]| {
            self.ground.find(relation, args).map_or(Wire::FALSE, |atom| self.wires[atom as usize])
        };
        let fluents = &names.fluents;
        let mut outputs: Vec<Wire> =
            fluents.iter().map(|&fluent| wire(words.next, &[fluent])).collect();
        outputs.extend(fluents.iter().map(|&fluent| match self.ground.game.program.frame {
            Frame::Original => Wire::TRUE,
            Frame::Translated => wire(words.fnext, &[fluent]),
        }));
        for (&role, moves) in roles.iter().zip(&names.moves) {
            outputs.extend(moves.iter().map(|&action| wire(words.legal, &[role, action])));
        }
        outputs.push(wire(words.terminal, &[]));
        for (&role, values) in roles.iter().zip(&names.goals) {
            outputs.extend(values.iter().map(|&value| wire(words.goal, &[role, value])));
        }
        outputs
    }

    /// Gives the reserved gates their numbers, behind all others.
    fn close(mut self, names: Names, outputs: Vec<Wire>) -> Draft {
        let first = self.gates.len() as u32;
        let count = self.reserved.len() as u32;
        let settled = |wire: u32| match (wire / 2).checked_sub(RESERVED) {
            Some(number) => 2 * (self.gates.first() + first + number) + wire % 2,
            None => wire,
        };
        let outputs: Vec<Wire> = outputs.iter().map(|wire| Wire(settled(wire.0))).collect();
        if count > 0 {
            let mut gates = Gates::new(self.gates.first());
            let mut wires = Vec::new();
            for gate in self.gates.all() {
                wires.clear();
                wires.extend(self.gates.get(gate).iter().map(|&wire| settled(wire)));
                gates.push(&wires);
            }
            for gate in 0..count {
                wires.clear();
                wires.extend(self.reserved.get(gate).iter().map(|&wire| settled(wire)));
                wires.sort_unstable();
                wires.dedup();
                gates.push(&wires);
            }
            self.gates = gates;
        }
        let recursive = (first..first + count).collect();
        Draft { names, gates: self.gates, recursive, outputs }
    }
}
