//! A plan rendered as one differential dataflow: at each level a stage, up to two arrangements, and
//! the joins with the levels below.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use differential_dataflow::AsCollection;
use differential_dataflow::operators::arrange::TraceAgent;
use differential_dataflow::operators::arrange::arrangement::{Arranged, arrange_core};
use differential_dataflow::trace::implementations::chunker::ContainerChunker;
use differential_dataflow::trace::implementations::{ValBatcher, ValBuilder, ValSpine};
use timely::dataflow::channels::pact::Pipeline;
use timely::dataflow::operators::Concatenate;
use timely::dataflow::operators::probe::Probe;
use timely::dataflow::{ProbeHandle, Scope};

use super::recursion::render_loop;
use super::stage::{Outputs, Pairs, Rows, stage};
use super::{Pair, Report, Time};
use crate::kernel::joined;
use crate::plan::Plan;
use crate::row::Row;

/// A trace of rows by key.
pub(super) type RowTrace<T> = TraceAgent<ValSpine<Row, Row, T, isize>>;
/// Rows by key.
pub(super) type RowArrangement<'scope, T> = Arranged<'scope, RowTrace<T>>;

/// Arranges pairs where they are: all rows of a world are on one worker.
pub(super) fn arrange<'scope>(pairs: Pairs<'scope>, name: &str) -> RowArrangement<'scope, Time> {
    arrange_core::<
        _,
        _,
        ContainerChunker<Vec<(Pair, Time, isize)>>,
        ValBatcher<Row, Row, Time, isize>,
        ValBuilder<Row, Row, Time, isize>,
        ValSpine<Row, Row, Time, isize>,
    >(pairs, Pipeline, name)
}

/// What the levels below have made for those above.
struct Levels<'scope> {
    lefts: BTreeMap<usize, RowArrangement<'scope, Time>>,
    rights: BTreeMap<usize, RowArrangement<'scope, Time>>,
    /// Streams that wait for a level.
    waiting: BTreeMap<usize, Vec<Rows<'scope>>>,
    facts: Vec<Pairs<'scope>>,
}

/// Renders a plan. `states` and `moves` bring facts; the answer is the trace of the shared facts.
pub(super) fn render<'scope>(
    scope: Scope<'scope, Time>,
    plan: &Arc<Plan>,
    states: Rows<'scope>,
    moves: Option<Rows<'scope>>,
    report: &Rc<RefCell<Report>>,
    probe: &ProbeHandle<Time>,
) -> Option<RowTrace<Time>> {
    let mut levels = Levels {
        lefts: BTreeMap::new(),
        rights: BTreeMap::new(),
        waiting: BTreeMap::from([(0, vec![states])]),
        facts: Vec::new(),
    };
    if let Some(moves) = moves {
        levels.waiting.entry(plan.move_level).or_default().push(moves);
    }
    for level in 0..plan.levels {
        let inputs = levels.waiting.remove(&level).unwrap_or_default();
        let outputs = stage(scope, plan, level, inputs, report);
        render_level(scope, plan, level, outputs, &mut levels, report);
    }
    for last in levels.waiting.into_values().flatten() {
        last.probe_with(probe);
    }
    let shared = plan.relations.iter().any(|relation| relation.shared);
    shared.then(|| arrange(scope.concatenate(levels.facts), "Facts").trace)
}

fn render_level<'scope>(
    scope: Scope<'scope, Time>,
    plan: &Arc<Plan>,
    level: usize,
    outputs: Outputs<'scope>,
    levels: &mut Levels<'scope>,
    report: &Rc<RefCell<Report>>,
) {
    let Outputs { lefts, rights, onward, seeds, facts } = outputs;
    levels.waiting.entry(level + 1).or_default().push(onward);
    if plan.relations.iter().any(|relation| relation.shared && relation.level == level) {
        levels.facts.push(facts);
    }
    if plan.joins.iter().any(|&(left, _)| left == level) {
        levels.lefts.insert(level, arrange(lefts, &format!("Left {level}")));
    }
    let indexed =
        |index: &crate::plan::Index| !index.inside && plan.relation(index.relation).level == level;
    if plan.indexes.iter().any(indexed) {
        levels.rights.insert(level, arrange(rights, &format!("Right {level}")));
    }
    for &(left, right) in plan.joins.iter().filter(|(left, right)| *left.max(right) == level) {
        if let (Some(left), Some(right)) = (levels.lefts.get(&left), levels.rights.get(&right)) {
            let rows = left
                .clone()
                .join_core(right.clone(), |key, kept, given| Some(joined(key, kept, given)));
            levels.waiting.entry(level + 1).or_default().push(rows.inner);
        }
    }
    for recursion in plan.loops.iter().filter(|recursion| recursion.level == level) {
        let seeds = seeds.clone().as_collection();
        let facts = render_loop(scope, plan, recursion, seeds, &levels.rights, report);
        levels.waiting.entry(level + 1).or_default().push(facts.inner);
    }
}
