//! Many moves taken back at once: what a search does after every playout.

use super::Network;

impl Network {
    /// Whether the position is one that the circuit cannot express, so that only the contract of
    /// all reasoners holds: numbers of moves and the hash mean nothing there.
    pub fn is_outside(&self) -> bool {
        self.outside.is_some()
    }

    /// How many moves can be taken back.
    pub fn moves_made(&self) -> usize {
        self.history.len() / self.next.len().max(1)
    }

    /// Takes moves back until so many are left; costs what the first and the last state differ in,
    /// not what lies between.
    pub fn undo_to(&mut self, moves: usize) {
        if moves < self.moves_made() {
            let words = self.next.len();
            let start = moves * words.max(1);
            let state = self.history[start..start + words].to_vec();
            self.history.truncate(start);
            self.go_to(&state);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Game, Limits, Network, Random, Reasoner};

    #[test]
    fn taking_back_many_moves_is_taking_them_back_one_by_one() {
        let text = "(role x) (init (n 0)) (init (m 3)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 0)
            (<= (legal x (go ?n)) (succ ?n ?m)) (<= (next (n ?m)) (does x (go ?n)) (succ ?n ?m))
            (<= (next (m ?n)) (true (n ?n))) (<= terminal (true (n 9))) (goal x 0)";
        let game = Game::new(gdl_front::load(text, None).program.expect("valid rules"));
        let mut network = Network::new(&game, &Limits::default()).expect("a small game");
        let mut random = Random::new(1);
        let mut play = |network: &mut Network, count: usize| {
            for _ in 0..count {
                let legal = network.legal_ids(0);
                let action = legal[random.below(legal.len())];
                network.apply_ids(&[action]);
            }
        };
        play(&mut network, 3);
        let (state, hash) = (network.state(), network.hash());
        play(&mut network, 9);
        assert_eq!(network.moves_made(), 12);
        network.undo_to(3);
        assert_eq!((network.state(), network.hash(), network.moves_made()), (state, hash, 3));
        (0..3).for_each(|_| assert!(network.undo_ids()));
        assert!(!network.undo_ids());
    }
}
