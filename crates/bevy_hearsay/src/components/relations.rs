//! Relations between entities.

use bevy::prelude::*;
use hearsay_model::{EntityId, Predicate};

/// A relation between two entities, such as Grimjaw `MEMBER_OF` the guild. Each relation is a separate Bevy entity,
/// which refers to the subject with [`RelationOf`]. Despawning this Bevy entity does not end the relation in the
/// memory. To end the relation, use `leave` or `unrelate`. To change the subject's attitude to the object, use
/// `set_attitude`.
#[derive(Component, Clone, Debug, PartialEq, Eq, Hash, Reflect)]
#[component(immutable)]
#[reflect(opaque)]
#[reflect(Component, Clone, PartialEq, Hash, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Relation {
    /// The predicate, such as `MEMBER_OF` or `OWES`.
    pub predicate: Predicate,
    /// Id of the object. The object does not need to exist as a Bevy entity.
    pub object: EntityId,
    /// The attitude of the subject to the object, from −100 (hostile) to 100 (friendly); `None` if the relation states
    /// no attitude.
    pub attitude: Option<i8>,
}

/// The subject of a [`Relation`]. Despawning the subject also despawns its relations.
#[derive(Component, Clone, Debug, PartialEq, Eq, Reflect)]
#[relationship(relationship_target = Relations)]
#[reflect(Component, Clone, PartialEq, Debug)]
pub struct RelationOf(pub Entity);

/// The Bevy entities of the relations whose subject is this entity.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[relationship_target(relationship = RelationOf, linked_spawn)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub struct Relations(Vec<Entity>);

/// The Bevy entity of the object of a [`Relation`]. This component is present while the object exists as a Bevy entity.
#[derive(Component, Clone, Debug, PartialEq, Eq, Reflect)]
#[relationship(relationship_target = IncomingRelations)]
#[reflect(Component, Clone, PartialEq, Debug)]
pub struct RelatesTo(pub Entity);

/// The Bevy entities of the relations whose object is this entity.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[relationship_target(relationship = RelatesTo)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub struct IncomingRelations(Vec<Entity>);
