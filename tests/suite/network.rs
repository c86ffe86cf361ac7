//! The network against the reference on our games, and against the traces and node counts of the
//! corpus where it is found.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engine::trace::Trace;
use engine::{Game, Limits, Network, Random, Reasoner, Reference, TermId, perft, replay};
use gdl_front::load;

use crate::common::{corpus, root, sheets, text};

fn load_game(path: &Path) -> Arc<Game> {
    Game::new(load(&text(path), None).program.unwrap())
}

fn assert_same(network: &mut Network, reference: &mut Reference, name: &str) {
    assert_eq!(network.state(), reference.state(), "{name}: state");
    assert_eq!(network.is_terminal(), reference.is_terminal(), "{name}: terminal");
    for role in 0..reference.game().roles.len() {
        assert_eq!(network.legal(role), reference.legal(role), "{name}: legal");
        assert_eq!(network.goals(role), reference.goals(role), "{name}: goals");
    }
}

/// A joint move of legal moves; `None` if a role has none.
fn some_moves(reference: &mut Reference, random: &mut Random) -> Option<Vec<TermId>> {
    let roles = reference.game().roles.len();
    (0..roles).map(|role| random.choose(&reference.legal(role).unwrap())).collect()
}

/// Walks forth and back at random; both reasoners make the same steps.
fn check_walk(path: &Path) {
    let name = path.display().to_string();
    let game = load_game(path);
    let mut network = Network::new(&game, &Limits::default()).unwrap();
    let mut reference = Reference::new(game.clone()).unwrap();
    let mut random = Random::new(11);
    let mut hashes = vec![network.hash()];
    for _ in 0..24 {
        assert_same(&mut network, &mut reference, &name);
        let back = reference.is_terminal().unwrap() || random.below(4) == 0;
        if back && hashes.len() > 1 {
            reference.undo().unwrap();
            network.undo().unwrap();
            hashes.pop();
            assert_eq!(hashes.last(), Some(&network.hash()), "{name}: hash");
        } else if let Some(moves) = some_moves(&mut reference, &mut random) {
            reference.apply(&moves).unwrap();
            // The first time gates find what the move does, then it is looked up.
            for _ in 0..2 {
                network.apply(&moves).unwrap();
                assert_same(&mut network, &mut reference, &name);
                network.undo().unwrap();
            }
            network.apply(&moves).unwrap();
            hashes.push(network.hash());
        }
    }
    let state = reference.state().unwrap();
    network.reset().unwrap();
    reference.reset().unwrap();
    assert_same(&mut network, &mut reference, &name);
    network.set_state(&state).unwrap();
    reference.set_state(&state).unwrap();
    assert_same(&mut network, &mut reference, &name);
    assert_eq!(network.undo(), reference.undo());
}

#[test]
fn the_network_agrees_with_the_reference_on_our_games() {
    let games = sheets(&root().join("games"));
    games.iter().for_each(|path| check_walk(path));
    println!("the networks of {} games agree with the reference", games.len());
}

/// Goes to states in which facts hold each other up, or lose what held them up.
#[test]
fn recursion_is_right_when_facts_come_and_go() {
    let ring = "(role x) (node 1) (node 2) (node 3) (node 4) (init (root 1)) (goal x 0)
        (edge 1 2) (edge 2 3) (edge 3 2) (edge 3 4) (edge 4 2) (edge 4 1)
        (<= (init (on ?n)) (node ?n)) (<= (legal x (cut ?n)) (node ?n))
        (<= (next (on ?n)) (true (on ?n)) (not (does x (cut ?n))))
        (<= (next (root ?n)) (does x (cut ?n))) (<= (live ?n) (true (root ?n)))
        (<= (live ?n) (live ?m) (edge ?m ?n) (true (on ?n)))
        (<= (legal x (keep ?n)) (live ?n)) (<= terminal (not (live 2)))";
    let mut texts = vec![ring.to_owned()];
    for name in ["hex", "atari-go"] {
        texts.push(text(&root().join(format!("games/{name}.kif"))));
    }
    for source in texts {
        let game = Game::new(load(&source, None).program.unwrap());
        let mut network = Network::new(&game, &Limits::default()).unwrap();
        let circuit = network.circuit().clone();
        assert!(!circuit.cycles.is_empty());
        let mut reference = Reference::new(game).unwrap();
        let mut random = Random::new(17);
        let mut state: Vec<TermId> = network.state().unwrap();
        for _ in 0..150 {
            // Mostly a few changes, so that much of what is derived stays.
            for _ in 0..1 + random.below(5) {
                let fluent = random.choose(&circuit.fluents).unwrap();
                match state.iter().position(|&known| known == fluent) {
                    Some(place) => drop(state.swap_remove(place)),
                    None => state.push(fluent),
                }
            }
            network.set_state(&state).unwrap();
            reference.set_state(&state).unwrap();
            assert_same(&mut network, &mut reference, "recursion");
        }
    }
}

