//! Finds the characters that hear and see a game event.

use std::{fmt, sync::Arc};

use bevy::prelude::*;

use super::target::Target;
use crate::{components::EntityKind, sync::Registry};

type HearerFn = Arc<dyn Fn(&World, Entity) -> Vec<Entity> + Send + Sync>;

/// Rule that decides which characters hear and see a [`GameEvent`](crate::GameEvent). The rule applies only if the game
/// names no listeners for the event.
#[derive(Resource, Clone, Default)]
pub enum Earshot {
    /// The characters that are at the same place as the actor. The memory decides this, so the rule includes characters
    /// that do not exist as Bevy entities.
    #[default]
    Place,
    /// The characters with a [`MemoryId`](crate::MemoryId) whose [`GlobalTransform`] is at most this distance away from
    /// the actor, in world units. If the actor has no `GlobalTransform`, the plugin uses [`Earshot::Place`].
    Distance(f32),
    /// The entities that a function returns for the actor.
    Custom(HearerFn),
}

impl fmt::Debug for Earshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place => f.write_str("Place"),
            Self::Distance(distance) => write!(f, "Distance({distance})"),
            Self::Custom(_) => f.write_str("Custom(..)"),
        }
    }
}

impl Earshot {
    /// Creates a rule from a function that returns the hearers. The function gets the Bevy world and the actor.
    pub fn custom(hearers: impl Fn(&World, Entity) -> Vec<Entity> + Send + Sync + 'static) -> Self {
        Self::Custom(Arc::new(hearers))
    }
}

/// Returns the entities that hear and see an event of `entity`, or `None` if the memory decides this from the place of
/// `entity`.
pub(crate) fn hearers(world: &World, entity: Entity) -> Option<Vec<Target>> {
    let candidates: Vec<Entity> = match world.get_resource::<Earshot>() {
        None | Some(Earshot::Place) => return None,
        Some(Earshot::Custom(hearers)) => hearers(world, entity),
        Some(Earshot::Distance(distance)) => {
            let origin = world.get::<GlobalTransform>(entity).map(GlobalTransform::translation)?;
            let is_near = |other: &EntityRef| {
                let position = other.get::<GlobalTransform>().map(GlobalTransform::translation);
                position.is_some_and(|position| position.distance_squared(origin) <= distance * distance)
            };
            let bound = world.resource::<Registry>().bound.values();
            let nearby = bound.filter_map(|other| world.get_entity(*other).ok()).filter(is_near);
            nearby.filter(is_character).map(|other| other.id()).collect()
        }
    };
    let mut hearers: Vec<Entity> = candidates.into_iter().filter(|other| *other != entity).collect();
    hearers.sort_unstable();
    hearers.dedup();
    Some(hearers.into_iter().map(Target::Entity).collect())
}

fn is_character(entity: &EntityRef) -> bool {
    entity.get::<EntityKind>().is_some_and(|kind| kind.0.is_character())
}
