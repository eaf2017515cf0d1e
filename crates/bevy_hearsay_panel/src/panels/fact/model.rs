//! A fact as the panels show it: what it says, who knows it, and where it is written.

use hearsay_model::{FactId, SessionId, Standing};
use serde::{Deserialize, Serialize};

use crate::{names::Named, text::Linked};

/// A fact as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactModel {
    /// Its id.
    pub fact: FactId,
    /// Whom it is about.
    pub subject: Named,
    /// Its predicate.
    pub predicate: String,
    /// Its object as text: a name or a value.
    pub object: String,
    /// Its object, where that is an entity.
    pub object_entity: Option<Named>,
    /// The sentence that states it.
    pub statement: Linked,
    /// What the world says of it.
    pub standing: Standing,
    /// Whether it is meant as a secret.
    pub secret: bool,
    /// Whether somebody keeps it to itself.
    pub concealed: bool,
    /// Whether players may see it on the screen: all of them know it, and nobody keeps it to itself.
    pub safe: bool,
    /// Since when it is so.
    pub since: Option<String>,
    /// Until when it was so.
    pub until: Option<String>,
    /// How the subject feels about the object.
    pub attitude: Option<i8>,
    /// How sure extraction was; nothing, where nobody extracted it.
    pub confidence: Option<f64>,
    /// How it came into the record, by whom and in which session, in words.
    pub origin: String,
    /// The session it was recorded in.
    pub session: Option<SessionId>,
    /// What the table knows of it.
    pub table: Option<TableLine>,
    /// Whether it is common lore.
    pub everybody: bool,
    /// Who else knows it by itself: groups first. At most [`MOST_HOLDERS`].
    pub held_by: Vec<HolderLine>,
    /// How many more there are.
    pub more_holders: usize,
    /// Where it is written.
    pub sources: Vec<SourceLine>,
}

/// Holders of a fact that are listed at most.
pub const MOST_HOLDERS: usize = 12;

/// What the table knows of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableLine {
    /// In a few words: `The party knows, since session 3`.
    pub text: String,
    /// The session in which the first of them learned it.
    pub session: Option<SessionId>,
    /// Whether all player characters know it.
    pub all: bool,
    /// Who knows it.
    pub known_by: Vec<HolderLine>,
}

/// One who knows a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HolderLine {
    /// Who.
    pub who: Named,
    /// How: `told by Odo Brandt`.
    pub how: String,
    /// How far it believes it.
    pub credence: f64,
    /// Since when.
    pub since: Option<String>,
    /// Whether it keeps it to itself.
    pub conceals: bool,
    /// Whether it is a group or place, whose members or residents have it from there.
    pub group: bool,
}

/// Where a fact is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceLine {
    /// File and line, or who said it in which session.
    pub place: String,
    /// The text.
    pub text: Option<String>,
    /// Which bytes of the text state the fact.
    pub quote: Option<(usize, usize)>,
}