#[test]
fn states_and_moves_beyond_the_circuit_are_answered() {
    let text = "(role x) (init (at 1)) (next_to 1 2) (next_to 2 3) (next_to 7 8) (legal x stay)
        (<= (legal x (go ?b)) (true (at ?a)) (next_to ?a ?b))
        (<= (next (at ?a)) (true (at ?a)) (does x stay))
        (<= (next (at ?b)) (does x (go ?b))) (goal x 0) (<= terminal (true (at 8)))";
    let game = Game::new(load(text, None).program.unwrap());
    let mut network = Network::new(&game, &Limits::default()).unwrap();
    let mut reference = Reference::new(game.clone()).unwrap();
    let [far, stay] = ["(go 7)", "stay"].map(|text| game.read_term(text).unwrap());
    for moves in [[stay], [far], [stay]] {
        network.apply(&moves).unwrap();
        reference.apply(&moves).unwrap();
        assert_same(&mut network, &mut reference, "beyond");
    }
    for _ in 0..3 {
        assert_eq!(network.undo(), Ok(()));
        reference.undo().unwrap();
        assert_same(&mut network, &mut reference, "back");
    }
    assert!(network.undo().is_err());
    let state = [game.read_term("(at 7)").unwrap()];
    network.set_state(&state).unwrap();
    reference.set_state(&state).unwrap();
    assert_same(&mut network, &mut reference, "set");
}

/// Games of the corpus that are not instantiated within 10 s on one core, with the reason. (The test
/// gives the others more time, for the machine may be busy.)
pub const NOT_GROUND: [(&str, &str); 6] = [
    ("chess", "7.5 million facts after 10 s"),
    ("gt_two_thirds_4p", "rules over all joint moves of four roles"),
    ("gt_two_thirds_6p", "rules over all joint moves of six roles"),
    ("racer4", "rules over pairs of joint moves"),
    ("slaughter", "8.4 million facts after 10 s"),
    ("sudoku", "19.7 million facts after 10 s"),
];

pub fn limits() -> Limits {
    Limits { time: Duration::from_secs(300), ..Limits::default() }
}

/// The games of the corpus that are instantiated, as networks.
pub fn corpus_networks() -> impl Iterator<Item = (String, Network)> {
    let games = corpus().map(|corpus| sheets(&corpus.join("games"))).unwrap_or_default();
    games.into_iter().filter_map(|path| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if NOT_GROUND.iter().any(|(game, _)| *game == name) {
            return None;
        }
        let network = Network::new(&load_game(&path), &limits());
        Some((name.clone(), network.unwrap_or_else(|failure| panic!("{name}: {failure}"))))
    })
}

pub fn node_counts() -> BTreeMap<String, Vec<(u64, u64)>> {
    let mut counts: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
    let text = corpus().map(|corpus| text(&corpus.join("perft.csv"))).unwrap_or_default();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let count = (fields[2].parse().unwrap(), fields[3].parse().unwrap());
        counts.entry(fields[0].to_owned()).or_default().push(count);
    }
    counts
}

#[test]
fn the_network_agrees_with_the_corpus() {
    let counts = node_counts();
    let (mut games, mut states, mut nodes) = (0, 0, 0);
    for (name, mut network) in corpus_networks() {
        let trace = corpus().unwrap().join("traces").join(format!("{name}.json"));
        let trace: Trace = serde_json::from_str(&text(&trace)).unwrap();
        // The first time gates find what a move does, then it is looked up.
        for _ in 0..3 {
            let replayed = replay(&mut network, &trace).unwrap();
            assert!(replayed.differences.is_empty(), "{name}: {:?}", replayed.differences);
            states += replayed.states;
        }
        network.reset().unwrap();
        for (depth, count) in counts.get(&name).into_iter().flatten().enumerate() {
            let level = perft(&mut network, depth, &|| true).unwrap().unwrap();
            assert_eq!((level.nodes, level.terminals), *count, "{name}, depth {depth}");
            nodes += level.nodes;
        }
        games += 1;
    }
    println!("{games} networks agree with the corpus: {states} states, {nodes} nodes");
}
