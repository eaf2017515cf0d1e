//! Transient values: values that a game replaces frequently, such as the locations of characters. The state does not
//! keep their past values.
//!
//! A transient value is a fact that is not in the journal. Queries treat a transient value like any other fact. A newer
//! value of the same subject and predicate replaces the transient value. An operation records the value as an ordinary
//! fact in the journal when another record refers to the value, or when a slot is saved. Values of predicates with
//! session history are also recorded when a session begins or ends: see [`State::recorded_transients`].
//!
//! An ordinary canon fact without an end date takes precedence over a transient value of the same subject and
//! predicate. If an operation asserts or reopens such a canon fact, the transient value is dropped. A return to a slot
//! drops all transient values.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{
    State,
    rows::{Keyed, Table},
};
use crate::{
    Change, EntityId, Fact, FactId, FactStatus, GameSetting, GameTime, History, Key, Knower, KnowledgeEdge, Operation,
    Position, Predicate, Reference, SessionSetting, Setting, SettingKey,
};

/// A transient value and its knowers. A transient value is the current value of a predicate, such as a location. Its
/// past values are not kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransientValue {
    /// The value, as a fact.
    pub fact: Arc<Fact>,
    /// The knowers who know the value. Sorted and unique.
    pub knowers: Vec<Knower>,
}

impl TransientValue {
    /// Returns a knowledge edge to the fact for each knower.
    fn edges(&self) -> impl Iterator<Item = KnowledgeEdge> {
        let fact = self.fact.id();
        self.knowers.iter().map(move |knower| KnowledgeEdge::authored(knower.clone(), fact))
    }

    /// Returns the keys of the records that represent the value: the edges to the fact, and the fact.
    pub fn keys(&self) -> impl Iterator<Item = Key> {
        self.edges().map(|edge| Key::KnowledgeEdge(edge.id())).chain(std::iter::once(Key::Fact(self.fact.id())))
    }

    /// Returns the changes that record the value in the journal as an ordinary fact.
    fn changes(&self) -> impl Iterator<Item = Change> {
        let edges = self.edges().map(|edge| Change::Learn(Arc::new(edge)));
        std::iter::once(Change::AssertFact(Arc::clone(&self.fact))).chain(edges)
    }
}

/// New transient value of one subject and predicate, or the removal of the value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransientChange {
    /// The subject.
    pub subject: EntityId,
    /// The predicate. The vocabulary must define a [`History`] other than [`Full`](History::Full) for this predicate.
    pub predicate: Predicate,
    /// The new value; `None` removes the present value.
    pub value: Option<TransientValue>,
}

/// Changes to transient values that are applied together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TransientUpdate {
    /// The changed values. If several changes have the same subject and predicate, the last of them applies.
    pub values: Vec<TransientChange>,
    /// The new time of the game clock; `None` if the clock does not change.
    pub clock: Option<GameTime>,
}

impl TransientUpdate {
    /// Returns the keys of the entities whose values the update changes or removes.
    pub fn subjects(&self) -> impl Iterator<Item = Key> {
        self.values.iter().map(|change| Key::Entity(change.subject.clone()))
    }

    /// Returns whether the update changes nothing.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.clock.is_none()
    }
}

/// Subject and predicate that identify a transient value.
type TransientKey = (EntityId, Predicate);

#[derive(Debug, Clone)]
pub(super) struct TransientRow {
    key: TransientKey,
    value: TransientValue,
}

impl Keyed for TransientRow {
    type Key = TransientKey;
    fn key(&self) -> &TransientKey {
        &self.key
    }
}

/// The transient values of a state.
#[derive(Debug, Clone, Default)]
pub(super) struct Transients {
    values: Table<TransientRow>,
    count: usize,
    /// The number of updates of transient values since the campaign was opened.
    pub(super) updates: u64,
    /// The time of the game clock, if it was set without an operation. `None` means that the clock shows the time that
    /// the newest operation set.
    pub(super) clock: Option<GameTime>,
}

impl State {
    /// Returns whether a fact is a transient value, which is not in the journal.
    pub fn is_transient(&self, fact: FactId) -> bool {
        self.facts.get(&fact).is_some_and(|row| row.transient)
    }

    /// Returns whether the state has a transient value, or whether the game clock shows a time that is not in the
    /// journal.
    pub fn has_transients(&self) -> bool {
        self.transients.count > 0 || self.transients.clock.is_some()
    }

    /// Returns whether the game clock shows a time that is not in the journal.
    pub fn has_transient_clock(&self) -> bool {
        self.transients.clock.is_some()
    }

    /// Returns the transient value of a subject and predicate; `None` if there is none.
    pub fn transient(&self, subject: &EntityId, predicate: &Predicate) -> Option<&TransientValue> {
        self.transients.values.get(&(subject.clone(), predicate.clone())).map(|row| &row.value)
    }

