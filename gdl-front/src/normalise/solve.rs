//! Equations solved: `(not (distinct a b))` becomes a substitution, and inequalities that are
//! decided by the terms' shape disappear. A clause that can never fire gives nothing.

use super::expand::Clause;
use super::nnf::Goal;
use crate::ast::{Atom, Term};
use crate::hash::HashMap;
use crate::symbol::Symbol;

type Substitution = HashMap<Symbol, Term>;

/// Solves the equations of a clause; `None` if they have no solution.
pub(super) fn solve(mut clause: Clause) -> Option<Clause> {
    let mut solution = Substitution::default();
    for goal in &clause.goals {
        if let Goal::Equal(a, b) = goal {
            unify(a, b, &mut solution)?;
        }
    }
    if !solution.is_empty() {
        substitute_atom(&mut clause.head, &solution);
        clause.goals.iter_mut().for_each(|goal| substitute_goal(goal, &solution));
    }
    let mut goals = Vec::with_capacity(clause.goals.len());
    for goal in clause.goals {
        match &goal {
            Goal::Equal(..) => {}
            Goal::Distinct(a, b) if a.same(b) => return None,
            Goal::Distinct(a, b) if never_equal(a, b) => {}
            _ => goals.push(goal),
        }
    }
    Some(Clause { goals, ..clause })
}

/// Whether no substitution makes the terms the same.
fn never_equal(a: &Term, b: &Term) -> bool {
    unify(a, b, &mut Substitution::default()).is_none()
}

fn unify(a: &Term, b: &Term, solution: &mut Substitution) -> Option<()> {
    let (a, b) = (resolve(a, solution), resolve(b, solution));
    match (&a, &b) {
        _ if a.same(&b) => Some(()),
        (Term::Variable(name, _), other) | (other, Term::Variable(name, _)) => {
            let mut occurs = false;
            other.for_each_variable(&mut |inner, _| occurs |= inner == *name);
            if occurs {
                return None;
            }
            let step = Substitution::from_iter([(*name, other.clone())]);
            solution.values_mut().for_each(|term| *term = resolve(term, &step));
            solution.extend(step);
            Some(())
        }
        (Term::Function(f, a, _), Term::Function(g, b, _)) if f == g && a.len() == b.len() => {
            a.iter().zip(b).try_for_each(|(a, b)| unify(a, b, solution))
        }
        _ => None,
    }
}

fn resolve(term: &Term, solution: &Substitution) -> Term {
    match term {
        Term::Variable(name, _) => solution.get(name).unwrap_or(term).clone(),
        Term::Constant(..) => term.clone(),
        Term::Function(name, args, span) => {
            let args = args.iter().map(|arg| resolve(arg, solution)).collect();
            Term::Function(*name, args, *span)
        }
    }
}

fn substitute_atom(atom: &mut Atom, solution: &Substitution) {
    atom.args.iter_mut().for_each(|arg| *arg = resolve(arg, solution));
}

fn substitute_goal(goal: &mut Goal, solution: &Substitution) {
    match goal {
        Goal::Positive(atom) | Goal::Negative(atom) => substitute_atom(atom, solution),
        Goal::Distinct(a, b) | Goal::Equal(a, b) => {
            *a = resolve(a, solution);
            *b = resolve(b, solution);
        }
        Goal::Choice(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use expect_test::expect;

    #[test]
    fn equations_are_solved() {
        check(
            "(<= (p ?x ?y) (q ?x ?y) (not (distinct ?x ?y)))
             (<= (p ?x b) (q ?x c) (not (distinct (f ?x) (f a))))
             (<= r (q ?x ?x) (not (distinct a b)))",
            expect![[r#"
                (<= (p ?y ?y) (q ?y ?y))
                (<= (p a b) (q a c))"#]],
        );
    }

    #[test]
    fn inequalities_of_different_shapes_disappear() {
        check(
            "(<= (p ?x) (q ?x) (distinct (f ?x) (g ?x)) (distinct a b))
             (<= (p ?x) (q ?x) (distinct ?x ?x))",
            expect!["(<= (p ?x) (q ?x))"],
        );
    }
}
