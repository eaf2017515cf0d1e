//! Writes the state of a campaign to graph tables, which you can query with plain SurrealQL.
//!
//! | table | contents | id |
//! |---|---|---|
//! | `entity` | entities with name, kind, all names and aliases, and external ids | the entity's id |
//! | `fact` | facts that relate two entities; each record is an edge from the subject to the object | the fact's id |
//! | `attribute` | facts whose object is a value; the field `entity` links to the subject | the fact's id |
//! | `knows` | knowledge edges from a knower (entity or `world:everyone`) to a fact or attribute | the edge's id |
//! | `passage` | texts, such as logged lines and letters | the passage's id |
//! | `session` | play sessions | the session's id |

mod build;
mod compare;
mod row;
mod tables;

pub(crate) use build::rows_for_keys;
pub use build::{all_keys, rows};
pub(crate) use compare::compare_tables;
pub use compare::{DifferenceKind, GraphDifference};
pub use row::{ProjectionRow, Watermark};
pub(crate) use tables::{clear, is_verified, set_verified, watermark, write};
