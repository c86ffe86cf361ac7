//! `inertia translate`: frame rules to `fnext` rules.

use std::io::{self, Write};
use std::time::Instant;

use gdl_front::program::Program;
use gdl_front::{
    Covering, FluentOutcome, FluentReport, Lines, Syntax, Translation, format, parse, print_fact,
    print_rule, translate,
};
use serde::Serialize;

use super::{Result, write_json};
use crate::args::{CoveringName, TranslateArguments};
use crate::engines::game_name;
use crate::input::{Input, colour, program_of, read};
use crate::outcome::{Outcome, Problem};

pub fn run(arguments: &TranslateArguments, out: &mut dyn Write) -> Result {
    let covering = match arguments.covering {
        CoveringName::Generic => Covering::Generic,
        CoveringName::Direct => Covering::Direct,
    };
    for name in &arguments.games {
        let input = read(name)?;
        let program = program_of(&input, None)?;
        let begun = Instant::now();
        let translation = translate(&program, covering).map_err(|finding| {
            eprint!("{}", input.rendered(&[finding], colour(&io::stderr())));
            Problem::Refused(format!("{name}: cannot be translated"))
        })?;
        let seconds = begun.elapsed().as_secs_f64();
        if !arguments.report {
            write!(out, "{}", sheet(&translation.program, arguments.syntax.into()))?;
            continue;
        }
        let report = Report::new(&input, &program, &translation, seconds);
        if arguments.json {
            write_json(&report, out)?;
        } else {
            print(&report, out)?;
        }
    }
    Ok(Outcome::Fine)
}

/// A program as a rule sheet, facts first.
fn sheet(program: &Program, syntax: Syntax) -> String {
    let facts = program.facts.iter().map(|fact| print_fact(program, &fact.atom));
    let rules = program.rules.iter().map(|rule| print_rule(program, rule));
    let text = facts.chain(rules).collect::<Vec<String>>().join("\n");
    format(&parse(&text, Some(Syntax::Kif)).0, &text, syntax)
}

#[derive(Serialize)]
struct Report {
    game: String,
    seconds: f64,
    rules_before: usize,
    rules_after: usize,
    frame_rules: usize,
    fluents: Vec<Fluent>,
}

#[derive(Serialize)]
struct Fluent {
    fluent: String,
    /// The lines of its frame rules.
    frame_rules: Vec<usize>,
    translated: bool,
    /// Rules of first-order logic, one a joint move.
    rules_before: usize,
    /// Rules after simplification.
    rules_after: usize,
    outcome: String,
}

impl Report {
    fn new(input: &Input, program: &Program, translation: &Translation, seconds: f64) -> Report {
        let lines = Lines::of(&input.text);
        let fluents: Vec<Fluent> =
            translation.fluents.iter().map(|report| Fluent::new(report, &lines)).collect();
        let mut frame_rules: Vec<usize> =
            fluents.iter().flat_map(|fluent| fluent.frame_rules.clone()).collect();
        frame_rules.sort_unstable();
        frame_rules.dedup();
        Report {
            game: game_name(&input.name),
            seconds,
            rules_before: program.rules.len(),
            rules_after: translation.program.rules.len(),
            frame_rules: frame_rules.len(),
            fluents,
        }
    }
}

impl Fluent {
    fn new(report: &FluentReport, lines: &Lines<'_>) -> Fluent {
        let (translated, rules_before, rules_after) = match report.outcome {
            FluentOutcome::Translated { before, after } => (true, before, after),
            _ => (false, 0, 0),
        };
        let places = report.frame_rules.iter().map(|span| lines.place(span.start).line);
        let mut places: Vec<usize> = places.collect();
        // A rule with `or` is several rules at one place.
        places.dedup();
        Fluent {
            fluent: format!("{}/{}", report.name, report.arity),
            frame_rules: places,
            translated,
            rules_before,
            rules_after,
            outcome: outcome(report.outcome),
        }
    }
}

fn outcome(outcome: FluentOutcome) -> String {
    match outcome {
        FluentOutcome::NoFrameRule => "no frame rule: derived anew with every move".to_owned(),
        FluentOutcome::Translated { before, after } => {
            format!("translated: {}, {}", counted(before, "joint move"), counted(after, "rule"))
        }
        FluentOutcome::TooManyCases => "left: too many cases to write out".to_owned(),
        FluentOutcome::AskedOfAll => {
            "left: what ends it would be asked of every instance with every move".to_owned()
        }
        FluentOutcome::TooManyRules { rules } => {
            format!("left: its {rules} rules would cost more than they save")
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

fn print(report: &Report, out: &mut dyn Write) -> Result<()> {
    let Report { game, rules_before, rules_after, frame_rules, .. } = report;
    let translated = report.fluents.iter().filter(|fluent| fluent.translated).count();
    let fluents = report.fluents.len();
    let milliseconds = report.seconds * 1000.0;
    writeln!(
        out,
        "{game}: {translated} of {fluents} fluents translated, {frame_rules} frame rules, \
         {rules_before} rules before and {rules_after} after, {milliseconds:.1} ms"
    )?;
    for fluent in &report.fluents {
        let lines: Vec<String> = fluent.frame_rules.iter().map(usize::to_string).collect();
        let places = if lines.is_empty() {
            String::new()
        } else {
            let plural = if lines.len() == 1 { "" } else { "s" };
            format!(" (frame rule{plural} in line{plural} {})", lines.join(", "))
        };
        writeln!(out, "  {:<24} {}{places}", fluent.fluent, fluent.outcome)?;
    }
    Ok(())
}
