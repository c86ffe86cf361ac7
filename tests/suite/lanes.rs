//! Lanes against the network: the moves that they choose are replayed one by one, and what random
//! play gives is compared as a whole.

use std::path::Path;
use std::sync::Arc;

use engine::{Circuit, Game, LANES, Lanes, Limits, Network, Reasoner, ground};
use gdl_front::load;

use crate::common::{root, sheets, text};

fn circuit(path: &Path) -> Arc<Circuit> {
    let game = Game::new(load(&text(path), None).program.unwrap());
    Arc::new(Circuit::new(&ground(&game, &Limits::default()).unwrap()))
}

/// Replays what lanes do with networks, so many steps of some lanes.
fn check_replay(circuit: &Arc<Circuit>, steps: usize, lanes: &[usize], name: &str) {
    let mut all = Lanes::new(circuit, 7).unwrap();
    let start = Network::of_circuit(circuit.clone());
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
        all.advance().unwrap();
        for (&lane, network) in lanes.iter().zip(&mut networks) {
            if let Some(network) = network {
                let moves = all.moves_made(lane);
                assert_eq!(moves.len(), circuit.moves.len(), "{name}: lane {lane}, step {step}");
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
    let games = sheets(&root().join("games"));
    let lanes: Vec<usize> = (0..LANES).step_by(37).collect();
    for path in &games {
        let circuit = circuit(path);
        let name = path.display().to_string();
        if Network::of_circuit(circuit.clone()).check_playable().is_ok() {
            check_replay(&circuit, 60, &lanes, &name);
        }
    }
}
