//! The engine of Hearsay: a handle, and a worker thread that owns the state, the store and the sentence encoder.
//!
//! [`Memory`] is a handle to the worker thread. Every request returns a [`Ticket`], through which the caller receives
//! the answer. Poll the ticket each frame, or wait for the answer. To cancel the request, use [`Ticket::cancel`].
//! Dropping a ticket cancels a read or a question, but not a write.
//!
//! ```no_run
//! use hearsay_engine::{Memory, MemoryOptions};
//! use hearsay_model::EntityId;
//! use hearsay_query::ask::Ask;
//!
//! let memory = Memory::open(MemoryOptions::for_campaign("campaigns/gullhaven")?)?;
//! memory.import("campaigns/gullhaven")?.wait()?;
//! let answer = memory.ask(Ask::new(EntityId::new("mirela-voss")?, "Where is the ledger?"))?.wait()?;
//! println!("{}", answer.context.render(hearsay_recall::Form::Prompt, false));
//! memory.close()?;
//! # Ok::<(), hearsay_engine::MemoryError>(())
//! ```
//!
//! # Guarantees
//!
//! - **The memory answers a write only after the commit of the write.** An acknowledged write survives a crash.
//! - **Reads do not wait for writes** or for slow requests. Background threads read the files of imports and compare
//!   them with the state. A separate thread computes vectors, and a question that waits for its vector delays no other
//!   request.
//! - **Sending a request never blocks.** If too many requests wait, the request fails with [`MemoryError::Full`].
//! - **An answer contains only facts and passages that the character knows.** Hearsay computes the answer from the
//!   character's view.
//!
//! # Features
//!
//! | feature | default | effect |
//! |---|---|---|
//! | `import` | no | adds the import of archives and of other tools' formats (Foundry, Kanka, Obsidian, …) |
//! | `llm` | no | adds extraction of facts with a language model, which the settings must enable |
//! | `remote` | no | opens campaigns in a server: see [`StoreSettings::endpoint`] |
//! | `bundled-model` | no | compiles the model of the sentence encoder (45 MB) into the program |
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod campaign;
mod clock;
mod error;
mod event;
mod memory;
mod options;
mod outcome;
pub mod priority;
mod progress;
mod settings;
mod sharing;
mod status;
mod ticket;
mod waker;
mod watch;
mod worker;

pub use campaign::{
    SyncOutcome, find_campaign_directory, has_campaign_files, has_changes, is_campaign, sync_campaign_files,
    undone_sources,
};
pub use clock::real_time;
pub use error::MemoryError;
pub use event::{BeliefChange, Event, FeelingChange, LearnedEdge};
pub use hearsay_campaign::{CampaignError, CampaignErrors, ImportReport, UnappliedChange, Warning};
pub use hearsay_embed::is_optimised as encoder_is_optimised;
pub use hearsay_extract::{
    Cue, CueKind, ExtractedFact, Extraction, FactObject as ExtractedObject, Mention, NewEntity, TextType,
};
#[cfg(feature = "llm")]
pub use hearsay_llm::{LlmSettings, PhaseSettings, QueueCounts};
pub use hearsay_store::{Endpoint, Location, LoginLevel};
pub use memory::Memory;
pub use options::{ImportOptions, MemoryOptions};
pub use outcome::{Closed, EventOutcome, ImportOutcome, Patched, Written};
pub use progress::{ImportProgress, ImportStage};
#[cfg(not(feature = "llm"))]
pub use settings::LlmSettings;
pub use settings::{
    DuplicateSettings, ExtractionEngine, ExtractionSettings, ModelSettings, OfflineWrites, SETTINGS_FILE, Settings,
    SpeechServer, SpeechSettings, StoreSettings,
};
#[cfg(feature = "llm")]
pub use status::LlmStatus;
pub use status::{ModelStatus, ReadSnapshot, SharingStatus, Status};
pub use ticket::Ticket;
pub use waker::Waker;
pub use watch::{MAX_WATCHED_BELIEFS, MindFilter, MindInterest};
#[cfg(feature = "llm")]
pub use worker::LlmStep;
