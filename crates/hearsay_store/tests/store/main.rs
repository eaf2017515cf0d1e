//! The store from outside: what was acknowledged is there after closing, crashing and damage; the graph follows.
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
mod repair;
mod transients;
mod worlds;
