//! The plan: a program arranged for evaluation by differences.
//!
//! Input: a [`Game`]; entry point: [`Plan::new`]. What always holds of a plan:
//! - static relations are evaluated and indexed; their literals are lookups inside other steps;
//! - every other fact is a [`Row`](crate::row::Row): code, world, for move-dependent relations a
//!   branch (one of several joint moves tried in the world), then the arguments;
//! - rules are chains of continuations; between two of them lies one join with an [`Index`];
//! - everything has a level, and what runs at a level needs only what lower levels give. Facts and
//!   continuations run at their level; a join of levels a and b continues at max(a, b) + 1.
//! - recursive components are [`Loop`]s, evaluated between two levels.

mod build;
mod chain;
mod order;
mod pattern;
mod print;
mod statics;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gdl_front::program::{Class, RelationId};

use crate::game::Game;
pub(crate) use pattern::{Builder, Pattern, match_columns};
pub(crate) use statics::Statics;

/// The register of the world.
pub(crate) const WORLD: usize = 0;
/// The register of the branch.
pub(crate) const BRANCH: usize = 1;
/// The register of the first variable.
pub(crate) const FIRST_VARIABLE: usize = 2;
/// The branch of facts that hold whatever the moves are.
pub(crate) const ANY_BRANCH: u32 = u32::MAX;

/// What rows start with: a relation if they are facts, else what continues with them.
pub(crate) type Code = u32;

/// A program arranged for evaluation by differences.
#[derive(Debug)]
pub struct Plan {
    pub(crate) game: Arc<Game>,
    pub(crate) statics: Statics,
    /// One entry a relation of the program, then the worlds and the branches that exist, then the
    /// answers of a query.
    pub(crate) relations: Vec<RelationPlan>,
    pub(crate) continuations: Vec<Continuation>,
    pub(crate) indexes: Vec<Index>,
    pub(crate) loops: Vec<Loop>,
    /// Which levels are joined: the rule so far, and the index it meets.
    pub(crate) joins: BTreeSet<(usize, usize)>,
    /// The level at which moves come in; levels below depend on states alone.
    pub(crate) move_level: usize,
    pub(crate) levels: usize,
    pub(crate) registers: usize,
    /// How each rule is evaluated, for printing.
    pub(crate) outlines: Vec<Outline>,
}

/// What becomes of a relation.
#[derive(Clone, Debug)]
pub(crate) struct RelationPlan {
    pub(crate) class: Class,
    pub(crate) level: usize,
    /// Its place in the order of dependence.
    pub(crate) rank: usize,
    /// Whether facts may be derived in several ways and have to be counted.
    pub(crate) counted: bool,
    /// Whether its changes are reported.
    pub(crate) visible: bool,
    /// Whether its facts are arranged for dataflows that come later.
    pub(crate) shared: bool,
    /// The recursive component it belongs to.
    pub(crate) recursion: Option<usize>,
    pub(crate) uses: Uses,
}

/// Where the facts of a relation go.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uses {
    pub(crate) starts: Vec<Start>,
    pub(crate) indexes: Vec<usize>,
}

/// A fact that matches the patterns sets off a rule.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub(crate) columns: Vec<Pattern>,
    /// Index into [`Plan::continuations`].
    pub(crate) continuation: usize,
}

/// The facts of a relation that match a pattern, by key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Index {
    pub(crate) relation: RelationId,
    pub(crate) columns: Vec<Pattern>,
    /// Registers of the patterns.
    pub(crate) key: Vec<usize>,
    /// The other registers that a rule needs.
    pub(crate) rest: Vec<usize>,
    /// Whether each row counts −1, so that a join takes rows away.
    pub(crate) negative: bool,
    /// Set if the index is inside the recursive component of its relation.
    pub(crate) inside: bool,
}

/// A part of a rule that runs without waiting for anything.
#[derive(Clone, Debug)]
pub(crate) struct Continuation {
    /// The relation of the rule.
    pub(crate) head: RelationId,
    pub(crate) level: usize,
    /// The registers that the row fills.
    pub(crate) load: Vec<usize>,
    pub(crate) steps: Vec<Step>,
    pub(crate) then: Then,
}

/// A test or a lookup.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Each entry of a static index under a key fills registers.
    Lookup { index: usize, key: Vec<usize>, bind: Vec<usize> },
    /// A static index has nothing under a key.
    Absent { index: usize, key: Vec<usize> },
    /// Two terms differ.
    Distinct(Builder, Builder),
}

/// How a part of a rule ends.
#[derive(Clone, Debug)]
pub(crate) enum Then {
    /// With a fact.
    Fact { relation: RelationId, columns: Vec<Builder> },
    /// With a join; `next` continues with key, what is kept, and what the index gives.
    Join { index: usize, key: Vec<usize>, keep: Vec<usize>, next: Code },
    /// With a negation: `next` continues unless the index has the key.
    Unless { index: usize, key: Vec<usize>, keep: Vec<usize>, next: Code },
}

/// A recursive component.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// Where it starts from; its facts are there one level higher.
    pub(crate) level: usize,
    pub(crate) relations: Vec<RelationId>,
    pub(crate) uses: BTreeMap<RelationId, Uses>,
    /// For each step of the longest rule, the outer levels that it is joined with.
    pub(crate) outer: Vec<BTreeSet<usize>>,
    /// For each step of the longest rule, whether it is joined with the component's own facts.
    pub(crate) inner: Vec<bool>,
}

/// How a rule is evaluated, in words.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    pub(crate) rule: String,
    pub(crate) steps: Vec<String>,
}

/// Which relations a dataflow reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visible {
    /// What a reasoner must answer: legal moves, goals, the end, the next state.
    Keywords,
    /// And every relation that depends on the state; all facts are kept for queries.
    All,
}

impl Plan {
    /// The pseudo relation of the worlds.
    pub(crate) fn worlds(&self) -> RelationId {
        RelationId(self.game.program.relations.len() as u32)
    }

    /// The pseudo relation of the branches.
    pub(crate) fn branches(&self) -> RelationId {
        RelationId(self.worlds().0 + 1)
    }

    /// The pseudo relation of the answers of a query.
    pub(crate) fn answers(&self) -> RelationId {
        RelationId(self.worlds().0 + 2)
    }

    pub(crate) fn relation(&self, id: RelationId) -> &RelationPlan {
        &self.relations[id.index()]
    }

    /// The code of a continuation.
    pub(crate) fn code(&self, continuation: usize) -> Code {
        (self.relations.len() + continuation) as Code
    }

    /// The relation that a row is about: its own if it is a fact, else that of its rule.
    pub(crate) fn subject(&self, code: Code) -> RelationId {
        match self.decode(code) {
            Ok(continuation) => self.continuations[continuation].head,
            Err(relation) => relation,
        }
    }

    /// The continuation behind a code, or the relation.
    pub(crate) fn decode(&self, code: Code) -> Result<usize, RelationId> {
        (code as usize).checked_sub(self.relations.len()).ok_or(RelationId(code))
    }
}
