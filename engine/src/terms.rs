//! Ground terms, each stored once: equal terms have equal ids, and an id is a `u32`.
//!
//! All reasoners of a game share one table, so that a state or a move of one means the same to the
//! other. Terms are added behind a lock and never removed.

use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

use gdl_front::Symbol;
use gdl_front::hash::HashMap;

/// A ground term. Ids are given in the order in which terms are first met, so they must not decide
/// the order of anything that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub u32);

impl TermId {
    /// As an index into tables with one entry a term.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The terms of a game, shared by its reasoners.
#[derive(Clone, Debug, Default)]
pub struct Terms(Arc<RwLock<Arena>>);

impl Terms {
    /// Access to terms that are there. A thread that panicked cannot leave the arena half written.
    pub fn read(&self) -> RwLockReadGuard<'_, Arena> {
        self.0.read().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Access that may add terms.
    pub fn write(&self) -> RwLockWriteGuard<'_, Arena> {
        self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// The terms themselves.
#[derive(Debug, Default)]
pub struct Arena {
    symbols: Vec<Symbol>,
    /// Where the arguments of each term end; they begin where those of the term before end.
    ends: Vec<u32>,
    args: Vec<TermId>,
    ids: HashMap<(Symbol, Box<[TermId]>), TermId>,
}

impl Arena {
    /// The term of a symbol applied to terms, added if it is new; without arguments, a constant.
    pub fn intern(&mut self, symbol: Symbol, args: &[TermId]) -> TermId {
        if let Some(known) = self.find(symbol, args) {
            return known;
        }
        let id = TermId(self.symbols.len() as u32);
        self.symbols.push(symbol);
        self.args.extend_from_slice(args);
        self.ends.push(self.args.len() as u32);
        self.ids.insert((symbol, args.into()), id);
        id
    }

    /// The same for a term that is there already.
    pub fn find(&self, symbol: Symbol, args: &[TermId]) -> Option<TermId> {
        self.ids.get(&(symbol, args.into())).copied()
    }

    /// The outermost symbol.
    pub fn symbol(&self, term: TermId) -> Symbol {
        self.symbols[term.index()]
    }

    /// The arguments; none for a constant.
    pub fn args(&self, term: TermId) -> &[TermId] {
        let start = match term.index() {
            0 => 0,
            index => self.ends[index - 1] as usize,
        };
        &self.args[start..self.ends[term.index()] as usize]
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.symbols.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }
}
