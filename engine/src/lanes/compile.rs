//! Gates to instructions, in the order in which they are run and with the registers they use.
//!
//! Input: a circuit and, segment by segment, which wires are wanted in which registers. Output:
//! the code of each segment; a later one may read what an earlier one has computed. Entry point:
//! [`compile`].

use std::collections::{BTreeMap, BTreeSet};

use super::code::{Code, Cycle, MOST_WIRES, REGISTERS, Shape};
use crate::circuit::{Circuit, Wire};
use crate::reasoner::Failure;

/// A wire that is wanted in a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) wire: Wire,
    pub(super) register: u16,
}

/// A value that an instruction reads or writes: a node of the circuit, or a number behind them.
type Value = u32;

struct Instruction {
    negated: bool,
    plain: Vec<Value>,
    inverted: Vec<Value>,
    to: Value,
}

/// Instructions that are run together: one, or those of a cycle with their starts.
struct Unit {
    instructions: Vec<Instruction>,
    starts: Option<Vec<bool>>,
}

struct Compiler<'a> {
    circuit: &'a Circuit,
    /// How many gates and targets read each node.
    readers: Vec<u32>,
    /// The register that a value must stand in.
    pinned: Vec<Option<u16>>,
    /// Which nodes have a unit already.
    done: Vec<bool>,
    /// The number of each gate's cycle.
    cycle_of: BTreeMap<u32, usize>,
    units: Vec<Unit>,
}

/// Compiles segments. `inputs` gives the registers of the input nodes; those from `first_free` on
/// are taken as needed.
pub(super) fn compile(
    circuit: &Circuit,
    inputs: &[Option<u16>],
    segments: &[Vec<Target>],
    first_free: usize,
) -> Result<Vec<Code>, Failure> {
    // Gathering makes the code fast. In the order of the circuit fewer values wait to be read at a
    // time, so that games that need too many registers otherwise may do with them.
    attempt(circuit, inputs, segments, first_free, true)
        .or_else(|_| attempt(circuit, inputs, segments, first_free, false))
}

fn attempt(
    circuit: &Circuit,
    inputs: &[Option<u16>],
    segments: &[Vec<Target>],
    first_free: usize,
    gathers: bool,
) -> Result<Vec<Code>, Failure> {
    let mut compiler = Compiler::new(circuit, inputs, segments);
    let mut ends = Vec::new();
    let mut ordered: Vec<Unit> = Vec::new();
    for targets in segments {
        compiler.segment(targets);
        let units = std::mem::take(&mut compiler.units);
        ordered.extend(schedule(units, gathers, &mut compiler.pinned));
        ends.push(ordered.len());
    }
    let used = Lives::new(&ordered, compiler.pinned.len());
    used.emit(&ordered, &ends, &compiler.pinned, first_free)
}

