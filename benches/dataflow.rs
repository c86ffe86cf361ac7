//! The dataflow: what a move costs in one world and in many, on growing boards, and in memory.
//!
//! Run with `cargo bench --bench dataflow [-- moves|boards|memory]`; all three without a word.
//! Times are CPU time of this machine; ratios are of one run.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engine::{Dataflow, Game, Random, Reasoner, Reference, Session, TermId, World, Worlds};
use gdl_front::program::Program;
use gdl_front::{Covering, read_query, translate};

const GAMES: [&str; 12] = [
    "breakthrough-6x6",
    "chomp",
    "connect-four",
    "dots-and-boxes",
    "eight-puzzle",
    "hanoi",
    "kalah",
    "lights-out",
    "nim",
    "peg-solitaire",
    "tic-tac-toe",
    "tron",
];
const BATCHES: [usize; 3] = [64, 1024, 16_384];
/// How long each cell of a table is measured, at least.
const BUDGET: Duration = Duration::from_millis(300);
/// How many rounds, at least: a short match has begun and ended in all worlds.
const ROUNDS: usize = 10;

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let measures: [(&str, fn()); 3] = [("moves", moves), ("boards", boards), ("memory", memory)];
    for (name, measure) in measures {
        if wanted.is_empty() || wanted.iter().any(|word| word == name) {
            measure();
        }
    }
}

/// µs a move with its legal moves and end, original frame rules and translated ones.
fn moves() {
    println!("## µs a move and world, against the reference\n");
    println!("| game | frame | reference | one world | 64 | 1,024 | 16,384 | reference / 1,024 |");
    println!("|---|---|---|---|---|---|---|---|");
    for name in GAMES {
        let original = load(&sheet(name));
        let direct = translate(&original, Covering::Direct).map(|it| it.program);
        let frames = [("original", Some(original)), ("direct", direct.ok())];
        for (frame, program) in frames {
            let Some(program) = program else { continue };
            let game = Game::new(program);
            let reference = play(&mut Reference::new(game.clone()).expect("a valid game"));
            let one = play(&mut Dataflow::new(game.clone(), 1).expect("a valid game"));
            let many = BATCHES.map(|count| play_many(&game, count));
            println!(
                "| {name} | {frame} | {reference:.1} | {one:.1} | {:.1} | {:.1} | {:.1} | {:.2} |",
                many[0],
                many[1],
                many[2],
                reference / many[1]
            );
        }
    }
}

/// Random matches, one after the other; µs a move.
fn play(reasoner: &mut dyn Reasoner) -> f64 {
    let mut random = Random::new(1);
    let mut round = |count: usize| {
        for _ in 0..count {
            match joint_move(reasoner, &mut random) {
                Some(joint) => reasoner.apply(&joint).expect("a legal move"),
                None => reasoner.reset().expect("a reset"),
            }
        }
    };
    round(50);
    per_unit(20, || round(20))
}

fn joint_move(reasoner: &mut dyn Reasoner, random: &mut Random) -> Option<Vec<TermId>> {
    if reasoner.is_terminal().expect("an answer") {
        return None;
    }
    let roles = 0..reasoner.game().roles.len();
    roles.map(|role| random.choose(&reasoner.legal(role).expect("an answer"))).collect()
}

/// A random move in each of so many worlds at once; µs a move.
fn play_many(game: &Arc<Game>, count: usize) -> f64 {
    let mut worlds = Worlds::new(game.clone(), 1).expect("a valid game");
    let initial = worlds.initial().to_vec();
    let open: Vec<World> = (0..count).map(|_| worlds.open(&initial)).collect();
    let mut random = Random::new(1);
    let mut round = || {
        let mut moves = Vec::with_capacity(count);
        for &world in &open {
            match world_move(&mut worlds, world, &mut random) {
                Some(joint) => moves.push((world, joint)),
                None => {
                    worlds.go_to(world, &initial);
                }
            }
        }
        worlds.apply(&moves).expect("legal moves");
    };
    round();
    round();
    per_unit(count, round)
}

fn world_move(worlds: &mut Worlds, world: World, random: &mut Random) -> Option<Vec<TermId>> {
    if worlds.is_terminal(world).expect("an answer") {
        return None;
    }
    let roles = 0..worlds.game().roles.len();
    roles.map(|role| random.choose(&worlds.legal(world, role).expect("an answer"))).collect()
}

