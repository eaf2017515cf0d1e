//! Sentences of the table in the words of a narrator: actions that a player states for the own character, and the contents of
//! promises.

use crate::{
    quoting, text,
    words::{self, PersonalPronouns, contains_word, english},
};

/// Maximum number of words that name the receiver of a promise: "promises *the old captain Rusk* to stay".
const MAX_RECEIVER_WORDS: usize = 4;

/// Maximum number of words that name the hearer after a verb of speech: "I tell *the old captain Rusk* we saw nothing".
const MAX_HEARER_WORDS: usize = 4;

/// Returns an action that a player states for the own character as narration: `I ask Odo for my key` becomes `Wren asks Odo
/// for her key.` Words that the character says in the first person become a quotation: `I bow and say I saw it` becomes `Wren
/// bows and says: “I saw it.”` Returns `None` if the line is not one sentence of this kind, or contains words that a narrator
/// would have to change in another way.
pub fn declared_action(line: &str, name: &str, pronouns: Option<&PersonalPronouns>) -> Option<String> {
    let sentence = line.trim();
    let rest = sentence.strip_prefix("I ").or_else(|| sentence.strip_prefix("i "))?;
    match split_at_spoken_words(rest) {
        Some((action, said)) => {
            let said = said.trim_matches(QUOTATION_MARKS);
            Some(format!("{}: \u{201C}{}\u{201D}", narrated_action(action, name, pronouns)?, quoting::spoken(said)))
        }
        None => Some(format!("{}.", narrated_action(rest.strip_suffix('.').unwrap_or(rest), name, pronouns)?)),
    }
}

/// Marks that can surround spoken words.
const QUOTATION_MARKS: [char; 3] = ['"', '\u{201C}', '\u{201D}'];

/// Splits an action before the words that the character says. These words come after a verb of speech, perhaps with the
/// hearer, and begin with a pronoun of the first person, with a quotation mark, or after a colon. Returns `None` if there are
/// no such words.
fn split_at_spoken_words(rest: &str) -> Option<(&str, &str)> {
    // Number of words since the verb of speech.
    let mut since_verb: Option<usize> = None;
    let (mut at, mut follows_break, mut before) = (0, true, "");
    for word in rest.split(' ') {
        let start = at;
        at += word.len() + 1;
        let lower = word.trim_end_matches([',', ':']).to_lowercase();
        let is_conjunction = contains_word(&english().clause_openers, &lower);
        if let Some(count) = since_verb {
            let is_announced = before.ends_with(':') || count == 0 && before.ends_with(',');
            let subject = lower.split(['\'', '\u{2019}']).next().unwrap_or_default();
            let is_own = contains_word(&english().first_person_subjects, subject);
            if is_announced || is_own || word.starts_with(QUOTATION_MARKS) {
                return Some((rest[..start].trim_end_matches([' ', ',', ':']), &rest[start..]));
            }
            let is_reported = contains_word(&english().reported_openers, &lower);
            since_verb = (count < MAX_HEARER_WORDS && !is_reported && !is_conjunction).then_some(count + 1);
        } else if follows_break && contains_word(&english().declared_speech_verbs, &lower) {
            since_verb = Some(0);
        }
        follows_break = word.ends_with(',') || is_conjunction;
        before = word;
    }
    None
}

/// Returns an action without "I" as narration without an end mark.
fn narrated_action(rest: &str, name: &str, pronouns: Option<&PersonalPronouns>) -> Option<String> {
    if rest.contains(|c: char| !c.is_alphanumeric() && !c.is_whitespace() && !",-'\u{2019}".contains(c)) {
        return None;
    }
    let mut written = vec![words::upper_first(name)];
    let (mut is_first, mut follows_break) = (true, true);
    for word in rest.split_whitespace() {
        let without_comma = word.trim_end_matches(',');
        let comma = &word[without_comma.len()..];
        let lower = without_comma.to_lowercase();
        let is_conjunction = contains_word(&english().clause_openers, &lower);
        let is_verb = follows_break && contains_word(&english().declared_verbs, &lower);
        let is_possessive = lower == "my";
        let may_follow = !follows_break
            || is_conjunction
            || words::is_determiner(&lower)
            || words::is_progressive_form(&lower)
            || word.starts_with(char::is_uppercase);
        if is_verb {
            written.push(format!("{}{comma}", third_person(&lower)));
        } else if is_first || !may_follow || (addresses_table(&lower) && !is_possessive) {
            return None;
        } else if is_possessive {
            let possessive = pronouns.map_or("their", |pronouns| pronouns.possessive.as_str());
            written.push(format!("{possessive}{comma}"));
        } else {
            written.push(word.to_owned());
        }
        is_first = false;
        follows_break = !comma.is_empty() || is_conjunction;
    }
    (!is_first).then(|| written.join(" "))
}

