//! `inertia simulate`: random playouts.

use std::io::Write;
use std::time::Instant;

use engine::{Game, Playouts};
use serde::Serialize;

use super::{Result, write_json};
use crate::args::SimulateArguments;
use crate::engines::{game_name, problem};
use crate::interrupt::Stop;
use crate::outcome::Outcome;
use crate::playing::Player;

/// What random play gave, as JSON.
#[derive(Serialize)]
struct Report {
    game: String,
    engine: &'static str,
    seconds: f64,
    playouts: u64,
    states: u64,
    playouts_per_second: f64,
    states_per_second: f64,
    mean_length: f64,
    mean_goals: Vec<f64>,
}

pub fn run(arguments: &SimulateArguments, out: &mut dyn Write) -> Result {
    let mut player = Player::new(arguments)?;
    let game = player.game().clone();
    let stop = Stop::on_interrupt(Some(arguments.seconds));
    let begun = Instant::now();
    let played = player
        .play(arguments.threads, arguments.seed, &|| stop.go_on())
        .map_err(|failure| problem(&game, &failure))?;
    let seconds = begun.elapsed().as_secs_f64();
    let report = report(game_name(&arguments.game), player.name(), seconds, &played);
    if arguments.json {
        write_json(&report, out)?;
    } else {
        print(&report, &game, out)?;
    }
    Ok(Outcome::Fine)
}

fn report(game: String, engine: &'static str, seconds: f64, played: &Playouts) -> Report {
    Report {
        game,
        engine,
        seconds,
        playouts: played.playouts,
        states: played.states,
        playouts_per_second: played.playouts as f64 / seconds,
        states_per_second: played.states as f64 / seconds,
        mean_length: played.mean_length(),
        mean_goals: played.mean_goals(),
    }
}

fn print(report: &Report, game: &Game, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "{} with {}, {:.1} s", report.game, report.engine, report.seconds)?;
    writeln!(out, "playouts     {:>12}  {:>14.0}/s", report.playouts, report.playouts_per_second)?;
    writeln!(out, "states       {:>12}  {:>14.0}/s", report.states, report.states_per_second)?;
    writeln!(out, "mean length  {:>12.2}", report.mean_length)?;
    for (&role, goal) in game.roles.iter().zip(&report.mean_goals) {
        writeln!(out, "mean goal    {goal:>12.2}  {}", game.show(role))?;
    }
    Ok(())
}
