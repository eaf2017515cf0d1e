//! Lists of the lines in the log of a session, and counts of the kinds of talk.

use std::sync::Arc;

use hearsay_belief::{is_elsewhere, location_at, place_at};
use hearsay_model::{
    ActiveSession, Date, EntityId, GameTime, Knower, Passage, PassageId, Session, SessionId, State, TalkKind,
};
use serde::Serialize;

use crate::{QueryError, dates::clock_date, ids::require_session};

/// A line in the log of a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LineRow {
    /// Passage that records the line.
    pub passage: PassageId,
    /// Number of the line in the session.
    pub line: u32,
    /// Speaker; `None` for narration.
    pub speaker: Option<EntityId>,
    /// Name of the speaker; `None` for narration.
    pub name: Option<String>,
    /// Text of the line.
    pub text: String,
    /// Game time of the line, as text; `None` if the time is unknown.
    pub when: Option<String>,
    /// Name of the place where the line was said; `None` if the place is unknown.
    pub place: Option<String>,
    /// Names of the hearers, without the speaker. Empty for an out-of-character or withheld line, which no character
    /// hears.
    pub heard_by: Vec<String>,
    /// Whether the line is private: at least one character who took part in the session did not hear the line.
    pub private: bool,
    /// Kind of talk; `None` if it is unknown.
    pub talk_kind: Option<TalkKind>,
}

/// Numbers of lines by kind of talk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TalkCounts {
    /// Number of lines of narration.
    pub narration: usize,
    /// Number of lines in which a character speaks.
    pub in_character: usize,
    /// Number of out-of-character lines.
    pub out_of_character: usize,
    /// Number of lines that no character hears because they may state a secret.
    pub withheld: usize,
    /// Number of lines of unknown kind, because the reading model has not read them.
    pub unknown: usize,
}

impl TalkCounts {
    /// Counts passages by kind of talk.
    pub fn from_passages<'a>(passages: impl IntoIterator<Item = &'a Passage>) -> Self {
        let mut counts = Self::default();
        for passage in passages {
            let count = match passage.talk_kind {
                Some(TalkKind::Narration) => &mut counts.narration,
                Some(TalkKind::InCharacter) => &mut counts.in_character,
                Some(TalkKind::OutOfCharacter) => &mut counts.out_of_character,
                Some(TalkKind::Withheld) => &mut counts.withheld,
                None => &mut counts.unknown,
            };
            *count += 1;
        }
        counts
    }
}

/// Returns the id of a session, the last `limit` lines of its log in order, and the total number of lines in the log.
/// If no session is given, the function uses the session being played, or the latest session if no session is being
/// played. The function reads every line of the session, so call it on a background thread.
///
/// # Errors
/// Returns an error if the given session does not exist, or if no session is given and the campaign has no sessions.
pub fn session_lines(
    state: &State,
    session: Option<&SessionId>,
    limit: usize,
) -> Result<(SessionId, Vec<LineRow>, usize), QueryError> {
    let session = session_or_latest(state, session)?;
    let mut lines: Vec<_> = state.passages_in_session(Some(&session.id)).collect();
    lines.sort_by_key(|(id, passage)| (passage.line, *id));
    let all = lines.len();
    let name_of = |id: &EntityId| state.name_or_id(id).to_owned();
    let row = |(id, passage): &(PassageId, &Arc<Passage>)| LineRow {
        passage: *id,
        line: passage.line,
        speaker: passage.speaker.clone(),
        name: passage.speaker.as_ref().map(name_of),
        text: passage.text.clone(),
        when: passage.time.as_ref().map(|date| match date.time {
            Some(time) => state.calendar().format(time),
            None => date.raw.clone(),
        }),
        place: passage.place.as_ref().map(name_of),
        heard_by: {
            let hearers = passage.heard_by.iter().filter(|knower| knower.entity() != passage.speaker.as_ref());
            hearers
                .filter(|_| !passage.is_out_of_character())
                .map(|knower| match knower {
                    Knower::World => "everybody".to_owned(),
                    Knower::Entity(id) => name_of(id),
                })
                .collect()
        },
        private: is_private(session, passage),
        talk_kind: passage.talk_kind,
    };
    Ok((session.id.clone(), lines.iter().skip(all.saturating_sub(limit)).map(row).collect(), all))
}

