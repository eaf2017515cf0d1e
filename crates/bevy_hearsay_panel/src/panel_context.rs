//! Polls the memory for the state that all panels share. Polling never blocks.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hearsay_engine::{Memory, MemoryError, ReadSnapshot, Status, Ticket};
use hearsay_model::{Position, StateVersion};

use crate::{names::Names, panel::PanelContext};

/// Interval between two status requests. A write of this desk triggers an additional request.
const OFTEN: Duration = Duration::from_millis(100);

/// Minimum interval between two reads of all names. A read of a large campaign takes several milliseconds on a
/// background thread.
const NAMES: Duration = Duration::from_millis(400);

/// Keeps a [`PanelContext`] up to date.
#[derive(Debug, Default)]
pub struct Watch {
    panel_context: PanelContext,
    status: Option<Ticket<Status>>,
    asked: Option<Instant>,
    scene: Option<Ticket<PanelContext>>,
    scene_at: Option<StateVersion>,
    /// The pending read of all names. The answer is `None` if the names did not change.
    names: Option<Ticket<Option<Names>>>,
    /// The previous names. They are dropped by the next background read, because freeing many names takes too long for
    /// a frame.
    old_names: Option<Arc<Names>>,
    names_at: Option<(StateVersion, Instant)>,
}

impl Watch {
    /// Returns the current context.
    pub fn panel_context(&self) -> &PanelContext {
        &self.panel_context
    }

    /// Registers a write of this desk, which makes all earlier data stale.
    pub fn wrote(&mut self, position: Position) {
        self.panel_context.version =
            self.panel_context.version.max(StateVersion { position, ..self.panel_context.version });
        self.asked = None;
    }

    /// Returns whether a read of the shared state is pending or due.
    pub fn is_busy(&self) -> bool {
        self.scene.is_some() || self.names.is_some() || self.scene_at != Some(self.panel_context.version)
    }

    /// Receives answers, and sends new requests when they are due.
    pub fn update(&mut self, memory: &Memory, under_way: usize) {
        self.panel_context.under_way = under_way;
        if let Some(Ok(status)) = taken(&mut self.status) {
            self.panel_context.version = self.panel_context.version.max(status.version);
            self.panel_context.status = Some(Arc::new(status));
        }
        if self.status.is_none() && self.asked.is_none_or(|asked| asked.elapsed() >= OFTEN) {
            self.status = memory.status().ok();
            self.asked = Some(Instant::now());
        }
        if let Some(Ok(read)) = taken(&mut self.scene) {
            self.scene_at = Some(read.version);
            let PanelContext { version, status, names, under_way, .. } = &self.panel_context;
            let (version, status) = ((*version).max(read.version), status.clone());
            self.panel_context =
                PanelContext { version, status, names: Arc::clone(names), under_way: *under_way, ..read };
        }
        if self.scene.is_none() && self.scene_at != Some(self.panel_context.version) {
            self.scene = memory.read(|world| Ok(scene(world))).ok();
        }
        if let Some(Ok(Some(names))) = taken(&mut self.names) {
            self.old_names = Some(std::mem::replace(&mut self.panel_context.names, Arc::new(names)));
        }
        let stale = self.names_at.is_none_or(|(at, when)| at != self.panel_context.version && when.elapsed() >= NAMES);
        if self.names.is_none() && stale {
            let (old, now) = (self.old_names.take(), Arc::clone(&self.panel_context.names));
            let read = move |world: &ReadSnapshot| {
                drop(old);
                let names = Names::of(&world.state);
                Ok((names != *now).then_some(names))
            };
            self.names = memory.read_in_background(read).ok();
            self.names_at = Some((self.panel_context.version, Instant::now()));
        }
    }
}

/// Takes the answer of a ticket and clears the ticket. Returns `None` while there is no answer.
pub fn taken<T>(ticket: &mut Option<Ticket<T>>) -> Option<Result<T, MemoryError>> {
    let answer = ticket.as_ref()?.try_take()?;
    *ticket = None;
    Some(answer)
}

fn scene(world: &ReadSnapshot) -> PanelContext {
    let state = &world.state;
    let playing = state.playing();
    let session = playing.and_then(|playing| state.session(&playing.session));
    PanelContext {
        version: state.version(),
        campaign: state.campaign().map(|campaign| campaign.name.clone()),
        session: playing.map(|playing| playing.session.clone()),
        session_title: session.map(|session| session.title.clone()),
        clock: state.clock().map(|time| state.calendar().print(time)),
        clock_time: state.clock(),
        place: playing.and_then(|playing| playing.place.clone()),
        here: playing.map(|playing| playing.here.clone()).unwrap_or_default(),
        ..PanelContext::default()
    }
}
