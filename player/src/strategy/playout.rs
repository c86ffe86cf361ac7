//! Random playouts, one step at a time, guided by the history of moves if there is one.

use engine::{Failure, Random, TermId};

use super::mcts::History;
use crate::goals::all_goals;
use crate::interrupt::Interrupt;
use crate::simulator::Simulator;

/// Playouts longer than this are given up; GDL games end, but rule sheets can be wrong.
const MAX_STEPS: usize = 2000;
/// How often a guided playout ignores the history, in percent.
const EXPLORE_PERCENT: usize = 40;

/// Plays to the end and comes back. Gives the goal value of each role between 0 and 1, or `None`
/// if the playout was interrupted.
pub(super) fn play_out(
    simulator: &mut dyn Simulator,
    random: &mut Random,
    history: Option<&mut History>,
    interrupt: &Interrupt,
) -> Result<Option<Vec<f64>>, Failure> {
    let roles = simulator.game().roles.len();
    let mut line: Vec<TermId> = Vec::new();
    let mut steps = 0;
    let mut outcome: Option<Vec<f64>> = None;
    let result = loop {
        match step(simulator, random, history.as_deref(), &mut line) {
            Err(failure) => break Err(failure),
            Ok(true) => steps += 1,
            Ok(false) => {
                break all_goals(simulator).map(|goals| {
                    outcome = Some(goals.iter().map(|&goal| f64::from(goal) / 100.0).collect());
                });
            }
        }
        if steps >= MAX_STEPS || interrupt.is_raised() {
            break Ok(());
        }
    };
    for _ in 0..steps {
        simulator.undo()?;
    }
    result?;
    if let (Some(history), Some(outcome)) = (history, &outcome) {
        for (index, &action) in line.iter().enumerate() {
            history.add(index % roles, action, outcome[index % roles]);
        }
    }
    Ok(outcome)
}

/// Makes one joint move; `false` at the end of the match.
fn step(
    simulator: &mut dyn Simulator,
    random: &mut Random,
    history: Option<&History>,
    line: &mut Vec<TermId>,
) -> Result<bool, Failure> {
    if simulator.is_terminal()? {
        return Ok(false);
    }
    let start = line.len();
    for role in 0..simulator.game().roles.len() {
        let moves = simulator.legal(role)?;
        let Some(action) = pick(&moves, role, random, history) else {
            line.truncate(start);
            return Err(Failure::NoLegalMove { role: simulator.game().roles[role] });
        };
        line.push(action);
    }
    if let Err(failure) = simulator.apply(&line[start..]) {
        line.truncate(start);
        return Err(failure);
    }
    Ok(true)
}

fn pick(
    moves: &[TermId],
    role: usize,
    random: &mut Random,
    history: Option<&History>,
) -> Option<TermId> {
    match history {
        Some(history) if moves.len() > 1 && random.below(100) >= EXPLORE_PERCENT => {
            history.best(role, moves, random)
        }
        _ => random.choose(moves),
    }
}

/// The states of a random line of play from here on, at most so many; comes back.
pub(super) fn random_line(
    simulator: &mut dyn Simulator,
    random: &mut Random,
    most: usize,
) -> Result<Vec<Vec<TermId>>, Failure> {
    let mut states = vec![simulator.state()?];
    let mut line = Vec::new();
    let mut result = Ok(());
    while states.len() < most {
        match step(simulator, random, None, &mut line).and_then(|on| Ok((on, simulator.state()?))) {
            Ok((true, state)) => states.push(state),
            Ok((false, _)) => break,
            Err(failure) => {
                result = Err(failure);
                break;
            }
        }
    }
    for _ in 1..states.len() {
        simulator.undo()?;
    }
    result.map(|()| states)
}
