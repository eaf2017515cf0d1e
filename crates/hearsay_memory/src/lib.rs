//! The engine of Hearsay: the policy, and a worker thread that owns state, store and encoder.
//!
//! [`Memory`] is a handle to the named worker thread. Every request goes through a bounded channel and returns a
//! [`Ticket`]. Poll the ticket each frame, wait for it, or drop it to cancel the request. A caller never waits for a
//! file, a database or a model.
//!
//! ```no_run
//! use hearsay_memory::{Ask, Memory, MemoryOptions};
//!
//! let memory = Memory::open(MemoryOptions::for_campaign("campaigns/gullhaven")?)?;
//! memory.import("campaigns/gullhaven")?.wait()?;
//! let answer = memory.ask(Ask::new("mirela-voss", "Where is the ledger?"))?.wait()?;
//! println!("{}", answer.context.render(hearsay_recall::Form::Prompt, false));
//! memory.close()?;
//! # Ok::<(), hearsay_memory::MemoryError>(())
//! ```
//!
//! # Guarantees
//!
//! - **A write is answered after its commit**, never before. An acknowledged write survives a crash.
//! - **Reads do not wait for writes** or for slow requests. Imports are read and compared on background threads. A
//!   separate thread makes vectors, and a question that waits for its vector delays no other request.
//! - **Back-pressure is visible**: a full channel returns [`MemoryError::Full`] and never blocks.
//! - **A character is told nothing that it cannot know**: answers are built from its view.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod ask;
mod campaign;
mod contradictions;
mod decisions;
pub mod duplicates;
mod edit;
mod error;
mod find;
mod game_event;
mod guesses;
mod housekeeping;
pub mod learn;
mod memory;
mod mind;
mod mirror;
mod policy;
mod preview;
pub mod priority;
mod progress;
mod proposal;
pub mod query;
mod reading;
mod retcon;
mod review;
mod session;
mod settings;
mod talk;
mod ticket;
mod worker;

pub use ask::{Answer, Ask};
pub use campaign::{
    TakenOver, changes_something, has_campaign_files, is_campaign, sync_campaign_files, undone_sources,
};
pub use contradictions::Clash;
pub use decisions::{Decisions, Keep};
pub use duplicates::{Band, Claim, Duplicate, FactDuplicate, MergePlan};
pub use edit::{Edit, FactOptions, find_fact, resolve};
pub use error::MemoryError;
pub use find::{
    DEEPEST, EntityHit, Hint, MOST_ENTITIES, MOST_HINTS, MOST_HITS, MOST_RELATIONS, Match, Search, SearchHit,
    SearchResults,
};
pub use game_event::{Circumstances, GameEvent, Retelling, Stated};
pub use hearsay_campaign::{CampaignError, CampaignErrors, ImportReport, Kept, Warning};
pub use hearsay_embed::is_optimised as encoder_is_optimised;
#[cfg(feature = "llm")]
pub use hearsay_extract::llm::{LlmSettings, PhaseSettings, QueueCounts};
pub use hearsay_extract::{
    Cue, CueKind, ExtractedFact, Extraction, Form, Mention, NewEntity, Stated as ExtractedObject,
};
pub use hearsay_store::Location;
pub use housekeeping::{Check, Health, Prune, PrunePlan, PruneRow, health};
pub use learn::{Teach, TrustCalibration};
pub use memory::{Closed, ImportOptions, ImportOutcome, Memory, MemoryOptions, UndoTarget, Written, real_time};
pub use mirror::{Patch, PatchPlan, Patched, Patches, Record, Refused, touched_entities};
pub use policy::{Mode, Policy, Verdict, Voice};
pub use preview::{Believer, Lesson, Loss, Move, Preview, preview};
pub use progress::{ImportProgress, ImportStage};
pub use proposal::{Guide, Proposal, Proposed, TextSource, propose};
pub use reading::{Draft, Drafted, is_newcomer};
pub use retcon::Retcon;
pub use review::{Decision, ReviewItem, review_items, stake, would_learn};
pub use session::{
    Log, LogLine, LogSource, NewSession, PreviewRow, SessionStep, SpeakerIs, SpeakerRow, Summarize, TranscriptImport,
    TranscriptReport, keep_recap,
};
#[cfg(not(feature = "llm"))]
pub use settings::LlmSettings;
pub use settings::{
    DuplicateSettings, ExtractionSettings, ModelSettings, RecallSettings, SETTINGS_FILE, Settings, StoreSettings,
};
pub use talk::{Gossip, GossipPlan, GossipReport, NewsRow, SpreadRow};
pub use ticket::Ticket;
pub use worker::{Event, ModelStatus, ReadSnapshot, Status};
#[cfg(feature = "llm")]
pub use worker::{LlmStatus, LlmStep};
