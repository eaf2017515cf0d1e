//! Projection of the state into graph tables, which plain SurrealQL can query.
//!
//! | table | contents | id |
//! |---|---|---|
//! | `entity` | name, kind, names, external ids | the entity's id |
//! | `fact` | relations: edges from entity to entity | the fact's id |
//! | `attribute` | attributes; the field `entity` links to the subject | the fact's id |
//! | `knows` | knowledge edges: from an entity or `world:everyone` to a fact or attribute | the edge's id |
//! | `passage`, `session` | texts and play sessions | their ids |

mod build;
mod compare;
mod row;
mod tables;

pub use build::rows;
pub(crate) use build::{all_keys, own_rows};
pub(crate) use compare::compare_tables;
pub use compare::{DifferenceKind, GraphDifference};
pub use row::{ProjectionRow, Watermark};
pub(crate) use tables::{clear, is_verified, set_verified, watermark, write};
