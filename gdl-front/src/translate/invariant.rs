//! Static conditions that hold for every fluent or move of a name, proved by induction.
//!
//! Frame rules guard their conditions with the likes of `(valid_cell ?x ?y)`, which holds for every
//! cell there is, but not for every pair of coordinates. The hypothesis that it does is checked
//! against every rule that makes such a fluent true, or such a move legal; hypotheses that fail are
//! dropped until none does.

use super::frame::{FrameRule, Unfolder};
use super::statics::Statics;
use super::unify::Bindings;
use crate::hash::HashSet;
use crate::program::{Atom, Class, Literal, Program, Rule, Term};
use crate::shapes::{Shape, shape};

/// How deep definitions are looked into for a proof.
const MAX_DEPTH: usize = 3;
/// A relation with more facts than this is not tried fact by fact.
const MAX_FACTS: usize = 2_000;

/// What a condition is about: fluents that are true, or moves that are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Carrier {
    Fluent(Shape),
    Move(Shape),
}

/// A static condition over the arguments of its carrier, which are its variables by number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Invariant {
    carrier: Carrier,
    condition: Atom,
}

/// Conditions that always hold.
pub(super) struct Invariants<'p> {
    program: &'p Program,
    proved: HashSet<Invariant>,
}

impl<'p> Invariants<'p> {
    /// Proves what it can of the conditions in frame rules.
    pub(super) fn of(
        program: &'p Program,
        statics: &'p Statics<'p>,
        rules: &[FrameRule],
    ) -> Invariants<'p> {
        let proved = rules.iter().flat_map(|rule| candidates(program, &rule.rule)).collect();
        let mut invariants = Invariants { program, proved };
        let prover = Prover { program, unfolder: Unfolder::new(program), statics };
        loop {
            let before = invariants.proved.len();
            let all: Vec<Invariant> = invariants.proved.iter().cloned().collect();
            for invariant in all {
                if !prover.is_preserved(&invariants, &invariant) {
                    invariants.proved.remove(&invariant);
                }
            }
            if invariants.proved.len() == before {
                return invariants;
            }
        }
    }

    /// Whether an atom holds because of a literal that does.
    pub(super) fn implies(&self, given: &Literal, wanted: &Atom) -> bool {
        let Literal::Positive(atom) = given else { return false };
        let Some((carrier, args)) = carried(self.program, atom) else { return false };
        self.proved.iter().any(|invariant| {
            invariant.carrier == carrier
                && invariant.condition.relation == wanted.relation
                && instance(&invariant.condition, args) == *wanted
        })
    }
}

/// The carrier that an atom for a fluent or a move holds, with its arguments.
fn carried<'a>(program: &Program, atom: &'a Atom) -> Option<(Carrier, &'a [Term])> {
    let words = &program.vocabulary;
    let (term, is_fluent) = if [words.true_, words.next, words.init].contains(&atom.relation) {
        (&atom.args[0], true)
    } else if [words.does, words.legal].contains(&atom.relation) {
        (&atom.args[1], false)
    } else {
        return None;
    };
    let outer = shape(term)?;
    let args: &[Term] = if let Term::Function(_, args) = term { args } else { &[] };
    Some((if is_fluent { Carrier::Fluent(outer) } else { Carrier::Move(outer) }, args))
}

/// A condition with the arguments of a carrier in the place of its variables.
fn instance(condition: &Atom, args: &[Term]) -> Atom {
    let mut atom = condition.clone();
    atom.replace_variables(&mut |number| args[number as usize].clone());
    atom
}

/// The static conditions of a rule that speak of one fluent or move only.
fn candidates(program: &Program, rule: &Rule) -> Vec<Invariant> {
    let mut found = Vec::new();
    let atoms = |literal: &Literal| match literal {
        Literal::Positive(atom) => Some(atom.clone()),
        _ => None,
    };
    let positive: Vec<Atom> = rule.body.iter().filter_map(atoms).collect();
    for condition in &positive {
        let is_static = program.relation(condition.relation).class == Class::Static;
        if !is_static || condition.args.iter().all(Term::is_ground) {
            continue;
        }
        for (carrier, args) in positive.iter().filter_map(|atom| carried(program, atom)) {
            let position =
                |variable: u32| args.iter().position(|arg| *arg == Term::Variable(variable));
            let mut known = true;
            let mut condition = condition.clone();
            condition.replace_variables(&mut |variable| {
                known &= position(variable).is_some();
                Term::Variable(position(variable).unwrap_or(0) as u32)
            });
            if known {
                found.push(Invariant { carrier, condition });
            }
        }
    }
    found
}

