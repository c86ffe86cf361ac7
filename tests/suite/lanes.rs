//! Lanes against the network: the moves that they choose are replayed one by one, and what random
//! play gives is compared as a whole.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use engine::{Circuit, Game, LANES, Lanes, Limits, Network, Random, Reasoner, ground};
use gdl_front::load;

use crate::common::{root, sheets, text};
use crate::network::corpus_networks;

fn circuit(path: &Path) -> Arc<Circuit> {
    let game = Game::new(load(&text(path), None).program.unwrap());
    Arc::new(Circuit::new(&ground(&game, &Limits::default()).unwrap()))
}

fn our_circuit(name: &str) -> Arc<Circuit> {
    circuit(&root().join("games").join(format!("{name}.kif")))
}

/// Replays what lanes do with networks that start from the same state, so many steps of some lanes.
fn check_replay(mut all: Lanes, start: &Network, steps: usize, lanes: &[usize], name: &str) {
    let mut networks: Vec<Option<Network>> = vec![None; lanes.len()];
    for step in 0..steps {
        all.settle();
        for (&lane, network) in lanes.iter().zip(&mut networks) {
            let over = network.as_ref().is_some_and(|network| network.is_over());
            assert_eq!(all.has_ended(lane), over, "{name}: the end of lane {lane} at {step}");
            if over {
                *network = None;
            }
            if network.is_none() && all.is_live(lane) {
                *network = Some(start.clone());
            }
            assert_eq!(all.is_live(lane), network.is_some(), "{name}: lane {lane}");
        }
        if all.advance().is_err() {
            // Some lane is in a state in which a role has no move; others may not be.
            return;
        }
        for (&lane, network) in lanes.iter().zip(&mut networks) {
            if let Some(network) = network {
                let moves = all.moves_made(lane);
                assert_eq!(moves.len(), all.circuit().moves.len(), "{name}: lane {lane}");
                for (role, action) in moves.iter().enumerate() {
                    assert!(network.legal_ids(role).contains(action), "{name}: illegal");
                }
                network.apply_ids(&moves);
                assert_eq!(all.state_bits(lane), network.state_bits(), "{name}: step {step}");
            }
        }
    }
}

#[test]
fn lanes_do_what_the_network_does_on_our_games() {
    let lanes: Vec<usize> = (0..LANES).step_by(37).collect();
    for path in sheets(&root().join("games")) {
        let circuit = circuit(&path);
        let start = Network::of_circuit(circuit.clone());
        let name = path.display().to_string();
        check_replay(Lanes::new(&circuit, 7).unwrap(), &start, 60, &lanes, &name);
    }
}

#[test]
fn lanes_do_what_the_network_does_on_the_corpus() {
    let mut games = 0;
    for (name, network) in corpus_networks() {
        let circuit = network.circuit();
        // Compiling the largest takes longer than the rest together.
        if circuit.wires() < 100_000 {
            let all = Lanes::new(circuit, 7).unwrap();
            check_replay(all, &network, 24, &[0, 77, 300, 511], &name);
            games += 1;
        }
    }
    println!("lanes do what the network does in {games} games of the corpus");
}

#[test]
fn lanes_start_from_states_of_any_phase_and_of_none() {
    let circuit = our_circuit("tic-tac-toe");
    let game = &circuit.game;
    let states = [
        "(turn o) | (owns x b2)",
        "(turn x) | (owns x b2) | (owns o a1)",
        "(turn x) | (turn o) | (owns x b2)",
    ];
    for state in states {
        let terms: Vec<_> = state.split('|').map(|it| game.read_term(it).unwrap()).collect();
        let mut start = Network::of_circuit(circuit.clone());
        start.set_state(&terms).unwrap();
        let mut all = Lanes::new(&circuit, 5).unwrap();
        all.start_from(&[start.state_bits()]).unwrap();
        check_replay(all, &start, 40, &[0, 1, 200, 511], state);
    }
}

