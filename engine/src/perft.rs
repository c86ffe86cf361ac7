//! Node counts of the game tree: equal states are not merged, terminal states not expanded.

use crate::reasoner::{Failure, Reasoner};
use crate::terms::TermId;

/// The nodes at one depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// How many nodes.
    pub nodes: u64,
    /// How many of them are terminal.
    pub terminals: u64,
}

/// Counts the nodes `depth` moves below the state where a reasoner stands, and brings it back
/// there. `None` if `go_on` says to stop.
pub fn perft(
    reasoner: &mut dyn Reasoner,
    depth: usize,
    go_on: &dyn Fn() -> bool,
) -> Result<Option<Level>, Failure> {
    let mut level = Level::default();
    let finished = descend(reasoner, depth, go_on, &mut level)?;
    Ok(finished.then_some(level))
}

fn descend(
    reasoner: &mut dyn Reasoner,
    depth: usize,
    go_on: &dyn Fn() -> bool,
    level: &mut Level,
) -> Result<bool, Failure> {
    if depth == 0 {
        level.nodes += 1;
        level.terminals += u64::from(reasoner.is_terminal()?);
        return Ok(true);
    }
    if reasoner.is_terminal()? {
        return Ok(true);
    }
    for joint in joint_moves(reasoner)? {
        if !go_on() {
            return Ok(false);
        }
        reasoner.apply(&joint)?;
        let finished = descend(reasoner, depth - 1, go_on, level)?;
        reasoner.undo()?;
        if !finished {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Every legal joint move; a role without a move is a failure.
pub fn joint_moves(reasoner: &mut dyn Reasoner) -> Result<Vec<Vec<TermId>>, Failure> {
    let mut joint = vec![Vec::new()];
    for role in 0..reasoner.game().roles.len() {
        let legal = reasoner.legal(role)?;
        if legal.is_empty() {
            return Err(Failure::NoLegalMove { role: reasoner.game().roles[role] });
        }
        joint = joint
            .iter()
            .flat_map(|begun| {
                legal.iter().map(move |&action| begun.iter().copied().chain([action]).collect())
            })
            .collect();
    }
    Ok(joint)
}
