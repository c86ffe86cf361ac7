//! The choice of a reasoner.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{
    Circuit, Dataflow, Failure, Game, Limits, Network, Random, Reasoner, Reference, ground,
    simulate,
};
use gdl_front::program::{Frame, Program};
use gdl_front::{Covering, translate};
use tracing::info;

use crate::args::{EngineArguments, EngineName, FrameName};
use crate::input::load_program;
use crate::outcome::Problem;

/// How long `auto` lets a reasoner play to see how fast it is.
pub const TRIAL: Duration = Duration::from_millis(20);
/// What `auto` spends on instantiating a game before it does without.
pub const AUTO_LIMITS: Limits =
    Limits { time: Duration::from_secs(20), memory: 4 << 30, rules: 20_000_000 };
/// With more ground rules than this the reference, which derives everything anew, is not tried.
pub const MOST_RULES_TRIED: usize = 50_000;

/// Loads a game that is too large to instantiate, and starts the fastest of the other reasoners.
pub fn start_uninstantiated(
    name: &str,
    arguments: &EngineArguments,
) -> Result<Box<dyn Reasoner>, Problem> {
    let workers = usize::from(arguments.workers);
    let build = |game: &Arc<Game>| uninstantiated(game, workers);
    best_encoding(load_program(name, None)?, arguments.frame, &build)
}

/// Loads a game and starts the reasoner that was asked for, at the initial state.
pub fn start(name: &str, arguments: &EngineArguments) -> Result<Box<dyn Reasoner>, Problem> {
    if arguments.engine == EngineName::Lanes {
        let what = "lanes play random matches (simulate) and answer no questions";
        return Err(Problem::Usage(what.to_owned()));
    }
    let program = load_program(name, None)?;
    let frame = match (arguments.engine, arguments.frame) {
        (EngineName::Reference, FrameName::Auto) => FrameName::Original,
        (_, frame) => frame,
    };
    best_encoding(program, frame, &|game| build(game, arguments))
}

/// A reasoner, and whether it took so long to build that others are not tried.
struct Built {
    reasoner: Box<dyn Reasoner>,
    large: bool,
}

/// Builds a reasoner for each encoding that was asked for, and gives the fastest.
fn best_encoding(
    program: Program,
    frame: FrameName,
    build: &dyn Fn(&Arc<Game>) -> Result<Built, Failure>,
) -> Result<Box<dyn Reasoner>, Problem> {
    let mut best: Option<Box<dyn Reasoner>> = None;
    let mut failed = None;
    for program in encodings(program, frame)? {
        let game = Game::new(program);
        let built = match build(&game) {
            Ok(built) => built,
            Err(failure) => {
                failed = Some(problem(&game, &failure));
                continue;
            }
        };
        best = Some(match best {
            None => built.reasoner,
            Some(best) => {
                faster(best, built.reasoner).map_err(|failure| problem(&game, &failure))?
            }
        });
        if built.large {
            break;
        }
    }
    best.ok_or_else(|| failed.unwrap_or_else(|| Problem::Refused("no encoding".to_owned())))
}

fn build(game: &Arc<Game>, arguments: &EngineArguments) -> Result<Built, Failure> {
    let workers = usize::from(arguments.workers);
    let small = |reasoner| Built { reasoner, large: false };
    Ok(match arguments.engine {
        EngineName::Auto => fastest(game, workers)?,
        EngineName::Reference => small(Box::new(Reference::new(game.clone())?)),
        EngineName::Dataflow => small(Box::new(Dataflow::new(game.clone(), workers)?)),
        EngineName::Network | EngineName::Lanes => network(game, &Limits::default())?,
    })
}

fn network(game: &Arc<Game>, limits: &Limits) -> Result<Built, Failure> {
    let ground = ground(game, limits)?;
    let large = ground.statistics.rules > MOST_RULES_TRIED;
    if large {
        info!("network: {} ground rules, too many to try others", ground.statistics.rules);
    }
    let network = Network::of_circuit(Arc::new(Circuit::new(&ground)));
    Ok(Built { reasoner: Box::new(network), large })
}

