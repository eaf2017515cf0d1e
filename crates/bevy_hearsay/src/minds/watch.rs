//! The component that selects the characters on which the plugin triggers events about their minds.

use std::collections::BTreeMap;

use bevy::prelude::*;
use hearsay_engine::{MemoryError, MindFilter, MindInterest, Ticket};
use hearsay_model::EntityId;

use crate::{
    bridge::{MemoryErrorMessage, NpcMemory, is_open},
    components::MemoryId,
    schedule::Activity,
};

/// Watches the mind of a character: the plugin triggers [`FactLearned`](crate::FactLearned),
/// [`RumourHeard`](crate::RumourHeard), [`PromiseMade`](crate::PromiseMade) and
/// [`FeelingChanged`](crate::FeelingChanged) on the entity. If
/// [`beliefs`](Self::beliefs) is `true`, the plugin also triggers [`BeliefChanged`](crate::BeliefChanged). To change
/// the component, insert it again. The component has an effect only if the app has [`MindsPlugin`](crate::MindsPlugin)
/// and the entity has a [`MemoryId`].
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_hearsay::prelude::*;
/// fn guard(mut commands: Commands) {
///     commands.spawn((MemoryId::new("guard"), EntityKind::npc(), WatchMind::default())).observe(
///         |learned: On<FactLearned>| info!("{} learns {}", learned.entity, learned.fact),
///     );
/// }
/// ```
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[component(immutable)]
#[reflect(opaque)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct WatchMind {
    /// Entities whose facts cause events. A fact causes an event only if its subject, its object or a mentioned entity
    /// is in this list. If the list is empty, all facts cause events.
    pub about: Vec<EntityId>,
    /// Whether changed beliefs also cause events. With `true`, the memory maintains a list of all facts that the
    /// character knows. At most [`MAX_WATCHED_BELIEFS`](crate::engine::MAX_WATCHED_BELIEFS) characters can have the
    /// value `true` at a time.
    pub beliefs: bool,
}

impl WatchMind {
    /// Creates a component that causes events only for facts about these entities.
    pub fn about(entities: impl IntoIterator<Item = EntityId>) -> Self {
        Self { about: entities.into_iter().collect(), beliefs: false }
    }

    /// Sets [`beliefs`](Self::beliefs) to `true`, so that changed beliefs also cause events.
    pub fn with_beliefs(self) -> Self {
        Self { beliefs: true, ..self }
    }

    fn interest(&self) -> MindInterest {
        MindInterest { about: self.about.iter().cloned().collect(), beliefs: self.beliefs }
    }
}

/// State of the filter that selects the watched minds in the memory.
#[derive(Resource, Default)]
pub(super) struct WatchedMinds {
    /// Whether the plugin must send a new filter to the memory.
    is_outdated: bool,
    /// The last request that replaced the filter.
    ticket: Option<Ticket<()>>,
}

impl WatchedMinds {
    fn mark_outdated(&mut self, activity: &mut Activity) {
        self.is_outdated = true;
        activity.wake();
    }
}

/// Returns whether the memory needs a new filter, or has not confirmed the last one.
pub(super) fn is_busy(world: &World) -> bool {
    let watched = world.resource::<WatchedMinds>();
    (watched.is_outdated || watched.ticket.is_some()) && is_open(world)
}

pub(super) fn on_watched(_: On<Insert, WatchMind>, mut watched: ResMut<WatchedMinds>, mut activity: ResMut<Activity>) {
    watched.mark_outdated(&mut activity);
}

pub(super) fn on_unwatched(
    _: On<Remove, WatchMind>,
    mut watched: ResMut<WatchedMinds>,
    mut activity: ResMut<Activity>,
) {
    watched.mark_outdated(&mut activity);
}

/// Sends the filter to the memory if it is outdated. This system runs before all systems that send changes and game
/// events, so that the filter already applies to them.
pub(super) fn send_filter(
    mut watched: ResMut<WatchedMinds>,
    minds: Query<(&WatchMind, &MemoryId)>,
    changed_ids: Query<(), (With<WatchMind>, Changed<MemoryId>)>,
    memory: Res<NpcMemory>,
    mut errors: MessageWriter<MemoryErrorMessage>,
) {
    // A memory that was just opened has no filter. An entity without an id gets its id later.
    if !changed_ids.is_empty() || (memory.is_changed() && !minds.is_empty()) {
        watched.is_outdated = true;
    }
    let mut report = |error: MemoryError| {
        tracing::warn!(
            "the memory rejected the list of characters with `WatchMind`, so events about their minds may be missing: \
             {error}"
        );
        errors.write(MemoryErrorMessage { error: error.into(), entity: None });
    };
    if let Some(answer) = watched.ticket.as_ref().and_then(Ticket::try_take) {
        watched.ticket = None;
        answer.err().into_iter().for_each(&mut report);
    }
    let Some(memory) = memory.get().filter(|_| watched.is_outdated) else { return };
    let knowers: BTreeMap<EntityId, MindInterest> =
        minds.iter().filter_map(|(watch, id)| Some((id.get()?.clone(), watch.interest()))).collect();
    let filter = if knowers.is_empty() { MindFilter::None } else { MindFilter::Only(knowers) };
    let sent = memory.watch(filter);
    watched.is_outdated = matches!(sent, Err(MemoryError::Full { .. }));
    match sent {
        Ok(ticket) => watched.ticket = Some(ticket),
        Err(MemoryError::Full { .. }) => {}
        Err(error) => report(error),
    }
}
