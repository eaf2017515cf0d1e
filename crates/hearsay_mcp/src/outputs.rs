//! Structured results of the tools. The descriptions of the fields are the descriptions in the output schemas.

use schemars::JsonSchema;
use serde::Serialize;

/// A fact or a line that a character knows.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecalledLine {
    /// Part of the scene context: speaker, relations, scene, recent_talk, knowledge or further.
    pub(crate) section: String,
    /// The sentence.
    pub(crate) text: String,
    /// Id of the fact; null for a line of talk or of the scene.
    pub(crate) fact: Option<String>,
    /// How the character knows it.
    pub(crate) how_known: String,
    /// Date at which the character learned it.
    pub(crate) learned: Option<String>,
    /// How much the character believes it, 0 to 1; null for words that the character heard.
    pub(crate) credence: Option<f64>,
    /// Whether the character may tell it: open, concealed, or to some listeners only.
    pub(crate) secrecy: String,
    /// Remarks, such as doubts, and to whom the character may tell it.
    pub(crate) note: String,
    /// Relevance to the question, 0 to 1; null for lines that do not answer the question.
    pub(crate) score: Option<f64>,
}

/// Result of `recall` and `ask_as`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecallOutput {
    /// Name of the character.
    pub(crate) character: String,
    /// The lines, most relevant first within each section.
    pub(crate) lines: Vec<RecalledLine>,
    /// Number of further relevant facts and lines that are left out.
    pub(crate) omitted: usize,
}

/// A fact that the character knows.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct KnownFactRow {
    /// Id of the fact.
    pub(crate) fact: String,
    /// The sentence.
    pub(crate) statement: String,
    /// How much the character believes it, 0 to 1.
    pub(crate) credence: f64,
    /// What the character thinks of it: believed, doubted, ended, superseded or outweighed.
    pub(crate) belief: String,
    /// How the character knows it.
    pub(crate) how_known: String,
    /// Date at which the character learned it.
    pub(crate) learned: Option<String>,
    /// Whether the character keeps it to itself.
    pub(crate) conceals: bool,
}

/// Result of `know_about`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct KnowAboutOutput {
    /// Name by which the character knows the entity.
    pub(crate) name: String,
    /// What the character knows, latest first.
    pub(crate) facts: Vec<KnownFactRow>,
    /// Number of further facts that are left out.
    pub(crate) omitted: usize,
}

/// One way in which the character learned a fact.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SourceRow {
    /// How the character learned it: witnessed it, was told, read it, concluded it.
    pub(crate) how: String,
    /// Date at which the character learned it.
    pub(crate) learned: Option<String>,
    /// How much this source alone makes the character believe the fact, 0 to 1.
    pub(crate) credence: f64,
    /// Others who were present, as far as the character noticed.
    pub(crate) present: Vec<String>,
    /// Sentences from which the character concluded the fact.
    pub(crate) concluded_from: Vec<String>,
}

/// Result of `how_do_i_know`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HowKnownOutput {
    /// Id of the fact.
    pub(crate) fact: String,
    /// The sentence.
    pub(crate) statement: String,
    /// How much the character believes it, 0 to 1.
    pub(crate) credence: f64,
    /// The sources, as far as the character knows them.
    pub(crate) sources: Vec<SourceRow>,
    /// Those whom the character told.
    pub(crate) told: Vec<String>,
}

/// Whether the character may tell a fact to one listener.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListenerRow {
    /// Name of the listener.
    pub(crate) listener: String,
    /// Whether the character may tell the listener.
    pub(crate) may_tell: bool,
    /// The reason.
    pub(crate) reason: String,
    /// Whether the listener knows the fact already, as far as the character can tell.
    pub(crate) already_knows: bool,
}

/// Result of `may_i_tell`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MayTellOutput {
    /// Id of the fact.
    pub(crate) fact: String,
    /// The sentence.
    pub(crate) statement: String,
    /// Whether the character may tell the fact while all of the listeners hear it.
    pub(crate) may_tell_all: bool,
    /// The listeners.
    pub(crate) listeners: Vec<ListenerRow>,
}

/// Result of `check_reply`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckReplyOutput {
    /// Sentences of the reply that the character cannot know or must not tell.
    pub(crate) problems: Vec<String>,
}

/// Result of `say`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SayOutput {
    /// The recorded words.
    pub(crate) text: String,
    /// Hearers that were named; empty if all present hear the line.
    pub(crate) to: Vec<String>,
}

/// An entity in the result of `search`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EntityRow {
    /// Id of the entity.
    pub(crate) id: String,
    /// Name of the entity.
    pub(crate) name: String,
    /// Kind of the entity.
    pub(crate) kind: Option<String>,
    /// Relations of the entity.
    pub(crate) relations: Vec<String>,
}

/// A fact or a passage in the result of `search`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HitRow {
    /// Id of the fact or passage.
    pub(crate) id: String,
    /// Sentence of the fact, or text of the passage.
    pub(crate) text: String,
    /// Relevance, 0 to 1.
    pub(crate) score: f64,
}

/// Result of `search`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchOutput {
    /// Entities.
    pub(crate) entities: Vec<EntityRow>,
    /// Facts, most relevant first.
    pub(crate) facts: Vec<HitRow>,
    /// Passages, most relevant first.
    pub(crate) passages: Vec<HitRow>,
    /// Similar names, if nothing was found.
    pub(crate) similar_names: Vec<String>,
}

/// Result of a tool that changes the campaign.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WrittenOutput {
    /// Number of the operation, for `undo`.
    pub(crate) operation: u64,
    /// Summary of the operation.
    pub(crate) summary: String,
}

/// A fact that waits for review.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReviewFactRow {
    /// Id of the fact.
    pub(crate) fact: String,
    /// The sentence.
    pub(crate) statement: String,
    /// Confidence that the source states the fact, 0 to 1.
    pub(crate) confidence: f64,
    /// Status of the fact.
    pub(crate) status: String,
    /// Evidence, in words.
    pub(crate) evidence: Vec<String>,
}

/// An item of the review queue.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReviewItemRow {
    /// Kind of the item: doubtful, contradiction or duplicate.
    pub(crate) kind: String,
    /// Facts of the item. Empty for two entities that may be the same.
    pub(crate) facts: Vec<ReviewFactRow>,
    /// Ids of two entities that may be the same. Empty for facts.
    pub(crate) entities: Vec<String>,
}

/// Result of `review`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReviewOutput {
    /// The items.
    pub(crate) items: Vec<ReviewItemRow>,
    /// Number of items that are left out because of the limit.
    pub(crate) omitted: usize,
    /// Number of less certain items that are held back.
    pub(crate) held_back: usize,
}
