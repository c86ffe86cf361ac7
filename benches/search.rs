//! How fast searches are: MCTS simulations and minimax nodes a second, by reasoner.
//!
//! `cargo bench --bench search [-- SECONDS [GAME…]]` prints a table in Markdown. Each number comes
//! from one search of so many seconds (1 if not given) from the initial state, in one thread; the
//! ratios between the columns of a row matter, the machine is shared. With lanes, where the player
//! would use them, a simulation is one of the playouts that leaves are judged by.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Game, Lanes, Limits, Network, Reference};
use player::{Advice, Hosted, Interrupt, Settings, Simulator, StrategyKind, simulator};

const GAMES: [&str; 10] = [
    "tic-tac-toe",
    "connect-four",
    "breakthrough",
    "othello",
    "draughts",
    "gomoku",
    "amazons",
    "tron",
    "three-player-tic-tac-toe",
    "kalah",
];

fn main() {
    // Cargo passes `--bench`.
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let seconds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    let named: Vec<String> = arguments.collect();
    let games = if named.is_empty() { GAMES.map(str::to_owned).to_vec() } else { named };
    let engines: [(&str, Start); 3] =
        [("reference", reference), ("dataflow", dataflow), ("network", network)];
    let columns = ["mcts", "minimax"].map(|kind| {
        engines.map(|(engine, _)| format!("{kind}, {engine} | ")).concat() + "network : reference"
    });
    println!("| game | {} | mcts, lanes |", columns.join(" | "));
    println!("|---|{}", "---:|".repeat(9));
    for name in games {
        let game = load(&name);
        let cells = [StrategyKind::Mcts, StrategyKind::Minimax].map(|kind| {
            let rates = engines.map(|(_, start)| {
                start(&game).map(|mut engine| rate(kind, engine.as_mut(), seconds))
            });
            let ratio = rates[0].zip(rates[2]).map(|(slow, fast)| fast / slow);
            rates.map(|rate| shown(rate, 0) + " | ").concat() + &shown(ratio, 1)
        });
        let lanes = lanes(&game);
        let lanes = lanes.map(|mut engine| rate(StrategyKind::Mcts, engine.as_mut(), seconds));
        println!("| {name} | {} | {} |", cells.join(" | "), shown(lanes, 0));
    }
}

/// Starts a reasoner; `None` if the game is too large for it.
type Start = fn(&Arc<Game>) -> Option<Box<dyn Simulator>>;

fn load(name: &str) -> Arc<Game> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("games/{name}.kif"));
    let text = std::fs::read_to_string(path).expect("a rule sheet");
    Game::new(gdl_front::load(&text, None).program.expect("a valid game"))
}

fn reference(game: &Arc<Game>) -> Option<Box<dyn Simulator>> {
    Some(Box::new(Reference::new(game.clone()).ok()?))
}

fn dataflow(game: &Arc<Game>) -> Option<Box<dyn Simulator>> {
    Some(Box::new(Hosted::new(game).ok()?))
}

fn network(game: &Arc<Game>) -> Option<Box<dyn Simulator>> {
    Some(Box::new(Network::new(game, &Limits::default()).ok()?))
}

/// What the player takes, if that has lanes.
fn lanes(game: &Arc<Game>) -> Option<Box<dyn Simulator>> {
    simulator(game).ok().filter(|engine| engine.name() == Lanes::NAME)
}

/// Simulations or nodes a second.
fn rate(kind: StrategyKind, simulator: &mut dyn Simulator, seconds: f64) -> f64 {
    let mut strategy = kind.build(simulator.game().roles.len(), Settings::default());
    let begun = Instant::now();
    let interrupt = Interrupt::at(begun + Duration::from_secs_f64(seconds));
    let mut last: Option<Advice> = None;
    let outcome = strategy.search(simulator, &interrupt, &mut |advice| last = Some(advice));
    outcome.expect("a search without failure");
    last.map_or(0.0, |advice| advice.effort as f64) / begun.elapsed().as_secs_f64()
}

fn shown(number: Option<f64>, digits: usize) -> String {
    number.map_or("-".to_owned(), |number| format!("{number:.digits$}"))
}
