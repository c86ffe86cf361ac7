//! The tree, which is a graph: a state reached by two lines of play is one node.
//!
//! A node keeps for each role what came of each of its moves, so that roles which move at the same
//! time choose independently. What always holds: node 0 is the root if there is any; a proved node
//! keeps its proof; nodes point to nodes of the table.

use engine::TermId;
use gdl_front::hash::HashMap;

use super::super::Advice;
use super::history::History;

/// Index of a node.
pub(super) type NodeId = u32;
/// The place of each role's move among its choices.
pub(super) type Picks = Box<[u32]>;

/// One move of one role in one state.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) action: TermId,
    pub(super) visits: u32,
    /// The sum of what came of it, each between 0 and 1.
    pub(super) total: f64,
}

/// A state.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) key: u64,
    pub(super) visits: u32,
    /// By role.
    pub(super) choices: Vec<Vec<Choice>>,
    /// The one role that has a choice, or role 0 if none has; `None` if several have.
    pub(super) mover: Option<usize>,
    /// By the mover's pick; empty if there are several movers.
    pub(super) turn: Vec<Option<NodeId>>,
    /// By everyone's picks, if there are several movers.
    pub(super) joint: HashMap<Picks, NodeId>,
    /// What each role gets, between 0 and 1, if all play well from here.
    pub(super) proved: Option<Vec<f64>>,
}

impl Node {
    /// A state where the match goes on.
    pub(super) fn inner(key: u64, moves: &[Vec<TermId>]) -> Node {
        let mut movers = (0..moves.len()).filter(|&role| moves[role].len() > 1);
        let first = movers.next().unwrap_or(0);
        let mover = movers.next().is_none().then_some(first);
        let choice = |&action: &TermId| Choice { action, visits: 0, total: 0.0 };
        let turns = mover.and_then(|mover| moves.get(mover)).map_or(0, Vec::len);
        Node {
            key,
            visits: 0,
            choices: moves.iter().map(|moves| moves.iter().map(choice).collect()).collect(),
            mover,
            turn: vec![None; turns],
            joint: HashMap::default(),
            proved: None,
        }
    }

    /// A state where the match is over.
    pub(super) fn terminal(key: u64, goals: Vec<f64>) -> Node {
        Node { proved: Some(goals), mover: Some(0), ..Node::inner(key, &[]) }
    }

    pub(super) fn child(&self, picks: &[u32]) -> Option<NodeId> {
        match self.mover {
            Some(mover) => *self.turn.get(picks[mover] as usize)?,
            None => self.joint.get(picks).copied(),
        }
    }

    pub(super) fn link(&mut self, picks: &[u32], child: NodeId) {
        match self.mover {
            Some(mover) => self.turn[picks[mover] as usize] = Some(child),
            None => {
                self.joint.insert(picks.into(), child);
            }
        }
    }

    fn children_mut(&mut self) -> impl Iterator<Item = &mut NodeId> {
        self.turn.iter_mut().flatten().chain(self.joint.values_mut())
    }

    /// Roughly, its bytes.
    fn size(&self) -> usize {
        let choices: usize = self.choices.iter().map(Vec::len).sum();
        size_of::<Node>() + 64 + choices * (size_of::<Choice>() + 8)
    }
}

/// All that a search knows.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) known: HashMap<u64, NodeId>,
    pub(super) history: History,
    /// The role that we play.
    pub(super) role: usize,
    /// Whether leaves are judged by the mean of many playouts.
    pub(super) means: bool,
    /// Our pick at the root, once it is given to the manager.
    pub(super) committed: Option<usize>,
    pub(super) effort: u64,
    bytes: usize,
    memory: usize,
}

impl Tree {
    pub(super) fn new(role: usize, memory: usize) -> Tree {
        Tree {
            nodes: Vec::new(),
            known: HashMap::default(),
            history: History::default(),
            role,
            committed: None,
            means: false,
            effort: 0,
            bytes: 0,
            memory,
        }
    }

    /// The node of a state: the one there is, or this one. `None` if memory is full.
    pub(super) fn insert(&mut self, node: Node) -> Option<NodeId> {
        if let Some(&known) = self.known.get(&node.key) {
            return Some(known);
        }
        if self.bytes + node.size() > self.memory {
            return None;
        }
        let id = self.nodes.len() as NodeId;
        self.bytes += node.size();
        self.known.insert(node.key, id);
        self.nodes.push(node);
        Some(id)
    }

