//! What a search needs of a reasoner beyond the contract of all reasoners: copies for other
//! threads, a key for each state, quick returns, and the network itself where it is one.

use engine::{Failure, Network, Random, Reasoner, Reference, TermId};

/// A reasoner that a search can walk with.
pub trait Simulator: Reasoner + Send {
    /// Another one for the same game, to be used by another thread. Where it stands is not defined.
    fn fork(&self) -> Result<Box<dyn Simulator>, Failure>;

    /// A number for the state: equal for equal states, different for others but by rare chance.
    fn key(&mut self) -> Result<u64, Failure> {
        Ok(key_of(&self.state()?))
    }

    /// Takes back so many moves.
    fn undo_many(&mut self, count: usize) -> Result<(), Failure> {
        (0..count).try_for_each(|_| self.undo())
    }

    /// The network, where moves are numbers and playouts are quick; `None` if this is none, or if
    /// it stands where its numbers mean nothing.
    fn network(&mut self) -> Option<&mut Network> {
        None
    }

    /// What many random playouts from here give each role on average, between 0 and 1, and how many
    /// they were; `None` where they cannot be had together.
    fn mean_of_playouts(
        &mut self,
        _random: &mut Random,
        _go_on: &mut dyn FnMut() -> bool,
    ) -> Option<(Vec<f64>, u64)> {
        None
    }
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

impl Simulator for Network {
    fn fork(&self) -> Result<Box<dyn Simulator>, Failure> {
        Ok(Box::new(self.clone()))
    }

    fn key(&mut self) -> Result<u64, Failure> {
        if self.is_outside() { Ok(key_of(&self.state()?)) } else { Ok(self.hash()) }
    }

    fn undo_many(&mut self, count: usize) -> Result<(), Failure> {
        if self.is_outside() {
            return (0..count).try_for_each(|_| self.undo());
        }
        let left = self.moves_made().checked_sub(count).ok_or(Failure::NothingToUndo)?;
        self.undo_to(left);
        Ok(())
    }

    fn network(&mut self) -> Option<&mut Network> {
        if self.is_outside() { None } else { Some(self) }
    }
}
