//! What a search needs of a reasoner beyond the contract of all reasoners: copies for other
//! threads, a key for each state, and random playouts in bulk where the reasoner has a fast way.

use engine::{Failure, Random, Reasoner, Reference, TermId};

/// A reasoner that a search can walk with.
pub trait Simulator: Reasoner + Send {
    /// Another one for the same game, to be used by another thread. Where it stands is not defined.
    fn fork(&self) -> Result<Box<dyn Simulator>, Failure>;

    /// A number for the state: equal for equal states, different for others but by rare chance.
    fn key(&mut self) -> Result<u64, Failure> {
        Ok(key_of(&self.state()?))
    }

    /// Plays about `count` uniformly random playouts from the state, which stays, in a way that is
    /// faster than step by step; `None` if there is no such way.
    fn playouts(&mut self, _count: usize, _random: &mut Random) -> Option<Playouts> {
        None
    }
}

/// The outcome of many playouts.
#[derive(Clone, Debug, PartialEq)]
pub struct Playouts {
    /// How many reached an end.
    pub count: usize,
    /// The sum of the goal values of each role over them.
    pub totals: Vec<f64>,
}

/// The key of a state, from its fluents in any order.
pub fn key_of(state: &[TermId]) -> u64 {
    state.iter().fold(0, |key, &fluent| key ^ fluent_key(fluent))
}

/// What a fluent adds to the key: well-mixed bits of its id (the finaliser of SplitMix64).
pub fn fluent_key(fluent: TermId) -> u64 {
    let mut mixed = u64::from(fluent.0).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl Simulator for Reference {
    fn fork(&self) -> Result<Box<dyn Simulator>, Failure> {
        Ok(Box::new(self.clone()))
    }
}
