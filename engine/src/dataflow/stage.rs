//! A stage: the one operator of a level that is not an arrangement or a join.
//!
//! Input: rows from lower levels. When all rows of a time are there, they are consolidated, counted
//! where facts can be derived in several ways, and run through the [`Kernel`]; relations of the same
//! level are taken in the order of their dependence. Output: rows for the arrangements and for
//! higher levels, and reports of what became true or false.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use differential_dataflow::consolidation::consolidate;
use gdl_front::hash::HashMap;
use gdl_front::program::RelationId;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Pipeline;
use timely::dataflow::operators::Capability;
use timely::dataflow::operators::generic::OutputBuilder;
use timely::dataflow::operators::generic::builder_rc::OperatorBuilder;
use timely::dataflow::{Scope, StreamVec};

use super::{Change, Pair, Report, Time};
use crate::kernel::{Emit, Kernel};
use crate::plan::Plan;
use crate::row::Row;

/// Rows on their way.
pub(super) type Rows<'scope> = StreamVec<'scope, Time, (Row, Time, isize)>;
/// Rows for an arrangement.
pub(super) type Pairs<'scope> = StreamVec<'scope, Time, (Pair, Time, isize)>;

/// What a stage gives.
pub(super) struct Outputs<'scope> {
    pub(super) lefts: Pairs<'scope>,
    pub(super) rights: Pairs<'scope>,
    /// What goes on to the next level.
    pub(super) onward: Rows<'scope>,
    /// What the recursive components of this level start from.
    pub(super) seeds: Rows<'scope>,
    /// The visible facts, for arrangements that later dataflows import.
    pub(super) facts: Pairs<'scope>,
}

/// The rows of one time, with the right to send at it on each output.
type Arrived = (Vec<Capability<Time>>, Vec<Change>);

/// Builds the stage of a level.
pub(super) fn stage<'scope>(
    scope: Scope<'scope, Time>,
    plan: &Arc<Plan>,
    level: usize,
    inputs: Vec<Rows<'scope>>,
    report: &Rc<RefCell<Report>>,
) -> Outputs<'scope> {
    let mut builder = OperatorBuilder::new(format!("Stage {level}"), scope);
    let mut inputs: Vec<_> =
        inputs.into_iter().map(|stream| builder.new_input(stream, Pipeline)).collect();
    let (lefts, left_stream) = builder.new_output::<Vec<(Pair, Time, isize)>>();
    let (rights, right_stream) = builder.new_output::<Vec<(Pair, Time, isize)>>();
    let (onward, onward_stream) = builder.new_output::<Vec<(Row, Time, isize)>>();
    let (seeds, seed_stream) = builder.new_output::<Vec<(Row, Time, isize)>>();
    let (facts, fact_stream) = builder.new_output::<Vec<(Pair, Time, isize)>>();
    let mut pairs =
        [lefts, rights, facts].map(OutputBuilder::<Time, CapacityContainerBuilder<_>>::from);
    let mut rows = [onward, seeds].map(OutputBuilder::<Time, CapacityContainerBuilder<_>>::from);
    let mut logic = Logic::new(plan.clone(), level, report.clone());
    builder.build(move |_| {
        let mut waiting: BTreeMap<Time, Arrived> = BTreeMap::new();
        move |frontiers| {
            for input in &mut inputs {
                input.for_each(|capability, data| {
                    let (_, rows) = waiting.entry(*capability.time()).or_insert_with(|| {
                        ((0..5).map(|port| capability.retain(port)).collect(), Vec::new())
                    });
                    rows.extend(data.drain(..).map(|(row, _, count)| (row, count)));
                });
            }
            while let Some(entry) = waiting.first_entry() {
                let time = *entry.key();
                if frontiers.iter().any(|frontier| frontier.less_equal(&time)) {
                    break;
                }
                let (capabilities, arrived) = entry.remove();
                let batch = logic.run(arrived);
                for ((output, port), data) in pairs.iter_mut().zip([0, 1, 4]).zip(batch.pairs) {
                    let data = data.into_iter().map(|(pair, count)| (pair, time, count));
                    output.activate().session(&capabilities[port]).give_iterator(data);
                }
                for ((output, port), data) in rows.iter_mut().zip([2, 3]).zip(batch.rows) {
                    let data = data.into_iter().map(|(row, count)| (row, time, count));
                    output.activate().session(&capabilities[port]).give_iterator(data);
                }
            }
        }
    });
    Outputs {
        lefts: left_stream,
        rights: right_stream,
        onward: onward_stream,
        seeds: seed_stream,
        facts: fact_stream,
    }
}

