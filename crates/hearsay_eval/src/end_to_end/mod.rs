//! Measures extraction end to end: which facts of a text the program accepts, proposes for review, or drops.
//!
//! The measurement records the texts in a campaign that contains their entities. It reads them as the engine does: with
//! the patterns, the reading model and the kind of talk, and in the same batches. The policy then accepts, proposes or
//! drops each fact, and triage selects the review queue. The figures compare the accepted facts and the queue with the
//! labels.

mod agreement;
mod figures;
mod language_model;
mod reader;
mod sentences;
mod sessions;
#[cfg(test)]
mod tests;

pub use figures::Figures;
pub use language_model::ServerModel;
pub use reader::{EndToEndError, Engine, Models, Reader};
pub use sentences::measure_sentences;
pub use sessions::{Episode, masked_entities, measure_episodes, read_episodes};
