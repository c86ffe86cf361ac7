//! The dataflow: a plan kept up to date by differences, on differential dataflow and timely.
//!
//! Input: changes of the rows of `true`, `does`, the worlds and the branches; output: a [`Report`]
//! of what became true or false. Entry points: [`Worlds`], many positions at once, and
//! [`Dataflow`], one position behind the contract of all reasoners. What always holds:
//! - a world lives on one worker, so that rows are never exchanged;
//! - a row of an input is there once or not at all;
//! - when a report is given, all that follows from the changes is in it.

mod flow;
mod position;
mod reasoner;
mod recursion;
mod render;
mod stage;
mod workers;
mod worlds;

use gdl_front::program::RelationId;

use crate::row::Row;

pub(crate) use position::Difference;
pub use position::StateChange;
pub use reasoner::Dataflow;
pub use worlds::{World, Worlds};

/// Epochs: one for each set of changes.
type Time = u64;
/// A key and a value.
type Pair = (Row, Row);
/// A row that comes or goes.
pub(crate) type Change = (Row, isize);

/// What one epoch gave.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Facts of visible relations that became true (1) or false (−1).
    pub(crate) changes: Vec<Change>,
    /// How many rows operators have looked at.
    pub(crate) touched: Touched,
}

impl Report {
    fn add(&mut self, other: Report) {
        self.changes.extend(other.changes);
        self.touched.add(&other.touched);
    }
}

/// How many rows operators have looked at, by the relation that the rows are about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched(Vec<u64>);

impl Touched {
    fn count(&mut self, relation: RelationId) {
        if self.0.len() <= relation.index() {
            self.0.resize(relation.index() + 1, 0);
        }
        self.0[relation.index()] += 1;
    }

    fn add(&mut self, other: &Touched) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0.iter_mut().zip(&other.0).for_each(|(sum, more)| *sum += more);
    }

    fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    fn of(&self, relation: RelationId) -> u64 {
        self.0.get(relation.index()).copied().unwrap_or(0)
    }
}
