//! Relations split by the constants in their arguments.
//!
//! Real games say `(<= (goal r 0) (not (goal r 100)))`: a cycle through negation relation by
//! relation, but none between `goal … 0` and `goal … 100`. For each pattern of constants that a
//! condition on a relation shows, the relation gets a special copy, defined by those of its rules
//! that can match; the condition then names the copy. The relation itself stays, for all others.

use crate::hash::HashMap;
use crate::program::{Atom, Fact, Literal, Program, Relation, RelationId, Rule, Term};
use crate::symbol::Symbol;

/// More copies than this are not made: then the splitting fails.
const MAX_COPIES: usize = 10_000;

/// For each argument the constant or function that it shows, with its arity.
type Pattern = Vec<Option<(Symbol, usize)>>;

/// Splits the given relations; `false` if no condition on them shows a constant.
pub(super) fn split(program: &mut Program, relations: &[RelationId]) -> bool {
    let mut splitter = Splitter { relations, copies: HashMap::default(), queue: Vec::new() };
    let mut rules = std::mem::take(&mut program.rules);
    for rule in &mut rules {
        splitter.redirect(rule, program);
    }
    let original = rules.clone();
    while let Some((relation, pattern, copy)) = splitter.queue.pop() {
        if splitter.copies.len() > MAX_COPIES {
            return false;
        }
        let facts: Vec<Fact> = program
            .facts
            .iter()
            .filter(|fact| fact.atom.relation == relation && fits(&fact.atom, &pattern))
            .cloned()
            .collect();
        program.facts.extend(facts.into_iter().map(|mut fact| {
            fact.atom.relation = copy;
            fact
        }));
        for rule in original.iter().filter(|rule| rule.head.relation == relation) {
            if let Some(mut special) = specialise(rule, &pattern) {
                special.head.relation = copy;
                splitter.redirect(&mut special, program);
                rules.push(special);
            }
        }
    }
    program.rules = rules;
    !splitter.copies.is_empty()
}

struct Splitter<'a> {
    relations: &'a [RelationId],
    copies: HashMap<(RelationId, Pattern), RelationId>,
    queue: Vec<(RelationId, Pattern, RelationId)>,
}

impl Splitter<'_> {
    /// Lets the conditions of a rule name the copies that their constants ask for.
    fn redirect(&mut self, rule: &mut Rule, program: &mut Program) {
        for literal in &mut rule.body {
            let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else {
                continue;
            };
            let pattern: Pattern = atom.args.iter().map(shown).collect();
            if !self.relations.contains(&atom.relation) || pattern.iter().all(Option::is_none) {
                continue;
            }
            let key = (atom.relation, pattern);
            atom.relation = *self.copies.entry(key.clone()).or_insert_with(|| {
                let copy = new_relation(program, &key);
                self.queue.push((key.0, key.1, copy));
                copy
            });
        }
    }
}

fn shown(term: &Term) -> Option<(Symbol, usize)> {
    match term {
        Term::Variable(_) => None,
        Term::Constant(name) => Some((*name, 0)),
        Term::Function(name, args) => Some((*name, args.len())),
    }
}

fn new_relation(program: &mut Program, (relation, pattern): &(RelationId, Pattern)) -> RelationId {
    let mut stem = program.relation_name(*relation).to_owned();
    for shown in pattern {
        stem.push('$');
        stem += shown.map_or("_", |(name, _)| program.symbols.spelling(name));
    }
    let original = program.relation(*relation).clone();
    let name = program.symbols.fresh(&stem);
    program.relations.push(Relation { name, keyword: None, auxiliary: true, ..original });
    RelationId(program.relations.len() as u32 - 1)
}

/// Whether an atom may match a pattern.
fn fits(atom: &Atom, pattern: &Pattern) -> bool {
    let fits = |(arg, wanted): (&Term, &Option<(Symbol, usize)>)| match (shown(arg), wanted) {
        (Some(found), Some(wanted)) => found == *wanted,
        _ => true,
    };
    atom.args.iter().zip(pattern).all(fits)
}

/// The rule with the variables of its head replaced by what the pattern shows in their place.
fn specialise(rule: &Rule, pattern: &Pattern) -> Option<Rule> {
    let mut special = rule.clone();
    for (index, wanted) in pattern.iter().enumerate() {
        let Some((name, arity)) = *wanted else {
            continue;
        };
        if !fits(&special.head, pattern) {
            return None;
        }
        if let Term::Variable(variable) = special.head.args[index] {
            let called = rule.variables[variable as usize];
            let term = Term::general(name, arity, &mut special.variables, called);
            substitute(&mut special, variable, &term);
        }
    }
    fits(&special.head, pattern).then(|| renumbered(special))
}

fn substitute(rule: &mut Rule, variable: u32, term: &Term) {
    let replace = &mut |number: u32| {
        if number == variable { term.clone() } else { Term::Variable(number) }
    };
    rule.replace_variables(replace);
}

/// Numbers the variables that are left without gaps.
fn renumbered(mut rule: Rule) -> Rule {
    let mut numbers: HashMap<u32, u32> = HashMap::default();
    let mut names = Vec::new();
    let old = std::mem::take(&mut rule.variables);
    rule.replace_variables(&mut |number| {
        let next = numbers.len() as u32;
        let new = *numbers.entry(number).or_insert_with(|| {
            names.push(old[number as usize]);
            next
        });
        Term::Variable(new)
    });
    rule.variables = names;
    rule
}
