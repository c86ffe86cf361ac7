//! The network: a circuit in which only differences move.
//!
//! A joint move switches its inputs on; the outputs then say which fluents end and which begin;
//! these are flipped and the moves are switched off again, and what has changed passes through the
//! gates. Taking a move back goes to the state before in the same way.
//! Entry point: [`Network::new`]. Below the [`Reasoner`] contract lies a faster one for searches,
//! in which fluents and moves are the numbers that the [`Circuit`] gives them.

mod core;
mod cyclic;
mod effects;
mod ids;
mod layout;
mod outputs;
mod outside;
mod rewind;
mod shape;
mod steps;
mod wiring;

use std::sync::Arc;

use gdl_front::hash::HashMap;

use crate::circuit::Circuit;
use crate::game::Game;
use crate::ground::{Limits, ground};
use crate::processor::Best;
use crate::random::Random;
use crate::reasoner::{Failure, Reasoner, check_count, worth};
use crate::terms::TermId;
use core::Core;
use effects::Effects;
use steps::Steps;
use wiring::Wiring;

/// A position in a game, kept by difference.
#[derive(Clone, Debug)]
pub struct Network {
    circuit: Arc<Circuit>,
    core: Core,
    effects: Effects,
    steps: Steps,
    /// The core in the initial state.
    start: Core,
    hash: u64,
    initial_hash: u64,
    best: Best,
    /// The states before, one behind the other.
    history: Vec<u64>,
    keys: Arc<Keys>,
    /// The state that a move leads to, while it is computed.
    next: Vec<u64>,
    /// The nodes of the joint move being made, one a role.
    nodes: Vec<u32>,
    /// The legal moves of the role last asked for, as bits and as numbers.
    legal_bits: Vec<u64>,
    legal: Vec<u32>,
    /// Answers in place of the network where the circuit does not know a fluent or a move.
    outside: Option<Box<outside::Outside>>,
}

/// From terms to numbers, and a random number for each fluent.
#[derive(Debug)]
struct Keys {
    fluents: HashMap<TermId, u32>,
    moves: Vec<HashMap<TermId, u32>>,
    hashes: Vec<u64>,
    /// By role and number of a goal value, what it is worth.
    worth: Vec<Vec<f64>>,
}

/// Any number would do; a fixed one makes the hash of a state the same in every run.
const HASH_SEED: u64 = 0x1e47_1a00;

/// Between two questions whether to go on.
const MOVES_AT_ONCE: u64 = 256;

impl Network {
    /// Instantiates a game and stands at its initial state.
    pub fn new(game: &Arc<Game>, limits: &Limits) -> Result<Network, Failure> {
        Ok(Network::of_circuit(Arc::new(Circuit::new(&ground(game, limits)?))))
    }

    /// Stands at the initial state of a circuit.
    pub fn of_circuit(circuit: Arc<Circuit>) -> Network {
        shape::best(&circuit)
    }

    /// The same with a given wiring of the circuit.
    fn of_wiring(circuit: Arc<Circuit>, wiring: Arc<Wiring>) -> Network {
        let number = |terms: &[TermId]| terms.iter().copied().zip(0..).collect();
        let worth = |&(value, _): &(TermId, _)| worth(&circuit.game, &[value]);
        let mut random = Random::new(HASH_SEED);
        let keys = Arc::new(Keys {
            fluents: number(&circuit.fluents),
            moves: circuit.moves.iter().map(|moves| number(moves)).collect(),
            hashes: circuit.fluents.iter().map(|_| random.bits()).collect(),
            worth: circuit.goals.iter().map(|goals| goals.iter().map(worth).collect()).collect(),
        });
        let core = Core::new(wiring);
        let mut initial = vec![0; core.state_words()];
        for &fluent in &circuit.initial {
            initial[fluent as usize / 64] |= 1 << (fluent % 64);
        }
        let mut network = Network {
            effects: Effects::new(&core.wiring),
            steps: Steps::new(),
            start: core.clone(),
            core,
            hash: 0,
            initial_hash: 0,
            best: Best::detect(),
            history: Vec::new(),
            keys,
            next: initial.clone(),
            nodes: vec![0; circuit.moves.len()],
            legal_bits: Vec::new(),
            legal: Vec::new(),
            outside: None,
            circuit,
        };
        network.go_to(&initial);
        network.initial_hash = network.hash;
        network.start = network.core.clone();
        network
    }

