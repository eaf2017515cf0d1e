//! Lookup of names that the extractor could not link to an entity, and ids for new entities.

use hearsay_model::{EntityId, Fact, FactStatus, Resolution, State, text};
use hearsay_query::review::extracted_names;

/// Result of looking up a name that the extractor could not link to an entity.
pub(super) enum NameLookup {
    /// The name refers to this entity. The entity was added after the extraction, or its name still waits for the DM's
    /// decision.
    Known(EntityId),
    /// No entity with this name can be added, because the DM rejected the name or several entities have the name.
    Unusable,
    /// No entity has this name yet.
    Unknown,
}

impl NameLookup {
    /// Looks up a name among the recorded entities and among the names that wait for the DM's decision.
    pub(super) fn find(state: &State, name: &str) -> Self {
        let normal = text::normalize(name);
        let is_open =
            |id: &EntityId| state.open_names(id).iter().any(|public_name| text::normalize(public_name) == normal);
        match state.resolve(name) {
            // Ignores secret names, because a match would reveal whose name it is.
            Resolution::One(id) if is_open(&id) => return Self::Known(id),
            Resolution::Ambiguous(_) => return Self::Unusable,
            _ => {}
        }
        for id in candidate_ids(name).take_while(|id| state.entity(id).is_some()) {
            let has_same_name = |fact: &&Fact| {
                fact.object().text().is_some_and(|recorded_name| text::normalize(recorded_name) == normal)
            };
            let statuses: Vec<FactStatus> =
                extracted_names(state, &id).filter(has_same_name).map(Fact::status).collect();
            // In autonomous mode, a new name becomes a claim immediately.
            if statuses.iter().any(|status| matches!(status, FactStatus::Proposed | FactStatus::Claimed)) {
                return Self::Known(id);
            }
            if statuses.contains(&FactStatus::Rejected) {
                return Self::Unusable;
            }
        }
        Self::Unknown
    }
}

/// Returns possible ids for a new entity with this name: the id generated from the name, followed by the same id with
/// numeric suffixes.
pub(super) fn candidate_ids(name: &str) -> impl Iterator<Item = EntityId> {
    let base_id = EntityId::from_name(name).ok();
    let numbered_ids = base_id
        .clone()
        .into_iter()
        .flat_map(|base_id| (2..100).filter_map(move |number| EntityId::new(format!("{base_id}-{number}")).ok()));
    base_id.into_iter().chain(numbered_ids)
}
