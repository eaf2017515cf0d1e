//! Persons other than the subject of a clause: those whom the subject sends away, takes along or addresses, as in `Odo heads
//! out with Pell`.

use std::iter;

use hearsay_model::{
    EntityId,
    words::{self, is_adverb},
};

use super::{
    acting::{Actor, Deed, NarratedScene},
    clauses::ClauseReader,
    motion::{
        brought_words, can_follow_companion, can_follow_leaving, escorted_words, removed_words, verbs,
        words_after_entry, words_after_flight, words_after_goal_phrase, words_after_leaving, words_after_motion,
    },
    speakers::MAX_REFERENCE_WORDS,
};

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
                if !is_removed && deed.destination.is_none() {
                    deed.destination.clone_from(&destination);
                }
                found.push(Actor::sent_away(id, destination));
            }
        }
        for (at, verb) in verbs.iter().enumerate() {
            let departs = deed.departs() && (self.departs(verb, scene.place) || self.destination(verb).is_some());
            let way = if departs { words_after_start(verb) } else { words_after_entry(verb) };
            let Some(company) = way.and_then(|way| self.words_after_company(way, scene.place)) else { continue };
            let can_follow: fn(&[String]) -> bool = if departs { can_follow_leaving } else { can_follow_companion };
            let company = iter::once(company).chain(verbs[at + 1..].iter().map(Vec::as_slice));
            let company = company.map_while(|words| {
                let mut counts = (1..=words.len().min(MAX_REFERENCE_WORDS)).rev();
                counts.find_map(|count| person(&words[..count]).filter(|_| can_follow(&words[count..])))
            });
            let company = company.filter(|id| !subjects.contains(id));
            let actor = |id| match departs {
                true => Actor { flees: deed.flees, ..Actor::sent_away(id, deed.destination.clone()) },
                false => Actor::brought(id),
            };
            found.extend(company.map(actor));
        }
        found
    }

    /// Returns the character to whom words refer, such as a name or "him".
    fn object_person(
        &self,
        words: &[String],
        (subjects, named_before): (&[EntityId], &[EntityId]),
        scene: &NarratedScene<'_>,
    ) -> Option<EntityId> {
        let english = words::english();
        let by_pronoun = |word: &str| {
            let pronouns = english.personal_pronouns.iter().find(|pronouns| pronouns.object == word)?;
            let is_person = words::contains_word(&english.person_pronouns, &pronouns.subject);
            is_person.then(|| self.person(&pronouns.subject, named_before, subjects, scene))?
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            [word] => by_pronoun(word).or_else(|| self.character(&words)),
            _ => self.character(&words),
        }
    }

    /// Returns the words after the way along which a person goes and a word such as "with": "odo" for "back to the mill with
    /// Odo". In "goes out to speak with Odo", other words than the way precede "with".
    fn words_after_company<'w>(&self, way: &'w [String], place: Option<&EntityId>) -> Option<&'w [String]> {
        let mut rest = way;
        loop {
            let (first, after) = rest.split_first()?;
            if words::contains_word(&words::english().company_openers, first) {
                return Some(after);
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

/// Returns the words after a verb with which a person leaves a place or goes to one: "back to the mill with odo" for "goes back
/// to the mill with Odo".
fn words_after_start(verb: &[String]) -> Option<&[String]> {
    let after_verb = words_after_motion(verb).or_else(|| words_after_leaving(verb));
    after_verb.or_else(|| words_after_goal_phrase(verb)).or_else(|| words_after_flight(verb))
}
