//! Measures the accuracy of the statements that the reading model finds in real table talk.
//!
//! The labels refer to the text by episode, line and character positions (see `training/README.md`). The project
//! therefore does not have to contain the text itself.

mod labels;
mod matching;
mod measure;

pub(crate) use labels::DM;
pub use labels::{
    Chunk, CorpusPart, Label, LabelledStatement, Players, TableTalkError, TalkLabel, players, read, read_episode_names,
    read_label_names, read_text,
};
pub(crate) use matching::{Cast, MIN_OVERLAP, overlap};
pub use measure::{FoundStatement, PartReport, TableTalkReport, measure};
