//! Persons who act in narration, as in `Pike kicks the door open.` or `The door opens, and she walks away.`

use std::collections::BTreeSet;

use hearsay_extract::{Language, subject_pronoun};
use hearsay_model::{EntityId, Kind, PredicateRole, State, spelling, text, words};
use hearsay_query::resolve::{resolve_complete_words, resolve_named, resolve_place};

use super::{
    motion::{
        is_adverb, is_arrival, is_departure, is_inactive, is_prospect, removed_words, verbs, words_after_emergence,
        words_after_leaving, words_after_motion, words_after_way,
    },
    speakers::{MAX_REFERENCE_WORDS, SpeakerIdentity, SpeakerNames},
};

/// Characters that end a sentence of narration.
pub(super) const SENTENCE_ENDS: [char; 5] = ['.', '!', '?', ';', '\u{2026}'];

/// Characters that begin a quotation. The words after them are not narration.
const QUOTATION_MARKS: [char; 3] = ['"', '\u{201C}', '\u{201E}'];

/// Characters that begin a quotation at the start of a word with a capital letter. They can also be apostrophes.
const SINGLE_QUOTATION_MARKS: [char; 2] = ['\'', '\u{2018}'];

/// Maximum number of words between the conjunction after a name and the verb: "Yasmira and *her four guards* leave".
const MAX_COMPANION_WORDS: usize = 3;

/// A person who is the subject of a clause of narration, or whom the subject sends away.
pub(in crate::session) struct Actor {
    pub(in crate::session) id: EntityId,
    /// Whether the person is the subject of the first clause of a sentence. The person in a later clause can be far away,
    /// as in "In the letter, Odo accuses Pell". `false` if the clause says only what will or may happen.
    pub(in crate::session) begins_sentence: bool,
    /// Whether the person does something that it perceives, so that it is there. `false` for "Odo sleeps".
    pub(in crate::session) acts: bool,
    /// Whether the person comes to the place of the scene.
    pub(in crate::session) arrives: bool,
    /// Whether the person leaves the scene.
    pub(in crate::session) leaves: bool,
    /// Whether the person comes out of another place than the scene. A person who was not in the scene arrives.
    pub(in crate::session) emerges: bool,
    /// Recorded place to which the person goes, other than the place of the scene.
    pub(in crate::session) destination: Option<EntityId>,
}

/// Scene in which the persons of a narration act.
#[derive(Default)]
pub(in crate::session) struct NarratedScene<'a> {
    /// Place of the scene.
    pub(in crate::session) place: Option<&'a EntityId>,
    /// Persons in the scene, to whom pronouns can refer.
    pub(in crate::session) present: &'a [EntityId],
    /// Attending characters in the scene.
    pub(in crate::session) party: &'a [EntityId],
    /// Person whom the line before the narration names last.
    pub(in crate::session) last_named: Option<EntityId>,
}

/// Returns the characters who are the subjects of the clauses of a text. A clause begins at the start of a sentence, or
/// after a comma or a conjunction. A pronoun refers to the persons named last, or to the only person in the scene whom
/// it fits.
pub(in crate::session) fn actors(
    names: &SpeakerNames<'_>,
    state: &State,
    narration: &str,
    scene: &NarratedScene<'_>,
) -> Vec<Actor> {
    let reader = ClauseReader { state, names, language: Language::english() };
    let mut last_named: Vec<EntityId> = scene.last_named.iter().cloned().collect();
    let mut found: Vec<Actor> = Vec::new();
    for sentence in before_quotation(narration).split(SENTENCE_ENDS) {
        let sentence: Vec<&str> = sentence.split_whitespace().collect();
        for Clause { subject, predicate, begins_sentence } in reader.clauses(&sentence) {
            let subjects = reader.subjects(subject, &mut last_named, scene);
            let begins_sentence = begins_sentence && !is_prospect(predicate);
            for id in reader.removed(predicate) {
                add_actor(&mut found, Actor::sent_away(id));
            }
            let deed = reader.deed(predicate, scene.place);
            for id in subjects {
                let Deed { acts, arrives, leaves, emerges, destination } = deed.clone();
                add_actor(&mut found, Actor { id, begins_sentence, acts, arrives, leaves, emerges, destination });
            }
        }
    }
    found
}

