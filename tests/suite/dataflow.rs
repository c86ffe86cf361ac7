//! The dataflow agrees with the reference, along lines of play with undos and jumps.

use std::path::Path;

use engine::{Dataflow, Game, Random, Reasoner, Reference, TermId};

use gdl_front::program::Program;
use gdl_front::{Covering, translate};

use crate::common::{inertia, root, sheets, text};

/// The program of a rule sheet.
pub fn program(path: &Path) -> Program {
    let program = gdl_front::load(&text(path), None).program;
    program.unwrap_or_else(|| panic!("{}: faulty", path.display()))
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

/// Checks all our games; `prepare` makes the two reasoners of each.
fn check_all(steps: usize, prepare: impl Fn(Program) -> Option<[Box<dyn Reasoner>; 2]>) {
    let mut wrong = Vec::new();
    for path in sheets(&root().join("games")) {
        let Some([mut first, mut second]) = prepare(program(&path)) else {
            continue;
        };
        if let Err(difference) = check(first.as_mut(), second.as_mut(), steps) {
            wrong.push(format!("{}, {difference}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn the_dataflow_agrees_with_the_reference_on_our_games() {
    check_all(40, |program| {
        let game = Game::new(program);
        let reference = Reference::new(game.clone()).unwrap();
        Some([Box::new(reference), Box::new(Dataflow::new(game, 1).unwrap())])
    });
}

#[test]
fn the_dataflow_agrees_with_the_reference_on_translated_games() {
    let check_both = || {
        for covering in [Covering::Generic, Covering::Direct] {
            check_all(30, |program| {
                let game = Game::new(translate(&program, covering).ok()?.program);
                let reference = Reference::new(game.clone()).unwrap();
                Some([Box::new(reference), Box::new(Dataflow::new(game, 1).unwrap())])
            });
        }
    };
    // The translation of some games needs more stack than the thread of a test has.
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(check_both);
    thread.unwrap().join().unwrap();
}

#[test]
fn two_workers_answer_as_one() {
    check_all(20, |program| {
        let game = Game::new(program);
        let [one, two] = [1, 2].map(|workers| Dataflow::new(game.clone(), workers).unwrap());
        Some([Box::new(one), Box::new(two)])
    });
}

#[test]
fn the_number_of_workers_does_not_show() {
    for path in sheets(&root().join("games")) {
        let path = path.to_string_lossy();
        let trace = |workers| {
            let arguments = ["trace", &path, "--cap", "12", "--engine", "dataflow"];
            let run = inertia(&[&arguments[..], &["--workers", workers]].concat());
            assert_eq!(run.code, 0, "{path}: {}", run.err);
            run.out
        };
        assert!(trace("1") == trace("2"), "{path}: other bytes with two workers");
    }
}
