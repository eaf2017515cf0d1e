//! Persons who do not notice a narrated event, as in `Wren takes the key. Odo doesn't notice.`

use hearsay_extract::subject_pronoun;
use hearsay_model::{
    EntityId, State, spelling,
    text::{self, SENTENCE_ENDS},
    words::{self, PersonalPronouns},
};

use super::{
    acting::{NarratedScene, actors},
    clauses::first_subjects,
    name_phrases::name_ranges,
    narration::before_quotation,
    speakers::{MAX_REFERENCE_WORDS, SpeakerNames},
    subjects::{ends_clause, person_pronouns},
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
                    let found = joined_characters(names, &part[range], is_before_phrase);
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

/// Returns the only characters who notice what narration tells, as in `Wren takes the key. Only Odo sees it.`: those whom it
/// names as witnesses, and those who act in the same sentence or, if nobody else acts there, in the sentence before. Returns
/// `None` if everybody in the scene can notice it.
pub(in crate::session) fn only_witnesses(
    names: &SpeakerNames<'_>,
    state: &State,
    narration: &str,
    scene: &NarratedScene<'_>,
) -> Option<Vec<EntityId>> {
    let sentences: Vec<&str> = before_quotation(narration).split(SENTENCE_ENDS).collect();
    let mut stated = sentences.iter().enumerate();
    let (at, mut witnesses) = stated.find_map(|(at, sentence)| Some((at, stated_witnesses(names, sentence)?)))?;
    let acting_in = |at: usize| -> Vec<EntityId> {
        let earlier = actors(names, state, &sentences[..at].join(". "), scene).pop().map(|actor| actor.id);
        let last_named = earlier.or_else(|| scene.last_named.clone());
        let scene = NarratedScene { place: scene.place, present: scene.present, party: scene.party, last_named };
        let acting = actors(names, state, sentences[at], &scene).into_iter().filter(|actor| actor.deed.acts());
        acting.map(|actor| actor.id).filter(|id| !witnesses.contains(id)).collect()
    };
    let mut acting = acting_in(at);
    if acting.is_empty() && at > 0 {
        acting = acting_in(at - 1);
    }
    witnesses.extend(acting);
    (!witnesses.is_empty()).then_some(witnesses)
}

/// Returns the characters who are the only witnesses according to a sentence, apart from those who act. Returns an empty list
/// for "Nobody sees it", and `None` if the sentence restricts the witnesses to nobody.
pub(super) fn stated_witnesses(names: &SpeakerNames<'_>, sentence: &str) -> Option<Vec<EntityId>> {
    let english = words::english();
    sentence.split(PART_ENDS).find_map(|part| {
        let part = text::words(part);
        let sole = english.sole_witness_clauses.iter().find_map(|clause| {
            let (before, after) = clause.split_once('*')?;
            let (before, after) = (before.split_whitespace().count(), after.split_whitespace().count());
            let range = name_ranges(&part, clause).into_iter().next()?;
            let is_clause = can_begin_clause(&part[..range.start - before]);
            // In "Only Odo goes up to see it", other words follow the name.
            let is_named = !joined_characters(names, &part[range.clone()], true).is_empty();
            let is_stated = is_clause && is_named && !is_idiom(clause, &part[range.end + after..]);
            is_stated.then(|| joined_characters(names, &part[range], false)).filter(|found| !found.is_empty())
        });
        let states = |phrase: &str| {
            let (before, after) = split_at_phrase(&part, phrase)?;
            let has_object = after.first().is_some_and(|word| words::contains_word(&english.unwitnessed_objects, word));
            let after = &after[usize::from(has_object)..];
            (!reports_words(before) && after.first().is_none_or(|word| ends_clause(word))).then_some(before)
        };
        let is_unwitnessed = || {
            let mut clauses = english.unwitnessed_clauses.iter();
            let mut manners = english.unwitnessed_manners.iter().flat_map(|phrase| with_verbs(phrase));
            clauses.any(|clause| states(clause).is_some_and(can_begin_clause))
                || manners.any(|manner| states(&manner).is_some())
        };
        sole.or_else(|| is_unwitnessed().then(Vec::new))
    })
}

/// Splits words at a phrase. Returns the words before and after it.
fn split_at_phrase<'w>(part: &'w [String], phrase: &str) -> Option<(&'w [String], &'w [String])> {
    let phrase: Vec<&str> = phrase.split_whitespace().collect();
    let mut windows = part.windows(phrase.len());
    let at = windows.position(|window| window.iter().zip(&phrase).all(|(word, other)| word == other))?;
    Some((&part[..at], &part[at + phrase.len()..]))
}

/// Returns whether a clause that nobody reports can begin after words: after "Odo yawns while", but not after "Odo says".
fn can_begin_clause(before: &[String]) -> bool {
    let english = words::english();
    let is_conjunction = |word: &String| {
        let lists = [&english.circumstance_conjunctions, &english.subordinators];
        ends_clause(word) || lists.into_iter().any(|list| words::contains_word(list, word))
    };
    before.last().is_none_or(is_conjunction) && !reports_words(before)
}

/// Returns whether words contain a verb of speech, so that the words after them may only be what somebody says.
fn reports_words(before: &[String]) -> bool {
    let english = words::english();
    let lists = [&english.speech_verbs, &english.whisper_verbs];
    before.iter().any(|word| lists.into_iter().any(|list| words::contains_word(list, word)))
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
            let mut named =
                starts.filter_map(|start| Some((start, names.speaking_character(&self.words[start..end].join(" "))?)));
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
pub(super) fn joined_characters(names: &SpeakerNames<'_>, part: &[String], is_end: bool) -> Vec<EntityId> {
    let (mut found, mut rest) = (Vec::new(), part);
    loop {
        let max_words = rest.len().min(MAX_REFERENCE_WORDS);
        let named = (1..=max_words).find_map(|count| {
            let (start, end) = rest.split_at(if is_end { rest.len() - count } else { count });
            let (name, others) = if is_end { (end, start) } else { (start, end) };
            Some((names.speaking_character(&name.join(" "))?, others))
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
