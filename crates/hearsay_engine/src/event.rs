//! Events of an open memory.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use crossbeam_channel::Sender;
use hearsay_model::{Acquisition, Credence, EntityId, FactId, Feeling, Key, OpenThread, Position};
use hearsay_recall::LineClaim;

use crate::{ModelStatus, Waker};

/// A fact that a watched knower newly learned.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedEdge {
    /// Knower that learned the fact.
    pub knower: EntityId,
    /// Id of the fact.
    pub fact: FactId,
    /// Content of the fact, such as its subject, predicate and object.
    pub claim: LineClaim,
    /// Kind of open plot thread that the fact represents, such as a promise or a debt; `None` if the fact is no thread.
    pub thread: Option<OpenThread>,
    /// How the knower learned the fact.
    pub acquisition: Acquisition,
    /// Credence in the fact if this were the only way in which the knower learned the fact.
    pub credence: Credence,
}

/// A changed belief of a watched knower.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefChange {
    /// Knower whose belief changed.
    pub knower: EntityId,
    /// Id of the fact.
    pub fact: FactId,
    /// Content of the fact, such as its subject, predicate and object.
    pub claim: LineClaim,
    /// Credence before the change; 0 if the knower did not know the fact.
    pub before: Credence,
    /// Credence after the change; 0 if the knower no longer knows the fact.
    pub after: Credence,
}

/// A changed feeling of a watched knower towards another entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeelingChange {
    /// Knower whose feeling changed.
    pub knower: EntityId,
    /// Entity towards which the feeling changed.
    pub towards: EntityId,
    /// Kind of feeling.
    pub feeling: Feeling,
    /// Value before the change, from −100 to 100.
    pub before: i8,
    /// Value after the change, from −100 to 100.
    pub after: i8,
    /// Fact that caused the change: the knower learned or forgot this fact.
    pub fact: FactId,
}

/// An event of the memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A write was committed to the database and applied to the state.
    Applied {
        /// Position of the newest operation.
        position: Position,
        /// Number of writes since the memory was opened, including this write. This number also counts writes of
        /// transient values, which have no position in the journal.
        revision: u64,
        /// Keys of the records (entities, facts, edges and others) that may have changed.
        touched: Vec<Key>,
    },
    /// The sentence encoder computed vectors of facts and passages.
    Vectors {
        /// Number of facts and passages that still need a vector.
        pending: usize,
    },
    /// After a write, the condition of a secret is met, so the holder of the secret is now allowed to tell it.
    Revealable {
        /// Id of the reveal, which is the rule that contains the condition.
        reveal: String,
        /// Id of the secret fact.
        fact: FactId,
        /// Character that is allowed to tell the secret.
        holder: EntityId,
        /// Player characters to whom the holder is allowed to tell the secret, sorted. If the list is empty, the
        /// campaign has no player characters, and the holder is allowed to tell anyone.
        listeners: Vec<EntityId>,
    },
    /// Watched knowers learned facts that they did not know before: see [`Memory::watch`](crate::Memory::watch). Sorted
    /// by knower and fact. A write causes at most one event of this kind.
    Learned(Vec<LearnedEdge>),
    /// The beliefs of watched knowers changed: see [`Memory::watch`](crate::Memory::watch). Sorted by knower and fact.
    /// A write causes at most one event of this kind.
    BeliefsChanged(Vec<BeliefChange>),
    /// Feelings of watched knowers changed, because the knowers themselves learned or forgot facts: see
    /// [`Memory::watch`](crate::Memory::watch). The decay of feelings over time causes no event. Sorted by knower and
    /// other entity. A write causes at most one event of this kind.
    FeelingsChanged(Vec<FeelingChange>),
    /// The model of the sentence encoder was loaded, or loading it failed.
    Model(ModelStatus),
    /// The language model has read some texts, or has failed (feature `llm`).
    LlmRead {
        /// Number of texts that the language model has not read completely. Includes the turns of unfinished
        /// conversations, texts that are being read, and failed texts.
        waiting: usize,
        /// Error that prevented the language model from reading some texts completely; `None` if there was no error.
        trouble: Option<String>,
    },
    /// The state was replaced with a new state from the journal, and writing resumes. Writing had stopped because the
    /// state in memory and the journal might differ, or because the connection to another program that shares the
    /// campaign had ended. Read all data again, because any record may have changed.
    Reloaded {
        /// Position of the newest operation.
        position: Position,
        /// Error after which the state and the journal might have differed; `None` if only the connection had ended.
        failure: Option<String>,
    },
    /// A background task or the storage failed with this error message. Acknowledged writes are not lost. After a
    /// failure of the storage, nothing is saved until the memory is opened again.
    Failed(String),
}

/// Sends the events of a memory.
#[derive(Debug)]
pub(crate) struct EventSender {
    pub(crate) sender: Sender<Event>,
    /// Number of events so far, including dropped events.
    pub(crate) count: Arc<AtomicU64>,
    pub(crate) waker: Option<Waker>,
}

impl EventSender {
    /// Sends an event. Returns whether the channel had space for it.
    pub(crate) fn send(&self, event: Event) -> bool {
        let is_sent = self.sender.try_send(event).is_ok();
        self.count.fetch_add(1, Ordering::Release);
        self.waker.iter().for_each(Waker::wake);
        is_sent
    }
}