#[test]
fn many_states_are_evaluated_at_once() {
    let circuit = our_circuit("tic-tac-toe");
    let game = &circuit.game;
    let bits = |state: &str| {
        let terms: Vec<_> = state.split('|').map(|it| game.read_term(it).unwrap()).collect();
        let mut network = Network::of_circuit(circuit.clone());
        network.set_state(&terms).unwrap();
        network.state_bits().to_vec()
    };
    let over =
        bits("(turn o) | (owns x a1) | (owns x b1) | (owns x c1) | (owns o a2) | (owns o b2)");
    // Only c1 and c3 are free: whoever of x and o is to move, x wins with c1, and only then.
    let board = "(owns x a1) | (owns x b1) | (owns o a2) | (owns o b2) | (owns x c2) | (owns x b3) \
                 | (owns o a3)";
    let x_to_move = bits(&format!("(turn x) | {board}"));
    let states: Vec<&[u64]> =
        [&over, &x_to_move].into_iter().cycle().take(700).map(|state| state.as_slice()).collect();
    let mut lanes = Lanes::new(&circuit, 3).unwrap();
    let outcomes = lanes.evaluate(&states, 4, &mut || true).unwrap();
    assert_eq!(outcomes.len(), 700);
    for outcome in outcomes.iter().step_by(2) {
        assert_eq!(outcome.goals, [100 * outcome.playouts as i64, 0], "{outcome:?}");
    }
    let mut wins = 0;
    for outcome in outcomes.iter().skip(1).step_by(2) {
        assert!(outcome.playouts >= 4, "{outcome:?}");
        assert_eq!(outcome.goals.iter().sum::<i64>(), 100 * outcome.playouts as i64);
        wins += i64::from(outcome.goals[0] > 0);
    }
    assert!((250..=350).contains(&wins), "of 350 states {wins} were ever won");
}

#[test]
fn one_state_is_played_out_in_every_lane() {
    let mut random = Random::new(4);
    for name in ["tic-tac-toe", "connect-four", "pursuit", "othello"] {
        let circuit = our_circuit(name);
        let mut network = Network::of_circuit(circuit.clone());
        let roles = circuit.moves.len();
        // Some moves on, so that both phases of games in turn are met.
        for step in 0..3 {
            let bits = network.state_bits().to_vec();
            let mut lanes = Lanes::new(&circuit, 1).unwrap();
            let mut all = |seed, moves| lanes.play_from(&bits, seed, moves, &mut || true).unwrap();
            let (mut played, mut goals) = (0, vec![0; roles]);
            for seed in 0..8 {
                let outcome = all(seed, 1000);
                assert_eq!(outcome.playouts, LANES as u64, "{name}");
                assert_eq!(outcome, all(seed, 1000), "{name}: the same seed");
                played += outcome.playouts;
                goals.iter_mut().zip(&outcome.goals).for_each(|(sum, goal)| *sum += goal);
            }
            assert_eq!(all(1, 0).playouts, 0, "{name}: no move, no end");
            let scalar = mean_goals(&mut network.clone(), 2000, &mut random);
            for role in 0..roles {
                // Goals are between 0 and 100: deviations of the means are below 0.8 and 1.2.
                let mean = goals[role] as f64 / played as f64;
                assert!(
                    (mean - scalar[role]).abs() < 7.0,
                    "{name}, step {step}: {mean} {scalar:?}"
                );
            }
            let joint: Vec<u32> =
                (0..roles).map(|role| random.choose(network.legal_ids(role)).unwrap()).collect();
            network.apply_ids(&joint);
        }
    }
}

/// The mean goals of random matches from where a network stands, one by one.
fn mean_goals(network: &mut Network, matches: usize, random: &mut Random) -> Vec<f64> {
    let roles = network.circuit().moves.len();
    let start = network.state().unwrap();
    let mut sums = vec![0.0; roles];
    for _ in 0..matches {
        network.set_state(&start).unwrap();
        while !network.is_over() {
            let joint: Vec<u32> =
                (0..roles).map(|role| random.choose(network.legal_ids(role)).unwrap()).collect();
            network.apply_ids(&joint);
        }
        for (role, sum) in sums.iter_mut().enumerate() {
            let goal = network.goals(role).unwrap()[0];
            *sum += network.game().show(goal).parse::<f64>().unwrap();
        }
    }
    sums.iter().map(|sum| sum / matches as f64).collect()
}

#[test]
fn the_same_seed_gives_the_same_playouts() {
    let circuit = our_circuit("pursuit");
    let played = |seed| {
        let mut lanes = Lanes::new(&circuit, seed).unwrap();
        lanes.steps(200).unwrap();
        lanes.played()
    };
    assert_eq!(played(1), played(1));
    assert_ne!(played(1), played(2));
}

/// How often each thing was seen: moves at some time, lengths, goals.
type Counts = [BTreeMap<Vec<i64>, u64>; 3];

/// Matches of each lane.
const MATCHES: usize = 8;

/// A finished match.
struct Match {
    moves: Vec<Vec<u32>>,
    goals: Vec<i64>,
}

impl Match {
    /// Counts one of its moves, so that what is counted is independent, its length and its goals.
    fn count(&self, number: usize, counts: &mut Counts) {
        let time = number % 6;
        if let Some(moves) = self.moves.get(time) {
            let moves = moves.iter().map(|&action| i64::from(action));
            *counts[0].entry([time as i64].into_iter().chain(moves).collect()).or_default() += 1;
        }
        *counts[1].entry(vec![self.moves.len() as i64]).or_default() += 1;
        *counts[2].entry(self.goals.clone()).or_default() += 1;
    }
}

