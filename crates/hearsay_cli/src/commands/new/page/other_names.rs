//! Other names beside a name: "Old Vreni (Verena Zumstein) is the herb woman.", "her son Peter, whom everybody calls Peterli".

use hearsay_campaign::import::{
    lexicon::{self, Meaning},
    nickname::appended_alias,
};
use hearsay_extract::{Language, Nickname};
use hearsay_model::{
    Kind, Span,
    spelling::is_stop_word,
    text::{name_at_start, words},
    words::{contains_word, is_article},
};

use super::{
    super::{answers::is_name, english::ENGLISH, sentences::sentences},
    subjects::is_verb,
};

/// Marks between a name and a description of the person, and whether the mark is a verb.
const DESCRIPTION_MARKS: [(&str, bool); 7] = [
    (" is ", true),
    (" was ", true),
    (", ", false),
    (": ", false),
    (" - ", false),
    (" \u{2013} ", false),
    (" \u{2014} ", false),
];

/// Maximum number of words of a name beside another name.
const MAX_NAME_WORDS: usize = 4;

/// Returns the names in parentheses behind the names with which sentences begin. A verb must follow: the names in
/// parentheses in a list can be players or groups. `page` must not contain the other name a second time, because a name that
/// the page also uses alone can be another entity.
pub(super) fn names_in_parentheses(text: &str, page: &str) -> Vec<Nickname> {
    let found = text.match_indices(" (").filter_map(|(at, _)| name_in_parentheses(text, at));
    found.filter(|nickname| page.matches(nickname.name.as_str()).count() < 2).collect()
}

fn name_in_parentheses(text: &str, at: usize) -> Option<Nickname> {
    let (before, after) = (&text[..at], &text[at + 2..]);
    let (name, rest) = after.split_once(')')?;
    let owner = sentences(before).last().copied()?;
    let is_verb_next = rest.strip_prefix(' ').and_then(|rest| rest.split(' ').next()).is_some_and(is_verb);
    let is_plain = name.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '\'' | '\u{2019}'));
    let is_full = name.starts_with(char::is_alphabetic) && (2..=MAX_NAME_WORDS).contains(&words(name).len());
    let is_noun = |name: &str| {
        let last = name.rsplit(' ').next().unwrap_or_default().to_lowercase();
        lexicon::name_kind(name).is_some() || lexicon::noun(&last).is_some()
    };
    let begins_with_function_word =
        |name: &str| name.split(' ').next().is_some_and(|first| is_stop_word(&first.to_lowercase()));
    let is_person = |name: &str| is_name(name) && !is_noun(name) && !begins_with_function_word(name);
    let is_other_name = is_verb_next
        && is_plain
        && is_full
        && words(owner).len() <= MAX_NAME_WORDS
        && is_person(owner)
        && is_person(name);
    let span = Span { start: at, end: at + 2 + name.len() + 1 };
    is_other_name.then(|| Nickname { name: name.to_owned(), owner: owner.to_owned(), span })
}

/// Returns the name of an entity and its other name, if a sentence states both: `her son Peter, whom everybody calls Peterli`,
/// `Odo is a poacher known as Old Latch`.
pub(super) fn appended_name(sentence: &str) -> Option<(&str, &str)> {
    let (before, name) = appended_alias(sentence)?;
    if is_name(before) {
        return Some((before, name));
    }
    let rest = &sentence[before.len()..];
    // A relative clause refers to the name directly before it.
    let is_apposition = rest.starts_with(',') && !rest[1..].trim_start().starts_with("who");
    let owner = match described_person(before) {
        Some(described) if described.is_whole || is_apposition && !described.has_verb => described.name,
        // "Ada is the daughter of Juno, known as the Wren" can mean either of the two.
        Some(_) if is_apposition => return None,
        // "A tavern in Saltwick, called the Gull" is about the tavern.
        _ => trailing_name(before).filter(|name| !is_apposition || follows_content(before, name))?,
    };
    Some((owner, name))
}

/// A person with whose name and description a text begins: "Odo is a poacher", "Ada, daughter of Juno".
struct DescribedPerson<'t> {
    name: &'t str,
    /// Whether a verb stands between the name and the description.
    has_verb: bool,
    /// Whether the text contains no more than the name and a noun phrase.
    is_whole: bool,
}

/// Returns the person with whose name and description a text begins.
fn described_person(text: &str) -> Option<DescribedPerson<'_>> {
    let marks = DESCRIPTION_MARKS.iter().filter_map(|(mark, is_verb)| Some((text.find(*mark)?, mark.len(), *is_verb)));
    let (at, length, has_verb) = marks.min()?;
    let (name, description) = (&text[..at], words(&text[at + length..]));
    let has_article = description.first().is_some_and(|word| is_article(word));
    let description = &description[usize::from(has_article)..];
    let length = description.iter().take_while(|word| !is_stop_word(word)).count();
    let noun = description[..length].last()?;
    let is_person = lexicon::noun(noun) == Some(Kind::Npc)
        || Language::english().is_occupation(noun)
        || matches!(lexicon::meaning(noun), Meaning::Relation(relation) if is_personal(relation.predicate.as_str()));
    let is_whole = length == description.len();
    (is_name(name) && is_person).then_some(DescribedPerson { name, has_verb, is_whole })
}

