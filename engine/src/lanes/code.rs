//! Straight-line code over registers, and how it is run.
//!
//! An instruction is a conjunction of some registers as they are and some negated, itself perhaps
//! negated. Instructions of one shape follow each other in a run, so that nothing is decided
//! between them. There are as many registers as a `u16` can name: no access can miss.

use super::block::Block;

/// How many registers there are.
pub(super) const REGISTERS: usize = 1 << 16;

/// The most wires that an instruction reads.
pub(super) const MOST_WIRES: usize = 4;

/// The registers; 0 always holds.
pub(super) type Registers = Box<[Block; REGISTERS]>;

/// What an instruction computes, whatever its registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Shape {
    /// Whether the result is negated.
    pub(super) negated: bool,
    /// How many registers are read as they are.
    pub(super) plain: u8,
    /// How many registers are read negated, behind the others.
    pub(super) inverted: u8,
}

/// Instructions in the order in which they are run.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    runs: Vec<Run>,
    /// For each instruction of a run the register that it writes, then those that it reads.
    operands: Vec<u16>,
}

#[derive(Clone, Debug)]
enum Run {
    /// So many operands of instructions of one shape.
    Straight { shape: Shape, operands: u32 },
    /// Instructions that read each other.
    Cycle(Cycle),
}

/// Instructions to repeat until nothing changes.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    /// For each the register that it writes, and where that starts.
    pub(super) starts: Vec<(u16, bool)>,
    /// For each the registers that it reads, perhaps negated.
    pub(super) reads: Vec<Vec<(u16, bool)>>,
}

impl Code {
    /// Adds an instruction.
    pub(super) fn push(&mut self, shape: Shape, to: u16, reads: &[u16]) {
        let added = 1 + reads.len() as u32;
        match self.runs.last_mut() {
            Some(Run::Straight { shape: last, operands }) if *last == shape => *operands += added,
            _ => self.runs.push(Run::Straight { shape, operands: added }),
        }
        self.operands.push(to);
        self.operands.extend_from_slice(reads);
    }

    /// Adds instructions that read each other.
    pub(super) fn push_cycle(&mut self, cycle: Cycle) {
        self.runs.push(Run::Cycle(cycle));
    }

    /// How many registers are read and written by one run through it.
    pub(super) fn size(&self) -> usize {
        self.operands.len()
    }

    /// Runs all instructions.
    #[inline(always)]
    pub(super) fn run(&self, registers: &mut [Block; REGISTERS]) {
        let mut left = self.operands.as_slice();
        for run in &self.runs {
            match run {
                Run::Straight { shape, operands } => {
                    let (now, later) = left.split_at(*operands as usize);
                    run_straight(*shape, now, registers);
                    left = later;
                }
                Run::Cycle(cycle) => cycle.run(registers),
            }
        }
    }
}

impl Cycle {
    #[inline(always)]
    fn run(&self, registers: &mut [Block; REGISTERS]) {
        for &(to, value) in &self.starts {
            registers[to as usize] = Block::all(value);
        }
        loop {
            let mut changed = Block::FALSE;
            for (&(to, _), reads) in self.starts.iter().zip(&self.reads) {
                let value = reads.iter().fold(Block::TRUE, |all, &(from, negated)| {
                    all & (registers[from as usize] ^ Block::all(negated))
                });
                changed = changed | (value ^ registers[to as usize]);
                registers[to as usize] = value;
            }
            if changed.is_false() {
                return;
            }
        }
    }
}

/// Runs instructions of one shape: each shape has code of its own.
#[inline(always)]
fn run_straight(shape: Shape, operands: &[u16], registers: &mut [Block; REGISTERS]) {
    macro_rules! shapes {
        ($(($plain:literal, $inverted:literal))*) => {
            match (shape.negated, shape.plain, shape.inverted) {
                $((false, $plain, $inverted) => {
                    run_shape::<false, $plain, $inverted, { 1 + $plain + $inverted }>(
                        operands, registers,
                    );
                }
                (true, $plain, $inverted) => {
                    run_shape::<true, $plain, $inverted, { 1 + $plain + $inverted }>(
                        operands, registers,
                    );
                })*
                _ => {}
            }
        };
    }
    shapes!((1, 0)(0, 1)(2, 0)(1, 1)(0, 2)(3, 0)(2, 1)(1, 2)(0, 3)(4, 0)(3, 1)(2, 2)(1, 3)(0, 4));
}

#[inline(always)]
fn run_shape<
    const NEGATED: bool,
    const PLAIN: usize,
    const INVERTED: usize,
    const OPERANDS: usize,
>(
    operands: &[u16],
    registers: &mut [Block; REGISTERS],
) {
    let (instructions, _) = operands.as_chunks::<OPERANDS>();
    for instruction in instructions {
        let mut all = Block::TRUE;
        for &from in &instruction[1..=PLAIN] {
            all = all & registers[from as usize];
        }
        for &from in &instruction[1 + PLAIN..] {
            all = all & !registers[from as usize];
        }
        registers[instruction[0] as usize] = if NEGATED { !all } else { all };
    }
}
