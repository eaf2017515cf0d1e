//! Finds the words of a secret that say who knows the secret.

use hearsay_model::{
    text::{sentences, words},
    words::{PersonalPronouns, contains_word, english, is_article, is_finite_be_form},
};

use super::{
    english::ENGLISH,
    secret::{adds_knowers, is_only_secret_mark, is_secret, states_secrecy},
};

/// Marks between a secret and the list of its knowers.
const OPENING_MARKS: [char; 9] = [' ', ',', ';', ':', '(', '[', '\u{2013}', '\u{2014}', '-'];

/// Marks after a list of knowers.
const CLOSING_MARKS: [char; 8] = ['.', ';', ':', ')', ']', '\n', '\u{2013}', '\u{2014}'];

/// Marks between a mark of secrecy in brackets and the content of the remark.
const CONTENT_MARKS: [&str; 4] = [": ", " - ", " \u{2013} ", " \u{2014} "];

/// Maximum length of a remark that marks a text as DM-only, without the list of its knowers.
const MAX_MARK: usize = 40;

/// Maximum length of such a remark with the list of its knowers.
const MAX_REMARK: usize = 100;

/// Maximum number of words that name the knowers.
const MAX_NAME_WORDS: usize = 8;

/// A secret without the words that list its knowers.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SecretKnowers {
    /// The secret.
    pub text: String,
    /// Words that name the knowers; `None` if the text does not list them.
    pub knowers: Option<String>,
    /// Whether the words add knowers to the one whose secret it is: "Odo knows it too."
    pub is_addition: bool,
    /// Words for the characters who do not know the secret, according to a sentence of their own.
    pub unaware: Option<String>,
}

/// Returns whether the text contains a remark in brackets that marks it as DM-only: `(DM only) …`, `… [secret:: …]`, `…
/// (secret, known to Odo)`.
pub fn has_secret_remark(text: &str) -> bool {
    text.match_indices(['(', '[']).any(|(at, _)| {
        let close = if text[at..].starts_with('(') { ')' } else { ']' };
        // A longer text is not a remark.
        let mut max_end = text.len().min(at + MAX_REMARK);
        while !text.is_char_boundary(max_end) {
            max_end += 1;
        }
        let inner = text[at + 1..max_end].split(close).next().unwrap_or_default();
        match inner.split_once("::") {
            Some((name, _)) => name.len() <= 48 && is_secret(name),
            None => {
                let is_at_edge = text[..at].trim().is_empty() || text[at + 1 + inner.len()..].trim().len() <= 2;
                let (mark, knowers) = inner.split_once([',', ';', ':']).unwrap_or((inner, ""));
                let is_remark = knowers.is_empty() || is_list_of_knowers(knowers.trim());
                is_at_edge && is_remark && mark.len() <= MAX_MARK && is_only_secret_mark(mark)
            }
        }
    })
}

/// Returns whether a remark in brackets at any position of a text begins with a mark of secrecy: `He leads the guild (secret)
/// and drinks`, `She saw the thief (secret: Odo).`
pub fn contains_secret_mark(text: &str) -> bool {
    text.match_indices(['(', '[']).any(|(at, open)| {
        let close = if open == "(" { ')' } else { ']' };
        let inner = text[at + 1..].split(close).next().unwrap_or_default();
        let mark = inner.split([',', ';', ':']).next().unwrap_or_default();
        mark.len() <= MAX_MARK && is_only_secret_mark(mark)
    })
}

/// Returns whether a sentence limits the knowers of its own content, such as `Nobody knows that the mill is empty`. A sentence
/// that only says who knows the text before it does not.
pub fn limits_own_knowers(sentence: &str) -> bool {
    states_secrecy(sentence) && !sentence.split(';').all(|clause| is_remark_about_knowers(clause.trim()))
}

/// Splits a remark in brackets that begins with a mark of secrecy into the mark and the content: `secret: she robs the dead`, `GM
/// only - he is a clone`. Returns `None` for a remark such as `secret, known to Odo`, which says that the text beside it is secret.
pub fn marked_content(remark: &str) -> Option<(&str, &str)> {
    // An inline field such as `secret:: …` is no remark.
    if remark.contains("::") {
        return None;
    }
    let found = CONTENT_MARKS.iter().filter_map(|mark| Some((remark.find(*mark)?, mark.len())));
    let (at, length) = found.min()?;
    let (mark, content) = (remark[..at].trim(), remark[at + length..].trim());
    let is_mark = mark.len() <= MAX_MARK && is_only_secret_mark(mark);
    (is_mark && !words(content).is_empty() && !is_remark_about_knowers(content)).then_some((mark, content))
}

