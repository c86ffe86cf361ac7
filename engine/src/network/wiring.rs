//! Where changes go: for each node of a circuit the gates that read it.
//!
//! Input: a [`Circuit`]. Output: a [`Wiring`], which does not change as the game is played. Nodes are
//! named by their places in the [`Layout`].

use super::layout::{Layout, NOWHERE};
use super::outputs::MoveWord;
use crate::circuit::{Circuit, Shape, Wire};
use crate::lists::Lists;
use crate::processor::{BYTES, Bytes};

/// The readers of all nodes but those for the goals alone.
#[derive(Debug)]
pub(super) struct Wiring {
    pub(super) circuit: Circuit,
    pub(super) layout: Layout,
    /// The words of each role's legal moves.
    pub(super) moves: Vec<Vec<MoveWord>>,
    /// By word, the bits that hold while their count is not zero.
    pub(super) inverted: Vec<u64>,
    /// The words of outputs if they are so few that all are compared with zero, marked or not.
    pub(super) unmarked: std::ops::Range<usize>,
    /// The other words with gates that are counted, if they are few and there is no cycle.
    pub(super) few: Option<Vec<u32>>,
    /// A bit for each word but the unmarked ones.
    pub(super) looked_at: Vec<u64>,
    /// By place, where its rows and its links begin; they end where those of the next one begin.
    starts: Vec<[u32; 2]>,
    /// Words of which counted gates read the place, each with a row: by gate, what is added to its
    /// count of false wires when the place becomes false.
    row_words: Vec<u32>,
    rows: Vec<Bytes>,
    /// Other counted gates that read the place: twice their place, and one more if they read it negated.
    links: Vec<u32>,
    /// Gates in cycles that read each place, as in `links`.
    cyclic: Lists,
    /// Quiet gates that cannot change unless the place does.
    watchers: Lists,
    /// The placed wires of gates that are not counted.
    wires: Lists,
    /// By node, its value while no move is done, if that does not depend on the state.
    pub(super) rests: Vec<Option<bool>>,
    /// The first place of each cycle.
    cycles: Vec<u32>,
    /// What the goals and the gates for them read: nodes and their places.
    pub(super) goal_reads: Vec<(u32, u32)>,
}

/// How the value of a node is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// By the count of its false wires.
    Counted,
    /// It has one value while no move is done, whatever the state. It is computed only when a move
    /// wakes it, so that changes of the state need not be counted.
    Quiet,
    /// Together with the other gates of this cycle.
    Cyclic(u32),
}

/// A place's readers that are counted.
pub(super) struct Readers<'w> {
    pub(super) words: &'w [u32],
    pub(super) rows: &'w [Bytes],
    pub(super) links: &'w [u32],
}

/// What is added to the counts of a word.
#[derive(Clone, Copy)]
pub(super) enum Added<'w> {
    /// This, or the opposite.
    Row(&'w Bytes, bool),
    /// Some number to one count.
    One(u32, u8),
}

impl Added<'_> {
    /// Adds it.
    #[inline(always)]
    pub(super) fn add_to(self, counts: &mut Bytes) {
        match self {
            Added::Row(row, opposite) => {
                let sign = if opposite { u8::MAX } else { 0 };
                for (count, change) in counts.0.iter_mut().zip(&row.0) {
                    *count = count.wrapping_add((change ^ sign).wrapping_sub(sign));
                }
            }
            Added::One(place, change) => {
                let count = &mut counts.0[place as usize];
                *count = count.wrapping_add(change);
            }
        }
    }
}

impl Readers<'_> {
    /// Goes through the words and what is added to their counts when the place gets a value.
    #[inline(always)]
    pub(super) fn steps(&self, value: bool, mut take: impl FnMut(u32, Added<'_>)) {
        for (&word, row) in self.words.iter().zip(self.rows) {
            take(word, Added::Row(row, value));
        }
        for &link in self.links {
            let more = value == (link % 2 == 1);
            take(link / 128, Added::One(link / 2 % 64, if more { 1 } else { u8::MAX }));
        }
    }
}

/// A node with more readers than this wakes none of them: to count is cheaper than to be woken in vain.
const MOST_WATCHERS: u32 = 4;

/// So many words of outputs are compared with zero sooner than it is found which have changed.
const MOST_UNMARKED: usize = 16;
/// So many words of other gates are all compared, too.
const MOST_FEW: usize = 8;

