//! Renames an entity in all records that refer to it: facts, knowledge edges, passages, sessions and reveals.
//!
//! Ids are hashes that include entity names, so most records get new ids, and so do the records that refer to them. A
//! moved record is written as a pair: the new record, directly followed by the withdrawal of the old one. From these
//! pairs, a [split](super::split) maps new records to old ones.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{
    Acquisition, Change, EntityId, Evidence, Fact, FactError, FactId, FactRelation, FactStatus, Justification, Knower,
    KnowledgeEdge, KnowledgeId, Object, Passage, PassageId, Predicate, Provenance, Session, Setting, State, attribute,
};

use crate::edit::spoken_of;

/// A renaming of one entity to another.
pub(super) struct Renaming<'a> {
    pub(super) state: &'a State,
    pub(super) gone: &'a EntityId,
    pub(super) into: &'a EntityId,
    /// Facts that lose against another value and become claims.
    pub(super) losers: BTreeSet<FactId>,
    pub(super) changes: Vec<Change>,
    /// Changes of facts that keep their ids, which are not part of a pair.
    kept: Vec<Change>,
    passages: BTreeMap<PassageId, PassageId>,
    /// New ids of facts; `None` for a removed fact, which would relate an entity to itself.
    facts: BTreeMap<FactId, Option<FactId>>,
    edges: BTreeMap<KnowledgeId, Option<KnowledgeId>>,
}

/// Numbers of records that move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Moved {
    /// Facts.
    pub facts: usize,
    /// Knowledge edges.
    pub edges: usize,
    /// Passages.
    pub passages: usize,
}

impl<'a> Renaming<'a> {
    pub(super) fn new(state: &'a State, gone: &'a EntityId, into: &'a EntityId, losers: BTreeSet<FactId>) -> Self {
        let (passages, facts, edges) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { state, gone, into, losers, changes: Vec::new(), kept: Vec::new(), passages, facts, edges }
    }

    /// Renames the entity in all records.
    pub(super) fn all(&mut self) -> Moved {
        let before = self.changes.len();
        self.passages();
        let passages = self.changes.iter().filter(|change| matches!(change, Change::AddPassage(_))).count();
        self.facts();
        self.edges();
        self.sessions();
        self.settings();
        debug_assert!(self.changes.len() >= before);
        Moved { facts: self.facts.len(), edges: self.edges.len(), passages }
    }

    pub(super) fn entity(&self, id: &EntityId) -> EntityId {
        if id == self.gone { self.into.clone() } else { id.clone() }
    }

    fn is_there(&self, id: &EntityId) -> bool {
        self.state.entity(id).is_some()
    }

    /// Renames several entities. Leaves out removed ones.
    fn entities(&self, ids: &[EntityId]) -> Vec<EntityId> {
        let mut ids: Vec<EntityId> = ids.iter().filter(|id| self.is_there(id)).map(|id| self.entity(id)).collect();
        ids.sort();
        ids.dedup();
        ids
    }

    fn one(&self, id: Option<&EntityId>) -> Option<EntityId> {
        id.filter(|id| self.is_there(id)).map(|id| self.entity(id))
    }

    fn knower(&self, knower: &Knower) -> Knower {
        knower.entity().map_or(Knower::World, |id| self.entity(id).into())
    }

    fn evidence(&self, evidence: &[Evidence]) -> Vec<Evidence> {
        let mapped = evidence.iter().map(|evidence| match evidence {
            Evidence::Passage { passage, span, quote } => Evidence::Passage {
                passage: self.passages.get(passage).copied().unwrap_or(*passage),
                span: *span,
                quote: quote.clone(),
            },
            file @ (Evidence::File { .. } | Evidence::Excerpt(_)) => file.clone(),
        });
        mapped.collect()
    }

