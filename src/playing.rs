//! Who plays random matches, and in how many threads.

use std::sync::Arc;
use std::time::Instant;

use engine::{Circuit, Failure, Game, Lanes, Limits, Network, Playouts, Random, ground, simulate};
use engine::{Reasoner, Reference};
use gdl_front::program::Program;
use tracing::info;

use crate::args::{EngineName, FrameName, SimulateArguments};
use crate::engines::{AUTO_LIMITS, MOST_RULES_TRIED, TRIAL, framed, problem, speed, start};
use crate::input::load_program;
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
        let player = match engine.engine {
            EngineName::Lanes | EngineName::Network | EngineName::Auto => {
                let program = load_program(&arguments.game, None)?;
                let game = Game::new(framed(program.clone(), engine.frame)?);
                let player = match engine.engine {
                    EngineName::Lanes => lanes(&game, program, engine.frame, &Limits::default()),
                    EngineName::Network => Network::new(&game, &Limits::default())
                        .map(|network| Player::Network(Box::new(network))),
                    _ => fastest(&game, program, engine.frame),
                };
                player.map_err(|failure| problem(&game, &failure))?
            }
            _ => Player::Single(start(&arguments.game, engine)?),
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

/// Lanes for a game. Where no encoding was asked for, the one that needs less code is taken; both
/// give the same matches.
fn lanes(
    game: &Arc<Game>,
    program: Program,
    frame: FrameName,
    limits: &Limits,
) -> Result<Player, Failure> {
    let ground = ground(game, limits)?;
    let rules = ground.statistics.rules;
    let lanes = Lanes::new(&Arc::new(Circuit::new(&ground)), 0)?;
    if frame == FrameName::Original && rules <= MOST_RULES_TRIED {
        let translated = framed(program, FrameName::Direct).ok().and_then(|program| {
            let circuit = Circuit::new(&engine::ground(&Game::new(program), limits).ok()?);
            Lanes::new(&Arc::new(circuit), 0).ok()
        });
        if let Some(translated) = translated.filter(|other| other.size() < lanes.size()) {
            info!("lanes: frame rules translated, {} for {}", translated.size(), lanes.size());
            return Ok(Player::Lanes(Box::new(translated)));
        }
    }
    Ok(Player::Lanes(Box::new(lanes)))
}

/// Whoever plays fastest.
fn fastest(game: &Arc<Game>, program: Program, frame: FrameName) -> Result<Player, Failure> {
    let ground = match ground(game, &AUTO_LIMITS) {
        Ok(ground) => ground,
        Err(failure) => {
            info!("reference: the game cannot be instantiated, {failure}");
            return Ok(Player::Single(Box::new(Reference::new(game.clone())?)));
        }
    };
    let mut network = Network::of_circuit(Arc::new(Circuit::new(&ground)));
    let alone = speed(&mut network)?;
    match lanes(game, program, frame, &AUTO_LIMITS) {
        Ok(Player::Lanes(mut lanes)) => {
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
        Ok(_) => {}
        Err(failure) => info!("network: no lanes, {failure}"),
    }
    Ok(Player::Network(Box::new(network)))
}
