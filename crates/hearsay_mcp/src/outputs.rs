//! Structured results of the tools. The descriptions of the fields are the descriptions in the output schemas.

use schemars::JsonSchema;
use serde::Serialize;

/// A fact or a line that a character knows.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecalledLine {
    /// Part of the scene context: speaker, relations, scene, recent_talk, knowledge or further.
    pub(crate) section: String,
    /// Text of the line: a sentence that states a fact, or words that a character said.
    pub(crate) text: String,
    /// Id of the fact. Null for a line of talk and for a line that describes the scene.
    pub(crate) fact: Option<String>,
    /// How the character knows the fact.
    pub(crate) how_known: String,
    /// Date at which the character learned the fact. Null if the date is not recorded.
    pub(crate) learned: Option<String>,
    /// How much the character believes the fact, from 0 to 1. Null for words that the character heard.
    pub(crate) credence: Option<f64>,
    /// `open` if the character may tell the fact to everyone, `concealed` if the character may tell it to nobody, and
    /// `some_listeners` if the character may tell it only to some listeners.
    pub(crate) secrecy: String,
    /// Remarks, such as doubts about the fact, or the listeners to whom the character may tell the fact.
    pub(crate) note: String,
    /// Relevance to the question, from 0 to 1. Null for lines that do not answer the question.
    pub(crate) score: Option<f64>,
}

/// Result of `recall` and `ask_as`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecallOutput {
    /// Name of the character.
    pub(crate) character: String,
    /// The lines, most relevant first within each section.
    pub(crate) lines: Vec<RecalledLine>,
    /// Number of further facts and lines that the result does not contain.
    pub(crate) omitted: usize,
}

/// A fact that the character knows.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct KnownFactRow {
    /// Id of the fact.
    pub(crate) fact: String,
    /// Sentence that states the fact.
    pub(crate) statement: String,
    /// How much the character believes the fact, from 0 to 1.
    pub(crate) credence: f64,
    /// What the character thinks of the fact: believed, doubted, ended, superseded or outweighed.
    pub(crate) belief: String,
    /// How the character knows the fact.
    pub(crate) how_known: String,
    /// Date at which the character learned the fact. Null if the date is not recorded.
    pub(crate) learned: Option<String>,
    /// Whether the character conceals the fact.
    pub(crate) conceals: bool,
}

/// Result of `know_about`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct KnowAboutOutput {
    /// Name by which the character knows the entity.
    pub(crate) name: String,
    /// Facts that the character knows, latest first.
    pub(crate) facts: Vec<KnownFactRow>,
    /// Number of further facts that the result does not contain.
    pub(crate) omitted: usize,
}

/// One way in which the character learned a fact.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SourceRow {
    /// How the character learned the fact: the character witnessed it, was told it, read it, or concluded it.
    pub(crate) how: String,
    /// Date at which the character learned the fact. Null if the date is not recorded.
    pub(crate) learned: Option<String>,
    /// How much the character would believe the fact because of this source alone, from 0 to 1.
    pub(crate) credence: f64,
    /// Other characters who were present, as far as this character noticed.
    pub(crate) present: Vec<String>,
    /// Sentences from which the character concluded the fact.
    pub(crate) concluded_from: Vec<String>,
}

/// Result of `how_do_i_know`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HowKnownOutput {
    /// Id of the fact.
    pub(crate) fact: String,
    /// Sentence that states the fact.
    pub(crate) statement: String,
    /// How much the character believes the fact, from 0 to 1.
    pub(crate) credence: f64,
    /// The sources, as far as the character knows them.
    pub(crate) sources: Vec<SourceRow>,
    /// Characters to whom the character told the fact.
    pub(crate) told: Vec<String>,
}

/// Whether the character may tell a fact to one listener.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListenerRow {
    /// Name of the listener.
    pub(crate) listener: String,
    /// Whether the character may tell the fact to this listener.
    pub(crate) may_tell: bool,
    /// Reason why the character may or may not tell the fact.
    pub(crate) reason: String,
    /// Whether the listener knows the fact already, as far as the character can tell.
    pub(crate) already_knows: bool,
}

