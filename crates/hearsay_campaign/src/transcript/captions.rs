//! Readers for WebVTT and SubRip files, which consist of blocks (cues) separated by empty lines.

use super::{
    line::{NumberedLine, one_line, split_clock_time, split_speaker},
    utterance::{TranscriptFormat, Utterance, add_or_continue},
};

pub(super) fn parse(lines: &[NumberedLine], format: TranscriptFormat, notes: &mut Vec<String>) -> Vec<Utterance> {
    let mut utterances = Vec::new();
    let blocks = lines.split(|(_, line)| line.trim().is_empty()).filter(|block| !block.is_empty());
    for (index, block) in blocks.enumerate() {
        let first = block[0].1.trim();
        let is_metadata = ["NOTE", "STYLE", "REGION"].iter().any(|word| {
            first == *word || first.strip_prefix(word).is_some_and(|rest| rest.starts_with(char::is_whitespace))
        });
        if format == TranscriptFormat::Vtt && (is_metadata || (index == 0 && first.starts_with("WEBVTT"))) {
            continue;
        }
        let Some(timing) = block.iter().position(|(_, line)| line.contains("-->")) else {
            // This line is the number of a cue without words, or it is text after an empty line within a cue.
            let words = block.iter().filter(|(_, line)| line.chars().any(char::is_alphabetic));
            if let Some((line, _)) = words.clone().next() {
                notes.push(format!("line {line}: text without times, kept unchanged"));
            }
            words.for_each(|(line, text)| add_cue(*line, None, text, &mut utterances));
            continue;
        };
        let (line, times) = block[timing];
        let seconds = split_clock_time(times.trim()).map(|(seconds, _)| seconds);
        if seconds.is_none() {
            notes.push(format!(
                "line {line}: `{}` is not a time range; expected 00:12:03.250 --> 00:12:05.000",
                excerpt(times)
            ));
        }
        let words: Vec<&str> = block[timing + 1..].iter().map(|(_, line)| strip_style(line)).collect();
        let is_dialogue = words.len() > 1 && words.iter().all(|line| line.starts_with(['-', '\u{2013}']));
        let text_line = line + 1;
        match is_dialogue {
            // The cue has two speakers, each after a dash.
            true => words.iter().for_each(|line| {
                add_cue(text_line, seconds, line.trim_start_matches(['-', '\u{2013}']), &mut utterances)
            }),
            false => add_cue(text_line, seconds, &words.join("\n"), &mut utterances),
        }
    }
    utterances
}

/// Removes screen positions such as `{\an8}` from a line.
fn strip_style(line: &str) -> &str {
    let line = line.trim();
    let style = line.strip_prefix("{\\").and_then(|rest| rest.split_once('}'));
    style.map_or(line, |(_, words)| words.trim())
}

fn excerpt(text: &str) -> String {
    text.trim().chars().take(40).collect()
}

/// Adds the utterances in a cue: one for each of its voices, or one for the speaker who is named at its beginning.
fn add_cue(line: u32, seconds: Option<u32>, text: &str, utterances: &mut Vec<Utterance>) {
    let voices = split_voices(text);
    let has_voice_tag = voices.iter().any(|(speaker, _)| speaker.is_some());
    for (speaker, words) in voices {
        let words = one_line(&words);
        if !words.chars().any(char::is_alphanumeric) {
            continue;
        }
        match split_speaker(&words).filter(|_| !has_voice_tag) {
            Some((speaker, words)) => {
                let (speaker, text) = (Some(speaker.to_owned()), words.to_owned());
                utterances.push(Utterance { line, speaker, text, seconds });
            }
            None => add_or_continue(Utterance { line, speaker, text: words, seconds }, utterances),
        }
    }
}

/// Splits a cue by its voice tags (`<v Anna>`), and removes tags, times and styles.
fn split_voices(text: &str) -> Vec<(Option<String>, String)> {
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
        if let Some(name) = voice_name(tag).filter(|_| is_tag) {
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
        *words = unescape(words);
    }
    voices
}

/// Returns the name in a voice tag such as `v Anna` or `v.loud Anna`.
fn voice_name(tag: &str) -> Option<String> {
    let (class, name) = tag.split_once(char::is_whitespace)?;
    let name = one_line(&unescape(name));
    ((class == "v" || class.starts_with("v.")) && !name.is_empty()).then_some(name)
}

fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let named =
        [("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&quot;", "\""), ("&#39;", "'"), ("&lrm;", ""), ("&rlm;", "")];
    let text = named.iter().fold(text.to_owned(), |text, (escape, letter)| text.replace(escape, letter));
    text.replace("&amp;", "&")
}
