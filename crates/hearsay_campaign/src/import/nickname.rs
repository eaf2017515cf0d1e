//! Recognizes sentences that state another name of a person, such as `Everybody calls him Old Farouk.`

use hearsay_model::{
    spelling::is_stop_word,
    text::{name_at_start, words},
    words::is_article,
};

use super::english::ENGLISH;

/// Marks after what a person pretends to be.
const PRETENCE_MARKS: [char; 6] = [',', ';', '.', ':', '(', '!'];

/// What a person pretends to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pretence<'t> {
    /// The text before the verb.
    pub before: &'t str,
    /// The noun phrase for the role: `a pilgrim`.
    pub role: &'t str,
    /// The false name, if the sentence states it.
    pub name: Option<&'t str>,
}

/// Returns what a person pretends to be according to a sentence: `Odo pretends to be a pilgrim called Sera.` The role has an
/// article, so `Odo pretends to be asleep` is no pretence of this kind.
pub fn stated_pretence(sentence: &str) -> Option<Pretence<'_>> {
    let names = &ENGLISH.words.names;
    let lowercase = sentence.to_ascii_lowercase();
    let verbs = names.pretence_verbs.iter();
    let found = verbs.filter_map(|verb| Some((lowercase.find(&format!("{verb} "))?, verb.len() + 1)));
    let (at, length) = found.filter(|(at, _)| !sentence[..*at].ends_with(char::is_alphanumeric)).min()?;
    let (before, rest) = (sentence[..at].trim_end(), &sentence[at + length..]);
    let clause = &rest[..rest.find(PRETENCE_MARKS).unwrap_or(rest.len())];
    let named = names.false_name_marks.iter().find_map(|mark| clause.split_once(&format!(" {mark} ")));
    let (role, name) = named.map_or((clause, None), |(role, name)| (role, name_at_start(name)));
    let ends = |(at, _): &(usize, &str)| {
        role[at + 1..].split(' ').next().is_some_and(|word| names.pretence_ends.contains(word))
    };
    let role = &role[..role.match_indices(' ').find(ends).map_or(role.len(), |(end, _)| end)];
    let role_words = words(role);
    let is_role = role_words.len() > 1 && role_words.first().is_some_and(|word| is_article(word));
    is_role.then_some(Pretence { before, role, name })
}

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
    if let Some(name) = name_of_address(sentence) {
        return Some(name);
    }
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

/// Returns the name with which people address the person that the sentence is about: `"Madame" to everybody`.
fn name_of_address(sentence: &str) -> Option<&str> {
    let marks = sentence.match_indices(['"', '\u{201C}']);
    marks
        .filter(|(at, _)| {
            let before = sentence[..*at].trim_end();
            before.is_empty() || before.ends_with([',', ';', ':', '(', '-', '\u{2013}', '\u{2014}'])
        })
        .find_map(|(at, _)| {
            let quoted = &sentence[at..];
            let name = name_at_start(quoted)?;
            let after = words(&quoted[quoted.find(name)? + name.len()..]);
            let is_address = after.first().is_some_and(|word| word == "to")
                && after.get(1).is_some_and(|who| ENGLISH.words.names.addressees.contains(who));
            is_address.then_some(name)
        })
}

/// Returns the other name in a text that begins with a name and a word such as `alias`, and the words before this word:
/// `Lucian Harrow, alias Corvin Ash, the leading man.`
pub fn appended_alias(text: &str) -> Option<(&str, &str)> {
    let lowercase = text.to_ascii_lowercase();
    let marks = ENGLISH.words.names.alias_marks.iter();
    let found = marks.filter_map(|mark| {
        let at = lowercase.find(&format!("{mark} "))?;
        let before = text[..at].trim_end_matches(['(', ' ']).trim_end_matches([',', ' ']);
        let is_word = text[..at].ends_with([' ', '(']) || mark.starts_with([',', '(']);
        is_word.then_some((before, &text[at + mark.len() + 1..]))
    });
    let (before, rest) = found.min_by_key(|(before, _)| before.len())?;
    Some((before, name_at_start(rest)?))
}

