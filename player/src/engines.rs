//! The choice of a reasoner for a game: the one place that names them.
//!
//! A session starts to think with [`first`], which is always there, and goes over to what [`seek`]
//! finds, as soon as that is built.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Circuit, Failure, Game, Limits, Network, Reference, ground};
use gdl_front::program::Frame;
use gdl_front::{Covering, translate};

use crate::hosted::Hosted;
use crate::laned::Laned;
use crate::simulator::Simulator;

/// What instantiating a game may take for a reasoner that is wanted at once.
const QUICK: Limits = Limits { time: Duration::from_secs(2), memory: 1 << 30, rules: 2_000_000 };
/// The same next to a search that is under way. It is tried again with more time while somebody
/// still wants it, since nothing else ends it when its match does.
const PATIENT: [Limits; 2] = [
    Limits { time: Duration::from_secs(10), memory: 1 << 30, rules: 10_000_000 },
    Limits { time: Duration::from_secs(60), memory: 2 << 30, rules: 20_000_000 },
];
/// A circuit with more wires than this is not compared with that of another encoding.
const MOST_WIRES_COMPARED: usize = 500_000;
/// How many random moves circuits are compared by.
const MOVES_COMPARED: u32 = 60;
/// How long the first questions about a state may take, to follow a match.
const QUICK_ANSWER: Duration = Duration::from_millis(100);

/// The reasoner that needs no preparation.
pub fn first(game: &Arc<Game>) -> Result<Box<dyn Simulator>, Failure> {
    Ok(Box::new(Reference::new(game.clone())?))
}

/// Builds ever faster reasoners and gives each one away as it is ready, until the fastest is found
/// or nobody wants to go on. Their games may be others with the same meaning.
pub fn seek(
    game: &Arc<Game>,
    goes_on: &dyn Fn() -> bool,
    wanted: &mut dyn FnMut(Box<dyn Simulator>),
) {
    if let Some(network) = network(game, &QUICK) {
        wanted(network);
        return;
    }
    // What takes long to instantiate is slow to derive anew in every state, too.
    match dataflow(&Game::new(game.program.clone())) {
        Ok(dataflow) => wanted(dataflow),
        Err(failure) => tracing::info!(%failure, "no dataflow"),
    }
    for limits in PATIENT.iter().take_while(|_| goes_on()) {
        if let Some(network) = network(game, limits) {
            wanted(network);
            return;
        }
    }
}

/// The network of the game with its frame rules as written or translated, whichever moves touch
/// less of. That is counted, not timed, so that the same search has the same network in every run.
fn network(game: &Arc<Game>, limits: &Limits) -> Option<Box<dyn Simulator>> {
    let written = circuit(game, limits);
    if written.as_ref().is_some_and(|circuit| circuit.wires() > MOST_WIRES_COMPARED) {
        return written.map(as_simulator);
    }
    let translated = translate(&game.program, Covering::Direct).ok();
    let translated = translated.filter(|it| it.translated() > 0);
    let translated = translated.and_then(|it| circuit(&Game::new(it.program), limits));
    let touched = |circuit: &Circuit| circuit.touched_by_moves(MOVES_COMPARED).unwrap_or(f64::MAX);
    let found = [written, translated].into_iter().flatten().map(|it| (touched(&it), it));
    let (touched, circuit) = found.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let translated = circuit.game.program.frame == Frame::Translated;
    tracing::debug!(touched, translated, "gates that a move touches");
    let circuit = Arc::new(circuit);
    match Laned::new(&circuit, touched) {
        Some(laned) => Some(Box::new(laned)),
        None => Some(Box::new(Network::of_circuit(circuit))),
    }
}

fn as_simulator(circuit: Circuit) -> Box<dyn Simulator> {
    Box::new(Network::of_circuit(Arc::new(circuit)))
}

fn circuit(game: &Arc<Game>, limits: &Limits) -> Option<Circuit> {
    match ground(game, limits) {
        Ok(ground) => Some(Circuit::new(&ground)),
        Err(failure) => {
            tracing::info!(%failure, "not instantiated");
            None
        }
    }
}

/// A reasoner for following one match: built in little time if one that is quick enough for a move
/// now and then can be.
pub fn quick(game: &Arc<Game>) -> Result<Box<dyn Simulator>, Failure> {
    if let Some(circuit) = circuit(game, &QUICK) {
        return Ok(as_simulator(circuit));
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
    seek(game, &|| true, &mut |engine| last = Some(engine));
    last.map_or_else(|| first(game), Ok)
}
