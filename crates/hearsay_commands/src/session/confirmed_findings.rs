//! Facts and entities that were found in a line and that the DM confirmed. A correction of the line keeps them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{
    Author, Change, Entity, EntityId, Evidence, Fact, FactId, FactStatus, Operation, Passage, PassageId, Span, State,
};
use hearsay_query::{preview::state_after, review::is_extracted_name_or_kind};

use super::extracted_facts::cites;
use crate::CommandError;

/// Confirmed facts and entities from a line that another line replaces.
pub(super) struct ConfirmedFindings {
    /// Changes that record the facts and entities again.
    pub(super) changes: Vec<Change>,
    /// The facts, as these changes record them. Sorted by id.
    pub(super) facts: Vec<Arc<Fact>>,
    /// State after the extraction has withdrawn its findings from the replaced line, after the changes that come first, and
    /// after `changes`.
    pub(super) state: State,
}

impl ConfirmedFindings {
    /// Returns the findings from a line that `corrected` replaces. The extraction withdraws all its findings from the
    /// replaced line, so those that the DM confirmed must be recorded again. With a fact, the names of its entities are
    /// recorded again, also if they still wait for review. `first` are the changes of the same operation that come first.
    pub(super) fn new(
        state: &State,
        replaced: PassageId,
        corrected: &Passage,
        first: &[Change],
    ) -> Result<Self, CommandError> {
        let extractions = state.extractions_from(replaced);
        let withdrawal: Vec<Change> = extractions.iter().rev().copied().map(Change::Revert).collect();
        let withdrawn = match withdrawal.is_empty() {
            true => state.clone(),
            false => state_after(state, Operation::new(Author::Extractor, "withdraw the findings", withdrawal))?,
        };
        let entries = extractions.iter().filter_map(|position| state.entry(*position));
        let added = entries.flat_map(|entry| entry.operation.changes.iter()).filter_map(Change::entity);
        let is_lost = |id: &&EntityId| state.entity(id).is_some() && withdrawn.entity(id).is_none();
        let lost: BTreeSet<&EntityId> = added.map(|entity| &entity.id).filter(is_lost).collect();
        let is_confirmed = |fact: &Fact| fact.provenance().confirmed && fact.status() != FactStatus::Rejected;
        // A fact from a file or a game does not depend on the line, and its own source records it.
        let is_ours = |fact: &Fact| matches!(fact.provenance().author, Author::Dm | Author::Extractor);
        let confirmed = state.facts_citing(replaced).filter(|fact| is_confirmed(fact) && is_ours(fact));
        let mut facts: BTreeMap<FactId, &Arc<Fact>> = confirmed.map(|fact| (fact.id(), fact)).collect();
        let is_kept = |id: &EntityId| {
            state.facts_of(id).any(|fact| is_confirmed(fact)) || facts.values().any(|fact| refers_to(fact, id))
        };
        let mut kept: BTreeSet<&EntityId> = lost.iter().copied().filter(|id| is_kept(id)).collect();
        for id in &kept {
            let is_name =
                |fact: &&Arc<Fact>| is_extracted_name_or_kind(fact) && fact.subject() == *id && cites(fact, replaced);
            let names = state.facts_of(id).filter(is_name).filter(|fact| fact.status() != FactStatus::Rejected);
            facts.extend(names.map(|fact| (fact.id(), fact)));
        }
        kept.extend(lost.iter().copied().filter(|id| facts.values().any(|fact| refers_to(fact, id))));
        let entities = kept.into_iter().filter_map(|id| state.entity(id));
        let mut changes: Vec<Change> = entities.map(|entity| Change::AddEntity(Entity::clone(entity))).collect();
        let facts = facts.into_values().map(|fact| citing_corrected(fact, replaced, corrected));
        let facts: Vec<Arc<Fact>> = facts.collect::<Result<_, _>>()?;
        changes.extend(facts.iter().cloned().map(Change::AssertFact));
        let planned: Vec<Change> = first.iter().chain(&changes).cloned().collect();
        let state = match planned.is_empty() {
            true => withdrawn,
            false => state_after(&withdrawn, Operation::new(Author::Dm, "keep the confirmed findings", planned))?,
        };
        Ok(Self { changes, facts, state })
    }
}

/// Returns whether a fact refers to an entity.
fn refers_to(fact: &Fact, id: &EntityId) -> bool {
    fact.entities().chain(&fact.provenance().speaker).any(|other| other == id)
}

/// Returns a fact whose evidence is in the corrected line instead of the line that it replaces. If the corrected line
/// does not contain the quoted words, the evidence is the whole corrected line.
fn citing_corrected(fact: &Fact, replaced: PassageId, corrected: &Passage) -> Result<Arc<Fact>, CommandError> {
    let mut provenance = fact.provenance().clone();
    for evidence in &mut provenance.evidence {
        if let Evidence::Passage { passage, span, quote } = evidence
            && *passage == replaced
        {
            *passage = corrected.id();
            if let Some(start) = corrected.text.find(quote.as_str()) {
                *span = Span { start, end: start + quote.len() };
            } else {
                *span = Span { start: 0, end: corrected.text.len() };
                quote.clone_from(&corrected.text);
            }
        }
    }
    Ok(Arc::new(fact.to_builder().provenance(provenance).build()?))
}
