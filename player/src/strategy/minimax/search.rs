//! The recursion: our best move against the others' worst reply, within a window.

use engine::{Failure, TermId};

use super::super::Advice;
use super::super::joint::{legal_moves, products};
use super::estimate::estimate;
use super::table::{Bound, Entry, Table};
use crate::goals::{BEST_GOAL, goal_of};
use crate::interrupt::Interrupt;
use crate::simulator::Simulator;

/// What a state is worth to our role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) goal: i32,
    /// No estimate went into it.
    pub(super) proved: bool,
}

/// Why a search ended early.
pub(super) enum Stop {
    /// Told to, or out of its budget of nodes (`spent`).
    Interrupted { spent: bool },
    /// The reasoner could not answer.
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failed(failure)
    }
}

/// One search from one state.
pub(super) struct Search<'a> {
    simulator: &'a mut dyn Simulator,
    role: usize,
    table: &'a mut Table,
    interrupt: &'a Interrupt,
    budget: Option<u64>,
    nodes: u64,
    /// What the last complete search found.
    best: Option<(TermId, Value)>,
}

/// The window within which a value matters.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        simulator: &'a mut dyn Simulator,
        role: usize,
        table: &'a mut Table,
        interrupt: &'a Interrupt,
        budget: Option<u64>,
    ) -> Search<'a> {
        Search { simulator, role, table, interrupt, budget, nodes: 0, best: None }
    }

    /// The best of our moves, looking so many moves ahead.
    pub(super) fn root(&mut self, depth: usize, moves: &[TermId]) -> Result<(TermId, Value), Stop> {
        let mut lists = legal_moves(self.simulator)?.unwrap_or_default();
        let mut ordered = moves.to_vec();
        if let Some((best, _)) = self.best {
            ordered.sort_by_key(|&action| action != best);
        }
        if lists.is_empty() {
            return Ok((moves[0], self.end()?));
        }
        lists[self.role] = ordered;
        let whole = Window { alpha: -1, beta: BEST_GOAL + 1 };
        let (value, best) = self.best_of(depth, whole, &lists)?;
        let found = (best.first().copied().unwrap_or(moves[0]), value);
        self.best = Some(found);
        Ok(found)
    }

    pub(super) fn advise(&self, action: TermId, value: Value, settled: bool) -> Advice {
        Advice {
            action,
            value: Some(f64::from(value.goal)),
            settled,
            proved: value.proved,
            effort: self.nodes,
        }
    }

    pub(super) fn last_advice(&self, otherwise: TermId) -> Advice {
        let unknown = Value { goal: 50, proved: false };
        let (action, value) = self.best.unwrap_or((otherwise, unknown));
        self.advise(action, value, false)
    }

    fn check_time(&mut self) -> Result<(), Stop> {
        self.nodes += 1;
        if self.budget.is_some_and(|budget| self.nodes > budget) {
            return Err(Stop::Interrupted { spent: true });
        }
        if self.interrupt.is_raised() {
            return Err(Stop::Interrupted { spent: false });
        }
        Ok(())
    }

    /// The value of the state, exact within the window and a bound outside it.
    fn value(&mut self, depth: usize, window: Window) -> Result<Value, Stop> {
        self.check_time()?;
        if self.simulator.is_terminal()? {
            return self.end();
        }
        let key = self.simulator.key()?;
        let known = self.table.get(key);
        if let Some(entry) = &known
            && let Some(value) = entry.answers(depth, window.alpha, window.beta)
        {
            return Ok(value);
        }
        if depth == 0 {
            let goal = estimate(self.simulator, self.role)?;
            return Ok(Value { goal, proved: false });
        }
        let Some(mut lists) = legal_moves(self.simulator)? else { return self.end() };
        self.table.order(&mut lists, known.as_ref());
        let (value, best) = self.best_of(depth, window, &lists)?;
        let bound = Bound::of(value.goal, window.alpha, window.beta);
        self.table.put(key, Entry { value, bound, depth: depth as u16, best: best.into() });
        Ok(value)
    }

    /// The value of a state where the match cannot go on.
    fn end(&mut self) -> Result<Value, Stop> {
        Ok(Value { goal: goal_of(self.simulator, self.role)?, proved: true })
    }

    /// The best of our moves, each judged by the others' best reply; and the line of play that
    /// decided it: our move, then theirs.
    fn best_of(
        &mut self,
        depth: usize,
        mut window: Window,
        lists: &[Vec<TermId>],
    ) -> Result<(Value, Vec<TermId>), Stop> {
        let mut best = Value { goal: -1, proved: true };
        let mut best_line = Vec::new();
        let mut all_proved = true;
        let mut others = lists.to_vec();
        for &action in &lists[self.role] {
            others[self.role] = vec![action];
            let (reply, line) = self.worst_of(depth, window, &others)?;
            all_proved &= reply.proved;
            if reply.goal > best.goal {
                best = reply;
                best_line = line;
            }
            window.alpha = window.alpha.max(best.goal);
            if best.goal >= window.beta || (best.goal >= BEST_GOAL && best.proved) {
                self.table.reward(action, depth);
                // The bound holds however the other moves turn out.
                return Ok((best, our_move_first(best_line, self.role)));
            }
        }
        let value = Value { goal: best.goal, proved: all_proved };
        Ok((value, our_move_first(best_line, self.role)))
    }

    /// The worst that the others can do to us, once our move is made.
    fn worst_of(
        &mut self,
        depth: usize,
        mut window: Window,
        lists: &[Vec<TermId>],
    ) -> Result<(Value, Vec<TermId>), Stop> {
        let mut worst = Value { goal: BEST_GOAL + 1, proved: true };
        let mut worst_line = Vec::new();
        let mut all_proved = true;
        for moves in products(lists) {
            self.simulator.apply(&moves)?;
            let found = self.value(depth - 1, window);
            self.simulator.undo()?;
            let found = found?;
            all_proved &= found.proved;
            if found.goal < worst.goal {
                worst = found;
                worst_line = moves;
            }
            window.beta = window.beta.min(worst.goal);
            if worst.goal <= window.alpha || (worst.goal <= 0 && worst.proved) {
                self.table.reward_all(self.role, &worst_line, depth);
                return Ok((worst, worst_line));
            }
        }
        Ok((Value { goal: worst.goal, proved: all_proved }, worst_line))
    }
}

fn our_move_first(mut line: Vec<TermId>, role: usize) -> Vec<TermId> {
    if role < line.len() {
        line[..=role].rotate_right(1);
    }
    line
}
