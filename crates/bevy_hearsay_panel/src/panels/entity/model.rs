//! The data that an entity's page displays.

use hearsay_model::{EntityId, FactId, Kind, PassageId, SessionId};
use serde::{Deserialize, Serialize};

use crate::{names::NamedEntity, panels::fact::FactModel};

/// Maximum number of listed items in each section of the page.
pub const MAX_LISTED: usize = 300;

/// A request for the page of an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntityRequest {
    /// Id of the entity.
    pub id: EntityId,
}

/// An entity's page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EntityModel {
    /// The entity. `None` until the user chooses an entity.
    pub id: Option<EntityId>,
    /// Whether the entity exists. False, for example, if undo removed the entity.
    pub exists: bool,
    /// Main name of the entity.
    pub name: String,
    /// Kind of the entity, if it is known.
    pub kind: Option<Kind>,
    /// Time of the game clock, formatted on the campaign's calendar; `None` if the clock is not set.
    pub clock: Option<String>,
    /// Other names of the entity.
    pub aliases: Vec<AliasLine>,
    /// First meeting of the entity with the party; `None` if they never met.
    pub first_met: Option<MeetingLine>,
    /// Last meeting of the entity with the party; `None` if they never met.
    pub last_seen: Option<MeetingLine>,
    /// Last line that the players heard from the entity; `None` if they heard no line from it.
    pub last_words: Option<WordsLine>,
    /// Open promises, debts and quests of the entity.
    pub unsettled: Vec<UnsettledLine>,
    /// Noticeable feelings of the entity for other characters, strongest first.
    pub feelings: Vec<FeelingsLine>,
    /// Facts about the entity, by section.
    pub sections: Vec<FactSection>,
    /// Facts that the entity knows, newest first. The list has at most [`MAX_LISTED`] entries.
    pub knows: Vec<KnowsLine>,
    /// Number of facts that the entity knows. Common lore is not counted.
    pub knows_total: usize,
    /// Secrets that the entity keeps, and secrets about the entity.
    pub secrets: Vec<SecretLine>,
    /// Timeline of the entity: starts and ends of facts, and sessions, in order of time.
    pub timeline: Vec<TimeLine>,
    /// Passages by and about the entity, newest first. The list has at most [`MAX_LISTED`] entries.
    pub passages: Vec<PassageLine>,
    /// Total number of passages by and about the entity.
    pub passages_total: usize,
}

/// An alias of an entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AliasLine {
    /// Text of the alias.
    pub text: String,
    /// Whether the alias is secret.
    pub secret: bool,
    /// Id of the fact that states the alias.
    pub fact: FactId,
}

/// A meeting of the party with the entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeetingLine {
    /// Type of the meeting: `Spoke`, `Present`, `Visited`, `Played` or `Only mentioned`.
    pub acquisition: String,
    /// Session, time and place of the meeting, as a text such as `session 2, A Wake · 4 Rainmoon 412, 10:15 · The
    /// Gilded Gull`.
    pub text: String,
    /// Session of the meeting, if it is known.
    pub session: Option<SessionId>,
}

/// The last line that the players heard from an entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WordsLine {
    /// Text of the line.
    pub text: String,
    /// Session and time of the line, as text.
    pub when: String,
    /// Session in which the entity said the line, if it is known.
    pub session: Option<SessionId>,
}

/// An open promise, debt or quest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnsettledLine {
    /// Kind of thread, for display: `Promise`, `Debt` or `Quest`.
    pub kind: String,
    /// Description of the promise, debt or quest.
    pub text: String,
    /// Details for display, such as the start of the promise, debt or quest.
    pub details: String,
    /// Id of the fact that states the promise or debt, if there is one.
    pub fact: Option<FactId>,
    /// Id of the quest, if this is a quest.
    pub quest: Option<EntityId>,
}

/// Feelings of the entity for another character.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeelingsLine {
    /// The other character.
    pub towards: NamedEntity,
    /// The feelings in words, such as `dislikes and is afraid of`.
    pub words: String,
    /// Statements of the facts that cause the feelings.
    pub causes: Vec<String>,
}

/// Facts under a heading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactSection {
    /// The heading, such as `Description` or `Relations`.
    pub title: String,
    /// The facts of the section, at most [`MAX_LISTED`].
    pub facts: Vec<FactModel>,
    /// Number of further facts in this section that are not listed.
    pub more: usize,
}

/// A fact that an entity knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnowsLine {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Whether the entity believes the fact, as a text such as `believes it`, `doubts it` or `knows that it ended`.
    pub belief_status: String,
    /// The entity's credence in the fact, from 0 to 1.
    pub credence: f64,
    /// How and when the entity learned the fact, as a text such as `told by Odo Brandt, 4 Rainmoon 412`.
    pub acquisition: String,
    /// Whether the entity conceals the fact.
    pub conceals: bool,
    /// Whether the fact is a secret.
    pub secret: bool,
    /// Whether at least one player character also knows the fact.
    pub known_to_party: bool,
}

/// A secret that the entity keeps, or a secret about the entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SecretLine {
    /// Id of the secret fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Whether the entity keeps the secret. If `false`, the secret is about the entity, and the entity does not know
    /// the secret.
    pub is_holder: bool,
    /// Occasions on which the secret was told, as texts with teller, hearer and time. Empty if the secret was never
    /// told.
    pub tellings: Vec<String>,
    /// Knowers of the secret.
    pub known_by: Vec<NamedEntity>,
    /// Whether at least one player character knows the secret.
    pub known_to_party: bool,
    /// Conditions under which a holder is allowed to tell the secret.
    pub conditions: Vec<ConditionLine>,
}

/// Condition under which a holder is allowed to tell a secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConditionLine {
    /// The holder of the secret to whom the condition applies.
    pub holder: NamedEntity,
    /// Whether the condition is met. If `true`, the holder is allowed to tell the secret now.
    pub is_met: bool,
    /// Parts of the condition that are not met yet, as texts. Empty if the condition is met.
    pub missing: Vec<String>,
    /// Note to the DM, for example how the holder tells the secret; `None` if there is no note.
    pub note: Option<String>,
}

/// An entry in the timeline of the entity: the start or end of a fact, or a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeLine {
    /// Time of the entry, in minutes of game time.
    pub time: i64,
    /// Time of the entry, formatted on the campaign's calendar.
    pub when: String,
    /// Description of the entry.
    pub text: String,
    /// Id of the fact that begins or ends; `None` if the entry is a session.
    pub fact: Option<FactId>,
    /// Session of the entry, if it is known.
    pub session: Option<SessionId>,
    /// Whether the fact is a secret.
    pub secret: bool,
}

/// A passage by or about the entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassageLine {
    /// Id of the passage.
    pub id: PassageId,
    /// Speaker of the passage; `None` if the passage has no speaker.
    pub speaker: Option<NamedEntity>,
    /// Text of the passage.
    pub text: String,
    /// Source and time of the passage, as text.
    pub place: String,
    /// Whether the entity is the speaker.
    pub is_speaker: bool,
}

impl EntityModel {
    /// Returns all facts of the page.
    pub fn facts(&self) -> impl Iterator<Item = &FactModel> {
        self.sections.iter().flat_map(|section| &section.facts)
    }

    /// Returns a fact of the page; `None` if the page does not contain it.
    pub fn fact(&self, id: FactId) -> Option<&FactModel> {
        self.facts().find(|fact| fact.fact == id)
    }
}
