//! `inertia perft`: nodes of the game tree.

use std::io::Write;
use std::time::Instant;

use engine::perft;
use serde::Serialize;

use super::{Result, write_json};
use crate::args::PerftArguments;
use crate::engines::{game_name, problem, start};
use crate::interrupt::Stop;
use crate::outcome::Outcome;

/// What is counted, as JSON.
#[derive(Serialize)]
struct Report {
    game: String,
    engine: &'static str,
    depths: Vec<Depth>,
}

#[derive(Serialize)]
struct Depth {
    depth: usize,
    nodes: u64,
    terminals: u64,
    seconds: f64,
}

pub fn run(arguments: &PerftArguments, out: &mut dyn Write) -> Result {
    let mut reasoner = start(&arguments.game, &arguments.engine)?;
    let game = reasoner.game().clone();
    let stop = Stop::on_interrupt(arguments.seconds);
    let mut report =
        Report { game: game_name(&arguments.game), engine: reasoner.name(), depths: Vec::new() };
    if !arguments.json {
        writeln!(out, "depth           nodes       terminals    seconds")?;
    }
    for depth in 0..=arguments.depth {
        let begun = Instant::now();
        let level = perft(reasoner.as_mut(), depth, &|| stop.go_on())
            .map_err(|failure| problem(&game, &failure))?;
        let Some(level) = level else { break };
        let seconds = begun.elapsed().as_secs_f64();
        let (nodes, terminals) = (level.nodes, level.terminals);
        report.depths.push(Depth { depth, nodes, terminals, seconds });
        if !arguments.json {
            writeln!(out, "{depth:>5} {nodes:>15} {terminals:>15} {seconds:>10.3}")?;
            out.flush()?;
        }
    }
    if arguments.json {
        write_json(&report, out)?;
    }
    let complete = report.depths.len() > arguments.depth;
    Ok(if complete { Outcome::Fine } else { Outcome::Undecided })
}