/// Returns the characters to whom a person speaks in narration: Odo for "Mirela tells Odo that the ferry is late".
pub(in crate::session) fn addressees(names: &SpeakerNames<'_>, state: &State, narration: &str) -> Vec<EntityId> {
    let reader = ClauseReader { state, names, language: Language::english() };
    let mut found = Vec::new();
    for sentence in before_quotation(narration).split(SENTENCE_ENDS) {
        let sentence: Vec<&str> = sentence.split_whitespace().collect();
        let clauses = reader.clauses(&sentence).into_iter().filter(|clause| !is_prospect(clause.predicate));
        let verbs = clauses.flat_map(|clause| verbs(clause.predicate));
        found.extend(verbs.filter_map(|verb| reader.addressee(&verb)));
    }
    found
}

/// Returns the words of narration before the first quotation.
fn before_quotation(narration: &str) -> &str {
    let begins_quotation = |at: usize, mark: char| {
        let opens_word = || narration[..at].chars().next_back().is_none_or(char::is_whitespace);
        let precedes_capital = || narration[at + mark.len_utf8()..].starts_with(char::is_uppercase);
        QUOTATION_MARKS.contains(&mark)
            || (SINGLE_QUOTATION_MARKS.contains(&mark) && opens_word() && precedes_capital())
    };
    let quotation = narration.char_indices().find(|(at, mark)| begins_quotation(*at, *mark));
    quotation.map_or(narration, |(at, _)| &narration[..at])
}

/// Adds what a clause says about a person to what the clauses before say.
fn add_actor(found: &mut Vec<Actor>, new: Actor) {
    let Some(actor) = found.iter_mut().find(|actor| actor.id == new.id) else {
        found.push(new);
        return;
    };
    actor.begins_sentence |= new.begins_sentence;
    actor.acts |= new.acts;
    actor.arrives |= new.arrives;
    actor.emerges |= new.emerges;
    // In "Odo walks out. He returns with a lamp", Odo does not leave.
    let is_back = new.arrives && !new.leaves;
    actor.leaves = new.leaves || (actor.leaves && !is_back);
    actor.destination = new.destination.or(actor.destination.take().filter(|_| !is_back));
}

impl Actor {
    /// Creates an actor whom the subject of a clause sends away.
    fn sent_away(id: EntityId) -> Self {
        let [begins_sentence, acts, arrives, emerges] = [false; 4];
        Self { id, begins_sentence, acts, arrives, leaves: true, emerges, destination: None }
    }
}

/// Returns the characters with whose names a text begins, and who are the subject of its first clause.
pub(super) fn first_subjects(names: &SpeakerNames<'_>, state: &State, narration: &str) -> Vec<EntityId> {
    let reader = ClauseReader { state, names, language: Language::english() };
    let narration: Vec<&str> = narration.split_whitespace().collect();
    match reader.subject(&narration) {
        Some((Subject::Named(ids), _)) => ids,
        _ => Vec::new(),
    }
}

/// Subject of a clause.
enum Subject {
    /// Characters with these names.
    Named(Vec<EntityId>),
    /// One person, to whom a pronoun refers.
    Person(String),
    /// Several persons who were named before, or the whole party.
    Group,
    /// The whole party.
    Party,
}

/// A clause of narration with a subject.
struct Clause<'s, 'w> {
    subject: Subject,
    /// The words after the subject.
    predicate: &'s [&'w str],
    begins_sentence: bool,
}

/// What the subject of a clause does.
#[derive(Clone)]
struct Deed {
    acts: bool,
    arrives: bool,
    leaves: bool,
    emerges: bool,
    destination: Option<EntityId>,
}

/// Finds the clauses of narration.
struct ClauseReader<'a> {
    state: &'a State,
    names: &'a SpeakerNames<'a>,
    language: Language,
}

