//! Detects dropped events. If the game receives events too slowly, the engine drops some of them. The plugin then
//! compares all entities with the memory again.

use std::time::{Duration, Instant};

use bevy::prelude::*;
use hearsay_engine::{Status, Ticket};

use super::{handle::NpcMemory, options::MemorySettings};

/// Whether all entities must be compared with the memory again. The comparison is necessary when events with changes
/// were possibly dropped.
#[derive(Resource, Default)]
pub(crate) struct Resync(pub(crate) bool);

/// Requests the memory's status at intervals. The status contains the number of dropped events.
#[derive(Resource, Default)]
pub(crate) struct StatusPoll {
    requested_at: Option<Instant>,
    ticket: Option<Ticket<Status>>,
    dropped_events: usize,
    /// The last received status, or `None` if [`take`](Self::take) has returned it already.
    received: Option<Status>,
    /// Whether [`poll`] ran since the last call of [`take`](Self::take).
    has_polled: bool,
}

impl StatusPoll {
    fn is_due(&self, interval: Duration) -> bool {
        self.requested_at.is_none_or(|requested_at| requested_at.elapsed() >= interval)
    }

    /// Returns whether [`poll`] ran since the last call of [`take`](Self::take).
    pub(crate) fn has_polled(&self) -> bool {
        self.has_polled
    }

    /// Returns the status that arrived since the last call, or `None` if no status arrived.
    pub(crate) fn take(&mut self) -> Option<Status> {
        self.has_polled = false;
        self.received.take()
    }
}

/// Returns whether a request for the status has no answer yet.
pub(super) fn is_polling(world: &World) -> bool {
    world.resource::<StatusPoll>().ticket.is_some()
}

/// Requests the status or receives the requested status. If events were dropped since the last status, all entities are
/// compared again.
pub(super) fn poll(
    mut poll: ResMut<StatusPoll>,
    mut resync: ResMut<Resync>,
    settings: Res<MemorySettings>,
    memory: Res<NpcMemory>,
) {
    let is_due = poll.ticket.is_none() && poll.is_due(settings.status_interval);
    if poll.ticket.is_none() && !is_due {
        return;
    }
    poll.has_polled = true;
    let Some(memory) = memory.get() else { return };
    if let Some(status) = poll.ticket.as_ref().and_then(Ticket::try_take) {
        poll.ticket = None;
        if let Ok(status) = status {
            resync.0 |= status.events_dropped > poll.dropped_events;
            poll.dropped_events = status.events_dropped;
            poll.received = Some(status);
        }
    } else if is_due {
        poll.requested_at = Some(Instant::now());
        poll.ticket = memory.status().ok();
    }
}
