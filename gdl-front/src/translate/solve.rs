//! All conditions to persist must fail: the ways in which they can, each a conjunction of literals.
//!
//! A condition fails if one of its parts does, so this is a search over which part of each: choices
//! that are forced are made first, equations are solved as they come up, and what the terms, the
//! facts and the names at each argument decide is not left for run time.

use std::collections::BTreeSet;

use super::clause::Condition;
use super::unify::{Bindings, unifiable};
use crate::hash::{HashMap, HashSet};
use crate::program::{Atom, Literal, Program, RelationId, Term};
use crate::symbol::Symbol;

/// The search gives up after this many nodes.
const MAX_NODES: usize = 4_000;
/// It gives up if there are more ways than this.
const MAX_WAYS: usize = 256;
/// A variable that this many conditions compare with constants is split by them.
const MIN_SPLIT: usize = 3;

/// What is known without running the game.
pub(super) struct Known<'a> {
    /// The constants that a free variable can be, where that is known.
    pub(super) domains: HashMap<u32, BTreeSet<Symbol>>,
    /// Facts of relations that have no rules.
    pub(super) facts: &'a Facts<'a>,
    /// Variables from here on are existential.
    pub(super) free: u32,
}

/// Facts of relations that have no rules.
pub(super) struct Facts<'p> {
    facts: HashSet<&'p Atom>,
    closed: HashSet<RelationId>,
}

/// One way in which all conditions fail.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) bindings: Bindings,
    /// What must hold, the fluent and the joint move included.
    pub(super) literals: Vec<Literal>,
    /// What must have no instance: conditions with existential variables.
    pub(super) absent: Vec<Condition>,
    /// Conditions of which nothing is decided yet.
    open: Vec<Condition>,
}

/// The search needs more room than it gets.
pub(super) struct TooMany;

/// A part of a condition, negated.
enum Escape {
    Literal(Literal),
    Same(Term, Term),
    Absent(Condition),
}

enum Verdict {
    /// The condition cannot hold here.
    Fails,
    /// It holds unless one of these does.
    Unless(Vec<Escape>),
}

impl<'p> Facts<'p> {
    pub(super) fn of(program: &'p Program) -> Facts<'p> {
        let mut closed: HashSet<RelationId> =
            program.facts.iter().map(|fact| fact.atom.relation).collect();
        program.rules.iter().for_each(|rule| {
            closed.remove(&rule.head.relation);
        });
        let facts = program.facts.iter().map(|fact| &fact.atom);
        let facts = facts.filter(|atom| closed.contains(&atom.relation)).collect();
        Facts { facts, closed }
    }

    /// Whether an atom holds for every value of its variable, for none, or that is not known.
    fn decide(&self, atom: &Atom, domains: &HashMap<u32, BTreeSet<Symbol>>) -> Option<bool> {
        if !self.closed.contains(&atom.relation) {
            return None;
        }
        if atom.args.iter().all(Term::is_ground) {
            return Some(self.facts.contains(atom));
        }
        let [Term::Variable(variable)] = atom.args.as_slice() else { return None };
        let values = domains.get(variable)?.iter();
        let fact = |&name| Atom { relation: atom.relation, args: vec![Term::Constant(name)] };
        let mut holds = values.map(|name| self.facts.contains(&fact(name)));
        let first = holds.next()?;
        holds.all(|other| other == first).then_some(first)
    }
}

/// The ways in which all conditions fail, given what holds anyway.
pub(super) fn ways(
    known: &Known<'_>,
    given: Vec<Literal>,
    conditions: Vec<Condition>,
) -> Result<Vec<Way>, TooMany> {
    let mut search = Search { known, nodes: 0, found: Vec::new() };
    let root = Way {
        bindings: Bindings::default(),
        literals: given,
        absent: Vec::new(),
        open: conditions,
    };
    search.visit(root)?;
    Ok(search.found)
}

struct Search<'a> {
    known: &'a Known<'a>,
    nodes: usize,
    found: Vec<Way>,
}