    /// Returns the transient values, sorted by subject and predicate.
    pub fn transients(&self) -> impl Iterator<Item = &TransientValue> {
        let mut rows: Vec<_> = self.transients.values.rows().map(|(_, row)| row).collect();
        rows.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        rows.into_iter().map(|row| &row.value)
    }

    /// Returns the row of a transient value, given its fact.
    fn transient_row(&self, fact: FactId) -> Option<&TransientRow> {
        let row = self.facts.get(&fact).filter(|row| row.transient)?;
        let fact = row.record.value.as_ref()?;
        self.transients.values.get(&(fact.subject().clone(), fact.predicate().clone()))
    }

    /// Replaces transient values. Returns the keys of the records that may have changed, appeared or disappeared,
    /// sorted and unique.
    ///
    /// A value is skipped if its fact is already in the journal. To make such a value the present value, assert the
    /// fact again.
    pub fn set_transients(&mut self, update: &TransientUpdate) -> Vec<Key> {
        self.transients.updates += 1;
        let mut touched = Vec::with_capacity(update.values.len() * 4);
        for TransientChange { subject, predicate, value } in &update.values {
            let key = (subject.clone(), predicate.clone());
            self.drop_transient(&key, &mut touched);
            if let Some(value) = value {
                self.insert_transient(key, value, &mut touched);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        self.refresh(&mut touched);
        if let Some(clock) = update.clock {
            self.settings.get_or_default(SettingKey::Clock).value =
                Some(Arc::new(Setting::Game(GameSetting::Clock(clock))));
            self.transients.clock = Some(clock);
            touched.push(Key::Setting(SettingKey::Clock));
        }
        touched
    }

    fn insert_transient(&mut self, key: TransientKey, value: &TransientValue, touched: &mut Vec<Key>) {
        let id = value.fact.id();
        if self.asserted(id).is_some() {
            return;
        }
        let index = self.fact_row(id);
        self.index_fact(&value.fact, index, true);
        let row = self.facts.at_mut(index);
        row.transient = true;
        row.record.value = Some(Arc::clone(&value.fact));
        touched.push(Key::Fact(id));
        for edge in value.edges() {
            let id = edge.id();
            let index = self.knowledge_row(id);
            self.index_knowledge(&edge, index);
            let row = self.knowledge.at_mut(index);
            row.transient = true;
            row.record.value = Some(Arc::new(edge));
            touched.push(Key::KnowledgeEdge(id));
        }
        self.transients.values.find_or_add(&key, || TransientRow { key: key.clone(), value: value.clone() });
        self.transients.count += 1;
    }

    /// Removes the transient value of a subject and predicate, if there is one.
    fn drop_transient(&mut self, key: &TransientKey, touched: &mut Vec<Key>) {
        let Some(index) = self.transients.values.find(key) else { return };
        let keys: Vec<Key> = self.transients.values.at(index).value.keys().collect();
        self.transients.values.remove(index);
        self.transients.count -= 1;
        for key in keys {
            let forgotten = match key {
                Key::KnowledgeEdge(id) => self.knowledge.find(&id).map(|index| self.forget_knowledge(index)),
                Key::Fact(id) => self.facts.find(&id).map(|index| self.forget_fact(index)),
                _ => None,
            };
            touched.extend(forgotten.unwrap_or_default());
        }
    }

    /// Drops the transient values that an operation records as facts. If the operation restores a position, drops all
    /// transient values.
    pub(super) fn drop_recorded(&mut self, operation: &Operation, touched: &mut Vec<Key>) {
        if !self.has_transients() {
            return;
        }
        for change in &operation.changes {
            if let Some(fact) = change.fact() {
                if let Some(key) = self.transient_row(fact.id()).map(|row| row.key.clone()) {
                    self.drop_transient(&key, touched);
                }
            } else if let Change::Restore(_) = change {
                let all: Vec<TransientKey> = self.transients.values.rows().map(|(_, row)| row.key.clone()).collect();
                all.iter().for_each(|key| self.drop_transient(key, touched));
                touched.extend(self.transients.clock.is_some().then_some(Key::Setting(SettingKey::Clock)));
            }
        }
    }

    /// Drops the transient values that an ordinary fact replaces. `touched` contains the keys of the records that an
    /// operation changed. The keys of the dropped records are added to `touched`.
    pub(super) fn drop_succeeded(&mut self, touched: &mut Vec<Key>) {
        if self.transients.count == 0 {
            return;
        }
        let mut dropped = Vec::new();
        for key in touched.iter() {
            let Key::Fact(id) = key else { continue };
            let Some(fact) = self.fact(*id).filter(|_| !self.is_transient(*id)) else { continue };
            if fact.status() == FactStatus::Canon && !fact.validity().is_closed() {
                let key = (fact.subject().clone(), fact.predicate().clone());
                self.drop_transient(&key, &mut dropped);
            }
        }
        if !dropped.is_empty() {
            self.refresh(&mut dropped);
            touched.append(&mut dropped);
            touched.sort_unstable();
            touched.dedup();
        }
    }

    /// Returns the changes that record every transient value as an ordinary fact, and the clock as a setting. A value
    /// that names a removed entity is skipped.
    pub fn all_transients(&self) -> Vec<Change> {
        let clock = self.transients.clock.map(|time| Change::Set(Setting::Game(GameSetting::Clock(time))));
        let facts = self.transients().filter(|value| self.is_recordable(value)).flat_map(TransientValue::changes);
        clock.into_iter().chain(facts).collect()
    }

    /// Returns whether an operation can assert a transient value. This is possible if all entities that the value names
    /// still exist.
    fn is_recordable(&self, value: &TransientValue) -> bool {
        let knowers = value.knowers.iter().filter_map(Knower::entity);
        value.fact.entities().chain(knowers).all(|id| self.entity(id).is_some())
    }

    /// Returns the changes that must be recorded before an operation. With these changes, the journal contains all
    /// values that the operation needs.
    ///
    /// The changes record the transient values to which the operation refers as ordinary facts. If the operation saves
    /// a slot, the changes record all transient values. If the operation begins or ends a session, the changes also
    /// record the values of predicates with the history [`Session`](History::Session).
    pub fn recorded_transients(&self, operation: &Operation) -> Vec<Change> {
        if !self.has_transients() {
            return Vec::new();
        }
        let mut required = BTreeMap::new();
        let mut session_changes = false;
        for change in &operation.changes {
            match change {
                Change::SaveSlot(_) => return self.all_transients(),
                Change::Set(Setting::Session(SessionSetting::Playing(playing))) => {
                    session_changes |= self.active_session().is_none_or(|current| current.session != playing.session);
                }
                Change::Unset(SettingKey::Playing) => session_changes = true,
                _ => self.for_each_referenced_fact(change, |id| {
                    if let Some(row) = self.transient_row(id) {
                        required.insert(&row.key, &row.value);
                    }
                }),
            }
        }
        if session_changes {
            let rows = self.transients.values.rows().map(|(_, row)| (&row.key, &row.value));
            let rows = rows.filter(|((_, name), _)| self.vocabulary.history(name) == History::Session);
            required.extend(rows.filter(|(_, value)| self.is_recordable(value)));
        }
        let clock = self
            .transients
            .clock
            .filter(|_| session_changes)
            .map(|time| Change::Set(Setting::Game(GameSetting::Clock(time))));
        clock.into_iter().chain(required.into_values().flat_map(TransientValue::changes)).collect()
    }

    /// Calls `visit` with every fact to which a change refers, except the fact that the change itself asserts.
    pub(super) fn for_each_referenced_fact(&self, change: &Change, mut visit: impl FnMut(FactId)) {
        change.visit_references(|reference| match reference {
            Reference::Fact(id) => visit(id),
            Reference::KnowledgeEdge(id) => {
                let edge = self.knowledge.get(&id).and_then(|row| row.record.value.as_ref());
                edge.into_iter().for_each(|edge| visit(edge.fact));
            }
            Reference::Entity(_) | Reference::Passage(_) | Reference::Session(_) => {}
        });
    }
}

/// Collects the updates of transient values from the store. Keeps only the latest update of each value.
///
/// Each update has a journal position: the position of the newest operation at the time when the value was set.
#[derive(Debug, Default)]
pub struct TransientLog {
    /// The latest change of each subject and predicate, with its position.
    latest: BTreeMap<(EntityId, Predicate), (Position, Option<TransientValue>)>,
    clock: Option<(Position, GameTime)>,
}

impl TransientLog {
    /// Adds a change of a value, with the journal position at which the value was set. Add the changes in the order in
    /// which they were made.
    pub fn push_value(&mut self, at: Position, change: TransientChange) {
        self.latest.insert((change.subject, change.predicate), (at, change.value));
    }

    /// Adds a time of the game clock, with the journal position at which it was set. Add the times in the order in
    /// which they were set.
    pub fn push_clock(&mut self, at: Position, time: GameTime) {
        self.clock = Some((at, time));
    }

    /// Removes all times of the game clock. The clock then shows the time that the newest operation set.
    pub fn clear_clock(&mut self) {
        self.clock = None;
    }

    /// Returns the collected updates by position. Values that a later update replaced are not included.
    pub fn into_updates(self) -> BTreeMap<Position, TransientUpdate> {
        let mut updates = BTreeMap::<Position, TransientUpdate>::new();
        for ((subject, predicate), (at, value)) in self.latest {
            updates.entry(at).or_default().values.push(TransientChange { subject, predicate, value });
        }
        if let Some((at, clock)) = self.clock {
            updates.entry(at).or_default().clock = Some(clock);
        }
        updates
    }
}