/// The first matches of every lane: taking those that end first would favour short ones.
fn of_lanes(circuit: &Arc<Circuit>) -> Counts {
    let mut counts = Counts::default();
    let mut lanes = Lanes::new(circuit, 1).unwrap();
    let mut moves = vec![Vec::new(); LANES];
    let mut ended = vec![0; LANES];
    while ended.iter().any(|&matches| matches < MATCHES) {
        let before: Vec<_> = (0..LANES).map(|lane| lanes.outcome(lane).goals).collect();
        lanes.settle();
        for lane in (0..LANES).filter(|&lane| lanes.has_ended(lane)) {
            let after = lanes.outcome(lane).goals;
            let goals = after.iter().zip(&before[lane]).map(|(after, before)| after - before);
            let played = Match { moves: std::mem::take(&mut moves[lane]), goals: goals.collect() };
            if ended[lane] < MATCHES {
                played.count(LANES * ended[lane] + lane, &mut counts);
            }
            ended[lane] += 1;
        }
        let live: Vec<usize> = (0..LANES).filter(|&lane| lanes.is_live(lane)).collect();
        lanes.advance().unwrap();
        live.into_iter().for_each(|lane| moves[lane].push(lanes.moves_made(lane)));
    }
    counts
}

/// As many matches, one by one.
fn of_network(circuit: &Arc<Circuit>) -> Counts {
    let mut counts = Counts::default();
    let mut network = Network::of_circuit(circuit.clone());
    let mut random = Random::new(2);
    for number in 0..LANES * MATCHES {
        network.restart();
        let mut moves: Vec<Vec<u32>> = Vec::new();
        while !network.is_over() {
            let roles = 0..circuit.moves.len();
            let chosen = roles.map(|role| random.choose(network.legal_ids(role)).unwrap());
            moves.push(chosen.collect());
            network.apply_ids(&moves[moves.len() - 1]);
        }
        let goal = |role: usize| {
            let values = network.goal_values(role).collect::<Vec<_>>();
            engine::trace::goal_values(&circuit.game, &values).pop().unwrap_or(0)
        };
        let goals = (0..circuit.moves.len()).map(goal).collect();
        Match { moves, goals }.count(number, &mut counts);
    }
    counts
}

/// Whether two samples may come from the same distribution (chi-squared, p about 1 in 10,000).
fn assert_alike(a: &BTreeMap<Vec<i64>, u64>, b: &BTreeMap<Vec<i64>, u64>, what: &str) {
    let totals = [a, b].map(|counts| counts.values().sum::<u64>() as f64);
    let mut keys: Vec<&Vec<i64>> = a.keys().chain(b.keys()).collect();
    keys.sort();
    keys.dedup();
    let of = |key: &Vec<i64>| [a, b].map(|counts| *counts.get(key).unwrap_or(&0) as f64);
    // What is rare is counted together.
    let mut rare = [0.0; 2];
    let mut classes = Vec::new();
    for counts in keys.into_iter().map(of) {
        if counts[0] + counts[1] < 20.0 {
            rare = [rare[0] + counts[0], rare[1] + counts[1]];
        } else {
            classes.push(counts);
        }
    }
    classes.extend((rare[0] + rare[1] > 0.0).then_some(rare));
    let part = |[a, b]: &[f64; 2]| {
        let ratio = f64::sqrt(totals[1] / totals[0]);
        (ratio * a - b / ratio).powi(2) / (a + b)
    };
    let sum: f64 = classes.iter().map(part).sum();
    let freedom = classes.len() as f64 - 1.0;
    assert!(sum <= freedom + 4.0 * f64::sqrt(2.0 * freedom) + 6.0, "{what}: {sum} for {freedom}");
}

#[test]
fn random_play_in_lanes_is_that_of_the_network() {
    let games = [
        "tic-tac-toe",
        "connect-four",
        "breakthrough-6x6",
        "rock-paper-scissors",
        "minority",
        "tron",
        "three-player-tic-tac-toe",
        "atari-go",
        "hex",
        "nim",
    ];
    let mut recursive = 0;
    for name in games {
        let circuit = our_circuit(name);
        recursive += usize::from(!circuit.cycles.is_empty());
        let [lanes, network] = [of_lanes(&circuit), of_network(&circuit)];
        for (number, what) in ["moves", "lengths", "goals"].into_iter().enumerate() {
            assert_alike(&lanes[number], &network[number], &format!("{name}: {what}"));
        }
    }
    assert!(recursive > 0, "no game with recursion among them");
}
