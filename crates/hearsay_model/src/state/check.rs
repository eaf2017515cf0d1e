//! Validation of operations before they are committed. Applying a valid operation never fails.

use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use super::State;
use crate::{
    Author, Calendar, CalendarError, Change, EntityId, FactId, GameSetting, GameTime, IdError, Key, Knower,
    KnowledgeEdge, KnowledgeId, Operation, Passage, PassageId, Position, Reveal, RevealError, SessionId, Setting,
    SettingKey, Value, VocabularyError, WorldSetting,
};

/// Error: an operation cannot be applied. The state is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ApplyError {
    /// The operation contains no changes.
    #[error("nothing would change, because the campaign already contains this data")]
    Empty,
    /// The entity does not exist.
    #[error("there is no entity `{id}`; check the id, or first add this entity", id = .0)]
    NoEntity(EntityId),
    /// The fact does not exist.
    #[error("there is no fact with the id {id}; check the id", id = .0)]
    NoFact(FactId),
    /// The edge does not exist.
    #[error("there is no knowledge edge with the id {id}; check the id", id = .0)]
    NoKnowledge(KnowledgeId),
    /// The passage does not exist.
    #[error("there is no passage with the id {id}; check the id", id = .0)]
    NoPassage(PassageId),
    /// The session does not exist.
    #[error("there is no session `{id}`; check the id", id = .0)]
    NoSession(SessionId),
    /// The operation at the position does not exist, or was reverted.
    #[error(
        "there is no operation with the number {position}, or this operation was already undone; `hearsay db history` lists the operations",
        position = .0
    )]
    NoOperation(Position),
    /// The position lies after the newest operation.
    #[error("there is no operation with the number {given} yet; the newest operation has the number {newest}")]
    FuturePosition {
        /// The given position.
        given: Position,
        /// The newest position.
        newest: Position,
    },
    /// The operation at the position can no longer be undone.
    #[error(
        "operation {given} is too old, so you can neither undo this operation nor return to it; the undo history of the \
         campaign begins at operation {first}",
        first = to.next()
    )]
    Compacted {
        /// The given position.
        given: Position,
        /// The compaction point: the newest position that cannot be undone.
        to: Position,
    },
    /// The slot name is blank or longer than 128 bytes.
    #[error("`{name}` is not a valid slot name; use at least one visible character, and at most 128 bytes", name = .0)]
    SlotName(String),
    /// No slot has this name.
    #[error("there is no slot `{name}`{slots}", slots = slot_list(known))]
    NoSlot {
        /// The given name.
        name: String,
        /// The names of the existing slots.
        known: Vec<String>,
    },
    /// A fact would end before it begins.
    #[error("fact {fact} begins at {from}, so it cannot end at the earlier date {until}; choose a later end")]
    EndBeforeStart {
        /// The fact.
        fact: FactId,
        /// The start of the validity interval.
        from: GameTime,
        /// The given end of the validity interval.
        until: GameTime,
    },
    /// The calendar is invalid.
    #[error(transparent)]
    Calendar(#[from] CalendarError),
    /// A definition of the vocabulary is invalid.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    /// The reveal is invalid.
    #[error("reveal `{id}`: {error}")]
    Reveal {
        /// The id of the reveal.
        id: String,
        /// The error.
        error: RevealError,
    },
    /// The name of a flag is not a slug.
    #[error("flag `{name}`: {error}")]
    FlagName {
        /// The given name.
        name: String,
        /// The error.
        error: IdError,
    },
    /// The flag is not declared in the campaign.
    #[error("no flag `{name}` is declared; {hint}", hint = flag_hint(nearest))]
    NoFlag {
        /// The given name.
        name: String,
        /// The declared flags with similar names, or all declared flags if no name is similar.
        nearest: Vec<String>,
    },
    /// The type of the value differs from the type of the flag.
    #[error("the value of the flag `{name}` must be {expected}, not `{given}`")]
    FlagKind {
        /// The name of the flag.
        name: String,
        /// The type of the flag's value.
        expected: &'static str,
        /// The given value.
        given: String,
    },
    /// The setting has no value, so it cannot be removed.
    #[error("the setting {setting} has no value that could be removed", setting = .0)]
    NoSetting(SettingKey),
}

