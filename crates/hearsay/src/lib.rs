//! NPC memory: what each character knows, where this knowledge comes from, and how sure the character is.
//!
//! Use this crate in a program that is not a Bevy game. In a Bevy game, use `bevy_hearsay` instead.
//!
//! ```no_run
//! use hearsay::prelude::*;
//!
//! let memory = Memory::open(MemoryOptions::for_campaign("campaigns/gullhaven")?)?;
//! memory.import("campaigns/gullhaven")?.wait()?;
//! let answer = memory.ask(Ask::new(EntityId::new("mirela-voss")?, "Where is the ledger?"))?.wait()?;
//! println!("{}", answer.context.render(Form::Prompt, false));
//! memory.close()?;
//! # Ok::<(), MemoryError>(())
//! ```
//!
//! # Modules
//!
//! - [`engine`]: opens a campaign and answers requests on a background thread.
//! - [`commands`]: changes to a campaign, such as edits, game events, sessions, review decisions, and merges of
//!   entities.
//! - [`query`]: queries about a campaign, such as facts, knowledge, secrets, sessions, review and search.
//! - [`model`], [`belief`], [`recall`]: lower-level types and functions, which the other modules use.
//!
//! # Features
//!
//! | feature | default | effect |
//! |---|---|---|
//! | `import` | no | adds the import of archives and of other tools' formats (Foundry, Kanka, Obsidian, …) |
//! | `llm` | no | adds extraction of facts with a language model, which the settings must enable |
//! | `bundled-model` | no | compiles the model of the sentence encoder (45 MB) into the program |

pub use hearsay_belief as belief;
pub use hearsay_commands as commands;
pub use hearsay_engine as engine;
pub use hearsay_model as model;
pub use hearsay_query as query;
pub use hearsay_recall as recall;

/// The types and functions that most programs need.
pub mod prelude {
    pub use hearsay_commands::{
        edit::{Edit, FactOptions},
        game_event::{Circumstances, GameEvent, Hearers},
        gossip::Gossip,
        review::Decision,
        session::{Log, LogLine, NewSession, SessionStep},
    };
    pub use hearsay_engine::{
        Closed, Event, Memory, MemoryError, MemoryOptions, ReadSnapshot, Settings, Status, Ticket, Written,
    };
    pub use hearsay_model::{Author, EntityId, FactId, GameTime, Kind, Knower, Position, Predicate, SessionId, State};
    pub use hearsay_query::{
        ask::{Answer, Ask},
        facts::FactFilter,
        journal::UndoTarget,
        knowledge::KnowsFilter,
        resolve::{Speaker, find_fact, find_session, resolve, resolve_speaker},
        review::ReviewItem,
        search::{Search, SearchResults},
        session::{RecapAudience, Summarize},
    };
    pub use hearsay_recall::Form;
}
