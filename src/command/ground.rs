//! `inertia ground`: a game instantiated once.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Circuit, Game, Ground, Limits, Network, Random, ground, mutex_groups, print_ground};
use gdl_front::{SizeBound, bound_size};
use serde::Serialize;
use tracing::info;

use super::{Result, write_json};
use crate::args::{GroundArguments, Limit};
use crate::engines::{framed, game_name, problem};
use crate::input::load_program;
use crate::outcome::Outcome;

/// Random matches that groups of fluents are observed in, and the longest of them.
const MATCHES: usize = 50;
const MOVES: usize = 500;

/// The size of an instantiated game, as JSON.
#[derive(Serialize)]
struct Report {
    game: String,
    fluents: usize,
    moves: Vec<usize>,
    static_facts: usize,
    facts: usize,
    rules: usize,
    literals: usize,
    /// What the domains of arguments allow at most; nothing if terms can grow.
    most_facts: Option<f64>,
    most_rules: Option<f64>,
    reach_seconds: f64,
    rules_seconds: f64,
    circuit_seconds: f64,
    /// What the instantiation holds at the end, about.
    mebibytes: f64,
    /// The most that the whole program held, where the system tells.
    peak_mebibytes: Option<f64>,
    /// The gates and wires after each pass.
    passes: Vec<Pass>,
    /// Gates that read each other, and how many sets of such there are.
    cyclic_gates: usize,
    cycles: usize,
    /// Gates that only the goals need.
    goal_gates: usize,
}

#[derive(Serialize)]
struct Pass {
    name: &'static str,
    gates: usize,
    wires: usize,
}

/// Groups of fluents, as JSON.
#[derive(Serialize)]
struct Groups {
    game: String,
    /// Observed in random play; nothing is proved.
    status: &'static str,
    groups: Vec<Group>,
}

#[derive(Serialize)]
struct Group {
    fluents: Vec<String>,
    may_be_none: bool,
}

pub fn run(arguments: &GroundArguments, out: &mut dyn Write) -> Result {
    let game = Game::new(framed(load_program(&arguments.game, None)?, arguments.frame)?);
    let ground = ground(&game, &limits(&arguments.limit)).map_err(|failure| {
        let SizeBound { facts, rules } = bound_size(&game.program);
        info!("the domains of arguments allow {facts:.0} facts and {rules:.0} ground rules");
        problem(&game, &failure)
    })?;
    let name = game_name(&arguments.game);
    if arguments.mutex {
        let groups = groups(name, &game, &ground)?;
        if arguments.json {
            write_json(&groups, out)?;
        } else {
            print_groups(&groups, out)?;
        }
    } else if arguments.stats || arguments.json {
        let report = report(name, &ground);
        if arguments.json {
            write_json(&report, out)?;
        } else {
            print_report(&report, out)?;
        }
    } else {
        write!(out, "{}", print_ground(&ground))?;
    }
    Ok(Outcome::Fine)
}

fn limits(given: &[Limit]) -> Limits {
    let mut limits = Limits::default();
    for limit in given {
        match *limit {
            Limit::Seconds(seconds) => limits.time = Duration::from_secs_f64(seconds),
            Limit::Mebibytes(mebibytes) => limits.memory = mebibytes.saturating_mul(1 << 20),
            Limit::Rules(rules) => limits.rules = rules,
        }
    }
    limits
}

fn report(game: String, ground: &Ground) -> Report {
    let begun = Instant::now();
    let circuit = Circuit::new(ground).smallest();
    let circuit_seconds = begun.elapsed().as_secs_f64();
    let statistics = &ground.statistics;
    let passes = circuit.passes.iter();
    let bound = bound_size(&ground.game.program);
    let finite = |size: f64| size.is_finite().then_some(size);
    Report {
        game,
        fluents: circuit.fluents.len(),
        moves: circuit.moves.iter().map(Vec::len).collect(),
        static_facts: statistics.static_facts,
        facts: statistics.atoms,
        rules: statistics.rules,
        literals: statistics.literals,
        most_facts: finite(bound.facts),
        most_rules: finite(bound.rules),
        reach_seconds: statistics.reach_time.as_secs_f64(),
        rules_seconds: statistics.rules_time.as_secs_f64(),
        circuit_seconds,
        mebibytes: statistics.bytes as f64 / f64::from(1 << 20),
        peak_mebibytes: peak_mebibytes(),
        passes: passes
            .map(|pass| Pass { name: pass.name, gates: pass.gates, wires: pass.wires })
            .collect(),
        cyclic_gates: circuit.cycles.iter().map(|cycle| cycle.nodes.len()).sum(),
        cycles: circuit.cycles.len(),
        goal_gates: circuit.goal_gates().len(),
    }
}

/// The most memory that this process held, as Linux tells it.
fn peak_mebibytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes / 1024.0)
}

fn print_report(report: &Report, out: &mut dyn Write) -> Result<()> {
    let moves: Vec<String> = report.moves.iter().map(usize::to_string).collect();
    writeln!(out, "{}", report.game)?;
    writeln!(out, "fluents        {:>10}", report.fluents)?;
    writeln!(out, "moves          {:>10}", moves.join(" + "))?;
    writeln!(out, "static facts   {:>10}", report.static_facts)?;
    writeln!(out, "other facts    {:>10}", report.facts)?;
    writeln!(out, "ground rules   {:>10}", report.rules)?;
    writeln!(out, "literals       {:>10}", report.literals)?;
    let most = |size: Option<f64>| size.map_or("no bound".to_owned(), |size| format!("{size:.0}"));
    writeln!(out, "facts at most  {:>10}  by domains", most(report.most_facts))?;
    writeln!(out, "rules at most  {:>10}  by domains", most(report.most_rules))?;
    let seconds = [report.reach_seconds, report.rules_seconds, report.circuit_seconds];
    for (what, seconds) in ["facts", "rules", "gates"].into_iter().zip(seconds) {
        writeln!(out, "time for {what} {:>10.1} ms", 1000.0 * seconds)?;
    }
    writeln!(out, "memory         {:>10.1} MiB", report.mebibytes)?;
    if let Some(peak) = report.peak_mebibytes {
        writeln!(out, "peak           {peak:>10.1} MiB")?;
    }
    writeln!(out, "\n     gates      wires")?;
    for pass in &report.passes {
        writeln!(out, "{:>10} {:>10}  {}", pass.gates, pass.wires, pass.name)?;
    }
    writeln!(out, "{:>10}             for the goals alone", report.goal_gates)?;
    writeln!(out, "{:>10}             in {} cycles", report.cyclic_gates, report.cycles)?;
    Ok(())
}

fn groups(name: String, game: &Arc<Game>, ground: &Ground) -> Result<Groups> {
    let mut network = Network::of_circuit(Arc::new(Circuit::new(ground)));
    let found = mutex_groups(&mut network, &mut Random::new(1), MATCHES, MOVES);
    let found = found.map_err(|failure| problem(game, &failure))?;
    let groups = found
        .into_iter()
        .map(|group| Group {
            fluents: group.fluents.iter().map(|&fluent| game.show(fluent)).collect(),
            may_be_none: group.may_be_none,
        })
        .collect();
    Ok(Groups { game: name, status: "observed", groups })
}

fn print_groups(groups: &Groups, out: &mut dyn Write) -> Result<()> {
    for group in &groups.groups {
        let none = if group.may_be_none { " or none" } else { "" };
        writeln!(out, "one of {}{none}", group.fluents.join(" "))?;
    }
    writeln!(out, "{} groups, {}, not proved", groups.groups.len(), groups.status)?;
    Ok(())
}
