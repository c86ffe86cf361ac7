//! The choice of a reasoner.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{
    Circuit, Dataflow, Failure, Game, Ground, Limits, Network, Random, Reasoner, Reference, ground,
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
/// With more ground rules than this the reference, which derives everything anew, is not tried, nor
/// is more than one encoding.
const MOST_RULES_TRIED: usize = 50_000;
/// How many times as many rules the translation of a large game may have.
const FAR_SMALLER: usize = 2;

/// Loads a game and starts the reasoner that was asked for, at the initial state.
pub fn start(name: &str, arguments: &EngineArguments) -> Result<Box<dyn Reasoner>, Problem> {
    let frame = match (arguments.engine, arguments.frame) {
        (EngineName::Reference, FrameName::Auto) => FrameName::Original,
        (_, frame) => frame,
    };
    let games = games(name, frame)?;
    let workers = usize::from(arguments.workers);
    match arguments.engine {
        EngineName::Auto => match instantiated(&games, &AUTO_LIMITS) {
            Ok(grounds) => fastest(grounds.into_iter().flat_map(network_or_reference)),
            Err(Problem::Limit(what)) => {
                info!("the game cannot be instantiated: {what}");
                start_uninstantiated(&games, workers)
            }
            Err(problem) => Err(problem),
        },
        EngineName::Reference => fastest(games.iter().map(reference)),
        EngineName::Dataflow => fastest(games.iter().map(|game| dataflow(game, workers))),
        EngineName::Network => {
            fastest(instantiated(&games, &Limits::default())?.into_iter().map(network))
        }
        EngineName::Lanes => {
            let what = "lanes play random matches (simulate) and answer no questions";
            Err(Problem::Usage(what.to_owned()))
        }
    }
}

/// Starts the fastest of the reasoners for games that are too large to instantiate.
pub fn start_uninstantiated(
    games: &[Arc<Game>],
    workers: usize,
) -> Result<Box<dyn Reasoner>, Problem> {
    fastest(games.iter().flat_map(|game| [dataflow(game, workers), reference(game)]))
}

/// Loads a game in the encodings that are to be tried, the translated one first.
pub fn games(name: &str, frame: FrameName) -> Result<Vec<Arc<Game>>, Problem> {
    Ok(encodings(load_program(name, None)?, frame)?.into_iter().map(Game::new).collect())
}

/// Instantiates a game in all its encodings; of a large game, in the better one. The translation
/// writes a rule for each of the joint moves that it has to tell apart, which may be many: so the
/// frame rules stay as they are written where that is far smaller.
pub fn instantiated(games: &[Arc<Game>], limits: &Limits) -> Result<Vec<Ground>, Problem> {
    let mut grounds: Vec<Ground> = Vec::new();
    let mut failed = None;
    for game in games {
        let before = grounds.first().map(|ground| ground.statistics.rules);
        let large = before.filter(|&rules| rules > MOST_RULES_TRIED);
        let limits = match large {
            Some(rules) => &Limits { rules: rules / FAR_SMALLER, ..*limits },
            None => limits,
        };
        match ground(game, limits) {
            Ok(ground) => {
                if large.is_some() {
                    info!("far smaller with frame rules as written: {}", size(&ground));
                    grounds.clear();
                }
                grounds.push(ground);
            }
            Err(failure) => failed = Some(problem(game, &failure)),
        }
    }
    match failed {
        Some(problem) if grounds.is_empty() => Err(problem),
        _ => Ok(grounds),
    }
}

fn size(ground: &Ground) -> String {
    format!("{} ground rules", ground.statistics.rules)
}

type Candidate = Result<Box<dyn Reasoner>, Problem>;

/// The network of an instantiated game.
fn network(ground: Ground) -> Candidate {
    Ok(Box::new(Network::of_circuit(Arc::new(Circuit::new(&ground)))))
}

/// The network and, where it is small enough to stand a chance, the reference.
fn network_or_reference(ground: Ground) -> Vec<Candidate> {
    let game = ground.game.clone();
    if ground.statistics.rules > MOST_RULES_TRIED {
        info!("the reference is not tried: {}", size(&ground));
        return vec![network(ground)];
    }
    vec![network(ground), reference(&game)]
}

fn reference(game: &Arc<Game>) -> Candidate {
    let reference = Reference::new(game.clone()).map_err(|failure| problem(game, &failure))?;
    Ok(Box::new(reference))
}

fn dataflow(game: &Arc<Game>, workers: usize) -> Candidate {
    let dataflow =
        Dataflow::new(game.clone(), workers).map_err(|failure| problem(game, &failure))?;
    Ok(Box::new(dataflow))
}

/// The one that plays fastest; the first problem, if none can be had.
fn fastest(candidates: impl IntoIterator<Item = Candidate>) -> Candidate {
    let mut candidates = candidates.into_iter().peekable();
    let mut best: Option<(f64, Box<dyn Reasoner>)> = None;
    let mut failed = None;
    while let Some(candidate) = candidates.next() {
        let mut reasoner = match candidate {
            Ok(reasoner) if best.is_none() && candidates.peek().is_none() => return Ok(reasoner),
            Ok(reasoner) => reasoner,
            Err(problem) => {
                info!("not to be had: {problem}");
                failed.get_or_insert(problem);
                continue;
            }
        };
        let speed = match speed(reasoner.as_mut()) {
            Ok(speed) => speed,
            Err(failure) => {
                failed.get_or_insert(problem(reasoner.game(), &failure));
                continue;
            }
        };
        info!("tried: {}, {speed:.0} moves/s", told(reasoner.as_ref()));
        if best.as_ref().is_none_or(|(best, _)| speed > *best) {
            best = Some((speed, reasoner));
        }
    }
    match (best, failed) {
        (Some((speed, best)), _) => {
            info!("chosen: {}, {speed:.0} moves/s", told(best.as_ref()));
            Ok(best)
        }
        (None, Some(problem)) => Err(problem),
        (None, None) => Err(Problem::Refused("no encoding".to_owned())),
    }
}

/// A reasoner and its encoding.
fn told(reasoner: &dyn Reasoner) -> String {
    let frame = match reasoner.game().program.frame {
        Frame::Original => "frame rules as written",
        Frame::Translated => "frame rules translated",
    };
    format!("{}, {frame}", reasoner.name())
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
