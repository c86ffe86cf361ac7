//! `inertia tournament`: all players against each other, with live progress and intervals.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;

use engine::Game;
use player::{Contestant, Interval, Plan, Record, Tally, line_ups, run_match};
use serde::Serialize;

use super::match_::{clocks, match_id, problem};
use super::{Result, write_json};
use crate::args::TournamentArguments;
use crate::engines::game_name;
use crate::input::{load_program, read};
use crate::interrupt::Stop;
use crate::outcome::{Outcome, Problem};

/// No match of a tournament is longer.
const MOST_STEPS: usize = 2_000;

/// What a player reached in a game.
#[derive(Serialize)]
struct Row {
    game: String,
    player: String,
    #[serde(flatten)]
    tally: Tally,
    mean_goal: Interval,
    win_rate: Interval,
}

/// The whole result, as JSON.
#[derive(Serialize)]
struct Report {
    start_clock: f64,
    play_clock: f64,
    matches: u64,
    complete: bool,
    results: Vec<Row>,
}

pub fn run(arguments: &TournamentArguments, out: &mut dyn Write) -> Result {
    if let Some(folder) = &arguments.records {
        std::fs::create_dir_all(folder)
            .map_err(|error| Problem::File(folder.display().to_string(), error))?;
    }
    let mut tournament = Tournament {
        arguments,
        stop: Stop::on_interrupt(None),
        matches: 0,
        total: total_matches(arguments)?,
    };
    let mut results = Vec::new();
    for game in &arguments.games {
        let tallies = tournament.play_game(game)?;
        results.extend(arguments.players.iter().zip(tallies).map(|(player, tally)| Row {
            game: game_name(game),
            player: player.to_string(),
            mean_goal: tally.mean_goal(),
            win_rate: tally.win_rate(),
            tally,
        }));
    }
    tournament.clear_progress();
    let report = Report {
        start_clock: arguments.clocks.start_clock,
        play_clock: arguments.clocks.play_clock,
        matches: tournament.matches,
        complete: tournament.matches == tournament.total,
        results,
    };
    if arguments.json {
        write_json(&report, out)?;
    } else {
        print(&report, out)?;
    }
    Ok(if report.complete { Outcome::Fine } else { Outcome::Undecided })
}

fn total_matches(arguments: &TournamentArguments) -> Result<u64> {
    let mut total = 0;
    for game in &arguments.games {
        let roles = load_program(game, None)?.roles.len();
        total += line_ups(roles, arguments.players.len()).len() as u64 * arguments.rounds;
    }
    Ok(total)
}

/// A tournament that is going on.
struct Tournament<'a> {
    arguments: &'a TournamentArguments,
    stop: Stop,
    matches: u64,
    total: u64,
}

impl Tournament<'_> {
    /// Plays all matches of a game; what each player reached.
    fn play_game(&mut self, game: &str) -> Result<Vec<Tally>> {
        let rules = read(game)?.text;
        let roles = Game::new(load_program(game, None)?).roles.len();
        let mut tallies = vec![Tally::default(); self.arguments.players.len()];
        for _ in 0..self.arguments.rounds {
            for line_up in line_ups(roles, self.arguments.players.len()) {
                if !self.stop.go_on() {
                    return Ok(tallies);
                }
                let record = self.play_match(game, &rules, &line_up)?;
                for (role, &player) in line_up.iter().enumerate() {
                    tallies[player].add(&record, role);
                }
            }
        }
        Ok(tallies)
    }

    fn play_match(&mut self, game: &str, rules: &str, line_up: &[usize]) -> Result<Record> {
        let arguments = self.arguments;
        // Each player of each match has a seed of its own.
        let seed = arguments.seed.wrapping_add(self.matches).wrapping_mul(1_000);
        let contestants: Vec<Arc<dyn Contestant>> = (0u64..)
            .zip(line_up)
            .map(|(role, &player)| {
                arguments.players[player].contestant(&arguments.search, seed.wrapping_add(role))
            })
            .collect::<Result<_>>()?;
        let (start_clock, play_clock) = clocks(&arguments.clocks)?;
        self.matches += 1;
        let id = match_id(&format!("{}-{}", game_name(game), self.matches));
        let plan = Plan {
            record: arguments.records.as_ref().map(|folder| self.record_file(folder, game)),
            id,
            game: game.to_owned(),
            rules: rules.to_owned(),
            start_clock,
            play_clock,
            seed,
            scramble: false,
            shuffle: false,
            most_steps: MOST_STEPS,
        };
        let program = load_program(game, None)?;
        let names: Vec<String> = contestants.iter().map(|player| player.name()).collect();
        let names = names.join(" - ");
        let record = run_match(&plan, program, &contestants, &mut |record| {
            self.show_progress(&format!("{} {names}, move {}", plan.game, record.moves.len()));
        })
        .map_err(problem)?;
        tracing::info!(game, players = names, goals = ?record.goal_values, "match over");
        Ok(record)
    }

    fn record_file(&self, folder: &std::path::Path, game: &str) -> PathBuf {
        folder.join(format!("{}-{:04}.json", game_name(game), self.matches))
    }

    fn show_progress(&self, what: &str) {
        if io::stderr().is_terminal() {
            let (matches, total) = (self.matches, self.total);
            eprint!("\r\x1b[2K[{matches}/{total}] {what}");
        }
    }

    fn clear_progress(&self) {
        if io::stderr().is_terminal() {
            eprint!("\r\x1b[2K");
        }
    }
}

fn print(report: &Report, out: &mut dyn Write) -> Result<()> {
    let width = |name: fn(&Row) -> &String, least: usize| {
        report.results.iter().map(|row| name(row).chars().count()).max().unwrap_or(0).max(least)
    };
    let (game, player) = (width(|row| &row.game, 4), width(|row| &row.player, 6));
    writeln!(
        out,
        "{:<game$}  {:<player$}  played   won drawn  lost  win rate (95 %)        mean goal (95 %)  \
         faults",
        "game", "player"
    )?;
    for row in &report.results {
        let (rate, goal, tally) = (row.win_rate, row.mean_goal, &row.tally);
        writeln!(
            out,
            "{:<game$}  {:<player$}  {:>6} {:>5} {:>5} {:>5}  {:>5.1} % ({:>5.1}-{:>5.1})  \
             {:>6.1} ({:>5.1}-{:>5.1})  {:>6}",
            row.game,
            row.player,
            tally.played,
            tally.won,
            tally.drawn,
            tally.lost,
            rate.value * 100.0,
            rate.low * 100.0,
            rate.high * 100.0,
            goal.value,
            goal.low,
            goal.high,
            tally.faults,
        )?;
    }
    if !report.complete {
        writeln!(out, "ended early, after {} matches", report.matches)?;
    }
    Ok(())
}
