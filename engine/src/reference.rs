//! The reference: naive bottom-up evaluation, slow and obviously right; the oracle of all tests.
//!
//! Components are evaluated in their order; the rules of one are applied to all facts until nothing
//! new follows. The only concessions to speed are that static relations are computed once, that a
//! condition looks through the facts that agree with it in one argument instead of all, and that a
//! rule is left alone if no fact can meet one of its conditions.

use std::sync::Arc;

use gdl_front::hash::{HashMap, HashSet};
use gdl_front::program::{Atom, Class, Component, Frame, Literal, RelationId, Rule, Term};

use crate::game::Game;
use crate::reasoner::{Failure, Reasoner, check_count};
use crate::terms::{Arena, TermId};

/// More facts than this in one state are taken for a game that does not end.
const MAX_FACTS: usize = 20_000_000;

type Row = Vec<TermId>;

/// A set of facts, relation by relation.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    rows: HashMap<RelationId, Vec<Row>>,
    known: HashMap<RelationId, HashSet<Row>>,
    /// The numbers of the rows with a term in an argument.
    with: HashMap<(RelationId, usize, TermId), Vec<u32>>,
    count: usize,
}

impl Facts {
    /// Adds a fact; `false` if it was there.
    pub fn insert(&mut self, relation: RelationId, row: Row) -> bool {
        if !self.known.entry(relation).or_default().insert(row.clone()) {
            return false;
        }
        let rows = self.rows.entry(relation).or_default();
        for (position, &term) in row.iter().enumerate() {
            self.with.entry((relation, position, term)).or_default().push(rows.len() as u32);
        }
        rows.push(row);
        self.count += 1;
        true
    }

    /// Whether a fact is there.
    pub fn contains(&self, relation: RelationId, row: &[TermId]) -> bool {
        self.known.get(&relation).is_some_and(|rows| rows.contains(row))
    }

    /// The facts of a relation, in the order they were added.
    pub fn rows(&self, relation: RelationId) -> &[Row] {
        self.rows.get(&relation).map_or(&[], Vec::as_slice)
    }

    fn rows_with(&self, relation: RelationId, position: usize, term: TermId) -> &[u32] {
        self.with.get(&(relation, position, term)).map_or(&[], Vec::as_slice)
    }
}

/// A position in a game, evaluated anew in every state.
#[derive(Clone, Debug)]
pub struct Reference {
    game: Arc<Game>,
    statics: Facts,
    initial: Vec<TermId>,
    state: Vec<TermId>,
    history: Vec<Vec<TermId>>,
    /// The facts of the state, once they are asked for.
    facts: Option<Facts>,
}

impl Reference {
    /// Stands at the initial state of a game.
    pub fn new(game: Arc<Game>) -> Result<Reference, Failure> {
        let program = &game.program;
        let mut statics = Facts::default();
        for fact in &program.facts {
            let row = fact.atom.args.iter().filter_map(|arg| game.ground(arg)).collect();
            statics.insert(fact.atom.relation, row);
        }
        evaluate(&game, &mut statics, Class::Static)?;
        let mut initial: Vec<TermId> =
            statics.rows(program.vocabulary.init).iter().map(|row| row[0]).collect();
        initial.sort_unstable();
        let state = initial.clone();
        Ok(Reference { game, statics, initial, state, history: Vec::new(), facts: None })
    }

    /// All facts of the state without moves: static and state-dependent relations.
    pub fn facts(&mut self) -> Result<&Facts, Failure> {
        if self.facts.is_none() {
            let mut facts = self.statics.clone();
            for &fluent in &self.state {
                facts.insert(self.game.program.vocabulary.true_, vec![fluent]);
            }
            evaluate(&self.game, &mut facts, Class::State)?;
            self.facts = Some(facts);
        }
        Ok(self.facts.get_or_insert_default())
    }

    /// All facts of the state with a joint move.
    pub fn facts_with(&mut self, moves: &[TermId]) -> Result<Facts, Failure> {
        check_count(&self.game, moves)?;
        let mut facts = self.facts()?.clone();
        for (&role, &action) in self.game.roles.iter().zip(moves) {
            facts.insert(self.game.program.vocabulary.does, vec![role, action]);
        }
        evaluate(&self.game, &mut facts, Class::Move)?;
        Ok(facts)
    }

    fn go_to(&mut self, state: Vec<TermId>) {
        self.state = state;
        self.facts = None;
    }

    /// The second arguments of the facts of a relation whose first argument is a role.
    fn of_role(&mut self, relation: RelationId, role: usize) -> Result<Vec<TermId>, Failure> {
        let role = self.game.roles[role];
        let rows = self.facts()?.rows(relation).iter();
        let mut terms: Vec<TermId> = rows.filter(|row| row[0] == role).map(|row| row[1]).collect();
        terms.sort_unstable();
        Ok(terms)
    }
}

