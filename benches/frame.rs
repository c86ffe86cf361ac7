//! Table 1 of Romero, Saffidine and Thielscher (2014) on this engine: the time of a full naive
//! minimax with the original frame rules and with the direct translation.
//!
//! Run with `cargo bench --bench frame [-- GAME…]`; it needs the corpus. The depth is the first at
//! which the original encoding takes [`ENOUGH`] with the dataflow. Both encodings visit the same
//! number of states, or the bench fails. Ratios are of one run; times are of this machine. The
//! table that is printed is kept in `benches/results/frame.md`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine::{Dataflow, Failure, Game, Level, Limits, Network, Reasoner, perft};
use gdl_front::program::Program;
use gdl_front::{Covering, load, translate};

/// The search gets deeper until the original encoding takes this long.
const ENOUGH: Duration = Duration::from_millis(1_500);
/// A search with the original encoding that takes longer than this is broken off, and the depth
/// before is taken.
const TOO_LONG: Duration = Duration::from_secs(20);
/// A search with the translation that takes longer than this is given up.
const GIVEN_UP: Duration = Duration::from_secs(120);

/// A row of the paper's table: our name of the game, theirs, depth, thousands of states, and the
/// seconds of the original, the direct and the pruned encoding.
type Row = (&'static str, &'static str, u32, f64, f64, f64, Option<f64>);

/// The games of the paper's table that the corpus has; where the extraction of the paper is not
/// clear about a number, the row is left out.
const TABLE: &[Row] = &[
    ("amazons", "amazons", 1, 2.13, 0.10, 0.10, Some(0.08)),
    ("blocks", "blocks", 14, 1240.0, 30.3, 24.7, None),
    ("breakthrough", "breakthrough", 4, 268.0, 66.4, 26.2, Some(21.5)),
    ("bunk_t", "bunk_t", 3, 259.0, 22.3, 39.8, Some(15.1)),
    ("buttons", "buttons", 13, 2390.0, 56.9, 88.9, None),
    ("checkers", "checkers", 5, 26.9, 21.0, 23.2, Some(13.7)),
    ("chineseCheckers1", "chinesecheckers1", 6, 134.0, 33.2, 7.9, None),
    ("chineseCheckers2", "chinesecheckers2", 6, 134.0, 42.0, 11.7, Some(10.7)),
    ("chineseCheckers3", "chinesecheckers3", 6, 139.0, 50.5, 21.9, Some(12.6)),
    ("chineseCheckers4", "chinesecheckers4", 6, 53.2, 22.3, 30.1, Some(11.7)),
    ("chomp", "chomp", 3, 65.6, 16.2, 9.50, Some(9.19)),
    ("crisscross", "crisscross", 9, 139.0, 25.5, 18.6, Some(15.8)),
    ("doubletictactoe", "doubletictactoe", 3, 259.0, 22.3, 41.0, None),
    ("duplicateStateLarge", "dup-statelarge", 9, 350.0, 38.0, 38.6, None),
    ("hanoi", "hanoi", 13, 1040.0, 40.5, 38.0, None),
    ("knightsTour", "knightstour", 10, 2690.0, 72.5, 101.0, None),
    ("knightThrough", "knightthrough", 3, 65.2, 13.9, 4.56, Some(4.10)),
    ("minichess", "minichess", 8, 188.0, 20.4, 40.5, Some(24.7)),
    ("nim1", "nim1", 8, 740.0, 47.5, 50.9, Some(46.9)),
    ("nim3", "nim3", 3, 158.0, 3.15, 4.51, Some(3.54)),
    ("nim4", "nim4", 3, 169.0, 3.44, 4.81, Some(3.85)),
    ("numbertictactoe", "numbertictactoe", 2, 104.0, 3.68, 3.08, Some(2.50)),
    ("othello-comp2007", "othello-comp2007", 6, 20.3, 57.9, 57.8, None),
    ("othelloSuicide", "othellosuicide", 6, 20.3, 58.0, 57.7, None),
    ("pancakes6", "pancakes6", 8, 2020.0, 24.8, 41.7, None),
    ("pawnWhopping", "pawn_whopping", 5, 234.0, 24.0, 25.0, None),
    ("pawnToQueen", "pawntoqueen", 7, 5.28, 58.4, 34.9, Some(34.7)),
    ("pentago", "pentago_2008", 5, 2830.0, 62.8, 125.0, Some(81.8)),
    ("racer", "racer", 1, 2.71, 0.26, 0.36, None),
    ("racetrackcorridor", "racetrackcorridor", 3, 350.0, 84.8, 295.0, None),
    ("roshambo2", "roshambo2", 5, 1120.0, 18.6, 235.0, None),
    ("ruleDepthExponential", "ruledepthexp", 13, 16.4, 37.6, 39.1, None),
    ("ruleDepthLinear", "ruledepthlinear", 20, 2100.0, 33.0, 35.0, None),
    ("sheepAndWolf", "sheep_and_wolf", 7, 31.1, 19.5, 7.21, Some(5.16)),
    ("skirmish", "skirmish", 5, 42.4, 26.6, 10.5, Some(9.58)),
    ("stateSpaceLarge", "statespacelarge", 9, 350.0, 26.6, 23.0, None),
    ("sum15", "sum15", 8, 624.0, 36.2, 29.8, Some(26.1)),
    ("ticTacToe", "tictactoe", 9, 986.0, 56.6, 48.9, Some(43.7)),
    ("ticTacToeSerial", "tictactoeserial", 6, 86.4, 54.4, 47.8, Some(40.4)),
    ("ticTicToe", "tictictoe", 3, 143.0, 18.5, 12.6, None),
    ("wallmaze", "wallmaze", 6, 289.0, 88.6, 144.0, None),
    ("brawl", "brawl", 3, 55.5, 36.2, 13.9, None),
    ("beatMania", "beatmania", 6, 598.0, 20.5, 21.3, None),
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = std::env::var_os("INERTIA_CORPUS")
        .map_or_else(|| root.join("../shared/corpus"), PathBuf::from)
        .join("games");
    if !corpus.is_dir() {
        println!("no corpus at {}: nothing to measure", corpus.display());
        return;
    }
    let wanted: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    println!(
        "| game | depth | states | dataflow O, s | dataflow X_D, s | ratio | network O, s \
              | network X_D, s | ratio | paper: depth | k-states | O | X_D | X_P | O / X_D |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for row in TABLE {
        if wanted.is_empty() || wanted.iter().any(|name| name == row.0) {
            measure(&corpus, row);
        }
    }
}

