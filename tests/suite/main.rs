//! The one suite across the crates: what users see, on our games and on the corpus if it is there.

mod bad;
mod cli;
mod common;
mod corpus;
mod games;
mod mutation;
mod tidy;
