//! The shape of the circuit in which moves are cheapest, found by counting what random moves change:
//! so it is the same in every run.

use std::sync::Arc;

use super::Network;
use super::ids;
use super::wiring::Wiring;
use crate::circuit::{Circuit, Shape};
use crate::random::Random;

/// Where to look: a condition that fewer than a word of gates share is mostly cheaper left to each of
/// them, but not always; the best first.
const SHAPES: [Shape; 5] = [
    Shape { factored: 16, shared: 64 },
    Shape::SMALLEST,
    Shape { factored: 2, shared: 64 },
    Shape { factored: 4, shared: 64 },
    Shape { factored: 64, shared: 64 },
];
/// How many wires a circuit may have for all of these to be tried, and for the first two; larger ones
/// become as small as can be.
const MOST_WIRES: [usize; 2] = [1 << 17, 1 << 22];
/// How many random moves are counted.
const MOVES: u32 = 100;

/// The network of a circuit in the best of the shapes.
pub(super) fn best(circuit: &Arc<Circuit>) -> Network {
    let shapes = match circuit.wires() {
        wires if wires <= MOST_WIRES[0] => &SHAPES,
        wires if wires <= MOST_WIRES[1] => &SHAPES[..2],
        _ => &SHAPES[1..2],
    };
    let networks = shapes.iter().map(|shape| {
        let wiring = Arc::new(Wiring::new(circuit, shape));
        Network::of_wiring(circuit.clone(), wiring)
    });
    let costs = networks.map(|mut network| (cost(&mut network), network));
    let best = costs.min_by_key(|(cost, _)| *cost);
    let mut network = best.expect("there is a shape").1;
    network.restart();
    network
}

/// What random moves change, where others read it.
fn cost(network: &mut Network) -> u64 {
    let mut random = Random::new(0);
    let wiring = network.core.wiring.clone();
    let mut touched = vec![0; wiring.layout.words()];
    let mut cost = 0;
    for made in 1..=MOVES {
        let before = network.core.values.clone();
        if network.random_moves(&mut random, 1) == 0 {
            network.restart();
            continue;
        }
        let changes = before.iter().zip(&network.core.values).map(|(before, now)| before ^ now);
        for place in ids::bits(&changes.collect::<Vec<u64>>()) {
            let readers = wiring.readers(place);
            let links = readers.links.len() + wiring.cyclic(place).len();
            let changes = u64::from(!readers.words.is_empty() || links != 0);
            cost += 2 * changes + (2 * readers.words.len() + links) as u64;
            let of_links = readers.links.iter().map(|link| link / 128);
            for word in readers.words.iter().copied().chain(of_links) {
                cost += 2 * u64::from(std::mem::replace(&mut touched[word as usize], made) != made);
            }
        }
    }
    cost
}