/// Splits a secret from the words that list its knowers, such as "Known by Odo and Mirela", "Only Odo knows this" or "Odo
/// knows that …", and from a sentence such as "Juno has no idea."
///
/// A sentence such as "Nobody else knows." is left out.
pub fn split_knowers(secret: &str) -> SecretKnowers {
    let parts = sentences(secret);
    let is_kept = |(number, sentence): &(usize, &str)| *number == 0 || !excludes_others(sentence);
    let kept: Vec<&str> = parts.iter().copied().enumerate().filter(is_kept).map(|(_, sentence)| sentence).collect();
    if kept.len() < parts.len() {
        return split_knowers(&kept.join(" "));
    }
    if let Some((text, unaware)) = denied_knowers(secret) {
        let unaware = Some(unaware.to_owned());
        return SecretKnowers { unaware, ..split_knowers(text) };
    }
    let found = split_list(secret);
    let Some((names, content)) = known_content(&found.text) else { return found };
    let knowers = found.knowers.iter().fold(names.to_owned(), |names, others| format!("{names} and {others}"));
    SecretKnowers { text: content.to_owned(), knowers: Some(knowers), is_addition: false, unaware: None }
}

/// Splits a secret from the words before or after it that list its knowers.
fn split_list(secret: &str) -> SecretKnowers {
    let whole = || SecretKnowers { text: secret.to_owned(), ..SecretKnowers::default() };
    let listed =
        |text: String, knowers: String| SecretKnowers { text, knowers: Some(knowers), ..SecretKnowers::default() };
    if let Some((text, knowers)) = listed_knowers(secret).or_else(|| bracketed_knowers(secret)) {
        return listed(text, knowers);
    }
    if let Some(found) = stated_knowers(secret) {
        return found;
    }
    let Some((before, knowers, rest)) = exclusive_knowers(secret) else { return whole() };
    let (rest, others) = split_companions(rest);
    let knowers = others.map_or_else(|| knowers.to_owned(), |others| format!("{knowers} and {others}"));
    let text = match content_after(rest) {
        // "Only Odo knows that the mill is empty."
        Some(content) => format!("{before}{content}"),
        None if is_reference(rest) => {
            without_list(before, rest.trim_start_matches(|c: char| c.is_alphabetic() || c == ' '))
        }
        None => secret.to_owned(),
    };
    if text.is_empty() { whole() } else { listed(text, knowers) }
}

/// Splits the words after "only … knows" from the other knowers in brackets: "it (and Odo, who gave the order)."
fn split_companions(rest: &str) -> (&str, Option<&str>) {
    let split = || {
        let (reference, remark) = rest.split_once(" (and ")?;
        let (names, end) = remark.split_once(')')?;
        (is_reference(reference) && is_reference(end)).then_some((end, names.split(',').next()))
    };
    split().unwrap_or((rest, None))
}

/// Finds a last sentence such as "Odo has no idea." Returns the text before, and the names.
fn denied_knowers(secret: &str) -> Option<(&str, &str)> {
    let parts = sentences(secret);
    let last = parts.last().copied().filter(|_| parts.len() > 1)?;
    Some((secret.strip_suffix(last)?.trim_end(), unaware_in(last)?))
}

/// Returns the names in a sentence that only says who does not know the sentence before: "Odo has no idea."
pub fn unaware_in(sentence: &str) -> Option<&str> {
    let (names, rest) = split_at_verb(sentence, &ENGLISH.words.knowers.denials)?;
    let is_list = words(names).len() <= MAX_NAME_WORDS && (rest.is_empty() || rest.starts_with([' ', '.', '!']));
    (is_list && is_reference(rest)).then_some(names)
}

/// Returns whether a sentence only says who knows, or does not know, the sentence before.
pub fn is_remark_about_knowers(sentence: &str) -> bool {
    is_list_of_knowers(sentence) || aware_in(sentence).is_some() || unaware_in(sentence).is_some()
}

