//! `inertia replay`: does a reasoner derive what a trace or the record of a match says?

use std::io::Write;

use engine::trace::Trace;
use engine::{Reasoner, replay};
use player::{Record, all_goals};

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
    let game = reasoner.game().clone();
    let text = read(name)?.text;
    let (trace, record) = match read_record(&text) {
        Some(record) => (record.to_trace(&game), Some(record)),
        None => {
            let trace: Trace = serde_json::from_str(&text)
                .map_err(|error| Problem::Refused(format!("{name}: not a trace: {error}")))?;
            (trace, None)
        }
    };
    let result = replay(reasoner, &trace).map_err(|failure| problem(&game, &failure))?;
    for difference in &result.differences {
        writeln!(out, "{name}: match {}, step {}:", difference.in_match, difference.step)?;
        for line in &difference.lines {
            writeln!(out, "  {line}")?;
        }
    }
    if let Some(record) = record.filter(|record| record.is_completed)
        && result.differences.is_empty()
    {
        // The reasoner stands at the end of the match.
        let goals = all_goals(reasoner).map_err(|failure| problem(&game, &failure))?;
        if goals != record.goal_values {
            let recorded = &record.goal_values;
            writeln!(out, "{name}: goals {goals:?}, the record has {recorded:?}")?;
            return Ok(Outcome::Negative);
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

/// The record of a match, if a text is one.
fn read_record(text: &str) -> Option<Record> {
    Record::from_json(text).ok().filter(|record| !record.match_id.is_empty())
}
