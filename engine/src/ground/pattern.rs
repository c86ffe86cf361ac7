//! Where the variables of a condition stand in a fact: functions flattened into paths.
//!
//! A condition such as `true(cell(?x, ?y, b))` with `?x` bound becomes a [`Pattern`]: which
//! subterms must have which symbol, which make the key, and which are read out.

use gdl_front::Symbol;
use gdl_front::program::{Atom, Term};

use crate::terms::{Arena, TermId};

/// The way to a subterm: the argument of the fact, the argument within it, and so on.
pub(super) type Path = Vec<u32>;

/// How a condition meets the facts of its relation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pattern {
    pub(super) relation: usize,
    /// Subterms with a fixed outermost symbol; outer ones come first.
    pub(super) symbols: Vec<(Path, Symbol, usize)>,
    /// Subterms that must be the same.
    pub(super) equal: Vec<(Path, Path)>,
    /// Subterms that are known when the condition is asked.
    pub(super) key: Vec<Path>,
    /// Subterms that the condition finds out.
    pub(super) found: Vec<Path>,
}

/// A pattern, with the variables of the rule that its key and its finds stand for.
pub(super) struct Access {
    pub(super) pattern: Pattern,
    pub(super) key: Vec<u32>,
    pub(super) found: Vec<u32>,
}

impl Access {
    /// How an atom is asked when some variables are bound.
    pub(super) fn new(atom: &Atom, bound: &[bool]) -> Access {
        let pattern = Pattern {
            relation: atom.relation.index(),
            symbols: Vec::new(),
            equal: Vec::new(),
            key: Vec::new(),
            found: Vec::new(),
        };
        let mut access = Access { pattern, key: Vec::new(), found: Vec::new() };
        for (number, arg) in atom.args.iter().enumerate() {
            access.add(arg, vec![number as u32], bound);
        }
        access
    }

    fn add(&mut self, term: &Term, path: Path, bound: &[bool]) {
        match term {
            Term::Variable(variable) if bound[*variable as usize] => {
                self.pattern.key.push(path);
                self.key.push(*variable);
            }
            Term::Variable(variable) => {
                match self.found.iter().position(|other| other == variable) {
                    Some(first) => {
                        self.pattern.equal.push((self.pattern.found[first].clone(), path))
                    }
                    None => {
                        self.pattern.found.push(path);
                        self.found.push(*variable);
                    }
                }
            }
            Term::Constant(name) => self.pattern.symbols.push((path, *name, 0)),
            Term::Function(name, args) => {
                self.pattern.symbols.push((path.clone(), *name, args.len()));
                for (number, arg) in args.iter().enumerate() {
                    let inner = [path.as_slice(), &[number as u32]].concat();
                    self.add(arg, inner, bound);
                }
            }
        }
    }
}

impl Pattern {
    /// Whether a fact has the shape of the condition.
    pub(super) fn fits(&self, row: &[u32], arena: &Arena) -> bool {
        let shaped = self.symbols.iter().all(|(path, symbol, arity)| {
            let term = TermId(subterm(row, path, arena));
            arena.symbol(term) == *symbol && arena.args(term).len() == *arity
        });
        shaped && self.equal.iter().all(|(a, b)| subterm(row, a, arena) == subterm(row, b, arena))
    }
}

/// The subterm of a fact that fits.
pub(super) fn subterm(row: &[u32], path: &[u32], arena: &Arena) -> u32 {
    let mut term = row[path[0] as usize];
    for &step in &path[1..] {
        term = arena.args(TermId(term))[step as usize].0;
    }
    term
}
