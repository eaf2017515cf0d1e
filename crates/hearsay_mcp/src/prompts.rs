//! Prompts: the scene context of a character, or a recap that the players may hear.

use hearsay_engine::Memory;
use hearsay_query::{
    resolve::find_session,
    session::{RecapAudience, session_recap},
};
use hearsay_recall::{Detail, Form};
use rmcp::model::{JsonObject, Prompt, PromptArgument};

use crate::{
    arguments::RecallArguments, character::own_question, dm::read_state, error::ToolError, identity::SessionIdentity,
    recall::scene_context,
};

/// Default number of words in a recap.
const DEFAULT_WORDS: usize = 200;

/// Maximum number of words in a recap.
const MAX_WORDS: usize = 2_000;

/// A prompt of a character or of the DM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptName {
    SpeakAs,
    RecapPlayerSafe,
}

impl PromptName {
    /// Returns the prompts of an identity.
    pub(crate) fn all(identity: &SessionIdentity) -> &'static [Self] {
        match identity {
            SessionIdentity::Character(_) => &[Self::SpeakAs],
            SessionIdentity::Dm => &[Self::RecapPlayerSafe],
        }
    }

    /// Returns the prompt with a name, if the identity has this prompt.
    pub(crate) fn find(identity: &SessionIdentity, name: &str) -> Option<Self> {
        Self::all(identity).iter().copied().find(|prompt| prompt.as_str() == name)
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::SpeakAs => "speak_as",
            Self::RecapPlayerSafe => "recap_player_safe",
        }
    }

    /// Returns the description of the prompt for the client.
    pub(crate) fn definition(self) -> Prompt {
        let argument = |name: &str, description: &str| PromptArgument::new(name).with_description(description);
        let (description, arguments) = match self {
            Self::SpeakAs => (
                "The scene and your knowledge, for a language model that plays you",
                vec![
                    argument("question", "Words that another character says to you"),
                    argument("listeners", "Names of the listeners, separated by commas"),
                ],
            ),
            Self::RecapPlayerSafe => (
                "A recap of a session, with only the facts that all attending player characters know",
                vec![
                    argument("session", "Id or number of the session; default: the latest session"),
                    argument("words", "Maximum number of words; default: 200"),
                ],
            ),
        };
        Prompt::new(self.as_str(), Some(description), Some(arguments))
    }

    /// Returns the text of the prompt.
    pub(crate) fn text(
        self,
        memory: &Memory,
        identity: &SessionIdentity,
        arguments: &JsonObject,
    ) -> Result<String, ToolError> {
        let argument = |name: &str| text_argument(arguments, name);
        match (self, identity) {
            (Self::SpeakAs, SessionIdentity::Character(me)) => {
                check_names(arguments, &["question", "listeners"])?;
                let listeners = argument("listeners")?.unwrap_or_default();
                let listeners = listeners.split(',').map(str::trim).filter(|name| !name.is_empty());
                let question = RecallArguments {
                    question: argument("question")?.unwrap_or_default(),
                    listeners: listeners.map(str::to_owned).collect(),
                    ..RecallArguments::default()
                };
                let context = scene_context(memory, me, own_question(memory, me, question)?)?;
                Ok(context.render(Form::Prompt, Detail::Plain))
            }
            (Self::RecapPlayerSafe, SessionIdentity::Dm) => {
                check_names(arguments, &["session", "words"])?;
                recap(memory, argument("session")?, argument("words")?)
            }
            (Self::SpeakAs, SessionIdentity::Dm) | (Self::RecapPlayerSafe, SessionIdentity::Character(_)) => {
                Err(ToolError::new("there is no such prompt; list the prompts to see their names"))
            }
        }
    }
}

fn recap(memory: &Memory, session: Option<String>, words: Option<String>) -> Result<String, ToolError> {
    let words = match words {
        None => DEFAULT_WORDS,
        Some(words) => words
            .trim()
            .parse()
            .ok()
            .filter(|words| (1..=MAX_WORDS).contains(words))
            .ok_or_else(|| ToolError::new(format!("`words` is `{words}`; pass a number from 1 to {MAX_WORDS}")))?,
    };
    read_state(memory, move |state| {
        let session = session.as_deref().map(|session| find_session(state, session)).transpose()?;
        let session = session.map(|session| session.id.clone());
        Ok(session_recap(state, session.as_ref(), &RecapAudience::Players, words)?.prompt)
    })
}

fn text_argument(arguments: &JsonObject, name: &str) -> Result<Option<String>, ToolError> {
    match arguments.get(name) {
        None | Some(serde_json::Value::Null) => Ok(None),
        Some(serde_json::Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(ToolError::new(format!("the argument `{name}` is not a text; pass a JSON string"))),
    }
}

fn check_names(arguments: &JsonObject, names: &[&str]) -> Result<(), ToolError> {
    match arguments.keys().find(|name| !names.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => Err(ToolError::new(format!("the prompt has no argument `{name}`"))),
    }
}
