//! Replacement of an entity in all records that refer to it: facts, knowledge edges, passages, sessions and settings.
//!
//! The id of a record is a hash that includes the ids of its entities. Therefore, most renamed records get new ids, and
//! so do the records that refer to them. Each renamed record is written as two consecutive changes: the first adds the
//! new record, and the second withdraws the old record. A [split](super::split) uses these pairs to find the old record
//! for each new record.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{
    Acquisition, Change, EntityId, Evidence, Fact, FactBuilder, FactError, FactId, FactStatus, GameSetting,
    Justification, Knower, KnowledgeEdge, KnowledgeId, Object, Passage, PassageId, Predicate, Provenance, Reference,
    Rename, ReviewSetting, Session, Setting, State, attribute,
};
use hearsay_query::resolve::public_name;

/// Adds to `ids` the ids of all records that depend on them, directly or through other records.
fn add_dependents<T: Copy + Ord>(ids: &mut BTreeSet<T>, dependents: &BTreeMap<T, Vec<T>>) {
    let mut reached: Vec<T> = ids.iter().copied().collect();
    while let Some(id) = reached.pop() {
        let added = dependents.get(&id).into_iter().flatten().filter(|dependent| ids.insert(**dependent));
        reached.extend(added.copied());
    }
}

/// Renaming of one entity to another, in progress.
pub(super) struct EntityRename<'a> {
    pub state: &'a State,
    pub removed: &'a EntityId,
    pub remaining: &'a EntityId,
    /// Facts that contradict a more certain fact. The merge makes these facts claims.
    pub less_certain: BTreeSet<FactId>,
    pub changes: Vec<Change>,
    /// Changes of facts that keep their ids. For such a fact, the merge needs no change that withdraws an old fact.
    unpaired_changes: Vec<Change>,
    passages: BTreeMap<PassageId, PassageId>,
    /// New id of each renamed fact; `None` for a fact that was removed because it would relate an entity to itself.
    facts: BTreeMap<FactId, Option<FactId>>,
    edges: BTreeMap<KnowledgeId, Option<KnowledgeId>>,
}

/// New ids of the renamed entity and of the records renamed so far.
struct NewIds<'a> {
    removed: &'a EntityId,
    remaining: &'a EntityId,
    passages: &'a BTreeMap<PassageId, PassageId>,
    facts: &'a BTreeMap<FactId, Option<FactId>>,
    edges: &'a BTreeMap<KnowledgeId, Option<KnowledgeId>>,
}

impl Rename for NewIds<'_> {
    fn entity(&mut self, id: &mut EntityId) {
        if id == self.removed {
            id.clone_from(self.remaining);
        }
    }

    fn fact(&mut self, id: &mut FactId) {
        *id = self.facts.get(id).copied().flatten().unwrap_or(*id);
    }

    fn edge(&mut self, id: &mut KnowledgeId) {
        *id = self.edges.get(id).copied().flatten().unwrap_or(*id);
    }

    fn passage(&mut self, id: &mut PassageId) {
        *id = self.passages.get(id).copied().unwrap_or(*id);
    }
}

/// Number of records of each type that a merge moves from the removed entity to the remaining entity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct MovedCounts {
    /// Number of facts that move.
    pub facts: usize,
    /// Number of knowledge edges that move.
    pub edges: usize,
    /// Number of passages that move.
    pub passages: usize,
}

impl<'a> EntityRename<'a> {
    pub(super) fn new(
        state: &'a State,
        removed: &'a EntityId,
        remaining: &'a EntityId,
        less_certain: BTreeSet<FactId>,
    ) -> Self {
        let (passages, facts, edges) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self {
            state,
            removed,
            remaining,
            less_certain,
            changes: Vec::new(),
            unpaired_changes: Vec::new(),
            passages,
            facts,
            edges,
        }
    }

    /// Renames the entity in all records.
    pub(super) fn rename_all(&mut self) -> MovedCounts {
        let before = self.changes.len();
        self.rename_passages();
        let passages = self.changes.iter().filter(|change| matches!(change, Change::AddPassage(_))).count();
        self.rename_facts();
        self.rename_edges();
        self.rename_sessions();
        self.rename_settings();
        debug_assert!(self.changes.len() >= before);
        MovedCounts { facts: self.facts.len(), edges: self.edges.len(), passages }
    }

    pub(super) fn new_entity_id(&self, id: &EntityId) -> EntityId {
        if id == self.removed { self.remaining.clone() } else { id.clone() }
    }

    fn exists(&self, id: &EntityId) -> bool {
        self.state.entity(id).is_some()
    }

