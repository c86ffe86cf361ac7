//! The game manager: runs a match between contestants, keeps the clocks and the record.
//!
//! What always holds: the match goes on whatever a contestant does. A reply that is late, garbled
//! or illegal is noted and replaced by a random legal move.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use engine::{Failure, Game, Random, TermId};
use gdl_front::program::Program;

use crate::contestant::{Contestant, Fault};
use crate::engines;
use crate::goals::all_goals;
use crate::protocol::{Message, Start, Step};
use crate::record::{FaultNote, Record};
use crate::scramble::{Scramble, rule_lines, shuffle};
use crate::simulator::Simulator;

/// People may think as long as this.
const HUMAN_CLOCK: Duration = Duration::from_secs(24 * 3600);
/// How long contestants are waited for when the match is over.
const FAREWELL: Duration = Duration::from_secs(2);

/// What is to be played, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Which match; one word.
    pub id: String,
    /// Where the rule sheet came from.
    pub game: String,
    /// The rule sheet.
    pub rules: String,
    /// Time to prepare.
    pub start_clock: Duration,
    /// Time for each move.
    pub play_clock: Duration,
    /// Decides the moves that replace faulty ones, and the scrambling.
    pub seed: u64,
    /// Give everything other names.
    pub scramble: bool,
    /// Send the rules in another order.
    pub shuffle: bool,
    /// The match is broken off after so many joint moves.
    pub most_steps: usize,
    /// Where the record is written as the match goes.
    pub record: Option<PathBuf>,
}

/// Why there was no match.
#[derive(Debug)]
pub enum MatchProblem {
    /// Too many or too few contestants.
    WrongPlayerCount {
        /// One for each role.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The reasoner could not answer, as told.
    Reasoner(String),
    /// The record could not be written.
    Record(PathBuf, std::io::Error),
}

impl std::fmt::Display for MatchProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MatchProblem::WrongPlayerCount { expected, found } => {
                write!(f, "the game is for {expected} players, not {found}")
            }
            MatchProblem::Reasoner(what) => write!(f, "{what}"),
            MatchProblem::Record(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for MatchProblem {}

/// Plays a match. The observer sees the record after every joint move.
pub fn run_match(
    plan: &Plan,
    program: Program,
    contestants: &[Arc<dyn Contestant>],
    observer: &mut dyn FnMut(&Record),
) -> Result<Record, MatchProblem> {
    let game = Game::new(program);
    let (expected, found) = (game.roles.len(), contestants.len());
    if expected != found {
        return Err(MatchProblem::WrongPlayerCount { expected, found });
    }
    let told = |failure: Failure| MatchProblem::Reasoner(failure.describe(&game));
    let mut random = Random::new(plan.seed);
    let rules = Rules::new(plan, &mut random);
    let simulator = engines::quick(&game).map_err(told)?;
    let record = new_record(plan, &game, contestants);
    let mut match_ = Match { plan, game: &game, contestants, rules, simulator, random, record };
    match_.note_state().map_err(told)?;
    match_.write_record()?;
    match_.start();
    while !match_.simulator.is_terminal().map_err(told)?
        && match_.record.moves.len() < plan.most_steps
    {
        match_.step().map_err(told)?;
        match_.write_record()?;
        observer(&match_.record);
    }
    match_.finish().map_err(told)?;
    match_.write_record()?;
    Ok(match_.record)
}

/// The rules as they are sent, and the way back from their names.
struct Rules {
    text: String,
    names: Option<Scramble>,
}

impl Rules {
    fn new(plan: &Plan, random: &mut Random) -> Rules {
        let mut lines = rule_lines(&plan.rules);
        if plan.shuffle {
            shuffle(&mut lines, random);
        }
        let text = lines.join("\n");
        let names = plan.scramble.then(|| Scramble::new(&text, random));
        let text = names.as_ref().map_or(text.clone(), |names| names.apply(&text));
        Rules { text, names }
    }

    fn forth(&self, text: &str) -> String {
        self.names.as_ref().map_or_else(|| text.to_owned(), |names| names.apply(text))
    }

    fn back(&self, text: &str) -> String {
        self.names.as_ref().map_or_else(|| text.to_owned(), |names| names.undo(text))
    }
}

/// A match that is going on.
struct Match<'a> {
    plan: &'a Plan,
    game: &'a Arc<Game>,
    contestants: &'a [Arc<dyn Contestant>],
    rules: Rules,
    simulator: Box<dyn Simulator>,
    random: Random,
    record: Record,
}

impl Match<'_> {
    fn start(&self) {
        let messages = self.game.roles.iter().map(|&role| {
            Message::Start(Start {
                id: self.plan.id.clone(),
                role: self.rules.forth(&self.game.show(role)),
                rules: self.rules.text.clone(),
                start_clock: self.plan.start_clock,
                play_clock: self.plan.play_clock,
            })
        });
        let replies = self.ask_all(messages.collect(), self.plan.start_clock);
        for (contestant, reply) in self.contestants.iter().zip(replies) {
            if let Err(fault) = reply {
                tracing::warn!(player = contestant.name(), fault = fault.detail(), "no `ready`");
            }
        }
    }

