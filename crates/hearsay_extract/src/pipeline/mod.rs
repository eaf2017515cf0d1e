//! The extractor, which reads a text and proposes facts.

mod confidence;
pub(crate) mod deduplicate;
mod extraction_result;
mod omitted_copula;
pub(crate) mod spoken_sentences;
mod text_reading;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::OnceLock,
};

use hearsay_model::{EntityId, ExtractionStage, Predicate, PredicateRole, Span, Vocabulary};
use rustc_hash::FxHashMap;

use crate::{
    candidates::sentence_similarity::{Examples, UnmatchedSentence},
    entities::{
        coreference::{MentionHistory, NoteEntity},
        lexicon::Lexicon,
        mentions::{EntityRef, NewNames, Scene},
        nicknames::PlainText,
    },
    facts::{
        Extraction, FactObject, Mention, Text, TextType,
        doubt::{DoubtfulPart, MAX_INJECTION_CONFIDENCE},
    },
    language::{Language, grammar::Grammar, kind_set::KindSet},
    pipeline::spoken_sentences::SpokenSentence,
    sentence_reader::{RawFact, TrainingExamples},
};
use text_reading::unnamed_speaker_end;

/// Extracts facts from texts. Create one extractor per campaign; all threads can share it.
#[derive(Debug)]
pub struct Extractor {
    language: Language,
    vocabulary: Vocabulary,
    related_target: Option<usize>,
    /// Stages that are switched off.
    disabled_stages: BTreeSet<ExtractionStage>,
    pub(crate) examples: OnceLock<Option<Examples>>,
}

/// Result of an extraction, with data for fitting the weights and training the classifiers.
#[derive(Debug, Clone)]
pub struct TrainingExtraction {
    /// Facts, new names and mentions of the text.
    pub extraction: Extraction,
    /// For each fact, the sorted names of the weights that determine the confidence of the fact. `None` if other rules
    /// determine this confidence.
    pub weight_names: Vec<Option<Vec<&'static str>>>,
    /// Training examples for the classifiers: pairs of two entities, or of an entity and a possible value, with their
    /// features.
    pub examples: Vec<TrainingExample>,
}

/// Training example for a classifier: two entities in one sentence, or an entity and a possible value.
#[derive(Debug, Clone)]
pub struct TrainingExample {
    /// First of two entities in the sentence, or the subject of a fact or value.
    pub first: Mention,
    /// Second entity, or the value.
    pub second: FactObject,
    /// Predicate of the extracted fact. Only examples for the classifier that detects past or doubtful facts have this
    /// predicate; `None` in all other examples.
    pub read_predicate: Option<Predicate>,
    /// Features of the sentence around the pair.
    pub features: Vec<String>,
}

impl Extractor {
    /// Creates an extractor for a language and the vocabulary of a campaign. The nouns and verbs of the vocabulary
    /// become part of the language.
    pub fn new(language: Language, vocabulary: Vocabulary) -> Self {
        let language = language.with_vocabulary(&vocabulary);
        let related_target = language.grammar.targets.iter().position(|target| {
            PredicateRole::Related.is(&target.predicate) && !target.ended && !target.denied && !target.is_symmetric
        });
        Self { language, vocabulary, related_target, disabled_stages: BTreeSet::new(), examples: OnceLock::new() }
    }

    /// Switches a stage off, for example to measure how many facts only this stage finds. The other stages stay
    /// unchanged.
    #[must_use]
    pub fn without_stage(mut self, stage: ExtractionStage) -> Self {
        self.disabled_stages.insert(stage);
        self
    }

    /// Returns whether a stage is switched on.
    pub(crate) fn runs(&self, stage: ExtractionStage) -> bool {
        !self.disabled_stages.contains(&stage)
    }

    /// Extracts the facts that a text states.
    pub fn extract(&self, lexicon: &Lexicon, text: &Text<'_>) -> Extraction {
        TextExtractor::new(self, lexicon, text, &PlainText::new(text.text, lexicon)).run().extraction
    }

    /// Returns the sentences that the speaker of a text says, in order. The result does not contain quoted words of
    /// other speakers.
    pub fn spoken_sentences(&self, lexicon: &Lexicon, text: &Text<'_>) -> Vec<SpokenSentence> {
        TextExtractor::new(self, lexicon, text, &PlainText::unchanged(text.text)).spoken_sentences()
    }

    /// Extracts the facts that a text states, with data for fitting the weights and training the classifiers.
    pub fn extract_for_training(&self, lexicon: &Lexicon, text: &Text<'_>) -> TrainingExtraction {
        let plain = PlainText::new(text.text, lexicon);
        let mut text_extractor = TextExtractor::new(self, lexicon, text, &plain);
        text_extractor.training_examples = Some(TrainingExamples::default());
        text_extractor.run()
    }

    /// Returns the predicate that the labelled sentences (the training data) use for `predicate`. The labelled
    /// sentences do not distinguish all relations. For example, they use `RELATED_TO` for siblings, so this function
    /// returns `RELATED_TO` for `SIBLING_OF`. If the labelled sentences distinguish a predicate, this function returns
    /// it unchanged.
    pub fn label<'a>(&'a self, predicate: &'a Predicate) -> &'a Predicate {
        let targets = &self.language.grammar.targets;
        let target = targets.iter().find(|target| target.predicate == *predicate);
        target.map_or(predicate, |target| &targets[target.label].predicate)
    }

