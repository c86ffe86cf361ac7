//! What joint moves do, worked out once and then looked up.
//!
//! With the moves given, what is left of the gates between moves and the next state is small: most
//! fluents begin or end for certain, a few on conditions on the state. A joint move that comes up
//! again gets such an [`Effect`], and from then on its next state needs no gate to change and change
//! back. Joint moves that would need a large one are left to the gates.
//! Entry point: [`Effects::find`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gdl_front::hash::HashMap;

use super::core::Core;
use super::ids;
use super::outputs::holds;
use super::steps::Key;
use super::wiring::Wiring;
use crate::circuit::{Circuit, Wire};
use crate::lists::Lists;
use crate::random::Random;

/// A larger effect is left to the gates.
const MOST_WIRES: usize = 400;
/// So many gates may be looked at for one.
const MOST_LOOKED_AT: usize = 1 << 12;
/// All effects of a network together have at most so many parts.
const MOST_PARTS: usize = 1 << 20;
/// So many conditions on fluents of a word may be rare, if of so many at most one holds.
const FEWEST_RARE: usize = 8;
const RARE: u32 = 8;
/// Mixes the number of an effect into what is remembered of it.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
/// Any number would do as the seed of the factors of [`Deciding`].
const FACTORS: u64 = 1;
/// What depends on more bits of the network has too many outcomes to remember.
const MOST_DECIDING: u32 = 24;
/// With at most so many joint moves their effects are found by number, else by hashing.
const MOST_BY_NUMBER: u64 = 1 << 16;

/// The effects of one circuit's joint moves.
#[derive(Clone, Debug)]
pub(super) struct Effects {
    readers: Arc<Readers>,
    /// By role, its first move's node and what the place of a move among its moves counts.
    places: Vec<(u32, u64)>,
    seen: Seen,
    effects: Vec<Effect>,
    /// How many parts the effects have.
    parts: usize,
    /// The changes with an effect worked in.
    changes: Vec<u64>,
    /// The values of an effect's gates, by number: 0 or 1.
    gates: Vec<u64>,
}

/// How often a joint move was seen.
#[derive(Clone, Debug)]
enum Seen {
    ByNumber(Vec<u32>),
    ByHash(HashMap<u64, u32>),
    /// There are too many joint moves to number them.
    Not,
}

/// Not seen yet, seen once, left to the gates; from [`FIRST`] on the number of an effect.
const NEW: u32 = 0;
const ONCE: u32 = 1;
const LEFT: u32 = 2;
const FIRST: u32 = 3;

/// Who reads the nodes that depend on moves.
#[derive(Debug)]
struct Readers {
    /// Gates.
    gates: Lists,
    /// Bits of the changes: twice their number, and one more if the node is read negated.
    changes: Lists,
    /// Words of the network and which of their bits decide what changes whatever is done.
    always: BTreeMap<u32, u64>,
}

/// What a joint move does to the changes, as they are while no move is done: words of the fluents
/// that begin, and behind them of those that end.
#[derive(Clone, Debug, Default)]
struct Effect {
    /// Words of which some bits are certain: which to keep, and which to set.
    certain: Vec<(u32, u64, u64)>,
    /// Conjunctions, one after the other. A wire reads a place, or, from the number of these on, one
    /// of the gates before.
    gates: Lists,
    /// Bits to set if a wire holds: by wire, how many of the parts of words in `set` are its.
    conditional: Vec<(Wire, u32)>,
    set: Vec<(u32, u64)>,
    rare: Rare,
    /// What decides about the changes; `None` if that is too much to remember.
    deciding: Option<Vec<Deciding>>,
}

/// Fluents of which few hold at a time, and bits to set if they do.
#[derive(Clone, Debug, Default)]
struct Rare {
    /// Words of the state, which of their bits are meant, and the number of the first of these.
    words: Vec<(u32, u64, u32)>,
    /// By number, where its parts of words in `set` begin; they end where those of the next begin.
    starts: Vec<u32>,
    set: Vec<(u32, u64)>,
}

