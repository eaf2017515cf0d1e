//! Hand-written lists of locations and moves, such as a game without the plugin could use. The lists store nothing on
//! the disk, compare nothing with a memory, and track no other changes. Their cost is the least that tracking moves in
//! Bevy's world can take.

use bevy::{
    ecs::{lifecycle::HookContext, world::DeferredWorld},
    platform::collections::HashMap,
    prelude::*,
};
use hearsay_model::EntityId;

/// The location of a character.
#[derive(Component, Clone)]
#[component(immutable, on_insert = note)]
#[require(Seat)]
pub(super) struct Stands(pub(super) EntityId);

/// The entity of the place where a character is, and the index of the character in the place's list. This component is
/// inserted together with the location, so that a second move in the same frame finds the previous place.
#[derive(Component, Clone, Copy, Default)]
struct Seat(Option<(Entity, usize)>);

/// The characters at a place.
#[derive(Component, Default)]
pub(super) struct Crowd(Vec<Entity>);

/// The entities of the places, by id.
#[derive(Resource, Default)]
pub(super) struct Places(pub(super) HashMap<EntityId, Entity>);

/// The moves of this frame.
#[derive(Resource, Default)]
struct Moved(Vec<(Entity, EntityId)>);

/// The moves that wait to be sent to another thread, which happens a few times per second.
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
) {
    for (entity, id) in moved.0.drain(..) {
        let (Some(&place), Ok(seat)) = (places.0.get(&id), seats.get(entity).copied()) else { continue };
        if let Some((left, at)) = seat.0
            && let Ok(mut crowd) = crowds.get_mut(left)
        {
            crowd.0.swap_remove(at);
            // `swap_remove` moved the last character of the list to this index.
            if let Some(Ok(mut other)) = crowd.0.get(at).map(|other| seats.get_mut(*other)) {
                other.0 = Some((left, at));
            }
        }
        if let Ok(mut crowd) = crowds.get_mut(place)
            && let Ok(mut seat) = seats.get_mut(entity)
        {
            seat.0 = Some((place, crowd.0.len()));
            crowd.0.push(entity);
        }
        gathered.0.push((entity, id));
    }
    if gathered.0.len() >= SENT_AT_ONCE {
        gathered.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn everybody_sits_where_it_moved_last() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, plugin));
        let ids: Vec<EntityId> = (0..3).map(|n| EntityId::new(format!("place-{n}")).unwrap()).collect();
        for id in &ids {
            let place = app.world_mut().spawn(Crowd::default()).id();
            app.world_mut().resource_mut::<Places>().0.insert(id.clone(), place);
        }
        let people: Vec<Entity> = (0..8).map(|_| app.world_mut().spawn_empty().id()).collect();
        let mut random = Random::new(3, 0);
        let mut last = vec![None; people.len()];
        for _ in 0..300 {
            // Some characters move twice in a frame, even in the first frame.
            for _ in 0..12 {
                let (who, place) = (random.below(people.len()), random.below(ids.len()));
                app.world_mut().entity_mut(people[who]).insert(Stands(ids[place].clone()));
                last[who] = Some(place);
            }
            app.update();
            let world = app.world();
            for (who, place) in last.iter().enumerate().filter_map(|(who, place)| Some((who, (*place)?))) {
                let entity = world.resource::<Places>().0[&ids[place]];
                let seat = world.get::<Seat>(people[who]).unwrap().0.unwrap();
                assert_eq!((seat.0, world.get::<Crowd>(entity).unwrap().0[seat.1]), (entity, people[who]));
            }
            let seated: usize =
                world.resource::<Places>().0.values().map(|place| world.get::<Crowd>(*place).unwrap().0.len()).sum();
            assert_eq!(seated, last.iter().flatten().count());
        }
    }
}
