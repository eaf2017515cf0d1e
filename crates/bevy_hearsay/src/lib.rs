//! NPC memory for Bevy: what each character knows, where this knowledge comes from, and how sure the character is.
//!
//! [`HearsayPlugins`] represents a campaign's people, places and factions as Bevy entities. The plugins keep these
//! entities in sync with an embedded graph database, which records the source of every fact. Characters learn the facts
//! that others tell them, and can pass these facts on. When the game asks a character a question, the plugin finds the
//! relevant facts that *this* character knows, and marks the facts that the character conceals. An answer takes
//! milliseconds and needs no network. The game can pass the answer to a language model or print it with a template.
//!
//! # Quick start
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bevy_hearsay::prelude::*;
//!
//! #[derive(Component)]
//! #[require(EntityKind::npc())]
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
//! [`HearsayPlugins`] is a plugin group. Each plugin of the group is public and works alone, so you can leave out the
//! other plugins. A request that needs a missing plugin has no effect and fails with [`HearsayError::PluginMissing`].
//! [`HearsayPlugins::new_game`], [`open`](HearsayPlugins::open) and
//! [`new_or_continue`](HearsayPlugins::new_or_continue) determine whether a game starts from the campaign files or from
//! a save. [`headless`](HearsayPlugins::headless) is for a dedicated server. No plugin needs a window, a renderer or
//! assets.
//!
//! The settings of a plugin are public fields with documented defaults. Settings that can change at run time are also
//! resources: [`MemorySettings`], [`SyncSettings`], [`SpawnPolicy`], [`GameEventSettings`], [`Earshot`] and
//! [`Autosave`]. If your game inserts one of these resources, the plugins use the value of the resource. The game can
//! insert the resource before or after it adds the plugins.
//!
//! # Components
//!
//! | component | meaning | written by |
//! |---|---|---|
//! | [`MemoryId`] | stable id; binds the Bevy entity to the entity with this id in the campaign or save; if the memory has no entity with this id, the plugin creates the entity in the memory | the game; the plugin if the game sets no id |
//! | [`EntityKind`] | kind of the entity; a game's own components can require this component with `#[require]` | game and plugin |
//! | [`Name`] | Bevy's component for the name of an entity; the plugin checks every 50 ms whether the game changed the name | game and plugin |
//! | [`PlaceId`] | stable id of the place where the entity is | game and plugin |
//! | [`LocatedIn`], [`Occupants`] | Bevy relationship between the entity and its place, while the place exists as a Bevy entity | the plugin |
//! | [`Attributes`] | the attributes of the entity, with one value for each attribute | game and plugin |
//! | [`Relation`] on an entity with [`RelationOf`], [`RelatesTo`] | one relation of an entity, such as a membership, as a separate Bevy entity | game and plugin |
//! | any component that implements [`SyncedAttribute`] | a game's own component, stored as an attribute; by default, only the entity itself knows its value | game and plugin |
//! | [`PreferGameState`] | when the entity is bound, the game's values replace the saved values | the game |
//! | [`SpawnedByHearsay`] | marks an entity that the plugin spawned | the plugin |
//! | [`QuestionState`], [`Reply`], [`AskedOf`] | the state of a question, its reply, and the character asked | the plugin |
//! | [`WatchMind`] | the character receives events when it learns facts or changes its beliefs | the game |
//! | [`KeepAnswer`] | keeps the entity of a question after its reply | the game |
//!
//! The system parameter [`MemoryEntities`] finds the Bevy entity of an id, and the id of a Bevy entity.
//!
//! All components implement `Reflect` and are registered. With the feature `serialize` they also implement `Serialize`
//! and `Deserialize`. You can use the components in `bsn!` scenes.
//!
//! # Commands, events, messages
//!
//! The game sends input to the memory in one of these ways:
//!
//! - commands of [`EntityMemoryCommands`] (`say`, `tell`, `witness`, `read_document`, `reveal`, `move_to`, `join`,
//!   `leave`, …), [`EntityQuestionCommands`] (`ask`, `neighbours`, `beliefs_about`, `knowledge`), [`MemoryCommands`]
//!   (`search_memory`, `read_memory`), [`WorldMemoryCommands`] (`set_flag`, `gossip`), [`SessionCommands`]
//!   (`start_session`, `log_line`, `end_session`, …), [`SaveCommands`] or [`MemoryLifecycleCommands`] (`open_save`,
//!   `new_game`, `close_memory`, …)
//! - the event [`GameEvent`], which can also set the author and the hearers
//! - the events [`WorldEvent`] and [`SessionEvent`]
//!
//! The memory sends output as entity events and messages:
//!
//! - on the acting entity: [`ActionCommitted`] with the facts and hearers of a game event, or [`ActionFailed`]
//! - on a character: [`SecretRevealable`] and, with the component [`WatchMind`], [`FactLearned`], [`RumourHeard`],
//!   [`PromiseMade`], [`FeelingChanged`] and [`BeliefChanged`]
//! - on a question: [`Answered`] or [`Unanswered`]
//! - on an entity that was removed from the memory: [`Forgotten`]
//! - the messages [`MemoryChanged`], [`MemoryErrorMessage`], [`SessionStarted`], [`SessionEnded`], [`SlotSaved`] and
//!   [`SlotLoaded`]
//!
//! # Answers
//!
//! An answer is structured data, which the game can also render as text. Each [line](recall::Line) of the answer's
//! scene context contains a fact and the character's credence in the fact. The line also contains how the character
//! learned the fact, and to whom the character is allowed to tell the fact. The character conceals a secret until the
//! condition of a *reveal* is true. The character is then allowed to tell the secret, but only to the listeners of this
//! reveal.
//!
//! ```
//! use bevy_hearsay::prelude::*;
//!
//! /// Returns the most relevant fact that the character may tell the listener.
//! fn first_fact(answer: &Answer, listener: &EntityId) -> Option<FactId> {
//!     let lines = answer.context.section_lines(SectionKind::Knowledge).iter();
//!     lines.filter(|line| line.secrecy.allows(listener)).find_map(|line| match line.citation.source {
//!         Source::Fact(fact) => Some(fact),
//!         Source::Passage(_) | Source::Scene => None,
//!     })
//! }
//! ```
//!
//! A game needs no other crate of Hearsay. The prelude has the types of replies that most games read. The modules
//! [`model`], [`belief`], [`recall`], [`query`], [`commands`] and [`engine`] have all other types of the engine.
//!
//! # Sets
//!
//! | set | schedule | purpose |
//! |---|---|---|
//! | [`HearsaySystems::Receive`] | `PreUpdate` | receives answers and changes from the memory |
//! | [`HearsaySystems::Apply`] | `PreUpdate`, after `Receive` | writes the received changes to components, for at most 0.5 ms per frame |
//! | [`HearsaySystems::Phase`] | `PreUpdate`, after `Apply` | sets the next [`MemoryPhase`] |
//! | [`HearsaySystems::Collect`] | `PostUpdate`, after the propagation of transforms | collects the game's changes |
//! | [`HearsaySystems::Send`] | `PostUpdate`, after `Collect` | sends changes, game events, saves and questions |
//! | [`HearsaySystems::Close`] | `Last` | closes the memory when the game exits |
//!
//! The sets [`ReceiveSystems`], [`CollectSystems`] and [`SendSystems`] divide `Receive`, `Collect` and `Send` further.
//! With [`HearsayPlugins::in_schedules`], you can replace the schedules `PreUpdate` and `PostUpdate` with other
//! schedules. The systems run in a fixed order. No system is exclusive, so Bevy's ambiguity detector can check all
//! systems.
//!
//! Put systems that read the memory's answers in `Update`. These systems then see an answer in the frame in which the
//! answer arrives.
//!
//! # Phases
//!
//! [`MemoryPhase`] is a Bevy state: `OnEnter(MemoryPhase::Playable)` runs when the memory is open, all entities are
//! spawned and bound, and [`GameClock`] contains the game time of the save. [`LoadProgress`] contains the progress for
//! a loading screen. Each of the run conditions [`memory_ready`] and [`memory_loading`] is true in two of the phases.
//! The commands of [`MemoryLifecycleCommands`] open and close saves while the game runs.
//!
//! # Guarantees
//!
//! - **No system blocks.** While the game runs, no system waits for a file, a database, a lock or a model. When the
//!   game exits, the plugin waits until the changes are saved, but at most for [`MemorySettings::exit_timeout`]. All
//!   queues have a maximum length. If a queue is full, the plugin retries the request or reports an error. The plugin
//!   never drops a request silently.
//! - **Components and memory stay equal.** The plugin collects the game's changes for 250 ms, and then sends these
//!   changes as one operation. The author of the operation is the game. The memory can also change for other reasons:
//!   an import, an edit by the DM, an undo, or a loaded slot. The plugin writes these changes to components, and does
//!   not send them back to the memory. If the game and another author change the same field, the game's pending change
//!   wins. When no change is pending, components and memory have equal values.
//! - **The memory records everything in order.** A move takes effect before all later lines. A line takes effect before
//!   all later questions. A save, a question and a game event take into account all changes that the game made before
//!   them, even in the same frame.
//! - **Despawning an entity only unloads it.** The memory does not change. Dying ([`die`](EntityMemoryCommands::die)),
//!   leaving and forgetting are explicit commands. [`erase`](EntityMemoryCommands::erase) removes an entity from the
//!   memory until the removal is undone.
//! - **Acknowledged operations survive a crash.** Each operation is on the disk before its effects are shown. A crash
//!   loses only the changes that are not sent yet, which are the changes of the last 250 ms. At a normal exit, the
//!   plugin sends these changes first.
//! - **An answer contains only facts that the character knows**: see the crate `hearsay_engine`.
//! - **Invalid input never causes a panic.** The plugin sends a [`MemoryErrorMessage`] that says what to do. All other
//!   requests continue.
//!
//! # Saves
//!
//! A save is a directory with one database. The database contains a journal, which is the list of all operations. A
//! [slot](SaveCommands) is a position in this journal. To save a slot, the plugin makes one small write. Loading a slot
//! reverts all later operations and cancels the pending questions. If the campaign files change, the plugin imports the
//! changes into the save without overwriting recorded play. When an entity is removed from the memory, the plugin
//! despawns its Bevy entity if the *plugin* spawned it. If the *game* spawned the Bevy entity, the plugin triggers
//! [`Forgotten`] on the Bevy entity.
//!
//! # Threads
//!
//! | thread | count | set by |
//! |---|---|---|
//! | `hearsay-worker` | 1; it owns the state and the search index | |
//! | `hearsay-encoder` and its pool | the value of `model.threads` in `hearsay.toml`, by default 2 | [`MemoryPlugin::settings`] |
//! | `hearsay-store`, the runtime of the database | 2, nearly always idle | |
//! | SurrealDB's own pool | 16 on small machines, idle | the environment variable `SURREAL_KVS_THREADPOOL_SIZE`, before the start |
//! | Bevy's pools | all cores | [`TaskPoolPlugin`] |
//!
//! On Linux, Android and Windows, all threads of the memory have a lower priority than the game's threads
//! ([`MemoryPlugin::low_priority_threads`]). A commit therefore does not delay a frame.
//!
//! On a machine with two cores, give the encoder one thread. The encoder then needs 2.4 ms instead of 1.7 ms for a
//! question, but one core stays free for the game. The encoder processes questions before new texts.
//!
//! # Troubleshooting
//!
//! **The memory records nothing.** Check whether [`MemoryPhase`] is `Failed`. In this phase, the resource
//! [`MemoryFailure`] contains the reason. Read the [`MemoryErrorMessage`] messages, or run with
//! `RUST_LOG=bevy_hearsay=debug`.
//!
//! **An entity is not bound to the memory.** Another Bevy entity already has the same [`MemoryId`]. An error message
//! names both entities.
//!
//! **A name or place that the game sets is overwritten at the start.** Saved values take precedence. Add
//! [`PreferGameState`], or start a [new game](HearsayPlugins::new_game).
//!
//! **Nobody hears a line.** By default, a line is heard by the characters whose place in the memory is the place of the
//! speaker. Give the characters a [`PlaceId`], or set [`Earshot`].
//!
//! **A character of the campaign hears nothing.** The key `home` in a campaign file says where a character lives, not
//! where the character is now. Add the key `location`, or move the character.
//!
//! **A fact that is passed on has no source.** A sentence ([`Statement::lore`]) becomes a new claim of its speaker,
//! unless the speaker already knows a fact with exactly this text. To pass on a known fact, use [`Statement::fact`]
//! with the id of the fact. The reply to [`knowledge`](EntityQuestionCommands::knowledge) contains the ids of the facts
//! that a character knows. The memory then records that the hearer got the fact from the teller, and keeps the teller's
//! own source of the fact.
//!
//! **Answers take seconds.** The sentence encoder was built without optimisation. The log then contains a warning with
//! a build profile. Add this profile to the game's `Cargo.toml`. If no model is loaded, [`EncoderStatus`] contains the
//! reason, and search uses only keywords and the graph.
//!
//! **There are too many entities.** Set [`SpawnPolicy`] so that the plugin spawns only the places and characters near
//! the scene. You can change the policy while the game runs.
//!
//! # Features
//!
//! | feature | default | effect |
//! |---|---|---|
//! | `serialize` | no | components implement `Serialize` and `Deserialize`, and Bevy's reflection can use these implementations |
//! | `import` | no | adds the import of archives and of other tools' formats (Foundry, Kanka, Obsidian, …) |
//! | `local-speech` | no | runs language models from GGUF files in this process, for conversations |
//! | `llm` | no | adds extraction of facts with a language model, which the settings must enable |
//! | `bundled-model` | no | compiles the model of the sentence encoder (45 MB) into the program; the plugin uses this model if it finds no model directory |
//!
//! # Not supported
//!
//! - Wasm and consoles: the database's storage, SurrealKV, needs files and threads.
//! - Two processes that open the same save, such as a game and the program `hearsay`, unless [`MemoryPlugin::share`] is
//!   true. The second process fails with an error that names the first process.
//!
//! [`Name`]: bevy::prelude::Name
//! [`TaskPoolPlugin`]: bevy::prelude::TaskPoolPlugin
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod bridge;
mod components;
mod diagnostics;
mod events;
mod minds;
mod plugins;
mod questions;
mod saves;
mod schedule;
mod speech;
mod sync;
pub mod testing;