/// A word of the network of which some bits decide what an effect changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deciding {
    pub(super) word: u32,
    pub(super) mask: u64,
    /// Products with these are added up to a number that tells values apart: unlike a chain of them
    /// it does not wait for one word after the other.
    factor: u64,
}

impl Effects {
    pub(super) fn new(wiring: &Wiring) -> Effects {
        let circuit = &wiring.circuit;
        let mut joint_moves = 1u64;
        let places = circuit.moves.iter().enumerate().map(|(role, moves)| {
            let place = joint_moves;
            joint_moves = joint_moves.saturating_mul(moves.len().max(1) as u64);
            (circuit.move_node(role, 0), place)
        });
        let places = places.collect();
        let seen = match joint_moves {
            ..=MOST_BY_NUMBER => Seen::ByNumber(vec![NEW; joint_moves as usize]),
            u64::MAX => Seen::Not,
            _ => Seen::ByHash(HashMap::default()),
        };
        Effects {
            readers: Arc::new(Readers::new(wiring)),
            places,
            seen,
            effects: Vec::new(),
            parts: 0,
            changes: vec![0; 2 * state_words(wiring)],
            gates: Vec::new(),
        }
    }

    /// What decides about the changes of an effect, and the key of the step that follows; `None` if
    /// that is too much to remember.
    #[inline(always)]
    pub(super) fn deciding(&self, number: usize, values: &[u64]) -> Option<(&[Deciding], Key)> {
        let deciding = self.effects[number].deciding.as_deref()?;
        let tag = deciding.iter().fold((number as u64).wrapping_mul(MIX), |tag, deciding| {
            let value = values[deciding.word as usize] & deciding.mask;
            tag.wrapping_add(value.wrapping_mul(deciding.factor))
        });
        Some((deciding, Key { effect: number as u32, tag }))
    }

    /// The fluents that began with the last effect and those that ended, whether they held or not.
    pub(super) fn changes(&self) -> (&[u64], &[u64]) {
        self.changes.split_at(self.changes.len() / 2)
    }

    /// The state that follows with an effect.
    #[inline(always)]
    pub(super) fn next_state(&mut self, number: usize, core: &Core, next: &mut [u64]) {
        let Effect { certain, gates, conditional, set, rare, .. } = &self.effects[number];
        let (begins, ends) = self.changes.split_at_mut(next.len());
        for (word, (begins, ends)) in begins.iter_mut().zip(ends).enumerate() {
            [*begins, *ends] = core.changes(word);
        }
        let changes = &mut self.changes;
        for &(word, keep, set) in certain {
            changes[word as usize] = changes[word as usize] & keep | set;
        }
        self.gates.clear();
        let places = core.wiring.places() as u32;
        let holds = |wire: Wire, gates: &[u64]| match wire.node().checked_sub(places) {
            None => holds(&core.values, wire),
            Some(gate) => gates[gate as usize] ^ u64::from(wire.is_negated()),
        };
        for gate in 0..gates.len() as u32 {
            let wires = gates.get(gate).iter().map(|&wire| Wire::numbered(wire));
            self.gates.push(wires.fold(1, |all, wire| all & holds(wire, &self.gates)));
        }
        let mut left = &set[..];
        for &(wire, count) in conditional {
            let (of_wire, others) = left.split_at(count as usize);
            // Without a branch: whether the condition holds cannot be foreseen.
            let mask = 0u64.wrapping_sub(holds(wire, &self.gates));
            of_wire.iter().for_each(|&(word, bits)| changes[word as usize] |= bits & mask);
            left = others;
        }
        rare.set(&core.values, changes);
        let (begins, ends) = changes.split_at(next.len());
        for (((next, state), begins), ends) in
            next.iter_mut().zip(&core.values).zip(begins).zip(ends)
        {
            *next = state & !ends | begins;
        }
    }

