//! The choice of a path: from the root down to a state that is new, proved, or a repetition.

use engine::{Random, TermId};

use super::tree::{Choice, Node, NodeId, Picks, Tree};

/// How much an untried move is favoured over a good one, where leaves are judged by one playout;
/// values lie between 0 and 1.
const EXPLORATION: f64 = 0.7;
/// The same where they are judged by the mean of many, which says more and differs less.
const EXPLORATION_OF_MEANS: f64 = 0.1;
/// No path is longer; only games that go in circles come near it.
const DEEPEST: usize = 400;

/// A walk through the tree.
#[derive(Debug, Default)]
pub(super) struct Path {
    /// The nodes left behind, each with what was picked there.
    pub(super) steps: Vec<(NodeId, Picks)>,
    /// The joint moves to the leaf.
    pub(super) moves: Vec<Vec<TermId>>,
    /// The leaf, if it is a node already.
    pub(super) leaf: Option<NodeId>,
}

impl Tree {
    /// Chooses a path. Each picked move counts a visit at once, without its value, so that other
    /// threads look elsewhere (a virtual loss) until [`Tree::back_up`] adds the value.
    pub(super) fn select(&mut self, random: &mut Random) -> Path {
        let mut path = Path::default();
        if self.nodes.is_empty() {
            return path;
        }
        let mut current: NodeId = 0;
        loop {
            path.leaf = Some(current);
            let closed = self.nodes[current as usize].proved.is_some()
                && !(path.steps.is_empty() && self.committed.is_some());
            let repeated = path.steps.iter().any(|step| step.0 == current);
            if closed || repeated || path.steps.len() >= DEEPEST {
                return path;
            }
            let picks = self.pick(current, path.steps.is_empty(), random);
            let node = &mut self.nodes[current as usize];
            let chosen = node.choices.iter_mut().zip(&picks);
            path.moves.push(
                chosen
                    .map(|(choices, &pick)| {
                        choices[pick as usize].visits += 1;
                        choices[pick as usize].action
                    })
                    .collect(),
            );
            node.visits += 1;
            let child = node.child(&picks);
            path.steps.push((current, picks));
            match child {
                Some(child) => current = child,
                None => {
                    path.leaf = None;
                    return path;
                }
            }
        }
    }

    fn pick(&self, id: NodeId, at_root: bool, random: &mut Random) -> Picks {
        let node = &self.nodes[id as usize];
        let pick = |role: usize| match self.committed {
            Some(pick) if at_root && role == self.role => pick as u32,
            _ if node.choices[role].len() == 1 => 0,
            _ => self.pick_for(node, role, random),
        };
        (0..node.choices.len()).map(pick).collect()
    }

    fn pick_for(&self, node: &Node, role: usize, random: &mut Random) -> u32 {
        let choices = &node.choices[role];
        let exploration = if self.means { EXPLORATION_OF_MEANS } else { EXPLORATION };
        let explore = exploration * f64::from(node.visits + 1).ln().sqrt();
        let start = random.below(choices.len());
        let mut best = (f64::NEG_INFINITY, start);
        for offset in 0..choices.len() {
            let index = (start + offset) % choices.len();
            let score = self.score(node, role, index, explore);
            if score > best.0 {
                best = (score, index);
            }
        }
        best.1 as u32
    }

    fn score(&self, node: &Node, role: usize, index: usize, explore: f64) -> f64 {
        let choice: &Choice = &node.choices[role][index];
        if node.mover == Some(role)
            && let Some(child) = node.turn[index]
            && let Some(proved) = &self.nodes[child as usize].proved
        {
            return proved[role];
        }
        if choice.visits == 0 {
            // First-play urgency: an untried move counts as tried once, with its history's value.
            return self.history.mean(role, choice.action).unwrap_or(1.0) + explore;
        }
        let visits = f64::from(choice.visits);
        choice.total / visits + explore / visits.sqrt()
    }
}