impl Reasoner for Reference {
    fn game(&self) -> &Arc<Game> {
        &self.game
    }

    fn name(&self) -> &'static str {
        "reference"
    }

    fn set_state(&mut self, state: &[TermId]) -> Result<(), Failure> {
        let mut state = state.to_vec();
        state.sort_unstable();
        state.dedup();
        self.history.clear();
        self.go_to(state);
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<TermId>, Failure> {
        Ok(self.state.clone())
    }

    fn legal(&mut self, role: usize) -> Result<Vec<TermId>, Failure> {
        self.of_role(self.game.program.vocabulary.legal, role)
    }

    fn is_terminal(&mut self) -> Result<bool, Failure> {
        let terminal = self.game.program.vocabulary.terminal;
        Ok(self.facts()?.contains(terminal, &[]))
    }

    fn goals(&mut self, role: usize) -> Result<Vec<TermId>, Failure> {
        self.of_role(self.game.program.vocabulary.goal, role)
    }

    fn apply(&mut self, moves: &[TermId]) -> Result<(), Failure> {
        let facts = self.facts_with(moves)?;
        let vocabulary = &self.game.program.vocabulary;
        let mut next: Vec<TermId> = facts.rows(vocabulary.next).iter().map(|row| row[0]).collect();
        if self.game.program.frame == Frame::Translated {
            let stays = |fluent: &&TermId| !facts.contains(vocabulary.fnext, &[**fluent]);
            next.extend(self.state.iter().filter(stays));
        }
        next.sort_unstable();
        next.dedup();
        self.history.push(self.state.clone());
        self.go_to(next);
        Ok(())
    }

    fn undo(&mut self) -> Result<(), Failure> {
        let before = self.history.pop().ok_or(Failure::NothingToUndo)?;
        self.go_to(before);
        Ok(())
    }

    fn reset(&mut self) -> Result<(), Failure> {
        self.set_state(&self.initial.clone())
    }
}

/// Adds all facts that follow for the relations of one class, given those below it.
fn evaluate(game: &Game, facts: &mut Facts, class: Class) -> Result<(), Failure> {
    for component in &game.program.components {
        if game.program.relation(component.relations[0]).class == class {
            evaluate_component(game, component, facts)?;
        }
    }
    Ok(())
}

fn evaluate_component(
    game: &Game,
    component: &Component,
    facts: &mut Facts,
) -> Result<(), Failure> {
    loop {
        let mut derived = Vec::new();
        for &rule in &component.rules {
            let rule = &game.program.rules[rule];
            let mut bindings = vec![None; rule.variables.len()];
            let arena = &mut game.terms.write();
            if is_hopeless(rule, &bindings, facts, arena) {
                continue;
            }
            satisfy(rule, 0, &mut bindings, facts, arena, &mut derived);
        }
        let mut changed = false;
        for (relation, row) in derived {
            changed |= facts.insert(relation, row);
        }
        if facts.count > MAX_FACTS {
            return Err(Failure::Limit(format!("more than {MAX_FACTS} facts in one state")));
        }
        if !changed || !component.recursive {
            return Ok(());
        }
    }
}

/// Whether no fact meets one of the conditions, so that the others need not be looked at: they may
/// be met in exponentially many ways.
fn is_hopeless(rule: &Rule, free: &[Option<TermId>], facts: &Facts, arena: &mut Arena) -> bool {
    rule.body.iter().any(|literal| match literal {
        Literal::Positive(atom) => match fewest(atom, free, facts, arena) {
            Some(numbers) => numbers.is_empty(),
            None => facts.rows(atom.relation).is_empty(),
        },
        _ => false,
    })
}

/// Extends the bindings over the literals from `index` on; each way to satisfy all gives a head.
fn satisfy(
    rule: &Rule,
    index: usize,
    bindings: &mut Vec<Option<TermId>>,
    facts: &Facts,
    arena: &mut Arena,
    derived: &mut Vec<(RelationId, Row)>,
) {
    let Some(literal) = rule.body.get(index) else {
        derived.push((rule.head.relation, instance(&rule.head, bindings, arena)));
        return;
    };
    match literal {
        Literal::Positive(atom) => {
            for row in candidates(atom, bindings, facts, arena) {
                let before = bindings.clone();
                if atom.args.iter().zip(row).all(|(arg, &term)| matches(arg, term, bindings, arena))
                {
                    satisfy(rule, index + 1, bindings, facts, arena, derived);
                }
                *bindings = before;
            }
        }
        Literal::Negative(atom) => {
            let row = instance(atom, bindings, arena);
            if !facts.contains(atom.relation, &row) {
                satisfy(rule, index + 1, bindings, facts, arena, derived);
            }
        }
        Literal::Distinct(a, b) => {
            if value(a, bindings, arena) != value(b, bindings, arena) {
                satisfy(rule, index + 1, bindings, facts, arena, derived);
            }
        }
    }
}

