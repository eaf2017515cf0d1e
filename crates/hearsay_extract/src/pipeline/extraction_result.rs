//! Builds the result of an extraction: facts with their statements and quotations, mentions, and training examples.

use hearsay_model::{ExtractionStage, PredicateRole, Span, words};

use super::{TextExtractor, TrainingExample, TrainingExtraction, confidence::has_doubtful_reference};
use crate::{
    candidates::sentence_similarity::{Examples, propose_by_similarity},
    entities::mentions::EntityRef,
    facts::{ExtractedFact, Extraction, FactObject, Mention, NameOccurrence},
    language::{conjugation::Inflections, predicate_properties::PredicateProperties, weights::Weight},
    pipeline::deduplicate::{self, WeightedFact},
    sentence_reader::{RawFact, RawObject, TrainingExamples, UNSPECIFIED_RELATION},
};

/// Returns whether one of the weights applies to a fact.
fn has_weight(raw_fact: &RawFact, names: &[Weight]) -> bool {
    raw_fact.weight_names.names.iter().any(|name| names.contains(name))
}

impl TextExtractor<'_> {
    fn to_mention(&self, entity: EntityRef) -> Mention {
        match entity {
            EntityRef::Known(entity) => Mention::Known(self.lexicon.entities[entity as usize].id.clone()),
            EntityRef::New(index) => Mention::New(index),
        }
    }

    fn entity_name(&self, entity: EntityRef) -> &str {
        match entity {
            EntityRef::Known(entity) => &self.lexicon.entities[entity as usize].name,
            EntityRef::New(index) => self.new_names.entities.get(index).map_or("", |entity| &entity.name),
        }
    }

    /// Returns the sentence that states a fact. `subject` and `object` are the names in the order of the words.
    fn sentence(&self, raw_fact: &RawFact, subject: &str, object: &str) -> String {
        let targets = &self.extractor.grammar().targets;
        let target = &targets[raw_fact.pattern_target];
        if PredicateRole::Related.is(&target.predicate) {
            return self.related_sentence(raw_fact, subject, object);
        }
        // The noun says more than the predicate: "Ann is the younger sister of Bo."
        let has_general_label = PredicateRole::Related.is(&targets[target.label].predicate);
        if has_general_label && has_weight(raw_fact, &[Weight::BY_NOUN, Weight::LOOSE_NOUN]) {
            return format!("{subject} is the {} {object}.", raw_fact.relation);
        }
        let (subject, object) = if target.is_inverse { (object, subject) } else { (subject, object) };
        let sentence = self.extractor.vocabulary().sentence(&target.predicate, subject, object);
        let separator = if target.has(PredicateProperties::PROMISE) { ":" } else { "" };
        match sentence.strip_suffix('.') {
            Some(stem) if !raw_fact.detail.is_empty() && stem.ends_with(object) => {
                format!("{stem}{separator} {}.", raw_fact.detail)
            }
            _ if !target.is_inverse && self.has_plural_name(raw_fact.subject) => {
                self.with_plural_verb(sentence, subject)
            }
            _ => sentence,
        }
    }

    /// Returns whether an entity is a group with a plural name, such as the Ferrymen's Lanterns.
    fn has_plural_name(&self, entity: EntityRef) -> bool {
        let name = self.entity_name(entity);
        self.is_group(entity) && name.ends_with('s') && !name.ends_with("ss") && !name.ends_with("'s")
    }

    /// Returns a sentence with the verb after its subject in the plural: "The Crows own the mill."
    fn with_plural_verb(&self, sentence: String, subject: &str) -> String {
        let predicate = sentence.strip_prefix(subject).and_then(|rest| rest.strip_prefix(' '));
        let Some((verb, rest)) = predicate.and_then(|predicate| predicate.split_once(' ')) else { return sentence };
        let is_singular = |(_, form): &&(String, Inflections)| form.has(Inflections::THIRD);
        let plural = match verb {
            "is" => Some("are"),
            "was" => Some("were"),
            _ => {
                let forms = self.extractor.grammar().verb_forms.get(verb);
                forms.and_then(|forms| forms.iter().find(is_singular)).map(|(base, _)| base.as_str())
            }
        };
        match plural {
            Some(plural) => format!("{subject} {plural} {rest}"),
            None => sentence,
        }
    }

    /// Returns the sentence for a fact with the general predicate, which is built with words of the text.
    fn related_sentence(&self, raw_fact: &RawFact, subject: &str, object: &str) -> String {
        let words = match raw_fact.relation.as_str() {
            "" => UNSPECIFIED_RELATION,
            words => words,
        };
        let is_noun = has_weight(raw_fact, &[Weight::BY_NOUN, Weight::BY_TIE, Weight::LOOSE_NOUN]);
        match self.extractor.grammar().in_third_person(words).filter(|_| !is_noun) {
            Some(words) => format!("{subject} {words} {object}."),
            None => format!("{subject}: {words} {object}."),
        }
    }

    pub(super) fn finish(mut self) -> TrainingExtraction {
        self.propose_by_similarity();
        let mut facts: Vec<WeightedFact> = Vec::new();
        for raw_fact in &self.facts {
            if let Some(weighted) = self.weighted_fact(raw_fact) {
                let is_symmetric = self.extractor.grammar().targets[raw_fact.pattern_target].is_symmetric;
                add_or_replace(&mut facts, weighted, is_symmetric);
            }
        }
        facts.sort_by_key(|weighted| (weighted.fact.span.start, weighted.fact.span.end));
        deduplicate::drop_superseded(&mut facts);
        self.limit_candidates(&mut facts);
        let facts = facts.into_iter().map(|WeightedFact { fact, weight_names, uses_weights_only, .. }| {
            let names = || weight_names.into_iter().map(Weight::as_str).collect::<Vec<_>>();
            (fact, uses_weights_only.then(names))
        });
        let (facts, weight_names) = facts.unzip();
        let mentions = self
            .mentions
            .iter()
            .map(|((start, end), entity)| NameOccurrence {
                entity: self.lexicon.entities[*entity as usize].id.clone(),
                span: Span { start: *start, end: *end },
            })
            .collect();
        let addresses_program = !self.injection_spans.is_empty();
        let examples = self.take_examples();
        TrainingExtraction {
            extraction: Extraction { facts, entities: self.new_names.entities, mentions, addresses_program },
            weight_names,
            examples,
        }
    }

    /// Proposes facts for sentences that match no pattern, if there are such sentences and an encoder.
    fn propose_by_similarity(&mut self) {
        let extractor = self.extractor;
        let is_needed = extractor.runs(ExtractionStage::SentenceSimilarity) && !self.unmatched_sentences.is_empty();
        let Some(encoder) = self.text.encoder.filter(|_| is_needed) else { return };
        let targets = &extractor.grammar().targets;
        let examples = extractor.examples.get_or_init(|| Examples::embed(extractor.vocabulary(), targets, encoder));
        if let Some(examples) = examples {
            propose_by_similarity(examples, targets, encoder, &mut self.facts, &self.unmatched_sentences);
        }
    }

    /// Returns whether an entity is in the result. The result does not contain a new name that occurs only in the
    /// earlier texts.
    fn exists(&self, entity: EntityRef) -> bool {
        !matches!(entity, EntityRef::New(index) if index >= self.new_names.entities.len())
    }

    /// Returns a fact with its statement, quotation and confidence, or `None` if its subject, its object or its range
    /// in the text does not exist.
    fn weighted_fact(&self, raw_fact: &RawFact) -> Option<WeightedFact> {
        let weight_names = raw_fact.weight_names.sorted();
        let confidence = self.confidence(raw_fact, &weight_names);
        let targets = &self.extractor.grammar().targets;
        let target = &targets[raw_fact.pattern_target];
        let object_exists = match &raw_fact.object {
            RawObject::Entity(entity) => self.exists(*entity),
            RawObject::Value(_) => true,
        };
        if !self.exists(raw_fact.subject) || !object_exists {
            return None;
        }
        let quote = self.text.text.get(raw_fact.span.start..raw_fact.span.end)?.to_owned();
        let subject_name = self.entity_name(raw_fact.subject);
        let positive_statement = match &raw_fact.object {
            RawObject::Entity(entity) => self.sentence(raw_fact, subject_name, self.entity_name(*entity)),
            RawObject::Value(value) => self.sentence(raw_fact, subject_name, value),
        };
        let statement = match (raw_fact.denied, raw_fact.ended) {
            (true, _) => format!("It is not true that {}", words::lower_first(&positive_statement)),
            (false, true) => format!("It is no longer true that {}", words::lower_first(&positive_statement)),
            (false, false) => positive_statement,
        };
        let (subject, object) = match &raw_fact.object {
            RawObject::Entity(entity) if target.is_inverse => (*entity, RawObject::Entity(raw_fact.subject)),
            object => (raw_fact.subject, object.clone()),
        };
        let told_to = raw_fact.told_to.iter().filter(|entity| self.exists(**entity));
        let fact = ExtractedFact {
            subject: self.to_mention(subject),
            predicate: target.predicate.clone(),
            object: match object {
                RawObject::Entity(entity) => FactObject::Entity(self.to_mention(entity)),
                RawObject::Value(value) => FactObject::Value(value),
            },
            relation: PredicateRole::Related.is(&target.predicate).then(|| raw_fact.relation.clone()),
            statement,
            span: raw_fact.span,
            quote,
            confidence,
            stated_by: raw_fact.stated_by.filter(|entity| self.exists(*entity)).map(|entity| self.to_mention(entity)),
            told_to: told_to.map(|entity| self.to_mention(*entity)).collect(),
            denied: raw_fact.denied,
            ended: raw_fact.ended,
            factuality: raw_fact.factuality(),
            participants: Vec::new(),
            cues: raw_fact.cues.clone(),
            stage: raw_fact.stage,
        };
        let label = targets[raw_fact.target].predicate.clone();
        let is_limited = self.is_in_injection(raw_fact) || has_doubtful_reference(&weight_names);
        let uses_weights_only = raw_fact.confidence_factor >= 1.0 && !is_limited;
        Some(WeightedFact { fact, label, weight_names, uses_weights_only })
    }

    /// Returns the collected training examples of all classifiers.
    fn take_examples(&mut self) -> Vec<TrainingExample> {
        let TrainingExamples { pairs, values, assertions } = self.training_examples.take().unwrap_or_default();
        let pairs = pairs.into_iter().map(|pair| {
            let (first, second) = pair.entities();
            let second = FactObject::Entity(self.to_mention(second));
            TrainingExample { first: self.to_mention(first), second, read_predicate: None, features: pair.features }
        });
        let values = values.into_iter().map(|candidate| {
            let first = self.to_mention(candidate.subject.resolved.entity);
            TrainingExample {
                first,
                second: FactObject::Value(candidate.value),
                read_predicate: None,
                features: candidate.features,
            }
        });
        let assertions = assertions.into_iter().map(|example| {
            let second = match example.object {
                RawObject::Entity(entity) => FactObject::Entity(self.to_mention(entity)),
                RawObject::Value(value) => FactObject::Value(value),
            };
            TrainingExample {
                first: self.to_mention(example.subject),
                second,
                read_predicate: Some(example.predicate),
                features: example.features,
            }
        });
        pairs.chain(values).chain(assertions).collect()
    }
}

/// Adds a fact. If `facts` contains a fact that states the same, only the one with the higher confidence remains. If
/// `is_symmetric`, subject and object may be in either order.
fn add_or_replace(facts: &mut Vec<WeightedFact>, weighted: WeightedFact, is_symmetric: bool) {
    match facts.iter_mut().find(|other| weighted.states_same(other, is_symmetric)) {
        Some(other) if other.fact.confidence < weighted.fact.confidence => *other = weighted,
        Some(_) => {}
        None => facts.push(weighted),
    }
}
