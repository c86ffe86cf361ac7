//! `inertia`: the command line over the library crates.
//!
//! Results go to standard output, logs and complaints to standard error. Exit codes are listed at
//! [`Outcome`](outcome::Outcome).

mod args;
mod command;
mod console;
mod engines;
mod human;
mod input;
mod interrupt;
mod outcome;
mod players;
mod playing;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use args::Arguments;
use outcome::Problem;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    start_logging(arguments.verbose);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let result = command::run(arguments.command, &mut out)
        .and_then(|outcome| out.flush().map(|()| outcome).map_err(Problem::Output));
    match result {
        Ok(outcome) => outcome.into(),
        Err(problem) => problem.report(),
    }
}

/// Logs to standard error: warnings, more with `-v`, or what `RUST_LOG` asks for.
fn start_logging(verbose: u8) {
    use tracing_subscriber::EnvFilter;
    let level = ["warn", "info", "debug", "trace"][usize::from(verbose.min(3))];
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(input::colour(&io::stderr()))
        .init();
}
