//! Measures the accuracy of the statements that the reading model finds in real table talk.
//!
//! The labels refer to the text by episode, line and character positions (see `training/README.md`), so the text itself
//! does not have to be part of the project.

mod labels;
mod matching;
mod measure;

pub use labels::{Chunk, CorpusPart, Label, LabelledStatement, TableTalkError, TalkLabel, read, read_episode_names};
pub use measure::{FoundStatement, PartReport, Players, TableTalkReport, measure};
