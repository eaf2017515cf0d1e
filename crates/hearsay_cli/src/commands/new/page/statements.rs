//! Reads lies and rumours: the statement, the characters who tell it, and the characters who hear it.

use hearsay_campaign::import::{
    knowers::is_reference,
    truth::{placed_rumour, split_remark, split_verdict, without_rumour_opener},
};
use hearsay_model::{
    text::words,
    words::{contains_word, english, upper_first},
};

use super::super::{english::ENGLISH, sentences::sentences};

/// Maximum number of words of a label for what a character says, before the verb: "What she says".
const MAX_CLAIM_WORDS: usize = 3;

/// Maximum number of words before a verb of telling.
const MAX_TELLER_WORDS: usize = 6;

/// Maximum number of words between such a verb and the statement.
const MAX_HEARER_WORDS: usize = 5;

/// Marks at the end of a sentence.
pub(super) const SENTENCE_ENDS: [char; 6] = ['.', '!', '?', '\u{2026}', '"', '\u{201D}'];

/// A statement that characters tell each other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ToldStatement {
    pub(super) text: String,
    /// The words that name the teller.
    pub(super) teller: Option<String>,
    /// The words that name the hearers.
    pub(super) hearers: Option<String>,
    /// Whether a remark says that the statement is true or false.
    pub(super) truth: Option<bool>,
    /// Remarks of the DM about the statement.
    pub(super) remarks: Vec<String>,
}

/// Reads a statement. `names_someone` returns whether words name an entity of the campaign.
pub(super) fn told_statement(text: &str, names_someone: impl Fn(&str) -> bool) -> ToldStatement {
    let (text, between) = without_remarks_between(with_verdict_in_brackets(text).trim());
    let (text, inner) = without_inner_remarks(&text, &names_someone);
    let mut stated = ToldStatement { text, ..ToldStatement::default() };
    for remark in inner {
        if !read_verdict(&remark, &mut stated) {
            stated.remarks.push(remark);
        }
    }
    for remark in between {
        let is_read = match is_remark_about_telling(&remark) {
            true => read_remark(&remark, &mut stated, &names_someone),
            false => read_verdict(&remark, &mut stated),
        };
        if !is_read {
            stated.remarks.push(remark);
        }
    }
    while let Some((rest, remark)) = last_remark(&stated.text) {
        if !read_remark(&remark, &mut stated, &names_someone) {
            // A remark after the statement is the DM's. A remark within the sentence belongs to the sentence.
            if !rest.ends_with(SENTENCE_ENDS) {
                break;
            }
            stated.remarks.insert(0, remark);
        }
        stated.text = rest;
    }
    if stated.teller.is_none()
        && let Some((teller, hearer, content)) = reported_speech(&stated.text)
        && names_someone(&teller)
    {
        stated.teller = Some(teller);
        stated.hearers = stated.hearers.or(hearer.filter(|hearer| names_someone(hearer) || is_everybody(hearer)));
        stated.text = content;
    }
    if stated.hearers.is_none()
        && let Some((hearers, content)) = heard_statement(&stated.text)
        && names_someone(hearers)
    {
        (stated.hearers, stated.text) = (Some(hearers.to_owned()), content.to_owned());
    }
    if let Some((place, told)) = rumour_in_place(&stated.text).filter(|(place, _)| names_someone(place)) {
        stated.hearers = stated.hearers.or(Some(place.to_owned()));
        stated.text = told.to_owned();
    }
    let rumour = without_rumour_opener(&stated.text);
    let (place, told) = match rumour.and_then(split_place).filter(|(place, _)| names_someone(place)) {
        Some((place, told)) => (Some(place.to_owned()), told),
        None => (None, rumour.unwrap_or(&stated.text)),
    };
    stated.text = to_statement(told);
    stated.hearers = stated.hearers.or(place);
    stated
}

