//! Frame rules: `next` rules that say that a fluent persists, however they are written.
//!
//! A `next` rule is a frame rule if its body holds `true` of what its head says of `next`. Where the
//! condition is hidden in an auxiliary relation, the relation's definition is put in its place; and
//! so it is where it hides moves or inequalities, which the translation solves.

use super::unify::Bindings;
use crate::hash::HashMap;
use crate::program::{Atom, Class, Literal, Program, RelationId, Rule, Term};
use crate::shapes::{Shape, shape};
use crate::symbol::Symbol;

/// A relation with more rules than this is not put in.
const MAX_DEFINITION: usize = 8;
/// A rule is not written out into more than this.
const MAX_UNFOLDED: usize = 32;
/// How deep auxiliary relations are looked into.
const MAX_DEPTH: usize = 4;

/// The `next` rules of a program, sorted.
#[derive(Debug)]
pub(super) struct NextRules {
    /// Those that say that something persists.
    pub(super) frame: Vec<FrameRule>,
    /// The others.
    pub(super) ordinary: Vec<Rule>,
}

/// A rule that says that a fluent persists.
#[derive(Clone, Debug)]
pub(super) struct FrameRule {
    /// The rule; its body holds `true` of the fluent in its head.
    pub(super) rule: Rule,
    /// The rule of the program that it comes from.
    pub(super) origin: usize,
    /// Which moves of the roles it is used for.
    pub(super) moves: Moves,
}

/// Which ways to match the moves in a rule with a joint move count. Where all are part of the joint
/// move, equations come of it, and a rule is best written out; where one is not, it needs an
/// auxiliary relation, and is best left short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moves {
    /// All ways.
    Any,
    /// Those where each move is part of the joint move.
    Known,
    /// The others.
    Open,
}

impl FrameRule {
    /// The fluent that persists.
    pub(super) fn fluent(&self) -> &Term {
        &self.rule.head.args[0]
    }
}

/// Sorts the `next` rules of a program.
pub(super) fn next_rules(program: &Program) -> NextRules {
    let unfolder = Unfolder::new(program);
    let mut sorted = NextRules { frame: Vec::new(), ordinary: Vec::new() };
    let next = program.vocabulary.next;
    for (origin, rule) in program.rules.iter().enumerate() {
        if rule.head.relation != next {
            continue;
        }
        let found = unfolder.expose_persistence(rule, MAX_DEPTH);
        for rule in found.unwrap_or_else(|| vec![rule.clone()]) {
            if !is_frame_rule(program, &rule) {
                sorted.ordinary.push(rule);
                continue;
            }
            sorted.frame.push(FrameRule { rule, origin, moves: Moves::Any });
        }
    }
    sorted
}

/// Frame rules with moves and inequalities that auxiliary relations hide in plain sight.
pub(super) fn exposed(program: &Program, rules: &[FrameRule]) -> Vec<FrameRule> {
    let unfolder = Unfolder::new(program);
    let does = program.vocabulary.does;
    let moves = |rule: &Rule| {
        let atoms = rule.body.iter().filter_map(Literal::atom);
        atoms.filter(|atom| atom.relation == does).count()
    };
    let exposed = |frame: &FrameRule| {
        let found = unfolder.expose_conditions(frame.rule.clone());
        let wanted = moves(&frame.rule);
        let shorter = found.len() > 1 && found.iter().all(|rule| moves(rule) == wanted);
        let (known, open) =
            if shorter { (Moves::Known, Some(Moves::Open)) } else { (Moves::Any, None) };
        let found = found.into_iter().map(|rule| FrameRule { rule, moves: known, ..frame.clone() });
        let short = open.map(|moves| FrameRule { moves, ..frame.clone() });
        found.chain(short).collect::<Vec<_>>()
    };
    rules.iter().flat_map(exposed).collect()
}

/// Whether a rule's body holds `true` of what its head says of `next`.
fn is_frame_rule(program: &Program, rule: &Rule) -> bool {
    rule.body.iter().any(|literal| is_persistence(program, rule, literal))
}

