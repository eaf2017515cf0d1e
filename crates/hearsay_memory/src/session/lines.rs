//! Reading the log of a session.

use hearsay_model::{EntityId, Knower, PassageId, SessionId, State};
use serde::Serialize;

use super::report::session_or_latest;
use crate::{MemoryError, query::timeline::is_private};

/// A line of a session's log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LineRow {
    /// Passage of the line.
    pub passage: PassageId,
    /// Number of the line in the session.
    pub line: u32,
    /// Speaker; `None` for narration.
    pub speaker: Option<EntityId>,
    /// Name of the speaker.
    pub name: Option<String>,
    /// Words of the line.
    pub text: String,
    /// Time, on the campaign's calendar.
    pub when: Option<String>,
    /// Name of the place.
    pub place: Option<String>,
    /// Names of the hearers, without the speaker.
    pub heard_by: Vec<String>,
    /// Whether the line was kept from a character that was present at any time in the session.
    pub private: bool,
}

/// Returns the last lines of a session's log, at most `limit`, in order, and their total number. Default: the latest
/// session. Reads every line of the session, so call it on a background thread.
///
/// # Errors
/// When there is no such session.
pub fn session_lines(
    state: &State,
    session: Option<&str>,
    limit: usize,
) -> Result<(SessionId, Vec<LineRow>, usize), MemoryError> {
    let session = session_or_latest(state, session)?;
    let mut lines: Vec<_> = state.passages_in_session(Some(&session.id)).collect();
    lines.sort_by_key(|(id, passage)| (passage.line, *id));
    let all = lines.len();
    let called = |id: &EntityId| state.name_or_id(id).to_owned();
    let row = |(id, passage): &(PassageId, &std::sync::Arc<hearsay_model::Passage>)| LineRow {
        passage: *id,
        line: passage.line,
        speaker: passage.speaker.clone(),
        name: passage.speaker.as_ref().map(called),
        text: passage.text.clone(),
        when: passage.time.as_ref().map(|date| match date.time {
            Some(time) => state.calendar().print(time),
            None => date.raw.clone(),
        }),
        place: passage.place.as_ref().map(called),
        heard_by: {
            let hearers = passage.heard_by.iter().filter(|knower| knower.entity() != passage.speaker.as_ref());
            hearers
                .map(|knower| match knower {
                    Knower::World => "everybody".to_owned(),
                    Knower::Entity(id) => called(id),
                })
                .collect()
        },
        private: is_private(&session, passage),
    };
    Ok((session.id.clone(), lines.iter().skip(all.saturating_sub(limit)).map(row).collect(), all))
}

/// Returns the place of the last line with a place in the latest session that has one.
pub fn last_place(state: &State) -> Option<EntityId> {
    let latest = state.sessions().max_by_key(|session| (session.number, session.id.clone()))?;
    let placed = state.passages_in_session(Some(&latest.id)).filter(|(_, passage)| passage.place.is_some());
    placed.max_by_key(|(id, passage)| (passage.line, *id))?.1.place.clone()
}
