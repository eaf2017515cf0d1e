//! Finds the words of a secret that say who knows the secret.

use hearsay_campaign::import::secret::adds_knowers;
use hearsay_model::text::words;

use super::sentences::sentences;

/// Words that list the knowers after a secret: "Known by Odo and Mirela."
const LIST_STARTS: [&str; 6] =
    ["known only by ", "known only to ", "only known by ", "only known to ", "known by ", "known to "];

/// Words after which a sentence repeats what the knowers know: "Only Odo knows this."
const REFERENCES: [&str; 17] = [
    "this", "it", "that", "so", "about", "of", "the", "secret", "truth", "rumour", "rumor", "story", "too", "also",
    "as", "well", "yet",
];

/// Verbs of a sentence that says who does not know the secret: "Odo has no idea."
const DENIALS: [&str; 7] = [
    " has no idea",
    " have no idea",
    " does not know",
    " doesn't know",
    " do not know",
    " don't know",
    " knows nothing",
];

/// Marks between a secret and the list of its knowers.
const OPENING_MARKS: [char; 8] = [' ', ',', ';', '(', '[', '\u{2013}', '\u{2014}', '-'];

/// Words that name no single knower: "Nobody knows."
const NO_KNOWERS: [&str; 14] = [
    "nobody",
    "none",
    "no",
    "not",
    "never",
    "few",
    "everybody",
    "everyone",
    "anybody",
    "anyone",
    "who",
    "what",
    "if",
    "people",
];

/// A secret without the words that list its knowers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SecretKnowers {
    pub(super) text: String,
    /// Words that name the knowers; `None` if the text does not list them.
    pub(super) knowers: Option<String>,
    /// Whether the words add knowers to the one whose secret it is: "Odo knows it too."
    pub(super) is_addition: bool,
    /// Words for the characters who do not know the secret, according to a sentence of their own.
    pub(super) unaware: Option<String>,
}