    /// Returns the parts of a text that the text does not state as certain.
    pub(crate) fn doubtful_parts(&self, lexicon: &Lexicon, text: &Text<'_>) -> Vec<DoubtfulPart> {
        let plain = PlainText::unchanged(text.text);
        let mut text_extractor = TextExtractor::new(self, lexicon, text, &plain);
        text_extractor.read_source();
        let TextExtractor { mut doubtful_parts, injection_spans, .. } = text_extractor;
        doubtful_parts.extend(injection_spans.into_iter().map(|scope| DoubtfulPart {
            scope,
            verb: None,
            max_confidence: MAX_INJECTION_CONFIDENCE,
            cues: Vec::new(),
        }));
        doubtful_parts
    }

    pub(crate) fn grammar(&self) -> &Grammar {
        &self.language.grammar
    }

    /// Returns the vocabulary of the campaign.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }
}

/// State of the extractor while it reads one text.
pub(crate) struct TextExtractor<'a> {
    extractor: &'a Extractor,
    lexicon: &'a Lexicon,
    text: &'a Text<'a>,
    /// The text without its nicknames.
    plain: &'a PlainText<'a>,
    source: &'a str,
    only_names: bool,
    /// Number of sentences read so far.
    sentences: usize,
    /// Whether the previous sentence only marks the next sentence as a guess.
    announces_guess: bool,
    scene: Scene,
    history: MentionHistory,
    new_names: NewNames,
    /// The entity with each nickname, in normal form.
    nickname_owners: FxHashMap<String, EntityRef>,
    facts: Vec<RawFact>,
    /// Index of the first fact of the previous sentence.
    previous_facts_start: usize,
    /// Byte range of the previous sentence; `None` at the start of a paragraph.
    previous_sentence: Option<Span>,
    mentions: BTreeMap<(usize, usize), u32>,
    /// Sentences with words addressed to the program. The DM decides on the facts of these sentences.
    injection_spans: Vec<Span>,
    /// Clauses that the text does not state as certain.
    doubtful_parts: Vec<DoubtfulPart>,
    /// Sentences that name two entities but match no pattern, with the two entities.
    unmatched_sentences: Vec<UnmatchedSentence>,
    /// Training examples for the classifiers, if the caller requested them.
    training_examples: Option<TrainingExamples>,
    /// Sentences of the speaker, if the caller requested them. If this field is set, no facts are read.
    spoken_sentences: Option<Vec<SpokenSentence>>,
}

impl<'a> TextExtractor<'a> {
    pub(crate) fn new(
        extractor: &'a Extractor,
        lexicon: &'a Lexicon,
        text: &'a Text<'a>,
        plain: &'a PlainText<'a>,
    ) -> Self {
        let index = |id: &EntityId| lexicon.index(id);
        let scene = Scene {
            speaker: text.speaker.and_then(index),
            present: text.present.iter().filter_map(index).collect(),
            place: text.place.and_then(index),
            recent: Vec::new(),
        };
        let note = text.topic.map(|id| {
            let entity = index(id);
            let kinds = entity.map_or(KindSet::ANY, |entity| lexicon.entities[entity as usize].kinds);
            NoteEntity { entity: entity.map(EntityRef::Known), kinds }
        });
        Self {
            extractor,
            lexicon,
            text,
            plain,
            source: &plain.text,
            only_names: false,
            sentences: 0,
            announces_guess: false,
            scene,
            history: MentionHistory::in_note(note),
            new_names: NewNames::default(),
            nickname_owners: FxHashMap::default(),
            facts: Vec::new(),
            previous_facts_start: 0,
            previous_sentence: None,
            mentions: BTreeMap::new(),
            injection_spans: Vec::new(),
            doubtful_parts: Vec::new(),
            unmatched_sentences: Vec::new(),
            training_examples: None,
            spoken_sentences: None,
        }
    }

    /// Returns the sentences that the speaker says.
    pub(crate) fn spoken_sentences(mut self) -> Vec<SpokenSentence> {
        self.spoken_sentences = Some(Vec::new());
        self.read_source();
        self.spoken_sentences.unwrap_or_default()
    }

    /// Reads the names of the earlier texts, and then the text itself.
    fn run(mut self) -> TrainingExtraction {
        for previous_text in self.text.preceding.iter().rev().take(4).rev() {
            self.only_names = true;
            self.source = previous_text;
            self.read_source();
        }
        self.record_previous_speaker();
        self.only_names = false;
        self.new_names = NewNames::default();
        self.history.begin_text();
        self.history.follows_speech = self.text.previous_speaker.is_some();
        self.source = &self.plain.text;
        self.history.opening_subjects = self.opening_subjects();
        self.read_source();
        if self.text.form != TextType::Lore {
            let end = unnamed_speaker_end(self.source);
            self.facts.retain(|fact| fact.span.end > end);
        }
        self.finish()
    }
}
