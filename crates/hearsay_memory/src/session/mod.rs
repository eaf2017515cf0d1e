//! Sessions at the table: start, attendance, log and end.
//!
//! One session is played at a time. [`State::playing`] holds it, with the characters that are present. Records made
//! meanwhile carry this session, unless another is named. Like an [`Edit`](crate::Edit), a step makes the changes of
//! one operation from the current state and applies none.

mod lines;
mod log;
mod recap;
mod report;
#[cfg(test)]
mod tests;
mod threads;
mod transcript;

use hearsay_belief::{is_dead, player_characters};
use hearsay_model::{
    Author, Change, Date, EntityId, Operation, Playing, Session, SessionId, Setting, SettingKey, State, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::{
    MemoryError,
    edit::{date_of, now, resolve},
    query::find_session,
};

pub use lines::{LineRow, last_place, session_lines};
pub use log::{Log, LogLine, LogSource};
pub use recap::{RecapFor, SessionRecap, Summarize, keep_recap, session_recap};
pub use report::{
    ChangeKind, ChangedRow, FIRST, LearnedRow, LearnerRow, ReviewFirst, SessionCounts, SessionReport, SessionRow,
    consequence, session_or_latest, session_report, sessions,
};
pub use threads::{Thread, ThreadFilter, ThreadKind, threads, unsettled};
pub use transcript::{PreviewRow, SpeakerIs, SpeakerRow, TranscriptImport, TranscriptReport};

/// A step of a session.
///
/// Entities are named by id or name. Dates are written on the campaign's calendar.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStep {
    /// A session begins and is played from now on.
    Start(NewSession),
    /// Characters arrive or leave. From now on they hear the lines, or do not.
    Attend {
        /// Characters that arrive.
        arrive: Vec<String>,
        /// Characters that leave.
        leave: Vec<String>,
    },
    /// The session being played ends.
    End {
        /// End in game time. Default: the latest time of the log or the game clock.
        time: Option<String>,
    },
}

/// A new session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewSession {
    /// Id. Default: `session-` and its number.
    pub id: Option<String>,
    /// Number. Default: the next number.
    pub number: Option<u32>,
    /// Title. Default: `Session` and its number.
    pub title: Option<String>,
    /// Real-world date of play, as written.
    pub date: Option<String>,
    /// Start in game time. Default: the game clock.
    pub time: Option<String>,
    /// Place of the scene. Default for a session that begins: the place of the last line.
    pub place: Option<String>,
    /// Characters that are present. Default: all living player characters.
    pub present: Vec<String>,
}

impl NewSession {
    /// Returns the session, and the place of its scene.
    ///
    /// # Errors
    /// When a name or date is invalid, or the id is in use.
    pub(crate) fn session(&self, state: &State) -> Result<(Session, Option<EntityId>), MemoryError> {
        let last = state.sessions().filter_map(|session| session.number).max();
        let count = u32::try_from(state.sessions().count()).unwrap_or(u32::MAX);
        let mut number = self.number.unwrap_or_else(|| last.unwrap_or(count).saturating_add(1));
        let id = match &self.id {
            Some(id) => SessionId::new(id)?,
            None => loop {
                let id = SessionId::new(format!("session-{number}"))?;
                if state.session(&id).is_none() || self.number.is_some() {
                    break id;
                }
                number = number.saturating_add(1);
            },
        };
        if state.session(&id).is_some() {
            return Err(MemoryError::SessionTaken(id));
        }
        let title = self.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
        let start = match &self.time {
            Some(raw) => Some(date_of(state, raw)?),
            None => state.clock().map(|_| now(state)),
        };
        let place = self.place.as_deref().map(|name| resolve(state, name)).transpose()?;
        let session = Session {
            id,
            number: Some(number),
            title: title.map_or_else(|| format!("Session {number}"), str::to_owned),
            date: self.date.clone(),
            present: self.present(state, start.as_ref())?,
            start,
            end: None,
        };
        Ok((session, place))
    }

    fn present(&self, state: &State, start: Option<&Date>) -> Result<Vec<EntityId>, MemoryError> {
        if self.present.is_empty() {
            let moment = start.and_then(|date| date.time);
            let players = player_characters(state).into_iter();
            return Ok(players.filter(|id| !is_dead(state, id, moment)).collect());
        }
        let mut present = all(state, &self.present)?;
        present.sort();
        present.dedup();
        Ok(present)
    }
}

