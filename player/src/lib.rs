//! Reasoner to moves under a clock: strategies, the GGP protocol, and the match manager.
//!
//! A [`StrategyKind`] builds a search over any [`Simulator`], which is a reasoner with a few
//! extras.

mod board;
mod contestant;
mod desk;
mod drawing;
mod engines;
mod goals;
mod hosted;
mod http;
mod interrupt;
mod laned;
mod mailbox;
mod manager;
mod protocol;
mod record;
mod scramble;
mod server;
mod session;
mod simulator;
mod strategy;
mod thinker;
mod tournament;

pub use contestant::{Contestant, Fault, Local, Remote};
pub use desk::{Desk, Setup};
pub use drawing::Drawing;
pub use engines::simulator;
pub use goals::{BEST_GOAL, all_goals, goal_number, goal_of};
pub use hosted::Hosted;
pub use interrupt::Interrupt;
pub use manager::{MatchProblem, Plan, run_match};
pub use protocol::{Malformed, Message, Reply, Start, Step};
pub use record::{FaultNote, Record};
pub use server::{Server, Stopper};
pub use session::{Margin, Session, Style};
pub use simulator::{Simulator, fluent_key, key_of};
pub use strategy::{Advice, Settings, Strategy, StrategyKind, UnknownStrategy};
pub use tournament::{Interval, Tally, line_ups};