/// Splits the place before the words for a rumour from the rumour: "In Gullhaven they say that the mill is cursed."
pub(super) fn rumour_in_place(text: &str) -> Option<(&str, &str)> {
    let begins_with_preposition =
        |place: &str| words(place).first().is_some_and(|first| contains_word(&english().scene_openers, first));
    placed_rumour(text).filter(|(place, _)| begins_with_preposition(place))
}

/// Splits the place where people tell a rumour from the rumour: "in Gullhaven that the mill is cursed".
fn split_place(rumour: &str) -> Option<(&str, &str)> {
    let (place, told) = rumour.split_once(" that ")?;
    let place_words = words(place);
    let is_place = place_words.first().is_some_and(|first| contains_word(&ENGLISH.place_prepositions, first));
    (is_place && place_words.len() <= MAX_HEARER_WORDS).then_some((place, told))
}

/// Removes the remarks in brackets before the statement from a text that reports a statement: "Odo (the smith) tells
/// everybody (falsely) that the mill burned." Returns the text and the remarks. `is_teller` returns whether words can name
/// the teller.
fn without_inner_remarks(text: &str, is_teller: impl Fn(&str) -> bool) -> (String, Vec<String>) {
    let all = brackets(text);
    let (mut plain, mut starts, mut end) = (String::with_capacity(text.len()), Vec::with_capacity(all.len()), 0);
    for (open, close) in &all {
        plain.push_str(text[end..*open].trim_end());
        starts.push(plain.len());
        end = close + 1;
    }
    plain.push_str(&text[end..]);
    let reported = reported_speech(&plain).filter(|(teller, ..)| is_teller(teller));
    let Some((.., content)) = reported else { return (text.to_owned(), Vec::new()) };
    // The content is the end of the text. A remark after "that" belongs to the statement.
    let content_start = plain.len().saturating_sub(content.len());
    let is_inner = |start: usize| start < content_start && !plain[..start].ends_with(" that");
    let (mut rest, mut remarks, mut end) = (String::with_capacity(text.len()), Vec::new(), 0);
    for ((open, close), _) in all.into_iter().zip(starts).filter(|(_, start)| is_inner(*start)) {
        rest.push_str(text[end..open].trim_end());
        remarks.push(text[open + 1..close].trim().to_owned());
        end = close + 1;
    }
    rest.push_str(&text[end..]);
    (rest, remarks)
}

/// Removes the remarks in brackets between the sentences of a text: "The mill burned. (False, it flooded.) Odo tells it."
/// Returns the text and the remarks.
fn without_remarks_between(text: &str) -> (String, Vec<String>) {
    let (mut rest, mut remarks, mut end) = (String::with_capacity(text.len()), Vec::new(), 0);
    for (open, close) in brackets(text) {
        let after = &text[close + 1..];
        let next = after.strip_prefix('.').unwrap_or(after);
        let is_between = text[..open].trim_end().ends_with(SENTENCE_ENDS)
            && next.trim_start().starts_with(|c: char| c.is_uppercase() || c.is_numeric());
        if is_between {
            rest.push_str(text[end..open].trim_end());
            remarks.push(text[open + 1..close].trim().to_owned());
            end = text.len() - next.len();
        }
    }
    rest.push_str(&text[end..]);
    (rest, remarks)
}

/// Returns the positions of the outermost pairs of brackets in a text.
pub(super) fn brackets(text: &str) -> Vec<(usize, usize)> {
    let (mut found, mut open, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => {
                open = if depth == 0 { at } else { open };
                depth += 1;
            }
            ')' | ']' if depth > 0 => {
                depth -= 1;
                found.extend((depth == 0).then_some((open, at)));
            }
            _ => {}
        }
    }
    found
}

/// Splits a sentence such as "Odo heard that the mill burned." into the words for the hearers, and the statement.
fn heard_statement(text: &str) -> Option<(&str, &str)> {
    let found = ENGLISH.heard_verbs.iter().find_map(|verb| text.split_once(&format!(" {verb} that ")));
    found.filter(|(hearers, _)| words(hearers).len() <= MAX_TELLER_WORDS)
}

