//! Only differences propagate: shown by counting the rows that the dataflow looks at.

use std::fmt::Write;

use engine::{Dataflow, Game, Random, Reasoner};
use expect_test::expect_file;
use gdl_front::program::Program;
use gdl_front::{Covering, translate};

use crate::common::{root, text};
use crate::dataflow::{program, random_move};

/// Games whose counts are pinned.
const GAMES: [&str; 11] = [
    "amazons-5x5",
    "atari-go",
    "breakthrough",
    "connect-four",
    "draughts",
    "eight-puzzle",
    "gomoku",
    "hex",
    "lights-out",
    "othello",
    "tic-tac-toe",
];

/// Makes the moves of a random match that depends on the texts of the moves alone; answers the
/// rows touched by the start and by each move with the questions that come after it: all, and those
/// of the state and of its update.
fn rows_by_move(program: Program, moves: usize) -> Vec<(u64, u64)> {
    let mut dataflow = Dataflow::new(Game::new(program), 1).unwrap();
    let game = dataflow.game().clone();
    let mut random = Random::new(3);
    let mut counts = Vec::new();
    let mut before = (0, 0);
    for _ in 0..=moves {
        let over = dataflow.is_terminal().unwrap();
        let now = (dataflow.touched(), touched_by_updates(&dataflow));
        counts.push((now.0 - before.0, now.1 - before.1));
        before = now;
        if over {
            break;
        }
        let joint = (0..game.roles.len()).map(|role| {
            let mut legal = dataflow.legal(role).unwrap();
            legal.sort_by_cached_key(|&action| game.show(action));
            random.choose(&legal).unwrap()
        });
        let joint: Vec<_> = joint.collect();
        dataflow.apply(&joint).unwrap();
    }
    counts
}

#[test]
fn the_rows_that_moves_touch_are_as_few_as_they_were() {
    let mut found = String::from(
        "game: frame, rows touched by the start, then by each move; in brackets those of true, next and fnext\n",
    );
    for name in GAMES {
        let original = program(&root().join(format!("games/{name}.kif")));
        let translated = translate(&original, Covering::Direct).unwrap().program;
        for (frame, program) in [("original", original), ("direct", translated)] {
            let rows = rows_by_move(program, 8).into_iter();
            let rows: Vec<String> =
                rows.map(|(all, updates)| format!("{all} ({updates})")).collect();
            writeln!(found, "{name}: {frame}, {}", rows.join(", ")).unwrap();
        }
    }
    expect_file!["../golden/touched.txt"].assert_eq(&found);
}

/// Gomoku on a board of another size.
fn gomoku(size: usize) -> Program {
    let sheet = text(&root().join("games/gomoku.kif"));
    let mut rules: String = sheet
        .lines()
        .filter(|line| !line.starts_with("(coordinate") && !line.starts_with("(succ"))
        .map(|line| format!("{line}\n"))
        .collect();
    (1..=size).for_each(|number| write!(rules, "(coordinate {number}) ").unwrap());
    (1..size).for_each(|number| write!(rules, "(succ {number} {}) ", number + 1).unwrap());
    gdl_front::load(&rules, None).program.unwrap()
}

/// Rows touched by the tenth move of a match in a corner of the board, by relation.
fn rows_by_relation(program: Program, names: &[(&str, usize)]) -> Vec<u64> {
    let mut dataflow = Dataflow::new(Game::new(program), 1).unwrap();
    let game = dataflow.game().clone();
    let pass = game.read_term("pass").unwrap();
    let relations: Vec<_> = names
        .iter()
        .map(|&(name, arity)| game.program.find_relation(name, arity).unwrap())
        .collect();
    let mut before = Vec::new();
    for number in 0..10 {
        let (x, y) = (number % 4 + 1, number / 4 + 1);
        let stone = game.read_term(&format!("(place {x} {y})")).unwrap();
        let joint = if number % 2 == 0 { [stone, pass] } else { [pass, stone] };
        dataflow.check_legal(&joint).unwrap();
        before = relations.iter().map(|&relation| dataflow.touched_by(relation)).collect();
        dataflow.apply(&joint).unwrap();
    }
    dataflow.is_terminal().unwrap();
    let after = relations.iter().map(|&relation| dataflow.touched_by(relation));
    after.zip(before).map(|(after, before)| after - before).collect()
}

