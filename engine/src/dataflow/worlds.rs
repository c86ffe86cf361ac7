//! Many positions of a game in one dataflow, each in a world of its own.
//!
//! Changes are collected and brought in when an answer needs them, all in one epoch. A move takes
//! two: `does` comes in and the next state is read off; then `does` goes, and `true` changes by
//! what differs. Facts of each world are kept here as they were last reported.

use std::collections::BTreeSet;
use std::sync::Arc;

use differential_dataflow::consolidation::consolidate;
use gdl_front::hash::HashMap;
use gdl_front::program::{Frame, RelationId};

use super::position::{Difference, Position, StateChange, compare, merge, sorted};
use super::workers::Workers;
use super::{Change, Report, Touched};
use crate::game::Game;
use crate::plan::{ANY_BRANCH, Plan, Visible};
use crate::reasoner::{Failure, check_count};
use crate::row::Row;
use crate::terms::TermId;

/// The name of a position.
pub type World = u32;

/// Positions of a game.
pub struct Worlds {
    plan: Arc<Plan>,
    workers: Workers,
    worker_count: usize,
    initial: Vec<TermId>,
    positions: HashMap<World, Position>,
    /// Changes that are not in the dataflow yet.
    pending: Vec<Change>,
    /// Whether facts that are kept here may change by what is pending.
    stale: bool,
    next_world: World,
    next_branch: u32,
    touched: Touched,
    /// What the watches reported and nobody has fetched.
    watched: HashMap<u32, Vec<Change>>,
}

/// The next state of a branch as far as it is reported.
#[derive(Clone, Debug, Default)]
struct Next {
    holds: Vec<TermId>,
    ends: Vec<TermId>,
}

impl Worlds {
    /// A dataflow without worlds, on so many workers.
    pub fn new(game: Arc<Game>, workers: usize) -> Result<Worlds, Failure> {
        Worlds::planned(Plan::new(game, Visible::Keywords)?, workers)
    }

    /// The same for a plan that is there.
    pub(crate) fn planned(plan: Plan, worker_count: usize) -> Result<Worlds, Failure> {
        let init = plan.game.program.vocabulary.init;
        let initial = plan.statics.facts.rows(init).iter().map(|row| row[0]);
        let initial = sorted(initial.collect());
        let plan = Arc::new(plan);
        let workers = Workers::new(&plan, worker_count)?;
        Ok(Worlds {
            plan,
            workers,
            worker_count,
            initial,
            positions: HashMap::default(),
            pending: Vec::new(),
            stale: false,
            next_world: 0,
            next_branch: 0,
            touched: Touched::default(),
            watched: HashMap::default(),
        })
    }

    /// The game.
    pub fn game(&self) -> &Arc<Game> {
        &self.plan.game
    }

    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The initial state, sorted by id.
    pub fn initial(&self) -> &[TermId] {
        &self.initial
    }

    /// How many rows the operators have looked at so far.
    pub fn touched(&self) -> u64 {
        self.touched.total()
    }

    /// The same for rows that are about one relation: its facts, and its rules half evaluated.
    pub fn touched_by(&self, relation: RelationId) -> u64 {
        self.touched.of(relation)
    }

    /// Adds a world in a state.
    pub fn open(&mut self, state: &[TermId]) -> World {
        let world = self.next_world;
        self.next_world += 1;
        self.positions.insert(world, Position::default());
        self.push(&[self.plan.worlds().0, world], 1);
        self.stale = true;
        self.go_to(world, state);
        world
    }

    /// Removes a world.
    pub fn close(&mut self, world: World) {
        self.go_to(world, &[]);
        if self.positions.remove(&world).is_some() {
            self.push(&[self.plan.worlds().0, world], -1);
        }
    }

    /// Removes all worlds, by building the dataflow anew: cheaper than to retract many.
    pub fn clear(&mut self) -> Result<(), Failure> {
        self.workers = Workers::new(&self.plan, self.worker_count)?;
        self.positions.clear();
        self.pending.clear();
        self.watched.clear();
        self.stale = false;
        Ok(())
    }

    /// Brings a world into a state; answers what differs, which is all that is changed.
    pub fn go_to(&mut self, world: World, state: &[TermId]) -> StateChange {
        let Some(position) = self.positions.get_mut(&world) else {
            return StateChange::default();
        };
        let state = sorted(state.to_vec());
        let change = StateChange::between(&position.state, &state);
        position.state = state;
        let relation = self.plan.game.program.vocabulary.true_.0;
        let gone = change.gone.iter().map(|fluent| (fluent, -1));
        for (fluent, count) in gone.chain(change.come.iter().map(|fluent| (fluent, 1))) {
            self.pending.push((Row::from(&[relation, world, fluent.0][..]), count));
            self.stale = true;
        }
        change
    }

    /// The fluents that hold in a world, sorted by id.
    pub fn state(&self, world: World) -> &[TermId] {
        self.positions.get(&world).map_or(&[], |position| &position.state)
    }

