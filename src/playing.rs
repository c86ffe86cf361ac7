//! Who plays random matches, and in how many threads.

use std::sync::Arc;
use std::time::Instant;

use engine::{
    Circuit, Failure, Game, Lanes, Limits, Network, Playouts, Random, Reasoner, simulate,
};
use tracing::info;

use crate::args::{EngineName, SimulateArguments};
use crate::engines::{AUTO_LIMITS, TRIAL};
use crate::engines::{games, instantiated, problem, speed, start, start_uninstantiated};
use crate::outcome::Problem;

/// A way to play random matches, ready to go.
pub enum Player {
    /// Many matches at once.
    Lanes(Box<Lanes>),
    /// The network, which can be copied for several threads.
    Network(Box<Network>),
    /// Any other reasoner, in one thread.
    Single(Box<dyn Reasoner>),
}

impl Player {
    /// The player that was asked for.
    pub fn new(arguments: &SimulateArguments) -> Result<Player, Problem> {
        let engine = &arguments.engine;
        let games = || games(&arguments.game, engine.frame);
        let circuits = || circuits(&games()?, &Limits::default());
        let player = match engine.engine {
            EngineName::Lanes => tell(circuits()?, |circuits| lanes(circuits).map(Player::Lanes))?,
            EngineName::Network => {
                tell(circuits()?, |circuits| network(circuits).map(Player::Network))?
            }
            EngineName::Auto => any(&games()?, usize::from(engine.workers))?,
            EngineName::Reference | EngineName::Dataflow => {
                Player::Single(start(&arguments.game, engine)?)
            }
        };
        match player {
            Player::Single(_) if arguments.threads > 1 && engine.engine != EngineName::Auto => {
                Err(Problem::Usage("only lanes and the network play in several threads".to_owned()))
            }
            player => Ok(player),
        }
    }

    /// The game.
    pub fn game(&self) -> &Arc<Game> {
        match self {
            Player::Lanes(lanes) => &lanes.circuit().game,
            Player::Network(network) => network.game(),
            Player::Single(reasoner) => reasoner.game(),
        }
    }

    /// The name of the way to reason, as on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Player::Lanes(_) => Lanes::NAME,
            Player::Network(network) => network.name(),
            Player::Single(reasoner) => reasoner.name(),
        }
    }

    /// Plays from the initial state in so many threads; their seeds follow each other.
    pub fn play(
        &mut self,
        threads: u16,
        seed: u64,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Playouts, Failure> {
        let seeds = (0..u64::from(threads)).map(|thread| seed.wrapping_add(thread));
        match self {
            Player::Lanes(lanes) => in_threads(seeds, |seed| {
                let mut lanes = lanes.clone();
                lanes.reseed(seed);
                lanes.play(&mut || go_on())
            }),
            Player::Network(network) => in_threads(seeds, |seed| {
                simulate(&mut *network.clone(), &mut Random::new(seed), &mut || go_on())
            }),
            Player::Single(reasoner) => {
                simulate(reasoner.as_mut(), &mut Random::new(seed), &mut || go_on())
            }
        }
    }
}

/// Plays with each of the seeds in a thread of its own.
fn in_threads(
    seeds: impl Iterator<Item = u64>,
    play: impl Fn(u64) -> Result<Playouts, Failure> + Sync,
) -> Result<Playouts, Failure> {
    let play = &play;
    std::thread::scope(|scope| {
        let threads: Vec<_> = seeds.map(|seed| scope.spawn(move || play(seed))).collect();
        let mut all = Playouts::default();
        for thread in threads {
            let played = match thread.join() {
                Ok(played) => played?,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            all.add(&played);
        }
        Ok(all)
    })
}

/// Whoever plays a game fastest, instantiated or not.
fn any(games: &[Arc<Game>], workers: usize) -> Result<Player, Problem> {
    match circuits(games, &AUTO_LIMITS) {
        Ok(circuits) => tell(circuits, fastest),
        Err(Problem::Limit(what)) => {
            info!("the game cannot be instantiated: {what}");
            Ok(Player::Single(start_uninstantiated(games, workers)?))
        }
        Err(problem) => Err(problem),
    }
}

/// The circuits of a game in the encodings that are to be tried.
fn circuits(games: &[Arc<Game>], limits: &Limits) -> Result<Vec<Arc<Circuit>>, Problem> {
    let grounds = instantiated(games, limits)?;
    Ok(grounds.iter().map(|ground| Arc::new(Circuit::new(ground))).collect())
}

/// Makes something of circuits, and tells what went wrong in terms of their game.
fn tell(
    circuits: Vec<Arc<Circuit>>,
    make: impl Fn(&[Arc<Circuit>]) -> Result<Player, Failure>,
) -> Result<Player, Problem> {
    make(&circuits).map_err(|failure| match circuits.first() {
        Some(circuit) => problem(&circuit.game, &failure),
        None => Problem::Refused(failure.to_string()),
    })
}

/// Lanes for the circuit that needs least code; all give the same matches.
fn lanes(circuits: &[Arc<Circuit>]) -> Result<Box<Lanes>, Failure> {
    let lanes: Result<Vec<Lanes>, Failure> =
        circuits.iter().map(|circuit| Lanes::new(circuit, 0)).collect();
    let smallest = lanes?.into_iter().min_by_key(Lanes::size);
    smallest.map(Box::new).ok_or_else(|| Failure::Limit("no circuit".to_owned()))
}

/// The network that plays fastest.
fn network(circuits: &[Arc<Circuit>]) -> Result<Box<Network>, Failure> {
    let mut best: Option<(f64, Network)> = None;
    for circuit in circuits {
        let mut network = Network::of_circuit(circuit.clone());
        let speed = speed(&mut network)?;
        if best.as_ref().is_none_or(|(best, _)| speed > *best) {
            best = Some((speed, network));
        }
    }
    let best = best.map(|(_, network)| Box::new(network));
    best.ok_or_else(|| Failure::Limit("no circuit".to_owned()))
}

/// Whoever plays fastest.
fn fastest(circuits: &[Arc<Circuit>]) -> Result<Player, Failure> {
    let mut network = network(circuits)?;
    let alone = speed(network.as_mut())?;
    match lanes(circuits) {
        Ok(mut lanes) => {
            let begun = Instant::now();
            let played = lanes.play(&mut || begun.elapsed() < TRIAL);
            let together = match played {
                Err(Failure::NoLegalMove { .. }) => 0.0,
                played => played?.states as f64 / begun.elapsed().as_secs_f64(),
            };
            let told = format!("lanes {together:.0} moves/s, network {alone:.0} moves/s");
            if together > alone {
                info!("lanes: {told}");
                lanes.start_anew()?;
                return Ok(Player::Lanes(lanes));
            }
            info!("network: {told}");
        }
        Err(failure) => info!("network: no lanes, {failure}"),
    }
    Ok(Player::Network(network))
}
