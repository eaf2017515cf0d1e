//! The data that the scene panel displays: the characters present, the answer, and the knowledge of everyone present.

use hearsay_model::{EntityId, FactId, FactStatus, SessionId};
use hearsay_recall::LineSecrecy;
use serde::{Deserialize, Serialize};

use crate::{names::NamedEntity, text::LinkedText};

/// A request for the characters present, the place and the time of a scene.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SceneSettingRequest {
    /// The place of the scene. With `None`, the scene is at the place of the session, or else at the place of the
    /// speaker, or else at the place of most player characters.
    pub place: Option<EntityId>,
    /// The character whom the players ask; `None` if no character is chosen.
    pub speaker: Option<EntityId>,
    /// Characters that the DM added to the scene.
    pub added: Vec<EntityId>,
    /// Characters that the DM removed from the scene.
    pub removed: Vec<EntityId>,
}

/// The characters present in the scene, its place and its time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SceneSettingModel {
    /// The place of the scene, if it is known.
    pub place: Option<NamedEntity>,
    /// Description of the place, in a sentence; `None` if there is none.
    pub description: Option<String>,
    /// Game time, formatted on the campaign's calendar; `None` if it is unknown.
    pub time: Option<String>,
    /// Id of the current session; `None` if no session is active.
    pub session: Option<SessionId>,
    /// Title of the current session; `None` if no session is active.
    pub session_title: Option<String>,
    /// The characters present in the scene. Player characters come first, then all other characters. Each group is
    /// sorted by name.
    pub present: Vec<PresentLine>,
    /// The last lines said in the scene, newest last.
    pub recent_lines: Vec<RecentLine>,
}

/// A character that is present in the scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PresentLine {
    /// The character.
    pub character: NamedEntity,
    /// Whether the character is a player character.
    pub player: bool,
    /// The character's occupation, in a few words; `None` if it is unknown.
    pub role: Option<String>,
    /// The character's mood or manner of speech, in a few words; `None` if it is unknown.
    pub manner: Option<String>,
}

/// A line that was said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecentLine {
    /// The speaker; `None` for narration.
    pub speaker: Option<NamedEntity>,
    /// Text of the line.
    pub text: String,
}

/// The facts with which a speaker is allowed to answer a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerModel {
    /// The speaker; `None` before the first answer.
    pub speaker: Option<NamedEntity>,
    /// Text of the question.
    pub question: String,
    /// The sections of the scene context (the facts that the speaker knows and that matter in the scene).
    pub sections: Vec<AnswerSection>,
    /// A sentence about the size and the limits of the scene context.
    pub summary: String,
    /// The scene context in the form of a prompt, which the user can copy.
    pub prompt: String,
    /// The scene context in the form of a prompt with citations, which the user can copy.
    pub with_citations: String,
}

/// A section of a scene context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerSection {
    /// Heading of the section.
    pub title: String,
    /// Lines of the section.
    pub lines: Vec<AnswerLine>,
}

/// A line of a scene context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerLine {
    /// Text of the line, such as the sentence that states a fact.
    pub text: String,
    /// Note on the speaker's belief in the fact, for display.
    pub note: String,
    /// Citation: how the speaker knows the fact.
    pub citation: String,
    /// Id of the fact that the line states, if there is one.
    pub fact: Option<FactId>,
    /// Whether the speaker is allowed to tell the line, and to which listeners.
    pub secrecy: LineSecrecy,
    /// Whether the fact is a secret.
    pub secret: bool,
}

impl AnswerLine {
    /// Returns the text of the badge that marks a secret or concealed line; `None` for other lines.
    pub fn badge_text(&self) -> Option<String> {
        match &self.secrecy {
            LineSecrecy::Open => self.secret.then(|| "\u{1F512} secret".into()),
            LineSecrecy::Concealed => Some("\u{1F512} hides it".into()),
            LineSecrecy::MayTell { to } => {
                let names: Vec<&str> = to.iter().map(|listener| listener.name_or(listener.id.as_str())).collect();
                Some(format!("\u{1F512} may tell {}", names.join(", ")))
            }
        }
    }
}

/// A request for the knowledge that the characters in the scene have about some facts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnowledgeRequest {
    /// Text of the question.
    pub question: String,
    /// The facts that match the question, best match first.
    pub facts: Vec<FactId>,
    /// The characters present in the scene.
    pub present: Vec<EntityId>,
}

/// The facts that match the question, with the knowledge that everyone in the scene has about them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KnowledgeModel {
    /// Text of the question.
    pub question: String,
    /// The facts, with the knowledge of everyone in the scene.
    pub facts: Vec<FactKnowledge>,
}

/// A fact, with the knowledge that everyone in the scene has about this fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactKnowledge {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: LinkedText,
    /// Status of the fact.
    pub status: FactStatus,
    /// Whether the fact is a secret.
    pub secret: bool,
    /// Text that says which player characters know the fact, and since when; `None` if no player character knows the
    /// fact.
    pub party_knowledge: Option<String>,
    /// The knowledge of each character in the scene, in the order of [`KnowledgeRequest::present`].
    pub characters: Vec<CharacterKnowledge>,
}

/// A character's knowledge of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CharacterKnowledge {
    /// The character.
    pub character: NamedEntity,
    /// Category of the knowledge.
    pub category: KnowledgeCategory,
    /// How the character learned the fact, and its credence, as a text such as `told by Odo Brandt, believes it (70
    /// %)`.
    pub acquisition: String,
    /// Sentences that say why this character assumes that another character in the scene knows the fact.
    pub assumptions: Vec<String>,
}

/// Category of a character's knowledge of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KnowledgeCategory {
    /// The character knows the fact and would say it.
    Knows,
    /// The character knows the fact and conceals it.
    Conceals,
    /// The character has heard the fact, but does not believe it.
    Doubts,
    /// The character knows another version of the fact, or knows that the fact has ended.
    BelievesOtherwise,
    /// The character does not know the fact.
    Unaware,
}

impl KnowledgeCategory {
    /// Returns the word that the panel displays for the category.
    pub fn word(self) -> &'static str {
        match self {
            Self::Knows => "knows",
            Self::Conceals => "hides",
            Self::Doubts => "doubts",
            Self::BelievesOtherwise => "believes otherwise",
            Self::Unaware => "does not know",
        }
    }
}

/// Explanation of why a character does not know a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WhyNotModel {
    /// The character whose knowledge is explained.
    pub character: NamedEntity,
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// How the character knows the fact; `None` if the character does not know the fact.
    pub knows: Option<String>,
    /// Reasons why the character does not know the fact, simplest reason first.
    pub reasons: Vec<String>,
    /// Characters that could tell the fact, most likely first.
    pub sources: Vec<WhyNotSource>,
    /// Conditions under which a character is allowed to tell the fact, as texts.
    pub conditions: Vec<String>,
}

/// A character that could tell a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WhyNotSource {
    /// The character that could tell the fact.
    pub character: NamedEntity,
    /// Relationship between this character and the character that does not know the fact, as text.
    pub relationship: String,
    /// Whether the character that could tell the fact conceals it.
    pub conceals: bool,
}
