//! What a memory says about itself, and the snapshot that reads are answered from.

use std::sync::Arc;

use hearsay_commands::proposal::Proposed;
#[cfg(feature = "llm")]
use hearsay_extract::llm::{Counts, QueueCounts};
use hearsay_model::{Position, State, StateVersion};
use hearsay_query::trust::TrustCalibration;
use serde::Serialize;

/// Snapshot that reads are answered from: the state as of the newest applied operation.
#[derive(Debug, Clone)]
pub struct ReadSnapshot {
    /// The state.
    pub state: Arc<State>,
    /// Trust learned from the DM's decisions in this state.
    pub learned: Arc<TrustCalibration>,
}

/// Status of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "status")]
pub enum ModelStatus {
    /// The model is loading.
    Loading,
    /// The model makes vectors.
    Ready {
        /// Id of the model.
        id: String,
    },
    /// There is no model: questions are answered by words and graph.
    None {
        /// Reason.
        why: String,
    },
}

/// Status of the memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// Position of the newest operation.
    pub position: Position,
    /// Version of the newest state, which also changes with transient values.
    #[serde(skip)]
    pub version: StateVersion,
    /// Position up to which the graph tables of the database show the journal.
    pub projected: Position,
    /// Position at or before which no operation can be undone.
    pub compacted_to: Position,
    /// Number of stored operations up to [`Status::position`].
    pub operations: usize,
    /// Number of entities.
    pub entities: usize,
    /// Number of facts of any status.
    pub facts: usize,
    /// Number of facts and passages that can be recalled.
    pub texts: usize,
    /// Number of texts that still need a vector. While the stored vectors are being read, all texts; if the settings
    /// disable the model, 0.
    pub pending_vectors: usize,
    /// Whether the stored vectors are still being read.
    pub reading_vectors: bool,
    /// Number of records of a large operation that are not searchable yet.
    pub unindexed: usize,
    /// Number of passages waiting to be read for facts.
    pub unread: usize,
    /// Outcome of the facts found in passages since opening.
    pub found: Proposed,
    /// Number of items that wait for the DM.
    pub reviews: usize,
    /// Number of waiting writes.
    pub waiting_writes: usize,
    /// Number of proposals dropped since opening because their confidence was below the floor.
    pub dropped_proposals: usize,
    /// Number of events dropped since opening because no receiver took them in time.
    pub events_dropped: usize,
    /// Reason that nothing is saved until the memory is opened again, if the storage failed.
    pub storage_failure: Option<String>,
    /// Status of the model.
    pub model: ModelStatus,
    /// Status of the language model, if one is enabled.
    #[cfg(feature = "llm")]
    pub llm: Option<LlmStatus>,
    /// Short summary of opening.
    pub opened: String,
}

/// Status of the language model.
#[cfg(feature = "llm")]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LlmStatus {
    /// Base URL of the server.
    pub base_url: String,
    /// Name of the model on the server.
    pub model: String,
    /// Reason why the model cannot be used, if any.
    pub trouble: Option<String>,
    /// Whether reading is paused.
    pub paused: bool,
    /// Counts of the queue.
    pub queue: QueueCounts,
    /// Number of passages whose findings are being written.
    pub writing: usize,
    /// Milliseconds until the next attempt; `None` if nothing is scheduled.
    pub next_try_ms: Option<u64>,
    /// Number of tokens used since the memory was opened.
    pub tokens: u64,
    /// Counts of findings since the memory was opened, including findings that were refused.
    pub counts: Counts,
    /// Counts of the outcomes of the findings since the memory was opened.
    pub found: Proposed,
    /// Error of the last text that was read; `None` if it was read without an error.
    pub last_error: Option<String>,
}
