//! Groups of fluents of which at most one holds at a time (KE, section 4).
//!
//! For each kind of fluent some arguments are taken for inputs and the others for outputs, as in
//! `cell(x, y, content)`; the fluents that agree in the inputs are a group. Random play tests which
//! guesses hold. The groups are observed, not proved.

use gdl_front::Symbol;
use gdl_front::hash::{HashMap, HashSet};

use crate::network::Network;
use crate::random::Random;
use crate::reasoner::{Failure, Reasoner};
use crate::terms::{Arena, TermId};

/// Fluents with more arguments than this are not guessed about.
const MOST_ARGUMENTS: usize = 10;

/// Fluents that were never seen to hold together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutexGroup {
    /// The fluents, at least two, in the order in which they are shown.
    pub fluents: Vec<TermId>,
    /// Whether there were states in which none of them held.
    pub may_be_none: bool,
}

/// The fluents of one kind: a name with a number of arguments.
struct Kind {
    fluents: Vec<TermId>,
    arguments: usize,
}

/// Finds the groups by so many random matches, of so many moves at most.
pub fn mutex_groups(
    network: &mut Network,
    random: &mut Random,
    matches: usize,
    moves: usize,
) -> Result<Vec<MutexGroup>, Failure> {
    let states = sample(network, random, matches, moves)?;
    let circuit = network.circuit().clone();
    let game = &circuit.game;
    let mut groups = Vec::new();
    let arena = game.terms.read();
    for kind in kinds(&circuit.fluents, &arena) {
        groups.extend(groups_of(&kind, &states, &arena));
    }
    drop(arena);
    groups.iter_mut().for_each(|group| group.fluents.sort_by_cached_key(|&it| game.show(it)));
    groups.sort_by_cached_key(|group| game.show(group.fluents[0]));
    Ok(groups)
}

/// The states of random matches.
fn sample(
    network: &mut Network,
    random: &mut Random,
    matches: usize,
    moves: usize,
) -> Result<Vec<HashSet<TermId>>, Failure> {
    let mut states = Vec::new();
    for _ in 0..matches {
        network.reset()?;
        states.push(network.state()?.into_iter().collect());
        for _ in 0..moves {
            if network.random_moves(random, 1) == 0 {
                break;
            }
            states.push(network.state()?.into_iter().collect());
        }
    }
    network.reset()?;
    Ok(states)
}

fn kinds(fluents: &[TermId], arena: &Arena) -> Vec<Kind> {
    let mut numbers: HashMap<(Symbol, usize), usize> = HashMap::default();
    let mut kinds: Vec<Kind> = Vec::new();
    for &fluent in fluents {
        let arguments = arena.args(fluent).len();
        let number = *numbers.entry((arena.symbol(fluent), arguments)).or_insert(kinds.len());
        if number == kinds.len() {
            kinds.push(Kind { fluents: Vec::new(), arguments });
        }
        kinds[number].fluents.push(fluent);
    }
    kinds
}

/// The groups of the guess with the most outputs that no state contradicts.
fn groups_of(kind: &Kind, states: &[HashSet<TermId>], arena: &Arena) -> Vec<MutexGroup> {
    if kind.arguments > MOST_ARGUMENTS || kind.fluents.len() < 2 {
        return Vec::new();
    }
    let mut guesses: Vec<u32> = (1..1 << kind.arguments).collect();
    guesses.sort_by_key(|outputs| (std::cmp::Reverse(outputs.count_ones()), *outputs));
    let found = guesses.into_iter().find_map(|outputs| {
        let groups = grouped(kind, outputs, arena);
        // A guess that only makes groups of one says nothing.
        let useful = groups.iter().any(|group| group.len() > 1);
        (useful && holds(&groups, states)).then_some(groups)
    });
    let groups = found.into_iter().flatten().filter(|group| group.len() > 1);
    groups
        .map(|fluents| {
            let none = |state: &HashSet<TermId>| fluents.iter().all(|it| !state.contains(it));
            let may_be_none = states.iter().any(none);
            MutexGroup { fluents, may_be_none }
        })
        .collect()
}

/// The fluents by the arguments that are not outputs.
fn grouped(kind: &Kind, outputs: u32, arena: &Arena) -> Vec<Vec<TermId>> {
    let mut numbers: HashMap<Vec<TermId>, usize> = HashMap::default();
    let mut groups: Vec<Vec<TermId>> = Vec::new();
    for &fluent in &kind.fluents {
        let args = arena.args(fluent).iter().enumerate();
        let inputs = args.filter(|(place, _)| outputs >> place & 1 == 0).map(|(_, arg)| *arg);
        let number = *numbers.entry(inputs.collect()).or_insert(groups.len());
        if number == groups.len() {
            groups.push(Vec::new());
        }
        groups[number].push(fluent);
    }
    groups
}

/// Whether at most one fluent of each group holds in every state.
fn holds(groups: &[Vec<TermId>], states: &[HashSet<TermId>]) -> bool {
    let group_of: HashMap<TermId, usize> = groups
        .iter()
        .enumerate()
        .flat_map(|(number, group)| group.iter().map(move |&fluent| (fluent, number)))
        .collect();
    let mut last_seen = vec![usize::MAX; groups.len()];
    states.iter().enumerate().all(|(time, state)| {
        let mut numbers = state.iter().filter_map(|fluent| group_of.get(fluent));
        numbers.all(|&number| std::mem::replace(&mut last_seen[number], time) != time)
    })
}
