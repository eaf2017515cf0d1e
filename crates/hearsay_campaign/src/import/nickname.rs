//! Recognizes sentences that state another name of a person, such as `Everybody calls him Old Farouk.`

use hearsay_model::{spelling::is_stop_word, text::words};

use super::english::ENGLISH;

/// Maximum number of words of another name, without its article.
const MAX_NAME_WORDS: usize = 4;

/// Returns the other name that a sentence states for the person that the sentence is about. The name is in quotation
/// marks, or its words begin with capital letters.
pub fn stated_nickname(sentence: &str) -> Option<&str> {
    let names = &ENGLISH.words.names;
    let lowercase = sentence.to_ascii_lowercase();
    let after = |opener: &str, can_precede: fn(&str) -> bool| {
        let at = lowercase.find(opener)?;
        let (before, rest) = (&sentence[..at], &sentence[at + opener.len()..]);
        let is_whole = !before.ends_with(char::is_alphanumeric) && !rest.starts_with(char::is_alphanumeric);
        (is_whole && can_precede(before)).then_some(rest)
    };
    let naming = names.naming_verbs.iter().find_map(|opener| after(opener, |_| true));
    let passive = || names.passive_naming_verbs.iter().find_map(|opener| named_by_people(after(opener, |_| true)?));
    // "The inn known as the Gull" is not about the person.
    let is_empty = |before: &str| words(before).iter().all(|word| is_stop_word(word));
    let rest = naming.or_else(|| names.nickname_openers.iter().find_map(|opener| after(opener, is_empty)));
    match rest {
        Some(rest) => name_at_start(rest.trim_start_matches([' ', ':', ','])),
        None => passive(),
    }
}

/// Returns the name in quotation marks with which a text begins, if the people who use the name follow: `"Sarge" by
/// everybody`.
fn named_by_people(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let name = name_at_start(text).filter(|_| !text.starts_with(char::is_alphanumeric))?;
    let rest = &text[text.find(name)? + name.len()..];
    let agent = words(rest).into_iter().next()?;
    ENGLISH.words.names.passive_agents.contains(&agent).then_some(name)
}

/// Returns the name with which a text begins.
fn name_at_start(text: &str) -> Option<&str> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_state_nicknames() {
        for (sentence, expected) in [
            ("Everybody calls him Old Farouk.", Some("Old Farouk")),
            ("The children call her the Crow, and run.", Some("the Crow")),
            ("Nickname \"the Heron\" because of his legs.", Some("the Heron")),
            ("Nickname: Spoons", Some("Spoons")),
            ("He is known as the Pepper Prince here.", Some("the Pepper Prince")),
            ("An old soldier, called \"Sarge\" by everybody.", Some("Sarge")),
            ("He keeps a dog called \"Rex\".", None),
            ("The inn known as the Gull is hers.", None),
            ("Everybody calls him a fool.", None),
            ("He recalls her Mother.", None),
            ("He keeps bees.", None),
        ] {
            assert_eq!(stated_nickname(sentence), expected, "{sentence}");
        }
    }
}
