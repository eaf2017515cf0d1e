//! Merging: one entity was another all along.

use std::collections::BTreeSet;

use hearsay_model::{
    Author, Change, Entity, EntityId, Evidence, Fact, FactId, How, Key, Operation, Position, Setting, SettingKey,
    Standing, State, Timestamp, attribute,
};
use serde::Serialize;

use super::rename::{Moved, Renaming};
use crate::{MemoryError, contradictions::overlap, edit::resolve};

/// What a merge does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MergePlan {
    /// The entity that is there no more.
    pub gone: EntityId,
    /// The entity that it is.
    pub into: EntityId,
    /// How many records move.
    #[serde(flatten)]
    pub moved: Moved,
    /// Values that both had and that cannot both be so: these are claims from now on, for the DM to decide. Sorted.
    pub undecided: Vec<FactId>,
    /// The one operation that does it.
    #[serde(skip)]
    pub operation: Operation,
    /// The newest operation when it was worked out.
    #[serde(skip)]
    pub made_at: Position,
}

/// Makes one entity of two: what was said of the first is said of the second from now on, who knew it knows it still,
/// and the first name is another name of the second. Of two values that cannot both be so, the surer stands: that which
/// the DM confirmed, then that of more confidence, then that of the second; the other becomes a claim.
///
/// One operation: [`split`](super::split()) takes it back without loss of what came later.
///
/// # Errors
/// When a name means nothing or several, or both mean the same.
pub fn merge(state: &State, gone: &str, into: &str, author: Author, now: Timestamp) -> Result<MergePlan, MemoryError> {
    let (gone, into) = (resolve(state, gone)?, resolve(state, into)?);
    if gone == into {
        return Err(MemoryError::OneEntity(gone));
    }
    let losers = losers(state, &gone, &into);
    let undecided = losers.iter().copied().collect();
    let mut renaming = Renaming::new(state, &gone, &into, losers);
    renaming.changes.push(Change::AddEntity(joined(state, &gone, &into)));
    let moved = renaming.all();
    let mut changes = renaming.changes;
    if state.are_distinct(&gone, &into) {
        changes.push(Change::Unset(Setting::distinct(gone.clone(), into.clone()).key()));
    }
    changes.push(Change::RemoveEntity(gone.clone()));
    changes.push(Change::Set(Setting::Merged { gone: gone.clone(), into: into.clone() }));
    let summary = format!("merge {} into {}", state.name_or_id(&gone), state.name_or_id(&into));
    let operation = Operation { author, recorded: now, summary, changes };
    Ok(MergePlan { gone, into, moved, undecided, operation, made_at: state.position() })
}

impl MergePlan {
    /// The operation, as it was worked out where nothing was written since that it would have to move, and worked out
    /// anew otherwise.
    ///
    /// # Errors
    /// As [`merge`] says.
    pub(crate) fn at_its_turn(&self, state: &State, now: Timestamp) -> Result<Operation, MemoryError> {
        let written: BTreeSet<Key> = self.operation.changes.iter().filter_map(Change::key).collect();
        let since = state.journal().rev().take_while(|(position, _)| *position > self.made_at);
        let concerns = |change: &Change| match (change, change.key()) {
            (_, None) => !matches!(change, Change::SaveSlot(_) | Change::DropSlot(_)),
            (_, Some(key)) if written.contains(&key) => true,
            (Change::AssertFact(fact) | Change::Support(fact), _) => {
                let both = [&self.gone, &self.into];
                fact.entities().chain(&fact.provenance().speaker).any(|id| both.contains(&id))
                    || fact.bearing().is_some_and(|bearing| written.contains(&Key::Fact(bearing.fact())))
                    || fact.provenance().evidence.iter().any(|evidence| match evidence {
                        Evidence::Passage { passage, .. } => written.contains(&Key::Passage(*passage)),
                        Evidence::File { .. } | Evidence::Excerpt(_) => false,
                    })
            }
            (Change::Learn(edge), _) => {
                edge.knower.entity().into_iter().chain(&edge.company).any(|id| *id == self.gone)
                    || matches!(&edge.how, How::Told { .. } | How::Read { .. } | How::Deduced { .. })
                    || written.contains(&Key::Fact(edge.fact))
            }
            // A new fact about others, and what becomes of it, is none of the merge's business.
            (Change::EndFact { .. } | Change::SetStanding { .. } | Change::Confirm(_), _) => false,
            (Change::AddEntity(_) | Change::SetFlag { .. }, _) => false,
            _ => true,
        };
        if !since.flat_map(|(_, entry)| &entry.operation.changes).any(concerns) {
            return Ok(self.operation.clone());
        }
        let author = self.operation.author.clone();
        Ok(merge(state, self.gone.as_str(), self.into.as_str(), author, now)?.operation)
    }
}

/// Two entities that look alike are not the same: they are not proposed again.
///
/// # Errors
/// When a name means nothing or several, or both mean the same.
pub fn not_the_same(state: &State, a: &str, b: &str, now: Timestamp) -> Result<Operation, MemoryError> {
    let (a, b) = (resolve(state, a)?, resolve(state, b)?);
    if a == b {
        return Err(MemoryError::OneEntity(a));
    }
    let summary = format!("{} is not {}", state.name_or_id(&a), state.name_or_id(&b));
    let change = Change::Set(Setting::distinct(a.clone(), b.clone()));
    Ok(Operation { recorded: now, ..Operation::new(Author::Dm, summary, vec![change]) })
}

/// The entity with the external ids of both.
fn joined(state: &State, gone: &EntityId, into: &EntityId) -> Entity {
    let mut entity = state.entity(into).map_or_else(|| Entity::new(into.clone()), |entity| Entity::clone(entity));
    for id in state.entity(gone).into_iter().flat_map(|gone| &gone.external_ids) {
        if !entity.external_ids.contains(id) {
            entity.external_ids.push(id.clone());
        }
    }
    entity
}

/// The canon values of either that cannot be so beside a surer one of the other.
fn losers(state: &State, gone: &EntityId, into: &EntityId) -> BTreeSet<FactId> {
    let of = |id: &EntityId| -> Vec<&Fact> {
        let own = state.facts_of(id).filter(|fact| fact.subject() == id && fact.standing() == Standing::Canon);
        let own = own.filter(|fact| *fact.predicate() != attribute::NAME && state.is_functional(fact.predicate()));
        own.map(AsRef::as_ref).collect()
    };
    let sure = |fact: &Fact| (fact.provenance().confirmed, fact.provenance().confidence);
    let theirs = of(into);
    let mut losers = BTreeSet::new();
    for fact in of(gone) {
        for other in theirs.iter().filter(|other| other.predicate() == fact.predicate()) {
            if fact.object() != other.object() && overlap(fact, other) {
                losers.insert(if sure(fact) > sure(other) { other.id() } else { fact.id() });
            }
        }
    }
    losers
}

/// Whether the two were made one before, and that was taken back.
pub(crate) fn was_taken_back(state: &State, duplicate: &super::Duplicate) -> bool {
    let gone = |change: &Change| match change {
        Change::Set(Setting::Merged { gone, into }) => {
            (gone, into) == (&duplicate.one, &duplicate.other) || (into, gone) == (&duplicate.one, &duplicate.other)
        }
        _ => false,
    };
    state.journal().any(|(_, entry)| !entry.live && entry.operation.changes.iter().any(gone))
}

/// The setting that remembers a merge.
pub(super) fn key(gone: &EntityId) -> SettingKey {
    SettingKey::Merged(gone.clone())
}
