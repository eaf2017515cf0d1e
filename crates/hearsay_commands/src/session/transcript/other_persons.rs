//! Persons other than the subject of a clause: those whom the subject sends away, takes along or addresses, as in `Odo heads
//! out with Pell`.

use std::iter;

use hearsay_extract::{Language, subject_pronoun};
use hearsay_model::{
    EntityId, State, spelling,
    words::{self, is_adverb},
};

use super::{
    acting::{Actor, Deed, Departure, NarratedScene},
    clauses::ClauseReader,
    introduction::named_characters,
    motion::{
        brought_words, can_follow_companion, can_follow_leaving, escorted_words, is_inactive, is_prospect,
        removed_words, verbs, words_after_entry, words_after_flight, words_after_goal_phrase, words_after_leaving,
        words_after_motion,
    },
    narration::{before_quotation, sentences},
    speakers::{MAX_REFERENCE_WORDS, SpeakerNames},
    subjects::{Subject, person_pronouns},
};

/// Returns whether narration says with a pronoun that somebody else does something to a person: "Odo catches her". The pronoun
/// must fit nobody whom the narration names, except for the subject of the clause. Words after a colon are no narration.
pub(in crate::session) fn is_object(names: &SpeakerNames<'_>, state: &State, line: &str, person: &EntityId) -> bool {
    let Some(pronoun) = subject_pronoun(state, person) else { return false };
    let narration = before_quotation(line.split(':').next().unwrap_or_default());
    let named = named_characters(names, &narration.split_whitespace().collect::<Vec<_>>());
    let may_mean = |id: &EntityId| subject_pronoun(state, id).is_none_or(|other| other == pronoun);
    let reader = ClauseReader::new(names, state);
    sentences(narration).any(|sentence| {
        reader.clauses(&sentence).iter().any(|clause| {
            let Subject::Named(subjects) = &clause.subject else { return false };
            let is_clear = !subjects.contains(person) && !named.iter().any(|id| !subjects.contains(id) && may_mean(id));
            let is_meant = |verb: &Vec<String>| object_pronoun(verb) == Some(pronoun);
            is_clear && !is_prospect(clause.predicate) && verbs(clause.predicate).iter().any(is_meant)
        })
    })
}