    /// The facts of a visible relation in a world, sorted; brings pending changes in.
    pub(crate) fn facts(&mut self, world: World, relation: RelationId) -> Result<&[Row], Failure> {
        if self.stale {
            self.settle()?;
        }
        Ok(self.positions.get(&world).map_or(&[], |position| position.rows(relation)))
    }

    /// The legal moves of a role in a world, sorted by id.
    pub fn legal(&mut self, world: World, role: usize) -> Result<Vec<TermId>, Failure> {
        self.of_role(world, self.plan.game.program.vocabulary.legal, role)
    }

    /// Every goal value that holds for a role in a world, sorted by id.
    pub fn goals(&mut self, world: World, role: usize) -> Result<Vec<TermId>, Failure> {
        self.of_role(world, self.plan.game.program.vocabulary.goal, role)
    }

    /// Whether the match of a world is over.
    pub fn is_terminal(&mut self, world: World) -> Result<bool, Failure> {
        let terminal = self.plan.game.program.vocabulary.terminal;
        Ok(!self.facts(world, terminal)?.is_empty())
    }

    /// The states that joint moves lead to, each in its world, which stays as it is. One world may
    /// be asked about many moves.
    pub fn next_states(
        &mut self,
        moves: &[(World, Vec<TermId>)],
    ) -> Result<Vec<Vec<TermId>>, Failure> {
        for (_, joint) in moves {
            check_count(&self.plan.game, joint)?;
        }
        let first = self.first_branch(moves.len());
        let rows = self.move_rows(moves, first);
        self.pending.extend(rows.iter().map(|row| (row.clone(), 1)));
        let mut nexts = self.settle_with(moves.len(), first)?;
        self.pending.extend(rows.into_iter().map(|row| (row, -1)));
        let states = moves.iter().zip(&mut nexts);
        Ok(states.map(|((world, _), next)| self.state_after(*world, next)).collect())
    }

    /// Makes joint moves, at most one in a world; answers how their states change.
    pub fn apply(&mut self, moves: &[(World, Vec<TermId>)]) -> Result<Vec<StateChange>, Failure> {
        let states = self.next_states(moves)?;
        let places = moves.iter().zip(&states);
        Ok(places.map(|((world, _), state)| self.go_to(*world, state)).collect())
    }

    /// Brings pending changes in; answers how the facts of visible relations changed in `world`.
    pub(crate) fn settle_world(&mut self, world: World) -> Result<Difference, Failure> {
        let mut difference = Vec::new();
        if !self.pending.is_empty() {
            let changes = self.epoch()?;
            for (row, count) in changes.iter().filter(|(row, _)| row[1] == world) {
                if !self.is_next(row[0]) {
                    let (relation, args) = (RelationId(row[0]), Row::from(&row[2..]));
                    difference.push((relation, args, *count > 0));
                }
            }
            self.absorb(&changes, 0..0, &mut []);
        }
        Ok(difference)
    }

    /// How the facts of visible relations differ in one world from those in another.
    pub(crate) fn compare(&mut self, from: World, to: World) -> Result<Difference, Failure> {
        if self.stale {
            self.settle()?;
        }
        let mut difference = Vec::new();
        if let (Some(from), Some(to)) = (self.positions.get(&from), self.positions.get(&to)) {
            let relations: BTreeSet<RelationId> =
                from.facts.keys().chain(to.facts.keys()).copied().collect();
            for relation in relations.into_iter().filter(|relation| !self.is_next(relation.0)) {
                compare(relation, from.rows(relation), to.rows(relation), &mut difference);
            }
        }
        Ok(difference)
    }

    /// Keeps a query about a world up to date under a number; answers what there is.
    pub(crate) fn watch(
        &mut self,
        number: u32,
        query: &Arc<Plan>,
        world: World,
    ) -> Result<Vec<Change>, Failure> {
        self.settle()?;
        let mut reports = self.workers.watch(number, query, world)?;
        let mut answers = reports.watches.remove(&number).unwrap_or_default();
        self.touched.add(&answers.touched);
        consolidate(&mut answers.changes);
        Ok(answers.changes)
    }

    /// Ends a watch.
    pub(crate) fn unwatch(&mut self, number: u32) -> Result<(), Failure> {
        self.watched.remove(&number);
        self.workers.unwatch(number)
    }

    /// What a watch reported since it was last asked.
    pub(crate) fn fetch(&mut self, number: u32) -> Vec<Change> {
        let mut changes = self.watched.remove(&number).unwrap_or_default();
        consolidate(&mut changes);
        changes
    }

    /// The rows of `does` for joint moves, for queries that depend on them; −1 takes them back.
    pub(crate) fn suppose(&mut self, world: World, moves: &[TermId]) -> Result<Vec<Row>, Failure> {
        check_count(&self.plan.game, moves)?;
        let first = self.first_branch(1);
        let rows = self.move_rows(&[(world, moves.to_vec())], first);
        self.pending.extend(rows.iter().map(|row| (row.clone(), 1)));
        Ok(rows)
    }

