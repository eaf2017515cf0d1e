//! The cost of the memory in each frame, and the lengths of its queues.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use bevy::{
    diagnostic::{Diagnostic, DiagnosticPath, Diagnostics, RegisterDiagnostic},
    prelude::*,
};
use hearsay_memory::{Status, Ticket};

use crate::{
    game_events::GameEvents,
    memory::NpcMemory,
    questions::Inquiries,
    steps::{Step, StepsAppExt},
    sync::{Inbox, Outbox},
};

/// Measures the memory, as Bevy diagnostics and as [`MemoryCounts`].
#[derive(Debug, Clone)]
pub struct HearsayDiagnosticsPlugin {
    /// Interval between two requests for the memory's status. Default 1 s.
    pub every: Duration,
}

impl Default for HearsayDiagnosticsPlugin {
    fn default() -> Self {
        Self { every: Duration::from_secs(1) }
    }
}

impl HearsayDiagnosticsPlugin {
    /// Microseconds that the plugin's systems took in a frame in which they had work.
    pub const FRAME_COST: DiagnosticPath = DiagnosticPath::const_new("hearsay/frame_us");
    /// Changes, game events, questions and records that wait or are in progress.
    pub const QUEUE: DiagnosticPath = DiagnosticPath::const_new("hearsay/queue");
    /// Milliseconds from the first change of a batch to its commit.
    pub const COMMIT_LAG: DiagnosticPath = DiagnosticPath::const_new("hearsay/commit_lag_ms");
    /// Milliseconds that the last question took.
    pub const LATENCY: DiagnosticPath = DiagnosticPath::const_new("hearsay/latency_ms");
    /// Number of facts in the memory.
    pub const FACTS: DiagnosticPath = DiagnosticPath::const_new("hearsay/facts");
    /// Number of items that wait for review by the DM.
    pub const REVIEWS: DiagnosticPath = DiagnosticPath::const_new("hearsay/pending_reviews");
    /// Number of texts without a vector.
    pub const VECTORS: DiagnosticPath = DiagnosticPath::const_new("hearsay/pending_vectors");
}

/// Sizes and queue lengths: the values of the diagnostics, for a game without diagnostics.
#[derive(Resource, Debug, Clone, Default, PartialEq)]
pub struct MemoryCounts {
    /// Changes that gather, and batches of changes without acknowledgement.
    pub changes: (usize, usize),
    /// Game events that wait, and those without acknowledgement.
    pub game_events: (usize, usize),
    /// Questions that wait, and those without a reply.
    pub questions: (usize, usize),
    /// Records read that wait to be applied.
    pub records: usize,
    /// Last status of the memory.
    pub status: Option<Status>,
    /// Time that the plugin's systems took in the last frame in which they had work.
    pub frame: Duration,
}

#[derive(Resource)]
struct Clock {
    every: Duration,
    asked: Option<Instant>,
    asking: Option<Ticket<Status>>,
    dropped: usize,
}

/// Time that the plugin's systems took in this frame, in nanoseconds.
#[derive(Resource, Default)]
pub(crate) struct FrameCost(Arc<AtomicU64>);

impl FrameCost {
    /// Counts the time from now until the return value is dropped.
    pub(crate) fn begin(&self) -> impl Drop + use<> {
        Begun { since: Instant::now(), cost: Arc::clone(&self.0) }
    }
}

