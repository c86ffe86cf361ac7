//! Substitutions of numbered variables, and most general unifiers.

use crate::hash::HashMap;
use crate::program::{Atom, Literal, Term};

/// What variables stand for. A variable is only ever bound to terms over older ones, where both are
/// variables: the numbers of the fluent come first, then those of the move, then those of a rule,
/// so what can be said in terms of the fluent is.
#[derive(Clone, Debug, Default)]
pub(super) struct Bindings(HashMap<u32, Term>);

impl Bindings {
    /// The term with everything put in that is known.
    pub(super) fn resolve(&self, term: &Term) -> Term {
        term.replaced(&mut |variable| match self.0.get(&variable) {
            Some(bound) => self.resolve(bound),
            None => Term::Variable(variable),
        })
    }

    /// The atom with everything put in that is known.
    pub(super) fn resolve_atom(&self, atom: &Atom) -> Atom {
        let args = atom.args.iter().map(|arg| self.resolve(arg)).collect();
        Atom { relation: atom.relation, args }
    }

    /// The literal with everything put in that is known.
    pub(super) fn resolve_literal(&self, literal: &Literal) -> Literal {
        match literal {
            Literal::Positive(atom) => Literal::Positive(self.resolve_atom(atom)),
            Literal::Negative(atom) => Literal::Negative(self.resolve_atom(atom)),
            Literal::Distinct(a, b) => Literal::Distinct(self.resolve(a), self.resolve(b)),
        }
    }

    /// Makes two terms the same; `false`, with the bindings in no useful state, if they never are.
    pub(super) fn unify(&mut self, a: &Term, b: &Term) -> bool {
        match (self.resolve(a), self.resolve(b)) {
            (a, b) if a == b => true,
            (Term::Variable(a), Term::Variable(b)) => {
                self.0.insert(a.max(b), Term::Variable(a.min(b)));
                true
            }
            (Term::Variable(variable), other) | (other, Term::Variable(variable)) => {
                let mut occurs = false;
                other.for_each_variable(&mut |inner| occurs |= inner == variable);
                self.0.insert(variable, other);
                !occurs
            }
            (Term::Function(f, a), Term::Function(g, b)) if f == g && a.len() == b.len() => {
                a.iter().zip(&b).all(|(a, b)| self.unify(a, b))
            }
            _ => false,
        }
    }

    /// Makes two atoms the same.
    pub(super) fn unify_atoms(&mut self, a: &Atom, b: &Atom) -> bool {
        a.relation == b.relation && a.args.iter().zip(&b.args).all(|(a, b)| self.unify(a, b))
    }

    /// What a variable stands for, if it is bound.
    pub(super) fn bound(&self, variable: u32) -> Option<Term> {
        self.0.get(&variable).map(|term| self.resolve(term))
    }
}

/// Whether two terms can be made the same at all.
pub(super) fn unifiable(a: &Term, b: &Term) -> bool {
    Bindings::default().unify(a, b)
}
