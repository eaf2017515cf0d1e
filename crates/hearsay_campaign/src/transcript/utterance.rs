//! The utterances of a transcript.

use serde::Serialize;

use super::line::split_place_mark;

/// The format of a transcript file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TranscriptFormat {
    /// Plain text. Its lines have the form `Speaker: text`, with or without a time before the speaker. In a chat
    /// export, the speaker is on a line above the text.
    Plain,
    /// Captions in the format WebVTT.
    Vtt,
    /// Captions in the format SubRip.
    Srt,
    /// Results of a speech recognition program, with one JSON object per line.
    JsonLines,
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

/// A mark in a transcript that moves the scene to another place, such as `[at The Gilded Gull]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlaceMark {
    /// The number of the line of the mark in the file, counted from 1. The next utterance is said at the place.
    pub line: u32,
    /// The name of the place as written.
    pub place: String,
}

/// Separates the marks that move the scene to another place from the utterances.
pub(super) fn split_place_marks(utterances: Vec<Utterance>) -> (Vec<Utterance>, Vec<PlaceMark>) {
    let (marks, utterances): (Vec<_>, Vec<_>) = utterances.into_iter().partition(is_place_mark);
    let mark = |utterance: &Utterance| {
        let place = split_place_mark(&utterance.text)?.to_owned();
        Some(PlaceMark { line: utterance.line, place })
    };
    (utterances, marks.iter().filter_map(mark).collect())
}

fn is_place_mark(utterance: &Utterance) -> bool {
    split_place_mark(&utterance.text).is_some()
}

/// Maximum length of an utterance that the next piece of text can continue, in bytes.
const MAX_CONTINUED_BYTES: usize = 600;

/// Adds an utterance. Captions and programs for speech recognition split sentences, so if the last utterance is
/// unfinished and has the same speaker, it is continued instead. A mark of a place neither continues nor is continued.
pub(super) fn add_or_continue(next: Utterance, utterances: &mut Vec<Utterance>) {
    let is_sentence_end =
        |text: &str| text.trim_end_matches(['"', '\'', '\u{201D}', ')']).ends_with(['.', '?', '!', '\u{2026}']);
    let is_continued = |last: &&mut Utterance| {
        let is_same_speaker = last.speaker == next.speaker || next.speaker.is_none();
        is_same_speaker && !is_sentence_end(&last.text) && last.text.len() < MAX_CONTINUED_BYTES
    };
    let is_continued = |last: &&mut Utterance| is_continued(last) && !is_place_mark(last) && !is_place_mark(&next);
    match utterances.last_mut().filter(is_continued) {
        Some(last) => {
            last.text.push(' ');
            last.text.push_str(&next.text);
        }
        None => utterances.push(next),
    }
}
