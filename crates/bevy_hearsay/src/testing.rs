//! A stepping app for tests: of this crate, and of games that use it.
//!
//! ```
//! use bevy::prelude::*;
//! use bevy_hearsay::{prelude::*, testing::SteppingApp};
//!
//! let mut app = SteppingApp::new(HearsayPlugins::empty());
//! app.world_mut().spawn((Name::new("Ann"), MemoryId::new("ann"), Remembered::npc()));
//! app.settle();
//! ```

use std::{
    ops::{Deref, DerefMut},
    thread,
    time::{Duration, Instant},
};

use bevy::{prelude::*, time::TimeUpdateStrategy};

use crate::{HearsayPlugins, MemoryTrouble};

/// Messages last two frames; a test wants them all.
#[derive(Resource, Default)]
struct Troubles(Vec<String>);

fn note_troubles(mut noted: ResMut<Troubles>, mut messages: MessageReader<MemoryTrouble>) {
    noted.0.extend(messages.read().map(|trouble| trouble.what.clone()));
}

/// An app without a window that goes on by steps of 1/60 s of game time, as fast as it can.
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
    /// How long [`settle`](Self::settle) waits at most.
    pub const PATIENCE: Duration = Duration::from_secs(30);

    /// An app with Bevy's minimal plugins and these. The sentence encoder is left out, unless the settings name it: words
    /// and graph answer, and nothing is loaded. Changes gather for a millisecond at most.
    pub fn new(plugins: HearsayPlugins) -> Self {
        Self::with(plugins, |_| {})
    }

    /// The same with what else the game needs: plugins can only be added before the first step.
    pub fn with(mut plugins: HearsayPlugins, configure: impl FnOnce(&mut App)) -> Self {
        plugins.sync.interval = plugins.sync.interval.min(Duration::from_millis(1));
        plugins.memory.settings.get_or_insert_with(|| {
            let mut settings = hearsay_memory::Settings::default();
            settings.model.enabled = false;
            settings.extraction.enabled = false;
            settings
        });
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, plugins));
        configure(&mut app);
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 60.0)));
        app.init_resource::<Troubles>().add_systems(Last, note_troubles);
        app.finish();
        app.cleanup();
        Self(app)
    }

    /// What went wrong since this was last asked: every [`MemoryTrouble`].
    pub fn take_troubles(&mut self) -> Vec<String> {
        std::mem::take(&mut self.0.world_mut().resource_mut::<Troubles>().0)
    }

    /// One frame.
    pub fn step(&mut self) {
        self.0.update();
    }

    /// Goes on until nothing waits any more: the memory is open, or failed to open; what the game said is committed, and
    /// what the memory holds is shown.
    ///
    /// # Panics
    /// When that takes longer than [`PATIENCE`](Self::PATIENCE).
    pub fn settle(&mut self) {
        let begun = Instant::now();
        // Names are polled now and then.
        let mut quiet = 0;
        while quiet < 70 {
            self.0.update();
            quiet = if self.is_quiet() { quiet + 1 } else { 0 };
            if quiet == 0 {
                thread::sleep(Duration::from_micros(200));
            }
            assert!(begun.elapsed() < Self::PATIENCE, "the app does not come to rest: {}", self.what_waits());
        }
    }

    /// Whether nothing waits.
    pub fn is_quiet(&self) -> bool {
        self.what_waits().is_empty()
    }

    /// What waits, for people; empty, when nothing does.
    pub fn what_waits(&self) -> String {
        what_waits(self.0.world())
    }
}

/// What waits in a game with the plugin, for people; empty, when nothing does.
pub fn what_waits(world: &World) -> String {
    let waits = crate::steps::waits(world);
    waits.iter().filter(|(_, waits)| *waits).map(|(what, _)| *what).collect::<Vec<_>>().join(", ")
}
