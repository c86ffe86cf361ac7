//! One file a command; each takes its arguments and writes its result.

mod check;
mod explain;
mod fmt;
mod ground;
mod perft;
mod print;
mod replay;
mod session;
mod simulate;
mod trace;
mod translate;

use std::io::Write;

use clap::CommandFactory;

use crate::args::{Arguments, Command};
use crate::outcome::{Outcome, Problem};

/// What a command gives.
pub type Result<T = Outcome> = std::result::Result<T, Problem>;

/// Runs a command.
pub fn run(command: Command, out: &mut dyn Write) -> Result {
    match command {
        Command::Check(arguments) => check::run(&arguments, out),
        Command::Fmt(arguments) => fmt::run(&arguments, out),
        Command::Explain(arguments) => explain::run(&arguments, out),
        Command::Print(arguments) => print::run(&arguments, out),
        Command::Translate(arguments) => translate::run(&arguments, out),
        Command::Ground(arguments) => ground::run(&arguments, out),
        Command::Replay(arguments) => replay::run(&arguments, out),
        Command::Trace(arguments) => trace::run(&arguments, out),
        Command::Perft(arguments) => perft::run(&arguments, out),
        Command::Simulate(arguments) => simulate::run(&arguments, out),
        Command::Session(arguments) => session::run(&arguments, out),
        Command::Completions(arguments) => {
            let mut script = Vec::new();
            clap_complete::generate(
                arguments.shell,
                &mut Arguments::command(),
                "inertia",
                &mut script,
            );
            out.write_all(&script)?;
            Ok(Outcome::Fine)
        }
    }
}

/// Writes a result as one line of JSON.
fn write_json<T: serde::Serialize>(value: &T, out: &mut dyn Write) -> Result<()> {
    let line = serde_json::to_string(value).map_err(|error| Problem::Output(error.into()))?;
    writeln!(out, "{line}")?;
    Ok(())
}