/// Returns whether a sentence only says who knows the sentence before.
pub fn is_list_of_knowers(sentence: &str) -> bool {
    let sentence = sentence.trim_start_matches(['(', '[', '*', '_', ' ']);
    let is_list = list_of(sentence).is_some_and(|(before, _, after)| before.is_empty() && words(after).is_empty());
    is_list
        || excludes_others(sentence)
        || exclusive_knowers(sentence)
            .is_some_and(|(before, _, rest)| before.is_empty() && is_reference(split_companions(rest).0))
}

/// Returns whether a sentence only says that no others know the sentence before: "Nobody else knows this."
fn excludes_others(sentence: &str) -> bool {
    let sentence = sentence.trim_start_matches(['(', '[', '*', '_', ' ']);
    let knower_words = &ENGLISH.words.knowers;
    split_at_verb(sentence, &knower_words.verbs)
        .is_some_and(|(names, rest)| knower_words.others.contains(&words(names).join(" ")) && is_reference(rest))
}

/// Finds a list such as "(known by Odo and Mirela)". Returns the text without the list, and the list.
fn listed_knowers(secret: &str) -> Option<(String, String)> {
    let (before, names, after) = list_of(secret)?;
    let start = before.rfind(['.', '!', '?', ';']).map_or(0, |end| end + 1);
    let clause = words(&before[start..]);
    let has_verb = clause.last().is_some_and(|word| is_finite_be_form(word));
    // "It is known to Odo" refers to the secret; "The way is known to Odo" is a sentence of its own kind.
    let refers = |word: &String| is_finite_be_form(word) || ENGLISH.words.knowers.references.contains(word);
    if has_verb && !clause.iter().all(refers) {
        return None;
    }
    let before = if has_verb { &before[..start] } else { before };
    let is_first = before.trim_matches(OPENING_MARKS).is_empty();
    // "It is known only to Odo that the mill is empty."
    let content = names.find(CONTENT_OPENER).filter(|_| is_first);
    let (names, after) = match content {
        Some(at) => (&names[..at], &secret[secret.len() - after.len() - (names.len() - at - CONTENT_OPENER.len())..]),
        None => (names, after),
    };
    let text = if is_first {
        after.trim_start_matches(CLOSING_MARKS).trim_start_matches([' ', '-']).to_owned()
    } else {
        without_list(before, after)
    };
    (!words(&text).is_empty()).then(|| (text, names.to_owned()))
}

/// Finds a remark in brackets such as "(Odo and Mirela know)". Returns the text without the remark, and the names.
fn bracketed_knowers(secret: &str) -> Option<(String, String)> {
    let (open, close) = (secret.rfind('(')?, secret.rfind(')')?);
    let names = aware_in(secret.get(open + 1..close)?)?;
    let text = without_list(&secret[..open], &secret[close..]);
    (!text.is_empty()).then(|| (text, names.to_owned()))
}

/// Splits a text at a list of knowers: "known by Odo", "Known by: Odo". Returns the text before the list, the names, and the
/// text after them.
fn list_of(text: &str) -> Option<(&str, &str, &str)> {
    let lowercase = text.to_ascii_lowercase();
    let starts = ENGLISH.words.knowers.list_starts.iter();
    let starts = starts.flat_map(|start| [format!("{start} "), format!("{start}: ")]);
    let found = starts.filter_map(|start| Some((lowercase.find(&start)?, start.len())));
    // "Unknown to Odo" lists no knower.
    let (at, length) = found.filter(|(at, _)| !lowercase[..*at].ends_with(char::is_alphanumeric)).min()?;
    let list = &text[at + length..];
    let (names, after) = list.split_at(end_of_names(list));
    Some((&text[..at], names, after))
}

/// Returns the position of the first mark after a list of names. The full stop in "Mr. Pell" is no such mark.
fn end_of_names(list: &str) -> usize {
    let is_end =
        |(at, c): &(usize, char)| CLOSING_MARKS.contains(c) && !(*c == '.' && ends_with_abbreviation(&list[..*at]));
    list.char_indices().find(is_end).map_or(list.len(), |(at, _)| at)
}

