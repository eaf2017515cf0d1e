//! Compares the meaning of sentences with example sentences of relations. The comparison uses vectors from a sentence
//! encoder.

use hearsay_model::{ExtractionStage, Predicate, PredicateRole, Span, Vocabulary};

use crate::{
    entities::mentions::EntityRef,
    facts::{Cue, CueKind, SentenceEncoder},
    language::{grammar::Target, kind_set::KindSet, weights::Weight},
    sentence_reader::{RawFact, RawObject, ResolvedEntity, SentenceReader, WeightNames},
};

/// Vectors of the example sentences of relations in the vocabulary.
#[derive(Debug)]
pub(crate) struct Examples {
    vectors: Vec<(Predicate, Vec<f32>)>,
}

/// Sentence that names two entities and matches no pattern.
#[derive(Debug, Clone)]
pub(crate) struct UnmatchedSentence {
    pub(crate) subject: ResolvedEntity,
    pub(crate) object: ResolvedEntity,
    subject_kinds: KindSet,
    object_kinds: KindSet,
    sentence: String,
    span: Span,
    /// Byte offset of the start of the sentence in the text.
    start: usize,
    stated_by: Option<EntityRef>,
}

/// Minimum cosine between a sentence and an example. Below this cosine, the relation of the example is not proposed.
const MIN_COSINE: f32 = 0.4;

impl SentenceReader<'_> {
    /// Returns the sentence with its first two named entities, for a comparison with the examples.
    ///
    /// Returns `None` if a pattern matched, if the sentence names fewer than two entities, if it is about an unnamed
    /// relative, or if it is long, doubtful or negated.
    pub(crate) fn unmatched_sentence(&mut self, facts: &[RawFact]) -> Option<UnmatchedSentence> {
        let is_certain =
            |fact: &RawFact| !fact.weight_names.names.contains(&Weight::FALLBACK) && !fact.weight_names.is_candidate();
        let has_relative = (0..self.chunks.noun_groups.len()).any(|np| self.is_unnamed_relative(np));
        if facts.iter().any(is_certain) || self.names.len() < 2 || self.tokens.len() > 60 || has_relative {
            return None;
        }
        let is_question = self.is_question();
        let sentence_status = self.sentence_status(is_question);
        let statuses = self.clause_statuses(is_question);
        if sentence_status.is_unasserted
            || statuses.iter().any(|status| status.is_unasserted || status.denied || status.confidence_factor < 1.0)
        {
            return None;
        }
        let (a, b) = (self.names[0], *self.names.iter().find(|name| name.entity != self.names[0].entity)?);
        let placeholder = |kinds: KindSet| match kinds {
            kinds if kinds == KindSet::PLACE => "the place",
            kinds if kinds == KindSet::GROUP => "the guild",
            kinds if kinds == KindSet::THING => "the thing",
            kinds if kinds == KindSet::EVENT => "the event",
            _ => "the man",
        };
        let (a_kinds, b_kinds) = (self.kinds(a.entity), self.kinds(b.entity));
        let mut sentence = String::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let name = self.names.iter().find(|name| name.start == at);
            if !sentence.is_empty() && !self.tokens[at].is_attached {
                sentence.push(' ');
            }
            match name {
                Some(name) => {
                    sentence.push_str(placeholder(self.kinds(name.entity)));
                    at = name.end;
                }
                None => {
                    sentence.push_str(&self.text[self.tokens[at].start..self.tokens[at].end]);
                    at += 1;
                }
            }
        }
        Some(UnmatchedSentence {
            subject: ResolvedEntity::certain(a.entity),
            object: ResolvedEntity::certain(b.entity),
            subject_kinds: a_kinds,
            object_kinds: b_kinds,
            sentence,
            span: self.span(a.start, b.end - 1),
            start: self.tokens.first().map_or(0, |token| token.start),
            stated_by: sentence_status.stated_by,
        })
    }
}

