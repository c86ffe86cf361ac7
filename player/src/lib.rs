//! Reasoner to moves under a clock: strategies, the GGP protocol, and the match manager.
//!
//! A [`StrategyKind`] builds a search over any [`Simulator`], which is a reasoner with a few
//! extras.

mod goals;
mod interrupt;
mod simulator;
mod strategy;

pub use goals::{BEST_GOAL, all_goals, goal_number, goal_of};
pub use interrupt::Interrupt;
pub use simulator::{Playouts, Simulator, fluent_key, key_of};
pub use strategy::{Advice, Settings, Strategy, StrategyKind, UnknownStrategy};
