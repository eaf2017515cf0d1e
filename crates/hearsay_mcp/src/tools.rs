//! The tools: their names, descriptions, schemas and annotations.

use std::sync::Arc;

use rmcp::{
    handler::server::tool::{schema_for_input, schema_for_output},
    model::{JsonObject, Tool, ToolAnnotations},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    arguments::{
        AskAsArguments, CheckReplyArguments, DecideArguments, FactArguments, KnowAboutArguments, LogArguments,
        MayTellArguments, RecallArguments, RecordArguments, ReviewArguments, SayArguments, SearchArguments,
        UndoArguments,
    },
    identity::SessionIdentity,
    outputs::{
        CheckReplyOutput, HowKnownOutput, KnowAboutOutput, LogOutput, MayTellOutput, RecallOutput, ReviewOutput,
        SayOutput, SearchOutput, WrittenOutput,
    },
};

/// Description of a tool for a client that does not use MCP.
#[derive(Debug, Clone, Serialize)]
pub struct ToolDescription {
    /// Name of the tool.
    pub name: &'static str,
    /// Name of the tool for people.
    pub title: &'static str,
    /// Purpose of the tool.
    pub description: &'static str,
    /// JSON Schema of the arguments.
    pub input_schema: Arc<JsonObject>,
    /// JSON Schema of the result.
    pub output_schema: Arc<JsonObject>,
}

/// A tool of a character or of the DM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolName {
    Recall,
    KnowAbout,
    HowDoIKnow,
    MayITell,
    CheckReply,
    Say,
    Search,
    AskAs,
    Record,
    Review,
    Decide,
    Undo,
    Log,
}

/// Effect of a tool on the campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Reads only.
    Reads,
    /// Adds records.
    Adds,
    /// Changes or removes records.
    Changes,
}

const OF_CHARACTER: [ToolName; 6] = [
    ToolName::Recall,
    ToolName::KnowAbout,
    ToolName::HowDoIKnow,
    ToolName::MayITell,
    ToolName::CheckReply,
    ToolName::Say,
];

const OF_DM: [ToolName; 7] = [
    ToolName::Search,
    ToolName::AskAs,
    ToolName::Record,
    ToolName::Review,
    ToolName::Decide,
    ToolName::Undo,
    ToolName::Log,
];

