//! Outcomes go back up a path: averages for every role, and proofs (MCTS-Solver).
//!
//! A node where one role moves is proved if a move of it surely gives that role the best goal, or
//! if all its moves are proved: then the best of them counts. A node where several roles move at
//! once is proved if all joint moves are proved and agree.

use super::select::Path;
use super::tree::{Node, NodeId, Tree};

impl Tree {
    /// Adds the value of a path's leaf, by role between 0 and 1, and what it proves.
    pub(super) fn back_up(&mut self, path: &Path, value: &[f64]) {
        let mut proving = true;
        for (id, picks) in path.steps.iter().rev() {
            for (role, &pick) in picks.iter().enumerate() {
                let choice = &mut self.nodes[*id as usize].choices[role][pick as usize];
                choice.total += value[role];
                let action = choice.action;
                self.history.add(role, action, value[role]);
            }
            proving = proving && self.prove(*id, picks);
        }
    }

    /// Whether a path to a proved leaf shows that no simulation can find out more.
    pub(super) fn is_settled_by(&self, path: &Path) -> bool {
        match path.steps.len() {
            0 => true,
            1 if self.committed.is_some() => {
                self.nodes[0].mover == Some(self.role) || self.nodes[0].proved.is_some()
            }
            _ => false,
        }
    }

    /// Takes back the visits of a path that came to nothing.
    pub(super) fn give_up(&mut self, path: &Path) {
        for (id, picks) in &path.steps {
            let node = &mut self.nodes[*id as usize];
            node.visits -= 1;
            for (choices, &pick) in node.choices.iter_mut().zip(picks) {
                choices[pick as usize].visits -= 1;
            }
        }
    }

    /// Whether a node is proved, now that one of its children may be.
    fn prove(&mut self, id: NodeId, picks: &[u32]) -> bool {
        let node = &self.nodes[id as usize];
        if node.proved.is_some() {
            return true;
        }
        let Some(child) = node.child(picks).and_then(|child| self.proof(child)) else {
            return false;
        };
        let proof = match node.mover {
            Some(mover) if child[mover] >= 1.0 => Some(child.clone()),
            Some(mover) => self.best_of_all(node, mover),
            None => self.agreed(node, child),
        };
        let proved = proof.is_some();
        self.nodes[id as usize].proved = proof;
        proved
    }

    fn proof(&self, id: NodeId) -> Option<&Vec<f64>> {
        self.nodes[id as usize].proved.as_ref()
    }

    fn best_of_all(&self, node: &Node, mover: usize) -> Option<Vec<f64>> {
        let mut best: Option<&Vec<f64>> = None;
        for child in &node.turn {
            let proof = self.proof((*child)?)?;
            if best.is_none_or(|best| proof[mover] > best[mover]) {
                best = Some(proof);
            }
        }
        best.cloned()
    }

    fn agreed(&self, node: &Node, child: &Vec<f64>) -> Option<Vec<f64>> {
        let joint_moves =
            node.choices.iter().try_fold(1usize, |count, moves| count.checked_mul(moves.len()))?;
        let all = node.joint.len() == joint_moves
            && node.joint.values().all(|&other| self.proof(other) == Some(child));
        all.then(|| child.clone())
    }
}
