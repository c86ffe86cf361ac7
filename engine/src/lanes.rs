//! Lanes: many playouts at once, one in each bit of a machine's vectors.
//!
//! The circuit of a game is compiled to straight-line code over registers with a bit for each lane.
//! Every step looks which lanes have ended, starts them anew, chooses a random legal move for each
//! role in every lane, all equally likely, and computes the next states in place of the old ones.
//! Entry points: [`Lanes::new`] for playouts from the initial state, [`Lanes::evaluate`] for
//! playouts from many states, as a tree search needs them.
//! What always holds: the same seed and starts give the same playouts on every machine.

mod block;
mod choose;
mod code;
mod compile;
mod core;
mod phase;
mod program;
mod vector;

use std::sync::Arc;

pub use block::LANES;

use crate::circuit::Circuit;
use crate::playout::Playouts;
use crate::reasoner::Failure;
use block::Block;
use core::Core;
use program::Program;
use vector::{Width, Work};

/// Between two questions whether to go on.
const STEPS_AT_ONCE: u32 = 32;
/// The same for matches from one state, which are to end when the last of them does.
const FEW_STEPS: u32 = 4;

/// So many playouts of one game, side by side.
#[derive(Clone, Debug)]
pub struct Lanes {
    circuit: Arc<Circuit>,
    width: Width,
    core: Core,
    /// What the lanes run now: one of the others.
    program: Arc<Program>,
    /// For starts that are in phase with the initial state.
    in_phase: Arc<Program>,
    /// For others, once there are any.
    any_state: Option<Arc<Program>>,
}

/// What the playouts from a state gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// How many came to an end.
    pub playouts: u64,
    /// The sum of the goal values, for each role.
    pub goals: Vec<i64>,
}

impl Lanes {
    /// What this way to play is called on the command line.
    pub const NAME: &str = "lanes";

    /// Compiles a circuit; all lanes start from its initial state.
    pub fn new(circuit: &Arc<Circuit>, seed: u64) -> Result<Lanes, Failure> {
        let circuit = Arc::new(circuit.smallest());
        let in_phase = Arc::new(Program::in_phase(&circuit)?);
        let core = Core::new(&in_phase, seed);
        let width = Width::detect();
        let mut lanes =
            Lanes { circuit, width, core, program: in_phase.clone(), in_phase, any_state: None };
        lanes.start_anew()?;
        Ok(lanes)
    }

    /// Ends all playouts, forgets what they gave, and starts from the initial state.
    pub fn start_anew(&mut self) -> Result<(), Failure> {
        let mut initial = vec![0; self.circuit.fluents.len().div_ceil(64)];
        for &fluent in &self.circuit.initial {
            initial[fluent as usize / 64] |= 1 << (fluent % 64);
        }
        self.start_from(&[&initial])
    }

    /// The circuit that they run.
    pub fn circuit(&self) -> &Arc<Circuit> {
        &self.circuit
    }

    /// How many registers are read and written for a step: what speed depends on.
    pub fn size(&self) -> usize {
        self.program.size()
    }

    /// The same lanes with other random moves.
    pub fn reseed(&mut self, seed: u64) {
        self.core.random = block::RandomBlocks::new(seed);
    }

    /// Ends all playouts, forgets what they gave, and starts from other states, given as bits by
    /// the numbers of their fluents: lane n from state n, and again from the first behind the last.
    /// States beyond [`LANES`] are left out.
    pub fn start_from(&mut self, states: &[&[u64]]) -> Result<(), Failure> {
        let states = &states[..states.len().min(LANES)];
        let phase_of = |program: &Program, state: &[u64]| {
            program.phases.iter().position(|fixed| {
                fixed.iter().all(|&(fluent, value)| bit(state, fluent as usize) == value)
            })
        };
        let fits = states.iter().all(|state| phase_of(&self.in_phase, state).is_some());
        let program = if fits {
            self.in_phase.clone()
        } else {
            let circuit = &self.circuit;
            match &self.any_state {
                Some(program) => program.clone(),
                None => self.any_state.insert(Arc::new(Program::any_state(circuit)?)).clone(),
            }
        };
        self.core.restart(&program);
        self.program = program;
        if let [state] = states {
            if let Some(phase) = phase_of(&self.program, state) {
                self.core.starts_in[phase] = Block::TRUE;
            }
            for (&node, start) in self.program.varying.iter().zip(&mut self.core.starts) {
                *start = Block::all(bit(state, node as usize - 1));
            }
            self.count_ended_starts();
            return Ok(());
        }
        for lane in (0..LANES).filter(|_| !states.is_empty()) {
            let state = states[lane % states.len()];
            if let Some(phase) = phase_of(&self.program, state) {
                self.core.starts_in[phase].set(lane, true);
            }
            for (&node, start) in self.program.varying.iter().zip(&mut self.core.starts) {
                start.set(lane, bit(state, node as usize - 1));
            }
        }
        self.count_ended_starts();
        Ok(())
    }

