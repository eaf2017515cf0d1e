//! The person to whom a pronoun before a colon refers, as in `She: Sit down.`

use std::sync::Arc;

use hearsay_extract::subject_pronoun;
use hearsay_model::{
    EntityId, Passage, State, spelling, text,
    words::{self, PersonalPronouns},
};
use hearsay_query::resolve::Speaker;

use super::{
    acting::{NarratedScene, actors},
    clauses::named_clauses,
    introduction::named_characters,
    narration::{before_quotation, narrated_sentences},
    speakers::SpeakerNames,
};

/// Maximum number of lines of a scene in which the referent of a pronoun is searched.
const MAX_SCENE_LINES: usize = 32;

/// Maximum number of lines in which the pronouns of a person are searched.
const MAX_EVIDENCE_LINES: usize = 128;

/// Person to whom a pronoun refers.
pub(in crate::session) enum Referent {
    /// The person whom the pronoun fits best.
    Person(Speaker),
    /// Persons whom the pronoun fits equally well.
    Ambiguous(Vec<EntityId>),
    /// The pronoun fits nobody in the scene.
    Nobody,
}

/// The lines before a pronoun, and the scene in which somebody says it.
pub(in crate::session) struct SceneLines<'a> {
    /// Lines of the session, the latest first.
    pub(in crate::session) lines: &'a [&'a Arc<Passage>],
    /// Place of the scene.
    pub(in crate::session) place: Option<&'a EntityId>,
    /// Persons in the scene.
    pub(in crate::session) present: &'a [EntityId],
}

/// A person in a line to whom a pronoun can refer.
struct Candidate {
    person: Speaker,
    /// Whether the person speaks or acts in the line. Otherwise, the line only names it.
    is_subject: bool,
    /// Whether the pronoun of the person is known, and is the same.
    is_certain: bool,
}

/// Returns the person in the scene to whom a pronoun in place of a speaker refers: the latest line with a person whom the
/// pronoun can fit decides. The last subject of this line is meant if the pronoun certainly fits it. If its pronoun is unknown,
/// nobody else in this line, and nobody whom the pronoun certainly fits in an earlier line, must come into question. If no
/// line decides, the only person in the scene is meant whom the pronoun fits. A person whose pronoun is unknown is never meant
/// by "they".
pub(in crate::session) fn referent(
    names: &SpeakerNames<'_>,
    state: &State,
    pronoun: &str,
    scene: &SceneLines<'_>,
) -> Referent {
    // "They" often stands for several persons.
    let is_singular = words::contains_word(&words::english().person_pronouns, pronoun);
    let candidate = |person: Speaker, is_subject: bool| {
        let known = pronoun_of(names, state, &person.id, scene.lines);
        let is_certain = known == Some(pronoun);
        let is_possible = is_certain || (known.is_none() && is_singular);
        is_possible.then_some(Candidate { person, is_subject, is_certain })
    };
    let recent = scene.lines.iter().take_while(|line| line.place.as_ref() == scene.place).take(MAX_SCENE_LINES);
    let mut lines: Vec<Vec<Candidate>> = Vec::new();
    for line in recent {
        let mut persons = persons_in(names, state, line);
        // A masked speaker is not in the scene as itself.
        persons.retain(|(person, _)| person.alias.is_some() || scene.present.contains(&person.id));
        let found = persons.into_iter().filter_map(|(person, is_subject)| candidate(person, is_subject));
        let found: Vec<Candidate> = found.collect();
        if !found.is_empty() {
            lines.push(found);
        }
    }
    let mut lines = lines.into_iter();
    let Some(latest) = lines.next() else {
        let present: Vec<Candidate> =
            scene.present.iter().filter_map(|id| candidate(Speaker::from(id.clone()), false)).collect();
        let (certain, others): (Vec<_>, Vec<_>) = present.into_iter().partition(|candidate| candidate.is_certain);
        return only_one(if certain.is_empty() { others } else { certain });
    };
    let mut latest = latest.into_iter();
    let Some(first) = latest.next() else { return Referent::Nobody };
    if first.is_certain && first.is_subject {
        return Referent::Person(first.person);
    }
    let is_certain = first.is_certain;
    let mut found = vec![first];
    found.extend(latest);
    if !is_certain {
        found.extend(lines.flatten().find(|candidate| candidate.is_certain));
    }
    only_one(found)
}

