//! Binding: maps Bevy entities to entities of the memory.

use std::{
    collections::BTreeSet,
    hash::{BuildHasher, RandomState},
};

use bevy::prelude::*;
use hearsay_commands::patches::{EntityCreation, Patch};
use hearsay_model::{EntityId, slug};

use super::{
    compare::{Compared, compare},
    inbox::{Inbox, ReceivedRecord},
    insert_record::insert_record,
    outbox::Outbox,
    registry::{Binding, Registry},
    relationships::{RelationshipUpdates, record_changed_relation, update_relationships},
    shadow::{Field, Shadow},
    synced_types::{SyncedTypes, schedule_comparison},
};
use crate::{
    bridge::{FrameCost, HearsayError, NpcMemory, is_open, report_error},
    components::{
        Attributes, ChangedEntities, EntityKind, MemoryId, Occupants, PlaceId, PreferGameState, Relation, Relations,
        SpawnedByHearsay,
    },
};

pub(crate) fn on_memory_id(
    on: On<Insert, MemoryId>,
    entities: Query<(&MemoryId, Option<&Shadow>)>,
    mut changed: ResMut<ChangedEntities>,
    mut commands: Commands,
) {
    match entities.get(on.entity) {
        Ok((id, Some(shadow))) if id.get() == Some(&shadow.id) => {}
        Ok((_, Some(_))) => {
            commands.entity(on.entity).try_remove::<Shadow>();
            changed.unbound.push(on.entity);
        }
        _ => changed.unbound.push(on.entity),
    }
}

/// Unbinds an entity whose [`MemoryId`] is removed.
pub(crate) fn on_id_removed(on: On<Remove, MemoryId>, mut commands: Commands) {
    commands.entity(on.entity).try_remove::<Shadow>();
}

/// Records that the entity is being despawned, before any of its components is removed. The removals are then not
/// mistaken for changes by the game.
pub(crate) fn on_despawn(on: On<Despawn, Shadow>, mut registry: ResMut<Registry>) {
    registry.despawning = Some(on.entity);
}

/// Collects the last changes of an entity before the entity is unbound. Despawning only unloads the entity, so nothing
/// else is sent.
pub(crate) fn on_unbound(
    on: On<Remove, Shadow>,
    mut entities: Query<(Compared, Option<&Occupants>)>,
    mut registry: ResMut<Registry>,
    mut outbox: ResMut<Outbox>,
    synced_types: Res<SyncedTypes>,
) {
    let entity = on.entity;
    let Ok((mut compared, occupants)) = entities.get_mut(entity) else { return };
    let old_place = compared.0.place.clone();
    compare(entity, &mut compared, &mut outbox, &synced_types, &mut RelationshipUpdates::default());
    outbox.record_unload(&compared.0);
    let id = &compared.0.id;
    if let Some(place) = old_place {
        registry.remove_from_unbound_place(entity, &place);
    }
    registry.remove(entity, id);
    // The occupants are linked again when this place is bound again.
    if let Some(occupants) = occupants {
        registry.unbound_place_occupants.entry(id.clone()).or_default().extend(occupants.iter());
    }
}

/// Returns whether any entity is waiting to be bound or is being bound.
pub(crate) fn is_waiting(world: &World) -> bool {
    !world.resource::<ChangedEntities>().unbound.is_empty() || !world.resource::<Registry>().bindings.is_empty()
}

/// Binds the entities that are not bound yet.
pub(super) fn bind(changed: Res<ChangedEntities>, memory: Res<NpcMemory>, mut commands: Commands) {
    if !changed.unbound.is_empty() && memory.is_open() {
        commands.queue(bind_entities);
    }
}

