//! What the lanes run in each phase of a game.

use super::code::{Code, REGISTERS};
use super::compile::{Target, compile, too_large};
use super::phase::{Phases, phases};
use crate::circuit::{Circuit, Wire};
use crate::reasoner::Failure;
use crate::trace::goal_values;

/// The code of a game. The register of a fluent is its node.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// For each phase the fluents that are the same in all lanes, with their values.
    pub(super) phases: Phases,
    /// The code of each phase.
    pub(super) steps: Vec<Step>,
    /// The fluents that differ between lanes, by node.
    pub(super) varying: Vec<u16>,
    /// What a role can get, each role's best first: the role and the value.
    pub(super) goals: Vec<(usize, i64)>,
}

/// The code of a phase.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Computes whether the match is over.
    pub(super) terminal: Code,
    /// Where that is written to.
    pub(super) terminal_register: u16,
    /// Computes the goals, behind `terminal`.
    pub(super) goals: Code,
    /// Where they are written to; behind the number of the goal in [`Program::goals`].
    pub(super) goal_registers: Vec<(usize, u16)>,
    /// Computes the legal moves.
    pub(super) legal: Code,
    /// How each role chooses.
    pub(super) choices: Vec<Choice>,
    /// Computes the next state in place of the state, behind `legal`.
    pub(super) next: Code,
}

/// The moves of a role in a phase.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// The moves that may be legal, by their numbers in the circuit.
    pub(super) moves: Vec<u32>,
    /// The first of the registers that say whether they are legal.
    pub(super) legal: u16,
    /// The first of the registers that say which is done. A single move has none: it is done.
    pub(super) does: u16,
}

impl Program {
    /// Compiles a game whose lanes run in phase.
    pub(super) fn in_phase(circuit: &Circuit) -> Result<Program, Failure> {
        Program::with_phases(circuit, phases(circuit))
    }

    /// Compiles a game for lanes that start from any states.
    pub(super) fn any_state(circuit: &Circuit) -> Result<Program, Failure> {
        Program::with_phases(circuit, vec![Vec::new()])
    }

    fn with_phases(circuit: &Circuit, phases: Phases) -> Result<Program, Failure> {
        let mut goals: Vec<(usize, i64)> = Vec::new();
        let mut goal_wires = Vec::new();
        for (role, values) in circuit.goals.iter().enumerate() {
            let mut known: Vec<(i64, usize)> = (0..values.len())
                .filter_map(|goal| {
                    let value = goal_values(&circuit.game, &[values[goal].0]).pop()?;
                    Some((value, goal))
                })
                .collect();
            known.sort_unstable_by_key(|&(value, _)| std::cmp::Reverse(value));
            for (value, goal) in known {
                goals.push((role, value));
                goal_wires.push((role, goal));
            }
        }
        let steps = phases
            .iter()
            .map(|fixed| step(circuit, fixed, &goal_wires))
            .collect::<Result<_, Failure>>()?;
        let is_fixed = |fluent: u32| phases[0].binary_search_by_key(&fluent, |it| it.0).is_ok();
        let fluents = 0..circuit.fluents.len() as u32;
        let varying = fluents.filter(|&fluent| !is_fixed(fluent));
        let varying = varying.map(|fluent| circuit.fluent_node(fluent) as u16).collect();
        Ok(Program { phases, steps, varying, goals })
    }

    /// How many registers are read and written for a move, goals aside, on average.
    pub(super) fn size(&self) -> usize {
        let sizes = self.steps.iter().map(|step| {
            let chosen: usize = step.choices.iter().map(|choice| choice.moves.len()).sum();
            step.terminal.size() + step.legal.size() + step.next.size() + 10 * chosen
        });
        sizes.sum::<usize>() / self.steps.len()
    }
}

/// Registers given out one behind the other.
struct Rooms(usize);

impl Rooms {
    fn take(&mut self, count: usize) -> Result<u16, Failure> {
        let first = self.0;
        self.0 += count;
        if self.0 >= REGISTERS { Err(too_large()) } else { Ok(first as u16) }
    }
}

