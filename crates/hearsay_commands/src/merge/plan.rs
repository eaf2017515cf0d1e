//! Merging two entities that are the same.

use std::collections::BTreeSet;

use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, FactId, FactStatus, Key, Kind, Operation, Position, Reference,
    ReviewSetting, Setting, SettingKey, State, Timestamp, attribute,
    lists::extend_new,
    words::{join_names, with_article},
};
use hearsay_query::{contradictions::may_overlap, duplicates::Duplicate, ids::require_entities};
use serde::Serialize;

use super::rename::{EntityRename, MovedCounts};
use crate::CommandError;

/// A planned merge of two entities that is not committed yet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MergePlan {
    /// Entity that the merge removes.
    pub gone: EntityId,
    /// Entity that remains and receives the facts of the removed entity.
    pub into: EntityId,
    /// Number of records of each type that move to the remaining entity.
    #[serde(flatten)]
    pub moved: MovedCounts,
    /// Facts of one entity that contradict a more certain fact of the other entity. The merge makes these facts claims,
    /// and the DM should review them. Sorted by id.
    pub undecided: Vec<FactId>,
    /// Reasons to doubt that the two entities are the same, as clauses: their kinds differ, both have a description, or
    /// they have different values of attributes that allow one value. Empty if there is no such reason.
    pub doubts: Vec<String>,
    /// Operation that records the merge.
    #[serde(skip)]
    pub operation: Operation,
    /// Position of the newest operation in the journal when the merge was planned.
    #[serde(skip)]
    pub planned_at: Position,
}

/// Plans the merge of two entities. The facts, knowledge and names of `removed` move to `remaining`. If two values
/// contradict each other, the more certain value stays and the other value becomes a claim. A value that the DM
/// confirmed is more certain than other values. If the DM confirmed both values or neither value, the value with the
/// higher confidence is more certain. If both confidences are equal, the value of `remaining` stays.
///
/// The merge is one operation. [`split`](super::split()) reverts the merge without losing later changes.
///
/// # Errors
/// Returns an error if an entity does not exist, or if both ids are the same.
pub fn merge(
    state: &State,
    removed: &EntityId,
    remaining: &EntityId,
    author: Author,
    now: Timestamp,
) -> Result<MergePlan, CommandError> {
    require_entities(state, [removed, remaining])?;
    if removed == remaining {
        return Err(CommandError::SameEntity(removed.clone()));
    }
    let less_certain = less_certain_facts(state, removed, remaining);
    let undecided = less_certain.iter().copied().collect();
    let doubts = merge_doubts(state, removed, remaining, &less_certain);
    let mut rename = EntityRename::new(state, removed, remaining, less_certain);
    rename.changes.push(Change::AddEntity(entity_with_all_external_ids(state, removed, remaining)));
    let moved_counts = rename.rename_all();
    let mut changes = rename.changes;
    if state.are_distinct(removed, remaining) {
        changes.push(Change::Unset(Setting::distinct(removed.clone(), remaining.clone()).key()));
    }
    changes.push(Change::RemoveEntity(removed.clone()));
    changes
        .push(Change::Set(Setting::Review(ReviewSetting::Merged { gone: removed.clone(), into: remaining.clone() })));
    let summary = format!("merge {} into {}", state.name_or_id(removed), state.name_or_id(remaining));
    let operation = Operation { author, recorded: now, summary, changes };
    Ok(MergePlan {
        gone: removed.clone(),
        into: remaining.clone(),
        moved: moved_counts,
        undecided,
        doubts,
        operation,
        planned_at: state.position(),
    })
}

impl MergePlan {
    /// Returns the operation to commit. If an operation after the planning changed a record that the merge moves, the
    /// method plans the merge again and returns the new operation.
    ///
    /// # Errors
    /// Returns the same errors as [`merge`].
    pub fn refreshed_operation(&self, state: &State, now: Timestamp) -> Result<Operation, CommandError> {
        let written_keys: BTreeSet<Key> = self.operation.changes.iter().filter_map(Change::written_key).collect();
        let later_entries = state.journal().rev().take_while(|(position, _)| *position > self.planned_at);
        let merged_entities = [&self.gone, &self.into];
        let affects_merge = |change: &Change| {
            if !change.is_local() {
                return !change.is_slot();
            }
            let mut affects_merge = change.written_key().is_some_and(|key| written_keys.contains(&key));
            change.visit_references(|reference| {
                affects_merge |= match reference {
                    Reference::Entity(id) => merged_entities.contains(&id),
                    Reference::Fact(id) => {
                        let mut entities = state.asserted(id).into_iter().flat_map(|fact| fact.entities());
                        written_keys.contains(&Key::Fact(id)) || entities.any(|id| merged_entities.contains(&id))
                    }
                    Reference::KnowledgeEdge(_) | Reference::Passage(_) => written_keys.contains(&reference.into()),
                    Reference::Session(_) => false,
                };
            });
            affects_merge
        };
        if !later_entries.flat_map(|(_, entry)| &entry.operation.changes).any(affects_merge) {
            return Ok(self.operation.clone());
        }
        let author = self.operation.author.clone();
        Ok(merge(state, &self.gone, &self.into, author, now)?.operation)
    }
}