/// Returns whether words name all characters: "everybody".
pub(super) fn is_everybody(hearers: &str) -> bool {
    contains_word(&ENGLISH.everybody, &hearers.to_lowercase())
}

/// Returns whether a sentence only says who tells or hears the sentence before: "Told to Odo.", "Odo has heard it.", "Odo
/// tells it."
pub(super) fn is_remark_about_telling(sentence: &str) -> bool {
    let lowercase = sentence.to_lowercase();
    let mut starts = ENGLISH.teller_starts.iter().chain(&ENGLISH.hearer_starts).filter(|start| *start != "from");
    starts.any(|start| begins_with(&lowercase, start))
        || hearers(sentence).is_some()
        || split_at_verb(sentence).is_some_and(|(.., rest)| told_hearers(rest).is_some())
}

/// Returns the words for the hearers after the verb in a sentence that only says who tells the sentence before: "it.", "it to
/// everybody.", "everybody." The words are empty if the sentence names no hearers. Returns `None` for other sentences.
fn told_hearers(rest: &str) -> Option<&str> {
    let rest = rest.trim().trim_end_matches(SENTENCE_ENDS);
    if is_everybody(rest) {
        return Some(rest);
    }
    let (reference, hearers) = rest.split_once(" to ").unwrap_or((rest, ""));
    let is_list = words(hearers).len() <= MAX_HEARER_WORDS;
    (is_list && !words(reference).is_empty() && is_reference(reference)).then_some(hearers)
}

/// Returns whether a text begins with some words and a space.
fn begins_with(text: &str, words: &str) -> bool {
    text.strip_prefix(words).is_some_and(|rest| rest.starts_with(' '))
}

/// Returns the words for the hearers in a sentence such as "Odo has heard it."
fn hearers(sentence: &str) -> Option<&str> {
    let (names, rest) = ENGLISH.hearing_verbs.iter().find_map(|verb| sentence.split_once(&format!(" {verb}")))?;
    let is_list = words(names).len() <= MAX_TELLER_WORDS && (rest.is_empty() || rest.starts_with([' ', '.', '!']));
    (is_list && is_reference(rest)).then_some(names)
}

/// Returns whether a label announces what a character says, which need not be true: "What she says", "He claims".
pub(super) fn is_claim_label(label: &str) -> bool {
    let words = words(label);
    let is_verb = |word: &String| contains_word(&ENGLISH.telling_verbs, word);
    let Some(at) = words.iter().position(is_verb) else { return false };
    let begins_claim = at == 0 || words[0] == "what" || hearsay_extract::is_anaphor(&words[0]);
    begins_claim && at <= MAX_CLAIM_WORDS && words.len() - at <= MAX_CLAIM_WORDS
}

/// Returns whether a remark at the end of a text, or an adverb or remark before the statement that somebody tells, says
/// that the text is false: "She is a widow. (A lie.)", "Odo (falsely) claims that …", "Odo falsely claims that …"
pub(super) fn is_called_false(text: &str) -> bool {
    let is_false = |remark: &str| split_verdict(remark).is_some_and(|(is_true, _)| !is_true);
    let text = &with_verdict_in_brackets(text);
    let (_, inner) = without_inner_remarks(text, |_| true);
    let adverb = teller_of(text).and_then(|teller| teller.rsplit(' ').next()).filter(|word| word.ends_with("ly"));
    split_remark(text).is_some_and(|(_, remark)| is_false(remark))
        || inner.iter().any(|remark| is_false(remark))
        || adverb.is_some_and(is_false)
}

/// Writes a relative clause that calls the text before it false as a remark in brackets: "She is a widow, which is not true."
fn with_verdict_in_brackets(text: &str) -> String {
    let plain = text.trim_end_matches(['.', '!']);
    let is_false = |verdict: &str| split_verdict(verdict).is_some_and(|(is_true, rest)| !is_true && rest.is_empty());
    let mut relatives = ENGLISH.thing_relatives.iter();
    let found = relatives.find_map(|relative| plain.rsplit_once(&format!(", {relative} ")));
    match found.filter(|(_, verdict)| is_false(verdict)) {
        Some((before, verdict)) => format!("{before} ({verdict})."),
        None => text.to_owned(),
    }
}

