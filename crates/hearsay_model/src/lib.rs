//! The vocabulary of Hearsay, and its state.
//!
//! Everything that a campaign holds is an [`Entity`], a [`Fact`], an edge of [`Knowledge`], a [`Passage`] or a
//! [`Session`]. All of it changes through [`Operation`]s and nothing else; the [`State`] is a fold over the
//! operations that are live.
//!
//! # Guarantees
//!
//! - **Types hold no nonsense.** A [`Confidence`] lies in 0–1, a name is never empty, a [`Fact`] cannot be built
//!   without [`Provenance`]. Deserialising goes through the same checks.
//! - **Nothing is overwritten.** A later operation hides an earlier one; voiding it lets the earlier surface again.
//!   Voiding any set of operations, in any order, equals never having applied them.
//! - **Pure.** No I/O, no clock, no randomness, no threads. The same operations give the same state.
//!
//! # Three numbers, never mixed
//!
//! | number | belongs to | says |
//! |---|---|---|
//! | [`Confidence`] | [`Provenance`] | how sure extraction is that the source says this |
//! | [`Credence`] | [`Knowledge`] | how much one knower believes it |
//! | [`Standing`] | [`Fact`] | what the world says of it |
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
//! state.apply(Operation::new(Author::Dm, "undo", vec![Change::Void(position)]))?;
//! assert_eq!(state.name(&grimjaw), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod calendar;
mod entity;
pub mod escape;
mod fact;
mod id;
mod knowledge;
mod operation;
mod passage;
mod provenance;
mod reveal;
mod scale;
mod settings;
mod shared_ids;
pub mod spelling;
mod state;
pub mod text;
mod time;
mod vocabulary;

pub use calendar::{Calendar, CalendarError, Era, LeapRule, Month};
pub use entity::{Entity, ExternalId, Kind};
pub use fact::{Bearing, Fact, FactBuilder, FactError, Number, Object, Secrecy, Standing, Value};
pub use id::{EntityId, FactId, IdError, KnowledgeId, PassageId, Position, SessionId, StateVersion, slug};
pub use knowledge::{How, Knower, Knowledge, Source};
pub use operation::{Author, Change, Key, Operation, Timestamp};
pub use passage::{Passage, Reader, Session};
pub use provenance::{Evidence, Excerpt, Method, Provenance, Span};
pub use reveal::{Condition, Reveal, RevealError, Who};
pub use scale::{Attitude, Confidence, Credence, ScaleError};
pub use settings::{CampaignInfo, KeptRecap, Learning, Playing, Setting, SettingKey};
pub use shared_ids::SharedIds;
pub use state::{
    Applied, ApplyError, Compaction, Entry, FactGroup, Hop, KnownFact, Link, Resolution, Rewritten, Slot, State,
    TransientChange, TransientLog, TransientUpdate, TransientValue, UndoPreview, UndoRetention,
};
pub use time::{Date, DateSpan, GameTime, Precision, Validity};
pub use vocabulary::{
    AttributeDef, Audience, AudienceRules, History, Predicate, PredicateDef, PredicateError, Vocabulary,
    VocabularyError, attribute, predicate,
};
