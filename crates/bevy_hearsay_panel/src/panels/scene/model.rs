//! The models of the scene: the characters present, the answer, and the knowledge of everyone present.

use hearsay_model::{EntityId, FactId, FactStatus, SessionId};
use serde::{Deserialize, Serialize};

use crate::{names::Named, text::Linked};

/// The scene to read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageRequest {
    /// The place. Default: the place of the current session, or else of the speaker.
    pub place: Option<EntityId>,
    /// The character that is asked.
    pub speaker: Option<EntityId>,
    /// Characters that the DM added to the scene.
    pub added: Vec<EntityId>,
    /// Characters that the DM removed from the scene.
    pub left_out: Vec<EntityId>,
}

/// The characters present, the place and the time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StageModel {
    /// The place.
    pub place: Option<Named>,
    /// Whether all players know what the place is called.
    pub place_safe: bool,
    /// Description of the place, in a sentence.
    pub description: Option<String>,
    /// Time, on the campaign's calendar.
    pub time: Option<String>,
    /// Current session.
    pub session: Option<SessionId>,
    /// Title of the session.
    pub session_title: Option<String>,
    /// The characters present: player characters first, then the others, by name.
    pub present: Vec<PresentLine>,
    /// The last lines said here, newest last.
    pub lately: Vec<SaidLine>,
}

/// A character that is present.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PresentLine {
    /// The character.
    pub who: Named,
    /// Whether it is a player character.
    pub player: bool,
    /// Its role, in a few words: its occupation.
    pub role: Option<String>,
    /// Its mood or manner of speech, in a few words, for the DM who plays it.
    pub manner: Option<String>,
    /// Whether all players know the name.
    pub safe: bool,
}

/// A line that was said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SaidLine {
    /// The speaker; `None` for narration.
    pub speaker: Option<Named>,
    /// The text.
    pub text: String,
    /// Whether all players heard the line.
    pub safe: bool,
}

/// A speaker's possible answers to a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerModel {
    /// The speaker.
    pub speaker: Option<Named>,
    /// The question.
    pub question: String,
    /// The sections of the scene context.
    pub sections: Vec<AnswerSection>,
    /// Size of the context, and what it lacks, in words.
    pub summary: String,
    /// The context as a prompt, for copying.
    pub prompt: String,
    /// The context as a prompt with citations, for copying.
    pub with_citations: String,
}

/// A section of a scene context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerSection {
    /// Its heading.
    pub title: String,
    /// Its lines.
    pub lines: Vec<AnswerLine>,
}

/// A line of a scene context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerLine {
    /// The known fact.
    pub text: String,
    /// The speaker's attitude to the fact.
    pub note: String,
    /// Citation: how the speaker knows the fact.
    pub citation: String,
    /// The fact behind the line.
    pub fact: Option<FactId>,
    /// Whether the speaker conceals the fact.
    pub conceals: bool,
    /// Whether the item is a secret.
    pub secret: bool,
    /// Whether players may see the line.
    pub safe: bool,
}

/// The knowers and facts for which knowledge is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MindsRequest {
    /// The question.
    pub question: String,
    /// The facts that match the question, best first.
    pub facts: Vec<FactId>,
    /// The characters present.
    pub present: Vec<EntityId>,
}

/// What everyone present knows, believes or conceals.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MindsModel {
    /// The question.
    pub question: String,
    /// The facts, with the knowledge of everyone present.
    pub facts: Vec<MindFact>,
}

/// A fact with the knowledge of everyone present.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MindFact {
    /// The fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: Linked,
    /// Status of the fact.
    pub status: FactStatus,
    /// Whether the item is a secret.
    pub secret: bool,
    /// Whether players may see the fact.
    pub safe: bool,
    /// The party's knowledge of the fact, in a few words.
    pub table: Option<String>,
    /// The knowledge of each character, in the order of those present.
    pub minds: Vec<MindLine>,
}

/// A character's knowledge of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MindLine {
    /// The character.
    pub who: Named,
    /// Category of the knowledge.
    pub mind: Mind,
    /// In words: `told by Odo Brandt, believes it 0.70`.
    pub acquisition: String,
    /// Others present that the character assumes to know the fact, with reasons.
    pub thinks: Vec<String>,
}

/// Category of a character's knowledge of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mind {
    /// Knows the fact, and says it.
    Knows,
    /// Knows the fact, and conceals it.
    Hides,
    /// Has heard the fact, and does not believe it.
    Doubts,
    /// Knows another version, or knows that the fact has ended.
    Otherwise,
    /// Does not know the fact.
    Unaware,
}

impl Mind {
    /// Returns the word for the category.
    pub fn word(self) -> &'static str {
        match self {
            Self::Knows => "knows",
            Self::Hides => "hides",
            Self::Doubts => "doubts",
            Self::Otherwise => "thinks otherwise",
            Self::Unaware => "does not know",
        }
    }
}

/// Why a character cannot know a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WhyNotModel {
    /// The character.
    pub who: Named,
    /// The fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// How the character knows the fact, if it does.
    pub knows: Option<String>,
    /// Reasons, plainest first.
    pub reasons: Vec<String>,
    /// Characters that could tell the fact, most likely first.
    pub sources: Vec<WhyNotSource>,
    /// Conditions under which a character tells the fact.
    pub conditions: Vec<String>,
}

/// A character that could tell a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WhyNotSource {
    /// The character.
    pub who: Named,
    /// Its relation to the asked character, in words.
    pub tie: String,
    /// Whether the character conceals the fact.
    pub conceals: bool,
}
