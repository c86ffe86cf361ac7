//! The values of a circuit's nodes, kept up to date by difference.
//!
//! Each gate counts its wires that are false; it holds when the count is zero. Counts are bytes, and
//! those of the 64 gates of a word lie side by side. A change of a place adds a row to the counts of
//! each word with readers of it, whatever that does to them, and marks the word. Marked words are
//! then taken in their order: a word of gates is compared with zero at once, and the gates that have
//! changed tell their readers, which lie in later words. So each gate passes a change on at most
//! once, and one that changes its mind has done nothing. Quiet gates have no counts: a move wakes
//! them, and then they are computed. The gates of a cycle are settled together; see
//! [`cyclic`](super::cyclic).

use std::sync::Arc;

use super::cyclic::Cyclic;
use super::ids;
use super::layout::NOWHERE;
use super::outputs::holds;
use super::steps::Step;
use super::wiring::{Added, Way, Wiring};
use crate::circuit::Wire;
use crate::processor::{BYTES, Bytes, Processor};

/// One circuit in one state.
#[derive(Clone, Debug)]
pub(super) struct Core {
    pub(super) wiring: Arc<Wiring>,
    /// By word and gate, how many of its wires are false.
    pub(super) counts: Vec<Bytes>,
    /// By place, whether it holds; the state comes first.
    pub(super) values: Vec<u64>,
    /// A bit for each word that may have changed.
    marks: Vec<u64>,
    /// By place, whether a move has woken the quiet gate there.
    woken: Vec<u64>,
    /// The moves that are done and the quiet gates that they have changed.
    awake: Vec<u32>,
    pub(super) cyclic: Cyclic,
    goals: Goals,
}

/// What the goals need.
#[derive(Clone, Debug)]
struct Goals {
    /// Whether the values are those of the state.
    known: bool,
    /// By node of the circuit; kept for those alone that goals or gates for them read.
    values: Vec<bool>,
}

impl Core {
    /// The circuit in the state without fluents.
    pub(super) fn new(wiring: Arc<Wiring>) -> Core {
        let (circuit, layout) = (&wiring.circuit, &wiring.layout);
        let mut known = vec![false; circuit.nodes()];
        known[0] = true;
        circuit.evaluate(circuit.play_gates(), &mut known);
        let mut core = Core {
            // No gate holds where there is none.
            counts: vec![Bytes([1; BYTES]); layout.words()],
            values: vec![0; layout.words()],
            marks: vec![0; wiring.looked_at.len()],
            woken: vec![0; layout.words()],
            awake: Vec::new(),
            goals: Goals { known: false, values: known.clone() },
            cyclic: Cyclic::default(),
            wiring: wiring.clone(),
        };
        for gate in layout.parts() {
            known.push(layout.wires(circuit, gate).all(|wire| wire.value(&known)));
        }
        for (&place, &value) in layout.places.iter().zip(&known) {
            if place != NOWHERE {
                core.set(place, value);
            }
        }
        for node in circuit.play_gates().chain(layout.parts()) {
            let place = layout.places[node as usize];
            if place != NOWHERE {
                core.count(place, layout.wires(circuit, node), &known);
            }
        }
        for output in &layout.standing {
            core.set(output.place, output.wire.value(&known));
            if output.is_gate {
                core.count(output.place, layout.wires(circuit, output.wire.node()), &known);
            } else {
                core.count(output.place, [output.wire].into_iter(), &known);
            }
        }
        core.cyclic = Cyclic::new(&wiring, &core.values);
        core
    }

    fn set(&mut self, place: u32, value: bool) {
        self.values[place as usize / 64] |= u64::from(value) << (place % 64);
    }

    /// Counts the wires of a gate that are false, if that is how it is kept.
    fn count(&mut self, place: u32, wires: impl Iterator<Item = Wire>, known: &[bool]) {
        if self.wiring.way(place as usize / 64) == Way::Counted {
            let count = wires.filter(|wire| !wire.value(known)).count();
            self.counts[place as usize / 64].0[place as usize % 64] = count as u8;
        }
    }

    /// How many words a state has.
    #[inline(always)]
    pub(super) fn state_words(&self) -> usize {
        self.wiring.layout.outputs.next.words()
    }

    /// The state, a bit for each fluent.
    #[inline(always)]
    pub(super) fn state(&self) -> &[u64] {
        &self.values[..self.state_words()]
    }

