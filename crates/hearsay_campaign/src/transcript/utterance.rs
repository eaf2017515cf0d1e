//! The utterances of a transcript.

use serde::Serialize;

/// The format of a transcript file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TranscriptFormat {
    /// Plain text with lines `Speaker: text`, possibly with a time before the speaker; or a chat export, with the
    /// speaker on a line above the text.
    Plain,
    /// Captions in the format WebVTT.
    Vtt,
    /// Captions in the format SubRip.
    Srt,
}

/// Words that one speaker says without a break, or a piece of narration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Utterance {
    /// The number of the first line of the utterance in the file, counted from 1.
    pub line: u32,
    /// The name of the speaker as written; `None` for narration.
    pub speaker: Option<String>,
    /// The text of the utterance, on one line.
    pub text: String,
    /// The time in seconds since the beginning of the recording, if the file contains times.
    pub seconds: Option<u32>,
}
