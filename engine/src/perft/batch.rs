//! Node counts with a whole level as a batch of worlds.

use std::sync::Arc;

use super::{Level, combinations};
use crate::dataflow::{World, Worlds};
use crate::game::Game;
use crate::reasoner::Failure;
use crate::terms::TermId;

type State = Vec<TermId>;

/// So many worlds are evaluated at once.
const BATCH: usize = 8_192;
/// A level of more states than this is not kept for the next one, which then starts further up.
const MAX_KEPT: usize = 1_000_000;

/// Counts nodes, going down level by level.
pub struct BatchPerft {
    worlds: Worlds,
    /// The states of the deepest level that is kept, with its depth.
    kept: Vec<State>,
    kept_depth: usize,
}

/// A count in the making.
struct Count<'a> {
    level: Level,
    /// The states that were counted, unless there are too many.
    states: Option<Vec<State>>,
    go_on: &'a dyn Fn() -> bool,
}

impl BatchPerft {
    /// Starts at the initial state, on so many workers.
    pub fn new(game: Arc<Game>, workers: usize) -> Result<BatchPerft, Failure> {
        let worlds = Worlds::new(game, workers)?;
        let kept = vec![worlds.initial().to_vec()];
        Ok(BatchPerft { worlds, kept, kept_depth: 0 })
    }

    /// Counts the nodes `depth` moves below the initial state; depths must not fall from call to
    /// call. `None` if `go_on` says to stop.
    pub fn count(
        &mut self,
        depth: usize,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Option<Level>, Failure> {
        let below = depth.saturating_sub(self.kept_depth);
        let mut count = Count { level: Level::default(), states: Some(Vec::new()), go_on };
        let states = self.kept.clone();
        if !self.descend(&states, below, &mut count)? {
            return Ok(None);
        }
        if let Some(states) = count.states {
            self.kept = states;
            self.kept_depth = depth;
        }
        Ok(Some(count.level))
    }

    /// Counts below states; `false` if there was no time to finish.
    fn descend(
        &mut self,
        states: &[State],
        depth: usize,
        count: &mut Count<'_>,
    ) -> Result<bool, Failure> {
        for batch in states.chunks(BATCH) {
            if !(count.go_on)() {
                return Ok(false);
            }
            self.worlds.clear()?;
            let worlds: Vec<World> = batch.iter().map(|state| self.worlds.open(state)).collect();
            if depth == 0 {
                self.count_nodes(&worlds, count)?;
                count.keep(batch);
                continue;
            }
            let moves = self.moves(&worlds)?;
            let mut next = Vec::with_capacity(moves.len());
            for part in moves.chunks(BATCH) {
                next.extend(self.worlds.next_states(part)?);
            }
            if !self.descend(&next, depth - 1, count)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn count_nodes(&mut self, worlds: &[World], count: &mut Count<'_>) -> Result<(), Failure> {
        for &world in worlds {
            count.level.nodes += 1;
            count.level.terminals += u64::from(self.worlds.is_terminal(world)?);
        }
        Ok(())
    }

    /// All legal joint moves of worlds that are not at the end.
    fn moves(&mut self, worlds: &[World]) -> Result<Vec<(World, Vec<TermId>)>, Failure> {
        let mut moves = Vec::new();
        for &world in worlds {
            if self.worlds.is_terminal(world)? {
                continue;
            }
            let game = self.worlds.game().clone();
            let joint = combinations(&game, |role| self.worlds.legal(world, role))?;
            moves.extend(joint.into_iter().map(|joint| (world, joint)));
        }
        Ok(moves)
    }
}

impl Count<'_> {
    fn keep(&mut self, batch: &[State]) {
        if let Some(states) = &mut self.states {
            states.extend_from_slice(batch);
        }
        if self.states.as_ref().is_some_and(|states| states.len() > MAX_KEPT) {
            self.states = None;
        }
    }
}
