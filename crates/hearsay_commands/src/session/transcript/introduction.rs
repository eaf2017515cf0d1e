//! Words before the colon of a typed line that contain a verb of speech, as in `Lotti whispers to Ysolde: Not here.`

use hearsay_model::{EntityId, State, text, words};
use hearsay_query::QueryError;

use super::{
    hearers::resolve_hearers,
    name_phrases::name_ranges,
    speakers::{MAX_REFERENCE_WORDS, SpeakerIdentity, SpeakerNames},
};

/// Maximum number of words before the colon.
const MAX_WORDS: usize = 20;

/// The words before the colon of a line, and the words that are said.
pub(super) struct Introduction<'a> {
    /// Words before the verb of speech. They begin with the name of the speaker.
    subject: Vec<&'a str>,
    /// Words that begin with the names of the hearers. Empty if the line names no hearers.
    hearers: Vec<&'a str>,
    /// Whether the hearers directly follow the verb, as in `Lotti tells Ysolde: Not here.`
    has_direct_hearers: bool,
    /// Whether only the speaker and the named hearers hear the words.
    is_confidential: bool,
    /// Words that are said.
    pub(super) said: &'a str,
}

impl<'a> Introduction<'a> {
    /// Finds the verb of speech before the first colon of a line. Returns `None` if there is no such verb.
    pub(super) fn find(line: &'a str) -> Option<Self> {
        let english = words::english();
        let (head, said) = line.split_once(':').map(|(head, said)| (head, said.trim()))?;
        let head: Vec<&str> = head.split_whitespace().collect();
        if said.is_empty() || head.len() > MAX_WORDS {
            return None;
        }
        let is_whisper = |word: &str| words::contains_word(&english.whisper_verbs, &normal_word(word));
        let is_speech = |word: &str| words::contains_word(&english.speech_verbs, &normal_word(word));
        let verb = (1..head.len()).find(|at| is_whisper(head[*at]) || is_speech(head[*at]))?;
        let (mut before, mut after) = (head[1..verb].to_vec(), head[verb + 1..].to_vec());
        let has_manners = [remove_confidential_manners(&mut before), remove_confidential_manners(&mut after)];
        after.retain(|word| !is_adverb(word));
        let normal: Vec<String> = after.iter().map(|word| normal_word(word)).collect();
        let ear = english.ear_phrases.iter().find_map(|phrase| name_ranges(&normal, phrase).pop());
        let is_whispered = is_whisper(head[verb]);
        let is_confidential = is_whispered || has_manners.contains(&true) || ear.is_some();
        let mut other_ranges = english.hearer_phrases.iter().flat_map(|phrase| name_ranges(&normal, phrase));
        let names = ear.or_else(|| other_ranges.next());
        let opens_manner = |word: &String| words::contains_word(&english.speech_manner_openers, word);
        let has_direct_hearers = !is_whispered && !normal.first().is_none_or(opens_manner);
        let hearers = match names {
            _ if has_direct_hearers => after,
            Some(names) => after[names].to_vec(),
            None => Vec::new(),
        };
        Some(Self { subject: head[..verb].to_vec(), hearers, has_direct_hearers, is_confidential, said })
    }

    /// Finds the speaker. Returns the name of the speaker and its identity. Returns `None` if the words before the verb do
    /// not begin with the name of a character or of the DM. The name can be ambiguous.
    pub(super) fn speaker(&self, names: &SpeakerNames<'_>) -> Option<(String, SpeakerIdentity)> {
        let max_words = self.subject.len().min(MAX_REFERENCE_WORDS);
        (1..=max_words).rev().find_map(|count| {
            let (name, between) = self.subject.split_at(count);
            let name = name.join(" ");
            if !can_precede_verb(between, name.ends_with(',')) {
                return None;
            }
            let name = name.trim_end_matches(',');
            let identity = names.identify_typed(name);
            let is_speaker = !matches!(identity, SpeakerIdentity::Nobody | SpeakerIdentity::Unknown);
            is_speaker.then(|| (name.to_owned(), identity))
        })
    }

    /// Returns the words before the verb, which may contain a misspelled name.
    pub(super) fn subject(&self) -> String {
        self.subject.join(" ")
    }

    /// Returns whether the line introduces words. A line such as `Lotti says nothing: she is afraid.` does not.
    pub(super) fn introduces_words(&self, state: &State) -> bool {
        let has_hearers = || resolve_hearers(state, &self.hearers.join(" ")).is_ok();
        !self.has_direct_hearers || self.is_confidential || has_hearers()
    }

    /// Returns the hearers to whom the speaker confides the words. Returns an empty list if the words are not
    /// confidential, if the line names no hearers, or if the speaker speaks to itself.
    ///
    /// # Errors
    /// Returns an error if no entity has one of the names, or if several entities have one of the names.
    pub(super) fn confidants(&self, state: &State) -> Result<Vec<EntityId>, QueryError> {
        if !self.is_confidential || self.hearers.is_empty() || self.is_to_self() {
            return Ok(Vec::new());
        }
        // Other words can follow the names: "whispers to Ysolde about the key".
        let count = self.hearers.len();
        let resolve_first = |count: usize| resolve_hearers(state, &self.hearers[..count].join(" "));
        let found = (1..=count).rev().find_map(|count| resolve_first(count).ok());
        found.map_or_else(|| resolve_first(count), Ok)
    }

    /// Returns whether the speaker confides the words to itself, so that nobody else hears them.
    pub(super) fn is_to_self(&self) -> bool {
        let is_reflexive = |word: &&str| words::contains_word(&words::english().reflexives, &normal_word(word));
        self.is_confidential && self.hearers.first().is_some_and(is_reflexive)
    }
}

/// Returns a word in normal form, without commas.
fn normal_word(word: &str) -> String {
    text::normalize(word.trim_matches(','))
}

/// Returns whether a word is an adverb. A word with a capital letter may be a name, such as `Sally`.
fn is_adverb(word: &str) -> bool {
    let word = word.trim_matches(',');
    let has_ending = || words::english().adverb_endings.iter().any(|ending| word.ends_with(ending.as_str()));
    word.chars().all(char::is_lowercase) && has_ending()
}

/// Returns whether words can stand between the name of the speaker and the verb of speech, as in `Lotti quietly says`,
/// `Lotti leans over and whispers` and `Lotti, grinning, says`. `has_comma` is `true` if a comma follows the name.
fn can_precede_verb(between: &[&str], has_comma: bool) -> bool {
    let Some(last) = between.last() else { return true };
    let mut others = between.to_vec();
    remove_confidential_manners(&mut others);
    let has_sentence_end = between.iter().any(|word| word.ends_with(['.', '!', '?', ';']));
    let is_conjunction = words::contains_word(&words::english().name_conjunctions, &normal_word(last));
    others.iter().all(|word| is_adverb(word))
        || (!has_sentence_end && (is_conjunction || (has_comma && last.ends_with(','))))
}

/// Removes the phrases that make words confidential, such as `in private`. Returns whether there was such a phrase.
fn remove_confidential_manners(part: &mut Vec<&str>) -> bool {
    let length = part.len();
    for manner in &words::english().confidential_manners {
        let manner: Vec<&str> = manner.split(' ').collect();
        let is_manner = |window: &[&str]| window.iter().zip(&manner).all(|(word, other)| normal_word(word) == **other);
        if let Some(at) = part.windows(manner.len()).position(is_manner) {
            part.drain(at..at + manner.len());
        }
    }
    part.len() < length
}
