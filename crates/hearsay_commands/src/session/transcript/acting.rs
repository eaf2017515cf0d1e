//! Persons who act in narration, as in `Pike kicks the door open.` or `The door opens, and she walks away.`

use hearsay_extract::{Language, subject_pronoun};
use hearsay_model::{EntityId, Kind, State, text, words};

use super::{
    motion::{
        is_adverb, is_arrival, is_departure, is_inactive, is_prospect, leader_words, removed_words, verbs,
        words_after_emergence, words_after_goal_phrase, words_after_leaving, words_after_motion, words_after_removal,
        words_after_way,
    },
    places::{opening_count, recorded_place},
    speakers::{MAX_REFERENCE_WORDS, SpeakerIdentity, SpeakerNames},
    subjects::{Subject, ends_clause, exception_count, is_conjunction, opens_clause, unnamed_subject},
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
/// it fits. A person who goes along with somebody who leaves leaves too.
pub(in crate::session) fn actors(
    names: &SpeakerNames<'_>,
    state: &State,
    narration: &str,
    scene: &NarratedScene<'_>,
) -> Vec<Actor> {
    let reader = ClauseReader { state, names, language: Language::english() };
    let mut last_named: Vec<EntityId> = scene.last_named.iter().cloned().collect();
    let mut found: Vec<Actor> = Vec::new();
    let mut departure: Option<(Vec<EntityId>, Deed)> = None;
    for sentence in before_quotation(narration).split(SENTENCE_ENDS) {
        let sentence: Vec<&str> = sentence.split_whitespace().collect();
        for Clause { subject, predicate, begins_sentence } in reader.clauses(&sentence) {
            let named_before = last_named.clone();
            let subjects = match subject {
                Subject::Others => reader.others(narration, scene),
                subject => reader.subjects(subject, &mut last_named, scene),
            };
            let begins_sentence = begins_sentence && !is_prospect(predicate);
            for actor in reader.removed(predicate, &subjects, &named_before, scene) {
                add_actor(&mut found, actor);
            }
            let mut deed = reader.deed(predicate, scene.place);
            if let Some((leaders, led)) = departure.as_ref().filter(|_| !deed.departs())
                && reader.goes_along(predicate, leaders)
            {
                deed = Deed { arrives: false, leaves: led.leaves, destination: led.destination.clone(), ..deed };
            }
            if deed.departs() && !subjects.is_empty() {
                departure = Some((subjects.clone(), deed.clone()));
            }
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

/// Returns the clauses of a sentence that have one character as their named subject. Each is returned as this character, and
/// the words after its name. Clauses that say only what will or may happen are omitted.
pub(super) fn named_clauses<'s, 'w>(
    names: &SpeakerNames<'_>,
    state: &State,
    sentence: &'s [&'w str],
) -> Vec<(EntityId, &'s [&'w str])> {
    let reader = ClauseReader { state, names, language: Language::english() };
    let clauses = reader.clauses(sentence).into_iter().filter(|clause| !is_prospect(clause.predicate));
    let named = clauses.filter_map(|Clause { subject, predicate, .. }| match subject {
        Subject::Named(mut ids) if ids.len() == 1 => ids.pop().map(|id| (id, predicate)),
        _ => None,
    });
    named.collect()
}

/// Returns the character with whose name words begin, and the words after its name, if these words tell what the character
/// does and nobody else does anything.
pub(super) fn only_deed<'s, 'w>(
    names: &SpeakerNames<'_>,
    state: &State,
    sentence: &'s [&'w str],
) -> Option<(EntityId, &'s [&'w str])> {
    let reader = ClauseReader { state, names, language: Language::english() };
    let mut named = named_clauses(names, state, sentence);
    let (id, predicate) = named.pop().filter(|_| named.is_empty())?;
    let is_only = reader.clauses(sentence).len() == 1;
    let has_end = predicate.iter().any(|word| word.ends_with(SENTENCE_ENDS));
    (is_only && !has_end && reader.begins_with_verb(predicate, false)).then_some((id, predicate))
}

