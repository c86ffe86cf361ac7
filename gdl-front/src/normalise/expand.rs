//! Choices to clauses: one clause for each way to choose while these are few, an auxiliary relation
//! for a choice where they are many.
//!
//! A rule with k choices of two disjuncts each would have 2^k clauses. Beyond [`MAX_CLAUSES`] one
//! choice after the other becomes a relation: by itself if each of its disjuncts binds what the rest
//! of the rule needs, else together with the conditions that bind its variables.

use super::build::Builder;
use super::nnf::Goal;
use crate::ast::{Atom, Rule, Term};
use crate::diagnostic::{Code, Diagnostic};
use crate::hash::HashSet;
use crate::source::Span;
use crate::symbol::Symbol;

/// A rule is written out into at most this many clauses before a choice becomes a relation.
const MAX_CLAUSES: usize = 8;
/// Where no choice can become a relation, a rule is written out up to this many clauses.
const MAX_FORCED: usize = 4096;

/// A head with conditions that hold no choice.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) head: Atom,
    pub(super) goals: Vec<Goal>,
    pub(super) span: Span,
}

/// The clauses of a rule, auxiliary ones first.
pub(super) fn expand(
    rule: &Rule,
    goals: Vec<Goal>,
    builder: &mut Builder,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Clause> {
    let mut expander = Expander { span: rule.span, builder, clauses: Vec::new(), too_many: false };
    expander.add(rule.head.clone(), goals);
    let Expander { clauses, too_many, .. } = expander;
    if too_many {
        diagnostics.push(
            Diagnostic::error(
                Code::TooManyDisjuncts,
                rule.span,
                format!("this rule needs more than {MAX_FORCED} clauses without `or`"),
            )
            .note("name parts of it as relations of their own"),
        );
    }
    clauses
}

struct Expander<'b> {
    span: Span,
    builder: &'b mut Builder,
    clauses: Vec<Clause>,
    too_many: bool,
}

impl Expander<'_> {
    fn add(&mut self, head: Atom, mut goals: Vec<Goal>) {
        while ways(&goals) > MAX_CLAUSES {
            if !self.name_a_choice(&head, &mut goals) {
                break;
            }
        }
        if ways(&goals) > MAX_FORCED {
            self.too_many = true;
            return;
        }
        for goals in written_out(&goals) {
            self.clauses.push(Clause { head: head.clone(), goals, span: self.span });
        }
    }

    /// Replaces one choice of the goals by an auxiliary relation; `false` if none can be.
    fn name_a_choice(&mut self, head: &Atom, goals: &mut Vec<Goal>) -> bool {
        let choices = (0..goals.len()).filter(|&index| matches!(goals[index], Goal::Choice(_)));
        for index in choices.collect::<Vec<_>>() {
            let rest: Vec<Goal> = others(goals, index);
            let Goal::Choice(disjuncts) = &goals[index] else {
                continue;
            };
            let needed = shared(&variables(disjuncts.iter().flatten()), head, &rest);
            if disjuncts.iter().all(|disjunct| is_safe(disjunct, &needed, &[])) {
                let disjuncts = disjuncts.clone();
                let atom = self.relation(&needed, disjuncts, &[]);
                goals[index] = Goal::Positive(atom);
                return true;
            }
        }
        self.name_in_context(head, goals)
    }

    /// The same for a choice that needs the variables which the plain conditions bind.
    fn name_in_context(&mut self, head: &Atom, goals: &mut Vec<Goal>) -> bool {
        let bound = bound_by(goals.iter());
        let is_context = |goal: &Goal| match goal {
            Goal::Choice(_) => false,
            Goal::Positive(_) => true,
            _ => variables([goal]).is_subset(&bound),
        };
        let (context, rest): (Vec<Goal>, Vec<Goal>) = goals.drain(..).partition(is_context);
        *goals = rest;
        for index in 0..goals.len() {
            let Goal::Choice(disjuncts) = &goals[index] else {
                continue;
            };
            let mut all = variables(disjuncts.iter().flatten());
            all.extend(&bound);
            let needed = shared(&all, head, &others(goals, index));
            if disjuncts.iter().all(|disjunct| is_safe(disjunct, &needed, &context)) {
                let disjuncts = disjuncts.clone();
                let atom = self.relation(&needed, disjuncts, &context);
                goals[index] = Goal::Positive(atom);
                return true;
            }
        }
        goals.splice(0..0, context);
        false
    }

    /// A new relation that holds if the context and one of the disjuncts do.
    fn relation(
        &mut self,
        arguments: &[Symbol],
        disjuncts: Vec<Vec<Goal>>,
        context: &[Goal],
    ) -> Atom {
        let args = arguments.iter().map(|&name| Term::Variable(name, self.span)).collect();
        let atom = Atom { name: self.builder.auxiliary(), args, span: self.span };
        for disjunct in disjuncts {
            let goals = context.iter().cloned().chain(disjunct).collect();
            self.add(atom.clone(), goals);
        }
        atom
    }
}

