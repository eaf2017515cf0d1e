//! Persons who act in narration, as in `Pike kicks the door open.` or `The door opens, and she walks away.`

use hearsay_extract::subject_pronoun;
use hearsay_model::{EntityId, Kind, State, text, words};

use super::{
    clauses::{Clause, ClauseReader},
    motion::{
        can_follow_flight, can_follow_leaving, is_arrival, is_deed_of_living, is_departure, is_inactive, is_prospect,
        is_state, leader_words, may_be_verb, verbs, words_after_emergence, words_after_flight, words_after_goal_phrase,
        words_after_leaving, words_after_motion, words_after_removal, words_after_verbless_way, words_after_way,
    },
    narration::{narrated_sentences, sentences},
    places::recorded_place,
    speakers::{MAX_REFERENCE_WORDS, SpeakerNames},
    subjects::Subject,
};

/// A person who is the subject of a clause of narration, or whom the subject sends away.
pub(in crate::session) struct Actor {
    pub(in crate::session) id: EntityId,
    /// Whether the person is the subject of the first clause of a sentence. The person in a later clause can be far away,
    /// as in "In the letter, Odo accuses Pell". `false` if the clause says only what will or may happen.
    pub(in crate::session) begins_sentence: bool,
    pub(in crate::session) deed: Deed,
}

/// What a text says about a person.
#[derive(Clone, Default)]
pub(in crate::session) struct Deed {
    pub(in crate::session) activity: Activity,
    /// Whether the person comes to the place of the scene.
    pub(in crate::session) arrives: bool,
    /// Whether the person comes out of another place than the scene. A person who was not in the scene arrives.
    pub(in crate::session) emerges: bool,
    /// How the person leaves the scene; `None` if it does not leave.
    pub(in crate::session) departure: Option<Departure>,
}

/// What a person does. A later variant says more about where the person is.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::session) enum Activity {
    /// The text states only what the person is, has or feels, so that the person need not be there.
    State,
    /// The person does nothing that it perceives, as in "Odo sleeps".
    #[default]
    Passive,
    /// The person does something that it perceives, so that it is there.
    Acts,
    /// A sentence begins with the name of the person, who does what only the living do, as in "Odo orders an ale".
    Lives,
}

/// How a person leaves the scene.
#[derive(Clone)]
pub(in crate::session) enum Departure {
    /// The person leaves for an unknown place, perhaps only for a short time.
    Leaves,
    /// The person leaves for an unknown place, and not only for a short time, as in "flees into the night".
    Flees,
    /// The person goes to this recorded place, which is not the place of the scene.
    GoesTo(EntityId),
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
    let reader = ClauseReader::new(names, state);
    let mut last_named: Vec<EntityId> = scene.last_named.iter().cloned().collect();
    let mut found: Vec<Actor> = Vec::new();
    let mut departed: Option<(Vec<EntityId>, Departure)> = None;
    for sentence in narrated_sentences(narration) {
        for Clause { subject, predicate, begins_sentence } in reader.clauses(&sentence) {
            let (named_before, is_named) = (last_named.clone(), matches!(subject, Subject::Named(_)));
            let subjects = match subject {
                Subject::Others => reader.others(narration, scene),
                subject => reader.subjects(subject, &mut last_named, scene),
            };
            let begins_sentence = begins_sentence && !is_prospect(predicate);
            let mut deed = reader.deed(predicate, scene.place);
            if !is_named || !begins_sentence {
                deed.activity = deed.activity.min(Activity::Acts);
            }
            let persons = (subjects.as_slice(), named_before.as_slice());
            let others = reader.others_who_move(predicate, &mut deed, persons, scene);
            others.into_iter().for_each(|actor| add_actor(&mut found, actor));
            if let Some((leaders, departure)) = departed.as_ref().filter(|_| deed.departure.is_none())
                && reader.goes_along(predicate, leaders)
            {
                let (activity, departure) = (deed.activity.max(Activity::Passive), Some(departure.clone()));
                deed = Deed { activity, arrives: false, departure, ..deed };
            }
            if let Some(departure) = deed.departure.as_ref().filter(|_| !subjects.is_empty()) {
                departed = Some((subjects.clone(), departure.clone()));
            }
            for id in subjects {
                add_actor(&mut found, Actor { id, begins_sentence, deed: deed.clone() });
            }
        }
    }
    found
}

/// Returns the characters to whom a person speaks in narration: Odo for "Mirela tells Odo that the ferry is late".
pub(in crate::session) fn addressees(names: &SpeakerNames<'_>, state: &State, narration: &str) -> Vec<EntityId> {
    let reader = ClauseReader::new(names, state);
    let mut found = Vec::new();
    for sentence in narrated_sentences(narration) {
        let clauses = reader.clauses(&sentence).into_iter().filter(|clause| !is_prospect(clause.predicate));
        let verbs = clauses.flat_map(|clause| verbs(clause.predicate));
        found.extend(verbs.filter_map(|verb| reader.addressee(&verb)));
    }
    found
}

