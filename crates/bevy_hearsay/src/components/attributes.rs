//! The attributes of an entity.

use std::collections::BTreeMap;

use bevy::prelude::*;
use hearsay_model::{Predicate, Value};

use super::changes::note_change;

/// The attributes of an entity, such as `occupation` and `condition`, with one value for each attribute. To change an
/// attribute, use [`set_attribute`](crate::EntityMemoryCommands::set_attribute) or insert a new component.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[component(immutable, on_insert = note_change, on_remove = note_change)]
#[reflect(opaque)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Attributes(pub BTreeMap<Predicate, Value>);

impl Attributes {
    /// Returns the value of an attribute; `None` if the entity has no value for it.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(at, _)| at.as_str() == name).map(|(_, value)| value)
    }
}
