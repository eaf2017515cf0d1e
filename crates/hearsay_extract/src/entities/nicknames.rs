//! Nicknames in quotation marks within or after a name: `Marlow "Old Marl" Finch`, `Marlow Finch ("Old Marl")`, `Marlow
//! Finch, "Old Marl", the miller`.
//!
//! A nickname is another name of the same entity. The extractor reads a text without its nicknames, and records each
//! nickname as an alias.

use std::borrow::Cow;

use hearsay_model::{Span, spelling::is_stop_word, text};
use rustc_hash::FxHashMap;

use crate::{
    entities::{
        lexicon::Lexicon,
        mentions::{EntityRef, NameMention, NewNames},
    },
    text::tokenizer::Token,
};

/// Maximum length of a nickname, in bytes.
const MAX_NICKNAME_BYTES: usize = 48;

/// Maximum number of words of a nickname, and of the name before or after it.
const MAX_WORDS: usize = 4;

/// Maximum number of letters of a word in lowercase within a nickname: "the Mole", "Jack of All".
const MAX_PARTICLE_LETTERS: usize = 3;

/// A nickname in quotation marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nickname {
    /// The nickname, without its quotation marks.
    pub name: String,
    /// The name of the entity with this nickname, as far as the text states the name beside the nickname.
    pub owner: String,
    /// Position of the nickname in the text, in bytes, with its quotation marks, its parentheses, and the space and comma
    /// before it.
    pub span: Span,
}

/// Returns the nicknames in a text, in order. They do not overlap.
pub fn find_nicknames(text: &str) -> Vec<Nickname> {
    let mut found: Vec<Nickname> = Vec::new();
    for (at, mark) in text.char_indices() {
        if found.last().is_none_or(|last| last.span.end <= at) {
            found.extend(nickname_at(text, at, mark));
        }
    }
    found
}

/// Returns the nickname whose opening quotation mark is at a position.
fn nickname_at(text: &str, at: usize, mark: char) -> Option<Nickname> {
    let closing_marks: &[char] = match mark {
        '"' => &['"'],
        '\'' => &['\''],
        '\u{201C}' => &['\u{201D}'],
        '\u{201E}' => &['\u{201C}', '\u{201D}'],
        '\u{2018}' => &['\u{2019}'],
        '\u{00AB}' => &['\u{00BB}'],
        _ => return None,
    };
    let bracket = text[..at].strip_suffix('(');
    let before = bracket.unwrap_or(&text[..at]).strip_suffix(' ')?;
    let comma = before.strip_suffix(',').filter(|_| bracket.is_none());
    let before = comma.unwrap_or(before);
    let mut owner: Vec<&str> =
        before.rsplit([' ', '\n']).take(MAX_WORDS).map(without_markup).take_while(|word| is_name_word(word)).collect();
    owner.reverse();
    let start = at + mark.len_utf8();
    let window = &text[start..floor_char_boundary(text, start + MAX_NICKNAME_BYTES)];
    let is_closing = |(at, c): &(usize, char)| {
        closing_marks.contains(c) && !window[at + c.len_utf8()..].starts_with(char::is_alphanumeric)
    };
    let (length, closing_mark) = window.char_indices().find(is_closing)?;
    let mut end = start + length + closing_mark.len_utf8();
    if owner.is_empty() || !is_nickname(&window[..length]) {
        return None;
    }
    if bracket.is_some() {
        end = text.len() - text[end..].strip_prefix(')')?.len();
    } else {
        // The name continues after the nickname, or the nickname ends it.
        let following = text[end..].strip_prefix(' ').map(words_of_name).unwrap_or_default();
        let begins_line = before.rsplit('\n').next().is_some_and(|line| text::words(line).len() <= owner.len());
        let is_end = begins_line || comma.is_none() && owner.len() > 1;
        match comma {
            None if !following.is_empty() => owner.extend(following),
            _ if is_end && ends_name(&text[end..]) => {}
            _ => return None,
        }
    }
    let span = Span { start: before.len(), end };
    Some(Nickname { name: window[..length].to_owned(), owner: owner.join(" "), span })
}

/// Returns the words of the name with which a text begins.
fn words_of_name(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for word in text.split([' ', '\n']).take(MAX_WORDS).map(without_markup) {
        let plain = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        if !is_name_word(plain) {
            break;
        }
        words.push(plain);
        if plain.len() < word.len() {
            break;
        }
    }
    words
}

/// Returns whether a name ends before a text: at its end, or at a punctuation mark.
fn ends_name(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['*', '_']);
    let is_dash = |c: char| matches!(c, '-' | '\u{2013}' | '\u{2014}');
    let after_space = rest.strip_prefix(' ').is_some_and(|rest| rest.starts_with(|c: char| c == '(' || is_dash(c)));
    rest.is_empty() || after_space || rest.starts_with([',', ':', ';', '.', ')', '\n'])
}

/// Returns a word without the marks of bold and italic text.
fn without_markup(word: &str) -> &str {
    word.trim_matches(['*', '_'])
}

/// Returns whether a word can be a part of the name of an entity.
fn is_name_word(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word.ends_with(char::is_alphanumeric) && !is_stop_word(&word.to_lowercase())
}

/// Returns whether words in quotation marks can be a nickname, and are not speech.
fn is_nickname(words: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}' | '-');
    let is_capitalized = |word: &str| word.starts_with(char::is_uppercase);
    let is_word = |word: &str| {
        !word.is_empty()
            && word.chars().all(is_letter)
            && (is_capitalized(word) || word.chars().count() <= MAX_PARTICLE_LETTERS)
    };
    words.split(' ').count() <= MAX_WORDS && words.split(' ').all(is_word) && words.split(' ').any(is_capitalized)
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A text without its nicknames. Spaces replace each nickname, so all positions stay the same.
#[derive(Debug)]
pub(crate) struct PlainText<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) nicknames: Vec<Nickname>,
}