/// The reasoner that plays fastest: the network or, where it is small enough to stand a chance, the
/// reference; without a network the dataflow or the reference.
fn fastest(game: &Arc<Game>, workers: usize) -> Result<Built, Failure> {
    match network(game, &AUTO_LIMITS) {
        Ok(built) if built.large => Ok(built),
        Ok(built) => or_reference(game, built.reasoner),
        Err(failure) => {
            info!("the game cannot be instantiated: {failure}");
            uninstantiated(game, workers)
        }
    }
}

fn uninstantiated(game: &Arc<Game>, workers: usize) -> Result<Built, Failure> {
    or_reference(game, Box::new(Dataflow::new(game.clone(), workers)?))
}

fn or_reference(game: &Arc<Game>, first: Box<dyn Reasoner>) -> Result<Built, Failure> {
    let reasoner = faster(first, Box::new(Reference::new(game.clone())?))?;
    Ok(Built { reasoner, large: false })
}

/// The faster of two reasoners.
fn faster(
    mut one: Box<dyn Reasoner>,
    mut other: Box<dyn Reasoner>,
) -> Result<Box<dyn Reasoner>, Failure> {
    let (first, second) = (speed(one.as_mut())?, speed(other.as_mut())?);
    let told = |reasoner: &dyn Reasoner, speed: f64| {
        let frame = match reasoner.game().program.frame {
            Frame::Original => "frame rules as written",
            Frame::Translated => "frame rules translated",
        };
        format!("{}, {frame}: {speed:.0} moves/s", reasoner.name())
    };
    let (told_first, told_second) = (told(one.as_ref(), first), told(other.as_ref(), second));
    if first >= second {
        info!("chosen: {told_first}, before {told_second}");
        return Ok(one);
    }
    info!("chosen: {told_second}, before {told_first}");
    Ok(other)
}

/// How many moves a second a reasoner makes, by a short trial from the initial state.
pub fn speed(reasoner: &mut dyn Reasoner) -> Result<f64, Failure> {
    let begun = Instant::now();
    let mut random = Random::new(0);
    let played = simulate(reasoner, &mut random, &mut || begun.elapsed() < TRIAL);
    let speed = match played {
        // A game in which someone cannot move is no reason not to answer questions about it.
        Err(Failure::NoLegalMove { .. }) => 0.0,
        played => played?.states as f64 / begun.elapsed().as_secs_f64(),
    };
    reasoner.reset()?;
    Ok(speed)
}

/// The program in the encoding that was asked for; translated where that is left open.
pub fn framed(program: Program, frame: FrameName) -> Result<Program, Problem> {
    let mut encodings = encodings(program, frame)?;
    Ok(encodings.swap_remove(0))
}

/// The program in the encodings that are to be tried, the translated one first.
pub fn encodings(program: Program, frame: FrameName) -> Result<Vec<Program>, Problem> {
    let covering = match frame {
        FrameName::Original => return Ok(vec![program]),
        FrameName::Generic => Covering::Generic,
        FrameName::Direct | FrameName::Auto => Covering::Direct,
    };
    match translate(&program, covering) {
        Ok(translation) if frame == FrameName::Auto => {
            let translated = translation.translated() > 0;
            Ok(if translated { vec![translation.program, program] } else { vec![program] })
        }
        Ok(translation) => Ok(vec![translation.program]),
        Err(finding) if frame == FrameName::Auto => {
            info!("frame rules as written: {}", finding.message);
            Ok(vec![program])
        }
        Err(finding) => Err(Problem::Refused(finding.message)),
    }
}

/// A failure of a reasoner as the end of a command.
pub fn problem(game: &Arc<Game>, failure: &Failure) -> Problem {
    match failure {
        Failure::Limit(_) => Problem::Limit(failure.describe(game)),
        _ => Problem::Refused(failure.describe(game)),
    }
}

/// What a game is called: the name of its file without folder and extension.
pub fn game_name(file: &str) -> String {
    let stem = Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    stem.unwrap_or_else(|| file.to_owned())
}
