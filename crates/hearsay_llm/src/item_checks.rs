//! Checks the items of an answer. Each item is compared with the text, the entities and the vocabulary, and is either
//! accepted or refused.

use std::ops::Range;

use hearsay_extract::{CueKind, ExtractedFact, FactObject, Language, Mention, NewEntity, is_pronoun};
use hearsay_model::{
    Confidence, ExtractionStage, Factuality, Kind, Predicate, PredicateRole, Span, Vocabulary, attribute, text,
};
use serde::{Deserialize, Serialize};

use crate::{
    answer::{EntityItem, FactItem},
    prompt_entities::{NameLookup, PromptEntity, name_has_word, quote_names_entity},
    prompt_injection::addresses_program,
    quote::NormalizedText,
};

/// Numbers of entities and facts that the checks refused, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RejectionCounts {
    /// Number of items that do not match the schema, have a quote longer than 600 bytes, or come after the first 500
    /// items of an answer.
    pub malformed: usize,
    /// Number of items whose quote is not in the text.
    pub invented_quotes: usize,
    /// Number of entities whose name is not in the text, or is empty, a pronoun or longer than 80 characters.
    pub no_names: usize,
    /// Number of facts whose subject or object is not an entity in the prompt, or whose subject and object are the same
    /// entity.
    pub unknown_entities: usize,
    /// Number of facts whose predicate has an invalid name or is the attribute `kind`. Also counts attributes without a
    /// value.
    pub bad_predicates: usize,
    /// Number of facts from a sentence that is a question.
    pub questions: usize,
    /// Number of items whose confidence is less than the minimum in the settings.
    pub unsure: usize,
}

impl RejectionCounts {
    /// Returns the sum over all reasons.
    pub fn total(&self) -> usize {
        let Self { malformed, invented_quotes, no_names, unknown_entities, bad_predicates, questions, unsure } = *self;
        malformed + invented_quotes + no_names + unknown_entities + bad_predicates + questions + unsure
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.malformed += other.malformed;
        self.invented_quotes += other.invented_quotes;
        self.no_names += other.no_names;
        self.unknown_entities += other.unknown_entities;
        self.bad_predicates += other.bad_predicates;
        self.questions += other.questions;
        self.unsure += other.unsure;
    }
}

/// Confidence of an item that the model calls certain. Models are too confident, so every confidence is multiplied by
/// this factor.
const MODEL_CONFIDENCE_FACTOR: f64 = 0.9;
/// Confidence factor for a fact whose quote does not name the subject or object, for example because the quote contains
/// a pronoun.
const UNNAMED_ENTITY_FACTOR: f64 = 0.9;
/// Confidence factor for a fact whose value shares no word with the quote.
const UNQUOTED_VALUE_FACTOR: f64 = 0.6;
/// Maximum confidence of a fact whose sentence contains a hedge, rumour, irony, condition or wish. Such a fact waits
/// for the DM's review.
const MAX_DOUBTFUL_CONFIDENCE: f64 = 0.65;
/// Maximum confidence of a fact whose relation is not in the vocabulary.
const MAX_RELATED_CONFIDENCE: f64 = 0.6;
/// Maximum confidence of a fact or entity from a text that gives instructions to the program.
const MAX_INJECTION_CONFIDENCE: f64 = 0.5;
/// Confidence factor for an entity whose name has no capital letter.
const LOWERCASE_NAME_FACTOR: f64 = 0.6;

const MAX_NAME_CHARS: usize = 80;
const MAX_VALUE_CHARS: usize = 300;
/// Maximum length of a quote, in bytes. A quote should have one or two sentences.
const MAX_QUOTE_BYTES: usize = 600;

/// Part of a text, prepared for the checks of items.
pub(crate) struct TextPart<'a> {
    pub(crate) text: &'a str,
    /// Byte position of the part in the whole text.
    pub(crate) start: usize,
    pub(crate) normalized: NormalizedText<'a>,
    pub(crate) language: &'a Language,
    pub(crate) vocabulary: &'a Vocabulary,
    /// Whether no sentence of the whole text gives instructions to the program.
    pub(crate) is_injection_free: bool,
    /// Speaker of the whole text, if there is one.
    pub(crate) speaker: Option<Mention>,
}

