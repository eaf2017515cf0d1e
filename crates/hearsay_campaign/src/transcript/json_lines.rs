//! Reader for JSON lines, which speech recognition programs write, with one object per line.
//!
//! Programs use different keys. The key of the text is `text` or `transcript`. The key of the speaker is `speaker`,
//! `speaker_label`, `username`, `user` or `name`. The key of the time is `start`, `start_time` or `timestamp`; the time
//! is in seconds, or has the form `00:12:03`. Results that the program can still change are skipped.

use serde_json::{Map, Value};

use super::{
    line::{NumberedLine, one_line, split_clock_time, split_speaker},
    utterance::{Utterance, add_or_continue},
};

type Object = Map<String, Value>;

const TEXT_KEYS: [&str; 2] = ["text", "transcript"];
const SPEAKER_KEYS: [&str; 5] = ["speaker", "speaker_label", "username", "user", "name"];
const TIME_KEYS: [&str; 3] = ["start", "start_time", "timestamp"];

pub(super) fn parse(lines: &[NumberedLine], notes: &mut Vec<String>) -> Vec<Utterance> {
    let mut utterances = Vec::new();
    for &(line, text) in lines.iter().filter(|(_, text)| !text.trim().is_empty()) {
        let Ok(object) = serde_json::from_str::<Object>(text) else {
            notes.push(format!("line {line}: skipped, because it is not a JSON object"));
            continue;
        };
        if is_provisional(&object) {
            continue;
        }
        let Some(words) = TEXT_KEYS.iter().find_map(|key| object.get(*key)?.as_str()) else {
            notes.push(format!("line {line}: skipped, because it has no key `text` or `transcript` with a text"));
            continue;
        };
        let words = one_line(words);
        if words.chars().any(char::is_alphanumeric) {
            add(line, &words, &object, &mut utterances);
        }
    }
    utterances
}

fn add(line: u32, words: &str, object: &Object, utterances: &mut Vec<Utterance>) {
    let seconds = TIME_KEYS.iter().find_map(|key| seconds(object.get(*key)?));
    let speaker = SPEAKER_KEYS.iter().find_map(|key| speaker_name(object.get(*key)?));
    match split_speaker(words).filter(|_| speaker.is_none()) {
        Some((speaker, words)) => {
            let (speaker, text) = (Some(speaker.to_owned()), words.to_owned());
            utterances.push(Utterance { line, speaker, text, seconds });
        }
        None => add_or_continue(Utterance { line, speaker, text: words.to_owned(), seconds }, utterances),
    }
}

/// Returns whether the program can still change this result. The final result follows later.
fn is_provisional(object: &Object) -> bool {
    let flag = |key: &str| object.get(key).and_then(Value::as_bool);
    let message_type = object.get("message_type").and_then(Value::as_str).unwrap_or_default();
    object.get("partial").is_some_and(|partial| partial.is_string() || partial == &Value::Bool(true))
        || flag("is_final") == Some(false)
        || flag("final") == Some(false)
        || message_type.starts_with("Partial")
}

/// Returns the name of a speaker. A speaker with a number is named `Speaker 1`.
fn speaker_name(value: &Value) -> Option<String> {
    match value {
        Value::String(name) => Some(one_line(name)).filter(|name| !name.is_empty()),
        Value::Number(number) => Some(format!("Speaker {number}")),
        _ => None,
    }
}

/// Returns a time in seconds.
fn seconds(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => number
            .as_f64()
            .filter(|seconds| (0.0..=f64::from(u32::MAX)).contains(seconds))
            .map(|seconds| seconds as u32),
        Value::String(text) => split_clock_time(text.trim()).map(|(seconds, _)| seconds),
        _ => None,
    }
}
