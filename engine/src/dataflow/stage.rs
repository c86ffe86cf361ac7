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

/// What a stage gives, as far as anything waits for it.
pub(super) struct Outputs<'scope> {
    pub(super) lefts: Option<Pairs<'scope>>,
    pub(super) rights: Option<Pairs<'scope>>,
    /// The visible facts, for arrangements that later dataflows import.
    pub(super) facts: Option<Pairs<'scope>>,
    /// What goes on to the next level.
    pub(super) onward: Option<Rows<'scope>>,
    /// What the recursive components of this level start from.
    pub(super) seeds: Option<Rows<'scope>>,
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
    let mut ports = 0;
    let mut add = |wanted| outlet(&mut builder, &mut ports, wanted);
    let wanted = [plan.joins_from(level), plan.indexes_at(level), plan.shares_at(level)];
    let (mut pairs, pair_streams) = unzip(wanted.map(&mut add));
    let mut add = |wanted| outlet(&mut builder, &mut ports, wanted);
    let (mut rows, row_streams) = unzip([true, plan.recurs_at(level)].map(&mut add));
    let mut logic = Logic::new(plan.clone(), level, report.clone());
    builder.build(move |_| {
        let mut waiting: BTreeMap<Time, Arrived> = BTreeMap::new();
        move |frontiers| {
            for input in &mut inputs {
                input.for_each(|capability, data| {
                    let (_, rows) = waiting.entry(*capability.time()).or_insert_with(|| {
                        ((0..ports).map(|port| capability.retain(port)).collect(), Vec::new())
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
                send(&mut pairs, batch.pairs, time, &capabilities);
                send(&mut rows, batch.rows, time, &capabilities);
            }
        }
    });
    let [lefts, rights, facts] = pair_streams;
    let [onward, seeds] = row_streams;
    Outputs { lefts, rights, facts, onward, seeds }
}

/// What is sent: things, when, and how often.
type Updates<D> = Vec<(D, Time, isize)>;

/// An output with its number.
struct Outlet<D: Clone + 'static> {
    output: OutputBuilder<Time, CapacityContainerBuilder<Updates<D>>>,
    port: usize,
}

/// An outlet and its stream.
type Opened<'scope, D> = (Outlet<D>, StreamVec<'scope, Time, (D, Time, isize)>);

fn outlet<'scope, D: Clone + 'static>(
    builder: &mut OperatorBuilder<'scope, Time>,
    ports: &mut usize,
    wanted: bool,
) -> Option<Opened<'scope, D>> {
    wanted.then(|| {
        let (output, stream) = builder.new_output();
        *ports += 1;
        (Outlet { output: OutputBuilder::from(output), port: *ports - 1 }, stream)
    })
}

#[expect(clippy::type_complexity, reason = "one list of pairs as a pair of lists")]
fn unzip<'scope, D: Clone + 'static, const N: usize>(
    opened: [Option<Opened<'scope, D>>; N],
) -> ([Option<Outlet<D>>; N], [Option<StreamVec<'scope, Time, (D, Time, isize)>>; N]) {
    let mut streams = [const { None }; N];
    let mut opened = opened.into_iter().zip(&mut streams);
    let outlets = std::array::from_fn(|_| {
        let (opened, place) = opened.next()?;
        let (outlet, stream) = opened?;
        *place = Some(stream);
        Some(outlet)
    });
    drop(opened);
    (outlets, streams)
}

/// Sends what one time gives to each output that is there.
fn send<D: Clone + 'static, const N: usize>(
    outlets: &mut [Option<Outlet<D>>; N],
    data: [Vec<(D, isize)>; N],
    time: Time,
    capabilities: &[Capability<Time>],
) {
    for (outlet, data) in outlets.iter_mut().zip(data) {
        if let Some(Outlet { output, port }) = outlet.as_mut().filter(|_| !data.is_empty()) {
            let data = data.into_iter().map(|(item, count)| (item, time, count));
            output.activate().session(&capabilities[*port]).give_iterator(data);
        }
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
        self.report.borrow_mut().overflowed |= self.kernel.refill();
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
