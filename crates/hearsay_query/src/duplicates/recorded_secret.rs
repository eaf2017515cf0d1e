//! Search for the recorded secret with the content of another fact. A copy of a secret must not be open.

use std::{collections::BTreeSet, sync::Arc};

use hearsay_model::{
    EntityId, Evidence, Fact, FactId, FactRelation, FactStatus, PassageId, Secrecy, State, attribute, text,
};
use hearsay_recall::stems;

use super::claim::{Claim, is_equivalent, is_negated, is_other_occurrence, is_part_of};

/// Minimum share of the words of the shorter of two statements that the longer statement also contains, if one is the
/// other in other words. Names are not counted.
const MIN_SHARED_WORDS: f64 = 0.8;

/// Returns the canon secret that [states the same](states_same) as a fact. A fact that is only a sentence is also a copy
/// of a secret if a text in which the fact was found states the secret, and the fact is the secret [in other
/// words](is_reworded). `except` is the id of a fact that does not count. Returns `None` if there is no such secret.
pub fn recorded_secret<'a>(state: &'a State, fact: &Fact, except: FactId) -> Option<&'a Arc<Fact>> {
    let is_secret = |other: &&Arc<Fact>| {
        other.id() != except && other.secrecy() == Secrecy::Secret && other.status() == FactStatus::Canon
    };
    let secrets = fact.entities().flat_map(|id| state.facts_of(id)).filter(is_secret);
    let passages: Vec<PassageId> = fact.provenance().evidence.iter().filter_map(Evidence::passage).collect();
    let copies = secrets.filter_map(|other| {
        let is_same = states_same(state, fact, other);
        let is_copy = is_same || (is_stated_in(state, other, &passages) && is_reworded(state, fact, other));
        is_copy.then_some((is_same, other))
    });
    copies.min_by_key(|(is_same, other)| (!is_same, other.id())).map(|(_, other)| other)
}

/// Returns whether two facts have the same claim or the same sentence, and state no deeds at different times.
pub fn states_same(state: &State, fact: &Fact, other: &Fact) -> bool {
    let vocabulary = state.vocabulary();
    let context = |fact: &Fact| (fact.fact_relation(), fact.validity().is_closed());
    let has_same_sentence =
        || context(other) == context(fact) && text::normalize(other.statement()) == text::normalize(fact.statement());
    let claim = Claim::from_fact(vocabulary, fact);
    (is_equivalent(vocabulary, (&claim, fact.statement()), other) || has_same_sentence())
        && !is_other_occurrence(state, fact, other)
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

/// Returns whether a fact that was found in a line adds nothing to another fact that the line states. The other fact names
/// all its entities, and contains most of its words that are not names. For example, "Odo is at the mill" adds nothing to
/// "Odo reads aloud at night in the mill".
pub fn adds_nothing_to(state: &State, fact: &Fact, other: &Fact) -> bool {
    let context = |fact: &Fact| (fact.validity().is_closed(), is_negated(fact.statement()));
    let states_itself =
        matches!(other.fact_relation(), None | Some(FactRelation::Distorts(_) | FactRelation::Covers(_)));
    if fact.fact_relation().is_some() || !states_itself || context(fact) != context(other) {
        return false;
    }
    let names =
        |fact: &Fact| -> BTreeSet<String> { fact.entities().flat_map(|id| state.names(id)).flat_map(stems).collect() };
    let (own_names, other_names) = (names(fact), names(other));
    let words: BTreeSet<String> = stems(other.statement()).into_iter().collect();
    let is_named = |id: &EntityId| {
        let mut parts = state.names(id).into_iter().flat_map(stems);
        other.entities().any(|named| named == id)
            || parts.any(|part| words.contains(&part) && !other_names.contains(&part))
    };
    let is_name = |word: &String| own_names.contains(word) || other_names.contains(word);
    let own: BTreeSet<String> = stems(fact.statement()).into_iter().filter(|word| !is_name(word)).collect();
    let shared = own.intersection(&words).count();
    let has_content = shared > 0 || own.is_empty() && fact.predicate().is_relation();
    has_content && shared as f64 >= MIN_SHARED_WORDS * own.len() as f64 && fact.entities().all(is_named)
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Author, Change, Entity, Method, Operation, Provenance};

    use super::*;

    fn id(id: &str) -> EntityId {
        EntityId::new(id).unwrap()
    }

    fn lore(subject: &str, mentions: &[&str], statement: &str) -> Fact {
        let provenance = Provenance::new(Method::Stated, Author::Extractor);
        let builder = Fact::attribute(&id(subject), "lore", statement, provenance).unwrap().statement(statement);
        builder.mentions(mentions.iter().map(|mention| id(mention))).build().unwrap()
    }

    /// Returns a campaign with Captain Rusk, Pell and the Salt Barge.
    fn harbour() -> State {
        let mut changes = Vec::new();
        for (entity, name) in [("rusk", "Captain Rusk"), ("barge", "Salt Barge"), ("pell", "Pell Marrow")] {
            let provenance = Provenance::new(Method::Authored, Author::Dm);
            let name = Fact::attribute(&id(entity), attribute::NAME, name, provenance).unwrap().build().unwrap();
            changes.extend([Change::AddEntity(Entity::new(id(entity))), Change::AssertFact(Arc::new(name))]);
        }
        State::fold([Operation::new(Author::Dm, "begin", changes)]).unwrap()
    }

    #[test]
    fn a_part_of_a_stated_fact_adds_nothing() {
        let state = harbour();
        let stated =
            lore("barge", &[], "The captain Rusk reads aloud at night on the Salt Barge, and a voice answers him.");
        let place = |subject: &str, statement: &str| {
            let provenance = Provenance::new(Method::Stated, Author::Extractor);
            let builder = Fact::relation(&id(subject), "LOCATED_AT", &id("barge"), provenance).unwrap();
            builder.statement(statement).build().unwrap()
        };
        for (fact, expected) in [
            (lore("rusk", &["barge"], "The captain reads aloud at night on the Salt Barge."), true),
            (place("rusk", "Captain Rusk is at the Salt Barge."), true),
            (place("pell", "Pell Marrow is at the Salt Barge."), false),
            (lore("rusk", &["barge"], "Captain Rusk never reads aloud at night on the Salt Barge."), false),
            (lore("rusk", &["barge"], "Captain Rusk reads aloud on the Salt Barge and drinks all the wine."), false),
        ] {
            assert_eq!(adds_nothing_to(&state, &fact, &stated), expected, "{}", fact.statement());
        }
    }

    #[test]
    fn a_secret_in_other_words_has_most_of_its_words() {
        let state = harbour();
        let secret =
            lore("rusk", &["barge"], "Captain Rusk scuttled the Salt Barge with a hand drill for the insurance.");
        for (subject, mentions, statement, expected) in [
            ("rusk", &["barge"][..], "Captain Rusk scuttled the Salt Barge with a hand drill.", true),
            ("barge", &["pell"], "The Salt Barge was scuttled with a hand drill, and Pell got the insurance.", true),
            ("rusk", &["barge"], "Captain Rusk scuttled the Salt Barge.", true),
            ("pell", &["barge"], "Pell scuttled the Salt Barge.", false),
            ("rusk", &["barge"], "Captain Rusk is on the Salt Barge.", false),
            ("rusk", &["barge"], "Captain Rusk never scuttled the Salt Barge with a hand drill.", false),
            ("rusk", &["pell"], "Captain Rusk hit Pell with a hand drill in the tavern.", false),
        ] {
            assert_eq!(is_reworded(&state, &lore(subject, mentions, statement), &secret), expected, "{statement}");
        }
    }
}
