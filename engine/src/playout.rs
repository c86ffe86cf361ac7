//! Random play to the end, and what it tells about a game.

use gdl_front::hash::HashMap;

use crate::game::Game;
use crate::random::Random;
use crate::reasoner::{Failure, Reasoner};
use crate::terms::TermId;
use crate::trace::goal_values;

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
    let mut values = Values::default();
    loop {
        reasoner.reset()?;
        let length = reasoner.playout(random, go_on)?;
        result.states += length;
        if !reasoner.is_terminal()? {
            return Ok(result);
        }
        for role in 0..roles {
            let goals = reasoner.goals(role)?;
            result.goals[role] += values.best(reasoner.game(), &goals);
        }
        result.playouts += 1;
        result.finished_states += length;
        if !go_on() {
            return Ok(result);
        }
    }
}

/// What goal values are worth, each read once.
#[derive(Default)]
struct Values(HashMap<TermId, f64>);

impl Values {
    /// The largest goal value, 0 without one.
    fn best(&mut self, game: &Game, goals: &[TermId]) -> f64 {
        let values = goals.iter().map(|&goal| {
            *self.0.entry(goal).or_insert_with(|| {
                goal_values(game, &[goal]).last().map_or(0.0, |&value| value as f64)
            })
        });
        values.fold(0.0, f64::max)
    }
}
