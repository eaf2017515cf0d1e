#![doc = include_str!("../FORMAT.md")]
//!
//! # Usage
//!
//! [`read`] reads campaign files. [`plan`] compares them with a state, and returns one operation and a report. Without
//! applying the operation, the report is a dry run.
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
//! [`read_any`] also reads the files of other tools. [`notes`] describes the supported formats and how to add a reader.
//!
//! [`export_jsonl`] and [`read_jsonl`] write and read a whole state. [`Transcript`] reads speakers and lines of a
//! session.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod alias;
mod audience;
mod campaign;
mod cancel;
mod error;
mod exact;
mod files;
mod findings;
pub mod fuzz;
mod history;
mod jsonl;
mod keys;
mod lines;
pub mod notes;
mod out;
mod plan;
mod private;
mod read;
mod regular;
mod report;
mod sources;
pub mod text;
mod transcript;
mod watch;
mod yaml;

pub use campaign::Campaign;
pub use cancel::Cancel;
pub use error::{CampaignError, CampaignErrors, Warning};
pub use exact::is_export;
pub use files::{Limits, digest};
pub use findings::{Findings, Place};
pub use jsonl::{export_jsonl, read_jsonl};
pub use notes::{Format, read_any};
pub use out::{Backup, export_backup, export_dot, export_graphml, export_vault, export_yaml, handbook, read_backup};
pub use plan::{ImportPlan, LEFT_OUT, LeftOut, plan};
pub use private::write_private;
pub use read::read;
pub use regular::{open_file, read_file, read_text_file};
pub use report::{Alike, AmbiguousLink, Deletion, ImportReport, Kept, Relations};
pub use transcript::{Transcript, TranscriptError, TranscriptFormat, Utterance};
pub use watch::Watch;

#[cfg(test)]
mod tests;
