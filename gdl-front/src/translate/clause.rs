//! What must fail for a fluent to end: the conditions of its frame rules, for one joint move.
//!
//! For a fluent `f`, a general joint move M and a frame rule r, each most general unifier φ of r
//! with both gives a condition under which `f` persists: the equations of φ together with what else
//! the body of r asks for, with the variables of r that are left over existentially quantified. The
//! fluent ends if all these conditions fail (RST's T_G(a, M)).

use super::covering::{Action, JointMove};
use super::frame::{FrameRule, Moves, is_persistence};
use super::turns::Turns;
use super::unify::Bindings;
use crate::program::{Atom, Literal, Program, Rule, Term};
use crate::shapes::{Shape, Shapes, shape};

/// A condition under which a fluent persists. Variables from [`Setting::free`] on are existential.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    /// Terms that must be the same.
    pub(super) equations: Vec<(Term, Term)>,
    /// What must hold besides.
    pub(super) literals: Vec<Literal>,
    /// The rule that it comes from, and that names its existential variables.
    pub(super) rule: usize,
}

/// A fluent and a joint move, in terms of variables `0..free`.
pub(super) struct Setting<'a> {
    pub(super) program: &'a Program,
    pub(super) shapes: &'a Shapes<'a>,
    pub(super) turns: &'a Turns<'a>,
    pub(super) fluent: Term,
    pub(super) joint: &'a JointMove,
    /// For each element of the joint move its role and, if that has a name, its action.
    pub(super) does: Vec<(Term, Option<Term>)>,
    pub(super) free: u32,
}

impl Setting<'_> {
    /// All conditions under which a rule lets the fluent persist. The rule's variables start at
    /// `free`.
    pub(super) fn conditions(&self, number: usize, rule: &FrameRule) -> Vec<Condition> {
        let mut shifted = rule.rule.clone();
        shifted.replace_variables(&mut |number| Term::Variable(number + self.free));
        let mut bindings = Bindings::default();
        if !bindings.unify(&self.fluent, &shifted.head.args[0]) {
            return Vec::new();
        }
        let does = self.program.vocabulary.does;
        let (mut moves, mut literals) = (Vec::new(), Vec::new());
        for literal in &shifted.body {
            match literal {
                Literal::Positive(atom) if is_any_move(&shifted, atom) && atom.relation == does => {
                }
                Literal::Positive(atom) if atom.relation == does => moves.push(atom.clone()),
                _ if is_persistence(self.program, &shifted, literal) => {}
                _ => literals.push(literal.clone()),
            }
        }
        let mut found = Vec::new();
        self.match_moves(&moves, bindings, literals, &mut found);
        found.iter_mut().for_each(|condition| condition.rule = number);
        let is_open = |condition: &Condition| {
            condition.literals.iter().filter_map(Literal::atom).any(|atom| atom.relation == does)
        };
        found.retain(|condition| match rule.moves {
            Moves::Any => true,
            Moves::Known => !is_open(condition),
            Moves::Open => is_open(condition),
        });
        found
    }

    /// Matches the moves that a rule asks for with the joint move, in every way.
    fn match_moves(
        &self,
        moves: &[Atom],
        bindings: Bindings,
        literals: Vec<Literal>,
        found: &mut Vec<Condition>,
    ) {
        let Some((asked, rest)) = moves.split_first() else {
            found.push(self.condition(&bindings, &literals));
            return;
        };
        let asked_shape = shape(&bindings.resolve(&asked.args[1]));
        for ((role, action), element) in self.does.iter().zip(&self.joint.elements) {
            let mut bindings = bindings.clone();
            let mut literals = literals.clone();
            if !bindings.unify(role, &asked.args[0]) {
                continue;
            }
            match (action, &element.action) {
                (Some(action), _) if bindings.unify(action, &asked.args[1]) => {}
                (None, Action::Other(names)) if may_be_other(asked_shape, names) => {
                    literals.push(Literal::Positive(asked.clone()));
                }
                _ => continue,
            }
            self.match_moves(rest, bindings, literals, found);
        }
        if may_be_other(asked_shape, &self.joint.nobody) {
            let Some(open) = self.open_move(asked, asked_shape, &bindings) else { return };
            let literals = literals.into_iter().chain(open).collect();
            self.match_moves(rest, bindings, literals, found);
        }
    }

    /// The conditions for a move to be made by a role of which the joint move says nothing; `None`
    /// if there is no such role that has the move.
    fn open_move(
        &self,
        asked: &Atom,
        asked_shape: Option<Shape>,
        bindings: &Bindings,
    ) -> Option<Vec<Literal>> {
        let role = bindings.resolve(&asked.args[0]);
        let named = |index| self.joint.elements.iter().any(|element| element.role == Some(index));
        let excluded = |index: usize| {
            let mut elements = self.joint.elements.iter();
            elements.any(|element| self.turns.excluded_by(element, index, asked_shape))
        };
        let can = |index: usize| {
            let actions = self.shapes.actions(index);
            !named(index)
                && (role == self.program.roles[index] || !role.is_ground())
                && asked_shape.is_none_or(|shape| actions.contains(&shape))
                && !excluded(index)
        };
        if !(0..self.program.roles.len()).any(can) {
            return None;
        }
        let taken = self.does.iter().map(|(role, _)| role).filter(|taken| taken.is_ground());
        let differ = taken.map(|taken| Literal::Distinct(role.clone(), taken.clone()));
        Some([Literal::Positive(asked.clone())].into_iter().chain(differ).collect())
    }

    fn condition(&self, bindings: &Bindings, literals: &[Literal]) -> Condition {
        let equations = (0..self.free)
            .filter_map(|variable| Some((Term::Variable(variable), bindings.bound(variable)?)))
            .collect();
        let literals = literals.iter().map(|literal| bindings.resolve_literal(literal)).collect();
        Condition { equations, literals, rule: 0 }
    }
}