    /// Takes rows of [`Worlds::suppose`] back.
    pub(crate) fn withdraw(&mut self, rows: Vec<Row>) {
        self.pending.extend(rows.into_iter().map(|row| (row, -1)));
    }

    /// Brings pending changes in.
    pub(crate) fn settle(&mut self) -> Result<(), Failure> {
        self.settle_with(0, 0).map(|_| ())
    }

    fn of_role(
        &mut self,
        world: World,
        relation: RelationId,
        role: usize,
    ) -> Result<Vec<TermId>, Failure> {
        let role = self.plan.game.roles[role].0;
        let rows = self.facts(world, relation)?.iter();
        Ok(rows.filter(|row| row[0] == role).map(|row| TermId(row[1])).collect())
    }

    fn push(&mut self, row: &[u32], count: isize) {
        self.pending.push((Row::from(row), count));
    }

    /// The first of so many branches that nobody has used.
    fn first_branch(&mut self, count: usize) -> u32 {
        let count = count as u32;
        if self.next_branch >= ANY_BRANCH - count {
            self.next_branch = 0;
        }
        self.next_branch += count;
        self.next_branch - count
    }

    fn move_rows(&self, moves: &[(World, Vec<TermId>)], first: u32) -> Vec<Row> {
        let does = self.plan.game.program.vocabulary.does.0;
        let mut rows = Vec::new();
        for ((world, joint), branch) in moves.iter().zip(first..) {
            rows.push(Row::from(&[self.plan.branches().0, *world, branch][..]));
            for (role, action) in self.plan.game.roles.iter().zip(joint) {
                rows.push(Row::from(&[does, *world, branch, role.0, action.0][..]));
            }
        }
        rows
    }

    /// One epoch: what changed, each row once.
    fn epoch(&mut self) -> Result<Vec<Change>, Failure> {
        let mut pending = std::mem::take(&mut self.pending);
        self.stale = false;
        consolidate(&mut pending);
        let reports = self.workers.epoch(pending)?;
        for (number, report) in reports.watches {
            self.touched.add(&report.touched);
            self.watched.entry(number).or_default().extend(report.changes);
        }
        let Report { mut changes, touched } = reports.game;
        self.touched.add(&touched);
        consolidate(&mut changes);
        Ok(changes)
    }

    /// One epoch; answers what is said of the next states of the branches from `first` on.
    fn settle_with(&mut self, count: usize, first: u32) -> Result<Vec<Next>, Failure> {
        let mut nexts = vec![Next::default(); count];
        if !self.pending.is_empty() {
            let changes = self.epoch()?;
            self.absorb(&changes, first..first + count as u32, &mut nexts);
        }
        Ok(nexts)
    }

    fn is_next(&self, relation: u32) -> bool {
        let vocabulary = &self.plan.game.program.vocabulary;
        relation == vocabulary.next.0 || relation == vocabulary.fnext.0
    }

    /// Takes changes, sorted by relation and world, into the facts that are kept.
    fn absorb(&mut self, changes: &[Change], branches: std::ops::Range<u32>, nexts: &mut [Next]) {
        let same = |a: &Change, b: &Change| a.0[..2] == b.0[..2];
        for group in changes.chunk_by(same) {
            let (relation, world) = (RelationId(group[0].0[0]), group[0].0[1]);
            let mut kept = group;
            if self.is_next(relation.0) {
                // Sorted by branch: what holds for any branch comes last.
                let (passing, any) =
                    group.split_at(group.partition_point(|(row, _)| row[2] < ANY_BRANCH));
                let fnext = relation == self.plan.game.program.vocabulary.fnext;
                for (row, count) in passing.iter().filter(|(row, _)| branches.contains(&row[2])) {
                    let next = &mut nexts[(row[2] - branches.start) as usize];
                    let list = if fnext { &mut next.ends } else { &mut next.holds };
                    if *count > 0 {
                        list.push(TermId(row[3]));
                    }
                }
                kept = any;
            }
            if let Some(position) = self.positions.get_mut(&world).filter(|_| !kept.is_empty()) {
                merge(position.facts.entry(relation).or_default(), kept);
            }
        }
    }

    fn state_after(&self, world: World, next: &mut Next) -> Vec<TermId> {
        let program = &self.plan.game.program;
        let Some(position) = self.positions.get(&world) else {
            return Vec::new();
        };
        let always = |relation| position.rows(relation).iter().map(|row| TermId(row[1]));
        let mut state = std::mem::take(&mut next.holds);
        state.extend(always(program.vocabulary.next));
        if program.frame == Frame::Translated {
            let mut ends = std::mem::take(&mut next.ends);
            ends.extend(always(program.vocabulary.fnext));
            ends.sort_unstable();
            let stays = |fluent: &&TermId| ends.binary_search(fluent).is_err();
            state.extend(position.state.iter().filter(stays));
        }
        sorted(state)
    }
}
