//! Shared helpers of the panels' tests. The helpers open the example campaign in an in-memory engine and run a panel
//! with this engine.

#![allow(dead_code, reason = "the tests of each panel use what they need")]

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use egui_kittest::Harness;
use hearsay_engine::{Memory, MemoryOptions};
use hearsay_model::{FactId, State};

use crate::{
    desk_commands::DeskCommandQueue,
    panel::{CommandOutcome, DisplayContext, Panel, Request},
    panel_context::PanelContextPoller,
    panel_source::PanelSource,
};

/// Maximum time that a test waits. This time is long enough for a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Directory of the example campaign.
pub(crate) const GULLHAVEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../campaigns/gullhaven");

/// Opens an empty memory without a sentence encoder: search uses only words and the graph.
pub(crate) fn empty_memory() -> Memory {
    let mut options = MemoryOptions::in_memory();
    options.settings.model.enabled = false;
    options.settings.extraction.enabled = false;
    Memory::open(options).unwrap()
}

/// Opens the example campaign in a separate engine with a sentence encoder.
pub(crate) fn gullhaven_with_encoder() -> Memory {
    let mut options = MemoryOptions::in_memory();
    options.settings.extraction.enabled = false;
    let memory = Memory::open(options).unwrap();
    memory.wait_until_settled(|| true).unwrap();
    memory.import(GULLHAVEN).unwrap().wait().unwrap();
    memory
}

/// Opens the example campaign in a separate engine.
pub(crate) fn gullhaven() -> Memory {
    let memory = empty_memory();
    memory.import(GULLHAVEN).unwrap().wait().unwrap();
    memory
}

/// Returns the state of the example campaign. The state is computed once for all read-only tests.
pub(crate) fn gullhaven_state() -> Arc<State> {
    static STATE: OnceLock<Arc<State>> = OnceLock::new();
    let read_state = || gullhaven().read(|world| Ok(Arc::clone(&world.state))).unwrap().wait().unwrap();
    Arc::clone(STATE.get_or_init(read_state))
}

/// A panel with an engine. This type takes the role of the DM console in tests.
pub(crate) struct PanelHost<P> {
    pub(crate) memory: Memory,
    pub(crate) panel: P,
    pub(crate) display: DisplayContext,
    pub(crate) context_poller: PanelContextPoller,
    pub(crate) desk_commands: DeskCommandQueue,
    /// Requests that the panel returned, without commands. Commands are carried out instead.
    pub(crate) requests: Vec<Request>,
    /// Outcomes of the panel's commands.
    pub(crate) outcomes: Vec<CommandOutcome>,
}

impl<P: Panel> PanelHost<P> {
    fn frame(&mut self, ui: &mut egui::Ui) {
        self.display.theme.apply(ui.ctx());
        for outcome in self.desk_commands.update(&self.memory) {
            if let Ok(report) = &outcome.result
                && let Some(position) = report.position
            {
                self.context_poller.register_write(position);
            }
            self.panel.on_outcome(&outcome);
            self.outcomes.push(outcome);
        }
        self.context_poller.update(&self.memory, self.desk_commands.pending_count());
        self.display.names = Arc::clone(&self.context_poller.panel_context().names);
        self.panel.update(PanelSource::dm(&self.memory), self.context_poller.panel_context());
        for request in self.panel.ui(ui, &self.display) {
            match request {
                Request::Execute(desk_command) => self.desk_commands.submit(desk_command),
                other => self.requests.push(other),
            }
        }
    }
}

/// A panel in its own window, stepped by a test.
pub(crate) type PanelHarness<P> = Harness<'static, PanelHost<P>>;

/// Puts a panel into a window of 1280×720.
pub(crate) fn open_panel<P: Panel + 'static>(panel: P, memory: Memory) -> PanelHarness<P> {
    let display = DisplayContext::default();
    let (context_poller, desk_commands) = (PanelContextPoller::default(), DeskCommandQueue::default());
    let host =
        PanelHost { memory, panel, display, context_poller, desk_commands, requests: Vec::new(), outcomes: Vec::new() };
    let frame = |ui: &mut egui::Ui, host: &mut PanelHost<P>| host.frame(ui);
    let mut harness = Harness::builder().with_size([1280.0, 720.0]).build_ui_state(frame, host);
    settle(&mut harness);
    harness
}

