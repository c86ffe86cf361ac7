//! The choice of a reasoner.

use std::path::Path;
use std::sync::Arc;

use engine::{Failure, Game, Reasoner, Reference};

use gdl_front::program::Program;
use gdl_front::{Covering, translate};

use crate::args::{EngineArguments, EngineName, FrameName};
use crate::input::load_program;
use crate::outcome::Problem;

/// Loads a game and starts the reasoner that was asked for, at the initial state.
pub fn start(name: &str, arguments: &EngineArguments) -> Result<Box<dyn Reasoner>, Problem> {
    let game = Game::new(framed(load_program(name, None)?, arguments.frame)?);
    let reasoner: Result<Box<dyn Reasoner>, Failure> = match arguments.engine {
        EngineName::Reference => Reference::new(game.clone()).map(|it| Box::new(it) as _),
    };
    reasoner.map_err(|failure| problem(&game, &failure))
}

/// The program in the encoding that was asked for.
fn framed(program: Program, frame: FrameName) -> Result<Program, Problem> {
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
