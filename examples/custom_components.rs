//! A game's own components beside those of the plugin:
//!
//! - `app.remember::<Mood>()` keeps a component as an attribute, so that it is saved, undone and known like other facts;
//! - `#[require(Remembered::npc())]` makes every `Blacksmith` one that remembers;
//! - an earshot of the game's own: the deaf hear nothing;
//! - an observer dresses what the plugin spawns: everybody of the campaign gets a `Portrait`.
//!
//! ```sh
//! cargo run -p hearsay_examples --example custom_components
//! ```

#![allow(clippy::print_stdout)]

use bevy::prelude::*;
use bevy_hearsay::prelude::*;
use hearsay_examples::campaign;
use hearsay_memory::{
    World as MemoryWorld,
    query::{KnowsFilter, knows},
};

/// How somebody feels. The memory keeps it as the attribute `mood`.
#[derive(Component, Debug, Clone, PartialEq)]
enum Mood {
    Calm,
    Furious,
}

impl Remember for Mood {
    const ATTRIBUTE: &'static str = "mood";

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

/// Whoever gets this is remembered as a character.
#[derive(Component)]
#[require(Remembered::npc(), Mood = Mood::Calm)]
struct Blacksmith;

/// Hears nothing.
#[derive(Component)]
struct Deaf;

/// What the game adds to everybody, whoever spawned it. A real game adds a sprite or a model.
#[derive(Component)]
struct Portrait(String);

fn main() -> AppExit {
    let mut plugins = HearsayPlugins::unsaved(campaign("tiny-tavern"));
    plugins.happenings.earshot = Earshot::custom(hearers);
    App::new()
        .add_plugins((MinimalPlugins, plugins))
        .remember::<Mood>()
        .add_observer(dress)
        .add_systems(Update, begin.run_if(memory_ready.and_then(run_once)))
        .run()
}

/// Everybody in the same room who is not deaf.
fn hearers(world: &World, speaker: Entity) -> Vec<Entity> {
    let room = world.get::<At>(speaker).and_then(|at| world.get::<Present>(at.0));
    let can_hear = |other: &Entity| world.get::<Deaf>(*other).is_none();
    room.into_iter().flat_map(|present| present.iter()).filter(can_hear).collect()
}

/// The plugin spawned somebody of the campaign, or the game did.
fn dress(added: On<Add, Remembered>, people: Query<(&Remembered, &MemoryId)>, mut commands: Commands) {
    if let Ok((kind, id)) = people.get(added.entity)
        && kind.0.is_character()
    {
        commands.entity(added.entity).insert(Portrait(format!("portraits/{id}.png")));
    }
}

fn begin(mut commands: Commands) {
    let who = (Blacksmith, MemoryId::new("brynja"), Name::new("Brynja"));
    let brynja = commands.spawn(who).move_to("the-last-crumb").id();
    let listener = (Remembered::npc(), MemoryId::new("old-hob"), Name::new("Old Hob"), Deaf);
    commands.spawn(listener).move_to("the-last-crumb");
    // Tilda and Rook live here, but nobody says that they are in tonight; Gaffer Moss is.
    // A question is answered once all that came before it is known: then she can be quarrelled with.
    commands.entity(brynja).ask("Who is here?").observe(quarrel);
}

/// Brynja is there by now, and so is everybody of the campaign.
fn quarrel(_: On<Answered>, smith: Single<Entity, With<Blacksmith>>, mut commands: Commands) {
    commands
        .entity(*smith)
        .insert(Mood::Furious)
        .say_that("Somebody salted my quenching water!", [What::lore("brynja", "Brynja's quenching water was salted.")])
        .ask("What is your mood?")
        .observe(look_around);
}

/// Who heard it.
type Heard = Vec<(String, bool)>;

/// Looks at what everybody knows of it now.
fn look_around(
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
    let ids: Vec<String> = people.iter().map(|(id, _)| id.to_string()).collect();
    let salted = KnowsFilter { words: Some("salted".to_owned()), limit: 1, ..KnowsFilter::default() };
    let who_heard = move |world: &MemoryWorld| {
        let heard = |id: &String| Ok((id.clone(), !knows(&world.state, id, &salted, None)?.0.is_empty()));
        ids.iter().map(heard).collect::<Result<Heard, _>>()
    };
    commands.inquire(who_heard).observe(print);
    Ok(())
}

fn print(answered: On<Answered>, replies: Query<&Reply<Heard>>, mut exit: MessageWriter<AppExit>) -> Result {
    for (id, heard) in &replies.get(answered.entity)?.0 {
        println!("{id} {}", if *heard { "knows of the salted water" } else { "heard nothing" });
    }
    exit.write(AppExit::Success);
    Ok(())
}
