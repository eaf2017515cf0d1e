//! What a game would write without the plugin, if all it wanted were lists of who is where, and of who moved: no memory,
//! no comparison, nothing for what else changes. So little it costs at least to follow moves in Bevy's world.

use bevy::{
    ecs::{lifecycle::HookContext, world::DeferredWorld},
    platform::collections::HashMap,
    prelude::*,
};
use hearsay_model::EntityId;

/// Where somebody is.
#[derive(Component, Clone)]
#[component(immutable, on_insert = note)]
pub(super) struct Stands(pub(super) EntityId);

/// The place of somebody as an entity, and where in its list.
#[derive(Component, Clone, Copy)]
struct Seat {
    place: Entity,
    at: usize,
}

/// Who is at a place.
#[derive(Component, Default)]
pub(super) struct Crowd(Vec<Entity>);

/// The places by their ids.
#[derive(Resource, Default)]
pub(super) struct Places(pub(super) HashMap<EntityId, Entity>);

/// Who moved in this frame.
#[derive(Resource, Default)]
struct Moved(Vec<(Entity, EntityId)>);

/// Who moved, to be sent to some other thread a few times in a second.
#[derive(Resource, Default)]
struct Gathered(Vec<(Entity, EntityId)>);

const SENT_AT_ONCE: usize = 1_500;

pub(super) fn plugin(app: &mut App) {
    app.init_resource::<Places>().init_resource::<Moved>().init_resource::<Gathered>().add_systems(PostUpdate, follow);
}

fn note(mut world: DeferredWorld, context: HookContext) {
    let Some(Stands(place)) = world.get(context.entity).cloned() else { return };
    if let Some(mut moved) = world.get_resource_mut::<Moved>() {
        moved.0.push((context.entity, place));
    }
}

fn follow(
    (mut moved, mut gathered, places): (ResMut<Moved>, ResMut<Gathered>, Res<Places>),
    mut seats: Query<&mut Seat>,
    mut crowds: Query<&mut Crowd>,
    mut commands: Commands,
) {
    for (entity, id) in moved.0.drain(..) {
        let Some(&place) = places.0.get(&id) else { continue };
        if let Ok(seat) = seats.get(entity).copied()
            && let Ok(mut crowd) = crowds.get_mut(seat.place)
        {
            crowd.0.swap_remove(seat.at);
            if let Some(Ok(mut other)) = crowd.0.get(seat.at).map(|other| seats.get_mut(*other)) {
                other.at = seat.at;
            }
        }
        if let Ok(mut crowd) = crowds.get_mut(place) {
            let taken = Seat { place, at: crowd.0.len() };
            crowd.0.push(entity);
            match seats.get_mut(entity) {
                Ok(mut seat) => *seat = taken,
                Err(_) => _ = commands.entity(entity).insert(taken),
            }
        }
        gathered.0.push((entity, id));
    }
    if gathered.0.len() >= SENT_AT_ONCE {
        gathered.0.clear();
    }
}
