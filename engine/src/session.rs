//! A session: a line of play that is kept up to date by differences, with questions about it.
//!
//! Input: joint moves and queries; output: [`Changes`], the facts that became true or false, by
//! relation, and answers to queries. Entry point: [`Session`]. What always holds:
//! - a call that fails leaves the session as it was;
//! - every relation that depends on the state can be asked for, and is kept up to date;
//! - what-ifs are worlds of their own and never touch the line of play.

use std::collections::BTreeMap;
use std::sync::Arc;

use gdl_front::Query;
use gdl_front::program::{Class, Literal, RelationId};

use crate::dataflow::{Change, Difference, StateChange, World, Worlds};
use crate::game::Game;
use crate::plan::{Plan, Visible};
use crate::reasoner::{Failure, check_count};
use crate::terms::TermId;

/// What follows the place of a variable in a query: one term for each, in order.
pub type Answer = Vec<TermId>;

/// The number of the watch that a query is while it is answered.
const UNNAMED: u32 = u32::MAX;

/// The name of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WatchId(pub u32);

/// Facts of one relation, or answers of one watch, that came and went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactChanges {
    /// What became true: the arguments of each fact.
    pub came: Vec<Vec<TermId>>,
    /// What became false.
    pub went: Vec<Vec<TermId>>,
}

impl FactChanges {
    fn add(&mut self, args: Vec<TermId>, holds: bool) {
        if holds { self.came.push(args) } else { self.went.push(args) }
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.came.is_empty() && self.went.is_empty()
    }
}

/// Facts that became true or false, by relation; relations without a change are not in it.
pub type Changes = BTreeMap<RelationId, FactChanges>;

/// A line of play, with questions about it.
pub struct Session {
    worlds: Worlds,
    world: World,
    /// The joint moves made, and what each changed in the state.
    history: Vec<(Vec<TermId>, StateChange)>,
    /// What each watch said about the last change of the position.
    watches: BTreeMap<WatchId, FactChanges>,
    last_watch: u32,
}

impl Session {
    /// Stands at the initial state of a game; `workers` threads share the work.
    pub fn new(game: Arc<Game>, workers: usize) -> Result<Session, Failure> {
        let mut worlds = Worlds::planned(Plan::new(game, Visible::All)?, workers)?;
        let initial = worlds.initial().to_vec();
        let world = worlds.open(&initial);
        worlds.settle()?;
        Ok(Session { worlds, world, history: Vec::new(), watches: BTreeMap::new(), last_watch: 0 })
    }

    /// The game.
    pub fn game(&self) -> &Arc<Game> {
        self.worlds.game()
    }

    /// The fluents that hold.
    pub fn state(&self) -> &[TermId] {
        self.worlds.state(self.world)
    }

    /// The joint moves that were made.
    pub fn line(&self) -> impl ExactSizeIterator<Item = &[TermId]> {
        self.history.iter().map(|(moves, _)| &moves[..])
    }

    /// How many rows the operators have looked at so far.
    pub fn touched(&self) -> u64 {
        self.worlds.touched()
    }

    /// The legal moves of a role.
    pub fn legal(&mut self, role: usize) -> Result<Vec<TermId>, Failure> {
        self.worlds.legal(self.world, role)
    }

    /// Every goal value that holds for a role.
    pub fn goals(&mut self, role: usize) -> Result<Vec<TermId>, Failure> {
        self.worlds.goals(self.world, role)
    }

    /// Whether the match is over.
    pub fn is_terminal(&mut self) -> Result<bool, Failure> {
        self.worlds.is_terminal(self.world)
    }

    /// The facts of a relation: the arguments of each. None for relations that depend on moves.
    pub fn facts(&mut self, relation: RelationId) -> Result<Vec<Vec<TermId>>, Failure> {
        let true_ = self.game().program.vocabulary.true_;
        if relation == true_ {
            return Ok(self.state().iter().map(|&fluent| vec![fluent]).collect());
        }
        let plan = self.worlds.plan();
        match plan.relation(relation).class {
            Class::Static => Ok(plan.statics.facts.rows(relation).to_vec()),
            Class::State => {
                let rows = self.worlds.facts(self.world, relation)?.iter();
                Ok(rows.map(|row| terms(row)).collect())
            }
            Class::Move => Ok(Vec::new()),
        }
    }

    /// Fails if a joint move is not legal here.
    pub fn check_legal(&mut self, moves: &[TermId]) -> Result<(), Failure> {
        check_count(self.game(), moves)?;
        for (role, &action) in moves.iter().enumerate() {
            if !self.legal(role)?.contains(&action) {
                return Err(Failure::IllegalMove { role: self.game().roles[role], action });
            }
        }
        Ok(())
    }

    /// Makes a joint move, legal or not; answers what it changed.
    pub fn apply(&mut self, moves: &[TermId]) -> Result<Changes, Failure> {
        let change = self.worlds.apply(&[(self.world, moves.to_vec())])?;
        let change = change.into_iter().next().unwrap_or_default();
        let changes = self.changes(&change)?;
        self.history.push((moves.to_vec(), change));
        Ok(changes)
    }

    /// Takes the last move back; answers what that changed.
    pub fn undo(&mut self) -> Result<Changes, Failure> {
        let (_, change) = self.history.pop().ok_or(Failure::NothingToUndo)?;
        self.go_to(&change.undone(self.worlds.state(self.world)))
    }

