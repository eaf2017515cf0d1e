//! The attending characters at one line of a log: who is in the scene, and who is at another place.

use std::{collections::BTreeMap, mem};

use hearsay_belief::place_at;
use hearsay_model::{ActiveSession, Author, Change, EntityId, GameTime, Session, State, words};
use hearsay_query::session::attending_in_scene;

/// The attending characters of a session.
#[derive(Default)]
pub(super) struct Party {
    /// Characters in the scene. Sorted.
    pub(super) present: Vec<EntityId>,
    /// Characters at other places. Sorted.
    away: Vec<EntityId>,
    /// Characters who attended the session before, and left it.
    pub(super) gone: Vec<EntityId>,
    /// Player characters that joined the scene, in order.
    pub(super) joined: Vec<EntityId>,
    /// Characters who went to a place outside the scene, or who stayed behind at a place, each with this place.
    outside: BTreeMap<EntityId, EntityId>,
    /// Characters who stayed at their place when the scene changed.
    left_behind: Vec<EntityId>,
    /// Non-player characters that came to a place by speaking there, or as the given hearers of a line there, each with
    /// the place.
    pub(super) guests: Vec<(EntityId, EntityId)>,
    /// Characters that came into the scene by speaking, in order.
    pub(super) joined_by_speech: Vec<EntityId>,
    /// Characters that spoke at the place of attending characters outside the scene, in order, each with this place.
    pub(super) spoke_elsewhere: Vec<(EntityId, EntityId)>,
    /// Speakers that stay outside the scene, in order. They hear only their own lines.
    pub(super) outside_speakers: Vec<EntityId>,
    /// Speakers under a secret name.
    pub(super) masked: Vec<EntityId>,
    /// Characters who left the scene: see [`ActiveSession::absent`].
    pub(super) absent: BTreeMap<EntityId, EntityId>,
}

impl Party {
    /// Returns the party before the first line. If the session is not being played, or if a game writes the log, all
    /// attending characters are in the scene.
    pub(super) fn new(state: &State, session: &Session, playing: Option<&ActiveSession>, author: &Author) -> Self {
        let attending = playing.map_or(&session.present, |playing| &playing.here);
        let present = match playing.filter(|_| *author != Author::Game) {
            Some(playing) => attending_in_scene(state, playing),
            None => attending.clone(),
        };
        let away = attending.iter().filter(|id| !present.contains(id)).cloned().collect();
        let absent = playing.map(|playing| playing.absent.clone()).unwrap_or_default();
        let has_left = |id: &&EntityId| playing.is_some() && *author != Author::Game && !attending.contains(id);
        let gone = session.present.iter().filter(has_left).cloned().collect();
        Self { present, away, gone, absent, ..Self::default() }
    }

    /// Returns all attending characters, sorted.
    pub(super) fn attending(&self) -> Vec<EntityId> {
        let mut attending: Vec<EntityId> = self.present.iter().chain(&self.away).cloned().collect();
        attending.sort();
        attending
    }

    /// Returns whether a character attends the session at another place than the scene.
    pub(super) fn is_away(&self, id: &EntityId) -> bool {
        self.away.contains(id)
    }

    /// Returns the place of an attending character that is at another place than the scene.
    pub(super) fn place_outside(&self, state: &State, id: &EntityId, moment: Option<GameTime>) -> Option<EntityId> {
        self.outside.get(id).cloned().or_else(|| place_at(state, id, moment))
    }

    /// Returns the attending characters that are at the given place outside the scene.
    pub(super) fn away_at(&self, state: &State, place: &EntityId, moment: Option<GameTime>) -> Vec<EntityId> {
        let is_there = |id: &&EntityId| self.place_outside(state, id, moment).as_ref() == Some(place);
        self.away.iter().filter(is_there).cloned().collect()
    }

    /// Adds a non-player character to the characters at a place.
    pub(super) fn add_guest(&mut self, id: &EntityId, place: &EntityId) {
        self.guests.retain(|(guest, _)| guest != id);
        self.guests.push((id.clone(), place.clone()));
    }