/// Whether a literal of a rule's body is `true` of what the head says of `next`.
pub(super) fn is_persistence(program: &Program, rule: &Rule, literal: &Literal) -> bool {
    let Literal::Positive(atom) = literal else { return false };
    atom.relation == program.vocabulary.true_ && atom.args == rule.head.args
}

/// The frame rule for fluents of one shape only; `None` if it says nothing of them.
pub(super) fn specialised(rule: &FrameRule, (name, arity): Shape) -> Option<FrameRule> {
    match rule.fluent() {
        Term::Variable(variable) => {
            let mut special = rule.rule.clone();
            let stem = special.variables[*variable as usize];
            let term = general_term((name, arity), &mut special.variables, stem);
            let replaced = *variable;
            special.replace_variables(&mut |number| {
                if number == replaced { term.clone() } else { Term::Variable(number) }
            });
            Some(FrameRule { rule: special, ..rule.clone() })
        }
        term => (shape(term) == Some((name, arity))).then(|| rule.clone()),
    }
}

/// A name applied to new variables.
pub(super) fn general_term(
    (name, arity): Shape,
    variables: &mut Vec<Symbol>,
    called: Symbol,
) -> Term {
    Term::general(name, arity, variables, called)
}

/// Puts definitions in the place of auxiliary relations.
pub(super) struct Unfolder<'p> {
    program: &'p Program,
    /// The rules of each relation that may be put in.
    definitions: HashMap<RelationId, Vec<&'p Rule>>,
}

