//! What is known of our next move, shared by those who search for it and those who wait for it.
//!
//! What always holds: advice is kept for the present turn only; once a turn has its answer, the
//! answer does not change.

use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Instant;

use engine::TermId;

use crate::strategy::Advice;

/// The state of a turn.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// How many joint moves were made before.
    pub number: usize,
    /// The best that the search has found.
    pub advice: Option<Advice>,
    /// The legal moves of each role, found without a search.
    pub legal: Option<Vec<Vec<TermId>>>,
    /// One of ours, whatever its worth.
    pub fallback: Option<TermId>,
    /// The search has nothing to say: the match is over here, or the search broke down.
    pub silent: bool,
    /// What was answered.
    pub answer: Option<TermId>,
}

impl Turn {
    /// Whether more time would not change the answer.
    fn is_settled(&self) -> bool {
        match &self.advice {
            Some(advice) => advice.settled || self.silent,
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
    pub fn advise(&self, number: usize, advice: Advice) {
        let mut turn = self.lock();
        if turn.number == number && turn.answer.is_none() {
            turn.advice = Some(advice);
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
    pub fn fall_back(&self, number: usize, legal: Vec<Vec<TermId>>, ours: Option<TermId>) {
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

    /// Waits until more time would not change the advice for a turn, at most until `soft`; if
    /// there is nothing to answer by then, until `hard` for anything at all. `None` if there is
    /// still nothing, or if the match went on meanwhile.
    pub fn answer(&self, number: usize, soft: Instant, hard: Instant) -> Option<TermId> {
        let mut turn = self.lock();
        loop {
            if turn.number != number {
                return None;
            }
            if turn.answer.is_some() {
                return turn.answer;
            }
            let settled = turn.is_settled();
            let now = Instant::now();
            let any = turn.advice.as_ref().map(|advice| advice.action).or(turn.fallback);
            if settled || (now >= soft && any.is_some()) || now >= hard {
                turn.answer = any;
                self.changed.notify_all();
                return any;
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

    fn advice(action: u32, settled: bool) -> Advice {
        Advice { action: TermId(action), value: None, settled, proved: false, effort: 0 }
    }

    #[test]
    fn the_search_goes_before_the_fallback() {
        let board = Board::default();
        board.fall_back(0, vec![vec![TermId(1)]], Some(TermId(1)));
        board.advise(0, advice(2, false));
        let now = Instant::now();
        assert_eq!(board.answer(0, now, now), Some(TermId(2)));
        board.advise(0, advice(3, true));
        assert_eq!(board.answer(0, now, now), Some(TermId(2)), "an answer stays");
        board.begin(1);
        assert_eq!(board.answer(1, now, now), None, "nothing is known of the next turn");
    }

    #[test]
    fn settled_advice_needs_no_waiting() {
        let board = Board::default();
        board.advise(0, advice(2, true));
        board.advise(1, advice(3, true));
        let far = Instant::now() + Duration::from_secs(3600);
        assert_eq!(board.answer(0, far, far), Some(TermId(2)));
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