/// Returns a session. If `session` is `None`, returns the session being played, or the latest session if no session is
/// being played.
///
/// # Errors
/// Returns an error if the given session does not exist, or if no session is given and the campaign has no sessions.
pub fn session_or_latest<'a>(state: &'a State, session: Option<&SessionId>) -> Result<&'a Arc<Session>, QueryError> {
    if let Some(id) = session.or_else(|| state.active_session().map(|playing| &playing.session)) {
        return require_session(state, id);
    }
    let latest = sessions_in_order(state).pop().and_then(|id| state.session(&id));
    latest.ok_or_else(|| QueryError::NoSession { given: "latest".into(), known: Vec::new() })
}

/// Returns the ids of all sessions in the order in which they were played.
pub fn sessions_in_order(state: &State) -> Vec<SessionId> {
    let mut sessions: Vec<_> = state.sessions().collect();
    sessions.sort_by_key(|session| (session.number, session.started_at(), session.id.clone()));
    sessions.into_iter().map(|session| session.id.clone()).collect()
}

/// Returns the place where the party is after the latest session: the place of the last line that has a place. A line that
/// less than half of the attending characters heard counts only if there is no other line, because it was possibly said
/// outside the scene. If the characters who attended the session are now at one other place, returns this place. Returns
/// `None` if no line has a place.
pub fn last_place(state: &State) -> Option<EntityId> {
    let latest_session = state.sessions().max_by_key(|session| (session.number, session.id.clone()))?;
    let lines_with_place =
        state.passages_in_session(Some(&latest_session.id)).filter(|(_, passage)| passage.place.is_some());
    let is_in_scene = |passage: &Passage| {
        let attending = &latest_session.present;
        let has_heard = |id: &&EntityId| passage.has_participant(&Knower::Entity((*id).clone()));
        let heard_count = attending.iter().filter(has_heard).count();
        passage.heard_by.contains(&Knower::World) || 2 * heard_count >= attending.len()
    };
    let (_, last_line) = lines_with_place.max_by_key(|(id, passage)| (is_in_scene(passage), passage.line, *id))?;
    let moment = later_moment(state, last_line.time.as_ref());
    let mut places = latest_session.present.iter().map(|id| place_at(state, id, moment));
    let place = places.next().flatten().filter(|place| places.all(|other| other.as_ref() == Some(place)));
    place.or_else(|| last_line.place.clone())
}

/// Returns the place at which all of the given characters are, according to their recorded locations. Returns `None` if
/// they are at several places, or if a character has no location. A home is no location: it can be a whole town.
pub fn common_location(state: &State, characters: &[EntityId], moment: Option<GameTime>) -> Option<EntityId> {
    let mut places = characters.iter().map(|id| location_at(state, id, moment));
    let place = places.next().flatten()?;
    places.all(|other| other == Some(place)).then(|| place.clone())
}

/// Returns the later of two times: the time of the log (`logged`) and the game clock. Returns `None` if neither is set.
pub fn later_time(state: &State, logged: Option<Date>) -> Option<Date> {
    let time = logged.as_ref().and_then(|date| date.time);
    if state.clock().is_some_and(|clock| time.is_none_or(|time| time < clock)) {
        Some(clock_date(state))
    } else {
        logged
    }
}

/// Returns the later of two moments: the time of the log (`logged`) and the game clock.
fn later_moment(state: &State, logged: Option<&Date>) -> Option<GameTime> {
    logged.and_then(|date| date.time).max(state.clock())
}

/// Returns the game time of the current scene of the session being played: the later of the game clock and the time that
/// the log has reached.
pub fn scene_moment(state: &State, playing: &ActiveSession) -> Option<GameTime> {
    later_moment(state, playing.time.as_ref())
}

/// Returns the attending characters who are in the current scene of the session being played, sorted. An attending
/// character whose location is another place is not in the scene, for example because it walked away from the party.
pub fn attending_in_scene(state: &State, playing: &ActiveSession) -> Vec<EntityId> {
    let moment = scene_moment(state, playing);
    let is_away = |id: &EntityId| playing.place.as_ref().is_some_and(|place| is_elsewhere(state, id, place, moment));
    playing.here.iter().filter(|id| !is_away(id)).cloned().collect()
}

/// Returns the number of the next line of a session. If `session` is `None`, returns the number of the next line
/// outside any session.
pub fn next_line(state: &State, session: Option<&SessionId>) -> u32 {
    let last = state.passages_in_session(session).next_back();
    last.map_or(0, |(_, passage)| passage.line).saturating_add(1)
}

/// Returns whether a line is private: at least one character who took part in the session did not hear the line.
pub fn is_private(session: &Session, passage: &Passage) -> bool {
    let has_heard = |id: &EntityId| {
        passage.speaker.as_ref() == Some(id)
            || passage.heard_by.iter().any(|knower| *knower == Knower::World || knower.entity() == Some(id))
    };
    !session.present.iter().all(has_heard)
}
