//! The thread that searches, and the thread that only looks for a legal move.
//!
//! Both follow the match by the orders they get. The thinker begins with the reasoner that needs no
//! preparation and takes over a faster one when it is ready; if that fails later, it goes back.
//! Each reasoner has a table of terms of its own, so that none waits for another; what passes
//! between them is text.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use engine::{Failure, Game, TermId};
use gdl_front::program::Program;

use crate::board::{Board, Proposal};
use crate::engines;
use crate::mailbox::Mailbox;
use crate::simulator::Simulator;
use crate::strategy::{Settings, Strategy, StrategyKind};

/// A joint move as text.
pub(crate) type Joint = Vec<String>;

/// What a thinker is told.
pub(crate) enum Order {
    /// The match went on by a joint move.
    Advance(Joint),
    /// Our move of this turn is given.
    Commit(String),
    /// A faster reasoner.
    Engine(Box<dyn Simulator>),
    /// The match is over.
    Quit,
}

/// What a thinker needs.
pub(crate) struct Thinker {
    pub(crate) program: Arc<Program>,
    pub(crate) kind: StrategyKind,
    pub(crate) settings: Settings,
    pub(crate) board: Arc<Board>,
    pub(crate) orders: Arc<Mailbox<Order>>,
}

/// A search that follows a match.
struct Search<'a> {
    thinker: &'a Thinker,
    strategy: Box<dyn Strategy>,
    simulator: Box<dyn Simulator>,
    /// The joint moves of the match.
    line: Vec<Joint>,
    /// Our move of this turn is given.
    answered: bool,
}

impl Thinker {
    /// The same moves in every run: a fixed number of simulations, no thinking on others' time.
    fn is_repeatable(&self) -> bool {
        self.settings.simulations.is_some() || !self.kind.searches()
    }

    /// Searches until told to quit.
    pub(crate) fn run(self) {
        let game = Game::new(self.program.as_ref().clone());
        // A counted search has the time to wait for the best reasoner.
        let patient = self.is_repeatable() && self.kind.searches();
        let engine = if patient { engines::simulator(&game) } else { engines::first(&game) };
        match engine {
            Ok(simulator) => Search {
                strategy: self.kind.build(game.roles.len(), self.settings.clone()),
                thinker: &self,
                simulator,
                line: Vec::new(),
                answered: false,
            }
            .run(),
            Err(failure) => tracing::warn!(%failure, "no search: the reasoner cannot start"),
        }
    }
}

impl Search<'_> {
    fn run(&mut self) {
        let mut idle = false;
        loop {
            // Orders that wait are all carried out before the next search.
            for order in self.thinker.orders.take(idle) {
                if !self.follow(order) {
                    return;
                }
            }
            let waits = self.answered && self.thinker.is_repeatable();
            idle = waits || !self.think();
        }
    }

    /// Carries out an order; `false` if it is the last.
    fn follow(&mut self, order: Order) -> bool {
        match order {
            Order::Advance(joint) => {
                self.answered = false;
                let made = advance(self.simulator.as_mut(), &joint);
                self.line.push(joint);
                match made {
                    Ok(moves) => self.strategy.advance(&moves),
                    Err(failure) => {
                        tracing::warn!(%failure, "the search lost the thread of the match");
                        self.recover();
                    }
                }
            }
            Order::Commit(action) => {
                self.answered = true;
                let action = self.simulator.game().read_term(&action);
                action.into_iter().for_each(|action| self.strategy.commit(action));
            }
            Order::Engine(engine) => match catch_up(engine, &self.line) {
                Ok(engine) => {
                    tracing::info!(engine = engine.name(), "a faster reasoner takes over");
                    self.simulator = engine;
                    self.strategy.forget();
                }
                Err(failure) => tracing::warn!(%failure, "the faster reasoner cannot take over"),
            },
            Order::Quit => return false,
        }
        true
    }

    /// Searches; `true` if it was interrupted, `false` if there is nothing more to think about.
    fn think(&mut self) -> bool {
        let (board, number) = (&self.thinker.board, self.line.len());
        let interrupt = self.thinker.orders.interrupt();
        let simulator = self.simulator.as_mut();
        let game = simulator.game().clone();
        let outcome = simulator.is_terminal().and_then(|over| {
            if over {
                board.be_silent(number);
                return Ok(());
            }
            self.strategy.search(simulator, interrupt, &mut |advice| {
                let action = game.show(advice.action);
                board.propose(number, Proposal { action, settled: advice.settled });
            })
        });
        match outcome {
            Ok(()) => interrupt.is_raised(),
            Err(failure) => {
                let (engine, failure) = (self.simulator.name(), failure.describe(&game));
                tracing::warn!(failure, engine, "the search failed");
                let helps = self.recover();
                if !helps {
                    board.be_silent(number);
                }
                helps
            }
        }
    }

    /// Goes back to the first reasoner, in the present state; `false` if that is no help.
    fn recover(&mut self) -> bool {
        self.strategy.forget();
        let game = Game::new(self.thinker.program.as_ref().clone());
        match engines::first(&game).and_then(|engine| catch_up(engine, &self.line)) {
            Ok(engine) => {
                let helps = engine.name() != self.simulator.name();
                self.simulator = engine;
                helps
            }
            Err(failure) => {
                tracing::warn!(%failure, "no search from here on");
                false
            }
        }
    }
}

/// A reasoner behind the joint moves of a match.
fn catch_up(mut engine: Box<dyn Simulator>, line: &[Joint]) -> Result<Box<dyn Simulator>, Failure> {
    engine.reset()?;
    for joint in line {
        advance(engine.as_mut(), joint)?;
    }
    Ok(engine)
}

/// Makes a joint move. What the rule sheet cannot say has no effect in the game, and neither has
/// another term that is no move: the name of the role stands in.
fn advance(simulator: &mut dyn Simulator, joint: &Joint) -> Result<Vec<TermId>, Failure> {
    let game = simulator.game().clone();
    let moves: Vec<TermId> = game
        .roles
        .iter()
        .enumerate()
        .map(|(index, &role)| {
            joint.get(index).and_then(|text| game.read_term(text).ok()).unwrap_or(role)
        })
        .collect();
    simulator.apply(&moves)?;
    Ok(moves)
}

/// Follows a match without searching: finds one legal move a turn, so that there is always one.
pub(crate) fn guard(program: &Program, role: usize, board: &Board, moves: &Receiver<Joint>) {
    let game = Game::new(program.clone());
    let followed = engines::first(&game).and_then(|mut simulator| {
        let mut turn = 0;
        loop {
            let legal = (0..game.roles.len())
                .map(|role| Ok(game.show_all(&simulator.legal(role)?)))
                .collect::<Result<Vec<Joint>, Failure>>()?;
            let ours = legal[role].first().cloned();
            board.fall_back(turn, legal, ours);
            let Ok(joint) = moves.recv() else { return Ok(()) };
            advance(simulator.as_mut(), &joint)?;
            turn += 1;
        }
    });
    if let Err(failure) = followed {
        tracing::warn!(failure = failure.describe(&game), "no fallback moves from here on");
    }
}
