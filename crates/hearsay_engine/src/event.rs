//! Events of an open memory.

use hearsay_model::{EntityId, FactId, Key, Position};

use crate::ModelStatus;

/// An event of the memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A write was committed and applied.
    Applied {
        /// Position of the newest operation.
        position: Position,
        /// Number of the write since opening. Writes of transient values have no position of their own.
        revision: u64,
        /// Records that may have changed.
        touched: Vec<Key>,
    },
    /// Vectors were made.
    Vectors {
        /// Number of texts without a vector.
        pending: usize,
    },
    /// The condition of a reveal became true with a write: the holder may tell the secret.
    Revealable {
        /// Id of the reveal.
        reveal: String,
        /// The secret.
        fact: FactId,
        /// Holder that may tell it.
        holder: EntityId,
    },
    /// The model was loaded, or loading failed.
    Model(ModelStatus),
    /// The language model read some texts, or failed (feature `llm`).
    Asked {
        /// Number of waiting turns and texts.
        waiting: usize,
        /// Reason that the texts were not read, or not completely.
        trouble: Option<String>,
    },
    /// Writing had stopped because the state in memory and the journal might differ. The state was rebuilt from the
    /// journal, and writing resumes. Records that were read before may have changed.
    Reloaded {
        /// Position of the newest operation.
        position: Position,
        /// Reason that writing had stopped.
        why: String,
    },
    /// An error in the background. No acknowledged write is lost.
    Failed(String),
}
