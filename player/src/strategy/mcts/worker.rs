//! One thread of the search: simulations until the interrupt, the budget or a proof ends them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engine::{Failure, Random};

use super::super::Advice;
use super::super::joint::legal_moves;
use super::super::playout::Player;
use super::lock;
use super::select::Path;
use super::tree::{Node, Tree};
use crate::goals::all_goals;
use crate::interrupt::Interrupt;
use crate::simulator::Simulator;

/// How often the best move is told.
const REPORT_EVERY: Duration = Duration::from_millis(20);

/// When all threads end.
pub(super) struct Pace<'a> {
    interrupt: &'a Interrupt,
    budget: Option<u64>,
    simulations: AtomicU64,
    finished: AtomicBool,
}

impl<'a> Pace<'a> {
    pub(super) fn new(interrupt: &'a Interrupt, budget: Option<u64>) -> Pace<'a> {
        let (simulations, finished) = (AtomicU64::new(0), AtomicBool::new(false));
        Pace { interrupt, budget, simulations, finished }
    }

    pub(super) fn finish(&self) {
        self.finished.store(true, Ordering::Relaxed);
    }

    /// Whether the budget of simulations is used up.
    pub(super) fn is_spent(&self) -> bool {
        self.budget.is_some_and(|budget| self.simulations.load(Ordering::Relaxed) >= budget)
    }

    fn goes_on(&self) -> bool {
        !self.finished.load(Ordering::Relaxed) && !self.is_spent() && !self.interrupt.is_raised()
    }
}

/// What a leaf turned out to be.
struct Leaf {
    node: Node,
    /// What it is worth to each role, between 0 and 1.
    value: Vec<f64>,
    playouts: u64,
}

/// A thread's own part of the search.
pub(super) struct Worker {
    player: Player,
}

impl Worker {
    pub(super) fn new(random: Random) -> Worker {
        Worker { player: Player::new(random) }
    }

    pub(super) fn age(&mut self) {
        self.player.history.age();
    }

    /// Simulates until the pace ends it or the root is proved.
    pub(super) fn run(
        &mut self,
        tree: &Mutex<Tree>,
        simulator: &mut dyn Simulator,
        pace: &Pace<'_>,
        report: &mut dyn FnMut(Advice),
    ) -> Result<(), Failure> {
        let mut reported = Instant::now();
        while pace.goes_on() {
            if !self.simulate(tree, simulator, pace.interrupt)? {
                return Ok(());
            }
            pace.simulations.fetch_add(1, Ordering::Relaxed);
            if reported.elapsed() >= REPORT_EVERY {
                reported = Instant::now();
                let tree = lock(tree);
                tree.advice(tree.role).into_iter().for_each(&mut *report);
            }
        }
        Ok(())
    }

    /// One simulation; `false` if there is nothing more to find out.
    fn simulate(
        &mut self,
        tree: &Mutex<Tree>,
        simulator: &mut dyn Simulator,
        interrupt: &Interrupt,
    ) -> Result<bool, Failure> {
        let mut guard = lock(tree);
        let path = guard.select(&mut self.player.random);
        if let Some(leaf) = path.leaf
            && let Some(proved) = guard.nodes[leaf as usize].proved.clone()
        {
            guard.effort += 1;
            guard.back_up(&path, &proved);
            return Ok(!guard.is_settled_by(&path));
        }
        drop(guard);
        let leaf = self.walk(simulator, &path, interrupt);
        let mut guard = lock(tree);
        let Ok(Some(leaf)) = leaf else {
            guard.give_up(&path);
            return leaf.map(|_| true);
        };
        guard.effort += leaf.playouts;
        guard.means |= leaf.playouts > 1;
        let value = leaf.value;
        if let (None, Some(id)) = (path.leaf, guard.insert(leaf.node))
            && let Some((parent, picks)) = path.steps.last()
        {
            guard.nodes[*parent as usize].link(picks, id);
        }
        guard.back_up(&path, &value);
        Ok(true)
    }

    /// Walks to the leaf, judges it, and comes back. `None` if interrupted.
    fn walk(
        &mut self,
        simulator: &mut dyn Simulator,
        path: &Path,
        interrupt: &Interrupt,
    ) -> Result<Option<Leaf>, Failure> {
        let mut made = 0;
        let mut outcome = Ok(None);
        for moves in &path.moves {
            if let Err(failure) = simulator.apply(moves) {
                outcome = Err(failure);
                break;
            }
            made += 1;
        }
        if outcome.is_ok() {
            outcome = self.judge(simulator, interrupt);
        }
        simulator.undo_many(made)?;
        outcome
    }

    fn judge(
        &mut self,
        simulator: &mut dyn Simulator,
        interrupt: &Interrupt,
    ) -> Result<Option<Leaf>, Failure> {
        let key = simulator.key()?;
        let Some(moves) = legal_moves(simulator)? else {
            let goals: Vec<f64> =
                all_goals(simulator)?.iter().map(|&goal| f64::from(goal) / 100.0).collect();
            let node = Node::terminal(key, goals.clone());
            return Ok(Some(Leaf { node, value: goals, playouts: 1 }));
        };
        let node = Node::inner(key, &moves);
        let go_on = &mut || !interrupt.is_raised();
        if let Some((value, playouts)) = simulator.mean_of_playouts(&mut self.player.random, go_on)
        {
            return Ok(Some(Leaf { node, value, playouts }));
        }
        let played = self.player.play_out(simulator, interrupt)?;
        if interrupt.is_raised() && played.is_none() {
            return Ok(None);
        }
        // A playout without an end says nothing about anyone.
        let value = played.unwrap_or_else(|| vec![0.5; simulator.game().roles.len()]);
        Ok(Some(Leaf { node, value, playouts: 1 }))
    }
}
