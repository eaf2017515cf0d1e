//! Facts as they are read in a sentence, before their confidence is computed.

use hearsay_model::{ExtractionStage, Factuality, Span};

pub(crate) use crate::facts::UNSPECIFIED_RELATION;
use crate::{
    entities::mentions::EntityRef, facts::Cue, language::weights::Weight,
    sentence_reader::assertion_status::AssertionStatus,
};

/// Object of a fact that was read: an entity or a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RawObject {
    Entity(EntityRef),
    /// A value: words of the text, or words of the extractor.
    Value(String),
}

/// Basis on which facts are recorded: the assertion status of the words that state them, and the names of the weights
/// that are known so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FactBasis<'s> {
    pub(crate) status: &'s AssertionStatus,
    pub(crate) weight_names: &'s [Weight],
}

impl<'s> FactBasis<'s> {
    /// Creates a basis from its parts.
    pub(crate) fn new(status: &'s AssertionStatus, weight_names: &'s [Weight]) -> Self {
        Self { status, weight_names }
    }

    /// Returns the basis with another assertion status.
    pub(crate) fn with_status(self, status: &'s AssertionStatus) -> Self {
        Self { status, ..self }
    }

    /// Returns the basis with other weights.
    pub(crate) fn with_weights(self, weight_names: &'s [Weight]) -> Self {
        Self { weight_names, ..self }
    }
}

/// Names of the weights that determine the confidence of a fact.
#[derive(Debug, Clone, Default)]
pub(crate) struct WeightNames {
    pub(crate) names: Vec<Weight>,
}

impl WeightNames {
    /// Returns whether the fact is a candidate: a fact that was proposed without an exact match of a pattern.
    pub(crate) fn is_candidate(&self) -> bool {
        self.names.contains(&Weight::LOOSE)
    }

    /// Returns the names in alphabetical order without duplicates.
    pub(crate) fn sorted(&self) -> Vec<Weight> {
        let mut names = self.names.clone();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Fact that was read in a sentence, before its confidence is computed.
#[derive(Debug, Clone)]
pub(crate) struct RawFact {
    pub(crate) subject: EntityRef,
    /// Index of the label of `pattern_target`. The classifiers and weights use this target.
    pub(crate) target: usize,
    /// Index of the target whose pattern matched. The fact gets the predicate of this target.
    pub(crate) pattern_target: usize,
    pub(crate) object: RawObject,
    pub(crate) relation: String,
    /// Words that say more about the relation, such as "ten crowns" for a debt. Empty for most facts.
    pub(crate) detail: String,
    pub(crate) weight_names: WeightNames,
    pub(crate) span: Span,
    pub(crate) stated_by: Option<EntityRef>,
    pub(crate) told_to: Vec<EntityRef>,
    pub(crate) denied: bool,
    pub(crate) ended: bool,
    pub(crate) confidence_factor: f64,
    pub(crate) cues: Vec<Cue>,
    /// Stage that read the fact.
    pub(crate) stage: ExtractionStage,
}

impl RawFact {
    /// Returns the assertion status of the fact.
    pub(crate) fn factuality(&self) -> Factuality {
        match (self.denied, self.ended) {
            (true, _) => Factuality::Negated,
            (false, true) => Factuality::Ended,
            (false, false) if self.cues.iter().any(|cue| cue.kind.is_doubt()) => Factuality::Hedged,
            (false, false) => Factuality::Asserted,
        }
    }

    /// Returns whether the fact relates two entities, in either direction.
    pub(crate) fn relates(&self, a: EntityRef, b: EntityRef) -> bool {
        let RawObject::Entity(object) = self.object else { return false };
        (self.subject == a && object == b) || (self.subject == b && object == a)
    }
}