/// Returns whether a text ends with a short form such as "Mr".
fn ends_with_abbreviation(text: &str) -> bool {
    words(text).last().is_some_and(|word| contains_word(&english().abbreviations, word))
}

/// Joins the texts before and after a list of knowers, without the brackets of the list.
fn without_list(before: &str, after: &str) -> String {
    let before = before.trim_end_matches(OPENING_MARKS);
    // "He hid it (secret, known to Odo)."
    let mark = before.rsplit_once(['(', '[']).filter(|(_, mark)| is_only_secret_mark(mark));
    let before = without_connector(mark.map_or(before, |(text, _)| text.trim_end_matches(OPENING_MARKS)));
    if before.is_empty() {
        return String::new();
    }
    let after = after.trim_start_matches([')', ']', ';', ' ']);
    let after = if before.ends_with(['.', '!', '?']) { after.trim_start_matches(['.', ' ']) } else { after };
    let separator = if after.is_empty() || after.starts_with('.') { "" } else { " " };
    format!("{before}{separator}{after}")
}

/// Removes a word such as "which" from the end of a text: "Odo robs the dead, which".
fn without_connector(text: &str) -> &str {
    let connectors = &ENGLISH.words.knowers.connectors;
    let found = text.rsplit_once(' ').filter(|(_, last)| connectors.contains(*last));
    found.map_or(text, |(before, _)| before.trim_end_matches(OPENING_MARKS))
}

/// Finds the sentences after the first one that only say who knows the secret, such as "Odo and Mirela know." or "The baron
/// knows about this."
fn stated_knowers(secret: &str) -> Option<SecretKnowers> {
    let parts = sentences(secret);
    let (first, others) = parts.split_first()?;
    let (remarks, others): (Vec<&str>, Vec<&str>) =
        others.iter().copied().partition(|sentence| aware_in(sentence).is_some());
    let names: Vec<&str> = remarks.iter().filter_map(|remark| aware_in(remark)).collect();
    let text = std::iter::once(*first).chain(others).collect::<Vec<_>>().join(" ");
    (!names.is_empty()).then(|| SecretKnowers {
        text,
        knowers: Some(names.join(" and ")),
        is_addition: remarks.iter().all(|remark| adds_knowers(remark)),
        unaware: None,
    })
}

/// Returns the names in a sentence that only says who knows the sentence before: "Odo and Mirela know it as well."
pub fn aware_in(sentence: &str) -> Option<&str> {
    let knower_words = &ENGLISH.words.knowers;
    let (names, rest) = split_at_verb(sentence, &knower_words.only_verbs)
        .or_else(|| split_at_verb(sentence, &knower_words.verbs))
        .map(|(names, rest)| (without_exception(names), rest))?;
    let is_list = names_knowers(names) && (rest.is_empty() || rest.starts_with([' ', '.']));
    (is_list && is_reference(rest)).then_some(names)
}

/// Removes words such as "nobody but" before the names of the only knowers.
fn without_exception(names: &str) -> &str {
    let names = names.trim_start_matches(['(', '[', ' ']);
    let lowercase = names.to_ascii_lowercase();
    let length = |exception: String| {
        let rest = lowercase.strip_prefix(exception.as_str())?;
        rest.starts_with(' ').then_some(exception.len() + 1)
    };
    let exception = ENGLISH.words.knowers.exceptions().filter_map(length).max();
    &names[exception.unwrap_or(0)..]
}

/// Returns whether words before a verb of knowing can be the names of knowers.
fn names_knowers(names: &str) -> bool {
    let is_name = |word: &String| !ENGLISH.words.knowers.no_knowers.contains(word) && !word.ends_with("n't");
    let words = words(names);
    !words.is_empty() && words.len() <= MAX_NAME_WORDS && words.iter().all(is_name)
}

/// Splits a sentence such as "Odo and Mirela know that the mill is empty." into the names and what they know. Returns `None`
/// if a pronoun stands for a person: "Odo knows that she left him."
fn known_content(text: &str) -> Option<(&str, &str)> {
    let (names, rest) = split_at_verb(text, &ENGLISH.words.knowers.verbs)?;
    let content = content_after(rest)?;
    let is_list = names_knowers(names) && !names.contains(['.', '!', '?', ';', ':']);
    let stands_for_person = |word: &String| {
        let is_form =
            |pronouns: &PersonalPronouns| [&pronouns.subject, &pronouns.object, &pronouns.possessive].contains(&word);
        english().personal_pronouns.iter().any(is_form)
    };
    (is_list && !words(text).iter().any(stands_for_person)).then_some((names, content))
}

