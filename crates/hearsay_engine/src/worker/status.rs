//! The status of the memory.

use super::Worker;
use crate::Status;

/// Counts of the state after a write, computed on demand.
#[derive(Default)]
pub(super) struct Counts {
    /// Number of the write after which the counts were computed; `None` if they have not been computed or are outdated.
    pub(super) revision: Option<u64>,
    entities: usize,
    facts: usize,
}

impl Worker {
    pub(super) fn status(&mut self) -> Status {
        let state = &self.snapshot.state;
        let revision = Some(self.writes.revision());
        if self.counts.revision != revision {
            self.counts = Counts { revision, entities: state.entity_count(), facts: state.fact_count() };
        }
        let replayed = self.opened.replayed_operations;
        let read = match self.opened.snapshot {
            #[cfg(feature = "remote")]
            _ if self.storage.remote().is_some() => format!("{replayed} operations from the server"),
            _ if self.storage.own().is_none() => "the state from the owner".into(),
            Some(position) => format!("the saved state at operation {position} and {replayed} later operations"),
            None => format!("{replayed} operations"),
        };
        let pending_vectors = self.pending_vectors();
        let reviews = self.reviews.count(self.settings.review);
        let health = self.storage.own().map(|store| store.health()).unwrap_or_default();
        Status {
            position: state.position(),
            version: state.version(),
            projected: self.projected(),
            compacted_to: state.compacted_to(),
            compacting: self.compacting.is_running(),
            operations: state.operation_count(),
            entities: self.counts.entities,
            facts: self.counts.facts,
            texts: self.index.len() + self.writes.unindexed(),
            unindexed: self.writes.unindexed(),
            pending_vectors,
            reading_vectors: self.encoder.is_some() && !self.vectors.are_read(),
            unread: self.readings.pending(),
            found: self.readings.found(),
            reviews: reviews.queued,
            held_back: reviews.held_back,
            waiting_writes: self.writes.waiting() + self.queued.len(),
            dropped_proposals: self.dropped_proposals,
            events_dropped: self.events_dropped,
            sharing: self.storage.sharing_status(self.clients.programs()),
            storage_failure: health.failure,
            replayed_log: health.replayed_log,
            repaired_records: health.repaired_records,
            snapshot_ignored: self.opened.snapshot_ignored.clone(),
            model: self.model.clone(),
            #[cfg(feature = "llm")]
            llm: self.llm_status(),
            opened: format!("read {read} in {} ms", self.opened.took.as_millis()),
        }
    }
}
