//! One position behind the contract of all reasoners: a world, and the way back.

use std::sync::Arc;

use gdl_front::program::RelationId;

use super::position::StateChange;
use super::worlds::{World, Worlds};
use crate::game::Game;
use crate::reasoner::{Failure, Reasoner};
use crate::terms::TermId;

/// A position in a game, kept up to date by differences.
pub struct Dataflow {
    worlds: Worlds,
    world: World,
    /// How to take each move back.
    history: Vec<StateChange>,
}

impl Dataflow {
    /// Stands at the initial state of a game; `workers` threads share the work.
    pub fn new(game: Arc<Game>, workers: usize) -> Result<Dataflow, Failure> {
        let mut worlds = Worlds::new(game, workers)?;
        let initial = worlds.initial().to_vec();
        let world = worlds.open(&initial);
        Ok(Dataflow { worlds, world, history: Vec::new() })
    }

    /// How many rows the operators have looked at so far.
    pub fn touched(&self) -> u64 {
        self.worlds.touched()
    }

    /// The same for rows that are about one relation: its facts, and its rules half evaluated.
    pub fn touched_by(&self, relation: RelationId) -> u64 {
        self.worlds.touched_by(relation)
    }
}

impl Reasoner for Dataflow {
    fn game(&self) -> &Arc<Game> {
        self.worlds.game()
    }

    fn name(&self) -> &'static str {
        "dataflow"
    }

    fn set_state(&mut self, state: &[TermId]) -> Result<(), Failure> {
        self.history.clear();
        self.worlds.go_to(self.world, state);
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<TermId>, Failure> {
        Ok(self.worlds.state(self.world).to_vec())
    }

    fn legal(&mut self, role: usize) -> Result<Vec<TermId>, Failure> {
        self.worlds.legal(self.world, role)
    }

    fn is_terminal(&mut self) -> Result<bool, Failure> {
        self.worlds.is_terminal(self.world)
    }

    fn goals(&mut self, role: usize) -> Result<Vec<TermId>, Failure> {
        self.worlds.goals(self.world, role)
    }

    fn apply(&mut self, moves: &[TermId]) -> Result<(), Failure> {
        let changes = self.worlds.apply(&[(self.world, moves.to_vec())])?;
        self.history.extend(changes);
        Ok(())
    }

    fn undo(&mut self) -> Result<(), Failure> {
        let change = self.history.pop().ok_or(Failure::NothingToUndo)?;
        let before = change.undone(self.worlds.state(self.world));
        self.worlds.go_to(self.world, &before);
        Ok(())
    }

    fn reset(&mut self) -> Result<(), Failure> {
        let initial = self.worlds.initial().to_vec();
        self.set_state(&initial)
    }
}
