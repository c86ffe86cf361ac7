//! Names: every identifier of a rule sheet becomes a [`Symbol`], a `u32`.
//!
//! GDL is case-insensitive, so `Cell` and `cell` are one symbol; the spelling that came first is
//! kept for printing. The table belongs to the sheet or program it came with: there is no global
//! one.

use std::borrow::Cow;

use lasso::{Key, Rodeo, Spur};

/// A name, comparable in one instruction. Only meaningful with the [`Symbols`] it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

impl Symbol {
    /// The symbol as an index into tables with one entry a symbol.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The names of one rule sheet or program.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    folded: Rodeo<Spur>,
    spellings: Vec<Box<str>>,
}

impl Symbols {
    /// The symbol of a name, added if it is new.
    pub fn intern(&mut self, name: &str) -> Symbol {
        let index = self.folded.get_or_intern(fold(name)).into_usize();
        if index == self.spellings.len() {
            self.spellings.push(name.into());
        }
        Symbol(index as u32)
    }

    /// The symbol of a name that is there already.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        let key = self.folded.get(fold(name))?;
        Some(Symbol(key.into_usize() as u32))
    }

    /// A symbol whose name starts with `stem` and that no other part of the sheet uses.
    pub fn fresh(&mut self, stem: &str) -> Symbol {
        let mut name = stem.to_owned();
        let mut count = 1;
        while self.get(&name).is_some() {
            count += 1;
            name = format!("{stem}_{count}");
        }
        self.intern(&name)
    }

    /// The name as it was first written.
    pub fn spelling(&self, symbol: Symbol) -> &str {
        &self.spellings[symbol.index()]
    }

    /// The name in lower case: equal for equal symbols, whatever their spelling.
    pub fn folded(&self, symbol: Symbol) -> &str {
        Spur::try_from_usize(symbol.index()).map_or("", |key| self.folded.resolve(&key))
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.spellings.len()
    }

    /// Whether there is no name at all.
    pub fn is_empty(&self) -> bool {
        self.spellings.is_empty()
    }
}

/// Only ASCII letters fold: other scripts have no agreed folding, and no manager changes them.
fn fold(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_in_case_only_are_one_symbol() {
        let mut symbols = Symbols::default();
        let first = symbols.intern("Cell");
        assert_eq!(first, symbols.intern("cELL"));
        assert_eq!(symbols.spelling(first), "Cell");
        assert_eq!(symbols.folded(first), "cell");
    }

    #[test]
    fn fresh_names_avoid_what_is_there() {
        let mut symbols = Symbols::default();
        symbols.intern("aux");
        let fresh = symbols.fresh("aux");
        assert_eq!(symbols.spelling(fresh), "aux_2");
    }
}
