//! Compares extracted facts with labelled facts.

use hearsay_extract::{ExtractedFact, Extraction, Mention, Stated};
use hearsay_model::{Predicate, PredicateRole, Vocabulary, text};

use super::labelled::LabelledFact;

/// Returns whether an extracted fact matches a labelled fact. `EXTRACTION.md` defines the rules.
pub(super) fn same(fact: &ExtractedFact, label: &LabelledFact, found: &Extraction, vocabulary: &Vocabulary) -> bool {
    let (mut name, mut subject, mut object) = (&label.predicate, label.subject.as_str(), label.object.as_str());
    if let Some(def) = vocabulary.inverse_of(name) {
        (name, subject, object) = (&def.name, object, subject);
    }
    if fact.predicate != *name || fact.over != label.over {
        return false;
    }
    let by = match (&fact.stated_by, &label.by) {
        (None, None) => true,
        (Some(by), Some(label)) => is(by, label, found),
        _ => false,
    };
    if !by {
        return false;
    }
    match &fact.object {
        Stated::Value(value) => is(&fact.subject, subject, found) && same_value(value, object),
        Stated::Entity(entity) => {
            let symmetric = either_way(vocabulary, name);
            (is(&fact.subject, subject, found) && is(entity, object, found))
                || (symmetric && is(&fact.subject, object, found) && is(entity, subject, found))
        }
    }
}

/// Returns whether a relation matches in both directions: it is symmetric, or it is `RELATED_TO`.
pub(super) fn either_way(vocabulary: &Vocabulary, relation: &Predicate) -> bool {
    vocabulary.predicate(relation).is_some_and(|def| def.symmetric) || PredicateRole::Related.is(relation)
}

/// Returns whether a mention matches the subject or object of a labelled fact.
pub(super) fn is(mention: &Mention, label: &str, found: &Extraction) -> bool {
    match (mention, label.strip_prefix("new:")) {
        (Mention::Known(id), None) => id.as_str() == label,
        (Mention::New(at), Some(name)) => found.entities.get(*at).is_some_and(|entity| same_value(&entity.name, name)),
        _ => false,
    }
}

/// Returns whether two values match: their words are the same, or one value contains all words of the other. Articles
/// are ignored.
pub(super) fn same_value(a: &str, b: &str) -> bool {
    let words = |value: &str| -> Vec<String> {
        text::words(value).into_iter().filter(|word| !["a", "an", "the"].contains(&word.as_str())).collect()
    };
    let (a, b) = (words(a), words(b));
    !a.is_empty() && !b.is_empty() && (text::names(&a, &b) || text::names(&b, &a))
}
