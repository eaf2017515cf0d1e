//! Split of two entities that were merged.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, FactId, Key, KnowledgeEdge, KnowledgeId, Operation, Passage, PassageId,
    Position, Provenance, Rename, ReviewSetting, Setting, State, Timestamp,
};
use hearsay_query::ids::require_entity;

use super::plan::merge_setting_key;
use crate::CommandError;

/// Returns the operation that splits a merged entity. `entity` is the entity that the merge removed. It may also be the
/// remaining entity, if only one entity was merged into the remaining entity.
///
/// The operation reverts the merge and marks the two entities as distinct. If an operation after the merge changed a
/// record that the merge moved, the split applies this change to the original record. Facts that were added after the
/// merge stay with the remaining entity.
///
/// # Errors
/// Returns an error if `entity` is part of no merge, or if the merge is not in this journal. Also returns an error if a
/// later merge moved the same records. In this case, first split the later merge.
pub fn split(state: &State, entity: &EntityId, now: Timestamp) -> Result<Operation, CommandError> {
    let (removed, remaining) = find_merge(state, entity)?;
    let removes_entity = |change: &Change| matches!(change, Change::RemoveEntity(id) if *id == removed);
    let records_merge =
        |change: &Change| matches!(change, Change::Set(setting) if setting.key() == merge_setting_key(&removed));
    let merge_entry = state.journal().rev().find(|(_, entry)| {
        let changes = &entry.operation.changes;
        entry.live && changes.iter().any(removes_entity) && changes.iter().any(records_merge)
    });
    let Some((position, entry)) = merge_entry else {
        return Err(CommandError::MergeNotInJournal { removed, remaining });
    };
    let operation = Arc::clone(&entry.operation);
    if let Some(later_merge) = later_dependent_merge(state, position, &operation, &remaining) {
        return Err(CommandError::LaterMergeFirst { removed, first: later_merge });
    }
    let mut replay = Replay::new(state, position, &operation, &removed, &remaining);
    let later_entries = state.journal().filter(|(at, entry)| *at > position && entry.live);
    for (_, entry) in later_entries {
        for change in &entry.operation.changes {
            replay.apply(change);
        }
    }
    let mut changes = vec![Change::Revert(position)];
    changes.append(&mut replay.changes);
    changes.push(Change::Set(Setting::distinct(removed.clone(), remaining.clone())));
    let summary = format!("split {removed} from {}", state.name_or_id(&remaining));
    Ok(Operation { recorded: now, ..Operation::new(Author::Dm, summary, changes) })
}

/// Returns the removed entity and the remaining entity of the merge of which `entity` is a part.
fn find_merge(state: &State, entity: &EntityId) -> Result<(EntityId, EntityId), CommandError> {
    if let Some(remaining) = state.merged_into(entity) {
        return Ok((entity.clone(), remaining.clone()));
    }
    require_entity(state, entity)?;
    let merges = state.settings().filter_map(|setting| match &**setting {
        Setting::Review(ReviewSetting::Merged { gone: removed, into: remaining }) if remaining == entity => {
            Some(removed.clone())
        }
        _ => None,
    });
    let mut removed: Vec<EntityId> = merges.collect();
    match removed.len() {
        1 => Ok((removed.swap_remove(0), entity.clone())),
        _ => Err(CommandError::NotMerged { entity: entity.clone(), removed }),
    }
}

/// Returns the removed entity of a later merge that moved the same records as this merge, if any.
fn later_dependent_merge(
    state: &State,
    position: Position,
    merge: &Operation,
    remaining: &EntityId,
) -> Option<EntityId> {
    let mut written_keys: Vec<Key> = merge.changes.iter().filter_map(Change::written_key).collect();
    written_keys.retain(|key| !matches!(key, Key::Entity(id) if id == remaining) && !matches!(key, Key::Setting(_)));
    written_keys.sort_unstable();
    let later_entries = state.journal().rev().take_while(|(at, _)| *at > position).filter(|(_, entry)| entry.live);
    later_entries.into_iter().find_map(|(_, entry)| {
        let changes = &entry.operation.changes;
        let removed = changes.iter().find_map(|change| match change {
            Change::Set(Setting::Review(ReviewSetting::Merged { gone: removed, .. })) => Some(removed),
            _ => None,
        })?;
        // An import may record a merge without moving any records.
        let has_moved_records =
            changes.iter().any(|change| matches!(change, Change::RemoveEntity(id) if id == removed));
        let touches_same_records =
            changes.iter().filter_map(Change::written_key).any(|key| written_keys.binary_search(&key).is_ok());
        (has_moved_records && touches_same_records).then(|| removed.clone())
    })
}

/// Original ids of the records that a merge moved.
struct OriginalIds<'a> {
    facts: &'a BTreeMap<FactId, FactId>,
    edges: &'a BTreeMap<KnowledgeId, KnowledgeId>,
    passages: &'a BTreeMap<PassageId, Arc<Passage>>,
}

impl Rename for OriginalIds<'_> {
    fn fact(&mut self, id: &mut FactId) {
        *id = self.facts.get(id).copied().unwrap_or(*id);
    }

    fn edge(&mut self, id: &mut KnowledgeId) {
        *id = self.edges.get(id).copied().unwrap_or(*id);
    }

    fn passage(&mut self, id: &mut PassageId) {
        *id = self.passages.get(id).map_or(*id, |passage| passage.id());
    }
}

