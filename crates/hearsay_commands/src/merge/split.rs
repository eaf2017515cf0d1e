//! Splitting two entities that were merged.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, FactId, Key, KnowledgeEdge, KnowledgeId, Operation, Passage, PassageId,
    Position, Provenance, Rename, ReviewSetting, Setting, State, Timestamp,
};
use hearsay_query::resolve::resolve;

use super::merged::key;
use crate::CommandError;

/// Returns the operation that splits a merged entity. `given` is the id of the removed entity. If only one entity was
/// merged into the remaining entity, `given` may also be the id or name of the remaining entity.
///
/// The operation reverts the merge. If a record that the merge moved was changed later, the operation applies the
/// change to the original record. Facts that were added to the merged entity later stay with the remaining entity. The
/// two entities are marked as distinct.
///
/// # Errors
/// Returns an error if there is no such merge, if the merge is not in this journal, or if a later merge must be split
/// first.
pub fn split(state: &State, given: &str, now: Timestamp) -> Result<Operation, CommandError> {
    let (gone, into) = merged(state, given)?;
    let of_this = |change: &Change| matches!(change, Change::RemoveEntity(id) if *id == gone);
    let sets = |change: &Change| matches!(change, Change::Set(setting) if setting.key() == key(&gone));
    let made = state.journal().rev().find(|(_, entry)| {
        let changes = &entry.operation.changes;
        entry.live && changes.iter().any(of_this) && changes.iter().any(sets)
    });
    let Some((position, entry)) = made else { return Err(CommandError::MergedElsewhere { gone, into }) };
    let operation = Arc::clone(&entry.operation);
    if let Some(later) = built_upon(state, position, &operation, &into) {
        return Err(CommandError::SplitFirst { gone, first: later });
    }
    let mut replay = Replay::new(state, position, &operation, &gone, &into);
    let later = state.journal().filter(|(at, entry)| *at > position && entry.live);
    for (_, entry) in later {
        for change in &entry.operation.changes {
            replay.take(change);
        }
    }
    let mut changes = vec![Change::Revert(position)];
    changes.append(&mut replay.changes);
    changes.push(Change::Set(Setting::distinct(gone.clone(), into.clone())));
    let summary = format!("split {gone} from {}", state.name_or_id(&into));
    Ok(Operation { recorded: now, ..Operation::new(Author::Dm, summary, changes) })
}

/// Returns the removed entity and the remaining entity of the merge that `given` refers to.
fn merged(state: &State, given: &str) -> Result<(EntityId, EntityId), CommandError> {
    if let Ok(id) = EntityId::new(given.trim())
        && let Some(into) = state.merged_into(&id)
    {
        return Ok((id, into.clone()));
    }
    let id = resolve(state, given)?;
    let merges = state.settings().filter_map(|setting| match &**setting {
        Setting::Review(ReviewSetting::Merged { gone, into }) if *into == id => Some(gone.clone()),
        _ => None,
    });
    let mut gone: Vec<EntityId> = merges.collect();
    match gone.len() {
        1 => Ok((gone.swap_remove(0), id)),
        _ => Err(CommandError::NotMerged { given: given.to_owned(), gone }),
    }
}

/// Returns the removed entity of a later merge that moved the same records as this merge, if any.
fn built_upon(state: &State, position: Position, made: &Operation, into: &EntityId) -> Option<EntityId> {
    let mut wrote: Vec<Key> = made.changes.iter().filter_map(Change::writes).collect();
    wrote.retain(|key| !matches!(key, Key::Entity(id) if id == into) && !matches!(key, Key::Setting(_)));
    wrote.sort_unstable();
    let later = state.journal().rev().take_while(|(at, _)| *at > position).filter(|(_, entry)| entry.live);
    later.into_iter().find_map(|(_, entry)| {
        let changes = &entry.operation.changes;
        let gone = changes.iter().find_map(|change| match change {
            Change::Set(Setting::Review(ReviewSetting::Merged { gone, .. })) => Some(gone),
            _ => None,
        })?;
        // An import may record a merge without moving any records.
        let moves = changes.iter().any(|change| matches!(change, Change::RemoveEntity(id) if id == gone));
        let touches = changes.iter().filter_map(Change::writes).any(|key| wrote.binary_search(&key).is_ok());
        (moves && touches).then(|| gone.clone())
    })
}

/// Original ids of the records that a merge moved.
struct Originals<'a> {
    facts: &'a BTreeMap<FactId, FactId>,
    edges: &'a BTreeMap<KnowledgeId, KnowledgeId>,
    passages: &'a BTreeMap<PassageId, Arc<Passage>>,
}

