//! Reproducible measurements of Hearsay.
//!
//! - [`beliefs`]: plays stories in which some characters see that an object is moved, and compares the engine's answers
//!   with the answers of a data set.
//! - [`leaks`]: asks characters in generated [`worlds`], removes all data that a character cannot know, asks again, and
//!   compares the answers.
//! - [`mcp_leaks`]: holds MCP sessions as characters in generated worlds, with and without data that the characters
//!   cannot know, and compares the bytes of the responses.
//! - [`crash`]: kills programs while they write to a campaign, and compares the stored operations with the acknowledged
//!   operations.
//! - [`dialogue`]: checks labelled drafts of replies, and measures how many of them the check judges rightly.
//! - [`encoder`]: measures the time of the sentence encoder.
//! - [`end_to_end`]: reads real texts and labelled sentences as the program `hearsay` does, and measures the accepted
//!   facts and the review queue.
//! - [`extraction`]: runs the patterns on labelled sentences, and measures accuracy and calibration.
//! - [`table_talk`]: runs the reading model on real texts, and measures its statements.
//! - [`calibration`]: reliability diagrams and the expected calibration error.
//! - [`learn`]: trains the extractor's classifiers from labelled sentences: relations, attributes, and whether a fact
//!   is past or doubtful.
//! - [`weights`]: fits the weights of the extraction confidence to labelled sentences.
//! - [`speed`]: measures the time and memory that a game and a DM need in a generated world.
//! - [`soak`]: simulates months of play, and measures the size of the directory and the load of the worker.
//! - [`society`]: simulates a town whose characters gossip, distort rumours and forget, and compares the curves with
//!   published models.
//! - [`latency`]: measures the response times of an open campaign.
//! - [`questions`]: measures the response times when a game asks many characters at once.
//! - [`sharing`]: measures several programs that have one campaign open, and kills them while they write.
//! - [`servers`]: measures several programs whose campaign is in a server, kills them and cuts their connections.
//! - [`readers`]: measures the time of writes while panels and an export read the same campaign.
//! - [`frames`]: measures the cost of the Bevy plugin on the main thread, per frame.
//! - [`panel_frames`]: measures the cost of the DM's panels on the main thread, per frame.
//! - [`recall`]: runs retrieval [`tasks`], and measures the accuracy and time of a search.
//!
//! The program `hearsay_eval` prints the results as tables, or as one JSON object per line.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod beliefs;
pub mod calibration;
pub mod crash;
pub mod dialogue;
pub mod encoder;
pub mod end_to_end;
pub mod extraction;
pub mod figures;
pub mod frames;
pub mod latency;
pub mod leaks;
pub mod learn;
pub mod mask;
pub mod mcp_leaks;
pub mod panel_frames;
mod parallel;
pub mod questions;
mod random;
pub mod readers;
pub mod recall;
pub mod recorded_story;
pub mod screen_safe;
pub mod servers;
pub mod sharing;
pub mod soak;
pub mod society;
pub mod speech;
pub mod speed;
pub mod stories;
pub mod table_talk;
pub mod tasks;
pub mod vector_cache;
pub mod weights;
pub mod worlds;

pub use random::Random;
