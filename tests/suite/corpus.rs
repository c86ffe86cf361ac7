//! The public games, where the corpus is found: every one is accepted and survives printing.

use engine::trace::Trace;
use engine::{Dataflow, Game, Reasoner, Reference, replay};
use gdl_front::{Covering, Severity, load, translate};

use crate::common::{corpus, sheets, text};
use crate::games::check_printing;

#[test]
fn every_public_game_is_accepted() {
    let Some(corpus) = corpus() else { return };
    let games = sheets(&corpus.join("games"));
    for path in &games {
        let loaded = load(&text(path), None);
        let errors: Vec<_> = loaded
            .diagnostics
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .collect();
        assert!(errors.is_empty() && loaded.program.is_some(), "{}: {errors:?}", path.display());
    }
    println!("{} games of the corpus are accepted", games.len());
}

#[test]
fn every_public_game_survives_printing() {
    let Some(corpus) = corpus() else { return };
    let games = sheets(&corpus.join("games"));
    for path in &games {
        check_printing(&path.display().to_string(), &text(path));
    }
    println!("{} games of the corpus print to the same tree in both syntaxes", games.len());
}

/// Games in which the reference needs over a second a state, with what it does in that time.
/// `benches/agreement.sh` gives every game a minute, and `benches/results/agreement.md` has what
/// came of it.
const SLOW: [(&str, &str); 8] = [
    ("chess", "pairs of pieces and squares for every legal move"),
    ("crisscross", "rules over six players' joint moves"),
    ("crissrace", "rules over six players' joint moves"),
    ("gt_two_thirds_4p", "rules over all joint moves of four roles"),
    ("gt_two_thirds_6p", "rules over all joint moves of six roles"),
    ("mummymaze1p", "static facts over pairs of squares"),
    ("slaughter", "millions of static facts"),
    ("sudoku", "millions of static facts"),
];

#[test]
fn the_reasoners_agree_with_the_beginnings_of_the_traces() {
    let Some(corpus) = corpus() else { return };
    let (mut games, mut states) = (0, 0);
    for path in sheets(&corpus.join("games")) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if SLOW.iter().any(|(slow, _)| *slow == name) {
            continue;
        }
        let trace = text(&corpus.join("traces").join(format!("{name}.json")));
        let mut trace: Trace = serde_json::from_str(&trace).unwrap();
        trace.matches.truncate(1);
        trace.matches.iter_mut().for_each(|traced| traced.steps.truncate(4));
        let program = load(&text(&path), None).program.unwrap();
        let translated = translate(&program, Covering::Direct).unwrap().program;
        let original = Game::new(program);
        let reasoners: [Box<dyn Reasoner>; 3] = [
            Box::new(Reference::new(original.clone()).unwrap()),
            Box::new(Dataflow::new(original, 1).unwrap()),
            Box::new(Dataflow::new(Game::new(translated), 1).unwrap()),
        ];
        for (number, mut reasoner) in reasoners.into_iter().enumerate() {
            let replayed = replay(reasoner.as_mut(), &trace).unwrap();
            assert_eq!(replayed.differences, [], "{name}, reasoner {number}");
            states += replayed.states;
        }
        games += 1;
    }
    println!("reference and dataflow agree with {games} games of the corpus, {states} states");
    let slow: Vec<_> = SLOW.iter().map(|(game, why)| format!("{game} ({why})")).collect();
    println!("left out: {}", slow.join(", "));
}
