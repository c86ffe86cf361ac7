//! A program to answers, incrementally: the ways to reason about a game.
//!
//! ```
//! use engine::{Game, Reasoner, Reference};
//!
//! let text = "(role x) (init (step 1)) (succ 1 2) (<= (legal x go) (true (step 1)))
//!     (<= (next (step ?m)) (does x go) (true (step ?n)) (succ ?n ?m))
//!     (<= terminal (true (step 2))) (<= (goal x 100) (true (step 2)))";
//! let game = Game::new(gdl_front::load(text, None).program.expect("a valid game"));
//! let mut reasoner = Reference::new(game.clone())?;
//! let go = reasoner.legal(0)?[0];
//! reasoner.apply(&[go])?;
//! assert!(reasoner.is_terminal()?);
//! assert_eq!(game.show(reasoner.state()?[0]), "(step 2)");
//! # Ok::<(), engine::Failure>(())
//! ```

mod circuit;
mod dataflow;
mod game;
mod ground;
mod kernel;
mod lanes;
mod lists;
mod mutex;
mod network;
mod perft;
mod plan;
mod playout;
mod processor;
mod random;
mod reasoner;
mod reference;
mod replay;
mod row;
mod session;
mod table;
mod terms;
pub mod trace;

pub use circuit::{Circuit, Cycle, Guard, Pass, Wire, print_circuit};
pub use dataflow::{Dataflow, StateChange, World, Worlds};
pub use game::{Game, UnknownTerm};
pub use ground::{Ground, Instances, Limits, Statistics, ground, print_ground};
pub use lanes::{LANES, Lanes, Outcome};
pub use mutex::{MutexGroup, mutex_groups};
pub use network::Network;
pub use perft::{BatchPerft, Level, joint_moves, perft};
pub use plan::{Plan, Visible};
pub use playout::{Playouts, simulate};
pub use random::Random;
pub use reasoner::{Failure, Reasoner};
pub use reference::{Facts, Reference};
pub use replay::{Difference, Replay, replay};
pub use session::{Answer, Changes, FactChanges, Session, WatchId};
pub use terms::{Arena, TermId, Terms};