impl<'p> Unfolder<'p> {
    pub(super) fn new(program: &'p Program) -> Unfolder<'p> {
        let mut definitions: HashMap<RelationId, Vec<&Rule>> = HashMap::default();
        for component in program.components.iter().filter(|component| !component.recursive) {
            for &rule in &component.rules {
                let rule = &program.rules[rule];
                definitions.entry(rule.head.relation).or_default().push(rule);
            }
        }
        program.facts.iter().for_each(|fact| {
            definitions.remove(&fact.atom.relation);
        });
        definitions.retain(|_, rules| rules.len() <= MAX_DEFINITION);
        Unfolder { program, definitions }
    }

    /// The rules that a rule stands for, at least one of which is a frame rule; `None` if there is
    /// no such way to write it.
    fn expose_persistence(&self, rule: &Rule, depth: usize) -> Option<Vec<Rule>> {
        if is_frame_rule(self.program, rule) {
            return Some(vec![rule.clone()]);
        }
        if depth == 0 {
            return None;
        }
        let head_variables = variables_of(&rule.head.args[0]);
        for (index, literal) in rule.body.iter().enumerate() {
            // Only what holds the head's variables can hide that the head's fluent is true.
            let mut mentioned = Vec::new();
            literal.for_each_variable(&mut |variable| mentioned.push(variable));
            if !head_variables.iter().all(|variable| mentioned.contains(variable)) {
                continue;
            }
            let Some(unfolded) = self.unfold(rule, index) else { continue };
            let exposed: Vec<_> =
                unfolded.iter().map(|rule| self.expose_persistence(rule, depth - 1)).collect();
            if exposed.iter().any(Option::is_some) {
                let rules = exposed.into_iter().zip(unfolded);
                return Some(
                    rules.flat_map(|(found, rule)| found.unwrap_or_else(|| vec![rule])).collect(),
                );
            }
        }
        None
    }

    /// The rules that a frame rule stands for when moves and inequalities are no longer hidden.
    fn expose_conditions(&self, rule: Rule) -> Vec<Rule> {
        let mut done = Vec::new();
        let mut waiting = vec![(rule, 0)];
        while let Some((rule, depth)) = waiting.pop() {
            let fluent = variables_of(&rule.head.args[0]);
            let hiding = |literal: &Literal| {
                let mut linked = false;
                literal.for_each_variable(&mut |it| linked |= fluent.contains(&it));
                self.is_single(literal) || (linked && self.hides(literal, MAX_DEPTH))
            };
            let room = MAX_UNFOLDED.saturating_sub(done.len() + waiting.len());
            let unfolded = rule
                .body
                .iter()
                .position(hiding)
                .filter(|_| depth < 2 * MAX_DEPTH)
                .and_then(|index| self.unfold(&rule, index))
                .filter(|rules| rules.len() <= room);
            match unfolded {
                Some(rules) => waiting.extend(rules.into_iter().rev().map(|it| (it, depth + 1))),
                None => done.push(rule),
            }
        }
        done
    }

    /// Whether a condition is a static one with a single rule: that can be put in for free.
    fn is_single(&self, literal: &Literal) -> bool {
        let Literal::Positive(atom) = literal else { return false };
        let is_static = self.program.relation(atom.relation).class == Class::Static;
        is_static && self.definitions.get(&atom.relation).is_some_and(|rules| rules.len() == 1)
    }

    /// Whether the definition of a condition holds a move or an inequality.
    fn hides(&self, literal: &Literal, depth: usize) -> bool {
        let Literal::Positive(atom) = literal else { return false };
        let Some(rules) = self.definitions.get(&atom.relation).filter(|_| depth > 0) else {
            return false;
        };
        let does = self.program.vocabulary.does;
        rules.iter().flat_map(|rule| &rule.body).any(|inner| match inner {
            Literal::Distinct(..) => true,
            Literal::Positive(atom) if atom.relation == does => true,
            _ => self.hides(inner, depth - 1),
        })
    }

    /// Whether the definition of a condition holds, at some depth, an atom for which `wanted` holds.
    pub(super) fn mentions(&self, atom: &Atom, wanted: &dyn Fn(&Atom) -> bool) -> bool {
        let mut seen = vec![atom.relation];
        let mut next = 0;
        while let Some(relation) = seen.get(next) {
            let rules = self.definitions.get(relation).into_iter().flatten();
            for inner in rules.flat_map(|rule| &rule.body).filter_map(Literal::atom) {
                if wanted(inner) {
                    return true;
                }
                if !seen.contains(&inner.relation) {
                    seen.push(inner.relation);
                }
            }
            next += 1;
        }
        false
    }

    /// A rule with the definition of one condition in its place, one rule for each of the
    /// definition's; `None` if the condition has no definition to be put in.
    pub(super) fn unfold(&self, rule: &Rule, index: usize) -> Option<Vec<Rule>> {
        let Literal::Positive(atom) = &rule.body[index] else { return None };
        let definition = self.definitions.get(&atom.relation)?;
        let resolvents = definition.iter().filter_map(|inner| resolvent(rule, index, atom, inner));
        Some(resolvents.map(|(rule, _)| rule).collect())
    }

    /// The same, with an atom over the rule's variables as each of the new rules sees it.
    pub(super) fn unfold_for(
        &self,
        rule: &Rule,
        index: usize,
        seen: &Atom,
    ) -> Option<Vec<(Rule, Atom)>> {
        let Literal::Positive(atom) = &rule.body[index] else { return None };
        let definition = self.definitions.get(&atom.relation)?;
        let resolvents = definition.iter().filter_map(|inner| resolvent(rule, index, atom, inner));
        Some(resolvents.map(|(rule, bindings)| (rule, bindings.resolve_atom(seen))).collect())
    }
}

fn variables_of(term: &Term) -> Vec<u32> {
    let mut variables = Vec::new();
    term.for_each_variable(&mut |variable| variables.push(variable));
    variables
}

/// A rule with the body of another in the place of the condition that the other's head matches.
fn resolvent(rule: &Rule, index: usize, atom: &Atom, inner: &Rule) -> Option<(Rule, Bindings)> {
    let mut variables = rule.variables.clone();
    let shift = variables.len() as u32;
    variables.extend(&inner.variables);
    let mut inner = inner.clone();
    inner.replace_variables(&mut |number| Term::Variable(number + shift));
    let mut bindings = Bindings::default();
    if !bindings.unify_atoms(atom, &inner.head) {
        return None;
    }
    let (before, after) = (&rule.body[..index], &rule.body[index + 1..]);
    let body = before.iter().chain(&inner.body).chain(after);
    let body = body.map(|literal| bindings.resolve_literal(literal)).collect();
    let head = bindings.resolve_atom(&rule.head);
    Some((Rule { head, body, variables, span: rule.span }, bindings))
}