/// Splits the remark at the end of a text from the text: text in parentheses, or a sentence such as "Told to Odo."
fn last_remark(text: &str) -> Option<(String, String)> {
    if let Some((before, remark)) = split_remark(text) {
        return Some((before.to_owned(), remark.to_owned()));
    }
    let parts = sentences(text);
    let last = parts.last().filter(|last| parts.len() > 1 && is_remark_about_telling(last))?;
    let rest = text.strip_suffix(*last)?.trim_end().to_owned();
    Some((rest, last.trim_end_matches('.').to_owned()))
}

/// Reads a remark. Returns whether its words are understood.
fn read_remark(remark: &str, stated: &mut ToldStatement, names_someone: &impl Fn(&str) -> bool) -> bool {
    if read_verdict(remark, stated) {
        return true;
    }
    let lowercase = remark.to_lowercase();
    let after = |starts: &[String]| {
        starts.iter().find_map(|start| remark.get(begins_with(&lowercase, start).then_some(start.len() + 1)?..))
    };
    if let Some(hearers) = after(&ENGLISH.hearer_starts).or_else(|| hearers(remark)) {
        stated.hearers = Some(hearers.to_owned());
        return names_someone(hearers) || is_everybody(hearers);
    }
    let told_to = split_at_verb(remark).and_then(|(.., rest)| told_hearers(rest));
    if let Some(hearers) = told_to.filter(|hearers| names_someone(hearers) || is_everybody(hearers)) {
        stated.hearers = Some(hearers.to_owned());
    }
    let teller = after(&ENGLISH.teller_starts).map(str::to_owned);
    // "(Cutter tells everybody)", "(Juno)"
    let teller = teller.or_else(|| split_at_verb(remark).map(|(teller, ..)| teller.to_owned()));
    let teller = teller.or_else(|| (words(remark).len() <= MAX_TELLER_WORDS).then(|| remark.to_owned()));
    match teller.filter(|teller| names_someone(teller)) {
        Some(teller) => {
            stated.teller = Some(teller);
            true
        }
        None => false,
    }
}

/// Reads a remark that says whether the statement is true. Returns whether it is such a remark.
fn read_verdict(remark: &str, stated: &mut ToldStatement) -> bool {
    let Some((is_true, rest)) = split_verdict(remark) else { return false };
    stated.truth = Some(is_true);
    if !rest.is_empty() {
        stated.remarks.insert(0, upper_first(rest));
    }
    true
}

/// Reads "Dorric says that …", "Dorric tells Odo that …" and "Dorric: …". Returns the teller, the hearer and the content.
fn reported_speech(text: &str) -> Option<(String, Option<String>, String)> {
    let spoken = text.split_once(':').filter(|(teller, rest)| {
        words(teller).len() <= MAX_TELLER_WORDS && !rest.trim().is_empty() && split_at_verb(teller).is_none()
    });
    if let Some((teller, content)) = spoken {
        return Some((teller.to_owned(), None, content.to_owned()));
    }
    let (teller, verb, rest) = split_at_verb(text)?;
    let rest = rest.trim_start();
    let marks = ["that ", ": ", "\"", "\u{201C}"];
    let mark = marks.iter().filter_map(|mark| Some((rest.find(mark)?, *mark))).min();
    // "Dorric says that …", "Dorric says to Odo that …", "Dorric tells Odo that …"
    let has_hearer = ["tells", "told"].contains(&verb) || rest.starts_with("to ");
    let max_words = if has_hearer { MAX_HEARER_WORDS } else { 0 };
    let (hearer, content) = match mark.filter(|(at, _)| words(&rest[..*at]).len() <= max_words) {
        Some((at, mark @ ("\"" | "\u{201C}"))) => (&rest[..at], rest[at..].trim_start_matches(mark)),
        Some((at, mark)) => (&rest[..at], &rest[at + mark.len()..]),
        None if ["tells", "told"].contains(&verb) => rest.split_once(' ')?,
        None => ("", rest),
    };
    let hearer = hearer.trim().trim_end_matches(',');
    let hearer = hearer.strip_prefix("to ").unwrap_or(hearer);
    Some((teller.to_owned(), Some(hearer.to_owned()).filter(|hearer| !hearer.is_empty()), content.to_owned()))
}

