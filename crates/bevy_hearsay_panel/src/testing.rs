//! Shared helpers of the panels' tests. They open the example campaign in an in-memory engine and run a panel with this
//! engine.

#![allow(dead_code, reason = "the tests of each panel use what they need")]

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use egui_kittest::Harness;
use hearsay_engine::{Memory, MemoryOptions};
use hearsay_model::{FactId, State};

use crate::{
    desk_commands::Deeds,
    panel::{Look, Outcome, Panel, Request},
    panel_context::Watch,
};

/// Maximum time that a test waits. It is long enough for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Directory of the example campaign.
pub(crate) const GULLHAVEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../campaigns/gullhaven");

/// Opens an empty memory without a sentence encoder: search uses only words and the graph.
pub(crate) fn empty() -> Memory {
    let mut options = MemoryOptions::in_memory();
    options.settings.model.enabled = false;
    options.settings.extraction.enabled = false;
    Memory::open(options).unwrap()
}

/// Opens the example campaign in a separate engine.
pub(crate) fn gullhaven() -> Memory {
    let memory = empty();
    memory.import(GULLHAVEN).unwrap().wait().unwrap();
    memory
}

/// Returns the state of the example campaign. The state is computed once for all read-only tests.
pub(crate) fn gullhaven_state() -> Arc<State> {
    static STATE: OnceLock<Arc<State>> = OnceLock::new();
    let make = || gullhaven().read(|world| Ok(Arc::clone(&world.state))).unwrap().wait().unwrap();
    Arc::clone(STATE.get_or_init(make))
}

/// A panel with an engine. This type takes the role of the desk in tests.
pub(crate) struct Stage<P> {
    pub(crate) memory: Memory,
    pub(crate) panel: P,
    pub(crate) look: Look,
    pub(crate) watch: Watch,
    pub(crate) desk_commands: Deeds,
    /// Requests that the panel returned, without commands. Commands are carried out instead.
    pub(crate) requests: Vec<Request>,
    /// Outcomes of the panel's commands.
    pub(crate) outcomes: Vec<Outcome>,
}

impl<P: Panel> Stage<P> {
    fn frame(&mut self, ui: &mut egui::Ui) {
        self.look.theme.apply(ui.ctx());
        for outcome in self.desk_commands.update(&self.memory) {
            if let Ok(done) = &outcome.done
                && let Some(position) = done.position
            {
                self.watch.wrote(position);
            }
            self.panel.heard(&outcome);
            self.outcomes.push(outcome);
        }
        self.watch.update(&self.memory, self.desk_commands.count());
        self.look.names = Arc::clone(&self.watch.panel_context().names);
        self.panel.update(&self.memory, self.watch.panel_context());
        for request in self.panel.ui(ui, &self.look) {
            match request {
                Request::Do(desk_command) => self.desk_commands.begin(desk_command),
                other => self.requests.push(other),
            }
        }
    }
}

/// A panel in its own window, stepped by a test.
pub(crate) type Bench<P> = Harness<'static, Stage<P>>;

/// Puts a panel into a window of 1280×720.
pub(crate) fn bench<P: Panel + 'static>(panel: P, memory: Memory) -> Bench<P> {
    bench_with(panel, memory, Look::default())
}

/// Puts a panel into a window of 1280×720, with the given display settings.
pub(crate) fn bench_with<P: Panel + 'static>(panel: P, memory: Memory, look: Look) -> Bench<P> {
    let (watch, desk_commands) = (Watch::default(), Deeds::default());
    let stage = Stage { memory, panel, look, watch, desk_commands, requests: Vec::new(), outcomes: Vec::new() };
    let frame = |ui: &mut egui::Ui, stage: &mut Stage<P>| stage.frame(ui);
    let mut bench = Harness::builder().with_size([1280.0, 720.0]).build_ui_state(frame, stage);
    settle(&mut bench);
    bench
}

/// Runs frames until no work is pending and the last data is drawn.
pub(crate) fn settle<P: Panel>(bench: &mut Bench<P>) {
    let begun = Instant::now();
    let mut quiet = 0;
    while quiet < 12 {
        bench.step();
        let stage = bench.state();
        quiet = if stage.desk_commands.count() > 0 || stage.watch.is_busy() { 0 } else { quiet + 1 };
        std::thread::sleep(Duration::from_millis(1));
        assert!(begun.elapsed() < PATIENCE, "the panel still has pending work");
    }
}

/// Puts a drawing function into a window without an engine, for tests with hand-made models.
pub(crate) fn drawn<S: 'static>(
    state: S,
    mut draw: impl FnMut(&mut egui::Ui, &Look, &mut S) + 'static,
) -> Harness<'static, S> {
    let look = Look::default();
    let frame = move |ui: &mut egui::Ui, state: &mut S| {
        look.theme.apply(ui.ctx());
        draw(ui, &look, state);
    };
    Harness::builder().with_size([1280.0, 720.0]).build_ui_state(frame, state)
}

/// Runs frames until a condition is true, for at most one minute.
pub(crate) fn wait_until<P: Panel>(bench: &mut Bench<P>, is_so: impl Fn(&Bench<P>) -> bool) {
    let begun = Instant::now();
    while !is_so(bench) {
        bench.step();
        std::thread::sleep(Duration::from_millis(1));
        assert!(begun.elapsed() < PATIENCE, "timeout while waiting: {:?}", bench.root());
    }
}

/// Runs frames until a widget with this name is on the screen.
pub(crate) fn wait_for<P: Panel>(bench: &mut Bench<P>, name: &str) {
    use egui_kittest::kittest::Queryable;
    wait_until(bench, |bench| bench.query_all_by_label(name).next().is_some());
}

/// Makes a read snapshot of a state.
pub(crate) fn world_of(state: Arc<State>) -> hearsay_engine::ReadSnapshot {
    hearsay_engine::ReadSnapshot { learned: Arc::new(hearsay_query::trust::TrustCalibration::of(&state)), state }
}

/// Returns whether a widget on the screen has this text.
pub(crate) fn shows<S>(harness: &Harness<'static, S>, words: &str) -> bool {
    use egui_kittest::kittest::Queryable;
    harness.query_all_by_label_contains(words).next().is_some()
}

/// Makes a fact id from a text. Different short texts give different ids.
pub(crate) fn fact_of(text: &str) -> FactId {
    let bytes: String = text.bytes().rev().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("{bytes:0>32}").parse().unwrap()
}

/// Runs frames until a condition is true for the panel.
pub(crate) fn step_until<P: Panel>(bench: &mut Bench<P>, what: &str, wanted: impl Fn(&Stage<P>) -> bool) {
    let begun = Instant::now();
    while !wanted(bench.state()) {
        bench.step();
        std::thread::sleep(Duration::from_millis(2));
        assert!(begun.elapsed() < PATIENCE, "timeout while waiting for {what}");
    }
    // Draw the data that arrived in the last step.
    bench.step();
    bench.step();
}
