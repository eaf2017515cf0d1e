//! NPC memory for Bevy: what each character knows, who told them, and how sure they are.
//!
//! One plugin group keeps a campaign's people, places and factions as entities of a Bevy game. It syncs them to an
//! embedded graph database in which every fact has provenance. Characters hear what others say, and can pass it on.
//! When the game asks a character a question, the plugin finds what *this* character may know and say. The answer takes
//! milliseconds, works offline, and is ready for a language model or a template.
//!
//! # Quick start
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bevy_hearsay::prelude::*;
//!
//! #[derive(Component)]
//! #[require(Remembered::npc())]
//! struct Blacksmith;
//!
//! fn main() {
//!     App::new()
//!         .add_plugins((DefaultPlugins, HearsayPlugins::new_game("campaigns/gullhaven", "saves/slot1")))
//!         .add_systems(Startup, setup)
//!         .run();
//! }
//!
//! fn setup(mut commands: Commands) {
//!     commands
//!         .spawn((Blacksmith, MemoryId::new("grimjaw-ironhand"), Name::new("Grimjaw Ironhand")))
//!         .ask("Where is the harbour ledger?")
//!         .observe(|on: On<Answered>, replies: Query<&Reply<Answer>>| {
//!             if let Ok(Reply(answer)) = replies.get(on.entity) {
//!                 info!("{}", answer.context.render(Form::Prompt, false));
//!             }
//!         });
//! }
//! ```
//!
//! # Plugins
//!
//! [`HearsayPlugins`] is a plugin group. Each of its plugins is public, has its settings as public fields with
//! documented defaults, and can be disabled or replaced. [`HearsayPlugins::new_game`], [`open`](HearsayPlugins::open)
//! and [`new_or_continue`](HearsayPlugins::new_or_continue) select where a game starts.
//! [`headless`](HearsayPlugins::headless) is for a dedicated server. No plugin needs a window, a renderer or assets.
//!
//! # Components
//!
//! | component | meaning | written by |
//! |---|---|---|
//! | [`MemoryId`] | stable id: binds the entity to the entity of the campaign or save with this id, or creates that entity | the game; the plugin if the game sets none |
//! | [`Remembered`] | kind of the entity; added by a game's own components with `#[require]` | both |
//! | [`Name`] | Bevy's component; may change in place; polled every 50 ms | both |
//! | [`PlaceId`] | stable id of the place where the entity is | both |
//! | [`LocatedIn`], [`Occupants`] | the same place as a relationship between entities, for loaded places | the plugin |
//! | [`Attributes`] | attributes with one value each | both |
//! | [`Relation`] on an entity with [`RelationOf`], [`RelatesTo`] | memberships and other relations | both |
//! | any component that implements [`SyncedAttribute`] | a game's own component, stored as an attribute | both |
//! | [`PreferGameState`] | at binding, the game's values replace the saved values | the game |
//! | [`SpawnedByHearsay`] | marks an entity that the plugin spawned | the plugin |
//! | [`QuestionState`], [`Reply`], [`AskedOf`] | the state of a question, its reply, and the character asked | the plugin |
//!
//! All components implement `Reflect` and are registered. With the feature `serialize` they also implement `Serialize`
//! and `Deserialize`. Every component that a scene names can be used in `bsn!`.
//!
//! # Commands, events, messages
//!
//! Input: the commands of [`EntityMemoryCommands`] (`say`, `tell`, `witness`, `read_document`, `reveal`, `move_to`,
//! `join`, `leave`, …), of [`EntityQuestionCommands`] (`ask`, `neighbours`, `beliefs_about`, `knowledge`), of
//! [`MemoryCommands`] (`search_memory`, `inquire`), of [`SessionCommands`] (`start_session`, `log_line`, `end_session`,
//! …) and of [`SaveCommands`]; or the event [`GameEvent`], which also sets the author and the hearers, and the event
//! [`SessionEvent`].
//!
//! Output: the entity events [`Answered`], [`Unanswered`] and [`Forgotten`], and the messages [`MemoryChanged`],
//! [`MemoryErrorMessage`], [`SecretRevealable`], [`SessionStarted`], [`SessionEnded`], [`SlotSaved`] and
//! [`SlotLoaded`].
//!
//! # Sets
//!
//! | set | schedule | purpose |
//! |---|---|---|
//! | [`HearsaySystems::Receive`] | `PreUpdate` | takes the memory's answers |
//! | [`HearsaySystems::Apply`] | `PreUpdate`, after `Receive` | writes the answers to components, within a budget (0.5 ms per frame) |
//! | [`HearsaySystems::Collect`] | `PostUpdate` | collects the game's changes |
//! | [`HearsaySystems::Send`] | `PostUpdate`, after `Collect` | sends changes, game events, saves and questions |
//!
//! Put systems that read the memory's answers in `Update`: they see an answer in the frame in which it arrives. The run
//! conditions are [`memory_ready`] and [`memory_loading`]. [`LoadProgress`] has numbers for a loading screen.
//!
//! # Guarantees
//!
//! - **No system blocks.** The game's threads touch no file, database, lock or model. The exception is exit: closing
//!   waits for at most [`MemoryPlugin::exit_patience`]. Queues are bounded. A request that does not fit is retried or
//!   reported, and never dropped silently.
//! - **No lost update, no echo.** Changes of one entity and field gather for 250 ms and become one operation with the
//!   game as its author. Changes from elsewhere (an import, a DM, undo, loading a slot) become changes of components.
//!   If both sides change one field, the game's pending change is applied on top of the other. When both sides are
//!   idle, components and memory are equal: a property test makes random edits on both sides.
//! - **Order is kept.** A move takes effect before a later line is said. A line takes effect before a later question is
//!   asked.
//! - **Despawning is unloading.** It does not change the memory. Dying ([`die`](EntityMemoryCommands::die)), leaving
//!   and forgetting are explicit commands. [`erase`](EntityMemoryCommands::erase) removes an entity from the memory
//!   until the removal is undone.
//! - **Acknowledged operations survive a crash.** Each operation is on the disk before its effects are shown. A crash
//!   loses only the changes that still gather (at most 250 ms). A game that exits sends them first.
//! - **A character is told nothing that it cannot know**: see the engine's crate, `hearsay_memory`.
//! - **Nothing panics on input.** Invalid input produces a [`MemoryErrorMessage`] that says what to do, and stops
//!   nothing else.
//!
//! # Saves
//!
//! A save is a directory with one database. [Slots](SaveCommands) are positions in its journal. Saving a slot costs one
//! small write. Loading a slot removes everything that came after it from every memory, index and pending question. A
//! new version of the campaign updates a save by the rules of imports: recorded play is not overwritten. An entity that
//! the *plugin* spawned is despawned when the memory no longer holds it. An entity that the *game* spawned receives
//! [`Forgotten`].
//!
//! # Threads
//!
//! | thread | count | set by |
//! |---|---|---|
//! | `hearsay-worker` | 1: owns state and index | |
//! | `hearsay-encoder` and its pool | `model.threads` in `hearsay.toml`, default 2; 1 on two cores | [`MemoryPlugin::settings`] |
//! | store runtime | 2, nearly always idle | |
//! | SurrealDB's own pool | 16 on small machines, idle | the environment variable `SURREAL_KVS_THREADPOOL_SIZE`, before the start |
//! | Bevy's pools | all cores | [`TaskPoolPlugin`] |
//!
//! All of the memory's threads give way to the game's threads ([`MemoryPlugin::gives_way`]). On Linux, Android and
//! Windows they have a lower priority, so that no frame waits for a processor that a commit uses.
//!
//! On two cores, give the encoder one thread. Embedding a question then takes 2.2 ms instead of 1.7 ms, and the game
//! keeps a core for itself. Embedding of new texts yields to questions.
//!
//! # Troubleshooting
//!
//! **The memory records nothing.** Check whether [`MemoryState`] is `Failed`: it contains the reason. Read the
//! [`MemoryErrorMessage`] messages, or run with `RUST_LOG=bevy_hearsay=debug`.
//!
//! **The second of two entities is not bound.** Both have the same [`MemoryId`]. A message names both.
//!
//! **A name or place that the game sets is overwritten at the start.** Saved values take precedence. Add
//! [`PreferGameState`], or start a [new game](HearsayPlugins::new_game).
//!
//! **Nobody hears a line.** By default, the characters at the same place according to the memory hear it. Give them
//! [`PlaceId`], or set [`Earshot`].
//!
//! **A character of the campaign hears nothing.** The key `home` in a campaign file says where a character lives, not
//! where it is. Add a `location`, or move the character there.
//!
//! **A fact that is passed on has no source.** A sentence ([`Statement::lore`]) is a claim of its speaker. To pass on
//! existing knowledge, tell the fact itself ([`Statement::fact`]), by the id that
//! [`knowledge`](EntityQuestionCommands::knowledge) and citations contain. The hearer then knows the fact from the
//! teller, and the teller from its own source.
//!
//! **Answers take seconds.** The encoder was built without optimisation. Add the profile of the README to the game's
//! `Cargo.toml`. If there is no model, [`EncoderStatus`] contains the reason; answers then come from words and the
//! graph.
//!
//! **There are too many entities.** Set [`SpawnPolicy`] to the surroundings of the scene. It can change at run time.
//!
//! # Features
//!
//! | feature | default | effect |
//! |---|---|---|
//! | `serialize` | no | components implement `Serialize` and `Deserialize`, and reflect both |
//! | `bundled-model` | no | compiles the sentence encoder's model into the program: 45 MB |
//!
//! # Not supported
//!
//! Wasm and consoles: SurrealKV needs files and threads. Two games, or a game and the program `hearsay`, on one save at
//! a time: the second process fails with an error that names the lock holder.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod commands;
mod components;
mod diagnostics;
mod game_events;
mod memory;
mod plugins;
mod questions;
mod saves;
mod sessions;
mod steps;
mod sync;
pub mod testing;

