//! The choice of a reasoner.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{
    Circuit, Dataflow, Failure, Game, Limits, Network, Random, Reasoner, Reference, ground,
    simulate,
};
use gdl_front::program::Program;
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

/// Loads a game and starts the reasoner that was asked for, at the initial state.
pub fn start(name: &str, arguments: &EngineArguments) -> Result<Box<dyn Reasoner>, Problem> {
    let game = Game::new(framed(load_program(name, None)?, arguments.frame)?);
    let reasoner: Result<Box<dyn Reasoner>, Failure> = match arguments.engine {
        EngineName::Auto => fastest(&game, usize::from(arguments.workers)),
        EngineName::Reference => Reference::new(game.clone()).map(|it| Box::new(it) as _),
        EngineName::Network => Network::new(&game, &Limits::default()).map(|it| Box::new(it) as _),
        EngineName::Lanes => {
            let what = "lanes play random matches (simulate) and answer no questions";
            return Err(Problem::Usage(what.to_owned()));
        }
        EngineName::Dataflow => {
            Dataflow::new(game.clone(), usize::from(arguments.workers)).map(|it| Box::new(it) as _)
        }
    };
    reasoner.map_err(|failure| problem(&game, &failure))
}

/// The reasoner that plays fastest: the network or, where it is small enough to stand a chance, the
/// reference; without a network the dataflow or the reference.
fn fastest(game: &Arc<Game>, workers: usize) -> Result<Box<dyn Reasoner>, Failure> {
    let ground = match ground(game, &AUTO_LIMITS) {
        Ok(ground) => ground,
        Err(failure) => {
            info!("the game cannot be instantiated: {failure}");
            let dataflow = Dataflow::new(game.clone(), workers)?;
            return faster(Box::new(dataflow), Box::new(Reference::new(game.clone())?));
        }
    };
    let network = Network::of_circuit(Arc::new(Circuit::new(&ground)));
    if ground.statistics.rules > MOST_RULES_TRIED {
        info!("network: {} ground rules, too many to try others", ground.statistics.rules);
        return Ok(Box::new(network));
    }
    faster(Box::new(network), Box::new(Reference::new(game.clone())?))
}

/// The faster of two reasoners.
fn faster(
    mut one: Box<dyn Reasoner>,
    mut other: Box<dyn Reasoner>,
) -> Result<Box<dyn Reasoner>, Failure> {
    let (first, second) = (speed(one.as_mut())?, speed(other.as_mut())?);
    let told = format!("{} {first:.0} moves/s, {} {second:.0} moves/s", one.name(), other.name());
    let chosen = if first >= second { one } else { other };
    info!("{}: {told}", chosen.name());
    Ok(chosen)
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

/// The program in the encoding that was asked for.
pub fn framed(program: Program, frame: FrameName) -> Result<Program, Problem> {
    let covering = match frame {
        FrameName::Original => return Ok(program),
        FrameName::Generic => Covering::Generic,
        FrameName::Direct => Covering::Direct,
    };
    let translation = translate(&program, covering);
    translation.map(|it| it.program).map_err(|finding| Problem::Refused(finding.message))
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
