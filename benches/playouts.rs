//! Random playouts a second, on one thread: hand-written code for one game against the reasoners,
//! and the reasoners on games of the corpus. The network and the lanes play with the encoding of frame
//! rules that is faster, as `--frame auto` does.
//!
//! Run with `cargo bench --bench playouts`. Ratios are of one run; speeds are of this machine.

#[path = "playouts/yardsticks.rs"]
mod yardsticks;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{
    Circuit, Dataflow, Failure, Game, Lanes, Limits, Network, Playouts, Random, Reasoner,
    Reference, ground, simulate,
};
use gdl_front::{Covering, translate};
use yardsticks::{ByHand, Played};

/// How long each of them plays, several times; the fastest counts, since others were disturbed.
const TIME: Duration = Duration::from_millis(300);
const TIMES: usize = 5;

/// A time that this thread was at work, so that others on the machine do not count.
struct Clock {
    begun: Instant,
    worked: Option<f64>,
}

impl Clock {
    fn start() -> Clock {
        Clock { begun: Instant::now(), worked: worked() }
    }

    fn seconds(&self) -> f64 {
        match (self.worked, worked()) {
            (Some(before), Some(now)) => now - before,
            _ => self.begun.elapsed().as_secs_f64(),
        }
    }

    fn goes_on(&self) -> bool {
        self.begun.elapsed() < TIME
    }
}

/// Seconds that this thread has been at work, where the system tells it.
fn worked() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

/// What is measured of a way to play: moves a second, and the mean length of a match.
#[derive(Clone, Copy, Default)]
struct Speed {
    states: f64,
    length: f64,
}

/// Games of the corpus, small and large, of one to four players.
const CORPUS: [&str; 30] = [
    "ticTacToe",
    "connectFour",
    "breakthrough",
    "knightThrough",
    "gomoku_15x15",
    "hexPie",
    "pentago",
    "checkers",
    "sheepAndWolf",
    "quartoSuicide",
    "skirmish",
    "reversiSuicide",
    "kalaha_2009",
    "amazons_8x8",
    "hanoi",
    "lightsOut",
    "peg",
    "pancakes6",
    "chineseCheckers4",
    "tron_10x10",
    "atariGoVariant_7x7",
    "biddingTicTacToe",
    "ghostMaze2p",
    "connectFourLarge",
    "tictactoe_3player",
    "dotsAndBoxes",
    "eightPuzzle",
    "linesOfAction",
    "sudokuGrade1",
    "tttcc4",
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    yardstick_table(root);
    let corpus = std::env::var_os("INERTIA_CORPUS")
        .map_or_else(|| root.join("../shared/corpus"), PathBuf::from)
        .join("games");
    if corpus.is_dir() {
        corpus_table(&corpus);
    }
}

fn yardstick_table(root: &Path) {
    println!(
        "| game | by hand, simple | by hand, tuned | lanes | network | dataflow | reference \
         | lanes / simple | lanes / tuned | network / simple | network / tuned |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, simple, tuned) in yardsticks::GAMES {
        let games = load(&root.join("games").join(format!("{name}.kif")));
        let circuits = circuits(&games).expect("a small game");
        let game = games[0].clone();
        let mut dataflow = Dataflow::new(game.clone(), 1).expect("a valid game");
        let mut reference = Reference::new(game).expect("a valid game");
        // In turn, so that what slows the machine down for a while slows all of them down.
        let mut best = [Speed::default(); 6];
        for _ in 0..TIMES {
            let found = [
                hand_speed(simple),
                hand_speed(tuned),
                lanes_speed(&circuits, 1).expect("a small game").0,
                network_speed(&circuits, 1),
                played_speed(&mut dataflow),
                played_speed(&mut reference),
            ];
            for (best, found) in best.iter_mut().zip(found) {
                if found.states > best.states {
                    *best = found;
                }
            }
        }
        let [simple, tuned, lanes, network, ..] = best;
        for speed in [simple, lanes, network] {
            let ratio = speed.length / tuned.length;
            assert!((0.99..1.01).contains(&ratio), "{name}: {} moves", speed.length);
        }
        let speeds = best.map(|speed| shown(speed.states)).join(" | ");
        let [over_lanes, over_network] = [lanes, network].map(|speed| {
            [simple, tuned].map(|hand| format!("{:.3}", speed.states / hand.states)).join(" | ")
        });
        println!("| {name} | {speeds} | {over_lanes} | {over_network} |");
    }
}