    /// Asks for moves and makes them.
    fn step(&mut self) -> Result<(), Failure> {
        let step = self.last_step();
        let messages = vec![Message::Play(step); self.contestants.len()];
        let replies = self.ask_all(messages, self.plan.play_clock);
        let mut joint = Vec::with_capacity(replies.len());
        let mut errors = Vec::with_capacity(replies.len());
        for (role, reply) in replies.into_iter().enumerate() {
            let legal = self.simulator.legal(role)?;
            let chosen = reply.and_then(|text| self.read_move(&text, &legal));
            let (action, error) = match chosen {
                Ok(action) => (action, String::new()),
                Err(fault) => (self.replace(role, &legal, &fault)?, fault.code().to_owned()),
            };
            joint.push(action);
            errors.push(error);
        }
        self.simulator.apply(&joint)?;
        // With the last move, so that no record ends in a finished match that looks open.
        self.note_end()?;
        self.record.moves.push(joint.iter().map(|&action| self.game.show(action)).collect());
        self.record.errors.push(errors);
        self.note_state()
    }

    fn note_end(&mut self) -> Result<(), Failure> {
        self.record.is_completed = self.simulator.is_terminal()?;
        if self.record.is_completed {
            self.record.goal_values = all_goals(self.simulator.as_mut())?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Failure> {
        self.note_end()?;
        self.record.is_aborted = !self.record.is_completed;
        let message = if self.record.is_completed {
            Message::Stop(self.last_step())
        } else {
            Message::Abort { id: self.plan.id.clone() }
        };
        self.ask_all(vec![message; self.contestants.len()], FAREWELL);
        Ok(())
    }

    /// The last joint move in the names that are sent.
    fn last_step(&self) -> Step {
        let last = self.record.moves.last().into_iter().flatten();
        Step { id: self.plan.id.clone(), moves: last.map(|text| self.rules.forth(text)).collect() }
    }

    fn read_move(&self, text: &str, legal: &[TermId]) -> Result<TermId, Fault> {
        let text = self.rules.back(text.trim());
        let action = self.game.read_term(&text).ok().filter(|action| legal.contains(action));
        // A reply may be long; the record needs its beginning.
        action.ok_or_else(|| Fault::Illegal(text.chars().take(200).collect()))
    }

    /// A random legal move for one that cannot be used.
    fn replace(&mut self, role: usize, legal: &[TermId], fault: &Fault) -> Result<TermId, Failure> {
        let note = FaultNote {
            step: self.record.moves.len(),
            player: self.game.show(self.game.roles[role]),
            code: fault.code().to_owned(),
            detail: fault.detail(),
        };
        tracing::warn!(player = note.player, code = note.code, "{}", note.detail);
        self.record.faults.push(note);
        let no_move = Failure::NoLegalMove { role: self.game.roles[role] };
        self.random.choose(legal).ok_or(no_move)
    }

    /// Sends everyone a message at the same time; gives the replies that came within the clock.
    fn ask_all(&self, messages: Vec<Message>, clock: Duration) -> Vec<Result<String, Fault>> {
        let sent = Instant::now();
        let waiting: Vec<(Instant, Receiver<Result<String, Fault>>)> = self
            .contestants
            .iter()
            .zip(messages)
            .map(|(contestant, message)| {
                let clock = if contestant.is_human() { HUMAN_CLOCK } else { clock };
                let deadline = sent + clock;
                (deadline, ask(contestant.clone(), message.to_string(), deadline))
            })
            .collect();
        waiting
            .into_iter()
            .map(|(deadline, reply)| {
                let left = deadline.saturating_duration_since(Instant::now());
                reply.recv_timeout(left).unwrap_or(Err(Fault::Late))
            })
            .collect()
    }

    fn note_state(&mut self) -> Result<(), Failure> {
        let state = self.simulator.state()?;
        self.record.states.push(format!("({})", self.game.show_all(&state).join(" ")));
        self.record.state_times.push(now());
        Ok(())
    }

    fn write_record(&self) -> Result<(), MatchProblem> {
        match &self.plan.record {
            Some(path) => {
                self.record.write(path).map_err(|error| MatchProblem::Record(path.clone(), error))
            }
            None => Ok(()),
        }
    }
}

/// Asks in a thread of its own, which may outlive the question: nobody waits for it any longer
/// than the clock runs.
fn ask(
    contestant: Arc<dyn Contestant>,
    message: String,
    deadline: Instant,
) -> Receiver<Result<String, Fault>> {
    let (sender, receiver) = mpsc::channel();
    let work = move || {
        // Nobody may be there to hear it: then the answer was late.
        let _ = sender.send(contestant.ask(&message, deadline));
    };
    if let Err(error) = std::thread::Builder::new().name("contestant".to_owned()).spawn(work) {
        tracing::warn!(%error, "no thread to ask a player");
    }
    receiver
}

fn new_record(plan: &Plan, game: &Game, contestants: &[Arc<dyn Contestant>]) -> Record {
    Record {
        match_id: plan.id.clone(),
        start_time: now(),
        game_meta_url: plan.game.clone(),
        game_role_names: game.roles.iter().map(|&role| game.show(role)).collect(),
        player_names_from_host: contestants.iter().map(|player| player.name()).collect(),
        is_player_human: contestants.iter().map(|player| player.is_human()).collect(),
        start_clock: plan.start_clock.as_secs_f64(),
        play_clock: plan.play_clock.as_secs_f64(),
        ..Record::default()
    }
}

/// Milliseconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64)
}
