//! Quotations from a log: lines that were typed in a hurry at the table become sentences.

use crate::{
    spelling::is_common_word,
    text,
    words::{self, contains_word},
};

/// Maximum number of words of a name before the words that somebody says.
const MAX_NAME_WORDS: usize = 3;

/// Maximum number of words that name the persons who notice something.
const MAX_WITNESS_WORDS: usize = 5;

/// Returns spoken words as sentences: without notes in brackets, such as `(whispers)`, and with a capital letter and an end
/// mark.
pub fn spoken(line: &str) -> String {
    let mut words = line.trim();
    while let Some(rest) = without_note(words) {
        words = rest;
    }
    finished(words)
}

/// Returns a line of narration as sentences. If the line is speech in shorthand, such as `Tam: no idea (shrugs)`, returns
/// the name and the words in quotation marks.
pub fn narrated(line: &str) -> String {
    match shorthand_speech(line) {
        Some((name, said)) => format!("{name}: \u{201C}{}\u{201D}", spoken(said)),
        None => finished(line.trim()),
    }
}

/// Returns a line of narration as sentences, like [`narrated`], without the remarks of the DM that are not for players:
/// sentences that only say who notices something, such as `Nobody but Odo sees it.`, and that quoted words are a lie.
pub fn narrated_to_players(line: &str) -> String {
    let narrated = narrated(line);
    if shorthand_speech(line).is_some() {
        return narrated;
    }
    let mut sentences = text::sentences(&narrated);
    sentences.retain(|sentence| !limits_witnesses(sentence));
    if sentences.is_empty() { narrated } else { with_plain_speech_verbs(&sentences.join(" ")) }
}

/// Returns whether a sentence only says that nobody, or nobody but the named persons, notices something.
fn limits_witnesses(sentence: &str) -> bool {
    let english = words::english();
    let all = text::words(sentence);
    let is_end = |rest: &[String]| match rest {
        [] => true,
        [object] => contains_word(&english.unwitnessed_objects, object),
        _ => false,
    };
    let is_unwitnessed = |clause: &String| all.strip_prefix(&text::words(clause)[..]).is_some_and(is_end);
    let has_witnesses = |clause: &String| {
        let (before, after) = clause.split_once('*').unwrap_or((clause.as_str(), ""));
        let (before, after) = (text::words(before), text::words(after));
        let Some(rest) = all.strip_prefix(&before[..]) else { return false };
        (1..=rest.len().min(MAX_WITNESS_WORDS)).any(|at| rest[at..].strip_prefix(&after[..]).is_some_and(is_end))
    };
    english.unwitnessed_clauses.iter().any(is_unwitnessed) || english.sole_witness_clauses.iter().any(has_witnesses)
}

/// Replaces the verb after quoted words that says that they are a lie: `"I was at home", she lies.` becomes `"I was at home",
/// she says.` The subject is a pronoun or a name.
fn with_plain_speech_verbs(line: &str) -> String {
    let english = words::english();
    let words: Vec<&str> = line.split(' ').collect();
    let is_mark = |c: char| !c.is_alphanumeric();
    let is_name = |word: &&str| word.starts_with(char::is_uppercase);
    let ends_quotation = |word: &&str| word.trim_end_matches([',', '.']).ends_with(['"', '\'', '\u{2019}', '\u{201D}']);
    let plain = |at: usize, word: &str| {
        let verb = word.trim_end_matches(is_mark);
        let plain = english.plain_speech_verbs.get(verb)?;
        let quotation = words[..at].iter().rposition(ends_quotation)?;
        let next = words.get(at + 1);
        let ends_clause =
            verb.len() < word.len() || next.is_none_or(|next| words::is_adverb(next.trim_end_matches(is_mark)));
        let is_remark = match &words[quotation + 1..at] {
            [] => next.is_some_and(is_name),
            [pronoun] if is_person_pronoun(pronoun) => ends_clause,
            names => ends_clause && names.len() <= MAX_NAME_WORDS && names.iter().all(is_name),
        };
        is_remark.then(|| format!("{plain}{}", &word[verb.len()..]))
    };
    let written = words.iter().enumerate().map(|(at, word)| plain(at, word).unwrap_or_else(|| (*word).to_owned()));
    written.collect::<Vec<_>>().join(" ")
}