/// Returns the confidence of an item from the value that the model gave. A missing or invalid value counts as 0.5.
fn scaled_confidence(model_confidence: Option<f64>) -> f64 {
    model_confidence.filter(|value| value.is_finite()).unwrap_or(0.5).clamp(0.0, 1.0) * MODEL_CONFIDENCE_FACTOR
}

fn to_confidence(confidence: f64) -> Confidence {
    Confidence::new(confidence).unwrap_or(Confidence::NONE)
}

impl<'a> TextPart<'a> {
    fn in_whole_text(&self, span: Span) -> Span {
        Span { start: self.start + span.start, end: self.start + span.end }
    }

    fn max_confidence(&self) -> f64 {
        if self.is_injection_free { 1.0 } else { MAX_INJECTION_CONFIDENCE }
    }

    /// Returns the new entity of an item. Returns `None` if an entity with the name already exists, or if the item is
    /// refused. A refused item is counted in `rejections`.
    pub(crate) fn check_entity(
        &self,
        item: EntityItem,
        names: &NameLookup,
        min_confidence: f64,
        rejections: &mut RejectionCounts,
    ) -> Option<NewEntity> {
        let name = item.name.trim();
        let words = text::words(name);
        let is_not_a_name =
            words.is_empty() || name.chars().count() > MAX_NAME_CHARS || is_pronoun(&text::normalize(name));
        let Some(span) = self.normalized.find(name).filter(|_| !is_not_a_name) else {
            rejections.no_names += 1;
            return None;
        };
        if names.is_taken(name) {
            return None;
        }
        if self.normalized.find(&item.quote).is_none() {
            rejections.invented_quotes += 1;
            return None;
        }
        let source_name = self.text.get(span.start..span.end)?;
        let is_lowercase =
            source_name.chars().any(|c| c.is_lowercase()) && !source_name.chars().any(char::is_uppercase);
        let confidence = (scaled_confidence(item.confidence) * if is_lowercase { LOWERCASE_NAME_FACTOR } else { 1.0 })
            .min(self.max_confidence());
        if confidence < min_confidence {
            rejections.unsure += 1;
            return None;
        }
        let kind = item.kind.as_deref().map(Kind::from).filter(|kind| Kind::BUILT_IN.contains(kind));
        let name = source_name.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(NewEntity { name, kind, span: self.in_whole_text(span), confidence: to_confidence(confidence) })
    }