/// Returns the words before the verb in a sentence that reports a statement: "He tells everybody that the mill burned."
pub(super) fn teller_of(sentence: &str) -> Option<&str> {
    let (teller, _, rest) = split_at_verb(sentence)?;
    (words(rest).len() > 1 && !is_reference(rest) && told_hearers(rest).is_none()).then_some(teller)
}

/// Splits a text at a verb of telling that follows the first words. Words in brackets do not count.
fn split_at_verb(text: &str) -> Option<(&str, &str, &str)> {
    let (mut at, mut number, mut depth) = (0, 0, 0_usize);
    for word in text.split(' ') {
        let plain = word.trim_end_matches([':', ',']);
        if number > 0 && depth == 0 && contains_word(&ENGLISH.telling_verbs, plain) {
            let teller = text[..at].trim_end();
            // "The mill is cursed. Odo swears it." has another sentence before the teller.
            let is_sentence = sentences(teller).len() == 1;
            return is_sentence.then_some((teller, plain, text.get(at + plain.len()..)?));
        }
        let was_open = depth > 0 || word.starts_with(['(', '[']);
        depth = (depth + word.matches(['(', '[']).count()).saturating_sub(word.matches([')', ']']).count());
        number += usize::from(!was_open);
        if number > MAX_TELLER_WORDS {
            return None;
        }
        at += word.len() + 1;
    }
    None
}