    /// The legal moves of a role, a bit for each.
    #[inline(always)]
    pub(super) fn legal(&self, role: usize) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.wiring.moves[role].iter().map(|word| word.legal(&self.values))
    }

    /// Whether the match is over.
    #[inline(always)]
    pub(super) fn is_terminal(&self) -> bool {
        self.wiring.layout.outputs.terminal.get(&self.values, 0) == 1
    }

    /// The state that follows from a joint move, given by its nodes. The moves stay done until
    /// [`Core::go_to`].
    #[inline(always)]
    pub(super) fn next_state(
        &mut self,
        processor: impl Processor,
        moves: &[u32],
        next: &mut [u64],
    ) {
        let mut flow = self.flow(processor);
        moves.iter().for_each(|&node| flow.awaken(flow.wiring.place(node)));
        self.settle(processor);
        for (word, next) in next.iter_mut().enumerate() {
            let [begins, ends] = self.changes(word);
            *next = self.values[word] & !ends | begins;
        }
    }

    /// For the fluents of a word whether they begin and whether they end, with the moves done.
    #[inline(always)]
    pub(super) fn changes(&self, word: usize) -> [u64; 2] {
        let outputs = &self.wiring.layout.outputs;
        [outputs.next.get(&self.values, word), outputs.ends.get(&self.values, word)]
    }

    /// Goes to a state, and takes the moves back that are done. Gives the exclusive or of the keys of
    /// all fluents that change.
    #[inline(always)]
    pub(super) fn go_to(&mut self, processor: impl Processor, state: &[u64], keys: &[u64]) -> u64 {
        let mut flow = self.flow(processor);
        while let Some(place) = flow.awake.pop() {
            flow.flip(place);
        }
        let mut hash = 0;
        for (word, &now) in state.iter().enumerate() {
            let before = std::mem::replace(&mut flow.values[word], now);
            for bit in ids::bits_of(before ^ now) {
                let fluent = 64 * word as u32 + bit;
                hash ^= keys[fluent as usize];
                flow.tell(fluent, now >> bit & 1 == 1);
            }
        }
        self.settle(processor);
        hash
    }

    /// Makes a step that is known, where no move is done.
    #[inline(always)]
    pub(super) fn follow(&mut self, processor: impl Processor, step: Step<'_>) {
        self.goals.known = false;
        let mut flow = self.flow(processor);
        for check in step.checks {
            flow.values[check.word as usize] ^= check.flips;
        }
        let changes = step.words.iter().zip(step.rows);
        if let Some(few) = &flow.wiring.few {
            changes.for_each(|(&word, row)| flow.add(word, Added::Row(row, false)));
            return flow.settle_few(few);
        }
        for (&word, row) in changes {
            flow.add(word, Added::Row(row, false));
            flow.mark(word);
        }
        if flow.wiring.cycles() != 0 {
            for check in step.checks {
                for bit in ids::bits_of(check.flips) {
                    let now = flow.values[check.word as usize] >> bit & 1 == 1;
                    flow.tell_cycles(64 * check.word + bit, now);
                }
            }
        }
        self.settle(processor);
    }

    /// Computes the gates that only the goals need, once a state; gives the number of every value
    /// that holds for a role.
    pub(super) fn goals(&mut self, role: usize) -> impl Iterator<Item = usize> + '_ {
        let Core { wiring, values, goals, .. } = self;
        let circuit = &wiring.circuit;
        if !std::mem::replace(&mut goals.known, true) {
            for &(node, place) in &wiring.goal_reads {
                goals.values[node as usize] = holds(values, Wire::of(place)) == 1;
            }
            circuit.evaluate(circuit.goal_gates(), &mut goals.values);
        }
        let all = circuit.goals[role].iter().enumerate();
        all.filter(|(_, (_, wire))| wire.value(&goals.values)).map(|(number, _)| number)
    }

    /// Takes over the values of another core of the same circuit.
    pub(super) fn copy_from(&mut self, other: &Core) {
        self.counts.copy_from_slice(&other.counts);
        self.values.copy_from_slice(&other.values);
        self.goals.known = false;
        if self.wiring.cycles() != 0 {
            self.cyclic.copy_from(&other.cyclic);
        }
    }

    /// Passes all pending changes on.
    #[inline(always)]
    fn settle(&mut self, processor: impl Processor) {
        self.goals.known = false;
        while let Some(cycle) = self.flow(processor).settle_to_cycle() {
            let mut changed = self.settle_cycle(cycle);
            for place in changed.drain(..) {
                let value = holds(&self.values, Wire::of(place)) == 1;
                self.flow(processor).tell(place, value);
            }
            self.cyclic.changed = changed;
        }
    }

    #[inline(always)]
    fn flow<P: Processor>(&mut self, processor: P) -> Flow<'_, P> {
        Flow {
            processor,
            wiring: &self.wiring,
            counts: &mut self.counts,
            values: &mut self.values,
            marks: &mut self.marks,
            woken: &mut self.woken,
            awake: &mut self.awake,
            cyclic: &mut self.cyclic,
        }
    }
}

/// A core while changes pass through it: its parts, borrowed apart, so that the compiler need not
/// look for them again after each write.
struct Flow<'c, P> {
    processor: P,
    wiring: &'c Wiring,
    counts: &'c mut [Bytes],
    values: &'c mut [u64],
    marks: &'c mut [u64],
    woken: &'c mut [u64],
    awake: &'c mut Vec<u32>,
    cyclic: &'c mut Cyclic,
}

