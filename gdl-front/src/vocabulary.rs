//! The words that GDL gives a meaning to. No other file of the project spells one.

use crate::symbol::{Symbol, Symbols};

/// `<=`, which opens a rule in KIF and may stand for `:-` in infix.
pub const IMPLIED_BY: &str = "<=";
/// Conjunction.
pub const AND: &str = "and";
/// Disjunction.
pub const OR: &str = "or";
/// Negation.
pub const NOT: &str = "not";
/// Syntactic inequality of two terms.
pub const DISTINCT: &str = "distinct";

/// A relation that GDL itself defines the use of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Keyword {
    /// `(role ?r)`: a player.
    Role,
    /// `(init ?f)`: a fluent of the initial state.
    Init,
    /// `(true ?f)`: a fluent of the current state.
    True,
    /// `(does ?r ?m)`: a move of the current joint move.
    Does,
    /// `(next ?f)`: a fluent of the next state.
    Next,
    /// `(fnext ?f)`: a fluent that ends with this move (RST; not part of GDL).
    Fnext,
    /// `(legal ?r ?m)`: a move that a role may make.
    Legal,
    /// `(goal ?r ?v)`: what the current state is worth.
    Goal,
    /// `terminal`: the match is over.
    Terminal,
    /// `(base ?f)`: a hint at the fluents.
    Base,
    /// `(input ?r ?m)`: a hint at the moves.
    Input,
}

impl Keyword {
    /// All of them.
    pub const ALL: [Keyword; 11] = [
        Keyword::Role,
        Keyword::Init,
        Keyword::True,
        Keyword::Does,
        Keyword::Next,
        Keyword::Fnext,
        Keyword::Legal,
        Keyword::Goal,
        Keyword::Terminal,
        Keyword::Base,
        Keyword::Input,
    ];

    /// How it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Keyword::Role => "role",
            Keyword::Init => "init",
            Keyword::True => "true",
            Keyword::Does => "does",
            Keyword::Next => "next",
            Keyword::Fnext => "fnext",
            Keyword::Legal => "legal",
            Keyword::Goal => "goal",
            Keyword::Terminal => "terminal",
            Keyword::Base => "base",
            Keyword::Input => "input",
        }
    }

    /// How many arguments it takes.
    pub fn arity(self) -> usize {
        match self {
            Keyword::Terminal => 0,
            Keyword::Does | Keyword::Legal | Keyword::Goal | Keyword::Input => 2,
            _ => 1,
        }
    }
}

/// The symbols of the keywords in one table of symbols.
#[derive(Clone, Debug)]
pub struct Keywords([Symbol; Keyword::ALL.len()]);

impl Keywords {
    /// Looks all keywords up, adding those that the sheet does not use.
    pub fn of(symbols: &mut Symbols) -> Keywords {
        Keywords(Keyword::ALL.map(|keyword| symbols.intern(keyword.name())))
    }

    /// The symbol of a keyword.
    pub fn symbol(&self, keyword: Keyword) -> Symbol {
        self.0[keyword as usize]
    }

    /// The keyword that a symbol is, if it is one.
    pub fn keyword(&self, symbol: Symbol) -> Option<Keyword> {
        let index = self.0.iter().position(|&word| word == symbol)?;
        Some(Keyword::ALL[index])
    }
}
