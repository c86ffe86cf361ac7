//! A guess at what a state is worth where the search ends early: the goal value that the rules
//! give it already, and how free each side is to move.

use engine::Failure;

use crate::goals::goal_of;
use crate::simulator::Simulator;

/// Between 1 and 99: only a finished match is worth 0 or 100.
pub(super) fn estimate(simulator: &mut dyn Simulator, role: usize) -> Result<i32, Failure> {
    let roles = simulator.game().roles.len();
    let mut mobility = 0;
    let mut others_best = 0;
    for other in (0..roles).filter(|&other| other != role) {
        others_best = others_best.max(goal_of(simulator, other)?);
        mobility -= freedom(simulator.legal(other)?.len());
    }
    mobility += freedom(simulator.legal(role)?.len());
    let goal = goal_of(simulator, role)?;
    let lead = if roles == 1 { goal - 50 } else { (goal - others_best) / 2 };
    Ok((50 + lead * 4 / 5 + mobility.clamp(-9, 9)).clamp(1, 99))
}

/// A single move is mostly the wait for one's turn: it says nothing.
fn freedom(moves: usize) -> i32 {
    if moves <= 1 { 0 } else { (moves as f64).log2() as i32 }
}
