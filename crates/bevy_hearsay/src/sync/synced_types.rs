//! The registered components that are stored as attributes.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use bevy::prelude::*;
use hearsay_model::{Audience, Predicate, Value};

/// Functions that read, write and collect a registered component.
#[derive(Clone)]
pub(super) struct SyncedType {
    pub(super) attribute: Predicate,
    /// The characters that know a value that the game sets.
    pub(super) audience: Audience,
    /// Whether answers are allowed to contain the value.
    pub(super) in_prompts: bool,
    /// Adds the systems and observers of the component.
    pub(super) add_systems: fn(&mut App),
    /// Collects changed components now.
    pub(super) collect: fn(&mut World),
    pub(super) read: fn(EntityRef) -> Option<Value>,
    pub(super) write: fn(&mut World, Entity, Option<&Value>),
    pub(super) mark_changed: fn(&mut World, Entity),
}

/// The registered component types.
#[derive(Resource, Clone, Default)]
pub(crate) struct SyncedTypes(Arc<Vec<SyncedType>>);

impl SyncedTypes {
    /// Adds a component type.
    pub(super) fn add(&mut self, added: SyncedType) {
        self.0 = self.0.iter().cloned().chain([added]).collect::<Vec<_>>().into();
    }

    /// Returns the functions that add the systems of all types.
    pub(super) fn systems(&self) -> Vec<fn(&mut App)> {
        self.0.iter().map(|synced_type| synced_type.add_systems).collect()
    }

    /// Returns the functions that collect the changed components of all types.
    pub(super) fn collectors(&self) -> Vec<fn(&mut World)> {
        self.0.iter().map(|synced_type| synced_type.collect).collect()
    }

    /// Returns the audience of each attribute.
    pub(super) fn audiences(&self) -> BTreeMap<Predicate, Audience> {
        self.0.iter().map(|synced_type| (synced_type.attribute.clone(), synced_type.audience)).collect()
    }

    /// Returns the attributes that must not be in answers.
    pub(crate) fn hidden_attributes(&self) -> BTreeSet<Predicate> {
        let hidden = self.0.iter().filter(|synced_type| !synced_type.in_prompts);
        hidden.map(|synced_type| synced_type.attribute.clone()).collect()
    }

    /// Returns whether an attribute belongs to a registered component type.
    pub(crate) fn contains(&self, name: &Predicate) -> bool {
        self.0.iter().any(|synced_type| synced_type.attribute == *name)
    }

    /// Returns whether the component of an attribute has this value, or is missing.
    pub(crate) fn is_up_to_date(&self, entity: EntityRef, name: &Predicate, value: Option<&Value>) -> bool {
        let synced_type = self.0.iter().find(|synced_type| synced_type.attribute == *name);
        synced_type.and_then(|synced_type| (synced_type.read)(entity)).is_none_or(|current| Some(&current) == value)
    }

    /// Returns the values of the registered components of an entity.
    pub(crate) fn read_all(&self, entity: EntityRef) -> Vec<(Predicate, Value)> {
        self.0
            .iter()
            .filter_map(|synced_type| Some((synced_type.attribute.clone(), (synced_type.read)(entity)?)))
            .collect()
    }

    /// Inserts every registered component whose attribute is in `values`.
    pub(crate) fn insert_components(&self, world: &mut World, entity: Entity, values: &BTreeMap<Predicate, Value>) {
        for synced_type in self.0.iter() {
            if let Some(value) = values.get(&synced_type.attribute) {
                (synced_type.write)(world, entity, Some(value));
            }
        }
    }

    /// Inserts the component of an attribute with a value, or removes the component if there is no value.
    pub(crate) fn write_component(&self, world: &mut World, entity: Entity, name: &Predicate, value: Option<&Value>) {
        if let Some(synced_type) = self.0.iter().find(|synced_type| synced_type.attribute == *name) {
            (synced_type.write)(world, entity, value);
        }
    }
}

/// Schedules a comparison of the registered components of a newly bound entity with its shadow.
pub(crate) fn schedule_comparison(world: &mut World, entity: Entity) {
    let types = world.resource::<SyncedTypes>().clone();
    types.0.iter().for_each(|synced_type| (synced_type.mark_changed)(world, entity));
}
