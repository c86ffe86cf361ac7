//! The facts found so far, and the indexes through which conditions reach them.
//!
//! A fact gets its number when it is added, but is seen through the indexes only after
//! [`Store::publish`]: what a round of rules derives is for the next round.

use gdl_front::hash::HashMap;

use super::pattern::{Pattern, subterm};
use crate::table::RowTable;
use crate::terms::Arena;

/// All relations.
pub(super) struct Store {
    pub(super) tables: Vec<RowTable>,
    pub(super) indexes: Indexes,
}

/// The indexes of all relations, one for each pattern that is asked for.
#[derive(Default)]
pub(super) struct Indexes {
    all: Vec<Index>,
    by_pattern: HashMap<Pattern, usize>,
    by_relation: HashMap<usize, Vec<usize>>,
    /// How many facts of each relation the indexes show.
    published: Vec<usize>,
}

/// The facts of one shape, by their key.
pub(super) struct Index {
    pub(super) pattern: Pattern,
    keys: RowTable,
    /// For each key the finds of its facts, each followed by the fact's number.
    buckets: Vec<Vec<u32>>,
    entries: usize,
}

impl Store {
    pub(super) fn new(arities: &[usize]) -> Store {
        let tables: Vec<RowTable> = arities.iter().map(|&arity| RowTable::new(arity)).collect();
        let published = vec![0; tables.len()];
        Store { tables, indexes: Indexes { published, ..Indexes::default() } }
    }

    /// The index for a pattern, made if it is new.
    pub(super) fn index(&mut self, pattern: Pattern, arena: &Arena) -> usize {
        if let Some(&known) = self.indexes.by_pattern.get(&pattern) {
            return known;
        }
        let relation = pattern.relation;
        let mut index = Index::new(pattern.clone());
        for row in 0..self.indexes.published[relation] as u32 {
            index.add(self.tables[relation].row(row), row, arena);
        }
        let number = self.indexes.all.len();
        self.indexes.all.push(index);
        self.indexes.by_pattern.insert(pattern, number);
        self.indexes.by_relation.entry(relation).or_default().push(number);
        number
    }

    /// Lets the indexes of a relation show all its facts; gives the numbers of the new ones.
    pub(super) fn publish(&mut self, relation: usize, arena: &Arena) -> std::ops::Range<u32> {
        let table = &self.tables[relation];
        let new = self.indexes.published[relation] as u32..table.len() as u32;
        self.indexes.published[relation] = table.len();
        for &number in self.indexes.by_relation.get(&relation).into_iter().flatten() {
            let index = &mut self.indexes.all[number];
            new.clone().for_each(|row| index.add(table.row(row), row, arena));
        }
        new
    }

    /// How many bytes it holds, about.
    pub(super) fn bytes(&self) -> usize {
        let tables: usize = self.tables.iter().map(RowTable::bytes).sum();
        let indexes: usize = self.indexes.all.iter().map(Index::bytes).sum();
        tables + indexes
    }
}

impl Indexes {
    pub(super) fn get(&self, number: usize) -> &Index {
        &self.all[number]
    }
}

impl Index {
    fn new(pattern: Pattern) -> Index {
        let keys = RowTable::new(pattern.key.len());
        Index { pattern, keys, buckets: Vec::new(), entries: 0 }
    }

    fn add(&mut self, row: &[u32], number: u32, arena: &Arena) {
        if !self.pattern.fits(row, arena) {
            return;
        }
        let mut key = [0; 16];
        let width = self.pattern.key.len();
        let key: &[u32] = if width <= key.len() {
            for (slot, path) in key.iter_mut().zip(&self.pattern.key) {
                *slot = subterm(row, path, arena);
            }
            &key[..width]
        } else {
            &self.pattern.key.iter().map(|path| subterm(row, path, arena)).collect::<Vec<u32>>()
        };
        let (id, new) = self.keys.insert(key);
        if new {
            self.buckets.push(Vec::new());
        }
        let bucket = &mut self.buckets[id as usize];
        bucket.extend(self.pattern.found.iter().map(|path| subterm(row, path, arena)));
        bucket.push(number);
        self.entries += 1;
    }

    /// The finds of the facts with a key, each followed by the fact's number.
    pub(super) fn bucket(&self, key: &[u32]) -> &[u32] {
        self.keys.find(key).map_or(&[], |id| &self.buckets[id as usize])
    }

    /// How many numbers each fact takes in a bucket.
    pub(super) fn stride(&self) -> usize {
        self.pattern.found.len() + 1
    }

    fn bytes(&self) -> usize {
        self.keys.bytes() + self.entries * self.stride() * 4 + self.buckets.len() * 32
    }
}