/// Gomoku on growing boards: rows touched and µs a move, with both kinds of frame rules. Lights
/// out is the other extreme: its frame rules depend on the move, so that they touch every light.
fn boards() {
    println!("\n## A move on growing boards\n");
    println!(
        "| game | board | frame | rows a move | of them true, next, fnext | µs a move | reference µs |\n\
         |---|---|---|---|---|---|---|"
    );
    for (name, coordinates) in [("gomoku", "coordinate"), ("lights-out", "index")] {
        for size in [5, 10, 20, 40] {
            let original = load(&resized(name, coordinates, size));
            let direct = translate(&original, Covering::Direct).map(|it| it.program);
            for (frame, program) in [("original", Some(original)), ("direct", direct.ok())] {
                let Some(program) = program else { continue };
                let game = Game::new(program);
                let mut dataflow = Dataflow::new(game.clone(), 1).expect("a valid game");
                let (mut moves, mut rows) = (0, [0, 0]);
                let micros = counted(&mut dataflow, &mut moves, &mut rows);
                let [all, updates] = rows.map(|rows| rows / moves);
                let reference = play(&mut Reference::new(game).expect("a valid game"));
                println!(
                    "| {name} | {size}×{size} | {frame} | {all} | {updates} | {micros:.0} | {reference:.0} |"
                );
            }
        }
    }
}

/// µs a move; counts the moves, and the rows touched: all, and those of the state and its update.
fn counted(dataflow: &mut Dataflow, moves: &mut u64, rows: &mut [u64; 2]) -> f64 {
    let words = dataflow.game().program.vocabulary;
    let touched = |dataflow: &Dataflow| {
        let updates = [words.true_, words.next, words.fnext];
        [dataflow.touched(), updates.iter().map(|&it| dataflow.touched_by(it)).sum()]
    };
    let mut random = Random::new(1);
    let mut round = || {
        let before = touched(dataflow);
        for _ in 0..20 {
            match joint_move(dataflow, &mut random) {
                Some(joint) => dataflow.apply(&joint).expect("a legal move"),
                None => dataflow.reset().expect("a reset"),
            }
        }
        *moves += 20;
        let after = touched(dataflow);
        (0..2).for_each(|at| rows[at] += after[at] - before[at]);
    };
    round();
    per_unit(20, round)
}

/// Resident memory over 100,000 moves of a session with three watches.
fn memory() {
    println!("\n## Memory of a session with three watches (connect four)\n");
    println!("| moves | resident MB |\n|---|---|");
    let game = Game::new(load(&sheet("connect-four")));
    let mut session = Session::new(game.clone(), 1).expect("a valid game");
    let initial = session.state().to_vec();
    for text in ["(true ?fluent)", "(legal ?role ?move)", "(true ?fluent) (not terminal)"] {
        session.watch(&read_query(&game.program, text).expect("a query")).expect("a watch");
    }
    let mut random = Random::new(1);
    for number in 1..=100_000 {
        if session.is_terminal().expect("an answer") {
            session.set_state(&initial).expect("a reset");
        }
        let roles = 0..game.roles.len();
        let joint: Option<Vec<TermId>> =
            roles.map(|role| random.choose(&session.legal(role).expect("an answer"))).collect();
        session.apply(&joint.expect("a legal move")).expect("a legal move");
        if number % 10_000 == 0 {
            println!("| {number} | {:.1} |", resident_megabytes());
        }
    }
}

/// µs of CPU time for one of `units` that `work` does, repeated until the budget is used.
fn per_unit(units: usize, mut work: impl FnMut()) -> f64 {
    let begun = cpu_time();
    for rounds in 1.. {
        work();
        let used = cpu_time().saturating_sub(begun);
        if used > BUDGET && rounds >= ROUNDS {
            return used.as_secs_f64() * 1e6 / (rounds * units) as f64;
        }
    }
    f64::NAN
}

/// The CPU time of this thread.
fn cpu_time() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

fn resident_megabytes() -> f64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: Option<f64> = text.split_whitespace().nth(1).and_then(|word| word.parse().ok());
    pages.unwrap_or_default() * 4096.0 / 1e6
}

fn sheet(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("games/{name}.kif"));
    fs::read_to_string(path).expect("our own game")
}

fn load(text: &str) -> Program {
    gdl_front::load(text, None).program.expect("a valid game")
}

/// A game on a square board of another size, whose coordinates are facts of one relation and `succ`.
fn resized(name: &str, coordinates: &str, size: usize) -> String {
    let old = [format!("({coordinates} "), "(succ ".to_owned()];
    let mut text: String = sheet(name)
        .lines()
        .filter(|line| !old.iter().any(|start| line.starts_with(start)))
        .map(|line| format!("{line}\n"))
        .collect();
    text.extend((1..=size).map(|number| format!("({coordinates} {number}) ")));
    text.extend((1..size).map(|number| format!("(succ {number} {}) ", number + 1)));
    text
}