impl Examples {
    /// Computes the vectors of the examples of all relations that the labelled sentences (the training data)
    /// distinguish. Returns `None` while no encoder is available.
    pub(crate) fn embed(vocabulary: &Vocabulary, targets: &[Target], encoder: &dyn SentenceEncoder) -> Option<Self> {
        let is_label = |name: &Predicate| {
            let mut own_targets = targets.iter().enumerate().filter(|(_, target)| target.predicate == *name);
            own_targets.any(|(at, target)| target.label == at)
        };
        let examples: Vec<(Predicate, &str)> = vocabulary
            .predicates()
            .filter(|def| !PredicateRole::Related.is(&def.name) && is_label(&def.name))
            .flat_map(|def| def.examples.iter().map(|example| (def.name.clone(), example.as_str())))
            .collect();
        let vectors = encoder.vectors(&examples.iter().map(|(_, example)| *example).collect::<Vec<_>>())?;
        Some(Self { vectors: examples.into_iter().map(|(name, _)| name).zip(vectors).collect() })
    }
}

/// Proposes facts for sentences that match no pattern, by their similarity to the examples of relations. The confidence
/// of these facts is so low that they wait for review.
pub(crate) fn propose_by_similarity(
    examples: &Examples,
    targets: &[Target],
    encoder: &dyn SentenceEncoder,
    facts: &mut Vec<RawFact>,
    unmatched: &[UnmatchedSentence],
) {
    let sentences: Vec<&str> = unmatched.iter().map(|unmatched| unmatched.sentence.as_str()).collect();
    let Some(vectors) = encoder.vectors(&sentences) else { return };
    for (unmatched, vector) in unmatched.iter().zip(vectors) {
        let mut best: Option<(f32, &Predicate)> = None;
        for (name, example) in &examples.vectors {
            let cosine: f32 = vector.iter().zip(example).map(|(a, b)| a * b).sum();
            if best.is_none_or(|(best_cosine, _)| cosine > best_cosine) {
                best = Some((cosine, name));
            }
        }
        let Some((_, name)) = best.filter(|(cosine, _)| *cosine >= MIN_COSINE) else { continue };
        let Some(target) =
            targets.iter().position(|target| target.predicate == *name && !target.ended && !target.denied)
        else {
            continue;
        };
        if !unmatched.subject_kinds.intersects(targets[target].subject)
            || !unmatched.object_kinds.intersects(targets[target].object)
        {
            continue;
        }
        // If a candidate with this relation already exists, it gets a weight, and no second fact is added.
        let entities = (unmatched.subject.entity, unmatched.object.entity);
        let existing = facts.iter_mut().find(|fact| {
            let fact_entities = match &fact.object {
                RawObject::Entity(entity) => (fact.subject, *entity),
                RawObject::Value(_) => return false,
            };
            let is_same_pair = fact_entities == entities || (fact_entities.1, fact_entities.0) == entities;
            fact.weight_names.is_candidate()
                && is_same_pair
                && targets[fact.target].predicate == *name
                && fact.span.start >= unmatched.start
        });
        if let Some(existing) = existing {
            existing.weight_names.names.push(Weight::LOOSE_MEANT);
            continue;
        }
        facts.push(RawFact {
            subject: unmatched.subject.entity,
            target,
            pattern_target: target,
            object: RawObject::Entity(unmatched.object.entity),
            relation: String::new(),
            detail: String::new(),
            weight_names: WeightNames { names: vec![Weight::LOOSE, Weight::BY_MEANING] },
            span: unmatched.span,
            stated_by: unmatched.stated_by,
            told_to: Vec::new(),
            denied: false,
            ended: false,
            confidence_factor: 1.0,
            cues: vec![Cue { kind: CueKind::Meaning, words: name.as_str().to_lowercase().replace('_', " ") }],
            stage: ExtractionStage::SentenceSimilarity,
        });
    }
}
