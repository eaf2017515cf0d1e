//! Steps of a session: its start, changes of attendance, and its end.

use hearsay_model::{
    Author, Change, Date, EntityId, Operation, Playing, Session, SessionId, SessionSetting, Setting, SettingKey, State,
    Timestamp,
};
use hearsay_query::{
    dates::date_of,
    resolve::find_session,
    session::{last_place, latest},
};
use serde::{Deserialize, Serialize};

use super::new::{NewSession, all};
use crate::CommandError;

/// A step of a session: its start, a change of attendance, or its end.
///
/// Entities are named by id or name. Dates are written on the campaign's calendar.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStep {
    /// Starts a session, which is then being played.
    Start(NewSession),
    /// Records characters who arrive or leave. Characters who arrive hear the following lines; characters who leave do
    /// not.
    Attend {
        /// Characters that arrive.
        arrive: Vec<String>,
        /// Characters that leave.
        leave: Vec<String>,
    },
    /// Ends the session being played.
    End {
        /// Game time at which the session ends. Default: the time of the log or the game clock, whichever is later.
        time: Option<String>,
    },
}

impl SessionStep {
    /// Returns the operation that records the step.
    ///
    /// # Errors
    /// Returns an error if a session starts while another session is being played, if attendance changes or a session
    /// ends while no session is being played, if a name or date is invalid, if an arriving character is already
    /// present, or if a leaving character is absent.
    pub fn operation(&self, state: &State, author: Author, recorded: Timestamp) -> Result<Operation, CommandError> {
        let (summary, changes) = match self {
            Self::Start(new) => start(state, new)?,
            Self::Attend { arrive, leave } => attend(state, arrive, leave)?,
            Self::End { time } => end(state, time.as_deref())?,
        };
        Ok(Operation { author, recorded, summary, changes })
    }
}

type Step = Result<(String, Vec<Change>), CommandError>;

fn start(state: &State, new: &NewSession) -> Step {
    if let Some(playing) = state.playing() {
        return Err(CommandError::Playing(playing.session.clone()));
    }
    let (session, place) = new.session(state)?;
    let place = place.or_else(|| last_place(state));
    let (id, here, time) = (session.id.clone(), session.present.clone(), session.start.clone());
    let summary = format!("{id} begins: {}", session.title);
    let playing = Setting::Session(SessionSetting::Playing(Playing { session: id, here, place, time }));
    Ok((summary, vec![Change::SetSession(session), Change::Set(playing)]))
}

fn attend(state: &State, arrive: &[String], leave: &[String]) -> Step {
    let playing = state.playing().ok_or(CommandError::NotPlaying)?;
    let (arrive, leave) = (all(state, arrive)?, all(state, leave)?);
    let mut here = playing.here.clone();
    for who in &arrive {
        if here.contains(who) {
            return Err(CommandError::Attendance { who: who.clone(), here: true });
        }
        here.push(who.clone());
    }
    for who in &leave {
        let place = here.iter().position(|id| id == who);
        here.remove(place.ok_or_else(|| CommandError::Attendance { who: who.clone(), here: false })?);
    }
    here.sort();
    let mut changes = vec![Change::Set(Setting::Session(SessionSetting::Playing(Playing { here, ..playing.clone() })))];
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
    let playing = state.playing().ok_or(CommandError::NotPlaying)?;
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
        return Err(CommandError::SessionEndsTooEarly { session: session.id, start, end });
    }
    let summary = format!("{} ends", session.id);
    Ok((summary, vec![Change::SetSession(session), Change::Unset(SettingKey::Playing)]))
}

/// Returns a copy of a session, without characters that were removed from the campaign.
fn session_of(state: &State, id: &SessionId) -> Result<Session, CommandError> {
    let mut session = Session::clone(&*find_session(state, id.as_str())?);
    session.present.retain(|id| state.entity(id).is_some());
    Ok(session)
}
