//! Remembers the entities that a text mentioned, to resolve pronouns.

use crate::{kinds::Kinds, lexicon::Gender, mentions::Who};

/// Mention of an entity in the text so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) who: Who,
    pub(crate) kinds: Kinds,
    pub(crate) gender: Gender,
    pub(crate) sentence: usize,
    pub(crate) token: usize,
    pub(crate) subject: bool,
}

/// Maximum number of mentions that are remembered.
const MOST: usize = 24;

/// Number of earlier sentences that are searched for the antecedent of a pronoun.
const REACH: usize = 4;

#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    seen: Vec<Seen>,
    pub(crate) sentence: usize,
    /// Entities that the text listed together most recently, as in "Odo and Bram".
    pub(crate) together: Vec<Who>,
    pub(crate) together_in: usize,
    /// Entity that the current entry describes, as in "Gideon - the abbot's brother. Disciplined, vigilant."
    pub(crate) topic: Option<Who>,
    /// Entity that the text is currently about: the subject of the last sentence that has a subject.
    pub(crate) focus: Option<Who>,
    /// Speaker of the last quotation.
    pub(crate) speaker: Option<Who>,
}

/// Entity that a pronoun refers to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meant {
    pub(crate) who: Who,
    pub(crate) far: bool,
    pub(crate) doubtful: bool,
}

impl Memory {
    pub(crate) fn see(&mut self, seen: Seen) {
        if let Some(before) = self
            .seen
            .iter_mut()
            .find(|before| before.who == seen.who && before.sentence == seen.sentence && before.token == seen.token)
        {
            before.subject |= seen.subject;
            return;
        }
        if self.seen.len() >= MOST {
            self.seen.remove(0);
        }
        self.seen.push(seen);
    }

    /// Forgets all mentions of names that belong to no known entity.
    pub(crate) fn forget_new(&mut self) {
        let known = |who: &Who| matches!(who, Who::Known(_));
        self.seen.retain(|seen| known(&seen.who));
        self.together.retain(known);
        for one in [&mut self.topic, &mut self.focus, &mut self.speaker] {
            *one = one.filter(known);
        }
    }

    pub(crate) fn recent(&self) -> Vec<Who> {
        self.seen.iter().rev().map(|seen| seen.who).collect()
    }

    /// Returns the person who was most recently the subject of a sentence.
    pub(crate) fn last_subject(&self) -> Option<Who> {
        let person = |seen: &&Seen| seen.subject && seen.kinds.meets(Kinds::PERSON);
        self.seen.iter().rev().find(person).map(|seen| seen.who)
    }

    /// Returns the entity of the current entry, or otherwise the person mentioned last.
    pub(crate) fn last_person(&self) -> Option<Who> {
        self.topic.or_else(|| self.last_seen())
    }

    /// Returns the entity that the text before this sentence is about, among the entities whose classes satisfy `fits`.
    ///
    /// The entity of the current entry comes first, then the current focus. Otherwise the last sentence with a suitable
    /// entity decides; its subject is preferred, then the first mention.
    pub(crate) fn about(&self, fits: impl Fn(Kinds) -> bool) -> Option<Who> {
        let before = |seen: &&Seen| seen.sentence < self.sentence && !seen.kinds.is_any() && fits(seen.kinds);
        let fitting: Vec<&Seen> = self.seen.iter().filter(before).collect();
        let is = |who: Option<Who>| fitting.iter().find(|seen| Some(seen.who) == who).map(|seen| seen.who);
        if let Some(topic) = is(self.topic).or_else(|| is(self.focus)) {
            return Some(topic);
        }
        let last = fitting.iter().map(|seen| seen.sentence).max().filter(|last| last + REACH >= self.sentence)?;
        fitting
            .iter()
            .filter(|seen| seen.sentence == last)
            .min_by_key(|seen| (!seen.subject, seen.token))
            .map(|seen| seen.who)
    }

    fn last_seen(&self) -> Option<Who> {
        self.seen.iter().rev().find(|seen| seen.kinds == Kinds::PERSON).map(|seen| seen.who)
    }

    /// Resolves a pronoun at a token of the current sentence. Entities in `not` are excluded.
    ///
    /// Candidates must fit the pronoun's gender. The latest sentence with a candidate is preferred, then entities with
    /// known pronouns, then subjects, then the earliest mention.
    pub(crate) fn meant(&self, wanted: Gender, token: usize, not: &[Who]) -> Option<Meant> {
        let fits = |seen: &&Seen| {
            let person = seen.kinds.meets(Kinds::PERSON);
            let gender = match wanted {
                Gender::It => seen.gender == Gender::It || (seen.gender == Gender::Unknown && !person),
                Gender::They => seen.gender == Gender::They || (seen.kinds == Kinds::GROUP),
                wanted => seen.gender == wanted || (person && seen.gender == Gender::Unknown),
            };
            let before = seen.sentence < self.sentence || seen.token < token;
            gender && before && !not.contains(&seen.who) && seen.sentence + REACH >= self.sentence
        };
        let mut found: Vec<&Seen> = self.seen.iter().filter(fits).collect();
        let latest = found.iter().map(|seen| seen.sentence).max()?;
        // An entity with known pronouns is preferred to an entity with unknown pronouns.
        let sure = |seen: &Seen| seen.gender == wanted;
        found.sort_by_key(|seen| (seen.sentence == latest, sure(seen), seen.subject, std::cmp::Reverse(seen.token)));
        let best = found.last()?;
        let rivals = found
            .iter()
            .filter(|seen| seen.sentence == latest && seen.who != best.who && sure(seen) >= sure(best))
            .count();
        let same_role = found.iter().any(|seen| {
            seen.sentence == latest && seen.who != best.who && sure(seen) >= sure(best) && seen.subject == best.subject
        });
        Some(Meant {
            who: best.who,
            far: best.sentence != self.sentence,
            doubtful: (rivals > 0 && (same_role || !best.subject)) || (!sure(best) && found.len() > 1 && rivals > 0),
        })
    }
}
