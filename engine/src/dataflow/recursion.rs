//! A recursive component as an iteration of differential dataflow.
//!
//! Input: the facts that its rules without recursion give, and the indexes of lower levels; output:
//! all its facts. Inside, each fact runs through the kernel; rules that join several times take as
//! many steps in each round.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use differential_dataflow::VecCollection;
use differential_dataflow::operators::arrange::arrangement::arrange_core;
use differential_dataflow::operators::iterate::VecVariable;
use differential_dataflow::trace::implementations::chunker::ContainerChunker;
use differential_dataflow::trace::implementations::{
    KeyBatcher, KeyBuilder, KeySpine, ValBatcher, ValBuilder, ValSpine,
};
use gdl_front::program::RelationId;
use timely::dataflow::Scope;
use timely::dataflow::channels::pact::Pipeline;
use timely::order::Product;

use super::render::RowArrangement;
use super::{Report, Time};
use crate::kernel::{Emit, Kernel, joined};
use crate::plan::{Loop, Plan};
use crate::row::Row;

/// A time inside an iteration.
type Inner = Product<Time, u64>;
type Collection<'scope, D> = VecCollection<'scope, Inner, D, isize>;

/// Renders a recursive component.
pub(super) fn render_loop<'scope>(
    scope: Scope<'scope, Time>,
    plan: &Arc<Plan>,
    recursion: &Loop,
    seeds: VecCollection<'scope, Time, Row, isize>,
    rights: &BTreeMap<usize, RowArrangement<'scope, Time>>,
    report: &Rc<RefCell<Report>>,
) -> VecCollection<'scope, Time, Row, isize> {
    let number = plan.loops.iter().position(|other| other.relations == recursion.relations);
    let relations = recursion.relations.clone();
    let seeds = seeds.filter(move |row| relations.contains(&RelationId(row[0])));
    scope.iterative::<u64, _, _>(|inner| {
        let (variable, facts) = VecVariable::new(inner, Product::new(Default::default(), 1));
        let mut emits = run(facts, plan, number.unwrap_or(0), report);
        let own = emits.clone().flat_map(|emit| match emit {
            Emit::Right(key, value) => Some((key, value)),
            _ => None,
        });
        let own = recursion.inner.contains(&true).then(|| arrange_pairs(own));
        let mut derived = vec![seeds.enter(inner)];
        for (outer, joins_own) in recursion.outer.iter().zip(&recursion.inner) {
            let lefts = arrange_pairs(emits.clone().flat_map(|emit| match emit {
                Emit::Left(key, value) => Some((key, value)),
                _ => None,
            }));
            let (facts, mut waiting) = split(emits, plan);
            derived.push(facts);
            for right in outer.iter().filter_map(|level| rights.get(level)) {
                let right = right.clone().enter(inner);
                waiting = waiting.concat(
                    lefts
                        .clone()
                        .join_core(right, |key, kept, given| Some(joined(key, kept, given))),
                );
            }
            if let Some(own) = own.as_ref().filter(|_| *joins_own) {
                waiting = waiting.concat(
                    lefts.join_core(own.clone(), |key, kept, given| Some(joined(key, kept, given))),
                );
            }
            emits = run(waiting, plan, number.unwrap_or(0), report);
        }
        derived.push(split(emits, plan).0);
        let all = distinct(differential_dataflow::collection::concatenate(inner, derived));
        variable.set(all.clone());
        all.leave(scope)
    })
}

/// Runs facts and waiting rows through the kernel.
fn run<'scope>(
    rows: Collection<'scope, Row>,
    plan: &Arc<Plan>,
    number: usize,
    report: &Rc<RefCell<Report>>,
) -> Collection<'scope, Emit> {
    let plan = plan.clone();
    let report = report.clone();
    let mut kernel = Kernel::new(plan.clone());
    rows.join_function(move |row| {
        report.borrow_mut().touched.count(plan.subject(row[0]));
        let mut out = Vec::new();
        let mut sink = |emit, times: isize| out.push((emit, Inner::default(), times));
        match plan.decode(row[0]) {
            Ok(continuation) => kernel.resume(&row, continuation, &mut sink),
            Err(relation) => {
                if let Some(uses) = plan.loops[number].uses.get(&relation) {
                    kernel.use_fact(&row, uses, &mut sink);
                }
            }
        }
        out
    })
}

/// Facts, and the rows that wait for the next step.
fn split<'scope>(
    emits: Collection<'scope, Emit>,
    plan: &Arc<Plan>,
) -> (Collection<'scope, Row>, Collection<'scope, Row>) {
    let rows = emits.flat_map(|emit| match emit {
        Emit::Row(row) => Some(row),
        _ => None,
    });
    let [first, second] = [plan.clone(), plan.clone()];
    let facts = rows.clone().filter(move |row| first.decode(row[0]).is_err());
    (facts, rows.filter(move |row| second.decode(row[0]).is_ok()))
}

fn arrange_pairs<'scope>(pairs: Collection<'scope, (Row, Row)>) -> RowArrangement<'scope, Inner> {
    arrange_core::<
        _,
        _,
        ContainerChunker<Vec<((Row, Row), Inner, isize)>>,
        ValBatcher<Row, Row, Inner, isize>,
        ValBuilder<Row, Row, Inner, isize>,
        ValSpine<Row, Row, Inner, isize>,
    >(pairs.inner, Pipeline, "Recursive")
}

fn distinct<'scope>(rows: Collection<'scope, Row>) -> Collection<'scope, Row> {
    let arranged = arrange_core::<
        _,
        _,
        ContainerChunker<Vec<((Row, ()), Inner, isize)>>,
        KeyBatcher<Row, Inner, isize>,
        KeyBuilder<Row, Inner, isize>,
        KeySpine<Row, Inner, isize>,
    >(rows.map(|row| (row, ())).inner, Pipeline, "Distinct");
    arranged
        .reduce_abelian::<_, KeyBuilder<Row, Inner, isize>, KeySpine<Row, Inner, isize>, _, _>(
            "Distinct",
            |_, counts, out| {
                if counts[0].1 > 0 {
                    out.push(((), 1));
                }
            },
            |built, key, changes| {
                built.clear();
                built.extend(
                    changes.drain(..).map(|(unit, time, count)| ((key.clone(), unit), time, count)),
                );
            },
        )
        .as_collection(|row, ()| row.clone())
}
