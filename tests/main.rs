//! Tests that use several crates of the project. They are linked into one binary.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod architecture;
mod compression;
mod crash;
mod fuzz_corpus;
mod gullhaven;
mod vocabulary;
