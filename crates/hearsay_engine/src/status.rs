//! Status of a memory, and the snapshot from which the memory answers reads.

use std::sync::Arc;

use hearsay_commands::proposal::ProposalCounts;
#[cfg(feature = "llm")]
use hearsay_llm::{ExtractionCounts, QueueCounts};
use hearsay_model::{Position, State, StateVersion};
use hearsay_query::trust::TrustCalibration;
use serde::Serialize;

/// Read snapshot, which contains the state after the newest applied operation. The memory answers reads from it.
#[derive(Debug, Clone)]
pub struct ReadSnapshot {
    /// State of the campaign.
    pub state: Arc<State>,
    /// Trust calibration that was computed from the DM's decisions in this state.
    pub learned: Arc<TrustCalibration>,
}

/// Status of the sentence encoder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "status")]
pub enum ModelStatus {
    /// The model of the sentence encoder is loading.
    Loading,
    /// The model of the sentence encoder is loaded and computes vectors.
    Ready {
        /// Id of the model.
        id: String,
    },
    /// There is no model for the sentence encoder. Answers are ranked by keywords and graph only.
    None {
        /// Reason why there is no model.
        why: String,
    },
}

/// How a program shares a campaign with other programs.
///
/// Without a server, only programs on the same machine share a campaign. The first program that opens a campaign is its owner: it has the database open. Programs that open the campaign
/// later attach to the owner. Each program has its own copy of the state, which contains a write of another program
/// milliseconds after its commit. If the owner closes the campaign, one of the other programs becomes the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "role")]
pub enum SharingStatus {
    /// Only this program can use the campaign: sharing is disabled, or the campaign is in memory.
    NotShared,
    /// This program is the owner.
    Owner {
        /// File names of the attached programs.
        programs: Vec<String>,
    },
    /// This program is attached.
    Attached {
        /// Description of the owner.
        owner: String,
    },
    /// The connection to the owner or the server was lost. This program connects again, or becomes the owner. Meanwhile,
    /// reads use the last state, and writes wait.
    Reconnecting,
    /// The campaign is in a server. While there is no connection, reads use the last state, and writes wait or fail,
    /// according to [`StoreSettings::offline_writes`](crate::StoreSettings::offline_writes).
    Server {
        /// Address of the server, with the namespace and the database of the campaign, or with the remark that this program
        /// found the server in the campaign directory.
        endpoint: String,
        /// Whether there is a connection.
        connected: bool,
        /// Number of seconds since the connection was lost; `None` if there is a connection.
        last_heard_s: Option<u64>,
        /// Reason why there is no connection; `None` if there is a connection.
        reason: Option<String>,
        /// Whether the server can be reached, but refuses the login. Writes then fail with every setting.
        refused: bool,
    },
}

/// Status of the memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// Position of the newest operation in the journal.
    pub position: Position,
    /// Version of the newest state. Every change of the state, including a change of transient values, changes this
    /// version.
    #[serde(skip)]
    pub version: StateVersion,
    /// Watermark: position in the journal up to which the graph tables of the database are complete. A campaign without
    /// files has no graph tables, because no program could query them; this is then the position of the newest operation.
    pub projected: Position,
    /// Undo horizon: position in the journal up to which operations can no longer be undone.
    pub compacted_to: Position,
    /// Whether the program is removing unneeded changes before the undo horizon from the journal.
    pub compacting: bool,
    /// Number of operations stored in the journal.
    pub operations: usize,
    /// Number of entities.
    pub entities: usize,
    /// Number of facts of any status.
    pub facts: usize,
    /// Number of texts (facts and passages) that questions and searches can find.
    pub texts: usize,
    /// Number of texts (facts and passages) that still need a vector. While the stored vectors are being read, this is
    /// the number of all texts. If the settings disable the sentence encoder, this is 0.
    pub pending_vectors: usize,
    /// Whether the stored vectors are still being read.
    pub reading_vectors: bool,
    /// Number of records that searches cannot find yet, because a large operation has just added them.
    pub unindexed: usize,
    /// Number of passages from which facts have not been extracted yet.
    pub unread: usize,
    /// Number of facts that were extracted from passages since the memory was opened, by outcome.
    pub found: ProposalCounts,
    /// Number of items in the review queue, which wait for the DM's decision. Duplicate entities are not counted.
    pub reviews: usize,
    /// Number of review items that are held back, because the queue already has enough items of their session or
    /// import.
    pub held_back: usize,
    /// Number of writes that wait for their commit.
    pub waiting_writes: usize,
    /// Number of proposals that were dropped since the memory was opened, because their confidence was below the lowest
    /// threshold of the policy.
    pub dropped_proposals: usize,
    /// Number of events that were dropped since the memory was opened, because the event channel was full.
    pub events_dropped: usize,
    /// How this program shares the campaign with other programs.
    pub sharing: SharingStatus,
    /// Reason why the database failed; `None` if the database works. After a failure, nothing is saved until the memory
    /// is opened again.
    pub storage_failure: Option<String>,
    /// Whether the log of the database was replayed when the memory was opened. The log is replayed if the previous
    /// program did not close the memory.
    pub replayed_log: bool,
    /// Number of records in the graph tables that differed from the state when the memory was opened. These records
    /// were repaired in the background.
    pub repaired_records: usize,
    /// Reason why the snapshot was not used when the memory was opened. `None` if the snapshot was used or if there is
    /// no snapshot.
    pub snapshot_ignored: Option<String>,
    /// Status of the sentence encoder.
    pub model: ModelStatus,
    /// Status of the language model, if one is enabled.
    #[cfg(feature = "llm")]
    pub llm: Option<LlmStatus>,
    /// Short summary of the opening of the memory: the data that was read, and the time that this took.
    pub opened: String,
}

/// Status of the language model.
#[cfg(feature = "llm")]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LlmStatus {
    /// Base URL of the server that runs the language model.
    pub base_url: String,
    /// Name of the model on the server.
    pub model: String,
    /// Reason why the language model cannot be used; `None` if it can be used.
    pub trouble: Option<String>,
    /// Whether the language model has been paused, so that it reads no texts.
    pub paused: bool,
    /// Number of jobs in the queue of the language model, by state. A job is a text, or a part of a conversation.
    pub queue: QueueCounts,
    /// Number of passages whose extracted facts are being committed.
    pub writing: usize,
    /// Milliseconds until the language model reads the next text; `None` if no text is scheduled.
    pub next_try_ms: Option<u64>,
    /// Number of tokens that the language model has used since the memory was opened.
    pub tokens: u64,
    /// Numbers of found and of rejected entities and facts of the language model since the memory was opened.
    pub counts: ExtractionCounts,
    /// Number of facts that the language model has found since the memory was opened, by outcome.
    pub found: ProposalCounts,
    /// Error of the language model while it read the last text; `None` if there was no error.
    pub last_error: Option<String>,
}