/// Returns the persons who move according to a text. Returns `None` if the text also states something else.
pub(in crate::session) fn only_moves(
    names: &SpeakerNames<'_>,
    state: &State,
    narration: &str,
    scene: &NarratedScene<'_>,
) -> Option<Vec<Actor>> {
    let reader = ClauseReader { state, names, language: Language::english() };
    let scene_words = scene.place.map(|place| text::words(state.name_or_id(place))).unwrap_or_default();
    let is_move = |verb: &Vec<String>| reader.destination(verb).is_some() || is_departure(verb, &scene_words);
    let states_move = |clause: &Clause<'_, '_>| {
        let verbs = verbs(clause.predicate);
        !verbs.is_empty() && verbs.iter().all(is_move) && !is_prospect(clause.predicate)
    };
    for sentence in narration.split(SENTENCE_ENDS) {
        let sentence: Vec<&str> = sentence.split_whitespace().collect();
        let clauses = reader.clauses(&sentence);
        let begins_with_clause = clauses.first().is_some_and(|clause| clause.begins_sentence);
        let states_only_moves = begins_with_clause && clauses.iter().all(states_move);
        if !sentence.is_empty() && !states_only_moves {
            return None;
        }
    }
    Some(actors(names, state, narration, scene)).filter(|actors| !actors.is_empty())
}

/// Returns the characters whom narration excepts from a group: Odo for "Everybody but Odo leaves".
pub(in crate::session) fn excepted(names: &SpeakerNames<'_>, state: &State, narration: &str) -> Vec<EntityId> {
    let reader = ClauseReader { state, names, language: Language::english() };
    let mut found = Vec::new();
    for sentence in before_quotation(narration).split(SENTENCE_ENDS) {
        let sentence: Vec<&str> = sentence.split_whitespace().collect();
        for clause in reader.clauses(&sentence) {
            if let Subject::PartyWithout(ids) = clause.subject {
                found.extend(ids);
            }
        }
    }
    found
}

