//! Remembers the entities that a text has mentioned. Pronouns are resolved to these entities.

use crate::{
    entities::{lexicon::Gender, mentions::EntityRef},
    language::kind_set::KindSet,
};

/// Mention of an entity in the text so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntityMention {
    pub(crate) entity: EntityRef,
    pub(crate) kinds: KindSet,
    pub(crate) gender: Gender,
    pub(crate) sentence: usize,
    pub(crate) token: usize,
    pub(crate) is_subject: bool,
}

/// Harm that somebody does to a person, as in "Odo stabs Bram".
#[derive(Debug, Clone, Copy)]
pub(crate) struct Harm {
    pub(crate) agent: EntityRef,
    pub(crate) victim: EntityRef,
    sentence: usize,
}

/// Entity whose note contains a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoteEntity {
    /// The entity; `None` if its name is not public, so that the text must not be linked to it.
    pub(crate) entity: Option<EntityRef>,
    pub(crate) kinds: KindSet,
}

/// Maximum number of mentions that are remembered.
const MAX_MENTIONS: usize = 24;

/// Number of earlier sentences that are searched for the antecedent of a pronoun.
const MAX_SENTENCE_DISTANCE: usize = 4;

#[derive(Debug, Clone, Default)]
pub(crate) struct MentionHistory {
    mentions: Vec<EntityMention>,
    pub(crate) sentence: usize,
    /// Number of sentences in the earlier texts.
    earlier_sentences: usize,
    /// Whether a character says the last of the earlier texts.
    pub(crate) follows_speech: bool,
    /// NPC with unknown pronouns who says the text before narration.
    pub(crate) possible_referent: Option<EntityRef>,
    /// Entities that the text listed together most recently, as in "Odo and Bram".
    pub(crate) listed_together: Vec<EntityRef>,
    pub(crate) listed_in_sentence: usize,
    /// Entity that the current entry describes, as in "Gideon - the abbot's brother. Disciplined, vigilant."
    pub(crate) topic: Option<EntityRef>,
    /// Entity whose note contains the text.
    pub(crate) note: Option<NoteEntity>,
    /// Entity that the text is currently about: the subject of the last sentence that has a subject.
    pub(crate) focus: Option<EntityRef>,
    /// Speaker of the last quotation.
    pub(crate) speaker: Option<EntityRef>,
    /// Person whom the speaker of the text addressed last by name.
    pub(crate) addressed: Option<EntityRef>,
    /// Sentences in which a verb has a thing without a name as its object, as in "takes a coin".
    unnamed_objects: Vec<usize>,
    /// Persons without a name: the sentence, the first token and the gender of "a woman" or "the masked man".
    described_persons: Vec<(usize, usize, Gender)>,
    /// Last sentence in which the speaker announced an act, as in "I will pay".
    pub(crate) announced_in_sentence: Option<usize>,
    /// Last harm that the text states.
    harm: Option<Harm>,
    /// Names that begin a sentence of the text as its subject, each with its position in bytes.
    pub(crate) opening_subjects: Vec<(usize, EntityRef)>,
}

/// Entity that a pronoun refers to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Antecedent {
    pub(crate) entity: EntityRef,
    sentence: usize,
    pub(crate) is_in_other_sentence: bool,
    pub(crate) is_ambiguous: bool,
    /// Whether the sentence of the pronoun also names another suitable entity, as in "Odo stabs Bram and he dies".
    pub(crate) has_rival_in_sentence: bool,
    /// Whether only an earlier text mentions the entity.
    pub(crate) is_in_earlier_text: bool,
    /// Whether only an earlier text mentions the entity, and its pronouns are unknown.
    pub(crate) is_unconfirmed: bool,
    /// Whether the mention is the subject of its sentence.
    pub(crate) is_subject: bool,
    /// Whether the mention is in the last sentence of the earlier texts.
    pub(crate) is_in_last_earlier_sentence: bool,
}

impl MentionHistory {
    /// Creates the history of a text before its first sentence. `note` is the entity whose note contains the text.
    pub(crate) fn in_note(note: Option<NoteEntity>) -> Self {
        Self { note, ..Self::default() }
    }

    pub(crate) fn record(&mut self, mention: EntityMention) {
        if let Some(existing) = self.mentions.iter_mut().find(|existing| {
            existing.entity == mention.entity
                && existing.sentence == mention.sentence
                && existing.token == mention.token
        }) {
            existing.is_subject |= mention.is_subject;
            return;
        }
        if self.mentions.len() >= MAX_MENTIONS {
            self.mentions.remove(0);
        }
        self.mentions.push(mention);
    }

