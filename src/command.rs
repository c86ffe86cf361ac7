//! One file a command; each takes its arguments and writes its result.

mod check;
mod explain;
mod fmt;
mod print;

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
