//! The rules to instantiate: those of the program that matter, with variables projected away.
//!
//! Input: a program. Output: [`Rules`], over the program's relations and made-up ones behind them.
//! A variable of the body alone says "some". Conditions on state or move that share such variables
//! move to a relation of their own without these, so that the rule is not instantiated once for
//! every value of them: a single condition always, several where the rest of the rule has variables
//! of its own, with which they would multiply.

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

/// A relation for conditions on a variable has at most so many arguments: larger ones may have more
/// instances than the rule.
const MOST_KEPT: usize = 2;

/// The projections made: of conditions whose first so many variables are kept.
type Projections = HashMap<(Vec<Literal>, usize), RelationId>;

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
            split(&mut rule, &mut rules, &mut projections);
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
            let body = vec![Literal::Positive(atom.clone())];
            *atom = projection(body, kept, rules, projections, &rule.variables, rule.span);
        }
    }
}

/// Replaces conditions that share variables with each other alone by projections: first those that
/// leave variables of the head alone, then, variable by variable, what leaves few.
fn split(rule: &mut Rule, rules: &mut Rules, projections: &mut Projections) {
    let mut of_head = vec![false; rule.variables.len()];
    let mark = &mut |variable: u32| of_head[variable as usize] = true;
    rule.head.args.iter().for_each(|arg| arg.for_each_variable(mark));
    let mut first = 0;
    while first < rule.body.len() {
        let group = connected(&rule.body, first, &of_head);
        if is_worth_a_relation(rule, &group, &of_head, &rules.dynamic) {
            replace(rule, &group, &of_head, rules, projections);
        }
        first += 1;
    }
    while let Some(group) = around_a_variable(rule, &of_head, &rules.dynamic) {
        replace(rule, &group, &of_head, rules, projections);
    }
}

/// Replaces some conditions by a projection.
fn replace(
    rule: &mut Rule,
    group: &[usize],
    of_head: &[bool],
    rules: &mut Rules,
    projections: &mut Projections,
) {
    let kept = kept(&rule.body, group, of_head);
    let body = group.iter().map(|&at| rule.body[at].clone()).collect();
    let atom = projection(body, kept, rules, projections, &rule.variables, rule.span);
    rule.body[group[0]] = Literal::Positive(atom);
    group[1..].iter().rev().for_each(|&at| drop(rule.body.remove(at)));
}

/// The variables of some conditions that the head or other conditions share.
fn kept(body: &[Literal], group: &[usize], of_head: &[bool]) -> Vec<u32> {
    let mut shared = of_head.to_vec();
    let others = (0..body.len()).filter(|at| !group.contains(at));
    for_each_variable(others.map(|at| &body[at]), &mut |variable| shared[variable as usize] = true);
    let mut kept = Vec::new();
    for_each_variable(group.iter().map(|&at| &body[at]), &mut |variable| {
        if shared[variable as usize] && !kept.contains(&variable) {
            kept.push(variable);
        }
    });
    kept
}

/// The conditions on a variable not of the head that should get a relation of their own, which has
/// the fewest arguments.
fn around_a_variable(rule: &Rule, of_head: &[bool], dynamic: &[bool]) -> Option<Vec<usize>> {
    let groups = (0..of_head.len()).filter(|&variable| !of_head[variable]).map(|variable| {
        let reads = |at: &usize| reads_one(&rule.body[*at], |other| other as usize == variable);
        (0..rule.body.len()).filter(reads).collect::<Vec<usize>>()
    });
    let groups = groups.filter(|group| is_worth_a_relation(rule, group, of_head, dynamic));
    let counted = groups.map(|group| (kept(&rule.body, &group, of_head).len(), group));
    let few = counted.filter(|(kept, group)| *kept <= MOST_KEPT && group.len() > 1);
    few.min_by_key(|(kept, group)| (*kept, group.len())).map(|(_, group)| group)
}

/// A condition and those behind it that are connected with it by variables not of the head; none if
/// one before it is.
fn connected(body: &[Literal], first: usize, of_head: &[bool]) -> Vec<usize> {
    let mut reached = vec![false; of_head.len()];
    let mut group = vec![first];
    let mut at = 0;
    while at < group.len() {
        body[group[at]].for_each_variable(&mut |variable| {
            reached[variable as usize] |= !of_head[variable as usize];
        });
        at += 1;
        let is_near = |at: &usize| {
            reads_one(&body[*at], |variable| reached[variable as usize]) && !group.contains(at)
        };
        let near: Vec<usize> = (0..body.len()).filter(is_near).collect();
        group.extend(near);
    }
    group.sort_unstable();
    if group[0] == first { group } else { Vec::new() }
}

/// Whether some conditions should get a relation of their own: a variable of theirs alone then
/// multiplies no longer with one of the others.
fn is_worth_a_relation(rule: &Rule, group: &[usize], of_head: &[bool], dynamic: &[bool]) -> bool {
    let literals = |in_group: bool| {
        let numbered = rule.body.iter().enumerate();
        numbered.filter(move |(at, _)| group.contains(at) == in_group).map(|(_, literal)| literal)
    };
    let set = |literals: &mut dyn Iterator<Item = &Literal>| {
        let mut set = vec![false; of_head.len()];
        for_each_variable(literals, &mut |variable| set[variable as usize] = true);
        set
    };
    let changes =
        |literal: &&Literal| literal.atom().is_some_and(|atom| dynamic[atom.relation.index()]);
    let all = set(&mut literals(true));
    let bound = set(&mut literals(true).filter(|literal| matches!(literal, Literal::Positive(_))));
    let instantiated = set(&mut literals(true).filter(changes));
    let of_rest = set(&mut literals(false).filter(changes));
    let others = set(&mut literals(false));
    let variables = || 0..of_head.len();
    all == bound
        && variables().any(|at| instantiated[at] && !of_head[at] && !others[at])
        && variables().any(|at| !all[at] && (of_head[at] || of_rest[at]))
}

/// Whether a condition has a variable that is one of these.
fn reads_one(literal: &Literal, is_one: impl Fn(u32) -> bool) -> bool {
    let mut found = false;
    literal.for_each_variable(&mut |variable| found |= is_one(variable));
    found
}

fn for_each_variable<'l>(literals: impl Iterator<Item = &'l Literal>, visit: &mut impl FnMut(u32)) {
    literals.for_each(|literal| literal.for_each_variable(visit));
}

/// The atom of the relation that says that some instance of the conditions with these variables
/// holds.
fn projection(
    mut body: Vec<Literal>,
    kept: Vec<u32>,
    rules: &mut Rules,
    projections: &mut Projections,
    names: &[Symbol],
    span: Span,
) -> Atom {
    let mut numbers: Vec<u32> = kept.clone();
    body.iter_mut().for_each(|literal| {
        literal.replace_variables(&mut |variable| {
            let known = numbers.iter().position(|&other| other == variable);
            Term::Variable(known.unwrap_or_else(|| {
                numbers.push(variable);
                numbers.len() - 1
            }) as u32)
        })
    });
    let relation = *projections.entry((body.clone(), kept.len())).or_insert_with(|| {
        let relation = RelationId(rules.arities.len() as u32);
        rules.arities.push(kept.len());
        rules.dynamic.push(true);
        let args = (0..kept.len() as u32).map(Term::Variable).collect();
        let variables = numbers.iter().map(|&number| names[number as usize]).collect();
        rules.rules.push(Rule { head: Atom { relation, args }, body, variables, span });
        relation
    });
    Atom { relation, args: kept.into_iter().map(Term::Variable).collect() }
}