/// Returns the persons who move according to a text. Returns `None` if the text also states something else.
pub(in crate::session) fn only_moves(
    names: &SpeakerNames<'_>,
    state: &State,
    narration: &str,
    scene: &NarratedScene<'_>,
) -> Option<Vec<Actor>> {
    let reader = ClauseReader::new(names, state);
    let is_move = |verb: &Vec<String>| reader.destination(verb).is_some() || reader.departs(verb, scene.place);
    let states_move = |clause: &Clause<'_, '_>| {
        let verbs = verbs(clause.predicate);
        !verbs.is_empty() && verbs.iter().all(is_move) && !is_prospect(clause.predicate)
    };
    for sentence in sentences(narration) {
        let clauses = reader.clauses(&sentence);
        let begins_with_clause = clauses.first().is_some_and(|clause| clause.begins_sentence);
        let states_only_moves = begins_with_clause && clauses.iter().all(states_move);
        if !sentence.is_empty() && !states_only_moves {
            return None;
        }
    }
    Some(actors(names, state, narration, scene)).filter(|actors| !actors.is_empty())
}

/// Returns the recorded place to which everybody goes according to narration.
pub(in crate::session) fn place_of_everybody(
    names: &SpeakerNames<'_>,
    state: &State,
    narration: &str,
) -> Option<EntityId> {
    let reader = ClauseReader::new(names, state);
    narrated_sentences(narration).find_map(|sentence| {
        let mut clauses = reader.clauses(&sentence).into_iter();
        let clause = clauses.find(|clause| matches!(clause.subject, Subject::Everybody))?;
        let verbs = Some(verbs(clause.predicate)).filter(|_| !is_prospect(clause.predicate))?;
        verbs.iter().find_map(|verb| reader.destination(verb))
    })
}

/// Returns the characters whom narration excepts from a group: Odo for "Everybody but Odo leaves".
pub(in crate::session) fn excepted(names: &SpeakerNames<'_>, state: &State, narration: &str) -> Vec<EntityId> {
    let reader = ClauseReader::new(names, state);
    let mut found = Vec::new();
    for sentence in narrated_sentences(narration) {
        for clause in reader.clauses(&sentence) {
            if let Subject::PartyWithout(ids) = clause.subject {
                found.extend(ids);
            }
        }
    }
    found
}

/// Adds what a clause says about a person to what the clauses before say.
fn add_actor(found: &mut Vec<Actor>, new: Actor) {
    let Some(actor) = found.iter_mut().find(|actor| actor.id == new.id) else {
        found.push(new);
        return;
    };
    actor.begins_sentence |= new.begins_sentence;
    actor.deed.add(new.deed);
}

impl Actor {
    /// Creates an actor whom the subject of a clause sends away or takes along.
    pub(super) fn sent_away(id: EntityId, departure: Departure) -> Self {
        Self { id, begins_sentence: false, deed: Deed { departure: Some(departure), ..Deed::default() } }
    }

    /// Creates an actor whom the subject of a clause brings into the scene.
    pub(super) fn brought(id: EntityId) -> Self {
        let deed = Deed { activity: Activity::Acts, arrives: true, ..Deed::default() };
        Self { id, begins_sentence: false, deed }
    }
}

impl Deed {
    /// Returns whether the person does something that it perceives.
    pub(in crate::session) fn acts(&self) -> bool {
        self.activity >= Activity::Acts
    }

    /// Returns whether the person comes to the place of the scene, or out of another place.
    pub(in crate::session) fn comes(&self) -> bool {
        self.arrives || self.emerges
    }