/// From so many counted readers in a word on, there is a row for them; in between it depends on how
/// many rows that makes.
const FEWEST_IN_ROW: usize = 2;
const MOST_IN_LINKS: usize = 6;
/// So many rows stay near the processor.
const MOST_ROWS: usize = 1 << 13;

impl Wiring {
    pub(super) fn new(circuit: &Circuit, shape: &Shape) -> Wiring {
        let (circuit, guards) = circuit.guarded(shape);
        let mut readers = vec![0; circuit.nodes()];
        for wire in circuit.play_gates().flat_map(|gate| circuit.gate(gate)) {
            readers[wire.node() as usize] += 1;
        }
        let quiet = rests(&circuit, |node| readers[node as usize] <= MOST_WATCHERS);
        let ways = ways(&circuit, &quiet);
        let layout = Layout::new(&circuit, &ways);
        let placed = |wire| layout.placed(wire);
        let moves = MoveWord::of_roles(&layout.outputs, &guards, placed);
        let mut links = Links::default();
        links.gates(&circuit, &layout, &ways, &quiet, &readers);
        let inverted = links.outputs(&circuit, &layout);
        let outputs = layout.first_output..layout.words();
        let unmarked = if outputs.len() <= MOST_UNMARKED { outputs } else { 0..0 };
        let places = 64 * layout.words();
        let group = |pairs: Vec<(u32, u32)>| Lists::group(places, pairs.iter().copied());
        let [counted, cyclic, watchers, wires] =
            [links.counted, links.cyclic, links.watchers, links.wires].map(group);
        let fewest = (FEWEST_IN_ROW..MOST_IN_LINKS)
            .find(|&fewest| count_rows(&counted, fewest) <= MOST_ROWS)
            .unwrap_or(MOST_IN_LINKS);
        let mut wiring = Wiring {
            moves,
            inverted,
            few: few(&layout, &unmarked),
            looked_at: looked_at(layout.words(), &unmarked),
            unmarked,
            starts: Vec::with_capacity(places + 1),
            row_words: Vec::new(),
            rows: Vec::new(),
            links: Vec::new(),
            cyclic,
            watchers,
            wires,
            rests: rests(&circuit, |_| true),
            cycles: cycles(&circuit, &layout),
            goal_reads: goal_reads(&circuit, &layout),
            layout,
            circuit,
        };
        (0..places as u32).for_each(|place| wiring.spread(counted.get(place), fewest));
        wiring.starts.push(wiring.start());
        wiring
    }

    fn start(&self) -> [u32; 2] {
        [self.rows.len() as u32, self.links.len() as u32]
    }

    /// Makes rows and links of the next place's readers.
    fn spread(&mut self, readers: &[u32], fewest: usize) {
        self.starts.push(self.start());
        for of_word in in_words(readers) {
            if of_word.len() < fewest {
                self.links.extend(of_word);
                continue;
            }
            let mut row = Bytes([0; BYTES]);
            for link in of_word {
                let change = &mut row.0[(link / 2 % 64) as usize];
                *change = change.wrapping_add(if link % 2 == 1 { u8::MAX } else { 1 });
            }
            self.row_words.push(of_word[0] / 128);
            self.rows.push(row);
        }
    }

    /// How many places there are.
    pub(super) fn places(&self) -> usize {
        64 * self.layout.words()
    }

    /// The place of a node of the circuit.
    pub(super) fn place(&self, node: u32) -> u32 {
        self.layout.places[node as usize]
    }

    /// Whether a node of the circuit lies in a cycle.
    pub(super) fn is_cyclic(&self, node: u32) -> bool {
        let place = self.place(node);
        place != NOWHERE && matches!(self.way(place as usize / 64), Way::Cyclic(_))
    }

    /// How the gates of a word are kept.
    #[inline]
    pub(super) fn way(&self, word: usize) -> Way {
        self.layout.ways[word]
    }