impl<'a> PlainText<'a> {
    /// Creates the plain text of a source text. Words that are part of a name in the lexicon are not a nickname.
    pub(crate) fn new(source: &'a str, lexicon: &Lexicon) -> Self {
        let mut nicknames = find_nicknames(source);
        if nicknames.is_empty() {
            return Self::unchanged(source);
        }
        let known_names: Vec<Vec<String>> =
            lexicon.names_in(source).into_iter().map(|(name, _)| text::words(name)).collect();
        nicknames.retain(|nickname| {
            let before = source[..nickname.span.start].rsplit([' ', '\n']).next().unwrap_or_default();
            let words = text::words(&format!("{before} {}", nickname.name));
            !known_names.iter().any(|name| text::contains_name(name, &words))
        });
        let (mut plain, mut at) = (String::with_capacity(source.len()), 0);
        for Nickname { span, .. } in &nicknames {
            plain.push_str(&source[at..span.start]);
            plain.extend(std::iter::repeat_n(' ', span.end - span.start));
            at = span.end;
        }
        plain.push_str(&source[at..]);
        Self { text: Cow::Owned(plain), nicknames }
    }

    /// Creates a plain text that keeps its nicknames.
    pub(crate) fn unchanged(source: &'a str) -> Self {
        Self { text: Cow::Borrowed(source), nicknames: Vec::new() }
    }
}

/// Finds the entities of the nicknames in a sentence, and adds them to `owners`. `nicknames` are the nicknames of the whole
/// text, and `plain` is the text without them. Names that are an earlier nickname then refer to the entity with this
/// nickname.
///
/// Returns the nicknames of the sentence with their entities.
pub(crate) fn link_nicknames<'n>(
    nicknames: &'n [Nickname],
    plain: &str,
    tokens: &[Token],
    names: &mut [NameMention],
    new_names: &NewNames,
    owners: &mut FxHashMap<String, EntityRef>,
) -> Vec<(EntityRef, &'n Nickname)> {
    for name in names.iter_mut().filter(|_| !owners.is_empty()) {
        if let EntityRef::New(index) = name.entity
            && let Some(new_name) = new_names.entities.get(index)
            && let Some(owner) = owners.get(&text::normalize(&new_name.name))
        {
            name.entity = *owner;
        }
    }
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return Vec::new() };
    let from = nicknames.partition_point(|nickname| nickname.span.start < first.start);
    let in_sentence = nicknames[from..].iter().take_while(|nickname| nickname.span.start <= last.end);
    let owner_of = |nickname: &Nickname| {
        let owner = names.iter().find(|name| {
            let (start, end) = (tokens[name.start].start, tokens[name.end - 1].end);
            let is_within = start < nickname.span.start && nickname.span.end < end;
            let gap = plain.get(end..nickname.span.start);
            is_within || gap.is_some_and(|gap| !gap.contains(char::is_alphanumeric))
        });
        owner.map(|name| name.entity)
    };
    let found: Vec<(EntityRef, &Nickname)> =
        in_sentence.filter_map(|nickname| Some((owner_of(nickname)?, nickname))).collect();
    owners.extend(found.iter().map(|(owner, nickname)| (text::normalize(&nickname.name), *owner)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nicknames_stand_within_or_after_a_name() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let found = find_nicknames(text);
            let names: Vec<(&str, &str)> =
                found.iter().map(|nickname| (nickname.owner.as_str(), nickname.name.as_str())).collect();
            assert_eq!(names, expected, "{text}");
        };
        check("Marlow Finch (\"Old Marl\") runs the mill.", &[("Marlow Finch", "Old Marl")]);
        check("Then Marlow \u{201C}Old Marl\u{201D} Finch, the miller, came.", &[("Marlow Finch", "Old Marl")]);
        check("**Ada 'the Mole' O'Brien** digs.", &[("Ada O'Brien", "the Mole")]);
        check("The Gilded Gull (\u{2018}The Gull\u{2019})", &[("Gilded Gull", "The Gull")]);
        check("- Marlow Finch, \"Old Marl\" - keeps the mill", &[("Marlow Finch", "Old Marl")]);
        check("Marlow, \u{201C}Old Marl\u{201D}, is ill.", &[("Marlow", "Old Marl")]);
        check("They all fear Ada Brook \"the Mole\".", &[("Ada Brook", "the Mole")]);
        check("**Ada Brook \"the Mole\"** digs.", &[]);
        for text in [
            "Marlow said \"Old Marl\" Finch.",
            "Odo Brandt (\"I was asleep.\") lies.",
            "The \"Gilded Gull\" Inn",
            "He left. \"Old Marl\" Finch",
            "Marlow \"Old Marl\" left.",
            "He asked Marlow Finch, \"Why\", and left.",
            "Then Odo said to Ada \"Never\".",
            "Odo Brandt: \"Run.\"",
            "the song (\"Old Marl\")",
            "Marlow (\"Old",
            "\"",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn positions_stay_the_same_without_nicknames() {
        let source = "Žofie \u{201C}Die Säge\u{201D} Nováková saws.";
        let plain = PlainText::new(source, &Lexicon::default());
        assert_eq!(plain.text.len(), source.len());
        assert_eq!(plain.text.split_whitespace().collect::<Vec<_>>(), ["Žofie", "Nováková", "saws."]);
        assert_eq!(plain.text.find("saws"), source.find("saws"));
    }
}
