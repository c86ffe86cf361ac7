//! A player's desk: messages come in as text, replies go out as text, at most one match is on it.
//!
//! Messages may come in several threads at once: INFO is answered while PLAY is thinking. What
//! always holds: no message, whatever it says, ends the player; a match whose manager has gone
//! silent is given up.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use gdl_front::Severity;
use gdl_front::program::Program;

use crate::protocol::{Message, Reply, Start, Step};
use crate::session::{Session, Style};

/// How a player is set up.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The name in answers to INFO.
    pub name: String,
    /// How it plays.
    pub style: Style,
    /// How long beyond its clocks a manager may be silent before the match is given up.
    pub patience: Duration,
}

impl Setup {
    /// A player with our name and the usual patience.
    pub fn new(style: Style) -> Setup {
        Setup { name: "Inertia".to_owned(), style, patience: Duration::from_secs(60) }
    }
}

/// The match on the desk.
struct Seat {
    id: String,
    session: Session,
    play_clock: Duration,
    /// The manager must be heard of again before this.
    expires: Mutex<Instant>,
}

impl Seat {
    fn expires(&self) -> MutexGuard<'_, Instant> {
        self.expires.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// A player that answers messages.
pub struct Desk {
    setup: Setup,
    seat: Mutex<Option<Arc<Seat>>>,
}

impl Desk {
    /// A player without a match.
    pub fn new(setup: Setup) -> Desk {
        Desk { setup, seat: Mutex::new(None) }
    }

    /// Answers a message that came at a moment. START and PLAY take the time that their clocks
    /// allow, all others answer at once.
    pub fn answer(&self, text: &str, received: Instant) -> Reply {
        let message = match Message::parse(text) {
            Ok(message) => message,
            Err(problem) => {
                tracing::warn!(%problem, "a message that is none");
                return Reply::Unclear;
            }
        };
        match message {
            Message::Info => {
                let available = self.present().is_none();
                Reply::Status { name: self.setup.name.clone(), available }
            }
            Message::Preview { .. } => Reply::Done,
            Message::Start(start) => self.start(&start, received),
            Message::Play(step) => self.play(&step, received),
            Message::Stop(step) => self.leave(&step.id, Reply::Done),
            Message::Abort { id } => self.leave(&id, Reply::Aborted),
        }
    }

