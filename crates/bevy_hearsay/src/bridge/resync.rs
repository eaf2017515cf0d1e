//! Detects dropped events. The engine drops events if the game receives them too slowly. In this case, the plugin
//! compares all entities with the memory again.

use std::time::{Duration, Instant};

use bevy::prelude::*;
use hearsay_engine::{Status, Ticket};

use super::handle::NpcMemory;

/// Whether all entities must be compared with the memory again. This is necessary when events with changes may have
/// been dropped.
#[derive(Resource, Default)]
pub(crate) struct Resync(pub(crate) bool);

/// Requests the memory's status at intervals. The status has the number of dropped events.
#[derive(Resource)]
pub(crate) struct StatusPoll {
    /// Interval between two requests.
    pub(crate) every: Duration,
    asked: Option<Instant>,
    asking: Option<Ticket<Status>>,
    dropped: usize,
    /// The last received status, or `None` if [`take`](Self::take) has returned it already.
    arrived: Option<Status>,
    /// Whether [`poll`] ran since the last call of [`take`](Self::take).
    ran: bool,
}

impl Default for StatusPoll {
    fn default() -> Self {
        Self { every: Duration::from_secs(1), asked: None, asking: None, dropped: 0, arrived: None, ran: false }
    }
}

impl StatusPoll {
    fn is_due(&self) -> bool {
        self.asked.is_none_or(|asked| asked.elapsed() >= self.every)
    }

    /// Returns whether [`poll`] ran since the last call of [`take`](Self::take).
    pub(crate) fn ran(&self) -> bool {
        self.ran
    }

    /// Returns the status that arrived since the last call, or `None` if no status arrived.
    pub(crate) fn take(&mut self) -> Option<Status> {
        self.ran = false;
        self.arrived.take()
    }
}

/// Returns whether a status request is due or has no answer yet.
pub(super) fn poll_is_due(world: &World) -> bool {
    is_polling(world) || world.resource::<StatusPoll>().is_due()
}

/// Returns whether a request for the status has no answer yet.
pub(super) fn is_polling(world: &World) -> bool {
    world.resource::<StatusPoll>().asking.is_some()
}

/// Requests the status or receives the requested status. If events were dropped since the last status, all entities are
/// compared again.
pub(super) fn poll(mut poll: ResMut<StatusPoll>, mut resync: ResMut<Resync>, memory: Res<NpcMemory>) {
    poll.ran = true;
    let Some(memory) = memory.get() else { return };
    if let Some(status) = poll.asking.as_ref().and_then(Ticket::try_take) {
        poll.asking = None;
        if let Ok(status) = status {
            resync.0 |= status.events_dropped > poll.dropped;
            poll.dropped = status.events_dropped;
            poll.arrived = Some(status);
        }
    } else if poll.asking.is_none() && poll.is_due() {
        poll.asked = Some(Instant::now());
        poll.asking = memory.status().ok();
    }
}
