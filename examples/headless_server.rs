//! A dedicated server without a window, at sixty frames per second. A crier walks through a town and tells the news at
//! every place. The baker passes on the news that she hears. After five seconds, the server prints which characters
//! heard the news and from whom, and exits.
//!
//! ```sh
//! cargo run -p hearsay_examples --example headless_server
//! ```

#![allow(clippy::print_stdout)]

use std::time::Duration;

use bevy::{app::ScheduleRunnerPlugin, log::LogPlugin, prelude::*};
use bevy_hearsay::{
    AskedOf, MemoryCounts,
    engine::{MemoryError, ReadSnapshot},
    prelude::*,
    query::knowledge::{KnowsFilter, KnowsRow, knows},
};

/// Frames per second. The game clock advances one minute per frame.
const FRAMES_PER_SECOND: f64 = 60.0;

/// Time between two moves of a character, in seconds.
const STEP_SECONDS: f32 = 0.5;

/// Number of moves before the server exits.
const STEP_COUNT: usize = 10;

const PLACES: [(&str, &str); 5] = [
    ("market", "The Market"),
    ("mill", "The Mill"),
    ("harbour", "The Harbour"),
    ("chapel", "The Chapel"),
    ("bridge", "The Bridge"),
];

/// The characters of the town: id, name and home.
const PEOPLE: [(&str, &str, &str); 5] = [
    ("crier", "Wat the Crier", "market"),
    ("baker", "Nell the Baker", "market"),
    ("miller", "Gunnar the Miller", "mill"),
    ("fisher", "Ysolde the Fisher", "harbour"),
    ("sexton", "Brother Aldo", "chapel"),
];

const NEWS: &str = "The bridge toll doubles on market days.";

/// A character that walks from place to place and passes on its news.
#[derive(Component)]
struct Route {
    /// The places that the character visits, in order.
    stops: &'static [&'static str],
    /// Number of moves that the character has made.
    moves_made: usize,
}

fn main() -> AppExit {
    let runner = ScheduleRunnerPlugin::run_loop(Duration::from_secs_f64(1.0 / FRAMES_PER_SECOND));
    let log = LogPlugin { filter: "warn,surrealkv=error".into(), ..default() };
    App::new()
        .add_plugins((MinimalPlugins.set(runner), log, HearsayPlugins::empty().headless()))
        .insert_resource(GameClock(Some(8 * 60)))
        .add_systems(Startup, spawn_town)
        .add_systems(
            Update,
            (
                advance_clock,
                walk_routes.run_if(bevy::time::common_conditions::on_timer(Duration::from_secs_f32(STEP_SECONDS))),
            )
                .run_if(memory_ready),
        )
        .run()
}

fn spawn_town(mut commands: Commands) {
    for (id, name) in PLACES {
        commands.spawn((MemoryId::new(id), Name::new(name), EntityKind::location()));
    }
    for (id, name, home) in PEOPLE {
        let mut character = commands.spawn((MemoryId::new(id), Name::new(name), EntityKind::npc()));
        character.move_to(home);
        match id {
            "crier" => {
                let stops = &["market", "mill", "market", "chapel"];
                character.insert(Route { stops, moves_made: 0 }).witness(Statement::lore("bridge", NEWS));
            }
            "baker" => _ = character.insert(Route { stops: &["market", "market", "market", "harbour"], moves_made: 0 }),
            _ => {}
        }
    }
}

fn advance_clock(mut clock: ResMut<GameClock>) {
    clock.0 = clock.0.map(|minutes| minutes + 1);
}

fn walk_routes(
    mut walkers: Query<(Entity, &mut Route)>,
    mut steps: Local<usize>,
    mut commands: Commands,
    counts: Res<MemoryCounts>,
) {
    *steps += 1;
    for (entity, mut route) in &mut walkers {
        let place = route.stops[route.moves_made % route.stops.len()];
        route.moves_made += 1;
        commands.entity(entity).move_to(place).knowledge(20).observe(tell_news);
    }
    println!("step {}: the plugin took {:?} of this frame", *steps, counts.frame);
    if *steps == STEP_COUNT {
        commands.read_memory(read_news_knowledge).observe(print);
    }
}

/// Tells the news to everyone at the place. `Statement::fact` passes on the fact that the speaker knows, so the
/// hearers' knowledge depends on the speaker's knowledge. A sentence that the speaker does not know as a fact would be
/// a new claim of the speaker.
fn tell_news(
    answered: On<Answered>,
    replies: Query<(&Reply<Vec<KnowsRow>>, &AskedOf)>,
    mut commands: Commands,
) -> Result {
    let (Reply(rows), speaker) = replies.get(answered.entity)?;
    if let Some(row) = rows.iter().find(|row| row.subject.as_str() == "bridge" && row.predicate.as_str() == "lore") {
        commands.entity(speaker.0).say_that(format!("Have you heard? {}", row.statement), [Statement::fact(row.fact)]);
    }
    Ok(())
}

/// Names of the characters, each with the news that the character has heard. `None` if the character has heard no news.
type NewsKnowledge = Vec<(String, Option<KnowsRow>)>;

/// Reads which characters know the news about the toll, on the memory's thread.
fn read_news_knowledge(world: &ReadSnapshot) -> Result<NewsKnowledge, MemoryError> {
    let filter = KnowsFilter { words: Some("toll".to_owned()), limit: 1, ..KnowsFilter::default() };
    let read_character = |(id, name, _): &(&str, &str, &str)| {
        let (rows, _) = knows(&world.state, &EntityId::new(id)?, &filter, None)?;
        Ok(((*name).to_owned(), rows.into_iter().next()))
    };
    PEOPLE.iter().map(read_character).collect()
}

fn print(answered: On<Answered>, replies: Query<&Reply<NewsKnowledge>>, mut exit: MessageWriter<AppExit>) {
    let Ok(Reply(heard)) = replies.get(answered.entity) else { return };
    for (name, row) in heard {
        match row {
            Some(row) => {
                println!("{name}: {} ({}, {:.0} % sure)", row.statement, row.acquisition, row.credence * 100.0)
            }
            None => println!("{name} has not heard of the toll"),
        }
    }
    exit.write(AppExit::Success);
}