impl SessionStep {
    /// Returns the operation of the step.
    ///
    /// # Errors
    /// When another session is being played, or none is. When a name or date is invalid. When an arriving character is
    /// already present, or a leaving character is absent.
    pub fn operation(&self, state: &State, author: Author, recorded: Timestamp) -> Result<Operation, MemoryError> {
        let (summary, changes) = match self {
            Self::Start(new) => start(state, new)?,
            Self::Attend { arrive, leave } => attend(state, arrive, leave)?,
            Self::End { time } => end(state, time.as_deref())?,
        };
        Ok(Operation { author, recorded, summary, changes })
    }
}

type Step = Result<(String, Vec<Change>), MemoryError>;

fn start(state: &State, new: &NewSession) -> Step {
    if let Some(playing) = state.playing() {
        return Err(MemoryError::Playing(playing.session.clone()));
    }
    let (session, place) = new.session(state)?;
    let place = place.or_else(|| last_place(state));
    let (id, here, time) = (session.id.clone(), session.present.clone(), session.start.clone());
    let summary = format!("{id} begins: {}", session.title);
    let playing = Setting::Playing(Playing { session: id, here, place, time });
    Ok((summary, vec![Change::SetSession(session), Change::Set(playing)]))
}

fn attend(state: &State, arrive: &[String], leave: &[String]) -> Step {
    let playing = state.playing().ok_or(MemoryError::NotPlaying)?;
    let (arrive, leave) = (all(state, arrive)?, all(state, leave)?);
    let mut here = playing.here.clone();
    for who in &arrive {
        if here.contains(who) {
            return Err(MemoryError::Attendance { who: who.clone(), here: true });
        }
        here.push(who.clone());
    }
    for who in &leave {
        let place = here.iter().position(|id| id == who);
        here.remove(place.ok_or_else(|| MemoryError::Attendance { who: who.clone(), here: false })?);
    }
    here.sort();
    let mut changes = vec![Change::Set(Setting::Playing(Playing { here, ..playing.clone() }))];
    let mut session = session_of(state, &playing.session)?;
    let before = session.present.len();
    session.present.extend(arrive.iter().cloned());
    session.present.sort();
    session.present.dedup();
    if session.present.len() > before {
        changes.push(Change::SetSession(session));
    }
    let said = |who: &[EntityId], does: &str| {
        let names: Vec<&str> = who.iter().map(|id| state.name_or_id(id)).collect();
        (!names.is_empty()).then(|| format!("{} {does}", names.join(", ")))
    };
    let parts: Vec<String> = [said(&arrive, "joins"), said(&leave, "leaves")].into_iter().flatten().collect();
    Ok((format!("{}: {}", playing.session, parts.join("; ")), changes))
}

fn end(state: &State, time: Option<&str>) -> Step {
    let playing = state.playing().ok_or(MemoryError::NotPlaying)?;
    let mut session = session_of(state, &playing.session)?;
    session.end = match time {
        Some(raw) => Some(date_of(state, raw)?),
        None => latest(state, playing.time.clone()),
    };
    let moment = |date: &Option<Date>| date.as_ref().and_then(|date| date.time);
    if let (Some(begin), Some(stop)) = (moment(&session.start), moment(&session.end))
        && stop < begin
    {
        let print = |time| state.calendar().print(time);
        let (start, end) = (print(begin), print(stop));
        return Err(MemoryError::SessionEndsTooEarly { session: session.id, start, end });
    }
    let summary = format!("{} ends", session.id);
    Ok((summary, vec![Change::SetSession(session), Change::Unset(SettingKey::Playing)]))
}

/// Returns a session to change, without entities that were removed since then.
fn session_of(state: &State, id: &SessionId) -> Result<Session, MemoryError> {
    let mut session = Session::clone(&*find_session(state, id.as_str())?);
    session.present.retain(|id| state.entity(id).is_some());
    Ok(session)
}

fn all(state: &State, names: &[String]) -> Result<Vec<EntityId>, MemoryError> {
    names.iter().map(|name| resolve(state, name)).collect()
}

/// Returns the later of the log's time and the game clock.
pub(crate) fn latest(state: &State, logged: Option<Date>) -> Option<Date> {
    let time = logged.as_ref().and_then(|date| date.time);
    if state.clock().is_some_and(|clock| time.is_none_or(|time| time < clock)) { Some(now(state)) } else { logged }
}

/// Returns the number of the next line of a session, or of lines outside any session.
pub(crate) fn next_line(state: &State, session: Option<&SessionId>) -> u32 {
    let last = state.passages_in_session(session).next_back();
    last.map_or(0, |(_, passage)| passage.line).saturating_add(1)
}