    fn passages(&mut self) {
        for (id, passage) in self.state.passages() {
            let named = passage.speaker.iter().chain(&passage.place).chain(&passage.document).chain(&passage.mentions);
            let readers = passage.readers.iter().map(|reader| &reader.knower);
            let knowers = passage.heard_by.iter().chain(readers).filter_map(Knower::entity);
            if !named.chain(knowers).any(|id| id == self.gone) {
                continue;
            }
            let there = |knower: &&Knower| knower.entity().is_none_or(|id| self.is_there(id));
            let mut heard_by: Vec<Knower> =
                passage.heard_by.iter().filter(there).map(|knower| self.knower(knower)).collect();
            heard_by.sort();
            heard_by.dedup();
            let mut readers = passage.readers.clone();
            readers.retain(|reader| there(&&reader.knower));
            readers.iter_mut().for_each(|reader| reader.knower = self.knower(&reader.knower));
            readers.sort();
            readers.dedup_by(|later, first| later.knower == first.knower);
            let new = Arc::new(Passage {
                speaker: self.one(passage.speaker.as_ref()),
                place: self.one(passage.place.as_ref()),
                document: self.one(passage.document.as_ref()),
                mentions: self.entities(&passage.mentions),
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

    fn facts(&mut self) {
        let mut bearers: BTreeMap<FactId, Vec<&'a Arc<Fact>>> = BTreeMap::new();
        let mut open: BTreeMap<FactId, &'a Arc<Fact>> = BTreeMap::new();
        for fact in self.state.facts() {
            if let Some(fact_relation) = fact.fact_relation() {
                bearers.entry(fact_relation.fact()).or_default().push(fact);
            }
            let provenance = fact.provenance();
            let moved = |evidence: &Evidence| match evidence {
                Evidence::Passage { passage, .. } => self.passages.contains_key(passage),
                Evidence::File { .. } | Evidence::Excerpt(_) => false,
            };
            if fact.entities().chain(&provenance.speaker).any(|id| id == self.gone)
                || provenance.evidence.iter().any(moved)
            {
                open.insert(fact.id(), fact);
            }
        }
        // Facts with a relation to a moved fact move too.
        let mut reached: Vec<FactId> = open.keys().copied().collect();
        while let Some(id) = reached.pop() {
            for bearer in bearers.get(&id).into_iter().flatten() {
                if open.insert(bearer.id(), bearer).is_none() {
                    reached.push(bearer.id());
                }
            }
        }
        // The id of a fact depends on the fact that it relates to, so the latter moves first.
        while !open.is_empty() {
            let waits = |fact: &Fact| {
                fact.fact_relation().is_some_and(|fact_relation| open.contains_key(&fact_relation.fact()))
            };
            let ready: Vec<&Arc<Fact>> = open.values().filter(|fact| !waits(fact)).copied().collect();
            if ready.is_empty() {
                break;
            }
            for fact in ready {
                open.remove(&fact.id());
                self.fact(fact);
            }
        }
        self.changes.append(&mut self.kept);
        for &loser in &self.losers {
            if !self.facts.contains_key(&loser) {
                self.changes.push(Change::SetStatus { fact: loser, status: FactStatus::Claimed });
            }
        }
    }

    fn fact(&mut self, old: &Fact) {
        let id = old.id();
        let new = self.renamed(old).ok().flatten();
        let Some(new) = new else {
            self.facts.insert(id, None);
            self.changes.push(Change::RetractFact(id));
            return;
        };
        let to = new.id();
        if to == id {
            self.kept.push(Change::AssertFact(Arc::new(new)));
            return;
        }
        self.facts.insert(id, Some(to));
        let there = self.state.fact(to).is_some() && !self.facts.contains_key(&to);
        let new = Arc::new(new);
        self.changes.push(if there { Change::Support(new) } else { Change::AssertFact(new) });
        self.changes.push(Change::RetractFact(id));
    }

    /// Returns the renamed fact, or `None` if it would relate an entity to itself.
    fn renamed(&self, old: &Fact) -> Result<Option<Fact>, FactError> {
        let subject = self.entity(old.subject());
        let object = match old.object() {
            Object::Entity(id) if self.entity(id) == subject && id != old.subject() => return Ok(None),
            Object::Entity(id) => Object::Entity(self.entity(id)),
            value => value.clone(),
        };
        let vocabulary = self.state.vocabulary();
        let is_other_name =
            old.subject() == self.gone && *old.predicate() == attribute::NAME && self.state.name(self.into).is_some();
        let (predicate, statement) = match is_other_name {
            true => {
                let alias = Predicate::new(attribute::ALIAS)?;
                let statement = vocabulary.sentence(&alias, spoken_of(self.state, self.into), &object.to_string());
                (alias, statement)
            }
            false => (old.predicate().clone(), old.statement().to_owned()),
        };
        let fact_relation = old.fact_relation().map(|fact_relation| {
            let to = |fact: FactId| self.facts.get(&fact).copied().flatten().unwrap_or(fact);
            match fact_relation {
                FactRelation::Distorts(fact) => FactRelation::Distorts(to(fact)),
                FactRelation::Refutes(fact) => FactRelation::Refutes(to(fact)),
                FactRelation::Ends(fact) => FactRelation::Ends(to(fact)),
                FactRelation::Covers(fact) => FactRelation::Covers(to(fact)),
            }
        });
        let said = old.provenance();
        let provenance = Provenance {
            speaker: self.one(said.speaker.as_ref()),
            session: said.session.clone().filter(|session| self.state.session(session).is_some()),
            evidence: self.evidence(&said.evidence),
            ..said.clone()
        };
        let status = if self.losers.contains(&old.id()) { FactStatus::Claimed } else { old.status() };
        let builder = match &object {
            Object::Entity(object) => Fact::relation(&subject, predicate, object, provenance)?,
            Object::Value(value) => Fact::attribute(&subject, predicate, value.clone(), provenance)?,
        };
        let builder = builder.statement(statement).mentions(self.entities(old.mentions()));
        let builder = builder.attitude(old.attitude()).rank(old.rank().map(str::to_owned)).fact_relation(fact_relation);
        let builder = builder.conditions(old.conditions().map(str::to_owned)).validity(old.validity().clone());
        let builder = builder.handle(old.handle().map(str::to_owned)).secrecy(old.secrecy());
        builder.status(status).build().map(Some)
    }

    fn edges(&mut self) {
        let (mut all, mut bears) = (BTreeMap::new(), BTreeMap::<KnowledgeId, Vec<KnowledgeId>>::new());
        let mut reached = Vec::new();
        for fact in self.state.facts() {
            for (id, edge) in self.state.recorded_edges(fact.id()) {
                for below in edge.sources.iter().flat_map(Justification::edges) {
                    bears.entry(below).or_default().push(id);
                }
                if self.concerns(edge) {
                    reached.push(id);
                }
                all.insert(id, edge);
            }
        }
        let mut open: BTreeSet<KnowledgeId> = reached.iter().copied().collect();
        while let Some(id) = reached.pop() {
            for above in bears.get(&id).into_iter().flatten() {
                if open.insert(*above) {
                    reached.push(*above);
                }
            }
        }
        let concerned = open.clone();
        let mut learned = BTreeSet::new();
        // Edges are written in the order of their dependencies.
        for first in concerned.iter().copied() {
            let mut stack = vec![first];
            while let Some(&id) = stack.last() {
                let Some(edge) = all.get(&id).filter(|_| open.contains(&id)) else {
                    stack.pop();
                    continue;
                };
                let before = stack.len();
                stack.extend(edge.sources.iter().flat_map(Justification::edges).filter(|id| open.contains(id)));
                if stack.len() > before {
                    continue;
                }
                stack.pop();
                open.remove(&id);
                self.edge(id, edge, |to| learned.insert(to) && (!all.contains_key(&to) || concerned.contains(&to)));
            }
        }
    }

    /// Whether an edge itself refers to a moved record, regardless of its justifications.
    fn concerns(&self, edge: &KnowledgeEdge) -> bool {
        let named = match &edge.acquisition {
            Acquisition::Told { by, citing } => [by.as_ref(), citing.as_ref()],
            Acquisition::Read { document } => [document.as_ref(), None],
            Acquisition::Deduced { from } if from.iter().any(|fact| self.facts.contains_key(fact)) => return true,
            _ => [None, None],
        };
        let named = named.into_iter().flatten().chain(edge.knower.entity()).chain(&edge.co_present);
        self.facts.contains_key(&edge.fact) || named.into_iter().any(|id| id == self.gone)
    }

    /// Moves an edge. `is_new` says whether there is no edge with a given id yet.
    fn edge(&mut self, id: KnowledgeId, old: &KnowledgeEdge, is_new: impl FnOnce(KnowledgeId) -> bool) {
        let to_fact = |fact: FactId| self.facts.get(&fact).copied().unwrap_or(Some(fact));
        let to_edge = |edge: KnowledgeId| self.edges.get(&edge).copied().flatten().unwrap_or(edge);
        let there = old.knower.entity().is_none_or(|id| self.is_there(id));
        let Some(fact) = to_fact(old.fact).filter(|_| there) else {
            self.edges.insert(id, None);
            return;
        };
        let knower = self.knower(&old.knower);
        let source = |source: &Justification| match source {
            Justification::Basis { fact, edge } => {
                Justification::Basis { fact: to_fact(*fact).unwrap_or(*fact), edge: to_edge(*edge) }
            }
            Justification::Experience { told, seen, held } => {
                Justification::Experience { told: to_edge(*told), seen: to_edge(*seen), held: *held }
            }
        };
        let mut sources: Vec<Justification> = old.sources.iter().map(source).collect();
        let mut acquisition = match &old.acquisition {
            Acquisition::Told { by, citing } => {
                Acquisition::Told { by: self.one(by.as_ref()), citing: self.one(citing.as_ref()) }
            }
            Acquisition::Read { document } => Acquisition::Read { document: self.one(document.as_ref()) },
            Acquisition::Deduced { from } => {
                Acquisition::Deduced { from: from.iter().map(|fact| to_fact(*fact).unwrap_or(*fact)).collect() }
            }
            acquisition => acquisition.clone(),
        };
        let mut co_present = self.entities(&old.co_present);
        co_present.retain(|id| Some(id) != knower.entity());
        if acquisition == Acquisition::Shared && co_present.is_empty() {
            self.edges.insert(id, None);
            self.changes.push(Change::Unlearn(id));
            return;
        }
        // A telling to oneself is impossible, so the edge takes over the other entity's acquisition.
        if matches!(&acquisition, Acquisition::Told { by: Some(by), .. } if Some(by) == knower.entity()) {
            let basis = sources.iter().find_map(|source| match source {
                Justification::Basis { fact: of, edge } if *of == fact => Some(*edge),
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

    fn sessions(&mut self) {
        for session in self.state.sessions().filter(|session| session.present.contains(self.gone)) {
            let present = self.entities(&session.present);
            self.changes.push(Change::SetSession(Session { present, ..Session::clone(session) }));
        }
    }

    fn settings(&mut self) {
        let to_fact = |fact: FactId| self.facts.get(&fact).copied().flatten().unwrap_or(fact);
        let mut settings = Vec::new();
        for reveal in self.state.reveals() {
            let new = reveal.renamed(&|id| self.entity(id), &to_fact);
            if new != *reveal {
                settings.push(Setting::Reveal(new));
            }
        }
        for setting in self.state.settings() {
            match &**setting {
                Setting::Distinct { one, other } if one == self.gone || other == self.gone => {
                    let (one, other) = (self.entity(one), self.entity(other));
                    settings.extend((one != other).then(|| Setting::distinct(one, other)));
                }
                Setting::Learning(learning) => {
                    let mut new = learning.clone();
                    new.forgotten.iter_mut().for_each(|fact| *fact = to_fact(*fact));
                    new.forgotten.sort_unstable();
                    settings.extend((new != *learning).then_some(Setting::Learning(new)));
                }
                _ => {}
            }
        }
        self.changes.extend(settings.into_iter().map(Change::Set));
    }
}