    /// The counted gates that read a place.
    #[inline(always)]
    pub(super) fn readers(&self, place: u32) -> Readers<'_> {
        let [rows, links] = self.starts[place as usize].map(|start| start as usize);
        let [rows_end, links_end] = self.starts[place as usize + 1].map(|start| start as usize);
        Readers {
            words: &self.row_words[rows..rows_end],
            rows: &self.rows[rows..rows_end],
            links: &self.links[links..links_end],
        }
    }

    /// The gates in cycles that read a place.
    #[inline]
    pub(super) fn cyclic(&self, place: u32) -> &[u32] {
        self.cyclic.get(place)
    }

    /// The quiet gates that a place wakes.
    pub(super) fn watchers(&self, place: u32) -> &[u32] {
        self.watchers.get(place)
    }

    /// The placed wires of a gate that is not counted.
    pub(super) fn wires(&self, place: u32) -> impl Iterator<Item = Wire> + '_ {
        self.wires.get(place).iter().map(|&wire| Wire::numbered(wire))
    }

    /// The places of a cycle.
    pub(super) fn cycle(&self, cycle: u32) -> std::ops::Range<u32> {
        let first = self.cycles[cycle as usize];
        first..first + self.circuit.cycles[cycle as usize].nodes.len() as u32
    }

    /// How many cycles there are, but for those that only the goals need.
    pub(super) fn cycles(&self) -> usize {
        self.cycles.len()
    }

    /// Where the fixpoint of a gate in a cycle starts.
    pub(super) fn start_of(&self, cycle: u32, place: u32) -> bool {
        let first = self.cycles[cycle as usize];
        self.circuit.cycles[cycle as usize].starts[(place - first) as usize]
    }
}

/// Links, which are in order, word by word.
fn in_words(links: &[u32]) -> impl Iterator<Item = &[u32]> {
    links.chunk_by(|a, b| a / 128 == b / 128)
}

/// How many rows there would be.
fn count_rows(counted: &Lists, fewest: usize) -> usize {
    let places = 0..counted.len() as u32;
    let words = places.flat_map(|place| in_words(counted.get(place)));
    words.filter(|of_word| of_word.len() >= fewest).count()
}

/// The words that changes pass through from state to state, unless they are many.
fn few(layout: &Layout, unmarked: &std::ops::Range<usize>) -> Option<Vec<u32>> {
    let gates = layout.first_gate..layout.words();
    let gates = gates.filter(|word| layout.ways[*word] != Way::Quiet && !unmarked.contains(word));
    let few: Vec<u32> = gates.map(|word| word as u32).collect();
    let counted = few.iter().all(|&word| layout.ways[word as usize] == Way::Counted);
    (counted && few.len() <= MOST_FEW).then_some(few)
}

/// A bit for each of so many words but these.
fn looked_at(words: usize, but: &std::ops::Range<usize>) -> Vec<u64> {
    let mut bits = vec![0; words.div_ceil(64)];
    for word in (0..words).filter(|word| !but.contains(word)) {
        bits[word / 64] |= 1 << (word % 64);
    }
    bits
}

fn cycles(circuit: &Circuit, layout: &Layout) -> Vec<u32> {
    let first = circuit.cycles.iter().map(|cycle| layout.places[cycle.nodes.start as usize]);
    first.take_while(|&place| place != NOWHERE).collect()
}