/// Returns the words of narration before the first quotation.
pub(super) fn before_quotation(narration: &str) -> &str {
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
    /// Creates an actor whom the subject of a clause sends away, perhaps to a recorded place.
    fn sent_away(id: EntityId, destination: Option<EntityId>) -> Self {
        let [begins_sentence, acts, arrives, emerges] = [false; 4];
        Self { id, begins_sentence, acts, arrives, leaves: true, emerges, destination }
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

impl Deed {
    fn departs(&self) -> bool {
        self.leaves || self.destination.is_some()
    }
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
            Subject::Person(pronoun) => self.person(&pronoun, last_named, &[], scene).into_iter().collect(),
            Subject::Group if last_named.len() > 1 => last_named.clone(),
            Subject::Counted(count) if last_named.len() == count => last_named.clone(),
            Subject::Group | Subject::Party => scene.party.to_vec(),
            Subject::Counted(count) | Subject::CountedParty(count) => {
                let players = scene.party.iter().filter(|id| self.state.kind(id) == Some(Kind::Player)).count();
                if players == count { scene.party.to_vec() } else { Vec::new() }
            }
            Subject::PartyWithout(ids) => scene.party.iter().filter(|id| !ids.contains(id)).cloned().collect(),
            Subject::Others | Subject::Unknown => Vec::new(),
        }
    }

    /// Returns those of the party whom a text does not name. If it names none of the party, nobody is meant.
    fn others(&self, narration: &str, scene: &NarratedScene<'_>) -> Vec<EntityId> {
        let mut named: Vec<EntityId> = Vec::new();
        for sentence in narration.split(SENTENCE_ENDS) {
            let words: Vec<&str> = sentence.split_whitespace().collect();
            for at in (0..words.len()).filter(|at| words[*at].starts_with(char::is_uppercase)) {
                let mut counts = (1..=MAX_REFERENCE_WORDS.min(words.len() - at)).rev();
                named.extend(counts.find_map(|count| self.character(&words[at..at + count])));
            }
        }
        let (named, others): (Vec<&EntityId>, Vec<&EntityId>) = scene.party.iter().partition(|id| named.contains(id));
        if named.is_empty() { Vec::new() } else { others.into_iter().cloned().collect() }
    }

    /// Returns whether the words after a subject say that it goes along with the persons who leave: "tags along", "follows
    /// her".
    fn goes_along(&self, predicate: &[&str], leaders: &[EntityId]) -> bool {
        verbs(predicate).iter().filter_map(|verb| leader_words(verb)).any(|words| self.is_leader(words, leaders))
    }

    /// Returns whether words after a verb of a companion refer to the persons who leave. No words refer to them too.
    fn is_leader(&self, reference: &[String], leaders: &[EntityId]) -> bool {
        let english = words::english();
        let reference: Vec<&str> = reference.iter().map(String::as_str).collect();
        let mut pronouns = english.personal_pronouns.iter();
        match pronouns.find(|pronouns| reference[..] == [pronouns.object.as_str()]) {
            _ if reference.is_empty() => true,
            Some(pronouns) if words::contains_word(&english.person_pronouns, &pronouns.subject) => match leaders {
                [leader] => subject_pronoun(self.state, leader).is_none_or(|subject| subject == pronouns.subject),
                _ => false,
            },
            Some(_) => leaders.len() > 1,
            None => self.character(&reference).is_some_and(|id| leaders.contains(&id)),
        }
    }

    /// Returns the clauses of a sentence with a subject.
    fn clauses<'s, 'w>(&self, sentence: &'s [&'w str]) -> Vec<Clause<'s, 'w>> {
        let mut starts: Vec<(Subject, usize, usize)> = Vec::new();
        let opening = opening_count(self.state, sentence);
        for at in 0..sentence.len() {
            let is_inside_subject = starts.last().is_some_and(|(_, _, end)| at < *end);
            let begins_clause = at == 0 || Some(at) == opening || ends_clause(sentence[at - 1]);
            if is_inside_subject || !begins_clause {
                continue;
            }
            let Some((subject, rest)) = self.subject(&sentence[at..]) else { continue };
            let is_plural = match &subject {
                Subject::Named(ids) => ids.len() > 1,
                Subject::Person(_) => false,
                _ => true,
            };
            // In "nods to Ben and Odo", the second name begins no clause.
            if at == 0 || matches!(subject, Subject::Unknown) || self.begins_with_verb(rest, is_plural) {
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
                None => match self.unnamed(rest) {
                    Some(unnamed) => return Some(unnamed),
                    None if opens_clause(first) => rest = others,
                    None => return None,
                },
            }
        }
    }

    /// Returns the subject without a name with which words begin, and the words after it and its exceptions. If the
    /// exceptions have no names, the words after them are unclear, so no words follow.
    fn unnamed<'s, 'w>(&self, words: &'s [&'w str]) -> Option<(Subject, &'s [&'w str])> {
        let (subject, count) = unnamed_subject(words)?;
        let rest = &words[count..];
        let exception_count = exception_count(rest);
        if exception_count == 0 || matches!(subject, Subject::Person(_)) {
            return Some((subject, rest));
        }
        Some(match self.subject(&rest[exception_count..]) {
            Some((Subject::Named(ids), rest)) => (Subject::PartyWithout(ids), rest),
            _ => (Subject::Unknown, &rest[rest.len()..]),
        })
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
        let is_companion =
            || english.companion_phrases.iter().any(|phrase| phrase.split(' ').next() == Some(word.as_str()));
        is_listed || is_companion() || word.ends_with("n't") || self.language.is_finite_verb(&word, is_plural)
    }

    /// Returns the character to whom a few words refer. The words must not be possessive, as in "Pike's gun", and only
    /// the last word can have a comma. A title before the name is ignored, unless it is part of the name.
    fn character(&self, reference: &[&str]) -> Option<EntityId> {
        let (last, others) = reference.split_last()?;
        let is_part = |word: &&str| word.ends_with([',', ':']);
        let is_possessive = |word: &&str| text::without_possessive(word) != *word;
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
    /// only person in the scene with this pronoun, or the only person whose pronoun is unknown. `excluded` are the persons
    /// who are not meant.
    fn person(
        &self,
        pronoun: &str,
        last_named: &[EntityId],
        excluded: &[EntityId],
        scene: &NarratedScene<'_>,
    ) -> Option<EntityId> {
        let pronoun_of = |id: &EntityId| subject_pronoun(self.state, id);
        if let [last] = last_named
            && !excluded.contains(last)
            && pronoun_of(last).is_none_or(|other| other == pronoun)
        {
            return Some(last.clone());
        }
        let with = |wanted: Option<&str>| -> Vec<&EntityId> {
            let others = scene.present.iter().filter(|id| !excluded.contains(id));
            others.filter(|id| pronoun_of(id) == wanted).collect()
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
        let moves = acts || verbs.iter().any(|verb| words_after_removal(verb).is_some());
        let scene_words = place.map(|place| text::words(self.state.name_or_id(place))).unwrap_or_default();
        let destination = verbs.iter().filter(|_| moves).find_map(|verb| self.destination(verb));
        let is_at_scene = destination.is_some() && destination.as_ref() == place;
        let departure = verbs.iter().rposition(|words| is_departure(words, &scene_words));
        let arrival = verbs.iter().rposition(|words| words.first().is_some_and(|verb| is_arrival(verb)));
        // "Walks out and returns" states no departure.
        let leaves = moves && !is_at_scene && departure.is_some() && departure > arrival;
        let arrives = is_at_scene || (acts && arrival.is_some() && destination.is_none());
        let emerges = acts && verbs.iter().any(|verb| self.emerges(verb, place));
        Deed { acts, arrives, leaves, emerges, destination: destination.filter(|_| !is_at_scene) }
    }

    /// Returns the recorded place to which a person goes: The Mill for "walks back to the mill with Odo".
    fn destination(&self, verb: &[String]) -> Option<EntityId> {
        let after_arrival = || verb.split_first().filter(|(verb, _)| is_arrival(verb)).map(|(_, rest)| rest);
        let after_departure = words_after_motion(verb).or_else(|| words_after_leaving(verb));
        let after_verb = after_departure.or_else(|| words_after_removal(verb)).or_else(after_arrival);
        let goal = words_after_goal_phrase(verb).and_then(|words| self.place(words));
        goal.or_else(|| after_verb.and_then(|words| self.goal(words)))
    }

    /// Returns the recorded place that words after a verb of motion name: The Mill for "back up to the mill".
    fn goal(&self, words: &[String]) -> Option<EntityId> {
        let (opener, rest) = words_after_way(words).split_first()?;
        words::contains_word(&words::english().destination_openers, opener).then(|| self.place(rest))?
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

    /// Returns the characters whom the subjects send away: Odo for "throws Odo out". A pronoun refers to one of the persons
    /// who were named before the clause, but to none of the subjects.
    fn removed(
        &self,
        predicate: &[&str],
        subjects: &[EntityId],
        named_before: &[EntityId],
        scene: &NarratedScene<'_>,
    ) -> Vec<Actor> {
        let english = words::english();
        let person = |word: &str| {
            let pronouns = english.personal_pronouns.iter().find(|pronouns| pronouns.object == word)?;
            let is_person = words::contains_word(&english.person_pronouns, &pronouns.subject);
            is_person.then(|| self.person(&pronouns.subject, named_before, subjects, scene))?
        };
        let removed = |verb: &Vec<String>| {
            let (removed, direction) = removed_words(verb)?;
            let words: Vec<&str> = removed.iter().map(String::as_str).collect();
            let id = match words[..] {
                [word] => person(word).or_else(|| self.character(&words)),
                _ => self.character(&words),
            };
            let destination = self.goal(direction);
            let is_at_scene = destination.is_some() && destination.as_ref() == scene.place;
            id.filter(|_| !is_at_scene).map(|id| Actor::sent_away(id, destination))
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

/// Returns the first word of a text in normal form, without punctuation.
fn plain_word(text: &str) -> String {
    text::words(text).into_iter().next().unwrap_or_default()
}
