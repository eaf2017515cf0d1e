//! Creation of sessions.

use hearsay_belief::{is_dead, player_characters};
use hearsay_model::{Date, EntityId, Session, SessionId, State};
use hearsay_query::{
    dates::{clock_date, parse_date},
    ids::require_entities,
};
use serde::{Deserialize, Serialize};

use crate::CommandError;

/// A session to create.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewSession {
    /// Id of the session. `None` means `session-` followed by the number.
    pub id: Option<SessionId>,
    /// Number of the session. `None` means the next free number.
    pub number: Option<u32>,
    /// Title of the session. `None` means `Session` followed by the number.
    pub title: Option<String>,
    /// Real-world date of play, as free text; `None` if the date is unknown.
    pub date: Option<String>,
    /// Game time at which the session starts. `None` means the game clock.
    pub time: Option<String>,
    /// Place of the first scene. In [`SessionStep::Start`](super::SessionStep::Start), `None` means the place where the
    /// party is after the latest session. Before the first session, it means the place at which all attending characters
    /// are, if there is one.
    pub place: Option<EntityId>,
    /// Characters that are present when the session starts. An empty list means all living player characters.
    pub present: Vec<EntityId>,
}

impl NewSession {
    /// Returns the session, and the place of its first scene.
    ///
    /// # Errors
    /// Returns an error if the place or a character does not exist, if the date is invalid, or if another session
    /// already has the id.
    pub fn session(&self, state: &State) -> Result<(Session, Option<EntityId>), CommandError> {
        let last_number = state.sessions().filter_map(|session| session.number).max();
        let count = u32::try_from(state.sessions().count()).unwrap_or(u32::MAX);
        let mut number = self.number.unwrap_or_else(|| last_number.unwrap_or(count).saturating_add(1));
        let id = match &self.id {
            Some(id) => id.clone(),
            None => loop {
                let id = SessionId::new(format!("session-{number}"))?;
                if state.session(&id).is_none() || self.number.is_some() {
                    break id;
                }
                number = number.saturating_add(1);
            },
        };
        if state.session(&id).is_some() {
            return Err(CommandError::SessionExists(id));
        }
        let title = self.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
        let start = match &self.time {
            Some(raw) => Some(parse_date(state, raw)?),
            None => state.clock().map(|_| clock_date(state)),
        };
        require_entities(state, self.place.iter().chain(&self.present))?;
        let session = Session {
            id,
            number: Some(number),
            title: title.map_or_else(|| format!("Session {number}"), str::to_owned),
            date: self.date.clone(),
            present: self.present(state, start.as_ref()),
            start,
            end: None,
        };
        Ok((session, self.place.clone()))
    }

    fn present(&self, state: &State, start: Option<&Date>) -> Vec<EntityId> {
        if self.present.is_empty() {
            let start_time = start.and_then(|date| date.time);
            let players = player_characters(state).into_iter();
            return players.filter(|id| !is_dead(state, id, start_time)).collect();
        }
        let mut present = self.present.clone();
        present.sort();
        present.dedup();
        present
    }
}