fn goal_reads(circuit: &Circuit, layout: &Layout) -> Vec<(u32, u32)> {
    let read = circuit.goal_gates().flat_map(|gate| circuit.gate(gate));
    let read = read.chain(circuit.goals.iter().flatten().map(|(_, wire)| *wire));
    let mut nodes: Vec<u32> = read.map(Wire::node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let placed = nodes.into_iter().map(|node| (node, layout.places[node as usize]));
    placed.filter(|&(_, place)| place != NOWHERE).collect()
}

/// By node, the value that it has whenever no move is done, if that does not depend on the state;
/// not of gates in cycles. Only nodes that count are a reason for others.
fn rests(circuit: &Circuit, counts: impl Fn(u32) -> bool) -> Vec<Option<bool>> {
    let mut rests = vec![None; circuit.play_gates().end as usize];
    rests[0] = Some(true);
    let first_move = 1 + circuit.fluents.len();
    rests[first_move..circuit.first_gate() as usize].fill(Some(false));
    let cyclic = |gate: u32| {
        let before = circuit.cycles.partition_point(|cycle| cycle.nodes.end <= gate);
        circuit.cycles.get(before).is_some_and(|cycle| cycle.nodes.contains(&gate))
    };
    for gate in circuit.play_gates().filter(|&gate| !cyclic(gate)) {
        let rest = |wire: Wire| {
            let rest = rests[wire.node() as usize].filter(|_| counts(wire.node()));
            rest.map(|rest| rest != wire.is_negated())
        };
        let mut wires = circuit.gate(gate);
        rests[gate as usize] = if wires.clone().any(|wire| rest(wire) == Some(false)) {
            Some(false)
        } else {
            wires.all(|wire| rest(wire) == Some(true)).then_some(true)
        };
    }
    rests
}

fn ways(circuit: &Circuit, quiet: &[Option<bool>]) -> Vec<Way> {
    let mut ways = vec![Way::Counted; quiet.len()];
    for gate in circuit.play_gates().filter(|&gate| quiet[gate as usize].is_some()) {
        ways[gate as usize] = Way::Quiet;
    }
    for (number, cycle) in (0..).zip(&circuit.cycles) {
        let range = cycle.nodes.start as usize..cycle.nodes.end as usize;
        // Cycles that only the goals need lie behind.
        if let Some(members) = ways.get_mut(range) {
            members.fill(Way::Cyclic(number));
        }
    }
    ways
}

/// Pairs of a place and a reader, by kind; the readers of a place in the order of theirs.
#[derive(Default)]
struct Links {
    counted: Vec<(u32, u32)>,
    cyclic: Vec<(u32, u32)>,
    watchers: Vec<(u32, u32)>,
    /// Pairs of a gate and what it reads.
    wires: Vec<(u32, u32)>,
}

/// A placed wire and its reader's place.
fn link(wire: Wire, reader: u32) -> (u32, u32) {
    (wire.node(), 2 * reader + u32::from(wire.is_negated()))
}

impl Links {
    /// Adds what gates read, but for those that are outputs.
    fn gates(
        &mut self,
        circuit: &Circuit,
        layout: &Layout,
        ways: &[Way],
        rests: &[Option<bool>],
        readers: &[u32],
    ) {
        let gates = circuit.play_gates().chain(layout.parts());
        let placed = gates.map(|gate| (layout.places[gate as usize], gate));
        let mut placed: Vec<(u32, u32)> = placed.filter(|&(place, _)| place != NOWHERE).collect();
        placed.sort_unstable();
        for (place, gate) in placed {
            let wires = layout.wires(circuit, gate).map(|wire| layout.placed(wire));
            match ways.get(gate as usize) {
                None | Some(Way::Counted) => {
                    self.counted.extend(wires.map(|wire| link(wire, place)))
                }
                Some(Way::Cyclic(_)) => {
                    self.wires.extend(wires.clone().map(|wire| (place, wire.number())));
                    self.cyclic.extend(wires.map(|wire| link(wire, place)));
                }
                Some(Way::Quiet) => {
                    self.wires.extend(wires.map(|wire| (place, wire.number())));
                    let watched = watched(circuit, gate, rests, readers);
                    let watched = watched.map(|wire| (layout.placed(wire).node(), place));
                    self.watchers.extend(watched);
                }
            }
        }
    }

    /// Adds what the outputs read; gives for each word which bits are inverted.
    fn outputs(&mut self, circuit: &Circuit, layout: &Layout) -> Vec<u64> {
        let mut inverted = vec![0; layout.words()];
        for output in &layout.standing {
            let node = output.wire.node();
            if output.is_gate {
                let wires = layout.wires(circuit, node).map(|wire| layout.placed(wire));
                self.counted.extend(wires.map(|wire| link(wire, output.place)));
                let invert = u64::from(output.wire.is_negated());
                inverted[output.place as usize / 64] |= invert << (output.place % 64);
            } else if node != Wire::TRUE.node() {
                self.counted.push(link(layout.placed(output.wire), output.place));
            }
        }
        inverted
    }
}

/// What a quiet gate has to watch: where it is true at rest, all that it reads; where it is false,
/// one wire that stays false, the one with the fewest readers.
fn watched<'c>(
    circuit: &'c Circuit,
    gate: u32,
    rests: &'c [Option<bool>],
    readers: &[u32],
) -> impl Iterator<Item = Wire> + 'c {
    let one = (rests[gate as usize] == Some(false)).then(|| {
        let false_at_rest =
            |wire: &Wire| rests[wire.node() as usize].is_some_and(|rest| rest == wire.is_negated());
        let wires = circuit.gate(gate).filter(false_at_rest);
        wires.min_by_key(|wire| readers[wire.node() as usize])
    });
    let all = circuit.gate(gate).filter(move |_| one.is_none());
    all.chain(one.flatten())
}