    /// Gives a match up if its manager was silent for too long.
    pub fn sweep(&self) {
        self.present();
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Seat>>> {
        self.seat.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The match that is going on.
    fn present(&self) -> Option<Arc<Seat>> {
        let mut seat = self.lock();
        if let Some(old) = seat.take_if(|seat| Instant::now() > *seat.expires()) {
            tracing::warn!(id = old.id, "the manager was silent for too long: match given up");
        }
        seat.clone()
    }

    /// The match with an id, if it is the one that is going on.
    fn find(&self, id: &str) -> Option<Arc<Seat>> {
        let found = self.present().filter(|seat| seat.id.eq_ignore_ascii_case(id));
        if found.is_none() {
            tracing::warn!(id, "a message about another match");
        }
        found
    }

    fn start(&self, start: &Start, received: Instant) -> Reply {
        let expires = received + start.start_clock + start.play_clock * 2 + self.setup.patience;
        let again = self.present();
        let seat = match again {
            Some(seat) if seat.id.eq_ignore_ascii_case(&start.id) => seat,
            Some(seat) => {
                tracing::info!(wanted = start.id, playing = seat.id, "one match at a time");
                return Reply::Busy;
            }
            None => {
                let Some(seat) = self.seat_for(start, expires) else { return Reply::Busy };
                *self.lock() = Some(seat.clone());
                seat
            }
        };
        seat.session.prepare(received, start.start_clock);
        Reply::Ready
    }

    fn seat_for(&self, start: &Start, expires: Instant) -> Option<Arc<Seat>> {
        let program = read_rules(&start.rules)?;
        let style = &self.setup.style;
        let Some(session) = Session::start(program, &start.role, start.play_clock, style) else {
            tracing::warn!(role = start.role, "the game has no such player: match declined");
            return None;
        };
        tracing::info!(id = start.id, role = start.role, "a match begins");
        let (id, play_clock) = (start.id.clone(), start.play_clock);
        Some(Arc::new(Seat { id, session, play_clock, expires: Mutex::new(expires) }))
    }

    fn play(&self, step: &Step, received: Instant) -> Reply {
        let Some(seat) = self.find(&step.id) else { return Reply::Busy };
        *seat.expires() = received + seat.play_clock * 3 + self.setup.patience;
        match seat.session.play(received, &step.moves) {
            Some(action) => Reply::Move(action),
            None => {
                tracing::warn!("no move was found in time");
                Reply::Unclear
            }
        }
    }

    fn leave(&self, id: &str, reply: Reply) -> Reply {
        if self.find(id).is_none() {
            return Reply::Busy;
        }
        let left = self.lock().take();
        tracing::info!(id, "the match ends");
        // Outside the lock: a search may take a moment to stop.
        drop(left);
        reply
    }
}

/// The program of a rule sheet; what is wrong with it goes to the log.
fn read_rules(rules: &str) -> Option<Program> {
    let loaded = gdl_front::load(rules, None);
    if loaded.program.is_none() {
        let errors = loaded.diagnostics.iter();
        for finding in errors.filter(|finding| finding.severity == Severity::Error) {
            tracing::error!(code = finding.code.name(), message = finding.message, "bad rules");
        }
        tracing::error!("the rules cannot be read: match declined");
    }
    loaded.program
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Margin;
    use crate::strategy::{Settings, StrategyKind};

    const RULES: &str = "(role x) (role y) (init (step 1)) (succ 1 2) (succ 2 3)
        (<= (legal ?r a) (role ?r)) (<= (legal ?r b) (role ?r))
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
        (<= (next (bold ?r)) (does ?r b))
        (<= terminal (true (step 3))) (<= (goal ?r 100) (true (bold ?r)))
        (<= (goal ?r 0) (role ?r) (not (true (bold ?r))))";

    fn desk(patience: Duration) -> Desk {
        let settings = Settings { simulations: Some(40), ..Settings::default() };
        let style = Style { strategy: StrategyKind::Mcts, settings, margin: Margin::default() };
        Desk::new(Setup { patience, ..Setup::new(style) })
    }

    fn ask(desk: &Desk, text: &str) -> String {
        desk.answer(text, Instant::now()).to_string()
    }

    fn start(id: &str) -> String {
        format!("(START {id} Y ({RULES}) 10 10)")
    }

    #[test]
    fn a_match_from_start_to_stop() {
        let desk = desk(Duration::from_secs(60));
        assert_eq!(ask(&desk, "(info)"), "((name Inertia) (status available) (species alien))");
        assert_eq!(ask(&desk, &start("m1")), "ready");
        assert_eq!(ask(&desk, "(INFO)"), "((name Inertia) (status busy) (species alien))");
        assert_eq!(ask(&desk, &start("M1")), "ready", "START came twice");
        assert_eq!(ask(&desk, &start("m2")), "busy");
        ask(&desk, "(PLAY m1 nil)");
        assert_eq!(ask(&desk, "(play M1 (A a))"), "b", "only the last move counts");
        assert_eq!(ask(&desk, "(play other (a a))"), "busy");
        assert_eq!(ask(&desk, "(stop other (a b))"), "busy");
        assert_eq!(ask(&desk, "(stop m1 (a b))"), "done");
        assert_eq!(ask(&desk, "(stop m1 (a b))"), "busy", "STOP came twice");
        assert_eq!(ask(&desk, &start("m2")), "ready");
        assert_eq!(ask(&desk, "(abort m2)"), "aborted");
    }

    #[test]
    fn a_silent_manager_is_given_up() {
        let desk = desk(Duration::ZERO);
        assert_eq!(ask(&desk, &start("m1").replace("10 10", "0 0")), "ready");
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(ask(&desk, &start("m2")), "ready");
    }

    #[test]
    fn bad_rules_and_strange_players_are_declined() {
        let desk = desk(Duration::from_secs(60));
        assert_eq!(ask(&desk, "(START m x ((<= (p ?x) q)) 10 10)"), "busy");
        assert_eq!(ask(&desk, &start("m").replace(" Y ", " nobody ")), "busy");
        assert_eq!(ask(&desk, "(START m"), "unclear");
        assert_eq!(ask(&desk, "(PLAY m nil)"), "busy");
        assert!(ask(&desk, "(info)").contains("available"));
    }

    #[test]
    fn a_repeated_message_gets_the_same_answer() {
        let desk = desk(Duration::from_secs(60));
        ask(&desk, &start("m"));
        let first = ask(&desk, "(PLAY m nil)");
        assert_eq!(ask(&desk, "(PLAY m nil)"), first);
        let other = if first == "a" { "b" } else { "a" };
        // The manager's word counts, even if it is not what we said.
        assert_eq!(ask(&desk, &format!("(PLAY m (a {other}))")), "b");
        let last = ask(&desk, "(PLAY m (a (strange move)))");
        assert_eq!(last, "a", "the match is over, but a move is asked for");
    }
}
