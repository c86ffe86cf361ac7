//! A network with lanes beside it: single moves by the one, playouts by the hundred by the other.

use std::sync::Arc;

use engine::{Circuit, Failure, Game, Lanes, Network, Random, Reasoner, TermId};

use crate::goals::BEST_GOAL;
use crate::simulator::Simulator;

/// Lanes cost no more than this many registers for each gate that a move touches in the network:
/// otherwise the playouts that they add are not worth the leaves that they take away.
const MOST_REGISTERS_A_GATE: f64 = 40.0;
/// Nor does a role have more moves than this: where there are many to try, more leaves are worth more
/// than better judgements of them. (`benches/results/player.md` has the matches.)
const MOST_MOVES: usize = 200;
/// Playouts longer than this are given up.
const MAX_STEPS: u32 = 2000;

/// The network of a circuit, and lanes for the same.
pub struct Laned {
    network: Network,
    lanes: Lanes,
}

impl Laned {
    /// Compiles lanes for a circuit whose moves touch so many gates, where they pay.
    pub fn new(circuit: &Arc<Circuit>, touched: f64) -> Option<Laned> {
        if circuit.moves.iter().any(|moves| moves.len() > MOST_MOVES) {
            return None;
        }
        let lanes = Lanes::new(circuit, 1).ok()?;
        let size = lanes.size();
        tracing::debug!(size, touched, "registers of lanes, gates that a move touches");
        let pays = size as f64 <= MOST_REGISTERS_A_GATE * touched;
        pays.then(|| Laned { network: Network::of_circuit(circuit.clone()), lanes })
    }
}

impl Reasoner for Laned {
    fn game(&self) -> &Arc<Game> {
        self.network.game()
    }

    fn name(&self) -> &'static str {
        Lanes::NAME
    }

    fn set_state(&mut self, state: &[TermId]) -> Result<(), Failure> {
        self.network.set_state(state)
    }

    fn state(&mut self) -> Result<Vec<TermId>, Failure> {
        self.network.state()
    }

    fn legal(&mut self, role: usize) -> Result<Vec<TermId>, Failure> {
        self.network.legal(role)
    }

    fn is_terminal(&mut self) -> Result<bool, Failure> {
        self.network.is_terminal()
    }

    fn goals(&mut self, role: usize) -> Result<Vec<TermId>, Failure> {
        self.network.goals(role)
    }

    fn apply(&mut self, moves: &[TermId]) -> Result<(), Failure> {
        self.network.apply(moves)
    }

    fn undo(&mut self) -> Result<(), Failure> {
        self.network.undo()
    }

    fn reset(&mut self) -> Result<(), Failure> {
        self.network.reset()
    }
}

impl Simulator for Laned {
    fn fork(&self) -> Result<Box<dyn Simulator>, Failure> {
        Ok(Box::new(Laned { network: self.network.clone(), lanes: self.lanes.clone() }))
    }

    fn key(&mut self) -> Result<u64, Failure> {
        self.network.key()
    }

    fn undo_many(&mut self, count: usize) -> Result<(), Failure> {
        self.network.undo_many(count)
    }

    fn network(&mut self) -> Option<&mut Network> {
        self.network.network()
    }

    fn mean_of_playouts(
        &mut self,
        random: &mut Random,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<(Vec<f64>, u64)> {
        let state = self.network.network()?.state_bits().to_vec();
        let played = self.lanes.play_from(&state, random.bits(), MAX_STEPS, go_on).ok()?;
        let whole = played.playouts as f64 * f64::from(BEST_GOAL);
        let means = played.goals.iter().map(|&goals| goals as f64 / whole).collect();
        (played.playouts > 0).then_some((means, played.playouts))
    }
}
