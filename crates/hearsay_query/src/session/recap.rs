//! Recaps and summaries of sessions.

use std::{fmt, sync::Arc, time::Duration};

use hearsay_belief::View;
use hearsay_model::{EntityId, FactStatus, Knower, SessionId, State};
use hearsay_recall::{
    ApproximateTokens, EntityLinker, Hearer, Index, Recap, RecapLine, RecapRequest, Source, Summary, SummaryRequest,
    SummarySubject, TokenCounter, recap, summarize,
};
use serde::Serialize;

use super::lines::session_or_latest;
use crate::{
    QueryError,
    ids::{require_entities, require_entity},
    views::ViewCache,
};

/// Audience of a recap.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecapAudience {
    /// The DM: everything that happened.
    #[default]
    Dm,
    /// The players together: only what all characters that were present know. It can be read aloud.
    Players,
    /// One character: only that character's knowledge.
    Character(EntityId),
}

/// A recap with its session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionRecap {
    /// Id of the session.
    pub session: SessionId,
    /// Title of the session.
    pub title: String,
    /// Characters that were present in the session.
    pub present: Vec<EntityId>,
    /// Contents of the recap.
    #[serde(flatten)]
    pub recap: Recap,
    /// Prompt for a language model that writes the recap.
    pub prompt: String,
}

/// Returns a recap of a session with at most `words` words. If no session is given, uses the session being played, or
/// else the latest session. A recap for one character contains only facts that the character knew at the end of the
/// session. A recap for the players contains only facts that all characters who were present knew then. The title and
/// the attendance are always included. A recap for the DM marks facts that are only claimed, and false facts.
///
/// # Errors
/// Returns an error if the session or the character does not exist.
pub fn session_recap(
    state: &State,
    session: Option<&SessionId>,
    audience: &RecapAudience,
    words: usize,
) -> Result<SessionRecap, QueryError> {
    let session = session_or_latest(state, session)?;
    let end = session.end.as_ref().and_then(|date| date.time);
    let view = |id: &EntityId| View::new(state, &Knower::Entity(id.clone()), end);
    let views: Vec<View> = match audience {
        // A session may retell a fact that was recorded earlier. Only the knowledge edges of the hearers show this.
        RecapAudience::Dm => std::iter::once(View::of_dm(state)).chain(session.present.iter().map(view)).collect(),
        RecapAudience::Players => session.present.iter().map(view).collect(),
        RecapAudience::Character(id) => {
            require_entity(state, id)?;
            vec![view(id)]
        }
    };
    let names: Vec<EntityLinker> = views.iter().map(EntityLinker::new).collect();
    let hearers: Vec<Hearer> = views.iter().zip(&names).map(|(view, names)| Hearer { view, names }).collect();
    let mut recap = recap(&RecapRequest {
        hearers: &hearers,
        subject: &SummarySubject::Session(session.id.clone()),
        calendar: state.calendar(),
        words,
        read_aloud: *audience == RecapAudience::Players,
    });
    if *audience == RecapAudience::Dm {
        mark_claims(state, &mut recap.lines);
    }
    Ok(SessionRecap {
        session: session.id.clone(),
        title: session.title.clone(),
        present: session.present.clone(),
        prompt: recap.prompt(&session.title),
        recap,
    })
}

/// Adds to each fact that is only claimed who claims it, and to each false fact that it is false. These marks do not count
/// as words of the recap.
fn mark_claims(state: &State, lines: &mut [RecapLine]) {
    for line in lines {
        let Source::Fact(id) = line.citation.source else { continue };
        let Some(fact) = state.fact(id) else { continue };
        let speaker = fact.provenance().speaker.as_ref().map(|id| state.name_or_id(id));
        let claim = match speaker {
            Some(speaker) => format!("claimed by {speaker}"),
            None => "claimed".to_owned(),
        };
        match fact.status() {
            FactStatus::Claimed => line.text.push_str(&format!(" ({claim})")),
            FactStatus::False => line.text.push_str(&format!(" ({claim}; false)")),
            FactStatus::Canon | FactStatus::Proposed | FactStatus::Rejected => {}
        }
    }
}

/// A request to summarize a session's log or a document.
#[derive(Clone, Default)]
pub struct Summarize {
    /// Session to summarize. Ignored if `document` is set. Default: the session being played, or else the latest
    /// session.
    pub session: Option<SessionId>,
    /// Document to summarize.
    pub document: Option<EntityId>,
    /// Knower whose knowledge is used. Default: the DM, who knows everything.
    pub knower: Option<EntityId>,
    /// Question that the summary helps to answer; empty for a general summary.
    pub question: String,
    /// Maximum number of tokens. Default: a tenth of the tokens of the whole log or document.
    pub budget: Option<usize>,
    /// Token counter. Default: an approximation for common language models.
    pub counter: Option<Arc<dyn TokenCounter + Send + Sync>>,
    /// Maximum time to wait for the sentence encoder to compute the vector of the question. Default: from the settings.
    pub deadline: Option<Duration>,
}

impl fmt::Debug for Summarize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { session, document, knower, question, budget, .. } = self;
        write!(f, "Compact({session:?}, {document:?}, {knower:?}, {question:?}, {budget:?})")
    }
}

impl Summarize {
    /// Creates the summary from the given state and index.
    ///
    /// # Errors
    /// Returns an error if the session, the document or the knower does not exist.
    pub fn summary(
        &self,
        state: &State,
        index: &Index,
        view_cache: &mut ViewCache,
        vector: Option<&[f32]>,
    ) -> Result<Summary, QueryError> {
        require_entities(state, self.document.iter().chain(&self.knower))?;
        let source = match &self.document {
            Some(document) => SummarySubject::Document(document.clone()),
            None => SummarySubject::Session(session_or_latest(state, self.session.as_ref())?.id.clone()),
        };
        let knower = self.knower.clone().map(Knower::Entity);
        let cached_view = view_cache.get_or_compute(state, knower.as_ref(), None);
        let counter = self.counter.as_deref().map_or(&ApproximateTokens as &dyn TokenCounter, |counter| counter);
        let request = |budget| SummaryRequest {
            hearer: Hearer { view: &cached_view.view, names: &cached_view.names },
            index,
            subject: &source,
            question: &self.question,
            vector,
            budget,
            counter,
        };
        let budget = self.budget.unwrap_or_else(|| summarize(&request(0)).original_tokens / 10);
        Ok(summarize(&request(budget)))
    }
}
