//! Nested Monte-Carlo search (Cazenave): at every step each move is judged by a search one level
//! lower, a random playout at level 0, and the best line found so far is followed.

use engine::{Failure, Random, TermId};

use super::Keeper;
use crate::goals::goal_of;
use crate::interrupt::Interrupt;
use crate::simulator::Simulator;

const HIGHEST_LEVEL: usize = 3;
const LONGEST: usize = 2000;

/// The search; every call of [`Nested::improve`] starts anew with other random numbers.
pub(super) struct Nested {
    random: Random,
    level: usize,
}

/// What bounds one run.
struct Bounds<'a> {
    interrupt: &'a Interrupt,
    /// Steps left.
    steps: u64,
}

impl Bounds<'_> {
    fn spend(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0 && !self.interrupt.is_raised()
    }
}

/// A line of play and what it came to; no goal if it was broken off.
type Found = (Vec<TermId>, Option<i32>);

impl Nested {
    pub(super) fn new(random: Random) -> Nested {
        Nested { random, level: 1 }
    }

    /// Spends about so many steps; the simulator comes back to where it was.
    pub(super) fn improve(
        &mut self,
        simulator: &mut dyn Simulator,
        steps: u64,
        interrupt: &Interrupt,
        keeper: &mut Keeper<'_>,
    ) -> Result<(), Failure> {
        let mut bounds = Bounds { interrupt, steps };
        let mut prefix = Vec::new();
        while bounds.steps > 0 && !interrupt.is_raised() && !keeper.is_perfect() {
            self.nested(simulator, self.level, &mut prefix, &mut bounds, keeper)?;
            if bounds.steps > 0 {
                // The whole search fitted into this turn: the next may think deeper.
                self.level = (self.level + 1).min(HIGHEST_LEVEL);
            }
        }
        keeper.effort += steps - bounds.steps;
        Ok(())
    }

    fn nested(
        &mut self,
        simulator: &mut dyn Simulator,
        level: usize,
        prefix: &mut Vec<TermId>,
        bounds: &mut Bounds<'_>,
        keeper: &mut Keeper<'_>,
    ) -> Result<Found, Failure> {
        let start = prefix.len();
        let mut best: Found = (Vec::new(), None);
        while !simulator.is_terminal()? && prefix.len() < LONGEST && !keeper.is_perfect() {
            if level == 0 {
                let Some(action) = self.random.choose(&simulator.legal(0)?) else { break };
                make(simulator, prefix, action)?;
            } else {
                self.try_all(simulator, level, prefix, bounds, keeper, &mut best)?;
                let Some(&action) = best.0.get(prefix.len()) else { break };
                make(simulator, prefix, action)?;
            }
            if !bounds.spend() {
                break;
            }
        }
        if simulator.is_terminal()? {
            let goal = goal_of(simulator, 0)?;
            keeper.offer(|| prefix.clone(), goal);
            if best.1.is_none_or(|known| goal > known) {
                best = (prefix.clone(), Some(goal));
            }
        }
        while prefix.len() > start {
            simulator.undo()?;
            prefix.pop();
        }
        Ok(best)
    }

    /// Judges every move here by a search one level lower; `best` keeps the best line of all.
    fn try_all(
        &mut self,
        simulator: &mut dyn Simulator,
        level: usize,
        prefix: &mut Vec<TermId>,
        bounds: &mut Bounds<'_>,
        keeper: &mut Keeper<'_>,
        best: &mut Found,
    ) -> Result<(), Failure> {
        for action in simulator.legal(0)? {
            make(simulator, prefix, action)?;
            let found = self.nested(simulator, level - 1, prefix, bounds, keeper);
            simulator.undo()?;
            prefix.pop();
            let found = found?;
            if found.1 > best.1 {
                *best = found;
            }
            if bounds.steps == 0 || bounds.interrupt.is_raised() || keeper.is_perfect() {
                break;
            }
        }
        Ok(())
    }
}

fn make(
    simulator: &mut dyn Simulator,
    prefix: &mut Vec<TermId>,
    action: TermId,
) -> Result<(), Failure> {
    simulator.apply(&[action])?;
    prefix.push(action);
    Ok(())
}
