//! Transcripts of sessions in plain text, WebVTT and SubRip, as utterances with speakers.
//!
//! A transcript comes from a recorder, a captioning service or a chat export. The reader returns speakers as they are
//! written and does not use the campaign: the engine links them to entities.

mod captions;
mod line;
mod plain;
mod read;
#[cfg(test)]
mod tests;
mod utterance;

pub use read::{Transcript, TranscriptError};
pub use utterance::{TranscriptFormat, Utterance};
