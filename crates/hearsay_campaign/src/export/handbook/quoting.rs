//! Writes lines that were typed in a hurry at the table as sentences.

use hearsay_model::{
    spelling::is_common_word,
    text,
    words::{self, contains_word},
};

/// Maximum number of words of a name before the words that somebody says.
const MAX_NAME_WORDS: usize = 3;

/// Returns spoken words as sentences: without notes in brackets, such as `(whispers)`, and with a capital letter and an end
/// mark.
pub(super) fn spoken(line: &str) -> String {
    let mut words = line.trim();
    while let Some(rest) = without_note(words) {
        words = rest;
    }
    finished(words)
}

/// Returns a line of narration as sentences. If the line is speech in shorthand, such as `Tam: no idea (shrugs)`, returns
/// the name and the words in quotation marks.
pub(super) fn narrated(line: &str) -> String {
    match shorthand_speech(line) {
        Some((name, said)) => format!("{name}: \u{201C}{}\u{201D}", spoken(said)),
        None => finished(line.trim()),
    }
}

/// Splits speech in shorthand into the name and the words. Returns `None` if the words before the colon are no name.
fn shorthand_speech(line: &str) -> Option<(&str, &str)> {
    let (name, said) = line.trim().split_once(": ")?;
    let is_name = |word: &str| word.starts_with(char::is_uppercase) && !is_common_word(&word.to_lowercase());
    let is_named = name.split_whitespace().all(is_name) && name.split_whitespace().count() <= MAX_NAME_WORDS;
    let is_quoted = said.trim().starts_with(['"', '\u{201C}']);
    (is_named && !is_quoted && !name.is_empty() && !said.trim().is_empty()).then_some((name, said))
}

/// Returns words without a note in brackets at the end or at the beginning. Brackets around a sentence are no note. Returns
/// `None` if there is no note, or nothing else.
fn without_note(words: &str) -> Option<&str> {
    let is_note = |note: &str| note.starts_with(char::is_lowercase) && !note.contains(['.', '!', '?', '(', ')']);
    let at_end = || {
        // Square brackets can be part of the words: "I saw the [redacted]".
        let (rest, note) = text::split_final_brackets(words).filter(|_| words.ends_with(')'))?;
        is_note(note).then_some(rest)
    };
    let at_beginning = || {
        let (note, rest) = words.strip_prefix('(')?.split_once(')')?;
        is_note(note).then(|| rest.trim_start())
    };
    at_end().or_else(at_beginning).filter(|rest| !rest.is_empty())
}

/// Returns words with a capital letter at the beginning and a mark at the end.
fn finished(words: &str) -> String {
    let sentence = words::upper_first(words);
    match sentence.ends_with(char::is_alphanumeric) {
        true if is_question(&sentence) => format!("{sentence}?"),
        true => format!("{sentence}."),
        false => sentence,
    }
}

/// Returns whether words without an end mark ask a question: "so where is the ring".
fn is_question(sentence: &str) -> bool {
    let english = words::english();
    let all = text::words(sentence);
    let mut rest = all.iter().skip_while(|word| contains_word(&english.clause_openers, word));
    let asks =
        |word: &String| contains_word(&english.entity_questions, word) || contains_word(&english.time_questions, word);
    rest.next().is_some_and(asks) && rest.next().is_some_and(|word| words::is_finite_be_form(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_shorthand_become_sentences() {
        for (line, expected) in [
            ("and who is the warden (yawns)", "And who is the warden?"),
            ("(mutters) not my boat", "Not my boat."),
            ("Leave the oar! (points at the door)", "Leave the oar!"),
            ("Fine. (He lies.)", "Fine. (He lies.)"),
            ("(shrugs)", "(shrugs)"),
            ("I saw the [redacted]", "I saw the [redacted]"),
        ] {
            assert_eq!(spoken(line), expected, "{line}");
        }
    }

    #[test]
    fn narration_that_begins_with_a_name_and_a_colon_is_speech() {
        for (line, expected) in [
            ("Wenzel: no boats tonight (spits)", "Wenzel: \u{201C}No boats tonight.\u{201D}"),
            ("the ferry sinks (slowly)", "The ferry sinks (slowly)"),
            ("Evening: the ferry sinks", "Evening: the ferry sinks."),
            ("You see three doors: red, blue and green.", "You see three doors: red, blue and green."),
        ] {
            assert_eq!(narrated(line), expected, "{line}");
        }
    }
}
