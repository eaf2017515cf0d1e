//! Search for the recorded secret with the content of another fact. A copy of a secret must not be open.

use std::{collections::BTreeSet, sync::Arc};

use hearsay_model::{Evidence, Fact, FactId, FactStatus, PassageId, Secrecy, State, attribute, text};
use hearsay_recall::stems;

use super::claim::{Claim, is_equivalent, is_negated, is_other_occurrence, is_part_of};

/// Minimum share of the words of the shorter of two statements that the longer statement also contains, if one is the
/// other in other words. Names are not counted.
const MIN_SHARED_WORDS: f64 = 0.8;

/// Returns the canon secret that states the same as a fact. The two have the same claim or the same sentence. A fact that
/// is only a sentence is also a copy of a secret if a text in which the fact was found states the secret, and the fact is
/// the secret [in other words](is_reworded). `except` is the id of a fact that does not count. Returns `None` if there is
/// no such secret.
pub fn recorded_secret<'a>(state: &'a State, fact: &Fact, except: FactId) -> Option<&'a Arc<Fact>> {
    let vocabulary = state.vocabulary();
    let context = |fact: &Fact| (fact.fact_relation(), fact.validity().is_closed());
    let is_secret = |other: &&Arc<Fact>| {
        other.id() != except && other.secrecy() == Secrecy::Secret && other.status() == FactStatus::Canon
    };
    let mut secrets = fact.entities().flat_map(|id| state.facts_of(id)).filter(is_secret).peekable();
    secrets.peek()?;
    let (claim, sentence) = (Claim::from_fact(vocabulary, fact), text::normalize(fact.statement()));
    let has_same_sentence =
        |other: &Fact| context(other) == context(fact) && text::normalize(other.statement()) == sentence;
    let is_same = |other: &Arc<Fact>| {
        (is_equivalent(vocabulary, (&claim, fact.statement()), other) || has_same_sentence(other))
            && !is_other_occurrence(state, fact, other)
    };
    let passages: Vec<PassageId> = fact.provenance().evidence.iter().filter_map(Evidence::passage).collect();
    let is_copy = |other: &&Arc<Fact>| {
        is_same(other) || (is_stated_in(state, other, &passages) && is_reworded(state, fact, other))
    };
    secrets.filter(is_copy).min_by_key(|other| (!is_same(other), other.id()))
}

/// Returns whether one of the passages states a fact: the fact cites the passage, or somebody learned the fact from it in
/// a session.
fn is_stated_in(state: &State, fact: &Fact, passages: &[PassageId]) -> bool {
    let mut cited = fact.provenance().evidence.iter().filter_map(Evidence::passage);
    let mut edges = state.recorded_edges(fact.id()).filter(|(_, edge)| edge.session.is_some());
    cited.any(|cited| passages.contains(&cited))
        || edges.any(|(edge, _)| passages.iter().any(|passage| state.is_recorded_with(edge, *passage)))
}

/// Returns whether a fact that is only a sentence states another fact, or a part of it, in other words: most words of the
/// shorter statement also occur in the longer one. Names of the entities of the facts are not counted, because several
/// facts can be about the same entities. A single word counts only if one statement is a part of the other.
pub fn is_reworded(state: &State, fact: &Fact, other: &Fact) -> bool {
    let context = |fact: &Fact| (fact.fact_relation(), fact.validity().is_closed(), is_negated(fact.statement()));
    if *fact.predicate() != *attribute::LORE || context(fact) != context(other) {
        return false;
    }
    let names: BTreeSet<String> =
        fact.entities().chain(other.entities()).flat_map(|id| state.names(id)).flat_map(stems).collect();
    let words = |fact: &Fact| -> BTreeSet<String> {
        stems(fact.statement()).into_iter().filter(|word| !names.contains(word)).collect()
    };
    let (own, others) = (words(fact), words(other));
    let shared = own.intersection(&others).count();
    let min_shared = if is_part_of(fact, other) || is_part_of(other, fact) { 1 } else { 2 };
    shared >= min_shared && shared as f64 >= MIN_SHARED_WORDS * own.len().min(others.len()) as f64
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Author, Change, Entity, EntityId, Method, Operation, Provenance};

    use super::*;

    #[test]
    fn a_secret_in_other_words_has_most_of_its_words() {
        let id = |id: &str| EntityId::new(id).unwrap();
        let fact = |subject: &str, mentions: &[&str], statement: &str| {
            let provenance = Provenance::new(Method::Stated, Author::Extractor);
            let builder = Fact::attribute(&id(subject), "lore", statement, provenance).unwrap().statement(statement);
            builder.mentions(mentions.iter().map(|mention| id(mention))).build().unwrap()
        };
        let mut changes = Vec::new();
        for (entity, name) in [("rusk", "Captain Rusk"), ("barge", "Salt Barge"), ("pell", "Pell")] {
            let provenance = Provenance::new(Method::Authored, Author::Dm);
            let name = Fact::attribute(&id(entity), attribute::NAME, name, provenance).unwrap().build().unwrap();
            changes.extend([Change::AddEntity(Entity::new(id(entity))), Change::AssertFact(Arc::new(name))]);
        }
        let state = State::fold([Operation::new(Author::Dm, "begin", changes)]).unwrap();
        let secret =
            fact("rusk", &["barge"], "Captain Rusk scuttled the Salt Barge with a hand drill for the insurance.");
        for (subject, mentions, statement, expected) in [
            ("rusk", &["barge"][..], "Captain Rusk scuttled the Salt Barge with a hand drill.", true),
            ("barge", &["pell"], "The Salt Barge was scuttled with a hand drill, and Pell got the insurance.", true),
            ("rusk", &["barge"], "Captain Rusk scuttled the Salt Barge.", true),
            ("pell", &["barge"], "Pell scuttled the Salt Barge.", false),
            ("rusk", &["barge"], "Captain Rusk is on the Salt Barge.", false),
            ("rusk", &["barge"], "Captain Rusk never scuttled the Salt Barge with a hand drill.", false),
            ("rusk", &["pell"], "Captain Rusk hit Pell with a hand drill in the tavern.", false),
        ] {
            assert_eq!(is_reworded(&state, &fact(subject, mentions, statement), &secret), expected, "{statement}");
        }
    }
}