impl Search<'_> {
    fn visit(&mut self, way: Way) -> Result<(), TooMany> {
        self.nodes += 1;
        if self.nodes > MAX_NODES || self.found.len() > MAX_WAYS {
            return Err(TooMany);
        }
        let Some((way, choices)) = self.known.settle(way) else { return Ok(()) };
        if choices.is_empty() {
            self.found.push(way);
            return Ok(());
        }
        if let Some((variable, values)) = self.known.split(&choices) {
            for &value in &values {
                let mut case = way.clone();
                if case.bindings.unify(&Term::Variable(variable), &Term::Constant(value)) {
                    self.visit(case)?;
                }
            }
            let mut rest = way;
            rest.literals.extend(
                values.into_iter().map(|value| {
                    Literal::Distinct(Term::Variable(variable), Term::Constant(value))
                }),
            );
            return self.visit(rest);
        }
        let fewest = choices.into_iter().min_by_key(Vec::len).unwrap_or_default();
        for escape in fewest {
            let mut case = way.clone();
            if case.take(escape) {
                self.visit(case)?;
            }
        }
        Ok(())
    }
}

impl Way {
    /// Lets a condition fail by one of its parts; `false` if that cannot be.
    fn take(&mut self, escape: Escape) -> bool {
        match escape {
            Escape::Literal(literal) => self.literals.push(literal),
            Escape::Same(a, b) => return self.bindings.unify(&a, &b),
            Escape::Absent(condition) => self.absent.push(condition),
        }
        true
    }
}