/// Returns the operation that marks two similar entities as distinct. Hearsay then no longer proposes them as
/// duplicates.
///
/// # Errors
/// Returns an error if an entity does not exist, or if both ids are the same.
pub fn mark_distinct(state: &State, a: &EntityId, b: &EntityId, now: Timestamp) -> Result<Operation, CommandError> {
    require_entities(state, [a, b])?;
    if a == b {
        return Err(CommandError::SameEntity(a.clone()));
    }
    let summary = format!("mark {} and {} as different", state.name_or_id(a), state.name_or_id(b));
    let change = Change::Set(Setting::distinct(a.clone(), b.clone()));
    Ok(Operation { recorded: now, ..Operation::new(Author::Dm, summary, vec![change]) })
}

/// Returns the remaining entity with the external ids of both entities.
fn entity_with_all_external_ids(state: &State, removed: &EntityId, remaining: &EntityId) -> Entity {
    let mut entity =
        state.entity(remaining).map_or_else(|| Entity::new(remaining.clone()), |entity| Entity::clone(entity));
    let removed_ids = state.entity(removed).into_iter().flat_map(|removed| &removed.external_ids);
    extend_new(&mut entity.external_ids, removed_ids.cloned());
    entity
}

/// Returns the canon values of either entity that contradict a more certain value of the other entity.
fn less_certain_facts(state: &State, removed: &EntityId, remaining: &EntityId) -> BTreeSet<FactId> {
    let functional_values = |id: &EntityId| -> Vec<&Fact> {
        let canon_facts = state.facts_of(id).filter(|fact| fact.subject() == id && fact.status() == FactStatus::Canon);
        let canon_facts =
            canon_facts.filter(|fact| *fact.predicate() != attribute::NAME && state.is_functional(fact.predicate()));
        canon_facts.map(AsRef::as_ref).collect()
    };
    let certainty = |fact: &Fact| (fact.provenance().confirmed, fact.provenance().confidence);
    let remaining_values = functional_values(remaining);
    let mut less_certain = BTreeSet::new();
    for fact in functional_values(removed) {
        for other in remaining_values.iter().filter(|other| other.predicate() == fact.predicate()) {
            if fact.object() != other.object() && may_overlap(fact, other) {
                less_certain.insert(if certainty(fact) > certainty(other) { other.id() } else { fact.id() });
            }
        }
    }
    less_certain
}

/// Returns the reasons to doubt that two entities are the same. `less_certain` contains the values of one entity that
/// contradict a value of the other entity.
fn merge_doubts(
    state: &State,
    removed: &EntityId,
    remaining: &EntityId,
    less_certain: &BTreeSet<FactId>,
) -> Vec<String> {
    let mut doubts = Vec::new();
    if let (Some(one), Some(other)) = (state.kind(removed), state.kind(remaining))
        && one != other
    {
        let clause = |id, kind: Kind| format!("{} is {}", state.name_or_id(id), with_article(&kind.noun()));
        doubts.push(format!("{}, but {}", clause(removed, one), clause(remaining, other)));
    }
    let has_description = |id| state.facts_with_subject(id, attribute::DESCRIPTION).open().next().is_some();
    if has_description(removed) && has_description(remaining) {
        doubts.push("both entities have a description".to_owned());
    }
    let predicates = less_certain.iter().filter_map(|id| state.fact(*id)).map(|fact| fact.predicate().as_str());
    let differing: BTreeSet<&str> = predicates.filter(|name| *name != attribute::KIND).collect();
    if !differing.is_empty() {
        let names = join_names(&differing.into_iter().collect::<Vec<_>>());
        doubts.push(format!("the two entities have different values of {names}"));
    }
    doubts
}

/// Returns whether the two entities of a possible duplicate were merged and then split again.
pub fn was_merged_and_split(state: &State, duplicate: &Duplicate) -> bool {
    let is_merge_of_both = |change: &Change| match change {
        Change::Set(Setting::Review(ReviewSetting::Merged { gone, into })) => {
            (gone, into) == (&duplicate.one, &duplicate.other) || (into, gone) == (&duplicate.one, &duplicate.other)
        }
        _ => false,
    };
    state.journal().any(|(_, entry)| !entry.live && entry.operation.changes.iter().any(is_merge_of_both))
}

/// Returns the key of the setting that records a merge.
pub(super) fn merge_setting_key(removed: &EntityId) -> SettingKey {
    SettingKey::Merged(removed.clone())
}
