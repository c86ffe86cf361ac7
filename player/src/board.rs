//! What is known of our next move, shared by those who search for it and those who wait for it.
//!
//! What always holds: proposals are kept for the present turn only; once a turn has its answer, the
//! answer does not change.

use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Instant;

/// A move that the search would make now. Moves are texts, since those who search have tables of
/// terms of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The move.
    pub action: String,
    /// More time would not change it.
    pub settled: bool,
}

/// The state of a turn.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// How many joint moves were made before.
    pub number: usize,
    /// The best that the search has found.
    pub proposal: Option<Proposal>,
    /// The legal moves of each role, found without a search.
    pub legal: Option<Vec<Vec<String>>>,
    /// One of ours, whatever its worth.
    pub fallback: Option<String>,
    /// The search has nothing to say: the match is over here, or the search broke down.
    pub silent: bool,
    /// What was answered.
    pub answer: Option<String>,
}

impl Turn {
    /// Whether more time would not change the answer.
    fn is_settled(&self) -> bool {
        match &self.proposal {
            Some(proposal) => proposal.settled || self.silent,
            None => self.silent && self.legal.is_some(),
        }
    }
}

/// The shared state.
#[derive(Debug, Default)]
pub struct Board {
    turn: Mutex<Turn>,
    changed: Condvar,
}

impl Board {
    /// A joint move was made: what was found for the turn before is of no use now.
    pub fn begin(&self, number: usize) {
        *self.lock() = Turn { number, ..Turn::default() };
        self.changed.notify_all();
    }

    /// The search has found something for a turn.
    pub fn propose(&self, number: usize, proposal: Proposal) {
        let mut turn = self.lock();
        if turn.number == number && turn.answer.is_none() {
            turn.proposal = Some(proposal);
            self.changed.notify_all();
        }
    }

    /// The search will find nothing for a turn.
    pub fn be_silent(&self, number: usize) {
        let mut turn = self.lock();
        if turn.number == number {
            turn.silent = true;
            self.changed.notify_all();
        }
    }

    /// The legal moves of each role, and one of ours, whatever its worth.
    pub fn fall_back(&self, number: usize, legal: Vec<Vec<String>>, ours: Option<String>) {
        let mut turn = self.lock();
        if turn.number == number {
            turn.legal = Some(legal);
            turn.fallback = ours;
            self.changed.notify_all();
        }
    }

    /// The turn as it stands.
    pub fn turn(&self) -> Turn {
        self.lock().clone()
    }

    /// Waits until more time would not change the answer for a turn, at most until `soft`; if
    /// there is nothing to answer by then, until `hard` for anything at all. `None` if there is
    /// still nothing, or if the match went on meanwhile.
    pub fn answer(&self, number: usize, soft: Instant, hard: Instant) -> Option<String> {
        let mut turn = self.lock();
        loop {
            if turn.number != number {
                return None;
            }
            if turn.answer.is_some() {
                return turn.answer.clone();
            }
            let settled = turn.is_settled();
            let now = Instant::now();
            let any = turn.proposal.as_ref().map(|proposal| &proposal.action);
            let any = any.or(turn.fallback.as_ref());
            if settled || (now >= soft && any.is_some()) || now >= hard {
                turn.answer = any.cloned();
                self.changed.notify_all();
                return turn.answer.clone();
            }
            let until = if now < soft { soft } else { hard };
            let waited = self.changed.wait_timeout(turn, until.saturating_duration_since(now));
            turn = waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0;
        }
    }

    /// Waits until the search is settled, at most until a moment.
    pub fn wait_settled(&self, until: Instant) {
        let mut turn = self.lock();
        while !turn.is_settled() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = self.changed.wait_timeout(turn, left);
            turn = waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn proposal(action: &str, settled: bool) -> Proposal {
        Proposal { action: action.to_owned(), settled }
    }

    fn some(action: &str) -> Option<String> {
        Some(action.to_owned())
    }

    #[test]
    fn the_search_goes_before_the_fallback() {
        let board = Board::default();
        board.fall_back(0, Vec::new(), some("a"));
        board.propose(0, proposal("b", false));
        let now = Instant::now();
        assert_eq!(board.answer(0, now, now), some("b"));
        board.propose(0, proposal("c", true));
        assert_eq!(board.answer(0, now, now), some("b"), "an answer stays");
        board.begin(1);
        assert_eq!(board.answer(1, now, now), None, "nothing is known of the next turn");
    }

    #[test]
    fn settled_proposals_need_no_waiting() {
        let board = Board::default();
        board.propose(0, proposal("b", true));
        board.propose(1, proposal("c", true));
        let far = Instant::now() + Duration::from_secs(3600);
        assert_eq!(board.answer(0, far, far), some("b"));
    }

    #[test]
    fn whoever_waits_hears_of_the_next_turn() {
        let board = Board::default();
        let far = Instant::now() + Duration::from_secs(3600);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| board.answer(0, far, far));
            board.begin(1);
            assert_eq!(waiting.join().unwrap(), None);
        });
    }
}
