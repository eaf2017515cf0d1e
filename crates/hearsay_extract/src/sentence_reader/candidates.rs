//! Candidates for facts, on which the classifiers decide. The candidates are also the training examples of the
//! classifiers.

use hearsay_model::Predicate;

use super::{RawObject, ResolvedEntity};
use crate::entities::mentions::EntityRef;

/// Entity that a clause mentions, with the range of tokens of the mention.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MentionSpan {
    pub(crate) resolved: ResolvedEntity,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether the words refer to another person or thing, which has no name, and the entity only stands in for it. For
    /// example, Odo stands in for his horse in "Odo's horse".
    pub(crate) is_substitute: bool,
}

/// Two entities in one sentence, with the features for the classifier.
#[derive(Debug, Clone)]
pub(crate) struct EntityPair {
    pub(crate) first: MentionSpan,
    pub(crate) second: MentionSpan,
    pub(crate) features: Vec<String>,
}

impl EntityPair {
    pub(crate) fn entities(&self) -> (EntityRef, EntityRef) {
        (self.first.resolved.entity, self.second.resolved.entity)
    }
}

/// Words that can be a value, with an entity that they can describe.
#[derive(Debug, Clone)]
pub(crate) struct AttributeCandidate {
    pub(crate) subject: MentionSpan,
    /// First token of the value.
    pub(crate) from: usize,
    /// Token after the value.
    pub(crate) to: usize,
    pub(crate) value: String,
    pub(crate) features: Vec<String>,
}

/// Fact that was read, with the features from which the classifier decides whether it is over or doubtful.
#[derive(Debug, Clone)]
pub(crate) struct AssertionExample {
    pub(crate) subject: EntityRef,
    pub(crate) predicate: Predicate,
    pub(crate) object: RawObject,
    pub(crate) features: Vec<String>,
}

/// Training examples for the classifiers, collected from a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct TrainingExamples {
    pub(crate) pairs: Vec<EntityPair>,
    pub(crate) values: Vec<AttributeCandidate>,
    pub(crate) assertions: Vec<AssertionExample>,
}
