//! `inertia match`: a match between players, with clocks and a record.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use player::{Contestant, MatchProblem, Plan, Record, run_match};

use super::{Result, write_json};
use crate::args::{ClockArguments, MatchArguments};
use crate::engines::game_name;
use crate::input::{load_program, read};
use crate::outcome::{Outcome, Problem};

/// No match of a sensible game is longer.
const MOST_STEPS: usize = 100_000;

pub fn run(arguments: &MatchArguments, out: &mut dyn Write) -> Result {
    let rules = read(&arguments.game)?.text;
    let program = load_program(&arguments.game, None)?;
    let contestants: Vec<Arc<dyn Contestant>> = (0u64..)
        .zip(&arguments.players)
        .map(|(role, name)| name.contestant(&arguments.search, arguments.seed.wrapping_add(role)))
        .collect::<Result<_>>()?;
    let (start_clock, play_clock) = clocks(&arguments.clocks)?;
    let plan = Plan {
        id: match_id(&game_name(&arguments.game)),
        game: arguments.game.clone(),
        rules,
        start_clock,
        play_clock,
        seed: arguments.seed,
        scramble: arguments.scramble,
        shuffle: arguments.shuffle,
        most_steps: MOST_STEPS,
        record: arguments.record.clone(),
    };
    let mut printed = Ok(());
    let record = run_match(&plan, program, &contestants, &mut |record| {
        if !arguments.json && printed.is_ok() {
            printed = print_step(record, out).and_then(|()| Ok(out.flush()?));
        }
    })
    .map_err(problem)?;
    printed?;
    if arguments.json {
        write_json(&record, out)?;
    } else {
        print_result(&record, out)?;
    }
    Ok(if record.is_completed { Outcome::Fine } else { Outcome::Undecided })
}

/// The clocks as durations.
pub fn clocks(arguments: &ClockArguments) -> Result<(Duration, Duration)> {
    let clock = |seconds: f64| {
        Duration::try_from_secs_f64(seconds)
            .map_err(|_| Problem::Usage(format!("{seconds} seconds is no clock")))
    };
    Ok((clock(arguments.start_clock)?, clock(arguments.play_clock)?))
}

/// A name for a match that no other has.
pub fn match_id(game: &str) -> String {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis());
    let word: String =
        game.chars().filter(|&c| c.is_ascii_alphanumeric() || c == '-').take(40).collect();
    format!("inertia.{word}.{time}")
}

/// Why there was no match, as the end of a command.
pub fn problem(problem: MatchProblem) -> Problem {
    match problem {
        MatchProblem::WrongPlayerCount { .. } => Problem::Usage(problem.to_string()),
        MatchProblem::Reasoner(what) => Problem::Refused(what),
        MatchProblem::Record(path, error) => Problem::File(path.display().to_string(), error),
    }
}

fn print_step(record: &Record, out: &mut dyn Write) -> Result<()> {
    let (Some(moves), Some(errors)) = (record.moves.last(), record.errors.last()) else {
        return Ok(());
    };
    let shown = |(action, error): (&String, &String)| match error.as_str() {
        "" => action.clone(),
        error => format!("{action} [{error}]"),
    };
    let moves: Vec<String> = moves.iter().zip(errors).map(shown).collect();
    writeln!(out, "{:>4}  {}", record.moves.len(), moves.join("  "))?;
    Ok(())
}

fn print_result(record: &Record, out: &mut dyn Write) -> Result<()> {
    if !record.is_completed {
        writeln!(out, "broken off after {} moves", record.moves.len())?;
    }
    let errors = record.error_counts();
    for (role, name) in record.game_role_names.iter().enumerate() {
        let player = &record.player_names_from_host[role];
        let goal = record.goal_values.get(role).map_or("-".to_owned(), i32::to_string);
        let faults = match errors[role] {
            0 => String::new(),
            count => format!(", {count} moves replaced"),
        };
        writeln!(out, "{goal:>4}  {name} ({player}){faults}")?;
    }
    Ok(())
}
