//! NPC memory for Bevy: who knows what, who told them, and how sure they are.
//!
//! One plugin group keeps a campaign's people, places and factions as entities of a Bevy game, synced to an embedded graph
//! database in which every fact has provenance. What somebody says, others hear; what they heard, they can pass on; and
//! when one is asked, the plugin finds what *this* character may know and say, in milliseconds and offline, ready for a
//! language model or a template.
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
//! [`HearsayPlugins`] is a group; each of its plugins is public, has its settings as public fields with documented
//! defaults, and can be disabled or replaced. [`HearsayPlugins::new_game`], [`open`](HearsayPlugins::open) and
//! [`new_or_continue`](HearsayPlugins::new_or_continue) say where a game starts;
//! [`headless`](HearsayPlugins::headless) is for a dedicated server. Nothing here needs a window, a renderer or assets.
//!
//! # Components
//!
//! | component | what it is | who writes it |
//! |---|---|---|
//! | [`MemoryId`] | the stable id: binds the entity to the one of the campaign or save, or creates it | the game; the plugin where there is none |
//! | [`Remembered`] | its kind; pulled in by a game's own components with `#[require]` | both |
//! | [`Name`] | Bevy's, mutable, looked at every 50 ms | both |
//! | [`Whereabouts`] | the stable id of the place where it is | both |
//! | [`At`], [`Present`] | the same as entities, for places that are loaded | the plugin |
//! | [`Attributes`] | one value each | both |
//! | [`Relation`] on an entity with [`RelationOf`], [`RelatesTo`] | memberships and other relations | both |
//! | any component that is [`Remember`] | a game's own, kept as an attribute | both |
//! | [`Overwrite`] | the game's word counts over what is saved, when it is bound | the game |
//! | [`Materialised`] | the plugin spawned it by itself | the plugin |
//! | [`Inquiry`], [`Reply`], [`AskedOf`] | a question, its reply, and who was asked | the plugin |
//!
//! All are `Reflect` and registered; with the feature `serialize` they are serialisable too. All that a scene names can be
//! used in `bsn!`.
//!
//! # Commands, events, messages
//!
//! In: the commands of [`EntityMemoryCommands`] (`say`, `tell`, `witness`, `read_document`, `reveal`, `move_to`, `join`,
//! `leave`, …), of [`EntityQuestionCommands`] (`ask`, `neighbours`, `beliefs_about`, `knowledge`), of [`MemoryCommands`]
//! (`search_memory`, `inquire`), of [`SessionCommands`] (`start_session`, `log_line`, `end_session`, …) and of
//! [`SaveCommands`]; or the events [`Happens`], which has its author and hearers, and [`SessionHappens`].
//! Out: the entity events [`Answered`], [`Unanswered`] and [`Forgotten`], and the messages [`MemoryChanged`],
//! [`MemoryTrouble`], [`SecretRevealable`], [`SessionStarted`], [`SessionEnded`], [`SlotSaved`] and [`SlotLoaded`].
//!
//! # Sets
//!
//! | set | schedule | what it does |
//! |---|---|---|
//! | [`HearsaySystems::Receive`] | `PreUpdate` | takes what the memory answered |
//! | [`HearsaySystems::Apply`] | `PreUpdate`, after it | turns it into components, within a budget (0.5 ms a frame) |
//! | [`HearsaySystems::Collect`] | `PostUpdate` | looks at what the game changed |
//! | [`HearsaySystems::Send`] | `PostUpdate`, after it | sends changes, happenings, saves and questions |
//!
//! Systems that read what the memory says belong in `Update`; they see it in the frame in which it comes. Run conditions:
//! [`memory_ready`], [`memory_loading`]; [`LoadProgress`] has numbers for a loading screen.
//!
//! # Guarantees
//!
//! - **No system waits.** No file, database, lock or model is touched on the game's threads, but at exit, where closing is
//!   waited for, and not longer than [`MemoryPlugin::exit_patience`]. Queues are bounded; what does not fit is tried
//!   again or said, never dropped in silence.
//! - **No lost update, no echo.** Changes of one entity and field gather for 250 ms and become one operation with the game
//!   as its author; changes from elsewhere (an import, a DM, undo, loading a slot) become changes of components. Where
//!   both change one field, the game's pending change is made on top of the other. When all has come to rest, components
//!   and memory are the same: a property test plays random edits on both sides.
//! - **What happens is told in its order.** A move counts for what is said after it; what is said counts for what is
//!   asked after it.
//! - **Despawning is unloading.** It says nothing to the memory. Dying ([`die`](EntityMemoryCommands::die)), leaving and
//!   forgetting are said; [`erase`](EntityMemoryCommands::erase) takes somebody out of the world for good, or until undo.
//! - **What is acknowledged survives a crash.** Each operation is on the disk before its effects are shown; what gathers
//!   (at most 250 ms of changes) is what a crash can cost. A game that exits sends it first.
//! - **A character is told nothing that it cannot know**: see the engine's crate, `hearsay_memory`.
//! - **Nothing panics on input.** What cannot be is a [`MemoryTrouble`], with what to do, and stops nothing else.
//!
//! # Saves
//!
//! A save is a directory with one database. [Slots](SaveCommands) are positions in its journal: saving one costs one small
//! write; loading one leaves nothing of what came after in any memory, index or question under way. A new version of the
//! campaign updates a save by the rules of imports: what was played is not overwritten. What the *plugin* spawned goes
//! when the memory holds it no more; what the *game* spawned is told by [`Forgotten`].
//!
//! # Threads
//!
//! | thread | how many | who sets it |
//! |---|---|---|
//! | `hearsay-worker` | 1: owns state and index | |
//! | `hearsay-encoder` and its pool | `model.threads` in `hearsay.toml`, default 2; 1 on two cores | [`MemoryPlugin::settings`] |
//! | store runtime | 2, nearly always idle | |
//! | SurrealDB's own pool | 16 on small machines, idle | the environment variable `SURREAL_KVS_THREADPOOL_SIZE`, before the start |
//! | Bevy's pools | all cores | [`TaskPoolPlugin`] |
//!
//! All of the memory's threads give way to the game's ([`MemoryPlugin::gives_way`]): on Linux, Android and Windows they have a
//! lower priority, so that no frame waits for a processor that a commit has.
//!
//! On two cores, give the encoder one thread: a question then takes 2.2 ms instead of 1.7 of embedding, and the game keeps
//! a core for itself. Embedding of new texts yields to questions.
//!
//! # Troubleshooting
//!
//! **Nothing is remembered.** Is [`MemoryState`] `Failed`? It says why. Read the [`MemoryTrouble`] messages, or run with
//! `RUST_LOG=bevy_hearsay=debug`.
//!
//! **The second of two entities is not bound.** Two have one [`MemoryId`]; a message names both.
//!
//! **A name or place of the game is overwritten at the start.** What is saved counts. Add [`Overwrite`], or start a
//! [new game](HearsayPlugins::new_game).
//!
//! **Nobody hears what is said.** By default those hear it who are at the same place by the memory: give them
//! [`Whereabouts`], or set [`Earshot`].
//!
//! **Somebody of the campaign hears nothing.** A `home` in a campaign file says where somebody lives, not where it is: give it
//! a `location` too, or move it there.
//!
//! **What is passed on has no source.** A sentence ([`What::lore`]) is a claim of whoever says it. To pass on what one knows,
//! tell the fact itself ([`What::fact`]), as [`knowledge`](EntityQuestionCommands::knowledge) and receipts name it: then the
//! hearer knows it from the teller, and the teller from whoever told it.
//!
//! **Answers take seconds.** The encoder was built without optimisation: add the profile of the README to the game's
//! `Cargo.toml`. Without a model, [`EncoderStatus`] says why; words and graph answer then.
//!
//! **Too many entities.** Set [`Materialise`] to what is near the scene; it changes at run time.
//!
//! # Features
//!
//! | feature | default | what it does |
//! |---|---|---|
//! | `serialize` | no | components are `Serialize` and `Deserialize`, and reflect it |
//! | `bundled-model` | no | compiles the sentence encoder's model into the program: 45 MB |
//!
//! # Not supported
//!
//! Wasm and consoles: SurrealKV needs files and threads. Two games, or a game and the program `hearsay`, on one save at a
//! time: the second is told who holds it.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod commands;
mod components;
mod diagnostics;
mod happenings;
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
    At, Attributes, Materialised, MemoryId, Overwrite, Present, RelatedFrom, RelatesTo, Relation, RelationOf,
    Relations, Remembered, Whereabouts,
};
pub use diagnostics::{HearsayDiagnosticsPlugin, MemoryCounts};
pub use happenings::{Deed, Earshot, HappeningsPlugin, Happens, Target, What};
pub use memory::{
    EncoderStatus, LoadProgress, MemoryChanged, MemoryExit, MemoryPlugin, MemoryState, MemoryTrouble, NpcMemory,
    SecretRevealable, Start, memory_loading, memory_ready,
};
pub use plugins::HearsayPlugins;
pub use questions::{
    Answered, AskedOf, EntityQuestionCommands, Inquiry, MemoryCommands, Question, Questions, QuestionsPlugin, Reply,
    Unanswered,
};
pub use saves::{Autosave, SaveCommands, SavesPlugin, SlotLoaded, SlotSaved};
pub use sessions::{NewSession, SessionCommands, SessionEnded, SessionHappens, SessionStarted};
pub use sync::{Forgotten, GameClock, Materialise, Remember, RememberAppExt, SyncPlugin};