/// Requests the records of entities that are not bound yet. An entity without an id gets a new id and is added to the
/// memory.
pub(super) fn bind_entities(world: &mut World) {
    if world.resource::<ChangedEntities>().unbound.is_empty() || !is_open(world) {
        return;
    }
    let _cost = world.resource::<FrameCost>().measure();
    let mut unbound = std::mem::take(&mut world.resource_mut::<ChangedEntities>().unbound);
    unbound.sort_unstable();
    unbound.dedup();
    for entity in unbound {
        let Ok(target) = world.get_entity(entity) else { continue };
        let Some(id) = target.get::<MemoryId>().filter(|_| target.get::<Shadow>().is_none()) else { continue };
        let Some(id) = id.get().cloned() else {
            let Some(id) = generate_id(world, entity) else { continue };
            bind_new_entity(world, entity, id.clone());
            world.entity_mut(entity).insert(MemoryId::from(id));
            continue;
        };
        let initial = Binding {
            entity,
            name: target.get::<Name>().cloned(),
            place: target.get::<PlaceId>().map(|at| at.0.clone()),
            attributes: target.get::<Attributes>().map(|attributes| attributes.0.clone()).unwrap_or_default(),
        };
        let registry = world.resource::<Registry>();
        let other = registry.entity(&id).or(registry.bindings.get(&id).map(|binding| binding.entity));
        let other = other.filter(|other| *other != entity && world.get_entity(*other).is_ok());
        // A Bevy entity that the game spawned replaces a Bevy entity that the plugin spawned.
        let other = other.filter(|other| {
            let is_spawned_by_plugin = world.get::<SpawnedByHearsay>(*other).is_some();
            if is_spawned_by_plugin {
                world.despawn(*other);
            }
            !is_spawned_by_plugin
        });
        match other {
            Some(other) => report_error(world, HearsayError::DuplicateId { entity, id, other }, Some(entity)),
            None => {
                // If the memory has no entity with this id, the patch creates the entity before any relation to it is
                // sent. An existing entity stays unchanged.
                let kind = world.get::<EntityKind>(entity).cloned().unwrap_or_default().0;
                let name = initial.name.as_ref().map(|name| name.as_str().to_owned());
                let create = Some(EntityCreation { kind, name });
                let mut outbox = world.resource_mut::<Outbox>();
                outbox.record_creation(id.clone());
                outbox.push(id.clone(), Patch { create, ..Patch::default() });
                world.resource_mut::<Registry>().bindings.insert(id.clone(), initial);
                world.resource_mut::<Inbox>().request(id);
            }
        }
    }
}

/// Seed of the suffixes of generated ids. With this resource, an app generates the same ids in each run.
#[derive(Resource, Debug, Clone, Copy)]
pub(crate) struct IdSeed(pub(crate) u64);

impl IdSeed {
    /// Returns the next suffix, from a linear congruential generator. The suffix consists of the upper bits of the
    /// generator, which are the most random.
    fn next_suffix(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 24
    }
}

/// Creates a unique id from the name of the entity, or from its kind if it has no name. A random suffix makes the id
/// unique.
fn generate_id(world: &mut World, entity: Entity) -> Option<EntityId> {
    let target = world.get_entity(entity).ok()?;
    let name_slug = target.get::<Name>().map(|name| slug(name.as_str())).filter(|name| !name.is_empty());
    let kind_slug = || target.get::<EntityKind>().map_or("entity".to_owned(), |kind| slug(kind.0.as_str()));
    let mut stem = name_slug.unwrap_or_else(kind_slug);
    // Leave space for the suffix; `pop` keeps whole characters.
    while stem.len() > 112 {
        stem.pop();
    }
    let suffix = match world.get_resource_mut::<IdSeed>() {
        Some(mut seed) => seed.next_suffix(),
        // Each call uses a new random state, so other runs and machines make other ids.
        None => RandomState::new().hash_one(entity) & 0xff_ffff_ffff,
    };
    EntityId::from_name(&format!("{stem}-{suffix:010x}")).ok()
}

/// Binds an entity that the memory does not contain yet, and queues all its fields.
fn bind_new_entity(world: &mut World, entity: Entity, id: EntityId) {
    let kind = world.get::<EntityKind>(entity).cloned().unwrap_or_default();
    let mut shadow = Shadow { kind: Some(kind.0.clone()), ..Shadow::new(id.clone()) };
    world.resource_mut::<Registry>().bound.insert(id.clone(), entity);
    {
        let mut outbox = world.resource_mut::<Outbox>();
        let batch = outbox.next_batch;
        shadow.created_in_batch = batch;
        outbox.record_creation(id.clone());
        let create = Some(EntityCreation { kind: kind.0.clone(), name: None });
        *outbox.patch(&mut shadow) = Patch { create, ..Patch::default() };
        for field in [Field::Kind, Field::Name] {
            shadow.record_sent(field, batch);
        }
    }
    world.entity_mut(entity).insert((shadow, kind));
    world.resource_mut::<ChangedEntities>().dirty.push(entity);
    let mut updates = RelationshipUpdates::default();
    updates.record_bound(id, entity);
    update_relationships(world, updates);
    let relations = game_relations(world, entity);
    record_game_relations(world, entity, relations);
    schedule_comparison(world, entity);
}

