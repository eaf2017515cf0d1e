//! Conversion of notes to a campaign: entities with stable ids, facts, passages, sessions, and knowers.

mod assembly;
mod build;
mod dates;
mod entity_names;
mod facts;
mod ids;
mod passages;
mod relations;

pub use build::assemble;
pub(crate) use build::assemble_cancellable;
