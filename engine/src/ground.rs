//! A program instantiated once: every fact that can ever hold gets a number, every rule becomes
//! rules over such numbers (Kissmann and Edelkamp 2010, "KE").
//!
//! Input: a [`Game`]. Output: [`Ground`]. Entry point: [`ground`].
//! What always holds: the facts are a superset of those of every reachable state; a literal is
//! `2 * atom`, or `2 * atom + 1` if negated; static relations appear nowhere in the rules.

mod instantiate;
mod join;
mod pattern;
mod plan;
mod print;
mod reach;
mod rules;
mod store;

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gdl_front::program::RelationId;

use crate::game::Game;
use crate::reasoner::Failure;
use crate::table::RowTable;
use crate::terms::TermId;
pub use instantiate::Instances;
use join::Clock;
pub use print::print_ground;
use store::Store;

/// Bounds on an instantiation.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How long it may take.
    pub time: Duration,
    /// How many bytes it may hold, about.
    pub memory: usize,
    /// How many ground rules there may be.
    pub rules: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time: Duration::from_secs(60), memory: 4 << 30, rules: 50_000_000 }
    }
}

/// An instantiated game.
#[derive(Debug)]
pub struct Ground {
    /// The game.
    pub game: Arc<Game>,
    /// The rules.
    pub rules: Instances,
    /// The fluents of the initial state.
    pub initial: Vec<TermId>,
    /// How many facts and rules there are, and what they took.
    pub statistics: Statistics,
    /// The facts of each relation that changes.
    tables: Vec<RowTable>,
    /// The number of each relation's first fact.
    first_atoms: Vec<u32>,
}

/// The size of an instantiation, and what it took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Statistics {
    /// Facts that change, and may hold in some state.
    pub atoms: usize,
    /// Facts that always hold.
    pub static_facts: usize,
    /// Ground rules.
    pub rules: usize,
    /// Literals in their bodies.
    pub literals: usize,
    /// Bytes held at the end, about, which is also the most held at any time.
    pub bytes: usize,
    /// Time for the reachable facts.
    pub reach_time: Duration,
    /// Time for the rules.
    pub rules_time: Duration,
}

/// Instantiates a game.
pub fn ground(game: &Arc<Game>, limits: &Limits) -> Result<Ground, Failure> {
    let start = Instant::now();
    let mut clock = Clock::new(start + limits.time);
    let rules = rules::prepare(&game.program);
    let mut store = Store::new(&rules.arities);
    let arena = &mut *game.terms.write();
    let reached = reach::reach(game, &rules, &mut store, arena, limits, &mut clock);
    reached.map_err(|failure| with_largest(failure, game, &store))?;
    let reach_time = start.elapsed();
    let first_atoms = number(&rules.dynamic, &store);
    let mut instances =
        instantiate::instantiate(&rules, &mut store, arena, &first_atoms, limits, &mut clock)?;
    // Facts of relations that change otherwise always hold.
    for fact in &game.program.facts {
        let relation = fact.atom.relation.index();
        if rules.dynamic[relation] {
            let args = fact.atom.args.iter();
            let row: Vec<u32> =
                args.map(|arg| plan::Template::new(arg, arena).build(&[], arena)).collect();
            let row = store.tables[relation].find(&row);
            row.into_iter().for_each(|row| instances.push(first_atoms[relation] + row, []));
        }
    }
    let count = |dynamic: bool| {
        let tables = store.tables.iter().zip(&rules.dynamic);
        tables.filter(|(_, is)| **is == dynamic).map(|(table, _)| table.len()).sum()
    };
    let statistics = Statistics {
        atoms: count(true),
        static_facts: count(false),
        rules: instances.len(),
        literals: instances.literals.len(),
        bytes: store.bytes() + 4 * (instances.literals.len() + 2 * instances.len()),
        reach_time,
        rules_time: start.elapsed() - reach_time,
    };
    let init = game.program.vocabulary.init.index();
    let initial = reach::terms_of(&store.tables[init]).collect();
    let mut tables = store.tables;
    for (relation, table) in tables.iter_mut().enumerate() {
        if !rules.dynamic[relation] {
            *table = RowTable::new(0);
        }
    }
    Ok(Ground { game: game.clone(), rules: instances, initial, statistics, tables, first_atoms })
}

/// Numbers the facts of all relations that change.
fn number(dynamic: &[bool], store: &Store) -> Vec<u32> {
    let mut next = 0;
    let tables = store.tables.iter().zip(dynamic);
    tables
        .map(|(table, &dynamic)| {
            let first = next;
            next += if dynamic { table.len() as u32 } else { 0 };
            first
        })
        .collect()
}

impl Ground {
    /// How many facts there are.
    pub fn atoms(&self) -> usize {
        self.statistics.atoms
    }

    /// The numbers of the facts of a relation.
    pub fn atoms_of(&self, relation: RelationId) -> Range<u32> {
        let first = self.first_atoms[relation.index()];
        first..first + self.tables[relation.index()].len() as u32
    }

    /// The arguments of a fact, as the numbers of terms.
    pub fn args(&self, atom: u32) -> &[u32] {
        let relation = self.relation(atom).index();
        self.tables[relation].row(atom - self.first_atoms[relation])
    }

    /// The relation of a fact; relations behind those of the program are made up.
    pub fn relation(&self, atom: u32) -> RelationId {
        // Of the relations with the same first number, all but the last have no facts.
        RelationId(self.first_atoms.partition_point(|&first| first <= atom) as u32 - 1)
    }

    /// The number of a fact, if it can hold.
    pub fn find(&self, relation: RelationId, args: &[TermId]) -> Option<u32> {
        let row: Vec<u32> = args.iter().map(|term| term.0).collect();
        let number = self.tables[relation.index()].find(&row)?;
        Some(self.first_atoms[relation.index()] + number)
    }
}

/// A limit reached, and the relation that has the most facts.
fn with_largest(failure: Failure, game: &Game, store: &Store) -> Failure {
    let largest = store.tables.iter().enumerate().max_by_key(|(_, table)| table.len());
    let (Failure::Limit(what), Some((relation, table))) = (&failure, largest) else {
        return failure;
    };
    let relation = RelationId(relation as u32);
    let name = match game.program.relations.get(relation.index()) {
        Some(_) => format!("`{}`", game.program.relation_name(relation)),
        None => "a part of a rule".to_owned(),
    };
    Failure::Limit(format!("{what}, {} of them of {name}", table.len()))
}

fn over_time(limits: &Limits, store: &Store) -> Failure {
    let facts: usize = store.tables.iter().map(RowTable::len).sum();
    let time = limits.time.as_secs_f64();
    Failure::Limit(format!("instantiation takes more than {time} s; {facts} facts so far"))
}

fn over_memory(limits: &Limits, store: &Store) -> Failure {
    let facts: usize = store.tables.iter().map(RowTable::len).sum();
    let megabytes = limits.memory >> 20;
    Failure::Limit(format!("instantiation needs more than {megabytes} MiB for {facts} facts"))
}

fn over_rules(limits: &Limits, instances: &Instances) -> Failure {
    Failure::Limit(format!(
        "{} ground rules with {} literals, of {} rules and {} MiB allowed",
        instances.len(),
        instances.literals.len(),
        limits.rules,
        limits.memory >> 20
    ))
}
