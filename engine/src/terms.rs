//! Ground terms, each stored once: equal terms have equal ids, and an id is a `u32`.
//!
//! All reasoners of a game share one table, so that a state or a move of one means the same to the
//! other. Terms are added behind a lock and never removed.

use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

use gdl_front::Symbol;

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

/// A slot of the hash table without a term.
const EMPTY: u32 = u32::MAX;

/// The terms themselves. Instantiation looks up a term for nearly every fact it derives, so the
/// hash table holds ids only and looking up allocates nothing.
#[derive(Debug, Default)]
pub struct Arena {
    symbols: Vec<Symbol>,
    /// Where the arguments of each term end; they begin where those of the term before end.
    ends: Vec<u32>,
    args: Vec<TermId>,
    /// As many as a power of two, or none; at least half of them empty.
    slots: Vec<u32>,
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
        if self.symbols.len() * 2 > self.slots.len() {
            self.grow();
        } else {
            self.enter(id);
        }
        id
    }

    /// The same for a term that is there already.
    pub fn find(&self, symbol: Symbol, args: &[TermId]) -> Option<TermId> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = hash(symbol, args) & mask;
        while self.slots[slot] != EMPTY {
            let term = TermId(self.slots[slot]);
            if self.symbol(term) == symbol && self.args(term) == args {
                return Some(term);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    fn grow(&mut self) {
        self.slots = vec![EMPTY; (self.slots.len() * 4).max(64)];
        (0..self.symbols.len() as u32).for_each(|id| self.enter(TermId(id)));
    }

    fn enter(&mut self, term: TermId) {
        let mask = self.slots.len() - 1;
        let mut slot = hash(self.symbol(term), self.args(term)) & mask;
        while self.slots[slot] != EMPTY {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = term.0;
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

fn hash(symbol: Symbol, args: &[TermId]) -> usize {
    let mix = |hash: u64, value: u64| {
        let hash = (hash ^ value).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash ^ (hash >> 32)
    };
    let start = mix(0x9e37_79b9_7f4a_7c15, symbol.index() as u64);
    args.iter().fold(start, |hash, arg| mix(hash, u64::from(arg.0))) as usize
}
