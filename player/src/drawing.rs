//! States drawn as boards, where their fluents form a grid, and listed otherwise.
//!
//! Whether they do is learnt from a few random lines of play: the fluents of a name form a grid if
//! two of their arguments look like coordinates and no two of them are ever on the same square.
//! Coordinates may be numbers, letters, or both in one name (`b3`); rows count from the bottom.

mod grid;

use engine::{Failure, Game, Random, Reasoner, TermId};
use gdl_front::hash::HashMap;

use grid::Grid;

/// Lines of play that are looked at, and their length.
const LINES: u64 = 4;
const LONGEST: usize = 60;

/// How the states of a game are drawn.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    grid: Option<Grid>,
}

/// A fluent taken apart: its name, and its arguments down to the constants.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts {
    name: String,
    leaves: Vec<String>,
}

impl Drawing {
    /// Learns how to draw a game, from where the reasoner stands; it comes back there.
    pub fn learn(reasoner: &mut dyn Reasoner) -> Result<Drawing, Failure> {
        let mut states = Vec::new();
        let start = reasoner.state()?;
        for seed in 0..LINES {
            let mut random = Random::new(seed);
            let followed = follow(reasoner, &mut random, &mut states);
            reasoner.set_state(&start)?;
            followed?;
        }
        Ok(Drawing { grid: Grid::recognise(&states) })
    }

    /// A state as text, without a line end behind it.
    pub fn draw(&self, game: &Game, state: &[TermId]) -> String {
        let mut fluents: Vec<(String, Parts)> =
            state.iter().map(|&fluent| (game.show(fluent), parts(game, fluent))).collect();
        fluents.sort_by(|a, b| a.0.cmp(&b.0));
        let all: Vec<Parts> = fluents.iter().map(|(_, parts)| parts.clone()).collect();
        let Some(board) = self.grid.as_ref().and_then(|grid| grid.draw(&all)) else {
            return list(fluents.into_iter().map(|(text, _)| text).collect());
        };
        let rest = fluents.into_iter().zip(board.drawn).filter(|(_, drawn)| !drawn);
        let rest: Vec<String> = rest.map(|((text, _), _)| text).collect();
        if rest.is_empty() { board.text } else { format!("{}\n{}", board.text, list(rest)) }
    }
}

fn follow(
    reasoner: &mut dyn Reasoner,
    random: &mut Random,
    states: &mut Vec<Vec<Parts>>,
) -> Result<(), Failure> {
    let game = reasoner.game().clone();
    for _ in 0..LONGEST {
        let state = reasoner.state()?;
        states.push(state.into_iter().map(|fluent| parts(&game, fluent)).collect());
        if reasoner.is_terminal()? {
            break;
        }
        let legal = (0..game.roles.len()).map(|role| reasoner.legal(role));
        let legal: Vec<Vec<TermId>> = legal.collect::<Result<_, Failure>>()?;
        let joint: Option<Vec<TermId>> = legal.iter().map(|moves| random.choose(moves)).collect();
        let Some(joint) = joint else { break };
        reasoner.apply(&joint)?;
    }
    Ok(())
}

fn parts(game: &Game, fluent: TermId) -> Parts {
    let arena = game.terms.read();
    let name = game.program.symbols.spelling(arena.symbol(fluent)).to_owned();
    let mut leaves = Vec::new();
    let mut stack: Vec<TermId> = arena.args(fluent).iter().rev().copied().collect();
    while let Some(term) = stack.pop() {
        let args = arena.args(term);
        if args.is_empty() {
            leaves.push(game.program.symbols.spelling(arena.symbol(term)).to_owned());
        } else {
            stack.extend(args.iter().rev());
        }
    }
    Parts { name, leaves }
}

/// Fluents in lines of a comfortable width, those of a name together.
fn list(fluents: Vec<String>) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut names: HashMap<String, usize> = HashMap::default();
    for fluent in fluents {
        let name = fluent.trim_start_matches('(').split([' ', ')']).next().unwrap_or("").to_owned();
        match names.get(&name).and_then(|&line| lines.get_mut(line)) {
            Some(line) if line.len() + fluent.len() < 99 => {
                line.push(' ');
                *line += &fluent;
            }
            _ => {
                names.insert(name, lines.len());
                lines.push(fluent);
            }
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use engine::Reference;
    use expect_test::{Expect, expect};

    use super::*;

    fn check(name: &str, moves: &[&[&str]], wanted: Expect) {
        let path = format!("{}/../games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let game = Game::new(gdl_front::load(&text, None).program.unwrap());
        let mut reasoner = Reference::new(game.clone()).unwrap();
        let drawing = Drawing::learn(&mut reasoner).unwrap();
        for joint in moves {
            let joint: Vec<TermId> =
                joint.iter().map(|text| game.read_term(text).unwrap()).collect();
            reasoner.apply(&joint).unwrap();
        }
        let state = reasoner.state().unwrap();
        wanted.assert_eq(&drawing.draw(&game, &state));
    }

    #[test]
    fn squares_with_names_form_a_board() {
        check(
            "tic-tac-toe",
            &[&["(mark a1)", "wait"], &["wait", "(mark b3)"]],
            expect![[r#"
            3  . o .
            2  . . .
            1  x . .
               a b c
            (turn x)"#]],
        );
    }

    #[test]
    fn numbered_squares_form_a_board() {
        check(
            "eight-puzzle",
            &[],
            expect![[r#"
            3  3 . 1
            2  2 5 4
            1  8 6 7
               1 2 3
            (gap 2 3)
            (slides 0 0)"#]],
        );
        check(
            "othello",
            &[],
            expect![[r#"
            8  . . . . . . . .
            7  . . . . . . . .
            6  . . . . . . . .
            5  . . . b w . . .
            4  . . . w b . . .
            3  . . . . . . . .
            2  . . . . . . . .
            1  . . . . . . . .
               1 2 3 4 5 6 7 8
            b black, w white
            (turn black)"#]],
        );
    }

    #[test]
    fn what_is_no_grid_is_listed() {
        check(
            "nim",
            &[],
            expect![[r#"
            (control first)
            (heap east 3) (heap north 1) (heap south 5) (heap west 7)"#]],
        );
        check(
            "hanoi",
            &[],
            expect![[r#"
            (moves 0)
            (on 1 left) (on 2 left) (on 3 left) (on 4 left) (on 5 left)"#]],
        );
    }
}
