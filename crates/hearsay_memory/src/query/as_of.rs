//! Points in time for queries: a game time, and a journal position.

use std::sync::Arc;

use hearsay_model::{GameTime, Position, Session, State, text};
use serde::{Deserialize, Serialize};

use crate::MemoryError;

/// Point in time of a query. Default: now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AsOf {
    /// Game time: a date on the campaign's calendar, or a session (`session-2`). A date means its end: `4 Rainmoon 412`
    /// covers the whole day. The game clock resolves `yesterday` and `the 4th of Rainmoon`. A session means its end.
    pub time: Option<String>,
    /// Journal position of the records.
    pub recorded: Option<Position>,
}

impl AsOf {
    /// Returns the state at the journal position. Going back replays the journal, so call it on a background thread.
    ///
    /// # Errors
    /// When the position is after the newest operation, or before the first that undo reaches.
    pub fn state(&self, state: &Arc<State>) -> Result<Arc<State>, MemoryError> {
        match self.recorded {
            None => Ok(Arc::clone(state)),
            Some(position) => Ok(Arc::new(state.at(position)?)),
        }
    }

    /// Returns the game time, if one is given.
    ///
    /// # Errors
    /// When the text is neither a date of the calendar nor a session, or the session has no end.
    pub fn moment(&self, state: &State) -> Result<Option<GameTime>, MemoryError> {
        let Some(given) = &self.time else { return Ok(None) };
        if let Some(session) = named_session(state, given)? {
            let end = session_end(state, &session);
            return end.map(Some).ok_or_else(|| MemoryError::NoSessionEnd(session.id.clone()));
        }
        Ok(Some(state.calendar().parse_near(given, state.clock())?.last))
    }
}

/// Returns the end of a session in game time: its recorded end, or the time of its last line.
pub(crate) fn session_end(state: &State, session: &Session) -> Option<GameTime> {
    let said = || {
        let lines = state.passages().filter(|(_, passage)| passage.session.as_ref() == Some(&session.id));
        lines.filter_map(|(_, passage)| passage.time.as_ref()?.time).max()
    };
    session.end.as_ref().and_then(|date| date.time).or_else(said)
}

/// Finds the session in a text that may also be a date: an id, or `session 2`. A number alone is a year.
///
/// # Errors
/// When the text names an unknown session.
pub(super) fn named_session(state: &State, given: &str) -> Result<Option<Arc<Session>>, MemoryError> {
    let plain = text::normal(given);
    if plain.starts_with("session") {
        return find_session(state, given).map(Some);
    }
    Ok(state.sessions().find(|session| text::normal(session.id.as_str()) == plain).cloned())
}

/// Finds a session by an id, a number or `session 2`.
///
/// # Errors
/// When there is no such session.
pub fn find_session(state: &State, given: &str) -> Result<Arc<Session>, MemoryError> {
    let plain = text::normal(given);
    let number = plain.strip_prefix("session").unwrap_or(&plain).trim_matches(['-', ' ']).parse::<u32>().ok();
    let by_id = state.sessions().find(|session| text::normal(session.id.as_str()) == plain);
    let found = by_id.or_else(|| state.sessions().find(|session| number.is_some() && session.number == number));
    let unknown = || MemoryError::NoSession {
        given: given.to_owned(),
        known: state.sessions().map(|session| session.id.clone()).collect(),
    };
    found.cloned().ok_or_else(unknown)
}