/// What proofs are made from.
struct Prover<'p> {
    program: &'p Program,
    unfolder: Unfolder<'p>,
    statics: &'p Statics<'p>,
}

impl Prover<'_> {
    /// Whether everything that makes a carrier true or legal lets the condition hold, if all that
    /// is taken for proved does.
    fn is_preserved(&self, taken: &Invariants<'_>, invariant: &Invariant) -> bool {
        let words = &self.program.vocabulary;
        let origins = match invariant.carrier {
            Carrier::Fluent(_) => [words.init, words.next],
            Carrier::Move(_) => [words.legal, words.legal],
        };
        let wanted = |head: &Atom| match carried(self.program, head) {
            Some((carrier, args)) if carrier == invariant.carrier => {
                Some(instance(&invariant.condition, args))
            }
            _ => None,
        };
        let facts = self.program.facts.iter().filter(|it| origins.contains(&it.atom.relation));
        let mut facts = facts.filter_map(|fact| wanted(&fact.atom));
        let mut rules =
            self.program.rules.iter().filter(|rule| origins.contains(&rule.head.relation));
        facts.all(|atom| self.is_fact(&atom))
            && rules.all(|rule| match wanted(&rule.head) {
                Some(atom) => self.proves(taken, rule, &atom, MAX_DEPTH),
                // A rule for any fluent or move is fine if it only lets true ones persist.
                None => {
                    shape(rule.head.args.last().unwrap_or(&Term::Variable(0))).is_some()
                        || persists(self.program, rule)
                }
            })
    }

    fn is_fact(&self, atom: &Atom) -> bool {
        self.statics.holds(atom) == Some(true)
    }

    /// Whether the body of a rule lets an atom hold.
    fn proves(&self, taken: &Invariants<'_>, rule: &Rule, wanted: &Atom, depth: usize) -> bool {
        let direct = |literal: &Literal| {
            *literal == Literal::Positive(wanted.clone()) || taken.implies(literal, wanted)
        };
        if rule.body.iter().any(direct) || self.is_fact(wanted) {
            return true;
        }
        if depth == 0 {
            return false;
        }
        let mut variables = Vec::new();
        wanted.args.iter().for_each(|arg| arg.for_each_variable(&mut |it| variables.push(it)));
        rule.body.iter().enumerate().any(|(index, literal)| {
            let mut mentioned = Vec::new();
            literal.for_each_variable(&mut |variable| mentioned.push(variable));
            if !variables.iter().any(|variable| mentioned.contains(variable)) {
                return false;
            }
            if let Literal::Positive(atom) = literal
                && let Some(facts) = self.statics.only_facts(atom.relation)
            {
                return variables.iter().all(|variable| mentioned.contains(variable))
                    && facts.len() <= MAX_FACTS
                    && facts.iter().all(|fact| self.fact_proves(atom, fact, wanted));
            }
            self.unfolder.unfold_for(rule, index, wanted).is_some_and(|rules| {
                rules.iter().all(|(rule, wanted)| self.proves(taken, rule, wanted, depth - 1))
            })
        })
    }

    /// Whether an atom holds if another is a certain fact.
    fn fact_proves(&self, atom: &Atom, fact: &Atom, wanted: &Atom) -> bool {
        let mut bindings = Bindings::default();
        !bindings.unify_atoms(atom, fact) || self.is_fact(&bindings.resolve_atom(wanted))
    }
}

/// Whether a rule says no more than that something true stays true.
fn persists(program: &Program, rule: &Rule) -> bool {
    rule.body.iter().any(|literal| super::frame::is_persistence(program, rule, literal))
}