fn may_be_other(asked: Option<Shape>, names: &[Shape]) -> bool {
    asked.is_none_or(|asked| !names.contains(&asked))
}

/// Whether an atom only asks for some role, or a certain one, to make some move: that always holds.
fn is_any_move(rule: &Rule, atom: &Atom) -> bool {
    let mut uses: Vec<u32> = Vec::new();
    rule.body.iter().for_each(|literal| literal.for_each_variable(&mut |it| uses.push(it)));
    rule.head.args[0].for_each_variable(&mut |it| uses.push(it));
    let alone = |term: &Term| match term {
        Term::Variable(number) => uses.iter().filter(|use_| *use_ == number).count() == 1,
        _ => false,
    };
    atom.args.len() == 2
        && alone(&atom.args[1])
        && (alone(&atom.args[0]) || atom.args[0].is_ground())
}

impl Condition {
    /// The condition in the light of bindings, its equations solved for existential variables;
    /// `None` if they have no solution.
    pub(super) fn resolved(&self, bindings: &Bindings, free: u32) -> Option<Condition> {
        let mut solution = Bindings::default();
        for (a, b) in &self.equations {
            if !solution.unify(&bindings.resolve(a), &bindings.resolve(b)) {
                return None;
            }
        }
        let literals = self.literals.iter().map(|literal| bindings.resolve_literal(literal));
        let literals: Vec<Literal> =
            literals.map(|literal| solution.resolve_literal(&literal)).collect();
        let equations = (0..free)
            .filter_map(|variable| Some((Term::Variable(variable), solution.bound(variable)?)))
            .collect();
        Some(Condition { equations, literals, rule: self.rule })
    }

    /// The parts that share no existential variable: all of them must hold, each by itself.
    pub(super) fn separated(self, free: u32) -> Vec<Condition> {
        let rule = self.rule;
        let part = |equations, literals| Condition { equations, literals, rule };
        let equations = self.equations.into_iter().map(|it| part(vec![it], Vec::new()));
        let literals = self.literals.into_iter().map(|it| part(Vec::new(), vec![it]));
        let mut parts: Vec<(Vec<u32>, Condition)> = Vec::new();
        for part in equations.chain(literals) {
            let mut quantified = part.variables();
            quantified.retain(|&variable| variable >= free);
            let mut merged = (quantified, part);
            let shares = |other: &(Vec<u32>, Condition), with: &[u32]| {
                other.0.iter().any(|variable| with.contains(variable))
            };
            while let Some(index) = parts.iter().position(|other| shares(other, &merged.0)) {
                let (variables, other) = parts.remove(index);
                merged.0.extend(variables);
                merged.1.equations.splice(0..0, other.equations);
                merged.1.literals.splice(0..0, other.literals);
            }
            parts.push(merged);
        }
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// Whether it holds an existential variable.
    pub(super) fn is_quantified(&self, free: u32) -> bool {
        self.variables().iter().any(|&variable| variable >= free)
    }

    /// Its variables, from the left.
    pub(super) fn variables(&self) -> Vec<u32> {
        let mut variables = Vec::new();
        let mut note = |variable| {
            if !variables.contains(&variable) {
                variables.push(variable);
            }
        };
        for (a, b) in &self.equations {
            a.for_each_variable(&mut note);
            b.for_each_variable(&mut note);
        }
        self.literals.iter().for_each(|literal| literal.for_each_variable(&mut note));
        variables
    }
}
