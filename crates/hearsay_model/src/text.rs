//! Comparison of names and words in texts, and parts of texts. The comparison ignores case, additional spaces, and the
//! form of quotation marks and hyphens.

use std::{borrow::Cow, fmt::Display, marker::PhantomData, str::FromStr};

use serde::{
    Deserializer,
    de::{Error, Visitor},
};
use unicode_normalization::UnicodeNormalization;

use crate::words::{contains_word, english};

/// Maximum number of words of a name at the start of a text, without its article.
const MAX_NAME_WORDS: usize = 4;

/// Characters that end a sentence, or a clause with a subject of its own. An abbreviation such as "Mr." is not
/// recognized, unlike in [`sentences`].
pub const SENTENCE_ENDS: [char; 5] = ['.', '!', '?', ';', '\u{2026}'];

/// Returns the normal form of a text, which is used to compare names: Unicode form NFKC, lowercase, straight quotes,
/// plain hyphens, single spaces.
///
/// `Day’s  End` and `day's end` have the same normal form.
pub fn normalize(text: &str) -> String {
    if text.is_ascii() { normalize_ascii(text) } else { normalize_unicode(text) }
}

/// Fast path for ASCII text, which needs no Unicode normalization. Nearly all text is ASCII.
fn normalize_ascii(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() {
            if !normal.is_empty() && !normal.ends_with(' ') {
                normal.push(' ');
            }
        } else if !c.is_control() {
            normal.push(if c == '`' { '\'' } else { c.to_ascii_lowercase() });
        }
    }
    normal.truncate(normal.trim_end().len());
    normal
}

fn normalize_unicode(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    // NFKC decomposes the acute accent into a space and a combining mark. Some people write the accent for an
    // apostrophe.
    let plain = text.chars().map(|c| if c == '\u{00B4}' { '\'' } else { c });
    for c in plain.nfkc() {
        let c = match c {
            '\u{2018}' | '\u{2019}' | '\u{201B}' | '\u{02BC}' | '`' => '\'',
            '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{00AB}' | '\u{00BB}' => '"',
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            c => c,
        };
        if c.is_whitespace() {
            if !normal.is_empty() && !normal.ends_with(' ') {
                normal.push(' ');
            }
        } else if !c.is_control() {
            normal.extend(c.to_lowercase());
        }
    }
    normal.truncate(normal.trim_end().len());
    normal
}

/// Returns the words of a text in [normal form](normalize): sequences of letters and digits.
///
/// An apostrophe inside a word remains. The ending `'s` is removed, so `Odo's` gives the word `odo`.
pub fn words(text: &str) -> Vec<String> {
    normalize(text)
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(|word| word.trim_matches('\''))
        .map(|word| word.strip_suffix("'s").unwrap_or(word))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns a word without the ending of the possessive: `Odo` for `Odo's`, with either apostrophe.
pub fn without_possessive(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("\u{2019}s")).unwrap_or(word)
}

/// Returns whether the words of a name occur in a text, one directly after the other. Only whole words count: `Art`
/// does not occur in `start`.
pub fn contains_name(text: &[String], name: &[String]) -> bool {
    !name.is_empty() && text.windows(name.len()).any(|window| window == name)
}

/// Returns whether the lowercase form of a text contains `part`, which must be lowercase. Most texts are ASCII; such a
/// text is not copied.
pub fn contains_lowercase(text: &str, part: &str) -> bool {
    if !text.is_ascii() {
        return text.to_lowercase().contains(part);
    }
    let part = part.as_bytes();
    let Some(first) = part.first() else { return true };
    let is_part = |window: &[u8]| window[0].to_ascii_lowercase() == *first && window.eq_ignore_ascii_case(part);
    text.as_bytes().windows(part.len()).any(is_part)
}

/// Returns the sentences of a paragraph. Joined with spaces, they are the paragraph. A full stop after an abbreviation or
/// an initial does not end a sentence: "Dr. Finch is out."
pub fn sentences(paragraph: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, _) in paragraph.match_indices(' ') {
        let (before, after) = (&paragraph[start..at], &paragraph[at + 1..]);
        let closing = before.trim_end_matches(['"', '\'', '\u{2019}', '\u{201D}', ')', '*', '_']);
        let is_end = closing.ends_with(['.', '!', '?', '\u{2026}']);
        let last = closing.rsplit(' ').next().unwrap_or_default().trim_end_matches('.').to_lowercase();
        let is_initial = last.len() == 1 && last != "i";
        let is_abbreviation = closing.ends_with('.') && (is_initial || contains_word(&english().abbreviations, &last));
        let first = after.chars().find(|c| c.is_alphanumeric());
        if is_end && !is_abbreviation && first.is_some_and(|first| !first.is_lowercase()) {
            sentences.push(before);
            start = at + 1;
        }
    }
    sentences.push(&paragraph[start..]);
    sentences.retain(|sentence| !sentence.trim().is_empty());
    sentences
}

/// Returns the sentence of a text that contains the bytes from `start` to `end`; `None` if the range is invalid.
pub fn sentence_around(text: &str, start: usize, end: usize) -> Option<&str> {
    let (before, after) = (text.get(..start)?, text.get(end..)?);
    let is_end = |character: char| matches!(character, '.' | '!' | '?' | '\n');
    let first = before.rfind(is_end).map_or(0, |at| at + 1);
    let last = after.find(is_end).map_or(text.len(), |at| end + at + 1);
    text.get(first..last).map(str::trim)
}

