//! Correction of a fact by a sentence.

use hearsay_extract::{ExtractedFact, Extraction, FactObject, Mention};
use hearsay_model::{EntityId, Fact, Factuality, Object, Predicate, State, attribute, spelling, text};

use super::Decision;

/// Minimum confidence at which a sentence changes a fact that is only a sentence into a promise or a debt.
const MIN_THREAD_CONFIDENCE: f64 = 0.7;

/// Minimum confidence that words of a sentence are the name of an entity.
const MIN_NAME_CONFIDENCE: f64 = 0.65;

/// Returns the name of an entity that is not recorded, if a sentence that corrects a fact is about this entity: the sentence
/// begins with the name, or states a relation of a recorded entity to it. Returns `None` if the statement of the fact
/// contains the name too. `extraction` is what was found in the sentence.
pub fn unrecorded_name<'e>(fact: &Fact, extraction: &'e Extraction) -> Option<&'e str> {
    let statement = text::words(fact.statement());
    let leads_to = |extracted: &ExtractedFact, name: usize| {
        let is_recorded = matches!(extracted.subject, Mention::Known(_));
        is_recorded && extracted.object == FactObject::Entity(Mention::New(name))
    };
    let mut names = extraction.entities.iter().enumerate();
    let unrecorded = names.find(|(at, name)| {
        let is_object = || extraction.facts.iter().any(|extracted| leads_to(extracted, *at));
        name.confidence.get() >= MIN_NAME_CONFIDENCE
            && (name.span.start == 0 || is_object())
            && !text::contains_name(&statement, &text::words(&name.name))
    });
    unrecorded.map(|(_, name)| name.name.as_str())
}

impl Decision {
    /// Returns the decision that a fact is true in the words of a sentence. `facts` are the facts that were extracted
    /// from the sentence.
    ///
    /// If the sentence states a relation or an attribute of a recorded entity, the decision takes subject, predicate
    /// and object from the sentence. Of several facts, the one that resembles the corrected fact most counts. Otherwise,
    /// only the sentence changes, unless the sentence does not contain the object of the fact: the fact then becomes a
    /// fact that is only a sentence (`lore`). A fact that is only a sentence changes into unfinished business, such as a
    /// promise or a debt, if the sentence states it with a high confidence, and into no other relation.
    pub fn corrected_by(state: &State, sentence: String, fact: &Fact, facts: &[ExtractedFact]) -> Self {
        let vocabulary = state.vocabulary();
        let is_sentence = *fact.predicate() == *attribute::LORE;
        let is_candidate = |extracted: &&ExtractedFact| {
            let is_thread = vocabulary.behavior(&extracted.predicate).thread.is_some();
            !is_sentence || is_thread && extracted.confidence.get() >= MIN_THREAD_CONFIDENCE
        };
        let stated = closest(fact, facts.iter().filter(is_candidate));
        let (subject, predicate, object) = match stated {
            Some((subject, predicate, object)) => (
                (subject != fact.subject()).then(|| subject.clone()),
                (predicate != fact.predicate()).then(|| predicate.to_string()),
                (object != *fact.object()).then_some(object),
            ),
            None if is_sentence || contains_object(state, &sentence, fact.object()) => (None, None, None),
            None => (None, Some(attribute::LORE.to_owned()), Some(Object::Value(sentence.as_str().into()))),
        };
        Self::Edit { subject, predicate, object, statement: Some(sentence) }
    }
}

/// Returns whether a sentence contains a word of an object: a word of a value, or of a name of an entity.
fn contains_object(state: &State, sentence: &str, object: &Object) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text::words(text).into_iter().filter(|word| !spelling::is_stop_word(word));
        words.map(|word| spelling::stem(&word)).collect()
    };
    let sentence = words(sentence);
    let is_in_sentence = |part: &str| words(part).iter().any(|word| sentence.contains(word));
    match object {
        Object::Entity(id) => state.names(id).into_iter().any(is_in_sentence),
        Object::Value(value) => is_in_sentence(&value.to_string()),
    }
}

/// Returns the parts of the extracted fact that resembles a fact most.
fn closest<'a>(
    fact: &Fact,
    facts: impl Iterator<Item = &'a ExtractedFact>,
) -> Option<(&'a EntityId, &'a Predicate, Object)> {
    let parts = facts.filter_map(|extracted| Some((extracted, parts_of(extracted)?)));
    let resemblance = |(subject, predicate, _): &(&EntityId, &Predicate, Object)| {
        (*predicate == fact.predicate(), *subject == fact.subject())
    };
    let closest = parts.max_by(|(a_fact, a), (b_fact, b)| {
        let by_confidence = a_fact.confidence.get().total_cmp(&b_fact.confidence.get());
        resemblance(a).cmp(&resemblance(b)).then(by_confidence)
    });
    closest.map(|(_, parts)| parts)
}

/// Returns subject, predicate and object of an extracted fact; `None` if the sentence does not assert the fact, or if an
/// entity is new.
fn parts_of(extracted: &ExtractedFact) -> Option<(&EntityId, &Predicate, Object)> {
    let is_asserted = extracted.factuality == Factuality::Asserted && !extracted.denied && !extracted.ended;
    if !is_asserted || extracted.stated_by.is_some() {
        return None;
    }
    let (subject, object) = extracted.known_parts()?;
    Some((subject, &extracted.predicate, object))
}