    /// Returns the fact of an item. Returns `None` if the item is refused. A refused item is counted in `rejections`.
    pub(crate) fn check_fact(
        &self,
        item: FactItem,
        names: &NameLookup,
        entities: &[PromptEntity],
        min_confidence: f64,
        rejections: &mut RejectionCounts,
    ) -> Option<ExtractedFact> {
        let Some(span) = self.normalized.find(&item.quote) else {
            rejections.invented_quotes += 1;
            return None;
        };
        if span.end - span.start > MAX_QUOTE_BYTES {
            rejections.malformed += 1;
            return None;
        }
        let sentence = sentence_range(self.text, span);
        // "Hope" and "May" can be names of people instead of cues.
        let is_name = |word: &str| entities.iter().any(|entity| name_has_word(entity, word));
        let sentence_cues = self.language.sentence_cues(&self.text[sentence.clone()], is_name);
        if sentence_cues.is_question {
            rejections.questions += 1;
            return None;
        }
        let Some(subject) = names.get(&item.subject) else {
            rejections.unknown_entities += 1;
            return None;
        };
        let resolved = match self.resolve_item(&item, names, subject, &self.text[sentence.clone()]) {
            Ok(resolved) => resolved,
            Err(ItemError::Predicate) => {
                rejections.bad_predicates += 1;
                return None;
            }
            Err(ItemError::Entity) => {
                rejections.unknown_entities += 1;
                return None;
            }
        };
        let quote = &self.text[span.start..span.end];
        let words = text::words(quote);
        let listed_entity = |mention: &Mention| entities.iter().find(|entity| entity.mention == *mention);
        let is_unnamed =
            |mention: &Mention| listed_entity(mention).is_none_or(|entity| !quote_names_entity(entity, &words));
        let mut confidence = scaled_confidence(item.confidence);
        if is_unnamed(&resolved.subject) {
            confidence *= UNNAMED_ENTITY_FACTOR;
        }
        match &resolved.object {
            FactObject::Entity(object) if is_unnamed(object) => confidence *= UNNAMED_ENTITY_FACTOR,
            FactObject::Value(value) if !text::words(value).iter().any(|word| words.contains(word)) => {
                confidence *= UNQUOTED_VALUE_FACTOR
            }
            _ => {}
        }
        if resolved.relation.is_some() {
            confidence = confidence.min(MAX_RELATED_CONFIDENCE);
        }
        if sentence_cues.is_doubtful {
            confidence = confidence.min(MAX_DOUBTFUL_CONFIDENCE);
        }
        confidence = confidence.min(self.max_confidence());
        if confidence < min_confidence {
            rejections.unsure += 1;
            return None;
        }
        let (denied, ended) = (item.denied.unwrap_or_default(), item.over.unwrap_or_default());
        let cues = sentence_cues.cues.into_iter().filter(|cue| ended || cue.kind != CueKind::Past).collect();
        let name = |mention: &Mention| listed_entity(mention).map_or("", |entity| entity.name.as_str());
        let object = match &resolved.object {
            FactObject::Entity(object) => name(object),
            FactObject::Value(value) => value,
        };
        let statement = self.statement(&item, &resolved, name(&resolved.subject), object, &self.text[sentence]);
        let told_to = item.told_to.iter().flatten().filter_map(|reference| names.get(reference)).cloned().collect();
        Some(ExtractedFact {
            statement,
            span: self.in_whole_text(span),
            quote: quote.to_owned(),
            confidence: to_confidence(confidence),
            stated_by: item
                .stated_by
                .as_deref()
                .and_then(|reference| names.get(reference))
                .cloned()
                .or_else(|| self.speaker.clone()),
            told_to,
            denied,
            ended,
            factuality: factuality(denied, ended, sentence_cues.is_doubtful),
            participants: Vec::new(),
            cues,
            stage: ExtractionStage::LanguageModel,
            subject: resolved.subject,
            predicate: resolved.predicate,
            object: resolved.object,
            relation: resolved.relation,
        })
    }

    /// Converts an item to a subject, predicate and object, with a predicate of the vocabulary.
    fn resolve_item(
        &self,
        item: &FactItem,
        names: &NameLookup,
        subject: &Mention,
        sentence: &str,
    ) -> Result<ResolvedItem, ItemError> {
        let relation = Predicate::relation(&item.predicate).map_err(|_| ItemError::Predicate)?;
        let name = Predicate::new(&relation.as_str().to_lowercase()).map_err(|_| ItemError::Predicate)?;
        let non_empty_line = |text: &Option<String>| text.as_deref().map(single_line).filter(|text| !text.is_empty());
        let (object, value) = (non_empty_line(&item.object), non_empty_line(&item.value));
        let vocabulary = self.vocabulary;
        let is_attribute = vocabulary.attribute(&name).is_some();
        let is_relation = vocabulary.predicate(&relation).is_some() || vocabulary.inverse_of(&relation).is_some();
        let subject = subject.clone();
        let with_value = |predicate, value| {
            Ok(ResolvedItem { subject: subject.clone(), predicate, object: FactObject::Value(value), relation: None })
        };
        if is_attribute && !is_relation {
            // The kind of an entity is part of the entity record and cannot be an attribute.
            return match value.or(object) {
                Some(value) if name != *attribute::KIND => with_value(name, value),
                _ => Err(ItemError::Predicate),
            };
        }
        let entity = object.as_deref().or(value.as_deref()).and_then(|reference| names.get(reference)).cloned();
        let Some(object_mention) = entity else {
            return match value {
                // The attribute is not in the vocabulary, so the fact keeps the sentence of the text as `lore`.
                Some(_) if !is_relation && object.is_none() => {
                    let lore = Predicate::new(attribute::LORE).map_err(|_| ItemError::Predicate)?;
                    with_value(lore, single_line(sentence))
                }
                _ => Err(ItemError::Entity),
            };
        };
        if object_mention == subject {
            return Err(ItemError::Entity);
        }
        let object = FactObject::Entity(object_mention.clone());
        if vocabulary.predicate(&relation).is_some() && !PredicateRole::Related.is(&relation) {
            return Ok(ResolvedItem { subject, predicate: relation, object, relation: None });
        }
        if let Some(def) = vocabulary.inverse_of(&relation) {
            let object = FactObject::Entity(subject);
            return Ok(ResolvedItem { subject: object_mention, predicate: def.name.clone(), object, relation: None });
        }
        let words = relation.as_str().replace('_', " ").to_lowercase();
        let predicate = PredicateRole::Related.predicate().clone();
        Ok(ResolvedItem { subject, predicate, object, relation: Some(words) })
    }

