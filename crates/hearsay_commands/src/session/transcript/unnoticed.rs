//! Persons who do not notice a narrated event, as in `Wren takes the key. Odo doesn't notice.`

use hearsay_extract::subject_pronoun;
use hearsay_model::{
    EntityId, State, spelling, text,
    words::{self, PersonalPronouns},
};

use super::{
    acting::{NarratedScene, SENTENCE_ENDS, actors, first_subjects},
    name_phrases::name_ranges,
    speakers::{MAX_REFERENCE_WORDS, SpeakerIdentity, SpeakerNames},
};

/// Characters that separate the parts of a text in which a phrase and its names can stand.
const PART_ENDS: [char; 10] = ['.', '!', '?', ',', ';', ':', '(', ')', '\u{2014}', '\u{2026}'];

/// Returns the characters that do not notice what a text tells. A pronoun, as in "She doesn't notice", means the person
/// named last before it whom it fits, except for the subject of the first clause.
pub(super) fn unaware_characters(names: &SpeakerNames<'_>, state: &State, narration: &str) -> Vec<EntityId> {
    let mut unaware = Vec::new();
    let mut reader = PronounReader { names, state, narration, parts: Vec::new() };
    for sentence in narration.split(SENTENCE_ENDS) {
        for part in sentence.split(PART_ENDS) {
            reader.parts.push(Part::new(part));
            let part = text::words(part);
            for phrase in words::english().unnoticed_phrases.iter().flat_map(|phrase| with_verbs(phrase)) {
                let is_before_phrase = phrase.starts_with('*');
                let words_after_names = phrase.split_once('*').map_or(0, |(_, after)| after.split_whitespace().count());
                for range in name_ranges(&part, &phrase) {
                    if is_idiom(&phrase, &part[range.end + words_after_names..]) {
                        continue;
                    }
                    let (start, end) = (range.start, range.end);
                    let found = named_characters(names, &part[range], is_before_phrase);
                    if found.is_empty() {
                        unaware.extend(match (&part[start..end], is_before_phrase) {
                            ([.., pronoun], true) => reader.subject(pronoun, end - 1),
                            ([pronoun], false) => reader.object(pronoun, start, sentence),
                            _ => None,
                        });
                    }
                    unaware.extend(found);
                }
            }
        }
    }
    unaware
}

/// A part of a text.
struct Part {
    /// Words in normal form.
    words: Vec<String>,
    /// Whether each word begins with a capital letter.
    capitals: Vec<bool>,
}

impl Part {
    fn new(text: &str) -> Self {
        let words = text.split_whitespace().flat_map(|word| {
            let first = word.chars().find(|c| c.is_alphanumeric());
            let is_capitalized = first.is_some_and(char::is_uppercase);
            text::words(word).into_iter().map(move |word| (word, is_capitalized))
        });
        let (words, capitals) = words.unzip();
        Self { words, capitals }
    }

    /// Returns whether a name, or a description such as "the captain", can begin with a word of this part.
    fn can_begin_name(&self, at: usize) -> bool {
        let word = &self.words[at];
        self.capitals[at] || words::contains_word(&words::english().fillers, word) || !spelling::is_common_word(word)
    }

    /// Returns the last character that the words before `end` name and that has a property.
    fn last_named(
        &self,
        names: &SpeakerNames<'_>,
        end: usize,
        has_property: &dyn Fn(&EntityId) -> bool,
    ) -> Option<EntityId> {
        let mut end = end.min(self.words.len());
        while end > 0 {
            let starts = (end.saturating_sub(MAX_REFERENCE_WORDS)..end).filter(|start| self.can_begin_name(*start));
            let mut named = starts.filter_map(|start| Some((start, character(names, &self.words[start..end])?)));
            match named.next() {
                Some((_, id)) if has_property(&id) => return Some(id),
                Some((start, _)) => end = start,
                None => end -= 1,
            }
        }
        None
    }
}

/// Finds the persons to whom the pronouns of narration refer.
struct PronounReader<'a> {
    names: &'a SpeakerNames<'a>,
    state: &'a State,
    narration: &'a str,
    /// Parts of the narration up to the part with the pronoun.
    parts: Vec<Part>,
}

