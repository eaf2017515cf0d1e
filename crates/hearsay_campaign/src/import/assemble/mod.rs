//! Conversion of notes to a campaign: entities with stable ids, facts, passages, sessions, and knowers.

mod assembly;
mod build;
mod dates;
mod facts;
mod ids;
mod mentions;
mod relations;
mod texts;

pub use build::assemble;
pub(crate) use build::assemble_until;