    pub(super) fn clear(&mut self) {
        *self = Tree::new(self.role, self.memory);
    }

    #[cfg(test)]
    pub(super) fn root_visits(&self) -> u32 {
        self.nodes.first().map_or(0, |root| root.visits)
    }

    /// Simulations from now on make this move of ours at the root.
    pub(super) fn commit(&mut self, action: TermId) {
        let choices = self.nodes.first().and_then(|root| root.choices.get(self.role));
        self.committed =
            choices.and_then(|all| all.iter().position(|choice| choice.action == action));
    }

    /// Makes the state behind a joint move the root, and drops what cannot be reached from it.
    pub(super) fn advance(&mut self, moves: &[TermId]) {
        self.history.age();
        match self.behind(moves) {
            Some(root) => self.keep_from(root),
            None => {
                let history = std::mem::take(&mut self.history);
                self.clear();
                self.history = history;
            }
        }
    }

    fn behind(&self, moves: &[TermId]) -> Option<NodeId> {
        let root = self.nodes.first()?;
        let pick = |(choices, action): (&Vec<Choice>, &TermId)| {
            choices.iter().position(|choice| choice.action == *action).map(|index| index as u32)
        };
        let picks: Option<Vec<u32>> = root.choices.iter().zip(moves).map(pick).collect();
        root.child(&picks?)
    }

    fn keep_from(&mut self, root: NodeId) {
        let mut old: Vec<Option<Node>> = self.nodes.drain(..).map(Some).collect();
        let history = std::mem::take(&mut self.history);
        self.clear();
        self.history = history;
        let mut renamed: Vec<Option<NodeId>> = vec![None; old.len()];
        // Breadth first: a node's place in the queue is its new number.
        let mut queue = vec![root];
        renamed[root as usize] = Some(0);
        let mut next = 0;
        while next < queue.len() {
            if let Some(mut node) = old[queue[next] as usize].take() {
                for child in node.children_mut() {
                    let name = renamed[*child as usize].unwrap_or(queue.len() as NodeId);
                    if renamed[*child as usize].replace(name).is_none() {
                        queue.push(*child);
                    }
                    *child = name;
                }
                self.bytes += node.size();
                self.known.insert(node.key, next as NodeId);
                self.nodes.push(node);
            }
            next += 1;
        }
    }

    /// What to play at the root.
    pub(super) fn advice(&self, role: usize) -> Option<Advice> {
        let root = self.nodes.first()?;
        let proof = |index: usize| self.proof_behind(root, role, index);
        let choices = root.choices.get(role)?;
        let mean = |choice: &Choice| choice.total / f64::from(choice.visits.max(1));
        let open = (0..choices.len()).filter(|&index| proof(index).is_none());
        let busiest = open.max_by_key(|&index| (choices[index].visits, std::cmp::Reverse(index)));
        let proved = (0..choices.len()).filter_map(|index| Some((index, proof(index)?)));
        // Of equal proved values, the one that took most to prove: it is the hardest to see.
        let surest = proved
            .max_by(|a, b| a.1.total_cmp(&b.1).then(choices[a.0].visits.cmp(&choices[b.0].visits)));
        let (index, value, proved) = match (busiest, surest) {
            (Some(open), Some((sure, value)))
                if value >= 1.0 || (choices[open].visits > 0 && value >= mean(&choices[open])) =>
            {
                (sure, value, root.proved.is_some())
            }
            (Some(open), _) => (open, mean(&choices[open]), false),
            (None, Some((sure, value))) => (sure, value, true),
            (None, None) => return None,
        };
        // If others decide, a proof for the state says more than what our moves have met so far.
        let (value, proved) = match &root.proved {
            Some(proof) => (proof[role], true),
            None => (value, proved),
        };
        Some(Advice {
            action: choices[index].action,
            value: Some(value * 100.0),
            settled: root.proved.is_some(),
            proved,
            effort: self.effort,
        })
    }

    /// What a move of the only mover is proved to be worth to it.
    fn proof_behind(&self, node: &Node, role: usize, index: usize) -> Option<f64> {
        if node.mover != Some(role) {
            return None;
        }
        let child = (*node.turn.get(index)?)?;
        Some(self.nodes[child as usize].proved.as_ref()?[role])
    }
}
