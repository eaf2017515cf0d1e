//! Changes: the parts of an operation.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    Date, Entity, EntityId, Fact, FactId, FactStatus, KnowledgeEdge, KnowledgeId, Passage, PassageId, Position,
    Secrecy, Session, SessionId, Setting, SettingKey, TalkKind, Value,
};

/// One change within an [`Operation`](super::Operation).
///
/// # Adding a variant
///
/// A new variant needs changes in five files of this crate, and in the code that creates the variant:
///
/// 1. this file: the variant, and the methods below that classify it
/// 2. `operation/visit.rs`: the records that the variant writes and refers to
/// 3. `state/check.rs`: the conditions under which the variant is valid
/// 4. `state/fold.rs`: the effect of the variant on the value of its record
/// 5. `state/compact.rs`: the later changes that replace the variant
///
/// All other code calls the methods of `Change`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Adds an entity. Adding an entity again replaces its external ids.
    AddEntity(Entity),
    /// Removes an entity and every statement about it.
    RemoveEntity(EntityId),
    /// Records a fact. If the fact is already recorded, the new version replaces the earlier version. Earlier changes
    /// of the fact's end, status, secrecy and confirmation then no longer apply.
    AssertFact(#[serde(deserialize_with = "deserialize_arc")] Arc<Fact>),
    /// Ends the validity interval of a fact. From that date on, the fact is no longer true.
    EndFact {
        /// The fact.
        fact: FactId,
        /// The end of the interval.
        until: Date,
    },
    /// Changes the status of a fact.
    SetStatus {
        /// The fact.
        fact: FactId,
        /// The new status.
        status: FactStatus,
    },
    /// Changes the secrecy of a fact.
    SetSecrecy {
        /// The fact.
        fact: FactId,
        /// The new secrecy.
        secrecy: Secrecy,
    },
    /// Records that the DM confirms a fact.
    Confirm(FactId),
    /// Retracts a fact that was never true. The fact no longer exists, and no entity knows it.
    RetractFact(FactId),
    /// Adds a knowledge edge.
    Learn(#[serde(deserialize_with = "deserialize_arc")] Arc<KnowledgeEdge>),
    /// Removes a knowledge edge: the knower never learned the fact in this way.
    Unlearn(KnowledgeId),
    /// Adds a passage.
    AddPassage(#[serde(deserialize_with = "deserialize_arc")] Arc<Passage>),
    /// Removes a passage.
    RemovePassage(PassageId),
    /// Adds or replaces a session.
    SetSession(Session),
    /// Removes a session. The passages and facts of the session remain.
    RemoveSession(SessionId),
    /// Sets a setting of the campaign.
    Set(Setting),
    /// Reverts an earlier operation.
    Revert(Position),
    /// Reverts all operations after this position, so that the state equals the state at the position.
    Restore(Position),
    /// Changes the value of a declared flag. The new value must have the same type (text, number or boolean) as the old
    /// value.
    SetFlag {
        /// The name of the flag.
        name: String,
        /// The new value.
        value: Value,
    },
    /// Removes a setting. The state is then as if the setting had never been set.
    Unset(SettingKey),
    /// Saves the current position as a slot with this name. Use [`Restore`](Self::Restore) to return to the position
    /// later. Undo does not affect slots: see [`State::slots`](crate::State::slots).
    SaveSlot(String),
    /// Removes the slot with this name.
    DropSlot(String),
    /// Records that a source states a fact again. The recorded fact gets the new evidence and the higher of the two
    /// confidences. If the fact is not recorded yet, this change records the fact. A retracted fact stays retracted. If
    /// the earlier assertions of the fact were reverted, later decisions on them apply to the fact.
    Support(#[serde(deserialize_with = "deserialize_arc")] Arc<Fact>),
    /// Sets the kind of talk of a passage. If the passage is added again later, the kind in the new version applies.
    SetTalkKind {
        /// The passage.
        passage: PassageId,
        /// The kind of talk.
        kind: TalkKind,
    },
}

/// Deserializes a record directly into an `Arc`. The implementation in `serde` first builds a `Box` and then copies its
/// content.
fn deserialize_arc<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<T>, D::Error> {
    T::deserialize(deserializer).map(Arc::new)
}

impl Change {
    /// Returns the entity that the change adds; `None` for any other change.
    pub fn entity(&self) -> Option<&Entity> {
        match self {
            Self::AddEntity(entity) => Some(entity),
            _ => None,
        }
    }

    /// Returns the fact that the change adds or adds evidence to; `None` for any other change.
    #[inline]
    pub fn fact(&self) -> Option<&Arc<Fact>> {
        match self {
            Self::AssertFact(fact) | Self::Support(fact) => Some(fact),
            _ => None,
        }
    }

    /// Returns the knowledge edge that the change adds; `None` for any other change.
    #[inline]
    pub fn edge(&self) -> Option<&Arc<KnowledgeEdge>> {
        match self {
            Self::Learn(edge) => Some(edge),
            _ => None,
        }
    }

    /// Returns the passage that the change adds; `None` for any other change.
    #[inline]
    pub fn passage(&self) -> Option<&Arc<Passage>> {
        match self {
            Self::AddPassage(passage) => Some(passage),
            _ => None,
        }
    }

    /// Returns the session that the change adds or replaces; `None` for any other change.
    pub fn session(&self) -> Option<&Session> {
        match self {
            Self::SetSession(session) => Some(session),
            _ => None,
        }
    }

    /// Returns the setting that the change sets; `None` for any other change.
    pub fn setting(&self) -> Option<&Setting> {
        match self {
            Self::Set(setting) => Some(setting),
            _ => None,
        }
    }

    /// Returns whether the change is a revert or a restore. These changes undo earlier operations.
    #[inline]
    pub fn is_undo(&self) -> bool {
        matches!(self, Self::Revert(_) | Self::Restore(_))
    }

    /// Returns whether the change rejects a fact.
    #[inline]
    pub(crate) fn is_rejection(&self) -> bool {
        matches!(self, Self::SetStatus { status: FactStatus::Rejected, .. })
    }

    /// Returns whether the change is a decision on a recorded fact: a new status, end or secrecy, or a confirmation.
    #[inline]
    pub(crate) fn is_decision(&self) -> bool {
        matches!(self, Self::SetStatus { .. } | Self::Confirm(_) | Self::EndFact { .. } | Self::SetSecrecy { .. })
    }

    /// Applies a decision on a fact to this fact. Any other change has no effect.
    pub(crate) fn decide(&self, fact: &mut Fact) {
        match self {
            Self::EndFact { until, .. } => fact.set_end(until.clone()),
            Self::SetStatus { status, .. } => fact.set_status(*status),
            Self::SetSecrecy { secrecy, .. } => fact.set_secrecy(*secrecy),
            Self::Confirm(_) => fact.confirm(),
            _ => {}
        }
    }

    /// Returns whether the change saves or drops a slot. Undo does not affect slots.
    #[inline]
    pub fn is_slot(&self) -> bool {
        matches!(self, Self::SaveSlot(_) | Self::DropSlot(_))
    }

    /// Returns whether the change can affect only operations that write the same records, or that refer to them.
    ///
    /// A change that is not local removes a record, sets a setting, or undoes operations. It can make any other
    /// operation invalid, or change the effect of any other operation.
    pub fn is_local(&self) -> bool {
        match self {
            Self::AddEntity(_)
            | Self::AssertFact(_)
            | Self::Support(_)
            | Self::EndFact { .. }
            | Self::SetStatus { .. }
            | Self::SetSecrecy { .. }
            | Self::Confirm(_)
            | Self::RetractFact(_)
            | Self::Learn(_)
            | Self::AddPassage(_)
            | Self::SetTalkKind { .. }
            | Self::SetFlag { .. } => true,
            Self::RemoveEntity(_)
            | Self::Unlearn(_)
            | Self::RemovePassage(_)
            | Self::SetSession(_)
            | Self::RemoveSession(_)
            | Self::Set(_)
            | Self::Unset(_)
            | Self::Revert(_)
            | Self::Restore(_)
            | Self::SaveSlot(_)
            | Self::DropSlot(_) => false,
        }
    }

    /// Returns a phrase that describes the effect of the change on the content of a fact; `None` if the change has no
    /// such effect.
    pub fn effect_on_fact(&self) -> Option<&'static str> {
        match self {
            Self::AssertFact(_) => Some("it was stated"),
            Self::EndFact { .. } => Some("it was true before, but has ended since"),
            Self::SetStatus { .. } => Some("its status was changed"),
            Self::SetSecrecy { .. } => Some("it was revealed or made secret"),
            Self::Confirm(_) => Some("it was confirmed"),
            Self::RetractFact(_) => Some("it was retracted"),
            // Additional evidence does not change the content.
            Self::Support(_) => None,
            Self::AddEntity(_)
            | Self::RemoveEntity(_)
            | Self::Learn(_)
            | Self::Unlearn(_)
            | Self::AddPassage(_)
            | Self::RemovePassage(_)
            | Self::SetTalkKind { .. }
            | Self::SetSession(_)
            | Self::RemoveSession(_)
            | Self::Set(_)
            | Self::SetFlag { .. }
            | Self::Unset(_)
            | Self::Revert(_)
            | Self::Restore(_)
            | Self::SaveSlot(_)
            | Self::DropSlot(_) => None,
        }
    }
}