/// Returns the only person among candidates.
fn only_one(candidates: Vec<Candidate>) -> Referent {
    let mut persons: Vec<Speaker> = Vec::new();
    for Candidate { person, .. } in candidates {
        if !persons.iter().any(|other| other.id == person.id) {
            persons.push(person);
        }
    }
    match persons.len() {
        0 | 1 => persons.pop().map_or(Referent::Nobody, Referent::Person),
        _ => Referent::Ambiguous(persons.into_iter().map(|person| person.id).collect()),
    }
}

/// Returns the persons in a line, each with whether it speaks or acts: the speaker, or for narration the subjects, the last
/// first, and then the other persons whom it names.
fn persons_in(names: &SpeakerNames<'_>, state: &State, line: &Passage) -> Vec<(Speaker, bool)> {
    if let Some(id) = &line.speaker {
        return vec![(Speaker { id: id.clone(), alias: line.speaker_alias.clone() }, true)];
    }
    let subjects = actors(names, state, &line.text, &NarratedScene::default()).into_iter().rev();
    let mut found: Vec<(EntityId, bool)> = subjects.map(|actor| (actor.id, true)).collect();
    let narration: Vec<&str> = before_quotation(&line.text).split_whitespace().collect();
    for id in named_characters(names, &narration) {
        if !found.iter().any(|(other, _)| *other == id) {
            found.push((id, false));
        }
    }
    found.into_iter().map(|(id, is_subject)| (Speaker::from(id), is_subject)).collect()
}

/// Returns the recorded pronoun of a person, or the pronoun that the lines use for it: "he" after "Odo drinks from his flask".
/// Returns `None` if the lines use no pronoun for it, or different ones.
fn pronoun_of(names: &SpeakerNames<'_>, state: &State, id: &EntityId, lines: &[&Arc<Passage>]) -> Option<&'static str> {
    if let Some(recorded) = subject_pronoun(state, id) {
        return Some(recorded);
    }
    let mut found: Option<&'static str> = None;
    for (at, line) in lines.iter().take(MAX_EVIDENCE_LINES).enumerate().filter(|(_, line)| line.speaker.is_none()) {
        for sentence in narrated_sentences(&line.text) {
            for (_, predicate) in named_clauses(names, state, &sentence).iter().filter(|(subject, _)| subject == id) {
                let Some(pronoun) = own_pronoun(names, predicate) else { continue };
                // In "Wren smiles. Odo takes her hand", the pronoun refers to the person before.
                let may_mean = |other: &EntityId| other != id && subject_pronoun(state, other) == Some(pronoun);
                let before = lines.get(at + 1).map(|line| persons_in(names, state, line)).unwrap_or_default();
                if before.iter().any(|(person, _)| may_mean(&person.id)) {
                    continue;
                }
                if found.is_some_and(|other| other != pronoun) {
                    return None;
                }
                found = Some(pronoun);
            }
        }
    }
    found
}

/// Returns the pronoun of the subject according to the words after it, if these words name nobody else: "she" for "smooths her
/// skirt" and "stretches herself".
fn own_pronoun(names: &SpeakerNames<'_>, predicate: &[&str]) -> Option<&'static str> {
    if !named_characters(names, predicate).is_empty() {
        return None;
    }
    let english = words::english();
    let predicate = text::words(&predicate.join(" "));
    let is_person = |pronouns: &&PersonalPronouns| words::contains_word(&english.person_pronouns, &pronouns.subject);
    let is_own = |pronouns: &&PersonalPronouns| {
        let is_reflexive = |word: &String| {
            words::contains_word(&english.reflexives, word) && word.starts_with(pronouns.object.as_str())
        };
        // In "gives her the cup", the pronoun refers to somebody else.
        let is_possessive = |pair: &[String]| pair[0] == pronouns.possessive && !spelling::is_stop_word(&pair[1]);
        predicate.iter().any(is_reflexive) || predicate.windows(2).any(is_possessive)
    };
    let mut own = english.personal_pronouns.iter().filter(is_person).filter(is_own);
    own.next().filter(|_| own.next().is_none()).map(|pronouns| pronouns.subject.as_str())
}
