//! What is known of one world, and how two states or two sets of facts differ.

use gdl_front::hash::HashMap;
use gdl_front::program::RelationId;

use super::Change;
use crate::row::Row;
use crate::terms::TermId;

/// What is known of a world.
#[derive(Clone, Debug, Default)]
pub(super) struct Position {
    /// Sorted.
    pub(super) state: Vec<TermId>,
    /// The arguments of the facts of each visible relation, sorted.
    pub(super) facts: HashMap<RelationId, Vec<Row>>,
}

impl Position {
    /// The arguments of the facts of a relation.
    pub(super) fn rows(&self, relation: RelationId) -> &[Row] {
        self.facts.get(&relation).map_or(&[], Vec::as_slice)
    }
}

/// Facts that became true or false.
pub(crate) type Difference = Vec<(RelationId, Row, bool)>;

/// How a state changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateChange {
    /// Fluents that hold no longer.
    pub gone: Vec<TermId>,
    /// Fluents that hold from now on.
    pub come: Vec<TermId>,
}

impl StateChange {
    /// What lies between two sorted states.
    pub(crate) fn between(before: &[TermId], after: &[TermId]) -> StateChange {
        let missing = |terms: &[TermId], others: &[TermId]| -> Vec<TermId> {
            let missing = terms.iter().filter(|term| others.binary_search(term).is_err());
            missing.copied().collect()
        };
        StateChange { gone: missing(before, after), come: missing(after, before) }
    }

    /// The state before this change, given the one after.
    pub fn undone(&self, after: &[TermId]) -> Vec<TermId> {
        let stays = |term: &&TermId| self.come.binary_search(term).is_err();
        sorted(after.iter().filter(stays).chain(&self.gone).copied().collect())
    }
}

/// Terms sorted, each once.
pub(super) fn sorted(mut terms: Vec<TermId>) -> Vec<TermId> {
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Merges sorted changes into sorted rows of arguments.
pub(super) fn merge(rows: &mut Vec<Row>, changes: &[Change]) {
    let before = std::mem::take(rows);
    rows.reserve(before.len() + changes.len());
    let mut old = before.into_iter().peekable();
    for (row, count) in changes {
        let args = &row[2..];
        while let Some(smaller) = old.next_if(|other| &other[..] < args) {
            rows.push(smaller);
        }
        old.next_if(|other| other[..] == *args);
        if *count > 0 {
            rows.push(Row::from(args));
        }
    }
    rows.extend(old);
}

/// Adds how sorted facts of a relation differ from others.
pub(super) fn compare(relation: RelationId, from: &[Row], to: &[Row], out: &mut Difference) {
    let missing = |row: &&Row, others: &[Row]| others.binary_search(row).is_err();
    out.extend(
        from.iter().filter(|row| missing(row, to)).map(|row| (relation, row.clone(), false)),
    );
    out.extend(to.iter().filter(|row| missing(row, from)).map(|row| (relation, row.clone(), true)));
}
