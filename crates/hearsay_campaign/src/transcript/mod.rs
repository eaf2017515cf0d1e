//! Transcripts of sessions in plain text, WebVTT and SubRip, as utterances with speakers.
//!
//! A transcript comes from a recorder, a captioning service or a chat export. The reader returns speakers as they are
//! written and does not use the campaign: the engine links them to entities.

mod captions;
mod plain;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Serialize;
use thiserror::Error;

/// The format of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TranscriptFormat {
    /// `Speaker: text`, with optional times before it; or a chat export, with the speaker on a line above the text.
    Plain,
    /// WebVTT.
    Vtt,
    /// SubRip.
    Srt,
}

/// The utterances of a session, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Transcript {
    /// The format of the file.
    pub format: TranscriptFormat,
    /// A hash of the file, as 64 hexadecimal digits.
    pub digest: String,
    /// The utterances. Never empty.
    pub utterances: Vec<Utterance>,
    /// Warnings, each with its line.
    pub notes: Vec<String>,
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

/// The reason why a file is not a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TranscriptError {
    /// The bytes are not text.
    #[error(
        "{file}:{line}: this is no text: it has a zero byte; expected a transcript (`Speaker: words`), WebVTT or SubRip, as UTF-8"
    )]
    Binary {
        /// The file.
        file: String,
        /// The line.
        line: usize,
    },
    /// The text is in UTF-16.
    #[error("{file}:1: this is UTF-16; save it as UTF-8")]
    Utf16 {
        /// The file.
        file: String,
    },
    /// The file contains no utterance.
    #[error("{file}: nothing is said in it; expected lines such as `Speaker: words`, or the cues of WebVTT or SubRip")]
    Empty {
        /// The file.
        file: String,
    },
}

/// A line of a file, with its number.
type Numbered<'a> = (u32, &'a str);

impl Transcript {
    /// Reads a transcript. `file` is used in messages, and its extension decides the format if the text does not. Lines
    /// that are not UTF-8 are read as Windows-1252, and noted.
    ///
    /// # Errors
    /// If the file is not text, or contains no utterance.
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
        let text = decoded(bytes, &mut notes);
        let lines: Vec<Numbered> = (1..).zip(text.lines().map(str::trim_end)).collect();
        let format = format_of(file, &lines);
        let utterances = match format {
            TranscriptFormat::Plain => plain::read(&lines),
            TranscriptFormat::Vtt | TranscriptFormat::Srt => captions::read(&lines, format, &mut notes),
        };
        match utterances.is_empty() {
            true => Err(TranscriptError::Empty { file: file.to_owned() }),
            false => Ok(Self { format, digest, utterances, notes }),
        }
    }

    /// Returns the speakers as written, each with the number of utterances, in the order of their first utterance.
    pub fn speakers(&self) -> Vec<(&str, usize)> {
        let (mut speakers, mut places) = (Vec::<(&str, usize)>::new(), BTreeMap::new());
        for speaker in self.utterances.iter().filter_map(|said| said.speaker.as_deref()) {
            let place = *places.entry(speaker).or_insert(speakers.len());
            match speakers.get_mut(place) {
                Some((_, count)) => *count += 1,
                None => speakers.push((speaker, 1)),
            }
        }
        speakers
    }
}

/// Decodes a file, and normalizes its line endings. Lines that are not UTF-8 are read as Windows-1252.
fn decoded(bytes: &[u8], notes: &mut Vec<String>) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut wrong = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        match std::str::from_utf8(line) {
            Ok(line) => text.push_str(line),
            Err(_) => {
                wrong.push(number);
                text.extend(line.iter().map(|byte| windows_1252(*byte)));
            }
        }
        text.push('\n');
    }
    if let [first, rest @ ..] = &wrong[..] {
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        notes.push(format!("line {first}{more}: not UTF-8, read as Windows-1252"));
    }
    if text.contains('\r') {
        // Line endings of old Macs may occur within lines that end with `\n`.
        text = text.replace("\r\n", "\n").replace('\r', "\n");
    }
    text
}

/// The characters of Windows-1252 that differ from Latin-1.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..0xA0 => WINDOWS[usize::from(byte - 0x80)],
        other => char::from(other),
    }
}

fn format_of(file: &str, lines: &[Numbered]) -> TranscriptFormat {
    let mut filled = lines.iter().map(|(_, line)| line.trim()).filter(|line| !line.is_empty());
    let (first, second) = (filled.next().unwrap_or_default(), filled.next().unwrap_or_default());
    let is_count = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
    let ends_in = |ending: &str| file.len() > ending.len() && file.to_ascii_lowercase().ends_with(ending);
    if first == "WEBVTT" || first.starts_with("WEBVTT ") || first.starts_with("WEBVTT\t") || ends_in(".vtt") {
        TranscriptFormat::Vtt
    } else if (is_count && second.contains("-->")) || first.contains("-->") || ends_in(".srt") {
        TranscriptFormat::Srt
    } else {
        TranscriptFormat::Plain
    }
}

/// Splits a clock time such as `12:03`, `00:12:03` or `00:12:03.250`, in seconds, from the start of a text.
fn clock(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != ':').unwrap_or(text.len());
    let parts = text[..end].split(':').map(|part| if part.len() <= 3 { part.parse::<u32>().ok() } else { None });
    let parts: Vec<u32> = parts.collect::<Option<_>>()?;
    let seconds = match parts[..] {
        [minutes, seconds] if seconds < 60 => minutes * 60 + seconds,
        [hours, minutes, seconds] if minutes < 60 && seconds < 60 => hours * 3600 + minutes * 60 + seconds,
        _ => return None,
    };
    let rest = &text[end..];
    let fraction = rest.strip_prefix(['.', ',']).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    Some((seconds, fraction.map_or(rest, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()))))
}

/// Maximum characters of a speaker's name. `MOST_WORDS` limits its words.
const LONGEST_NAME: usize = 48;
const MOST_WORDS: usize = 6;

/// Splits a line into speaker and speech, if it begins with `Speaker:`, bold or not.
fn spoken(line: &str) -> Option<(&str, &str)> {
    let (name, text) = line.split_once(':')?;
    // `http://` and `12:30` are not speakers.
    let is_time = name.ends_with(|c: char| c.is_ascii_digit()) && text.starts_with(|c: char| c.is_ascii_digit());
    if text.starts_with("//") || is_time {
        return None;
    }
    let text = text.trim_start_matches('*').trim();
    let name = name.trim().trim_matches(['*', '_', '<', '>', '[', ']']).trim();
    (is_name(name) && !text.is_empty()).then_some((name, text))
}

/// Whether a text may be the name of a speaker.
fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_alphanumeric() || c == '@');
    let letters = name.chars().any(char::is_alphabetic);
    let plain = !name.contains(['?', '!', ',', ';', '"', '\u{201C}', '\u{201D}', '/', '\\', '=', '{', '}']);
    let short = name.chars().count() <= LONGEST_NAME && name.split_whitespace().count() <= MOST_WORDS;
    // A full stop ends a sentence, except in `Mr.` and `J. R.`.
    let ends = |(at, _): (usize, &str)| name[..at].split(' ').next_back().is_some_and(|word| word.chars().count() > 3);
    let sentence = name.match_indices(". ").any(ends);
    begins && letters && plain && short && !sentence
}

/// Joins a text into one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
