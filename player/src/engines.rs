//! The choice of a reasoner for a game: the one place that names them.
//!
//! A session starts to think with [`first`], which is always there, and goes over to [`best`] as
//! soon as that is built.

use std::sync::Arc;

use engine::{Failure, Game, Reference};

use crate::simulator::Simulator;

/// The reasoner that needs no preparation.
pub fn first(game: &Arc<Game>) -> Result<Box<dyn Simulator>, Failure> {
    Ok(Box::new(Reference::new(game.clone())?))
}

/// The fastest reasoner for a game, which may take long to build; `None` if it is the first one.
pub fn best(_game: &Arc<Game>) -> Result<Option<Box<dyn Simulator>>, Failure> {
    Ok(None)
}

/// A reasoner for following one match: built in little time, quick enough for a move now and then.
pub fn quick(game: &Arc<Game>) -> Result<Box<dyn Simulator>, Failure> {
    first(game)
}

/// The fastest reasoner for a game, however long it takes to build.
pub fn simulator(game: &Arc<Game>) -> Result<Box<dyn Simulator>, Failure> {
    match best(game)? {
        Some(engine) => Ok(engine),
        None => first(game),
    }
}
