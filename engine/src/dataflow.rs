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
    pub(crate) touched: u64,
}

impl Report {
    fn add(&mut self, other: Report) {
        self.changes.extend(other.changes);
        self.touched += other.touched;
    }
}