use bevy::prelude::*;

pub use commands::EntityMemoryCommands;
pub use components::{
    Attributes, LocatedIn, MemoryId, Occupants, PlaceId, PreferGameState, RelatedFrom, RelatesTo, Relation, RelationOf,
    Relations, Remembered, SpawnedByHearsay,
};
pub use diagnostics::{HearsayDiagnosticsPlugin, MemoryCounts};
pub use game_events::{Earshot, GameAction, GameEvent, GameEventsPlugin, Statement, Target};
pub use memory::{
    EncoderStatus, LoadProgress, MemoryChanged, MemoryErrorMessage, MemoryExit, MemoryPlugin, MemoryState, NpcMemory,
    SecretRevealable, Start, memory_loading, memory_ready,
};
pub use plugins::HearsayPlugins;
pub use questions::{
    Answered, AskedOf, EntityQuestionCommands, MemoryCommands, Question, QuestionState, Questions, QuestionsPlugin,
    Reply, Unanswered,
};
pub use saves::{Autosave, SaveCommands, SavesPlugin, SlotLoaded, SlotSaved};
pub use sessions::{NewSession, SessionCommands, SessionEnded, SessionEvent, SessionStarted};
pub use sync::{Forgotten, GameClock, RememberAppExt, SpawnPolicy, SyncPlugin, SyncedAttribute};

