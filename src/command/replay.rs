//! `inertia replay`: does a reasoner derive what a trace says?

use std::io::Write;

use engine::trace::Trace;
use engine::{Reasoner, replay};

use super::Result;
use crate::args::ReplayArguments;
use crate::engines::{problem, start};
use crate::input::read;
use crate::outcome::{Outcome, Problem};

pub fn run(arguments: &ReplayArguments, out: &mut dyn Write) -> Result {
    let mut reasoner = start(&arguments.game, &arguments.engine)?;
    let mut outcome = Outcome::Fine;
    for name in &arguments.traces {
        outcome = outcome.max(replay_file(reasoner.as_mut(), name, out)?);
    }
    Ok(outcome)
}

fn replay_file(reasoner: &mut dyn Reasoner, name: &str, out: &mut dyn Write) -> Result {
    let trace: Trace = serde_json::from_str(&read(name)?.text)
        .map_err(|error| Problem::Refused(format!("{name}: not a trace: {error}")))?;
    let game = reasoner.game().clone();
    let result = replay(reasoner, &trace).map_err(|failure| problem(&game, &failure))?;
    for difference in &result.differences {
        writeln!(out, "{name}: match {}, step {}:", difference.in_match, difference.step)?;
        for line in &difference.lines {
            writeln!(out, "  {line}")?;
        }
    }
    let (matches, states) = (trace.matches.len(), result.states);
    if result.differences.is_empty() {
        writeln!(out, "{name}: {matches} matches, {states} states, all as derived")?;
        return Ok(Outcome::Fine);
    }
    let differ = result.differences.len();
    writeln!(out, "{name}: {differ} of {matches} matches differ")?;
    Ok(Outcome::Negative)
}
