//! The registered components that are stored as attributes.

use std::{collections::BTreeMap, sync::Arc};

use bevy::prelude::*;
use hearsay_model::{Predicate, Value};

/// Functions that read and write a registered component.
#[derive(Clone)]
pub(super) struct Type {
    pub(super) attribute: Predicate,
    pub(super) read: fn(EntityRef) -> Option<Value>,
    pub(super) write: fn(&mut World, Entity, Option<&Value>),
    pub(super) touch: fn(&mut World, Entity),
}

/// The registered component types.
#[derive(Resource, Clone, Default)]
pub(crate) struct RememberedTypes(Arc<Vec<Type>>);

impl RememberedTypes {
    /// Adds a component type.
    pub(super) fn add(&mut self, added: Type) {
        self.0 = self.0.iter().cloned().chain([added]).collect::<Vec<_>>().into();
    }

    /// Returns whether an attribute belongs to a registered component type.
    pub(crate) fn holds(&self, name: &Predicate) -> bool {
        self.0.iter().any(|kept| kept.attribute == *name)
    }

    /// Returns whether the component of an attribute has this value, or is missing.
    pub(crate) fn shows(&self, entity: EntityRef, name: &Predicate, value: Option<&Value>) -> bool {
        let kept = self.0.iter().find(|kept| kept.attribute == *name);
        kept.and_then(|kept| (kept.read)(entity)).is_none_or(|shown| Some(&shown) == value)
    }

    /// Returns the values of the registered components of an entity.
    pub(crate) fn read_all(&self, entity: EntityRef) -> Vec<(Predicate, Value)> {
        self.0.iter().filter_map(|kept| Some((kept.attribute.clone(), (kept.read)(entity)?))).collect()
    }

    /// Inserts every registered component whose attribute is in `values`.
    pub(crate) fn show(&self, world: &mut World, entity: Entity, values: &BTreeMap<Predicate, Value>) {
        for kept in self.0.iter() {
            if let Some(value) = values.get(&kept.attribute) {
                (kept.write)(world, entity, Some(value));
            }
        }
    }

    /// Inserts the component of an attribute with a value, or removes the component if there is no value.
    pub(crate) fn write(&self, world: &mut World, entity: Entity, name: &Predicate, value: Option<&Value>) {
        if let Some(kept) = self.0.iter().find(|kept| kept.attribute == *name) {
            (kept.write)(world, entity, value);
        }
    }
}

/// Schedules a comparison of the registered components of a newly bound entity with its shadow.
pub(crate) fn touch(world: &mut World, entity: Entity) {
    let types = world.resource::<RememberedTypes>().clone();
    types.0.iter().for_each(|kept| (kept.touch)(world, entity));
}
