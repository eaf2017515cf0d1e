//! Arguments of the tools. The descriptions of the fields are the descriptions in the schemas.

use schemars::JsonSchema;
use serde::Deserialize;

/// Arguments of `recall`. The tool `ask_as` has the same arguments and a character.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecallArguments {
    /// The question, in plain words.
    pub(crate) question: String,
    /// Names of the listeners in the scene. Default: all characters whom the character believes to be at the place.
    #[serde(default)]
    pub(crate) listeners: Vec<String>,
    /// Name of the place of the scene. Default: the place where the character believes itself to be.
    #[serde(default)]
    pub(crate) place: Option<String>,
    /// Names of entities that the answer must be about.
    #[serde(default)]
    pub(crate) about: Vec<String>,
    /// Maximum number of lines of the answer, from 1 to 100. The lines that answer the question come first; the others
    /// describe the character and the scene. Default: the settings of the campaign limit only the lines that answer the
    /// question.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    pub(crate) limit: Option<usize>,
}

/// Arguments of `ask_as`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskAsArguments {
    /// Name or id of the character that answers.
    pub(crate) character: String,
    /// The question, in plain words.
    pub(crate) question: String,
    /// Names of the listeners in the scene. Default: all characters whom the character believes to be at the place.
    #[serde(default)]
    pub(crate) listeners: Vec<String>,
    /// Name of the place of the scene. Default: the place where the character believes itself to be.
    #[serde(default)]
    pub(crate) place: Option<String>,
    /// Names of entities that the answer must be about.
    #[serde(default)]
    pub(crate) about: Vec<String>,
    /// Maximum number of lines of the answer, from 1 to 100. The lines that answer the question come first; the others
    /// describe the character and the scene. Default: the settings of the campaign limit only the lines that answer the
    /// question.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    pub(crate) limit: Option<usize>,
}

/// Arguments of `know_about`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnowAboutArguments {
    /// Name of a character, place, faction or thing, as you know it.
    pub(crate) name: String,
    /// Maximum number of facts, from 1 to 100. Default: 30.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    pub(crate) limit: Option<usize>,
}

/// Arguments of `how_do_i_know`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FactArguments {
    /// The fact: its id, the first four or more digits of its id, or two or more words of its sentence.
    pub(crate) fact: String,
}

/// Arguments of `may_i_tell`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MayTellArguments {
    /// The fact: its id, the first four or more digits of its id, or two or more words of its sentence.
    pub(crate) fact: String,
    /// Names of the listeners.
    pub(crate) listeners: Vec<String>,
}

/// Arguments of `check_reply`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckReplyArguments {
    /// The words that you want to say.
    pub(crate) reply: String,
    /// Names of the listeners. Without listeners, the result does not say what the listeners know already.
    #[serde(default)]
    pub(crate) listeners: Vec<String>,
    /// The words to which you reply.
    #[serde(default)]
    pub(crate) question: Option<String>,
}

/// Arguments of `say`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SayArguments {
    /// The words that you say aloud.
    pub(crate) text: String,
    /// Names of the hearers. Default: all characters who are present.
    #[serde(default)]
    pub(crate) to: Vec<String>,
    /// Facts that the words state, each given by its id or by words of its sentence. Default: the facts that Hearsay
    /// recognizes in the words.
    #[serde(default)]
    pub(crate) states: Vec<String>,
    /// Whether your words are a lie.
    #[serde(default)]
    pub(crate) lie: bool,
}

/// Arguments of `search`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchArguments {
    /// Words to search for, or `*` to list entities.
    pub(crate) text: String,
    /// Names of entities that the results must be about.
    #[serde(default)]
    pub(crate) about: Vec<String>,
    /// Kind of entity, such as npc, faction or location.
    #[serde(default)]
    pub(crate) kind: Option<String>,
    /// Maximum number of facts, from 1 to 100. The same maximum applies to passages. Default: 10.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    pub(crate) limit: Option<usize>,
}

/// Arguments of `record`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordArguments {
    /// The sentence that states the fact.
    pub(crate) sentence: String,
    /// Name or id of the entity that the fact is about. Default: the first entity that the sentence names.
    #[serde(default)]
    pub(crate) about: Option<String>,
}

/// Arguments of `review`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewArguments {
    /// Maximum number of items, from 1 to 100. Default: 20.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    pub(crate) limit: Option<usize>,
    /// Whether to list also the items that are held back, because they are less certain.
    #[serde(default)]
    pub(crate) held_back: bool,
}

/// Decision of the tool `decide`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DecideChoice {
    /// The fact is true.
    Accept,
    /// The fact is true, but its sentence must change to `statement`.
    Edit,
    /// The fact is not true. Some characters may still believe it.
    False,
    /// The fact is not part of the campaign.
    Reject,
}

/// Arguments of `decide`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecideArguments {
    /// Ids of the facts that the decision is about.
    pub(crate) facts: Vec<String>,
    /// The decision.
    pub(crate) decision: DecideChoice,
    /// New sentence of the fact, if the decision is `edit`.
    #[serde(default)]
    pub(crate) statement: Option<String>,
    /// Reason for the decision. The campaign records this reason.
    #[serde(default)]
    pub(crate) reason: Option<String>,
    /// Set this only if the DM has confirmed the decision. Not needed if the client supports elicitation, because the
    /// client then asks the DM.
    #[serde(default)]
    pub(crate) confirm: bool,
}

/// Arguments of `undo`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UndoArguments {
    /// Number of the operation to undo. Default: the latest operation.
    #[serde(default)]
    pub(crate) operation: Option<u64>,
    /// Set this only if the DM has confirmed the undo. Not needed if the client supports elicitation, because the
    /// client then asks the DM.
    #[serde(default)]
    pub(crate) confirm: bool,
}

/// Arguments of `log`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogArguments {
    /// Text of the line. The text can begin with the name of the speaker, or of the player of a character: `Mirela: Not
    /// here.` Only Odo hears the line `Mirela whispers to Odo: Not here.`
    pub(crate) text: String,
    /// Name or id of the speaker, or name of the player. Default: the name at the start of the text; otherwise, the line
    /// is narration.
    #[serde(default)]
    pub(crate) speaker: Option<String>,
    /// Names or ids of the hearers. Default: the hearers that the text names, or the characters who are present.
    #[serde(default)]
    pub(crate) to: Vec<String>,
    /// Id or number of the session. Default: the session being played.
    #[serde(default)]
    pub(crate) session: Option<String>,
}