    /// The number of the effect of a joint move, given by its nodes; it is made when the move is seen
    /// for the second time. `None` if the gates have to tell.
    #[inline(always)]
    pub(super) fn find(&mut self, core: &Core, moves: &[u32]) -> Option<usize> {
        let place = |(&node, (first, place)): (&u32, &(u32, u64))| u64::from(node - first) * place;
        let key: u64 = moves.iter().zip(&self.places).map(place).sum();
        let seen = match &mut self.seen {
            Seen::ByNumber(seen) => &mut seen[key as usize],
            Seen::ByHash(seen) if seen.len() < MOST_PARTS => seen.entry(key).or_insert(NEW),
            Seen::ByHash(seen) => seen.get_mut(&key)?,
            Seen::Not => return None,
        };
        match *seen {
            NEW => {
                *seen = ONCE;
                None
            }
            ONCE => {
                *seen = LEFT;
                let effect = (self.parts < MOST_PARTS)
                    .then(|| self.readers.effect(&core.wiring, moves, &core.values));
                let effect = effect.flatten()?;
                *seen = FIRST + self.effects.len() as u32;
                self.parts += effect.parts();
                self.effects.push(effect);
                Some(self.effects.len() - 1)
            }
            LEFT => None,
            number => Some((number - FIRST) as usize),
        }
    }
}

/// How many words the fluents that begin have, and those that end.
fn state_words(wiring: &Wiring) -> usize {
    wiring.layout.outputs.next.words()
}

impl Readers {
    fn new(wiring: &Wiring) -> Readers {
        let circuit = &wiring.circuit;
        let mut moved = vec![false; circuit.nodes()];
        let first_move = circuit.fluent_node(circuit.fluents.len() as u32);
        moved[first_move as usize..circuit.first_gate() as usize].fill(true);
        // The gates of a cycle may read later ones; with one of them all depend on moves, which
        // goes unnoticed here, but no cycle becomes part of an effect.
        for gate in circuit.play_gates() {
            moved[gate as usize] = circuit.gate(gate).any(|wire| moved[wire.node() as usize]);
        }
        let moved = |wire: &Wire| moved[wire.node() as usize];
        let read = circuit
            .play_gates()
            .flat_map(|gate| circuit.gate(gate).filter(moved).map(move |wire| (wire.node(), gate)));
        let first_end = 64 * state_words(wiring) as u32;
        let bits = (0..).zip(&circuit.next).chain((first_end..).zip(&circuit.ends));
        let bits = bits.filter(|(_, wire)| moved(wire));
        let bits = bits.map(|(bit, wire)| (wire.node(), 2 * bit + u32::from(wire.is_negated())));
        let (read, bits): (Vec<_>, Vec<_>) = (read.collect(), bits.collect());
        Readers {
            gates: Lists::group(circuit.nodes(), read.into_iter()),
            changes: Lists::group(circuit.nodes(), bits.into_iter()),
            always: always(wiring),
        }
    }

    /// The effect of a joint move, unless it is large.
    fn effect(&self, wiring: &Wiring, moves: &[u32], values: &[u64]) -> Option<Effect> {
        let mut made = Making::new(wiring, moves);
        // Gates read what has a lower number: the lowest is taken first.
        let mut open: BTreeSet<u32> = moves.iter().copied().collect();
        for _ in 0..MOST_LOOKED_AT {
            let Some(node) = open.pop_first() else {
                return Some(made.finish(&self.always, values));
            };
            if node >= wiring.circuit.first_gate() && !made.gate(node)? {
                continue;
            }
            open.extend(self.gates.get(node));
            for &change in self.changes.get(node) {
                made.change(change / 2, node, change % 2 == 1);
            }
        }
        None
    }
}

/// What decides about the fluents that no move has a part in.
fn always(wiring: &Wiring) -> BTreeMap<u32, u64> {
    let circuit = &wiring.circuit;
    let rest =
        |wire: Wire| wiring.rests[wire.node() as usize].map(|rest| rest != wire.is_negated());
    let mut deciding = BTreeMap::new();
    let mut add = |place: u32| *deciding.entry(place / 64).or_insert(0) |= 1 << (place % 64);
    let (next, ends) = wiring.layout.standing.split_at(circuit.fluents.len());
    for (fluent, (next, ends)) in (0..).zip(next.iter().zip(ends)) {
        let rests = [next, ends].map(|output| rest(output.wire));
        if rests == [Some(false); 2] {
            continue;
        }
        add(fluent);
        let open = [next, ends].into_iter().zip(rests).filter(|(_, rest)| rest.is_none());
        open.for_each(|(output, _)| add(output.place));
    }
    deciding
}

