//! Transcripts of sessions: who said what, from plain text, WebVTT and SubRip.
//!
//! A transcript is what a recorder, a captioning service or a chat export gives. Reading one finds speakers as they are
//! written, and knows nothing of a campaign: who is meant, the engine finds out.

mod captions;
mod plain;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Serialize;
use thiserror::Error;

/// In which format a transcript is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TranscriptFormat {
    /// `Speaker: text`, with or without times before it; or a chat export, with the speaker on a line above the text.
    Plain,
    /// WebVTT.
    Vtt,
    /// SubRip.
    Srt,
}

/// Who said what, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Transcript {
    /// How it was written.
    pub format: TranscriptFormat,
    /// A hash of the file: 64 hexadecimal digits.
    pub digest: String,
    /// What was said. Never empty.
    pub utterances: Vec<Utterance>,
    /// What was not quite right, each with its line.
    pub notes: Vec<String>,
}

/// Something that somebody said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Utterance {
    /// The line of the file on which it begins, from 1.
    pub line: u32,
    /// Who, as written; nobody, where nothing is said.
    pub speaker: Option<String>,
    /// The words, on one line.
    pub text: String,
    /// Seconds from the beginning of the recording, where they are written.
    pub seconds: Option<u32>,
}

/// Why a file is no transcript.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TranscriptError {
    /// Bytes that are no text.
    #[error(
        "{file}:{line}: this is no text: it has a zero byte; expected a transcript (`Speaker: words`), WebVTT or SubRip, as UTF-8"
    )]
    Binary {
        /// The file.
        file: String,
        /// The line.
        line: usize,
    },
    /// Text in an encoding of two bytes to a letter.
    #[error("{file}:1: this is UTF-16; save it as UTF-8")]
    Utf16 {
        /// The file.
        file: String,
    },
    /// Nothing is said in it.
    #[error("{file}: nothing is said in it; expected lines such as `Speaker: words`, or the cues of WebVTT or SubRip")]
    Empty {
        /// The file.
        file: String,
    },
}

/// A line of a file, with its number.
type Numbered<'a> = (u32, &'a str);

impl Transcript {
    /// Reads a transcript. The name of the file is for messages, and its extension says how it is written where the text
    /// does not. Lines that are no UTF-8 are read as Windows-1252, and noted.
    ///
    /// # Errors
    /// When it is no text, or nothing is said in it.
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

    /// The speakers as they are written, each once with how often it speaks; who speaks first comes first.
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

/// The text of a file, with one kind of line end. Lines that are no UTF-8 are taken for Windows-1252.
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
        // Line ends of old Macs stand within what is split by `\n`.
        text = text.replace("\r\n", "\n").replace('\r', "\n");
    }
    text
}

/// The letters of Windows-1252 that are not those of Latin-1.
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

/// A clock time such as `12:03`, `00:12:03` or `00:12:03.250` at the start of a text, in seconds, and what follows it.
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

/// Letters that the name of a speaker has at most, and words.
const LONGEST_NAME: usize = 48;
const MOST_WORDS: usize = 6;

/// A speaker and what is said, where a line begins with `Speaker:`, in bold or not.
fn spoken(line: &str) -> Option<(&str, &str)> {
    let (name, text) = line.split_once(':')?;
    // `http://` and `12:30` are no speakers.
    let is_time = name.ends_with(|c: char| c.is_ascii_digit()) && text.starts_with(|c: char| c.is_ascii_digit());
    if text.starts_with("//") || is_time {
        return None;
    }
    let text = text.trim_start_matches('*').trim();
    let name = name.trim().trim_matches(['*', '_', '<', '>', '[', ']']).trim();
    (is_name(name) && !text.is_empty()).then_some((name, text))
}

/// Whether something may be the name of a speaker.
fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_alphanumeric() || c == '@');
    let letters = name.chars().any(char::is_alphabetic);
    let plain = !name.contains(['?', '!', ',', ';', '"', '\u{201C}', '\u{201D}', '/', '\\', '=', '{', '}']);
    let short = name.chars().count() <= LONGEST_NAME && name.split_whitespace().count() <= MOST_WORDS;
    // A full stop ends a sentence, but for that of `Mr.` and `J. R.`.
    let ends = |(at, _): (usize, &str)| name[..at].split(' ').next_back().is_some_and(|word| word.chars().count() > 3);
    let sentence = name.match_indices(". ").any(ends);
    begins && letters && plain && short && !sentence
}

/// The words of a text on one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
