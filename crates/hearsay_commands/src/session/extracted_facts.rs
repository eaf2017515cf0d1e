//! Facts that the extraction found in a line of a session.

use std::sync::Arc;

use hearsay_model::{Author, Evidence, Fact, FactId, FactStatus, PassageId, Secrecy, State};
use hearsay_query::duplicates::{Claim, adds_nothing_to, is_equivalent, is_other_occurrence, is_reworded};

/// Returns the facts that were extracted from a passage alone and that the DM has not confirmed.
pub(super) fn facts_only_in(state: &State, id: PassageId) -> impl Iterator<Item = &Arc<Fact>> {
    let is_only_in = move |fact: &&Arc<Fact>| {
        let provenance = fact.provenance();
        let is_extracted = provenance.author == Author::Extractor && !provenance.confirmed;
        is_extracted && provenance.evidence.iter().filter_map(Evidence::passage).all(|passage| passage == id)
    };
    state.facts_citing(id).filter(is_only_in)
}

/// Returns the [facts that were extracted from a passage alone](facts_only_in) and that have the same content as a fact
/// that the passage states, and the proposed facts that are a part of such a fact. Rejected facts are omitted, so that
/// they are not proposed again. Sorted by id.
pub(super) fn other_readings(state: &State, id: PassageId, stated: &[&Arc<Fact>]) -> Vec<FactId> {
    let vocabulary = state.vocabulary();
    let claims: Vec<(Claim, &Arc<Fact>)> =
        stated.iter().map(|fact| (Claim::from_fact(vocabulary, fact), *fact)).collect();
    let is_other_reading = |extracted: &&Arc<Fact>| {
        let has_same_content = claims.iter().any(|(claim, fact)| {
            is_equivalent(vocabulary, (claim, fact.statement()), extracted)
                && !is_other_occurrence(state, fact, extracted)
        });
        let is_part = || {
            extracted.status() == FactStatus::Proposed
                && stated.iter().any(|fact| adds_nothing_to(state, extracted, fact))
        };
        let is_stated = stated.iter().any(|fact| fact.id() == extracted.id());
        (has_same_content || is_part()) && !is_stated && extracted.status() != FactStatus::Rejected
    };
    let mut ids: Vec<FactId> = facts_only_in(state, id).filter(is_other_reading).map(|fact| fact.id()).collect();
    ids.sort_unstable();
    ids
}

/// Returns the [facts that were extracted from a passage alone](facts_only_in), that are not secret, and that state in
/// other words a secret among the facts that the passage states.
pub(super) fn open_copies_of_secrets<'a>(
    state: &'a State,
    id: PassageId,
    stated: &'a [&'a Arc<Fact>],
) -> impl Iterator<Item = FactId> + 'a {
    let is_copy = move |extracted: &&Arc<Fact>| {
        let mut secrets = stated.iter().filter(|fact| fact.secrecy() == Secrecy::Secret);
        extracted.secrecy() != Secrecy::Secret && secrets.any(|secret| is_reworded(state, extracted, secret))
    };
    facts_only_in(state, id).filter(is_copy).map(|fact| fact.id())
}

/// Returns whether a passage is evidence for a fact.
pub(super) fn cites(fact: &Fact, passage: PassageId) -> bool {
    fact.provenance().evidence.iter().filter_map(Evidence::passage).any(|cited| cited == passage)
}
