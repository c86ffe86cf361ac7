//! Translated frame rules against the original ones: the same states, legal moves, goals and node
//! counts, whatever the covering.

use std::time::Duration;

use engine::trace::{Trace, record};
use engine::{Failure, Game, Limits, Network, Reasoner, Reference, perft, replay};
use gdl_front::program::Program;
use gdl_front::{Covering, FluentOutcome, load, translate};

use crate::common::{corpus, inertia, root, sheets, text};
use crate::network::node_counts;

const COVERINGS: [Covering<'static>; 2] = [Covering::Generic, Covering::Direct];

/// Node counts are compared up to levels of this size.
const MAX_NODES: u64 = 20_000;

fn translated(program: &Program, covering: Covering<'_>) -> Program {
    translate(program, covering).unwrap().program
}

#[test]
fn translated_games_play_like_the_originals() {
    let games = sheets(&root().join("games"));
    for path in &games {
        let name = path.display().to_string();
        let program = load(&text(path), None).program.unwrap();
        let mut original = Reference::new(Game::new(program.clone())).unwrap();
        let trace = record(&mut original, &name, 3, 2, 30).unwrap();
        for covering in COVERINGS {
            let game = Game::new(translated(&program, covering));
            let mut reference = Reference::new(game.clone()).unwrap();
            let replayed = replay(&mut reference, &trace).unwrap();
            assert_eq!(replayed.differences, [], "{name}, {covering:?}, reference");
            let mut network = Network::new(&game, &Limits::default()).unwrap();
            let replayed = replay(&mut network, &trace).unwrap();
            assert_eq!(replayed.differences, [], "{name}, {covering:?}, network");
        }
    }
    println!("{} games play the same when translated", games.len());
}

#[test]
fn translated_games_agree_with_the_corpus() {
    let Some(corpus) = corpus() else { return };
    let counts = node_counts();
    // Larger games take long, and show nothing that smaller ones do not.
    let limits = Limits { time: Duration::from_secs(3), rules: 200_000, ..Limits::default() };
    let mut left_out = Vec::new();
    let (mut games, mut states, mut nodes) = (0, 0, 0);
    for path in sheets(&corpus.join("games")) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let program = load(&text(&path), None).program.unwrap();
        let trace = corpus.join("traces").join(format!("{name}.json"));
        let trace: Trace = serde_json::from_str(&text(&trace)).unwrap();
        for covering in COVERINGS {
            let game = Game::new(translated(&program, covering));
            let mut network = match Network::new(&game, &limits) {
                Err(Failure::Limit(_)) => {
                    left_out.push(name.clone());
                    continue;
                }
                network => network.unwrap(),
            };
            // The first time gates find what a move does, then it is looked up.
            for _ in 0..3 {
                let replayed = replay(&mut network, &trace).unwrap();
                assert_eq!(replayed.differences, [], "{name}, {covering:?}");
                states += replayed.states;
            }
            network.reset().unwrap();
            let levels = counts.get(&name).into_iter().flatten().enumerate();
            for (depth, count) in levels.take_while(|(_, count)| count.0 <= MAX_NODES) {
                let level = perft(&mut network, depth, &|| true).unwrap().unwrap();
                assert_eq!((level.nodes, level.terminals), *count, "{name}, depth {depth}");
                nodes += level.nodes;
            }
            games += 1;
        }
    }
    println!("{games} translations agree with the corpus: {states} states, {nodes} nodes");
    left_out.dedup();
    println!("left out, over 200,000 ground rules or 3 s: {}", left_out.join(", "));
    assert!(left_out.len() < 60, "{left_out:?}");
}

#[test]
fn most_frame_rules_of_the_corpus_are_translated() {
    let Some(corpus) = corpus() else { return };
    let (mut with_frame_rules, mut complete) = (0, 0);
    for path in sheets(&corpus.join("games")) {
        let program = load(&text(&path), None).program.unwrap();
        let translation = translate(&program, Covering::Direct).unwrap();
        let is_left = |outcome: &FluentOutcome| {
            !matches!(outcome, FluentOutcome::NoFrameRule | FluentOutcome::Translated { .. })
        };
        let left = translation.fluents.iter().any(|report| is_left(&report.outcome));
        let found = translation.fluents.iter().any(|report| !report.frame_rules.is_empty());
        with_frame_rules += usize::from(found);
        complete += usize::from(found && !left);
    }
    println!("{complete} of {with_frame_rules} games with frame rules are translated in full");
    assert!(complete * 100 >= with_frame_rules * 85);
}

#[test]
fn the_command_line_translates_and_reports() {
    let game = "games/breakthrough.kif";
    let printed = inertia(&["translate", game]);
    assert_eq!(printed.code, 0, "{}", printed.err);
    assert!(printed.out.contains("(fnext (piece "), "{}", printed.out);
    let infix = inertia(&["translate", "--syntax", "infix", "--covering", "generic", game]);
    assert!(infix.out.contains("fnext(piece("), "{}", infix.out);
    let report = inertia(&["translate", "--report", game]);
    assert!(report.out.contains("1 of 2 fluents translated, 1 frame rule"), "{}", report.out);
    assert!(report.out.contains("no frame rule: derived anew"), "{}", report.out);
    let json = inertia(&["translate", "--report", "--json", game]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["fluents"][0]["translated"], true);
    let taken = inertia(&["translate", "tests/frame/fnext_taken.kif"]);
    assert_eq!(taken.code, 1);
    assert!(taken.err.contains("error[G405]"), "{}", taken.err);
}

#[test]
fn the_frame_can_be_chosen_wherever_an_engine_is() {
    for frame in ["original", "generic", "direct"] {
        let arguments =
            ["perft", "games/nim.kif", "--depth", "3", "--engine", "reference", "--frame", frame];
        let run = inertia(&arguments);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.lines().last().unwrap().contains(" 3 "), "{}", run.out);
    }
}
