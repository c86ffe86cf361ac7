//! `inertia print`: a game as one of its stages.

use std::io::Write;

use engine::{Circuit, Game, Ground, Limits, Plan, Visible, ground, print_circuit, print_ground};
use gdl_front::{Lines, Syntax, any_error, kif_line, print_program};

use super::Result;
use crate::args::{PrintArguments, Stage};
use crate::engines::problem;
use crate::input::{load_program, read};
use crate::outcome::{Outcome, Problem};

pub fn run(arguments: &PrintArguments, out: &mut dyn Write) -> Result {
    let syntax = arguments.syntax.map(Syntax::from);
    match arguments.stage {
        Stage::Ast => print_sheet(&arguments.file, syntax, out),
        Stage::Program => {
            let program = load_program(&arguments.file, syntax)?;
            write!(out, "{}", print_program(&program))?;
            Ok(Outcome::Fine)
        }
        Stage::Ground => {
            write!(out, "{}", print_ground(&instantiate(&arguments.file, syntax)?))?;
            Ok(Outcome::Fine)
        }
        Stage::Network => {
            let circuit = Circuit::new(&instantiate(&arguments.file, syntax)?).smallest();
            write!(out, "{}", print_circuit(&circuit))?;
            Ok(Outcome::Fine)
        }
        Stage::Plan => {
            let game = Game::new(load_program(&arguments.file, syntax)?);
            let plan = Plan::new(game.clone(), Visible::Keywords)
                .map_err(|failure| problem(&game, &failure))?;
            write!(out, "{plan}")?;
            Ok(Outcome::Fine)
        }
    }
}

fn instantiate(file: &str, syntax: Option<Syntax>) -> Result<Ground> {
    let game = Game::new(load_program(file, syntax)?);
    ground(&game, &Limits::default()).map_err(|failure| problem(&game, &failure))
}

/// Every rule with the place where it starts. A sheet need not be a valid game to be shown.
fn print_sheet(file: &str, syntax: Option<Syntax>, out: &mut dyn Write) -> Result {
    let input = read(file)?;
    let loaded = input.load(syntax);
    if loaded.sheet.rules.is_empty() && any_error(&loaded.diagnostics) {
        eprint!("{}", input.rendered(&loaded.diagnostics, false));
        return Err(Problem::Refused(format!("{file}: nothing could be read")));
    }
    let lines = Lines::of(&input.text);
    for rule in &loaded.sheet.rules {
        let place = lines.place(rule.span.start);
        let text = kif_line(rule, &loaded.sheet.symbols);
        writeln!(out, "{}:{} {text}", place.line, place.column)?;
    }
    Ok(Outcome::Fine)
}
