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
    } else if formatted != input.text
        && let Err(error) = replace(&input.name, &formatted)
    {
        // The other files are still worth writing.
        Problem::File(input.name.clone(), error).report();
        return Ok(Outcome::Unreadable);
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

/// Writes a file, or what a link leads to, so that it holds either the old or the new text, never
/// half of one. What must not be written to is not replaced either.
fn replace(name: &str, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(name)?;
    let permissions = fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "is read-only"));
    }
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = fs::write(&temporary, text)
        .and_then(|()| fs::set_permissions(&temporary, permissions))
        .and_then(|()| fs::rename(&temporary, &path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}
