//! Random play to the end, and what it tells about a game.

use crate::random::Random;
use crate::reasoner::{Failure, Reasoner};

/// After so many moves at most `go_on` is asked between playouts; within them reasoners ask it.
const MOST_UNASKED: u64 = 64;

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
    /// Adds what others gave.
    pub fn add(&mut self, other: &Playouts) {
        self.playouts += other.playouts;
        self.states += other.states;
        self.finished_states += other.finished_states;
        self.goals.resize(self.goals.len().max(other.goals.len()), 0.0);
        self.goals.iter_mut().zip(&other.goals).for_each(|(sum, goal)| *sum += goal);
    }

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
    let mut unasked = 0;
    loop {
        reasoner.reset()?;
        let length = reasoner.playout(random, go_on)?;
        result.states += length;
        if !reasoner.is_terminal()? {
            return Ok(result);
        }
        for (role, sum) in result.goals.iter_mut().enumerate() {
            *sum += reasoner.payoff(role)?;
        }
        result.playouts += 1;
        result.finished_states += length;
        unasked += length + 1;
        if unasked > MOST_UNASKED {
            unasked = 0;
            if !go_on() {
                return Ok(result);
            }
        }
    }
}