fn corpus_table(corpus: &Path) {
    println!("\n| game | gates | lanes | network | lanes / network | mean length |");
    println!("|---|---|---|---|---|---|");
    for name in CORPUS {
        let path = corpus.join(format!("{name}.kif"));
        if !path.is_file() {
            println!("| {name} | not there |");
            continue;
        }
        let circuits = match circuits(&load(&path)) {
            Ok(circuits) => circuits,
            Err(failure) => {
                println!("| {name} | {failure} |");
                continue;
            }
        };
        let network = network_speed(&circuits, 3);
        match lanes_speed(&circuits, 3) {
            Ok((lanes, gates)) => println!(
                "| {name} | {gates} | {} | {} | {:.0} | {:.1} |",
                shown(lanes.states),
                shown(network.states),
                lanes.states / network.states,
                lanes.length
            ),
            Err(failure) => {
                println!("| {name} | | {failure} | {} |", shown(network.states))
            }
        }
    }
}

/// A game with its frame rules as they are written, and translated.
fn load(path: &PathBuf) -> [Arc<Game>; 2] {
    let text = std::fs::read_to_string(path).expect("a rule sheet");
    let program = gdl_front::load(&text, None).program.expect("a valid game");
    let translated = translate(&program, Covering::Direct).expect("a translation").program;
    [program, translated].map(Game::new)
}

/// Both encodings as circuits.
fn circuits(games: &[Arc<Game>; 2]) -> Result<Vec<Arc<Circuit>>, Failure> {
    let circuit = |game| Ok(Arc::new(Circuit::new(&ground(game, &Limits::default())?)));
    games.iter().map(circuit).collect()
}

/// The fastest of several measures.
fn fastest(
    times: usize,
    measure: impl FnMut() -> Result<Speed, Failure>,
) -> Result<Speed, Failure> {
    let speeds: Result<Vec<Speed>, Failure> = std::iter::repeat_with(measure).take(times).collect();
    Ok(speeds?.into_iter().max_by(|a, b| a.states.total_cmp(&b.states)).unwrap_or_default())
}

fn hand_speed(by_hand: ByHand) -> Speed {
    let clock = Clock::start();
    let mut all = Played::default();
    while clock.goes_on() {
        let some = by_hand(20_000);
        all.playouts += some.playouts;
        all.states += some.states;
    }
    Speed {
        states: all.states as f64 / clock.seconds(),
        length: all.states as f64 / all.playouts as f64,
    }
}

fn speed(played: &Playouts, clock: &Clock) -> Speed {
    Speed { states: played.states as f64 / clock.seconds(), length: played.mean_length() }
}

/// The speed with the better encoding, and how many gates that has.
fn lanes_speed(circuits: &[Arc<Circuit>], times: usize) -> Result<(Speed, usize), Failure> {
    let of_circuit = |circuit: &Arc<Circuit>| {
        let lanes = Lanes::new(circuit, 1)?;
        let best = fastest(times, || {
            let mut lanes = lanes.clone();
            let clock = Clock::start();
            let played = lanes.play(&mut || clock.goes_on())?;
            Ok(speed(&played, &clock))
        });
        Ok((best?, circuit.nodes() - circuit.first_gate() as usize))
    };
    type Found = Result<(Speed, usize), Failure>;
    let better = |a: Found, b: Found| match (&a, &b) {
        (Ok(first), Ok(second)) if first.0.states < second.0.states => b,
        (Err(_), Ok(_)) => b,
        _ => a,
    };
    circuits.iter().map(of_circuit).reduce(better).unwrap_or_else(|| Ok(Default::default()))
}

/// The speed with the better encoding.
fn network_speed(circuits: &[Arc<Circuit>], times: usize) -> Speed {
    let of_circuit = |circuit: &Arc<Circuit>| {
        let mut network = Network::of_circuit(circuit.clone());
        fastest(times, || Ok(played_speed(&mut network))).unwrap_or_default()
    };
    let speeds = circuits.iter().map(of_circuit);
    speeds.max_by(|a, b| a.states.total_cmp(&b.states)).unwrap_or_default()
}

fn played_speed(reasoner: &mut dyn Reasoner) -> Speed {
    let clock = Clock::start();
    let played = simulate(reasoner, &mut Random::new(1), &mut || clock.goes_on());
    speed(&played.unwrap_or_default(), &clock)
}

/// A number of states a second.
fn shown(speed: f64) -> String {
    match speed {
        1e7.. => format!("{:.0} M", speed / 1e6),
        1e6.. => format!("{:.2} M", speed / 1e6),
        1e3.. => format!("{:.0} k", speed / 1e3),
        _ => format!("{speed:.0}"),
    }
}
