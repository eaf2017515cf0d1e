//! Commands: typed requests to change a campaign, each turned into one operation.
//!
//! A command computes the changes of one [`Operation`](hearsay_model::Operation) from the current
//! [`State`](hearsay_model::State), but does not apply them. The engine commits the operation. Commands refer to
//! entities, facts and sessions by id; [`hearsay_query::resolve`] finds the ids that names refer to. An id that does not
//! exist causes a [`CommandError`], and the campaign stays unchanged.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod edit;
pub mod error;
pub mod fact_matching;
pub mod game_event;
pub mod gossip;
pub mod merge;
pub mod patches;
pub mod policy;
pub mod presence;
pub mod proposal;
pub mod prune;
pub mod reading;
pub mod retcon;
pub mod review;
pub mod session;
pub mod teach;

pub use error::CommandError;