/// An effect in the making.
struct Making<'w> {
    wiring: &'w Wiring,
    /// What the nodes that the moves change have become.
    becoming: HashMap<u32, Wire>,
    gates: Vec<Vec<Wire>>,
    wires: usize,
    certain: BTreeMap<u32, (u64, u64)>,
    /// Bits that are as a wire.
    conditional: BTreeMap<Wire, BTreeMap<u32, u64>>,
}

impl<'w> Making<'w> {
    fn new(wiring: &'w Wiring, moves: &[u32]) -> Making<'w> {
        Making {
            wiring,
            becoming: moves.iter().map(|&node| (node, Wire::TRUE)).collect(),
            gates: Vec::new(),
            wires: 0,
            certain: BTreeMap::new(),
            conditional: BTreeMap::new(),
        }
    }

    fn circuit(&self) -> &'w Circuit {
        &self.wiring.circuit
    }

    /// What a wire of the circuit has become.
    fn becomes(&self, wire: Wire) -> Wire {
        let node = wire.node();
        let plain = match (self.becoming.get(&node), self.wiring.rests[node as usize]) {
            (Some(&known), _) => known,
            (None, Some(true)) => Wire::TRUE,
            (None, Some(false)) => Wire::FALSE,
            (None, None) => Wire::of(node),
        };
        if wire.is_negated() { !plain } else { plain }
    }

    /// Works out a gate, and tells whether the moves can change it; `None` if that is not for an
    /// effect to say.
    fn gate(&mut self, node: u32) -> Option<bool> {
        if self.wiring.is_cyclic(node) {
            return None;
        }
        let wires = self.circuit().gate(node).map(|wire| self.becomes(wire)).collect();
        let wire = self.and(wires);
        self.becoming.insert(node, wire);
        let unchanged = match self.wiring.rests[node as usize] {
            Some(rest) => wire == if rest { Wire::TRUE } else { Wire::FALSE },
            None => false,
        };
        (self.wires <= MOST_WIRES).then_some(!unchanged)
    }

