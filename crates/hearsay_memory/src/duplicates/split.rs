//! Splitting two entities that were merged.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{
    Acquisition, Author, Change, Entity, EntityId, Evidence, Fact, FactId, FactRelation, Justification, Key,
    KnowledgeEdge, KnowledgeId, Learning, Operation, Passage, PassageId, Position, Provenance, Setting, State,
    Timestamp,
};

use super::merge;
use crate::{MemoryError, edit::resolve};

/// Returns the operation that splits a merged entity. It is named by the id of the removed entity, or by the remaining
/// entity if only one was merged into it.
///
/// The merge is reverted. Later changes to moved records are applied to the original records. Later facts about the
/// merged entity stay with the remaining entity. From then on, the two are marked as distinct.
///
/// # Errors
/// When there is no such merge, the merge is not in this journal, or a later merge must be split first.
pub fn split(state: &State, given: &str, now: Timestamp) -> Result<Operation, MemoryError> {
    let (gone, into) = merged(state, given)?;
    let of_this = |change: &Change| matches!(change, Change::RemoveEntity(id) if *id == gone);
    let sets = |change: &Change| matches!(change, Change::Set(setting) if setting.key() == merge::key(&gone));
    let made = state.journal().rev().find(|(_, entry)| {
        let changes = &entry.operation.changes;
        entry.live && changes.iter().any(of_this) && changes.iter().any(sets)
    });
    let Some((position, entry)) = made else { return Err(MemoryError::MergedElsewhere { gone, into }) };
    let operation = Arc::clone(&entry.operation);
    if let Some(later) = built_upon(state, position, &operation, &into) {
        return Err(MemoryError::SplitFirst { gone, first: later });
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

/// Returns the removed and the remaining entity of the named merge.
fn merged(state: &State, given: &str) -> Result<(EntityId, EntityId), MemoryError> {
    if let Ok(id) = EntityId::new(given.trim())
        && let Some(into) = state.merged_into(&id)
    {
        return Ok((id, into.clone()));
    }
    let id = resolve(state, given)?;
    let merges = state.settings().filter_map(|setting| match &**setting {
        Setting::Merged { gone, into } if *into == id => Some(gone.clone()),
        _ => None,
    });
    let mut gone: Vec<EntityId> = merges.collect();
    match gone.len() {
        1 => Ok((gone.swap_remove(0), id)),
        _ => Err(MemoryError::NotMerged { given: given.to_owned(), gone }),
    }
}

/// Returns the removed entity of a later merge that moved records which this one had moved.
fn built_upon(state: &State, position: Position, made: &Operation, into: &EntityId) -> Option<EntityId> {
    let mut wrote: Vec<Key> = made.changes.iter().filter_map(Change::key).collect();
    wrote.retain(|key| !matches!(key, Key::Entity(id) if id == into) && !matches!(key, Key::Setting(_)));
    wrote.sort_unstable();
    let later = state.journal().rev().take_while(|(at, _)| *at > position).filter(|(_, entry)| entry.live);
    later.into_iter().find_map(|(_, entry)| {
        let changes = &entry.operation.changes;
        let gone = changes.iter().find_map(|change| match change {
            Change::Set(Setting::Merged { gone, .. }) => Some(gone),
            _ => None,
        })?;
        // An import of settings moves no records.
        let moves = changes.iter().any(|change| matches!(change, Change::RemoveEntity(id) if id == gone));
        let touches = changes.iter().filter_map(Change::key).any(|key| wrote.binary_search(&key).is_ok());
        (moves && touches).then(|| gone.clone())
    })
}

/// Replays later changes as if the merge had not happened.
struct Replay<'a> {
    state: &'a State,
    into: &'a EntityId,
    /// External ids that came from the removed entity.
    foreign: Vec<hearsay_model::ExternalId>,
    /// Original facts by the facts that the merge made.
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

    fn to_fact(&self, fact: FactId) -> FactId {
        self.facts.get(&fact).copied().unwrap_or(fact)
    }

    fn take(&mut self, change: &Change) {
        let moved = |fact: &FactId| self.facts.get(fact).copied();
        match change {
            Change::AssertFact(fact) => self.fact(fact, Change::AssertFact),
            Change::Support(fact) => self.fact(fact, Change::Support),
            Change::EndFact { fact, until } => {
                self.changes.extend(moved(fact).map(|fact| Change::EndFact { fact, until: until.clone() }));
            }
            Change::SetStatus { fact, status } => {
                self.changes.extend(moved(fact).map(|fact| Change::SetStatus { fact, status: *status }));
            }
            Change::SetSecrecy { fact, secrecy } => {
                self.changes.extend(moved(fact).map(|fact| Change::SetSecrecy { fact, secrecy: *secrecy }));
            }
            Change::Confirm(fact) => self.changes.extend(moved(fact).map(Change::Confirm)),
            Change::RetractFact(fact) => self.changes.extend(moved(fact).map(Change::RetractFact)),
            Change::Learn(edge) => self.edge(edge),
            Change::Unlearn(id) => self.changes.extend(self.edges.get(id).copied().map(Change::Unlearn)),
            Change::AddPassage(passage) => self.passage(passage),
            Change::RemovePassage(id) => {
                self.changes.extend(self.passages.get(id).map(|passage| Change::RemovePassage(passage.id())));
            }
            Change::Set(Setting::Reveal(reveal)) => {
                let new = reveal.renamed(&EntityId::clone, &|fact| self.to_fact(fact));
                self.changes.extend((new != *reveal).then_some(Change::Set(Setting::Reveal(new))));
            }
            Change::Set(Setting::Learning(learning)) => {
                let mut forgotten: Vec<FactId> = learning.forgotten.iter().map(|fact| self.to_fact(*fact)).collect();
                forgotten.sort_unstable();
                if forgotten != learning.forgotten {
                    let learning = Learning { forgotten, ..learning.clone() };
                    self.changes.push(Change::Set(Setting::Learning(learning)));
                }
            }
            Change::AddEntity(entity) if entity.id == *self.into => {
                let mut new = Entity::clone(entity);
                new.external_ids.retain(|id| !self.foreign.contains(id));
                self.changes.extend((new != *entity).then_some(Change::AddEntity(new)));
            }
            _ => {}
        }
    }

    fn evidence(&self, fact: &Fact) -> Vec<Evidence> {
        let mapped = fact.provenance().evidence.iter().map(|evidence| match evidence {
            Evidence::Passage { passage, span, quote } => {
                let passage = self.passages.get(passage).map_or(*passage, |passage| passage.id());
                Evidence::Passage { passage, span: *span, quote: quote.clone() }
            }
            file @ (Evidence::File { .. } | Evidence::Excerpt(_)) => file.clone(),
        });
        mapped.collect()
    }

    fn fact(&mut self, fact: &Arc<Fact>, say: impl Fn(Arc<Fact>) -> Change) {
        let provenance = Provenance { evidence: self.evidence(fact), ..fact.provenance().clone() };
        let was = self.facts.get(&fact.id()).and_then(|old| self.state.asserted(*old));
        let built = match was {
            Some(was) => {
                let said = was.provenance();
                let provenance =
                    Provenance { speaker: said.speaker.clone(), session: said.session.clone(), ..provenance };
                let builder = was.to_builder().provenance(provenance).status(fact.status());
                builder.secrecy(fact.secrecy()).validity(fact.validity().clone()).attitude(fact.attitude()).build()
            }
            None => {
                let fact_relation = fact.fact_relation().map(|fact_relation| match fact_relation {
                    FactRelation::Distorts(fact) => FactRelation::Distorts(self.to_fact(fact)),
                    FactRelation::Refutes(fact) => FactRelation::Refutes(self.to_fact(fact)),
                    FactRelation::Ends(fact) => FactRelation::Ends(self.to_fact(fact)),
                    FactRelation::Covers(fact) => FactRelation::Covers(self.to_fact(fact)),
                });
                fact.to_builder().provenance(provenance).fact_relation(fact_relation).build()
            }
        };
        // The parts of a valid fact always build a valid fact, so this does not fail.
        let Ok(new) = built else { return };
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
        let to_edge = |edge: KnowledgeId| self.edges.get(&edge).copied().unwrap_or(edge);
        let source = |source: &Justification| match source {
            Justification::Basis { fact, edge } => {
                Justification::Basis { fact: self.to_fact(*fact), edge: to_edge(*edge) }
            }
            Justification::Experience { told, seen, held } => {
                Justification::Experience { told: to_edge(*told), seen: to_edge(*seen), held: *held }
            }
        };
        let sources = edge.sources.iter().map(source).collect();
        let acquisition = match &edge.acquisition {
            Acquisition::Deduced { from } => {
                Acquisition::Deduced { from: from.iter().map(|fact| self.to_fact(*fact)).collect() }
            }
            acquisition => acquisition.clone(),
        };
        let new = KnowledgeEdge { fact: self.to_fact(edge.fact), acquisition, sources, ..KnowledgeEdge::clone(edge) }
            .sorted();
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
