//! Searches that prove values, against solvers written for the games; puzzles that are solved.

use std::collections::HashMap;
use std::sync::Arc;

use engine::{Game, Limits, Network, Random, Reasoner, TermId};
use player::{Advice, Interrupt, Settings, Simulator, StrategyKind, goal_of};

use crate::common::{root, text};

fn load(name: &str) -> Arc<Game> {
    load_text(&text(&root().join(format!("games/{name}.kif"))))
}

fn load_text(rules: &str) -> Arc<Game> {
    Game::new(gdl_front::load(rules, None).program.unwrap())
}

fn network(game: &Arc<Game>) -> Network {
    Network::new(game, &Limits::default()).unwrap()
}

/// The last advice of a search that ends by itself.
fn search(kind: StrategyKind, role: usize, simulator: &mut dyn Simulator) -> Advice {
    let settings = Settings { role, memory: 1 << 28, ..Settings::default() };
    let mut last = None;
    kind.build(simulator.game().roles.len(), settings)
        .search(simulator, &Interrupt::default(), &mut |advice| last = Some(advice))
        .unwrap();
    last.unwrap()
}

/// What Connect Four is worth to the player to move: 1, 0 or -1. Boards are lists of columns.
struct ConnectFour {
    columns: usize,
    rows: usize,
    known: HashMap<Vec<Vec<u8>>, i32>,
}

impl ConnectFour {
    fn new(columns: usize, rows: usize) -> ConnectFour {
        ConnectFour { columns, rows, known: HashMap::new() }
    }

    fn value(&mut self, board: &mut Vec<Vec<u8>>, player: u8) -> i32 {
        if let Some(&known) = self.known.get(board) {
            return known;
        }
        let mut best = None;
        for column in 0..self.columns {
            if board[column].len() == self.rows || best == Some(1) {
                continue;
            }
            board[column].push(player);
            let value = if self.wins(board, column) { 1 } else { -self.value(board, 1 - player) };
            board[column].pop();
            best = best.max(Some(value));
        }
        let value = best.unwrap_or(0);
        self.known.insert(board.clone(), value);
        value
    }

    /// Whether the disc on top of a column completes a line.
    fn wins(&self, board: &[Vec<u8>], column: usize) -> bool {
        let row = board[column].len() - 1;
        let player = board[column][row];
        let own = |c: i32, r: i32| {
            let disc = usize::try_from(c).ok().and_then(|c| board.get(c));
            let disc = disc.zip(usize::try_from(r).ok()).and_then(|(c, r)| c.get(r));
            disc == Some(&player)
        };
        [(1, 0), (0, 1), (1, 1), (1, -1)].iter().any(|&(x, y)| {
            let run = |sign: i32| {
                let steps = (1..4).map(|n| n * sign);
                let on = |n: &i32| own(column as i32 + n * x, row as i32 + n * y);
                steps.take_while(on).count()
            };
            run(1) + run(-1) >= 3
        })
    }
}

/// Compares minimax with the solver in the initial state and behind random openings.
fn check_connect_four(name: &str, columns: usize, rows: usize, openings: u64) {
    let game = load(name);
    let mut solver = ConnectFour::new(columns, rows);
    for seed in 0..=openings {
        let mut reasoner = network(&game);
        let mut board = vec![Vec::new(); columns];
        let mut random = Random::new(seed);
        let plies = if seed == 0 { 0 } else { 2 + random.below(4) };
        for ply in 0..plies {
            drop_disc(&game, &mut reasoner, &mut board, ply % 2, &mut random);
        }
        if reasoner.is_terminal().unwrap() {
            continue;
        }
        let mover = plies % 2;
        let expected = 50 + 50 * solver.value(&mut board, mover as u8);
        for role in [0, 1] {
            let advice = search(StrategyKind::Minimax, role, &mut reasoner);
            let expected = if role == mover { expected } else { 100 - expected };
            assert_eq!((advice.value, advice.proved), (Some(f64::from(expected)), true), "{seed}");
        }
    }
}

