//! Lists of English words that several crates use to compare texts. The lists are read once, from `data/words.toml`.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

/// Lists of English words, one list for each purpose.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Words that have a capital letter only at the start of a sentence, such as `The`. [`lower_first`] writes these
    /// words in lowercase. Any other first word may be a name.
    pub openers: Vec<String>,
    /// Words that are ignored when two sentences are compared.
    pub fillers: Vec<String>,
    /// Words that negate a statement. Words that end in `n't` also negate a statement, but the list does not contain
    /// them.
    pub negations: Vec<String>,
    /// Names that mean the DM, such as `gm` or `narrator`.
    pub narrators: Vec<String>,
    /// Marks of a line that no character says, such as `ooc`.
    pub out_of_character_marks: Vec<String>,
    /// Words in brackets after the name of a speaker, before the names of the hearers, such as `whispers to`.
    pub hearer_openers: Vec<String>,
    /// Verbs between a speaker and a colon, such as `says`.
    pub speech_verbs: Vec<String>,
    /// Verbs between a speaker and a colon that make the words confidential, such as `whispers`.
    pub whisper_verbs: Vec<String>,
    /// Words near a verb of speech that make the words confidential, such as `in private`.
    pub confidential_manners: Vec<String>,
    /// Words after a verb of speech that begin a phrase about how, where or to whom somebody speaks, such as `across`.
    pub speech_manner_openers: Vec<String>,
    /// Endings of adverbs, such as `ly`.
    pub adverb_endings: Vec<String>,
    /// Phrases that name the hearers after a verb of speech. A `*` stands for the names.
    pub hearer_phrases: Vec<String>,
    /// Phrases that name the hearers after a verb of speech, and that make the words confidential, such as `in * ear`.
    pub ear_phrases: Vec<String>,
    /// Pronouns for the speaker, such as `himself`.
    pub reflexives: Vec<String>,
    /// Phrases of narration about persons who do not notice what happens. A `*` stands for the names of the persons, and
    /// a `@` for a form of one of the `perception_verbs`.
    pub unnoticed_phrases: Vec<String>,
    /// Verbs of perception. Each entry contains all forms of a verb: `see sees saw seeing`.
    pub perception_verbs: Vec<String>,
    /// Words after a verb of perception with which the verb states no perception: "doesn't see *why*".
    pub perception_idioms: Vec<String>,
    /// Words that can precede the subject of a sentence of narration, such as `then`.
    pub clause_openers: Vec<String>,
    /// Verbs whose subject need not perceive what narration tells, such as `sleeps`.
    pub inactive_verbs: Vec<String>,
    /// Verbs of motion, such as `walks`. With one of the `departure_particles`, they state that a person leaves.
    pub motion_verbs: Vec<String>,
    /// Adverbs between a verb of motion and a particle: "goes *back* upstairs".
    pub motion_adverbs: Vec<String>,
    /// Words between a verb of motion and the place to which a person goes, such as `to`.
    pub destination_openers: Vec<String>,
    /// Words after a verb of motion that state that a person leaves, such as `away`.
    pub departure_particles: Vec<String>,
    /// Verbs that alone state that a person leaves, such as `departs`.
    pub leaving_verbs: Vec<String>,
    /// Words that can follow one of the `leaving_verbs`: "leaves *with* the others".
    pub leaving_followers: Vec<String>,
    /// Words at the start of a line in square brackets, before the name of the place to which the scene moves, such as
    /// `at`.
    pub place_openers: Vec<String>,
    /// Titles and other words that can stand before a name without being part of it, such as `captain`.
    pub titles: Vec<String>,
    /// Pronouns that can be the subject of a sentence about one person, such as `he`.
    pub person_pronouns: Vec<String>,
    /// Pronouns that can be the subject of a sentence about several persons, such as `they`.
    pub group_pronouns: Vec<String>,
    /// Words between the last two names of a list, such as `and`.
    pub name_conjunctions: Vec<String>,
    /// Phrases that players use to talk about the rules, the dice and the evening. A `#` stands for a number, and a `$`
    /// for the end of a clause.
    pub game_phrases: Vec<String>,
    /// Beginnings of words that start with a consonant letter but a vowel sound, such as `hour`.
    pub vowel_sounds: Vec<String>,
    /// Beginnings of words that start with a vowel letter but a consonant sound, such as `unit`.
    pub consonant_sounds: Vec<String>,
    /// Words that transcription programs use as labels of unknown speakers, as in `Speaker 1`.
    pub speaker_labels: Vec<String>,
    /// Words before the name of a speaker who introduces himself or herself, such as `my name is`.
    pub introductions: Vec<String>,
    /// Beginnings of questions that ask who knows something.
    pub knower_questions: Vec<String>,
    /// Words that may occur between the beginning of a question (see `knower_questions`) and its subject: "who knows
    /// *about* the fire".
    pub subject_openers: Vec<String>,
    /// Past forms of verbs in the third person, such as `was` for `is`.
    pub past_forms: BTreeMap<String, String>,
}