    /// The circuit that it runs on.
    pub fn circuit(&self) -> &Arc<Circuit> {
        &self.circuit
    }

    /// The bits of a state; `None` if the circuit lacks one of its fluents.
    fn bits_of(&self, state: &[TermId]) -> Option<Vec<u64>> {
        let mut bits = vec![0; self.next.len()];
        for fluent in state {
            let number = *self.keys.fluents.get(fluent)?;
            bits[number as usize / 64] |= 1 << (number % 64);
        }
        Some(bits)
    }

    /// The numbers of a joint move; `None` if the circuit lacks one of its moves.
    fn ids_of(&self, moves: &[TermId]) -> Option<Vec<u32>> {
        moves.iter().zip(&self.keys.moves).map(|(action, ids)| ids.get(action).copied()).collect()
    }

    fn fluents_of(&self, state: &[u64]) -> Vec<TermId> {
        let fluents = ids::bits(state).map(|fluent| self.circuit.fluents[fluent as usize]);
        sorted(fluents.collect())
    }
}

fn sorted(mut terms: Vec<TermId>) -> Vec<TermId> {
    terms.sort_unstable();
    terms
}

impl Reasoner for Network {
    fn game(&self) -> &Arc<Game> {
        &self.circuit.game
    }

    fn name(&self) -> &'static str {
        "network"
    }

    fn set_state(&mut self, state: &[TermId]) -> Result<(), Failure> {
        self.history.clear();
        self.outside = None;
        match self.bits_of(state) {
            Some(bits) => self.go_to(&bits),
            None => self.go_outside(state)?,
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<TermId>, Failure> {
        match &mut self.outside {
            Some(outside) => outside.reasoner.state(),
            None => Ok(self.fluents_of(self.core.state())),
        }
    }

    fn legal(&mut self, role: usize) -> Result<Vec<TermId>, Failure> {
        if let Some(outside) = &mut self.outside {
            return outside.reasoner.legal(role);
        }
        let circuit = self.circuit.clone();
        let moves = &circuit.moves[role];
        Ok(sorted(self.legal_ids(role).iter().map(|&id| moves[id as usize]).collect()))
    }

    fn is_terminal(&mut self) -> Result<bool, Failure> {
        match &mut self.outside {
            Some(outside) => outside.reasoner.is_terminal(),
            None => Ok(self.core.is_terminal()),
        }
    }

    fn goals(&mut self, role: usize) -> Result<Vec<TermId>, Failure> {
        match &mut self.outside {
            Some(outside) => outside.reasoner.goals(role),
            None => Ok(sorted(self.goal_values(role).collect())),
        }
    }

    fn payoff(&mut self, role: usize) -> Result<f64, Failure> {
        if let Some(outside) = &mut self.outside {
            return outside.reasoner.payoff(role);
        }
        let worth = &self.keys.worth[role];
        Ok(self.core.goals(role).map(|number| worth[number]).fold(0.0, f64::max))
    }

    fn apply(&mut self, moves: &[TermId]) -> Result<(), Failure> {
        check_count(&self.circuit.game, moves)?;
        if let Some(outside) = &mut self.outside {
            outside.reasoner.apply(moves)?;
            outside.moves += 1;
            return Ok(());
        }
        match self.ids_of(moves) {
            Some(ids) => {
                self.apply_ids(&ids);
                Ok(())
            }
            None => self.apply_unknown(moves),
        }
    }

    fn playout(
        &mut self,
        random: &mut Random,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<u64, Failure> {
        let mut made = 0;
        while !self.is_terminal()? && (made == 0 || go_on()) {
            let some = self.random_moves(random, MOVES_AT_ONCE);
            made += some;
            if some < MOVES_AT_ONCE {
                self.check_playable()?;
            }
        }
        Ok(made)
    }

    fn undo(&mut self) -> Result<(), Failure> {
        if self.outside.is_some() {
            return self.undo_outside();
        }
        if self.undo_ids() { Ok(()) } else { Err(Failure::NothingToUndo) }
    }

    fn reset(&mut self) -> Result<(), Failure> {
        self.restart();
        Ok(())
    }
}
