//! Entries that were read from the files, but whose facts are not built yet.

use std::collections::BTreeMap;

use hearsay_model::{
    Attitude, Confidence, EntityId, FactId, FactRelation, FactStatus, Method, Object, PassageId, Predicate, Secrecy,
    SessionId, Validity, Value,
};

use crate::{
    campaign::{Learned, Reach},
    error::Place,
    yaml::Node,
};

/// Default values for an entry. They depend on the position of the entry in the file.
#[derive(Debug, Clone)]
pub(super) struct Context {
    /// The subject of the entry, if the position of the entry determines it.
    pub(super) subject: Option<EntityId>,
    /// The entity that lists the entry under its `secrets`. This entity knows and conceals the fact.
    pub(super) bearer: Option<EntityId>,
    /// The audience of an entry without a mark.
    pub(super) reach: Reach,
    pub(super) status: FactStatus,
    pub(super) method: Method,
    pub(super) speaker: Option<EntityId>,
    pub(super) session: Option<SessionId>,
    /// The passage that states the fact, with its text.
    pub(super) passage: Option<(PassageId, String)>,
}

impl Context {
    pub(super) fn about(subject: Option<&EntityId>) -> Self {
        Self {
            subject: subject.cloned(),
            bearer: None,
            reach: Reach::Rules,
            status: FactStatus::Canon,
            method: Method::Imported,
            speaker: None,
            session: None,
            passage: None,
        }
    }
}

/// All parts of an entry except subject, predicate and object.
#[derive(Debug, Clone, Default)]
pub(super) struct Marks {
    pub(super) handle: Option<(String, Place)>,
    pub(super) statement: Option<String>,
    pub(super) about: Vec<EntityId>,
    pub(super) status: Option<FactStatus>,
    pub(super) confidence: Option<Confidence>,
    pub(super) validity: Validity,
    pub(super) attitude: Option<Attitude>,
    pub(super) rank: Option<String>,
    pub(super) conditions: Option<String>,
    pub(super) secrecy: Secrecy,
    pub(super) reach: Option<Reach>,
    /// Whether the entry has no mark for its audience.
    pub(super) unmarked: bool,
    pub(super) learned: Vec<Learned>,
    pub(super) reveals: Vec<Written>,
    pub(super) bears: Option<Bears>,
    pub(super) public: Option<Written>,
}

/// Predicate and object of a fact.
pub(super) type Says = (Predicate, Object);

/// An entry that was read, with its position, subject and content.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) at: Place,
    pub(super) path: String,
    pub(super) context: Context,
    /// The subject; `None` if the subject is taken from another fact.
    pub(super) subject: Option<EntityId>,
    /// Predicate and object; `None` if they are taken from another fact.
    pub(super) says: Option<Says>,
    pub(super) marks: Marks,
}

/// A reference to a fact by its handle, and what this reference adds to the fact.
#[derive(Debug)]
pub(super) struct Later {
    pub(super) handle: String,
    pub(super) at: Place,
    pub(super) path: String,
    /// The knowers that the reference adds to the fact.
    pub(super) learned: Vec<Learned>,
    /// The speaker of the fact.
    pub(super) speaker: Option<EntityId>,
    /// The index of the passage that states the fact.
    pub(super) read_in: Option<usize>,
    /// The passage of the log line that states the fact, with its text.
    pub(super) said_in: Option<(PassageId, String)>,
}

/// The relation of a fact to another fact.
#[derive(Debug, Clone)]
pub(super) struct Bears {
    pub(super) key: &'static str,
    pub(super) relation: ToRelation,
    pub(super) of: Other,
}

impl Bears {
    pub(super) fn covers(secret: usize) -> Self {
        Self { key: "public", relation: FactRelation::Covers, of: Other::Read(secret) }
    }

    /// Returns whether the sentence of the fact can be generated from the other fact.
    pub(super) fn speaks(&self) -> bool {
        self.key == "refutes" || self.key == "ends"
    }
}

#[derive(Debug, Clone)]
/// The other fact in a relation between two facts.
pub(super) enum Other {
    /// The other fact is given by its handle. Its entry may come later in the files.
    Named { handle: String, at: Place, path: String },
    /// The other fact was read before. The value is its index.
    Read(usize),
}

/// A fact that is not built yet, because it has a relation to another fact.
#[derive(Debug)]
pub(super) struct Unbuilt {
    pub(super) number: usize,
    pub(super) bears: Bears,
    /// The entry of the fact. If it has no subject, the fact has the same subject as the other fact. If it has no text,
    /// the fact states that the other fact is false or has ended.
    pub(super) said: Said,
}

/// A function that creates the relation to a fact.
pub(super) type ToRelation = fn(FactId) -> FactRelation;

/// A reveal that is not parsed yet. Reveals are parsed last, because their conditions refer to facts by handle.
#[derive(Debug, Clone)]
pub(super) struct Written {
    pub(super) node: Node,
    pub(super) path: String,
}

/// The flags that the files declare, with their positions.
pub(super) type Flags = BTreeMap<String, (Value, Place)>;
