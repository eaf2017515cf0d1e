#![doc = include_str!("../FORMAT.md")]
//!
//! # Usage
//!
//! [`read`] reads campaign files. [`plan`] compares the contents of the files with a state, and returns one operation
//! and a report. The import takes effect when you apply the operation. If you only print the report, the import is a
//! dry run.
//!
//! ```
//! use hearsay_campaign::{Limits, plan, read};
//! use hearsay_model::{State, Timestamp};
//!
//! let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/inn");
//! let campaign = read(folder.as_ref(), &Limits::default())?;
//! let mut state = State::default();
//! let first = plan(&state, &campaign, Timestamp(0));
//! println!("{}", first.report);
//! state.apply(first.operation.ok_or("nothing to do")?)?;
//! assert!(plan(&state, &campaign, Timestamp(1)).operation.is_none(), "importing again changes nothing");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With the feature `import`, [`read_any`] also reads archives and the files of other tools. The module `import`
//! describes the formats, and how to add a reader for another format.
//!
//! [`export_jsonl`] writes a whole state, and [`read_jsonl`] reads this file. [`Transcript`] reads the speakers and
//! utterances in the transcript of a session.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod alias;
mod any_format;
mod audience;
mod campaign;
mod cancel;
mod earlier;
mod error;
mod export;
mod files;
mod findings;
mod folder;
mod format;
#[cfg(feature = "import")]
pub mod fuzz;
mod history;
#[cfg(feature = "import")]
pub mod import;
mod jsonl;
mod justifications;
mod keys;
mod limits;
mod line_reader;
mod lossless;
mod names;
mod native;
mod options;
mod plan;
mod regular_file;
mod report;
mod transcript;
#[cfg(feature = "import")]
mod watch;
mod yaml;

pub use any_format::read_any;
pub use campaign::Campaign;
pub use cancel::CancelToken;
pub use earlier::EarlierImports;
pub use error::{CampaignError, CampaignErrors, Warning};
pub use export::{
    Backup, Handbook, HandbookChanges, HandbookFormat, HandbookReaders, HandbookRequest, Overwrite, export_backup,
    export_dot, export_graphml, export_handbooks, export_vault, export_yaml, read_backup,
};
pub use files::digest_files;
pub use findings::{FileLocation, ImportFindings, Skipped};
pub use folder::{Folder, FolderEntry};
pub use format::Format;
pub use jsonl::{export_jsonl, read_jsonl};
pub use limits::Limits;
pub use lossless::is_export_folder;
pub use native::{parse_kind, read};
pub use options::{AliasOrder, ReadOptions};
pub use plan::{ImportPlan, MISSING_RECORD, MissingRecord, plan};
pub use regular_file::{open_file, read_file, read_text_file};
pub use report::{
    AmbiguousLink, ChangedFact, Deletion, FactWithoutKnower, ImportReport, PossibleDuplicate, RelationCounts,
    RemovedFact, UnappliedChange,
};
pub use transcript::{
    LiveTranscript, LiveUpdate, PlaceMark, Transcript, TranscriptError, TranscriptFormat, TranscriptWriter, Utterance,
    split_hearers, split_speaker,
};
#[cfg(feature = "import")]
pub use watch::FileWatcher;

#[cfg(test)]
mod tests;
