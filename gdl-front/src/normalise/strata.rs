//! Components and strata: which relations are evaluated together, and in which order.
//!
//! Negation inside a component has no agreed meaning. Where it disappears when relations are split
//! by the constants in their arguments, they are split, with a warning; else it is an error that
//! names the cycle.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::split::split;
use crate::diagnostic::{Code, Diagnostic};
use crate::hash::HashSet;
use crate::program::{Component, Literal, Program, RelationId};
use crate::source::Span;

/// Finds the components of a program, splitting relations where negation needs it.
pub(super) fn stratify(program: &mut Program, diagnostics: &mut Vec<Diagnostic>) {
    let (components, cycles) = components(program);
    program.components = components;
    if cycles.is_empty() {
        return;
    }
    let inside: Vec<RelationId> = cycles.iter().flat_map(|cycle| cycle.relations.clone()).collect();
    let mut candidate = program.clone();
    if split(&mut candidate, &inside) {
        let (components, left) = self::components(&candidate);
        if left.is_empty() {
            candidate.components = components;
            *program = candidate;
            diagnostics.extend(cycles.iter().map(split_warning));
            return;
        }
    }
    diagnostics.extend(cycles.iter().map(error));
}

/// A component with a negation inside.
struct Cycle {
    relations: Vec<RelationId>,
    /// The names along a shortest way from the head back to itself, with the negations on it.
    path: Vec<String>,
    span: Span,
}

fn error(cycle: &Cycle) -> Diagnostic {
    let name = &cycle.path[0];
    Diagnostic::error(
        Code::Unstratified,
        cycle.span,
        format!("`{name}` depends on its own negation: {}", written(cycle)),
    )
    .note("break the cycle: define one of these relations without the other's negation")
}

fn split_warning(cycle: &Cycle) -> Diagnostic {
    let name = &cycle.path[0];
    Diagnostic::warning(
        Code::StratifiedBySplitting,
        cycle.span,
        format!(
            "`{name}` depends on its own negation, but for other arguments: {}",
            written(cycle)
        ),
    )
    .note("it is split by its constant arguments and answered; strict systems may refuse it")
}

/// `p ← not q ← r ← p`
fn written(cycle: &Cycle) -> String {
    cycle.path.join(" ← ")
}

fn components(program: &Program) -> (Vec<Component>, Vec<Cycle>) {
    let graph = dependencies(program);
    let sorted = kosaraju_scc(&graph);
    let mut number = vec![0; program.relations.len()];
    for (index, nodes) in sorted.iter().enumerate() {
        nodes.iter().for_each(|node| number[node.index()] = index);
    }
    let mut components: Vec<Component> = sorted
        .iter()
        .map(|nodes| {
            let mut relations: Vec<RelationId> =
                nodes.iter().map(|node| RelationId(node.index() as u32)).collect();
            relations.sort_unstable();
            Component { relations, rules: Vec::new(), recursive: false, stratum: 0 }
        })
        .collect();
    for (index, rule) in program.rules.iter().enumerate() {
        components[number[rule.head.relation.index()]].rules.push(index);
    }
    let mut cycles = Vec::new();
    for index in 0..components.len() {
        let (stratum, recursive, negation) = examine(program, &components, &number, index);
        components[index].stratum = stratum;
        components[index].recursive = recursive;
        if let Some((rule, below)) = negation {
            cycles.push(cycle(program, &graph, &components[index], rule, below));
        }
    }
    (components, cycles)
}

/// The stratum of a component, whether it is recursive, and a rule with a negation inside it.
fn examine(
    program: &Program,
    components: &[Component],
    number: &[usize],
    index: usize,
) -> (usize, bool, Option<(usize, RelationId)>) {
    let (mut stratum, mut recursive, mut negation) = (0, false, None);
    for &rule in &components[index].rules {
        for literal in &program.rules[rule].body {
            let Some(atom) = literal.atom() else { continue };
            let below = number[atom.relation.index()];
            let negative = matches!(literal, Literal::Negative(_));
            if below == index {
                recursive = true;
                if negative && negation.is_none() {
                    negation = Some((rule, atom.relation));
                }
            } else {
                stratum = stratum.max(components[below].stratum + usize::from(negative));
            }
        }
    }
    (stratum, recursive, negation)
}

fn dependencies(program: &Program) -> DiGraph<(), ()> {
    let mut graph = DiGraph::new();
    for _ in &program.relations {
        graph.add_node(());
    }
    for rule in &program.rules {
        let head = NodeIndex::new(rule.head.relation.index());
        for atom in rule.body.iter().filter_map(Literal::atom) {
            graph.add_edge(head, NodeIndex::new(atom.relation.index()), ());
        }
    }
    graph
}

