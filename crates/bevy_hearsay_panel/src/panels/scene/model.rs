//! What the scene shows: who is here, what was answered, and what is in everybody's mind.

use hearsay_model::{EntityId, FactId, SessionId, Standing};
use serde::{Deserialize, Serialize};

use crate::{names::Named, text::Linked};

/// Which scene.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageRequest {
    /// Where; where the session that is played is, or else the speaker, when nothing is said.
    pub place: Option<EntityId>,
    /// Who is asked.
    pub speaker: Option<EntityId>,
    /// Who else is there, by the DM's word.
    pub added: Vec<EntityId>,
    /// Who is not there, by the DM's word.
    pub left_out: Vec<EntityId>,
}

/// Who is here, where, when.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StageModel {
    /// Where.
    pub place: Option<Named>,
    /// Whether all players know what the place is called.
    pub place_safe: bool,
    /// What the place is, in a sentence.
    pub description: Option<String>,
    /// When, on the campaign's calendar.
    pub time: Option<String>,
    /// The session that is played.
    pub session: Option<SessionId>,
    /// What it is called.
    pub session_title: Option<String>,
    /// Who is here: the players' characters first, then the others, by name.
    pub present: Vec<PresentLine>,
    /// What was said here last, the latest last.
    pub lately: Vec<SaidLine>,
}

/// Somebody who is here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PresentLine {
    /// Who.
    pub who: Named,
    /// Whether a player plays it.
    pub player: bool,
    /// What it is to the DM, in a few words: its occupation.
    pub role: Option<String>,
    /// How it feels or speaks, in a few words, for whoever plays it.
    pub manner: Option<String>,
    /// Whether all players know what it is called.
    pub safe: bool,
}

/// A line that was said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SaidLine {
    /// Who said it; nobody, when it was narrated.
    pub speaker: Option<Named>,
    /// The words.
    pub text: String,
    /// Whether all players heard it.
    pub safe: bool,
}

/// What a speaker may say to a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerModel {
    /// Who was asked.
    pub speaker: Option<Named>,
    /// What was asked.
    pub question: String,
    /// The parts of the scene context.
    pub sections: Vec<AnswerSection>,
    /// How full it is, and what it goes without, in words.
    pub summary: String,
    /// The prompt form, to be copied.
    pub prompt: String,
    /// The prompt form with receipts, to be copied.
    pub with_receipts: String,
}

/// A part of a scene context.
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
    /// What is known.
    pub text: String,
    /// What the speaker makes of it.
    pub note: String,
    /// How it is known.
    pub receipt: String,
    /// The fact it is made from.
    pub fact: Option<FactId>,
    /// Whether the speaker keeps it to itself.
    pub conceals: bool,
    /// Whether it is a secret.
    pub secret: bool,
    /// Whether players may see it.
    pub safe: bool,
}

/// Whose minds are looked into, and about what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MindsRequest {
    /// What was asked.
    pub question: String,
    /// The facts that it is about, the best first.
    pub facts: Vec<FactId>,
    /// Whose minds.
    pub present: Vec<EntityId>,
}

/// What each of those present knows, thinks or hides.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MindsModel {
    /// What was asked.
    pub question: String,
    /// Fact by fact.
    pub facts: Vec<MindFact>,
}

/// A fact with what those present make of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MindFact {
    /// The fact.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: Linked,
    /// What the world says of it.
    pub standing: Standing,
    /// Whether it is a secret.
    pub secret: bool,
    /// Whether players may see it.
    pub safe: bool,
    /// What the table knows of it, in a few words.
    pub table: Option<String>,
    /// What each makes of it, in the order of those present.
    pub minds: Vec<MindLine>,
}

/// What somebody makes of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MindLine {
    /// Who.
    pub who: Named,
    /// In which way.
    pub mind: Mind,
    /// In words: `told by Odo Brandt, believes it 0.70`.
    pub how: String,
    /// Whom of those present it takes to know it too, and why.
    pub thinks: Vec<String>,
}

/// In which way somebody has something in mind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mind {
    /// Knows it, and says so.
    Knows,
    /// Knows it, and keeps it to itself.
    Hides,
    /// Has heard of it, and does not believe it.
    Doubts,
    /// Knows another version, or that it is over.
    Otherwise,
    /// Does not know it.
    Unaware,
}

impl Mind {
    /// The word for it.
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

/// Why somebody cannot know something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WhyNotModel {
    /// Who.
    pub who: Named,
    /// What.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// How it knows it, where it does after all.
    pub knows: Option<String>,
    /// Why not, the plainest reason first.
    pub reasons: Vec<String>,
    /// From whom it could hear it, those first from whom it is likely.
    pub sources: Vec<WhyNotSource>,
    /// Under which conditions somebody tells it.
    pub conditions: Vec<String>,
}

/// From whom somebody could hear something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WhyNotSource {
    /// From whom.
    pub who: Named,
    /// How they have to do with each other, in words.
    pub tie: String,
    /// Whether it keeps it to itself.
    pub conceals: bool,
}
