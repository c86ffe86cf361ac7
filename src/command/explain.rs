//! `inertia explain`: the longer story behind a finding.

use std::io::Write;

use gdl_front::Code;

use super::Result;
use crate::args::ExplainArguments;
use crate::outcome::{Outcome, Problem};

pub fn run(arguments: &ExplainArguments, out: &mut dyn Write) -> Result {
    let Some(name) = &arguments.code else {
        for code in Code::ALL {
            writeln!(out, "{}  {}", code.name(), code.title())?;
        }
        return Ok(Outcome::Fine);
    };
    let code = Code::find(name).ok_or_else(|| {
        Problem::Usage(format!(
            "`{name}` is no code of a finding; `inertia explain` lists them all"
        ))
    })?;
    writeln!(out, "{}: {}\n\n{}", code.name(), code.title(), code.story())?;
    Ok(Outcome::Fine)
}