fn measure(corpus: &Path, &(file, name, depth, states, original, direct, pruned): &Row) {
    let text = fs::read_to_string(corpus.join(format!("{file}.kif"))).expect("a game");
    let program = load(&text, None).program.expect("a valid game");
    let translated = translate(&program, Covering::Direct).expect("a translation").program;
    let (reached, repeats, before) = deepest(&program);
    if reached == 0 {
        println!("| {name} | 1 | | over {} | | | | | |", GIVEN_UP.as_secs());
        return;
    }
    let after = search(dataflow(&translated), reached, repeats, GIVEN_UP);
    let networks = [&program, &translated].map(|program| {
        let network = Network::new(&Game::new(program.clone()), &limits()).ok()?;
        search(Box::new(network), reached, repeats, GIVEN_UP)
    });
    let dataflow_columns = columns(file, [Some(before), after]);
    let network_columns = columns(file, networks);
    let pruned = pruned.map_or_else(String::new, |seconds| format!("{seconds}"));
    println!(
        "| {name} | {reached} | {} | {dataflow_columns} | {network_columns} \
         | {depth} | {states} | {original} | {direct} | {pruned} | {:.2} |",
        before.0,
        original / direct
    );
}

/// The times of the original and of the translated game, and their ratio.
fn columns(file: &str, found: [Option<(u64, Duration)>; 2]) -> String {
    let [Some(before), Some(after)] = found else { return "not done | not done |".to_owned() };
    assert_eq!(before.0, after.0, "{file}: both encodings visit the same states");
    let [before, after] = [before.1.as_secs_f64(), after.1.as_secs_f64()];
    format!("{before:.3} | {after:.3} | **{:.2}**", before / after)
}

fn limits() -> Limits {
    Limits { time: Duration::from_secs(10), ..Limits::default() }
}

fn dataflow(program: &Program) -> Box<dyn Reasoner> {
    Box::new(Dataflow::new(Game::new(program.clone()), 1).expect("a dataflow"))
}

/// The first depth that takes the original encoding long enough, with its states and time. A tree
/// that ends before that is searched several times.
fn deepest(program: &Program) -> (usize, u32, (u64, Duration)) {
    let mut best = (0, 1, (1, Duration::ZERO));
    for depth in 1.. {
        let longest = if depth == 1 { GIVEN_UP } else { TOO_LONG };
        let Some(found) = search(dataflow(program), depth, 1, longest) else { break };
        if found.0 == 0 {
            let repeats = ENOUGH.as_secs_f64() / best.2.1.as_secs_f64().max(1e-6);
            let repeats = (repeats.ceil() as u32).clamp(1, 10_000);
            let again = search(dataflow(program), best.0, repeats, GIVEN_UP);
            return (best.0, repeats, again.expect("a small tree"));
        }
        best = (depth, 1, found);
        if found.1 >= ENOUGH {
            break;
        }
    }
    best
}

/// Visits every state up to a depth, so many times; how many are that deep, and how long it takes,
/// without what setting up takes. `None` if it takes too long, or if someone cannot move.
fn search(
    mut reasoner: Box<dyn Reasoner>,
    depth: usize,
    repeats: u32,
    longest: Duration,
) -> Option<(u64, Duration)> {
    let begun = Instant::now();
    let mut nodes = 0;
    for _ in 0..repeats {
        let found: Result<Option<Level>, Failure> =
            perft(reasoner.as_mut(), depth, &|| begun.elapsed() < longest);
        nodes = found.unwrap_or_default()?.nodes;
    }
    Some((nodes, begun.elapsed()))
}