/// Where the plugin's systems run. [`Receive`](Self::Receive) and [`Apply`](Self::Apply) are in [`PreUpdate`],
/// [`Collect`](Self::Collect) and [`Send`](Self::Send) in [`PostUpdate`], each after the one before.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HearsaySystems {
    /// Takes what the memory answered.
    Receive,
    /// Turns it into components, within the frame's budget.
    Apply,
    /// Looks at what the game changed.
    Collect,
    /// Sends changes, happenings and questions.
    Send,
}

/// What most games need.
pub mod prelude {
    pub use hearsay_memory::{Answer, Found, Search};
    pub use hearsay_model::{Author, EntityId, Kind, Value};
    pub use hearsay_recall::{Form, SceneContext};

    pub use crate::{
        Answered, AskedOf, At, Attributes, Deed, Earshot, EntityMemoryCommands, EntityQuestionCommands, GameClock,
        Happens, HearsayPlugins, HearsaySystems, Inquiry, LoadProgress, Materialise, MemoryChanged, MemoryCommands,
        MemoryId, MemoryState, MemoryTrouble, NewSession, Overwrite, Present, Question, Relation, Relations, Remember,
        RememberAppExt, Remembered, Reply, SaveCommands, SessionCommands, SessionEnded, SessionStarted, Target,
        Unanswered, What, Whereabouts, memory_ready,
    };
}
