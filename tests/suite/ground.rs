//! Instantiated games: they read back as the same game, and limits end an instantiation.

use std::sync::Arc;
use std::time::Duration;

use engine::trace::record;
use engine::{
    Game, Limits, Network, Random, Reference, ground, mutex_groups, print_ground, replay,
};
use gdl_front::{any_error, load};

use crate::common::{inertia, root, sheets, text};

/// Ground sheets larger than this take longer to read than they teach.
const MOST_RULES: usize = 12_000;

fn game(text: &str) -> Arc<Game> {
    let loaded = load(text, None);
    assert!(!any_error(&loaded.diagnostics), "{:?}", loaded.diagnostics);
    Game::new(loaded.program.unwrap())
}

#[test]
fn our_games_read_back_from_ground_rules() {
    let mut games = 0;
    for path in sheets(&root().join("games")) {
        let name = path.display().to_string();
        let original = game(&text(&path));
        let rules = ground(&original, &Limits::default()).unwrap();
        if rules.rules.len() > MOST_RULES {
            continue;
        }
        let again = game(&print_ground(&rules));
        let mut network = Network::new(&original, &Limits::default()).unwrap();
        let trace = record(&mut network, &name, 3, 1, 40).unwrap();
        let mut network = Network::new(&again, &Limits::default()).unwrap();
        let replayed = replay(&mut network, &trace).unwrap();
        assert!(replayed.differences.is_empty(), "{name}: {:?}", replayed.differences);
        games += 1;
    }
    assert!(games > 30, "only {games} games were small enough");
}

#[test]
fn limits_end_an_instantiation_with_numbers() {
    let othello = game(&text(&root().join("games/othello.kif")));
    let limits = |time, memory, rules| Limits { time, memory, rules };
    let long = Duration::from_secs(60);
    for (limits, word) in [
        (limits(Duration::ZERO, 1 << 30, 1 << 30), "more than 0 s"),
        (limits(long, 1000, 1 << 30), "MiB"),
        (limits(long, 1 << 30, 100), "ground rules"),
    ] {
        let failure = ground(&othello, &limits).unwrap_err().to_string();
        assert!(failure.contains(word), "{failure}");
    }
}

#[test]
fn a_rule_with_too_many_instances_is_broken_off() {
    let numbers: String = (0..100).map(|number| format!("(number {number}) ")).collect();
    let tuples = "(<= (tuple ?a ?b ?c ?d ?e) (number ?a) (number ?b) (number ?c) (number ?d) \
                  (number ?e))";
    let rest = "(role r) (init on) (<= (legal r (go ?a ?b ?c ?d ?e)) (tuple ?a ?b ?c ?d ?e)) \
                (<= (next on) (true on)) (<= terminal (not (true on))) (goal r 100)";
    let game = game(&format!("{numbers}{tuples}{rest}"));
    let limits = Limits { memory: 16 << 20, ..Limits::default() };
    let failure = ground(&game, &limits).unwrap_err().to_string();
    assert!(failure.contains("needs more than 16 MiB"), "{failure}");
    assert!(failure.ends_with("of them of `tuple`"), "{failure}");
}

/// Random matches of the reference, walked by the network.
fn assert_network_agrees(game: &Arc<Game>) {
    let mut reference = Reference::new(game.clone()).unwrap();
    let trace = record(&mut reference, "agreement", 20, 1, 40).unwrap();
    let mut network = Network::new(game, &Limits::default()).unwrap();
    let replayed = replay(&mut network, &trace).unwrap();
    assert!(replayed.differences.is_empty(), "{:?}", replayed.differences);
}

#[test]
fn conditions_that_share_no_variable_do_not_multiply() {
    let numbers: String = (0..30)
        .map(|number| format!("(number {number}) (succ {number} {}) ", number + 1))
        .collect();
    // Two pieces on a board, each of which walks or stays, and a record of where they were together.
    let rest = "(role r) (init (white 0 0)) (init (black 3 3))
        (<= (legal r (walk ?x ?y)) (number ?x) (number ?y))
        (<= (next (white ?x ?y)) (does r (walk ?x ?y)))
        (<= (next (black ?x ?y)) (true (white ?x ?y)))
        (<= (next (low ?n)) (true (white ?x ?y)) (succ ?n ?x) (not (true (low ?x)))
            (true (black ?v ?w)) (distinct ?v ?w))
        (<= terminal (true (white ?x ?x)) (true (black ?v ?w)) (succ ?v ?w))
        (<= (goal r 100) (true (white ?x ?y)) (true (black ?v ?w)) (not (true (low ?y))) (succ ?v ?w))
        (<= (goal r 0) (not (true (white 0 0))))";
    let game = game(&format!("{numbers}{rest}"));
    let rules = ground(&game, &Limits::default()).unwrap().rules.len();
    assert!(rules < 12 * 900, "{rules} rules, for 900 squares");
    assert_network_agrees(&game);
}

