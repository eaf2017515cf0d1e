//! The part of the memory that is spawned as entities.

use std::{collections::BTreeSet, fmt, sync::Arc};

use bevy::prelude::*;
use hearsay_model::{EntityId, Kind, State, predicate};

use super::{GameClock, Inbox, Outbox, Registry, fetch::is_open};
use crate::{components::SpawnedByHearsay, memory::NpcMemory};

type Chosen = Arc<dyn Fn(&State, &EntityId) -> bool + Send + Sync>;

/// Which entities of the memory the plugin spawns, with their components. An entity that the game spawned with a
/// [`MemoryId`](crate::MemoryId) is always synced. Change this resource while the game runs: newly selected entities
/// are loaded over the next frames, and deselected entities are despawned. Neither changes the memory.
#[derive(Resource, Clone, Default)]
pub enum SpawnPolicy {
    /// All entities.
    #[default]
    All,
    /// No entities: only the entities that the game spawns.
    Nothing,
    /// Everything at or near the named places: these places, places that are part of them, places within `steps` steps
    /// from place to place, and everyone and everything at any of these.
    Near {
        /// Ids of places.
        places: Vec<EntityId>,
        /// Number of steps along the relations between places.
        steps: usize,
    },
    /// The entities that a function selects. The function runs on the memory's thread: keep it short.
    Matching(Chosen),
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
    /// Selects the surroundings of places, given by id or name.
    pub fn near<S: AsRef<str>>(places: impl IntoIterator<Item = S>, steps: usize) -> Self {
        let places = places.into_iter().filter_map(|place| EntityId::from_name(place.as_ref()).ok());
        Self::Near { places: places.collect(), steps }
    }

    /// Selects entities with a function.
    pub fn matching(chosen: impl Fn(&State, &EntityId) -> bool + Send + Sync + 'static) -> Self {
        Self::Matching(Arc::new(chosen))
    }

    /// Prepares the policy to check many entities of one state.
    pub(crate) fn reach(&self, state: &State) -> Reach {
        match self {
            Self::All => Reach::All,
            Self::Nothing => Reach::Nothing,
            Self::Near { places, steps } => Reach::Places(places_near(state, places, *steps)),
            Self::Matching(chosen) => Reach::Matching(Arc::clone(chosen)),
        }
    }
}

pub(crate) enum Reach {
    All,
    Nothing,
    Places(BTreeSet<EntityId>),
    Matching(Chosen),
}

impl Reach {
    pub(crate) fn holds(&self, state: &State, id: &EntityId) -> bool {
        match self {
            Self::All => state.entity(id).is_some(),
            Self::Nothing => false,
            Self::Places(places) => {
                let place = || state.newest(id, predicate::LOCATED_AT).and_then(|fact| fact.object().entity());
                state.entity(id).is_some() && (places.contains(id) || place().is_some_and(|at| places.contains(at)))
            }
            Self::Matching(chosen) => state.entity(id).is_some() && chosen(state, id),
        }
    }

    /// Lists all selected entities by id.
    pub(crate) fn list(&self, state: &State) -> Vec<EntityId> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Places(places) => {
                let links = places.iter().flat_map(|place| state.links(place));
                let there = links.filter(|link| *link.fact().predicate() == *predicate::LOCATED_AT);
                let candidates: BTreeSet<&EntityId> = there.map(|link| link.other()).chain(places).collect();
                candidates.into_iter().filter(|id| self.holds(state, id)).cloned().collect()
            }
            Self::All | Self::Matching(_) => {
                let ids = state.entities().map(|entity| &entity.id);
                ids.filter(|id| self.holds(state, id)).cloned().collect()
            }
        }
    }
}

fn places_near(state: &State, places: &[EntityId], steps: usize) -> BTreeSet<EntityId> {
    let is_place = |id: &EntityId| state.kind(id) == Some(Kind::Location);
    let mut reached: BTreeSet<EntityId> = places.iter().filter(|id| state.entity(id).is_some()).cloned().collect();
    let mut parts: Vec<EntityId> = reached.iter().cloned().collect();
    while let Some(place) = parts.pop() {
        for link in state.links(&place) {
            let is_part = !link.is_forward() && *link.fact().predicate() == *predicate::PART_OF && link.fact().stands();
            if is_part && is_place(link.other()) && reached.insert(link.other().clone()) {
                parts.push(link.other().clone());
            }
        }
    }
    let mut edge: Vec<EntityId> = reached.iter().cloned().collect();
    for _ in 0..steps {
        let mut next = Vec::new();
        for place in &edge {
            for link in state.links(place).filter(|link| link.fact().stands() && is_place(link.other())) {
                if reached.insert(link.other().clone()) {
                    next.push(link.other().clone());
                }
            }
        }
        edge = next;
    }
    reached
}

/// Returns whether the spawn policy or the memory changed since entities were last listed.
pub(crate) fn is_changed(world: &World) -> bool {
    let inbox = world.resource::<Inbox>();
    let changed = || Some((world.get_resource_ref::<SpawnPolicy>()?, world.get_resource_ref::<NpcMemory>()?));
    let as_of = || changed().map(|(spawn_policy, memory)| (spawn_policy.last_changed(), memory.last_changed()));
    (inbox.resync || inbox.listed_as_of != as_of()) && is_open(world)
}

/// Returns whether the list of selected entities was requested.
pub(crate) fn is_listing(world: &World) -> bool {
    world.resource::<Inbox>().listing.is_some() && is_open(world)
}

/// Requests a new list of selected entities.
pub(crate) fn change(spawn_policy: Res<SpawnPolicy>, memory: Res<NpcMemory>, mut inbox: ResMut<Inbox>) {
    let memory_changed = memory.last_changed();
    let Some(memory) = memory.get() else { return };
    let (chosen, acknowledged) = (spawn_policy.clone(), inbox.acknowledged);
    let listed = memory.read(move |world| {
        let listed = chosen.reach(&world.state).list(&world.state);
        Ok((listed, world.state.clock()))
    });
    match listed {
        Ok(ticket) => {
            inbox.listing = Some(ticket);
            inbox.resync = false;
            inbox.listed_as_of = Some((spawn_policy.last_changed(), memory_changed));
            tracing::debug!("what is materialised is listed anew, batch {acknowledged}");
        }
        // The memory is busy: retry in the next frame.
        Err(_) => inbox.resync = true,
    }
}

/// Loads selected entities that are missing. Despawns entities that the plugin spawned and that are no longer selected.
pub(crate) fn load(
    mut inbox: ResMut<Inbox>,
    mut outbox: ResMut<Outbox>,
    mut clock: ResMut<GameClock>,
    registry: Res<Registry>,
    spawned_by_hearsay: Query<(Entity, &super::Shadow), With<SpawnedByHearsay>>,
    mut commands: Commands,
) {
    let Some(listed) = inbox.listing.as_ref().and_then(hearsay_memory::Ticket::try_take) else { return };
    inbox.listing = None;
    let Ok((wanted, time)) = listed else { return };
    if let Some(time) = time {
        outbox.follow_clock(time.0, &mut clock);
    }
    for (entity, shadow) in &spawned_by_hearsay {
        if wanted.binary_search(&shadow.id).is_err() {
            commands.entity(entity).despawn();
        }
    }
    // Entities that the game bound are read again too, because events may have been dropped.
    for id in registry.bound.keys().filter(|id| wanted.binary_search(id).is_err()).cloned().collect::<BTreeSet<_>>() {
        inbox.want(id);
    }
    for id in wanted {
        inbox.want(id);
    }
}
