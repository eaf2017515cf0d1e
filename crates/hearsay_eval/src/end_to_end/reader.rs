//! Reads the texts of a campaign as the engine does: extraction, policy and review queue.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_commands::{
    CommandError,
    policy::Policy,
    proposal::ProposalRules,
    reading::{
        Findings, PassageWithContext, ReadingTools, SessionLines, batch_size, operation, read_passages,
        record_talk_kinds,
    },
};
use hearsay_engine::Settings;
use hearsay_extract::{ExtractedFact, Extractor, Language, Lexicon, ReadingModel, SentenceEncoder};
use hearsay_llm::LlmError;
use hearsay_model::{
    ApplyError, Confidence, Evidence, ExtractionStage, Fact, FactId, FactStatus, PassageId, Span, State, TalkKind,
    Timestamp, Vocabulary,
};
use hearsay_query::{
    review::{ReviewItem, ReviewSettings, review_queue},
    trust::TrustCalibration,
};
use serde::Serialize;
use thiserror::Error;

use super::language_model::ServerModel;
use crate::table_talk::TableTalkError;

/// Error of a measurement.
#[derive(Debug, Error)]
pub enum EndToEndError {
    /// The texts or labels cannot be read.
    #[error(transparent)]
    TableTalk(#[from] TableTalkError),
    /// The language model cannot be used.
    #[error(transparent)]
    LanguageModel(#[from] LlmError),
    /// The texts or facts cannot be recorded.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// An operation is invalid.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// A transcript cannot be read.
    #[error(transparent)]
    Transcript(#[from] hearsay_campaign::TranscriptError),
    /// The entities of the texts are invalid.
    #[error("the entities of the texts are invalid: {problem}", problem = .0)]
    Entities(String),
}

/// Method by which facts are extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// The patterns alone.
    Patterns,
    /// The reading model and the patterns: the default of the program.
    Model,
    /// A language model in addition to the reading model and the patterns.
    LanguageModel,
}

impl Engine {
    /// Returns the name of the engine for tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Patterns => "patterns",
            Self::Model => "model",
            Self::LanguageModel => "language model",
        }
    }
}

/// Models that the engines use. If the model of an engine is missing, this engine is not measured.
#[derive(Clone, Copy, Default)]
pub struct Models<'a> {
    /// Sentence encoder for the patterns. If it is `None`, the patterns work without sentence vectors.
    pub encoder: Option<&'a dyn SentenceEncoder>,
    /// Reading model; `None` if no reading model is available.
    pub reading_model: Option<&'a ReadingModel>,
    /// Language model; `None` if none is configured.
    pub language_model: Option<&'a ServerModel>,
}

/// Reads texts with one engine, with the default settings of the program.
pub struct Reader<'a> {
    /// Engine that extracts the facts.
    pub engine: Engine,
    pub(super) extractor: Extractor,
    pub(super) vocabulary: Vocabulary,
    encoder: Option<&'a dyn SentenceEncoder>,
    reading_model: Option<&'a ReadingModel>,
    language_model: Option<&'a ServerModel>,
    policy: Policy,
    review: ReviewSettings,
}

impl<'a> Reader<'a> {
    /// Creates a reader with the default settings of a campaign. If `disabled_stage` is given, this stage is switched
    /// off. Returns `None` if a model of the engine is missing.
    pub fn new(engine: Engine, models: Models<'a>, disabled_stage: Option<ExtractionStage>) -> Option<Self> {
        let settings = Settings::default();
        let extractor = Extractor::new(Language::english(), Vocabulary::default());
        let reading_model = match engine {
            Engine::Patterns => None,
            Engine::Model | Engine::LanguageModel => Some(models.reading_model?),
        };
        Some(Self {
            engine,
            extractor: match disabled_stage {
                Some(stage) => extractor.without_stage(stage),
                None => extractor,
            },
            vocabulary: Vocabulary::default(),
            encoder: models.encoder,
            reading_model,
            language_model: match engine {
                Engine::Patterns | Engine::Model => None,
                Engine::LanguageModel => Some(models.language_model?),
            },
            policy: settings.policy,
            review: settings.review,
        })
    }

