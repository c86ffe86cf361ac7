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
        values[self.word + word] >> self.shift & self.mask(word)
    }

    /// Which bits of one of its words are its own, counted from the first of these.
    #[inline(always)]
    fn mask(&self, word: usize) -> u64 {
        let left = self.bits - 64 * word;
        if left < 64 { (1 << left) - 1 } else { u64::MAX }
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

/// A word of the legal moves of a role.
#[derive(Debug)]
pub(super) struct MoveWord {
    /// Where its bits lie.
    word: usize,
    shift: u32,
    /// The moves without a guard.
    free: u64,
    /// Guards, and the moves that each allows.
    guarded: Vec<(Wire, u64)>,
}

impl MoveWord {
    /// The words of each role; `placed` tells where a guard lies.
    pub(super) fn of_roles(
        outputs: &Outputs,
        guards: &[Guard],
        placed: impl Fn(Wire) -> Wire,
    ) -> Vec<Vec<MoveWord>> {
        let of_section = |section: &Section| {
            let of_word = |word: usize| MoveWord {
                word: section.word + word,
                shift: section.shift,
                free: section.mask(word),
                guarded: Vec::new(),
            };
            (0..section.words()).map(of_word).collect()
        };
        let mut all: Vec<Vec<MoveWord>> = outputs.legal.iter().map(of_section).collect();
        for guard in guards {
            for (word, moves) in all[guard.role].iter_mut().enumerate() {
                let guarded = guard.moves.iter().filter(|&&action| action as usize / 64 == word);
                let mask = guarded.fold(0, |mask, action| mask | 1 << (action % 64));
                if mask != 0 {
                    moves.free &= !mask;
                    moves.guarded.push((placed(guard.wire), mask));
                }
            }
        }
        all
    }

    /// Its legal moves.
    #[inline(always)]
    pub(super) fn legal(&self, values: &[u64]) -> u64 {
        let guarded = self.guarded.iter();
        let allowed = guarded.fold(self.free, |allowed, &(guard, moves)| {
            allowed | moves & 0u64.wrapping_sub(holds(values, guard))
        });
        values[self.word] >> self.shift & allowed
    }
}

/// Whether a placed wire holds: 0 or 1.
#[inline(always)]
pub(super) fn holds(values: &[u64], wire: Wire) -> u64 {
    let place = wire.node();
    (values[place as usize / 64] >> (place % 64) ^ u64::from(wire.is_negated())) & 1
}
