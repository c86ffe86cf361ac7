//! Negation normal form: `not` ends at atoms, `and` dissolves, only `or` nests.

use crate::ast::{Atom, Formula, Term};
use crate::symbol::Symbol;

/// A condition in negation normal form.
#[derive(Clone, Debug)]
pub(super) enum Goal {
    Positive(Atom),
    Negative(Atom),
    Distinct(Term, Term),
    /// The negation of `distinct`.
    Equal(Term, Term),
    /// One of the conjunctions holds.
    Choice(Vec<Vec<Goal>>),
}

/// The goals of a body.
pub(super) fn conjunction(body: &[Formula]) -> Vec<Goal> {
    let mut goals = Vec::new();
    for formula in body {
        add(formula, true, &mut goals);
    }
    goals
}

fn add(formula: &Formula, positive: bool, goals: &mut Vec<Goal>) {
    match (formula, positive) {
        (Formula::Atom(atom), true) => goals.push(Goal::Positive(atom.clone())),
        (Formula::Atom(atom), false) => goals.push(Goal::Negative(atom.clone())),
        (Formula::Distinct(terms, _), true) => {
            goals.push(Goal::Distinct(terms[0].clone(), terms[1].clone()))
        }
        (Formula::Distinct(terms, _), false) => {
            goals.push(Goal::Equal(terms[0].clone(), terms[1].clone()))
        }
        (Formula::Not(inner, _), _) => add(inner, !positive, goals),
        (Formula::And(parts, _), true) | (Formula::Or(parts, _), false) => {
            for part in parts {
                add(part, positive, goals);
            }
        }
        (Formula::Or(parts, _), true) | (Formula::And(parts, _), false) => {
            let mut disjuncts = Vec::new();
            for part in parts {
                add_disjunct(part, positive, &mut disjuncts);
            }
            match disjuncts.len() {
                1 => goals.append(&mut disjuncts[0]),
                _ => goals.push(Goal::Choice(disjuncts)),
            }
        }
    }
}

/// Adds a disjunct; a choice that is all of it is spliced in.
fn add_disjunct(formula: &Formula, positive: bool, disjuncts: &mut Vec<Vec<Goal>>) {
    let mut goals = Vec::new();
    add(formula, positive, &mut goals);
    match goals.as_mut_slice() {
        [Goal::Choice(inner)] => disjuncts.append(inner),
        _ => disjuncts.push(goals),
    }
}

impl Goal {
    /// Calls `visit` on every variable in it.
    pub(super) fn for_each_variable(&self, visit: &mut dyn FnMut(Symbol)) {
        match self {
            Goal::Positive(atom) | Goal::Negative(atom) => {
                atom.args.iter().for_each(|arg| arg.for_each_variable(&mut |name, _| visit(name)));
            }
            Goal::Distinct(a, b) | Goal::Equal(a, b) => {
                a.for_each_variable(&mut |name, _| visit(name));
                b.for_each_variable(&mut |name, _| visit(name));
            }
            Goal::Choice(disjuncts) => {
                disjuncts.iter().flatten().for_each(|goal| goal.for_each_variable(visit));
            }
        }
    }
}
