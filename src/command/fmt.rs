//! `inertia fmt`: rule sheets laid out, checked or converted.

use std::fs;
use std::io::{self, Write};

use gdl_front::{Syntax, any_error, format, parse, recognise};

use super::Result;
use crate::args::FmtArguments;
use crate::input::{Input, colour, read};
use crate::outcome::{Outcome, Problem};

pub fn run(arguments: &FmtArguments, out: &mut dyn Write) -> Result {
    let mut outcome = Outcome::Fine;
    for name in &arguments.files {
        let found = match read(name) {
            Ok(input) => format_one(&input, arguments, out)?,
            Err(problem) => {
                problem.report();
                Outcome::Unreadable
            }
        };
        outcome = outcome.max(found);
    }
    Ok(outcome)
}

fn format_one(input: &Input, arguments: &FmtArguments, out: &mut dyn Write) -> Result {
    let Some(formatted) = formatted(input, arguments) else {
        return Ok(Outcome::Negative);
    };
    if arguments.check {
        if formatted == input.text {
            return Ok(Outcome::Fine);
        }
        writeln!(out, "{}", input.name)?;
        return Ok(Outcome::Negative);
    }
    if !arguments.write || input.is_standard_input() {
        out.write_all(formatted.as_bytes())?;
    } else if formatted != input.text {
        replace(&input.name, &formatted)
            .map_err(|error| Problem::File(input.name.clone(), error))?;
    }
    Ok(Outcome::Fine)
}

/// The formatted text; `None`, with the findings on standard error, if the text cannot be read.
fn formatted(input: &Input, arguments: &FmtArguments) -> Option<String> {
    if let Some(finding) = input.not_utf8() {
        eprint!("{}", input.rendered(&[finding], colour(&io::stderr())));
        return None;
    }
    let from = arguments.from.map_or_else(|| recognise(&input.text), Syntax::from);
    let (sheet, diagnostics) = parse(&input.text, Some(from));
    if any_error(&diagnostics) {
        eprint!("{}", input.rendered(&diagnostics, colour(&io::stderr())));
        return None;
    }
    Some(format(&sheet, &input.text, arguments.syntax.map_or(from, Syntax::from)))
}

/// Writes a file so that it holds either the old or the new text, never half of one.
fn replace(name: &str, text: &str) -> io::Result<()> {
    let temporary = format!("{name}.{}.tmp", std::process::id());
    let written = fs::write(&temporary, text)
        .and_then(|()| fs::set_permissions(&temporary, fs::metadata(name)?.permissions()))
        .and_then(|()| fs::rename(&temporary, name));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}
