//! Records that the game requests and receives from the memory.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bevy::{ecs::change_detection::Tick, prelude::*};
use hearsay_engine::Ticket;
use hearsay_model::{EntityId, GameTime};
use hearsay_query::records::Record;

/// The answer to the request for one entity's record.
pub(crate) struct Read {
    pub(crate) id: EntityId,
    pub(crate) record: Option<Record>,
    /// Whether the spawn policy selects the entity.
    pub(crate) in_scope: bool,
    /// Number of the last acknowledged batch when the record was requested.
    pub(crate) acknowledged: u64,
}

/// The changed entities, and the memory's current game time. The flag of each entity tells whether the spawn policy
/// selects it.
pub(super) type Looked = (BTreeMap<EntityId, bool>, Option<GameTime>);

pub(super) type Records = Vec<(EntityId, Option<Record>, bool)>;

/// Records to request, requested records, and received records that have not been applied yet.
#[derive(Resource, Default)]
pub(crate) struct Inbox {
    pub(super) wanted: BTreeSet<EntityId>,
    pub(super) reading: Vec<(u64, Ticket<Records>)>,
    pub(super) looking: Vec<Ticket<Looked>>,
    pub(crate) listing: Option<Ticket<(Vec<EntityId>, Option<GameTime>)>>,
    pub(crate) read: VecDeque<Read>,
    /// Number of the last acknowledged batch.
    pub(crate) acknowledged: u64,
    /// Entities to read again, each with the number of a batch. An entity is read again when this batch is
    /// acknowledged, because an earlier record may lack changes of the batch.
    missed: Vec<(u64, EntityId)>,
    /// Change ticks of the resources [`SpawnPolicy`](super::SpawnPolicy) and [`NpcMemory`](crate::NpcMemory) when
    /// entities were last listed.
    pub(crate) listed_as_of: Option<(Tick, Tick)>,
    /// Number of records added to `wanted` since the queue was last empty.
    pub(super) total: usize,
}

impl Inbox {
    pub(crate) fn want(&mut self, id: EntityId) {
        self.total += usize::from(self.wanted.insert(id));
    }

    /// Schedules another read of an entity. The read starts when the batch is acknowledged, or now if it is already
    /// acknowledged.
    pub(crate) fn miss(&mut self, id: EntityId, batch: u64) {
        if batch <= self.acknowledged {
            self.want(id);
        } else if !self.missed.iter().any(|(at, missed)| *at >= batch && *missed == id) {
            self.missed.push((batch, id));
        }
    }

    pub(crate) fn want_missed(&mut self) {
        let acknowledged = self.acknowledged;
        let due: Vec<_> = self.missed.extract_if(.., |(batch, _)| *batch <= acknowledged).collect();
        due.into_iter().for_each(|(_, id)| self.want(id));
    }

    /// Drops all records of an abandoned timeline. Records of entities that are being bound are requested again.
    pub(crate) fn leave(&mut self, abandoned: u64, binding: impl IntoIterator<Item = EntityId>) {
        *self = Self { acknowledged: abandoned, ..Self::default() };
        binding.into_iter().for_each(|id| self.want(id));
    }

    /// Returns whether all requested records have been received and applied.
    pub(crate) fn is_quiet(&self) -> bool {
        let nothing_read = self.wanted.is_empty() && self.reading.is_empty() && self.read.is_empty();
        nothing_read && self.looking.is_empty() && self.listing.is_none() && self.missed.is_empty()
    }
}