/// Drops a disc into a random column, in the game and on the solver's board. Moves are shown in the
/// order of their columns.
fn drop_disc(
    game: &Game,
    reasoner: &mut Network,
    board: &mut [Vec<u8>],
    mover: usize,
    random: &mut Random,
) {
    let legal = reasoner.legal(mover).unwrap();
    let shown = game.show_all(&legal);
    let chosen = random.below(shown.len());
    let open = (0..board.len()).filter(|&column| board[column].len() < 4).nth(chosen).unwrap();
    board[open].push(mover as u8);
    let action = game.read_term(&shown[chosen]).unwrap();
    let wait = reasoner.legal(1 - mover).unwrap()[0];
    let joint: Vec<TermId> = if mover == 0 { vec![action, wait] } else { vec![wait, action] };
    reasoner.apply(&joint).unwrap();
}

#[test]
fn minimax_proves_small_connect_four() {
    check_connect_four("connect-four-4x4", 4, 4, 6);
    check_connect_four("connect-four-5x4", 5, 4, 1);
}

#[test]
fn tree_search_proves_what_minimax_proves() {
    let game = load("tic-tac-toe");
    for seed in 0..8 {
        let mut reasoner = network(&game);
        let mut random = Random::new(seed);
        for _ in 0..4 {
            let joint = [0, 1].map(|role| random.choose(&reasoner.legal(role).unwrap()).unwrap());
            reasoner.apply(&joint).unwrap();
        }
        for role in [0, 1] {
            let [known, found] = [StrategyKind::Minimax, StrategyKind::Mcts]
                .map(|kind| search(kind, role, &mut reasoner));
            assert!(known.proved && found.proved, "{seed}");
            assert_eq!(found.value, known.value, "{seed}");
        }
    }
}

/// Solves a puzzle and plays the solution, one search a move, as a match does.
fn check_solved(game: &Arc<Game>) {
    let mut reasoner = network(game);
    let mut strategy = StrategyKind::Mcts.build(1, Settings::default());
    while !reasoner.is_terminal().unwrap() {
        let mut last = None;
        strategy
            .search(&mut reasoner, &Interrupt::default(), &mut |advice| last = Some(advice))
            .unwrap();
        let advice: Advice = last.unwrap();
        assert_eq!((advice.value, advice.proved), (Some(100.0), true));
        reasoner.check_legal(&[advice.action]).unwrap();
        reasoner.apply(&[advice.action]).unwrap();
        strategy.advance(&[advice.action]);
    }
    assert_eq!(goal_of(&mut reasoner, 0).unwrap(), 100);
}

#[test]
fn puzzles_are_solved() {
    for name in ["hanoi", "eight-puzzle", "blocks-world", "sokoban", "knights-tour", "sudoku-4x4"] {
        check_solved(&load(name));
    }
}

#[test]
fn lights_go_out_on_a_smaller_board() {
    // The sheet's own board takes half a minute.
    let rules = text(&root().join("games/lights-out.kif"));
    let smaller = rules.replace("(index 5)", "").replace("(succ 4 5)", "");
    assert_ne!(smaller, rules);
    check_solved(&load_text(&smaller));
}

#[test]
fn every_strategy_survives_every_game_of_ours() {
    for path in crate::common::sheets(&root().join("games")) {
        let game = load_text(&text(&path));
        let Ok(mut reasoner) = Network::new(&game, &Limits::default()) else { continue };
        for kind in StrategyKind::ALL {
            let role = game.roles.len() - 1;
            let settings = Settings { role, simulations: Some(20), ..Settings::default() };
            let legal = reasoner.legal(role).unwrap();
            let mut last = None;
            kind.build(game.roles.len(), settings)
                .search(&mut reasoner, &Interrupt::default(), &mut |advice| last = Some(advice))
                .unwrap();
            let advice: Advice = last.unwrap();
            assert!(legal.contains(&advice.action), "{}: {advice:?}", path.display());
        }
    }
}