    /// Returns the non-player characters that came to a place.
    pub(super) fn guests_at<'a>(&'a self, place: &'a EntityId) -> impl Iterator<Item = EntityId> + 'a {
        self.guests.iter().filter(move |(_, at)| at == place).map(|(guest, _)| guest.clone())
    }

    /// Adds a player character to the scene, unless it is already there.
    pub(super) fn join(&mut self, id: &EntityId) {
        if self.present.contains(id) {
            return;
        }
        self.away.retain(|other| other != id);
        self.gone.retain(|other| other != id);
        self.left_behind.retain(|other| other != id);
        self.outside.remove(id);
        self.present.push(id.clone());
        self.present.sort();
        self.joined.push(id.clone());
    }

    /// Returns the change that adds the characters that joined to the session. Returns `None` if all of these
    /// characters already attended the session.
    pub(super) fn joined_session(&self, session: &Session) -> Option<Change> {
        let mut joined = session.clone();
        joined.present.extend(self.joined.iter().cloned());
        joined.present.sort();
        joined.present.dedup();
        (joined.present.len() > session.present.len()).then_some(Change::SetSession(joined))
    }

    /// Lets the named characters who left the session attend it again.
    pub(super) fn bring_back(&mut self, is_named: impl Fn(&EntityId) -> bool) {
        let (returning, gone): (Vec<_>, Vec<_>) = mem::take(&mut self.gone).into_iter().partition(is_named);
        self.gone = gone;
        self.absent.retain(|id, _| !returning.contains(id));
        self.present.extend(returning);
        self.present.sort();
    }

    /// Sends the named characters to a place, while the scene stays where it is. If all characters in the scene are
    /// named, changes nothing and returns `false`.
    pub(super) fn step_aside(&mut self, place: &EntityId, is_named: impl Fn(&EntityId) -> bool) -> bool {
        if self.present.iter().all(&is_named) {
            return false;
        }
        let (leaving, staying): (Vec<_>, Vec<_>) = mem::take(&mut self.present).into_iter().partition(&is_named);
        self.present = staying;
        self.away.extend(leaving);
        self.away.sort();
        let named = self.away.iter().filter(|id| is_named(id));
        self.outside.extend(named.map(|id| (id.clone(), place.clone())));
        true
    }

    /// Moves the scene from its previous place to another place. If attending characters are already there, the scene
    /// changes to them, and the characters of the previous scene stay behind, unless `comes_along` is `true`.
    pub(super) fn change_scene(
        &mut self,
        state: &State,
        (previous, place): (Option<&EntityId>, &EntityId),
        moment: Option<GameTime>,
        comes_along: bool,
    ) {
        let mut there = self.away_at(state, place, moment);
        let mut away = mem::take(&mut self.away);
        away.retain(|id| !there.contains(id));
        if comes_along || there.is_empty() {
            there.append(&mut self.present);
        }
        self.left_behind = mem::replace(&mut self.present, there);
        self.present.sort();
        self.outside.retain(|id, _| !self.present.contains(id));
        if let Some(previous) = previous {
            self.outside.extend(self.left_behind.iter().map(|id| (id.clone(), previous.clone())));
        }
        away.extend(self.left_behind.iter().cloned());
        away.sort();
        self.away = away;
    }

    /// Returns the places outside the scene, with the characters who went there or stayed behind there.
    pub(super) fn places_outside(&self) -> BTreeMap<&EntityId, Vec<EntityId>> {
        let mut places: BTreeMap<&EntityId, Vec<EntityId>> = BTreeMap::new();
        for (id, place) in &self.outside {
            places.entry(place).or_default().push(id.clone());
        }
        places
    }

    /// Returns the text for the summary of the operation: `; Wren and Odo stay behind`. Empty if nobody stays behind.
    pub(super) fn left_behind_summary(&self, state: &State) -> String {
        let names: Vec<&str> = self.left_behind.iter().map(|id| state.name_or_id(id)).collect();
        match names.len() {
            0 => String::new(),
            1 => format!("; {} stays behind", names[0]),
            _ => format!("; {} stay behind", words::join_names(&names)),
        }
    }
}
