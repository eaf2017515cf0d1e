//! Ten thousand characters in a hundred places. In every frame, a hundred characters walk to another place. Twice per
//! second, one character says a line and another answers a question. The diagnostics show the cost per frame.
//!
//! ```sh
//! cargo run -p hearsay_examples --example large_world
//! ```
//!
//! The example measures `--frames N` frames (default: 600) and ends with a summary. `--people N` sets the number of
//! characters (default: 10,000). `--window` opens a window that shows each character as a dot in the colour of its
//! place, and the measured values as text.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod dots;

use std::time::Duration;

use bevy::{app::ScheduleRunnerPlugin, diagnostic::DiagnosticsStore, log::LogPlugin, prelude::*};
use bevy_hearsay::{HearsayDiagnosticsPlugin, MemoryCounts, engine::Settings, prelude::*};
use hearsay_examples::{display, flag, option};

/// Number of places.
const PLACES: usize = 100;

/// Number of characters that walk in each frame.
const WALKERS: usize = 100;

/// Number of facts per character in the memory: kind, name and location.
const FACTS_PER_CHARACTER: usize = 3;

/// Number of characters.
#[derive(Resource)]
struct CharacterCount(usize);

/// The number of a character.
#[derive(Component)]
struct CharacterNumber(usize);

/// Progress of the example.
#[derive(Resource)]
struct Progress {
    /// Number of frames to measure.
    frames: usize,
    /// Number of frames measured.
    done: usize,
    /// Start time.
    start: std::time::Instant,
    /// Time until the memory contained all characters.
    ready: Option<Duration>,
    /// Time that the plugin took in each frame.
    costs: Vec<Duration>,
}

fn main() -> AppExit {
    let number = |name: &str, default: usize| option(name).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (frames, people) = (number("--frames", 600), number("--people", 10_000));
    let mut plugins = HearsayPlugins::empty();
    // The example measures the sync, which needs no vectors.
    let mut settings = Settings::default();
    settings.model.enabled = false;
    plugins.memory.settings = Some(settings);
    let mut app = App::new();
    if flag("--window") {
        if let Err(reason) = display() {
            eprintln!("{reason}");
            return AppExit::error();
        }
        app.add_plugins((DefaultPlugins, plugins, dots::plugin));
    } else {
        let runner = ScheduleRunnerPlugin::run_loop(Duration::from_secs_f64(1.0 / 60.0));
        let log = LogPlugin { filter: "warn,surrealkv=error".into(), ..default() };
        app.add_plugins((MinimalPlugins.set(runner), log, plugins));
    }
    let progress = Progress { frames, done: 0, start: std::time::Instant::now(), ready: None, costs: Vec::new() };
    app.insert_resource(CharacterCount(people))
        .insert_resource(progress)
        .add_systems(Startup, populate)
        .add_systems(Update, (wait.run_if(is_loading), (measure, simulate).chain().run_if(not(is_loading))))
        .run()
}

/// Returns the id of a place by number.
fn place(number: usize) -> String {
    format!("place-{}", number % PLACES)
}

fn populate(people: Res<CharacterCount>, mut commands: Commands) {
    for number in 0..PLACES {
        let name = Name::new(format!("Place {number}"));
        commands.spawn((MemoryId::new(place(number)), name, EntityKind::location()));
    }
    for number in 0..people.0 {
        let id = MemoryId::new(format!("npc-{number}"));
        let character = (CharacterNumber(number), id, Name::new(format!("Person {number}")), EntityKind::npc());
        commands.spawn(character).move_to(place(number));
    }
}

fn is_loading(progress: Res<Progress>) -> bool {
    progress.ready.is_none()
}

/// Waits until the memory contains all characters.
fn wait(mut progress: ResMut<Progress>, counts: Res<MemoryCounts>, people: Res<CharacterCount>) {
    let is_complete = counts.status.as_ref().is_some_and(|status| status.facts >= FACTS_PER_CHARACTER * people.0);
    if is_complete && counts.changes == (0, 0) && counts.records == 0 {
        let elapsed = progress.start.elapsed();
        println!("the memory contains {} people after {:.1} s", people.0, elapsed.as_secs_f64());
        progress.ready = Some(elapsed);
    }
}

/// Returns a pseudo-random number for a frame and a count. The number is the same in every run.
fn pseudo_random(frame: usize, count: usize) -> usize {
    (frame * WALKERS + count).wrapping_mul(0x9E37_79B9) >> 7
}

fn simulate(
    progress: Res<Progress>,
    people: Query<(Entity, &CharacterNumber)>,
    mut characters: Local<Vec<Entity>>,
    mut commands: Commands,
) {
    if characters.is_empty() {
        let mut all: Vec<(usize, Entity)> = people.iter().map(|(entity, number)| (number.0, entity)).collect();
        all.sort_unstable();
        *characters = all.into_iter().map(|(_, entity)| entity).collect();
    }
    let character =
        |count: usize| characters.get(pseudo_random(progress.done, count) % characters.len().max(1)).copied();
    for count in 0..WALKERS {
        if let Some(walker) = character(count) {
            commands.entity(walker).move_to(place(pseudo_random(progress.done, count) / 11));
        }
    }
    if let Some(speaker) = character(WALKERS).filter(|_| progress.done.is_multiple_of(30)) {
        let news = format!("On day {} the well of this place ran dry.", progress.done);
        commands.entity(speaker).say_that(news.as_str(), [Statement::lore(place(progress.done), news.as_str())]);
    }
    if let Some(listener) = character(WALKERS + 1).filter(|_| progress.done % 30 == 15) {
        commands.entity(listener).ask("Where is there water?");
    }
}

/// Formats the diagnostics for display.
fn format_diagnostics(diagnostics: &DiagnosticsStore) -> String {
    let shown = [
        ("plugin µs/frame", HearsayDiagnosticsPlugin::FRAME_COST),
        ("queue", HearsayDiagnosticsPlugin::QUEUE),
        ("question ms", HearsayDiagnosticsPlugin::LATENCY),
        ("facts", HearsayDiagnosticsPlugin::FACTS),
    ];
    let format_diagnostic = |(name, path): &(&str, _)| {
        let value = diagnostics.get(path).and_then(|diagnostic| diagnostic.value());
        value.map_or_else(|| format!("{name} -"), |value| format!("{name} {value:.0}"))
    };
    shown.iter().map(format_diagnostic).collect::<Vec<_>>().join("   ")
}

fn measure(
    mut progress: ResMut<Progress>,
    counts: Res<MemoryCounts>,
    diagnostics: Res<DiagnosticsStore>,
    people: Res<CharacterCount>,
    mut exit: MessageWriter<AppExit>,
) {
    progress.costs.push(counts.frame);
    progress.done += 1;
    if progress.done.is_multiple_of(60) {
        println!("frame {:>5}: {}", progress.done, format_diagnostics(&diagnostics));
    }
    if progress.done == progress.frames {
        progress.costs.sort_unstable();
        let percentile = |percent: usize| {
            progress.costs[(progress.costs.len() * percent / 100).min(progress.costs.len() - 1)].as_micros()
        };
        let (p50, p99) = (percentile(50), percentile(99));
        println!(
            "{} people, {} frames with {WALKERS} walking in each: the plugin took {p50} µs of a frame at p50, {p99} µs at p99",
            people.0, progress.frames
        );
        exit.write(AppExit::Success);
    }
}
