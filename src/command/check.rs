//! `inertia check`: all findings about rule sheets.

use std::io::{self, Write};

use gdl_front::{Diagnostic, Lines, Severity, Syntax};
use serde::Serialize;

use super::{Result, write_json};
use crate::args::CheckArguments;
use crate::input::{Input, colour, read};
use crate::outcome::Outcome;

pub fn run(arguments: &CheckArguments, out: &mut dyn Write) -> Result {
    let mut outcome = Outcome::Fine;
    for name in &arguments.files {
        let found = match read(name) {
            Ok(input) => check(&input, arguments, out)?,
            // The other files are still worth checking.
            Err(problem) => {
                problem.report();
                Outcome::Unreadable
            }
        };
        outcome = outcome.max(found);
    }
    Ok(outcome)
}

fn check(input: &Input, arguments: &CheckArguments, out: &mut dyn Write) -> Result {
    let loaded = input.load(arguments.syntax.map(Syntax::from));
    let valid = loaded.program.is_some();
    if arguments.json {
        let report = Report::new(input, valid, &loaded.diagnostics);
        write_json(&report, out)?;
    } else {
        write!(out, "{}", input.rendered(&loaded.diagnostics, colour(&io::stdout())))?;
        writeln!(out, "{}: {}", input.name, summary(valid, &loaded.diagnostics))?;
    }
    Ok(if valid { Outcome::Fine } else { Outcome::Negative })
}

fn summary(valid: bool, diagnostics: &[Diagnostic]) -> String {
    let count = |severity: Severity| {
        let count = diagnostics.iter().filter(|finding| finding.severity == severity).count();
        let plural = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!(", {count} {}{plural}", severity.name()))
    };
    format!(
        "{}{}{}",
        if valid { "valid" } else { "invalid" },
        count(Severity::Error).unwrap_or_default(),
        count(Severity::Warning).unwrap_or_default()
    )
}

#[derive(Serialize)]
struct Report<'a> {
    file: &'a str,
    valid: bool,
    diagnostics: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Finding<'a> {
    code: &'a str,
    severity: Severity,
    message: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    notes: &'a [String],
}

impl<'a> Report<'a> {
    fn new(input: &'a Input, valid: bool, diagnostics: &'a [Diagnostic]) -> Report<'a> {
        let lines = Lines::of(&input.text);
        let finding = |diagnostic: &'a Diagnostic| {
            let (start, end) =
                (lines.place(diagnostic.span.start), lines.place(diagnostic.span.end));
            Finding {
                code: diagnostic.code.name(),
                severity: diagnostic.severity,
                message: &diagnostic.message,
                line: start.line,
                column: start.column,
                end_line: end.line,
                end_column: end.column,
                notes: &diagnostic.notes,
            }
        };
        Report { file: &input.name, valid, diagnostics: diagnostics.iter().map(finding).collect() }
    }
}