impl ClauseReader<'_> {
    /// Returns the characters to whom the subject of a clause refers. If the subject names them, they are the characters
    /// named last from then on.
    fn subjects(&self, subject: Subject, last_named: &mut Vec<EntityId>, scene: &NarratedScene<'_>) -> Vec<EntityId> {
        match subject {
            Subject::Named(ids) => {
                last_named.clone_from(&ids);
                ids
            }
            Subject::Person(pronoun) => self.person(&pronoun, last_named, scene).into_iter().collect(),
            Subject::Group if last_named.len() > 1 => last_named.clone(),
            Subject::Group | Subject::Party => scene.party.to_vec(),
        }
    }

    /// Returns the clauses of a sentence with a subject.
    fn clauses<'s, 'w>(&self, sentence: &'s [&'w str]) -> Vec<Clause<'s, 'w>> {
        let mut starts: Vec<(Subject, usize, usize)> = Vec::new();
        for at in 0..sentence.len() {
            let is_inside_subject = starts.last().is_some_and(|(_, _, end)| at < *end);
            if is_inside_subject || (at > 0 && !ends_clause(sentence[at - 1])) {
                continue;
            }
            let Some((subject, rest)) = self.subject(&sentence[at..]) else { continue };
            let is_plural = match &subject {
                Subject::Named(ids) => ids.len() > 1,
                Subject::Person(_) => false,
                Subject::Group | Subject::Party => true,
            };
            // In "nods to Ben and Odo", the second name begins no clause.
            if at == 0 || self.begins_with_verb(rest, is_plural) {
                starts.push((subject, at, sentence.len() - rest.len()));
            }
        }
        let ends: Vec<usize> = starts.iter().skip(1).map(|(_, at, _)| *at).chain([sentence.len()]).collect();
        let clause = |((subject, at, from), to): ((Subject, usize, usize), usize)| Clause {
            subject,
            predicate: &sentence[from..to],
            begins_sentence: at == 0,
        };
        starts.into_iter().zip(ends).map(clause).collect()
    }

    /// Returns the subject with which words begin, and the words after it. Adverbs and words such as "then" can precede
    /// the subject.
    fn subject<'s, 'w>(&self, words: &'s [&'w str]) -> Option<(Subject, &'s [&'w str])> {
        let (mut found, mut rest) = (Vec::new(), words);
        loop {
            let mut counts = (1..=rest.len().saturating_sub(1).min(MAX_REFERENCE_WORDS)).rev();
            let named = counts.find_map(|count| Some((self.character(&rest[..count])?, &rest[count..])));
            let (first, others) = rest.split_first()?;
            match named {
                Some((id, after)) => {
                    found.push(id);
                    let has_comma = rest[rest.len() - after.len() - 1].ends_with(',');
                    match after.split_first() {
                        Some((word, after)) if is_conjunction(word) => rest = after,
                        // The names of a list follow the comma: "Kell, Tamsin and Idris leave".
                        _ => match has_comma.then(|| self.subject(after)).flatten() {
                            Some((Subject::Named(others), after)) if others.len() > 1 => {
                                found.extend(others);
                                return Some((Subject::Named(found), after));
                            }
                            _ => return Some((Subject::Named(found), after)),
                        },
                    }
                }
                None if !found.is_empty() => return Some((Subject::Named(found), self.without_companions(rest))),
                None => match unnamed_subject(rest) {
                    Some((subject, count)) => return Some((subject, &rest[count..])),
                    None if opens_clause(first) => rest = others,
                    None => return None,
                },
            }
        }
    }

    /// Returns the words after companions who have no name: "leave" for "her four guards leave".
    fn without_companions<'s, 'w>(&self, words: &'s [&'w str]) -> &'s [&'w str] {
        let is_verb = |at: usize| words.get(at).is_some_and(|word| self.is_verb(word, true));
        match (0..=MAX_COMPANION_WORDS).find(|at| is_verb(*at) && !is_verb(at + 1)) {
            Some(at) => &words[at..],
            None => words,
        }
    }

    fn begins_with_verb(&self, words: &[&str], is_plural: bool) -> bool {
        let verb = words.iter().find(|word| !is_adverb(&word.to_lowercase()));
        verb.is_some_and(|word| self.is_verb(word, is_plural))
    }

    fn is_verb(&self, word: &str, is_plural: bool) -> bool {
        let (word, english) = (plain_word(word), words::english());
        let is_listed = [
            &english.motion_verbs,
            &english.pursuit_verbs,
            &english.leaving_verbs,
            &english.inactive_verbs,
            &english.speech_verbs,
        ]
        .into_iter()
        .any(|list| words::contains_word(list, &word));
        is_listed || word.ends_with("n't") || self.language.is_finite_verb(&word, is_plural)
    }

    /// Returns the character to whom a few words refer. The words must not be possessive, as in "Pike's gun", and only
    /// the last word can have a comma. A title before the name is ignored, unless it is part of the name.
    fn character(&self, reference: &[&str]) -> Option<EntityId> {
        let (last, others) = reference.split_last()?;
        let is_part = |word: &&str| word.ends_with([',', ':']);
        let is_possessive = |word: &&str| word.ends_with("'s") || word.ends_with("\u{2019}s");
        if is_possessive(last) || others.iter().any(|word| is_part(word) || is_possessive(word)) || last.ends_with(':')
        {
            return None;
        }
        match self.names.identify_typed(reference.join(" ").trim_end_matches(',')) {
            SpeakerIdentity::Character(id) => self.state.is_character(&id).then_some(id),
            SpeakerIdentity::Unknown => {
                let (title, name) = reference.split_first()?;
                let is_title = words::contains_word(&words::english().titles, &plain_word(title));
                if is_title { self.character(name) } else { None }
            }
            _ => None,
        }
    }

    /// Returns the person to whom a pronoun refers: the person named last, unless the pronoun does not fit. Otherwise, the
    /// only person in the scene with this pronoun, or the only person whose pronoun is unknown.
    fn person(&self, pronoun: &str, last_named: &[EntityId], scene: &NarratedScene<'_>) -> Option<EntityId> {
        let pronoun_of = |id: &EntityId| subject_pronoun(self.state, id);
        if let [last] = last_named
            && pronoun_of(last).is_none_or(|other| other == pronoun)
        {
            return Some(last.clone());
        }
        let with = |wanted: Option<&str>| -> Vec<&EntityId> {
            scene.present.iter().filter(|id| pronoun_of(id) == wanted).collect()
        };
        let fitting = Some(with(Some(pronoun))).filter(|found| !found.is_empty()).unwrap_or_else(|| with(None));
        let [person] = fitting[..] else { return None };
        Some(person.clone())
    }

    /// Returns what the words after a subject say about it.
    fn deed(&self, predicate: &[&str], place: Option<&EntityId>) -> Deed {
        let verbs = verbs(predicate);
        let first = verbs.first().and_then(|words| words.first()).map_or("", String::as_str);
        let acts = !is_inactive(first);
        let scene_words = place.map(|place| text::words(self.state.name_or_id(place))).unwrap_or_default();
        let destination = verbs.iter().filter(|_| acts).find_map(|verb| self.destination(verb));
        let is_at_scene = destination.is_some() && destination.as_ref() == place;
        let departure = verbs.iter().rposition(|words| is_departure(words, &scene_words));
        let arrival = verbs.iter().rposition(|words| words.first().is_some_and(|verb| is_arrival(verb)));
        // "Walks out and returns" states no departure.
        let leaves = acts && !is_at_scene && departure.is_some() && departure > arrival;
        let arrives = is_at_scene || (acts && arrival.is_some() && destination.is_none());
        let emerges = acts && verbs.iter().any(|verb| self.emerges(verb, place));
        Deed { acts, arrives, leaves, emerges, destination: destination.filter(|_| !is_at_scene) }
    }

    /// Returns the recorded place to which a person goes: The Mill for "walks back to the mill with Odo".
    fn destination(&self, verb: &[String]) -> Option<EntityId> {
        let english = words::english();
        let after_arrival = || verb.split_first().filter(|(verb, _)| is_arrival(verb)).map(|(_, rest)| rest);
        let rest = words_after_motion(verb).or_else(|| words_after_leaving(verb)).or_else(after_arrival)?;
        let (opener, rest) = words_after_way(rest).split_first()?;
        if !words::contains_word(&english.destination_openers, opener) {
            return None;
        }
        self.place(rest)
    }

    /// Returns whether a person comes out of another place than the scene, as in "steps out of the dark".
    fn emerges(&self, verb: &[String], scene_place: Option<&EntityId>) -> bool {
        words_after_emergence(verb).is_some_and(|source| {
            let source = self.place(source);
            source.is_none() || source.as_ref() != scene_place
        })
    }

    /// Returns the recorded place with which words begin.
    fn place(&self, words: &[String]) -> Option<EntityId> {
        let max_words = words.len().min(MAX_REFERENCE_WORDS);
        (1..=max_words).rev().find_map(|count| recorded_place(self.state, &words[..count].join(" ")))
    }

    /// Returns the characters whom the subject sends away: Odo for "throws Odo out".
    fn removed(&self, predicate: &[&str]) -> Vec<EntityId> {
        let removed = |verb: &Vec<String>| {
            let words: Vec<&str> = removed_words(verb)?.iter().map(String::as_str).collect();
            self.character(&words)
        };
        verbs(predicate).iter().filter_map(removed).collect()
    }

    /// Returns the character to whom the subject speaks: Odo for "tells Odo that the ferry is late" and for "says quietly to
    /// Odo", but nobody for "says Odo is late".
    fn addressee(&self, verb: &[String]) -> Option<EntityId> {
        let english = words::english();
        let (verb, rest) = verb.split_first()?;
        let lists = [&english.speech_verbs, &english.whisper_verbs];
        if !lists.into_iter().any(|list| words::contains_word(list, verb)) {
            return None;
        }
        let opens_names =
            |word: &str| english.hearer_phrases.iter().any(|phrase| phrase.split(' ').next() == Some(word));
        let names = rest.iter().map(String::as_str).skip_while(|word| is_adverb(word));
        let names: Vec<&str> = names.collect();
        let opener_count = names.iter().take_while(|word| opens_names(word)).count();
        if opener_count == 0 && !words::contains_word(&english.address_verbs, verb) {
            return None;
        }
        let names = &names[opener_count..];
        let max_words = names.len().min(MAX_REFERENCE_WORDS);
        (1..=max_words).rev().find_map(|count| self.character(&names[..count]))
    }
}

