//! Random playouts, guided by the history of moves if there is one: move by move with any reasoner,
//! and by numbers on the network, where nothing is allocated on the way.

use engine::{Failure, Network, Random, TermId};

use super::mcts::History;
use crate::goals::{BEST_GOAL, all_goals};
use crate::interrupt::Interrupt;
use crate::simulator::Simulator;

/// Playouts longer than this are given up; GDL games end, but rule sheets can be wrong.
const MAX_STEPS: usize = 2000;
/// How often a guided playout ignores the history, in percent.
const EXPLORE_PERCENT: usize = 80;

/// What playouts need and keep, used again by the next.
pub(super) struct Player {
    pub(super) random: Random,
    pub(super) history: History,
    /// The moves of the playout, one a role, joint move by joint move.
    line: Vec<TermId>,
    /// A joint move on the network.
    numbers: Vec<u32>,
}

impl Player {
    pub(super) fn new(random: Random) -> Player {
        Player { random, history: History::default(), line: Vec::new(), numbers: Vec::new() }
    }

    /// Plays to the end and comes back. Gives the goal value of each role between 0 and 1, or
    /// `None` if the playout was interrupted or found no end.
    pub(super) fn play_out(
        &mut self,
        simulator: &mut dyn Simulator,
        interrupt: &Interrupt,
    ) -> Result<Option<Vec<f64>>, Failure> {
        self.line.clear();
        let roles = simulator.game().roles.len();
        let outcome = match simulator.network() {
            Some(network) => {
                self.play_by_numbers(network, interrupt);
                Ok(())
            }
            None => self.play_by_terms(simulator, interrupt),
        };
        let over = outcome.and_then(|()| simulator.is_terminal());
        let goals =
            over.and_then(|over| if over { all_goals(simulator).map(Some) } else { Ok(None) });
        simulator.undo_many(self.line.len() / roles)?;
        let Some(goals) = goals? else { return Ok(None) };
        let values: Vec<f64> =
            goals.iter().map(|&goal| f64::from(goal) / f64::from(BEST_GOAL)).collect();
        for (index, &action) in self.line.iter().enumerate() {
            self.history.add(index % roles, action, values[index % roles]);
        }
        Ok(Some(values))
    }

    fn play_by_terms(
        &mut self,
        simulator: &mut dyn Simulator,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        for _ in 0..MAX_STEPS {
            if interrupt.is_raised() || !self.step(simulator)? {
                break;
            }
        }
        Ok(())
    }

    /// Makes one joint move; `false` at the end of the match, or where someone cannot move.
    fn step(&mut self, simulator: &mut dyn Simulator) -> Result<bool, Failure> {
        if simulator.is_terminal()? {
            return Ok(false);
        }
        let mut joint = Vec::with_capacity(simulator.game().roles.len());
        for role in 0..simulator.game().roles.len() {
            let moves = simulator.legal(role)?;
            let picked = self.pick(role, moves.len(), |index| moves[index]);
            let Some(index) = picked else { return Ok(false) };
            joint.push(moves[index]);
        }
        simulator.apply(&joint)?;
        self.line.extend(joint);
        Ok(true)
    }

    /// Plays on the network until the match is over, someone cannot move, or it is interrupted.
    fn play_by_numbers(&mut self, network: &mut Network, interrupt: &Interrupt) {
        let circuit = network.circuit().clone();
        for _ in 0..MAX_STEPS {
            if network.is_over() || interrupt.is_raised() {
                return;
            }
            self.numbers.clear();
            for (role, terms) in circuit.moves.iter().enumerate() {
                let legal = network.legal_ids(role);
                let picked = self.pick(role, legal.len(), |index| terms[legal[index] as usize]);
                let Some(index) = picked else {
                    let whole = self.line.len() - self.line.len() % circuit.moves.len();
                    self.line.truncate(whole);
                    return;
                };
                self.numbers.push(legal[index]);
                self.line.push(terms[legal[index] as usize]);
            }
            network.apply_ids(&self.numbers);
        }
    }

    /// The place of a move among so many of a role.
    fn pick(&mut self, role: usize, count: usize, term: impl Fn(usize) -> TermId) -> Option<usize> {
        match count {
            0 => None,
            1 => Some(0),
            _ if self.random.below(100) < EXPLORE_PERCENT => Some(self.random.below(count)),
            _ => Some(self.history.best(role, count, term, &mut self.random)),
        }
    }
}

/// The states of a random line of play from here on, at most so many; comes back.
pub(super) fn random_line(
    simulator: &mut dyn Simulator,
    player: &mut Player,
    most: usize,
    interrupt: &Interrupt,
) -> Result<Vec<Vec<TermId>>, Failure> {
    let mut states = vec![simulator.state()?];
    player.line.clear();
    let mut result = Ok(());
    while states.len() < most && !interrupt.is_raised() {
        match player.step(simulator).and_then(|on| Ok((on, simulator.state()?))) {
            Ok((true, state)) => states.push(state),
            Ok((false, _)) => break,
            Err(failure) => {
                result = Err(failure);
                break;
            }
        }
    }
    simulator.undo_many(states.len() - 1)?;
    result.map(|()| states)
}
