//! The data model of Hearsay, and its state.
//!
//! A campaign consists of [`Entity`]s, [`Fact`]s, [`KnowledgeEdge`]s, [`Passage`]s and [`Session`]s. These records
//! change only through [`Operation`]s. The [`State`] is computed from all operations that are not reverted.
//!
//! # Guarantees
//!
//! - **Types are always valid.** A [`Confidence`] is always from 0 to 1, a name is never empty, and every [`Fact`] has
//!   a [`Provenance`]. Deserialization from a human-readable format, such as JSON, runs the same checks.
//! - **No record is overwritten.** A later operation hides the effect of an earlier operation. If the later operation
//!   is reverted, the earlier effect is visible again. You can revert any set of operations in any order. The state is
//!   then the same as if these operations had never been applied.
//! - **The state is deterministic.** The crate uses no I/O, no clock, no randomness and no threads. The same operations
//!   always produce the same state.
//!
//! # Three separate values
//!
//! | value | belongs to | meaning |
//! |---|---|---|
//! | [`Confidence`] | [`Provenance`] | probability that the source really states the fact |
//! | [`Credence`] | [`KnowledgeEdge`] | degree to which one knower believes the fact |
//! | [`FactStatus`] | [`Fact`] | whether the campaign treats the fact as true |
//!
//! # Example
//!
//! ```
//! use hearsay_model::*;
//!
//! let mut state = State::default();
//! let grimjaw = EntityId::new("grimjaw-ironhand")?;
//! let provenance = Provenance::new(Method::Authored, Author::Dm);
//! let name = Fact::attribute(&grimjaw, "name", "Grimjaw Ironhand", provenance)?.build()?;
//! let position = state.apply(Operation::new(Author::Dm, "add Grimjaw Ironhand", vec![
//!     Change::AddEntity(Entity::new(grimjaw.clone())),
//!     Change::AssertFact(name.into()),
//! ]))?.position;
//! assert_eq!(state.name(&grimjaw), Some("Grimjaw Ironhand"));
//!
//! state.apply(Operation::new(Author::Dm, "undo", vec![Change::Revert(position)]))?;
//! assert_eq!(state.name(&grimjaw), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod author;
mod calendar;
mod entity;
pub mod escape;
mod extraction_stage;
mod fact;
mod id;
mod knowledge;
pub mod lists;
pub mod narration;
mod operation;
mod passage;
mod predicate;
mod provenance;
pub mod quoting;
mod reference;
mod reveal;
mod scale;
mod settings;
mod shared_ids;
pub mod spelling;
mod state;
pub mod text;
mod time;
mod vocabulary;
pub mod words;

pub use author::Author;
pub use calendar::{Calendar, CalendarError, Era, LeapRule, Month};
pub use entity::{Entity, ExternalId, Kind};
pub use extraction_stage::ExtractionStage;
pub use fact::{Fact, FactBuilder, FactError, FactRelation, FactStatus, Factuality, Number, Object, Secrecy, Value};
pub use id::{EntityId, FactId, IdError, KnowledgeId, PassageId, Position, SessionId, StateVersion, slug};
pub use knowledge::{Acquisition, AcquisitionDescriptor, Justification, Knower, KnowledgeEdge, Reliability};
pub use operation::{Change, Key, Operation};
pub use passage::{Passage, PassageReader, Session, TalkKind};
pub use predicate::{Predicate, PredicateError, attribute};
pub use provenance::{Evidence, Excerpt, Method, Provenance, Span};
pub use reference::{Reference, Rename};
pub use reveal::{Condition, ConditionEntity, Reveal, RevealError};
pub use scale::{Attitude, Confidence, Credence, ScaleError};
pub use settings::{
    ActiveSession, CalibrationSettings, CampaignInfo, Degree, EditedRecap, EngineSetting, GameSetting, MindRules,
    RecapReader, ReviewSetting, SessionSetting, Setting, SettingKey, SpeakerRole, WorldSetting,
};
pub use shared_ids::SharedIds;
pub use state::{
    Applied, ApplyError, Compaction, CompactionResult, Corpus, Entry, FactGroup, Hop, KnownFact, Link, PassageSnapshot,
    Resolution, Slot, State, TransientChange, TransientLog, TransientUpdate, TransientValue, UndoPreview,
    UndoRetention,
};
pub use time::{Date, DateSpan, GameTime, Precision, Timestamp, Validity};
pub use vocabulary::{
    AttributeDef, Audience, AudienceRules, Behavior, Belonging, EventPart, Feeling, FeelingChanges, History,
    ListDirections, OpenThread, PredicateDef, PredicateRole, ReferringExpression, RelationField, RelationWords,
    Vocabulary, VocabularyError, entity_field_name, entity_field_predicate,
};
