//! Queries of a campaign: its contents, the knowledge of each character, and the items that wait for the DM's decision.
//!
//! Every query reads a [`State`](hearsay_model::State). The queries in [`ask`] and [`search`] also need an index. A
//! query changes nothing and returns plain data that you can print or serialize. Queries use the ids of entities, facts
//! and sessions. The functions in [`resolve`](mod@resolve) find the id for a name.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod as_of;
pub mod ask;
pub mod beliefs;
pub mod character_trust;
pub mod common_view;
pub mod contradictions;
pub mod dates;
pub mod duplicates;
pub mod entities;
pub mod error;
pub mod facts;
pub mod feelings;
pub mod graph;
pub mod health;
pub mod ids;
pub mod journal;
pub mod knowledge;
pub mod known_facts;
pub mod memory;
pub mod name_table;
pub mod named_view;
pub mod portrait;
pub mod preview;
pub mod records;
mod referring;
pub mod resolve;
pub mod reveals;
pub mod review;
pub mod rumours;
pub mod search;
pub mod secrets;
pub mod session;
pub mod stats;
pub mod table;
pub mod timeline;
pub mod trust;
pub mod views;
pub mod who_knows;

pub use error::QueryError;
