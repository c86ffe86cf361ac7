//! Monte-Carlo tree search: UCT over a graph of states, each role choosing for itself (decoupled),
//! with proved values, transpositions, a history of moves, and playouts in bulk where there are.
//!
//! A simulation has three parts: choose a path (in the tree alone, under its lock), walk it with
//! the simulator and judge the leaf (no lock), and hand the outcome back up (lock). So several
//! threads share one tree, and the reasoning, which takes the time, runs in parallel.

mod backup;
mod history;
mod select;
mod tree;
mod worker;

pub(super) use history::History;

use std::sync::{Mutex, MutexGuard};

use engine::{Failure, Random, TermId};

use super::{Advice, Settings, Strategy, shown_order};
use crate::interrupt::Interrupt;
use crate::simulator::Simulator;
use tree::Tree;
use worker::{Pace, Worker};

/// Monte-Carlo tree search for one role of one match.
pub(super) struct Mcts {
    settings: Settings,
    tree: Mutex<Tree>,
    workers: Vec<Worker>,
    /// Simulators of the other threads, made when first needed.
    forks: Vec<Box<dyn Simulator>>,
}

impl Mcts {
    pub(super) fn new(settings: Settings) -> Mcts {
        let seeds = 0..settings.threads.max(1) as u64;
        let worker = |number| Worker::new(Random::new(settings.seed.wrapping_add(number << 32)));
        Mcts {
            tree: Mutex::new(Tree::new(settings.role, settings.memory)),
            workers: seeds.map(worker).collect(),
            forks: Vec::new(),
            settings,
        }
    }

    fn tree(&mut self) -> &mut Tree {
        self.tree.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn prepare_forks(&mut self, simulator: &mut dyn Simulator) -> Result<(), Failure> {
        while self.forks.len() + 1 < self.workers.len() {
            self.forks.push(simulator.fork()?);
        }
        let state = simulator.state()?;
        self.forks.iter_mut().try_for_each(|fork| fork.set_state(&state))
    }
}

impl Strategy for Mcts {
    fn name(&self) -> &'static str {
        "mcts"
    }

    fn search(
        &mut self,
        simulator: &mut dyn Simulator,
        interrupt: &Interrupt,
        report: &mut dyn FnMut(Advice),
    ) -> Result<(), Failure> {
        let moves = shown_order(simulator, self.settings.role)?;
        // A counted search is always done in full, or it would depend on the clock.
        let settled = moves.len() == 1 && self.settings.simulations.is_none();
        report(Advice { action: moves[0], value: None, settled, proved: false, effort: 0 });
        self.prepare_forks(simulator)?;
        let pace = Pace::new(interrupt, self.settings.simulations);
        let (tree, pace) = (&self.tree, &pace);
        let Some((first, others)) = self.workers.split_first_mut() else { return Ok(()) };
        std::thread::scope(|scope| {
            for (worker, fork) in others.iter_mut().zip(&mut self.forks) {
                scope.spawn(move || {
                    if let Err(failure) = worker.run(tree, fork.as_mut(), pace, &mut |_| {}) {
                        tracing::warn!(%failure, "a search thread gave up");
                    }
                });
            }
            let outcome = first.run(tree, simulator, pace, report);
            pace.finish();
            outcome
        })?;
        if let Some(mut advice) = lock(tree).advice(self.settings.role) {
            advice.settled |= settled || pace.is_spent();
            report(advice);
        }
        Ok(())
    }

    fn commit(&mut self, action: TermId) {
        self.tree().commit(action);
    }

    fn advance(&mut self, moves: &[TermId]) {
        self.tree().advance(moves);
        self.workers.iter_mut().for_each(Worker::age);
    }

    fn forget(&mut self) {
        self.forks.clear();
        self.tree().clear();
    }
}

fn lock(tree: &Mutex<Tree>) -> MutexGuard<'_, Tree> {
    tree.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{advice, after, game};
    use super::super::{Settings, StrategyKind};
    use super::*;

    fn choose(name: &str, line: &[&[&str]], settings: Settings) -> (String, Advice) {
        let game = game(name);
        let advice = advice(StrategyKind::Mcts, &mut after(&game, line), settings);
        (game.show(advice.action), advice)
    }

    fn budget(role: usize, simulations: u64) -> Settings {
        Settings { role, simulations: Some(simulations), ..Settings::default() }
    }

    #[test]
    fn takes_a_win_and_proves_it() {
        let line: &[&[&str]] = &[
            &["(mark a1)", "wait"],
            &["wait", "(mark a2)"],
            &["(mark b1)", "wait"],
            &["wait", "(mark b2)"],
        ];
        let (action, advice) = choose("tic-tac-toe", line, budget(0, 500));
        assert_eq!(action, "(mark c1)");
        assert!(advice.proved && advice.value == Some(100.0), "{advice:?}");
    }

    #[test]
    fn stops_an_opponent_from_winning() {
        let line: &[&[&str]] =
            &[&["(mark a1)", "wait"], &["wait", "(mark c3)"], &["(mark b1)", "wait"]];
        assert_eq!(choose("tic-tac-toe", line, budget(1, 600)).0, "(mark c1)");
    }

    #[test]
    fn one_thread_and_one_seed_give_one_answer() {
        let run = |seed| choose("tic-tac-toe", &[], Settings { seed, ..budget(0, 60) });
        assert_eq!(run(3), run(3));
    }

    #[test]
    fn several_threads_share_a_tree() {
        let settings = Settings { threads: 3, ..budget(0, 60) };
        assert!(choose("tic-tac-toe", &[], settings).1.effort >= 60);
    }

    #[test]
    fn a_search_goes_on_from_what_it_knows() {
        let game = game("tic-tac-toe");
        let mut simulator = after(&game, &[]);
        let mut mcts = Mcts::new(budget(0, 80));
        mcts.search(&mut simulator, &Interrupt::default(), &mut |_| {}).unwrap();
        let moves = ["(mark b2)", "wait"].map(|text| game.read_term(text).unwrap());
        mcts.commit(moves[0]);
        mcts.advance(&moves);
        assert!(mcts.tree().root_visits() > 0);
        simulator = after(&game, &[&["(mark b2)", "wait"]]);
        let mut last = None;
        mcts.search(&mut simulator, &Interrupt::default(), &mut |a| last = Some(a)).unwrap();
        assert_eq!(game.show(last.unwrap().action), "wait");
    }

    #[test]
    fn simultaneous_moves_are_chosen_by_each_role() {
        let (action, _) = choose("rock-paper-scissors", &[], budget(0, 100));
        assert!(["rock", "paper", "scissors"].iter().any(|m| action.contains(m)), "{action}");
    }
}
