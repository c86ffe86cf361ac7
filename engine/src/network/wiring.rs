//! Where changes go: for each node of a circuit the gates and outputs that read it.
//!
//! Input: a [`Circuit`]. Output: a [`Wiring`], which does not change as the game is played.

use std::ops::Range;

use crate::circuit::{Circuit, Guard, Wire};

/// The readers of all nodes but those for the goals alone.
#[derive(Debug)]
pub(super) struct Wiring {
    pub(super) circuit: Circuit,
    /// The moves that can be legal whatever the guards say, by role and word.
    pub(super) unguarded: Vec<Vec<u64>>,
    /// The guards of each role: a fluent and the moves that it guards, by word.
    pub(super) guards: Vec<Vec<(Wire, Vec<u64>)>>,
    /// For each node where its four kinds of readers start in `readers`; they end where those of
    /// the next node start.
    starts: Vec<[u32; 4]>,
    readers: Vec<u32>,
    pub(super) outputs: Outputs,
    /// For each node the cycle that it is in, or `NO_CYCLE`; empty if there is none at all.
    cycles: Vec<u32>,
}

const NO_CYCLE: u32 = u32::MAX;

/// Where the bits of each output lie; each kind begins with a new word.
#[derive(Clone, Debug)]
pub(super) struct Outputs {
    /// Words for the fluents: first those for `next`, then as many for `ends`.
    pub(super) state_words: usize,
    /// The words of each role's legal moves.
    pub(super) legal: Vec<Range<usize>>,
    /// The word whose lowest bit says whether the match is over.
    pub(super) terminal: usize,
}

/// The readers of a node.
#[derive(Clone, Copy)]
pub(super) struct Readers<'a> {
    /// Gates that read it as it is.
    pub(super) plain: &'a [u32],
    /// Gates that read it negated.
    pub(super) negated: &'a [u32],
    /// Bits of the output.
    pub(super) outputs: &'a [u32],
    /// Gates in cycles, twice their number, and one more if they read it negated.
    pub(super) cyclic: &'a [u32],
}

/// How many words hold so many bits.
pub(super) fn words(bits: usize) -> usize {
    bits.div_ceil(64)
}

impl Outputs {
    fn new(circuit: &Circuit) -> Outputs {
        let state_words = words(circuit.fluents.len());
        let mut next = 2 * state_words;
        let mut take = |bits: usize| {
            let start = next;
            next += words(bits);
            start..next
        };
        let legal = circuit.moves.iter().map(|moves| take(moves.len())).collect();
        Outputs { state_words, legal, terminal: take(1).start }
    }

    /// How many words there are.
    pub(super) fn words(&self) -> usize {
        self.terminal + 1
    }

    /// Every output with its bit.
    pub(super) fn all<'a>(
        &'a self,
        circuit: &'a Circuit,
    ) -> impl Iterator<Item = (Wire, u32)> + 'a {
        let bits = |wires: &'a [Wire], word: usize| wires.iter().copied().zip(64 * word as u32..);
        let legal = circuit.legal.iter().zip(&self.legal);
        bits(&circuit.next, 0)
            .chain(bits(&circuit.ends, self.state_words))
            .chain(legal.flat_map(move |(wires, words)| bits(wires, words.start)))
            .chain([(circuit.terminal, 64 * self.terminal as u32)])
    }
}

/// For each role the moves without a guard, and those of each guard.
#[expect(clippy::type_complexity, reason = "two tables that are named where they are kept")]
fn masks(outputs: &Outputs, guards: &[Guard]) -> (Vec<Vec<u64>>, Vec<Vec<(Wire, Vec<u64>)>>) {
    let mut unguarded: Vec<Vec<u64>> =
        outputs.legal.iter().map(|words| vec![u64::MAX; words.len()]).collect();
    let mut guarded = vec![Vec::new(); unguarded.len()];
    for guard in guards {
        let mut mask = vec![0; unguarded[guard.role].len()];
        for &action in &guard.moves {
            mask[action as usize / 64] |= 1 << (action % 64);
            unguarded[guard.role][action as usize / 64] &= !(1 << (action % 64));
        }
        guarded[guard.role].push((guard.wire, mask));
    }
    (unguarded, guarded)
}

impl Wiring {
    pub(super) fn new(circuit: &Circuit) -> Wiring {
        let (circuit, guards) = circuit.guarded();
        let outputs = Outputs::new(&circuit);
        let (unguarded, guards) = masks(&outputs, &guards);
        let nodes = circuit.play_gates().end;
        let mut cycles = Vec::new();
        let play_cycles = circuit.cycles.iter().filter(|cycle| cycle.nodes.start < nodes);
        for (number, cycle) in play_cycles.enumerate() {
            cycles.resize(nodes as usize, NO_CYCLE);
            let range = cycle.nodes.start as usize..cycle.nodes.end as usize;
            cycles[range].fill(number as u32);
        }
        // A reader for each node and kind.
        let mut links: Vec<(u32, u32)> = Vec::new();
        for gate in circuit.play_gates() {
            let cyclic = cycles.get(gate as usize).is_some_and(|&cycle| cycle != NO_CYCLE);
            for wire in circuit.gate(gate) {
                let negated = u32::from(wire.is_negated());
                links.push(match cyclic {
                    true => (4 * wire.node() + 3, 2 * gate + negated),
                    false => (4 * wire.node() + negated, gate),
                });
            }
        }
        links.extend(outputs.all(&circuit).map(|(wire, bit)| (4 * wire.node() + 2, bit)));
        links.sort_unstable();
        links.dedup();
        let mut starts = vec![[0; 4]; nodes as usize + 1];
        for &(place, _) in &links {
            let place = place as usize + 1;
            starts[place / 4][place % 4] += 1;
        }
        let mut sum = 0;
        for start in starts.iter_mut().flatten() {
            sum += *start;
            *start = sum;
        }
        let readers = links.into_iter().map(|(_, reader)| reader).collect();
        Wiring { circuit, unguarded, guards, starts, readers, outputs, cycles }
    }

    /// How many nodes there are.
    pub(super) fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn readers(&self, node: u32) -> Readers<'_> {
        let [plain, negated, outputs, cyclic] = self.starts[node as usize];
        let end = self.starts[node as usize + 1][0];
        let part = |start: u32, end: u32| &self.readers[start as usize..end as usize];
        Readers {
            plain: part(plain, negated),
            negated: part(negated, outputs),
            outputs: part(outputs, cyclic),
            cyclic: part(cyclic, end),
        }
    }

    /// The number of the cycle that a gate is in.
    pub(super) fn cycle_of(&self, node: u32) -> Option<usize> {
        let cycle = self.cycles.get(node as usize).copied()?;
        (cycle != NO_CYCLE).then_some(cycle as usize)
    }

    /// Where the fixpoint of a gate in a cycle starts.
    pub(super) fn start_of(&self, cycle: usize, node: u32) -> bool {
        let cycle = &self.circuit.cycles[cycle];
        cycle.starts[(node - cycle.nodes.start) as usize]
    }
}
