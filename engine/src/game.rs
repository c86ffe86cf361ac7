//! A game as all reasoners share it: the program, its ground terms, and terms from and to text.

use std::fmt;
use std::sync::Arc;

use gdl_front::Symbol;
use gdl_front::program::{Program, Term};

use crate::terms::{TermId, Terms};

/// A program with the ground terms that reasoning about it has met.
#[derive(Debug)]
pub struct Game {
    /// The rules.
    pub program: Program,
    /// The ground terms.
    pub terms: Terms,
    /// The players, in the order of the rule sheet.
    pub roles: Vec<TermId>,
}

/// A text that names no term of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTerm(pub String);

impl fmt::Display for UnknownTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no term of this game", self.0)
    }
}

impl std::error::Error for UnknownTerm {}

impl Game {
    /// Makes a program ready to be reasoned about.
    pub fn new(program: Program) -> Arc<Game> {
        let terms = Terms::default();
        let mut game = Game { program, terms, roles: Vec::new() };
        game.roles = game.program.roles.iter().filter_map(|role| game.ground(role)).collect();
        Arc::new(game)
    }

    /// The id of a term without variables; `None` if it has one.
    pub fn ground(&self, term: &Term) -> Option<TermId> {
        match term {
            Term::Variable(_) => None,
            Term::Constant(name) => Some(self.terms.write().intern(*name, &[])),
            Term::Function(name, args) => {
                let args: Option<Vec<TermId>> = args.iter().map(|arg| self.ground(arg)).collect();
                Some(self.terms.write().intern(*name, &args?))
            }
        }
    }

    /// A term as KIF, in the spelling of the rule sheet. Works for terms of any depth.
    pub fn show(&self, term: TermId) -> String {
        let arena = self.terms.read();
        let mut out = String::new();
        // What is still to be written: a term with a space before it or not, or a closing.
        let mut stack = vec![Some((term, false))];
        while let Some(next) = stack.pop() {
            let Some((term, spaced)) = next else {
                out.push(')');
                continue;
            };
            if spaced {
                out.push(' ');
            }
            let args = arena.args(term);
            if !args.is_empty() {
                out.push('(');
                stack.push(None);
            }
            out += self.program.symbols.spelling(arena.symbol(term));
            stack.extend(args.iter().rev().map(|&arg| Some((arg, true))));
        }
        out
    }

    /// Terms as KIF, sorted: the order in which everything is shown.
    pub fn show_all(&self, terms: &[TermId]) -> Vec<String> {
        let mut shown: Vec<String> = terms.iter().map(|&term| self.show(term)).collect();
        shown.sort_unstable();
        shown
    }

    /// The term that a KIF text names, whatever its capitals. Names that the rule sheet does not
    /// use are not added: no term with them can ever hold.
    pub fn read_term(&self, text: &str) -> Result<TermId, UnknownTerm> {
        let unknown = || UnknownTerm(text.trim().to_owned());
        let mut open: Vec<Vec<Part>> = vec![Vec::new()];
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        for word in spaced.split_whitespace() {
            match word {
                "(" => open.push(Vec::new()),
                ")" => {
                    let parts = open.pop().filter(|_| !open.is_empty()).ok_or_else(unknown)?;
                    let term = self.applied(&parts).ok_or_else(unknown)?;
                    open.last_mut().ok_or_else(unknown)?.push(Part::Term(term));
                }
                name => {
                    let symbol = self.program.symbols.get(name).ok_or_else(unknown)?;
                    open.last_mut().ok_or_else(unknown)?.push(Part::Name(symbol));
                }
            }
        }
        match open.as_slice() {
            [parts] if parts.len() == 1 => self.part(&parts[0]).ok_or_else(unknown),
            _ => Err(unknown()),
        }
    }

    fn applied(&self, parts: &[Part]) -> Option<TermId> {
        let (Part::Name(symbol), args) = parts.split_first()? else {
            return None;
        };
        let args: Option<Vec<TermId>> = args.iter().map(|part| self.part(part)).collect();
        Some(self.terms.write().intern(*symbol, &args?))
    }

    fn part(&self, part: &Part) -> Option<TermId> {
        match part {
            Part::Name(symbol) => Some(self.terms.write().intern(*symbol, &[])),
            Part::Term(term) => Some(*term),
        }
    }
}

/// Part of a list that is being read.
enum Part {
    Name(Symbol),
    Term(TermId),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game() -> Arc<Game> {
        let text = "(role White) (init (cell 1 (f b))) (legal white a) (goal white 0) terminal";
        Game::new(gdl_front::load(text, None).program.unwrap())
    }

    #[test]
    fn terms_are_read_in_any_case_and_shown_as_written() {
        let game = game();
        let term = game.read_term("( CELL 1 (f B) )").unwrap();
        assert_eq!(game.show(term), "(cell 1 (f b))");
        assert_eq!(game.show(game.roles[0]), "White");
        assert_eq!(game.read_term("(white)"), game.read_term("WHITE"));
    }

    #[test]
    fn what_is_no_term_is_refused() {
        for text in ["", "()", "(cell 1", "cell 1)", "unheard", "(cell 1) b", "((cell) 1)"] {
            assert!(game().read_term(text).is_err(), "{text:?}");
        }
    }
}
