//! Conditions that many legal moves share, such as whose turn it is.
//!
//! When the turn changes, every move of two roles changes between legal and not. A network that
//! looks at the turn only when it is asked for the legal moves is spared all of that.

use gdl_front::hash::HashMap;

use super::build::Draft;
use super::order::order;
use super::{Circuit, Shape, Wire};

/// Fewer moves than this are not worth a guard.
const FEWEST_MOVES: usize = 4;
/// Each guard is looked at whenever the legal moves are.
const MOST_GUARDS: usize = 4;

/// Moves of a role that can only be legal while a fluent holds, or while it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Whose moves.
    pub role: usize,
    /// The fluent, as a wire.
    pub wire: Wire,
    /// The moves, by number.
    pub moves: Vec<u32>,
}

impl Circuit {
    /// The circuit without the conditions that many legal moves share, in some shape, and these: a
    /// guarded move is legal if its wire and that of its guard hold.
    pub(crate) fn guarded(&self, shape: &Shape) -> (Circuit, Vec<Guard>) {
        let mut draft = Draft::of(self);
        let guards: Vec<Guard> = (0..self.moves.len()).flat_map(|role| self.guards(role)).collect();
        let mut first_output = vec![2 * self.fluents.len()];
        for moves in &self.moves {
            first_output.push(first_output[first_output.len() - 1] + moves.len());
        }
        for guard in &guards {
            for &action in &guard.moves {
                let output = &mut draft.outputs[first_output[guard.role] + action as usize];
                let conditions = self.conditions(*output).into_iter();
                let mut left: Vec<u32> =
                    conditions.filter(|&wire| wire != guard.wire).map(|wire| wire.0).collect();
                *output = draft.gates.and(&mut left);
            }
        }
        order(&mut draft);
        let mut passes = self.passes.clone();
        draft.shape(shape, &mut passes);
        (draft.finish(passes), guards)
    }

    /// The guards of a role, the one of most moves first.
    fn guards(&self, role: usize) -> Vec<Guard> {
        let is_fluent = |wire: &Wire| (1..=self.fluents.len() as u32).contains(&wire.node());
        let legal = (0..).zip(&self.legal[role]);
        let legal = legal.filter(|(_, wire)| wire.node() >= self.first_gate());
        // The moves without a guard so far, each with the fluents that it depends on.
        let mut left: Vec<(u32, Vec<Wire>)> =
            legal.map(|(action, &wire)| (action, self.conditions(wire))).collect();
        left.iter_mut().for_each(|(_, conditions)| conditions.retain(is_fluent));
        let mut guards = Vec::new();
        while guards.len() < MOST_GUARDS {
            let mut counts: HashMap<Wire, usize> = HashMap::default();
            let wires = left.iter().flat_map(|(_, conditions)| conditions);
            wires.for_each(|&wire| *counts.entry(wire).or_default() += 1);
            let most =
                counts.into_iter().max_by_key(|&(wire, count)| (count, std::cmp::Reverse(wire)));
            let Some((wire, _)) = most.filter(|&(_, count)| count >= FEWEST_MOVES) else { break };
            let (with, without): (Vec<_>, Vec<_>) =
                left.into_iter().partition(|(_, conditions)| conditions.contains(&wire));
            let moves = with.into_iter().map(|(action, _)| action).collect();
            guards.push(Guard { role, wire, moves });
            left = without;
        }
        guards
    }

    /// The wires whose conjunction a wire is, those of gates that it reads as they are included.
    fn conditions(&self, wire: Wire) -> Vec<Wire> {
        let mut conditions = Vec::new();
        let mut open = vec![wire];
        while let Some(wire) = open.pop() {
            // Gates of a cycle may read later ones: these stay as they are, so that this ends.
            let expands = !wire.is_negated()
                && wire.node() >= self.first_gate()
                && self.gate(wire.node()).all(|read| read.node() < wire.node());
            if expands {
                open.extend(self.gate(wire.node()));
            } else {
                conditions.push(wire);
            }
        }
        conditions
    }
}