/// Word between a verb of knowing and what somebody knows.
const CONTENT_OPENER: &str = " that ";

/// Returns what somebody knows, according to the words after the verb: "that the mill is empty".
fn content_after(rest: &str) -> Option<&str> {
    let content = rest.strip_prefix(CONTENT_OPENER)?;
    (!content.trim().is_empty() && !is_reference(content)).then_some(content)
}

/// Splits a text at the first of the verbs that it contains, in the order of the verbs.
fn split_at_verb<'t>(text: &'t str, verbs: &[String]) -> Option<(&'t str, &'t str)> {
    verbs.iter().find_map(|verb| text.split_once(&format!(" {verb}")))
}

/// Finds the words that name the only knowers: "only Odo knows", "nobody knows it but Odo", "Odo alone knows". Returns the text
/// before these words, the names, and the rest.
fn exclusive_knowers(text: &str) -> Option<(&str, &str, &str)> {
    announced_knowers(text).or_else(|| excepted_knowers(text)).or_else(|| lone_knowers(text))
}

/// Finds the words "only … knows" or "nobody but … knows". Returns the text before these words, the names between them, and the
/// rest.
fn announced_knowers(text: &str) -> Option<(&str, &str, &str)> {
    let knower_words = &ENGLISH.words.knowers;
    let mut openers = knower_words.exceptions().chain(["only".to_owned()]);
    openers.find_map(|opener| {
        let (start, end) = first_of(text, std::iter::once(opener))?;
        let (names, rest) = split_at_verb(&text[end..], &knower_words.verbs)?;
        let is_short = names_knowers(names) && !names.contains(['!', '?', ';']) && sentences(names).len() == 1;
        is_short.then_some((&text[..start], names, rest))
    })
}

/// Finds the words "nobody knows it but …". Returns the text before these words, the names after them, and the rest.
fn excepted_knowers(text: &str) -> Option<(&str, &str, &str)> {
    let knower_words = &ENGLISH.words.knowers;
    let verbs = &knower_words.verbs;
    let deniers =
        knower_words.all_deniers().flat_map(|denier| verbs.iter().map(move |verb| format!("{denier} {verb}")));
    let (start, end) = first_of(text, deniers)?;
    let rest = &text[end..];
    let (names_start, names_end) = first_of(rest, knower_words.exception_words.iter().cloned())?;
    let names = &rest[names_end..];
    let (names, after) = names.split_at(end_of_names(names));
    (is_reference(&rest[..names_start]) && is_list_of_names(names)).then_some((&text[..start], names, after))
}

/// Finds a clause such as "Odo alone knows it". Returns the text before the clause, the names, and the rest.
fn lone_knowers(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = split_at_verb(text, &ENGLISH.words.knowers.only_verbs)?;
    let is_end = |c: char| matches!(c, '.' | '!' | '?' | ';' | ':' | '(' | '[' | '\u{2013}' | '\u{2014}');
    let is_end_at = |(at, c): &(usize, char)| is_end(*c) && !(*c == '.' && ends_with_abbreviation(&before[..*at]));
    let start = before.char_indices().rev().find(is_end_at).map_or(0, |(at, c)| at + c.len_utf8());
    let start = before.rfind(" - ").map_or(start, |dash| start.max(dash + " - ".len()));
    let names = before[start..].trim_start();
    is_list_of_names(names).then_some((&before[..before.len() - names.len()], names, rest))
}

/// Returns the position of the first of some phrases that a text contains as words, with its end behind the space after it.
/// The longest phrase at a position counts.
fn first_of(text: &str, phrases: impl Iterator<Item = String>) -> Option<(usize, usize)> {
    let lowercase = text.to_ascii_lowercase();
    let found = phrases.filter_map(|phrase| {
        let phrase = format!("{phrase} ");
        let is_start = |at: &usize| lowercase[..*at].is_empty() || lowercase[..*at].ends_with([' ', '(', '[']);
        let start = lowercase.match_indices(phrase.as_str()).map(|(at, _)| at).find(is_start)?;
        Some((start, start + phrase.len()))
    });
    found.min_by_key(|(start, end)| (*start, std::cmp::Reverse(*end)))
}

