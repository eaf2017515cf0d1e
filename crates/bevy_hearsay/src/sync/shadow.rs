//! The values that the memory has for a bound entity.

use std::collections::BTreeMap;

use bevy::prelude::*;
use hearsay_model::{EntityId, Predicate, Value};
use hearsay_query::records::Record;

/// A field of an entity. Each field is synced independently of the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Field {
    Kind,
    Name,
    Place,
    Attribute(Predicate),
    Relation(Predicate, EntityId),
}

/// The values that the memory has for a bound entity, including values that were sent but not yet acknowledged. An
/// entity is bound while it has this component.
// The fields that a move reads and writes come first, to be close together in memory.
#[derive(Component)]
#[repr(C)]
pub(crate) struct Shadow {
    pub(crate) id: EntityId,
    pub(crate) place: Option<EntityId>,
    /// Number of the last batch that contains the place. The place is not in `sent_fields` because it changes far more
    /// often than other fields.
    pub(crate) place_batch: u64,
    /// The entity's waiting patch: the number of its batch, and its index in `Outbox::waiting`.
    pub(crate) pending_patch: (u64, usize),
    pub(crate) name: Option<Name>,
    pub(crate) kind: Option<hearsay_model::Kind>,
    pub(crate) attributes: BTreeMap<Predicate, Value>,
    pub(crate) relations: BTreeMap<(Predicate, EntityId), Option<i8>>,
    /// Number of the batch that adds the entity to the memory, or 0 if the memory already had the entity. A record that
    /// was requested before this batch was acknowledged can lack the entity.
    pub(crate) created_in_batch: u64,
    /// The other fields that the game changed, each with the number of the last batch that contains the field.
    pub(crate) sent_fields: Vec<(Field, u64)>,
}

impl Shadow {
    pub(crate) fn from_record(record: &Record) -> Self {
        Self {
            id: record.id.clone(),
            name: record.name.clone().map(Name::new),
            kind: record.kind.clone(),
            place: record.place.clone(),
            attributes: record.attributes.clone(),
            relations: record.relations.clone(),
            sent_fields: Vec::new(),
            pending_patch: (0, 0),
            place_batch: 0,
            created_in_batch: 0,
        }
    }

    /// Creates the shadow of an entity that the memory does not contain yet.
    pub(crate) fn new(id: EntityId) -> Self {
        let (attributes, relations) = (BTreeMap::new(), BTreeMap::new());
        Self::from_record(&Record { id, kind: None, name: None, place: None, attributes, relations })
    }

    /// Records that a batch contains a field.
    pub(crate) fn record_sent(&mut self, field: Field, batch: u64) {
        if field == Field::Place {
            self.place_batch = batch;
            return;
        }
        match self.sent_fields.iter_mut().find(|(at, _)| *at == field) {
            Some((_, at)) => *at = batch,
            None => self.sent_fields.push((field, batch)),
        }
    }

    /// Returns the number of the last batch that contains a field, or `None` if this batch is acknowledged.
    pub(crate) fn sent_since(&self, field: &Field, acknowledged: u64) -> Option<u64> {
        let batch = match field {
            Field::Place => Some(self.place_batch),
            _ => self.sent_fields.iter().find(|(at, _)| at == field).map(|(_, batch)| *batch),
        };
        batch.filter(|batch| *batch > acknowledged)
    }

    /// Returns the number of the last batch that contains any field of the entity, or 0 if no batch does.
    pub(crate) fn last_sent(&self) -> u64 {
        let others = self.sent_fields.iter().map(|(_, batch)| *batch).max().unwrap_or_default();
        others.max(self.place_batch).max(self.pending_patch.0)
    }

    /// Removes acknowledged batches.
    pub(crate) fn forget_acknowledged(&mut self, acknowledged: u64) {
        self.sent_fields.retain(|(_, batch)| *batch > acknowledged);
    }
}
