//! Measures Hearsay, so that anyone can reproduce its figures.
//!
//! - [`beliefs`]: stories about who saw a thing put where, played as operations; what the engine answers to the questions
//!   about them, against what the set answers.
//! - [`leaks`]: generated [`worlds`]; what characters are told there, against what they are told in the same world without
//!   all that they cannot know.
//! - [`crash`]: programs that are killed while they write; what was acknowledged, against what is there.
//! - [`encoder`]: how long the sentence encoder takes.
//! - [`extraction`]: labelled sentences; what is read out of them, and how far its confidence can be trusted.
//! - [`learn`]: the extractor's classifiers, learned from labelled sentences: of relations, of attributes, and of what is over or
//!   doubtful.
//! - [`weights`]: the weights of that confidence, fitted to labelled sentences.
//! - [`speed`]: how long the work of a game and a DM takes in a generated world, and how much room that needs.
//! - [`soak`]: what months of play leave in a directory, and what they cost the worker.
//! - [`latency`]: how long a program waits for answers that has a campaign open.
//! - [`readers`]: how long writes take while panels and an export read.
//! - [`frames`]: what the Bevy plugin costs a game on its main thread, frame by frame.
//! - [`panel_frames`]: what the DM's panels cost on the main thread, frame by frame.
//!
//! - [`recall`]: retrieval [`tasks`]; whether what answers a question is found, and how fast.
//!
//! The program `hearsay_eval` prints them as tables, or as one JSON object per line.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod beliefs;
pub mod crash;
pub mod encoder;
pub mod extraction;
pub mod figures;
pub mod frames;
pub mod latency;
pub mod leaks;
pub mod learn;
pub mod panel_frames;
mod random;
pub mod readers;
pub mod recall;
pub mod soak;
pub mod speed;
pub mod stage;
pub mod stories;
pub mod tasks;
pub mod vector_cache;
pub mod weights;
pub mod worlds;

pub use random::Random;
