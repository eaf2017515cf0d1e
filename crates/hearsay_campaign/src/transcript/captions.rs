//! Readers for WebVTT and SubRip files, which consist of blocks (cues) separated by empty lines.

use super::{
    line::{Numbered, clock, one_line, spoken},
    utterance::{TranscriptFormat, Utterance},
};

/// Maximum length of an utterance that may be continued by the next cue, in bytes.
const LONG: usize = 600;

pub(super) fn read(lines: &[Numbered], format: TranscriptFormat, notes: &mut Vec<String>) -> Vec<Utterance> {
    let mut said = Vec::new();
    let blocks = lines.split(|(_, line)| line.trim().is_empty()).filter(|block| !block.is_empty());
    for (place, block) in blocks.enumerate() {
        let first = block[0].1.trim();
        let is_aside = ["NOTE", "STYLE", "REGION"].iter().any(|word| {
            first == *word || first.strip_prefix(word).is_some_and(|rest| rest.starts_with(char::is_whitespace))
        });
        if format == TranscriptFormat::Vtt && (is_aside || (place == 0 && first.starts_with("WEBVTT"))) {
            continue;
        }
        let Some(timing) = block.iter().position(|(_, line)| line.contains("-->")) else {
            // This line is the number of a cue without words, or it is text after an empty line within a cue.
            let words = block.iter().filter(|(_, line)| line.chars().any(char::is_alphabetic));
            if let Some((line, _)) = words.clone().next() {
                notes.push(format!("line {line}: text without times, kept unchanged"));
            }
            words.for_each(|(line, text)| cue(*line, None, text, &mut said));
            continue;
        };
        let (line, times) = block[timing];
        let seconds = clock(times.trim()).map(|(seconds, _)| seconds);
        if seconds.is_none() {
            notes.push(format!(
                "line {line}: `{}` is not a time range; expected 00:12:03.250 --> 00:12:05.000",
                head(times)
            ));
        }
        let words: Vec<&str> = block[timing + 1..].iter().map(|(_, line)| unstyled(line)).collect();
        let dialogue = words.len() > 1 && words.iter().all(|line| line.starts_with(['-', '\u{2013}']));
        let begins = line + 1;
        match dialogue {
            // The cue has two speakers, each after a dash.
            true => words
                .iter()
                .for_each(|line| cue(begins, seconds, line.trim_start_matches(['-', '\u{2013}']), &mut said)),
            false => cue(begins, seconds, &words.join("\n"), &mut said),
        }
    }
    said
}

/// Removes screen positions such as `{\an8}` from a line.
fn unstyled(line: &str) -> &str {
    let line = line.trim();
    let style = line.strip_prefix("{\\").and_then(|rest| rest.split_once('}'));
    style.map_or(line, |(_, words)| words.trim())
}

fn head(text: &str) -> String {
    text.trim().chars().take(40).collect()
}

/// Adds the utterances in a cue: one for each of its voices, or one for the speaker who is named at its beginning.
fn cue(line: u32, seconds: Option<u32>, text: &str, said: &mut Vec<Utterance>) {
    let voices = voices(text);
    let speaks = voices.iter().any(|(speaker, _)| speaker.is_some());
    for (speaker, words) in voices {
        let words = one_line(&words);
        if !words.chars().any(char::is_alphanumeric) {
            continue;
        }
        match spoken(&words).filter(|_| !speaks) {
            Some((speaker, words)) => {
                let (speaker, text) = (Some(speaker.to_owned()), words.to_owned());
                said.push(Utterance { line, speaker, text, seconds });
            }
            None => push(Utterance { line, speaker, text: words, seconds }, said),
        }
    }
}

/// Adds an utterance. Captions split sentences, so if the last utterance is unfinished and has the same speaker, it is
/// continued instead.
fn push(next: Utterance, said: &mut Vec<Utterance>) {
    let ended = |text: &str| text.trim_end_matches(['"', '\'', '\u{201D}', ')']).ends_with(['.', '?', '!', '\u{2026}']);
    let goes_on = |last: &&mut Utterance| {
        let same = last.speaker == next.speaker || next.speaker.is_none();
        same && !ended(&last.text) && last.text.len() < LONG
    };
    match said.last_mut().filter(goes_on) {
        Some(last) => {
            last.text.push(' ');
            last.text.push_str(&next.text);
        }
        None => said.push(next),
    }
}

/// Splits a cue by its voice tags (`<v Anna>`), and removes tags, times and styles.
fn voices(text: &str) -> Vec<(Option<String>, String)> {
    let mut voices: Vec<(Option<String>, String)> = vec![(None, String::new())];
    let mut rest = text;
    while let Some(at) = rest.find(['<', '{']) {
        if let Some((_, words)) = voices.last_mut() {
            words.push_str(&rest[..at]);
        }
        let after = &rest[at..];
        let Some(end) = after.find(if after.starts_with('<') { '>' } else { '}' }) else {
            rest = after;
            break;
        };
        let tag = &after[1..end];
        let is_style = after.starts_with("{\\");
        let is_tag = tag.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/') && after.starts_with('<');
        if let Some(name) = voice(tag).filter(|_| is_tag) {
            voices.push((Some(name), String::new()));
        } else if tag == "/v" && is_tag {
            voices.push((None, String::new()));
        } else if !is_tag
            && !is_style
            && let Some((_, words)) = voices.last_mut()
        {
            words.push_str(&after[..=end]);
        }
        rest = &after[end + 1..];
    }
    if let Some((_, words)) = voices.last_mut() {
        words.push_str(rest);
    }
    for (_, words) in &mut voices {
        *words = unescaped(words);
    }
    voices
}

/// Returns the name in a voice tag such as `v Anna` or `v.loud Anna`.
fn voice(tag: &str) -> Option<String> {
    let (class, name) = tag.split_once(char::is_whitespace)?;
    let name = one_line(&unescaped(name));
    ((class == "v" || class.starts_with("v.")) && !name.is_empty()).then_some(name)
}

fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let named =
        [("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&quot;", "\""), ("&#39;", "'"), ("&lrm;", ""), ("&rlm;", "")];
    let text = named.iter().fold(text.to_owned(), |text, (escape, letter)| text.replace(escape, letter));
    text.replace("&amp;", "&")
}
