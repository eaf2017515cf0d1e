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

pub use labelled::{Cast, Example, ExtractionError, Labelled, LabelledFact, SceneEntity, read, read_cast};
pub use listing::{ListedFact, format_fact, list_facts};
pub use meaning::EncoderMeaning;
pub use report::{Bin, Miss, Report, Tally, measure};
pub use training::training_rows;
pub(crate) use training::{Finding, SceneSplit, findings};
