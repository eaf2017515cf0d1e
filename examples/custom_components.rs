//! A game's own components next to the components of the plugin:
//!
//! - `app.sync_attribute::<Mood>()` stores the component `Mood` as an attribute. The attribute is a fact: its value is
//!   saved, and a change of its value can be undone. `AUDIENCE` decides which characters know the value, and
//!   `IN_PROMPTS` decides whether answers may contain the value.
//! - `#[require(EntityKind::npc())]` binds every `Blacksmith` to a character in the memory.
//! - A custom `Earshot` decides who hears a line: deaf characters hear nothing.
//! - An observer adds a `Portrait` to every character of the campaign that the plugin spawns.
//!
//! ```sh
//! cargo run -p hearsay_examples --example custom_components
//! ```

#![allow(clippy::print_stdout)]

use bevy::prelude::*;
use bevy_hearsay::{
    engine::ReadSnapshot,
    prelude::*,
    query::knowledge::{KnowsFilter, knows},
};
use hearsay_examples::campaign;

/// The mood of a character. The memory stores it as the attribute `mood`.
#[derive(Component, Debug, Clone, PartialEq)]
enum Mood {
    Calm,
    Furious,
}

impl SyncedAttribute for Mood {
    const ATTRIBUTE: &'static str = "mood";
    // Everyone who lives with a character notices its mood. By default, only the character itself would know it.
    const AUDIENCE: Audience = Audience::Local;
    const IN_PROMPTS: bool = true;

    fn to_value(&self) -> Value {
        Value::from(if *self == Self::Calm { "calm" } else { "furious" })
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value.to_string().as_str() {
            "calm" => Some(Self::Calm),
            "furious" => Some(Self::Furious),
            _ => None,
        }
    }
}

/// Marks a blacksmith. The required component binds the entity to a character in the memory.
#[derive(Component)]
#[require(EntityKind::npc(), Mood = Mood::Calm)]
struct Blacksmith;

/// Marks a character that hears nothing.
#[derive(Component)]
struct Deaf;

/// A component that the game adds to every character, whether the game or the plugin spawned it. A real game adds a
/// sprite or a model.
#[derive(Component)]
struct Portrait(String);

fn main() -> AppExit {
    let mut plugins = HearsayPlugins::unsaved(campaign("tiny-tavern"));
    plugins.game_events.earshot = Earshot::custom(hearers);
    App::new()
        .add_plugins((MinimalPlugins, plugins))
        .sync_attribute::<Mood>()
        .add_observer(add_portrait)
        .add_systems(Update, setup.run_if(memory_ready.and_then(run_once)))
        .run()
}

/// Returns the characters in the same room that are not deaf.
fn hearers(world: &World, speaker: Entity) -> Vec<Entity> {
    let room = world.get::<LocatedIn>(speaker).and_then(|at| world.get::<Occupants>(at.0));
    let can_hear = |other: &Entity| world.get::<Deaf>(*other).is_none();
    room.into_iter().flat_map(|present| present.iter()).filter(can_hear).collect()
}

/// Adds a portrait to each character that the plugin or the game spawned.
fn add_portrait(added: On<Add, EntityKind>, people: Query<(&EntityKind, &MemoryId)>, mut commands: Commands) {
    if let Ok((kind, id)) = people.get(added.entity)
        && kind.0.is_character()
    {
        commands.entity(added.entity).insert(Portrait(format!("portraits/{id}.png")));
    }
}

fn setup(mut commands: Commands) {
    let blacksmith = (Blacksmith, MemoryId::new("brynja"), Name::new("Brynja"));
    let brynja = commands.spawn(blacksmith).move_to("the-last-crumb").id();
    let listener = (EntityKind::npc(), MemoryId::new("old-hob"), Name::new("Old Hob"), Deaf);
    commands.spawn(listener).move_to("the-last-crumb");
    // The campaign says that Gaffer Moss is in the tavern. Tilda and Rook live here, but the campaign does not say
    // where they are now. The answer to the question arrives after all earlier events are recorded. Then
    // `complain_about_water` runs.
    commands.entity(brynja).ask("Who is here?").observe(complain_about_water);
}

/// Makes Brynja say a line. Runs once Brynja and all characters of the campaign are loaded.
fn complain_about_water(_: On<Answered>, smith: Single<Entity, With<Blacksmith>>, mut commands: Commands) {
    commands
        .entity(*smith)
        .insert(Mood::Furious)
        .say_that(
            "Somebody salted my quenching water!",
            [Statement::lore("brynja", "Brynja's quenching water was salted.")],
        )
        .ask("What is your mood?")
        .observe(print_moods);
}

/// Ids of the characters. The flag of each id is true if the character heard the line.
type HearerFlags = Vec<(String, bool)>;

/// Prints the moods and portraits, and asks the memory which characters heard the line.
fn print_moods(
    answered: On<Answered>,
    answers: Query<&Reply<Answer>>,
    people: Query<(&MemoryId, &Portrait)>,
    mut commands: Commands,
) -> Result {
    let context = &answers.get(answered.entity)?.0.context;
    let mood = context.sections.iter().flat_map(|section| &section.lines).find(|line| line.text.contains("furious"));
    println!("Brynja of herself: {}", mood.map_or("(nothing)", |line| &line.text));
    for (id, Portrait(portrait)) in &people {
        println!("{id} looks like {portrait}");
    }
    let ids: Vec<EntityId> = people.iter().filter_map(|(id, _)| id.get().cloned()).collect();
    let filter = KnowsFilter { words: Some("salted".to_owned()), limit: 1, ..KnowsFilter::default() };
    let read_hearers = move |world: &ReadSnapshot| {
        let heard = |id: &EntityId| Ok((id.to_string(), !knows(&world.state, id, &filter, None)?.0.is_empty()));
        ids.iter().map(heard).collect::<Result<HearerFlags, _>>()
    };
    commands.read_memory(read_hearers).observe(print);
    Ok(())
}

fn print(answered: On<Answered>, replies: Query<&Reply<HearerFlags>>, mut exit: MessageWriter<AppExit>) -> Result {
    for (id, heard) in &replies.get(answered.entity)?.0 {
        println!("{id} {}", if *heard { "knows of the salted water" } else { "heard nothing" });
    }
    exit.write(AppExit::Success);
    Ok(())
}
