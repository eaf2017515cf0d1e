//! Merging two entities that are the same.

use std::collections::BTreeSet;

use hearsay_model::{
    Acquisition, Author, Change, Entity, EntityId, Evidence, Fact, FactId, FactStatus, Key, Operation, Position,
    Setting, SettingKey, State, Timestamp, attribute,
};
use serde::Serialize;

use super::rename::{Moved, Renaming};
use crate::{MemoryError, contradictions::overlap, edit::resolve};

/// Plan of a merge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MergePlan {
    /// Entity to merge away (it is removed).
    pub gone: EntityId,
    /// Entity to merge into.
    pub into: EntityId,
    /// Numbers of records that move.
    #[serde(flatten)]
    pub moved: Moved,
    /// Values of both that contradict each other. They become claims for the DM to decide. Sorted.
    pub undecided: Vec<FactId>,
    /// Operation that makes the merge.
    #[serde(skip)]
    pub operation: Operation,
    /// Newest operation when the plan was made.
    #[serde(skip)]
    pub made_at: Position,
}

/// Plans the merge of two entities. The facts, knowledge and names of the first become those of the second. Of two
/// contradicting values, the more certain one stays: the one confirmed by the DM, then the one with more confidence,
/// then that of the second entity. The other becomes a claim.
///
/// The merge is one operation. [`split`](super::split()) reverts it without loss of later changes.
///
/// # Errors
/// When a name means no entity or several, or both mean the same.
pub fn merge(state: &State, gone: &str, into: &str, author: Author, now: Timestamp) -> Result<MergePlan, MemoryError> {
    let (gone, into) = (resolve(state, gone)?, resolve(state, into)?);
    if gone == into {
        return Err(MemoryError::OneEntity(gone));
    }
    let losers = losers(state, &gone, &into);
    let undecided = losers.iter().copied().collect();
    let mut renaming = Renaming::new(state, &gone, &into, losers);
    renaming.changes.push(Change::AddEntity(joined(state, &gone, &into)));
    let moved = renaming.all();
    let mut changes = renaming.changes;
    if state.are_distinct(&gone, &into) {
        changes.push(Change::Unset(Setting::distinct(gone.clone(), into.clone()).key()));
    }
    changes.push(Change::RemoveEntity(gone.clone()));
    changes.push(Change::Set(Setting::Merged { gone: gone.clone(), into: into.clone() }));
    let summary = format!("merge {} into {}", state.name_or_id(&gone), state.name_or_id(&into));
    let operation = Operation { author, recorded: now, summary, changes };
    Ok(MergePlan { gone, into, moved, undecided, operation, made_at: state.position() })
}

impl MergePlan {
    /// Returns the planned operation if no later write touches records that the merge moves. Otherwise makes the plan
    /// again.
    ///
    /// # Errors
    /// As [`merge`].
    pub(crate) fn at_its_turn(&self, state: &State, now: Timestamp) -> Result<Operation, MemoryError> {
        let written: BTreeSet<Key> = self.operation.changes.iter().filter_map(Change::key).collect();
        let since = state.journal().rev().take_while(|(position, _)| *position > self.made_at);
        let concerns = |change: &Change| match (change, change.key()) {
            (_, None) => !matches!(change, Change::SaveSlot(_) | Change::DropSlot(_)),
            (_, Some(key)) if written.contains(&key) => true,
            (Change::AssertFact(fact) | Change::Support(fact), _) => {
                let both = [&self.gone, &self.into];
                fact.entities().chain(&fact.provenance().speaker).any(|id| both.contains(&id))
                    || fact
                        .fact_relation()
                        .is_some_and(|fact_relation| written.contains(&Key::Fact(fact_relation.fact())))
                    || fact.provenance().evidence.iter().any(|evidence| match evidence {
                        Evidence::Passage { passage, .. } => written.contains(&Key::Passage(*passage)),
                        Evidence::File { .. } | Evidence::Excerpt(_) => false,
                    })
            }
            (Change::Learn(edge), _) => {
                edge.knower.entity().into_iter().chain(&edge.co_present).any(|id| *id == self.gone)
                    || matches!(
                        &edge.acquisition,
                        Acquisition::Told { .. } | Acquisition::Read { .. } | Acquisition::Deduced { .. }
                    )
                    || written.contains(&Key::Fact(edge.fact))
            }
            // New facts about other entities, and their later changes, do not affect the merge.
            (Change::EndFact { .. } | Change::SetStatus { .. } | Change::Confirm(_), _) => false,
            (Change::AddEntity(_) | Change::SetFlag { .. }, _) => false,
            _ => true,
        };
        if !since.flat_map(|(_, entry)| &entry.operation.changes).any(concerns) {
            return Ok(self.operation.clone());
        }
        let author = self.operation.author.clone();
        Ok(merge(state, self.gone.as_str(), self.into.as_str(), author, now)?.operation)
    }
}

