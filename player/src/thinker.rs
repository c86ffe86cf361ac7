//! The thread that searches, and the thread that only looks for a legal move.
//!
//! Both follow the match by the orders they get. The thinker begins with the reasoner that needs no
//! preparation and takes over a faster one when it is ready; if that fails later, it goes back.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use engine::{Failure, Game, TermId};

use crate::board::Board;
use crate::engines;
use crate::mailbox::Mailbox;
use crate::simulator::Simulator;
use crate::strategy::Strategy;

/// What a thinker is told.
pub(crate) enum Order {
    /// The match went on by a joint move.
    Advance(Vec<TermId>),
    /// Our move of this turn is given.
    Commit(TermId),
    /// A faster reasoner, at the initial state.
    Engine(Box<dyn Simulator>),
    /// The match is over.
    Quit,
}

/// A search that follows a match.
pub(crate) struct Thinker {
    pub(crate) game: Arc<Game>,
    pub(crate) strategy: Box<dyn Strategy>,
    pub(crate) board: Arc<Board>,
    pub(crate) orders: Arc<Mailbox<Order>>,
    /// The same moves in every run: no thinking on others' time.
    pub(crate) repeatable: bool,
    /// Builds the fastest reasoner before anything else, instead of taking it over when it comes.
    pub(crate) patient: bool,
}

/// Where the thinker stands.
struct Position {
    simulator: Box<dyn Simulator>,
    turn: usize,
    /// Our move of this turn is given.
    answered: bool,
}

impl Thinker {
    /// Searches until told to quit.
    pub(crate) fn run(mut self) {
        let mut position = match self.first_engine() {
            Ok(simulator) => Position { simulator, turn: 0, answered: false },
            Err(failure) => {
                tracing::warn!(%failure, "no search: the reasoner cannot start");
                return;
            }
        };
        let mut idle = false;
        loop {
            // Orders that wait are all carried out before the next search.
            for order in self.orders.take(idle) {
                if !self.follow(&mut position, order) {
                    return;
                }
            }
            let waits = position.answered && self.repeatable;
            idle = waits || !self.think(&mut position);
        }
    }

    fn first_engine(&self) -> Result<Box<dyn Simulator>, Failure> {
        if self.patient { engines::simulator(&self.game) } else { engines::first(&self.game) }
    }

    /// Carries out an order; `false` if it is the last.
    fn follow(&mut self, position: &mut Position, order: Order) -> bool {
        match order {
            Order::Advance(moves) => {
                self.strategy.advance(&moves);
                position.turn += 1;
                position.answered = false;
                if let Err(failure) = position.simulator.apply(&moves) {
                    tracing::warn!(%failure, "the search lost the thread of the match");
                    self.recover(position, Some(&moves));
                }
            }
            Order::Commit(action) => {
                position.answered = true;
                self.strategy.commit(action);
            }
            Order::Engine(engine) => self.take_over(position, engine),
            Order::Quit => return false,
        }
        true
    }

    fn take_over(&mut self, position: &mut Position, mut engine: Box<dyn Simulator>) {
        let moved = position.simulator.state().and_then(|state| engine.set_state(&state));
        match moved {
            Ok(()) => {
                tracing::info!(engine = engine.name(), "a faster reasoner takes over");
                position.simulator = engine;
                self.strategy.forget();
            }
            Err(failure) => tracing::warn!(%failure, "the faster reasoner cannot take over"),
        }
    }

    /// Searches; `true` if it was interrupted, `false` if there is nothing more to think about.
    fn think(&mut self, position: &mut Position) -> bool {
        let number = position.turn;
        let simulator = position.simulator.as_mut();
        let outcome = simulator.is_terminal().and_then(|over| {
            let board = &self.board;
            if over {
                board.be_silent(number);
                return Ok(());
            }
            self.strategy.search(simulator, self.orders.interrupt(), &mut |advice| {
                board.advise(number, advice);
            })
        });
        match outcome {
            Ok(()) => self.orders.interrupt().is_raised(),
            Err(failure) => {
                let failure = failure.describe(&self.game);
                tracing::warn!(%failure, engine = simulator.name(), "the search failed");
                let helps = self.recover(position, None);
                if !helps {
                    self.board.be_silent(number);
                }
                helps
            }
        }
    }

    /// Goes back to the first reasoner, in the present state, behind a joint move if there is one
    /// that could not be made; `false` if that is no help.
    fn recover(&mut self, position: &mut Position, moves: Option<&[TermId]>) -> bool {
        self.strategy.forget();
        let state = position.simulator.state();
        let fresh = engines::first(&self.game).and_then(|mut simulator| {
            simulator.set_state(&state?)?;
            match moves {
                Some(moves) => simulator.apply(moves).map(|()| simulator),
                None => Ok(simulator),
            }
        });
        match fresh {
            Ok(simulator) => {
                let helps = simulator.name() != position.simulator.name();
                position.simulator = simulator;
                helps
            }
            Err(failure) => {
                tracing::warn!(%failure, "no search from here on");
                false
            }
        }
    }
}

/// Follows a match without searching: finds one legal move a turn, so that there is always one.
/// It has a game of its own, so that what it derives has no effect on the search, not even on the
/// order in which terms are met.
pub(crate) fn guard(game: &Arc<Game>, role: usize, board: &Board, moves: &Receiver<Vec<TermId>>) {
    let own = Game::new(game.program.clone());
    let followed = engines::first(&own).and_then(|mut simulator| {
        let mut turn = 0;
        loop {
            let legal = (0..own.roles.len()).map(|role| simulator.legal(role));
            let legal: Vec<Vec<TermId>> = legal.collect::<Result<_, Failure>>()?;
            let ours = legal[role].iter().copied().min_by_key(|&action| own.show(action));
            let given = |action: TermId| translate(&own, game, action);
            let all = legal.iter().map(|moves| moves.iter().filter_map(|&m| given(m)).collect());
            board.fall_back(turn, all.collect(), ours.and_then(given));
            let Ok(joint) = moves.recv() else { return Ok(()) };
            let joint: Option<Vec<TermId>> =
                joint.iter().map(|&action| translate(game, &own, action)).collect();
            simulator.apply(&joint.unwrap_or_default())?;
            turn += 1;
        }
    });
    if let Err(failure) = followed {
        tracing::warn!(failure = failure.describe(&own), "no fallback moves from here on");
    }
}

/// The same term in another table of the same game.
fn translate(from: &Game, to: &Game, term: TermId) -> Option<TermId> {
    to.read_term(&from.show(term)).ok()
}
