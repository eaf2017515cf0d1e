//! Drafts: texts for a trial of the extraction. The extracted facts are not recorded.

use std::sync::Arc;

use hearsay_extract::{ExtractedFact, Extraction, SentenceEncoder, Text, TextType};
use hearsay_model::{EntityId, Fact, FactStatus, State, TalkKind, Validity, Vocabulary};
use hearsay_query::{
    duplicates::{Claim, is_equivalent},
    ids::require_entities,
};
use serde::Serialize;

use super::{ReadingTools, decide_talk_kind, document_statements, limit_confidence};
use crate::{
    CommandError,
    policy::{Policy, PolicyDecision, StatementSource, TextOrigin},
};

/// A text for a trial of the extraction. The extracted facts are not recorded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// Text from which facts are extracted.
    pub text: String,
    /// Type of the text, such as a line of talk or notes.
    pub form: TextType,
    /// Speaker of the text; `None` if the text has no speaker.
    pub speaker: Option<EntityId>,
    /// Entities that are present when the text is said. The extraction uses them to link names and pronouns to
    /// entities.
    pub present: Vec<EntityId>,
    /// Place where the text is said; `None` if the place is unknown.
    pub place: Option<EntityId>,
    /// Lines that precede the text, earliest first.
    pub before: Vec<String>,
}

/// The result of extraction from a draft.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DraftExtraction {
    /// Facts and entities that were found in the text.
    #[serde(flatten)]
    pub extraction: Extraction,
    /// Status of each extracted fact according to the policy; `None` for a fact that the policy drops. The status does
    /// not depend on the recorded facts and on the DM's earlier decisions.
    pub statuses: Vec<Option<FactStatus>>,
    /// Kind of talk that the reading model found; `None` if there is no reading model.
    pub talk_kind: Option<TalkKind>,
}

impl DraftExtraction {
    /// Returns the facts that the DM rejected and that the text states again.
    pub fn rejected_facts<'a>(&self, state: &'a State) -> Vec<&'a Arc<Fact>> {
        let vocabulary = state.vocabulary();
        let kept = self.extraction.facts.iter().zip(&self.statuses).filter(|(_, status)| status.is_some());
        let rejected = kept.filter_map(|(found, _)| {
            let (subject, object) = found.known_parts()?;
            let parts = (subject, &found.predicate, &object);
            let claim = Claim::new(vocabulary, parts, &found.statement, &Validity::default());
            let is_rejected = |fact: &&Arc<Fact>| {
                fact.status() == FactStatus::Rejected
                    && is_equivalent(vocabulary, (&claim, found.statement.as_str()), fact)
            };
            state.facts_of(claim.subject()).find(is_rejected)
        });
        rejected.collect()
    }
}

impl Draft {
    /// Checks that the entities of the draft exist.
    ///
    /// # Errors
    /// Returns an error if the speaker, the place or an entity that is present does not exist.
    pub fn check(&self, state: &State) -> Result<(), CommandError> {
        Ok(require_entities(state, self.speaker.iter().chain(&self.place).chain(&self.present))?)
    }

    /// Extracts facts from the text with the patterns and the reading model.
    pub fn extract(&self, policy: &Policy, tools: &ReadingTools<'_>) -> DraftExtraction {
        let mut extraction = self.with_text(tools.encoder, |text| tools.extractor.extract(tools.lexicon, text));
        limit_confidence(&mut extraction, self.origin());
        let mut found_kind = None;
        if let Some(model) = tools.model {
            let context_lines = self.before.iter().map(|text| (None, text.as_str()));
            let text_line = (self.speaker.as_ref(), self.text.as_str());
            let document_statements = document_statements(
                tools,
                model,
                &context_lines.chain([text_line]).collect::<Vec<_>>(),
                self.before.len(),
                None,
            );
            for statements in document_statements {
                let talk_kind = decide_talk_kind(&statements.talk, self.speaker.as_ref(), None, &self.text);
                found_kind = Some(talk_kind);
                // A sentence of the DM alone, such as a corrected fact, is no talk at the table.
                let is_sentence = self.speaker.is_none() && self.place.is_none() && self.present.is_empty();
                let is_talk = !is_sentence || !self.before.is_empty() || self.form == TextType::Talk;
                let read_kind = if is_talk { talk_kind } else { TalkKind::Narration };
                extraction.add_statements(statements, read_kind, false);
            }
        }
        self.draft_result(policy, tools.extractor.vocabulary(), extraction, found_kind)
    }

    /// Extracts facts from the text with the function `extract`, which can call a language model. `vocabulary` is the
    /// vocabulary of the campaign.
    ///
    /// # Errors
    /// Returns the error that `extract` returns.
    pub fn extract_with<E>(
        &self,
        policy: &Policy,
        vocabulary: &Vocabulary,
        extract: impl FnOnce(&Text<'_>) -> Result<Extraction, E>,
    ) -> Result<DraftExtraction, E> {
        Ok(self.draft_result(policy, vocabulary, self.with_text(None, extract)?, None))
    }

    fn with_text<T>(&self, encoder: Option<&dyn SentenceEncoder>, extract: impl FnOnce(&Text<'_>) -> T) -> T {
        let before: Vec<&str> = self.before.iter().map(String::as_str).collect();
        extract(&Text {
            speaker: self.speaker.as_ref(),
            place: self.place.as_ref(),
            present: &self.present,
            preceding: &before,
            encoder,
            ..Text::new(&self.text, self.form)
        })
    }

    /// Returns the origin that a text of this type probably has. The facts of the draft are treated like facts from
    /// texts of this origin.
    fn origin(&self) -> TextOrigin {
        match self.form {
            TextType::Talk | TextType::Narration => TextOrigin::Live,
            TextType::Lore => TextOrigin::CampaignText,
        }
    }

    fn draft_result(
        &self,
        policy: &Policy,
        vocabulary: &Vocabulary,
        extraction: Extraction,
        talk_kind: Option<TalkKind>,
    ) -> DraftExtraction {
        let status = |fact: &ExtractedFact| {
            let is_spoken = self.speaker.is_some() || fact.stated_by.is_some();
            let source = if is_spoken { StatementSource::Character } else { StatementSource::World };
            let states_death = fact.dead_entity(vocabulary).is_some();
            match policy.decide(fact.confidence, source, Some(self.origin()), states_death) {
                PolicyDecision::Record(status, _) => Some(status),
                PolicyDecision::Drop => None,
            }
        };
        let statuses = extraction.facts.iter().map(status).collect();
        DraftExtraction { extraction, statuses, talk_kind }
    }
}
