//! How networks grow with the board: Connect Four, gomoku and Breakthrough from 6×6 to 30×30, with
//! their frame rules as they are usually written and translated.
//!
//! Run with `cargo bench --bench growth`. Sizes are exact; times are of this machine, and only the
//! ratios within one run mean something.

use std::fmt::Write;
use std::time::{Duration, Instant};

use engine::{Circuit, Game, Limits, Network, Random, ground};
use gdl_front::{Covering, load, translate};

const SIZES: [usize; 5] = [6, 10, 14, 20, 30];
const LIMITS: Limits = Limits { time: Duration::from_secs(30), memory: 4 << 30, rules: 15_000_000 };

/// What all three have in common: two players in turn on a square board.
const BOARD: &str = "
(role white) (role black) (init (control white)) (other white black) (other black white)
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= (legal ?q noop) (true (control ?p)) (other ?p ?q))
(<= (goal ?p 100) (wins ?p)) (<= (goal ?p 0) (wins ?q) (other ?p ?q))
(<= decided (wins ?p)) (<= (goal ?p 50) (role ?p) (not decided))
(<= terminal decided) (<= terminal (not open))
";

const LINES: &str = "
(<= (step across ?x ?y ?z ?y) (succ ?x ?z) (index ?y))
(<= (step up ?x ?y ?x ?z) (succ ?y ?z) (index ?x))
(<= (step rise ?x ?y ?z ?w) (succ ?x ?z) (succ ?y ?w))
(<= (step fall ?x ?y ?z ?w) (succ ?x ?z) (succ ?w ?y))
(<= (line ?d 1 ?x ?y ?p) (role ?p) (true (cell ?x ?y ?p)) (step ?d ?x ?y ?z ?w))
(<= (line ?d ?m ?z ?w ?p) (line ?d ?n ?x ?y ?p) (longer ?n ?m) (step ?d ?x ?y ?z ?w)
    (true (cell ?z ?w ?p)))
(<= open (true (cell ?x ?y b)))
(<= (init (cell ?x ?y b)) (index ?x) (index ?y))
(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (distinct ?p b))
";

const GOMOKU: &str = "
(longer 1 2) (longer 2 3) (longer 3 4) (longer 4 5) (<= (wins ?p) (line ?d 5 ?x ?y ?p))
(<= (legal ?p (mark ?x ?y)) (true (control ?p)) (true (cell ?x ?y b)))
(<= (next (cell ?x ?y ?p)) (does ?p (mark ?x ?y)))
(<= (next (cell ?x ?y b)) (true (cell ?x ?y b)) (does ?p (mark ?m ?n))
    (or (distinct ?x ?m) (distinct ?y ?n)))
";

const CONNECT_FOUR: &str = "
(longer 1 2) (longer 2 3) (longer 3 4) (<= (wins ?p) (line ?d 4 ?x ?y ?p))
(<= (lowest ?x 1) (true (cell ?x 1 b)))
(<= (lowest ?x ?z) (true (cell ?x ?z b)) (succ ?y ?z) (true (cell ?x ?y ?p)) (distinct ?p b))
(<= (legal ?p (drop ?x)) (true (control ?p)) (lowest ?x ?y))
(<= (next (cell ?x ?y ?p)) (does ?p (drop ?x)) (lowest ?x ?y))
(<= (next (cell ?x ?y b)) (true (cell ?x ?y b)) (does ?p (drop ?m)) (distinct ?x ?m))
(<= (next (cell ?x ?y b)) (true (cell ?x ?y b)) (does ?p (drop ?x)) (not (lowest ?x ?y)))
";

const BREAKTHROUGH: &str = "
(<= (ahead white ?y ?z) (succ ?y ?z)) (<= (ahead black ?y ?z) (succ ?z ?y))
(<= (beside ?x ?z) (succ ?x ?z)) (<= (beside ?x ?z) (succ ?z ?x))
(<= (different ?x ?y ?m ?n) (index ?x) (index ?y) (index ?m) (index ?n) (distinct ?x ?m))
(<= (different ?x ?y ?m ?n) (index ?x) (index ?y) (index ?m) (index ?n) (distinct ?y ?n))
(<= (taken ?x ?y) (true (cell ?x ?y ?p)))
(<= (legal ?p (move ?x ?y ?x ?z)) (true (control ?p)) (true (cell ?x ?y ?p)) (ahead ?p ?y ?z)
    (not (taken ?x ?z)))
