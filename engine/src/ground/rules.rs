//! The rules to instantiate: those of the program that matter, with lone variables projected away.
//!
//! Input: a program. Output: [`Rules`], over the program's relations and made-up ones behind them.
//! A variable that occurs once, in a condition that depends on state or move, says "some": the
//! condition moves to a relation of its own without that variable, so that the rule is not
//! instantiated once for every value of it.

use gdl_front::hash::HashMap;
use gdl_front::program::{Atom, Class, Literal, Program, RelationId, Rule, Term};
use gdl_front::{Span, Symbol};

/// What is to be instantiated.
pub(super) struct Rules {
    pub(super) rules: Vec<Rule>,
    /// By relation: how many arguments, and whether its facts change.
    pub(super) arities: Vec<usize>,
    pub(super) dynamic: Vec<bool>,
}

/// The projections made: of an atom whose first so many variables are kept.
type Projections = HashMap<(Atom, usize), RelationId>;

/// Takes the rules that bear on the play of the game.
pub(super) fn prepare(program: &Program) -> Rules {
    let needed = needed(program);
    let relations = &program.relations;
    let mut rules = Rules {
        rules: Vec::new(),
        arities: relations.iter().map(|relation| relation.arity).collect(),
        dynamic: relations.iter().map(|relation| relation.class != Class::Static).collect(),
    };
    mark_dynamic(program, &mut rules.dynamic);
    let mut projections = Projections::default();
    for rule in program.rules.iter().filter(|rule| needed[rule.head.relation.index()]) {
        let mut rule = rule.clone();
        if rules.dynamic[rule.head.relation.index()] {
            project(&mut rule, &mut rules, &mut projections);
        }
        rules.rules.push(rule);
    }
    rules
}

/// Inputs change although no rule says so. What is asked of a game counts as changing even where it
/// does not, and with it all that depends on it.
fn mark_dynamic(program: &Program, dynamic: &mut [bool]) {
    let words = &program.vocabulary;
    let asked = [words.next, words.fnext, words.legal, words.goal, words.terminal];
    for relation in asked.into_iter().chain([words.true_, words.does]) {
        dynamic[relation.index()] = true;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for rule in &program.rules {
            let mut atoms = rule.body.iter().filter_map(Literal::atom);
            if atoms.any(|atom| dynamic[atom.relation.index()]) {
                changed |= !std::mem::replace(&mut dynamic[rule.head.relation.index()], true);
            }
        }
    }
}

/// The relations on which the state, the moves, the end or the goals depend.
fn needed(program: &Program) -> Vec<bool> {
    let words = &program.vocabulary;
    let mut needed = vec![false; program.relations.len()];
    let mut queue = vec![
        words.role,
        words.init,
        words.next,
        words.fnext,
        words.legal,
        words.goal,
        words.terminal,
    ];
    queue.iter().for_each(|relation| needed[relation.index()] = true);
    let mut defining: Vec<Vec<&Rule>> = vec![Vec::new(); program.relations.len()];
    for rule in &program.rules {
        defining[rule.head.relation.index()].push(rule);
    }
    while let Some(relation) = queue.pop() {
        let bodies = defining[relation.index()].iter().flat_map(|rule| &rule.body);
        for atom in bodies.filter_map(Literal::atom) {
            if !std::mem::replace(&mut needed[atom.relation.index()], true) {
                queue.push(atom.relation);
            }
        }
    }
    needed
}

/// Replaces the dynamic conditions with lone variables by projections, made once for each pattern.
fn project(rule: &mut Rule, rules: &mut Rules, projections: &mut Projections) {
    if rule.body.len() == 1 {
        return;
    }
    let mut uses = vec![0; rule.variables.len()];
    let count = &mut |variable: u32| uses[variable as usize] += 1;
    rule.body.iter().for_each(|literal| literal.for_each_variable(count));
    rule.head.args.iter().for_each(|arg| arg.for_each_variable(count));
    for literal in &mut rule.body {
        let Literal::Positive(atom) = literal else { continue };
        if !rules.dynamic[atom.relation.index()] {
            continue;
        }
        let mut kept = Vec::new();
        let mut lone = false;
        for arg in &atom.args {
            arg.for_each_variable(&mut |variable| match uses[variable as usize] {
                1 => lone = true,
                _ if kept.contains(&variable) => {}
                _ => kept.push(variable),
            });
        }
        if lone {
            *atom = projection(atom, kept, rules, projections, &rule.variables, rule.span);
        }
    }
}

/// The atom of the relation that says that some instance of `atom` with these variables holds.
fn projection(
    atom: &Atom,
    kept: Vec<u32>,
    rules: &mut Rules,
    projections: &mut Projections,
    names: &[Symbol],
    span: Span,
) -> Atom {
    let mut numbers: Vec<u32> = kept.clone();
    let mut general = atom.clone();
    general.replace_variables(&mut |variable| {
        let known = numbers.iter().position(|&other| other == variable);
        Term::Variable(known.unwrap_or_else(|| {
            numbers.push(variable);
            numbers.len() - 1
        }) as u32)
    });
    let relation = *projections.entry((general.clone(), kept.len())).or_insert_with(|| {
        let relation = RelationId(rules.arities.len() as u32);
        rules.arities.push(kept.len());
        rules.dynamic.push(true);
        let args = (0..kept.len() as u32).map(Term::Variable).collect();
        let body = vec![Literal::Positive(general)];
        let variables = numbers.iter().map(|&number| names[number as usize]).collect();
        rules.rules.push(Rule { head: Atom { relation, args }, body, variables, span });
        relation
    });
    Atom { relation, args: kept.into_iter().map(Term::Variable).collect() }
}
