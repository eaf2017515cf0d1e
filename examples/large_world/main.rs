//! Ten thousand characters in a hundred places. In every frame, a hundred characters walk to another place. Twice per
//! second, one character says a line and another answers a question. The diagnostics show the cost per frame.
//!
//! ```sh
//! cargo run -p hearsay_examples --example large_world
//! ```
//!
//! The example ends after `--frames N` (600) with a summary. `--people N` sets the number of characters. `--window`
//! shows each character as a dot in the colour of its place, with the figures as text.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod dots;

use std::time::Duration;

use bevy::{app::ScheduleRunnerPlugin, diagnostic::DiagnosticsStore, log::LogPlugin, prelude::*};
use bevy_hearsay::{HearsayDiagnosticsPlugin, MemoryCounts, prelude::*};
use hearsay_engine::Settings;
use hearsay_examples::{display, flag, option};

/// Number of places.
const PLACES: usize = 100;

/// Number of characters that walk in each frame.
const WALKERS: usize = 100;

/// Number of facts per character in the memory: kind, name and location.
const FACTS_EACH: usize = 3;

/// Number of characters.
#[derive(Resource)]
struct People(usize);

/// The number of a character.
#[derive(Component)]
struct Number(usize);

/// Progress of the example.
#[derive(Resource)]
struct Run {
    /// Number of frames to measure.
    frames: usize,
    /// Number of frames measured.
    done: usize,
    /// Start time.
    begun: std::time::Instant,
    /// Time until the memory contained all characters.
    ready: Option<Duration>,
    /// Time that the plugin took in each frame.
    costs: Vec<Duration>,
}

fn main() -> AppExit {
    let number = |name: &str, otherwise: usize| option(name).and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let (frames, people) = (number("--frames", 600), number("--people", 10_000));
    let mut memory = HearsayPlugins::empty();
    // The example measures the sync, which needs no vectors.
    let mut settings = Settings::default();
    settings.model.enabled = false;
    memory.memory.settings = Some(settings);
    let mut app = App::new();
    if flag("--window") {
        if let Err(why) = display() {
            eprintln!("{why}");
            return AppExit::error();
        }
        app.add_plugins((DefaultPlugins, memory, dots::plugin));
    } else {
        let pace = ScheduleRunnerPlugin::run_loop(Duration::from_secs_f64(1.0 / 60.0));
        let log = LogPlugin { filter: "warn,surrealkv=error".into(), ..default() };
        app.add_plugins((MinimalPlugins.set(pace), log, memory));
    }
    let run = Run { frames, done: 0, begun: std::time::Instant::now(), ready: None, costs: Vec::new() };
    app.insert_resource(People(people))
        .insert_resource(run)
        .add_systems(Startup, populate)
        .add_systems(Update, (wait.run_if(is_loading), (measure, live).chain().run_if(not(is_loading))))
        .run()
}

/// Returns the id of a place by number.
fn place(number: usize) -> String {
    format!("place-{}", number % PLACES)
}

fn populate(people: Res<People>, mut commands: Commands) {
    for number in 0..PLACES {
        let name = Name::new(format!("Place {number}"));
        commands.spawn((MemoryId::new(place(number)), name, Remembered::location()));
    }
    for number in 0..people.0 {
        let id = MemoryId::new(format!("npc-{number}"));
        let who = (Number(number), id, Name::new(format!("Person {number}")), Remembered::npc());
        commands.spawn(who).move_to(place(number));
    }
}

fn is_loading(run: Res<Run>) -> bool {
    run.ready.is_none()
}

/// Waits until the memory contains all characters.
fn wait(mut run: ResMut<Run>, counts: Res<MemoryCounts>, people: Res<People>) {
    let holds_all = counts.status.as_ref().is_some_and(|status| status.facts >= FACTS_EACH * people.0);
    if holds_all && counts.changes == (0, 0) && counts.records == 0 {
        let took = run.begun.elapsed();
        println!("the memory contains {} people after {:.1} s", people.0, took.as_secs_f64());
        run.ready = Some(took);
    }
}

/// Returns a pseudo-random number for a frame and a count. It is the same in every run.
fn scatter(frame: usize, count: usize) -> usize {
    (frame * WALKERS + count).wrapping_mul(0x9E37_79B9) >> 7
}

fn live(run: Res<Run>, people: Query<(Entity, &Number)>, mut who: Local<Vec<Entity>>, mut commands: Commands) {
    if who.is_empty() {
        let mut all: Vec<(usize, Entity)> = people.iter().map(|(entity, number)| (number.0, entity)).collect();
        all.sort_unstable();
        *who = all.into_iter().map(|(_, entity)| entity).collect();
    }
    let one = |count: usize| who.get(scatter(run.done, count) % who.len().max(1)).copied();
    for count in 0..WALKERS {
        if let Some(walker) = one(count) {
            commands.entity(walker).move_to(place(scatter(run.done, count) / 11));
        }
    }
    if let Some(speaker) = one(WALKERS).filter(|_| run.done.is_multiple_of(30)) {
        let news = format!("On day {} the well of this place ran dry.", run.done);
        commands.entity(speaker).say_that(news.as_str(), [Statement::lore(place(run.done), news.as_str())]);
    }
    if let Some(asked) = one(WALKERS + 1).filter(|_| run.done % 30 == 15) {
        let forget = |on: On<Answered>, mut commands: Commands| commands.entity(on.entity).despawn();
        commands.entity(asked).ask("Where is there water?").observe(forget);
    }
}

/// Formats the diagnostics for display.
fn figures(diagnostics: &DiagnosticsStore) -> String {
    let shown = [
        ("plugin µs/frame", HearsayDiagnosticsPlugin::FRAME_COST),
        ("queue", HearsayDiagnosticsPlugin::QUEUE),
        ("question ms", HearsayDiagnosticsPlugin::LATENCY),
        ("facts", HearsayDiagnosticsPlugin::FACTS),
    ];
    let of = |(name, path): &(&str, _)| {
        let value = diagnostics.get(path).and_then(|diagnostic| diagnostic.value());
        value.map_or_else(|| format!("{name} -"), |value| format!("{name} {value:.0}"))
    };
    shown.iter().map(of).collect::<Vec<_>>().join("   ")
}

fn measure(
    mut run: ResMut<Run>,
    counts: Res<MemoryCounts>,
    diagnostics: Res<DiagnosticsStore>,
    people: Res<People>,
    mut exit: MessageWriter<AppExit>,
) {
    run.costs.push(counts.frame);
    run.done += 1;
    if run.done.is_multiple_of(60) {
        println!("frame {:>5}: {}", run.done, figures(&diagnostics));
    }
    if run.done == run.frames {
        run.costs.sort_unstable();
        let at = |share: usize| run.costs[(run.costs.len() * share / 100).min(run.costs.len() - 1)].as_micros();
        let (half, most) = (at(50), at(99));
        println!(
            "{} people, {} frames with {WALKERS} walking in each: the plugin took {half} µs of a frame at p50, {most} µs at p99",
            people.0, run.frames
        );
        exit.write(AppExit::Success);
    }
}