/// Returns the relations that the game gave an entity before binding, with the Bevy entity of each.
fn game_relations(world: &World, entity: Entity) -> Vec<(Entity, Relation)> {
    let relations =
        world.get::<Relations>(entity).map(|relations| relations.iter().collect::<Vec<_>>()).unwrap_or_default();
    relations
        .into_iter()
        .filter_map(|relation_entity| Some((relation_entity, world.get::<Relation>(relation_entity)?.clone())))
        .collect()
}

/// Queues those relations that the memory does not contain. If the memory already contains a relation, the plugin has
/// spawned another Bevy entity for this relation, so the Bevy entity in `relations` is despawned.
fn record_game_relations(world: &mut World, entity: Entity, relations: Vec<(Entity, Relation)>) {
    for (relation_entity, relation) in relations {
        let key = (relation.predicate, relation.object);
        let Some(shadow) = world.get::<Shadow>(entity) else { return };
        if shadow.relations.contains_key(&key) {
            world.despawn(relation_entity);
            continue;
        }
        record_changed_relation(world, entity, key, relation.attitude);
    }
}

/// Completes the binding of an entity after the record for its id has been read. Saved values take precedence, with two
/// exceptions: entities with [`PreferGameState`], and fields that the game changed after binding started.
pub(crate) fn finish_binding(world: &mut World, entity: Entity, received: ReceivedRecord) {
    let Some(initial) = world.resource_mut::<Registry>().bindings.remove(&received.id) else { return };
    if world.get_entity(entity).is_err() {
        // The game despawned the entity in the meantime. If the spawn policy selects the entity, read it again so that
        // the plugin spawns it.
        if received.in_scope {
            world.resource_mut::<Inbox>().request(received.id);
        }
        return;
    }
    let Some(record) = received.record else {
        if world.resource::<Outbox>().creating_batch(&received.id).is_some() {
            world.resource_mut::<Registry>().bindings.insert(received.id.clone(), initial);
            world.resource_mut::<Inbox>().request(received.id);
        } else {
            bind_new_entity(world, entity, received.id);
        }
        return;
    };
    let target = world.entity(entity);
    let prefers_game_state = target.get::<PreferGameState>().is_some();
    let (name, place) = (target.get::<Name>().cloned(), target.get::<PlaceId>().map(|at| at.0.clone()));
    let attributes = target.get::<Attributes>().map(|attributes| attributes.0.clone()).unwrap_or_default();
    let kind = target.get::<EntityKind>().cloned();
    let name_to_keep = name.clone().filter(|_| prefers_game_state || name != initial.name || record.name.is_none());
    let place_to_keep =
        place.clone().filter(|_| prefers_game_state || place != initial.place || record.place.is_none());
    let attributes_to_keep: BTreeSet<_> = attributes
        .iter()
        .filter(|(name, value)| {
            prefers_game_state
                || initial.attributes.get(*name) != Some(*value)
                || !record.attributes.contains_key(*name)
        })
        .map(|(name, _)| name.clone())
        .collect();
    let kept_attributes =
        attributes.into_iter().filter(|(name, _)| attributes_to_keep.contains(name)).collect::<Vec<_>>();
    let synced_types = world.resource::<SyncedTypes>().clone();
    let relations = game_relations(world, entity);
    let synced_values = if prefers_game_state { synced_types.read_all(world.entity(entity)) } else { Vec::new() };
    let kept_kind = kind.filter(|_| prefers_game_state || record.kind.is_none());
    let mut shadow = Shadow::from_record(&record);
    if record.kind.is_none() && kept_kind.is_none() {
        shadow.kind = Some(EntityKind::default().0);
    }
    let kind_to_insert =
        kept_kind.unwrap_or_else(|| EntityKind(shadow.kind.clone().unwrap_or(EntityKind::default().0)));
    insert_record(world, entity, shadow, &record);
    let mut target = world.entity_mut(entity);
    target.insert(kind_to_insert);
    if let Some(name) = name_to_keep {
        target.insert(name);
    }
    if let Some(place) = place_to_keep {
        target.insert(PlaceId(place));
    }
    if !kept_attributes.is_empty() {
        let mut all = target.get::<Attributes>().cloned().unwrap_or_default();
        all.0.extend(kept_attributes);
        target.insert(all);
    }
    for (name, value) in synced_values {
        synced_types.write_component(world, entity, &name, Some(&value));
    }
    record_game_relations(world, entity, relations);
    schedule_comparison(world, entity);
    world.resource_mut::<ChangedEntities>().dirty.push(entity);
}
