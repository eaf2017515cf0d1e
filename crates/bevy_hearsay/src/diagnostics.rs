//! Measures the time that the memory takes in each frame, and the lengths of the memory's queues.

use std::time::Duration;

use bevy::{
    diagnostic::{Diagnostic, DiagnosticPath, Diagnostics, RegisterDiagnostic},
    prelude::*,
};
use hearsay_engine::Status;

use crate::{
    bridge::{self, FrameCost, StatusPoll},
    events::GameEventQueue,
    questions::QuestionQueue,
    schedule::SendSystems,
    sync::{Inbox, Outbox},
};

/// Plugin that measures the time that the memory takes in each frame, and the lengths of the memory's queues. The
/// values are available as Bevy diagnostics and in the resource [`MemoryCounts`]. The plugin requests the status of the
/// memory at the interval [`MemorySettings::status_interval`](crate::MemorySettings::status_interval).
#[derive(Debug, Clone, Default)]
pub struct HearsayDiagnosticsPlugin;

impl HearsayDiagnosticsPlugin {
    /// Time that the plugin's systems took in a frame, in microseconds. Frames without work are not counted.
    pub const FRAME_COST: DiagnosticPath = DiagnosticPath::const_new("hearsay/frame_us");
    /// Number of changes, game events and questions that are waiting or in progress, plus the number of writes that are
    /// not yet saved to the disk.
    pub const QUEUE: DiagnosticPath = DiagnosticPath::const_new("hearsay/queue");
    /// Time from the first change of the last committed batch to the commit, in milliseconds. A batch contains the
    /// changes of one [interval](crate::SyncSettings::interval).
    pub const COMMIT_LAG: DiagnosticPath = DiagnosticPath::const_new("hearsay/commit_lag_ms");
    /// Time from sending a question to its reply, for the most recently answered question, in milliseconds.
    pub const LATENCY: DiagnosticPath = DiagnosticPath::const_new("hearsay/latency_ms");
    /// Number of facts in the memory.
    pub const FACTS: DiagnosticPath = DiagnosticPath::const_new("hearsay/facts");
    /// Number of items that wait for review by the DM.
    pub const REVIEWS: DiagnosticPath = DiagnosticPath::const_new("hearsay/pending_reviews");
    /// Number of facts and passages that still need a vector.
    pub const VECTORS: DiagnosticPath = DiagnosticPath::const_new("hearsay/pending_vectors");
}

/// Size of the memory and lengths of its queues. This resource has the same values as the diagnostics. Use this
/// resource in a game that does not use Bevy's diagnostics.
#[derive(Resource, Debug, Clone, Default, PartialEq)]
pub struct MemoryCounts {
    /// First, the number of changes that are not sent yet. Second, the number of batches of changes that are sent but
    /// not yet acknowledged.
    pub changes: (usize, usize),
    /// First, the number of game events that are not sent yet. Second, the number of game events that are sent but not
    /// yet acknowledged.
    pub game_events: (usize, usize),
    /// First, the number of questions that are not sent yet. Second, the number of questions that are sent but have no
    /// reply yet.
    pub questions: (usize, usize),
    /// Number of entities whose new values arrived from the memory, but are not yet written to components.
    pub records: usize,
    /// The most recent status of the memory; `None` before the first status arrives.
    pub status: Option<Status>,
    /// Time that the plugin's systems took in the most recent frame with work.
    pub frame: Duration,
}

impl Plugin for HearsayDiagnosticsPlugin {
    fn build(&self, app: &mut App) {
        let send = bridge::init(app).send;
        let diagnostic = |path: &DiagnosticPath| Diagnostic::new(path.clone());
        app.register_diagnostic(diagnostic(&Self::FRAME_COST).with_suffix(" µs"))
            .register_diagnostic(diagnostic(&Self::QUEUE))
            .register_diagnostic(diagnostic(&Self::COMMIT_LAG).with_suffix(" ms"))
            .register_diagnostic(diagnostic(&Self::LATENCY).with_suffix(" ms"))
            .register_diagnostic(diagnostic(&Self::FACTS))
            .register_diagnostic(diagnostic(&Self::REVIEWS))
            .register_diagnostic(diagnostic(&Self::VECTORS))
            .init_resource::<MemoryCounts>()
            .add_systems(send, measure.in_set(SendSystems::Diagnostics));
    }
}

/// Publishes the values after the commands of all plugins have been applied.
fn measure(mut commands: Commands) {
    commands.run_system_cached(publish);
}

fn publish(
    mut poll: ResMut<StatusPoll>,
    mut counts: ResMut<MemoryCounts>,
    (outbox, game_events): (Option<ResMut<Outbox>>, Option<Res<GameEventQueue>>),
    (inbox, questions): (Option<ResMut<Inbox>>, Option<ResMut<QuestionQueue>>),
    cost: Res<FrameCost>,
    mut diagnostics: Diagnostics,
) {
    if cost.is_zero() && !poll.has_polled() {
        return;
    }
    counts.frame = cost.take();
    let frame = counts.frame.as_secs_f64() * 1e6;
    diagnostics.add_measurement(&HearsayDiagnosticsPlugin::FRAME_COST, || frame);
    if let Some(mut outbox) = outbox {
        counts.changes = (outbox.waiting.len(), outbox.in_flight());
        if let Some(lag) = outbox.bypass_change_detection().commit_lag.take() {
            diagnostics.add_measurement(&HearsayDiagnosticsPlugin::COMMIT_LAG, || lag.as_secs_f64() * 1e3);
        }
    }
    counts.game_events = game_events.map_or((0, 0), |game_events| game_events.counts());
    counts.records = inbox.as_ref().map_or(0, |inbox| inbox.received.len());
    if let Some(mut questions) = questions {
        counts.questions = questions.counts();
        if let Some(latency) = questions.bypass_change_detection().latency.take() {
            diagnostics.add_measurement(&HearsayDiagnosticsPlugin::LATENCY, || latency.as_secs_f64() * 1e3);
        }
    }
    if let Some(status) = poll.take() {
        diagnostics.add_measurement(&HearsayDiagnosticsPlugin::FACTS, || status.facts as f64);
        diagnostics.add_measurement(&HearsayDiagnosticsPlugin::REVIEWS, || status.reviews as f64);
        diagnostics.add_measurement(&HearsayDiagnosticsPlugin::VECTORS, || status.pending_vectors as f64);
        let sum = |(a, b): (usize, usize)| (a + b) as f64;
        let waiting = sum(counts.changes) + sum(counts.game_events) + sum(counts.questions);
        diagnostics.add_measurement(&HearsayDiagnosticsPlugin::QUEUE, || waiting + status.waiting_writes as f64);
        counts.status = Some(status);
    }
}
