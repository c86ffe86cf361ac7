//! The outputs of a network: bits that gates toggle.

use std::ops::Range;

use crate::circuit::{Circuit, Guard, Wire};

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

/// How many words hold so many bits.
pub(super) fn words(bits: usize) -> usize {
    bits.div_ceil(64)
}

impl Outputs {
    pub(super) fn new(circuit: &Circuit) -> Outputs {
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

    /// The first bit of the outputs, where so many bits for pending gates lie before them; a new
    /// word of the summary of words begins there.
    pub(super) fn first_bit(&self, nodes: usize) -> u32 {
        nodes.next_multiple_of(64 * 64) as u32
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

/// Which moves of a role guards decide about.
#[derive(Clone, Debug)]
pub(super) struct Masks {
    /// The words of the role's moves among the outputs.
    pub(super) words: Range<usize>,
    guards: Vec<Wire>,
    /// As many words as the moves have: those without a guard; then as many for each guard.
    masks: Vec<u64>,
}

impl Masks {
    /// The masks of each role.
    pub(super) fn new(outputs: &Outputs, guards: &[Guard]) -> Vec<Masks> {
        let of_role = |words: &Range<usize>| Masks {
            words: words.clone(),
            guards: Vec::new(),
            masks: vec![u64::MAX; words.len()],
        };
        let mut all: Vec<Masks> = outputs.legal.iter().map(of_role).collect();
        for guard in guards {
            let Masks { words, guards, masks } = &mut all[guard.role];
            let start = masks.len();
            masks.resize(start + words.len(), 0);
            for &action in &guard.moves {
                masks[start + action as usize / 64] |= 1 << (action % 64);
                masks[action as usize / 64] &= !(1 << (action % 64));
            }
            guards.push(guard.wire);
        }
        all
    }

    /// The moves of a word that their guards allow.
    #[inline(always)]
    pub(super) fn allowed(&self, word: usize, values: &[bool]) -> u64 {
        let of_guards = self.guards.iter().zip(self.masks.chunks_exact(self.words.len()).skip(1));
        let allowed =
            of_guards.map(|(guard, mask)| if guard.value(values) { mask[word] } else { 0 });
        allowed.fold(self.masks[word], |all, some| all | some)
    }
}
