//! Fluents that change by the clock, whatever is played, such as whose turn it is.
//!
//! If all lanes agree in them, a step needs only the gates for their present values: the moves of
//! the roles that are not to move vanish. So lanes run in phase, and one that has ended waits until
//! the clock shows what its start needs.

use crate::circuit::{Circuit, Wire};

/// The longest clock.
const LONGEST: usize = 8;
/// Fluents that depend on each other in a longer chain than this are not looked through.
const MOST_ROUNDS: usize = 64;

/// A clock: for each phase the fluents that it determines, each with its value.
pub(super) type Phases = Vec<Vec<(u32, bool)>>;

/// The phases of a game, starting with that of the initial state; at least one, perhaps empty.
pub(super) fn phases(circuit: &Circuit) -> Phases {
    let candidates = autonomous(circuit);
    let mut history = vec![initial(circuit)];
    for time in 0..LONGEST {
        let next = next_values(circuit, &history[time], &candidates);
        history.push(next);
    }
    let groups = groups(circuit, &candidates);
    let mut fluents = Vec::new();
    let mut period = 1;
    let mut by_period: Vec<(usize, &Vec<u32>)> =
        groups.iter().filter_map(|group| Some((period_of(group, &history)?, group))).collect();
    by_period.sort();
    for (own, group) in by_period {
        let both = least_common_multiple(period, own);
        if both <= LONGEST {
            period = both;
            fluents.extend_from_slice(group);
        }
    }
    fluents.sort_unstable();
    let of_phase = |phase: usize| {
        fluents.iter().map(|&fluent| (fluent, history[phase][1 + fluent as usize])).collect()
    };
    (0..period).map(of_phase).collect()
}

/// Which fluents depend on nothing but fluents of the same kind.
fn autonomous(circuit: &Circuit) -> Vec<bool> {
    let fluents = circuit.fluents.len();
    let mut candidates = vec![true; fluents];
    for _ in 0..MOST_ROUNDS {
        let mut free = vec![true; circuit.nodes()];
        free[1..=fluents].copy_from_slice(&candidates);
        (1 + fluents..circuit.first_gate() as usize).for_each(|node| free[node] = false);
        for gate in circuit.play_gates() {
            // Within a cycle a gate may read a later one; those are not free.
            free[gate as usize] =
                circuit.gate(gate).all(|wire| wire.node() < gate && free[wire.node() as usize]);
        }
        let is_free = |wire: &Wire| free[wire.node() as usize];
        let left: Vec<bool> = (0..fluents)
            .map(|it| candidates[it] && is_free(&circuit.next[it]) && is_free(&circuit.ends[it]))
            .collect();
        if left == candidates {
            return candidates;
        }
        candidates = left;
    }
    vec![false; fluents]
}

/// The values of all nodes in the initial state; only those of the inputs count.
fn initial(circuit: &Circuit) -> Vec<bool> {
    let mut values = vec![false; circuit.nodes()];
    values[0] = true;
    circuit.initial.iter().for_each(|&fluent| values[1 + fluent as usize] = true);
    values
}

fn next_values(circuit: &Circuit, values: &[bool], candidates: &[bool]) -> Vec<bool> {
    let mut now = values.to_vec();
    circuit.evaluate(circuit.play_gates(), &mut now);
    let mut next = vec![false; now.len()];
    next[0] = true;
    for fluent in (0..candidates.len()).filter(|&fluent| candidates[fluent]) {
        let stays = now[1 + fluent] && !circuit.ends[fluent].value(&now);
        next[1 + fluent] = stays || circuit.next[fluent].value(&now);
    }
    next
}

/// The candidates, those together that one gate or fluent reads.
fn groups(circuit: &Circuit, candidates: &[bool]) -> Vec<Vec<u32>> {
    let mut leader: Vec<u32> = (0..circuit.nodes() as u32).collect();
    fn find(leader: &mut [u32], node: u32) -> u32 {
        let mut at = node;
        while leader[at as usize] != at {
            leader[at as usize] = leader[leader[at as usize] as usize];
            at = leader[at as usize];
        }
        at
    }
    let mut join = |a: u32, b: u32| {
        // What reads the constant is not thereby connected.
        if a != 0 && b != 0 {
            let [a, b] = [find(&mut leader, a), find(&mut leader, b)];
            leader[a.max(b) as usize] = a.min(b);
        }
    };
    let mut open = Vec::new();
    let mut seen = vec![false; circuit.nodes()];
    for fluent in (0..candidates.len()).filter(|&fluent| candidates[fluent]) {
        let node = circuit.fluent_node(fluent as u32);
        for wire in [circuit.next[fluent], circuit.ends[fluent]] {
            join(node, wire.node());
            open.push(wire.node());
        }
    }
    while let Some(node) = open.pop() {
        if node >= circuit.first_gate() && !std::mem::replace(&mut seen[node as usize], true) {
            for wire in circuit.gate(node) {
                join(node, wire.node());
                open.push(wire.node());
            }
        }
    }
    let mut groups = vec![Vec::new(); circuit.fluents.len() + 1];
    for fluent in (0..candidates.len()).filter(|&fluent| candidates[fluent]) {
        let node = circuit.fluent_node(fluent as u32);
        groups[find(&mut leader, node) as usize].push(fluent as u32);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// After how many steps a group is as it was.
fn period_of(group: &[u32], history: &[Vec<bool>]) -> Option<usize> {
    let values = |time: usize| group.iter().map(move |&fluent| history[time][1 + fluent as usize]);
    (1..history.len()).find(|&time| values(time).eq(values(0)))
}

fn least_common_multiple(a: usize, b: usize) -> usize {
    (a..).step_by(a).find(|multiple| multiple % b == 0).unwrap_or(a * b)
}