/// Returns whether words consist only of names, pronouns and nouns with an article: "Odo, her sister and the baron".
fn is_list_of_names(names: &str) -> bool {
    let mut follows_determiner = false;
    let is_part = |part: &str| {
        let word = part.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let is_form = |pronouns: &PersonalPronouns| [&pronouns.subject, &pronouns.object].contains(&&word);
        let is_determiner = is_article(&word) || contains_word(&english().determiners, &word);
        let is_noun = std::mem::replace(&mut follows_determiner, is_determiner);
        is_noun
            || is_determiner
            || part.starts_with(char::is_uppercase)
            || contains_word(&english().name_conjunctions, &word)
            || english().personal_pronouns.iter().any(is_form)
    };
    names_knowers(names) && names.split_whitespace().all(is_part)
}

/// Returns whether words refer to the text before them, and state nothing: "of this."
pub fn is_reference(rest: &str) -> bool {
    words(rest).iter().all(|word| ENGLISH.words.knowers.references.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knowers_are_split_from_the_secret() {
        for (secret, text, knowers) in [
            ("Odo hid it. Known by Odo and Mirela.", "Odo hid it.", Some("Odo and Mirela")),
            ("Odo hid it (known only to Odo).", "Odo hid it.", Some("Odo")),
            ("Odo hid it. Known by: Odo, Mirela.", "Odo hid it.", Some("Odo, Mirela")),
            ("Odo hid it. Mirela knows it as well.", "Odo hid it.", Some("Mirela")),
            ("Odo hid it, known by Odo.", "Odo hid it.", Some("Odo")),
            ("Odo hid it. Only Mirela knows this.", "Odo hid it.", Some("Mirela")),
            ("Odo caused the flood. (only Mirela knows)", "Odo caused the flood.", Some("Mirela")),
            ("Odo caused the flood [only Mirela knows this].", "Odo caused the flood.", Some("Mirela")),
            ("Only Mirela knows that the mill burned.", "the mill burned.", Some("Mirela")),
            ("Only Mirela knows where he is.", "Only Mirela knows where he is.", Some("Mirela")),
            ("Odo hid it. Mirela and the baron know.", "Odo hid it.", Some("Mirela and the baron")),
            ("Odo hid it. Only he knows it (and Mirela, his boss).", "Odo hid it.", Some("he and Mirela")),
            ("Odo hid it. Nobody knows.", "Odo hid it. Nobody knows.", None),
            ("Odo hid it. Nobody else knows about it.", "Odo hid it.", None),
            ("Odo hid it. Mirela knows. No one else knows. It rusts.", "Odo hid it. It rusts.", Some("Mirela")),
            ("Odo hid it. Nobody else knows the way.", "Odo hid it. Nobody else knows the way.", None),
            ("The way is known to smugglers.", "The way is known to smugglers.", None),
            ("Odo hid it.", "Odo hid it.", None),
            ("Known only to Pell and Roz: the mill burned.", "the mill burned.", Some("Pell and Roz")),
            ("(Known to Pell) The mill burned.", "The mill burned.", Some("Pell")),
            ("It is known only to Pell that the mill burned.", "the mill burned.", Some("Pell")),
            ("The mill burned. This is known only to Pell.", "The mill burned.", Some("Pell")),
            ("Pell and Roz know that the mill burned.", "the mill burned.", Some("Pell and Roz")),
            ("Pell knows that Roz left him.", "Pell knows that Roz left him.", None),
            ("She knows that Roz left.", "She knows that Roz left.", None),
            ("Pell does not know that Roz left.", "Pell does not know that Roz left.", None),
            ("Unknown to Pell, the mill burned.", "Unknown to Pell, the mill burned.", None),
            ("The mill burned (Pell and Roz know).", "The mill burned.", Some("Pell and Roz")),
            ("Odo hid it (secret, known to Pell).", "Odo hid it.", Some("Pell")),
            (
                "The mill burned. Pell and Roz know this. The flour is sand.",
                "The mill burned. The flour is sand.",
                Some("Pell and Roz"),
            ),
            ("The mill burned. Nobody but Pell knows.", "The mill burned.", Some("Pell")),
            ("The mill burned. Pell is the only one who knows this.", "The mill burned.", Some("Pell")),
            ("Pell burned the mill; nobody knows it but Old Roz.", "Pell burned the mill.", Some("Old Roz")),
            (
                "Pell burned it. No one knows this except for Roz and her aunt.",
                "Pell burned it.",
                Some("Roz and her aunt"),
            ),
            ("Pell burned it; no one besides Roz knows.", "Pell burned it.", Some("Roz")),
            ("Pell is the only heir; nobody but Roz knows.", "Pell is the only heir.", Some("Roz")),
            ("Pell burned it. Nobody else but Roz knows about it.", "Pell burned it.", Some("Roz")),
            ("Pell burned the mill - Roz alone knows it.", "Pell burned the mill.", Some("Roz")),
            ("Pell burned it. Roz and Tam alone know.", "Pell burned it.", Some("Roz and Tam")),
            ("Roz alone knows that the mill burned.", "the mill burned.", Some("Roz")),
            ("Nobody except Roz knows that the mill burned.", "the mill burned.", Some("Roz")),
            ("Pell burned the mill, which only Roz knows.", "Pell burned the mill.", Some("Roz")),
            ("Pell burned the mill; it is known only to Roz.", "Pell burned the mill.", Some("Roz")),
            ("Pell burned it. Known only to Roz and Mr. Tam.", "Pell burned it.", Some("Roz and Mr. Tam")),
            ("Pell burned it; only Mr. Tam knows.", "Pell burned it.", Some("Mr. Tam")),
            (
                "Pell burned it. Nobody knows, but Roz suspects it.",
                "Pell burned it. Nobody knows, but Roz suspects it.",
                None,
            ),
            (
                "Pell burned it. Nobody knows but everybody asks Roz.",
                "Pell burned it. Nobody knows but everybody asks Roz.",
                None,
            ),
        ] {
            let is_addition = secret.contains("as well");
            let expected =
                SecretKnowers { text: text.into(), knowers: knowers.map(Into::into), is_addition, unaware: None };
            assert_eq!(split_knowers(secret), expected, "{secret}");
        }
        let found = split_knowers("Odo is the heir. Only Mirela knows. Odo has no idea.");
        assert_eq!((found.text.as_str(), found.knowers.as_deref()), ("Odo is the heir.", Some("Mirela")));
        assert_eq!(found.unaware.as_deref(), Some("Odo"));
        assert!(is_list_of_knowers("Known by Odo.") && is_list_of_knowers("Only Odo and Mirela know of this."));
        assert!(!is_list_of_knowers("Only Odo knows that the mill burned."));
        assert!(is_list_of_knowers("No one else knows this.") && !is_list_of_knowers("Nobody else knows the mill."));
        for text in ["Odo hid it (secret).", "(DM only) Odo hid it.", "Odo hid it (secret; known to Pell and Old Roz)."]
        {
            assert!(has_secret_remark(text), "{text}");
        }
        for text in ["Odo hid it (a secret door, known to Pell).", "Odo (secretive, known to drink) hid it."] {
            assert!(!has_secret_remark(text) && !contains_secret_mark(text), "{text}");
        }
        for text in ["Odo leads the guild (secret). drinks.", "Roz saw it (secret: Pell did it), and left."] {
            assert!(contains_secret_mark(text), "{text}");
        }
        for text in ["Nobody knows that Odo hid it.", "Odo hid it; only Pell knows.", "Odo secretly hid it."] {
            assert!(limits_own_knowers(text), "{text}");
        }
        for text in ["Only Pell knows.", "Odo has no idea; only Pell and Roz know.", "Odo hid it."] {
            assert!(!limits_own_knowers(text), "{text}");
        }
        assert_eq!(unaware_in("Her aunt must not know."), Some("Her aunt"));
        assert_eq!(marked_content("secret: Pell burned it"), Some(("secret", "Pell burned it")));
        assert_eq!(marked_content("GM only \u{2013} he is a clone"), Some(("GM only", "he is a clone")));
        for remark in ["secret", "secret, known to Pell", "secret: known to Pell", "the miller - a secretive man"] {
            assert_eq!(marked_content(remark), None, "{remark}");
        }
    }
}