/// How many clauses the goals need without auxiliary relations.
fn ways(goals: &[Goal]) -> usize {
    goals.iter().fold(1, |product, goal| match goal {
        Goal::Choice(disjuncts) => {
            let sum = disjuncts.iter().fold(0usize, |sum, goals| sum.saturating_add(ways(goals)));
            product.saturating_mul(sum)
        }
        _ => product,
    })
}

/// All ways to choose; a choice is made in its place, so that the order of conditions is kept.
fn written_out(goals: &[Goal]) -> Vec<Vec<Goal>> {
    let mut clauses = vec![Vec::new()];
    for goal in goals {
        if let Goal::Choice(disjuncts) = goal {
            let disjuncts: Vec<Vec<Goal>> =
                disjuncts.iter().flat_map(|goals| written_out(goals)).collect();
            clauses = clauses
                .iter()
                .flat_map(|clause| disjuncts.iter().map(|more| [clause.as_slice(), more].concat()))
                .collect();
        } else {
            clauses.iter_mut().for_each(|clause: &mut Vec<Goal>| clause.push(goal.clone()));
        }
    }
    clauses
}

fn others(goals: &[Goal], index: usize) -> Vec<Goal> {
    [&goals[..index], &goals[index + 1..]].concat()
}

fn variables<'g>(goals: impl IntoIterator<Item = &'g Goal>) -> HashSet<Symbol> {
    let mut names = HashSet::default();
    for goal in goals {
        goal.for_each_variable(&mut |name| {
            names.insert(name);
        });
    }
    names
}

/// The variables in positive conditions.
fn bound_by<'g>(goals: impl Iterator<Item = &'g Goal>) -> HashSet<Symbol> {
    variables(goals.filter(|goal| matches!(goal, Goal::Positive(_))))
}

/// Those of the variables that the head or the rest of the body needs, in a fixed order.
fn shared(inside: &HashSet<Symbol>, head: &Atom, rest: &[Goal]) -> Vec<Symbol> {
    let mut outside = variables(rest);
    outside.extend(variables([&Goal::Positive(head.clone())]));
    let mut shared: Vec<Symbol> = inside.intersection(&outside).copied().collect();
    shared.sort_unstable();
    shared
}

/// Whether a disjunct, together with its context, binds all that is needed and all that its own
/// negations and inequalities use. Variables that only a choice inside it binds do not count.
fn is_safe(disjunct: &[Goal], needed: &[Symbol], context: &[Goal]) -> bool {
    let bound = bound_by(disjunct.iter().chain(context));
    let ready = |goal: &Goal| match goal {
        Goal::Positive(_) => true,
        Goal::Choice(disjuncts) => disjuncts.iter().all(|goals| {
            let context: Vec<Goal> = disjunct.iter().chain(context).cloned().collect();
            is_safe(goals, &[], &context)
        }),
        _ => variables([goal]).is_subset(&bound),
    };
    needed.iter().all(|name| bound.contains(name)) && disjunct.iter().all(ready)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, normalised};
    use expect_test::expect;

    #[test]
    fn few_choices_are_written_out() {
        check(
            "(<= (p ?x) (q ?x) (or (r ?x) (not (s ?x)) (distinct ?x a)))",
            expect![[r#"
                (<= (p ?x) (q ?x) (r ?x))
                (<= (p ?x) (q ?x) (not (s ?x)))
                (<= (p ?x) (q ?x) (distinct ?x a))"#]],
        );
        check("(<= p (or) q) (<= q (or (and) r))", expect!["q\n(<= q r)"]);
    }

    #[test]
    fn many_choices_become_relations() {
        check(
            "(<= p (or a b) (or c d) (or e f) (or g h))",
            expect![[r#"
                (<= or$ a)
                (<= or$ b)
                (<= p or$ c e g)
                (<= p or$ c e h)
                (<= p or$ c f g)
                (<= p or$ c f h)
                (<= p or$ d e g)
                (<= p or$ d e h)
                (<= p or$ d f g)
                (<= p or$ d f h)"#]],
        );
    }

    #[test]
    fn a_choice_that_only_compares_takes_its_context_along() {
        let inequality = "(or (distinct ?a ?b) (distinct ?c ?d))";
        let (program, _) =
            normalised(&format!("(<= (p ?a) (q ?a ?b) (r ?c ?d) {})", inequality.repeat(20)));
        assert!(program.rules.len() < 60, "{}", program.rules.len());
    }
}