    /// Returns a sentence that states a fact. Uses the model's sentence only if it names the subject, and if each of
    /// its words with at least four letters occurs in the text's sentence or in the sentence made from the predicate.
    /// Otherwise returns the sentence made from the predicate. The model thus cannot add words of its own.
    fn statement(
        &self,
        item: &FactItem,
        resolved: &ResolvedItem,
        subject: &str,
        object: &str,
        sentence: &str,
    ) -> String {
        let generated = match &resolved.relation {
            Some(words) => format!("{subject} {words} {object}."),
            None if resolved.predicate == *attribute::LORE => return object.to_owned(),
            None => self.vocabulary.sentence(&resolved.predicate, subject, object),
        };
        let model_statement = item.statement.as_deref().map(single_line).filter(|statement| !statement.is_empty());
        let Some(model_statement) =
            model_statement.filter(|_| !item.denied.unwrap_or_default() && !item.over.unwrap_or_default())
        else {
            return generated;
        };
        let mut allowed = text::words(sentence);
        allowed.extend(text::words(&generated));
        let names_entity =
            |name: &str| text::words(name).iter().all(|word| text::words(&model_statement).contains(word));
        let is_grounded =
            text::words(&model_statement).iter().all(|word| word.chars().count() < 4 || allowed.contains(word));
        if is_grounded && names_entity(subject) && !addresses_program(&model_statement) {
            model_statement
        } else {
            generated
        }
    }
}

struct ResolvedItem {
    subject: Mention,
    predicate: Predicate,
    object: FactObject,
    relation: Option<String>,
}

enum ItemError {
    Predicate,
    Entity,
}

/// Returns the assertion status of a fact.
fn factuality(denied: bool, ended: bool, is_doubtful: bool) -> Factuality {
    match (denied, ended) {
        (true, _) => Factuality::Negated,
        (false, true) => Factuality::Ended,
        (false, false) if is_doubtful => Factuality::Hedged,
        (false, false) => Factuality::Asserted,
    }
}

/// Returns the words on one line, truncated to 300 characters.
fn single_line(words: &str) -> String {
    let line = words.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    line.collect::<Vec<_>>().join(" ").chars().take(MAX_VALUE_CHARS).collect()
}

/// Returns the byte range of the sentences that contain a byte range of a text.
fn sentence_range(text: &str, span: Span) -> Range<usize> {
    let is_end = |c: char| matches!(c, '.' | '!' | '?' | '\n' | ';');
    let start = text[..span.start].rfind(is_end).map_or(0, |at| at + 1);
    // The sentence includes its final punctuation mark, because a question mark matters.
    let stop = if text[..span.end].ends_with(is_end) {
        span.end
    } else {
        text[span.end..].find(is_end).map_or(text.len(), |at| span.end + at + 1)
    };
    start..stop
}
