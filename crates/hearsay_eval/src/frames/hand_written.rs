//! Hand-written lists of locations and moves, for comparison with the plugin. This code stores nothing on the disk,
//! compares nothing with a memory, and tracks only moves. Their cost is the minimum cost of tracking moves in Bevy's
//! world.

use bevy::{
    ecs::{lifecycle::HookContext, world::DeferredWorld},
    platform::collections::HashMap,
    prelude::*,
};
use hearsay_model::EntityId;

/// The location of a character.
#[derive(Component, Clone)]
#[component(immutable, on_insert = record_move)]
#[require(ListIndex)]
pub(super) struct Location(pub(super) EntityId);

/// The entity of the place where a character is, and the index of the character in the place's list. This component is
/// inserted together with the location, so that a second move in the same frame finds the previous place.
#[derive(Component, Clone, Copy, Default)]
struct ListIndex(Option<(Entity, usize)>);

/// The characters at a place.
#[derive(Component, Default)]
pub(super) struct Occupants(Vec<Entity>);

/// The entities of the places, by id.
#[derive(Resource, Default)]
pub(super) struct Places(pub(super) HashMap<EntityId, Entity>);

/// The moves of this frame.
#[derive(Resource, Default)]
struct FrameMoves(Vec<(Entity, EntityId)>);

/// The moves that wait to be sent to another thread, which happens a few times per second.
#[derive(Resource, Default)]
struct PendingMoves(Vec<(Entity, EntityId)>);

const BATCH_SIZE: usize = 1_500;

pub(super) fn plugin(app: &mut App) {
    app.init_resource::<Places>()
        .init_resource::<FrameMoves>()
        .init_resource::<PendingMoves>()
        .add_systems(PostUpdate, update_lists);
}

fn record_move(mut world: DeferredWorld, context: HookContext) {
    let Some(Location(place)) = world.get(context.entity).cloned() else { return };
    if let Some(mut moves) = world.get_resource_mut::<FrameMoves>() {
        moves.0.push((context.entity, place));
    }
}

fn update_lists(
    (mut moves, mut pending, places): (ResMut<FrameMoves>, ResMut<PendingMoves>, Res<Places>),
    mut list_indices: Query<&mut ListIndex>,
    mut occupant_lists: Query<&mut Occupants>,
) {
    for (entity, id) in moves.0.drain(..) {
        let (Some(&place), Ok(list_index)) = (places.0.get(&id), list_indices.get(entity).copied()) else { continue };
        if let Some((old_place, at)) = list_index.0
            && let Ok(mut occupants) = occupant_lists.get_mut(old_place)
        {
            occupants.0.swap_remove(at);
            // `swap_remove` moved the last character of the list to this index.
            if let Some(Ok(mut other)) = occupants.0.get(at).map(|other| list_indices.get_mut(*other)) {
                other.0 = Some((old_place, at));
            }
        }
        if let Ok(mut occupants) = occupant_lists.get_mut(place)
            && let Ok(mut list_index) = list_indices.get_mut(entity)
        {
            list_index.0 = Some((place, occupants.0.len()));
            occupants.0.push(entity);
        }
        pending.0.push((entity, id));
    }
    if pending.0.len() >= BATCH_SIZE {
        pending.0.clear();
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
            let place = app.world_mut().spawn(Occupants::default()).id();
            app.world_mut().resource_mut::<Places>().0.insert(id.clone(), place);
        }
        let people: Vec<Entity> = (0..8).map(|_| app.world_mut().spawn_empty().id()).collect();
        let mut random = Random::new(3, 0);
        let mut last = vec![None; people.len()];
        for _ in 0..300 {
            // Some characters move twice in a frame, even in the first frame.
            for _ in 0..12 {
                let (person, place) = (random.below(people.len()), random.below(ids.len()));
                app.world_mut().entity_mut(people[person]).insert(Location(ids[place].clone()));
                last[person] = Some(place);
            }
            app.update();
            let world = app.world();
            for (person, place) in last.iter().enumerate().filter_map(|(person, place)| Some((person, (*place)?))) {
                let entity = world.resource::<Places>().0[&ids[place]];
                let list_index = world.get::<ListIndex>(people[person]).unwrap().0.unwrap();
                assert_eq!(
                    (list_index.0, world.get::<Occupants>(entity).unwrap().0[list_index.1]),
                    (entity, people[person])
                );
            }
            let listed: usize = world
                .resource::<Places>()
                .0
                .values()
                .map(|place| world.get::<Occupants>(*place).unwrap().0.len())
                .sum();
            assert_eq!(listed, last.iter().flatten().count());
        }
    }
}
