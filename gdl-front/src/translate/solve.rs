//! All conditions to persist must fail: the ways in which they can, each a conjunction of literals.
//!
//! A condition fails if one of its parts does, so this is a search over which part of each: choices
//! that are forced are made first, equations are solved as they come up, and what the terms, the
//! facts and the names at each argument decide is not left for run time.

use std::collections::BTreeSet;

use super::absence::Absences;
use super::clause::Condition;
use super::draft::Draft;
use super::invariant::Invariants;
use super::statics::Statics;
use super::turns::Turns;
use super::unify::{Bindings, unifiable};
use crate::hash::HashMap;
use crate::program::{Atom, Literal, Program, RelationId, Term};
use crate::source::Span;
use crate::symbol::Symbol;

/// The search gives up after this many nodes.
const MAX_NODES: usize = 4_000;
/// It gives up if there are more ways than this.
const MAX_WAYS: usize = 128;
/// It gives up after this many steps of comparing ways.
const MAX_STEPS: usize = 400_000;
/// Facts are looked up for at most this many instances of a literal.
const MAX_INSTANCES: usize = 4_096;
/// A literal is compared with the heads of its relation's rules if they are at most this many.
const MAX_HEADS: usize = 64;
/// A variable that this many conditions compare with constants is split by them.
const MIN_SPLIT: usize = 3;

/// What is known without running the game.
pub(super) struct Known<'a> {
    /// The constants that a free variable can be, where that is known.
    pub(super) domains: HashMap<u32, BTreeSet<Symbol>>,
    /// What facts and rules say.
    pub(super) facts: &'a Facts<'a>,
    /// What holds of every fluent or move of a name.
    pub(super) invariants: &'a Invariants<'a>,
    /// What holds when moves are made.
    pub(super) turns: &'a Turns<'a>,
    /// Variables from here on are existential.
    pub(super) free: u32,
}

/// What facts and rules say before the game is run.
pub(super) struct Facts<'p> {
    pub(super) statics: Statics<'p>,
    /// The heads of the rules and facts of each relation that is not an input.
    heads: HashMap<RelationId, Vec<&'p Atom>>,
}

/// One way in which all conditions fail.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) bindings: Bindings,
    /// What must hold, the fluent and the joint move included.
    pub(super) literals: Vec<Literal>,
    /// Conditions of which nothing is decided yet.
    open: Vec<Condition>,
}

/// The search needs more room than it gets.
pub(super) struct TooMany;

/// A part of a condition, negated.
enum Escape {
    Literal(Literal),
    Same(Term, Term),
}

enum Verdict {
    /// The condition cannot hold here.
    Fails,
    /// It holds unless one of these does.
    Unless(Vec<Escape>),
}

impl<'p> Facts<'p> {
    pub(super) fn of(program: &'p Program) -> Facts<'p> {
        let words = &program.vocabulary;
        let mut heads: HashMap<RelationId, Vec<&Atom>> = HashMap::default();
        for rule in &program.rules {
            heads.entry(rule.head.relation).or_default().push(&rule.head);
        }
        for fact in &program.facts {
            heads.entry(fact.atom.relation).or_default().push(&fact.atom);
        }
        heads.remove(&words.true_);
        heads.remove(&words.does);
        Facts { statics: Statics::of(program), heads }
    }

    /// Whether no rule can derive an atom.
    fn is_underivable(&self, atom: &Atom) -> bool {
        let shifted = |head: &Atom| {
            let mut head = head.clone();
            head.replace_variables(&mut |number| Term::Variable(u32::MAX - number));
            head
        };
        let unifies = |head: &&Atom| Bindings::default().unify_atoms(atom, &shifted(head));
        match self.heads.get(&atom.relation) {
            Some(heads) => heads.len() <= MAX_HEADS && !heads.iter().any(unifies),
            None => false,
        }
    }

    /// Whether an atom holds for every value of its variable, for none, or that is not known.
    fn decide(&self, atom: &Atom, domains: &HashMap<u32, BTreeSet<Symbol>>) -> Option<bool> {
        if self.is_underivable(atom) {
            return Some(false);
        }
        let mut instances = Instances::of(atom, domains)?;
        let first = self.statics.holds(&instances.next()?)?;
        instances.all(|other| self.statics.holds(&other) == Some(first)).then_some(first)
    }
}

/// The ground instances of an atom whose variables have known values.
struct Instances<'a> {
    atom: &'a Atom,
    values: Vec<(u32, Vec<Symbol>)>,
    next: usize,
    count: usize,
}

impl<'a> Instances<'a> {
    /// `None` if a variable's values are not known, or if there are too many instances to try.
    fn of(atom: &'a Atom, domains: &HashMap<u32, BTreeSet<Symbol>>) -> Option<Instances<'a>> {
        let mut variables = BTreeSet::new();
        atom.args.iter().for_each(|arg| {
            arg.for_each_variable(&mut |variable| {
                variables.insert(variable);
            });
        });
        let mut values = Vec::new();
        let mut count = 1usize;
        for variable in variables {
            let domain = domains.get(&variable)?;
            count = count.saturating_mul(domain.len());
            values.push((variable, domain.iter().copied().collect()));
        }
        (count <= MAX_INSTANCES).then_some(Instances { atom, values, next: 0, count })
    }
}

impl Iterator for Instances<'_> {
    type Item = Atom;

    fn next(&mut self) -> Option<Atom> {
        if self.next == self.count {
            return None;
        }
        let mut rest = self.next;
        self.next += 1;
        let mut chosen: HashMap<u32, Symbol> = HashMap::default();
        for (variable, values) in &self.values {
            chosen.insert(*variable, values[rest % values.len()]);
            rest /= values.len();
        }
        let mut instance = self.atom.clone();
        instance.replace_variables(&mut |variable| match chosen.get(&variable) {
            Some(&name) => Term::Constant(name),
            None => Term::Variable(variable),
        });
        Some(instance)
    }
}