impl<'a> Compiler<'a> {
    fn new(circuit: &'a Circuit, inputs: &[Option<u16>], segments: &[Vec<Target>]) -> Compiler<'a> {
        let mut readers = vec![0; circuit.nodes()];
        // Only gates that are wanted count as readers.
        let mut seen = vec![false; circuit.nodes()];
        let mut open: Vec<u32> =
            segments.iter().flatten().map(|target| target.wire.node()).collect();
        open.iter().for_each(|&node| readers[node as usize] += 1);
        while let Some(node) = open.pop() {
            if node >= circuit.first_gate() && !std::mem::replace(&mut seen[node as usize], true) {
                for wire in circuit.gate(node) {
                    readers[wire.node() as usize] += 1;
                    open.push(wire.node());
                }
            }
        }
        let mut pinned = inputs.to_vec();
        pinned.resize(circuit.nodes(), None);
        pinned[0] = Some(0);
        let cycles = circuit.cycles.iter().enumerate();
        let cycle_of = cycles
            .flat_map(|(number, cycle)| cycle.nodes.clone().map(move |node| (node, number)))
            .collect();
        let done = vec![false; circuit.nodes()];
        Compiler { circuit, readers, pinned, done, cycle_of, units: Vec::new() }
    }

    /// Makes the instructions of a segment.
    fn segment(&mut self, targets: &[Target]) {
        let is_input = |register: u16, pinned: &[Option<u16>]| {
            pinned[..self.circuit.first_gate() as usize].contains(&Some(register))
        };
        // A gate that is only wanted in a register is computed there.
        let mut direct = Vec::new();
        for target in targets {
            let node = target.wire.node();
            let is_gate = node >= self.circuit.first_gate() && !self.done[node as usize];
            let in_cycle = self.cycle_of.contains_key(&node);
            if is_gate && !in_cycle && self.readers[node as usize] == 1 {
                self.done[node as usize] = true;
                direct.push(*target);
            } else if is_gate
                && !target.wire.is_negated()
                && self.pinned[node as usize].is_none()
                && !is_input(target.register, &self.pinned)
            {
                self.pinned[node as usize] = Some(target.register);
            } else {
                let to = self.value(Some(target.register));
                self.copy(target.wire, to);
            }
        }
        for target in &direct {
            let to = self.value(Some(target.register));
            self.gate(target.wire.node(), to, target.wire.is_negated());
        }
        let mut open: Vec<u32> = targets.iter().map(|target| target.wire.node()).collect();
        let mut needed = Vec::new();
        let mut opened = vec![false; self.circuit.nodes()];
        while let Some(node) = open.pop() {
            if node >= self.circuit.first_gate()
                && !std::mem::replace(&mut opened[node as usize], true)
            {
                open.extend(self.circuit.gate(node).map(Wire::node));
                needed.push(node);
            }
        }
        needed.sort_unstable();
        for node in needed {
            if !std::mem::replace(&mut self.done[node as usize], true) {
                match self.cycle_of.get(&node) {
                    Some(&cycle) => self.cycle(cycle),
                    None => self.gate(node, node, false),
                }
            }
        }
    }

    /// A new value, perhaps with a register of its own.
    fn value(&mut self, register: Option<u16>) -> Value {
        self.pinned.push(register);
        self.pinned.len() as u32 - 1
    }

    fn copy(&mut self, wire: Wire, to: Value) {
        self.conjunction(vec![wire.node()], Vec::new(), to, wire.is_negated());
    }

    fn gate(&mut self, node: u32, to: Value, negated: bool) {
        let (inverted, plain): (Vec<Wire>, Vec<Wire>) =
            self.circuit.gate(node).partition(|wire| wire.is_negated());
        let nodes = |wires: Vec<Wire>| wires.into_iter().map(Wire::node).collect();
        self.conjunction(nodes(plain), nodes(inverted), to, negated);
    }

    /// A conjunction, divided into instructions of at most [`MOST_WIRES`].
    fn conjunction(
        &mut self,
        mut plain: Vec<Value>,
        mut inverted: Vec<Value>,
        to: Value,
        negated: bool,
    ) {
        while plain.len() + inverted.len() > MOST_WIRES {
            let part_inverted = inverted.split_off(inverted.len().saturating_sub(MOST_WIRES));
            let room = MOST_WIRES - part_inverted.len();
            let part_plain = plain.split_off(plain.len().saturating_sub(room));
            let part = self.value(None);
            self.add(Instruction {
                negated: false,
                plain: part_plain,
                inverted: part_inverted,
                to: part,
            });
            plain.insert(0, part);
        }
        self.add(Instruction { negated, plain, inverted, to });
    }

    fn add(&mut self, instruction: Instruction) {
        self.units.push(Unit { instructions: vec![instruction], starts: None });
    }

    fn cycle(&mut self, number: usize) {
        let circuit = self.circuit;
        let cycle = &circuit.cycles[number];
        let mut instructions = Vec::new();
        for node in cycle.nodes.clone() {
            self.done[node as usize] = true;
            let (inverted, plain): (Vec<Wire>, Vec<Wire>) =
                circuit.gate(node).partition(|wire| wire.is_negated());
            instructions.push(Instruction {
                negated: false,
                plain: plain.into_iter().map(Wire::node).collect(),
                inverted: inverted.into_iter().map(Wire::node).collect(),
                to: node,
            });
        }
        self.units.push(Unit { instructions, starts: Some(cycle.starts.clone()) });
    }
}

impl Unit {
    fn reads(&self) -> impl Iterator<Item = Value> + '_ {
        self.instructions.iter().flat_map(|it| it.plain.iter().chain(&it.inverted)).copied()
    }

    fn writes(&self) -> impl Iterator<Item = Value> + '_ {
        self.instructions.iter().map(|instruction| instruction.to)
    }

    /// What may stand together in a run.
    fn shape(&self) -> Option<Shape> {
        match &self.instructions[..] {
            [one] if self.starts.is_none() => Some(one.shape()),
            _ => None,
        }
    }
}

