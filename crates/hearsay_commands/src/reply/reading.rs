//! Reading of a draft: its sentences, its names, and the facts that it states.

use hearsay_belief::Known;
use hearsay_extract::{Extraction, SpokenSentence, Text, TextType, is_anaphor, replace_group_pronouns};
use hearsay_model::{Belonging, EntityId, Span, text};
use hearsay_query::views::CachedView;
use hearsay_recall::EntityLinker;

use super::{
    DraftReply,
    restatement::{SecretNames, answer},
};
use crate::{CommandError, reading::ReadingTools};

/// Maximum number of sentences of a draft. A longer draft is refused, so that no sentence passes unchecked.
const MAX_SENTENCES: usize = 200;

/// Maximum number of groups of the speaker for which "we" can stand.
const MAX_GROUPS: usize = 3;

/// A part of a draft that is compared with facts: a sentence, or two neighbouring sentences. A sentence with "we" is a
/// part for the speaker and for each group of the speaker. A sentence with a description, and a short answer to a question,
/// is also a part in other words.
#[derive(Debug, Clone)]
pub(super) struct DraftPart {
    /// Index of the first sentence.
    pub(super) first: usize,
    /// Index of the last sentence.
    pub(super) last: usize,
    /// Words of the part, with the name of the speaker in place of "I".
    pub(super) text: String,
    /// Entity for which "I" or "we" stands in the text, if the part is one sentence that asserts something about this
    /// entity.
    pub(super) first_person: Option<EntityId>,
    /// Whether the part is one sentence that asserts something.
    pub(super) is_asserted: bool,
    /// Whether a sentence of the part contains a negation.
    pub(super) is_negated: bool,
    /// Number of pronouns that can refer to an entity outside the part.
    pub(super) pronoun_count: usize,
    /// Position of the part in the draft, in bytes.
    pub(super) span: Span,
    /// Vector of the words; `None` for two sentences, or if there is no sentence encoder.
    pub(super) vector: Option<Vec<f32>>,
    /// Vector of the words together with the line that they answer, if there is such a line. `None` if there is no
    /// sentence encoder.
    pub(super) context_vector: Option<Vec<f32>>,
}

impl DraftPart {
    /// Returns whether the part is a single sentence.
    pub(super) fn is_sentence(&self) -> bool {
        self.first == self.last
    }
}

/// Result of reading a draft: its sentences, its names, and the facts that it states.
#[derive(Debug, Clone)]
pub struct DraftReading {
    /// The sentences, each followed by its variants in other words, and then the pairs of neighbouring sentences.
    pub(super) parts: Vec<DraftPart>,
    /// Names and facts that the extractor found.
    pub(super) extraction: Extraction,
}

impl DraftReading {
    /// Returns whether the draft contains a name that the view of the speaker does not contain.
    pub fn has_new_names(&self) -> bool {
        !self.extraction.entities.is_empty()
    }
}

