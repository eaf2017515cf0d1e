//! Transcripts of sessions in plain text, WebVTT, SubRip and JSON lines. A transcript is read as a list of utterances with
//! speakers.
//!
//! A transcript comes from a recorder, a captioning service or a chat export. The reader does not use the campaign. The
//! reader returns the names of the speakers in the file, and the engine links these names to entities.

mod captions;
mod json_lines;
mod line;
mod live;
mod plain;
mod read;
#[cfg(test)]
mod tests;
mod utterance;

pub use line::{split_hearers, split_speaker};
pub use live::{LiveTranscript, LiveUpdate, TranscriptWriter};
pub use read::{Transcript, TranscriptError};
pub use utterance::{PlaceMark, TranscriptFormat, Utterance};