impl Instruction {
    fn shape(&self) -> Shape {
        Shape {
            negated: self.negated,
            plain: self.plain.len() as u8,
            inverted: self.inverted.len() as u8,
        }
    }
}

/// Orders units so that each comes behind what it reads, and what overwrites a register behind all
/// that read what was there. If they are gathered, those of one shape follow each other where that
/// is possible; otherwise they stay in the order of the circuit.
fn schedule(units: Vec<Unit>, gathers: bool, pinned: &mut Vec<Option<u16>>) -> Vec<Unit> {
    let mut order = Order::new(units, gathers, pinned);
    let mut ordered = Vec::new();
    let mut copies = Vec::new();
    while order.left > 0 {
        match order.take() {
            Some(unit) => ordered.push(unit),
            None => copies.extend(order.break_deadlock(pinned)),
        }
    }
    ordered.extend(copies);
    ordered
}

struct Order {
    units: Vec<Option<Unit>>,
    /// How many values a unit waits for, and how many readers of what it overwrites.
    waits: Vec<[u32; 2]>,
    /// The units that wait for each unit's result, and for it to have read.
    followers: Vec<[Vec<u32>; 2]>,
    /// Whether units of one shape are gathered.
    gathers: bool,
    /// The units that wait for nothing, by shape if they are gathered.
    ready: BTreeMap<Option<Shape>, BTreeSet<u32>>,
    current: Option<Shape>,
    left: usize,
}

impl Order {
    fn new(units: Vec<Unit>, gathers: bool, pinned: &[Option<u16>]) -> Order {
        let mut writer: BTreeMap<Value, u32> = BTreeMap::new();
        // The unit that overwrites a register that is read as an input.
        let mut overwriter: BTreeMap<u16, u32> = BTreeMap::new();
        for (number, unit) in (0..).zip(&units) {
            for value in unit.writes() {
                writer.insert(value, number);
                if let Some(register) = pinned[value as usize] {
                    overwriter.insert(register, number);
                }
            }
        }
        let mut waits = vec![[0; 2]; units.len()];
        let mut followers = vec![[Vec::new(), Vec::new()]; units.len()];
        for (number, unit) in (0..).zip(&units) {
            for value in unit.reads() {
                match writer.get(&value) {
                    Some(&from) if from != number => {
                        followers[from as usize][0].push(number);
                        waits[number as usize][0] += 1;
                    }
                    Some(_) => {}
                    None => {
                        let over = pinned[value as usize].and_then(|it| overwriter.get(&it));
                        if let Some(&over) = over.filter(|&&over| over != number) {
                            followers[number as usize][1].push(over);
                            waits[over as usize][1] += 1;
                        }
                    }
                }
            }
        }
        let left = units.len();
        let units = units.into_iter().map(Some).collect();
        let ready = BTreeMap::new();
        let mut order = Order { units, waits, followers, gathers, ready, current: None, left };
        (0..left as u32).for_each(|number| order.check(number));
        order
    }

    /// Makes a unit ready if it waits for nothing.
    fn check(&mut self, number: u32) {
        if self.waits[number as usize] == [0; 2]
            && let Some(unit) = &self.units[number as usize]
        {
            let shape = if self.gathers { unit.shape() } else { None };
            self.ready.entry(shape).or_default().insert(number);
        }
    }

    /// The next unit: of the current shape if there is one, else of that with most units ready.
    fn take(&mut self) -> Option<Unit> {
        if self.ready.get(&self.current).is_none_or(BTreeSet::is_empty) {
            let most = self.ready.iter().max_by_key(|(_, units)| units.len());
            self.current = *most.filter(|(_, units)| !units.is_empty())?.0;
        }
        let ready = self.ready.get_mut(&self.current)?;
        let number = if self.gathers { ready.pop_last() } else { ready.pop_first() }?;
        let unit = self.units[number as usize].take();
        self.left -= 1;
        let followers = std::mem::take(&mut self.followers[number as usize]);
        for (kind, followers) in followers.into_iter().enumerate() {
            for follower in followers {
                self.waits[follower as usize][kind] -= 1;
                self.check(follower);
            }
        }
        unit
    }

