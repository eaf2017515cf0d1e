//! Recaps of sessions, and sessions in few tokens.

use std::{fmt, sync::Arc, time::Duration};

use hearsay_belief::View;
use hearsay_model::{
    Author, Change, EntityId, KeptRecap, Knower, Operation, SessionId, Setting, SettingKey, State, Timestamp,
};
use hearsay_recall::{
    ApproximateTokens, Condense, Condensed, Hearer, Index, Matter, Names, Recap, RecapRequest, TokenCounter, condense,
    recap,
};
use serde::Serialize;

use super::report::session_or_latest;
use crate::{MemoryError, edit::resolve, mind::Minds, query::find_session};

/// Whom a recap is for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecapFor {
    /// The DM: all that happened.
    #[default]
    Dm,
    /// The players: what the characters know who were there, and nothing else has a part in it.
    Players,
    /// One character: what it knows.
    Character(String),
}

/// What was asked for, and the recap.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionRecap {
    /// The session.
    pub session: SessionId,
    /// What it is called.
    pub title: String,
    /// Whose characters were there.
    pub present: Vec<EntityId>,
    /// The recap.
    #[serde(flatten)]
    pub recap: Recap,
    /// What a language model is given that is to write it.
    pub prompt: String,
}

/// A recap of a session in at most so many words; of the latest, when none is named. For players and characters it is
/// made from what they know as of the end of the session, and from the session's own title and attendance.
///
/// # Errors
/// When there is no such session, or nobody is called so.
pub fn session_recap(
    state: &State,
    session: Option<&str>,
    whom: &RecapFor,
    words: usize,
) -> Result<SessionRecap, MemoryError> {
    let session = session_or_latest(state, session)?;
    let end = session.end.as_ref().and_then(|date| date.time);
    let view = |id: &EntityId| View::of(state, &Knower::Entity(id.clone()), end);
    let views: Vec<View> = match whom {
        // What somebody was told there that was on record before, only the hearers' edges say.
        RecapFor::Dm => std::iter::once(View::of_dm(state)).chain(session.present.iter().map(view)).collect(),
        RecapFor::Players => session.present.iter().map(view).collect(),
        RecapFor::Character(name) => vec![view(&resolve(state, name)?)],
    };
    let names: Vec<Names> = views.iter().map(Names::of).collect();
    let hearers: Vec<Hearer> = views.iter().zip(&names).map(|(view, names)| Hearer { view, names }).collect();
    let mut recap = recap(&RecapRequest {
        hearers: &hearers,
        matter: &Matter::Session(session.id.clone()),
        calendar: state.calendar(),
        words,
        openly: *whom == RecapFor::Players,
    });
    if *whom == RecapFor::Dm {
        recap.lines.iter_mut().for_each(|line| line.known_to.clear());
    }
    Ok(SessionRecap {
        session: session.id.clone(),
        title: session.title.clone(),
        present: session.present.clone(),
        prompt: recap.prompt(&session.title),
        recap,
    })
}

/// The operation that keeps a recap as the DM leaves it; empty words withdraw it.
///
/// # Errors
/// When there is no such session.
pub fn keep_recap(state: &State, recap: &KeptRecap, now: Timestamp) -> Result<Operation, MemoryError> {
    let session = find_session(state, recap.session.as_str())?.id.clone();
    let key = SettingKey::Recap(session.clone(), recap.players);
    let (verb, change) = match recap.text.trim() {
        "" => ("withdraw", Change::Unset(key.clone())),
        text => {
            ("write", Change::Set(Setting::Recap(KeptRecap { session, players: recap.players, text: text.into() })))
        }
    };
    Ok(Operation { recorded: now, ..Operation::new(Author::Dm, format!("{verb} {key}"), vec![change]) })
}

/// A session's log, or a document, in few tokens.
#[derive(Clone, Default)]
pub struct Compact {
    /// The session: its id or number; the latest, when neither it nor a document is named.
    pub session: Option<String>,
    /// The document: an id or a name.
    pub document: Option<String>,
    /// Whose knowledge: an id or a name; all of it, for the DM, when nobody is named.
    pub knower: Option<String>,
    /// What it is wanted for; nothing in particular, when it is empty.
    pub question: String,
    /// At most so many tokens; a tenth of the whole, when nothing is said.
    pub budget: Option<usize>,
    /// How tokens are counted; about as common language models do, when nothing is said.
    pub counter: Option<Arc<dyn TokenCounter + Send + Sync>>,
    /// How long it may wait for the question's vector; as the settings say, when nothing is said.
    pub deadline: Option<Duration>,
}

impl fmt::Debug for Compact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { session, document, knower, question, budget, .. } = self;
        write!(f, "Compact({session:?}, {document:?}, {knower:?}, {question:?}, {budget:?})")
    }
}

impl Compact {
    /// Condenses it with what is there.
    pub(crate) fn condensed(
        &self,
        state: &State,
        index: &Index,
        minds: &mut Minds,
        vector: Option<&[f32]>,
    ) -> Result<Condensed, MemoryError> {
        let matter = match &self.document {
            Some(document) => Matter::Document(resolve(state, document)?),
            None => Matter::Session(session_or_latest(state, self.session.as_deref())?.id.clone()),
        };
        let knower = self.knower.as_deref().map(|name| resolve(state, name)).transpose()?.map(Knower::Entity);
        let mind = minds.of(state, knower.as_ref(), None);
        let counter = self.counter.as_deref().map_or(&ApproximateTokens as &dyn TokenCounter, |counter| counter);
        let request = |budget| Condense {
            hearer: Hearer { view: &mind.view, names: &mind.names },
            index,
            matter: &matter,
            question: &self.question,
            vector,
            budget,
            counter,
        };
        let budget = self.budget.unwrap_or_else(|| condense(&request(0)).whole / 10);
        Ok(condense(&request(budget)))
    }
}