/// Runs frames until no work is pending and the last data is drawn.
pub(crate) fn settle<P: Panel>(harness: &mut PanelHarness<P>) {
    let started_at = Instant::now();
    let mut idle_frames = 0;
    while idle_frames < 12 {
        harness.step();
        let host = harness.state();
        idle_frames =
            if host.desk_commands.pending_count() > 0 || host.context_poller.is_busy() { 0 } else { idle_frames + 1 };
        std::thread::sleep(Duration::from_millis(1));
        assert!(started_at.elapsed() < TIMEOUT, "the panel still has pending work");
    }
}

/// Puts a drawing function into a window without an engine, for tests with hand-made models.
pub(crate) fn draw_harness<S: 'static>(
    state: S,
    mut draw: impl FnMut(&mut egui::Ui, &DisplayContext, &mut S) + 'static,
) -> Harness<'static, S> {
    let display = DisplayContext::default();
    let frame = move |ui: &mut egui::Ui, state: &mut S| {
        display.theme.apply(ui.ctx());
        draw(ui, &display, state);
    };
    Harness::builder().with_size([1280.0, 720.0]).build_ui_state(frame, state)
}

/// A hand-made model of a panel, and the view that draws the model. Both run without an engine.
pub(crate) struct DrawnPanel<M, V, A> {
    pub(crate) model: M,
    pub(crate) view: V,
    /// Actions that the drawing function has returned so far.
    pub(crate) actions: Vec<A>,
}

/// Puts the drawing function of a panel into a window without an engine, and draws the first frames.
pub(crate) fn draw_panel<M: 'static, V: 'static, A: 'static>(
    model: M,
    view: V,
    mut draw: impl FnMut(&mut egui::Ui, &DisplayContext, &M, &mut V) -> Vec<A> + 'static,
) -> Harness<'static, DrawnPanel<M, V, A>> {
    let panel = DrawnPanel { model, view, actions: Vec::new() };
    let mut harness = draw_harness(panel, move |ui, display, panel: &mut DrawnPanel<M, V, A>| {
        let actions = draw(ui, display, &panel.model, &mut panel.view);
        panel.actions.extend(actions);
    });
    harness.run_steps(3);
    harness
}

/// Presses a key and runs two frames.
pub(crate) fn press_key<S>(harness: &mut Harness<'_, S>, key: egui::Key) {
    harness.key_press(key);
    harness.run_steps(2);
}

/// Runs frames until a condition is true, for at most one minute.
pub(crate) fn wait_until<P: Panel>(harness: &mut PanelHarness<P>, condition: impl Fn(&PanelHarness<P>) -> bool) {
    let started_at = Instant::now();
    while !condition(harness) {
        harness.step();
        std::thread::sleep(Duration::from_millis(1));
        assert!(started_at.elapsed() < TIMEOUT, "timeout while waiting: {:?}", harness.root());
    }
}

/// Runs frames until a widget with this name is on the screen.
pub(crate) fn wait_for<P: Panel>(harness: &mut PanelHarness<P>, name: &str) {
    use egui_kittest::kittest::Queryable;
    wait_until(harness, |harness| harness.query_all_by_label(name).next().is_some());
}

/// Makes a read snapshot of a state.
pub(crate) fn read_snapshot(state: Arc<State>) -> hearsay_engine::ReadSnapshot {
    hearsay_engine::ReadSnapshot {
        learned: Arc::new(hearsay_query::trust::TrustCalibration::from_state(&state)),
        state,
    }
}

/// Returns whether a widget on the screen has this text.
pub(crate) fn shows_text<S>(harness: &Harness<'static, S>, text: &str) -> bool {
    use egui_kittest::kittest::Queryable;
    harness.query_all_by_label_contains(text).next().is_some()
}

/// Makes a fact id from a text. Different short texts give different ids.
pub(crate) fn fact_id_from_text(text: &str) -> FactId {
    let bytes: String = text.bytes().rev().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("{bytes:0>32}").parse().unwrap()
}

/// Runs frames until a condition is true for the panel.
pub(crate) fn step_until<P: Panel>(
    harness: &mut PanelHarness<P>,
    description: &str,
    condition: impl Fn(&PanelHost<P>) -> bool,
) {
    let started_at = Instant::now();
    while !condition(harness.state()) {
        harness.step();
        std::thread::sleep(Duration::from_millis(2));
        assert!(started_at.elapsed() < TIMEOUT, "timeout while waiting for {description}");
    }
    // Draw the data that arrived in the last step.
    harness.step();
    harness.step();
}