/// Makes a sentence of a statement: without "that" and quotation marks, with a capital letter and a full stop.
fn to_statement(text: &str) -> String {
    let text = text.trim().trim_start_matches([',', ':', ' ']).trim();
    let text = text.strip_prefix("that ").unwrap_or(text);
    let is_quote = |c: char| matches!(c, '"' | '\u{201C}' | '\u{201D}');
    let text = if text.matches(is_quote).count() <= 2 { text.trim_matches(is_quote) } else { text };
    let text = text.trim();
    if text.is_empty() || text.ends_with(SENTENCE_ENDS) {
        return upper_first(text);
    }
    upper_first(text) + "."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tellers_and_hearers_are_found() {
        let names_someone = |words: &str| ["Odo", "Juno", "Sorrel"].iter().any(|name| words.contains(name));
        for (text, expected, teller, hearers, truth) in [
            ("Odo says he has never been there.", "He has never been there.", Some("Odo"), None, None),
            ("Odo says he knows that Pell drowned.", "He knows that Pell drowned.", Some("Odo"), None, None),
            ("Odo tells everyone that Pell drowned", "Pell drowned.", Some("Odo"), Some("everyone"), None),
            ("Odo told Sorrel: \"The boy fell.\"", "The boy fell.", Some("Odo"), Some("Sorrel"), None),
            ("Old Odo: \"The boy fell.\" Told to Sorrel.", "The boy fell.", Some("Old Odo"), Some("Sorrel"), None),
            ("The Pit is neutral ground. (said by Juno)", "The Pit is neutral ground.", Some("Juno"), None, None),
            ("Pell drowned (Juno tells everybody).", "Pell drowned.", Some("Juno"), Some("everybody"), None),
            (
                "Pell swam. (False, he sank.) Juno tells it to Odo.",
                "Pell swam.",
                Some("Juno"),
                Some("Odo"),
                Some(false),
            ),
            ("Pell swam. (True.) Nobody saw it.", "Pell swam. Nobody saw it.", None, None, Some(true)),
            ("Pell swam (in the sea). He sank.", "Pell swam (in the sea). He sank.", None, None, None),
            ("Odo (the smith) tells everyone that Pell drowned", "Pell drowned.", Some("Odo"), Some("everyone"), None),
            ("Odo says that (to his shame) Pell drowned.", "(to his shame) Pell drowned.", Some("Odo"), None, None),
            (
                "Juno (70, half blind, the last of the old pilots) tells Odo (her nephew) that Pell drowned (twice).",
                "Pell drowned (twice).",
                Some("Juno"),
                Some("Odo"),
                None,
            ),
            ("Sorrel (falsely) claims that Pell drowned.", "Pell drowned.", Some("Sorrel"), None, Some(false)),
            ("The mill is cursed (false)", "The mill is cursed.", None, None, Some(false)),
            ("Odo heard that the mill is cursed.", "The mill is cursed.", None, Some("Odo"), None),
            ("There is a rumour that the mill is cursed.", "The mill is cursed.", None, None, None),
            (
                "They say in old Sorrel that the mill is cursed.",
                "The mill is cursed.",
                None,
                Some("in old Sorrel"),
                None,
            ),
            ("They say in winter that it snows.", "In winter that it snows.", None, None, None),
            ("In old Sorrel they say that the mill fell.", "The mill fell.", None, Some("In old Sorrel"), None),
            ("In old Odo they hide.", "In old Odo they hide.", None, None, None),
            (
                "Pell drowned. Odo tells it, Juno has heard it too.",
                "Pell drowned.",
                None,
                Some("Odo tells it, Juno"),
                None,
            ),
            ("Pell drowned. Odo tells it.", "Pell drowned.", Some("Odo"), None, None),
            ("Pell drowned. Odo swears that it rained.", "Pell drowned. Odo swears that it rained.", None, None, None),
            ("Odo says that Pell swam, which is not true.", "Pell swam.", Some("Odo"), None, Some(false)),
            ("Pell drowned. Juno heard it.", "Pell drowned.", None, Some("Juno"), None),
            ("It is old: the mill burned (twice).", "It is old: the mill burned (twice).", None, None, None),
            ("the miller waters the flour. (Not true!)", "The miller waters the flour.", None, None, Some(false)),
            ("that the mill burned. (A lie.) Juno has heard it.", "The mill burned.", None, Some("Juno"), Some(false)),
        ] {
            let found = told_statement(text, names_someone);
            let names = (found.teller.as_deref(), found.hearers.as_deref());
            assert_eq!((found.text.as_str(), names, found.truth), (expected, (teller, hearers), truth), "{text}");
        }
    }

    #[test]
    fn remarks_of_the_dm_are_not_told() {
        for (text, expected, truth, remarks) in [
            ("He is rich (False; he only looks rich).", "He is rich.", Some(false), &["He only looks rich"][..]),
            ("He is rich. (He owns nothing.) (untrue)", "He is rich.", Some(false), &["He owns nothing."][..]),
            ("He is rich. [see session 4]", "He is rich.", None, &["see session 4"][..]),
            ("Odo (half blind) says that he is rich.", "Odo (half blind) says that he is rich.", None, &[][..]),
        ] {
            let found = told_statement(text, |_| false);
            assert_eq!((found.text.as_str(), found.truth), (expected, truth), "{text}");
            assert_eq!(found.remarks, remarks, "{text}");
        }
    }

    #[test]
    fn a_told_statement_can_be_called_false() {
        for text in [
            "She is a widow. (A lie.)",
            "Juno tells everybody (falsely) that Pell drowned.",
            "Juno (70, half blind) falsely claims that Pell drowned.",
            "Juno (falsely) claims that Pell drowned.",
            "Juno says that Pell drowned, which is a lie.",
        ] {
            assert!(is_called_false(text), "{text}");
        }
        for text in [
            "Juno tells everybody that Pell drowned.",
            "Juno (the smith) has not said that Pell drowned.",
            "Juno happily claims that Pell drowned.",
            "Juno says that Pell drowned, which is sad.",
            "Juno tells everybody that Pell (not a liar) drowned.",
        ] {
            assert!(!is_called_false(text), "{text}");
        }
    }
}