/// Returns the operation that marks two similar entities as distinct, so that they are not proposed again.
///
/// # Errors
/// When a name means no entity or several, or both mean the same.
pub fn not_the_same(state: &State, a: &str, b: &str, now: Timestamp) -> Result<Operation, MemoryError> {
    let (a, b) = (resolve(state, a)?, resolve(state, b)?);
    if a == b {
        return Err(MemoryError::OneEntity(a));
    }
    let summary = format!("{} is not {}", state.name_or_id(&a), state.name_or_id(&b));
    let change = Change::Set(Setting::distinct(a.clone(), b.clone()));
    Ok(Operation { recorded: now, ..Operation::new(Author::Dm, summary, vec![change]) })
}

/// Returns the remaining entity with the external ids of both.
fn joined(state: &State, gone: &EntityId, into: &EntityId) -> Entity {
    let mut entity = state.entity(into).map_or_else(|| Entity::new(into.clone()), |entity| Entity::clone(entity));
    for id in state.entity(gone).into_iter().flat_map(|gone| &gone.external_ids) {
        if !entity.external_ids.contains(id) {
            entity.external_ids.push(id.clone());
        }
    }
    entity
}

/// Returns the canon values that contradict a more certain value of the other entity.
fn losers(state: &State, gone: &EntityId, into: &EntityId) -> BTreeSet<FactId> {
    let of = |id: &EntityId| -> Vec<&Fact> {
        let own = state.facts_of(id).filter(|fact| fact.subject() == id && fact.status() == FactStatus::Canon);
        let own = own.filter(|fact| *fact.predicate() != attribute::NAME && state.is_functional(fact.predicate()));
        own.map(AsRef::as_ref).collect()
    };
    let sure = |fact: &Fact| (fact.provenance().confirmed, fact.provenance().confidence);
    let theirs = of(into);
    let mut losers = BTreeSet::new();
    for fact in of(gone) {
        for other in theirs.iter().filter(|other| other.predicate() == fact.predicate()) {
            if fact.object() != other.object() && overlap(fact, other) {
                losers.insert(if sure(fact) > sure(other) { other.id() } else { fact.id() });
            }
        }
    }
    losers
}

/// Whether an earlier merge of the two was reverted.
pub(crate) fn was_taken_back(state: &State, duplicate: &super::Duplicate) -> bool {
    let gone = |change: &Change| match change {
        Change::Set(Setting::Merged { gone, into }) => {
            (gone, into) == (&duplicate.one, &duplicate.other) || (into, gone) == (&duplicate.one, &duplicate.other)
        }
        _ => false,
    };
    state.journal().any(|(_, entry)| !entry.live && entry.operation.changes.iter().any(gone))
}

/// Returns the key of the setting that records a merge.
pub(super) fn key(gone: &EntityId) -> SettingKey {
    SettingKey::Merged(gone.clone())
}