/// The ways in which all conditions fail, given what holds anyway.
pub(super) fn ways(
    known: &Known<'_>,
    absences: &mut Absences,
    fluent: &Atom,
    given: Vec<Literal>,
    conditions: Vec<Condition>,
) -> Result<Vec<Way>, TooMany> {
    let mut search =
        Search { known, absences, nodes: 0, steps: MAX_STEPS, fluent, found: Vec::new() };
    let root = Way { bindings: Bindings::default(), literals: given, open: conditions };
    search.visit(root)?;
    Ok(search.found.into_iter().map(|(way, _)| way).collect())
}

struct Search<'a> {
    known: &'a Known<'a>,
    absences: &'a mut Absences,
    nodes: usize,
    steps: usize,
    /// The fluent, as the argument of any relation.
    fluent: &'a Atom,
    /// The ways, and as rules, which are compared: what is a special case of one is not looked for.
    found: Vec<(Way, Draft)>,
}

impl Search<'_> {
    fn visit(&mut self, way: Way) -> Result<(), TooMany> {
        self.nodes += 1;
        if self.nodes > MAX_NODES || self.found.len() > MAX_WAYS {
            return Err(TooMany);
        }
        let Some((way, choices)) = self.settle(way) else { return Ok(()) };
        let draft = way.draft(self.fluent);
        let steps = &mut self.steps;
        if self.found.iter().any(|(_, found)| found.subsumes_within(&draft, steps)) {
            return Ok(());
        }
        if self.steps == 0 {
            return Err(TooMany);
        }
        if choices.is_empty() {
            self.found.push((way, draft));
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
        let mut fewest = choices.into_iter().min_by_key(Vec::len).unwrap_or_default();
        // Equations first: they say most, and what they find need not be found again.
        fewest.sort_by_key(|escape| !matches!(escape, Escape::Same(..)));
        for escape in fewest {
            let mut case = way.clone();
            if case.take(escape) {
                self.visit(case)?;
            }
        }
        Ok(())
    }

    /// Makes all forced choices; gives the open ones, or `None` if there is no way.
    fn settle(&mut self, mut way: Way) -> Option<(Way, Vec<Vec<Escape>>)> {
        'again: loop {
            self.known.tidy(&mut way)?;
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

    /// What a condition comes to in the light of what is chosen already.
    fn judge(&mut self, condition: &Condition, way: &Way) -> Verdict {
        let free = self.known.free;
        let Some(condition) = condition.resolved(&way.bindings, free) else {
            return Verdict::Fails;
        };
        let mut parts =
            Condition { equations: Vec::new(), literals: Vec::new(), rule: condition.rule };
        for (a, b) in condition.equations {
            if !self.known.may_be_same(&a, &b, &way.literals) {
                return Verdict::Fails;
            }
            parts.equations.push((a, b));
        }
        for literal in condition.literals {
            match self.known.decide(&literal, &way.literals) {
                Some(true) => {}
                Some(false) => return Verdict::Fails,
                None => parts.literals.push(literal),
            }
        }
        let parts = parts.separated(free).into_iter();
        let escapes: Vec<Escape> = parts.map(|part| self.escape(part)).collect();
        let decided = |escape: &Escape| matches!(escape, Escape::Literal(literal) if way.literals.contains(literal));
        if escapes.iter().any(decided) { Verdict::Fails } else { Verdict::Unless(escapes) }
    }

    /// How a part of a condition fails.
    fn escape(&mut self, mut part: Condition) -> Escape {
        if part.is_quantified(self.known.free) {
            return Escape::Literal(Literal::Negative(
                self.absences.instance(part, self.known.free),
            ));
        }
        match (part.equations.pop(), part.literals.pop()) {
            (Some((a, b)), _) => Escape::Literal(Literal::Distinct(a, b)),
            (None, Some(Literal::Distinct(a, b))) => Escape::Same(a, b),
            (None, Some(Literal::Negative(atom))) => Escape::Literal(Literal::Positive(atom)),
            (None, Some(Literal::Positive(atom))) => Escape::Literal(Literal::Negative(atom)),
            // A part is never empty; if it were, it would hold.
            (None, None) => Escape::Literal(Literal::Distinct(
                Term::Variable(u32::MAX),
                Term::Variable(u32::MAX),
            )),
        }
    }
}

impl Way {
    /// What is decided, as a rule.
    fn draft(&self, fluent: &Atom) -> Draft {
        let body = self.literals.clone();
        let head = self.bindings.resolve_atom(fluent);
        Draft { head, body, names: Vec::new(), span: Span::default() }
    }

    /// Lets a condition fail by one of its parts; `false` if that cannot be.
    fn take(&mut self, escape: Escape) -> bool {
        match escape {
            Escape::Literal(literal) => self.literals.push(literal),
            Escape::Same(a, b) => return self.bindings.unify(&a, &b),
        }
        true
    }
}

impl Known<'_> {
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
            Literal::Positive(atom) => self.decide_atom(atom, given),
            Literal::Negative(atom) => self.decide_atom(atom, given).map(|holds| !holds),
        }
    }

    fn decide_atom(&self, atom: &Atom, given: &[Literal]) -> Option<bool> {
        let decided = self.facts.decide(atom, &self.domains);
        let implied = || given.iter().any(|literal| self.invariants.implies(literal, atom));
        decided.or_else(|| implied().then_some(true)).or_else(|| self.turns.decide(atom, given))
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