pub use hearsay_belief as belief;
pub use hearsay_commands as commands;
pub use hearsay_engine as engine;
pub use hearsay_model as model;
pub use hearsay_query as query;
pub use hearsay_recall as recall;
pub use hearsay_speech as character_speech;

pub use bridge::{
    EncoderStatus, HearsayError, LoadProgress, MemoryChanged, MemoryErrorMessage, MemoryExit, MemoryFailure,
    MemoryLifecycleCommands, MemoryPhase, MemoryPlugin, MemorySettings, NpcMemory, Start, memory_loading, memory_ready,
};
pub use components::{
    Attributes, EntityKind, IncomingRelations, LocatedIn, MemoryId, Occupants, PlaceId, PreferGameState, RelatesTo,
    Relation, RelationOf, Relations, SpawnedByHearsay,
};
pub use diagnostics::{HearsayDiagnosticsPlugin, MemoryCounts};
pub use events::{
    ActionCommitted, ActionFailed, ActionId, Earshot, EntityMemoryCommands, GameAction, GameEvent, GameEventSettings,
    GameEventsPlugin, Gossip, NewSession, RelationCommands, SessionCommands, SessionEnded, SessionEvent,
    SessionStarted, Statement, Target, WorldEvent, WorldMemoryCommands,
};
pub use minds::{
    BeliefChanged, FactLearned, FeelingChanged, MindsPlugin, PromiseMade, RumourHeard, SecretRevealable, WatchMind,
};
pub use plugins::HearsayPlugins;
pub use questions::{
    Answered, AskedOf, EntityQuestionCommands, KeepAnswer, MemoryCommands, Question, QuestionState, Questions,
    QuestionsPlugin, Reply, Unanswered,
};
pub use saves::{Autosave, SaveCommands, SavesPlugin, SlotLoaded, SlotSaved};
pub use schedule::{CollectSystems, HearsaySchedulePlugin, HearsaySystems, PluginName, ReceiveSystems, SendSystems};
pub use speech::{
    Conversation, ConversationCommands, ConversationTurn, NpcSpeech, ReplyChunk, ReplySpoken, SpeechPlugin,
    TurnCommands,
};
pub use sync::{
    Forgotten, GameClock, MemoryEntities, SpawnPolicy, SyncPlugin, SyncSettings, SyncedAttribute, SyncedAttributeAppExt,
};

