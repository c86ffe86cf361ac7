//! A line editor with history and completion, for consoles at a terminal.

use std::path::Path;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

use super::request::COMMANDS;

/// Reads lines from a terminal.
pub struct Editor(rustyline::Editor<Words, DefaultHistory>);

/// The words that can stand in a line.
#[derive(Default)]
struct Words {
    moves: Vec<String>,
    relations: Vec<String>,
}

impl Editor {
    /// An editor with the lines of earlier sessions, if a file holds them.
    pub fn new(history: Option<&Path>) -> rustyline::Result<Editor> {
        let mut editor = rustyline::Editor::new()?;
        editor.set_helper(Some(Words::default()));
        if let Some(path) = history.filter(|path| path.exists()) {
            editor.load_history(path)?;
        }
        Ok(Editor(editor))
    }

    /// Says what can be completed from now on: legal moves, and relations as `name/arity`.
    pub fn offer(&mut self, moves: Vec<String>, relations: Vec<String>) {
        let name = |relation: String| relation.split('/').next().map(str::to_owned);
        let relations = relations.into_iter().filter_map(name).collect();
        self.0.set_helper(Some(Words { moves, relations }));
    }

    /// The next line; `None` at the end. Ctrl-C drops the line that was begun.
    pub fn line(&mut self) -> rustyline::Result<Option<String>> {
        loop {
            match self.0.readline("inertia> ") {
                Ok(line) => {
                    self.0.add_history_entry(&line)?;
                    return Ok(Some(line));
                }
                Err(ReadlineError::Interrupted) => {}
                Err(ReadlineError::Eof) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    /// Keeps the lines for later sessions.
    pub fn save(&mut self, history: &Path) -> rustyline::Result<()> {
        self.0.save_history(history)
    }
}

impl Words {
    /// Where the word that is being written starts, and what it may become.
    fn complete(&self, line: &str) -> (usize, Vec<String>) {
        let Some((command, rest)) = line.split_once(' ') else {
            return (0, starting(COMMANDS.iter().map(|(name, _, _)| *name), line));
        };
        let takes_moves = matches!(command, "move" | "what-if");
        if takes_moves {
            let start = last_term(rest);
            return (command.len() + 1 + start, starting(self.moves.iter(), &rest[start..]));
        }
        let start = rest.rfind(['(', ' ']).map_or(0, |place| place + 1);
        (command.len() + 1 + start, starting(self.relations.iter(), &rest[start..]))
    }
}

/// Where the last term of a line begins.
fn last_term(text: &str) -> usize {
    let (mut depth, mut start) = (0_i32, 0);
    for (place, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 && (letter.is_whitespace() || letter == ')') {
            start = place + letter.len_utf8();
        }
    }
    start
}

fn starting<S: AsRef<str>>(words: impl Iterator<Item = S>, start: &str) -> Vec<String> {
    let words = words.map(|word| word.as_ref().to_owned());
    words.filter(|word| word.starts_with(start)).collect()
}

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(Words::complete(self, &line[..position]))
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}
impl Validator for Words {}
impl Helper for Words {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_moves_and_relations_are_completed() {
        let words = Words {
            moves: vec!["(mark 1 1)".into(), "(mark 1 2)".into(), "noop".into()],
            relations: vec!["cell".into(), "control".into()],
        };
        let check = |line, place, expected: &[&str]| {
            assert_eq!(words.complete(line), (place, expected.iter().map(|&s| s.into()).collect()));
        };
        check("wha", 0, &["what-if"]);
        check("move (mark 1 ", 5, &["(mark 1 1)", "(mark 1 2)"]);
        check("move (mark 1 1) n", 16, &["noop"]);
        check("query (cell 1 ?x) (con", 19, &["control"]);
    }
}
