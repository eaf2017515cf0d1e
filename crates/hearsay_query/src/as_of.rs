//! Points in time for queries: a game time, and a journal position.

use std::sync::Arc;

use hearsay_model::{GameTime, Position, Session, State, text};
use serde::{Deserialize, Serialize};

use crate::{QueryError, resolve::find_session};

/// Point in time of a query: a game time and a journal position. The default is the present.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AsOf {
    /// Game time: a date on the campaign's calendar, or a session such as `session-2`. A date means the end of the
    /// date: `4 Rainmoon 412` includes the whole day. A session means the end of the session. Dates such as `yesterday`
    /// and `the 4th of Rainmoon` are relative to the game clock. `None` means that the query sets no game time.
    pub time: Option<String>,
    /// Journal position of the state to query. `None` means the newest position.
    pub recorded: Option<Position>,
}

impl AsOf {
    /// Returns the state at the journal position. The function computes an earlier state from the journal, which takes
    /// time. Call it on a background thread.
    ///
    /// # Errors
    /// Returns an error if the position is after the newest operation, or before the undo horizon. The undo horizon is
    /// the oldest position that undo can still reach.
    pub fn state(&self, state: &Arc<State>) -> Result<Arc<State>, QueryError> {
        match self.recorded {
            None => Ok(Arc::clone(state)),
            Some(position) => Ok(Arc::new(state.at(position)?)),
        }
    }

    /// Returns the game time of [`time`](Self::time), or `None` if this field is not set.
    ///
    /// # Errors
    /// Returns an error if the text is neither a valid date nor a session, or if the session has no recorded end.
    pub fn moment(&self, state: &State) -> Result<Option<GameTime>, QueryError> {
        let Some(given) = &self.time else { return Ok(None) };
        if let Some(session) = named_session(state, given)? {
            let end = session_end(state, &session);
            return end.map(Some).ok_or_else(|| QueryError::NoSessionEnd(session.id.clone()));
        }
        Ok(Some(state.calendar().parse_relative(given, state.clock())?.last))
    }
}

/// Returns the game time at which a session ended: its recorded end, or the time of its last line if no end is
/// recorded. Returns `None` if neither time is recorded.
pub fn session_end(state: &State, session: &Session) -> Option<GameTime> {
    let last_line_time = || {
        let lines = state.passages().filter(|(_, passage)| passage.session.as_ref() == Some(&session.id));
        lines.filter_map(|(_, passage)| passage.said_at()).max()
    };
    session.ended_at().or_else(last_line_time)
}

/// Finds the session to which a text refers. The text is a session id or has the form `session 2`. Returns `None` for
/// any other text, because the text may be a date. A number alone is a year, not a session.
///
/// # Errors
/// Returns an error if the text refers to a session that does not exist.
pub fn named_session(state: &State, given: &str) -> Result<Option<Arc<Session>>, QueryError> {
    let normalized = text::normalize(given);
    if normalized.starts_with("session") {
        return find_session(state, given).map(Some);
    }
    Ok(state.sessions().find(|session| text::normalize(session.id.as_str()) == normalized).cloned())
}