/// The records that earlier changes of the same operation add or remove.
#[derive(Default)]
struct Pending<'a> {
    added_entities: FxHashSet<&'a EntityId>,
    removed_entities: FxHashSet<&'a EntityId>,
    /// Entities that reappear because the operation that removed them is reverted.
    restored_entities: FxHashSet<&'a EntityId>,
    /// Facts that exist, each with the start of its validity.
    facts: FxHashMap<FactId, Option<GameTime>>,
    passages: FxHashSet<PassageId>,
    knowledge: FxHashSet<KnowledgeId>,
    sessions: FxHashSet<&'a SessionId>,
    /// Flags with their values; `None` for removed flags.
    flags: FxHashMap<&'a str, Option<&'a Value>>,
    settings: FxHashSet<SettingKey>,
}

/// Returns the key that each change of an operation writes. A key can contain a hash, which is slow to compute, so the
/// keys are computed only once.
pub(super) fn keys(operation: &Operation) -> Vec<Option<Key>> {
    operation.changes.iter().map(Change::written_key).collect()
}

fn flag_hint(nearest: &[String]) -> String {
    let names: Vec<_> = nearest.iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => "first declare this flag".to_owned(),
        names => format!("first declare this flag, or use one of the declared flags: {}", names.join(", ")),
    }
}

impl State {
    /// Checks whether an operation can be applied, without applying it.
    ///
    /// # Errors
    /// Returns an error if a change refers to a record that neither exists nor is added by an earlier change of the
    /// same operation. Also returns an error if a validity interval would end before it begins, or if a setting is
    /// invalid.
    pub fn check(&self, operation: &Operation) -> Result<(), ApplyError> {
        self.check_keyed(operation, &keys(operation))
    }

    /// Does the same as [`check`](Self::check). `keys` are the [`keys`] of the operation.
    pub(super) fn check_keyed(&self, operation: &Operation, keys: &[Option<Key>]) -> Result<(), ApplyError> {
        if operation.changes.is_empty() {
            return Err(ApplyError::Empty);
        }
        let mut pending = Pending::default();
        for (change, key) in operation.changes.iter().zip(keys) {
            self.check_change(change, &operation.author, &mut pending)?;
            match (change, key) {
                (Change::Learn(_), Some(Key::KnowledgeEdge(id))) => _ = pending.knowledge.insert(*id),
                (Change::AddPassage(_), Some(Key::Passage(id))) => _ = pending.passages.insert(*id),
                _ => {}
            }
        }
        Ok(())
    }