    /// The conjunction of some wires, simplified.
    fn and(&mut self, mut wires: Vec<Wire>) -> Wire {
        wires.sort_unstable();
        wires.dedup();
        wires.retain(|&wire| wire != Wire::TRUE);
        if wires.first() == Some(&Wire::FALSE) || wires.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Wire::FALSE;
        }
        match wires[..] {
            [] => Wire::TRUE,
            [wire] => wire,
            _ => {
                let number = (self.wiring.circuit.nodes() + self.gates.len()) as u32;
                self.wires += wires.len();
                self.gates.push(wires);
                Wire::of(number)
            }
        }
    }

    /// Notes what a bit of the changes becomes.
    fn change(&mut self, bit: u32, node: u32, negated: bool) {
        let read = if negated { !Wire::of(node) } else { Wire::of(node) };
        let wire = self.becomes(read);
        let fluents = 64 * state_words(self.wiring) as u32;
        let wire = if bit >= fluents {
            // Whether a fluent ends matters only where it holds.
            self.assuming(wire, self.circuit().fluent_node(bit - fluents))
        } else {
            wire
        };
        let rest = self.wiring.rests[node as usize].map(|rest| rest != negated);
        if rest == Some(true) && wire == Wire::TRUE || rest == Some(false) && wire == Wire::FALSE {
            return;
        }
        let (keep, set) = self.certain.entry(bit / 64).or_insert((u64::MAX, 0));
        *keep &= !(1 << (bit % 64));
        match wire {
            Wire::TRUE => *set |= 1 << (bit % 64),
            Wire::FALSE => {}
            _ => {
                let words = self.conditional.entry(wire).or_default();
                *words.entry(bit / 64).or_default() |= 1 << (bit % 64);
            }
        }
    }

    /// What a wire becomes where a node holds.
    fn assuming(&mut self, wire: Wire, node: u32) -> Wire {
        if wire.node() == node {
            return if wire.is_negated() { Wire::FALSE } else { Wire::TRUE };
        }
        let gate = (wire.node() as usize).checked_sub(self.wiring.circuit.nodes());
        let Some(read) = gate.map(|gate| &self.gates[gate]) else { return wire };
        if !read.iter().any(|read| read.node() == node) {
            return wire;
        }
        let assumed = read.iter().map(|&read| match read {
            _ if read.node() != node => read,
            _ if read.is_negated() => Wire::FALSE,
            _ => Wire::TRUE,
        });
        let assumed = assumed.collect();
        let plain = self.and(assumed);
        if wire.is_negated() { !plain } else { plain }
    }

    /// The effect, without gates that nothing reads.
    fn finish(mut self, always: &BTreeMap<u32, u64>, values: &[u64]) -> Effect {
        let nodes = self.wiring.circuit.nodes() as u32;
        let mut used = vec![false; self.gates.len()];
        let number = |wire: &Wire| wire.node().checked_sub(nodes).map(|gate| gate as usize);
        self.conditional.keys().filter_map(number).for_each(|gate| used[gate] = true);
        for gate in (0..self.gates.len()).rev() {
            if used[gate] {
                self.gates[gate].iter().filter_map(number).for_each(|read| used[read] = true);
            }
        }
        let mut kept = Lists::default();
        let mut numbers = vec![0; self.gates.len()];
        let places = self.wiring.places() as u32;
        let placed = |wire: Wire, numbers: &[u32]| match number(&wire) {
            None => self.wiring.layout.placed(wire),
            Some(gate) if wire.is_negated() => !Wire::of(places + numbers[gate]),
            Some(gate) => Wire::of(places + numbers[gate]),
        };
        for (gate, wires) in self.gates.iter().enumerate().filter(|(gate, _)| used[*gate]) {
            numbers[gate] = kept.len() as u32;
            kept.push(wires.iter().map(|&wire| placed(wire, &numbers).number()));
        }
        let fluents = self.circuit().fluents.len() as u32;
        let rare = Rare::take(&mut self.conditional, fluents, values);
        let conditional = self.conditional.iter();
        let mut effect = Effect {
            certain: self
                .certain
                .into_iter()
                .map(|(word, (keep, set))| (word, keep, set))
                .collect(),
            conditional: conditional
                .map(|(&wire, words)| (placed(wire, &numbers), words.len() as u32))
                .collect(),
            gates: kept,
            set: self.conditional.into_values().flatten().collect(),
            rare,
            deciding: None,
        };
        effect.deciding = effect.deciding(always, state_words(self.wiring) as u32, places);
        effect
    }
}

impl Rare {
    /// Takes the conditions of words of which few hold in a state. Fluents have the node behind that of
    /// their place.
    fn take(
        conditional: &mut BTreeMap<Wire, BTreeMap<u32, u64>>,
        fluents: u32,
        values: &[u64],
    ) -> Rare {
        let mut rare = Rare::default();
        for word in 0..fluents.div_ceil(64) {
            let nodes = 1 + 64 * word..1 + fluents.min(64 * word + 64);
            let is_plain = |wire: &&Wire| !wire.is_negated();
            let wires = conditional.range(Wire::of(nodes.start)..Wire::of(nodes.end));
            let wires: Vec<Wire> = wires.map(|(wire, _)| wire).filter(is_plain).copied().collect();
            let mask = wires.iter().fold(0, |mask, wire| mask | 1 << ((wire.node() - 1) % 64));
            let holding = (values[word as usize] & mask).count_ones();
            if wires.len() < FEWEST_RARE || holding * RARE > wires.len() as u32 {
                continue;
            }
            rare.words.push((word, mask, rare.starts.len() as u32));
            for wire in wires {
                rare.starts.push(rare.set.len() as u32);
                rare.set.extend(conditional.remove(&wire).into_iter().flatten());
            }
        }
        rare.starts.push(rare.set.len() as u32);
        rare
    }