struct Begun {
    since: Instant,
    cost: Arc<AtomicU64>,
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.cost.fetch_add(u64::try_from(self.since.elapsed().as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

impl Plugin for HearsayDiagnosticsPlugin {
    fn build(&self, app: &mut App) {
        let diagnostic = |path: &DiagnosticPath| Diagnostic::new(path.clone());
        app.register_diagnostic(diagnostic(&Self::FRAME_COST).with_suffix(" µs"))
            .register_diagnostic(diagnostic(&Self::QUEUE))
            .register_diagnostic(diagnostic(&Self::COMMIT_LAG).with_suffix(" ms"))
            .register_diagnostic(diagnostic(&Self::LATENCY).with_suffix(" ms"))
            .register_diagnostic(diagnostic(&Self::FACTS))
            .register_diagnostic(diagnostic(&Self::REVIEWS))
            .register_diagnostic(diagnostic(&Self::VECTORS))
            .insert_resource(Clock { every: self.every, asked: None, asking: None, dropped: 0 })
            .init_resource::<MemoryCounts>()
            .add_step(Step::Measure, has_work, measure);
    }
}

/// Returns whether there are values to publish, or the memory's status is due.
fn has_work(world: &World) -> bool {
    let clock = world.resource::<Clock>();
    let is_due = || clock.asked.is_none_or(|asked| asked.elapsed() >= clock.every);
    let took = || world.resource::<FrameCost>().0.load(Ordering::Relaxed) > 0;
    clock.asking.is_some() || is_due() || took()
}

/// Returns whether a request for the memory's status has no answer yet.
pub(crate) fn is_measuring(world: &World) -> bool {
    world.get_resource::<Clock>().is_some_and(|clock| clock.asking.is_some())
}

fn measure(
    mut clock: ResMut<Clock>,
    mut counts: ResMut<MemoryCounts>,
    memory: Res<NpcMemory>,
    (outbox, game_events): (Option<ResMut<Outbox>>, Option<Res<GameEvents>>),
    (inbox, inquiries): (Option<ResMut<Inbox>>, Option<ResMut<Inquiries>>),
    cost: Res<FrameCost>,
    mut diagnostics: Diagnostics,
) {
    counts.frame = Duration::from_nanos(cost.0.swap(0, Ordering::Relaxed));
    let frame = counts.frame.as_secs_f64() * 1e6;
    diagnostics.add_measurement(&HearsayDiagnosticsPlugin::FRAME_COST, || frame);
    if let Some(mut outbox) = outbox {
        counts.changes = (outbox.waiting.len(), outbox.in_flight());
        if let Some(lag) = outbox.bypass_change_detection().lag.take() {
            diagnostics.add_measurement(&HearsayDiagnosticsPlugin::COMMIT_LAG, || lag.as_secs_f64() * 1e3);
        }
    }
    counts.game_events = game_events.map_or((0, 0), |game_events| game_events.counts());
    counts.records = inbox.as_ref().map_or(0, |inbox| inbox.read.len());
    if let Some(mut inquiries) = inquiries {
        counts.questions = inquiries.counts();
        if let Some(latency) = inquiries.bypass_change_detection().latency.take() {
            diagnostics.add_measurement(&HearsayDiagnosticsPlugin::LATENCY, || latency.as_secs_f64() * 1e3);
        }
    }
    let Some(memory) = memory.get() else { return };
    if let Some(status) = clock.asking.as_ref().and_then(Ticket::try_take) {
        clock.asking = None;
        if let Ok(status) = status {
            // Dropped events are lost; a comparison of all entities finds their changes.
            if let Some(mut inbox) = inbox.filter(|_| status.events_dropped > clock.dropped) {
                inbox.resync = true;
            }
            clock.dropped = status.events_dropped;
            diagnostics.add_measurement(&HearsayDiagnosticsPlugin::FACTS, || status.facts as f64);
            diagnostics.add_measurement(&HearsayDiagnosticsPlugin::REVIEWS, || status.reviews as f64);
            diagnostics.add_measurement(&HearsayDiagnosticsPlugin::VECTORS, || status.pending_vectors as f64);
            let pair = |(a, b): (usize, usize)| (a + b) as f64;
            let waiting = pair(counts.changes) + pair(counts.game_events) + pair(counts.questions);
            diagnostics.add_measurement(&HearsayDiagnosticsPlugin::QUEUE, || waiting + status.waiting_writes as f64);
            counts.status = Some(status);
        }
    } else if clock.asking.is_none() && clock.asked.is_none_or(|asked| asked.elapsed() >= clock.every) {
        clock.asked = Some(Instant::now());
        clock.asking = memory.status().ok();
    }
}