/// Splits a text that ends with brackets into the text before the brackets and the text in them: `Not here. (quietly)`.
/// Returns `None` if the text does not end with brackets, if nothing precedes them, or if they contain other brackets.
pub fn split_final_brackets(text: &str) -> Option<(&str, &str)> {
    let (before, content) = text.trim_end().strip_suffix([')', ']'])?.rsplit_once(['(', '['])?;
    let (before, content) = (before.trim(), content.trim());
    (!before.is_empty() && !content.contains([')', ']'])).then_some((before, content))
}

/// Returns the name with which a text begins: words with a capital letter, perhaps after "the", or words in quotation
/// marks.
pub fn name_at_start(text: &str) -> Option<&str> {
    let quotes = [('"', '"'), ('\u{201C}', '\u{201D}'), ('\u{2018}', '\u{2019}'), ('\'', '\'')];
    for (open, close) in quotes {
        if let Some(quoted) = text.strip_prefix(open) {
            let name = quoted[..quoted.find(close)?].trim_end_matches(['.', ',']);
            return Some(name).filter(|name| (1..=MAX_NAME_WORDS + 1).contains(&words(name).len()));
        }
    }
    let article = if text.to_ascii_lowercase().starts_with("the ") { "the ".len() } else { 0 };
    let mut end = article;
    for word in text[article..].split(' ').take(MAX_NAME_WORDS) {
        if !word.starts_with(char::is_uppercase) {
            break;
        }
        let plain = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        end += usize::from(end > article) + plain.len();
        if plain.len() < word.len() {
            break;
        }
    }
    (end > article).then(|| &text[..end])
}

/// Shortens a text to at most `max_chars` characters. Appends `…` if text is omitted.
pub fn shorten(text: &str, max_chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max_chars) {
        None => Cow::Borrowed(text),
        Some((at, _)) => Cow::Owned(format!("{}\u{2026}", text[..at].trim_end())),
    }
}

/// Deserializes a type from its text form without copying the text.
pub(crate) fn deserialize_from_str<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    struct FromStrVisitor<T>(PhantomData<T>);

    impl<T: FromStr<Err: Display>> Visitor<'_> for FromStrVisitor<T> {
        type Value = T;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }

    deserializer.deserialize_str(FromStrVisitor(PhantomData))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn plain_text_has_the_normal_form_of_any(text in "[\\x00-\\x7f]{0,40}") {
            prop_assert_eq!(normalize_ascii(&text), normalize_unicode(&text));
        }
    }

    #[test]
    fn quotes_dashes_and_spaces_do_not_tell_names_apart() {
        for apostrophe in ['\u{2019}', '\u{00B4}', '`'] {
            assert_eq!(normalize(&format!("Day{apostrophe}s \u{00A0} End")), "day's end");
        }
        assert_eq!(normalize("Half\u{2013}Elf"), "half-elf");
        assert_eq!(normalize("  \u{FF27}rim  "), "grim");
    }

    #[test]
    fn names_are_found_as_words() {
        let check = |text: &str, name: &str, expected| {
            assert_eq!(contains_name(&words(text), &words(name)), expected, "{name} in {text}");
        };
        check("Where did Art start?", "Art", true);
        check("We start now.", "Art", false);
        check("the smith\u{2019}s debt", "Smith", true);
        check("Grimjaw Ironhand, the smith", "grimjaw ironhand", true);
        check("Grimjaw and Ironhand", "Grimjaw Ironhand", false);
        check("anything", "", false);
    }

    #[test]
    fn a_paragraph_is_split_without_loss() {
        for expected in [
            &["Mr. Bell waits.", "He drinks!", "\"Who is it?\" she asks."][..],
            &["It costs 3.50 crowns.", "J. Hask pays."],
            &["She is as old as I.", "Nobody serves the king.", "He sails."],
            &["One clause only"],
            &[],
        ] {
            assert_eq!(sentences(&expected.join(" ")), expected);
        }
    }

    #[test]
    fn the_sentence_around_a_quotation_is_found() {
        let text = "It rains. Ann promised Bob a boat!\nThey leave";
        let around = |quote: &str| {
            let start = text.find(quote).unwrap();
            sentence_around(text, start, start + quote.len())
        };
        assert_eq!(around("Ann promised Bob"), Some("Ann promised Bob a boat!"));
        assert_eq!((around("rains"), around("leave")), (Some("It rains."), Some("They leave")));
        assert_eq!(sentence_around(text, 0, 900), None);
    }

    #[test]
    fn brackets_at_the_end_are_split_from_a_text() {
        assert_eq!(split_final_brackets("The boat leaks. (bails) "), Some(("The boat leaks.", "bails")));
        assert_eq!(split_final_brackets("She (Nell) rows [ slowly ]"), Some(("She (Nell) rows", "slowly")));
        for text in ["(bails)", "The boat (an old one) leaks.", "It leaks (badly (he says))", "It leaks bails)"] {
            assert_eq!(split_final_brackets(text), None, "{text}");
        }
    }

    #[test]
    fn texts_are_cut_at_characters() {
        assert_eq!(shorten("héllo wörld", 5), "héllo\u{2026}");
        assert_eq!(shorten("a long rope", 7), "a long\u{2026}");
        assert_eq!(shorten("short", 5), "short");
    }

    #[test]
    fn a_part_is_found_in_any_case() {
        for (text, part) in [("The HARBOUR Watch", "harbour"), ("ZOË", "zoë"), ("Odo", "")] {
            assert!(contains_lowercase(text, part), "{part} in {text}");
        }
        for (text, part) in [("The Harbour", "harbours"), ("Od", "odo"), ("", "odo"), ("Zoe", "zoë")] {
            assert!(!contains_lowercase(text, part), "{part} in {text}");
        }
    }
}
