//! Merges the extractions of the parts of a text into one.

use std::collections::BTreeMap;

use hearsay_model::{Span, Vocabulary, text};
use serde::{Deserialize, Serialize};

use crate::{ExtractedFact, Extraction, Mention, NewEntity, Stated};

/// Another quote from the text that states a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Further {
    /// Index of the fact in [`Extraction::facts`].
    pub fact: usize,
    /// Byte range of the quote in the text.
    pub span: Span,
    /// The quote itself.
    pub quote: String,
}

/// Key of a fact; facts with the same key are merged. The fields are the subject, the predicate, the object, whether
/// the text denies the fact, whether the fact is over, and the character who states it.
type Key = (Mention, String, Stated, bool, bool, Option<Mention>);

/// Merges extractions of parts. New entities with the same name become one entity. Facts with the same [`Key`] become
/// one fact, and their other quotes become [`Further`] entries. Returns the merged extraction, these quotes, and the
/// number of entities and facts that were merged away.
pub(crate) fn merge(parts: Vec<Extraction>, vocabulary: &Vocabulary) -> (Extraction, Vec<Further>, usize) {
    let mut whole = Extraction::default();
    let mut merged = 0;
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut keys: BTreeMap<Key, usize> = BTreeMap::new();
    let mut further: Vec<Further> = Vec::new();
    for part in parts {
        whole.addresses_program |= part.addresses_program;
        let places: Vec<usize> = part
            .entities
            .into_iter()
            .map(|entity| join(&mut whole.entities, &mut names, entity, &mut merged))
            .collect();
        let moved = |mention: Mention| match mention {
            Mention::New(index) => Mention::New(places.get(index).copied().unwrap_or(index)),
            known => known,
        };
        for naming in part.mentions {
            if !whole.mentions.iter().any(|other| other.entity == naming.entity) {
                whole.mentions.push(naming);
            }
        }
        for fact in part.facts {
            let fact = ExtractedFact {
                subject: moved(fact.subject),
                object: match fact.object {
                    Stated::Entity(mention) => Stated::Entity(moved(mention)),
                    value => value,
                },
                stated_by: fact.stated_by.map(moved),
                told_to: fact.told_to.into_iter().map(moved).collect(),
                ..fact
            };
            // If subject and object were merged into one entity, the fact states nothing.
            if fact.object == Stated::Entity(fact.subject.clone()) {
                merged += 1;
                continue;
            }
            match keys.entry(key(&fact, vocabulary)) {
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert(whole.facts.len());
                    whole.facts.push(fact);
                }
                std::collections::btree_map::Entry::Occupied(entry) => {
                    merged += 1;
                    let at = *entry.get();
                    let mut other = fact;
                    if other.confidence > whole.facts[at].confidence {
                        std::mem::swap(&mut other, &mut whole.facts[at]);
                    }
                    let there = |span: Span| {
                        span == whole.facts[at].span || further.iter().any(|one| one.fact == at && one.span == span)
                    };
                    if !there(other.span) {
                        further.push(Further { fact: at, span: other.span, quote: other.quote });
                    }
                    for who in other.told_to {
                        if !whole.facts[at].told_to.contains(&who) {
                            whole.facts[at].told_to.push(who);
                        }
                    }
                }
            }
        }
    }
    in_order(&mut whole, &mut further);
    (whole, further, merged)
}

fn join(
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
        Some(held) => {
            *merged += 1;
            held.confidence = held.confidence.max(entity.confidence);
            held.kind = held.kind.take().or(entity.kind);
        }
    }
    at
}

fn key(fact: &ExtractedFact, vocabulary: &Vocabulary) -> Key {
    let mut subject = fact.subject.clone();
    let mut object = match &fact.object {
        Stated::Value(value) => Stated::Value(text::normal(value)),
        entity => entity.clone(),
    };
    let symmetric = vocabulary.predicate(&fact.predicate).is_some_and(|def| def.symmetric);
    if let Stated::Entity(other) = &mut object
        && symmetric
        && fact.relation.is_none()
        && *other < subject
    {
        std::mem::swap(other, &mut subject);
    }
    let predicate = match &fact.relation {
        Some(words) => format!("{} {}", fact.predicate, text::normal(words)),
        None => fact.predicate.to_string(),
    };
    (subject, predicate, object, fact.denied, fact.over, fact.stated_by.clone())
}

/// Sorts the facts by the position of their quotes in the text.
fn in_order(whole: &mut Extraction, further: &mut [Further]) {
    let mut order: Vec<usize> = (0..whole.facts.len()).collect();
    order.sort_by_key(|at| (whole.facts[*at].span.start, *at));
    let mut place = vec![0; order.len()];
    for (new, old) in order.iter().enumerate() {
        place[*old] = new;
    }
    let mut facts: Vec<Option<ExtractedFact>> = std::mem::take(&mut whole.facts).into_iter().map(Some).collect();
    whole.facts = order.into_iter().filter_map(|at| facts[at].take()).collect();
    for one in further.iter_mut() {
        one.fact = place[one.fact];
    }
    further.sort_by_key(|one| (one.fact, one.span.start));
    whole.mentions.sort_by_key(|naming| naming.span.start);
}