/// What one time gives.
#[derive(Default)]
struct Batch {
    /// Lefts, rights and facts.
    pairs: [Vec<(Pair, isize)>; 3],
    /// Onward and seeds.
    rows: [Vec<Change>; 2],
    /// The facts of this level that are still to be run, by the order of their relations.
    facts: BTreeMap<usize, Vec<Change>>,
}

/// The state of a stage: how often each counted fact is derived.
struct Logic {
    plan: Arc<Plan>,
    kernel: Kernel,
    level: usize,
    counts: HashMap<Row, isize>,
    report: Rc<RefCell<Report>>,
}

impl Logic {
    fn new(plan: Arc<Plan>, level: usize, report: Rc<RefCell<Report>>) -> Logic {
        let kernel = Kernel::new(plan.clone());
        Logic { plan, kernel, level, counts: HashMap::default(), report }
    }

    fn run(&mut self, mut rows: Vec<Change>) -> Batch {
        let mut batch = Batch::default();
        let Logic { plan, kernel, level, report, .. } = self;
        consolidate(&mut rows);
        for (row, count) in rows {
            match plan.decode(row[0]) {
                Ok(continuation) if plan.continuations[continuation].level == *level => {
                    report.borrow_mut().touched.count(plan.subject(row[0]));
                    let sink = &mut |emit, times| batch.take(emit, count * times, plan, *level);
                    kernel.resume(&row, continuation, sink);
                }
                _ => batch.take(Emit::Row(row), count, plan, *level),
            }
        }
        while let Some((_, mut facts)) = batch.facts.pop_first() {
            consolidate(&mut facts);
            for (fact, count) in facts {
                self.use_fact(fact, count, &mut batch);
            }
        }
        self.count_pairs(&batch);
        batch
    }

    /// Counts what goes to the arrangements: rules so far, and entries of indexes.
    fn count_pairs(&self, batch: &Batch) {
        let touched = &mut self.report.borrow_mut().touched;
        for ((_, kept), _) in &batch.pairs[0] {
            touched.count(self.plan.subject(kept[0]));
        }
        for ((key, _), _) in &batch.pairs[1] {
            touched.count(self.plan.indexes[key[0] as usize].relation);
        }
    }

    fn use_fact(&mut self, fact: Row, count: isize, batch: &mut Batch) {
        let Logic { plan, kernel, level, .. } = self;
        self.report.borrow_mut().touched.count(RelationId(fact[0]));
        let relation = plan.relation(RelationId(fact[0]));
        let count = if relation.counted { changed(&mut self.counts, &fact, count) } else { count };
        if count == 0 {
            return;
        }
        let sink = &mut |emit, times| batch.take(emit, count * times, plan, *level);
        kernel.use_fact(&fact, &relation.uses, sink);
        if relation.shared {
            batch.pairs[2].push(((Row::from(&fact[..2]), Row::from(&fact[2..])), count));
        }
        if relation.visible {
            self.report.borrow_mut().changes.push((fact, count));
        }
    }
}

/// How a fact changes: 1 if it becomes true, −1 if false, else 0.
fn changed(counts: &mut HashMap<Row, isize>, fact: &Row, count: isize) -> isize {
    let before = counts.get(fact).copied().unwrap_or(0);
    let after = before + count;
    if after == 0 {
        counts.remove(fact);
    } else {
        counts.insert(fact.clone(), after);
    }
    isize::from(after > 0) - isize::from(before > 0)
}

impl Batch {
    /// Puts what follows where it belongs.
    fn take(&mut self, emit: Emit, count: isize, plan: &Plan, level: usize) {
        let row = match emit {
            Emit::Left(key, value) => return self.pairs[0].push(((key, value), count)),
            Emit::Right(key, value) => return self.pairs[1].push(((key, value), count)),
            Emit::Row(row) => row,
        };
        let Err(relation) = plan.decode(row[0]) else {
            return self.rows[0].push((row, count));
        };
        let relation = plan.relation(relation);
        if relation.level == level {
            self.facts.entry(relation.rank).or_default().push((row, count));
        } else if relation.recursion.is_some() && relation.level == level + 1 {
            self.rows[1].push((row, count));
        } else {
            self.rows[0].push((row, count));
        }
    }
}
