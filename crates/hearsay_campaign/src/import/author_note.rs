//! Recognizes working notes of the author, such as `TODO name the inn` or `The players should hurry`, which state nothing
//! about the game world.

use hearsay_model::{spelling::is_stop_word, text::words, words::english};

use super::{english::ENGLISH, secret::states_secrecy};

/// Maximum number of words before the subject of a sentence about the game: `In the second scene, …`.
const MAX_OPENERS: usize = 5;

/// Maximum number of words of a label before a sentence: `For the DM: …`.
const MAX_LABEL_WORDS: usize = 4;

/// Returns whether a sentence is a working note of the author, or is about the game, its players or its rules.
pub fn is_author_note(sentence: &str) -> bool {
    let words = words(sentence);
    ENGLISH.words.author_notes.anywhere.iter().any(|sequence| sequence.occurs_in(&words))
        || is_about_game(sentence, &words)
}

/// Returns whether a sentence is about the game instead of the game world. A sentence that says who does not know it is a
/// secret of the world: `The players don't know that the mill is empty.`
fn is_about_game(sentence: &str, words: &[String]) -> bool {
    let has_game_words = || words.iter().any(|word| is_die(word)) || has_game_phrase(words);
    !states_secrecy(sentence) && (has_game_subject(sentence) || has_game_words())
}

/// Returns whether a word stands for dice: `d6`, `2d8`.
fn is_die(word: &str) -> bool {
    let is_number = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    word.split_once('d').is_some_and(|(count, sides)| is_number(count) && !sides.is_empty() && is_number(sides))
}

/// Returns whether a sentence with these words contains a phrase about the rules or the evening.
fn has_game_phrase(words: &[String]) -> bool {
    // The phrases with other characters stand for numbers and ends of clauses, which only spoken lines need.
    let mut phrases = english().game_phrases.iter().filter(|phrase| !phrase.contains(['#', '$']));
    phrases.any(|phrase| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|window| window == phrase)
    })
}

/// Returns whether the subject of a sentence, or the person to whom it gives an instruction, belongs to the game.
fn has_game_subject(sentence: &str) -> bool {
    let notes = &ENGLISH.words.author_notes;
    let statement = match sentence.split_once(": ") {
        Some((label, rest)) if label.split_whitespace().count() <= MAX_LABEL_WORDS => rest,
        _ => sentence,
    };
    // A possessive such as "the party's" is not the subject, so its apostrophe stays.
    let is_mark = |c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '\u{2019}');
    let tokens: Vec<&str> = statement.split_whitespace().map(|token| token.trim_matches(is_mark)).collect();
    let is_noun = |token: &&str| notes.game_nouns.contains(token.to_lowercase().as_str());
    let Some(at) = tokens.iter().position(is_noun).filter(|at| *at <= MAX_OPENERS) else { return false };
    let is_opener = |token: &&str| {
        token.starts_with(|c: char| c.is_ascii_digit())
            || notes.game_noun_openers.contains(token.to_lowercase().as_str())
    };
    let is_of_world = |token: &&str| {
        token.starts_with(char::is_uppercase) || notes.world_followers.contains(token.to_lowercase().as_str())
    };
    tokens[..at].iter().all(is_opener) && !tokens.get(at + 1).is_some_and(is_of_world)
}

/// Returns whether a clause begins with a noun phrase for the time of a scene: `the evening after the storm`.
pub fn begins_with_time(clause: &str) -> bool {
    let words = words(clause);
    let is_function_word = |word: &&String| is_stop_word(word);
    let nouns = words.iter().skip_while(is_function_word).take_while(|word| !is_stop_word(word));
    nouns.last().is_some_and(|noun| ENGLISH.words.author_notes.scene_times.contains(noun))
}

/// Returns whether a remark in brackets is a working note of the author. A question in brackets is also such a note. The
/// remark is given without its brackets.
pub fn is_author_remark(remark: &str) -> bool {
    let words = words(remark);
    is_author_note(remark)
        || remark.contains('?')
        || ENGLISH.words.author_notes.in_brackets.iter().any(|sequence| sequence.occurs_in(&words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn working_notes_are_told_from_text_about_the_world() {
        for note in [
            "TODO: name the inn.",
            "Dunno why.",
            "I haven't decided who did it!!",
            "The first session begins in the Gull.",
            "For the DM: the players should hurry.",
            "In the opening scene, a body is found.",
            "If the party asks, nobody answers.",
            "Give each player a card.",
            "Roll a d6 for the weather.",
            "Climbing needs a DC 12 roll.",
            "Level up after the mill.",
        ] {
            assert!(is_author_note(note), "{note}");
        }
        for remark in ["plays both sides, TODO decide if Maud knows", "in the mill?", "don\u{2019}t overdo it"] {
            assert!(is_author_remark(remark), "{remark}");
        }
        for text in [
            "He decided to leave.",
            "Nobody likes him.",
            "",
            "The party of smugglers meets in the mill.",
            "The party's patron is Odo.",
            "The Players Hall is empty.",
            "The players don't know that the mill is empty.",
            "DM only: Odo has a map.",
            "Odo fears the party.",
        ] {
            assert!(!is_author_note(text), "{text}");
        }
        for clause in ["the evening after the party came", "on the night of the fair", "two days before the storm"] {
            assert!(begins_with_time(clause), "{clause}");
        }
        for clause in ["a tavern in Harrowpeak", "the night market", ""] {
            assert!(!begins_with_time(clause), "{clause}");
        }
        for remark in ["customs", "the miller's son", "since 398"] {
            assert!(!is_author_remark(remark), "{remark}");
        }
    }
}