/// The rows that an atom may match: those that agree in the argument with the fewest rows.
fn candidates<'f>(
    atom: &Atom,
    bindings: &[Option<TermId>],
    facts: &'f Facts,
    arena: &mut Arena,
) -> Vec<&'f Row> {
    let rows = facts.rows(atom.relation);
    match fewest(atom, bindings, facts, arena) {
        Some(numbers) => numbers.iter().map(|&number| &rows[number as usize]).collect(),
        None => rows.iter().collect(),
    }
}

/// The numbers of the rows that agree with an atom in the argument where these are fewest, if it has
/// an argument that is known.
fn fewest<'f>(
    atom: &Atom,
    bindings: &[Option<TermId>],
    facts: &'f Facts,
    arena: &mut Arena,
) -> Option<&'f [u32]> {
    (0..atom.args.len())
        .filter_map(|position| {
            let term = value(&atom.args[position], bindings, arena)?;
            Some(facts.rows_with(atom.relation, position, term))
        })
        .min_by_key(|numbers| numbers.len())
}

/// Whether a term of a rule matches a ground term, binding its free variables.
fn matches(pattern: &Term, term: TermId, bindings: &mut [Option<TermId>], arena: &Arena) -> bool {
    match pattern {
        Term::Variable(variable) => *bindings[*variable as usize].get_or_insert(term) == term,
        Term::Constant(name) => arena.symbol(term) == *name && arena.args(term).is_empty(),
        Term::Function(name, args) => {
            arena.symbol(term) == *name
                && arena.args(term).len() == args.len()
                && args
                    .iter()
                    .zip(arena.args(term))
                    .all(|(arg, &term)| matches(arg, term, bindings, arena))
        }
    }
}

/// The ground term of a pattern; `None` if one of its variables is free.
fn value(pattern: &Term, bindings: &[Option<TermId>], arena: &mut Arena) -> Option<TermId> {
    match pattern {
        Term::Variable(variable) => bindings[*variable as usize],
        Term::Constant(name) => Some(arena.intern(*name, &[])),
        Term::Function(name, args) => {
            let args: Option<Vec<TermId>> =
                args.iter().map(|arg| value(arg, bindings, arena)).collect();
            Some(arena.intern(*name, &args?))
        }
    }
}

/// The row of an atom whose variables are all bound.
fn instance(atom: &Atom, bindings: &[Option<TermId>], arena: &mut Arena) -> Row {
    atom.args.iter().filter_map(|arg| value(arg, bindings, arena)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference(rules: &str) -> Reference {
        let text = format!("(role x) (legal x a) (goal x 0) {rules}");
        let loaded = gdl_front::load(&text, None);
        Reference::new(Game::new(loaded.program.expect("valid rules"))).unwrap()
    }

    #[test]
    fn recursion_negation_and_functions() {
        let mut reasoner = reference(
            "(init (at (p 1))) (edge 1 2) (edge 2 3) (edge 4 4) (node 1) (node 2) (node 3) (node 4)
             (<= (path ?x ?y) (edge ?x ?y)) (<= (path ?x ?y) (edge ?x ?z) (path ?z ?y))
             (<= (next (at (p ?y))) (true (at (p ?x))) (edge ?x ?y) (does x a))
             (<= (next (far ?y)) (true (at (p ?x))) (node ?y) (not (path ?x ?y)))
             (<= terminal (true (at (p 3))))",
        );
        let game = reasoner.game().clone();
        let a = game.read_term("a").unwrap();
        reasoner.apply(&[a]).unwrap();
        let state = reasoner.state().unwrap();
        assert_eq!(game.show_all(&state), ["(at (p 2))", "(far 1)", "(far 4)"]);
        assert!(!reasoner.is_terminal().unwrap());
        reasoner.apply(&[a]).unwrap();
        assert!(reasoner.is_terminal().unwrap());
        reasoner.undo().unwrap();
        assert_eq!(reasoner.state().unwrap(), state);
        assert_eq!(reasoner.apply(&[]), Err(Failure::WrongMoveCount { expected: 1, found: 0 }));
    }

    #[test]
    fn what_cannot_be_met_is_seen_before_what_can_in_many_ways() {
        let variables: Vec<String> = (0..40).map(|number| format!("?b{number}")).collect();
        let bits: String = variables.iter().map(|variable| format!("(bit {variable})")).collect();
        let mut reasoner = reference(&format!(
            "(bit 0) (bit 1) (<= (many {}) {bits} (true late)) (<= terminal (many {}))",
            variables.join(" "),
            variables.join(" "),
        ));
        assert!(!reasoner.is_terminal().unwrap());
    }

    #[test]
    fn a_missing_legal_move_is_an_error() {
        let mut reasoner = reference("(role y) (<= terminal (true z))");
        let role = reasoner.game().roles[1];
        assert_eq!(reasoner.check_playable(), Err(Failure::NoLegalMove { role }));
    }
}
