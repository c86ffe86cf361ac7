//! The one suite across the crates: what users see, on our games and on the corpus if it is there.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod bad;
mod circuit;
mod cli;
mod common;
mod corpus;
mod dataflow;
mod frame;
mod games;
mod ground;
mod lanes;
mod matches;
mod mutation;
mod network;
mod random;
mod readme;
mod session;
mod solving;
mod tidy;
mod touched;
