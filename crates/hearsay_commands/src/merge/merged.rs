//! Merging two entities that are the same.

use std::collections::BTreeSet;

use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, FactId, FactStatus, Key, Operation, Position, Reference, ReviewSetting,
    Setting, SettingKey, State, Timestamp, attribute,
};
use hearsay_query::{contradictions::overlap, duplicates::Duplicate, resolve::resolve};
use serde::Serialize;

use super::rename::{Moved, Renaming};
use crate::CommandError;

/// A planned merge of two entities that is not committed yet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MergePlan {
    /// Entity to merge away (it is removed).
    pub gone: EntityId,
    /// Entity to merge into.
    pub into: EntityId,
    /// Numbers of records that move to the remaining entity.
    #[serde(flatten)]
    pub moved: Moved,
    /// Facts of one entity that contradict a more certain fact of the other entity. They become claims for the DM to
    /// review. Sorted.
    pub undecided: Vec<FactId>,
    /// Operation that records the merge.
    #[serde(skip)]
    pub operation: Operation,
    /// Position of the newest operation in the journal when the merge was planned.
    #[serde(skip)]
    pub made_at: Position,
}

/// Plans the merge of two entities. The facts, knowledge and names of `gone` move to `into`. If two values contradict
/// each other, the more certain value stays and the other value becomes a claim. A value that the DM confirmed is more
/// certain than any other; otherwise, a higher confidence decides. If both values are equally certain, the value of
/// `into` stays.
///
/// The merge is one operation. [`split`](super::split()) reverts it without losing later changes.
///
/// # Errors
/// Returns an error if a name matches no entity or several entities, or if both names refer to the same entity.
pub fn merge(state: &State, gone: &str, into: &str, author: Author, now: Timestamp) -> Result<MergePlan, CommandError> {
    let (gone, into) = (resolve(state, gone)?, resolve(state, into)?);
    if gone == into {
        return Err(CommandError::OneEntity(gone));
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
    changes.push(Change::Set(Setting::Review(ReviewSetting::Merged { gone: gone.clone(), into: into.clone() })));
    let summary = format!("merge {} into {}", state.name_or_id(&gone), state.name_or_id(&into));
    let operation = Operation { author, recorded: now, summary, changes };
    Ok(MergePlan { gone, into, moved, undecided, operation, made_at: state.position() })
}

impl MergePlan {
    /// Returns the operation to commit. If an operation committed after the planning has changed records that the merge
    /// moves, plans the merge again and returns the new operation.
    ///
    /// # Errors
    /// Returns the same errors as [`merge`].
    pub fn at_its_turn(&self, state: &State, now: Timestamp) -> Result<Operation, CommandError> {
        let written: BTreeSet<Key> = self.operation.changes.iter().filter_map(Change::writes).collect();
        let since = state.journal().rev().take_while(|(position, _)| *position > self.made_at);
        let both = [&self.gone, &self.into];
        let concerns = |change: &Change| {
            if !change.is_local() {
                return !change.is_slot();
            }
            let mut concerns = change.writes().is_some_and(|key| written.contains(&key));
            change.reads(|reference| {
                concerns |= match reference {
                    Reference::Entity(id) => both.contains(&id),
                    Reference::Fact(id) => {
                        let mut entities = state.asserted(id).into_iter().flat_map(|fact| fact.entities());
                        written.contains(&Key::Fact(id)) || entities.any(|id| both.contains(&id))
                    }
                    Reference::KnowledgeEdge(_) | Reference::Passage(_) => written.contains(&reference.into()),
                    Reference::Session(_) => false,
                };
            });
            concerns
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
/// Returns an error if a name matches no entity or several entities, or if both names refer to the same entity.
pub fn not_the_same(state: &State, a: &str, b: &str, now: Timestamp) -> Result<Operation, CommandError> {
    let (a, b) = (resolve(state, a)?, resolve(state, b)?);
    if a == b {
        return Err(CommandError::OneEntity(a));
    }
    let summary = format!("mark {} and {} as different", state.name_or_id(&a), state.name_or_id(&b));
    let change = Change::Set(Setting::distinct(a.clone(), b.clone()));
    Ok(Operation { recorded: now, ..Operation::new(Author::Dm, summary, vec![change]) })
}

/// Returns the remaining entity (`into`) with the external ids of both entities.
fn joined(state: &State, gone: &EntityId, into: &EntityId) -> Entity {
    let mut entity = state.entity(into).map_or_else(|| Entity::new(into.clone()), |entity| Entity::clone(entity));
    for id in state.entity(gone).into_iter().flat_map(|gone| &gone.external_ids) {
        if !entity.external_ids.contains(id) {
            entity.external_ids.push(id.clone());
        }
    }
    entity
}

/// Returns the canon values of either entity that contradict a more certain value of the other entity.
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

/// Returns whether the entities of a possible duplicate were merged before and then split again.
pub fn was_taken_back(state: &State, duplicate: &Duplicate) -> bool {
    let gone = |change: &Change| match change {
        Change::Set(Setting::Review(ReviewSetting::Merged { gone, into })) => {
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
