//! Puzzles in which the order of moves makes no difference: sets of moves are searched instead of
//! sequences, depth first, each set once.
//!
//! That moves commute is learnt from samples. It is evidence, not proof, so this search never says
//! that something does not exist, and every line it finds is played through before it is offered.

use engine::{Failure, Random, TermId};
use gdl_front::Symbol;
use gdl_front::hash::HashSet;

use super::super::playout::{Player, random_line};
use super::Keeper;
use super::clock::timeless_key;
use crate::goals::{BEST_GOAL, goal_of};
use crate::interrupt::Interrupt;
use crate::simulator::Simulator;

/// How many pairs of moves are tried in how many places.
const PLACES: usize = 12;
const PAIRS: usize = 8;

/// The search: where it is in the sequence of all sets.
pub(super) struct Orderless {
    moves: Vec<TermId>,
    /// The places of the moves made, ascending.
    made: Vec<usize>,
    /// The place of the next move to try here.
    next: usize,
    /// A move made twice is as if it were never made.
    undoes_itself: bool,
    finished: bool,
}

impl Orderless {
    /// The search, if the moves here seem to commute.
    pub(super) fn new(
        simulator: &mut dyn Simulator,
        counters: &HashSet<Symbol>,
        random: &Random,
        interrupt: &Interrupt,
    ) -> Result<Option<Orderless>, Failure> {
        let moves = simulator.legal(0)?;
        let start = simulator.state()?;
        let mut random = random.clone();
        let line = random_line(simulator, &mut Player::new(random.clone()), PLACES, interrupt)?;
        let mut samples = Samples { counters, commuting: 0, undoing: 0, tried: 0 };
        let mut outcome = Ok(true);
        for state in line.iter().filter(|_| moves.len() > 1) {
            simulator.set_state(state)?;
            outcome = samples.take(simulator, &mut random);
            if !matches!(outcome, Ok(true)) || interrupt.is_raised() {
                break;
            }
        }
        simulator.set_state(&start)?;
        let commute = outcome? && samples.commuting >= PAIRS && !interrupt.is_raised();
        let undoes_itself = samples.undoing == samples.tried;
        let (made, next, finished) = (Vec::new(), 0, false);
        Ok(commute.then_some(Orderless { moves, made, next, undoes_itself, finished }))
    }

    /// Looks at up to so many sets; the simulator comes back to where it was.
    pub(super) fn search(
        &mut self,
        simulator: &mut dyn Simulator,
        slice: u64,
        interrupt: &Interrupt,
        keeper: &mut Keeper<'_>,
    ) -> Result<(), Failure> {
        for &place in &self.made {
            simulator.apply(&[self.moves[place]])?;
        }
        let mut outcome = Ok(());
        for count in 0..slice {
            if self.finished || keeper.is_perfect() || (count % 16 == 0 && interrupt.is_raised()) {
                break;
            }
            keeper.effort += 1;
            outcome = self.step(simulator, keeper);
            if outcome.is_err() {
                break;
            }
        }
        simulator.undo_many(self.made.len())?;
        outcome
    }

    /// Makes the next move, or takes the last one back.
    fn step(
        &mut self,
        simulator: &mut dyn Simulator,
        keeper: &mut Keeper<'_>,
    ) -> Result<(), Failure> {
        if self.next < self.moves.len() && !simulator.is_terminal()? {
            simulator.apply(&[self.moves[self.next]])?;
            self.made.push(self.next);
            self.next += usize::from(self.undoes_itself);
            if simulator.is_terminal()? && goal_of(simulator, 0)? >= BEST_GOAL {
                return self.offer(simulator, keeper);
            }
        } else if let Some(last) = self.made.pop() {
            simulator.undo()?;
            self.next = last + 1;
        } else {
            self.finished = true;
        }
        Ok(())
    }

    /// Plays the line found through, since a move might not be legal where it is made.
    fn offer(&self, simulator: &mut dyn Simulator, keeper: &mut Keeper<'_>) -> Result<(), Failure> {
        let line: Vec<TermId> = self.made.iter().map(|&place| self.moves[place]).collect();
        simulator.undo_many(line.len())?;
        let mut legal = true;
        for &action in &line {
            legal &= simulator.legal(0)?.contains(&action);
            simulator.apply(&[action])?;
        }
        if legal {
            keeper.offer(|| line, BEST_GOAL);
        }
        Ok(())
    }
}

/// What samples say about pairs of moves.
struct Samples<'a> {
    counters: &'a HashSet<Symbol>,
    tried: usize,
    commuting: usize,
    undoing: usize,
}

impl Samples<'_> {
    /// Tries some pairs of moves here; `false` as soon as one does not commute.
    fn take(
        &mut self,
        simulator: &mut dyn Simulator,
        random: &mut Random,
    ) -> Result<bool, Failure> {
        let legal = simulator.legal(0)?;
        let state = simulator.state()?;
        let here = timeless_key(simulator, &state, self.counters);
        for _ in 0..PAIRS {
            let (Some(a), Some(b)) = (random.choose(&legal), random.choose(&legal)) else {
                return Ok(true);
            };
            let [forth, back, twice] =
                [[a, b], [b, a], [a, a]].map(|pair| self.behind(simulator, pair));
            let (Some(forth), Some(back)) = (forth?, back?) else { continue };
            if forth != back {
                return Ok(false);
            }
            self.tried += 1;
            self.commuting += usize::from(a != b);
            self.undoing += usize::from(twice? == Some(here));
        }
        Ok(true)
    }

    /// The key of the state behind two moves; `None` if the match is over before.
    fn behind(
        &self,
        simulator: &mut dyn Simulator,
        [first, second]: [TermId; 2],
    ) -> Result<Option<u64>, Failure> {
        simulator.apply(&[first])?;
        if simulator.is_terminal()? {
            simulator.undo()?;
            return Ok(None);
        }
        let legal = simulator.legal(0)?.contains(&second);
        simulator.apply(&[second])?;
        let state = simulator.state()?;
        let key = timeless_key(simulator, &state, self.counters);
        simulator.undo_many(2)?;
        // A move that is not legal any more leads nowhere, whatever the other order does.
        Ok(Some(if legal { key } else { !key }))
    }
}
