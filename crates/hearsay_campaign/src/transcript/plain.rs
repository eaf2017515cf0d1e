//! Reader for plain transcripts and chat exports.
//!
//! In a line `Speaker: words`, the speaker says the words. A time may come before the speaker. A line that contains
//! only a time and a name, such as `Anna — Today at 20:14`, is the head of a message. The named speaker says the lines
//! below it. An indented line continues the line above it. All other text is narration.

use super::{
    line::{NumberedLine, is_speaker_name, one_line, split_clock_time, split_place_mark, split_speaker},
    utterance::Utterance,
};

pub(super) fn parse(lines: &[NumberedLine]) -> Vec<Utterance> {
    let mut utterances: Vec<Utterance> = Vec::new();
    // The speaker and time of the last message head. They apply to the lines below it.
    let mut head: Option<(String, Option<u32>)> = None;
    let mut is_joined = false;
    for &(line, raw) in lines {
        let text = raw.trim();
        if text.is_empty() {
            is_joined = false;
            continue;
        }
        // Skips rulers and other separators.
        if !text.chars().any(char::is_alphanumeric) {
            continue;
        }
        if let Some(message) = parse_message_head(text) {
            head = Some(message);
            is_joined = false;
            continue;
        }
        let is_indented = raw.starts_with([' ', '\t']) && split_place_mark(text).is_none();
        if let Some(last) = utterances.last_mut().filter(|_| is_joined && is_indented) {
            last.text.push(' ');
            last.text.push_str(&one_line(text));
            continue;
        }
        let (seconds, rest) = split_time(text);
        let (speaker, words, at) = match (&head, split_speaker(rest)) {
            // Below a message head, a line such as `Note: bring the rope` is part of the message, and `Note` is not a
            // speaker.
            (Some((speaker, at)), None) => (Some(speaker.clone()), rest, *at),
            (Some((speaker, at)), Some(_)) if seconds.is_none() => (Some(speaker.clone()), rest, *at),
            (_, Some((speaker, words))) => {
                head = None;
                (Some(speaker.to_owned()), words, None)
            }
            (None, None) => (None, rest, None),
        };
        is_joined = split_place_mark(words).is_none();
        utterances.push(Utterance { line, speaker, text: one_line(words), seconds: seconds.or(at) });
    }
    utterances
}

/// Splits a time, with or without brackets, from the start of a line.
fn split_time(line: &str) -> (Option<u32>, &str) {
    let unbracketed = line.trim_start_matches(['[', '(', '<']);
    let Some((seconds, rest)) = split_clock_time(unbracketed) else { return (None, line) };
    let rest = rest.trim_start();
    let rest = ["AM", "PM", "am", "pm"].iter().find_map(|half| rest.strip_prefix(half)).unwrap_or(rest).trim_start();
    let rest = rest.strip_prefix([']', ')', '>']).unwrap_or(rest).trim_start_matches([' ', '\t', '-', '\u{2013}']);
    // A time such as `12:30` without other text, or `12:30:` before other text, is part of a sentence.
    if rest.is_empty() || rest.starts_with(':') { (None, line) } else { (Some(seconds), rest) }
}

/// Returns the speaker and the time, in seconds, if a line is the head of a message.
fn parse_message_head(line: &str) -> Option<(String, Option<u32>)> {
    let (name, stamp) = match line.strip_prefix('[') {
        Some(rest) => {
            let (stamp, name) = rest.split_once(']')?;
            (name, stamp)
        }
        None => line.split_once(" \u{2014} ").or_else(|| line.split_once(" \u{2013} "))?,
    };
    let name = name.trim().trim_end_matches("(pinned)").trim();
    let at = stamp.split_whitespace().find_map(|word| split_clock_time(word).map(|(seconds, _)| seconds));
    let is_stamp = at.is_some() && stamp.trim().len() <= 40;
    (is_stamp && is_speaker_name(name) && !name.contains(':')).then(|| (name.to_owned(), at))
}
