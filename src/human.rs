//! A person at the terminal as a contestant: sees the state, types a move.
//!
//! What is shown goes to standard error, so that the result on standard output stays clean.

use std::io::{self, BufRead};
use std::sync::Mutex;
use std::time::Instant;

use engine::{Game, Reasoner, Reference, TermId};
use player::{Contestant, Drawing, Fault, Message, Reply, Step};

/// A person.
#[derive(Default)]
pub struct Human {
    position: Mutex<Option<Position>>,
}

/// What the person sees.
struct Position {
    reasoner: Reference,
    role: usize,
    drawing: Drawing,
}

impl Contestant for Human {
    fn name(&self) -> String {
        "human".to_owned()
    }

    fn is_human(&self) -> bool {
        true
    }

    fn ask(&self, message: &str, _deadline: Instant) -> Result<String, Fault> {
        let mut position = self.position.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let problem = |what: &str| Fault::Illegal(what.to_owned());
        match Message::parse(message).map_err(|unclear| Fault::Illegal(unclear.to_string()))? {
            Message::Start(start) => {
                let program = gdl_front::load(&start.rules, None).program;
                let game = Game::new(program.ok_or_else(|| problem("the rules are not valid"))?);
                *position = Some(sit_down(&game, &start.role).ok_or_else(|| problem("no role"))?);
                Ok(Reply::Ready.to_string())
            }
            Message::Play(step) => {
                let position = position.as_mut().ok_or_else(|| problem("no match"))?;
                position.follow(&step);
                position.prompt()
            }
            Message::Stop(step) => {
                if let Some(position) = position.as_mut() {
                    position.follow(&step);
                    position.show();
                }
                Ok(Reply::Done.to_string())
            }
            _ => Ok(Reply::Done.to_string()),
        }
    }
}

fn sit_down(game: &std::sync::Arc<Game>, role: &str) -> Option<Position> {
    let role = game.read_term(role).ok()?;
    let role = game.roles.iter().position(|&known| known == role)?;
    let mut reasoner = Reference::new(game.clone()).ok()?;
    let drawing = Drawing::learn(&mut reasoner).ok()?;
    Some(Position { reasoner, role, drawing })
}

impl Position {
    fn follow(&mut self, step: &Step) {
        let game = self.reasoner.game().clone();
        let moves: Result<Vec<TermId>, _> =
            step.moves.iter().map(|text| game.read_term(text)).collect();
        if let Ok(moves) = moves
            && !moves.is_empty()
            && let Err(failure) = self.reasoner.apply(&moves)
        {
            tracing::warn!(%failure, "the match cannot be followed");
        }
    }

    fn show(&mut self) {
        if let Ok(state) = self.reasoner.state() {
            eprintln!("\n{}", self.drawing.draw(self.reasoner.game(), &state));
        }
    }

    /// Asks until a legal move is typed.
    fn prompt(&mut self) -> Result<String, Fault> {
        let game = self.reasoner.game().clone();
        let legal = self.reasoner.legal(self.role);
        let legal = legal.map_err(|failure| Fault::Illegal(failure.describe(&game)))?;
        let moves = game.show_all(&legal);
        if let [only] = moves.as_slice() {
            return Ok(only.clone());
        }
        self.show();
        eprintln!("{}", list_moves(&moves));
        let mut lines = io::stdin().lock().lines();
        loop {
            eprint!("{}> ", game.show(game.roles[self.role]));
            let Some(Ok(line)) = lines.next() else {
                return Err(Fault::Connection("the person has left".to_owned()));
            };
            match choose(&game, &moves, &line) {
                Some(action) => return Ok(action),
                None => eprintln!("not a legal move; type its number or its text"),
            }
        }
    }
}

/// Legal moves with their numbers, in columns.
pub fn list_moves(moves: &[String]) -> String {
    let digits = moves.len().to_string().len();
    let numbered: Vec<String> = moves
        .iter()
        .enumerate()
        .map(|(index, text)| format!("{:>digits$} {text}", index + 1))
        .collect();
    let width = numbered.iter().map(|item| item.chars().count()).max().unwrap_or(0) + 2;
    let columns = (100 / width).max(1);
    let lines: Vec<String> = numbered
        .chunks(columns)
        .map(|row| {
            let row: String = row.iter().map(|item| format!("{item:<width$}")).collect();
            row.trim_end().to_owned()
        })
        .collect();
    lines.join("\n")
}

/// The legal move that a person means: its number in the list, or its text, with or without the
/// outer parentheses.
pub fn choose(game: &Game, moves: &[String], typed: &str) -> Option<String> {
    let typed = typed.trim();
    let terms = [typed.to_owned(), format!("({typed})")];
    let by_text = terms.iter().find_map(|text| {
        let shown = game.show(game.read_term(text).ok()?);
        moves.iter().find(|action| **action == shown)
    });
    let by_number = || {
        let number: usize = typed.parse().ok()?;
        moves.get(number.checked_sub(1)?)
    };
    by_text.or_else(by_number).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_chosen_by_text_or_number() {
        let text = "(role x) (legal x (mark 1 2)) (legal x wait) (goal x 0) terminal";
        let game = Game::new(gdl_front::load(text, None).program.unwrap());
        let moves = ["(mark 1 2)", "wait"].map(str::to_owned);
        for (typed, wanted) in [
            ("1", Some("(mark 1 2)")),
            ("mark 1 2", Some("(mark 1 2)")),
            (" (MARK 1 2) ", Some("(mark 1 2)")),
            ("wait", Some("wait")),
            ("2", Some("wait")),
            ("0", None),
            ("3", None),
            ("mark 2 1", None),
            ("", None),
        ] {
            assert_eq!(choose(&game, &moves, typed).as_deref(), wanted, "{typed}");
        }
    }
}
