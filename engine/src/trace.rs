//! Traces: what a reasoner derives along matches, in the format of the public reference traces.
//!
//! Everything is text, as KIF, so that traces of different systems can be compared; capitals do
//! not matter.

use serde::{Deserialize, Serialize};

use crate::game::Game;
use crate::random::Random;
use crate::reasoner::{Failure, Reasoner};
use crate::terms::TermId;

/// Matches of one game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The name of the game.
    pub game: String,
    /// The players, in the order of the rule sheet.
    pub roles: Vec<String>,
    /// The matches.
    pub matches: Vec<TracedMatch>,
}

/// One match, from the initial state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedMatch {
    /// What the random moves were drawn from.
    pub seed: u64,
    /// Why the match is not longer.
    pub end: End,
    /// The states, in order.
    pub steps: Vec<Step>,
}

/// Why a traced match ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The last state is terminal.
    Terminal,
    /// The longest length that was asked for is reached.
    Cap,
    /// There was no more time.
    Time,
}

/// A state, what holds in it, and the move made there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The fluents that hold, sorted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Vec<String>>,
    /// How many fluents hold, where they are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_size: Option<usize>,
    /// Whether the match is over.
    pub terminal: bool,
    /// Every goal value that holds, for each role.
    pub goals: Vec<Vec<i64>>,
    /// The legal moves, for each role; not in terminal states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal: Option<Vec<Legal>>,
    /// The joint move that leads to the next step.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub joint_move: Option<Vec<String>>,
}

/// The legal moves of a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Legal {
    /// All of them, sorted.
    Moves(Vec<String>),
    /// So many that only their number is kept.
    Many {
        /// How many.
        count: usize,
    },
}

/// Plays random matches, the first with `seed`, the next with the seed after it, and writes down
/// what holds at every state.
pub fn record(
    reasoner: &mut dyn Reasoner,
    name: &str,
    seed: u64,
    matches: u64,
    cap: usize,
) -> Result<Trace, Failure> {
    let game = reasoner.game().clone();
    let roles = game.roles.iter().map(|&role| game.show(role)).collect();
    let matches = (seed..seed.saturating_add(matches))
        .map(|seed| record_match(reasoner, seed, cap))
        .collect::<Result<_, _>>()?;
    Ok(Trace { game: name.to_owned(), roles, matches })
}

fn record_match(
    reasoner: &mut dyn Reasoner,
    seed: u64,
    cap: usize,
) -> Result<TracedMatch, Failure> {
    let game = reasoner.game().clone();
    let mut random = Random::new(seed);
    let mut steps = Vec::new();
    reasoner.reset()?;
    loop {
        let mut step = observe(reasoner)?;
        let end = match (step.terminal, steps.len() == cap) {
            (true, _) => Some(End::Terminal),
            (false, true) => Some(End::Cap),
            (false, false) => None,
        };
        if let Some(end) = end {
            steps.push(step);
            return Ok(TracedMatch { seed, end, steps });
        }
        let joint = random_joint_move_by_text(reasoner, &mut random)?;
        step.joint_move = Some(joint.iter().map(|&action| game.show(action)).collect());
        steps.push(step);
        reasoner.apply(&joint)?;
    }
}

/// A random legal move of every role.
pub fn random_joint_move(
    reasoner: &mut dyn Reasoner,
    random: &mut Random,
) -> Result<Vec<TermId>, Failure> {
    choose_joint_move(reasoner, random, |_, _| {})
}

/// The same, whatever the ids of the terms are: they depend on the reasoner, and traces must not.
fn random_joint_move_by_text(
    reasoner: &mut dyn Reasoner,
    random: &mut Random,
) -> Result<Vec<TermId>, Failure> {
    choose_joint_move(reasoner, random, |game, legal| {
        legal.sort_by_cached_key(|&action| game.show(action));
    })
}

fn choose_joint_move(
    reasoner: &mut dyn Reasoner,
    random: &mut Random,
    order: impl Fn(&Game, &mut [TermId]),
) -> Result<Vec<TermId>, Failure> {
    (0..reasoner.game().roles.len())
        .map(|role| {
            let mut legal = reasoner.legal(role)?;
            order(reasoner.game(), &mut legal);
            let none = Failure::NoLegalMove { role: reasoner.game().roles[role] };
            random.choose(&legal).ok_or(none)
        })
        .collect()
}

/// What holds in the state where a reasoner stands.
pub fn observe(reasoner: &mut dyn Reasoner) -> Result<Step, Failure> {
    let game = reasoner.game().clone();
    let terminal = reasoner.is_terminal()?;
    let roles = 0..game.roles.len();
    let goals = roles
        .clone()
        .map(|role| Ok(goal_values(&game, &reasoner.goals(role)?)))
        .collect::<Result<_, Failure>>()?;
    let legal = roles
        .map(|role| Ok(Legal::Moves(game.show_all(&reasoner.legal(role)?))))
        .collect::<Result<_, Failure>>()?;
    Ok(Step {
        state: Some(game.show_all(&reasoner.state()?)),
        state_size: None,
        terminal,
        goals,
        legal: if terminal { None } else { Some(legal) },
        joint_move: None,
    })
}

/// Goal values as numbers, sorted. What is no number is no goal value, and is left out.
pub fn goal_values(game: &Game, goals: &[TermId]) -> Vec<i64> {
    let mut values: Vec<i64> =
        goals.iter().filter_map(|&goal| game.show(goal).parse().ok()).collect();
    values.sort_unstable();
    values
}
