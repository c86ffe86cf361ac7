//! Our part in one match: the rules, the clock, and the threads that think.
//!
//! [`Session::start`] returns at once; [`Session::play`] gives our move before the clock ends,
//! whatever the search is doing. Dropping a session ends its threads.

use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::Game;
use gdl_front::program::Program;

use crate::board::Board;
use crate::engines;
use crate::mailbox::Mailbox;
use crate::strategy::{Settings, StrategyKind};
use crate::thinker::{Joint, Order, Thinker, guard};

/// How we play, whatever the match.
#[derive(Clone, Debug)]
pub struct Style {
    /// The way to choose moves.
    pub strategy: StrategyKind,
    /// What the strategy is told; the role is filled in by each match.
    pub settings: Settings,
    /// How long before the end of a clock the answer is given.
    pub margin: Margin,
}

/// The part of a clock that is left unused, so that an answer arrives in time.
#[derive(Clone, Copy, Debug)]
pub struct Margin {
    /// At least this much, if the clock has it.
    pub least: Duration,
    /// This part of the clock, if that is more.
    pub part: f64,
    /// But never more than this.
    pub most: Duration,
}

impl Default for Margin {
    fn default() -> Margin {
        Margin { least: Duration::from_millis(300), part: 0.05, most: Duration::from_millis(1500) }
    }
}

impl Margin {
    /// When to answer at the latest a question with so long a clock: while a good move is sought,
    /// and if there is no move at all yet.
    fn ends(&self, received: Instant, clock: Duration) -> (Instant, Instant) {
        let margin = clock.mul_f64(self.part).clamp(self.least, self.most.max(self.least));
        // On very short clocks, half of the time is for thinking.
        let margin = margin.min(clock / 2);
        (received + clock - margin, received + clock - margin / 4)
    }
}

/// Our part in a match.
pub struct Session {
    /// To read and to write moves; nobody reasons with its terms, so that it is never locked long.
    game: Arc<Game>,
    role: usize,
    play_clock: Duration,
    margin: Margin,
    board: Arc<Board>,
    thinker: Arc<Mailbox<Order>>,
    guard: Mutex<Sender<Joint>>,
    progress: Mutex<Progress>,
}

/// How far the match is.
#[derive(Debug, Default)]
struct Progress {
    turn: usize,
    /// The joint move that led to this turn.
    last: Joint,
}

impl Session {
    /// Begins to think about a game; `None` if it has no such role.
    pub fn start(
        program: Program,
        role: &str,
        play_clock: Duration,
        style: &Style,
    ) -> Option<Session> {
        let program = Arc::new(program);
        let game = Game::new(program.as_ref().clone());
        let role_term = game.read_term(role).ok()?;
        let role = game.roles.iter().position(|&known| known == role_term)?;
        let settings = Settings { role, ..style.settings.clone() };
        let board = Arc::new(Board::default());
        let thinker = Arc::new(Mailbox::default());
        if settings.simulations.is_none() {
            seek_engine(&program, &thinker, style.strategy.searches());
        }
        let search = Thinker {
            program: program.clone(),
            kind: style.strategy,
            settings,
            board: board.clone(),
            orders: thinker.clone(),
        };
        spawn("thinker", move || search.run());
        let (guard_moves, guarded) = mpsc::channel();
        let guarded_board = board.clone();
        spawn("guard", move || guard(&program, role, &guarded_board, &guarded));
        Some(Session {
            game,
            role,
            play_clock,
            margin: style.margin,
            board,
            thinker,
            guard: Mutex::new(guard_moves),
            progress: Mutex::default(),
        })
    }

    /// Thinks until shortly before the end of the start clock, or until all is known.
    pub fn prepare(&self, received: Instant, start_clock: Duration) {
        self.board.wait_settled(self.margin.ends(received, start_clock).0);
    }

    /// Follows the match by the moves that the manager reports (none at first), and gives our next
    /// move before the play clock ends. A message that came before is answered as before.
    pub fn play(&self, received: Instant, moves: &[String]) -> Option<String> {
        let turn = self.follow(moves);
        let (soft, hard) = self.margin.ends(received, self.play_clock);
        let answer = self.board.answer(turn, soft, hard)?;
        self.thinker.post(Order::Commit(answer.clone()));
        Some(answer)
    }

    /// Makes the reported joint move, unless the message is a repetition; gives the turn.
    fn follow(&self, reported: &[String]) -> usize {
        let mut progress = self.progress.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if reported.is_empty() {
            return progress.turn;
        }
        let moves: Joint = reported.iter().map(|text| self.spelled(text)).collect();
        if progress.turn > 0 && progress.last == moves && self.is_repetition(&moves) {
            tracing::info!("a PLAY message came twice");
            return progress.turn;
        }
        progress.turn += 1;
        progress.last.clone_from(&moves);
        self.board.begin(progress.turn);
        let guard = self.guard.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if guard.send(moves.clone()).is_err() {
            tracing::debug!("the guard has ended");
        }
        self.thinker.post(Order::Advance(moves));
        progress.turn
    }

    /// Whether the moves of the last message, come again, are the same message: we have not
    /// answered it yet, or answered something else than what they say we did, or they are not
    /// legal now.
    fn is_repetition(&self, moves: &Joint) -> bool {
        let turn = self.board.turn();
        turn.answer.is_none_or(|answer| moves.get(self.role) != Some(&answer))
            || turn.legal.is_some_and(|legal| {
                legal.iter().zip(moves).any(|(legal, action)| !legal.contains(action))
            })
    }

    /// A move as the rule sheet spells it.
    fn spelled(&self, text: &str) -> String {
        match self.game.read_term(text) {
            Ok(term) => self.game.show(term),
            Err(unknown) => {
                tracing::warn!(%unknown, "the manager reports a strange move");
                text.to_owned()
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.thinker.post(Order::Quit);
    }
}

/// Builds faster reasoners in a thread of their own and hands them to the thinker, while there is
/// one; for a strategy that does not search, one that is quick to build is enough.
fn seek_engine(program: &Arc<Program>, thinker: &Arc<Mailbox<Order>>, searches: bool) {
    let (game, thinker) = (Game::new(program.as_ref().clone()), Arc::downgrade(thinker));
    spawn("engine", move || {
        let goes_on = || searches && thinker.strong_count() > 0;
        engines::seek(&game, &goes_on, &mut |engine| {
            if let Some(thinker) = thinker.upgrade() {
                thinker.post(Order::Engine(engine));
            }
        });
    });
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) {
    let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    if let Err(error) = spawned {
        tracing::warn!(%error, name, "no thread");
    }
}