/// Replays later changes as if the merge had not happened.
struct Replay<'a> {
    state: &'a State,
    remaining: &'a EntityId,
    /// External ids that the remaining entity received from the removed entity.
    added_external_ids: Vec<hearsay_model::ExternalId>,
    /// Original fact of each fact that the merge created.
    facts: BTreeMap<FactId, FactId>,
    edges: BTreeMap<KnowledgeId, KnowledgeId>,
    passages: BTreeMap<PassageId, Arc<Passage>>,
    changes: Vec<Change>,
}

impl<'a> Replay<'a> {
    fn new(
        state: &'a State,
        position: Position,
        merge: &Operation,
        removed: &EntityId,
        remaining: &'a EntityId,
    ) -> Self {
        let (mut facts, mut edges, mut passages) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let before = state.journal().rev().skip_while(|(at, _)| *at >= position).filter(|(_, entry)| entry.live);
        let earlier: Vec<&Operation> = before.map(|(_, entry)| &*entry.operation).collect();
        let external_ids_of = |id: &EntityId| {
            let added_ids = |change: &Change| match change {
                Change::AddEntity(entity) if entity.id == *id => Some(entity.external_ids.clone()),
                _ => None,
            };
            earlier.iter().find_map(|operation| operation.changes.iter().rev().find_map(added_ids)).unwrap_or_default()
        };
        let remaining_ids = external_ids_of(remaining);
        let added_external_ids =
            external_ids_of(removed).into_iter().filter(|id| !remaining_ids.contains(id)).collect();
        for pair in merge.changes.windows(2) {
            match pair {
                [Change::AssertFact(new), Change::RetractFact(old)] => _ = facts.insert(new.id(), *old),
                [Change::Learn(new), Change::Unlearn(old)] => _ = edges.insert(new.id(), *old),
                [Change::AddPassage(new), Change::RemovePassage(old)] => {
                    let added_ids = |change: &Change| match change {
                        Change::AddPassage(passage) if passage.id() == *old => Some(Arc::clone(passage)),
                        _ => None,
                    };
                    let original =
                        earlier.iter().find_map(|operation| operation.changes.iter().rev().find_map(added_ids));
                    passages.extend(original.map(|original| (new.id(), original)));
                }
                _ => {}
            }
        }
        Self { state, remaining, added_external_ids, facts, edges, passages, changes: Vec::new() }
    }

    /// Returns the original ids of the moved records.
    fn original_ids(&self) -> OriginalIds<'_> {
        OriginalIds { facts: &self.facts, edges: &self.edges, passages: &self.passages }
    }

    fn apply(&mut self, change: &Change) {
        match change {
            Change::AssertFact(fact) => self.replay_fact(fact, Change::AssertFact),
            Change::Support(fact) => self.replay_fact(fact, Change::Support),
            Change::Learn(edge) => self.replay_edge(edge),
            Change::AddPassage(passage) => self.replay_passage(passage),
            Change::AddEntity(entity) if entity.id == *self.remaining => {
                let mut new = Entity::clone(entity);
                new.external_ids.retain(|id| !self.added_external_ids.contains(id));
                self.changes.extend((new != *entity).then_some(Change::AddEntity(new)));
            }
            // Any other change matters only if it refers to a moved record.
            change => {
                let mut new = change.clone();
                new.rename(&mut self.original_ids());
                self.changes.extend((new != *change).then_some(new));
            }
        }
    }

    fn replay_fact(&mut self, fact: &Arc<Fact>, to_change: impl Fn(Arc<Fact>) -> Change) {
        let mut renamed = Fact::clone(fact);
        renamed.rename(&mut self.original_ids());
        let original = self.facts.get(&fact.id()).and_then(|old| self.state.asserted(*old));
        let new = match original {
            Some(original) => {
                let original_provenance = original.provenance();
                let provenance = Provenance {
                    speaker: original_provenance.speaker.clone(),
                    session: original_provenance.session.clone(),
                    ..renamed.provenance().clone()
                };
                let builder = original.to_builder().provenance(provenance).status(fact.status());
                let builder = builder.secrecy(fact.secrecy()).validity(fact.validity().clone());
                // Cannot fail, because the parts come from a valid fact.
                let Ok(new) = builder.attitude(fact.attitude()).build() else { return };
                new
            }
            None => renamed,
        };
        if original.is_none() && new == **fact {
            return;
        }
        let (merged_id, new_id) = (fact.id(), new.id());
        if original.is_none() && merged_id != new_id {
            self.facts.insert(merged_id, new_id);
            self.changes.push(to_change(Arc::new(new)));
            if self.state.fact(merged_id).is_some() {
                self.changes.push(Change::RetractFact(merged_id));
            }
        } else {
            self.changes.push(to_change(Arc::new(new)));
        }
    }

    fn replay_edge(&mut self, edge: &Arc<KnowledgeEdge>) {
        let mut new = KnowledgeEdge::clone(edge);
        new.rename(&mut self.original_ids());
        if new == **edge {
            return;
        }
        let (from, to) = (edge.id(), new.id());
        let is_recorded = self.state.recorded_edges(edge.fact).any(|(id, _)| id == from);
        self.edges.insert(from, to);
        self.changes.push(Change::Learn(Arc::new(new)));
        if is_recorded && from != to {
            self.changes.push(Change::Unlearn(from));
        }
    }

    fn replay_passage(&mut self, passage: &Arc<Passage>) {
        let Some(original) = self.passages.get(&passage.id()) else { return };
        let (speaker, document) = (original.speaker.clone(), original.document.clone());
        let new = Passage { speaker, document, session: original.session.clone(), ..Passage::clone(passage) };
        self.changes.push(Change::AddPassage(Arc::new(new)));
    }
}