impl<P: Processor> Flow<'_, P> {
    /// Passes changes on until there are none, or a cycle has to be settled.
    #[inline(always)]
    fn settle_to_cycle(&mut self) -> Option<u32> {
        for (at, looked_at) in self.wiring.looked_at.iter().enumerate() {
            loop {
                let marked = self.marks[at] & looked_at;
                if marked == 0 {
                    break;
                }
                self.marks[at] &= marked - 1;
                let word = 64 * at + marked.trailing_zeros() as usize;
                match self.wiring.way(word) {
                    Way::Counted => self.settle_word(word),
                    Way::Quiet => self.wake(word),
                    Way::Cyclic(cycle) => return Some(cycle),
                }
            }
        }
        self.compare_outputs();
        None
    }

    /// The same where there is no cycle, no move is done, and these are all words that are counted:
    /// to mark those that may have changed would take longer.
    #[inline(always)]
    fn settle_few(&mut self, words: &[u32]) {
        let wiring = self.wiring;
        for &word in words {
            let [before, now] = self.compare(word as usize);
            for bit in ids::bits_of(before ^ now) {
                let readers = wiring.readers(64 * word + bit);
                readers.steps(now >> bit & 1 == 1, |word, added| self.add(word, added));
            }
        }
        self.compare_outputs();
    }

    /// Brings the outputs up to date, if they are few.
    #[inline(always)]
    fn compare_outputs(&mut self) {
        let range = self.wiring.unmarked.clone();
        let (counts, inverted) =
            (&self.counts[range.clone()], &self.wiring.inverted[range.clone()]);
        for ((value, counts), inverted) in self.values[range].iter_mut().zip(counts).zip(inverted) {
            *value = self.processor.zeros(counts) ^ inverted;
        }
    }

    /// Compares the counts of a word with zero; gives the values before and now.
    #[inline(always)]
    fn compare(&mut self, word: usize) -> [u64; 2] {
        let now = self.processor.zeros(&self.counts[word]) ^ self.wiring.inverted[word];
        [std::mem::replace(&mut self.values[word], now), now]
    }

    /// Brings a word up to date with its counts.
    #[inline(always)]
    fn settle_word(&mut self, word: usize) {
        let [before, now] = self.compare(word);
        if word >= self.wiring.layout.first_output {
            return;
        }
        for bit in ids::bits_of(before ^ now) {
            self.tell(64 * word as u32 + bit, now >> bit & 1 == 1);
        }
    }

    /// Computes the quiet gates of a word that are woken.
    #[inline(never)]
    fn wake(&mut self, word: usize) {
        for bit in ids::bits_of(std::mem::take(&mut self.woken[word])) {
            let place = 64 * word as u32 + bit;
            let value = self.wiring.wires(place).all(|wire| holds(self.values, wire) == 1);
            if u64::from(value) != self.values[word] >> bit & 1 {
                self.awaken(place);
            }
        }
    }

    /// Changes a place until [`Core::go_to`], and wakes the quiet gates that watch it.
    fn awaken(&mut self, place: u32) {
        self.flip(place);
        self.awake.push(place);
        for &gate in self.wiring.watchers(place) {
            self.woken[gate as usize / 64] |= 1 << (gate % 64);
            self.mark(gate / 64);
        }
    }

    /// Changes the value of a place, and tells all that read it.
    #[inline(always)]
    fn flip(&mut self, place: u32) {
        let value = &mut self.values[place as usize / 64];
        *value ^= 1 << (place % 64);
        let now = *value >> (place % 64) & 1 == 1;
        self.tell(place, now);
    }

    /// Tells all that read a place, but for the cycle that it is in itself, of its new value.
    #[inline(always)]
    fn tell(&mut self, place: u32, value: bool) {
        let readers = self.wiring.readers(place);
        readers.steps(value, |word, step| {
            self.add(word, step);
            self.mark(word);
        });
        if self.wiring.cycles() != 0 {
            self.tell_cycles(place, value);
        }
    }

    /// Changes counts of a word.
    #[inline(always)]
    fn add(&mut self, word: u32, added: Added<'_>) {
        added.add_to(&mut self.counts[word as usize]);
    }

    /// Notes that a word may have changed.
    #[inline(always)]
    fn mark(&mut self, word: u32) {
        self.marks[word as usize / 64] |= 1 << (word % 64);
    }

    /// The part of [`Flow::tell`] that few games have: kept apart, so that the other stays small.
    #[inline(never)]
    fn tell_cycles(&mut self, place: u32, value: bool) {
        let own = self.wiring.way(place as usize / 64);
        for &link in self.wiring.cyclic(place) {
            let gate = link / 2;
            let way = self.wiring.way(gate as usize / 64);
            if let Way::Cyclic(cycle) = way
                && own != way
            {
                self.cyclic.recount(gate, value != (link % 2 == 1));
                let first = self.cyclic.touch(self.wiring, cycle, gate);
                self.mark(first / 64);
            }
        }
    }
}
