//! Compares extracted facts with labelled facts.

use hearsay_extract::{ExtractedFact, Extraction, Extractor, FactObject, Mention};
use hearsay_model::{Predicate, PredicateRole, Vocabulary, text, words::is_article};

use super::labelled::LabelledFact;

/// Returns whether an extracted fact matches a labelled fact. `EXTRACTION.md` defines the rules.
pub(crate) fn facts_match(
    fact: &ExtractedFact,
    label: &LabelledFact,
    extraction: &Extraction,
    extractor: &Extractor,
    vocabulary: &Vocabulary,
) -> bool {
    let (mut name, mut subject, mut object) = (&label.predicate, label.subject.as_str(), label.object.as_str());
    if let Some(def) = vocabulary.inverse_of(name) {
        (name, subject, object) = (&def.name, object, subject);
    }
    // The labels are older than some relations of the vocabulary. They name such a relation by another predicate.
    let has_predicate = fact.predicate == *name || extractor.label(&fact.predicate) == name;
    if !has_predicate || fact.ended != label.over {
        return false;
    }
    let has_same_speaker = match (&fact.stated_by, &label.by) {
        (None, None) => true,
        (Some(speaker), Some(label)) => mention_matches(speaker, label, extraction),
        _ => false,
    };
    if !has_same_speaker {
        return false;
    }
    match &fact.object {
        FactObject::Value(value) => mention_matches(&fact.subject, subject, extraction) && values_match(value, object),
        FactObject::Entity(entity) => {
            let is_bidirectional_relation = is_bidirectional(vocabulary, name);
            (mention_matches(&fact.subject, subject, extraction) && mention_matches(entity, object, extraction))
                || (is_bidirectional_relation
                    && mention_matches(&fact.subject, object, extraction)
                    && mention_matches(entity, subject, extraction))
        }
    }
}

/// Returns whether a relation matches in both directions: it is symmetric, or it is `RELATED_TO`.
pub(super) fn is_bidirectional(vocabulary: &Vocabulary, relation: &Predicate) -> bool {
    vocabulary.predicate(relation).is_some_and(|def| def.symmetric) || PredicateRole::Related.is(relation)
}

/// Returns whether a mention matches the subject or object of a labelled fact.
pub(super) fn mention_matches(mention: &Mention, label: &str, extraction: &Extraction) -> bool {
    match (mention, label.strip_prefix("new:")) {
        (Mention::Known(id), None) => id.as_str() == label,
        (Mention::New(at), Some(name)) => {
            extraction.entities.get(*at).is_some_and(|entity| values_match(&entity.name, name))
        }
        _ => false,
    }
}

/// Returns whether two values match: their words are the same, or one value contains all words of the other. Articles
/// are ignored.
pub(crate) fn values_match(a: &str, b: &str) -> bool {
    let words =
        |value: &str| -> Vec<String> { text::words(value).into_iter().filter(|word| !is_article(word)).collect() };
    let (a, b) = (words(a), words(b));
    !a.is_empty() && !b.is_empty() && (text::contains_name(&a, &b) || text::contains_name(&b, &a))
}
