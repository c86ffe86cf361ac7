//! The choice of a reasoner for a game: the one place that names them.
//!
//! A session starts to think with [`first`], which is always there, and goes over to what [`seek`]
//! finds, as soon as that is built.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Failure, Game, Limits, Network, Reference};
use gdl_front::{Covering, translate};

use crate::hosted::Hosted;
use crate::simulator::Simulator;

/// What instantiating a game may take, next to a search that is under way.
const LIMITS: Limits = Limits { time: Duration::from_secs(60), memory: 2 << 30, rules: 20_000_000 };
/// The same for a reasoner that is wanted at once.
const QUICK: Limits = Limits { time: Duration::from_secs(2), memory: 1 << 30, rules: 2_000_000 };

/// How long the first questions about a state may take, to follow a match.
const QUICK_ANSWER: Duration = Duration::from_millis(100);

/// The reasoner that needs no preparation.
pub fn first(game: &Arc<Game>) -> Result<Box<dyn Simulator>, Failure> {
    Ok(Box::new(Reference::new(game.clone())?))
}

/// Builds ever faster reasoners and gives each one away as it is ready, until the fastest is found
/// or nobody wants more. Their games may be others with the same meaning.
pub fn seek(game: &Arc<Game>, wanted: &mut dyn FnMut(Box<dyn Simulator>) -> bool) {
    match Network::new(game, &QUICK) {
        Ok(network) => {
            wanted(Box::new(network));
            return;
        }
        Err(failure) => tracing::info!(%failure, "not instantiated at once"),
    }
    // What takes long to instantiate is slow to derive anew in every state, too.
    match dataflow(&Game::new(game.program.clone())) {
        Ok(dataflow) => {
            if !wanted(dataflow) {
                return;
            }
        }
        Err(failure) => tracing::info!(%failure, "no dataflow"),
    }
    let network = match Network::new(game, &LIMITS) {
        Ok(network) => Some(network),
        Err(failure) => {
            tracing::info!(%failure, "the game cannot be instantiated as it is");
            translated(game)
        }
    };
    if let Some(network) = network {
        wanted(Box::new(network));
    }
}

/// The network of the game with its frame rules translated, which is smaller.
fn translated(game: &Arc<Game>) -> Option<Network> {
    let translation = translate(&game.program, Covering::Direct).ok()?;
    match Network::new(&Game::new(translation.program), &LIMITS) {
        Ok(network) => Some(network),
        Err(failure) => {
            tracing::info!(%failure, "nor with its frame rules translated");
            None
        }
    }
}

/// A reasoner for following one match: built in little time if one that is quick enough for a move
/// now and then can be.
pub fn quick(game: &Arc<Game>) -> Result<Box<dyn Simulator>, Failure> {
    if let Ok(network) = Network::new(game, &QUICK) {
        return Ok(Box::new(network));
    }
    for start in [dataflow, first] {
        let engine = start(game).and_then(|mut engine| {
            let begun = Instant::now();
            engine.check_playable()?;
            Ok((begun.elapsed() < QUICK_ANSWER).then_some(engine))
        });
        if let Ok(Some(engine)) = engine {
            return Ok(engine);
        }
    }
    simulator(game)
}

fn dataflow(game: &Arc<Game>) -> Result<Box<dyn Simulator>, Failure> {
    Ok(Box::new(Hosted::new(game)?))
}

/// The fastest reasoner for a game, however long it takes to build.
pub fn simulator(game: &Arc<Game>) -> Result<Box<dyn Simulator>, Failure> {
    let mut last = None;
    seek(game, &mut |engine| {
        last = Some(engine);
        true
    });
    last.map_or_else(|| first(game), Ok)
}