    /// Begins the text itself after the earlier texts. Forgets all mentions of names that belong to no known entity.
    pub(crate) fn begin_text(&mut self) {
        self.earlier_sentences = self.sentence;
        let known = |entity: &EntityRef| matches!(entity, EntityRef::Known(_));
        self.mentions.retain(|mention| known(&mention.entity));
        self.listed_together.retain(known);
        for slot in [&mut self.topic, &mut self.focus, &mut self.speaker] {
            *slot = slot.filter(known);
        }
        (self.addressed, self.announced_in_sentence, self.harm) = (None, None, None);
    }

    /// Records that `agent` harms `victim` in the current sentence.
    pub(crate) fn record_harm(&mut self, agent: EntityRef, victim: EntityRef) {
        self.harm = Some(Harm { agent, victim, sentence: self.sentence });
    }

    /// Returns the harm that the previous sentence states.
    pub(crate) fn previous_harm(&self) -> Option<Harm> {
        self.harm.filter(|harm| harm.sentence + 1 == self.sentence)
    }

    /// Records that a verb of the current sentence has a thing without a name as its object.
    pub(crate) fn record_unnamed_object(&mut self) {
        if self.unnamed_objects.last() != Some(&self.sentence) {
            self.unnamed_objects.push(self.sentence);
        }
    }

    /// Returns whether a sentence between the antecedent and the current sentence has a thing without a name as the object
    /// of a verb.
    pub(crate) fn is_object_between(&self, antecedent: &Antecedent) -> bool {
        let last = self.unnamed_objects.iter().rev().find(|sentence| **sentence < self.sentence);
        last.is_some_and(|last| antecedent.sentence < *last)
    }

    /// Records that the current sentence describes a person without a name at a token.
    pub(crate) fn record_described_person(&mut self, token: usize, gender: Gender) {
        self.described_persons.push((self.sentence, token, gender));
    }

    /// Returns whether a person of the gender without a name is described before a token of the current sentence, and after
    /// the sentence of the antecedent. Without an antecedent, only the text itself and the sentence before it count.
    pub(crate) fn describes_person(&self, gender: Gender, token: usize, antecedent: Option<&Antecedent>) -> bool {
        let since = antecedent.map_or(self.earlier_sentences.saturating_sub(1), |antecedent| antecedent.sentence);
        self.described_persons.iter().any(|(sentence, at, described)| {
            *described == gender && *sentence > since && (*sentence < self.sentence || *at < token)
        })
    }

    pub(crate) fn recent_entities(&self) -> Vec<EntityRef> {
        self.mentions.iter().rev().map(|mention| mention.entity).collect()
    }

    /// Returns the person who was most recently the subject of a sentence.
    pub(crate) fn last_subject(&self) -> Option<EntityRef> {
        let is_person_subject =
            |mention: &&EntityMention| mention.is_subject && mention.kinds.intersects(KindSet::PERSON);
        self.mentions.iter().rev().find(is_person_subject).map(|mention| mention.entity)
    }

    /// Returns the person who is the subject of the previous sentence, if this sentence mentions no other person, and no
    /// verb of it has somebody or something without a name as its object.
    pub(crate) fn only_previous_person(&self) -> Option<EntityRef> {
        let previous = self.sentence.checked_sub(1)?;
        let is_person =
            |mention: &&EntityMention| mention.sentence == previous && mention.kinds.intersects(KindSet::PERSON);
        let persons: Vec<&EntityMention> = self.mentions.iter().filter(is_person).collect();
        let subject = persons.iter().find(|mention| mention.is_subject)?.entity;
        let is_only = persons.iter().all(|mention| mention.entity == subject);
        (is_only && !self.unnamed_objects.contains(&previous)).then_some(subject)
    }

    /// Returns the entity of the current entry, the entity of the note, or otherwise the person mentioned last.
    pub(crate) fn last_person(&self) -> Option<EntityRef> {
        match (self.topic, self.note) {
            (Some(topic), _) => Some(topic),
            (None, Some(note)) => note.entity,
            (None, None) => self.last_mentioned_person(),
        }
    }