impl ClauseReader<'_> {
    /// Returns the characters who move because of the subjects of a clause: Odo for "throws Odo out", "brings Odo to the mill",
    /// "goes to the mill with Odo", "brings Odo in" and "comes in with Odo". A pronoun refers to one of the persons who were named
    /// before the clause, but to none of the subjects. If the subjects bring somebody to a place, their deed gets this place.
    pub(super) fn others_who_move(
        &self,
        predicate: &[&str],
        deed: &mut Deed,
        (subjects, named_before): (&[EntityId], &[EntityId]),
        scene: &NarratedScene<'_>,
    ) -> Vec<Actor> {
        let verbs = verbs(predicate);
        let person = |words: &[String]| self.object_person(words, (subjects, named_before), scene);
        let mut found = Vec::new();
        for verb in &verbs {
            if let Some(id) = brought_words(verb).and_then(&person) {
                found.push(Actor::brought(id));
                continue;
            }
            let removed = removed_words(verb).map(|(words, direction)| (words, self.goal(direction)));
            let escorted = || {
                let (words, direction) = escorted_words(verb)?;
                Some((words, Some(self.goal(direction)?)))
            };
            let is_removed = removed.is_some();
            let Some((words, destination)) = removed.or_else(escorted) else { continue };
            let is_at_scene = destination.is_some() && destination.as_ref() == scene.place;
            if is_at_scene {
                found.extend(person(words).filter(|_| !is_removed).map(Actor::brought));
            } else if let Some(id) = person(words) {
                let departure = destination.map_or(Departure::Leaves, Departure::GoesTo);
                if !is_removed && !matches!(deed.departure, Some(Departure::GoesTo(_))) {
                    deed.departure = Some(departure.clone());
                }
                found.push(Actor::sent_away(id, departure));
            }
        }
        for (at, verb) in verbs.iter().enumerate() {
            let departs = |_: &&Departure| self.departs(verb, scene.place) || self.destination(verb).is_some();
            let departure = deed.departure.as_ref().filter(departs);
            let way = if departure.is_some() { words_after_start(verb) } else { words_after_entry(verb) };
            let Some(way) = way else { continue };
            let of_verb = self.words_after_company(way, scene.place).map(|company| (company, at + 1));
            // "Comes in, out of breath, with Odo."
            let after_comma =
                || (at + 1..verbs.len()).find_map(|part| Some((words_after_company_opener(&verbs[part])?, part + 1)));
            let Some((company, next)) = of_verb.or_else(after_comma) else { continue };
            let can_follow: fn(&[String]) -> bool =
                if departure.is_some() { can_follow_leaving } else { can_follow_companion };
            let company = iter::once(company).chain(verbs[next..].iter().map(Vec::as_slice));
            let company = company.map_while(|words| {
                let mut counts = (1..=words.len().min(MAX_REFERENCE_WORDS)).rev();
                counts.find_map(|count| person(&words[..count]).filter(|_| can_follow(&words[count..])))
            });
            let company = company.filter(|id| !subjects.contains(id));
            let actor = |id| match departure {
                Some(departure) => Actor::sent_away(id, departure.clone()),
                None => Actor::brought(id),
            };
            found.extend(company.map(actor));
        }
        found
    }

    /// Returns the character to whom words refer, such as a name, "that soldier Odo" or "him".
    fn object_person(
        &self,
        words: &[String],
        (subjects, named_before): (&[EntityId], &[EntityId]),
        scene: &NarratedScene<'_>,
    ) -> Option<EntityId> {
        let english = words::english();
        let by_pronoun = |word: &str| {
            let pronouns = person_pronouns(|pronouns| pronouns.object == word)?;
            self.person(&pronouns.subject, named_before, subjects, scene)
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            [word] => by_pronoun(word).or_else(|| self.character(&words)),
            [determiner, noun, ref name @ ..] => self.character(&words).or_else(|| {
                let is_determiner =
                    words::is_determiner(determiner) || words::contains_word(&english.fillers, determiner);
                let is_described = is_determiner && Language::english().is_occupation(noun);
                is_described.then(|| self.character(name))?
            }),
            [] => None,
        }
    }

    /// Returns the words after the way along which a person goes and a word such as "with": "odo" for "back to the mill with
    /// Odo". In "goes out to speak with Odo", other words than the way precede "with".
    fn words_after_company<'w>(&self, way: &'w [String], place: Option<&EntityId>) -> Option<&'w [String]> {
        let mut rest = way;
        loop {
            if let Some(company) = words_after_company_opener(rest) {
                return Some(company);
            }
            rest = self.after_part_of_way(rest, place)?;
        }
    }

    /// Returns the words after the first part of the way to a place: an adverb, or a place with the words before it.
    fn after_part_of_way<'w>(&self, way: &'w [String], place: Option<&EntityId>) -> Option<&'w [String]> {
        let english = words::english();
        let is_in = |lists: &[&Vec<String>], word: &String| lists.iter().any(|list| words::contains_word(list, word));
        let after_place = |words: &'w [String]| {
            let after_recorded = || self.place_prefix(words).map(|(_, rest)| rest);
            let after_noun = || {
                let (determiner, rest) = words.split_first()?;
                is_in(&[&english.determiners], determiner).then(|| rest.get(1..))?
            };
            let after_scene = || self.after_scene(words, place?);
            after_scene().or_else(after_recorded).or_else(after_noun)
        };
        let (first, after) = way.split_first()?;
        let openers = [&english.destination_openers, &english.way_openers];
        let adverbs = [&english.motion_adverbs, &english.departure_particles];
        let after_opener = || is_in(&openers, first).then(|| after_place(after))?;
        let is_adverb_of_way = is_adverb(first) || is_in(&adverbs, first) || is_in(&[&english.way_openers], first);
        after_opener().or_else(|| after_place(way)).or_else(|| is_adverb_of_way.then_some(after))
    }

    /// Returns the character to whom the subject speaks: Odo for "tells Odo that the ferry is late" and for "says quietly to
    /// Odo", but nobody for "says Odo is late".
    pub(super) fn addressee(&self, verb: &[String]) -> Option<EntityId> {
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

/// Returns the pronoun, in its form for a subject, of the person to whom the subject of a verb does something: "she" for
/// "catches her there". In "takes her hand", the pronoun names an owner.
fn object_pronoun(verb: &[String]) -> Option<&'static str> {
    let (_, object) = verb.split_first().filter(|(verb, _)| !is_inactive(verb))?;
    let (pronoun, rest) = object.split_first()?;
    let pronouns = person_pronouns(|pronouns| pronouns.object == *pronoun)?;
    let is_owner = pronouns.possessive == *pronoun && rest.first().is_some_and(|word| !spelling::is_stop_word(word));
    (!is_owner).then_some(pronouns.subject.as_str())
}

/// Returns the words after a word such as "with" with which words begin: "odo" for "with Odo".
fn words_after_company_opener(part: &[String]) -> Option<&[String]> {
    let (first, rest) = part.split_first()?;
    words::contains_word(&words::english().company_openers, first).then_some(rest)
}

/// Returns the words after a verb with which a person leaves a place or goes to one: "back to the mill with odo" for "goes back
/// to the mill with Odo".
fn words_after_start(verb: &[String]) -> Option<&[String]> {
    let after_verb = words_after_motion(verb).or_else(|| words_after_leaving(verb));
    after_verb.or_else(|| words_after_goal_phrase(verb)).or_else(|| words_after_flight(verb))
}
