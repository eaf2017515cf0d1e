//! As of when a reading is made: a moment of game time, and a position of the journal.

use std::sync::Arc;

use hearsay_model::{GameTime, Position, Session, State, text};
use serde::{Deserialize, Serialize};

use crate::MemoryError;

/// As of when a reading is made; now, when nothing is said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AsOf {
    /// A moment in the game: a date on the campaign's calendar (its end: `4 Rainmoon 412` is the whole day; `yesterday` and
    /// `the 4th of Rainmoon` are told by the game clock), or a session
    /// (`session-2`), which means its end.
    pub time: Option<String>,
    /// What was on record: a position of the journal.
    pub recorded: Option<Position>,
}

impl AsOf {
    /// The state as it was recorded then. Going back replays the journal: do it beside the worker.
    ///
    /// # Errors
    /// When the position lies after the newest operation, or before the first that undo reaches.
    pub fn state(&self, state: &Arc<State>) -> Result<Arc<State>, MemoryError> {
        match self.recorded {
            None => Ok(Arc::clone(state)),
            Some(position) => Ok(Arc::new(state.at(position)?)),
        }
    }

    /// The moment in game time; none, when nothing is said.
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

/// When a session ended in game time: as it says, or else with the last line that was said in it.
pub(crate) fn session_end(state: &State, session: &Session) -> Option<GameTime> {
    let said = || {
        let lines = state.passages().filter(|(_, passage)| passage.session.as_ref() == Some(&session.id));
        lines.filter_map(|(_, passage)| passage.time.as_ref()?.time).max()
    };
    session.end.as_ref().and_then(|date| date.time).or_else(said)
}

/// The session that a text means which may be a date as well: by its id, or `session 2`; a number alone is a year.
///
/// # Errors
/// When the text speaks of a session that is not there.
pub(super) fn named_session(state: &State, given: &str) -> Result<Option<Arc<Session>>, MemoryError> {
    let plain = text::normal(given);
    if plain.starts_with("session") {
        return find_session(state, given).map(Some);
    }
    Ok(state.sessions().find(|session| text::normal(session.id.as_str()) == plain).cloned())
}

/// The session that an id, a number or `session 2` means.
///
/// # Errors
/// When there is none.
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
