//! What holds in every state: ground atoms of static relations, decided by their facts and rules.

use std::cell::RefCell;

use super::unify::Bindings;
use crate::hash::{HashMap, HashSet};
use crate::program::{Atom, Class, Literal, Program, RelationId, Rule, Term};

/// A question is given up after this many steps.
const MAX_STEPS: usize = 2_000;
/// Definitions are followed to this depth.
const MAX_DEPTH: usize = 12;

/// The static relations of a program.
pub(super) struct Statics<'p> {
    program: &'p Program,
    set: HashSet<&'p Atom>,
    facts: HashMap<RelationId, Vec<&'p Atom>>,
    rules: HashMap<RelationId, Vec<&'p Rule>>,
    answers: RefCell<HashMap<Atom, Option<bool>>>,
}

/// The question takes too long.
struct GivenUp;

impl<'p> Statics<'p> {
    pub(super) fn of(program: &'p Program) -> Statics<'p> {
        let is_static = |relation| program.relation(relation).class == Class::Static;
        let mut statics = Statics {
            program,
            set: HashSet::default(),
            facts: HashMap::default(),
            rules: HashMap::default(),
            answers: RefCell::default(),
        };
        for fact in program.facts.iter().filter(|fact| is_static(fact.atom.relation)) {
            statics.set.insert(&fact.atom);
            statics.facts.entry(fact.atom.relation).or_default().push(&fact.atom);
        }
        for rule in program.rules.iter().filter(|rule| is_static(rule.head.relation)) {
            statics.rules.entry(rule.head.relation).or_default().push(rule);
        }
        statics
    }

    /// The facts of a static relation that has no rules.
    pub(super) fn only_facts(&self, relation: RelationId) -> Option<&[&'p Atom]> {
        if self.rules.contains_key(&relation) {
            return None;
        }
        self.facts.get(&relation).map(Vec::as_slice)
    }

    /// Whether a ground atom of a static relation holds; `None` if it is no such atom, or if that is
    /// too much to find out.
    pub(super) fn holds(&self, atom: &Atom) -> Option<bool> {
        let relation = self.program.relations.get(atom.relation.index())?;
        if relation.class != Class::Static || !atom.args.iter().all(Term::is_ground) {
            return None;
        }
        if !self.rules.contains_key(&atom.relation) {
            return Some(self.set.contains(atom));
        }
        if let Some(&known) = self.answers.borrow().get(atom) {
            return known;
        }
        let goal = [Literal::Positive(atom.clone())];
        let answer = self.solve(&goal, 0, MAX_DEPTH, &mut { MAX_STEPS }).ok();
        self.answers.borrow_mut().insert(atom.clone(), answer);
        answer
    }

    /// Whether goals have a common solution; variables below `next` are taken.
    fn solve(
        &self,
        goals: &[Literal],
        next: u32,
        depth: usize,
        steps: &mut usize,
    ) -> Result<bool, GivenUp> {
        if *steps == 0 {
            return Err(GivenUp);
        }
        *steps -= 1;
        // What only tests waits until it is ground.
        let ready = goals.iter().position(|goal| match goal {
            Literal::Positive(_) => true,
            Literal::Negative(atom) => atom.args.iter().all(Term::is_ground),
            Literal::Distinct(a, b) => a.is_ground() && b.is_ground(),
        });
        let Some(index) = ready else {
            return if goals.is_empty() { Ok(true) } else { Err(GivenUp) };
        };
        let rest: Vec<&Literal> =
            goals.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, it)| it).collect();
        let resolved = |bindings: &Bindings| -> Vec<Literal> {
            rest.iter().map(|literal| bindings.resolve_literal(literal)).collect()
        };
        match &goals[index] {
            Literal::Distinct(a, b) => {
                Ok(a != b && self.solve(&resolved(&Bindings::default()), next, depth, steps)?)
            }
            Literal::Negative(atom) => {
                let positive = [Literal::Positive(atom.clone())];
                Ok(!self.solve(&positive, next, depth, steps)?
                    && self.solve(&resolved(&Bindings::default()), next, depth, steps)?)
            }
            Literal::Positive(atom) => {
                for fact in self.facts.get(&atom.relation).into_iter().flatten() {
                    let mut bindings = Bindings::default();
                    if bindings.unify_atoms(atom, fact)
                        && self.solve(&resolved(&bindings), next, depth, steps)?
                    {
                        return Ok(true);
                    }
                }
                self.solve_by_rules(atom, &resolved, next, depth, steps)
            }
        }
    }

    fn solve_by_rules(
        &self,
        atom: &Atom,
        rest: &dyn Fn(&Bindings) -> Vec<Literal>,
        next: u32,
        depth: usize,
        steps: &mut usize,
    ) -> Result<bool, GivenUp> {
        for rule in self.rules.get(&atom.relation).into_iter().flatten() {
            if depth == 0 {
                return Err(GivenUp);
            }
            let mut rule = (*rule).clone();
            let width = rule.variables.len() as u32;
            rule.replace_variables(&mut |number| Term::Variable(number + next));
            let mut bindings = Bindings::default();
            if !bindings.unify_atoms(atom, &rule.head) {
                continue;
            }
            let body = rule.body.iter().map(|literal| bindings.resolve_literal(literal));
            let goals: Vec<Literal> = body.chain(rest(&bindings)).collect();
            if self.solve(&goals, next + width, depth - 1, steps)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