/// Returns the place to which words refer: its name, a part of its name, or the noun of its description. All words must
/// be complete.
fn recorded_place(state: &State, reference: &str) -> Option<EntityId> {
    if text::words(reference).last().is_none_or(|last| spelling::is_stop_word(last)) {
        return None;
    }
    let found = match resolve_complete_words(state, reference) {
        Ok(id) => Some(id),
        // The beginning of a name is no reference.
        Err(_) if resolve_named(state, reference).is_ok() => None,
        Err(_) => resolve_place(state, reference).ok(),
    };
    found.filter(|id| state.kind(id) == Some(Kind::Location))
}

/// Returns the recorded place that narration names at its start, before a comma: The Blind Eel for "Back at the Eel, the
/// air is thick with smoke." Returns `None` if the place of the scene is the same place or a part of it.
pub fn opening_place(state: &State, narration: &str, scene_place: Option<&EntityId>) -> Option<EntityId> {
    let english = words::english();
    let is_opener = |word: &str| words::contains_word(&english.scene_openers, &word.to_lowercase());
    let is_before_opener =
        |word: &str| opens_clause(word) || words::contains_word(&english.motion_adverbs, &word.to_lowercase());
    let mut phrases = narration.split(',').map(str::trim);
    // "Meanwhile, at the Eel, the air is thick."
    let phrase = phrases.find(|phrase| phrase.contains(' ') || !opens_clause(phrase))?;
    let mut phrase_words = phrase.split_whitespace().skip_while(|word| !is_opener(word) && is_before_opener(word));
    let is_opened = phrase_words.next().is_some_and(is_opener);
    let reference: Vec<&str> = phrase_words.collect();
    if !is_opened || reference.len() > MAX_REFERENCE_WORDS {
        return None;
    }
    let place = recorded_place(state, &reference.join(" "))?;
    let is_scene = scene_place.is_some_and(|scene| is_within(state, scene, &place));
    (!is_scene).then_some(place)
}

