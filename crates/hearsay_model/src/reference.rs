//! References between records, and the replacement of ids in references.

use std::sync::Arc;

use crate::{EntityId, FactId, KnowledgeId, PassageId, Predicate, SessionId};

/// Reference to a record other than a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reference<'a> {
    /// An entity.
    Entity(&'a EntityId),
    /// A fact.
    Fact(FactId),
    /// A knowledge edge.
    KnowledgeEdge(KnowledgeId),
    /// A passage.
    Passage(PassageId),
    /// A session.
    Session(&'a SessionId),
}

/// Replaces ids in a record. Each method replaces the ids of one type of record. The default implementation of each
/// method changes nothing.
pub trait Rename {
    /// Whether this renaming replaces each id with an equal id, for example to make equal ids share one allocation. If
    /// `true`, the hash ids of records stay unchanged, and records with a second owner (another `Arc`) are skipped.
    const KEEPS_IDS_EQUAL: bool = false;

    /// Replaces the id of an entity.
    fn entity(&mut self, _id: &mut EntityId) {}
    /// Replaces the id of a session.
    fn session(&mut self, _id: &mut SessionId) {}
    /// Replaces a predicate.
    fn predicate(&mut self, _predicate: &mut Predicate) {}
    /// Replaces the id of a fact.
    fn fact(&mut self, _id: &mut FactId) {}
    /// Replaces the id of a knowledge edge.
    fn edge(&mut self, _id: &mut KnowledgeId) {}
    /// Replaces the id of a passage.
    fn passage(&mut self, _id: &mut PassageId) {}
}

/// Returns the record for renaming, and clones it first if it has another owner. If [`Rename::KEEPS_IDS_EQUAL`] is
/// `true`, returns `None` instead of a clone.
pub(crate) fn record_mut<'r, T: Clone, R: Rename>(record: &'r mut Arc<T>, _: &R) -> Option<&'r mut T> {
    if R::KEEPS_IDS_EQUAL { Arc::get_mut(record) } else { Some(Arc::make_mut(record)) }
}