/// Returns the content of a promise that a sentence states with an infinitive: `to stay at the mill` for `Wren promises Odo
/// Marsh to stay at the mill.` Returns `None` for another sentence, and if the content contains words such as "my" and "you".
pub fn promised_infinitive<'s>(sentence: &'s str, receiver: &str) -> Option<&'s str> {
    let receiver = text::words(receiver);
    let is_receiver = |word: &str| {
        let lower = word.to_lowercase();
        let is_pronoun = english().personal_pronouns.iter().any(|pronouns| pronouns.object == lower);
        is_pronoun || receiver.contains(&lower) || words::is_title(&lower) || contains_word(&english().articles, &lower)
    };
    let mut verb_at = None;
    let mut at = 0;
    for (number, word) in sentence.split(' ').enumerate() {
        let (start, end) = (at, at + word.len());
        at = end + 1;
        let lower = word.to_lowercase();
        match verb_at {
            None if contains_word(&english().promise_verbs, &lower) => verb_at = Some(number),
            None => {}
            Some(_) if contains_word(&english().infinitive_marks, &lower) => {
                return plain_content(&sentence[start..]);
            }
            Some(verb) if number - verb > MAX_RECEIVER_WORDS || !is_receiver(word) => return None,
            Some(_) => {}
        }
    }
    None
}

/// Returns the content of a promise that a statement quotes as an infinitive: `to feed the goats` for `Wren made a promise to
/// Odo: “to feed the goats.”` Returns `None` for another statement, and if the content contains words such as "my" and "you".
pub fn quoted_infinitive(statement: &str) -> Option<&str> {
    let content = statement.split_once(": \u{201C}")?.1.strip_suffix('\u{201D}')?;
    let first = content.split(' ').next().unwrap_or_default();
    plain_content(content).filter(|_| contains_word(&english().infinitive_marks, first))
}

/// Returns the content of a promise without its full stop; `None` if it is more than one clause of the third person.
fn plain_content(content: &str) -> Option<&str> {
    let content = content.trim_end_matches(['.', '!']);
    let is_plain = !text::words(content).iter().any(|word| addresses_table(word));
    (is_plain && !content.contains(['.', ':', ';', '?', '"', '\u{201C}'])).then_some(content)
}

/// Returns whether a word in lowercase is a pronoun of the first or second person, also in a short form such as `i'll`.
fn addresses_table(word: &str) -> bool {
    let pronoun = word.split(['\'', '\u{2019}']).next().unwrap_or_default();
    words::is_first_or_second_person(pronoun) || contains_word(&english().first_person_contractions, word)
}

/// Returns a regular verb in the third person: `asks` for `ask`.
fn third_person(verb: &str) -> String {
    let has_sibilant = ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| verb.ends_with(end));
    match verb.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        Some(stem) => format!("{stem}ies"),
        None if has_sibilant => format!("{verb}es"),
        None => format!("{verb}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_that_players_state_become_narration() {
        let pronouns = PersonalPronouns::from_recorded("she/her");
        for (line, expected) in [
            ("I ask Dorric where he slept", "Wren asks Dorric where he slept."),
            ("i search the loft, then go back to my room.", "Wren searches the loft, then goes back to her room."),
            (
                "I open the chest and take the lamp and Odo's key",
                "Wren opens the chest and takes the lamp and Odo's key.",
            ),
            ("I try the door, listening", "Wren tries the door, listening."),
            ("I nod and say nothing", "Wren nods and says nothing."),
        ] {
            assert_eq!(declared_action(line, "Wren", pronouns).as_deref(), Some(expected), "{line}");
        }
        assert_eq!(declared_action("I draw my bow", "Tam Reed", None).as_deref(), Some("Tam Reed draws their bow."));
        for line in [
            "I know what you did",
            "I ask you: where is it?",
            "I take the map and frown",
            "I tell him that we'll wait",
            "I open the door. What is there?",
            "I never ask",
            "I tell you I was here.",
            "I say that we were here",
            "I know I say too much",
            "Ask the miller.",
            "I",
        ] {
            assert_eq!(declared_action(line, "Wren", pronouns), None, "{line}");
        }
    }

    #[test]
    fn words_in_the_first_person_after_an_action_are_quoted() {
        for (line, expected) in [
            ("I kneel and say I never took the oar", "Wren kneels and says: \u{201C}I never took the oar.\u{201D}"),
            (
                "i tell the old miller we'll pay. tomorrow",
                "Wren tells the old miller: \u{201C}We'll pay. Tomorrow.\u{201D}",
            ),
            ("I ask Odo: where is my lamp?", "Wren asks Odo: \u{201C}Where is my lamp?\u{201D}"),
            ("I wave and shout, \"over here!\"", "Wren waves and shouts: \u{201C}Over here!\u{201D}"),
        ] {
            assert_eq!(declared_action(line, "Wren", None).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn the_content_of_a_promise_is_its_infinitive() {
        for (sentence, expected) in [
            ("Wren promises Odo to stay at the mill", Some("to stay at the mill")),
            ("I promised the old Captain Marsh to ring the bell.", Some("to ring the bell")),
            ("I promised Captain Marsh to ring the bell.", Some("to ring the bell")),
            ("Wren promises to feed the goats.", Some("to feed the goats")),
            ("Wren promises Odo she'll go to the mill.", None),
            ("I promise Odo to bring my brother.", None),
            ("Wren goes to Odo.", None),
        ] {
            assert_eq!(promised_infinitive(sentence, "Odo Marsh"), expected, "{sentence}");
        }
        for (statement, expected) in [
            ("Wren made a promise to Odo: \u{201C}to feed the goats.\u{201D}", Some("to feed the goats")),
            ("Wren made a promise to Odo: \u{201C}to feed my goats.\u{201D}", None),
            ("Wren made a promise to Odo: \u{201C}I will feed the goats.\u{201D}", None),
            ("Wren made a promise to Odo.", None),
        ] {
            assert_eq!(quoted_infinitive(statement), expected, "{statement}");
        }
    }
}