    /// Returns the entity that the text before this sentence is about, among the entities whose classes satisfy `fits`.
    ///
    /// The entity of the current entry comes first, then the entity of the note, then the current focus. Otherwise the
    /// last sentence with a suitable entity decides; its subject is preferred, then the first mention.
    pub(crate) fn topic(&self, fits: impl Fn(KindSet) -> bool) -> Option<EntityRef> {
        let is_earlier = |mention: &&EntityMention| {
            mention.sentence < self.sentence && !mention.kinds.is_any() && fits(mention.kinds)
        };
        let candidates: Vec<&EntityMention> = self.mentions.iter().filter(is_earlier).collect();
        let find_candidate = |entity: Option<EntityRef>| {
            candidates.iter().find(|mention| Some(mention.entity) == entity).map(|mention| mention.entity)
        };
        if let Some(topic) = find_candidate(self.topic) {
            return Some(topic);
        }
        if let Some(note) = self.note.filter(|note| fits(note.kinds)) {
            return note.entity;
        }
        if let Some(focus) = find_candidate(self.focus) {
            return Some(focus);
        }
        let last = candidates
            .iter()
            .map(|mention| mention.sentence)
            .max()
            .filter(|last| last + MAX_SENTENCE_DISTANCE >= self.sentence)?;
        candidates
            .iter()
            .filter(|mention| mention.sentence == last)
            .min_by_key(|mention| (!mention.is_subject, mention.token))
            .map(|mention| mention.entity)
    }

    fn last_mentioned_person(&self) -> Option<EntityRef> {
        self.mentions.iter().rev().find(|mention| mention.kinds == KindSet::PERSON).map(|mention| mention.entity)
    }

    /// Resolves a pronoun at a token of the current sentence. Entities in `excluded` are left out.
    ///
    /// Candidates must fit the pronoun's gender. The latest sentence with a candidate is preferred, then entities with
    /// known pronouns, then subjects, then the earliest mention.
    pub(crate) fn resolve_pronoun(
        &self,
        pronoun_gender: Gender,
        token: usize,
        excluded: &[EntityRef],
    ) -> Option<Antecedent> {
        let is_candidate = |mention: &&EntityMention| {
            let is_person = mention.kinds.intersects(KindSet::PERSON);
            let gender_fits = match pronoun_gender {
                Gender::It => mention.gender == Gender::It || (mention.gender == Gender::Unknown && !is_person),
                // A group of which an earlier line only speaks is seldom meant: "He is the heir of the guild." "They left."
                Gender::They => {
                    let is_topic = mention.is_subject || mention.sentence > self.earlier_sentences;
                    mention.gender == Gender::They || (mention.kinds == KindSet::GROUP && is_topic)
                }
                pronoun_gender => mention.gender == pronoun_gender || (is_person && mention.gender == Gender::Unknown),
            };
            let is_earlier = mention.sentence < self.sentence || mention.token < token;
            gender_fits
                && is_earlier
                && !excluded.contains(&mention.entity)
                && mention.sentence + MAX_SENTENCE_DISTANCE >= self.sentence
        };
        let mut candidates: Vec<&EntityMention> = self.mentions.iter().filter(is_candidate).collect();
        let latest = candidates.iter().map(|mention| mention.sentence).max()?;
        // An entity with known pronouns is preferred to an entity with unknown pronouns.
        let has_known_gender = |mention: &EntityMention| mention.gender == pronoun_gender;
        candidates.sort_by_key(|mention| {
            (
                mention.sentence == latest,
                has_known_gender(mention),
                mention.is_subject,
                std::cmp::Reverse(mention.token),
            )
        });
        let best = candidates.last()?;
        let rivals = candidates
            .iter()
            .filter(|mention| {
                mention.sentence == latest
                    && mention.entity != best.entity
                    && has_known_gender(mention) >= has_known_gender(best)
            })
            .count();
        let rival_has_same_role = candidates.iter().any(|mention| {
            mention.sentence == latest
                && mention.entity != best.entity
                && has_known_gender(mention) >= has_known_gender(best)
                && mention.is_subject == best.is_subject
        });
        Some(Antecedent {
            entity: best.entity,
            sentence: best.sentence,
            is_in_other_sentence: best.sentence != self.sentence,
            is_ambiguous: (rivals > 0 && (rival_has_same_role || !best.is_subject))
                || (!has_known_gender(best) && candidates.len() > 1 && rivals > 0),
            has_rival_in_sentence: best.sentence == self.sentence && rivals > 0,
            is_in_earlier_text: best.sentence <= self.earlier_sentences,
            is_unconfirmed: best.sentence <= self.earlier_sentences && best.gender == Gender::Unknown,
            is_subject: best.is_subject,
            is_in_last_earlier_sentence: best.sentence == self.earlier_sentences,
        })
    }

    /// Returns whether the text itself mentions a person other than `entity` before a token of the current sentence.
    pub(crate) fn mentions_other_person(&self, entity: EntityRef, token: usize) -> bool {
        self.mentions.iter().any(|mention| {
            let is_before = mention.sentence < self.sentence || mention.token < token;
            let is_in_text = mention.sentence > self.earlier_sentences;
            is_in_text && is_before && mention.entity != entity && mention.kinds.intersects(KindSet::PERSON)
        })
    }
}