    /// Reads passages in the given order, and records the facts in the state.
    pub(super) fn read(&self, state: &mut State, passages: &[PassageId]) -> Result<Vec<Findings>, EndToEndError> {
        let (mut lines, mut all_findings) = (SessionLines::default(), Vec::new());
        let mut unread = passages;
        while !unread.is_empty() {
            let (batch, rest) = unread.split_at(batch_size(state, unread.iter().copied()));
            unread = rest;
            let batch = batch.iter().filter_map(|id| PassageWithContext::load(state, *id, &mut lines)).collect();
            let lexicon = Lexicon::from_state(state);
            let findings = read_passages(
                batch,
                &ReadingTools {
                    extractor: &self.extractor,
                    lexicon: &lexicon,
                    encoder: self.encoder,
                    model: self.reading_model,
                },
            );
            let kinds: Vec<(PassageId, TalkKind)> =
                findings.iter().filter_map(|findings| Some((findings.passage.id(), findings.talk_kind?))).collect();
            if let Some(operation) = record_talk_kinds(state, &kinds, Timestamp(0)) {
                state.apply(operation)?;
            }
            self.record(state, &findings)?;
            all_findings.extend(findings);
        }
        if let Some(language_model) = self.language_model {
            let findings = language_model.read(state, &all_findings)?;
            self.record(state, &findings)?;
            all_findings.extend(findings);
        }
        Ok(all_findings)
    }

    /// Records findings according to the policy.
    fn record(&self, state: &mut State, findings: &[Findings]) -> Result<(), EndToEndError> {
        let learned = TrustCalibration::from_state(state);
        let rules = ProposalRules { policy: &self.policy, learned: &learned };
        for findings in findings {
            let (operation, _) = operation(state, &rules, findings, Timestamp(0))?;
            if let Some(operation) = operation {
                state.apply(operation)?;
            }
        }
        Ok(())
    }

    /// Returns the facts that were extracted and recorded, with their outcomes.
    pub(super) fn recorded_facts(&self, state: &State) -> RecordedFacts {
        let queue = review_queue(state, self.review);
        let mut queued = BTreeSet::new();
        for item in queue.queued {
            if let ReviewItem::Doubtful { fact, also } = item {
                queued.extend(also.into_iter().chain([fact]));
            }
        }
        let mut by_evidence: BTreeMap<(PassageId, usize, usize), Vec<RecordedFact>> = BTreeMap::new();
        for fact in state.facts() {
            let outcome = match fact.status() {
                FactStatus::Canon | FactStatus::Claimed => Outcome::Accepted,
                FactStatus::Proposed if queued.contains(&fact.id()) => Outcome::Queued,
                FactStatus::Proposed => Outcome::HeldBack,
                FactStatus::False | FactStatus::Rejected => continue,
            };
            for evidence in &fact.provenance().evidence {
                if let Evidence::Passage { passage, span: Span { start, end }, .. } = evidence {
                    by_evidence.entry((*passage, *start, *end)).or_default().push(RecordedFact::new(fact, outcome));
                }
            }
        }
        RecordedFacts { by_evidence }
    }
}

/// Outcome for an extracted fact, from the weakest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// Triage holds the fact back.
    HeldBack,
    /// The fact waits in the review queue.
    Queued,
    /// The fact is canon or claimed.
    Accepted,
}

/// A fact that was extracted and recorded.
#[derive(Debug, Clone)]
pub(super) struct RecordedFact {
    pub(super) id: FactId,
    pub(super) outcome: Outcome,
    pub(super) confidence: Confidence,
    predicate: String,
    statement: String,
}

impl RecordedFact {
    fn new(fact: &Fact, outcome: Outcome) -> Self {
        Self {
            id: fact.id(),
            outcome,
            confidence: fact.provenance().confidence,
            predicate: fact.predicate().as_str().to_owned(),
            statement: fact.statement().to_owned(),
        }
    }
}

/// Recorded facts by their evidence: the passage, and the start and end of the quotation.
pub(super) struct RecordedFacts {
    by_evidence: BTreeMap<(PassageId, usize, usize), Vec<RecordedFact>>,
}

impl RecordedFacts {
    /// Returns the recorded form of a fact that was found in a passage; `None` if the policy dropped the fact.
    pub(super) fn find(&self, passage: PassageId, fact: &ExtractedFact) -> Option<&RecordedFact> {
        let candidates = self.by_evidence.get(&(passage, fact.span.start, fact.span.end))?;
        // A fact that an earlier passage already stated can have the words of that passage.
        let has_same_words = |recorded: &&RecordedFact| recorded.statement == fact.statement;
        let has_same_predicate = |recorded: &&RecordedFact| recorded.predicate == fact.predicate.as_str();
        candidates.iter().find(has_same_words).or_else(|| candidates.iter().find(has_same_predicate))
    }
}
