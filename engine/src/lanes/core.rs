//! The lanes at work: a step of all of them.
//!
//! A step has two halves. First the lanes whose match is over are counted, and those whose time has
//! come start anew; then every lane makes a move.

use super::block::{Block, Counter, RandomBlocks};
use super::choose::Tree;
use super::code::{REGISTERS, Registers};
use super::program::Program;
use super::vector::Vector;

/// All lanes.
#[derive(Clone, Debug)]
pub(super) struct Core {
    pub(super) registers: Registers,
    pub(super) random: RandomBlocks,
    tree: Tree,
    /// Where all lanes are in the cycle of phases.
    pub(super) phase: usize,
    /// The lanes that play.
    pub(super) live: Block,
    /// The lanes that will start when their phase comes.
    pub(super) waiting: Block,
    /// The lanes whose match ended when it was last looked.
    pub(super) ended: Block,
    /// For each phase the lanes whose start is in it.
    pub(super) starts_in: Vec<Block>,
    /// The state that each lane starts from, for each fluent that varies.
    pub(super) starts: Vec<Block>,
    /// How many matches a lane plays.
    pub(super) quota: u64,
    /// How many moves were made.
    pub(super) states: u64,
    /// The moves made in each lane since its start.
    pub(super) lengths: Counter,
    /// For each goal how often it was reached.
    pub(super) reached: Vec<Counter>,
    /// How many matches ended in each lane.
    pub(super) matches: Counter,
    /// A role without a legal move in a lane that plays.
    pub(super) stuck: Option<usize>,
}

impl Core {
    pub(super) fn new(program: &Program, seed: u64) -> Core {
        let mut registers: Vec<Block> = vec![Block::FALSE; REGISTERS];
        registers[0] = Block::TRUE;
        let registers = registers.into_boxed_slice();
        Core {
            // The slice has just so many registers.
            registers: registers.try_into().unwrap_or_else(|_| Box::new([Block::TRUE; REGISTERS])),
            random: RandomBlocks::new(seed),
            tree: Tree::default(),
            phase: 0,
            live: Block::FALSE,
            waiting: Block::FALSE,
            ended: Block::FALSE,
            starts_in: vec![Block::FALSE; program.steps.len()],
            starts: vec![Block::FALSE; program.varying.len()],
            quota: u64::MAX,
            states: 0,
            lengths: Counter::default(),
            reached: vec![Counter::default(); program.goals.len()],
            matches: Counter::default(),
            stuck: None,
        }
    }

    /// Forgets all playouts and starts.
    pub(super) fn restart(&mut self, program: &Program) {
        self.starts_in = vec![Block::FALSE; program.steps.len()];
        self.starts = vec![Block::FALSE; program.varying.len()];
        self.reached = vec![Counter::default(); program.goals.len()];
        [self.matches, self.lengths] = [Counter::default(), Counter::default()];
        [self.live, self.waiting, self.ended] = [Block::FALSE; 3];
        self.states = 0;
        self.quota = 0;
        self.stuck = None;
    }

    /// Puts every lane at its start.
    pub(super) fn enter_starts(&mut self, program: &Program) {
        for (&register, &start) in program.varying.iter().zip(&self.starts) {
            self.registers[register as usize] = start;
        }
    }

    /// Lets these lanes start when their phase comes, again and again.
    pub(super) fn begin(&mut self, lanes: Block) {
        self.phase = 0;
        self.live = Block::FALSE;
        self.waiting = lanes;
        self.quota = u64::MAX;
    }

    /// Lets no lane start any more.
    pub(super) fn stop_starting(&mut self) {
        self.waiting = Block::FALSE;
        self.quota = 0;
    }

    /// Whether a lane plays, or will.
    pub(super) fn is_busy(&self) -> bool {
        !(self.live | self.waiting).is_false()
    }

    /// Counts the lanes whose match is over, and starts those whose time has come.
    #[inline(always)]
    pub(super) fn settle(&mut self, program: &Program) {
        let step = &program.steps[self.phase];
        step.terminal.run(&mut self.registers);
        self.ended = self.registers[step.terminal_register as usize] & self.live;
        if !self.ended.is_false() {
            step.goals.run(&mut self.registers);
            let mut open = self.ended;
            let mut role = 0;
            for &(goal, register) in &step.goal_registers {
                if program.goals[goal].0 != role {
                    role = program.goals[goal].0;
                    open = self.ended;
                }
                let holds = self.registers[register as usize];
                self.reached[goal].add(open & holds);
                open = open & !holds;
            }
            self.matches.add(self.ended);
            self.live = self.live & !self.ended;
            if self.quota > 0 {
                let enough = self.matches.equals(self.quota);
                self.waiting = self.waiting | self.ended & !enough;
            }
        }
        let now = self.waiting & self.starts_in[self.phase];
        if !now.is_false() {
            self.start(program, now);
        }
    }

    #[inline(always)]
    fn start(&mut self, program: &Program, now: Block) {
        for (&register, &start) in program.varying.iter().zip(&self.starts) {
            let fluent = &mut self.registers[register as usize];
            *fluent = now.choose(start, *fluent);
        }
        self.lengths.clear(now);
        self.live = self.live | now;
        self.waiting = self.waiting & !now;
    }

    /// Makes a move in every lane.
    #[inline(always)]
    pub(super) fn advance<V: Vector>(&mut self, program: &Program) {
        let step = &program.steps[self.phase];
        step.legal.run(&mut self.registers);
        for (role, choice) in step.choices.iter().enumerate() {
            let count = choice.moves.len();
            let legal = choice.legal as usize;
            let any = match count {
                0 => Block::FALSE,
                1 => self.registers[legal],
                _ => {
                    let (before, does) = self.registers.split_at_mut(choice.does as usize);
                    let legal = &before[legal..][..count];
                    let does = &mut does[..count];
                    self.tree.choose::<V>(legal, does, self.live, &mut self.random)
                }
            };
            if !(self.live & !any).is_false() {
                self.stuck = self.stuck.or(Some(role));
            }
        }
        step.next.run(&mut self.registers);
        self.states += self.live.count();
        self.lengths.add(self.live);
        self.phase = (self.phase + 1) % program.steps.len();
    }
}