fn is_personal(relation: &str) -> bool {
    contains_word(&ENGLISH.personal_relations, relation)
}

/// Returns the name of an entity and its other name, if a sentence says that everybody uses the other name: "Everyone calls Odo
/// the Heron." The page must contain the first name elsewhere, and the other name only here.
pub(super) fn called_name<'s>(sentence: &'s str, page: &str) -> Option<(&'s str, &'s str)> {
    let mut verbs = ENGLISH.naming_verbs.iter();
    let (before, rest) = verbs.find_map(|verb| sentence.split_once(&format!(" {verb} ")))?;
    let people = before.rsplit(' ').next()?.to_lowercase();
    if !contains_word(&ENGLISH.everybody, &people) {
        return None;
    }
    let split = |(at, _): (usize, &'s str)| {
        let (owner, name) = (&rest[..at], name_at_start(&rest[at + 1..])?);
        (is_name(owner) && page.matches(owner).count() > 1 && page.matches(name).count() == 1).then_some((owner, name))
    };
    rest.match_indices(' ').take(MAX_NAME_WORDS).filter_map(split).last()
}

/// Returns whether a name at the end of a text follows a word with content, such as "her son Tomas", but not "in Saltwick".
fn follows_content(text: &str, name: &str) -> bool {
    let before = text.strip_suffix(name).unwrap_or_default().trim_end();
    before.rsplit(' ').next().is_some_and(|word| !word.is_empty() && !is_stop_word(&word.to_lowercase()))
}

/// Returns the words with capital letters at the end of a text.
fn trailing_name(text: &str) -> Option<&str> {
    let is_name_word = |word: &&str| word.starts_with(char::is_uppercase) && word.ends_with(char::is_alphanumeric);
    let name_words = text.rsplit(' ').take(MAX_NAME_WORDS).take_while(is_name_word);
    let length = name_words.map(|word| word.len() + 1).sum::<usize>().checked_sub(1)?;
    text.get(text.len() - length..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_parentheses_is_another_name() {
        let found = |text: &str| {
            let found = names_in_parentheses(text, text);
            found.into_iter().map(|nickname| format!("{}: {}", nickname.owner, nickname.name)).collect::<Vec<_>>()
        };
        assert_eq!(found("It rains. Ma Sorrel (Ada Brook) keeps bees."), ["Ma Sorrel: Ada Brook"]);
        for text in [
            "Wren Oake (Ben), Odo Marsh (Cleo Hill)",
            "Wren Oake (Ben) is a ranger.",
            "Odo Marsh (Salt Guild) is a thief.",
            "The Heron (Ada Brook) is closed.",
            "Odo Marsh (he drinks) is a thief.",
            "She met Odo Marsh (Ada Brook) is a thief.",
            "Ma Sorrel (Ada Brook) keeps bees. Ada Brook is her daughter.",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_relative_clause_states_another_name() {
        let sentence = "She lives with her son Tomas, whom everybody calls Tomi, in a hut.";
        assert_eq!(appended_name(sentence), Some(("Tomas", "Tomi")));
        assert_eq!(appended_name("Ada Brook, alias the Mole, digs."), Some(("Ada Brook", "the Mole")));
        assert_eq!(appended_name("She keeps a dog, whom everybody calls Rex."), None);
        assert_eq!(appended_name("She loves Tomas, whom everybody calls a fool."), None);
    }

    #[test]
    fn a_description_can_stand_between_a_name_and_another_name() {
        for (sentence, expected) in [
            ("Tomas Grell is a one-eyed poacher known as Old Trap.", Some(("Tomas Grell", "Old Trap"))),
            ("Ada, daughter of Juno Brook, known as the Wren, sings.", Some(("Ada", "the Wren"))),
            ("Tomas - clerk at the Toll House, called the Inkpot", Some(("Tomas", "the Inkpot"))),
            ("Ada, daughter of Juno Brook, whom everyone calls Nan, sings.", Some(("Juno Brook", "Nan"))),
            ("Ada is the daughter of Juno Brook, known as the Wren.", None),
            ("Tomas is the owner of an inn known as the Trap.", None),
            ("Tomas keeps a dog called Rex.", None),
            ("They meet in a tavern in Hale, called the Trap.", None),
            ("She has a son Tomas, called Tomi.", Some(("Tomas", "Tomi"))),
        ] {
            assert_eq!(appended_name(sentence), expected, "{sentence}");
        }
    }

    #[test]
    fn a_sentence_says_what_everybody_calls_a_person() {
        let page = "Tomas Grell is a poacher. Everyone calls Tomas Old Trap. Everybody calls Tomas Grell the Crow.";
        assert_eq!(called_name("Everyone calls Tomas Old Trap.", page), Some(("Tomas", "Old Trap")));
        assert_eq!(called_name("Everybody calls Tomas Grell the Crow.", page), Some(("Tomas Grell", "the Crow")));
        for sentence in ["Ada calls Tomas Old Trap.", "Everyone calls Ada Old Trap.", "Everyone calls Tomas a fool."] {
            assert_eq!(called_name(sentence, page), None, "{sentence}");
        }
    }
}
