//! Events of an open memory.

use hearsay_model::{EntityId, FactId, Key, Position};

use crate::ModelStatus;

/// An event of the memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A write was committed to the database and applied to the state.
    Applied {
        /// Position of the newest operation.
        position: Position,
        /// Number of writes since the memory was opened, including this write. Writes of transient values are counted
        /// too, although they have no position in the journal.
        revision: u64,
        /// Keys of the records (entities, facts, edges and others) that may have changed.
        touched: Vec<Key>,
    },
    /// The sentence encoder computed vectors of facts and passages.
    Vectors {
        /// Number of facts and passages that still need a vector.
        pending: usize,
    },
    /// A write fulfilled the condition of a reveal, so the holder may now tell the secret.
    Revealable {
        /// Id of the reveal.
        reveal: String,
        /// Secret fact.
        fact: FactId,
        /// Character that may tell the secret.
        holder: EntityId,
        /// Player characters to whom the holder may tell the secret, sorted. Empty if the campaign has no player
        /// characters: the holder may then tell anyone.
        listeners: Vec<EntityId>,
    },
    /// The model of the sentence encoder was loaded, or loading it failed.
    Model(ModelStatus),
    /// The language model read some texts, or failed (feature `llm`).
    LlmRead {
        /// Number of texts that the language model has not read completely. Includes the turns of unfinished
        /// conversations, texts that are being read, and failed texts.
        waiting: usize,
        /// Error because of which the language model did not read some texts completely; `None` if there was no error.
        trouble: Option<String>,
    },
    /// The state was rebuilt from the journal, and writing resumes. Writing had stopped because the state in memory and
    /// the journal might differ. Read all data again, because any record may have changed.
    Reloaded {
        /// Position of the newest operation.
        position: Position,
        /// Reason why writing had stopped.
        why: String,
    },
    /// A background task or the storage failed with this error message. Acknowledged writes are not lost. After a
    /// failure of the storage, nothing is saved until the memory is opened again.
    Failed(String),
}
