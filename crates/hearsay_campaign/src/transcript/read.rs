//! Decodes a transcript file, and detects its format.

use std::collections::BTreeMap;

use serde::Serialize;
use thiserror::Error;

use super::{
    captions, json_lines,
    line::NumberedLine,
    plain,
    utterance::{PlaceMark, TranscriptFormat, Utterance, split_place_marks},
};

/// The content of a transcript file: the utterances of a session, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Transcript {
    /// The format of the transcript.
    pub format: TranscriptFormat,
    /// A hash of the bytes of the file, as 64 hexadecimal digits.
    pub digest: String,
    /// The utterances, in order. There is at least one utterance.
    pub utterances: Vec<Utterance>,
    /// The marks that move the scene to another place, in order.
    pub places: Vec<PlaceMark>,
    /// Warnings for the user. Each warning names its line.
    pub notes: Vec<String>,
}

/// The reason why a file cannot be read as a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TranscriptError {
    /// The bytes are not text: the file contains a zero byte.
    #[error(
        "{file}:{line}: the file has a zero byte, so it is not a text file; expected a transcript (`Speaker: words`), WebVTT, SubRip or JSON lines in UTF-8"
    )]
    Binary {
        /// The name of the file.
        file: String,
        /// The number of the line with the zero byte, counted from 1.
        line: usize,
    },
    /// The file is text in UTF-16 instead of UTF-8.
    #[error("{file}:1: the text encoding of the file is UTF-16; save the file as UTF-8")]
    Utf16 {
        /// The name of the file.
        file: String,
    },
    /// The file is text, but contains no utterance.
    #[error(
        "{file}: the file has no lines of speech; expected lines such as `Speaker: words`, the cues of WebVTT or SubRip, or JSON objects with `text`"
    )]
    Empty {
        /// The name of the file.
        file: String,
    },
}

impl Transcript {
    /// Reads a transcript from the bytes of a file. `file` is the file name for messages. If the text does not show the
    /// format, the extension of the file name determines it. Lines that are not UTF-8 are read as Windows-1252, with a
    /// warning.
    ///
    /// # Errors
    /// Returns an error if the file is not text, is in UTF-16, or contains no utterance.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, TranscriptError> {
        if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
            return Err(TranscriptError::Utf16 { file: file.to_owned() });
        }
        let digest = blake3::hash(bytes).to_hex().to_string();
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        if let Some(zero) = bytes.iter().position(|byte| *byte == 0) {
            let line = 1 + bytes[..zero].iter().filter(|byte| **byte == b'\n').count();
            return Err(TranscriptError::Binary { file: file.to_owned(), line });
        }
        let mut notes = Vec::new();
        let text = decode(bytes, &mut notes);
        let lines: Vec<NumberedLine> = (1..).zip(text.lines().map(str::trim_end)).collect();
        let format = detect_format(file, &lines);
        let utterances = match format {
            TranscriptFormat::Plain => plain::parse(&lines),
            TranscriptFormat::JsonLines => json_lines::parse(&lines, &mut notes),
            TranscriptFormat::Vtt | TranscriptFormat::Srt => captions::parse(&lines, format, &mut notes),
        };
        let (utterances, places) = split_place_marks(utterances);
        match utterances.is_empty() {
            true => Err(TranscriptError::Empty { file: file.to_owned() }),
            false => Ok(Self { format, digest, utterances, places, notes }),
        }
    }

    /// Returns the speakers as written in the file, each with the number of its utterances, in the order of their first
    /// utterances.
    pub fn speakers(&self) -> Vec<(&str, usize)> {
        let (mut speakers, mut indices) = (Vec::<(&str, usize)>::new(), BTreeMap::new());
        for speaker in self.utterances.iter().filter_map(|utterance| utterance.speaker.as_deref()) {
            let index = *indices.entry(speaker).or_insert(speakers.len());
            match speakers.get_mut(index) {
                Some((_, count)) => *count += 1,
                None => speakers.push((speaker, 1)),
            }
        }
        speakers
    }
}

/// Decodes a file, and normalizes its line endings. Lines that are not UTF-8 are read as Windows-1252.
fn decode(bytes: &[u8], notes: &mut Vec<String>) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut invalid_lines = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        match std::str::from_utf8(line) {
            Ok(line) => text.push_str(line),
            Err(_) => {
                invalid_lines.push(number);
                text.extend(line.iter().map(|byte| windows_1252(*byte)));
            }
        }
        text.push('\n');
    }
    if let [first, rest @ ..] = &invalid_lines[..] {
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        notes.push(format!("line {first}{more}: not UTF-8, read as Windows-1252"));
    }
    if text.contains('\r') {
        // Line endings of old Macs may also occur within lines that end with `\n`.
        text = text.replace("\r\n", "\n").replace('\r', "\n");
    }
    text
}

/// The characters of Windows-1252 that differ from Latin-1.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..0xA0 => WINDOWS_1252[usize::from(byte - 0x80)],
        other => char::from(other),
    }
}

fn detect_format(file: &str, lines: &[NumberedLine]) -> TranscriptFormat {
    let mut nonempty_lines = lines.iter().map(|(_, line)| line.trim()).filter(|line| !line.is_empty());
    let (first, second) = (nonempty_lines.next().unwrap_or_default(), nonempty_lines.next().unwrap_or_default());
    let is_count = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
    let ends_in = |ending: &str| file.len() > ending.len() && file.to_ascii_lowercase().ends_with(ending);
    if first == "WEBVTT" || first.starts_with("WEBVTT ") || first.starts_with("WEBVTT\t") || ends_in(".vtt") {
        TranscriptFormat::Vtt
    } else if (is_count && second.contains("-->")) || first.contains("-->") || ends_in(".srt") {
        TranscriptFormat::Srt
    } else if first.starts_with('{') || ends_in(".jsonl") || ends_in(".ndjson") {
        TranscriptFormat::JsonLines
    } else {
        TranscriptFormat::Plain
    }
}
