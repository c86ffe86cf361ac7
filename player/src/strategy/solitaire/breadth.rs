//! Breadth-first search over states, each visited once, in turns of bounded length.
//!
//! At first states that differ in step counters alone count as one. If that finds no perfect line,
//! the search runs again with every state for itself, and only then says that none exists.

use std::collections::VecDeque;

use engine::{Failure, Random, TermId};
use gdl_front::Symbol;
use gdl_front::hash::HashSet;

use super::super::playout::Player;
use super::Keeper;
use super::clock::{counters, timeless_key};
use super::orderless::Orderless;
use crate::goals::goal_of;
use crate::interrupt::Interrupt;
use crate::simulator::Simulator;

/// What a turn of the search came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// There is more to search, or memory is full.
    Open,
    /// Every line was seen.
    Exhausted,
}

/// How a state was first reached.
struct Step {
    before: Option<u32>,
    action: TermId,
}

/// The search so far.
pub(super) struct Breadth {
    start: Box<[TermId]>,
    counters: HashSet<Symbol>,
    seen: HashSet<u64>,
    steps: Vec<Step>,
    waiting: VecDeque<(Option<u32>, Box<[TermId]>)>,
    bytes: usize,
    memory: usize,
}

impl Breadth {
    pub(super) fn new(
        simulator: &mut dyn Simulator,
        memory: usize,
        random: &Random,
        interrupt: &Interrupt,
    ) -> Result<Breadth, Failure> {
        let start: Box<[TermId]> = simulator.state()?.into();
        let counters = counters(simulator, &mut Player::new(random.clone()), interrupt)?;
        let mut breadth = Breadth {
            start,
            counters,
            seen: HashSet::default(),
            steps: Vec::new(),
            waiting: VecDeque::new(),
            bytes: 0,
            memory,
        };
        breadth.restart();
        Ok(breadth)
    }

    /// The search over sets of moves, if their order makes no difference here.
    pub(super) fn orderless(
        &self,
        simulator: &mut dyn Simulator,
        random: &Random,
        interrupt: &Interrupt,
    ) -> Result<Option<Orderless>, Failure> {
        Orderless::new(simulator, &self.counters, random, interrupt)
    }

    fn restart(&mut self) {
        self.seen.clear();
        self.steps.clear();
        self.waiting.clear();
        self.bytes = 0;
        self.waiting.push_back((None, self.start.clone()));
    }

    /// Expands up to `slice` states; the simulator comes back to where it was.
    pub(super) fn expand(
        &mut self,
        simulator: &mut dyn Simulator,
        slice: u64,
        interrupt: &Interrupt,
        keeper: &mut Keeper<'_>,
    ) -> Result<Progress, Failure> {
        let mut progress = Progress::Open;
        for _ in 0..slice {
            if interrupt.is_raised() || keeper.is_perfect() || self.bytes > self.memory {
                break;
            }
            let Some((step, state)) = self.waiting.pop_front() else {
                if self.counters.is_empty() {
                    progress = Progress::Exhausted;
                    break;
                }
                self.counters.clear();
                self.restart();
                continue;
            };
            self.bytes -= size_of_val(&*state);
            simulator.set_state(&state)?;
            self.expand_here(simulator, step, keeper)?;
            keeper.effort += 1;
        }
        simulator.set_state(&self.start)?;
        Ok(progress)
    }

    fn expand_here(
        &mut self,
        simulator: &mut dyn Simulator,
        before: Option<u32>,
        keeper: &mut Keeper<'_>,
    ) -> Result<(), Failure> {
        for action in simulator.legal(0)? {
            simulator.apply(&[action])?;
            let met = self.meet(simulator, Step { before, action }, keeper);
            simulator.undo()?;
            met?;
        }
        Ok(())
    }

    fn meet(
        &mut self,
        simulator: &mut dyn Simulator,
        step: Step,
        keeper: &mut Keeper<'_>,
    ) -> Result<(), Failure> {
        let state = simulator.state()?;
        // A finished match is judged by its counters too: it may have ended by the clock.
        if simulator.is_terminal()? {
            let goal = goal_of(simulator, 0)?;
            keeper.offer(|| self.line_to(&step), goal);
            return Ok(());
        }
        if self.seen.insert(timeless_key(simulator, &state, &self.counters)) {
            self.bytes += size_of_val(&*state) + size_of::<Step>() + 64;
            self.waiting.push_back((Some(self.steps.len() as u32), state.into()));
            self.steps.push(step);
        }
        Ok(())
    }

    fn line_to(&self, last: &Step) -> Vec<TermId> {
        let mut line = vec![last.action];
        let mut before = last.before;
        while let Some(index) = before {
            let step = &self.steps[index as usize];
            line.push(step.action);
            before = step.before;
        }
        line.reverse();
        line
    }
}
