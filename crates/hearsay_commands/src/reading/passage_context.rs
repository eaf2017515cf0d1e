//! Passages with the preceding lines that the extractor needs as context, and a cache of the lines of a session.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    sync::Arc,
};

use hearsay_extract::{Extraction, Text, TextType};
use hearsay_model::{Entity, EntityId, Evidence, Kind, Knower, Passage, PassageId, SessionId, State};

use super::ReadingTools;

/// Number of preceding lines that the reading model gets as context.
const MAX_CONTEXT_LINES: u32 = 16;

/// Number of preceding lines in which the patterns search for the entities that pronouns refer to.
const MAX_PATTERN_CONTEXT_LINES: usize = 3;

/// A passage from which facts are extracted, with the preceding lines that the extractor needs as context.
pub struct PassageWithContext {
    /// The passage.
    pub passage: Arc<Passage>,
    /// Entity whose note contains the passage; `None` if the passage does not belong to the note of an entity.
    pub(super) topic: Option<EntityId>,
    /// Kind of the speaker; `None` if there is no speaker, or if the kind is not recorded.
    pub(super) speaker_kind: Option<Kind>,
    /// Preceding lines, each with its speaker.
    pub(super) before: Vec<(Option<EntityId>, String)>,
}

impl PassageWithContext {
    /// Loads a passage with the preceding lines of its session that its speaker heard. If the passage has no speaker,
    /// loads the lines that its first hearer heard. Returns `None` if the passage does not exist.
    pub fn load(state: &State, id: PassageId, lines: &mut SessionLines) -> Option<Self> {
        let passage = Arc::clone(state.passage(id)?);
        let mut before: Vec<(u32, &str, Option<&EntityId>)> = Vec::new();
        let listener = passage.speaker.clone().map(Knower::from).or_else(|| passage.heard_by.first().cloned());
        if let (Some(session), Some(listener)) = (&passage.session, &listener) {
            let range = passage.line.saturating_sub(MAX_CONTEXT_LINES)..passage.line;
            let earlier = lines.passages_in_lines(state, session, range).filter_map(|id| state.passage(id));
            // Out-of-character lines are context too, because the reading model reads all talk.
            let heard_lines = earlier.filter(|other| other.has_participant(listener));
            before.extend(heard_lines.map(|other| (other.line, other.text.as_str(), other.speaker.as_ref())));
        }
        before.sort_unstable();
        let before = before.into_iter().map(|(_, text, speaker)| (speaker.cloned(), text.to_owned()));
        let speaker_kind = passage.speaker.as_ref().and_then(|speaker| state.kind(speaker));
        let topic = note_entity(state, &passage).cloned();
        Some(Self { before: before.collect(), topic, speaker_kind, passage })
    }

    pub(super) fn extract_with_patterns(&self, tools: &ReadingTools<'_>) -> Extraction {
        let passage = &self.passage;
        let present: Vec<EntityId> = passage.heard_by.iter().filter_map(Knower::entity).cloned().collect();
        let first_line = self.before.len().saturating_sub(MAX_PATTERN_CONTEXT_LINES);
        let before: Vec<&str> = self.before[first_line..].iter().map(|(_, text)| text.as_str()).collect();
        let text = Text {
            form: form(passage),
            speaker: passage.speaker.as_ref(),
            present: &present,
            place: passage.place.as_ref(),
            topic: self.topic.as_ref(),
            preceding: &before,
            previous_speaker: self.before.last().and_then(|(speaker, _)| speaker.as_ref()),
            encoder: tools.encoder,
            ..Text::new(&passage.text, TextType::Lore)
        };
        tools.extractor.extract(tools.lexicon, &text)
    }

    /// Returns whether this passage continues the previous passage, that is, whether this passage follows the previous
    /// passage in the same session or document, and has the same hearers.
    pub(super) fn continues(&self, previous: &Self) -> bool {
        let source_of = |page: &Self| (page.passage.session.clone(), page.passage.document.clone());
        let is_later = self.passage.line > previous.passage.line;
        is_later
            && source_of(self) == source_of(previous)
            && source_of(self) != (None, None)
            && self.passage.heard_by == previous.passage.heard_by
    }
}

/// Returns the entity whose note contains a passage. Each passage of an imported note mentions this entity. The source
/// of the passage is the external id of the entity. If the note describes an entity of another source, the title of the
/// passage begins with the name of the entity.
fn note_entity<'a>(state: &State, passage: &'a Passage) -> Option<&'a EntityId> {
    if passage.speaker.is_some() || passage.session.is_some() {
        return None;
    }
    let source = passage.evidence.iter().find_map(|evidence| match evidence {
        Evidence::Excerpt(excerpt) => Some(&*excerpt.source),
        _ => None,
    })?;
    let title = passage.title.as_deref().unwrap_or_default();
    let has_source = |entity: &Entity| entity.external_ids.iter().any(|external| external.id.as_str() == source);
    let is_titled = |name: &&str| {
        let rest = title.strip_prefix(*name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(": "))
    };
    let by_source = passage.mentions.iter().find(|id| state.entity(id).is_some_and(|entity| has_source(entity)));
    by_source.or_else(|| passage.mentions.iter().find(|id| state.open_names(id).iter().any(is_titled)))
}

fn form(passage: &Passage) -> TextType {
    match (&passage.speaker, &passage.session) {
        (Some(_), _) => TextType::Talk,
        (None, Some(_)) => TextType::Narration,
        (None, None) => TextType::Lore,
    }
}

/// Cache of the lines of the session that is being read, in order. The cache makes the lookup of the lines before a
/// passage fast.
#[derive(Debug, Default)]
pub struct SessionLines {
    session: Option<SessionId>,
    lines: BTreeMap<u32, Vec<PassageId>>,
    line_of: HashMap<PassageId, u32>,
}

impl SessionLines {
    /// Returns the passages of a session whose line numbers are in a range.
    fn passages_in_lines(
        &mut self,
        state: &State,
        session: &SessionId,
        lines: Range<u32>,
    ) -> impl Iterator<Item = PassageId> {
        if self.session.as_ref() != Some(session) {
            *self = Self { session: Some(session.clone()), ..Self::default() };
            for (id, passage) in state.passages() {
                self.note(id, Some(passage));
            }
        }
        self.lines.range(lines).flat_map(|(_, ids)| ids).copied()
    }

    /// Updates the cache after a passage was added, changed or removed. `passage` is `None` if the passage was removed.
    pub fn note(&mut self, id: PassageId, passage: Option<&Arc<Passage>>) {
        if self.session.is_none() {
            return;
        }
        if let Some(line) = self.line_of.remove(&id)
            && let Some(ids) = self.lines.get_mut(&line)
        {
            ids.retain(|recorded_id| *recorded_id != id);
        }
        if let Some(passage) = passage.filter(|passage| passage.session == self.session) {
            self.lines.entry(passage.line).or_default().push(id);
            self.line_of.insert(id, passage.line);
        }
    }
}
