//! Commands: typed requests to change a campaign. Each command creates one operation.
//!
//! A command computes the changes of one [`Operation`](hearsay_model::Operation) from the current
//! [`State`](hearsay_model::State), but does not apply them. The engine commits the operation. Commands use the ids of
//! entities, facts and sessions. The functions in [`hearsay_query::resolve`] find the id for a name. If an id does not
//! exist, the command fails with a [`CommandError`], and the campaign does not change.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod deeds;
pub mod edit;
pub mod error;
pub mod fact_matching;
pub mod game_event;
pub mod gossip;
mod lie;
pub mod line_reading;
pub mod merge;
mod moves;
pub mod patches;
pub mod policy;
pub mod presence;
pub mod proposal;
pub mod prune;
pub mod reading;
pub mod reply;
pub mod retcon;
pub mod review;
pub mod session;
mod statement_vectors;
pub mod teach;

pub use error::CommandError;
