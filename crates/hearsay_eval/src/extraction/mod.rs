//! Measures the accuracy of the extractor on labelled sentences. `EXTRACTION.md` defines the format of the files and
//! the figures.

mod labelled;
mod listing;
mod matching;
mod meaning;
mod report;
#[cfg(test)]
mod tests;
mod training;

pub(crate) use labelled::scene_state;
pub use labelled::{
    Cast, Example, ExtractionError, Labelled, LabelledFact, SceneEntity, read, read_cast, read_masked, read_names,
};
pub use listing::{ListedFact, format_fact, list_facts};
pub(crate) use matching::{facts_match, values_match};
pub use meaning::EncoderMeaning;
pub use report::{Miss, Report, Tally, measure};
pub use training::training_rows;
pub(crate) use training::{Finding, SceneSplit, findings};