    /// Adds what a later clause says about the same person.
    fn add(&mut self, later: Self) {
        self.activity = self.activity.max(later.activity);
        self.arrives |= later.arrives;
        self.emerges |= later.emerges;
        // In "Odo walks out. He returns with a lamp", Odo does not leave.
        let is_back = later.arrives && later.departure.is_none();
        self.departure = match (self.departure.take().filter(|_| !is_back), later.departure) {
            (None | Some(Departure::Leaves), Some(departure)) => Some(departure),
            (_, Some(Departure::GoesTo(place))) => Some(Departure::GoesTo(place)),
            (earlier, _) => earlier,
        };
    }
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
            Subject::Group | Subject::Party | Subject::Everybody => scene.party.to_vec(),
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
        for words in sentences(narration) {
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
        let reference = as_strs(reference);
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

    /// Returns the person to whom a pronoun refers: the person named last, unless the pronoun does not fit. Otherwise, the
    /// only person in the scene with this pronoun, or the only person whose pronoun is unknown. `excluded` are the persons
    /// who are not meant.
    pub(super) fn person(
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
        let flees = verbs.iter().any(|verb| self.flees(verb, place));
        let moves = acts || flees || verbs.iter().any(|verb| words_after_removal(verb).is_some());
        let destination = verbs.iter().filter(|_| moves).find_map(|verb| self.destination(verb));
        // "Odo back to the mill" is short for "Odo goes back to the mill".
        let destination = destination.or_else(|| self.verbless_destination(verbs.first()?));
        let is_at_scene = destination.is_some() && destination.as_ref() == place;
        let last_departure = verbs.iter().rposition(|words| self.departs(words, place));
        let last_arrival = verbs.iter().rposition(|words| words.first().is_some_and(|verb| is_arrival(verb)));
        // "Walks out and returns" states no departure.
        let leaves = moves && !is_at_scene && last_departure.is_some() && last_departure > last_arrival;
        let arrives = is_at_scene || (acts && last_arrival.is_some() && destination.is_none());
        let emerges = acts && verbs.iter().any(|verb| self.emerges(verb, place));
        // "Beer" is no verb in "loves pancakes and beer".
        let is_deed = |verb: &Vec<String>| {
            let is_verb =
                || self.begins_with_verb(&as_strs(verb), false) || verb.first().is_some_and(|word| may_be_verb(word));
            !is_state(verb) && is_verb()
        };
        let activity = match verbs.first().is_some_and(|verb| is_state(verb)) && !verbs.iter().skip(1).any(is_deed) {
            true => Activity::State,
            false if is_deed_of_living(first) => Activity::Lives,
            false if acts => Activity::Acts,
            false => Activity::Passive,
        };
        let departure = match destination.filter(|_| !is_at_scene) {
            Some(place) => Some(Departure::GoesTo(place)),
            None if flees && leaves => Some(Departure::Flees),
            None => leaves.then_some(Departure::Leaves),
        };
        Deed { activity, arrives, emerges, departure }
    }

    /// Returns the recorded place to which a person goes: The Mill for "walks back to the mill with Odo".
    pub(super) fn destination(&self, verb: &[String]) -> Option<EntityId> {
        let after_arrival = || verb.split_first().filter(|(verb, _)| is_arrival(verb)).map(|(_, rest)| rest);
        let after_departure = words_after_motion(verb).or_else(|| words_after_leaving(verb));
        let after_verb = after_departure.or_else(|| words_after_removal(verb)).or_else(after_arrival);
        let goal = words_after_goal_phrase(verb).and_then(|words| self.place(words));
        goal.or_else(|| after_verb.and_then(|words| self.goal(words)))
    }

    /// Returns the recorded place to which a person goes according to words without a verb: The Mill for "back to the mill".
    fn verbless_destination(&self, words: &[String]) -> Option<EntityId> {
        let (place, rest) = self.place_prefix(words_after_verbless_way(words)?)?;
        can_follow_leaving(rest).then_some(place)
    }

    /// Returns the recorded place that words after a verb of motion name: The Mill for "back up to the mill".
    pub(super) fn goal(&self, words: &[String]) -> Option<EntityId> {
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
        self.place_prefix(words).map(|(place, _)| place)
    }

    /// Returns the recorded place with which words begin, and the words after it.
    pub(super) fn place_prefix<'w>(&self, words: &'w [String]) -> Option<(EntityId, &'w [String])> {
        let max_words = words.len().min(MAX_REFERENCE_WORDS);
        let place = |count: usize| Some((recorded_place(self.state, &words[..count].join(" "))?, &words[count..]));
        (1..=max_words).rev().find_map(place)
    }

    /// Returns whether a verb states that a person leaves the place of the scene: "walks away", "leaves the Gull" or "leaves
    /// the room".
    pub(super) fn departs(&self, verb: &[String], place: Option<&EntityId>) -> bool {
        let after_place = || self.after_scene(words_after_leaving(verb)?, place?);
        is_departure(verb) || self.flees(verb, place) || after_place().is_some_and(can_follow_leaving)
    }

    /// Returns whether a verb states that a person leaves for an unknown place, and not only for a short time: "runs away",
    /// "flees the Gull".
    fn flees(&self, verb: &[String], place: Option<&EntityId>) -> bool {
        let Some(rest) = words_after_flight(verb) else { return false };
        let after_place = || self.after_scene(rest, place?);
        can_follow_flight(rest) || after_place().is_some_and(can_follow_flight)
    }

    /// Returns the words after the name of the place of the scene, after a part of this name, or after a noun such as "room".
    pub(super) fn after_scene<'w>(&self, words: &'w [String], place: &EntityId) -> Option<&'w [String]> {
        let english = words::english();
        let is_article = |word: &&String| words::contains_word(&english.fillers, word);
        let after_article = &words[words.iter().take_while(is_article).count()..];
        let name = text::words(self.state.name_or_id(place));
        let is_noun = |word: &String| words::contains_word(&english.scene_nouns, word) || name.last() == Some(word);
        match self.place_prefix(words) {
            Some((found, rest)) if found == *place => Some(rest),
            _ => after_article.split_first().filter(|(noun, _)| is_noun(noun)).map(|(_, rest)| rest),
        }
    }
}

/// Returns words as string slices.
fn as_strs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}