/// The items that most games need.
pub mod prelude {
    pub use hearsay_model::{
        Acquisition, Audience, Author, Credence, EntityId, FactId, Feeling, GameTime, Kind, Predicate, Value,
    };
    pub use hearsay_query::{
        ask::Answer,
        beliefs::BeliefReport,
        graph::NeighbourRow,
        knowledge::KnowsRow,
        search::{Search, SearchResults},
    };
    pub use hearsay_recall::{CitedAccessPath, CitedAcquisition, Form, LineSecrecy, SceneContext, SectionKind, Source};

    pub use crate::{
        ActionCommitted, ActionFailed, ActionId, Answered, AskedOf, Attributes, BeliefChanged, ConversationCommands,
        ConversationTurn, Earshot, EntityKind, EntityMemoryCommands, EntityQuestionCommands, FactLearned,
        FeelingChanged, GameAction, GameClock, GameEvent, HearsayError, HearsayPlugins, HearsaySystems, KeepAnswer,
        LoadProgress, LocatedIn, MemoryChanged, MemoryCommands, MemoryEntities, MemoryErrorMessage, MemoryFailure,
        MemoryId, MemoryLifecycleCommands, MemoryPhase, NewSession, Occupants, PlaceId, PreferGameState, PromiseMade,
        Question, QuestionState, Relation, RelationOf, Relations, Reply, ReplyChunk, ReplySpoken, RumourHeard,
        SaveCommands, SecretRevealable, SessionCommands, SessionEnded, SessionStarted, SlotLoaded, SlotSaved,
        SpawnPolicy, Statement, SyncedAttribute, SyncedAttributeAppExt, Target, TurnCommands, Unanswered, WatchMind,
        WorldMemoryCommands, memory_ready,
    };
}
