//! How far conditions that several gates have in common are made gates of their own.
//!
//! That saves wires, and who computes every gate has less to do. But a gate that many moves change
//! is work for those who follow changes, where wires that lie side by side cost next to nothing.

use super::Pass;
use super::build::Draft;
use super::factor::factor;
use super::order::order;
use super::share::share;

/// From how many users on a condition becomes a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Parts of a disjunction.
    pub(crate) factored: u32,
    /// Conjunctions.
    pub(crate) shared: u32,
}

impl Shape {
    /// As few wires as can be.
    pub(crate) const SMALLEST: Shape = Shape { factored: 2, shared: 2 };
}

impl Draft {
    /// Makes the gates, and notes the sizes.
    pub(super) fn shape(&mut self, shape: &Shape, passes: &mut Vec<Pass>) {
        let Shape { factored, shared } = *shape;
        factor(self, factored);
        passes.push(Pass::over("common conditions taken out of disjunctions", self));
        share(self, shared);
        passes.push(Pass::over("common conditions shared", self));
        order(self);
        passes.push(Pass::over("sorted", self));
    }
}

impl Pass {
    /// What a pass has made of a draft.
    pub(super) fn over(name: &'static str, draft: &Draft) -> Pass {
        Pass { name, gates: draft.gates.len(), wires: draft.gates.wires() }
    }
}
