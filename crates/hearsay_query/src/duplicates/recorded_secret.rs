//! Search for the recorded secret with the content of another fact. A copy of a secret must not be open.

use std::sync::Arc;

use hearsay_model::{Fact, FactId, FactStatus, Secrecy, State, text};

use super::claim::{Claim, is_equivalent, is_other_occurrence};

/// Returns the canon secret that states the same as a fact. The two have the same claim, or the same sentence. `except`
/// is the id of a fact that does not count. Returns `None` if there is no such secret.
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
    let is_same = |other: &&Arc<Fact>| {
        (is_equivalent(vocabulary, (&claim, fact.statement()), other) || has_same_sentence(other))
            && !is_other_occurrence(state, fact, other)
    };
    secrets.filter(is_same).min_by_key(|other| other.id())
}