(<= (legal ?p (move ?x ?y ?w ?z)) (true (control ?p)) (true (cell ?x ?y ?p)) (ahead ?p ?y ?z)
    (beside ?x ?w) (not (true (cell ?w ?z ?p))))
(<= (next (cell ?w ?z ?p)) (does ?p (move ?x ?y ?w ?z)))
(<= (next (cell ?u ?v ?q)) (true (cell ?u ?v ?q)) (does ?p (move ?x ?y ?w ?z))
    (different ?u ?v ?x ?y) (different ?u ?v ?w ?z))
(<= open (true (cell ?x ?y white))) (<= alive (true (cell ?x ?y black)))
(<= (wins ?p) (far ?p ?y) (true (cell ?x ?y ?p))) (<= (wins white) (not alive))
(<= (wins black) (not open))
";

fn main() {
    println!("| game | board | frame | ground rules | gates | wires | build ms | ns a move |");
    println!("|---|---|---|---|---|---|---|---|");
    for (name, rules) in
        [("Connect Four", CONNECT_FOUR), ("gomoku", GOMOKU), ("Breakthrough", BREAKTHROUGH)]
    {
        for size in SIZES {
            for translated in [false, true] {
                println!("{}", row(name, &sheet(name, rules, size), size, translated));
            }
        }
    }
}

/// The rule sheet of a game on a board of a size.
fn sheet(name: &str, rules: &str, size: usize) -> String {
    let mut text = format!("{BOARD}{rules}");
    if name == "Breakthrough" {
        for (player, row) in [("white", 1), ("white", 2), ("black", size - 1), ("black", size)] {
            let _ = writeln!(text, "(<= (init (cell ?x {row} {player})) (index ?x))");
        }
        let _ = writeln!(text, "(far white {size}) (far black 1)");
    } else {
        text += LINES;
    }
    for number in 1..=size {
        let _ = write!(text, "(index {number})");
        if number < size {
            let _ = write!(text, "(succ {number} {})", number + 1);
        }
    }
    text
}

/// Builds a network and plays; one line of the table.
fn row(name: &str, text: &str, size: usize, translated: bool) -> String {
    let frame = if translated { "translated" } else { "original" };
    let start = format!("| {name} | {size}×{size} | {frame} |");
    let begun = Instant::now();
    let mut program = load(text, None).program.expect("a valid game");
    if translated {
        program = translate(&program, Covering::Direct).expect("a translation").program;
    }
    let rules = match ground(&Game::new(program), &LIMITS) {
        Ok(rules) => rules,
        Err(failure) => return format!("{start} {failure} | | | | |"),
    };
    let circuit = std::sync::Arc::new(Circuit::new(&rules));
    let mut network = Network::of_circuit(circuit.clone());
    let build = begun.elapsed().as_secs_f64() * 1e3;
    let gates = circuit.nodes() - circuit.first_gate() as usize;
    format!(
        "{start} {} | {gates} | {} | {build:.1} | {:.0} |",
        rules.rules.len(),
        circuit.wires(),
        nanoseconds_a_move(&mut network)
    )
}

/// The best of several short runs, so that other work on the machine counts little.
fn nanoseconds_a_move(network: &mut Network) -> f64 {
    let mut random = Random::new(1);
    let mut best = f64::INFINITY;
    for _ in 0..10 {
        let begun = Instant::now();
        let mut moves = 0;
        while begun.elapsed() < Duration::from_millis(30) {
            network.restart();
            moves += network.random_moves(&mut random, 10_000);
        }
        best = best.min(begun.elapsed().as_nanos() as f64 / moves as f64);
    }
    best
}