    /// If all units wait, then for others to read what they overwrite: one of them writes elsewhere,
    /// and the copy that brings the value home is given.
    fn break_deadlock(&mut self, pinned: &mut Vec<Option<u16>>) -> Option<Unit> {
        let waiting = |number: &usize| self.units[*number].is_some();
        let number = (0..self.units.len())
            .filter(waiting)
            .find(|&number| self.waits[number][0] == 0 && self.waits[number][1] > 0);
        let Some(number) = number else {
            // Without a cycle, which the circuit excludes, this cannot be.
            self.left = 0;
            return None;
        };
        let instruction = &mut self.units[number].as_mut()?.instructions[0];
        let home = instruction.to;
        pinned.push(None);
        let elsewhere = pinned.len() as u32 - 1;
        instruction.to = elsewhere;
        self.waits[number][1] = 0;
        // The readers of the old value still name this unit; they must not count it down again.
        for [_, readers] in &mut self.followers {
            readers.retain(|&over| over != number as u32);
        }
        self.check(number as u32);
        let copy =
            Instruction { negated: false, plain: vec![elsewhere], inverted: vec![], to: home };
        Some(Unit { instructions: vec![copy], starts: None })
    }
}

/// When each value is read last.
struct Lives {
    last: Vec<usize>,
}

impl Lives {
    fn new(units: &[Unit], values: usize) -> Lives {
        let mut last = vec![0; values];
        for (time, unit) in units.iter().enumerate() {
            unit.reads().chain(unit.writes()).for_each(|value| last[value as usize] = time);
        }
        Lives { last }
    }

    /// Gives registers to values while they are needed, and writes the code.
    fn emit(
        &self,
        units: &[Unit],
        ends: &[usize],
        pinned: &[Option<u16>],
        first_free: usize,
    ) -> Result<Vec<Code>, Failure> {
        let mut register = pinned.to_vec();
        let mut free: Vec<u16> = Vec::new();
        let mut next = first_free;
        let mut codes = vec![Code::default(); ends.len()];
        let mut segment = 0;
        for (time, unit) in units.iter().enumerate() {
            while time >= ends[segment] {
                segment += 1;
            }
            let dying: Vec<Value> = {
                let all = unit.reads().chain(unit.writes());
                let mut dying: Vec<Value> = all
                    .filter(|&value| {
                        self.last[value as usize] == time && pinned[value as usize].is_none()
                    })
                    .collect();
                dying.sort_unstable();
                dying.dedup();
                dying
            };
            let release = |free: &mut Vec<u16>, register: &[Option<u16>], of: &[Value]| {
                free.extend(of.iter().filter_map(|&value| register[value as usize]));
            };
            // A single instruction reads all before it writes.
            let early = unit.starts.is_none();
            if early {
                release(&mut free, &register, &dying);
            }
            for value in unit.writes() {
                if register[value as usize].is_none() {
                    let given = free.pop().map(usize::from).unwrap_or_else(|| {
                        next += 1;
                        next - 1
                    });
                    let given = u16::try_from(given).map_err(|_| too_large())?;
                    register[value as usize] = Some(given);
                }
            }
            if !early {
                release(&mut free, &register, &dying);
            }
            emit_unit(unit, &register, &mut codes[segment]);
        }
        Ok(codes)
    }
}

fn emit_unit(unit: &Unit, register: &[Option<u16>], code: &mut Code) {
    let of = |value: &Value| register[*value as usize].unwrap_or(0);
    if let Some(starts) = &unit.starts {
        let to = unit.instructions.iter().map(|instruction| of(&instruction.to));
        let reads = |instruction: &Instruction| {
            let plain = instruction.plain.iter().map(|value| (of(value), false));
            plain.chain(instruction.inverted.iter().map(|value| (of(value), true))).collect()
        };
        code.push_cycle(Cycle {
            starts: to.zip(starts.iter().copied()).collect(),
            reads: unit.instructions.iter().map(reads).collect(),
        });
        return;
    }
    for instruction in &unit.instructions {
        let reads: Vec<u16> =
            instruction.plain.iter().chain(&instruction.inverted).map(of).collect();
        code.push(instruction.shape(), of(&instruction.to), &reads);
    }
}

/// A game that needs more registers than there are.
pub(super) fn too_large() -> Failure {
    Failure::Limit(format!("lanes have {REGISTERS} registers, and this game needs more"))
}