    /// Starts in which the match is over give their goals once; they are not played.
    fn count_ended_starts(&mut self) {
        let Lanes { core, program, .. } = self;
        core.enter_starts(program);
        let mut waiting = Block::FALSE;
        for phase in 0..program.steps.len() {
            core.phase = phase;
            core.live = core.starts_in[phase];
            self.width.run(core, program, Work { settle: true, advance: false, times: 1 });
            waiting = waiting | core.live;
        }
        core.begin(waiting);
    }

    /// The first half of a step: lanes that have ended are counted, and start anew.
    pub fn settle(&mut self) {
        self.width.run(
            &mut self.core,
            &self.program,
            Work { settle: true, advance: false, times: 1 },
        );
    }

    /// The second half: a random move in every lane that plays.
    pub fn advance(&mut self) -> Result<(), Failure> {
        self.width.run(
            &mut self.core,
            &self.program,
            Work { settle: false, advance: true, times: 1 },
        );
        self.check()
    }

    /// So many steps.
    pub fn steps(&mut self, times: u32) -> Result<(), Failure> {
        self.width.run(&mut self.core, &self.program, Work { settle: true, advance: true, times });
        self.check()
    }

    fn check(&self) -> Result<(), Failure> {
        match self.core.stuck {
            Some(role) => Err(Failure::NoLegalMove { role: self.circuit.game.roles[role] }),
            None => Ok(()),
        }
    }

    /// Whether a lane plays; if not it has ended, and perhaps waits for its start.
    pub fn is_live(&self, lane: usize) -> bool {
        self.core.live.get(lane)
    }

    /// Whether the match of a lane was found to be over in the last [`Lanes::settle`].
    pub fn has_ended(&self, lane: usize) -> bool {
        self.core.ended.get(lane)
    }

    /// The state of a lane, as bits; meaningful while it plays.
    pub fn state_bits(&self, lane: usize) -> Vec<u64> {
        let Lanes { core, program, .. } = self;
        let mut bits = vec![0; self.circuit.fluents.len().div_ceil(64)];
        let varying = program
            .varying
            .iter()
            .map(|&node| (u32::from(node) - 1, core.registers[node as usize].get(lane)));
        let fixed = program.phases[core.phase].iter().copied();
        for (fluent, _) in varying.chain(fixed).filter(|(_, value)| *value) {
            bits[fluent as usize / 64] |= 1 << (fluent % 64);
        }
        bits
    }

    /// The joint move that a lane made in the last [`Lanes::advance`], as the numbers of the moves.
    pub fn moves_made(&self, lane: usize) -> Vec<u32> {
        let Lanes { core, program, .. } = self;
        let phases = program.steps.len();
        let step = &program.steps[(core.phase + phases - 1) % phases];
        let made = step.choices.iter().filter_map(|choice| {
            let does = &core.registers[choice.does as usize..][..choice.moves.len()];
            let only = choice.moves.len() == 1;
            let place = does.iter().position(|block| only || block.get(lane))?;
            Some(choice.moves[place])
        });
        made.collect()
    }

    /// What the playouts of all lanes together gave.
    pub fn played(&self) -> Playouts {
        let Lanes { core, program, .. } = self;
        let mut goals = vec![0.0; self.circuit.moves.len()];
        for (&(role, value), reached) in program.goals.iter().zip(&core.reached) {
            goals[role] += value as f64 * reached.sum(Block::TRUE) as f64;
        }
        Playouts {
            playouts: core.matches.sum(Block::TRUE),
            states: core.states,
            finished_states: core.states - core.lengths.sum(core.live),
            goals,
        }
    }

    /// What the playouts of a lane gave.
    pub fn outcome(&self, lane: usize) -> Outcome {
        let Lanes { core, program, .. } = self;
        let mut goals = vec![0; self.circuit.moves.len()];
        for (&(role, value), reached) in program.goals.iter().zip(&core.reached) {
            goals[role] += value * reached.get(lane) as i64;
        }
        Outcome { playouts: core.matches.get(lane), goals }
    }

