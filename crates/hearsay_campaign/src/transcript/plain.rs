//! Reader for plain transcripts and chat exports.
//!
//! In a line `Speaker: words`, the speaker says the words. A time may come before the speaker. A line that contains
//! only a time and a name (`[12/03/2026 20:14] anna`, `Anna — Today at 20:14`) is the head of a message: the named
//! speaker says the lines below it. An indented line continues the line above it. All other text is narration.

use super::{
    line::{Numbered, clock, is_name, one_line, spoken},
    utterance::Utterance,
};

pub(super) fn read(lines: &[Numbered]) -> Vec<Utterance> {
    let mut said: Vec<Utterance> = Vec::new();
    // The speaker and time of the last message head. They apply to the lines below it.
    let mut head: Option<(String, Option<u32>)> = None;
    let mut joined = false;
    for &(line, raw) in lines {
        let text = raw.trim();
        if text.is_empty() {
            joined = false;
            continue;
        }
        // Skips rulers and other separators.
        if !text.chars().any(char::is_alphanumeric) {
            continue;
        }
        if let Some(message) = message_head(text) {
            head = Some(message);
            joined = false;
            continue;
        }
        let indented = raw.starts_with([' ', '\t']);
        if let Some(last) = said.last_mut().filter(|_| joined && indented) {
            last.text.push(' ');
            last.text.push_str(&one_line(text));
            continue;
        }
        let (seconds, rest) = timed(text);
        let (speaker, words, at) = match (&head, spoken(rest)) {
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
        joined = true;
        said.push(Utterance { line, speaker, text: one_line(words), seconds: seconds.or(at) });
    }
    said
}

/// Splits a time, with or without brackets, from the start of a line.
fn timed(line: &str) -> (Option<u32>, &str) {
    let bare = line.trim_start_matches(['[', '(', '<']);
    let Some((seconds, rest)) = clock(bare) else { return (None, line) };
    let rest = rest.trim_start();
    let rest = ["AM", "PM", "am", "pm"].iter().find_map(|half| rest.strip_prefix(half)).unwrap_or(rest).trim_start();
    let rest = rest.strip_prefix([']', ')', '>']).unwrap_or(rest).trim_start_matches([' ', '\t', '-', '\u{2013}']);
    // A time such as `12:30` without other text, or `12:30:` before other text, is part of a sentence.
    if rest.is_empty() || rest.starts_with(':') { (None, line) } else { (Some(seconds), rest) }
}

/// Returns the speaker and the time, in seconds, if a line is the head of a message.
fn message_head(line: &str) -> Option<(String, Option<u32>)> {
    let (name, stamp) = match line.strip_prefix('[') {
        Some(rest) => {
            let (stamp, name) = rest.split_once(']')?;
            (name, stamp)
        }
        None => line.split_once(" \u{2014} ").or_else(|| line.split_once(" \u{2013} "))?,
    };
    let name = name.trim().trim_end_matches("(pinned)").trim();
    let at = stamp.split_whitespace().find_map(|word| clock(word).map(|(seconds, _)| seconds));
    let is_stamp = at.is_some() && stamp.trim().len() <= 40;
    (is_stamp && is_name(name) && !name.contains(':')).then(|| (name.to_owned(), at))
}
