//! Runs a planned rule over the facts that the indexes show.
//!
//! Entry points: [`Join::run`] for all facts, [`Join::run_seeded`] for one new fact of the first
//! condition. Each result is handed to an [`Outcome`].

use std::ops::ControlFlow;
use std::time::Instant;

use super::pattern::subterm;
use super::plan::{Plan, Probe, Step};
use super::store::Indexes;
use crate::terms::Arena;

/// What is done with the ways to satisfy a rule.
pub(super) trait Outcome {
    /// All variables that matter are bound: whether the rest need not be tried.
    fn is_known(&mut self, bindings: &[u32], arena: &mut Arena) -> bool;

    /// All conditions hold; `matched` are the numbers of the facts, by condition.
    fn found(&mut self, bindings: &[u32], matched: &[u32], arena: &mut Arena);

    /// Whether a bound has been reached and there is no point in going on.
    fn is_full(&self) -> bool;
}

/// A clock that is looked at only now and then.
pub(super) struct Clock {
    deadline: Instant,
    ticks: u32,
    pub(super) expired: bool,
}

impl Clock {
    pub(super) fn new(deadline: Instant) -> Clock {
        Clock { deadline, ticks: 0, expired: false }
    }

    pub(super) fn tick(&mut self) -> bool {
        self.ticks += 1;
        if self.ticks >= 1 << 14 {
            self.ticks = 0;
            self.expired |= Instant::now() >= self.deadline;
        }
        self.expired
    }
}

/// A rule being run.
pub(super) struct Join<'a, O> {
    pub(super) plan: &'a Plan,
    pub(super) indexes: &'a Indexes,
    pub(super) arena: &'a mut Arena,
    pub(super) clock: &'a mut Clock,
    pub(super) outcome: &'a mut O,
    bindings: Vec<u32>,
    matched: Vec<u32>,
    key: Vec<u32>,
}

/// Whether a way to satisfy the steps was found; broken off when the clock says so.
type Found = ControlFlow<(), bool>;

impl<'a, O: Outcome> Join<'a, O> {
    pub(super) fn new(
        plan: &'a Plan,
        conditions: usize,
        indexes: &'a Indexes,
        arena: &'a mut Arena,
        clock: &'a mut Clock,
        outcome: &'a mut O,
    ) -> Join<'a, O> {
        let bindings = vec![0; plan.variables];
        let matched = vec![0; conditions];
        Join { plan, indexes, arena, clock, outcome, bindings, matched, key: Vec::new() }
    }

    /// Runs the rule over all facts.
    pub(super) fn run(&mut self) {
        let _ = self.step(0);
    }

    /// Runs the rule with one fact for its first condition.
    pub(super) fn run_seeded(&mut self, row: &[u32]) {
        let Some(seed) = &self.plan.seed else { return };
        let pattern = &self.indexes.get(seed.index).pattern;
        if !pattern.fits(row, self.arena) {
            return;
        }
        for (&variable, path) in seed.found.iter().zip(&pattern.found) {
            self.bindings[variable as usize] = subterm(row, path, self.arena);
        }
        let _ = self.step(0);
    }

    fn step(&mut self, at: usize) -> Found {
        if at == self.plan.cut && self.outcome.is_known(&self.bindings, self.arena) {
            return Found::Continue(true);
        }
        let Some(step) = self.plan.steps.get(at) else {
            self.outcome.found(&self.bindings, &self.matched, self.arena);
            return Found::Continue(true);
        };
        match step {
            Step::Probe(probe) => self.probe(probe, at),
            Step::Absent(probe) => match self.bucket(probe) {
                [] => self.step(at + 1),
                _ => Found::Continue(false),
            },
            Step::Distinct(a, b) => {
                let a = a.build(&self.bindings, self.arena);
                let b = b.build(&self.bindings, self.arena);
                if a == b { Found::Continue(false) } else { self.step(at + 1) }
            }
        }
    }

    fn bucket(&mut self, probe: &Probe) -> &'a [u32] {
        self.key.clear();
        self.key.extend(probe.key.iter().map(|&variable| self.bindings[variable as usize]));
        self.indexes.get(probe.index).bucket(&self.key)
    }

    fn probe(&mut self, probe: &Probe, at: usize) -> Found {
        if self.clock.tick() || self.outcome.is_full() {
            return Found::Break(());
        }
        let stride = probe.found.len() + 1;
        let mut any = false;
        for entry in self.bucket(probe).chunks_exact(stride) {
            for (&variable, &term) in probe.found.iter().zip(entry) {
                self.bindings[variable as usize] = term;
            }
            self.matched[probe.literal] = entry[stride - 1];
            any |= self.step(at + 1)?;
            // Past the cut one way is enough: the result would be the same.
            if any && at >= self.plan.cut {
                return Found::Continue(true);
            }
        }
        Found::Continue(any)
    }
}
