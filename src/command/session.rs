//! `inertia session`: a console at a terminal, or a script from a file or standard input.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use engine::{Game, Session};

use super::{Result, write_json};
use crate::args::SessionArguments;
use crate::console::{Console, Editor, Reply};
use crate::engines::{framed, problem};
use crate::input::{load_program, read};
use crate::outcome::{Outcome, Problem};

pub fn run(arguments: &SessionArguments, out: &mut dyn Write) -> Result {
    let game = Game::new(framed(load_program(&arguments.game, None)?, arguments.frame)?);
    let session = Session::new(game.clone(), usize::from(arguments.workers))
        .map_err(|failure| problem(&game, &failure))?;
    let mut console = Console::new(session);
    match &arguments.script {
        Some(script) => run_script(&mut console, &read(script)?.text, arguments.json, out),
        None if io::stdin().is_terminal() => run_editor(&mut console, arguments, out),
        None => {
            let lines = io::stdin().lock().lines();
            run_lines(&mut console, lines, arguments.json, out)
        }
    }
}

fn run_script(console: &mut Console, text: &str, json: bool, out: &mut dyn Write) -> Result {
    run_lines(console, text.lines().map(|line| Ok(line.to_owned())), json, out)
}

/// Obeys lines to their end, errors or not; a line that could not be obeyed makes exit code 1.
fn run_lines(
    console: &mut Console,
    lines: impl Iterator<Item = io::Result<String>>,
    json: bool,
    out: &mut dyn Write,
) -> Result {
    let mut outcome = Outcome::Fine;
    for line in lines {
        let line = line.map_err(|error| Problem::File("standard input".to_owned(), error))?;
        let (reply, end) = console.obey(&line);
        if let Some(reply) = reply {
            if matches!(reply, Reply::Error { .. }) {
                outcome = Outcome::Negative;
            }
            write_reply(&reply, json, out)?;
        }
        if end {
            break;
        }
    }
    Ok(outcome)
}

fn run_editor(console: &mut Console, arguments: &SessionArguments, out: &mut dyn Write) -> Result {
    let failed = |error: rustyline::error::ReadlineError| {
        Problem::File("the terminal".to_owned(), io::Error::other(error))
    };
    let history = arguments.history.as_deref().map(Path::new);
    let mut editor = Editor::new(history).map_err(failed)?;
    writeln!(out, "`help` lists the commands, Tab completes them")?;
    loop {
        out.flush()?;
        editor.offer(console.legal_moves(), console.relation_names());
        let Some(line) = editor.line().map_err(failed)? else { break };
        let (reply, end) = console.obey(&line);
        if let Some(reply) = reply {
            write_reply(&reply, arguments.json, out)?;
        }
        if end {
            break;
        }
    }
    if let Some(path) = history {
        editor.save(path).map_err(failed)?;
    }
    Ok(Outcome::Fine)
}

/// Every reply is flushed: who pipes a session waits for its answers.
fn write_reply(reply: &Reply, json: bool, out: &mut dyn Write) -> Result<()> {
    match json {
        true => write_json(reply, out)?,
        false => write!(out, "{reply}")?,
    }
    out.flush()?;
    Ok(())
}