impl DraftReply {
    /// Reads the draft. `view` is the view of the speaker. `tools` must contain the [lexicon](super::view_lexicon) of this
    /// view, so that the result depends only on names that the speaker knows. If the result is [for the DM](Self::for_dm),
    /// `dm_names` are the names of all entities of the campaign.
    ///
    /// # Errors
    /// Returns [`CommandError::DraftTooLong`] if the draft has more than 200 sentences.
    pub fn read(
        &self,
        tools: &ReadingTools<'_>,
        view: &CachedView,
        dm_names: Option<&EntityLinker>,
    ) -> Result<DraftReading, CommandError> {
        let heard: Vec<&str> = self.heard.iter().map(String::as_str).collect();
        let text = Text {
            speaker: Some(&self.speaker),
            present: &self.listeners,
            preceding: &heard,
            ..Text::new(&self.text, TextType::Talk)
        };
        let sentences = tools.extractor.spoken_sentences(tools.lexicon, &text);
        if sentences.len() > MAX_SENTENCES {
            return Err(CommandError::DraftTooLong { sentences: sentences.len(), limit: MAX_SENTENCES });
        }
        let part = |first: usize, last: usize| DraftPart {
            first,
            last,
            text: sentences[first..=last].iter().map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join(" "),
            first_person: None,
            is_asserted: first == last && sentences[first].is_asserted,
            is_negated: sentences[first..=last].iter().any(|sentence| sentence.is_negated),
            pronoun_count: sentences[first..=last].iter().map(|sentence| sentence.pronoun_count).sum(),
            span: Span { start: sentences[first].span.start, end: sentences[last].span.end },
            vector: None,
            context_vector: None,
        };
        let persons = self.first_persons(view);
        let secret_names = SecretNames::new(&self.speaker, view, dm_names);
        let question = heard.last().zip(view.names.name(&self.speaker));
        let mut parts: Vec<DraftPart> = Vec::new();
        for (at, sentence) in sentences.iter().enumerate() {
            let is_statement = sentence.is_asserted && !sentence.is_negated;
            let own = (is_statement && sentence.has_first_person).then(|| self.speaker.clone());
            parts.push(DraftPart { first_person: own.clone(), ..part(at, at) });
            if let Some(text) = secret_names.in_place_of_descriptions(&sentence.text) {
                parts.push(DraftPart { text, first_person: own, ..part(at, at) });
            }
            let words = self.text.get(sentence.span.start..sentence.span.end).unwrap_or_default();
            if let Some(statement) = question.and_then(|(question, name)| answer(question, words, name)) {
                let text = secret_names.in_place_of_descriptions(&statement).unwrap_or(statement);
                let pronoun_count = text::words(&text).iter().filter(|word| is_anaphor(word)).count();
                let first_person = Some(self.speaker.clone());
                parts.push(DraftPart { text, first_person, is_asserted: true, pronoun_count, ..part(at, at) });
            }
            for (id, text) in named_groups(sentence, &persons) {
                parts.push(DraftPart { text, first_person: is_statement.then(|| id.clone()), ..part(at, at) });
            }
        }
        parts.extend((1..sentences.len()).map(|at| part(at - 1, at)));
        self.add_vectors(&mut parts, tools);
        let extraction = tools.extractor.extract(tools.lexicon, &text);
        Ok(DraftReading { parts, extraction })
    }

    /// Returns the entities for which "we" can stand, with their names: the speaker, and the groups of the speaker.
    fn first_persons(&self, view: &CachedView) -> Vec<(EntityId, String)> {
        let CachedView { view, names, .. } = view;
        let is_current = |known: &Known| !view.is_superseded(known.id()) && view.known_end(known).is_none();
        let is_membership = |known: &Known| view.vocabulary().belonging(known.predicate()) == Some(Belonging::Member);
        let memberships =
            view.facts_with_subject(&self.speaker).filter(|known| is_membership(known) && is_current(known));
        let groups = memberships.filter_map(|known| known.object().entity()).take(MAX_GROUPS);
        let persons = std::iter::once(&self.speaker).chain(groups);
        persons.filter_map(|id| Some((id.clone(), names.name(id)?.to_owned()))).collect()
    }

    fn add_vectors(&self, parts: &mut [DraftPart], tools: &ReadingTools<'_>) {
        let Some(encoder) = tools.encoder.filter(|_| !parts.is_empty()) else { return };
        let heard = self.heard.last();
        let in_context: Vec<String> = match heard {
            Some(heard) => parts.iter().map(|part| format!("{heard} {}", part.text)).collect(),
            None => parts.iter().map(|part| part.text.clone()).collect(),
        };
        // Without a heard line, the words in context are the words alone.
        let alone = parts.iter().filter(|part| part.is_sentence() && heard.is_some()).map(|part| part.text.as_str());
        let all: Vec<&str> = in_context.iter().map(String::as_str).chain(alone).collect();
        let mut vectors = encoder.vectors(&all).unwrap_or_default().into_iter();
        for part in parts.iter_mut() {
            part.context_vector = vectors.next();
        }
        for part in parts.iter_mut().filter(|part| part.is_sentence()) {
            part.vector = vectors.next().or_else(|| part.context_vector.clone());
        }
    }
}

/// Returns the variants of a sentence with a name in place of "we", each with the entity of the name.
fn named_groups<'p>(sentence: &SpokenSentence, persons: &'p [(EntityId, String)]) -> Vec<(&'p EntityId, String)> {
    let variant = |(id, name): &'p (EntityId, String)| Some((id, replace_group_pronouns(&sentence.text, name)?));
    persons.iter().filter_map(variant).collect()
}
