//! Conditions that must have no instance, as literals, so that rules can be compared.
//!
//! Two conditions that differ only in what stands outside the scope of their quantifiers are one
//! shape applied to different terms. A literal names the shape by a provisional relation; a real
//! relation takes its place when the rules are ready.

use super::clause::Condition;
use crate::hash::HashMap;
use crate::program::{Atom, Literal, RelationId, Term};

/// Provisional relations are numbered from here: no program has so many.
const FIRST: u32 = 1 << 30;
/// In a shape, holes are numbered from here, existential variables from 0.
const FIRST_HOLE: u32 = 1 << 20;

/// The equations and literals of a condition, with holes for what is not quantified.
type Shape = (Vec<(Term, Term)>, Vec<Literal>);

/// The conditions met so far.
#[derive(Default)]
pub(super) struct Absences {
    ids: HashMap<Shape, u32>,
    conditions: Vec<Quantified>,
}

/// A condition with holes.
struct Quantified {
    shape: Shape,
    /// The rule that it comes from, and the numbers there of its existential variables.
    rule: usize,
    variables: Vec<u32>,
}

impl Absences {
    /// The atom that stands for an instance of a condition; variables from `free` on are
    /// existential.
    pub(super) fn instance(&mut self, condition: Condition, free: u32) -> Atom {
        let mut variables = condition.variables();
        variables.retain(|&variable| variable >= free);
        let mut args = Vec::new();
        let mut hollow = |term: &Term| hollowed(term, &variables, &mut args);
        let equations = condition.equations.iter().map(|(a, b)| (hollow(a), hollow(b))).collect();
        let mut literals = condition.literals.clone();
        for literal in &mut literals {
            match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => {
                    atom.args.iter_mut().for_each(|arg| *arg = hollow(arg));
                }
                Literal::Distinct(a, b) => (*a, *b) = (hollow(a), hollow(b)),
            }
        }
        let shape = (equations, literals);
        let next = self.conditions.len() as u32;
        let id = *self.ids.entry(shape.clone()).or_insert(next);
        if id == next {
            let variables = variables.iter().map(|variable| variable - free).collect();
            self.conditions.push(Quantified { shape, rule: condition.rule, variables });
        }
        Atom { relation: RelationId(FIRST + id), args }
    }

    /// The condition that an atom stands for, its existential variables numbered from `free` as in
    /// the rule that it comes from; `None` for other atoms.
    pub(super) fn condition(&self, atom: &Atom, free: u32) -> Option<Condition> {
        let index = atom.relation.0.checked_sub(FIRST)?;
        let Quantified { shape, rule, variables } = &self.conditions[index as usize];
        let mut fill = |number: u32| match number.checked_sub(FIRST_HOLE) {
            Some(hole) => atom.args[hole as usize].clone(),
            None => Term::Variable(variables[number as usize] + free),
        };
        let equations = shape.0.iter();
        let equations =
            equations.map(|(a, b)| (a.replaced(&mut fill), b.replaced(&mut fill))).collect();
        let mut literals = shape.1.clone();
        literals.iter_mut().for_each(|literal| literal.replace_variables(&mut fill));
        Some(Condition { equations, literals, rule: *rule })
    }
}

/// A term with holes for its largest parts that hold no existential variable.
fn hollowed(term: &Term, quantified: &[u32], args: &mut Vec<Term>) -> Term {
    let number = |variable: u32| quantified.iter().position(|&other| other == variable);
    let mut holds_quantified = false;
    term.for_each_variable(&mut |variable| holds_quantified |= number(variable).is_some());
    match term {
        Term::Variable(variable) if holds_quantified => {
            Term::Variable(number(*variable).unwrap_or(0) as u32)
        }
        Term::Function(name, inner) if holds_quantified => {
            let inner = inner.iter().map(|arg| hollowed(arg, quantified, args)).collect();
            Term::Function(*name, inner)
        }
        _ => {
            args.push(term.clone());
            Term::Variable(FIRST_HOLE + args.len() as u32 - 1)
        }
    }
}
