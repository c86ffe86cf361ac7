//! `inertia trace`: random matches with everything that holds along them.

use std::io::Write;

use engine::trace::{Trace, record};
use serde::Serialize;

use super::Result;
use crate::args::TraceArguments;
use crate::engines::{game_name, problem, start};
use crate::outcome::{Outcome, Problem};

pub fn run(arguments: &TraceArguments, out: &mut dyn Write) -> Result {
    let mut reasoner = start(&arguments.game, &arguments.engine)?;
    let game = reasoner.game().clone();
    let name = game_name(&arguments.game);
    let trace = record(reasoner.as_mut(), &name, arguments.seed, arguments.matches, arguments.cap)
        .map_err(|failure| problem(&game, &failure))?;
    write_trace(&trace, out)?;
    Ok(Outcome::Fine)
}

/// Writes a trace as JSON, one step a line.
fn write_trace(trace: &Trace, out: &mut dyn Write) -> Result<()> {
    let (game, roles) = (json(&trace.game)?, json(&trace.roles)?);
    write!(out, "{{\"game\": {game}, \"roles\": {roles}, \"matches\": [")?;
    for (number, traced) in trace.matches.iter().enumerate() {
        let comma = if number > 0 { "," } else { "" };
        let (seed, end) = (traced.seed, json(&traced.end)?);
        writeln!(out, "{comma}\n{{\"seed\": {seed}, \"end\": {end}, \"steps\": [")?;
        for (number, step) in traced.steps.iter().enumerate() {
            let closing = if number + 1 < traced.steps.len() { "," } else { "]}" };
            writeln!(out, "{}{closing}", json(step)?)?;
        }
    }
    writeln!(out, "]}}")?;
    Ok(())
}

fn json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Problem::Output(error.into()))
}
