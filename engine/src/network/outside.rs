//! Positions that the circuit cannot express: fluents or moves that no legal play leads to.
//!
//! GDL gives a next state to illegal moves too, and a caller may set any state. There the reference
//! answers, until the line of play comes back or another state is set.

use super::Network;
use crate::reasoner::{Failure, Reasoner};
use crate::reference::Reference;
use crate::terms::TermId;

/// The reference in the place of the network.
#[derive(Clone, Debug)]
pub(super) struct Outside {
    pub(super) reasoner: Reference,
    /// How many moves were made since the circuit was left.
    pub(super) moves: usize,
}

impl Network {
    /// Leaves the circuit for a state.
    pub(super) fn go_outside(&mut self, state: &[TermId]) -> Result<(), Failure> {
        let mut reasoner = Reference::new(self.circuit.game.clone())?;
        reasoner.set_state(state)?;
        self.outside = Some(Box::new(Outside { reasoner, moves: 0 }));
        Ok(())
    }

    /// Makes a move that the circuit does not know.
    pub(super) fn apply_unknown(&mut self, moves: &[TermId]) -> Result<(), Failure> {
        let mut reasoner = Reference::new(self.circuit.game.clone())?;
        reasoner.set_state(&self.state()?)?;
        reasoner.apply(moves)?;
        match self.bits_of(&reasoner.state()?) {
            Some(bits) => {
                self.remember();
                self.go_to(&bits);
            }
            None => self.outside = Some(Box::new(Outside { reasoner, moves: 1 })),
        }
        Ok(())
    }

    /// Takes a move back that was made outside of the circuit; the first one leads back into it.
    pub(super) fn undo_outside(&mut self) -> Result<(), Failure> {
        let Some(outside) = &mut self.outside else { return Ok(()) };
        outside.moves = outside.moves.checked_sub(1).ok_or(Failure::NothingToUndo)?;
        outside.reasoner.undo()?;
        let state = outside.reasoner.state()?;
        if outside.moves == 0 && self.bits_of(&state).is_some_and(|bits| bits == self.core.state())
        {
            self.outside = None;
        }
        Ok(())
    }
}
