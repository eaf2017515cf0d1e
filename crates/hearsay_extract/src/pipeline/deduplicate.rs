//! Removes a fact if a more certain fact was found in the same words.

use hearsay_model::{Predicate, PredicateRole};

use crate::{
    candidates::attribute_classifier::values_overlap,
    facts::{ExtractedFact, FactObject},
    language::weights::Weight,
};

/// A candidate with a confidence below `MAX_DROPPED_CONFIDENCE` is dropped if a better reading has at least the
/// confidence `MIN_BETTER_CONFIDENCE`.
const MAX_DROPPED_CONFIDENCE: f64 = 0.5;
const MIN_BETTER_CONFIDENCE: f64 = 0.85;

/// Maximum distance in bytes between the starts of two facts that are compared.
const MAX_BYTE_DISTANCE: usize = 300;

/// Fact with the names of the weights that determine its confidence.
#[derive(Debug, Clone)]
pub(crate) struct WeightedFact {
    pub(crate) fact: ExtractedFact,
    /// Predicate that the weights use for the fact: the predicate itself, or a more general one.
    pub(crate) label: Predicate,
    pub(crate) weight_names: Vec<Weight>,
    /// Whether the weights alone determine the confidence.
    pub(crate) uses_weights_only: bool,
}

impl WeightedFact {
    /// Returns whether another fact states the same as this fact. The predicate of one fact may be more general: "Ann
    /// has to do with Bo" states nothing that "Ann is a sibling of Bo" does not state.
    ///
    /// `is_symmetric` says whether the relation applies in both directions.
    pub(crate) fn states_same(&self, other: &Self, is_symmetric: bool) -> bool {
        let (fact, other_fact) = (&self.fact, &other.fact);
        let has_same_predicate = fact.predicate == other_fact.predicate;
        let is_label_only = [fact, other_fact].iter().any(|fact| fact.predicate == self.label);
        let is_symmetric = is_symmetric || (!has_same_predicate && PredicateRole::Related.is(&self.label));
        (has_same_predicate || (self.label == other.label && is_label_only))
            && other_fact.denied == fact.denied
            && other_fact.ended == fact.ended
            && other_fact.stated_by == fact.stated_by
            && ((other_fact.subject == fact.subject && other_fact.object == fact.object)
                || (is_symmetric
                    && FactObject::Entity(other_fact.subject.clone()) == fact.object
                    && other_fact.object == FactObject::Entity(fact.subject.clone())))
    }

    /// Returns whether the fact is a candidate: a fact that was proposed without an exact match of a pattern.
    pub(crate) fn is_candidate(&self) -> bool {
        self.weight_names.contains(&Weight::LOOSE)
    }
}

/// Drops a candidate if a better reading relates the same two entities or uses the same words. Also drops a
/// fact if another statement says that it is over.
///
/// The facts must be sorted by their position in the text.
pub(crate) fn drop_superseded(facts: &mut Vec<WeightedFact>) {
    let start = |at: usize| facts[at].fact.span.start;
    let mut first = 0;
    let mut is_superseded = vec![false; facts.len()];
    for at in 0..facts.len() {
        while start(first) + MAX_BYTE_DISTANCE < start(at) {
            first += 1;
        }
        for other in first..at {
            is_superseded[at] |= is_superseded_by(&facts[at], &facts[other].fact);
            is_superseded[other] |= is_superseded_by(&facts[other], &facts[at].fact);
        }
    }
    let mut is_superseded = is_superseded.into_iter();
    facts.retain(|_| is_superseded.next() == Some(false));
}

/// Returns whether a fact is dropped because of another fact.
fn is_superseded_by(weighted: &WeightedFact, other: &ExtractedFact) -> bool {
    let fact = &weighted.fact;
    let other_confidence = other.confidence.get();
    if other.denied {
        return false;
    }
    let is_same_fact =
        (&fact.subject, &fact.predicate, &fact.object) == (&other.subject, &other.predicate, &other.object);
    if is_same_fact && other.ended && !fact.ended && other_confidence >= MAX_DROPPED_CONFIDENCE {
        return true;
    }
    weighted.is_candidate()
        && fact.confidence.get() < MAX_DROPPED_CONFIDENCE
        && other_confidence >= MIN_BETTER_CONFIDENCE
        && match (&other.object, &fact.object) {
            (FactObject::Entity(a), FactObject::Entity(b)) => {
                (&other.subject, a) == (&fact.subject, b) || (a, &other.subject) == (&fact.subject, b)
            }
            (FactObject::Value(a), FactObject::Value(b)) => {
                let is_disjoint = fact.span.end <= other.span.start || other.span.end <= fact.span.start;
                (!is_disjoint || fact.subject == other.subject) && values_overlap(a, b)
            }
            _ => false,
        }
}
