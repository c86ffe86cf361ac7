//! One worker's part of the dataflow: its inputs, its operators, and the queries that are watched.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use differential_dataflow::operators::arrange::ShutdownButton;
use differential_dataflow::trace::TraceReader;
use gdl_front::program::RelationId;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::operators::CapabilitySet;
use timely::dataflow::operators::core::Input;
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::progress::frontier::AntichainRef;
use timely::worker::Worker;

use super::render::{RowTrace, arrange, render};
use super::{Change, Pair, Report, Time};
use crate::plan::Plan;
use crate::row::Row;

type Rows<D> = InputHandle<Time, CapacityContainerBuilder<Vec<(D, Time, isize)>>>;

/// The dataflow of a plan on one worker.
pub(super) struct Flow {
    plan: Arc<Plan>,
    states: Rows<Row>,
    moves: Rows<Row>,
    probe: ProbeHandle<Time>,
    report: Rc<RefCell<Report>>,
    facts: Option<RowTrace<Time>>,
    /// The time of the next changes.
    epoch: Time,
    watches: BTreeMap<u32, Watch>,
}

/// A query that is kept up to date, in a dataflow of its own.
struct Watch {
    probe: ProbeHandle<Time>,
    report: Rc<RefCell<Report>>,
    button: ShutdownButton<CapabilitySet<Time>>,
}

/// What one epoch gave on one worker: the report of the game, and that of each watch.
#[derive(Debug, Default)]
pub(super) struct Reports {
    pub(super) game: Report,
    pub(super) watches: BTreeMap<u32, Report>,
}

impl Reports {
    pub(super) fn add(&mut self, other: Reports) {
        self.game.add(other.game);
        for (number, report) in other.watches {
            self.watches.entry(number).or_default().add(report);
        }
    }
}

impl Flow {
    /// Builds the operators.
    pub(super) fn new(worker: &mut Worker, plan: &Arc<Plan>) -> Flow {
        let probe = ProbeHandle::new();
        let report = Rc::new(RefCell::new(Report::default()));
        let (states, moves, facts) = worker.dataflow::<Time, _, _>(|scope| {
            let (states, state_rows) = scope.new_input();
            let (moves, move_rows) = scope.new_input();
            let facts = render(scope, plan, state_rows, Some(move_rows), &report, &probe);
            (states, moves, facts)
        });
        let watches = BTreeMap::new();
        Flow { plan: plan.clone(), states, moves, probe, report, facts, epoch: 0, watches }
    }

    /// Brings changes in, and waits for all that follows.
    pub(super) fn epoch(&mut self, worker: &mut Worker, changes: Vec<Change>) -> Reports {
        let does = self.plan.game.program.vocabulary.does;
        let of_moves = [does.0, self.plan.branches().0];
        for (row, count) in changes {
            let input = if of_moves.contains(&row[0]) { &mut self.moves } else { &mut self.states };
            input.send((row, self.epoch, count));
        }
        self.advance(worker);
        let watches = self.watches.iter();
        Reports {
            game: self.report.take(),
            watches: watches.map(|(&number, watch)| (number, watch.report.take())).collect(),
        }
    }

    fn advance(&mut self, worker: &mut Worker) {
        self.epoch += 1;
        let epoch = self.epoch;
        self.states.advance_to(epoch);
        self.moves.advance_to(epoch);
        self.states.flush();
        self.moves.flush();
        if let Some(facts) = &mut self.facts {
            facts.set_logical_compaction(AntichainRef::new(&[epoch]));
            facts.set_physical_compaction(AntichainRef::new(&[epoch]));
        }
        let (probe, watches) = (&self.probe, &self.watches);
        worker.step_or_park_while(None, || {
            probe.less_than(&epoch) || watches.values().any(|watch| watch.probe.less_than(&epoch))
        });
    }

    /// Keeps a query about a world up to date from now on, and answers it.
    pub(super) fn watch(
        &mut self,
        worker: &mut Worker,
        number: u32,
        plan: &Arc<Plan>,
        world: u32,
    ) -> Reports {
        let Some(facts) = &mut self.facts else {
            return Reports::default();
        };
        let probe = ProbeHandle::new();
        let report = Rc::new(RefCell::new(Report::default()));
        let epoch = self.epoch;
        let (mut keys, button) = worker.dataflow::<Time, _, _>(|scope| {
            let (keys, key_rows) = scope.new_input::<Vec<(Pair, Time, isize)>>();
            let (facts, button) = facts.import_core(scope, "Facts of the game");
            let rows = arrange(key_rows, "Relations of the query")
                .join_core(facts, |key, _, rest| Some(Row::joined(&[key, rest])));
            render(scope, plan, rows.inner, None, &report, &probe);
            (keys, button)
        });
        // Only the relations that the query names are read.
        let used = (0..plan.relations.len() as u32).filter(|&relation| {
            let uses = &plan.relation(RelationId(relation)).uses;
            !uses.starts.is_empty() || !uses.indexes.is_empty()
        });
        for relation in used {
            let key = Row::from(&[relation, world][..]);
            keys.send(((key, Row::from(&[][..])), epoch, 1));
        }
        keys.close();
        self.watches.insert(number, Watch { probe, report, button });
        self.epoch(worker, Vec::new())
    }

    /// Ends a watch.
    pub(super) fn unwatch(&mut self, number: u32) {
        if let Some(mut watch) = self.watches.remove(&number) {
            watch.button.press();
        }
    }
}