impl PronounReader<'_> {
    /// Returns the person to whom the subject of a clause refers, as in "*She* doesn't notice". `at` is the index of the
    /// pronoun in its part.
    fn subject(&self, pronoun: &str, at: usize) -> Option<EntityId> {
        let pronouns = person_pronouns(|pronouns| pronouns.subject == pronoun)?;
        self.last_named(pronouns, at, &first_subjects(self.names, self.state, self.narration))
    }

    /// Returns the person to whom another pronoun refers, as in "without *her* noticing". A person who acts in the same
    /// sentence does so knowingly, as in "Odo hides the key behind his back".
    fn object(&self, pronoun: &str, at: usize, sentence: &str) -> Option<EntityId> {
        let pronouns = person_pronouns(|pronouns| pronouns.object == pronoun || pronouns.possessive == pronoun)?;
        let mut others = first_subjects(self.names, self.state, self.narration);
        let acting = actors(self.names, self.state, sentence, &NarratedScene::default());
        others.extend(acting.into_iter().map(|actor| actor.id));
        self.last_named(pronouns, at, &others)
    }

    /// Returns the last person before the pronoun whom it fits, and who is none of the others.
    fn last_named(&self, pronouns: &PersonalPronouns, at: usize, others: &[EntityId]) -> Option<EntityId> {
        let fits = |id: &EntityId| {
            let is_fitting = subject_pronoun(self.state, id).is_none_or(|subject| pronouns.subject == subject);
            self.names.is_character(id) && !others.contains(id) && is_fitting
        };
        let (part, earlier) = self.parts.split_last()?;
        let in_earlier = || earlier.iter().rev().find_map(|part| part.last_named(self.names, part.words.len(), &fits));
        part.last_named(self.names, at, &fits).or_else(in_earlier)
    }
}

/// Returns the pronouns for one person that have a property.
fn person_pronouns(has_property: impl Fn(&PersonalPronouns) -> bool) -> Option<&'static PersonalPronouns> {
    let english = words::english();
    let is_person = |pronouns: &PersonalPronouns| words::contains_word(&english.person_pronouns, &pronouns.subject);
    english.personal_pronouns.iter().find(|pronouns| is_person(pronouns) && has_property(pronouns))
}

/// Returns the phrases in which a form of a verb of perception replaces the `@`.
fn with_verbs(phrase: &str) -> Vec<String> {
    if !phrase.contains('@') {
        return vec![phrase.to_owned()];
    }
    let verbs = words::english().perception_verbs.iter().flat_map(|forms| forms.split_whitespace());
    verbs.map(|verb| phrase.replace('@', verb)).collect()
}

/// Returns whether the words after a phrase make it an opinion, as in "Odo doesn't see why".
fn is_idiom(phrase: &str, following: &[String]) -> bool {
    let begins = |idiom: &String| idiom.split_whitespace().zip(following).all(|(word, other)| word == other);
    let is_complete = |idiom: &String| idiom.split_whitespace().count() <= following.len();
    let is_perception = |forms: &String| forms.split_whitespace().any(|verb| phrase.ends_with(verb));
    words::english().perception_verbs.iter().any(is_perception)
        && words::english().perception_idioms.iter().any(|idiom| is_complete(idiom) && begins(idiom))
}

/// Returns the characters whose names end a part of a text if `is_end` is `true`, and otherwise begin it. The names of
/// several characters are joined with a conjunction, as in `Odo and Pell`.
fn named_characters(names: &SpeakerNames<'_>, part: &[String], is_end: bool) -> Vec<EntityId> {
    let (mut found, mut rest) = (Vec::new(), part);
    loop {
        let max_words = rest.len().min(MAX_REFERENCE_WORDS);
        let named = (1..=max_words).find_map(|count| {
            let (start, end) = rest.split_at(if is_end { rest.len() - count } else { count });
            let (name, others) = if is_end { (end, start) } else { (start, end) };
            Some((character(names, name)?, others))
        });
        let Some((id, others)) = named else { return found };
        found.push(id);
        let next = if is_end { others.split_last() } else { others.split_first() };
        match next {
            Some((word, others)) if words::contains_word(&words::english().name_conjunctions, word) => rest = others,
            _ => return found,
        }
    }
}

/// Returns the character to whom a few words refer.
fn character(names: &SpeakerNames<'_>, reference: &[String]) -> Option<EntityId> {
    match names.identify_typed(&reference.join(" ")) {
        SpeakerIdentity::Character(id) if names.can_speak(&id) => Some(id),
        _ => None,
    }
}