fn step(
    circuit: &Circuit,
    fixed: &[(u32, bool)],
    goal_wires: &[(usize, usize)],
) -> Result<Step, Failure> {
    let fluents = fixed.iter().map(|&(fluent, value)| (circuit.fluent_node(fluent), value));
    let circuit = circuit.fixed(&fluents.collect::<Vec<_>>());
    let (circuit, candidates) = without_choice(&circuit);
    let mut rooms = Rooms(1 + circuit.fluents.len());
    let mut inputs: Vec<Option<u16>> = vec![Some(0)];
    for node in 1..rooms.0 {
        inputs.push(Some(u16::try_from(node).map_err(|_| too_large())?));
    }
    inputs.resize(circuit.first_gate() as usize, None);
    let mut choices = Vec::new();
    let mut legal_targets = Vec::new();
    for (role, moves) in candidates.into_iter().enumerate() {
        let legal = rooms.take(moves.len())?;
        let does = rooms.take(moves.len())?;
        for (number, &action) in (0..).zip(&moves) {
            let wire = circuit.legal[role][action as usize];
            legal_targets.push(Target { wire, register: legal + number });
            inputs[circuit.move_node(role, action) as usize] = Some(does + number);
        }
        choices.push(Choice { moves, legal, does });
    }
    let terminal_register = rooms.take(1)?;
    let terminal_target = Target { wire: circuit.terminal, register: terminal_register };
    let mut goal_registers = Vec::new();
    let mut goal_targets = Vec::new();
    for (number, &(role, goal)) in goal_wires.iter().enumerate() {
        let wire = circuit.goals[role][goal].1;
        if wire != Wire::FALSE {
            let register = rooms.take(1)?;
            goal_registers.push((number, register));
            goal_targets.push(Target { wire, register });
        }
    }
    let mut ending = compile(&circuit, &inputs, &[vec![terminal_target], goal_targets], rooms.0)?;
    let mut moving =
        compile(&circuit, &inputs, &[legal_targets, next_targets(&circuit, fixed)], rooms.0)?;
    Ok(Step {
        goals: ending.pop().unwrap_or_default(),
        terminal: ending.pop().unwrap_or_default(),
        terminal_register,
        goal_registers,
        next: moving.pop().unwrap_or_default(),
        legal: moving.pop().unwrap_or_default(),
        choices,
    })
}

/// Where a role has one move at most there is nothing to choose: the circuit for that, and the
/// moves of each role that can be legal.
fn without_choice(circuit: &Circuit) -> (Circuit, Vec<Vec<u32>>) {
    let mut candidates = Vec::new();
    let mut fixed = Vec::new();
    for (role, legal) in circuit.legal.iter().enumerate() {
        let (possible, impossible): (Vec<u32>, Vec<u32>) =
            (0..legal.len() as u32).partition(|&action| legal[action as usize] != Wire::FALSE);
        let node = |&action: &u32| circuit.move_node(role, action);
        fixed.extend(impossible.iter().map(|action| (node(action), false)));
        if let [only] = &possible[..] {
            fixed.push((node(only), true));
        }
        candidates.push(possible);
    }
    (circuit.fixed(&fixed), candidates)
}

/// The fluents that change, each in its register.
fn next_targets(circuit: &Circuit, fixed: &[(u32, bool)]) -> Vec<Target> {
    let fluents = (0..circuit.fluents.len() as u32).map(|fluent| {
        let node = circuit.fluent_node(fluent);
        (fluent, Target { wire: circuit.next[fluent as usize], register: node as u16 })
    });
    let changes = fluents.filter(|(fluent, target)| {
        let is_fixed = fixed.binary_search_by_key(fluent, |it| it.0).is_ok();
        !is_fixed && target.wire != Wire::of(u32::from(target.register))
    });
    changes.map(|(_, target)| target).collect()
}
