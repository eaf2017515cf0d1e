//! A fact for display: its content, its knowers and its sources.

use hearsay_model::{FactId, FactStatus, SessionId};
use serde::{Deserialize, Serialize};

use crate::{names::NamedEntity, text::LinkedText};

/// A fact for display.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactModel {
    /// Id of the fact.
    pub fact: FactId,
    /// Subject of the fact.
    pub subject: NamedEntity,
    /// Predicate of the fact.
    pub predicate: String,
    /// The object as text: the name of an entity, or a value.
    pub object: String,
    /// The object, if it is an entity.
    pub object_entity: Option<NamedEntity>,
    /// Sentence that states the fact.
    pub statement: LinkedText,
    /// Status of the fact.
    pub status: FactStatus,
    /// Whether the fact is marked as a secret.
    pub secret: bool,
    /// Whether at least one knower conceals the fact.
    pub concealed: bool,
    /// Date at which the fact became true, as text; `None` if it is not recorded.
    pub since: Option<String>,
    /// Date at which the fact ceased to be true, as text; `None` if it is not recorded.
    pub until: Option<String>,
    /// Attitude of the subject to the object, from −100 to 100; `None` if the fact states no attitude.
    pub attitude: Option<i8>,
    /// Confidence of an extracted fact, from 0 to 1; `None` for facts that were not extracted from a text.
    pub confidence: Option<f64>,
    /// How, by whom and in which session the fact was recorded, as text.
    pub origin: String,
    /// Session in which the fact was recorded; `None` if it was not recorded in a session.
    pub session: Option<SessionId>,
    /// The party's knowledge of the fact; `None` if no player character knows the fact.
    pub party_knowledge: Option<PartyKnowledge>,
    /// Whether everyone knows the fact.
    pub known_to_everybody: bool,
    /// Knowers with a knowledge edge to the fact, except player characters and their parties. Groups and places come
    /// first. The list has at most [`MAX_KNOWERS`] entries.
    pub knowers: Vec<KnowerLine>,
    /// Number of knowers that are not listed.
    pub more_knowers: usize,
    /// Sources of the fact.
    pub sources: Vec<SourceLine>,
}

/// Maximum number of listed knowers of a fact.
pub const MAX_KNOWERS: usize = 12;

/// The party's knowledge of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartyKnowledge {
    /// Description of the knowledge, such as `The party knows, since session 3`.
    pub text: String,
    /// Session in which a player character first learned the fact; `None` if this was not in a session.
    pub session: Option<SessionId>,
    /// Whether all player characters know the fact.
    pub all: bool,
    /// The player characters that know the fact.
    pub known_by: Vec<KnowerLine>,
}

/// A knower of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnowerLine {
    /// The knower: a character, a group or a place.
    pub knower: NamedEntity,
    /// How the knower learned the fact, as a text such as `told by Odo Brandt`.
    pub acquisition: String,
    /// The knower's credence in the fact, from 0 to 1.
    pub credence: f64,
    /// Time when the knower learned the fact, for display; `None` if it is not recorded.
    pub since: Option<String>,
    /// Whether the knower conceals the fact.
    pub conceals: bool,
    /// Whether the knower is a group or place. If `true`, the members or residents of the knower also know the fact.
    pub group: bool,
}

/// A source of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceLine {
    /// Location of the source: file and line, or speaker and session.
    pub place: String,
    /// Text of the source, if it is known.
    pub text: Option<String>,
    /// Start and end, in bytes, of the words in `text` that state the fact; `None` if these words are unknown.
    pub quote: Option<(usize, usize)>,
}
