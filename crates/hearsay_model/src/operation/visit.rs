//! Functions that list and rename the records that a change writes or refers to.

use super::{Change, Key};
use crate::{Reference, Rename, SettingKey, reference::record_mut};

impl Change {
    /// Returns the key of the record that the change writes; `None` if the change undoes operations or concerns slots.
    pub fn written_key(&self) -> Option<Key> {
        Some(match self {
            Self::AddEntity(entity) => Key::Entity(entity.id.clone()),
            Self::RemoveEntity(id) => Key::Entity(id.clone()),
            Self::AssertFact(fact) | Self::Support(fact) => Key::Fact(fact.id()),
            Self::EndFact { fact, .. }
            | Self::SetStatus { fact, .. }
            | Self::SetSecrecy { fact, .. }
            | Self::Confirm(fact)
            | Self::RetractFact(fact) => Key::Fact(*fact),
            Self::Learn(edge) => Key::KnowledgeEdge(edge.id()),
            Self::Unlearn(id) => Key::KnowledgeEdge(*id),
            Self::AddPassage(passage) => Key::Passage(passage.id()),
            Self::RemovePassage(id) | Self::SetTalkKind { passage: id, .. } => Key::Passage(*id),
            Self::SetSession(session) => Key::Session(session.id.clone()),
            Self::RemoveSession(id) => Key::Session(id.clone()),
            Self::Set(setting) => Key::Setting(setting.key()),
            Self::SetFlag { name, .. } => Key::Setting(SettingKey::Flag(name.clone())),
            Self::Unset(key) => Key::Setting(key.clone()),
            Self::Revert(_) | Self::Restore(_) | Self::SaveSlot(_) | Self::DropSlot(_) => return None,
        })
    }

    /// Calls `visit` with each reference from the change to a record.
    ///
    /// If the record that the change writes must already exist, `visit` is also called with a reference to that record.
    pub fn visit_references<'a>(&'a self, mut visit: impl FnMut(Reference<'a>)) {
        match self {
            Self::RemoveEntity(id) => visit(Reference::Entity(id)),
            Self::AssertFact(fact) | Self::Support(fact) => fact.visit_references(&mut visit),
            Self::EndFact { fact, .. }
            | Self::SetStatus { fact, .. }
            | Self::SetSecrecy { fact, .. }
            | Self::Confirm(fact)
            | Self::RetractFact(fact) => visit(Reference::Fact(*fact)),
            Self::Learn(edge) => edge.visit_references(&mut visit),
            Self::Unlearn(id) => visit(Reference::KnowledgeEdge(*id)),
            Self::AddPassage(passage) => passage.visit_references(&mut visit),
            Self::RemovePassage(id) | Self::SetTalkKind { passage: id, .. } => visit(Reference::Passage(*id)),
            Self::SetSession(session) => session.present.iter().for_each(|id| visit(Reference::Entity(id))),
            Self::RemoveSession(id) => visit(Reference::Session(id)),
            Self::Set(setting) => setting.visit_references(&mut visit),
            Self::AddEntity(_)
            | Self::SetFlag { .. }
            | Self::Unset(_)
            | Self::Revert(_)
            | Self::Restore(_)
            | Self::SaveSlot(_)
            | Self::DropSlot(_) => {}
        }
    }

    /// Uses the methods of `renaming` to replace the ids in the change. If the id of a record is a hash of its content,
    /// the record then gets a new id.
    pub fn rename(&mut self, renaming: &mut impl Rename) {
        match self {
            Self::AddEntity(entity) => renaming.entity(&mut entity.id),
            Self::RemoveEntity(id) => renaming.entity(id),
            Self::AssertFact(fact) | Self::Support(fact) => {
                record_mut(fact, renaming).into_iter().for_each(|fact| fact.rename(renaming));
            }
            Self::EndFact { fact, .. }
            | Self::SetStatus { fact, .. }
            | Self::SetSecrecy { fact, .. }
            | Self::Confirm(fact)
            | Self::RetractFact(fact) => renaming.fact(fact),
            Self::Learn(edge) => record_mut(edge, renaming).into_iter().for_each(|edge| edge.rename(renaming)),
            Self::Unlearn(id) => renaming.edge(id),
            Self::AddPassage(passage) => {
                record_mut(passage, renaming).into_iter().for_each(|passage| passage.rename(renaming));
            }
            Self::RemovePassage(id) | Self::SetTalkKind { passage: id, .. } => renaming.passage(id),
            Self::SetSession(session) => session.rename(renaming),
            Self::RemoveSession(id) => renaming.session(id),
            Self::Set(setting) => setting.rename(renaming),
            Self::SetFlag { .. }
            | Self::Unset(_)
            | Self::Revert(_)
            | Self::Restore(_)
            | Self::SaveSlot(_)
            | Self::DropSlot(_) => {}
        }
    }
}
