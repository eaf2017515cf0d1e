//! Ids and outcomes of game events.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

use bevy::prelude::*;
use hearsay_model::{EntityId, FactId, Position};

use crate::bridge::{HearsayError, report_error};

/// Id of a [`GameEvent`](crate::GameEvent). The id is unique within one run of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionId(u64);

impl ActionId {
    /// Returns an id that no other game event has.
    pub(super) fn generate() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl fmt::Display for ActionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Triggered on the acting entity when its [`GameEvent`](crate::GameEvent) is recorded and saved to disk.
#[derive(EntityEvent, Debug, Clone, PartialEq, Eq)]
pub struct ActionCommitted {
    /// The Bevy entity that acted.
    pub entity: Entity,
    /// Id of the game event.
    pub action: ActionId,
    /// Position of the recorded operation in the journal.
    pub position: Position,
    /// The facts that the event stated, in the order of its statements. If the speaker already knew a stated fact, the
    /// list contains the id of the known fact.
    pub facts: Vec<FactId>,
    /// The other characters that heard or saw the event, sorted. These characters do not need to exist as Bevy
    /// entities.
    pub heard_by: Vec<EntityId>,
}

/// Triggered on the acting entity when its [`GameEvent`](crate::GameEvent) is not recorded. The event has no effect.
#[derive(EntityEvent, Debug, Clone)]
pub struct ActionFailed {
    /// The Bevy entity that acted.
    pub entity: Entity,
    /// Id of the game event.
    pub action: ActionId,
    /// Reason why the event is not recorded. The text says what to do.
    pub error: HearsayError,
}

/// Reports that a game event is not recorded: triggers [`ActionFailed`] on the entity, and writes an error message.
pub(super) fn fail_action(world: &mut World, entity: Entity, action: ActionId, error: HearsayError) {
    report_error(world, error.clone(), Some(entity));
    world.trigger(ActionFailed { entity, action, error });
}
