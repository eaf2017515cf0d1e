//! The utterances of a transcript.

use serde::Serialize;

/// The format of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TranscriptFormat {
    /// `Speaker: text`, possibly with a time before the speaker; or a chat export, with the speaker on a line above the
    /// text.
    Plain,
    /// WebVTT.
    Vtt,
    /// SubRip.
    Srt,
}

/// An utterance of a speaker, or narration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Utterance {
    /// The first line in the file, counted from 1.
    pub line: u32,
    /// The speaker as written; `None` for narration.
    pub speaker: Option<String>,
    /// The text, on one line.
    pub text: String,
    /// Seconds since the beginning of the recording, if the file has times.
    pub seconds: Option<u32>,
}