    fn check_change<'a>(
        &'a self,
        change: &'a Change,
        author: &Author,
        pending: &mut Pending<'a>,
    ) -> Result<(), ApplyError> {
        match change {
            Change::AddEntity(entity) => {
                pending.removed_entities.remove(&entity.id);
                pending.added_entities.insert(&entity.id);
            }
            Change::RemoveEntity(id) => {
                self.check_entity(id, pending)?;
                pending.added_entities.remove(id);
                pending.removed_entities.insert(id);
            }
            Change::AssertFact(fact) | Change::Support(fact) => {
                for id in fact.entities() {
                    self.check_entity(id, pending)?;
                }
                let provenance = fact.provenance();
                if let Some(session) = &provenance.session {
                    self.check_session(session, pending)?;
                }
                if let Some(speaker) = &provenance.speaker {
                    self.check_entity(speaker, pending)?;
                }
                pending.facts.insert(fact.id(), fact.validity().start());
            }
            Change::EndFact { fact: id, until } => {
                self.check_fact(*id, pending)?;
                let recorded = self.fact(*id).and_then(|fact| fact.validity().start());
                let from = pending.facts.get(id).copied().unwrap_or(recorded);
                if let (Some(from), Some(until)) = (from, until.time)
                    && until < from
                {
                    return Err(ApplyError::EndBeforeStart { fact: *id, from, until });
                }
            }
            Change::SetStatus { fact, .. }
            | Change::SetSecrecy { fact, .. }
            | Change::Confirm(fact)
            | Change::RetractFact(fact) => self.check_fact(*fact, pending)?,
            Change::Learn(edge) => self.check_edge(edge, pending)?,
            Change::Unlearn(id) => {
                let recorded = self.knowledge.get(id).is_some_and(|row| row.record.value.is_some());
                if !recorded && !pending.knowledge.contains(id) {
                    return Err(ApplyError::NoKnowledge(*id));
                }
            }
            Change::AddPassage(passage) => self.check_passage(passage, pending)?,
            Change::RemovePassage(id) | Change::SetTalkKind { passage: id, .. } => {
                if self.passage(*id).is_none() && !pending.passages.contains(id) {
                    return Err(ApplyError::NoPassage(*id));
                }
            }
            Change::SetSession(session) => {
                for id in &session.present {
                    self.check_entity(id, pending)?;
                }
                pending.sessions.insert(&session.id);
            }
            Change::RemoveSession(id) => self.check_session(id, pending)?,
            Change::Set(setting) => self.check_setting(setting, pending)?,
            Change::SetFlag { name, value } => self.check_flag(name, value, pending)?,
            Change::Unset(key) => {
                if self.settings.get(key).is_none_or(|row| row.value.is_none()) && !pending.settings.contains(key) {
                    return Err(ApplyError::NoSetting(key.clone()));
                }
                if let SettingKey::Flag(name) = key {
                    pending.flags.insert(name, None);
                }
            }
            Change::Revert(position) => self.check_revert(*position, author, pending)?,
            Change::Restore(position) => {
                if *position > self.position() {
                    return Err(ApplyError::FuturePosition { given: *position, newest: self.position() });
                }
                if *position < self.compacted_to {
                    return Err(ApplyError::Compacted { given: *position, to: self.compacted_to });
                }
            }
            Change::SaveSlot(name) => {
                if name.trim().is_empty() || name.len() > 128 {
                    return Err(ApplyError::SlotName(name.clone()));
                }
            }
            Change::DropSlot(name) => _ = self.slot(name)?,
        }
        Ok(())
    }

    /// Checks an edge, but not the edges that it depends on. An edge that depends on a missing edge is valid, but
    /// inactive.
    fn check_edge(&self, edge: &KnowledgeEdge, pending: &Pending) -> Result<(), ApplyError> {
        self.check_knower(&edge.knower, pending)?;
        self.check_fact(edge.fact, pending)?;
        if let Some(session) = &edge.session {
            self.check_session(session, pending)?;
        }
        edge.acquisition.entities().chain(&edge.co_present).try_for_each(|id| self.check_entity(id, pending))
    }

    fn check_passage(&self, passage: &Passage, pending: &Pending) -> Result<(), ApplyError> {
        passage.entities().try_for_each(|id| self.check_entity(id, pending))?;
        passage.knowers().try_for_each(|knower| self.check_knower(knower, pending))?;
        passage.session.as_ref().map_or(Ok(()), |session| self.check_session(session, pending))
    }

    fn check_setting<'a>(&self, setting: &'a Setting, pending: &mut Pending<'a>) -> Result<(), ApplyError> {
        match setting {
            Setting::World(WorldSetting::Calendar(calendar)) => return Ok(Calendar::check(calendar)?),
            Setting::World(WorldSetting::Predicate(def)) => return Ok(def.check()?),
            Setting::World(WorldSetting::Attribute(def)) => return Ok(def.check()?),
            Setting::Session(setting) => self.check_session(setting.session(), pending)?,
            Setting::Game(GameSetting::Reveal(reveal)) => self.check_reveal(reveal, pending)?,
            Setting::Game(GameSetting::Flag { name, value }) => {
                let slug = EntityId::new(name);
                slug.map_err(|error| ApplyError::FlagName { name: name.clone(), error })?;
                pending.flags.insert(name, Some(value));
            }
            _ => {}
        }
        pending.settings.insert(setting.key());
        Ok(())
    }

    /// Checks a revert. Later changes of the same operation may refer to records that reappear because of the revert.
    fn check_revert<'a>(
        &'a self,
        position: Position,
        author: &Author,
        pending: &mut Pending<'a>,
    ) -> Result<(), ApplyError> {
        // When a text is removed, the extractor reverts the operations that recorded facts from this text. The
        // extractor may revert them even after other authors can no longer do so.
        let is_compacted = position > Position(0) && position <= self.compacted_to;
        if is_compacted && *author != Author::Extractor {
            return Err(ApplyError::Compacted { given: position, to: self.compacted_to });
        }
        let live_entry = self.entry(position).filter(|entry| entry.live);
        let entry = live_entry.ok_or(ApplyError::NoOperation(position))?;
        for change in &entry.operation.changes {
            match change {
                Change::RemoveEntity(id) => _ = pending.restored_entities.insert(id),
                Change::RetractFact(id) => {
                    let from = self.asserted(*id).and_then(|fact| fact.validity().start());
                    pending.facts.insert(*id, from);
                }
                Change::Unlearn(id) => _ = pending.knowledge.insert(*id),
                Change::RemovePassage(id) => _ = pending.passages.insert(*id),
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the value of a flag.
    ///
    /// # Errors
    /// Returns an error if the flag is not declared. The error names the declared flags with the most similar names.
    pub fn declared_flag(&self, name: &str) -> Result<&Value, ApplyError> {
        self.flag(name).ok_or_else(|| undeclared_flag_error(name, self.flags().map(|(name, _)| name)))
    }

    fn check_flag(&self, name: &str, value: &Value, pending: &Pending) -> Result<(), ApplyError> {
        let current = pending.flags.get(name).copied().unwrap_or_else(|| self.flag(name));
        let Some(current) = current else {
            let added = pending.flags.iter().filter(|(_, value)| value.is_some()).map(|(name, _)| *name);
            let existing = self.flags().map(|(name, _)| name).filter(|name| !pending.flags.contains_key(name));
            return Err(undeclared_flag_error(name, existing.chain(added)));
        };
        if current.kind() != value.kind() {
            let (name, given) = (name.to_owned(), value.to_string());
            return Err(ApplyError::FlagKind { name, expected: current.kind(), given });
        }
        Ok(())
    }

    fn check_reveal(&self, reveal: &Reveal, pending: &Pending) -> Result<(), ApplyError> {
        reveal.check().map_err(|error| ApplyError::Reveal { id: reveal.id.clone(), error })?;
        reveal.entities().try_for_each(|id| self.check_entity(id, pending))?;
        reveal.facts().try_for_each(|id| self.check_fact(id, pending))?;
        reveal.when.flags().try_for_each(|(name, value)| self.check_flag(name, value, pending))
    }

    fn check_entity(&self, id: &EntityId, pending: &Pending) -> Result<(), ApplyError> {
        let was_present = self.entity(id).is_some() || pending.restored_entities.contains(id);
        let exists = (was_present && !pending.removed_entities.contains(id)) || pending.added_entities.contains(id);
        if exists { Ok(()) } else { Err(ApplyError::NoEntity(id.clone())) }
    }

    fn check_fact(&self, id: FactId, pending: &Pending) -> Result<(), ApplyError> {
        let exists = self.fact(id).is_some() || pending.facts.contains_key(&id);
        if exists { Ok(()) } else { Err(ApplyError::NoFact(id)) }
    }

    fn check_knower(&self, knower: &Knower, pending: &Pending) -> Result<(), ApplyError> {
        knower.entity().map_or(Ok(()), |id| self.check_entity(id, pending))
    }

    fn check_session(&self, id: &SessionId, pending: &Pending) -> Result<(), ApplyError> {
        let exists = self.session(id).is_some() || pending.sessions.contains(id);
        if exists { Ok(()) } else { Err(ApplyError::NoSession(id.clone())) }
    }
}

fn slot_list(known: &[String]) -> String {
    match known {
        [] => "; the campaign has no slots".to_owned(),
        names => {
            format!("; the slots are {}", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Creates the error for a flag that is not declared.
fn undeclared_flag_error<'a>(name: &str, declared: impl Iterator<Item = &'a str>) -> ApplyError {
    let mut nearest: Vec<(f64, String)> =
        declared.map(|flag| (strsim::jaro_winkler(name, flag), flag.to_owned())).collect();
    nearest.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    if nearest.first().is_some_and(|(similarity, _)| *similarity > 0.75) {
        nearest.retain(|(similarity, _)| *similarity > 0.75);
        nearest.truncate(3);
    }
    ApplyError::NoFlag { name: name.to_owned(), nearest: nearest.into_iter().map(|(_, flag)| flag).collect() }
}
