//! Entries that were read from the files but are not facts yet.

use std::collections::BTreeMap;

use hearsay_model::{
    Attitude, Confidence, EntityId, FactId, FactRelation, FactStatus, Method, Object, PassageId, Predicate, Secrecy,
    SessionId, Validity, Value,
};

use crate::{
    campaign::{AudienceSource, KnowerEntry},
    error::SourcePosition,
    yaml::Node,
};

/// Default values for an entry. The default values depend on the position of the entry in the file.
#[derive(Debug, Clone)]
pub(super) struct Context {
    /// The subject of the entry, if the position of the entry determines it.
    pub(super) subject: Option<EntityId>,
    /// The entity that lists the entry under its `secrets`. This entity is the bearer of the secret, even if it is a
    /// group or place.
    pub(super) secret_owner: Option<EntityId>,
    /// The audience of an entry without a mark.
    pub(super) audience_source: AudienceSource,
    pub(super) status: FactStatus,
    pub(super) method: Method,
    pub(super) speaker: Option<EntityId>,
    pub(super) session: Option<SessionId>,
    /// The passage that states the fact, with its text.
    pub(super) passage: Option<(PassageId, String)>,
}

impl Context {
    pub(super) fn for_subject(subject: Option<&EntityId>) -> Self {
        Self {
            subject: subject.cloned(),
            secret_owner: None,
            audience_source: AudienceSource::Rules,
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
    pub(super) handle: Option<(String, SourcePosition)>,
    pub(super) statement: Option<String>,
    pub(super) about: Vec<EntityId>,
    pub(super) status: Option<FactStatus>,
    pub(super) confidence: Option<Confidence>,
    pub(super) validity: Validity,
    pub(super) attitude: Option<Attitude>,
    pub(super) rank: Option<String>,
    pub(super) conditions: Option<String>,
    pub(super) secrecy: Secrecy,
    pub(super) audience_source: Option<AudienceSource>,
    /// Whether the entry has no mark for its audience.
    pub(super) unmarked: bool,
    pub(super) knowers: Vec<KnowerEntry>,
    /// Whether the bearer of the secret conceals it; `None` if the fact has no bearer who knows it.
    pub(super) bearer_conceals: Option<bool>,
    pub(super) reveals: Vec<UnparsedNode>,
    pub(super) relation: Option<RelationDraft>,
    pub(super) public: Option<UnparsedNode>,
}

/// Predicate and object of a fact.
pub(super) type FactContent = (Predicate, Object);

/// An entry that was read, with its position, subject and content.
#[derive(Debug)]
pub(super) struct FactEntry {
    pub(super) at: SourcePosition,
    pub(super) path: String,
    pub(super) context: Context,
    /// The subject; `None` if the subject is taken from another fact.
    pub(super) subject: Option<EntityId>,
    /// Predicate and object; `None` if they are taken from another fact.
    pub(super) content: Option<FactContent>,
    pub(super) marks: Marks,
}

impl FactEntry {
    /// Creates the entry of a fact whose subject and content are known.
    pub(super) fn new(
        at: SourcePosition,
        path: &str,
        context: &Context,
        subject: EntityId,
        content: FactContent,
        marks: Marks,
    ) -> Self {
        Self {
            at,
            path: path.to_owned(),
            context: context.clone(),
            subject: Some(subject),
            content: Some(content),
            marks,
        }
    }
}

/// A reference to a fact by its handle, and the knowers, speaker and passage that the reference adds to the fact.
#[derive(Debug)]
pub(super) struct HandleReference {
    pub(super) handle: String,
    pub(super) at: SourcePosition,
    pub(super) path: String,
    /// The knowers that the reference adds to the fact.
    pub(super) knowers: Vec<KnowerEntry>,
    /// The speaker of the fact.
    pub(super) speaker: Option<EntityId>,
    /// The index of the passage that states the fact.
    pub(super) passage_index: Option<usize>,
    /// The passage of the log line that states the fact, with its text.
    pub(super) log_line: Option<(PassageId, String)>,
}

/// The relation of a fact to another fact.
#[derive(Debug, Clone)]
pub(super) struct RelationDraft {
    pub(super) key: &'static str,
    pub(super) relation: RelationConstructor,
    pub(super) other: OtherFact,
}

impl RelationDraft {
    pub(super) fn for_cover(secret: usize) -> Self {
        Self { key: "public", relation: FactRelation::Covers, other: OtherFact::ByIndex(secret) }
    }

    /// Returns whether the sentence of the fact can be generated from the other fact.
    pub(super) fn implies_statement(&self) -> bool {
        self.key == "refutes" || self.key == "ends"
    }
}

#[derive(Debug, Clone)]
/// The other fact in a relation between two facts.
pub(super) enum OtherFact {
    /// The other fact is given by its handle. The entry of the other fact can come later in the files.
    ByHandle { handle: String, at: SourcePosition, path: String },
    /// The other fact was read before. The value is the index of the other fact.
    ByIndex(usize),
}

/// A fact that is not built yet, because it has a relation to another fact.
#[derive(Debug)]
pub(super) struct PendingFact {
    pub(super) index: usize,
    pub(super) relation: RelationDraft,
    /// The entry of the fact. If the entry has no subject, the fact has the same subject as the other fact. If the
    /// entry has no text, the fact states that the other fact is false or has ended.
    pub(super) entry: FactEntry,
}

/// A function that creates the relation to a fact.
pub(super) type RelationConstructor = fn(FactId) -> FactRelation;

/// A reveal that is not parsed yet. Reveals are parsed last, because their conditions refer to facts by handle.
#[derive(Debug, Clone)]
pub(super) struct UnparsedNode {
    pub(super) node: Node,
    pub(super) path: String,
}

/// The flags that the files declare, with their positions.
pub(super) type FlagDeclarations = BTreeMap<String, (Value, SourcePosition)>;