impl Rename for Originals<'_> {
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
    into: &'a EntityId,
    /// External ids that the remaining entity received from the removed entity.
    foreign: Vec<hearsay_model::ExternalId>,
    /// Original fact of each fact that the merge created.
    facts: BTreeMap<FactId, FactId>,
    edges: BTreeMap<KnowledgeId, KnowledgeId>,
    passages: BTreeMap<PassageId, Arc<Passage>>,
    changes: Vec<Change>,
}

impl<'a> Replay<'a> {
    fn new(state: &'a State, position: Position, made: &Operation, gone: &EntityId, into: &'a EntityId) -> Self {
        let (mut facts, mut edges, mut passages) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let before = state.journal().rev().skip_while(|(at, _)| *at >= position).filter(|(_, entry)| entry.live);
        let earlier: Vec<&Operation> = before.map(|(_, entry)| &*entry.operation).collect();
        let ids_of = |id: &EntityId| {
            let adds = |change: &Change| match change {
                Change::AddEntity(entity) if entity.id == *id => Some(entity.external_ids.clone()),
                _ => None,
            };
            earlier.iter().find_map(|operation| operation.changes.iter().rev().find_map(adds)).unwrap_or_default()
        };
        let own = ids_of(into);
        let foreign = ids_of(gone).into_iter().filter(|id| !own.contains(id)).collect();
        for pair in made.changes.windows(2) {
            match pair {
                [Change::AssertFact(new), Change::RetractFact(old)] => _ = facts.insert(new.id(), *old),
                [Change::Learn(new), Change::Unlearn(old)] => _ = edges.insert(new.id(), *old),
                [Change::AddPassage(new), Change::RemovePassage(old)] => {
                    let adds = |change: &Change| match change {
                        Change::AddPassage(passage) if passage.id() == *old => Some(Arc::clone(passage)),
                        _ => None,
                    };
                    let was = earlier.iter().find_map(|operation| operation.changes.iter().rev().find_map(adds));
                    passages.extend(was.map(|was| (new.id(), was)));
                }
                _ => {}
            }
        }
        Self { state, into, foreign, facts, edges, passages, changes: Vec::new() }
    }

    /// Returns the original ids of the moved records.
    fn ids(&self) -> Originals<'_> {
        Originals { facts: &self.facts, edges: &self.edges, passages: &self.passages }
    }

    fn take(&mut self, change: &Change) {
        match change {
            Change::AssertFact(fact) => self.fact(fact, Change::AssertFact),
            Change::Support(fact) => self.fact(fact, Change::Support),
            Change::Learn(edge) => self.edge(edge),
            Change::AddPassage(passage) => self.passage(passage),
            Change::AddEntity(entity) if entity.id == *self.into => {
                let mut new = Entity::clone(entity);
                new.external_ids.retain(|id| !self.foreign.contains(id));
                self.changes.extend((new != *entity).then_some(Change::AddEntity(new)));
            }
            // Any other change matters only if it refers to a moved record.
            change => {
                let mut new = change.clone();
                new.rename(&mut self.ids());
                self.changes.extend((new != *change).then_some(new));
            }
        }
    }

    fn fact(&mut self, fact: &Arc<Fact>, say: impl Fn(Arc<Fact>) -> Change) {
        let mut renamed = Fact::clone(fact);
        renamed.rename(&mut self.ids());
        let was = self.facts.get(&fact.id()).and_then(|old| self.state.asserted(*old));
        let new = match was {
            Some(was) => {
                let said = was.provenance();
                let provenance = Provenance {
                    speaker: said.speaker.clone(),
                    session: said.session.clone(),
                    ..renamed.provenance().clone()
                };
                let builder = was.to_builder().provenance(provenance).status(fact.status());
                let builder = builder.secrecy(fact.secrecy()).validity(fact.validity().clone());
                // Cannot fail, because the parts come from a valid fact.
                let Ok(new) = builder.attitude(fact.attitude()).build() else { return };
                new
            }
            None => renamed,
        };
        if was.is_none() && new == **fact {
            return;
        }
        let (from, to) = (fact.id(), new.id());
        if was.is_none() && from != to {
            self.facts.insert(from, to);
            self.changes.push(say(Arc::new(new)));
            if self.state.fact(from).is_some() {
                self.changes.push(Change::RetractFact(from));
            }
        } else {
            self.changes.push(say(Arc::new(new)));
        }
    }

    fn edge(&mut self, edge: &Arc<KnowledgeEdge>) {
        let mut new = KnowledgeEdge::clone(edge);
        new.rename(&mut self.ids());
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

    fn passage(&mut self, passage: &Arc<Passage>) {
        let Some(was) = self.passages.get(&passage.id()) else { return };
        let (speaker, document) = (was.speaker.clone(), was.document.clone());
        let new = Passage { speaker, document, session: was.session.clone(), ..Passage::clone(passage) };
        self.changes.push(Change::AddPassage(Arc::new(new)));
    }
}
