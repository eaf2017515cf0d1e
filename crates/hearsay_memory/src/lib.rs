//! The engine of Hearsay: policy, and one worker that owns state, store and encoder.
//!
//! [`Memory`] is a handle to a named thread. Every request goes through a bounded channel and answers with a
//! [`Ticket`]: look at it each frame, wait for it, or drop it to cancel. Nothing that a caller does waits for a file, a
//! database or a model.
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
//! - **A write is answered after its commit**, never before. What was answered survives a crash.
//! - **Reads do not wait for writes**, nor for slow requests: imports are read and compared beside the worker, vectors
//!   are made by a thread of their own, and a question that waits for its vector waits alone.
//! - **Back-pressure is visible**: a full channel is [`MemoryError::Full`], never a block.
//! - **A character is told nothing it cannot know**: answers are made from its view.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod ask;
mod campaign;
mod contradictions;
mod decisions;
pub mod duplicates;
mod edit;
mod error;
mod find;
mod guesses;
mod happening;
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
pub use campaign::{TakenOver, changes_something, has_campaign_files, is_campaign, take_over, undone_sources};
pub use contradictions::Clash;
pub use decisions::{Decisions, Keep};
pub use duplicates::{Band, Claim, Duplicate, FactDuplicate, MergePlan};
pub use edit::{Edit, FactOptions, find_fact, resolve};
pub use error::MemoryError;
pub use find::{
    DEEPEST, EntityHit, Found, Hint, Hit, MOST_ENTITIES, MOST_HINTS, MOST_HITS, MOST_RELATIONS, Match, Search,
};
pub use happening::{Circumstances, Happening, Retelling, Stated};
pub use hearsay_campaign::{CampaignError, CampaignErrors, ImportReport, Kept, Warning};
pub use hearsay_embed::is_optimised as encoder_is_optimised;
#[cfg(feature = "llm")]
pub use hearsay_extract::llm::{LlmSettings, PhaseSettings, QueueCounts};
pub use hearsay_extract::{
    Cue, CueKind, ExtractedFact, Extraction, Form, Mention, NewEntity, Stated as ExtractedObject,
};
pub use hearsay_store::Location;
pub use housekeeping::{Check, Health, Prune, PrunePlan, PruneRow, health};
pub use learn::{Learned, Teach};
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
    Compact, Log, LogLine, LogSource, NewSession, PreviewRow, SessionStep, SpeakerIs, SpeakerRow, TranscriptImport,
    TranscriptReport, keep_recap,
};
#[cfg(not(feature = "llm"))]
pub use settings::LlmSettings;
pub use settings::{
    DuplicateSettings, ExtractionSettings, ModelSettings, RecallSettings, SETTINGS_FILE, Settings, StoreSettings,
};
pub use talk::{Gossip, GossipPlan, GossipReport, NewsRow, SpreadRow};
pub use ticket::Ticket;
pub use worker::{Event, ModelStatus, Status, World};
#[cfg(feature = "llm")]
pub use worker::{LlmStatus, LlmStep};

/// The README's code, so that it compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ReadmeTests;
