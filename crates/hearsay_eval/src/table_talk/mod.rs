//! Accuracy of statements that the reading model finds in real table talk.
//!
//! The labels refer to a text by episode, line and characters (`training/README.md`), so the text itself is not part of the
//! project.

mod labels;
mod matching;
mod measure;

pub use labels::{Chunk, Label, LabelledStatement, Part, TableTalkError, TalkKind, read, split};
pub use measure::{Found, PartReport, Players, TableTalkReport, measure};