/// Result of `may_i_tell`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MayTellOutput {
    /// Id of the fact.
    pub(crate) fact: String,
    /// Sentence that states the fact.
    pub(crate) statement: String,
    /// Whether the character may tell the fact while all of the listeners hear it.
    pub(crate) may_tell_all: bool,
    /// The listeners, each with the result for this listener.
    pub(crate) listeners: Vec<ListenerRow>,
}

/// A finding of `check_reply`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FindingRow {
    /// Type of the finding: `reveals_secret`, `contradicts`, `unknown_name`, `repeats_lie`, `known_to_listeners` or
    /// `supported`.
    pub(crate) kind: String,
    /// Whether you should not say the words.
    pub(crate) is_problem: bool,
    /// The words of the reply.
    pub(crate) words: String,
    /// Explanation of the finding.
    pub(crate) reason: String,
    /// Ids of the facts that the finding is about.
    pub(crate) facts: Vec<String>,
    /// Names of the listeners to whom you may not tell the secret.
    pub(crate) not_for: Vec<String>,
}

/// Result of `check_reply`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckReplyOutput {
    /// Whether no finding is a problem.
    pub(crate) is_fine: bool,
    /// The findings, in the order of the words.
    pub(crate) findings: Vec<FindingRow>,
}

/// Result of `say`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SayOutput {
    /// The recorded words.
    pub(crate) text: String,
    /// Hearers that the request named. Empty if all characters who are present hear the line.
    pub(crate) to: Vec<String>,
}

/// An entity in the result of `search`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EntityRow {
    /// Id of the entity.
    pub(crate) id: String,
    /// Name of the entity.
    pub(crate) name: String,
    /// Kind of the entity. Null if the kind is not recorded.
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
    /// Relevance to the search words, from 0 to 1.
    pub(crate) score: f64,
}

/// Result of `search`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchOutput {
    /// Entities that match the search words.
    pub(crate) entities: Vec<EntityRow>,
    /// Facts, most relevant first.
    pub(crate) facts: Vec<HitRow>,
    /// Passages, most relevant first.
    pub(crate) passages: Vec<HitRow>,
    /// Names that are similar to the search words, if the search found nothing.
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

/// A recorded fact in the result of `log`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LoggedFactRow {
    /// Id of the fact.
    pub(crate) fact: String,
    /// Sentence that states the fact.
    pub(crate) statement: String,
}

/// Result of `log`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LogOutput {
    /// Number of the operation, for `undo`.
    pub(crate) operation: u64,
    /// Summary of the operation.
    pub(crate) summary: String,
    /// Number of the line in the session. Null if the line was already in the log.
    pub(crate) line: Option<u32>,
    /// Name of the speaker. Null for narration.
    pub(crate) speaker: Option<String>,
    /// Kind of talk: narration, in_character, out_of_character or withheld. No character hears a line that is out of
    /// character or withheld. Null if the kind is not known yet.
    pub(crate) talk_kind: Option<String>,
    /// Names of the characters who hear the line.
    pub(crate) heard_by: Vec<String>,
    /// Recorded facts that the speaker states. The hearers learn these facts.
    pub(crate) states: Vec<LoggedFactRow>,
    /// Recorded facts that the speaker may state. Nobody learns these facts from the line.
    pub(crate) may_state: Vec<LoggedFactRow>,
    /// Secrets that narration may state and that some hearers do not know. The line is withheld because of these
    /// secrets.
    pub(crate) withheld: Vec<LoggedFactRow>,
    /// Name of a character, if the name before the colon of a line of narration is probably a misspelling of it. To
    /// correct the line, undo the operation, and log the line with the right name.
    pub(crate) similar_speaker: Option<String>,
}

/// A fact that waits for review.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReviewFactRow {
    /// Id of the fact.
    pub(crate) fact: String,
    /// Sentence that states the fact.
    pub(crate) statement: String,
    /// Confidence that the source states the fact, from 0 to 1.
    pub(crate) confidence: f64,
    /// Status of the fact.
    pub(crate) status: String,
    /// Evidence for the fact, in words.
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
    /// Number of items that the result does not contain because of the limit.
    pub(crate) omitted: usize,
    /// Number of items that are held back, because they are less certain.
    pub(crate) held_back: usize,
}