/// Returns whether a sentence is about the real name of a person, so it is secret.
pub fn is_about_real_name(sentence: &str) -> bool {
    let words = words(sentence);
    ENGLISH.words.names.real_name_phrases.iter().any(|phrase| phrase.occurs_in(&words))
}

/// Returns the real name that a sentence states: `His real name is Lucian Harrow.`
pub fn stated_real_name(sentence: &str) -> Option<&str> {
    let lowercase = sentence.to_ascii_lowercase();
    let mut openers = ENGLISH.words.names.real_name_openers.iter();
    let (at, length) = openers.find_map(|opener| Some((lowercase.find(opener.as_str())?, opener.len())))?;
    let (before, rest) = (sentence[..at].trim_end(), &sentence[at + length..]);
    if rest.starts_with(char::is_alphanumeric) || sentence[..at].ends_with(char::is_alphanumeric) {
        return None;
    }
    let after = name_at_start(rest.trim_start_matches([' ', ':', ',']));
    // "Lucian Harrow is his real name."
    let stated_before = || {
        let (subject, _) = before.rsplit_once(' ')?;
        let subject = subject.strip_suffix(" is")?;
        name_at_start(subject).filter(|name| *name == subject)
    };
    after.or_else(stated_before)
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
            ("Manager of the troupe, \"Madame\" to everybody.", Some("Madame")),
            ("He travels under the name of Corvin Ash.", Some("Corvin Ash")),
            ("He says \"No\" to everybody.", None),
            ("She gave the \"Rex\" to her son.", None),
            ("He keeps bees.", None),
        ] {
            assert_eq!(stated_nickname(sentence), expected, "{sentence}");
        }
    }

    #[test]
    fn sentences_state_what_a_person_pretends_to_be() {
        for (sentence, before, role, name) in [
            ("Odo pretends to be a deaf monk called Lamb; only Ada knows.", "Odo", "a deaf monk", Some("Lamb")),
            ("Poses as a wool buyer named \"Old Pike\".", "", "a wool buyer", Some("Old Pike")),
            ("In town, she passes as the widow of a clerk.", "In town, she", "the widow of a clerk", None),
            ("He pretends to be a beggar when he is at the harbour.", "He", "a beggar", None),
            ("She pretends to be a clerk called by the guild.", "She", "a clerk", None),
        ] {
            assert_eq!(stated_pretence(sentence), Some(Pretence { before, role, name }), "{sentence}");
        }
        for sentence in ["He pretends to be asleep.", "She pretends to be Odo.", "The carriage passes as we speak.", ""]
        {
            assert_eq!(stated_pretence(sentence), None, "{sentence}");
        }
    }

    #[test]
    fn other_names_and_real_names_are_found() {
        let expected = Some(("Lucian Harrow", "Corvin Ash"));
        for text in ["Lucian Harrow, alias Corvin Ash, an actor.", "Lucian Harrow (also known as Corvin Ash)"] {
            assert_eq!(appended_alias(text), expected, "{text}");
        }
        assert_eq!(appended_alias("Lucian Harrow, called Corvin Ash, an actor."), expected);
        for text in ["Odo, an actor.", "Lucian Harrow called Corvin Ash a liar.", "Odo, called a liar, left."] {
            assert_eq!(appended_alias(text), None, "{text}");
        }
        for (sentence, expected) in [
            ("He travels under a false name; his real name is Lucian Harrow.", Some("Lucian Harrow")),
            ("real name: Lucian Harrow", Some("Lucian Harrow")),
            ("Lucian Harrow is his real name.", Some("Lucian Harrow")),
            ("Corvin Ash is not his real name.", None),
            ("Nobody knows his real name.", None),
        ] {
            assert_eq!(stated_real_name(sentence), expected, "{sentence}");
            assert!(is_about_real_name(sentence), "{sentence}");
        }
        assert!(!is_about_real_name("He knows the name of the ship."));
    }
}
