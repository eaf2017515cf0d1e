//! Records that the game requests and receives from the memory.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bevy::{ecs::change_detection::Tick, prelude::*};
use hearsay_engine::Ticket;
use hearsay_model::{EntityId, GameTime};
use hearsay_query::records::Record;

/// The answer to the request for one entity's record.
pub(crate) struct ReceivedRecord {
    pub(crate) id: EntityId,
    pub(crate) record: Option<Record>,
    /// Whether the spawn policy selects the entity.
    pub(crate) in_scope: bool,
    /// Number of the last acknowledged batch when the record was requested.
    pub(crate) acknowledged: u64,
}

/// The changed entities, and the memory's current game time. The flag of each entity tells whether the spawn policy
/// selects it.
pub(super) type LookupAnswer = (BTreeMap<EntityId, bool>, Option<GameTime>);

pub(super) type RecordsAnswer = Vec<(EntityId, Option<Record>, bool)>;

/// Records to request, requested records, and received records that have not been applied yet.
#[derive(Resource, Default)]
pub(crate) struct Inbox {
    pub(super) to_request: BTreeSet<EntityId>,
    pub(super) pending_reads: Vec<(u64, Ticket<RecordsAnswer>)>,
    pub(super) pending_lookups: Vec<Ticket<LookupAnswer>>,
    pub(crate) pending_listing: Option<Ticket<(Vec<EntityId>, Option<GameTime>)>>,
    pub(crate) received: VecDeque<ReceivedRecord>,
    /// Number of the last acknowledged batch.
    pub(crate) acknowledged: u64,
    /// Entities to read again, each with the number of a batch. An entity is read again when this batch is
    /// acknowledged, because an earlier record may lack changes of the batch.
    scheduled_rereads: Vec<(u64, EntityId)>,
    /// Change ticks of the resources [`SpawnPolicy`](super::SpawnPolicy) and [`NpcMemory`](crate::NpcMemory) when
    /// entities were last listed.
    pub(crate) listed_as_of: Option<(Tick, Tick)>,
    /// Number of records added to `to_request` since the queue was last empty.
    pub(super) requested_count: usize,
}

impl Inbox {
    pub(crate) fn request(&mut self, id: EntityId) {
        self.requested_count += usize::from(self.to_request.insert(id));
    }

    /// Schedules another read of an entity. The read starts when the batch is acknowledged, or now if it is already
    /// acknowledged.
    pub(crate) fn schedule_reread(&mut self, id: EntityId, batch: u64) {
        if batch <= self.acknowledged {
            self.request(id);
        } else if !self.scheduled_rereads.iter().any(|(at, reread)| *at >= batch && *reread == id) {
            self.scheduled_rereads.push((batch, id));
        }
    }

    pub(crate) fn request_due_rereads(&mut self) {
        let acknowledged = self.acknowledged;
        let due: Vec<_> = self.scheduled_rereads.extract_if(.., |(batch, _)| *batch <= acknowledged).collect();
        due.into_iter().for_each(|(_, id)| self.request(id));
    }

    /// Drops all records after a slot is loaded. Records of entities that are being bound are requested again. All
    /// batches up to the number `abandoned` count as acknowledged.
    pub(crate) fn abandon_timeline(&mut self, abandoned: u64, binding: impl IntoIterator<Item = EntityId>) {
        *self = Self { acknowledged: abandoned, ..Self::default() };
        binding.into_iter().for_each(|id| self.request(id));
    }

    /// Returns whether any request is pending, or any record has been requested and not applied yet.
    pub(super) fn is_reading(&self) -> bool {
        !self.pending_lookups.is_empty() || !self.pending_reads.is_empty() || self.requested_count > 0
    }

    /// Returns whether all requested records have been received and applied.
    pub(crate) fn is_idle(&self) -> bool {
        let no_records = self.to_request.is_empty() && self.pending_reads.is_empty() && self.received.is_empty();
        no_records
            && self.pending_lookups.is_empty()
            && self.pending_listing.is_none()
            && self.scheduled_rereads.is_empty()
    }
}
