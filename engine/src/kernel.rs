//! The kernel: runs the parts of rules that wait for nothing, row by row.
//!
//! Input: a fact, or a row with the code of a continuation; output: what follows from it at once,
//! as [`Emit`]s. The dataflow decides what meets what; the kernel never looks at other rows.

use std::sync::Arc;

use crate::plan::{Plan, Step, Then, Uses, match_columns};
use crate::row::Row;

/// What follows from a row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Emit {
    /// A rule so far, by the key of the index that it meets next.
    Left(Row, Row),
    /// An entry of an index.
    Right(Row, Row),
    /// A fact or a row of a continuation.
    Row(Row),
}

/// Runs the plan.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    plan: Arc<Plan>,
    registers: Vec<u32>,
    /// Where keys of lookups and columns of facts are put together.
    scratch: Vec<u32>,
}

/// Takes what follows, and how often a row counts.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(Emit, isize);

impl Kernel {
    pub(crate) fn new(plan: Arc<Plan>) -> Kernel {
        // An index numbers its columns from 0, so a few more registers than rules need.
        let widest = plan.indexes.iter().map(|index| index.columns.len() + 64).max();
        let registers = vec![0; plan.registers.max(widest.unwrap_or(0))];
        Kernel { plan, registers, scratch: Vec::new() }
    }

    /// Runs a row with the code of a continuation.
    pub(crate) fn resume(&mut self, row: &Row, continuation: usize, sink: Sink<'_>) {
        let plan = self.plan.clone();
        for (&register, &value) in plan.continuations[continuation].load.iter().zip(&row[1..]) {
            self.registers[register] = value;
        }
        self.run(&plan, continuation, 0, sink);
    }

    /// Brings a fact to all that uses it.
    pub(crate) fn use_fact(&mut self, fact: &Row, uses: &Uses, sink: Sink<'_>) {
        let plan = self.plan.clone();
        for &number in &uses.indexes {
            let index = &plan.indexes[number];
            if self.matches(&plan, &index.columns, fact) {
                let key = self.row(number as u32, &index.key);
                let rest = self.values(&index.rest);
                sink(Emit::Right(key, rest), if index.negative { -1 } else { 1 });
            }
        }
        for start in &uses.starts {
            if self.matches(&plan, &start.columns, fact) {
                self.run(&plan, start.continuation, 0, sink);
            }
        }
    }

    fn matches(&mut self, plan: &Plan, columns: &[crate::plan::Pattern], fact: &Row) -> bool {
        match_columns(columns, &fact[1..], &mut self.registers, &plan.game.terms)
    }

    fn run(&mut self, plan: &Plan, continuation: usize, step: usize, sink: Sink<'_>) {
        let part = &plan.continuations[continuation];
        match part.steps.get(step) {
            None => self.then(plan, &part.then, sink),
            Some(Step::Distinct(a, b)) => {
                let terms = &plan.game.terms;
                if a.build(&self.registers, terms) != b.build(&self.registers, terms) {
                    self.run(plan, continuation, step + 1, sink);
                }
            }
            Some(Step::Absent { index, key }) => {
                if self.look_up(plan, *index, key).is_empty() {
                    self.run(plan, continuation, step + 1, sink);
                }
            }
            Some(Step::Lookup { index, key, bind }) => {
                for entry in self.look_up(plan, *index, key) {
                    for (&register, &value) in bind.iter().zip(entry.iter()) {
                        self.registers[register] = value;
                    }
                    self.run(plan, continuation, step + 1, sink);
                }
            }
        }
    }

    fn look_up<'p>(&mut self, plan: &'p Plan, index: usize, key: &[usize]) -> &'p [Row] {
        self.scratch.clear();
        self.scratch.extend(key.iter().map(|&register| self.registers[register]));
        plan.statics.indexes[index].get(&self.scratch)
    }

    fn then(&mut self, plan: &Plan, then: &Then, sink: Sink<'_>) {
        match then {
            Then::Fact { relation, columns } => {
                self.scratch.clear();
                self.scratch.push(relation.0);
                for column in columns {
                    self.scratch.push(column.build(&self.registers, &plan.game.terms));
                }
                sink(Emit::Row(Row::from(&*self.scratch)), 1);
            }
            Then::Join { index, key, keep, next } => {
                let key = self.row(*index as u32, key);
                sink(Emit::Left(key, self.row(*next, keep)), 1);
            }
            Then::Unless { index, key, keep, next } => {
                let key = self.row(*index as u32, key);
                let kept = self.row(*next, keep);
                sink(Emit::Row(joined(&key, &kept, &[])), 1);
                sink(Emit::Left(key, kept), 1);
            }
        }
    }

    fn row(&mut self, first: u32, registers: &[usize]) -> Row {
        self.scratch.clear();
        self.scratch.push(first);
        self.scratch.extend(registers.iter().map(|&register| self.registers[register]));
        Row::from(&*self.scratch)
    }

    fn values(&mut self, registers: &[usize]) -> Row {
        self.scratch.clear();
        self.scratch.extend(registers.iter().map(|&register| self.registers[register]));
        Row::from(&*self.scratch)
    }
}

/// The row of the continuation behind a join: its code, the key, what was kept, what the index gave.
pub(crate) fn joined(key: &[u32], kept: &[u32], given: &[u32]) -> Row {
    Row::joined(&[&kept[..1], &key[1..], &kept[1..], given])
}
