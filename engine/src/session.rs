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
    /// What each watch asks.
    queries: BTreeMap<WatchId, Arc<Plan>>,
    last_watch: u32,
}

impl Session {
    /// Stands at the initial state of a game; `workers` threads share the work.
    pub fn new(game: Arc<Game>, workers: usize) -> Result<Session, Failure> {
        Session::planned(Plan::new(game, Visible::All)?, workers)
    }

    fn planned(plan: Plan, workers: usize) -> Result<Session, Failure> {
        let mut worlds = Worlds::planned(plan, workers)?;
        let initial = worlds.initial().to_vec();
        let world = worlds.open(&initial);
        worlds.settle()?;
        Ok(Session {
            worlds,
            world,
            history: Vec::new(),
            watches: BTreeMap::new(),
            queries: BTreeMap::new(),
            last_watch: 0,
        })
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
        self.restoring(|session| {
            let change = session.worlds.apply(&[(session.world, moves.to_vec())])?;
            let change = change.into_iter().next().unwrap_or_default();
            let changes = session.changes(&change)?;
            session.history.push((moves.to_vec(), change));
            Ok(changes)
        })
    }

    /// Takes the last move back; answers what that changed.
    pub fn undo(&mut self) -> Result<Changes, Failure> {
        let left = self.history.len().checked_sub(1).ok_or(Failure::NothingToUndo)?;
        self.back_to(left)
    }

    /// Goes back to the position after so many moves of the line of play; answers what that
    /// changed. There is nothing to undo if the line is shorter.
    pub fn back_to(&mut self, moves: usize) -> Result<Changes, Failure> {
        let undone = self.history.get(moves..).ok_or(Failure::NothingToUndo)?.iter().rev();
        let state = undone.fold(self.state().to_vec(), |state, (_, change)| change.undone(&state));
        let changes = self.go_to(&state)?;
        self.history.truncate(moves);
        Ok(changes)
    }

    /// Goes to any state, and forgets the line of play; answers what that changed.
    pub fn set_state(&mut self, state: &[TermId]) -> Result<Changes, Failure> {
        let changes = self.go_to(state)?;
        self.history.clear();
        Ok(changes)
    }

    /// What each of many joint moves would change, all evaluated at once. The line of play and the
    /// watches stay as they are.
    pub fn what_if(&mut self, alternatives: &[Vec<TermId>]) -> Result<Vec<Changes>, Failure> {
        self.restoring(|session| {
            let moves: Vec<(World, Vec<TermId>)> =
                alternatives.iter().map(|moves| (session.world, moves.clone())).collect();
            let states = session.worlds.next_states(&moves)?;
            let worlds: Vec<World> =
                states.iter().map(|state| session.worlds.open(state)).collect();
            let mut answers = Vec::with_capacity(worlds.len());
            for (&world, state) in worlds.iter().zip(&states) {
                let difference = session.worlds.compare(session.world, world)?;
                let change = StateChange::between(session.state(), state);
                answers.push(grouped(session.game(), difference, &change));
            }
            worlds.into_iter().for_each(|world| session.worlds.close(world));
            Ok(answers)
        })
    }

    /// All answers to a query, sorted by id. Literals that depend on moves are true or false of the
    /// joint move that is supposed; without one they never hold.
    pub fn query(
        &mut self,
        query: &Query,
        supposed: Option<&[TermId]>,
    ) -> Result<Vec<Answer>, Failure> {
        self.restoring(|session| {
            let supposed = match supposed.filter(|_| session.depends_on_moves(query)) {
                Some(moves) => session.worlds.suppose(session.world, moves)?,
                None => Vec::new(),
            };
            let plan = Arc::new(session.worlds.plan().query(query));
            let answers = session.worlds.watch(UNNAMED, &plan, session.world)?;
            session.worlds.unwatch(UNNAMED)?;
            session.worlds.withdraw(supposed);
            Ok(of_watch(answers).came)
        })
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
        let answers =
            self.restoring(|session| session.worlds.watch(watch.0, &plan, session.world))?;
        self.last_watch = watch.0;
        self.watches.insert(watch, FactChanges::default());
        self.queries.insert(watch, plan);
        Ok((watch, of_watch(answers).came))
    }

    /// Ends a watch; `false` if there is none of that name.
    pub fn unwatch(&mut self, watch: WatchId) -> Result<bool, Failure> {
        self.queries.remove(&watch);
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
        self.restoring(|session| {
            let change = session.worlds.go_to(session.world, state);
            session.changes(&change)
        })
    }

    /// Does something that may exceed a limit; if it does, what the dataflow holds is worthless, and
    /// is built anew for the position before.
    fn restoring<T>(
        &mut self,
        act: impl FnOnce(&mut Session) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let before = self.state().to_vec();
        let outcome = act(self);
        if let Err(Failure::Limit(_)) = outcome {
            self.worlds.clear()?;
            self.world = self.worlds.open(&before);
            self.worlds.settle()?;
            for (watch, query) in &self.queries {
                self.worlds.watch(watch.0, query, self.world)?;
            }
        }
        outcome
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

#[cfg(test)]
mod tests {
    use gdl_front::read_query;

    use super::*;

    /// A game in which one of the moves leads to 1,600 facts.
    fn lopsided() -> Session {
        let numbers: String = (0..40).map(|number| format!("(number {number}) ")).collect();
        let rules = "(role r) (init off) (init (seen 0)) (<= (legal r ?m) (move ?m)) (move go)
            (move stay) (<= (next on) (does r go)) (<= (next off) (does r stay)) (succ 0 1) (succ 1 2)
            (<= (next (seen ?m)) (true (seen ?n)) (succ ?n ?m))
            (<= (pair ?x ?y) (true on) (number ?x) (number ?y)) (<= terminal (pair 1 2)) (goal r 0)";
        let program = gdl_front::load(&format!("{numbers}{rules}"), None).program.unwrap();
        let mut plan = Plan::new(Game::new(program), Visible::All).unwrap();
        plan.most_rows = 200;
        Session::planned(plan, 1).unwrap()
    }

    #[test]
    fn a_call_beyond_the_limit_leaves_the_session_as_it_was() {
        let mut session = lopsided();
        let game = session.game().clone();
        let [go, stay] = ["go", "stay"].map(|text| vec![game.read_term(text).unwrap()]);
        let query = read_query(&game.program, "(true (seen ?n))").unwrap();
        let (watch, _) = session.watch(&query).unwrap();
        session.apply(&stay).unwrap();
        let before = (session.state().to_vec(), session.facts(game.program.vocabulary.legal));
        let is_limit = |failure: Failure| matches!(failure, Failure::Limit(_));
        assert!(is_limit(session.apply(&go).unwrap_err()));
        assert!(is_limit(session.what_if(&[stay.clone(), go.clone()]).unwrap_err()));
        assert!(is_limit(session.set_state(&[game.read_term("on").unwrap()]).unwrap_err()));
        let after = (session.state().to_vec(), session.facts(game.program.vocabulary.legal));
        assert_eq!(before, after);
        assert_eq!(session.line().len(), 1);
        session.apply(&stay).unwrap();
        let watched = &session.watched()[&watch];
        assert_eq!(watched.came, [[game.read_term("2").unwrap()]]);
        assert_eq!(watched.went, [[game.read_term("1").unwrap()]]);
        session.undo().unwrap();
        assert_eq!(session.state(), before.0);
    }
}
