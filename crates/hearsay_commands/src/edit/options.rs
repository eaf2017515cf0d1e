//! Options of an edit.

use hearsay_model::EntityId;
use serde::{Deserialize, Serialize};

/// Optional parts of a fact: all parts except subject, predicate and object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FactOptions {
    /// Sentence that states the fact. If `None`, Hearsay generates a sentence from the phrase of the predicate.
    pub statement: Option<String>,
    /// Whether the fact is secret. Only two kinds of knowers know a secret: its subject, if the subject is a character,
    /// and the knowers in `known_by`. All of these knowers conceal the secret.
    pub secret: bool,
    /// Whether everybody knows the fact.
    pub common: bool,
    /// Additional knowers of the fact.
    pub known_by: Vec<EntityId>,
    /// Attitude of the subject to the object, −100 to 100; `None` if the fact states no attitude.
    pub attitude: Option<i64>,
    /// Date on the campaign's calendar at which the fact became true; `None` if it has always been true.
    pub since: Option<String>,
    /// Date on the campaign's calendar at which the fact ceased to be true; `None` if it is still true.
    pub until: Option<String>,
}
