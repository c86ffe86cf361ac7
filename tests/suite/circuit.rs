//! Circuits against the reference: in every state of random matches they say the same.

use std::path::Path;
use std::sync::Arc;

use engine::{Circuit, Game, Limits, Random, Reasoner, Reference, TermId, ground};
use gdl_front::load;

use crate::common::{root, sheets, text};

const PLIES: usize = 12;

fn terms(of: impl Iterator<Item = TermId>) -> Vec<TermId> {
    let mut terms: Vec<TermId> = of.collect();
    terms.sort_unstable();
    terms
}

/// The values of all nodes in a state with a joint move, or without one.
fn values(circuit: &Circuit, state: &[TermId], moves: Option<&[TermId]>) -> Vec<bool> {
    let mut values = vec![false; circuit.nodes()];
    values[0] = true;
    for (number, fluent) in circuit.fluents.iter().enumerate() {
        values[circuit.fluent_node(number as u32) as usize] = state.contains(fluent);
    }
    for (role, &action) in moves.into_iter().flatten().enumerate() {
        let number = circuit.moves[role].iter().position(|&known| known == action).unwrap();
        values[circuit.move_node(role, number as u32) as usize] = true;
    }
    circuit.evaluate(circuit.first_gate()..circuit.nodes() as u32, &mut values);
    values
}

fn check_state(circuit: &Circuit, reference: &mut Reference, name: &str) {
    let state = reference.state().unwrap();
    let values = values(circuit, &state, None);
    assert_eq!(circuit.terminal.value(&values), reference.is_terminal().unwrap(), "{name}");
    for role in 0..circuit.moves.len() {
        let legal = circuit.moves[role].iter().zip(&circuit.legal[role]);
        let legal = legal.filter(|(_, wire)| wire.value(&values)).map(|(action, _)| *action);
        assert_eq!(terms(legal), reference.legal(role).unwrap(), "{name}");
        let goals = circuit.goals[role].iter().filter(|(_, wire)| wire.value(&values));
        let goals = goals.map(|(value, _)| *value);
        assert_eq!(terms(goals), reference.goals(role).unwrap(), "{name}");
    }
}

fn check_move(circuit: &Circuit, reference: &mut Reference, moves: &[TermId], name: &str) {
    let state = reference.state().unwrap();
    let values = values(circuit, &state, Some(moves));
    let next = circuit.fluents.iter().enumerate().filter(|(number, fluent)| {
        circuit.next[*number].value(&values)
            || state.contains(fluent) && !circuit.ends[*number].value(&values)
    });
    let next = terms(next.map(|(_, fluent)| *fluent));
    reference.apply(moves).unwrap();
    assert_eq!(next, reference.state().unwrap(), "{name}");
}

fn check_play(game: &Arc<Game>, name: &str) {
    let circuit = Circuit::new(&ground(game, &Limits::default()).unwrap());
    let mut reference = Reference::new(game.clone()).unwrap();
    let mut random = Random::new(5);
    let initial = circuit.initial.iter().map(|&fluent| circuit.fluents[fluent as usize]);
    assert_eq!(terms(initial), reference.state().unwrap(), "{name}");
    for _ in 0..PLIES {
        check_state(&circuit, &mut reference, name);
        if reference.is_terminal().unwrap() {
            break;
        }
        let moves: Option<Vec<TermId>> = (0..game.roles.len())
            .map(|role| random.choose(&reference.legal(role).unwrap()))
            .collect();
        check_move(&circuit, &mut reference, &moves.unwrap(), name);
    }
}

fn load_game(path: &Path) -> Arc<Game> {
    Game::new(load(&text(path), None).program.unwrap())
}

#[test]
fn circuits_agree_with_the_reference_on_our_games() {
    let games = sheets(&root().join("games"));
    for path in &games {
        check_play(&load_game(path), &path.display().to_string());
    }
    println!("the circuits of {} games agree with the reference", games.len());
}
