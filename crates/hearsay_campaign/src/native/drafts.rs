//! Entries of the files that were read, before their facts are built.

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

/// Defaults of an entry. They follow from the position of the entry in the file.
#[derive(Debug, Clone)]
pub(super) struct Context {
    /// The subject, if the position determines it.
    pub(super) subject: Option<EntityId>,
    /// The entity that knows the fact as its secret.
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

/// An entry that was read: its position, subject and content.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) at: Place,
    pub(super) path: String,
    pub(super) context: Context,
    /// The subject; `None` if it follows from another fact.
    pub(super) subject: Option<EntityId>,
    /// Predicate and object; `None` if they follow from another fact.
    pub(super) says: Option<Says>,
    pub(super) marks: Marks,
}

/// A reference to a fact by its handle, and what the reference adds to the fact.
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
    /// The line that states the fact, with its text.
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

    /// Whether the text of the fact can be derived from the other fact.
    pub(super) fn speaks(&self) -> bool {
        self.key == "refutes" || self.key == "ends"
    }
}

#[derive(Debug, Clone)]
/// The other fact of a relation.
pub(super) enum Other {
    /// A handle. Its fact may come later in the files.
    Named { handle: String, at: Place, path: String },
    /// The index of a fact that was read before.
    Read(usize),
}

/// A fact with a relation to another fact that is not built yet.
#[derive(Debug)]
pub(super) struct Unbuilt {
    pub(super) number: usize,
    pub(super) bears: Bears,
    /// The entry. Without a subject, the fact takes the subject of the other fact. Without a text, it states that the
    /// other fact is false, or has ended.
    pub(super) said: Said,
}

/// Builds the relation to a fact.
pub(super) type ToRelation = fn(FactId) -> FactRelation;

/// An unparsed reveal. Reveals are read last, because their conditions name facts by handles.
#[derive(Debug, Clone)]
pub(super) struct Written {
    pub(super) node: Node,
    pub(super) path: String,
}

/// The declared flags, with their positions.
pub(super) type Flags = BTreeMap<String, (Value, Place)>;
