//! Words of a character after what it does, as in `Pike slams the door: I knew it.`

use hearsay_model::{
    EntityId, State, spelling,
    text::{self, SENTENCE_ENDS},
    words,
};

use super::{
    clauses::only_deed,
    introduction::{MAX_WORDS, is_spoken, is_subordinator, normal_word, split_dash},
    motion::is_inactive,
    speakers::{MAX_REFERENCE_WORDS, SpeakerNames},
};

/// A deed of a character before a colon or a dash, and the words after it, which the character perhaps says.
pub(super) struct StageDirection<'a> {
    /// Name with which the line begins.
    pub(super) name: String,
    /// Character with this name.
    pub(super) character: EntityId,
    /// Words after the colon or the dash.
    pub(super) said: &'a str,
    /// Whether the character certainly says the words.
    pub(super) is_certain: bool,
}

impl<'a> StageDirection<'a> {
    /// Finds the deed with which a line begins. Returns `None` if the character who does it probably says nothing.
    pub(super) fn find(names: &SpeakerNames<'_>, state: &State, line: &'a str) -> Option<Self> {
        let (head, said, has_colon) = match line.split_once(':') {
            Some((head, said)) if said.starts_with(char::is_whitespace) => (head, said.trim(), true),
            Some(_) => return None,
            None => split_dash(line).map(|(head, said)| (head, said, false))?,
        };
        let words: Vec<&str> = head.split_whitespace().collect();
        if said.is_empty() || words.len() > MAX_WORDS {
            return None;
        }
        let deed = only_deed(names, state, &words);
        let is_known = deed.is_some();
        let (character, predicate) = deed.or_else(|| unknown_deed(names, &words).filter(|_| has_colon))?;
        let is_spoken = is_spoken(said);
        let is_exclaimed = has_colon && said.ends_with(['!', '?']);
        if !is_spoken && !is_exclaimed && !addresses_somebody(said) {
            return None;
        }
        let name = words[..words.len() - predicate.len()].join(" ");
        let name = name.trim_end_matches(',').to_owned();
        Some(Self { name, character, said, is_certain: is_known && is_spoken && is_deed(predicate) })
    }
}

/// Returns the character with whose name words begin, and the words after its name, if the first of these words looks like a
/// verb in the third person: "Pike *warbles* across the hall".
fn unknown_deed<'s, 'w>(names: &SpeakerNames<'_>, words: &'s [&'w str]) -> Option<(EntityId, &'s [&'w str])> {
    let max_words = MAX_REFERENCE_WORDS.min(words.len().saturating_sub(1));
    let (count, character) = (1..=max_words).rev().find_map(|count| {
        let name = words[..count].join(" ");
        Some((count, names.speaking_character(name.trim_end_matches(','))?))
    })?;
    let predicate = &words[count..];
    let is_verb = |word: &&str| {
        let has_ending = word.ends_with('s') || word.ends_with("ed");
        word.chars().all(char::is_lowercase) && has_ending && !spelling::is_stop_word(word)
    };
    let has_end = predicate.iter().any(|word| word.ends_with(SENTENCE_ENDS) || word.ends_with(','));
    let is_deed = predicate.first().is_some_and(is_verb) && !has_end && is_deed(predicate);
    is_deed.then_some((character, predicate))
}

/// Returns whether the words after a name tell a deed of this person alone, after which the person can speak.
fn is_deed(predicate: &[&str]) -> bool {
    let english = words::english();
    let is_other = |word: &&str| {
        let word = normal_word(word);
        words::contains_word(&english.unspoken_words, &word) || is_subordinator(&word)
    };
    let begins_inactive = predicate.first().is_some_and(|verb| is_inactive(&normal_word(verb)));
    !begins_inactive && !predicate.iter().any(is_other)
}

/// Returns whether words after a deed of a character address somebody. In "Pike opens the door: you see a hall", the DM
/// speaks to the players.
fn addresses_somebody(said: &str) -> bool {
    let english = words::english();
    let said_words = text::words(said);
    let is_addressee = |word: &str| {
        let pronoun = word.split('\'').next().unwrap_or_default();
        words::contains_word(&english.addressee_pronouns, pronoun)
    };
    let is_perception =
        |word: &String| english.perception_verbs.iter().any(|forms| forms.split(' ').any(|form| form == word));
    let is_narration = said_words.windows(2).any(|pair| is_addressee(&pair[0]) && is_perception(&pair[1]));
    !is_narration && said_words.iter().any(|word| is_addressee(word))
}
