//! Tools to test a game: an app that a test advances frame by frame, assertions about the knowledge of characters, and
//! recordings of a game's input.
//!
//! ```
//! use bevy::prelude::*;
//! use bevy_hearsay::{
//!     prelude::*,
//!     testing::{SteppingApp, assert_believes, assert_cannot_learn, assert_does_not_know, assert_knows},
//! };
//!
//! let mut app = SteppingApp::new(HearsayPlugins::empty());
//! for place in ["The Inn", "The Pier"] {
//!     app.world_mut().spawn((MemoryId::new(place), Name::new(place), EntityKind::location()));
//! }
//! let [ann, bob, cid] = [("Ann", "The Inn"), ("Bob", "The Inn"), ("Cid", "The Pier")].map(|(name, place)| {
//!     let character = (MemoryId::new(name), Name::new(name), EntityKind::npc(), PlaceId::new(place));
//!     app.world_mut().spawn(character).id()
//! });
//! app.settle();
//!
//! // Ann sees the damage, and tells everyone in the inn.
//! let damage = Statement::lore("the-pier", "The pier is broken.");
//! app.world_mut().commands().entity(ann).witness(damage.clone()).say_that("Stay off the pier!", [damage]);
//! assert_knows(&mut app, bob, "pier is broken");
//! assert_believes(&mut app, bob, "pier is broken", 0.4..);
//! assert_does_not_know(&mut app, cid, "pier is broken");
//!
//! // Cid dies with his secret.
//! app.world_mut().commands().entity(cid).witness(Statement::lore("the-pier", "A chest lies under the pier."));
//! app.settle();
//! app.world_mut().commands().entity(cid).die();
//! assert_cannot_learn(&mut app, ann, "chest");
//! ```

mod assertions;
mod recording;

use std::{
    ops::{Deref, DerefMut},
    thread,
    time::{Duration, Instant},
};

use bevy::{prelude::*, time::TimeUpdateStrategy};

use crate::{bridge::MemoryErrorMessage, plugins::HearsayPlugins, schedule::pending_work, sync::IdSeed};

pub use assertions::{assert_believes, assert_cannot_learn, assert_does_not_know, assert_knows, known_facts};
pub use recording::{RecordedInput, Recording};

/// Collects all error messages during a test, because Bevy keeps messages for two frames only.
#[derive(Resource, Default)]
struct ErrorLog(Vec<String>);

fn collect_errors(mut log: ResMut<ErrorLog>, mut messages: MessageReader<MemoryErrorMessage>) {
    log.0.extend(messages.read().map(|message| message.error.to_string()));
}

/// An app without a window. Each frame advances Bevy's time by 1/60 s, and frames run as fast as possible.
///
/// If an entity has no explicit id, the plugin generates an id for it. The generated ids are the same in each run of
/// the app. If two apps open the same save and both spawn such entities, the second app needs [another
/// seed](Self::seed_ids).
pub struct SteppingApp(App);

impl Deref for SteppingApp {
    type Target = App;
    fn deref(&self) -> &App {
        &self.0
    }
}

impl DerefMut for SteppingApp {
    fn deref_mut(&mut self) -> &mut App {
        &mut self.0
    }
}

impl SteppingApp {
    /// Maximum time that [`settle`](Self::settle) waits.
    pub const SETTLE_TIMEOUT: Duration = Duration::from_secs(30);

    /// Creates an app with Bevy's minimal plugins and the given plugins. If `plugins` sets no engine settings, the
    /// sentence encoder and extraction are disabled. The app then loads no model, and search uses only keywords and the
    /// graph. Changes are sent after at most one millisecond.
    pub fn new(plugins: HearsayPlugins) -> Self {
        Self::with(plugins, |_| {})
    }

    /// Creates an app as [`new`](Self::new) does, and calls `configure` before the first frame. After the first frame,
    /// you cannot add plugins.
    pub fn with(mut plugins: HearsayPlugins, configure: impl FnOnce(&mut App)) -> Self {
        plugins.sync.interval = plugins.sync.interval.min(Duration::from_millis(1));
        plugins.memory.settings.get_or_insert_with(|| {
            let mut settings = hearsay_engine::Settings::default();
            settings.model.enabled = false;
            settings.extraction.enabled = false;
            settings
        });
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, plugins));
        configure(&mut app);
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 60.0)));
        app.init_resource::<ErrorLog>().add_systems(Last, collect_errors).insert_resource(IdSeed(0));
        app.finish();
        app.cleanup();
        Self(app)
    }

    /// Sets the seed of the generated ids of entities without an explicit id. The default is 0.
    pub fn seed_ids(&mut self, seed: u64) {
        self.0.insert_resource(IdSeed(seed));
    }

    /// Returns the text of every [`MemoryErrorMessage`] since the last call.
    pub fn take_errors(&mut self) -> Vec<String> {
        std::mem::take(&mut self.0.world_mut().resource_mut::<ErrorLog>().0)
    }

    /// Runs one frame.
    pub fn step(&mut self) {
        self.0.update();
    }

    /// Runs frames until no work is pending. Afterwards, the memory is open or has failed to open, the game's changes
    /// are committed, and the components show the memory's content.
    ///
    /// # Panics
    /// Panics if work is still pending after [`SETTLE_TIMEOUT`](Self::SETTLE_TIMEOUT).
    pub fn settle(&mut self) {
        let start = Instant::now();
        // Names are polled at intervals, so one idle frame is not enough.
        let mut idle_frames = 0;
        while idle_frames < 70 {
            self.0.update();
            idle_frames = if self.is_idle() { idle_frames + 1 } else { 0 };
            if idle_frames == 0 {
                thread::sleep(Duration::from_micros(200));
            }
            assert!(
                start.elapsed() < Self::SETTLE_TIMEOUT,
                "the app still has pending work: {}",
                self.describe_pending_work()
            );
        }
    }

    /// Returns whether no work is pending.
    pub fn is_idle(&self) -> bool {
        self.describe_pending_work().is_empty()
    }

    /// Returns a text that names the kinds of pending work, for display. The text is empty if no work is pending.
    pub fn describe_pending_work(&self) -> String {
        describe_pending_work(self.0.world())
    }
}

/// Returns a text that names the kinds of pending work in an app with [`HearsayPlugins`], for display. The text is
/// empty if no work is pending.
pub fn describe_pending_work(world: &World) -> String {
    pending_work(world).join(", ")
}