#[expect(clippy::panic, reason = "the file is part of the program, and a test parses it")]
static WORDS: LazyLock<Words> = LazyLock::new(|| {
    toml::from_str(include_str!("../data/words.toml")).unwrap_or_else(|error| panic!("data/words.toml: {error}"))
});

/// Returns the lists of English words.
pub fn english() -> &'static Words {
    &WORDS
}

/// Returns whether a list contains a word.
pub fn contains_word(list: &[String], word: &str) -> bool {
    list.iter().any(|other| other == word)
}

/// Returns a sentence in a form that can follow other words. If the first word is in the list of
/// [openers](Words::openers), it is written in lowercase. Any other first word stays unchanged, because it may be a
/// name.
pub fn lower_first(sentence: &str) -> String {
    let (first, rest) = sentence.split_once(' ').unwrap_or((sentence, ""));
    let first = if contains_word(&english().openers, first) { first.to_lowercase() } else { first.to_owned() };
    format!("{first} {rest}").trim_end().to_owned()
}

/// Returns a text with its first letter as a capital.
pub fn upper_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Joins names: `A`, `A and B`, `A, B and C`. Returns an empty text if there are none.
pub fn join_names(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Joins at most `max` names like [`join_names`], and counts the other names: `A, B and 1 other`.
pub fn join_first_names<S: AsRef<str>>(names: &[S], max: usize) -> String {
    let first: Vec<&str> = names.iter().take(max).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(max) {
        0 => join_names(&first),
        1 => format!("{} and 1 other", first.join(", ")),
        others => format!("{} and {others} others", first.join(", ")),
    }
}

/// Returns a sentence in the past tense: `Jory is a clerk.` becomes `Jory was a clerk.` The sentence must start with
/// the name of its subject, followed by a verb in the list of [past forms](Words::past_forms). Otherwise, returns
/// `None`.
pub fn past_tense(sentence: &str, subject: &str) -> Option<String> {
    let rest = sentence.strip_prefix(subject)?.strip_prefix(' ')?;
    let (verb, rest) = rest.split_once(' ')?;
    let past = english().past_forms.get(verb)?;
    Some(format!("{subject} {past} {rest}"))
}

/// Returns whether a word in lower case is in the list of [past forms](Words::past_forms).
pub fn is_past_form(word: &str) -> bool {
    english().past_forms.values().any(|past| past == word)
}

/// Returns a noun with its indefinite article: `an NPC`, `a location`. The first letters of the noun decide between `a`
/// and `an`. An abbreviation in capitals is read letter by letter.
pub fn with_article(noun: &str) -> String {
    let first = noun.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let begins_with = |list: &[String]| list.iter().any(|beginning| first.to_lowercase().starts_with(beginning));
    let is_abbreviation = first.chars().count() > 1 && first.chars().all(char::is_uppercase);
    let has_vowel_sound = if is_abbreviation {
        first.starts_with(['A', 'E', 'F', 'H', 'I', 'L', 'M', 'N', 'O', 'R', 'S', 'X'])
    } else if first.to_lowercase().starts_with(['a', 'e', 'i', 'o', 'u']) {
        !begins_with(&english().consonant_sounds)
    } else {
        begins_with(&english().vowel_sounds)
    };
    format!("{} {noun}", if has_vowel_sound { "an" } else { "a" })
}

#[cfg(test)]
mod tests {
    use super::{contains_word, english, join_first_names, lower_first, past_tense, with_article};

    #[test]
    fn the_file_is_whole() {
        assert!(contains_word(&english().fillers, "the") && !contains_word(&english().fillers, "ledger"));
    }

    #[test]
    fn the_article_follows_the_sound() {
        let nouns = ["NPC", "DM", "player character", "item", "Event", "heirloom", "union hall", "uncle", "GPS"];
        let articles = ["an", "a", "a", "an", "an", "an", "a", "an", "a"];
        for (noun, article) in nouns.into_iter().zip(articles) {
            assert_eq!(with_article(noun), format!("{article} {noun}"));
        }
    }

    #[test]
    fn names_above_the_maximum_are_counted() {
        let joined = |max| join_first_names(&["Ada", "Ben", "Cora"], max);
        assert_eq!(joined(3), "Ada, Ben and Cora");
        assert_eq!(joined(2), "Ada, Ben and 1 other");
        assert_eq!(joined(1), "Ada and 2 others");
        assert_eq!(join_first_names::<String>(&[], 3), "");
    }

    #[test]
    fn only_words_that_are_no_names_become_lowercase() {
        assert_eq!(lower_first("The mill is haunted."), "the mill is haunted.");
        assert_eq!(lower_first("Mill Lane is long."), "Mill Lane is long.");
    }

    #[test]
    fn only_a_known_verb_after_the_subject_is_put_in_the_past() {
        let past = |sentence| past_tense(sentence, "Old Pell");
        assert_eq!(past("Old Pell works for the guild.").as_deref(), Some("Old Pell worked for the guild."));
        assert_eq!(past("Old Pell was a sailor."), None);
        assert_eq!(past("Old Pellham is a sailor."), None);
        assert_eq!(past("The friend of Old Pell is a sailor."), None);
    }
}
