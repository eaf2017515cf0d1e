//! What the memory costs the game, and how much waits.

use std::time::{Duration, Instant};

use bevy::{
    diagnostic::{Diagnostic, DiagnosticPath, Diagnostics, RegisterDiagnostic},
    prelude::*,
};
use hearsay_memory::{Status, Ticket};

use crate::{
    HearsaySystems,
    happenings::Happenings,
    memory::NpcMemory,
    questions::Inquiries,
    sync::{Inbox, Outbox},
};

/// Measures, as Bevy diagnostics and as [`MemoryCounts`].
#[derive(Debug, Clone)]
pub struct HearsayDiagnosticsPlugin {
    /// How often the memory is asked how it stands. Default 1 s.
    pub every: Duration,
}

impl Default for HearsayDiagnosticsPlugin {
    fn default() -> Self {
        Self { every: Duration::from_secs(1) }
    }
}

impl HearsayDiagnosticsPlugin {
    /// Microseconds of a frame that the plugin's systems took on the main schedule.
    pub const FRAME_COST: DiagnosticPath = DiagnosticPath::const_new("hearsay/frame_us");
    /// Changes, happenings, questions and records that wait or are under way.
    pub const QUEUE: DiagnosticPath = DiagnosticPath::const_new("hearsay/queue");
    /// Milliseconds that the last question took.
    pub const LATENCY: DiagnosticPath = DiagnosticPath::const_new("hearsay/latency_ms");
    /// Facts that the memory holds.
    pub const FACTS: DiagnosticPath = DiagnosticPath::const_new("hearsay/facts");
    /// Items that wait for the DM.
    pub const REVIEWS: DiagnosticPath = DiagnosticPath::const_new("hearsay/pending_reviews");
    /// Texts that have no vector yet.
    pub const VECTORS: DiagnosticPath = DiagnosticPath::const_new("hearsay/pending_vectors");
}

/// How much there is, and how much waits: what the diagnostics show, for a game without them.
#[derive(Resource, Debug, Clone, Default, PartialEq)]
pub struct MemoryCounts {
    /// Changes that gather, and batches of them that are not acknowledged.
    pub changes: (usize, usize),
    /// Happenings that wait, and those that are not acknowledged.
    pub happenings: (usize, usize),
    /// Questions that wait, and those that have no reply yet.
    pub questions: (usize, usize),
    /// Records that were read and wait to be applied.
    pub records: usize,
    /// How the memory stood when it was last asked.
    pub status: Option<Status>,
    /// What the plugin's systems took in the last frame.
    pub frame: Duration,
}

#[derive(Resource)]
struct Clock {
    every: Duration,
    asked: Option<Instant>,
    asking: Option<Ticket<Status>>,
    begun: Option<Instant>,
    frame: Duration,
    dropped: usize,
}

impl Plugin for HearsayDiagnosticsPlugin {
    fn build(&self, app: &mut App) {
        let diagnostic = |path: &DiagnosticPath| Diagnostic::new(path.clone());
        app.register_diagnostic(diagnostic(&Self::FRAME_COST).with_suffix(" µs"))
            .register_diagnostic(diagnostic(&Self::QUEUE))
            .register_diagnostic(diagnostic(&Self::LATENCY).with_suffix(" ms"))
            .register_diagnostic(diagnostic(&Self::FACTS))
            .register_diagnostic(diagnostic(&Self::REVIEWS))
            .register_diagnostic(diagnostic(&Self::VECTORS))
            .insert_resource(Clock {
                every: self.every,
                asked: None,
                asking: None,
                begun: None,
                frame: Duration::ZERO,
                dropped: 0,
            })
            .init_resource::<MemoryCounts>()
            .add_systems(PreUpdate, (begin.before(HearsaySystems::Receive), end.after(HearsaySystems::Apply)))
            .add_systems(
                PostUpdate,
                (begin.before(HearsaySystems::Collect), (end, measure).chain().after(HearsaySystems::Send)),
            );
    }
}

fn begin(mut clock: ResMut<Clock>) {
    clock.begun = Some(Instant::now());
}

fn end(mut clock: ResMut<Clock>) {
    let took = clock.begun.take().map_or(Duration::ZERO, |begun| begun.elapsed());
    clock.frame += took;
}

fn measure(
    mut clock: ResMut<Clock>,
    mut counts: ResMut<MemoryCounts>,
    memory: Res<NpcMemory>,
    (outbox, happenings): (Option<Res<Outbox>>, Option<Res<Happenings>>),
    (inbox, inquiries): (Option<ResMut<Inbox>>, Option<ResMut<Inquiries>>),
    mut diagnostics: Diagnostics,
) {
    counts.frame = std::mem::take(&mut clock.frame);
    let frame = counts.frame.as_secs_f64() * 1e6;
    diagnostics.add_measurement(&HearsayDiagnosticsPlugin::FRAME_COST, || frame);
    counts.changes = outbox.map_or((0, 0), |outbox| (outbox.waiting.len(), outbox.in_flight()));
    counts.happenings = happenings.map_or((0, 0), |happenings| happenings.counts());
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
            // Events that nobody took in time: what they said is found by comparing all.
            if let Some(mut inbox) = inbox.filter(|_| status.events_dropped > clock.dropped) {
                inbox.resync = true;
            }
            clock.dropped = status.events_dropped;
            diagnostics.add_measurement(&HearsayDiagnosticsPlugin::FACTS, || status.facts as f64);
            diagnostics.add_measurement(&HearsayDiagnosticsPlugin::REVIEWS, || status.reviews as f64);
            diagnostics.add_measurement(&HearsayDiagnosticsPlugin::VECTORS, || status.pending_vectors as f64);
            let pair = |(a, b): (usize, usize)| (a + b) as f64;
            let waiting = pair(counts.changes) + pair(counts.happenings) + pair(counts.questions);
            diagnostics.add_measurement(&HearsayDiagnosticsPlugin::QUEUE, || waiting + status.waiting_writes as f64);
            counts.status = Some(status);
        }
    } else if clock.asking.is_none() && clock.asked.is_none_or(|asked| asked.elapsed() >= clock.every) {
        clock.asked = Some(Instant::now());
        clock.asking = memory.status().ok();
    }
}
