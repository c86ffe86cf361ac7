//! Random play to the end, and what it tells about a game.

use crate::random::Random;
use crate::reasoner::{Failure, Reasoner};
use crate::trace::{goal_values, random_joint_move};

/// What random playouts gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Playouts {
    /// How many reached a terminal state.
    pub playouts: u64,
    /// How many moves were made, those of a playout that was broken off included.
    pub states: u64,
    /// How many moves were made in finished playouts.
    pub finished_states: u64,
    /// The sum of the goal values at the end, for each role.
    pub goals: Vec<f64>,
}

impl Playouts {
    /// Moves a playout.
    pub fn mean_length(&self) -> f64 {
        self.finished_states as f64 / self.playouts.max(1) as f64
    }

    /// The mean goal value of each role.
    pub fn mean_goals(&self) -> Vec<f64> {
        self.goals.iter().map(|sum| sum / self.playouts.max(1) as f64).collect()
    }
}

/// Plays random matches from the initial state until `go_on` says to stop.
pub fn simulate(
    reasoner: &mut dyn Reasoner,
    random: &mut Random,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Playouts, Failure> {
    let roles = reasoner.game().roles.len();
    let mut result = Playouts { goals: vec![0.0; roles], ..Playouts::default() };
    loop {
        reasoner.reset()?;
        let mut length = 0;
        while !reasoner.is_terminal()? {
            if !go_on() {
                return Ok(result);
            }
            let joint = random_joint_move(reasoner, random)?;
            reasoner.apply(&joint)?;
            length += 1;
            result.states += 1;
        }
        for role in 0..roles {
            result.goals[role] += outcome(reasoner, role)?;
        }
        result.playouts += 1;
        result.finished_states += length;
        if length == 0 && !go_on() {
            return Ok(result);
        }
    }
}

/// What the end of a match is worth to a role: the largest goal value that holds, 0 without one.
fn outcome(reasoner: &mut dyn Reasoner, role: usize) -> Result<f64, Failure> {
    let goals = reasoner.goals(role)?;
    Ok(goal_values(reasoner.game(), &goals).last().map_or(0.0, |&value| value as f64))
}
