//! History of each record in the journal: whether this source wrote it, and how others changed it since.

use std::{collections::HashMap, sync::Arc};

use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, FactId, KnowledgeEdge, KnowledgeId, Passage, PassageId, Session, SessionId,
    Setting, SettingKey, State,
};

/// The last live write to a record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Last<T> {
    /// The written record. `None` if it was withdrawn, or if a flag was set.
    pub(crate) value: Option<T>,
    /// Whether this source wrote it.
    pub(crate) ours: bool,
}

/// The history of a fact.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FactHistory<'a> {
    /// The last assertion by this source, unless another author asserted the fact later.
    pub(crate) ours: Option<&'a Arc<Fact>>,
    /// The last change by another author, in words.
    pub(crate) touched: Option<&'static str>,
}

/// The live operations of the journal, by record.
#[derive(Debug, Default)]
pub(crate) struct History<'a> {
    pub(crate) entities: HashMap<&'a EntityId, Last<&'a Entity>>,
    pub(crate) facts: HashMap<FactId, FactHistory<'a>>,
    pub(crate) edges: HashMap<KnowledgeId, Last<&'a Arc<KnowledgeEdge>>>,
    pub(crate) passages: HashMap<PassageId, Last<&'a Arc<Passage>>>,
    pub(crate) sessions: HashMap<&'a SessionId, Last<&'a Session>>,
    pub(crate) settings: HashMap<SettingKey, Last<&'a Setting>>,
}

impl<'a> History<'a> {
    pub(crate) fn of(state: &'a State, author: &Author) -> Self {
        let mut history = Self::default();
        for (_, entry) in state.journal().filter(|(_, entry)| entry.live) {
            let ours = entry.operation.author == *author;
            for change in &entry.operation.changes {
                history.note(change, ours);
            }
        }
        history
    }

    fn note(&mut self, change: &'a Change, ours: bool) {
        match change {
            Change::AddEntity(entity) => {
                self.entities.insert(&entity.id, Last { value: Some(entity), ours });
            }
            Change::RemoveEntity(id) => {
                self.entities.insert(id, Last { value: None, ours });
            }
            Change::AssertFact(fact) => {
                let history = self.facts.entry(fact.id()).or_default();
                *history = match ours {
                    true => FactHistory { ours: Some(fact), touched: None },
                    false => FactHistory { ours: None, touched: Some("somebody else has said it") },
                };
            }
            Change::RetractFact(id) if ours => {
                self.facts.insert(*id, FactHistory::default());
            }
            Change::EndFact { fact, .. } => self.touch(*fact, ours, "it was ended"),
            Change::SetStatus { fact, .. } => self.touch(*fact, ours, "it was judged"),
            Change::SetSecrecy { fact, .. } => self.touch(*fact, ours, "it was revealed or made secret"),
            Change::Confirm(fact) => self.touch(*fact, ours, "it was confirmed"),
            Change::RetractFact(fact) => self.touch(*fact, ours, "it was retracted"),
            Change::Learn(edge) => {
                self.edges.insert(edge.id(), Last { value: Some(edge), ours });
            }
            Change::Unlearn(id) => {
                self.edges.insert(*id, Last { value: None, ours });
            }
            Change::AddPassage(passage) => {
                self.passages.insert(passage.id(), Last { value: Some(passage), ours });
            }
            Change::RemovePassage(id) => {
                self.passages.insert(*id, Last { value: None, ours });
            }
            Change::SetSession(session) => {
                self.sessions.insert(&session.id, Last { value: Some(session), ours });
            }
            Change::RemoveSession(id) => {
                self.sessions.insert(id, Last { value: None, ours });
            }
            Change::Set(setting) => {
                self.settings.insert(setting.key(), Last { value: Some(setting), ours });
            }
            Change::SetFlag { name, .. } => {
                self.settings.insert(SettingKey::Flag(name.clone()), Last { value: None, ours });
            }
            Change::Unset(key) => {
                self.settings.insert(key.clone(), Last { value: None, ours });
            }
            // Additional evidence does not change the content of a fact.
            Change::Support(_) | Change::Revert(_) | Change::Restore(_) | Change::SaveSlot(_) | Change::DropSlot(_) => {
            }
        }
    }

    fn touch(&mut self, fact: FactId, ours: bool, what: &'static str) {
        if !ours && let Some(history) = self.facts.get_mut(&fact) {
            history.touched = Some(what);
        }
    }
}
