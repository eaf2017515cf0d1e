//! Other names beside a name: "Old Vreni (Verena Zumstein) is the herb woman.", "her son Peter, whom everybody calls Peterli".

use hearsay_campaign::import::{lexicon, nickname::appended_alias};
use hearsay_extract::Nickname;
use hearsay_model::{Span, spelling::is_stop_word, text::words};

use super::{
    super::{answers::is_name, sentences::sentences},
    subjects::is_verb,
};

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

/// Returns the name of an entity and its other name, if a sentence states both: `her son Peter, whom everybody calls Peterli`.
pub(super) fn appended_name(sentence: &str) -> Option<(&str, &str)> {
    let (before, name) = appended_alias(sentence)?;
    let owner = if is_name(before) { before } else { trailing_name(before)? };
    Some((owner, name))
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
}
