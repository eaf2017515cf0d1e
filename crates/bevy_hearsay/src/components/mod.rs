//! The components with which the plugin represents entities of the memory.

mod attributes;
mod changes;
mod identity;
mod place;
mod relations;

use bevy::prelude::*;

pub use attributes::Attributes;
pub(crate) use changes::ChangedEntities;
pub use identity::{EntityKind, MemoryId, PreferGameState, SpawnedByHearsay};
pub use place::{LocatedIn, Occupants, PlaceId};
pub use relations::{IncomingRelations, RelatesTo, Relation, RelationOf, Relations};

/// Registers the types of all components.
pub(crate) fn register(app: &mut App) {
    app.register_type::<MemoryId>()
        .register_type::<EntityKind>()
        .register_type::<PreferGameState>()
        .register_type::<PlaceId>()
        .register_type::<LocatedIn>()
        .register_type::<Occupants>()
        .register_type::<Attributes>()
        .register_type::<Relation>()
        .register_type::<RelationOf>()
        .register_type::<Relations>()
        .register_type::<RelatesTo>()
        .register_type::<IncomingRelations>()
        .register_type::<SpawnedByHearsay>();
}
