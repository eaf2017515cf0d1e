//! What an entity's page shows.

use hearsay_model::{EntityId, FactId, Kind, PassageId, SessionId};
use serde::{Deserialize, Serialize};

use crate::{names::Named, panels::fact::FactModel};

/// Facts of a section, things known, secrets, dates and passages that are listed at most, each.
pub const MOST: usize = 300;

/// Which entity's page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntityRequest {
    /// Whose.
    pub id: EntityId,
}

/// An entity's page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EntityModel {
    /// Whose it is; nothing, until one was chosen.
    pub id: Option<EntityId>,
    /// Whether it is there: an undo may have taken it away.
    pub found: bool,
    /// What it is called first of all.
    pub name: String,
    /// What it is.
    pub kind: Option<Kind>,
    /// Whether all players know what it is called.
    pub safe: bool,
    /// The game clock, on the campaign's calendar.
    pub clock: Option<String>,
    /// Further names.
    pub aliases: Vec<AliasLine>,
    /// When the party first met it.
    pub first_met: Option<MetLine>,
    /// When the party last met it.
    pub last_seen: Option<MetLine>,
    /// What it said last.
    pub last_words: Option<WordsLine>,
    /// What is unsettled with it.
    pub unsettled: Vec<UnsettledLine>,
    /// What is said of it, by section.
    pub sections: Vec<FactSection>,
    /// What it knows, the latest first. At most [`MOST`].
    pub knows: Vec<KnowsLine>,
    /// How much it knows in all, but for what everybody knows.
    pub knows_all: usize,
    /// Secrets that it keeps, and secrets about it.
    pub secrets: Vec<SecretLine>,
    /// What happened to it, in the order of time.
    pub timeline: Vec<TimeLine>,
    /// What it said, and what was said of it, the latest first. At most [`MOST`].
    pub passages: Vec<PassageLine>,
    /// How many passages there are in all.
    pub passages_all: usize,
}

/// A further name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AliasLine {
    /// The name.
    pub text: String,
    /// Whether it is secret.
    pub secret: bool,
    /// Whether players may see it.
    pub safe: bool,
    /// The fact that it is called so.
    pub fact: FactId,
}

/// A time when the party met somebody.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetLine {
    /// In which way: `Spoke`, `Present`, `Visited`, `Played`, `Only named`.
    pub how: String,
    /// When and where, in words: `session 2, A Wake · 4 Rainmoon 412, 10:15 · The Gilded Gull`.
    pub text: String,
    /// The session.
    pub session: Option<SessionId>,
}

/// What somebody said last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WordsLine {
    /// The words.
    pub text: String,
    /// When, in words.
    pub when: String,
    /// The session.
    pub session: Option<SessionId>,
    /// Whether all players heard it.
    pub safe: bool,
}

/// Something unsettled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnsettledLine {
    /// `Promise`, `Debt` or `Quest`.
    pub kind: String,
    /// What is open.
    pub text: String,
    /// Since when, and more, in words.
    pub details: String,
    /// The fact, where it is one.
    pub fact: Option<FactId>,
    /// The quest, where it is one.
    pub quest: Option<EntityId>,
    /// Whether players may see it.
    pub safe: bool,
}

/// Facts under a heading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactSection {
    /// The heading: `Description`, `Relations`, …
    pub title: String,
    /// The facts. At most [`MOST`].
    pub facts: Vec<FactModel>,
    /// How many more there are.
    pub more: usize,
}

/// Something that an entity knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnowsLine {
    /// The fact.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// How it holds it: `believes`, `doubts`, `believed until it ended`, …
    pub hold: String,
    /// How far it believes it.
    pub credence: f64,
    /// How it knows it, since when: `told by Odo Brandt, 4 Rainmoon 412`.
    pub how: String,
    /// Whether it keeps it to itself.
    pub conceals: bool,
    /// Whether it is a secret.
    pub secret: bool,
    /// Whether somebody of the table knows it too.
    pub table: bool,
    /// Whether players may see it.
    pub safe: bool,
}

/// A secret that somebody keeps, or that is about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SecretLine {
    /// The fact.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// Whether the entity keeps it; else it is about it, and it does not know.
    pub keeps: bool,
    /// Who was told it by whom and when, in words; nobody, while it is untold.
    pub told: Vec<String>,
    /// Who knows it.
    pub known_by: Vec<Named>,
    /// Whether somebody of the table knows it.
    pub table: bool,
    /// When it may be told: the holder, and what is missing.
    pub conditions: Vec<ConditionLine>,
}

/// When a secret may be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConditionLine {
    /// Who would tell it.
    pub holder: Named,
    /// Whether it may be told now.
    pub holds: bool,
    /// What is missing, in words.
    pub missing: Vec<String>,
    /// The author's word to the DM.
    pub note: Option<String>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeLine {
    /// Minutes of game time.
    pub time: i64,
    /// When, on the campaign's calendar.
    pub when: String,
    /// What happened.
    pub text: String,
    /// The fact, where it is one.
    pub fact: Option<FactId>,
    /// The session, where it is one.
    pub session: Option<SessionId>,
    /// Whether players may see it.
    pub safe: bool,
    /// Whether it is a secret.
    pub secret: bool,
}

/// A passage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassageLine {
    /// Its id.
    pub id: PassageId,
    /// Who says it.
    pub speaker: Option<Named>,
    /// The words.
    pub text: String,
    /// Where it stands and when it was said, in words.
    pub place: String,
    /// Whether the entity says it.
    pub own: bool,
    /// Whether all players heard or read it.
    pub safe: bool,
}

impl EntityModel {
    /// All facts of the page.
    pub fn facts(&self) -> impl Iterator<Item = &FactModel> {
        self.sections.iter().flat_map(|section| &section.facts)
    }

    /// A fact of the page.
    pub fn fact(&self, id: FactId) -> Option<&FactModel> {
        self.facts().find(|fact| fact.fact == id)
    }
}
