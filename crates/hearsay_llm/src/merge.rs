//! Merges the extractions of the parts of a text into one.

use std::collections::BTreeMap;

use hearsay_extract::{ExtractedFact, Extraction, FactObject, Mention, NewEntity};
use hearsay_model::{Span, Vocabulary, lists::extend_new, text};
use serde::{Deserialize, Serialize};

/// Another quote from the text that states a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdditionalQuote {
    /// Index of the fact in [`Extraction::facts`].
    pub fact: usize,
    /// Byte range of the quote in the text.
    pub span: Span,
    /// The quote itself.
    pub quote: String,
}

/// Key of a fact; facts with the same key are merged. The fields are the subject, the predicate, the object, whether
/// the text denies the fact, whether the fact is over, and the character who states it.
type FactKey = (Mention, String, FactObject, bool, bool, Option<Mention>);

/// Merges extractions of parts. New entities with the same name become one entity. Facts with the same [`FactKey`]
/// become one fact, and their other quotes become [`AdditionalQuote`] entries. Returns the merged extraction, these
/// quotes, and the number of entities and facts that were merged away.
pub(crate) fn merge_parts(
    parts: Vec<Extraction>,
    vocabulary: &Vocabulary,
) -> (Extraction, Vec<AdditionalQuote>, usize) {
    let mut extraction = Extraction::default();
    let mut merged = 0;
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut keys: BTreeMap<FactKey, usize> = BTreeMap::new();
    let mut additional_quotes: Vec<AdditionalQuote> = Vec::new();
    for part in parts {
        extraction.addresses_program |= part.addresses_program;
        let entity_indices: Vec<usize> = part
            .entities
            .into_iter()
            .map(|entity| merge_entity(&mut extraction.entities, &mut names, entity, &mut merged))
            .collect();
        let with_merged_index = |mention: Mention| match mention {
            Mention::New(index) => Mention::New(entity_indices.get(index).copied().unwrap_or(index)),
            known => known,
        };
        for occurrence in part.mentions {
            if !extraction.mentions.iter().any(|other| other.entity == occurrence.entity) {
                extraction.mentions.push(occurrence);
            }
        }
        for fact in part.facts {
            let fact = ExtractedFact {
                subject: with_merged_index(fact.subject),
                object: match fact.object {
                    FactObject::Entity(mention) => FactObject::Entity(with_merged_index(mention)),
                    value => value,
                },
                stated_by: fact.stated_by.map(with_merged_index),
                told_to: fact.told_to.into_iter().map(with_merged_index).collect(),
                ..fact
            };
            // If subject and object were merged into one entity, the fact states nothing.
            if fact.object == FactObject::Entity(fact.subject.clone()) {
                merged += 1;
                continue;
            }
            match keys.entry(fact_key(&fact, vocabulary)) {
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert(extraction.facts.len());
                    extraction.facts.push(fact);
                }
                std::collections::btree_map::Entry::Occupied(entry) => {
                    merged += 1;
                    let at = *entry.get();
                    let mut other = fact;
                    if other.confidence > extraction.facts[at].confidence {
                        std::mem::swap(&mut other, &mut extraction.facts[at]);
                    }
                    let is_known_quote = |span: Span| {
                        span == extraction.facts[at].span
                            || additional_quotes.iter().any(|quote| quote.fact == at && quote.span == span)
                    };
                    if !is_known_quote(other.span) {
                        additional_quotes.push(AdditionalQuote { fact: at, span: other.span, quote: other.quote });
                    }
                    extend_new(&mut extraction.facts[at].told_to, other.told_to);
                }
            }
        }
    }
    sort_by_position(&mut extraction, &mut additional_quotes);
    (extraction, additional_quotes, merged)
}

fn merge_entity(
    entities: &mut Vec<NewEntity>,
    names: &mut BTreeMap<String, usize>,
    entity: NewEntity,
    merged: &mut usize,
) -> usize {
    let words = text::words(&entity.name);
    let skip = usize::from(words.len() > 1 && words[0] == "the");
    let at = *names.entry(words[skip..].join(" ")).or_insert(entities.len());
    match entities.get_mut(at) {
        None => entities.push(entity),
        Some(existing) => {
            *merged += 1;
            existing.confidence = existing.confidence.max(entity.confidence);
            existing.kind = existing.kind.take().or(entity.kind);
        }
    }
    at
}

fn fact_key(fact: &ExtractedFact, vocabulary: &Vocabulary) -> FactKey {
    let mut subject = fact.subject.clone();
    let mut object = match &fact.object {
        FactObject::Value(value) => FactObject::Value(text::normalize(value)),
        entity => entity.clone(),
    };
    let is_symmetric = vocabulary.predicate(&fact.predicate).is_some_and(|def| def.symmetric);
    if let FactObject::Entity(other) = &mut object
        && is_symmetric
        && fact.relation.is_none()
        && *other < subject
    {
        std::mem::swap(other, &mut subject);
    }
    let predicate = match &fact.relation {
        Some(words) => format!("{} {}", fact.predicate, text::normalize(words)),
        None => fact.predicate.to_string(),
    };
    (subject, predicate, object, fact.denied, fact.ended, fact.stated_by.clone())
}

/// Sorts the facts by the position of their quotes in the text.
fn sort_by_position(extraction: &mut Extraction, additional_quotes: &mut [AdditionalQuote]) {
    let mut order: Vec<usize> = (0..extraction.facts.len()).collect();
    order.sort_by_key(|at| (extraction.facts[*at].span.start, *at));
    let mut new_indices = vec![0; order.len()];
    for (new, old) in order.iter().enumerate() {
        new_indices[*old] = new;
    }
    let mut facts: Vec<Option<ExtractedFact>> = std::mem::take(&mut extraction.facts).into_iter().map(Some).collect();
    extraction.facts = order.into_iter().filter_map(|at| facts[at].take()).collect();
    for quote in additional_quotes.iter_mut() {
        quote.fact = new_indices[quote.fact];
    }
    additional_quotes.sort_by_key(|quote| (quote.fact, quote.span.start));
    extraction.mentions.sort_by_key(|occurrence| occurrence.span.start);
}