/// The cycle from a rule's head over its negated condition back to the head.
fn cycle(
    program: &Program,
    graph: &DiGraph<(), ()>,
    component: &Component,
    rule: usize,
    below: RelationId,
) -> Cycle {
    let head = program.rules[rule].head.relation;
    let mut came_from = vec![None; program.relations.len()];
    let mut queue = std::collections::VecDeque::from([below]);
    while let Some(relation) = queue.pop_front() {
        for next in graph.neighbors(NodeIndex::new(relation.index())) {
            let next = RelationId(next.index() as u32);
            if came_from[next.index()].is_none() && next != below {
                came_from[next.index()] = Some(relation);
                queue.push_back(next);
            }
        }
    }
    let mut way = vec![head];
    let mut at = head;
    while let Some(before) = came_from[at.index()].filter(|_| at != below) {
        way.push(before);
        at = before;
    }
    way.push(head);
    way.reverse();
    Cycle {
        relations: component.relations.clone(),
        path: with_negations(program, component, &way),
        span: program.rules[rule].span,
    }
}

/// The names along a cycle whose first step is a negation; another step is one if no rule takes it
/// without.
fn with_negations(program: &Program, component: &Component, way: &[RelationId]) -> Vec<String> {
    let rules = component.rules.iter().map(|&rule| &program.rules[rule]);
    let positive: HashSet<(RelationId, RelationId)> = rules
        .flat_map(|rule| rule.body.iter().map(move |literal| (rule.head.relation, literal)))
        .filter_map(|(head, literal)| match literal {
            Literal::Positive(atom) => Some((head, atom.relation)),
            _ => None,
        })
        .collect();
    let name = |id| program.relation_name(id);
    let mut path = vec![name(way[0]).to_owned()];
    for (index, step) in way.windows(2).enumerate() {
        let negative = index == 0 || !positive.contains(&(step[0], step[1]));
        path.push(format!("{}{}", if negative { "not " } else { "" }, name(step[1])));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::super::tests::normalised;
    use crate::print::print_program;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let (program, _) = normalised(text);
        let text = print_program(&program);
        let shown: Vec<&str> = text
            .split("\n\n")
            .filter(|part| part.contains('(') || part.contains("recursive"))
            .collect();
        expected.assert_eq(&shown.join("\n"));
    }

    fn check_findings(text: &str, expected: Expect) {
        let (_, diagnostics) = normalised(text);
        let list: Vec<String> = diagnostics
            .iter()
            .map(|diagnostic| format!("{} {}", diagnostic.code.name(), diagnostic.message))
            .collect();
        expected.assert_eq(&list.join("\n"));
    }

    #[test]
    fn components_come_after_what_they_depend_on() {
        check(
            "(<= (far ?x ?y) (not (path ?x ?y)) (node ?x) (node ?y)) (node a)
             (<= (path ?x ?y) (edge ?x ?y)) (<= (path ?x ?y) (edge ?x ?z) (path ?z ?y))
             (<= (edge ?x ?y) (true (wire ?x ?y)))",
            expect![[r#"
                ; node/1: static, stratum 0
                (node a)
                ; edge/2: state, stratum 0
                (<= (edge ?x ?y) (true (wire ?x ?y)))
                ; path/2: state, stratum 0, recursive
                (<= (path ?x ?y) (edge ?x ?y))
                (<= (path ?x ?y) (edge ?x ?z) (path ?z ?y))
                ; far/2: state, stratum 1
                (<= (far ?x ?y) (node ?x) (node ?y) (not (path ?x ?y)))"#]],
        );
    }

    #[test]
    fn a_cycle_through_negation_is_named() {
        check_findings(
            "(<= (p ?x) (not (q ?x)) (e ?x)) (<= (q ?x) (r ?x)) (<= (r ?x) (p ?x))",
            expect!["G304 `p` depends on its own negation: p ← not q ← r ← p"],
        );
        check_findings(
            "(<= (win ?x) (edge ?x ?y) (not (win ?y)))",
            expect!["G304 `win` depends on its own negation: win ← not win"],
        );
        check_findings(
            "(<= (p ?x) (not (q ?x)) (e ?x)) (<= (q ?x) (e ?x) (not (p ?x)))",
            expect!["G304 `p` depends on its own negation: p ← not q ← not p"],
        );
    }

    #[test]
    fn relations_are_split_by_constants_where_that_helps() {
        let text = "(<= (goal r 100) (true a)) (<= (goal r 50) (not (goal r 100)) (true b))
                    (<= (goal ?p 0) (q ?p) (not (goal ?p 50)) (not (goal ?p 100)))";
        check_findings(
            text,
            expect![
                "G305 `goal` depends on its own negation, but for other arguments: goal ← not goal"
            ],
        );
        check(
            text,
            expect![[r#"
                ; goal$r$100/2: state, stratum 0
                (<= (goal$r$100 r 100) (true a))
                ; goal$_$50/2: state, stratum 1
                (<= (goal$_$50 r 50) (not (goal$r$100 r 100)) (true b))
                ; goal$_$100/2: state, stratum 0
                (<= (goal$_$100 r 100) (true a))
                ; goal/2: state, stratum 2
                (<= (goal r 100) (true a))
                (<= (goal r 50) (not (goal$r$100 r 100)) (true b))
                (<= (goal ?p 0) (q ?p) (not (goal$_$50 ?p 50)) (not (goal$_$100 ?p 100)))"#]],
        );
    }
}
