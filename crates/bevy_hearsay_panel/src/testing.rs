//! What the panels' tests share: the example campaign in an engine in memory, and a panel that is stepped against it.

#![allow(dead_code, reason = "the tests of each panel use what they need")]

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use egui_kittest::Harness;
use hearsay_memory::{Memory, MemoryOptions};
use hearsay_model::{FactId, State};

use crate::{
    deeds::Deeds,
    news::Watch,
    panel::{Look, Outcome, Panel, Request},
};

/// How long is waited for what must come, however busy the machine is.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Where the example campaign lies.
pub(crate) const GULLHAVEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../campaigns/gullhaven");

/// An empty memory without a model: words and graph answer.
pub(crate) fn empty() -> Memory {
    let mut options = MemoryOptions::in_memory();
    options.settings.model.enabled = false;
    options.settings.extraction.enabled = false;
    Memory::open(options).unwrap()
}

/// The example campaign in an engine of its own.
pub(crate) fn gullhaven() -> Memory {
    let memory = empty();
    memory.import(GULLHAVEN).unwrap().wait().unwrap();
    memory
}

/// The state of the example campaign, made once for all tests that only read.
pub(crate) fn gullhaven_state() -> Arc<State> {
    static STATE: OnceLock<Arc<State>> = OnceLock::new();
    let make = || gullhaven().read(|world| Ok(Arc::clone(&world.state))).unwrap().wait().unwrap();
    Arc::clone(STATE.get_or_init(make))
}

/// A panel with an engine, as the desk would run it.
pub(crate) struct Stage<P> {
    pub(crate) memory: Memory,
    pub(crate) panel: P,
    pub(crate) look: Look,
    pub(crate) watch: Watch,
    pub(crate) deeds: Deeds,
    /// What the panel asked for, but deeds: these are done.
    pub(crate) requests: Vec<Request>,
    /// What became of its deeds.
    pub(crate) outcomes: Vec<Outcome>,
}

impl<P: Panel> Stage<P> {
    fn frame(&mut self, ui: &mut egui::Ui) {
        self.look.theme.apply(ui.ctx());
        for outcome in self.deeds.update(&self.memory) {
            if let Ok(done) = &outcome.done
                && let Some(position) = done.position
            {
                self.watch.wrote(position);
            }
            self.panel.heard(&outcome);
            self.outcomes.push(outcome);
        }
        self.watch.update(&self.memory, self.deeds.count());
        self.look.names = Arc::clone(&self.watch.news().names);
        self.panel.update(&self.memory, self.watch.news());
        for request in self.panel.ui(ui, &self.look) {
            match request {
                Request::Do(deed) => self.deeds.begin(deed),
                other => self.requests.push(other),
            }
        }
    }
}

/// A panel on a window of its own, stepped by a test.
pub(crate) type Bench<P> = Harness<'static, Stage<P>>;

/// Puts a panel on a window of 1280×720.
pub(crate) fn bench<P: Panel + 'static>(panel: P, memory: Memory) -> Bench<P> {
    bench_with(panel, memory, Look::default())
}

/// The same with a look.
pub(crate) fn bench_with<P: Panel + 'static>(panel: P, memory: Memory, look: Look) -> Bench<P> {
    let (watch, deeds) = (Watch::default(), Deeds::default());
    let stage = Stage { memory, panel, look, watch, deeds, requests: Vec::new(), outcomes: Vec::new() };
    let frame = |ui: &mut egui::Ui, stage: &mut Stage<P>| stage.frame(ui);
    let mut bench = Harness::builder().with_size([1280.0, 720.0]).build_ui_state(frame, stage);
    settle(&mut bench);
    bench
}

/// Steps until nothing is under way any more, and what was read has been drawn.
pub(crate) fn settle<P: Panel>(bench: &mut Bench<P>) {
    let begun = Instant::now();
    let mut quiet = 0;
    while quiet < 12 {
        bench.step();
        let stage = bench.state();
        quiet = if stage.deeds.count() > 0 || stage.watch.is_busy() { 0 } else { quiet + 1 };
        std::thread::sleep(Duration::from_millis(1));
        assert!(begun.elapsed() < PATIENCE, "the panel does not come to rest");
    }
}

/// A drawing function on a window of its own, without an engine: for tests over models made by hand.
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

/// Steps until something is so, a minute at most.
pub(crate) fn wait_until<P: Panel>(bench: &mut Bench<P>, is_so: impl Fn(&Bench<P>) -> bool) {
    let begun = Instant::now();
    while !is_so(bench) {
        bench.step();
        std::thread::sleep(Duration::from_millis(1));
        assert!(begun.elapsed() < PATIENCE, "it does not come to be so: {:?}", bench.root());
    }
}

/// Steps until something with this name is on the screen.
pub(crate) fn wait_for<P: Panel>(bench: &mut Bench<P>, name: &str) {
    use egui_kittest::kittest::Queryable;
    wait_until(bench, |bench| bench.query_all_by_label(name).next().is_some());
}

/// A state as a reading sees it.
pub(crate) fn world_of(state: Arc<State>) -> hearsay_memory::World {
    hearsay_memory::World { learned: Arc::new(hearsay_memory::Learned::of(&state)), state }
}

/// Whether something on the screen has these words.
pub(crate) fn shows<S>(harness: &Harness<'static, S>, words: &str) -> bool {
    use egui_kittest::kittest::Queryable;
    harness.query_all_by_label_contains(words).next().is_some()
}

/// An id for a fact made by hand: another for each text.
pub(crate) fn fact_of(text: &str) -> FactId {
    let bytes: String = text.bytes().rev().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("{bytes:0>32}").parse().unwrap()
}

/// Steps until the panel shows what is wanted.
pub(crate) fn step_until<P: Panel>(bench: &mut Bench<P>, what: &str, wanted: impl Fn(&Stage<P>) -> bool) {
    let begun = Instant::now();
    while !wanted(bench.state()) {
        bench.step();
        std::thread::sleep(Duration::from_millis(2));
        assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}");
    }
    // What came in the last step is drawn.
    bench.step();
    bench.step();
}
