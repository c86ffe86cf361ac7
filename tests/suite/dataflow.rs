//! The dataflow agrees with the reference, along lines of play with undos and jumps.

use std::path::Path;
use std::sync::Arc;

use engine::{Dataflow, Game, Random, Reasoner, Reference, TermId};

use crate::common::{root, sheets, text};

/// A game of a rule sheet.
pub fn game(path: &Path) -> Arc<Game> {
    let program = gdl_front::load(&text(path), None).program;
    Game::new(program.unwrap_or_else(|| panic!("{}: faulty", path.display())))
}

/// What a reasoner says of its position, in words.
fn answers(reasoner: &mut dyn Reasoner) -> Vec<String> {
    let game = reasoner.game().clone();
    let mut lines = vec![format!("terminal {}", reasoner.is_terminal().unwrap())];
    let mut add = |what: &str, terms: Vec<TermId>| {
        lines.extend(game.show_all(&terms).iter().map(|term| format!("{what} {term}")));
    };
    add("true", reasoner.state().unwrap());
    for (number, role) in game.roles.iter().map(|&role| game.show(role)).enumerate() {
        add(&format!("legal {role}"), reasoner.legal(number).unwrap());
        add(&format!("goal {role}"), reasoner.goals(number).unwrap());
    }
    lines
}

/// What one list has and the other has not.
fn difference(first: &[String], second: &[String]) -> Vec<String> {
    let only = |sign: char, list: &[String], other: &[String]| -> Vec<String> {
        let missing = list.iter().filter(|line| !other.contains(line));
        missing.map(|line| format!("{sign} {line}")).collect()
    };
    [only('-', first, second), only('+', second, first)].concat()
}

/// A random legal joint move, none at the end.
pub fn random_move(reasoner: &mut dyn Reasoner, random: &mut Random) -> Option<Vec<TermId>> {
    if reasoner.is_terminal().unwrap() {
        return None;
    }
    let roles = 0..reasoner.game().roles.len();
    roles.map(|role| random.choose(&reasoner.legal(role).unwrap())).collect()
}

/// Walks two reasoners side by side.
fn check(first: &mut dyn Reasoner, second: &mut dyn Reasoner, steps: usize) -> Result<(), String> {
    let mut random = Random::new(7);
    let mut seen = vec![first.state().unwrap()];
    for step in 0..steps {
        let different = difference(&answers(first), &answers(second));
        if !different.is_empty() {
            return Err(format!("step {step}:\n{}", different.join("\n")));
        }
        let joint = random_move(first, &mut random);
        match (random.below(8), joint) {
            (0, _) => assert_eq!(first.undo(), second.undo(), "step {step}"),
            (1, _) => {
                let state = &seen[random.below(seen.len())];
                first.set_state(state).unwrap();
                second.set_state(state).unwrap();
            }
            (_, None) => {
                first.reset().unwrap();
                second.reset().unwrap();
            }
            (_, Some(joint)) => {
                first.apply(&joint).unwrap();
                second.apply(&joint).unwrap();
                seen.push(first.state().unwrap());
            }
        }
    }
    Ok(())
}

#[test]
fn the_dataflow_agrees_with_the_reference_on_our_games() {
    let mut wrong = Vec::new();
    for path in sheets(&root().join("games")) {
        let game = game(&path);
        let mut reference = Reference::new(game.clone()).unwrap();
        let mut dataflow = Dataflow::new(game, 1).unwrap();
        if let Err(difference) = check(&mut reference, &mut dataflow, 40) {
            wrong.push(format!("{}, {difference}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
