//! Which relation depends on which, on the tree as it was written.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::ast::{Atom, Sheet};
use crate::hash::{HashMap, HashSet};
use crate::symbol::Symbol;

/// A relation on the tree: a name with a number of arguments.
pub(super) type Key = (Symbol, usize);

pub(super) fn key(atom: &Atom) -> Key {
    (atom.name, atom.args.len())
}

pub(super) struct Dependencies {
    /// An edge from a head to each relation of its body.
    graph: DiGraph<Key, ()>,
    nodes: HashMap<Key, NodeIndex>,
    /// The strongly connected component of each relation that can reach itself.
    cycles: HashMap<Key, usize>,
}

impl Dependencies {
    pub(super) fn of(sheet: &Sheet) -> Dependencies {
        let mut graph = DiGraph::new();
        let mut nodes: HashMap<Key, NodeIndex> = HashMap::default();
        let mut edges: HashSet<(NodeIndex, NodeIndex)> = HashSet::default();
        for rule in &sheet.rules {
            let head =
                *nodes.entry(key(&rule.head)).or_insert_with(|| graph.add_node(key(&rule.head)));
            rule.for_each_body_atom(&mut |atom, _| {
                let body = *nodes.entry(key(atom)).or_insert_with(|| graph.add_node(key(atom)));
                if edges.insert((head, body)) {
                    graph.add_edge(head, body, ());
                }
            });
        }
        let mut cycles = HashMap::default();
        for (number, component) in kosaraju_scc(&graph).into_iter().enumerate() {
            let first = component[0];
            if component.len() > 1 || graph.contains_edge(first, first) {
                cycles.extend(component.into_iter().map(|node| (graph[node], number)));
            }
        }
        Dependencies { graph, nodes, cycles }
    }

    /// Whether both relations depend on each other.
    pub(super) fn in_one_cycle(&self, a: Key, b: Key) -> bool {
        match (self.cycles.get(&a), self.cycles.get(&b)) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        }
    }

    /// A shortest chain of relations from one to the first of the targets that it depends on.
    pub(super) fn path(&self, from: Key, targets: &[Key]) -> Option<Vec<Key>> {
        let start = *self.nodes.get(&from)?;
        let mut came_from: HashMap<NodeIndex, NodeIndex> = HashMap::default();
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for next in self.graph.neighbors(node) {
                if next == start || came_from.contains_key(&next) {
                    continue;
                }
                came_from.insert(next, node);
                if targets.contains(&self.graph[next]) {
                    let mut path = vec![next];
                    while let Some(&before) = came_from.get(&path[path.len() - 1]) {
                        path.push(before);
                    }
                    return Some(path.into_iter().rev().map(|node| self.graph[node]).collect());
                }
                queue.push_back(next);
            }
        }
        None
    }
}
