//! Tests of the public interface of the memory, with the real database. Tests of meaning also use the real model.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::too_many_lines)]

mod asking;
mod compacting;
mod edits;
mod finding;
mod halting;
mod imports;
mod knowing;
mod learning;
#[cfg(feature = "llm")]
mod llm;
mod masked;
mod matching;
mod minds;
mod opening;
mod portraits;
mod proposals;
mod reading;
#[cfg(feature = "remote")]
mod remote;
mod replies;
mod requests;
mod reveals;
mod reviews;
mod sessions;
mod sharing;
mod story;
mod support;
mod talk;
mod tidying;
mod transients;
mod undo;
mod vectors;
mod writes;
