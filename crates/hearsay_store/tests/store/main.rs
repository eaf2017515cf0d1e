//! Tests of the public API of the store: acknowledged data survives closing, crashes and damage, and the graph tables
//! follow the journal.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr
)]

mod compact;
mod crash;
mod damage;
mod faults;
mod graph;
mod journal;
mod remote;
mod repair;
mod transients;
mod worlds;