/// Returns whether a place is another place or a part of it.
fn is_within(state: &State, place: &EntityId, larger: &EntityId) -> bool {
    let (mut pending, mut reached) = (vec![place.clone()], BTreeSet::new());
    while let Some(place) = pending.pop() {
        if place == *larger {
            return true;
        }
        if reached.insert(place.clone()) {
            let parts = state.values(&place, PredicateRole::Part.predicate());
            pending.extend(parts.iter().filter_map(|fact| fact.object().entity()).cloned());
        }
    }
    false
}

/// Returns the subject without a name with which words begin, and the number of its words: three for "The whole party".
fn unnamed_subject(clause: &[&str]) -> Option<(Subject, usize)> {
    let english = words::english();
    (1..=MAX_REFERENCE_WORDS).rev().find_map(|count| {
        let phrase = clause.get(..count)?.join(" ").to_lowercase();
        let is_listed = |list: &[String]| words::contains_word(list, &phrase);
        let subject = if is_listed(&english.party_subjects) {
            Subject::Party
        } else if is_listed(&english.group_subjects) {
            Subject::Group
        } else if is_listed(&english.person_pronouns) {
            Subject::Person(phrase)
        } else {
            return None;
        };
        Some((subject, count))
    })
}

/// Returns the first word of a text in normal form, without punctuation.
fn plain_word(text: &str) -> String {
    text::words(text).into_iter().next().unwrap_or_default()
}

/// Returns whether a clause can begin after a word.
fn ends_clause(word: &str) -> bool {
    let (word, english) = (word.to_lowercase(), words::english());
    word.ends_with(',') || is_conjunction(&word) || words::contains_word(&english.clause_openers, &word)
}

fn is_conjunction(word: &str) -> bool {
    words::contains_word(&words::english().name_conjunctions, word)
}

/// Returns whether a subject can follow a word at the start of a sentence, as in "Suddenly, Pike laughs".
fn opens_clause(word: &str) -> bool {
    let word = word.trim_end_matches(',').to_lowercase();
    let english = words::english();
    words::contains_word(&english.clause_openers, &word) || is_adverb(&word)
}
