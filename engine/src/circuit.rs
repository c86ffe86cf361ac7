//! A game as a logic circuit: gates over the fluents of a state and the moves done in it.
//!
//! Input: a [`Ground`]. Output: a [`Circuit`]. Entry point: [`Circuit::new`].
//! What always holds:
//! - nodes are numbered: 0 is the constant true, then come the fluents, then the moves of each role
//!   in turn, then the gates;
//! - a gate is the conjunction of its wires; a [`Wire`] is a node, perhaps negated; a disjunction is
//!   a negated gate over negated wires;
//! - gates come behind all that they read, except within a [`Cycle`], whose gates follow each other
//!   and mean the least fixpoint;
//! - the gates that only the goals need come last, from [`Circuit::goal_gates`] on;
//! - the next state is `(state without ends) with next`; in a program whose frame rules are not
//!   translated everything ends.

mod build;
mod cost;
mod cycle;
mod factor;
mod fix;
mod gates;
mod guard;
mod merge;
mod names;
mod order;
mod print;
mod shape;
mod share;

use std::ops::{Not, Range};
use std::sync::Arc;

use crate::game::Game;
use crate::ground::Ground;
use crate::lists::Lists;
use crate::terms::TermId;
use build::Draft;
pub use guard::Guard;
pub use print::print_circuit;
pub(crate) use shape::Shape;

/// A node, perhaps negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wire(u32);

impl Wire {
    /// Always true.
    pub const TRUE: Wire = Wire(0);
    /// Always false.
    pub const FALSE: Wire = Wire(1);

    /// The wire of a node.
    pub fn of(node: u32) -> Wire {
        Wire(2 * node)
    }

    /// The wire of a number; see [`Wire::number`].
    pub(crate) fn numbered(number: u32) -> Wire {
        Wire(number)
    }

    /// Twice its node, and one more if it is negated.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// The node that it reads.
    pub fn node(self) -> u32 {
        self.0 / 2
    }

    /// Whether it says the opposite of its node.
    pub fn is_negated(self) -> bool {
        self.0 % 2 == 1
    }

    /// Its value, given those of all nodes.
    pub fn value(self, values: &[bool]) -> bool {
        values[self.node() as usize] != self.is_negated()
    }
}

impl Not for Wire {
    type Output = Wire;

    fn not(self) -> Wire {
        Wire(self.0 ^ 1)
    }
}

impl std::fmt::Debug for Wire {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.is_negated() { "!" } else { "" }, self.node())
    }
}

/// A game as gates.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// The game.
    pub game: Arc<Game>,
    /// The fluents; the n-th is node `1 + n`.
    pub fluents: Vec<TermId>,
    /// Which fluents hold in the initial state.
    pub initial: Vec<u32>,
    /// The moves of each role; see [`Circuit::move_node`].
    pub moves: Vec<Vec<TermId>>,
    /// For each fluent, whether it holds next because of the state and the moves.
    pub next: Vec<Wire>,
    /// For each fluent, whether it does not just stay.
    pub ends: Vec<Wire>,
    /// For each role and move, whether it is legal.
    pub legal: Vec<Vec<Wire>>,
    /// Whether the match is over.
    pub terminal: Wire,
    /// For each role the goal values, and whether they hold.
    pub goals: Vec<Vec<(TermId, Wire)>>,
    /// Recursion that is left between gates.
    pub cycles: Vec<Cycle>,
    /// The size before and after each pass.
    pub passes: Vec<Pass>,
    /// The first node of each role's moves, and behind them the first gate.
    first_nodes: Vec<u32>,
    first_goal_gate: u32,
    gates: Lists,
}

/// Gates that read each other. Their meaning is the least fixpoint of the rules they come from:
/// put each at its start, then compute until nothing changes. Each gate changes at most once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The gates.
    pub nodes: Range<u32>,
    /// For each of them, where it starts: false for a conjunction, true for one that stands for a
    /// negated disjunction.
    pub starts: Vec<bool>,
}

/// The size of a circuit after a pass over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// What was done.
    pub name: &'static str,
    /// How many gates are left.
    pub gates: usize,
    /// How many wires they read together.
    pub wires: usize,
}

impl Circuit {
    /// Compiles an instantiated game.
    pub fn new(ground: &Ground) -> Circuit {
        let (mut draft, mut passes) = build::build(ground);
        let mut pass = |name, draft: &mut Draft, run: fn(&mut Draft)| {
            run(draft);
            passes.push(Pass::over(name, draft));
        };
        pass("unused gates removed", &mut draft, order::order);
        pass("gates with one reader merged into it", &mut draft, merge::merge);
        draft.finish(passes)
    }

    /// The same with as few gates and wires as can be, for those who compute all of them.
    pub fn smallest(&self) -> Circuit {
        let mut draft = Draft::of(self);
        let mut passes = self.passes.clone();
        draft.shape(&Shape::SMALLEST, &mut passes);
        draft.finish(passes)
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.first_gate() as usize + self.gates.len()
    }

    /// The node of a fluent.
    pub fn fluent_node(&self, fluent: u32) -> u32 {
        1 + fluent
    }

    /// The node that says that a role does a move.
    pub fn move_node(&self, role: usize, action: u32) -> u32 {
        self.first_nodes[role] + action
    }

    /// The first gate; all nodes below are inputs.
    pub fn first_gate(&self) -> u32 {
        self.first_nodes[self.moves.len()]
    }

    /// All gates that the next state, the legal moves and the end depend on.
    pub fn play_gates(&self) -> Range<u32> {
        self.first_gate()..self.first_goal_gate
    }

    /// The gates that only the goals depend on; they may read all others.
    pub fn goal_gates(&self) -> Range<u32> {
        self.first_goal_gate..self.nodes() as u32
    }

    /// How many wires the gates read.
    pub fn wires(&self) -> usize {
        self.gates.items()
    }

    /// The wires of a gate.
    pub fn gate(&self, node: u32) -> impl ExactSizeIterator<Item = Wire> + Clone + '_ {
        self.gates.get(node - self.first_gate()).iter().map(|&wire| Wire(wire))
    }

    /// The same as numbers.
    pub(crate) fn wires_of(&self, node: u32) -> &[u32] {
        self.gates.get(node - self.first_gate())
    }

    /// Computes a range of gates from the values of all that they read; cycles in it must be whole.
    pub fn evaluate(&self, nodes: Range<u32>, values: &mut [bool]) {
        let mut node = nodes.start;
        let mut cycle = self.cycles.partition_point(|cycle| cycle.nodes.start < node);
        while node < nodes.end {
            match self.cycles.get(cycle) {
                Some(found) if found.nodes.start == node => {
                    self.evaluate_cycle(found, values);
                    node = found.nodes.end;
                    cycle += 1;
                }
                _ => {
                    values[node as usize] = self.gate(node).all(|wire| wire.value(values));
                    node += 1;
                }
            }
        }
    }

    fn evaluate_cycle(&self, cycle: &Cycle, values: &mut [bool]) {
        let range = cycle.nodes.start as usize..cycle.nodes.end as usize;
        values[range].copy_from_slice(&cycle.starts);
        let mut changed = true;
        while changed {
            changed = false;
            for node in cycle.nodes.clone() {
                let value = self.gate(node).all(|wire| wire.value(values));
                changed |= std::mem::replace(&mut values[node as usize], value) != value;
            }
        }
    }
}

#[cfg(test)]
mod tests;