#[test]
fn a_move_on_a_larger_board_touches_no_more_rows() {
    let names =
        [("true", 1), ("occupied", 2), ("vacant", 2), ("five", 1), ("next", 1), ("goal", 2)];
    let frames: [fn(Program) -> Program; 2] =
        [|program| program, |program| translate(&program, Covering::Direct).unwrap().program];
    for frame in frames {
        let small = rows_by_relation(frame(gomoku(12)), &names);
        let large = rows_by_relation(frame(gomoku(24)), &names);
        assert_eq!(small, large, "{names:?}");
        assert!(small.iter().take(5).all(|&rows| rows > 0), "{names:?}: {small:?}");
        // The legal moves themselves change hands, so their difference is the whole board.
        let small = rows_by_relation(frame(gomoku(12)), &[("legal", 2)]);
        let large = rows_by_relation(frame(gomoku(24)), &[("legal", 2)]);
        assert!(small[0] * 3 < large[0], "{small:?} {large:?}");
    }
}

/// A game of ours on a board that goes from `from` to `to` squares a side.
fn enlarged(name: &str, from: usize, to: usize, facts: fn(usize) -> String) -> Program {
    let mut rules = text(&root().join(format!("games/{name}.kif")));
    (from + 1..=to).for_each(|number| rules += &facts(number));
    gdl_front::load(&rules, None).program.unwrap()
}

/// The rows of the state and of its update that were touched so far.
fn touched_by_updates(dataflow: &Dataflow) -> u64 {
    let words = dataflow.game().program.vocabulary;
    let relations = [words.true_, words.next, words.fnext];
    relations.iter().map(|&relation| dataflow.touched_by(relation)).sum()
}

/// The rows of the state and of its update that twelve moves touch.
fn rows_of_updates(program: Program) -> u64 {
    let mut dataflow = Dataflow::new(Game::new(program), 1).unwrap();
    let mut random = Random::new(5);
    // The start brings the whole board in, and is no move.
    dataflow.is_terminal().unwrap();
    let before = touched_by_updates(&dataflow);
    for _ in 0..12 {
        let joint = random_move(&mut dataflow, &mut random).unwrap();
        dataflow.apply(&joint).unwrap();
    }
    dataflow.is_terminal().unwrap();
    touched_by_updates(&dataflow) - before
}

#[test]
fn translated_state_updates_do_not_grow_with_the_board() {
    type Facts = fn(usize) -> String;
    let games: [(&str, usize, Facts); 4] = [
        ("gomoku", 15, |n| format!("(coordinate {n}) (succ {} {n}) ", n - 1)),
        ("othello", 8, |n| format!("(index {n}) (follows {} {n}) ", n - 1)),
        ("breakthrough", 8, |n| format!("(index {n}) (succ {} {n}) ", n - 1)),
        ("draughts", 8, |n| {
            let parity = if n % 2 == 0 { "even" } else { "odd" };
            let succ = if n > 12 { format!("(succ {} {n})", n - 1) } else { String::new() };
            format!("({parity} {n}) {succ} ")
        }),
    ];
    for (name, size, facts) in games {
        let [small, large] = [size, 2 * size].map(|to| {
            let original = enlarged(name, size, to, facts);
            let translated = translate(&original, Covering::Direct).unwrap().program;
            [rows_of_updates(original), rows_of_updates(translated)]
        });
        println!("{name}: {small:?} rows at {size}x{size}, {large:?} at twice the size");
        // The board has four times the squares. Random moves differ, so captures do.
        assert!(large[1] * 10 <= small[1] * 11, "{name}: {small:?} {large:?}");
    }
}