    /// Returns the new ids of several entities. Omits removed entities.
    fn new_entity_ids(&self, ids: &[EntityId]) -> Vec<EntityId> {
        let mut ids: Vec<EntityId> = ids.iter().filter(|id| self.exists(id)).map(|id| self.new_entity_id(id)).collect();
        ids.sort();
        ids.dedup();
        ids
    }

    fn new_optional_id(&self, id: Option<&EntityId>) -> Option<EntityId> {
        id.filter(|id| self.exists(id)).map(|id| self.new_entity_id(id))
    }

    fn new_knower(&self, knower: &Knower) -> Knower {
        knower.entity().map_or(Knower::World, |id| self.new_entity_id(id).into())
    }

    /// Returns the new ids of the records renamed so far.
    fn new_ids(&self) -> NewIds<'_> {
        NewIds {
            removed: self.removed,
            remaining: self.remaining,
            passages: &self.passages,
            facts: &self.facts,
            edges: &self.edges,
        }
    }

    fn rename_passages(&mut self) {
        for (id, passage) in self.state.passages() {
            let knowers = passage.knowers().filter_map(Knower::entity);
            if !passage.entities().chain(knowers).any(|id| id == self.removed) {
                continue;
            }
            let has_existing_knower = |knower: &&Knower| knower.entity().is_none_or(|id| self.exists(id));
            let mut heard_by: Vec<Knower> =
                passage.heard_by.iter().filter(has_existing_knower).map(|knower| self.new_knower(knower)).collect();
            heard_by.sort();
            heard_by.dedup();
            let mut readers = passage.readers.clone();
            readers.retain(|reader| has_existing_knower(&&reader.knower));
            readers.iter_mut().for_each(|reader| reader.knower = self.new_knower(&reader.knower));
            readers.sort();
            readers.dedup_by(|later, first| later.knower == first.knower);
            let new = Arc::new(Passage {
                speaker: self.new_optional_id(passage.speaker.as_ref()),
                place: self.new_optional_id(passage.place.as_ref()),
                document: self.new_optional_id(passage.document.as_ref()),
                mentions: self.new_entity_ids(&passage.mentions),
                session: passage.session.clone().filter(|session| self.state.session(session).is_some()),
                heard_by,
                readers,
                ..Passage::clone(passage)
            });
            let to = new.id();
            self.changes.push(Change::AddPassage(new));
            if to != id {
                self.passages.insert(id, to);
                self.changes.push(Change::RemovePassage(id));
            }
        }
    }

    fn rename_facts(&mut self) {
        let (mut renamed, mut dependents) = (BTreeSet::new(), BTreeMap::<FactId, Vec<FactId>>::new());
        for fact in self.state.facts() {
            if let Some(fact_relation) = fact.fact_relation() {
                dependents.entry(fact_relation.fact()).or_default().push(fact.id());
            }
            let provenance = fact.provenance();
            let is_moved = |evidence: &Evidence| evidence.passage().is_some_and(|id| self.passages.contains_key(&id));
            if fact.entities().chain(&provenance.speaker).any(|id| id == self.removed)
                || provenance.evidence.iter().any(is_moved)
            {
                renamed.insert(fact.id());
            }
        }
        // Facts that distort, refute, end or cover a renamed fact get new ids too.
        add_dependents(&mut renamed, &dependents);
        // Facts that contradict a renamed fact are written too, but keep their ids.
        let is_written = |fact: &&Arc<Fact>| {
            renamed.contains(&fact.id()) || fact.contradicts().iter().any(|id| renamed.contains(id))
        };
        let mut pending: BTreeMap<FactId, &'a Arc<Fact>> =
            self.state.facts().filter(is_written).map(|fact| (fact.id(), fact)).collect();
        // The id of a fact depends on the id of the fact that it distorts, refutes, ends or covers, so the latter is
        // renamed first.
        while !pending.is_empty() {
            let is_waiting = |fact: &Fact| {
                fact.fact_relation().is_some_and(|fact_relation| pending.contains_key(&fact_relation.fact()))
            };
            let ready: Vec<&Arc<Fact>> = pending.values().filter(|fact| !is_waiting(fact)).copied().collect();
            if ready.is_empty() {
                break;
            }
            for fact in ready {
                pending.remove(&fact.id());
                self.rename_fact(fact);
            }
        }
        self.changes.append(&mut self.unpaired_changes);
        self.rename_contradicted_facts();
        for &loser in &self.less_certain {
            if !self.facts.contains_key(&loser) {
                self.changes.push(Change::SetStatus { fact: loser, status: FactStatus::Claimed });
            }
        }
    }

    /// Renames the facts that other facts contradict, after the ids of all facts are known.
    fn rename_contradicted_facts(&mut self) {
        for change in &mut self.changes {
            let (Change::AssertFact(fact) | Change::Support(fact)) = change else { continue };
            if fact.contradicts().iter().any(|id| self.facts.contains_key(id)) {
                let new_id = |id: &FactId| self.facts.get(id).copied().flatten().unwrap_or(*id);
                let contradicted: Vec<FactId> = fact.contradicts().iter().map(new_id).collect();
                if let Ok(renamed) = fact.to_builder().contradicts(contradicted).build() {
                    *fact = Arc::new(renamed);
                }
            }
        }
    }

    fn rename_fact(&mut self, old: &Fact) {
        let id = old.id();
        let new = self.renamed_fact(old).ok().flatten();
        let Some(new) = new else {
            self.facts.insert(id, None);
            self.changes.push(Change::RetractFact(id));
            return;
        };
        let to = new.id();
        if to == id {
            self.unpaired_changes.push(Change::AssertFact(Arc::new(new)));
            return;
        }
        self.facts.insert(id, Some(to));
        let exists = self.state.fact(to).is_some() && !self.facts.contains_key(&to);
        let new = Arc::new(new);
        self.changes.push(if exists { Change::Support(new) } else { Change::AssertFact(new) });
        self.changes.push(Change::RetractFact(id));
    }

    /// Returns the renamed fact, or `None` if the new fact would relate an entity to itself.
    fn renamed_fact(&self, old: &Fact) -> Result<Option<Fact>, FactError> {
        let subject = self.new_entity_id(old.subject());
        let object = match old.object() {
            Object::Entity(id) if self.new_entity_id(id) == subject && id != old.subject() => return Ok(None),
            Object::Entity(id) => Object::Entity(self.new_entity_id(id)),
            value => value.clone(),
        };
        let vocabulary = self.state.vocabulary();
        let is_other_name = old.subject() == self.removed
            && *old.predicate() == attribute::NAME
            && self.state.name(self.remaining).is_some();
        let (predicate, statement) = match is_other_name {
            true => {
                let alias = Predicate::new(attribute::ALIAS)?;
                let statement =
                    vocabulary.sentence(&alias, public_name(self.state, self.remaining), &object.to_string());
                (alias, statement)
            }
            false => (old.predicate().clone(), old.statement().to_owned()),
        };
        let mut fact_relation = old.fact_relation();
        fact_relation.iter_mut().for_each(|relation| relation.rename(&mut self.new_ids()));
        let old_provenance = old.provenance();
        let mut evidence = old_provenance.evidence.clone();
        evidence.iter_mut().for_each(|evidence| evidence.rename(&mut self.new_ids()));
        let provenance = Provenance {
            speaker: self.new_optional_id(old_provenance.speaker.as_ref()),
            session: old_provenance.session.clone().filter(|session| self.state.session(session).is_some()),
            evidence,
            ..old_provenance.clone()
        };
        let status = if self.less_certain.contains(&old.id()) { FactStatus::Claimed } else { old.status() };
        let builder = FactBuilder::new(subject, predicate, object, provenance);
        let builder = builder.statement(statement).mentions(self.new_entity_ids(old.mentions()));
        let builder = builder.attitude(old.attitude()).rank(old.rank().map(str::to_owned)).fact_relation(fact_relation);
        let builder = builder.conditions(old.conditions().map(str::to_owned)).validity(old.validity().clone());
        let builder = builder.handle(old.handle().map(str::to_owned)).secrecy(old.secrecy());
        let builder = builder.contradicts(old.contradicts().iter().copied());
        builder.factuality(old.factuality()).status(status).build().map(Some)
    }

    fn rename_edges(&mut self) {
        let (mut recorded_edges, mut dependents) = (BTreeMap::new(), BTreeMap::<KnowledgeId, Vec<KnowledgeId>>::new());
        let mut affected = BTreeSet::new();
        for fact in self.state.facts() {
            for (id, edge) in self.state.recorded_edges(fact.id()) {
                for justification in edge.sources.iter().flat_map(Justification::edges) {
                    dependents.entry(justification).or_default().push(id);
                }
                if self.concerns(edge) {
                    affected.insert(id);
                }
                recorded_edges.insert(id, edge);
            }
        }
        add_dependents(&mut affected, &dependents);
        let mut pending = affected.clone();
        let mut written = BTreeSet::new();
        // Each edge is written after the edges that it depends on.
        for first in affected.iter().copied() {
            let mut stack = vec![first];
            while let Some(&id) = stack.last() {
                let Some(edge) = recorded_edges.get(&id).filter(|_| pending.contains(&id)) else {
                    stack.pop();
                    continue;
                };
                let before = stack.len();
                stack.extend(edge.sources.iter().flat_map(Justification::edges).filter(|id| pending.contains(id)));
                if stack.len() > before {
                    continue;
                }
                stack.pop();
                pending.remove(&id);
                self.rename_edge(id, edge, |to| {
                    written.insert(to) && (!recorded_edges.contains_key(&to) || affected.contains(&to))
                });
            }
        }
    }

    /// Returns whether an edge refers to the renamed entity or to a renamed fact. Ignores the justifications of the
    /// edge.
    fn concerns(&self, edge: &KnowledgeEdge) -> bool {
        let mut concerns = false;
        edge.visit_references(&mut |reference| {
            concerns |= match reference {
                Reference::Entity(id) => id == self.removed,
                Reference::Fact(id) => self.facts.contains_key(&id),
                Reference::KnowledgeEdge(_) | Reference::Passage(_) | Reference::Session(_) => false,
            };
        });
        concerns
    }

    /// Renames an edge. `is_new` returns whether no edge with the given id exists yet.
    fn rename_edge(&mut self, id: KnowledgeId, old: &KnowledgeEdge, is_new: impl FnOnce(KnowledgeId) -> bool) {
        let new_fact_id = |fact: FactId| self.facts.get(&fact).copied().unwrap_or(Some(fact));
        let has_existing_knower = old.knower.entity().is_none_or(|id| self.exists(id));
        let Some(fact) = new_fact_id(old.fact).filter(|_| has_existing_knower) else {
            self.edges.insert(id, None);
            return;
        };
        let knower = self.new_knower(&old.knower);
        let (mut sources, mut acquisition) = (old.sources.clone(), old.acquisition.clone());
        sources.iter_mut().for_each(|source| source.rename(&mut self.new_ids()));
        acquisition.retain_entities(|id| self.exists(id));
        acquisition.rename(&mut self.new_ids());
        let mut co_present = self.new_entity_ids(&old.co_present);
        co_present.retain(|id| Some(id) != knower.entity());
        if !acquisition.gives_knowledge() && co_present.is_empty() {
            self.edges.insert(id, None);
            self.changes.push(Change::Unlearn(id));
            return;
        }
        // A character cannot tell itself a fact. The edge is therefore replaced by the edge through which the teller
        // knew the fact. If there is no such edge, it becomes authored.
        if acquisition.teller().is_some() && acquisition.teller() == knower.entity() {
            let basis = sources.iter().find_map(|source| match source {
                Justification::Basis { fact: basis_fact, edge } if *basis_fact == fact => Some(*edge),
                _ => None,
            });
            if let Some(basis) = basis {
                self.edges.insert(id, Some(basis));
                self.changes.push(Change::Unlearn(id));
                return;
            }
            (acquisition, sources) = (Acquisition::Authored, Vec::new());
        }
        let session = old.session.clone().filter(|session| self.state.session(session).is_some());
        let new = KnowledgeEdge { knower, fact, acquisition, co_present, sources, session, ..old.clone() }.sorted();
        let to = new.id();
        if to == id {
            return;
        }
        self.edges.insert(id, Some(to));
        if is_new(to) {
            self.changes.push(Change::Learn(Arc::new(new)));
        }
        self.changes.push(Change::Unlearn(id));
    }

    fn rename_sessions(&mut self) {
        for session in self.state.sessions().filter(|session| session.present.contains(self.removed)) {
            let present = self.new_entity_ids(&session.present);
            self.changes.push(Change::SetSession(Session { present, ..Session::clone(session) }));
        }
    }

    fn rename_settings(&mut self) {
        let mut settings = Vec::new();
        for reveal in self.state.reveals() {
            let mut new = reveal.clone();
            new.rename(&mut self.new_ids());
            if new != *reveal {
                settings.push(Setting::Game(GameSetting::Reveal(new)));
            }
        }
        for setting in self.state.settings() {
            match &**setting {
                Setting::Review(ReviewSetting::Distinct { one, other })
                    if one == self.removed || other == self.removed =>
                {
                    let (one, other) = (self.new_entity_id(one), self.new_entity_id(other));
                    settings.extend((one != other).then(|| Setting::distinct(one, other)));
                }
                old @ Setting::Review(ReviewSetting::Learning(_)) => {
                    let mut new = old.clone();
                    new.rename(&mut self.new_ids());
                    settings.extend((new != *old).then_some(new));
                }
                _ => {}
            }
        }
        self.changes.extend(settings.into_iter().map(Change::Set));
    }
}