impl Known<'_> {
    /// Makes all forced choices; gives the open ones, or `None` if there is no way.
    fn settle(&self, mut way: Way) -> Option<(Way, Vec<Vec<Escape>>)> {
        'again: loop {
            self.tidy(&mut way)?;
            let mut choices = Vec::new();
            let mut left = Vec::new();
            let open = std::mem::take(&mut way.open);
            let mut conditions = open.into_iter();
            while let Some(condition) = conditions.next() {
                let Verdict::Unless(mut escapes) = self.judge(&condition, &way) else { continue };
                match escapes.pop() {
                    None => return None,
                    Some(only) if escapes.is_empty() => {
                        if !way.take(only) {
                            return None;
                        }
                        left.extend(conditions);
                        way.open = left;
                        continue 'again;
                    }
                    Some(last) => {
                        escapes.push(last);
                        choices.push(escapes);
                        left.push(condition);
                    }
                }
            }
            way.open = left;
            return Some((way, choices));
        }
    }

    /// Resolves the literals, drops those that always hold, and binds variables that have one value
    /// left; `None` if a literal never holds.
    fn tidy(&self, way: &mut Way) -> Option<()> {
        loop {
            let mut kept: Vec<Literal> = Vec::with_capacity(way.literals.len());
            for literal in &way.literals {
                let literal = way.bindings.resolve_literal(literal);
                match self.decide(&literal, &kept) {
                    Some(true) => {}
                    Some(false) => return None,
                    None => kept.push(literal),
                }
            }
            way.literals = kept;
            let Some((variable, value)) = self.only_value(way)? else { return Some(()) };
            way.bindings.unify(&Term::Variable(variable), &Term::Constant(value));
        }
    }

    /// A variable with one value left; `None` if one has no value left.
    fn only_value(&self, way: &Way) -> Option<Option<(u32, Symbol)>> {
        let mut excluded: HashMap<u32, BTreeSet<Symbol>> = HashMap::default();
        for literal in &way.literals {
            if let Literal::Distinct(a, b) = literal
                && let Some((variable, value)) = variable_and_constant(a, b)
            {
                excluded.entry(variable).or_default().insert(value);
            }
        }
        let mut only = None;
        for (variable, values) in excluded {
            let Some(domain) = self.domains.get(&variable) else { continue };
            let mut left = domain.difference(&values);
            let first = left.next()?;
            if left.next().is_none() {
                only = only.max(Some((variable, *first)));
            }
        }
        Some(only)
    }

    /// Whether a literal holds whatever its variables are, or never does, given other literals.
    fn decide(&self, literal: &Literal, given: &[Literal]) -> Option<bool> {
        if given.contains(literal) {
            return Some(true);
        }
        match literal {
            Literal::Distinct(a, b) if a == b => Some(false),
            Literal::Distinct(a, b) if !self.may_be_same(a, b, given) => Some(true),
            Literal::Distinct(..) => None,
            Literal::Positive(atom) if given.contains(&Literal::Negative(atom.clone())) => {
                Some(false)
            }
            Literal::Negative(atom) if given.contains(&Literal::Positive(atom.clone())) => {
                Some(false)
            }
            Literal::Positive(atom) => self.facts.decide(atom, &self.domains),
            Literal::Negative(atom) => self.facts.decide(atom, &self.domains).map(|holds| !holds),
        }
    }

    fn may_be_same(&self, a: &Term, b: &Term, given: &[Literal]) -> bool {
        if given.contains(&Literal::Distinct(a.clone(), b.clone()))
            || given.contains(&Literal::Distinct(b.clone(), a.clone()))
            || !unifiable(a, b)
        {
            return false;
        }
        if let Some((variable, value)) = variable_and_constant(a, b) {
            return self.domains.get(&variable).is_none_or(|domain| domain.contains(&value));
        }
        match (a, b) {
            (Term::Variable(a), Term::Variable(b)) => {
                match (self.domains.get(a), self.domains.get(b)) {
                    (Some(a), Some(b)) => !a.is_disjoint(b),
                    _ => true,
                }
            }
            _ => true,
        }
    }

    /// What a condition comes to in the light of what is chosen already.
    fn judge(&self, condition: &Condition, way: &Way) -> Verdict {
        let Some(condition) = condition.resolved(&way.bindings, self.free) else {
            return Verdict::Fails;
        };
        let mut parts =
            Condition { equations: Vec::new(), literals: Vec::new(), rule: condition.rule };
        for (a, b) in condition.equations {
            if !self.may_be_same(&a, &b, &way.literals) {
                return Verdict::Fails;
            }
            parts.equations.push((a, b));
        }
        for literal in condition.literals {
            match self.decide(&literal, &way.literals) {
                Some(true) => {}
                Some(false) => return Verdict::Fails,
                None => parts.literals.push(literal),
            }
        }
        let escapes = parts.separated(self.free).into_iter().map(|part| self.escape(part));
        Verdict::Unless(escapes.collect())
    }

    /// How a part of a condition fails.
    fn escape(&self, mut part: Condition) -> Escape {
        if part.is_quantified(self.free) {
            return Escape::Absent(part);
        }
        match (part.equations.pop(), part.literals.pop()) {
            (Some((a, b)), _) => Escape::Literal(Literal::Distinct(a, b)),
            (None, Some(Literal::Distinct(a, b))) => Escape::Same(a, b),
            (None, Some(Literal::Positive(atom))) => Escape::Literal(Literal::Negative(atom)),
            (None, Some(Literal::Negative(atom))) => Escape::Literal(Literal::Positive(atom)),
            (None, None) => Escape::Absent(part),
        }
    }

    /// A variable to be split by the constants that many conditions compare it with.
    fn split(&self, choices: &[Vec<Escape>]) -> Option<(u32, BTreeSet<Symbol>)> {
        let mut compared: HashMap<u32, (usize, BTreeSet<Symbol>)> = HashMap::default();
        for escape in choices.iter().flatten() {
            let (Escape::Literal(Literal::Distinct(a, b)) | Escape::Same(a, b)) = escape else {
                continue;
            };
            if let Some((variable, value)) = variable_and_constant(a, b) {
                let entry = compared.entry(variable).or_default();
                entry.0 += 1;
                entry.1.insert(value);
            }
        }
        let best = compared.into_iter().max_by_key(|(variable, (count, _))| (*count, *variable))?;
        (best.1.0 >= MIN_SPLIT).then_some((best.0, best.1.1))
    }
}

fn variable_and_constant(a: &Term, b: &Term) -> Option<(u32, Symbol)> {
    match (a, b) {
        (Term::Variable(variable), Term::Constant(name))
        | (Term::Constant(name), Term::Variable(variable)) => Some((*variable, *name)),
        _ => None,
    }
}
