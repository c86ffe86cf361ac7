//! The outputs of a network: what is read of its words.

use crate::circuit::{Circuit, Guard, Wire};

/// Bits that lie side by side: within one word, or from the beginning of one on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    word: usize,
    shift: u32,
    bits: usize,
}

/// Where the bits of each output lie.
#[derive(Clone, Debug)]
pub(super) struct Outputs {
    /// For each fluent whether it begins.
    pub(super) next: Section,
    /// For each fluent whether it ends.
    pub(super) ends: Section,
    /// For each role its legal moves.
    pub(super) legal: Vec<Section>,
    /// Whether the match is over.
    pub(super) terminal: Section,
}

/// How many words hold so many bits.
pub(super) fn words(bits: usize) -> usize {
    bits.div_ceil(64)
}

impl Section {
    /// How many words it has.
    #[inline(always)]
    pub(super) fn words(&self) -> usize {
        words(self.bits)
    }

    /// One of its words, given all words of the network.
    #[inline(always)]
    pub(super) fn get(&self, values: &[u64], word: usize) -> u64 {
        let left = self.bits - 64 * word;
        let mask = if left < 64 { (1 << left) - 1 } else { u64::MAX };
        values[self.word + word] >> self.shift & mask
    }

    /// The places of its bits.
    fn places(&self) -> impl Iterator<Item = u32> + use<> {
        let first = 64 * self.word as u32 + self.shift;
        first..first + self.bits as u32
    }

    /// The first bit behind it.
    fn end(&self) -> usize {
        64 * self.word + self.shift as usize + self.bits
    }
}

impl Outputs {
    /// Outputs that begin with the first word.
    pub(super) fn new(circuit: &Circuit) -> Outputs {
        let mut free = 0;
        let mut take = |bits: usize| {
            // One that fits beside the last shares its word, so that fewer words change.
            let shared = free % 64 != 0 && free % 64 + bits <= 64;
            let first = if shared { free } else { 64 * words(free) };
            let section = Section { word: first / 64, shift: first as u32 % 64, bits };
            free = section.end();
            section
        };
        let fluents = circuit.fluents.len();
        Outputs {
            next: take(fluents),
            ends: take(fluents),
            legal: circuit.moves.iter().map(|moves| take(moves.len())).collect(),
            terminal: take(1),
        }
    }

    /// Moves them to another first word.
    pub(super) fn begin_at(&mut self, word: usize) {
        let Outputs { next, ends, legal, terminal } = self;
        let all = [next, ends].into_iter().chain(legal).chain([terminal]);
        all.for_each(|section| section.word += word);
    }

    /// The word behind them.
    pub(super) fn end(&self) -> usize {
        words(self.terminal.end())
    }

    /// Every output of a circuit.
    pub(super) fn all(circuit: &Circuit) -> impl Iterator<Item = Wire> + '_ {
        let fluents = circuit.next.iter().chain(&circuit.ends);
        fluents.chain(circuit.legal.iter().flatten()).copied().chain([circuit.terminal])
    }

    /// Where each of [`Outputs::all`] lies.
    pub(super) fn places(&self) -> impl Iterator<Item = u32> + '_ {
        let sections = [self.next, self.ends].into_iter().chain(self.legal.iter().copied());
        sections.chain([self.terminal]).flat_map(|section| section.places())
    }
}

/// Which moves of a role guards decide about.
#[derive(Clone, Debug)]
pub(super) struct Masks {
    /// How many words the moves have.
    words: usize,
    /// Where the guards lie.
    guards: Vec<Wire>,
    /// As many words as the moves have: those without a guard; then as many for each guard.
    masks: Vec<u64>,
}

impl Masks {
    /// The masks of each role; `placed` tells where a guard lies.
    pub(super) fn new(
        circuit: &Circuit,
        guards: &[Guard],
        placed: impl Fn(Wire) -> Wire,
    ) -> Vec<Masks> {
        let of_role =
            |words: usize| Masks { words, guards: Vec::new(), masks: vec![u64::MAX; words] };
        let mut all: Vec<Masks> =
            circuit.moves.iter().map(|moves| of_role(words(moves.len()))).collect();
        for guard in guards {
            let Masks { words, guards, masks } = &mut all[guard.role];
            let start = masks.len();
            masks.resize(start + *words, 0);
            for &action in &guard.moves {
                masks[start + action as usize / 64] |= 1 << (action % 64);
                masks[action as usize / 64] &= !(1 << (action % 64));
            }
            guards.push(placed(guard.wire));
        }
        all
    }

    /// The moves of a word that their guards allow.
    #[inline(always)]
    pub(super) fn allowed(&self, values: &[u64], word: usize) -> u64 {
        let of_guards = self.guards.iter().zip(self.masks.chunks_exact(self.words).skip(1));
        let allowed =
            of_guards.map(|(&guard, mask)| mask[word] & 0u64.wrapping_sub(holds(values, guard)));
        allowed.fold(self.masks[word], |all, some| all | some)
    }
}

/// Whether a placed wire holds: 0 or 1.
#[inline(always)]
pub(super) fn holds(values: &[u64], wire: Wire) -> u64 {
    let place = wire.node();
    (values[place as usize / 64] >> (place % 64) ^ u64::from(wire.is_negated())) & 1
}