    /// Goes back to the position after so many moves of the line of play; answers what that
    /// changed. There is nothing to undo if the line is shorter.
    pub fn back_to(&mut self, moves: usize) -> Result<Changes, Failure> {
        if moves > self.history.len() {
            return Err(Failure::NothingToUndo);
        }
        let mut state = self.state().to_vec();
        for (_, change) in self.history.drain(moves..).rev() {
            state = change.undone(&state);
        }
        self.go_to(&state)
    }

    /// Goes to any state, and forgets the line of play; answers what that changed.
    pub fn set_state(&mut self, state: &[TermId]) -> Result<Changes, Failure> {
        self.history.clear();
        self.go_to(state)
    }

    /// What each of many joint moves would change, all evaluated at once. The line of play and the
    /// watches stay as they are.
    pub fn what_if(&mut self, alternatives: &[Vec<TermId>]) -> Result<Vec<Changes>, Failure> {
        let moves: Vec<(World, Vec<TermId>)> =
            alternatives.iter().map(|moves| (self.world, moves.clone())).collect();
        let states = self.worlds.next_states(&moves)?;
        let worlds: Vec<World> = states.iter().map(|state| self.worlds.open(state)).collect();
        let mut answers = Vec::with_capacity(worlds.len());
        for (&world, state) in worlds.iter().zip(&states) {
            let difference = self.worlds.compare(self.world, world)?;
            let change = StateChange::between(self.state(), state);
            answers.push(grouped(self.game(), difference, &change));
        }
        worlds.into_iter().for_each(|world| self.worlds.close(world));
        Ok(answers)
    }

    /// All answers to a query, sorted by id. Literals that depend on moves are true or false of the
    /// joint move that is supposed; without one they never hold.
    pub fn query(
        &mut self,
        query: &Query,
        supposed: Option<&[TermId]>,
    ) -> Result<Vec<Answer>, Failure> {
        let supposed = match supposed.filter(|_| self.depends_on_moves(query)) {
            Some(moves) => self.worlds.suppose(self.world, moves)?,
            None => Vec::new(),
        };
        let plan = Arc::new(self.worlds.plan().query(query));
        let answers = self.worlds.watch(UNNAMED, &plan, self.world)?;
        self.worlds.unwatch(UNNAMED)?;
        self.worlds.withdraw(supposed);
        Ok(of_watch(answers).came)
    }

    /// Whether a query has a literal that depends on moves.
    pub fn depends_on_moves(&self, query: &Query) -> bool {
        let relations = query.body.iter().filter_map(Literal::atom).map(|atom| atom.relation);
        let plan = self.worlds.plan();
        relations.into_iter().any(|relation| plan.relation(relation).class == Class::Move)
    }

    /// Keeps a query up to date from now on; answers its name and the answers there are.
    pub fn watch(&mut self, query: &Query) -> Result<(WatchId, Vec<Answer>), Failure> {
        let plan = Arc::new(self.worlds.plan().query(query));
        let watch = WatchId(self.last_watch + 1);
        let answers = self.worlds.watch(watch.0, &plan, self.world)?;
        self.last_watch = watch.0;
        self.watches.insert(watch, FactChanges::default());
        Ok((watch, of_watch(answers).came))
    }

    /// Ends a watch; `false` if there is none of that name.
    pub fn unwatch(&mut self, watch: WatchId) -> Result<bool, Failure> {
        if self.watches.remove(&watch).is_none() {
            return Ok(false);
        }
        self.worlds.unwatch(watch.0)?;
        Ok(true)
    }

    /// How the answers of each watch changed when the position last did.
    pub fn watched(&self) -> &BTreeMap<WatchId, FactChanges> {
        &self.watches
    }

    fn go_to(&mut self, state: &[TermId]) -> Result<Changes, Failure> {
        let change = self.worlds.go_to(self.world, state);
        self.changes(&change)
    }

    /// Brings a change of the state in; answers all that it changes.
    fn changes(&mut self, change: &StateChange) -> Result<Changes, Failure> {
        let difference = self.worlds.settle_world(self.world)?;
        for (watch, last) in &mut self.watches {
            *last = of_watch(self.worlds.fetch(watch.0));
        }
        Ok(grouped(self.game(), difference, change))
    }
}

fn terms(row: &[u32]) -> Vec<TermId> {
    row.iter().map(|&number| TermId(number)).collect()
}

/// The answers of a watch that came and went: rows of code, world and values.
fn of_watch(changes: Vec<Change>) -> FactChanges {
    let mut all = FactChanges::default();
    for (row, count) in changes {
        all.add(terms(&row[2..]), count > 0);
    }
    all
}

fn grouped(game: &Game, difference: Difference, change: &StateChange) -> Changes {
    let mut changes = Changes::new();
    for (relation, args, holds) in difference {
        changes.entry(relation).or_default().add(terms(&args), holds);
    }
    let fluents = change.gone.iter().map(|&fluent| (fluent, false));
    for (fluent, holds) in fluents.chain(change.come.iter().map(|&fluent| (fluent, true))) {
        let true_ = game.program.vocabulary.true_;
        changes.entry(true_).or_default().add(vec![fluent], holds);
    }
    changes
}