impl ToolName {
    /// Returns the tools of an identity.
    pub(crate) fn all(identity: &SessionIdentity) -> &'static [Self] {
        match identity {
            SessionIdentity::Character(_) => &OF_CHARACTER,
            SessionIdentity::Dm => &OF_DM,
        }
    }

    /// Returns the tool with a name, if the identity has this tool.
    pub(crate) fn find(identity: &SessionIdentity, name: &str) -> Option<Self> {
        Self::all(identity).iter().copied().find(|tool| tool.as_str() == name)
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Recall => "recall",
            Self::KnowAbout => "know_about",
            Self::HowDoIKnow => "how_do_i_know",
            Self::MayITell => "may_i_tell",
            Self::CheckReply => "check_reply",
            Self::Say => "say",
            Self::Search => "search",
            Self::AskAs => "ask_as",
            Self::Record => "record",
            Self::Review => "review",
            Self::Decide => "decide",
            Self::Undo => "undo",
            Self::Log => "log",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Recall => "Recall what you know",
            Self::KnowAbout => "What you know about a character, place or thing",
            Self::HowDoIKnow => "How you know a fact",
            Self::MayITell => "Whether you may tell a fact",
            Self::CheckReply => "Check a reply",
            Self::Say => "Say a line aloud",
            Self::Search => "Search the campaign",
            Self::AskAs => "Answer as a character",
            Self::Record => "Record a sentence",
            Self::Review => "List the review queue",
            Self::Decide => "Decide on facts",
            Self::Undo => "Undo an operation",
            Self::Log => "Log a line of the session",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Recall => {
                "Returns the facts and lines that you know and that are relevant to a question. For each fact, the \
                 result says how you know the fact, how much you believe it, and whether you may tell it. You know \
                 nothing else."
            }
            Self::KnowAbout => "Returns what you know about a character, place, faction or thing.",
            Self::HowDoIKnow => "Returns how you came to know a fact: who told you, when, and who was present.",
            Self::MayITell => "Returns for each listener whether you may tell a fact to this listener, and the reason.",
            Self::CheckReply => {
                "Checks words that you want to say. The result lists the words that reveal a secret of yours, contradict \
                 what you know, or contain a name that you do not know."
            }
            Self::Say => "Records words that you say aloud. The hearers remember them.",
            Self::Search => "Searches all entities, facts and passages of the campaign.",
            Self::AskAs => {
                "Returns the facts and lines that one character knows and that are relevant to a question. For each \
                 fact, the result says whether the character may tell the fact."
            }
            Self::Record => {
                "Records a sentence as a fact. The fact waits for review. Nobody knows the fact until you accept it."
            }
            Self::Review => "Lists facts, contradictions and possible duplicates that wait for the DM's decision.",
            Self::Decide => "Records the DM's decision on facts. The DM must confirm the decision.",
            Self::Undo => {
                "Reverts an operation. The DM must confirm the undo. The undo is a new operation. To redo, undo this \
                 new operation."
            }
            Self::Log => {
                "Adds a line to the log of the session being played. The characters who are present hear the line. The \
                 result names the speaker, the hearers, and the recorded facts that the line states."
            }
        }
    }

    pub(crate) fn effect(self) -> Effect {
        match self {
            Self::Recall
            | Self::KnowAbout
            | Self::HowDoIKnow
            | Self::MayITell
            | Self::CheckReply
            | Self::Search
            | Self::AskAs
            | Self::Review => Effect::Reads,
            Self::Say | Self::Record | Self::Log => Effect::Adds,
            Self::Decide | Self::Undo => Effect::Changes,
        }
    }

    /// Returns the schemas of the tool's arguments and of its result.
    fn schemas(self) -> (Arc<JsonObject>, Arc<JsonObject>) {
        match self {
            Self::Recall => schemas::<RecallArguments, RecallOutput>(),
            Self::KnowAbout => schemas::<KnowAboutArguments, KnowAboutOutput>(),
            Self::HowDoIKnow => schemas::<FactArguments, HowKnownOutput>(),
            Self::MayITell => schemas::<MayTellArguments, MayTellOutput>(),
            Self::CheckReply => schemas::<CheckReplyArguments, CheckReplyOutput>(),
            Self::Say => schemas::<SayArguments, SayOutput>(),
            Self::Search => schemas::<SearchArguments, SearchOutput>(),
            Self::AskAs => schemas::<AskAsArguments, RecallOutput>(),
            Self::Record => schemas::<RecordArguments, WrittenOutput>(),
            Self::Review => schemas::<ReviewArguments, ReviewOutput>(),
            Self::Decide => schemas::<DecideArguments, WrittenOutput>(),
            Self::Undo => schemas::<UndoArguments, WrittenOutput>(),
            Self::Log => schemas::<LogArguments, LogOutput>(),
        }
    }

    /// Returns the description of the tool.
    pub(crate) fn describe(self) -> ToolDescription {
        let (input_schema, output_schema) = self.schemas();
        ToolDescription {
            name: self.as_str(),
            title: self.title(),
            description: self.description(),
            input_schema,
            output_schema,
        }
    }

    /// Returns the description of the tool for an MCP client.
    pub(crate) fn definition(self) -> Tool {
        let (input, output) = self.schemas();
        let reads = self.effect() == Effect::Reads;
        let annotations = ToolAnnotations::with_title(self.title())
            .read_only(reads)
            .destructive(self.effect() == Effect::Changes)
            .idempotent(reads)
            .open_world(false);
        Tool::new(self.as_str(), self.description(), input)
            .with_title(self.title())
            .with_raw_output_schema(output)
            .with_annotations(annotations)
    }
}

/// Returns the schemas of a tool's arguments and of its result.
fn schemas<Arguments: JsonSchema + 'static, Output: JsonSchema + 'static>() -> (Arc<JsonObject>, Arc<JsonObject>) {
    // The arguments are structs, so their schema always describes an object.
    (schema_for_input::<Arguments>().unwrap_or_default(), schema_for_output::<Output>())
}
