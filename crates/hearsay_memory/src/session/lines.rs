//! The log of a session, to be read.

use hearsay_model::{EntityId, Knower, PassageId, SessionId, State};
use serde::Serialize;

use super::report::session_or_latest;
use crate::{MemoryError, query::timeline::is_private};

/// A line of a session's log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LineRow {
    /// The passage.
    pub passage: PassageId,
    /// Its number in the session.
    pub line: u32,
    /// Who says it; nobody, when it is narration.
    pub speaker: Option<EntityId>,
    /// What the speaker is called.
    pub name: Option<String>,
    /// The words.
    pub text: String,
    /// When, on the campaign's calendar.
    pub when: Option<String>,
    /// What the place is called.
    pub place: Option<String>,
    /// What those are called who heard it, besides the speaker.
    pub heard_by: Vec<String>,
    /// Whether it was kept from somebody whose character was there at any time.
    pub private: bool,
}

/// The log of a session, or of the latest when none is named: its last lines, at most so many, in order; and how many there
/// are in all. Reads every line of the session: do it beside the worker.
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

/// Where the last line of the latest session was said that was said anywhere.
pub fn last_place(state: &State) -> Option<EntityId> {
    let latest = state.sessions().max_by_key(|session| (session.number, session.id.clone()))?;
    let placed = state.passages_in_session(Some(&latest.id)).filter(|(_, passage)| passage.place.is_some());
    placed.max_by_key(|(id, passage)| (passage.line, *id))?.1.place.clone()
}
