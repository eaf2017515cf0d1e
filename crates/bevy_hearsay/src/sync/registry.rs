//! Which entities are bound to which ids, and what the memory is known to hold of them.

use std::collections::BTreeMap;

use bevy::{ecs::entity::EntityHashSet, platform::collections::HashMap, prelude::*};
use hearsay_memory::Record;
use hearsay_model::{EntityId, Predicate, Value};

use super::Field;

/// What the memory holds of a bound entity, or has been told of it. Its presence means that the entity is bound.
// What is read and written when somebody moves lies side by side, before the rest.
#[derive(Component)]
#[repr(C)]
pub(crate) struct Shadow {
    pub(crate) id: EntityId,
    pub(crate) place: Option<EntityId>,
    /// The batch in which the place goes out, or went. It changes far more often than anything else.
    pub(crate) place_sent: u64,
    /// Where its patch waits in the outbox, and in which batch.
    pub(crate) waits: (u64, usize),
    pub(crate) name: Option<Name>,
    pub(crate) kind: Option<hearsay_model::Kind>,
    pub(crate) attributes: BTreeMap<Predicate, Value>,
    pub(crate) relations: BTreeMap<(Predicate, EntityId), Option<i8>>,
    /// The batch that adds it to the memory, if this game does: what was read before holds nothing of it.
    pub(crate) created: u64,
    /// The batch in which another field that the game changed goes out, or went.
    pub(crate) sent: Vec<(Field, u64)>,
}

impl Shadow {
    pub(crate) fn of(record: &Record) -> Self {
        Self {
            id: record.id.clone(),
            name: record.name.clone().map(Name::new),
            kind: record.kind.clone(),
            place: record.place.clone(),
            attributes: record.attributes.clone(),
            relations: record.relations.clone(),
            sent: Vec::new(),
            waits: (0, 0),
            place_sent: 0,
            created: 0,
        }
    }

    /// The shadow of what the memory does not hold yet.
    pub(crate) fn new(id: EntityId) -> Self {
        let (attributes, relations) = (BTreeMap::new(), BTreeMap::new());
        Self::of(&Record { id, kind: None, name: None, place: None, attributes, relations })
    }

    /// Notes that a field goes out in a batch.
    pub(crate) fn note_sent(&mut self, field: Field, batch: u64) {
        if field == Field::Place {
            self.place_sent = batch;
            return;
        }
        match self.sent.iter_mut().find(|(at, _)| *at == field) {
            Some((_, at)) => *at = batch,
            None => self.sent.push((field, batch)),
        }
    }

    /// The batch in which a field goes out or went, unless that was acknowledged.
    pub(crate) fn sent_since(&self, field: &Field, acknowledged: u64) -> Option<u64> {
        let sent = match field {
            Field::Place => Some(self.place_sent),
            _ => self.sent.iter().find(|(at, _)| at == field).map(|(_, sent)| *sent),
        };
        sent.filter(|sent| *sent > acknowledged)
    }

    /// The last batch in which anything of it goes out, or went; 0, when nothing did.
    pub(crate) fn last_sent(&self) -> u64 {
        let others = self.sent.iter().map(|(_, batch)| *batch).max().unwrap_or_default();
        others.max(self.place_sent).max(self.waits.0)
    }

    /// Forgets what was acknowledged.
    pub(crate) fn forget_sent(&mut self, acknowledged: u64) {
        self.sent.retain(|(_, sent)| *sent > acknowledged);
    }
}

/// An entity on its way to be bound, with what it was when it asked.
pub(crate) struct Binding {
    pub(crate) entity: Entity,
    pub(crate) name: Option<Name>,
    pub(crate) place: Option<EntityId>,
    pub(crate) attributes: BTreeMap<Predicate, Value>,
}

/// Who is bound, and who waits for what to be loaded.
#[derive(Resource, Default)]
pub(crate) struct Registry {
    pub(crate) bound: HashMap<EntityId, Entity>,
    /// Those whose [`Whereabouts`](crate::Whereabouts) name a place that is not loaded.
    pub(crate) at: HashMap<EntityId, EntityHashSet>,
    /// Edges of relations whose object is an id.
    pub(crate) towards: HashMap<EntityId, EntityHashSet>,
    /// Entities that want to be bound.
    pub(crate) unbound: Vec<Entity>,
    /// Entities that are being bound: what the memory holds of their ids has been asked.
    pub(crate) binding: HashMap<EntityId, Binding>,
    /// The entity that is being despawned.
    pub(crate) leaving: Option<Entity>,
    /// Entities that may have moved since they were last compared.
    pub(crate) moved: Vec<Entity>,
    /// Entities that may have changed otherwise.
    pub(crate) dirty: Vec<Entity>,
}

impl Registry {
    /// Whether something changed that was not looked at.
    pub(crate) fn has_stirred(&self) -> bool {
        !self.moved.is_empty() || !self.dirty.is_empty() || !self.unbound.is_empty()
    }

    pub(crate) fn entity(&self, id: &EntityId) -> Option<Entity> {
        self.bound.get(id).copied()
    }

    /// Somebody is not at a place any more that is not loaded.
    pub(crate) fn away(&mut self, entity: Entity, place: &EntityId) {
        if let Some(there) = self.at.get_mut(place)
            && there.remove(&entity)
            && there.is_empty()
        {
            self.at.remove(place);
        }
    }

    /// Takes an entity out, unless another took its place.
    pub(crate) fn remove(&mut self, entity: Entity, id: &EntityId) {
        if self.bound.get(id) == Some(&entity) {
            self.bound.remove(id);
        }
    }
}