/// Splits a secret from the words that list its knowers, such as "Known by Odo and Mirela" or "Only Odo knows this", and
/// from a sentence such as "Juno has no idea."
pub(super) fn split_knowers(secret: &str) -> SecretKnowers {
    if let Some((text, unaware)) = denied_knowers(secret) {
        let unaware = Some(unaware.to_owned());
        return SecretKnowers { unaware, ..split_knowers(text) };
    }
    let whole = || SecretKnowers { text: secret.to_owned(), ..SecretKnowers::default() };
    let listed =
        |text: String, knowers: String| SecretKnowers { text, knowers: Some(knowers), ..SecretKnowers::default() };
    if let Some((text, knowers)) = listed_knowers(secret) {
        return listed(text, knowers);
    }
    if let Some((text, knowers)) = stated_knowers(secret) {
        let is_addition = adds_knowers(&secret[text.len()..]);
        return SecretKnowers { is_addition, ..listed(text.to_owned(), knowers.to_owned()) };
    }
    let Some((before, knowers, rest)) = exclusive_knowers(secret) else { return whole() };
    let (rest, others) = split_companions(rest);
    let knowers = others.map_or_else(|| knowers.to_owned(), |others| format!("{knowers} and {others}"));
    let text = match rest.trim_start().strip_prefix("that ") {
        // "Only Odo knows that the mill is empty."
        Some(content) if !content.trim().is_empty() && !is_reference(content) => format!("{before}{content}"),
        _ if is_reference(rest) => {
            without_list(before, rest.trim_start_matches(|c: char| c.is_alphabetic() || c == ' '))
        }
        _ => secret.to_owned(),
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
pub(super) fn unaware_in(sentence: &str) -> Option<&str> {
    let (names, rest) = DENIALS.iter().find_map(|denial| sentence.split_once(denial))?;
    let is_list = words(names).len() <= 8 && (rest.is_empty() || rest.starts_with([' ', '.', '!']));
    (is_list && is_reference(rest)).then_some(names)
}

/// Returns whether a sentence only says who knows, or does not know, the sentence before.
pub(super) fn is_remark_about_knowers(sentence: &str) -> bool {
    is_list_of_knowers(sentence) || aware_in(sentence).is_some() || unaware_in(sentence).is_some()
}

/// Returns whether a sentence only says who knows the sentence before.
pub(super) fn is_list_of_knowers(sentence: &str) -> bool {
    let sentence = sentence.trim_start_matches(['(', '[', '*', '_', ' ']);
    find_list(sentence).is_some_and(|(at, _)| at == 0)
        || exclusive_knowers(sentence)
            .is_some_and(|(before, _, rest)| before.is_empty() && is_reference(split_companions(rest).0))
}

/// Finds a list such as "(known by Odo and Mirela)". Returns the text without the list, and the list.
fn listed_knowers(secret: &str) -> Option<(String, String)> {
    let (at, length) = find_list(secret)?;
    let list = &secret[at + length..];
    let end = list.find(['.', ';', ')', ']', '\n']).unwrap_or(list.len());
    let before = &secret[..at];
    let trimmed = before.trim_end_matches(OPENING_MARKS);
    // "It is known to Odo" is a sentence of its own kind.
    let is_clause = trimmed.rsplit(' ').next().is_some_and(|word| ["is", "are", "was", "were"].contains(&word));
    let is_sentence_end = trimmed.is_empty() || is_clause;
    (!is_sentence_end).then(|| (without_list(before, &list[end..]), list[..end].to_owned()))
}

/// Returns the position of the words before a list of knowers, and their length: "known by Odo", "Known by: Odo".
fn find_list(text: &str) -> Option<(usize, usize)> {
    let lowercase = text.to_ascii_lowercase();
    let labels = LIST_STARTS.iter().map(|start| format!("{}: ", start.trim_end()));
    let starts = LIST_STARTS.iter().map(|start| (*start).to_owned()).chain(labels);
    starts.filter_map(|start| Some((lowercase.find(&start)?, start.len()))).min()
}

/// Joins the texts before and after a list of knowers, without the brackets of the list.
fn without_list(before: &str, after: &str) -> String {
    let before = before.trim_end_matches(OPENING_MARKS);
    if before.is_empty() {
        return String::new();
    }
    let after = after.trim_start_matches([')', ']', ';', ' ']);
    let after = if before.ends_with(['.', '!', '?']) { after.trim_start_matches(['.', ' ']) } else { after };
    let separator = if after.is_empty() || after.starts_with('.') { "" } else { " " };
    format!("{before}{separator}{after}")
}

/// Finds a last sentence such as "Odo and Mirela know." or "The baron knows about this." Returns the text before, and the
/// names.
fn stated_knowers(secret: &str) -> Option<(&str, &str)> {
    let parts = sentences(secret);
    let last = parts.last().copied().filter(|_| parts.len() > 1)?;
    Some((secret.strip_suffix(last)?.trim_end(), aware_in(last)?))
}

/// Returns the names in a sentence that only says who knows the sentence before: "Odo and Mirela know it as well."
pub(super) fn aware_in(sentence: &str) -> Option<&str> {
    let (names, rest) = sentence.split_once(" knows").or_else(|| sentence.split_once(" know"))?;
    let has_names = words(names).iter().all(|word| !NO_KNOWERS.contains(&word.as_str()) && word != "only");
    let is_list = has_names && words(names).len() <= 8 && (rest.is_empty() || rest.starts_with([' ', '.']));
    (is_list && is_reference(rest)).then_some(names)
}

/// Finds the words "only … knows". Returns the text before these words, the names between them, and the rest.
fn exclusive_knowers(text: &str) -> Option<(&str, &str, &str)> {
    let lowercase = text.to_ascii_lowercase();
    let at = lowercase.find("only ").filter(|at| text[..*at].is_empty() || text[..*at].ends_with([' ', '(', '[']))?;
    let names = &text[at + "only ".len()..];
    let (end, verb) = [" knows", " know"].iter().find_map(|verb| names.find(verb).map(|end| (end, verb)))?;
    let is_short = words(&names[..end]).len() <= 8 && !names[..end].contains(['.', '!', '?', ';']);
    is_short.then(|| (&text[..at], &names[..end], &names[end + verb.len()..]))
}

/// Returns whether words refer to the text before them, and state nothing: "of this."
pub(super) fn is_reference(rest: &str) -> bool {
    words(rest).iter().all(|word| REFERENCES.contains(&word.as_str()))
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
            ("The way is known to smugglers.", "The way is known to smugglers.", None),
            ("Odo hid it.", "Odo hid it.", None),
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
    }
}