#[test]
fn chains_of_conditions_are_instantiated_link_by_link() {
    let mut sheet = String::new();
    for a in 0..20 {
        (0..60).for_each(|b| sheet += &format!("(sum {b} {a} {})", a + b));
        sheet += &format!("(number {a})");
    }
    sheet += "(role p) (role q) (role r) (role s) (<= (legal ?x (say ?n)) (role ?x) (number ?n))
        (init (said p 0)) (<= (next (said ?x ?n)) (does ?x (say ?n)))
        (<= (next (total ?t)) (true (said p ?a)) (true (said q ?b)) (sum ?a ?b ?ab)
            (true (said r ?c)) (sum ?ab ?c ?abc) (true (said s ?d)) (sum ?abc ?d ?t))
        (<= terminal (true (total ?t))) (<= (goal ?x ?t) (role ?x) (true (total ?t)))";
    let game = game(&sheet);
    let rules = ground(&game, &Limits::default()).unwrap().rules.len();
    assert!(rules < 5_000, "{rules} rules, for 160,000 ways to say four numbers");
    assert_network_agrees(&game);
}

#[test]
fn fluents_of_one_place_exclude_each_other() {
    let game = game(&text(&root().join("games/connect-four.kif")));
    let mut network = Network::new(&game, &Limits::default()).unwrap();
    let groups = mutex_groups(&mut network, &mut Random::new(1), 20, 100).unwrap();
    let shown: Vec<String> =
        groups.iter().map(|group| game.show_all(&group.fluents).join(" ")).collect();
    let place = |text: &str| shown.iter().position(|group| group == text).unwrap();
    assert!(groups[place("(disc 1 1 red) (disc 1 1 yellow)")].may_be_none);
    assert!(!groups[place("(turn red) (turn yellow)")].may_be_none);
    // A column has one free row, or none is left: the group runs over the rows.
    assert!(shown.iter().any(|group| group.starts_with("(free 1 1) (free 1 2)")), "{shown:?}");
}

#[test]
fn the_command_line_grounds_games() {
    let run = inertia(&["ground", "games/tic-tac-toe.kif"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("(<= (next (owns x a1)) (does x (mark a1)))"), "{}", run.out);
    let run = inertia(&["ground", "--stats", "games/tic-tac-toe.kif"]);
    assert!(run.out.contains("fluents                20"), "{}", run.out);
    let run = inertia(&["ground", "--json", "games/tic-tac-toe.kif"]);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["moves"], serde_json::json!([10, 10]));
    let run = inertia(&["ground", "--mutex", "--json", "games/tic-tac-toe.kif"]);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["status"], "observed");
    assert_eq!(report["groups"].as_array().unwrap().len(), 10, "{}", run.out);
    let run = inertia(&["ground", "--limit", "rules=10", "games/tic-tac-toe.kif"]);
    assert_eq!(run.code, 3);
    assert!(run.err.contains("ground rules"), "{}", run.err);
    assert_eq!(inertia(&["ground", "--limit", "apples=10", "games/nim.kif"]).code, 2);
    for stage in ["ground", "network"] {
        let run = inertia(&["print", "--stage", stage, "games/nim.kif"]);
        assert!(run.code == 0 && run.out.lines().count() > 50, "{}", run.out);
    }
}

#[test]
fn the_network_answers_on_the_command_line() {
    let network = inertia(&["perft", "games/nim.kif", "--depth", "3", "--engine", "network"]);
    let reference = inertia(&["perft", "games/nim.kif", "--depth", "3", "--engine", "reference"]);
    let counts = |run: &str| -> Vec<String> {
        run.lines().map(|line| line.split_whitespace().take(3).collect()).collect()
    };
    assert_eq!(counts(&network.out), counts(&reference.out));
    let run = inertia(&["-v", "simulate", "games/nim.kif", "--seconds", "0.1"]);
    assert!(run.out.contains("with lanes"), "{}", run.out);
    assert!(run.err.contains("moves/s"), "{}", run.err);
}
