//! The choice of a reasoner for a game: the one place that names them.
//!
//! A session starts to think with [`first`], which is always there, and goes over to what [`seek`]
//! finds, as soon as that is built.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Circuit, Failure, Game, Limits, Network, Reference, ground};
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
/// A circuit with so few wires that something better than its network is found in no time.
const FEW_WIRES: usize = 50_000;
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
    if let Some(written) = circuit(game, &QUICK) {
        return wanted_networks(game, written, goes_on, wanted);
    }
    // What takes long to instantiate is slow to derive anew in every state, too.
    match dataflow(&Game::new(game.program.clone())) {
        Ok(dataflow) => wanted(dataflow),
        Err(failure) => tracing::info!(%failure, "no dataflow"),
    }
    for limits in PATIENT.iter().take_while(|_| goes_on()) {
        if let Some(circuit) = circuit(game, limits).or_else(|| translated(game, limits)) {
            wanted(as_simulator(circuit));
            return;
        }
    }
}

/// The network of a circuit; then that of the game with its frame rules translated, if moves touch
/// less of it; and lanes beside it. All of that is counted, not timed, so that a search has the same
/// reasoner in every run.
fn wanted_networks(
    game: &Arc<Game>,
    written: Circuit,
    goes_on: &dyn Fn() -> bool,
    wanted: &mut dyn FnMut(Box<dyn Simulator>),
) {
    let written = Arc::new(written);
    if written.wires() > FEW_WIRES {
        wanted(Box::new(Network::of_circuit(written.clone())));
    }
    if written.wires() > MOST_WIRES_COMPARED || !goes_on() {
        return;
    }
    let touched =
        |circuit: &Circuit| circuit.smallest().touched_by_moves(MOVES_COMPARED).unwrap_or(f64::MAX);
    let mut best = (touched(&written), written.clone());
    // Where the translation has to tell many joint moves apart it is larger by far, and slower.
    let rules = QUICK.rules.min(FEW_WIRES.max(2 * written.wires()));
    if let Some(translated) = translated(game, &Limits { rules, ..QUICK }) {
        let touched = touched(&translated);
        tracing::debug!(written = best.0, translated = touched, "gates that a move touches");
        if touched < best.0 {
            best = (touched, Arc::new(translated));
        }
    }
    let (touched, circuit) = best;
    match Laned::new(&circuit, touched) {
        Some(laned) => wanted(Box::new(laned)),
        None if Arc::ptr_eq(&circuit, &written) && written.wires() > FEW_WIRES => {}
        None => wanted(Box::new(Network::of_circuit(circuit))),
    }
}

fn translated(game: &Arc<Game>, limits: &Limits) -> Option<Circuit> {
    let translation = translate(&game.program, Covering::Direct).ok()?;
    (translation.translated() > 0).then(|| circuit(&Game::new(translation.program), limits))?
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
