//! Static relations: evaluated once, indexed for the lookups of the rules.

use std::sync::Arc;

use gdl_front::hash::{HashMap, HashSet};
use gdl_front::program::Atom;

use super::{Index, Pattern, match_columns};
use crate::game::Game;
use crate::reference::Facts;
use crate::row::Row;

/// The facts of the static relations, with indexes.
#[derive(Debug, Default)]
pub(crate) struct Statics {
    pub(crate) facts: Arc<Facts>,
    pub(crate) indexes: Vec<StaticIndex>,
    known: HashMap<Index, usize>,
    fanouts: HashMap<Index, f64>,
}

/// Entries by key.
#[derive(Debug, Default)]
pub(crate) struct StaticIndex(HashMap<Row, Vec<Row>>);

impl StaticIndex {
    /// The entries under a key.
    pub(crate) fn get(&self, key: &[u32]) -> &[Row] {
        self.0.get(key).map_or(&[], Vec::as_slice)
    }
}

impl Statics {
    pub(crate) fn new(facts: Arc<Facts>) -> Statics {
        Statics { facts, ..Statics::default() }
    }

    /// The number of an index, built if it is new.
    pub(crate) fn index(&mut self, index: Index, game: &Game) -> usize {
        if let Some(&known) = self.known.get(&index) {
            return known;
        }
        let mut rows: HashMap<Row, Vec<Row>> = HashMap::default();
        for (key, rest) in self.entries(&index, game) {
            rows.entry(key).or_default().push(rest);
        }
        for entries in rows.values_mut() {
            entries.sort_unstable();
            entries.dedup();
        }
        self.indexes.push(StaticIndex(rows));
        self.known.insert(index, self.indexes.len() - 1);
        self.indexes.len() - 1
    }

    /// How many entries a key of an index has on average.
    pub(crate) fn fanout(&mut self, index: Index, game: &Game) -> f64 {
        if let Some(&known) = self.fanouts.get(&index) {
            return known;
        }
        let entries = self.entries(&index, game);
        let keys: HashSet<&Row> = entries.iter().map(|(key, _)| key).collect();
        let fanout = if index.rest.is_empty() && !index.key.is_empty() {
            // A test that only some keys pass.
            0.5
        } else {
            entries.len() as f64 / keys.len().max(1) as f64
        };
        self.fanouts.insert(index, fanout);
        fanout
    }

    fn entries(&self, index: &Index, game: &Game) -> Vec<(Row, Row)> {
        let mut registers = vec![0; index.key.len() + index.rest.len() + index.columns.len()];
        registers.resize(registers.len().max(64), 0);
        let mut entries = Vec::new();
        for fact in self.facts.rows(index.relation) {
            let columns: Vec<u32> = fact.iter().map(|term| term.0).collect();
            if match_columns(&index.columns, &columns, &mut registers, &game.terms) {
                let pick = |wanted: &[usize]| -> Vec<u32> {
                    wanted.iter().map(|&register| registers[register]).collect()
                };
                entries.push((Row::from(&*pick(&index.key)), Row::from(&*pick(&index.rest))));
            }
        }
        entries
    }
}

/// An index that serves a literal: which variables are its key, and which it gives.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) index: Index,
    /// The variables of the key and of the rest, without world and branch.
    pub(crate) key: Vec<u32>,
    pub(crate) rest: Vec<u32>,
}

impl Access {
    /// The index for an atom; `prefix` is the number of columns before its arguments, which are
    /// always part of the key, and `kept` are the free variables that are needed later.
    pub(crate) fn new(
        atom: &Atom,
        game: &Game,
        prefix: usize,
        bound: &dyn Fn(u32) -> bool,
        kept: &dyn Fn(u32) -> bool,
    ) -> Access {
        let mut columns: Vec<Pattern> = (0..prefix).map(Pattern::Bind).collect();
        let mut variables: Vec<u32> = Vec::new();
        let mut number = |variable: u32| {
            let known = variables.iter().position(|&other| other == variable);
            if known.is_none() {
                variables.push(variable);
            }
            (prefix + known.unwrap_or(variables.len() - 1), known.is_some())
        };
        columns.extend(atom.args.iter().map(|arg| Pattern::of(arg, game, &mut number)));
        let (key, rest): (Vec<u32>, Vec<u32>) =
            variables.iter().copied().filter(|&v| bound(v) || kept(v)).partition(|&v| bound(v));
        let register = |variable: &u32| {
            prefix + variables.iter().position(|other| other == variable).unwrap_or_default()
        };
        let index = Index {
            relation: atom.relation,
            columns,
            key: (0..prefix).chain(key.iter().map(register)).collect(),
            rest: rest.iter().map(register).collect(),
            negative: false,
            inside: false,
        };
        Access { index, key, rest }
    }
}