/// Returns whether a word is a pronoun for the subject of a sentence about a person, such as `she`.
fn is_person_pronoun(word: &str) -> bool {
    let english = words::english();
    contains_word(&english.person_pronouns, word) || contains_word(&english.group_subjects, word)
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

/// Returns words as sentences: each with a capital letter at the beginning, and with a mark at the end.
fn finished(words: &str) -> String {
    let sentence = with_capitals(words);
    match sentence.ends_with(char::is_alphanumeric) {
        true if is_question(&sentence) => format!("{sentence}?"),
        true => format!("{sentence}."),
        false => sentence,
    }
}

/// Returns a text with a capital letter at the beginning of each sentence, and with "I" as a capital letter.
fn with_capitals(text: &str) -> String {
    let mut begins_sentence = true;
    let written = text.split(' ').map(|word| {
        let written = match begins_sentence {
            true => after_quotation_marks(word, words::upper_first),
            false => after_quotation_marks(word, with_capital_pronoun),
        };
        if !word.is_empty() {
            begins_sentence = ends_sentence(word);
        }
        written
    });
    written.collect::<Vec<_>>().join(" ")
}

/// Returns whether a sentence ends with a word. An abbreviation, an initial and an ellipsis end no sentence.
fn ends_sentence(word: &str) -> bool {
    let plain = word.trim_end_matches('.').trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_short = plain.chars().count() <= 1 || contains_word(&words::english().abbreviations, &plain);
    word.ends_with(['!', '?']) || word.ends_with('.') && !word.ends_with("..") && !is_short
}

/// Changes a word after the quotation marks with which it begins.
fn after_quotation_marks(word: &str, change: impl Fn(&str) -> String) -> String {
    let rest = word.trim_start_matches(['"', '\'', '\u{2018}', '\u{201C}']);
    format!("{}{}", &word[..word.len() - rest.len()], change(rest))
}

/// Returns a word, with a capital letter if it is the pronoun "I", perhaps in a short form such as `i'll`.
fn with_capital_pronoun(word: &str) -> String {
    let is_end = |after: &str| {
        after.starts_with(['\'', '\u{2019}']) || after.chars().all(|c| [',', '.', '!', '?', ';', ':'].contains(&c))
    };
    match word.strip_prefix('i').filter(|after| is_end(after)) {
        Some(after) => format!("I{after}"),
        None => word.to_owned(),
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
            ("stay here, i'll look. someone knocked", "Stay here, I'll look. Someone knocked."),
            ("was it i, or dr. wenzel? tell me... please", "Was it I, or dr. wenzel? Tell me... please."),
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

    #[test]
    fn players_do_not_read_the_remarks_of_the_dm() {
        for (line, expected) in [
            ("Tam hides the oar. nobody except Wenzel and Ruth notices it", "Tam hides the oar."),
            ("Tam hides the oar, nobody sees it.", "Tam hides the oar, nobody sees it."),
            ("Tam waves. Nobody sees the ferry.", "Tam waves. Nobody sees the ferry."),
            ("Nobody hears it.", "Nobody hears it."),
            ("Tam: hush. Nobody sees it.", "Tam: \u{201C}Hush. Nobody sees it.\u{201D}"),
            ("'No boat came', he lies. Tam nods.", "'No boat came', he says. Tam nods."),
            ("\"No boat came,\" lied Tam Reed, \"not one.\"", "\"No boat came,\" said Tam Reed, \"not one.\""),
            ("'Help!' she lies under the oar.", "'Help!' she lies under the oar."),
            ("'Help!' the oar lies there. Tam lies.", "'Help!' the oar lies there. Tam lies."),
        ] {
            assert_eq!(narrated_to_players(line), expected, "{line}");
        }
    }
}