    /// Sets the bits of those that hold.
    #[inline(always)]
    fn set(&self, values: &[u64], changes: &mut [u64]) {
        for &(word, mask, first) in &self.words {
            for bit in ids::bits_of(values[word as usize] & mask) {
                let number = (first + (mask & ((1 << bit) - 1)).count_ones()) as usize;
                let range = self.starts[number] as usize..self.starts[number + 1] as usize;
                self.set[range].iter().for_each(|&(word, bits)| changes[word as usize] |= bits);
            }
        }
    }
}

impl Effect {
    /// What decides: what its conditions read, the fluents that it ends or begins for certain, and
    /// what decides whatever is done.
    fn deciding(
        &self,
        always: &BTreeMap<u32, u64>,
        state_words: u32,
        places: u32,
    ) -> Option<Vec<Deciding>> {
        let mut deciding = always.clone();
        let conditions = self.conditional.iter().map(|&(wire, _)| wire);
        let gates = 0..self.gates.len() as u32;
        let read = gates.flat_map(|gate| self.gates.get(gate)).map(|&wire| Wire::numbered(wire));
        let read = conditions.chain(read).map(Wire::node).filter(|&place| place < places);
        read.for_each(|place| *deciding.entry(place / 64).or_default() |= 1 << (place % 64));
        for &(word, mask, _) in &self.rare.words {
            *deciding.entry(word).or_default() |= mask;
        }
        for &(word, _, set) in self.certain.iter().filter(|(_, _, set)| *set != 0) {
            *deciding.entry(word % state_words).or_default() |= set;
        }
        let bits = deciding.values().map(|mask| mask.count_ones()).sum::<u32>();
        let mut random = Random::new(FACTORS);
        let words = deciding.into_iter();
        let words = words.map(|(word, mask)| Deciding { word, mask, factor: random.bits() | 1 });
        (bits <= MOST_DECIDING).then(|| words.collect())
    }

    fn parts(&self) -> usize {
        let conditional = self.conditional.len() + self.set.len();
        let rare = self.rare.starts.len() + self.rare.set.len();
        1 + self.certain.len() + self.gates.items() + conditional + rare
    }
}

#[cfg(test)]
mod tests {
    use super::super::Network;
    use crate::game::Game;
    use crate::ground::Limits;

    #[test]
    fn fluents_that_rarely_hold_are_followed() {
        // Two hands of a clock, one of which may be set back; which of their places holds decides.
        let rules = "(role x) (init (minute 0)) (init (hour 0)) (legal x go) (legal x back)
            (<= (next (minute ?n)) (does x go) (true (minute ?m)) (succ ?m ?n))
            (<= (next (hour ?h)) (does x go) (true (hour ?h)) (not (true (minute 59))))
            (<= (next (hour ?i)) (does x go) (true (hour ?h)) (true (minute 59)) (succ ?h ?i))
            (<= (next (minute 0)) (does x back)) (<= (next (hour ?h)) (does x back) (true (hour ?h)))
            (<= terminal (true (hour 30))) (<= (goal x 100) terminal) (succ 59 0)";
        let minutes: String = (0..59).map(|m| format!("(succ {m} {})", m + 1)).collect();
        let program = gdl_front::load(&format!("{rules}{minutes}"), None).program.unwrap();
        let mut network = Network::new(&Game::new(program), &Limits::default()).unwrap();
        let state = |network: &Network| {
            let terms = network.fluents_of(network.state_bits());
            network.circuit.game.show_all(&terms)
        };
        let number = |network: &Network, name: &str| {
            let moves = &network.circuit.moves[0];
            moves.iter().position(|&term| network.circuit.game.show(term) == name).unwrap() as u32
        };
        let [go, back] = ["go", "back"].map(|name| number(&network, name));
        for minute in 0..90 {
            let expected = [format!("(hour {})", minute / 60), format!("(minute {})", minute % 60)];
            let mut found = state(&network);
            found.sort();
            assert_eq!(found, expected);
            network.apply_ids(&[go]);
        }
        network.apply_ids(&[back]);
        let mut found = state(&network);
        found.sort();
        assert_eq!(found, ["(hour 1)", "(minute 0)"]);
        let words: usize = network.effects.effects.iter().map(|made| made.rare.words.len()).sum();
        assert!(words > 0, "no effect looks for rare fluents");
    }
}