/// System sets of the plugin. [`Receive`](Self::Receive) and [`Apply`](Self::Apply) are in [`PreUpdate`],
/// [`Collect`](Self::Collect) and [`Send`](Self::Send) in [`PostUpdate`]. Each set runs after the previous one.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HearsaySystems {
    /// Takes the memory's answers.
    Receive,
    /// Writes the answers to components, within the budget of the frame.
    Apply,
    /// Collects the game's changes.
    Collect,
    /// Sends changes, game events, saves and questions.
    Send,
}

/// The items that most games need.
pub mod prelude {
    pub use hearsay_memory::{Answer, Search, SearchResults};
    pub use hearsay_model::{Author, EntityId, Kind, Value};
    pub use hearsay_recall::{Form, SceneContext};

    pub use crate::{
        Answered, AskedOf, Attributes, Earshot, EntityMemoryCommands, EntityQuestionCommands, GameAction, GameClock,
        GameEvent, HearsayPlugins, HearsaySystems, LoadProgress, LocatedIn, MemoryChanged, MemoryCommands,
        MemoryErrorMessage, MemoryId, MemoryState, NewSession, Occupants, PlaceId, PreferGameState, Question,
        QuestionState, Relation, Relations, RememberAppExt, Remembered, Reply, SaveCommands, SessionCommands,
        SessionEnded, SessionStarted, SpawnPolicy, Statement, SyncedAttribute, Target, Unanswered, memory_ready,
    };
}
