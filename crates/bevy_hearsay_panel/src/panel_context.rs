//! Polls the memory for the data that all panels share. Polling never blocks.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hearsay_engine::{Memory, MemoryError, ReadSnapshot, Status, Ticket};
use hearsay_model::{EntityId, GameTime, Position, SessionId, StateVersion};

use crate::names::NameIndex;

/// Interval between two status requests while the memory changes. A write of this DM console triggers an additional
/// request.
const STATUS_INTERVAL: Duration = Duration::from_millis(100);

/// Interval between two status requests while the memory does not change.
const IDLE_STATUS_INTERVAL: Duration = Duration::from_secs(2);

/// Time after a change of the memory until all panels have read it. Some reads are delayed, so that a game that writes
/// all the time does not cause a read in each frame.
const SETTLING_TIME: Duration = Duration::from_secs(3);

/// Minimum interval between two reads of all names. A read of a large campaign takes several milliseconds on a
/// background thread.
const NAMES_INTERVAL: Duration = Duration::from_millis(400);

/// The data that all panels share, as last read from the memory. All panels receive the same context in a frame.
#[derive(Debug, Clone, Default)]
pub struct PanelContext {
    /// Version of the newest state. Data that was read from an older version is stale.
    pub version: StateVersion,
    /// Last status of the memory; `None` until the first status arrives.
    pub status: Option<Arc<Status>>,
    /// Name of the campaign; `None` if the campaign has no name or was not read yet.
    pub campaign: Option<String>,
    /// Id of the current session; `None` if no session is active.
    pub session: Option<SessionId>,
    /// Title of the current session; `None` if no session is active.
    pub session_title: Option<String>,
    /// Time of the game clock, formatted on the campaign's calendar; `None` if the clock is not set.
    pub clock: Option<String>,
    /// Time of the game clock, in minutes of game time; `None` if the clock is not set.
    pub clock_time: Option<GameTime>,
    /// Current place of the session; `None` if no session is active or its place is unknown.
    pub place: Option<EntityId>,
    /// Player characters who are present in the current session.
    pub present_players: Vec<EntityId>,
    /// All names of entities, for completion.
    pub names: Arc<NameIndex>,
    /// Whether the storage failed. If `true`, changes are not saved.
    pub storage_failed: bool,
    /// Number of commands that are waiting or in progress.
    pub pending_commands: usize,
}

/// Keeps a [`PanelContext`] up to date.
#[derive(Debug, Default)]
pub struct PanelContextPoller {
    panel_context: PanelContext,
    pending_status: Option<Ticket<Status>>,
    status_requested_at: Option<Instant>,
    /// The number of events of the memory that the last update saw.
    event_count: u64,
    changed_at: Option<Instant>,
    pending_context: Option<Ticket<PanelContext>>,
    context_version: Option<StateVersion>,
    /// The pending read of all names. If the names did not change, the answer is `None`.
    pending_names: Option<Ticket<Option<NameIndex>>>,
    /// The previous names. The next background read drops these names, because dropping many names takes too long for a
    /// frame.
    previous_names: Option<Arc<NameIndex>>,
    names_read_at: Option<(StateVersion, Instant)>,
}

impl PanelContextPoller {
    /// Returns the current context.
    pub fn panel_context(&self) -> &PanelContext {
        &self.panel_context
    }

    /// Registers a write of this DM console. All data that was read earlier is then stale.
    pub fn register_write(&mut self, position: Position) {
        self.panel_context.version =
            self.panel_context.version.max(StateVersion { position, ..self.panel_context.version });
        (self.status_requested_at, self.changed_at) = (None, Some(Instant::now()));
    }

    /// Returns whether the memory changed during the last few seconds. Some panels may not have read the changes yet.
    pub fn is_settling(&self) -> bool {
        self.changed_at.is_some_and(|changed_at| changed_at.elapsed() < SETTLING_TIME)
    }

    /// Returns whether a read of the shared state is pending or due.
    pub fn is_busy(&self) -> bool {
        self.pending_context.is_some()
            || self.pending_names.is_some()
            || self.context_version != Some(self.panel_context.version)
    }

    /// Receives answers, and sends new requests when they are due.
    pub fn update(&mut self, memory: &Memory, pending_commands: usize) {
        self.panel_context.pending_commands = pending_commands;
        let (event_count, version) = (memory.event_count(), self.panel_context.version);
        if let Some(Ok(status)) = poll_ticket(&mut self.pending_status) {
            self.panel_context.version = self.panel_context.version.max(status.version);
            self.panel_context.storage_failed = status.storage_failure.is_some();
            self.panel_context.status = Some(Arc::new(status));
        }
        if event_count != self.event_count || version != self.panel_context.version {
            (self.event_count, self.changed_at) = (event_count, Some(Instant::now()));
        }
        let interval = if self.is_settling() { STATUS_INTERVAL } else { IDLE_STATUS_INTERVAL };
        if self.pending_status.is_none()
            && self.status_requested_at.is_none_or(|status_requested_at| status_requested_at.elapsed() >= interval)
        {
            self.pending_status = memory.status().ok();
            self.status_requested_at = Some(Instant::now());
        }
        if let Some(Ok(read)) = poll_ticket(&mut self.pending_context) {
            self.context_version = Some(read.version);
            let PanelContext { version, status, names, storage_failed, pending_commands, .. } = &self.panel_context;
            self.panel_context = PanelContext {
                version: (*version).max(read.version),
                status: status.clone(),
                names: Arc::clone(names),
                storage_failed: *storage_failed,
                pending_commands: *pending_commands,
                ..read
            };
        }
        if self.pending_context.is_none() && self.context_version != Some(self.panel_context.version) {
            self.pending_context = memory.read(|world| Ok(read_context(world))).ok();
        }
        if let Some(Ok(Some(names))) = poll_ticket(&mut self.pending_names) {
            self.previous_names = Some(std::mem::replace(&mut self.panel_context.names, Arc::new(names)));
        }
        let stale = self.names_read_at.is_none_or(|(read_version, read_at)| {
            read_version != self.panel_context.version && read_at.elapsed() >= NAMES_INTERVAL
        });
        if self.pending_names.is_none() && stale {
            let (previous, current) = (self.previous_names.take(), Arc::clone(&self.panel_context.names));
            let read = move |world: &ReadSnapshot| {
                drop(previous);
                let names = NameIndex::from_state(&world.state);
                Ok((names != *current).then_some(names))
            };
            self.pending_names = memory.read_in_background(read).ok();
            self.names_read_at = Some((self.panel_context.version, Instant::now()));
        }
    }
}

/// Takes the answer of a ticket and clears the ticket. Returns `None` while there is no answer.
pub fn poll_ticket<T>(ticket: &mut Option<Ticket<T>>) -> Option<Result<T, MemoryError>> {
    let answer = ticket.as_ref()?.try_take()?;
    *ticket = None;
    Some(answer)
}

/// Reads the context of the panels, without the names.
pub(crate) fn read_context(world: &ReadSnapshot) -> PanelContext {
    let state = &world.state;
    let playing = state.active_session();
    let session = playing.and_then(|playing| state.session(&playing.session));
    PanelContext {
        version: state.version(),
        campaign: state.campaign().map(|campaign| campaign.name.clone()),
        session: playing.map(|playing| playing.session.clone()),
        session_title: session.map(|session| session.title.clone()),
        clock: state.clock().map(|time| state.calendar().format(time)),
        clock_time: state.clock(),
        place: playing.and_then(|playing| playing.place.clone()),
        present_players: playing.map(|playing| playing.here.clone()).unwrap_or_default(),
        ..PanelContext::default()
    }
}
