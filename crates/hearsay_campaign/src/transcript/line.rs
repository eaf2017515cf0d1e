//! Splits a line of a transcript into time, speaker and speech.

use hearsay_model::words;

/// A line of a file, with its number.
pub(super) type NumberedLine<'a> = (u32, &'a str);

/// Splits a clock time such as `12:03`, `00:12:03` or `00:12:03.250` from the start of a text. Returns the time in
/// seconds, and the rest of the text. Returns `None` if the text does not start with a time.
pub(super) fn split_clock_time(text: &str) -> Option<(u32, &str)> {
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

/// Maximum length of a speaker's name, in characters.
const MAX_NAME_CHARS: usize = 48;
/// Maximum number of words in a speaker's name.
const MAX_NAME_WORDS: usize = 6;

/// Splits a line that begins with `Speaker:` into speaker and speech. The name of the speaker may be bold. The names of
/// hearers in brackets (see [`split_hearers`]) are part of the speaker. Returns `None` for any other line.
pub fn split_speaker(line: &str) -> Option<(&str, &str)> {
    let (name, text) = line.split_once(':')?;
    // A line that begins with `http://` or `12:30` names no speaker.
    let is_time = name.ends_with(|c: char| c.is_ascii_digit()) && text.starts_with(|c: char| c.is_ascii_digit());
    if text.starts_with("//") || is_time {
        return None;
    }
    let text = text.trim_start_matches('*').trim();
    let name = name.trim().trim_matches(['*', '_', '<', '>', '[', ']']).trim();
    let name_without_hearers = split_hearers(name).map_or(name, |(speaker, _)| speaker);
    (is_speaker_name(name_without_hearers) && !text.is_empty()).then_some((name, text))
}

/// Splits the names of the hearers from the name of a speaker, as in `Lotti (whispers to Ysolde)`. Returns the name of
/// the speaker and the names of the hearers. Returns `None` if the name ends with no brackets that name hearers. The
/// closing bracket may be missing.
pub fn split_hearers(name: &str) -> Option<(&str, &str)> {
    let (speaker, note) = name.rsplit_once(['(', '['])?;
    let note = note.trim().trim_end_matches([')', ']']).trim();
    let hearers = words::english().hearer_openers.iter().find_map(|opener| text_after(note, opener))?;
    let speaker = speaker.trim();
    (!speaker.is_empty()).then_some((speaker, hearers))
}

/// Returns the name of the place in a text that only moves the scene to this place, as in `[at The Gilded Gull]`. Returns
/// `None` for any other text.
pub(super) fn split_place_mark(text: &str) -> Option<&str> {
    let mark = text.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    if mark.contains(['[', ']']) {
        return None;
    }
    words::english().place_openers.iter().find_map(|opener| text_after(mark, opener))
}

/// Returns the text after an opener. Returns `None` if the text does not begin with the opener, or if nothing follows.
fn text_after<'a>(text: &'a str, opener: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(opener.len())?;
    let begins_with_opener = start.eq_ignore_ascii_case(opener) && rest.starts_with(char::is_whitespace);
    begins_with_opener.then(|| rest.trim()).filter(|rest| !rest.is_empty())
}

/// Returns whether a text can be the name of a speaker.
pub(super) fn is_speaker_name(name: &str) -> bool {
    let begins_with_letter = name.starts_with(|c: char| c.is_alphanumeric() || c == '@');
    let has_letter = name.chars().any(char::is_alphabetic);
    let has_plain_characters =
        !name.contains(['?', '!', ',', ';', '"', '\u{201C}', '\u{201D}', '/', '\\', '=', '{', '}']);
    let is_short = name.chars().count() <= MAX_NAME_CHARS && name.split_whitespace().count() <= MAX_NAME_WORDS;
    // A dot ends a sentence, except after a short word such as `Mr.` or `J. R.`
    let is_sentence_end =
        |(at, _): (usize, &str)| name[..at].split(' ').next_back().is_some_and(|word| word.chars().count() > 3);
    let has_sentence_end = name.match_indices(". ").any(is_sentence_end);
    begins_with_letter && has_letter && has_plain_characters && is_short && !has_sentence_end
}

/// Joins a text into one line.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
