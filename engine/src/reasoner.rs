//! The contract of every way to reason: a position in a game that moves forth and back.
//!
//! A [`Reasoner`] stands at one state of a line of play. Roles are numbered in the order of the rule
//! sheet; fluents and moves are [`TermId`]s of the game's shared table, so that states and moves of
//! one reasoner can be given to another.

use std::fmt;
use std::sync::Arc;

use crate::game::Game;
use crate::random::Random;
use crate::terms::TermId;
use crate::trace::goal_values;

/// Why a reasoner could not answer. The reasoner is as it was before the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A role has no legal move although the state is not terminal.
    NoLegalMove {
        /// Which role.
        role: TermId,
    },
    /// A move that is not legal in this state.
    IllegalMove {
        /// Whose move.
        role: TermId,
        /// The move.
        action: TermId,
    },
    /// A joint move with more or fewer moves than there are roles.
    WrongMoveCount {
        /// How many there must be.
        expected: usize,
        /// How many there were.
        found: usize,
    },
    /// There is no move to take back.
    NothingToUndo,
    /// A bound on time, memory or size was reached.
    Limit(String),
}

impl Failure {
    /// The failure in words.
    pub fn describe(&self, game: &Game) -> String {
        match self {
            Failure::NoLegalMove { role } => {
                format!("{} has no legal move, but the state is not terminal", game.show(*role))
            }
            Failure::IllegalMove { role, action } => {
                format!("{} is not a legal move of {} here", game.show(*action), game.show(*role))
            }
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::NoLegalMove { .. } => write!(f, "a role has no legal move"),
            Failure::IllegalMove { .. } => write!(f, "the move is not legal"),
            Failure::WrongMoveCount { expected, found } => {
                write!(f, "a joint move needs {expected} moves, one a role, not {found}")
            }
            Failure::NothingToUndo => write!(f, "there is no move to take back"),
            Failure::Limit(what) => write!(f, "limit reached: {what}"),
        }
    }
}

impl std::error::Error for Failure {}

/// A position in a game.
pub trait Reasoner {
    /// The game.
    fn game(&self) -> &Arc<Game>;

    /// The name of this way to reason, as on the command line.
    fn name(&self) -> &'static str;

    /// Goes to a state, and forgets the line of play.
    fn set_state(&mut self, state: &[TermId]) -> Result<(), Failure>;

    /// The fluents that hold, sorted by id.
    fn state(&mut self) -> Result<Vec<TermId>, Failure>;

    /// The legal moves of a role, sorted by id; may be empty, see [`Reasoner::check_playable`].
    fn legal(&mut self, role: usize) -> Result<Vec<TermId>, Failure>;

    /// Whether the match is over.
    fn is_terminal(&mut self) -> Result<bool, Failure>;

    /// Every goal value that holds for a role, sorted by id.
    fn goals(&mut self, role: usize) -> Result<Vec<TermId>, Failure>;

    /// The largest goal value of a role as a number, 0 without one.
    fn payoff(&mut self, role: usize) -> Result<f64, Failure> {
        let goals = self.goals(role)?;
        Ok(worth(self.game(), &goals))
    }

    /// Makes a joint move, one move for each role in order. The moves need not be legal: a manager
    /// may say otherwise, and GDL gives every joint move a next state.
    fn apply(&mut self, moves: &[TermId]) -> Result<(), Failure>;

    /// Takes the last move back.
    fn undo(&mut self) -> Result<(), Failure>;

    /// Goes to the initial state, and forgets the line of play.
    fn reset(&mut self) -> Result<(), Failure>;

    /// Makes random moves, all legal ones equally likely, until the match is over or `go_on`, which
    /// is asked now and then, says to stop. Gives the number of moves.
    fn playout(
        &mut self,
        random: &mut Random,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<u64, Failure> {
        let game = self.game().clone();
        let mut made = 0;
        while !self.is_terminal()? && go_on() {
            let mut moves = Vec::with_capacity(game.roles.len());
            for (number, &role) in game.roles.iter().enumerate() {
                let action = random.choose(&self.legal(number)?);
                moves.push(action.ok_or(Failure::NoLegalMove { role })?);
            }
            self.apply(&moves)?;
            made += 1;
        }
        Ok(made)
    }

    /// Fails if a role has no legal move in a state that is not terminal.
    fn check_playable(&mut self) -> Result<(), Failure> {
        if self.is_terminal()? {
            return Ok(());
        }
        for role in 0..self.game().roles.len() {
            if self.legal(role)?.is_empty() {
                return Err(Failure::NoLegalMove { role: self.game().roles[role] });
            }
        }
        Ok(())
    }

    /// Fails if a joint move is not legal here.
    fn check_legal(&mut self, moves: &[TermId]) -> Result<(), Failure> {
        check_count(self.game(), moves)?;
        for (role, &action) in moves.iter().enumerate() {
            if self.legal(role)?.binary_search(&action).is_err() {
                return Err(Failure::IllegalMove { role: self.game().roles[role], action });
            }
        }
        Ok(())
    }
}

/// The largest of some goal values as a number, 0 without one.
pub(crate) fn worth(game: &Game, goals: &[TermId]) -> f64 {
    goal_values(game, goals).last().map_or(0.0, |&value| value as f64).max(0.0)
}

/// Fails if a joint move has not one move for each role.
pub(crate) fn check_count(game: &Game, moves: &[TermId]) -> Result<(), Failure> {
    if moves.len() == game.roles.len() {
        return Ok(());
    }
    Err(Failure::WrongMoveCount { expected: game.roles.len(), found: moves.len() })
}
