//! Selects the entities of the memory that exist as Bevy entities.

use std::{collections::BTreeSet, fmt, sync::Arc};

use bevy::prelude::*;
use hearsay_model::{Belonging, EntityId, Kind, PredicateRole, State};

type SelectionFn = Arc<dyn Fn(&State, &EntityId) -> bool + Send + Sync>;

/// Selects the entities of the memory that the plugin spawns as Bevy entities. An entity that the game spawned with a
/// [`MemoryId`](crate::MemoryId) is always synced. You can change this resource while the game runs. Over the next
/// frames, the plugin then spawns the newly selected entities, and despawns entities that are no longer selected. The
/// memory does not change.
#[derive(Resource, Clone, Default)]
pub enum SpawnPolicy {
    /// All entities.
    #[default]
    All,
    /// No entities. The plugin syncs only the entities that the game spawns.
    Nothing,
    /// The places in `places`, their parts, and all places that are at most `steps` steps away from them. Each step
    /// follows one relation between two places. Entities at one of these places are selected too.
    Near {
        /// Ids of the places from which the selection starts.
        places: Vec<EntityId>,
        /// Maximum number of relations to follow from place to place.
        steps: usize,
    },
    /// The entities for which a function returns true. The function runs on the memory's thread, so it must be fast.
    Matching(SelectionFn),
}

impl fmt::Debug for SpawnPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("All"),
            Self::Nothing => f.write_str("Nothing"),
            Self::Near { places, steps } => write!(f, "Near({places:?}, {steps})"),
            Self::Matching(_) => f.write_str("Matching(..)"),
        }
    }
}

impl SpawnPolicy {
    /// Selects places by id or name, together with the places and entities near them: see [`Near`](Self::Near).
    pub fn near<S: AsRef<str>>(places: impl IntoIterator<Item = S>, steps: usize) -> Self {
        let places = places.into_iter().filter_map(|place| EntityId::from_name(place.as_ref()).ok());
        Self::Near { places: places.collect(), steps }
    }

    /// Selects the entities for which a function returns true.
    pub fn matching(is_selected: impl Fn(&State, &EntityId) -> bool + Send + Sync + 'static) -> Self {
        Self::Matching(Arc::new(is_selected))
    }

    /// Prepares the policy to check many entities of one state.
    pub(crate) fn resolve(&self, state: &State) -> ResolvedPolicy {
        match self {
            Self::All => ResolvedPolicy::All,
            Self::Nothing => ResolvedPolicy::Nothing,
            Self::Near { places, steps } => ResolvedPolicy::Places(places_near(state, places, *steps)),
            Self::Matching(is_selected) => ResolvedPolicy::Matching(Arc::clone(is_selected)),
        }
    }
}

pub(crate) enum ResolvedPolicy {
    All,
    Nothing,
    Places(BTreeSet<EntityId>),
    Matching(SelectionFn),
}

impl ResolvedPolicy {
    pub(crate) fn selects(&self, state: &State, id: &EntityId) -> bool {
        match self {
            Self::All => state.entity(id).is_some(),
            Self::Nothing => false,
            Self::Places(places) => {
                let place = || state.newest(id, PredicateRole::Location.name()).and_then(|fact| fact.object().entity());
                state.entity(id).is_some() && (places.contains(id) || place().is_some_and(|at| places.contains(at)))
            }
            Self::Matching(is_selected) => state.entity(id).is_some() && is_selected(state, id),
        }
    }

    /// Lists all selected entities by id.
    pub(crate) fn list(&self, state: &State) -> Vec<EntityId> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Places(places) => {
                let links = places.iter().flat_map(|place| state.links(place));
                let location_links = links.filter(|link| PredicateRole::Location.is(link.fact().predicate()));
                let candidates: BTreeSet<&EntityId> = location_links.map(|link| link.other()).chain(places).collect();
                candidates.into_iter().filter(|id| self.selects(state, id)).cloned().collect()
            }
            Self::All | Self::Matching(_) => {
                let ids = state.entities().map(|entity| &entity.id);
                ids.filter(|id| self.selects(state, id)).cloned().collect()
            }
        }
    }
}

fn places_near(state: &State, places: &[EntityId], steps: usize) -> BTreeSet<EntityId> {
    let is_place = |id: &EntityId| state.kind(id) == Some(Kind::Location);
    let mut nearby_places: BTreeSet<EntityId> =
        places.iter().filter(|id| state.entity(id).is_some()).cloned().collect();
    let mut open_places: Vec<EntityId> = nearby_places.iter().cloned().collect();
    while let Some(place) = open_places.pop() {
        for link in state.links(&place) {
            let belonging = state.vocabulary().belonging(link.fact().predicate());
            let is_part = !link.is_forward() && belonging == Some(Belonging::Part) && link.fact().is_in_effect();
            if is_part && is_place(link.other()) && nearby_places.insert(link.other().clone()) {
                open_places.push(link.other().clone());
            }
        }
    }
    let mut frontier: Vec<EntityId> = nearby_places.iter().cloned().collect();
    for _ in 0..steps {
        let mut next_frontier = Vec::new();
        for place in &frontier {
            for link in state.links(place).filter(|link| link.fact().is_in_effect() && is_place(link.other())) {
                if nearby_places.insert(link.other().clone()) {
                    next_frontier.push(link.other().clone());
                }
            }
        }
        frontier = next_frontier;
    }
    nearby_places
}
