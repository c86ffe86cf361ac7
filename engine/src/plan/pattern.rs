//! How terms of rules meet ground terms at run time: patterns take them apart, builders make them.
//!
//! Both work on registers: one number for each variable of a rule, and one each for world and
//! branch.

use gdl_front::Symbol;
use gdl_front::program::Term;

use crate::game::Game;
use crate::terms::{Arena, TermId, Terms};

/// A term to be matched, which fills registers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Anything; kept in a register.
    Bind(usize),
    /// What the register holds.
    Same(usize),
    /// This ground term.
    Ground(u32),
    /// A function applied to what the patterns match.
    Apply(Symbol, Vec<Pattern>),
}

/// A term to be made from registers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Builder {
    /// What the register holds.
    Register(usize),
    /// This ground term.
    Ground(u32),
    /// A function applied to what the builders make.
    Apply(Symbol, Vec<Builder>),
}

impl Pattern {
    /// The pattern of a term. `bind` gives the register of a variable, and whether it is filled.
    pub fn of(term: &Term, game: &Game, bind: &mut dyn FnMut(u32) -> (usize, bool)) -> Pattern {
        if let Some(ground) = game.ground(term) {
            return Pattern::Ground(ground.0);
        }
        match term {
            Term::Function(name, args) => {
                Pattern::Apply(*name, args.iter().map(|arg| Pattern::of(arg, game, bind)).collect())
            }
            Term::Variable(variable) => match bind(*variable) {
                (register, true) => Pattern::Same(register),
                (register, false) => Pattern::Bind(register),
            },
            Term::Constant(_) => unreachable!("a constant is ground"),
        }
    }

    /// Whether a term matches; fills registers, also when it does not.
    fn matches(&self, term: u32, registers: &mut [u32], arena: &Arena) -> bool {
        match self {
            Pattern::Apply(name, patterns) => {
                let id = TermId(term);
                arena.symbol(id) == *name
                    && arena.args(id).len() == patterns.len()
                    && patterns
                        .iter()
                        .zip(arena.args(id))
                        .all(|(pattern, arg)| pattern.matches(arg.0, registers, arena))
            }
            _ => self.matches_flat(term, registers),
        }
    }

    fn matches_flat(&self, term: u32, registers: &mut [u32]) -> bool {
        match self {
            Pattern::Bind(register) => {
                registers[*register] = term;
                true
            }
            Pattern::Same(register) => registers[*register] == term,
            Pattern::Ground(ground) => *ground == term,
            Pattern::Apply(..) => false,
        }
    }

    fn is_flat(&self) -> bool {
        !matches!(self, Pattern::Apply(..))
    }
}

/// Whether all columns match their patterns; the terms are locked only if one is taken apart.
pub fn match_columns(
    patterns: &[Pattern],
    columns: &[u32],
    registers: &mut [u32],
    terms: &Terms,
) -> bool {
    let mut pairs = patterns.iter().zip(columns);
    if patterns.iter().all(Pattern::is_flat) {
        return pairs.all(|(pattern, &term)| pattern.matches_flat(term, registers));
    }
    let arena = terms.read();
    pairs.all(|(pattern, &term)| pattern.matches(term, registers, &arena))
}

impl Builder {
    /// The builder of a term; `register` gives the register of a variable.
    pub fn of(term: &Term, game: &Game, register: &dyn Fn(u32) -> usize) -> Builder {
        if let Some(ground) = game.ground(term) {
            return Builder::Ground(ground.0);
        }
        match term {
            Term::Function(name, args) => Builder::Apply(
                *name,
                args.iter().map(|arg| Builder::of(arg, game, register)).collect(),
            ),
            Term::Variable(variable) => Builder::Register(register(*variable)),
            Term::Constant(_) => unreachable!("a constant is ground"),
        }
    }

    /// The term that the registers give.
    pub fn build(&self, registers: &[u32], terms: &Terms) -> u32 {
        match self {
            Builder::Register(register) => registers[*register],
            Builder::Ground(ground) => *ground,
            Builder::Apply(name, builders) => {
                let args: Vec<TermId> = builders
                    .iter()
                    .map(|builder| TermId(builder.build(registers, terms)))
                    .collect();
                let known = terms.read().find(*name, &args);
                known.unwrap_or_else(|| terms.write().intern(*name, &args)).0
            }
        }
    }
}