    /// Plays from the present starts until `go_on` says to stop, and then what has been begun to
    /// its end, as long as that takes no more than an eighth of the time.
    pub fn play(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<Playouts, Failure> {
        let mut rounds: u64 = 0;
        while self.core.is_busy() && (rounds == 0 || go_on()) {
            self.steps(STEPS_AT_ONCE)?;
            rounds += 1;
        }
        self.core.stop_starting();
        for _ in 0..rounds.div_ceil(8) {
            if !self.core.is_busy() {
                break;
            }
            self.steps(STEPS_AT_ONCE)?;
        }
        Ok(self.played())
    }

    /// Plays a match in every lane from one state, to the end or for so many moves, until `go_on` says
    /// to stop. The same seed gives the same matches.
    pub fn play_from(
        &mut self,
        state: &[u64],
        seed: u64,
        moves: u32,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Outcome, Failure> {
        self.reseed(seed);
        self.start_from(&[state])?;
        self.core.quota = 1;
        // The lanes need not wait for the phase that all of them start in.
        self.core.phase = self.core.starts_in.iter().position(|&it| it == Block::TRUE).unwrap_or(0);
        for _ in 0..moves.div_ceil(FEW_STEPS) {
            if !self.core.is_busy() || !go_on() {
                break;
            }
            self.steps(FEW_STEPS)?;
        }
        let mut outcome = Outcome {
            playouts: self.core.matches.sum(Block::TRUE),
            goals: vec![0; self.circuit.moves.len()],
        };
        for (&(role, value), reached) in self.program.goals.iter().zip(&self.core.reached) {
            outcome.goals[role] += value * reached.sum(Block::TRUE) as i64;
        }
        Ok(outcome)
    }

    /// Plays at least so many matches from each state, given as bits by the numbers of its fluents,
    /// until `go_on` says to stop. With few states there are more matches from each, since all
    /// lanes are used. A state in which the match is over just gives its goals.
    pub fn evaluate(
        &mut self,
        states: &[&[u64]],
        matches: u64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Outcome>, Failure> {
        let mut outcomes = Vec::with_capacity(states.len());
        for states in states.chunks(LANES) {
            self.start_from(states)?;
            let lanes_each = (LANES / states.len()) as u64;
            self.core.quota = matches.div_ceil(lanes_each);
            while self.core.is_busy() && go_on() {
                self.steps(STEPS_AT_ONCE)?;
            }
            for first in 0..states.len() {
                let mut sum = Outcome { goals: vec![0; self.circuit.moves.len()], playouts: 0 };
                for lane in (first..LANES).step_by(states.len()) {
                    let outcome = self.outcome(lane);
                    sum.playouts += outcome.playouts;
                    sum.goals.iter_mut().zip(outcome.goals).for_each(|(sum, goal)| *sum += goal);
                }
                outcomes.push(sum);
            }
        }
        Ok(outcomes)
    }
}

fn bit(bits: &[u64], number: usize) -> bool {
    bits[number / 64] >> (number % 64) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::ground::{Limits, ground};

    /// Two roles move at once; who has more of three coins after some rounds wins.
    const COINS: &str = "(role a) (role b) (init (round 1)) (init (coin 1)) (coins 1 2) (coins 2 3)
        (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (<= (legal ?r (take ?c)) (role ?r) (free ?c))
        (<= (free ?c) (or (coins ?c ?d) (coins ?d ?c)) (not (true (has a ?c))) (not (true (has b ?c))))
        (<= (legal ?r pass) (role ?r)) (<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
        (<= (next (has a ?c)) (does a (take ?c)) (not (does b (take ?c))))
        (<= (next (has b ?c)) (does b (take ?c)) (not (does a (take ?c))))
        (<= (next (has ?r ?c)) (true (has ?r ?c))) (<= terminal (true (round 5)))
        (<= (goal ?r 100) (true (has ?r 1))) (<= (goal ?r 30) (true (has ?r 2)))
        (<= (goal ?r 0) (role ?r) (not (true (has ?r 1))) (not (true (has ?r 2))))";

    #[test]
    fn vectors_of_all_widths_play_the_same_matches() {
        let program = gdl_front::load(COINS, None).program.expect("a valid game");
        let ground = ground(&Game::new(program), &Limits::default()).expect("a small game");
        let circuit = Arc::new(Circuit::new(&ground));
        let played = |width: Width| {
            let mut lanes = Lanes::new(&circuit, 1).expect("a small game");
            lanes.width = width;
            lanes.steps(100).expect("a playable game");
            lanes.played()
        };
        let plain = played(Width::Plain);
        assert!(plain.playouts > 10_000 && plain.goals[0] > 0.0, "{plain:?}");
        for width in Width::all() {
            assert_eq!(played(width), plain, "{width:?}");
        }
    }
}
