//! Plain transcripts and chat exports.
//!
//! `Speaker: words` is said by the speaker, with or without a time before it. A line with a time and a name and nothing
//! else (`[12/03/2026 20:14] anna`, `Anna — Today at 20:14`) is the head of a message: the lines below it are hers.
//! An indented line goes on with the one above. Everything else is narration.

use super::{Numbered, Utterance, clock, is_name, one_line, spoken};

pub(super) fn read(lines: &[Numbered]) -> Vec<Utterance> {
    let mut said: Vec<Utterance> = Vec::new();
    // Of whom the lines below are, and when.
    let mut head: Option<(String, Option<u32>)> = None;
    let mut joined = false;
    for &(line, raw) in lines {
        let text = raw.trim();
        if text.is_empty() {
            joined = false;
            continue;
        }
        // Rules, and what only separates.
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
            // In a chat, `Note: bring the rope` is a message.
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

/// A time at the start of a line, in brackets or not, and the rest.
fn timed(line: &str) -> (Option<u32>, &str) {
    let bare = line.trim_start_matches(['[', '(', '<']);
    let Some((seconds, rest)) = clock(bare) else { return (None, line) };
    let rest = rest.trim_start();
    let rest = ["AM", "PM", "am", "pm"].iter().find_map(|half| rest.strip_prefix(half)).unwrap_or(rest).trim_start();
    let rest = rest.strip_prefix([']', ')', '>']).unwrap_or(rest).trim_start_matches([' ', '\t', '-', '\u{2013}']);
    // `12:30` alone, or `12:30:` before what is said, is part of a sentence.
    if rest.is_empty() || rest.starts_with(':') { (None, line) } else { (Some(seconds), rest) }
}

/// Who speaks below the head of a message, and when.
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
