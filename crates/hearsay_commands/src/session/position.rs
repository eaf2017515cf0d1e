//! Place, game time and present characters at one line of a log.

use hearsay_belief::{is_dead, learn::LearnError};
use hearsay_model::{
    ActiveSession, Author, Date, EntityId, Fact, GameTime, Kind, Knower, Passage, PredicateRole, Session, State,
    TalkKind, Timestamp,
};
use hearsay_query::{dates::parse_date, ids::require_entities};

use super::{
    arrival::{Arrival, SessionScene},
    log_line::LogLine,
    party::Party,
};
use crate::{
    CommandError,
    game_event::{mentioned_entities, secret_name},
    presence::{require_speaker, scene_hearers, undecided},
};

/// Place, game time and present characters at one line of the log.
pub(super) struct LogPosition<'a> {
    pub(super) state: &'a State,
    pub(super) session: Session,
    pub(super) party: Party,
    pub(super) place: Option<EntityId>,
    pub(super) time: Option<Date>,
    /// Whether a character that speaks aloud comes into the scene.
    pub(super) speakers_join: bool,
    /// Whether a game writes the log.
    pub(super) is_game: bool,
}

impl LogPosition<'_> {
    /// Returns the passage for a line, without the line number.
    pub(super) fn passage(&mut self, line: &LogLine, talk_kind: Option<TalkKind>) -> Result<Passage, CommandError> {
        let text = line.text.trim();
        if text.is_empty() {
            return Err(CommandError::EmptyLine);
        }
        let alias = line.speaker.as_ref().map(|speaker| secret_name(self.state, speaker)).transpose()?.flatten();
        let speaker = line.speaker.as_ref().map(|speaker| speaker.id.clone());
        self.party.masked.extend(speaker.clone().filter(|_| alias.is_some()));
        if line.lie && speaker.is_none() {
            return Err(LearnError::NoSpeaker.into());
        }
        speaker.iter().try_for_each(|speaker| require_speaker(self.state, speaker))?;
        require_entities(self.state, line.heard_by.iter().chain(&line.with).chain(&line.place))?;
        if let Some(raw) = &line.time {
            self.time = Some(parse_date(self.state, raw)?);
        }
        let moment = self.time.as_ref().and_then(|date| date.time);
        let place = self.reach_place(line, moment);
        // A line of a file can be older than the death.
        let mut named_hearers = line.heard_by.iter().chain(&line.with).filter(|_| line.number.is_none());
        if let Some(dead) = named_hearers.find(|id| is_dead(self.state, id, moment)) {
            return Err(LearnError::Dead(dead.clone()).into());
        }
        let is_said_aloud = line.heard_by.is_empty() && talk_kind != Some(TalkKind::OutOfCharacter);
        if let Some(speaker) = speaker.as_ref().filter(|_| is_said_aloud) {
            self.join(speaker, line);
        }
        let mut hearers = if line.heard_by.is_empty() { self.default_hearers() } else { line.heard_by.clone() };
        hearers.retain(|id| line.heard_by.contains(id) || !line.unheard_by.contains(id));
        hearers.extend(line.with.iter().cloned().chain(speaker.clone()));
        let mut heard_by: Vec<Knower> = hearers.into_iter().map(Knower::Entity).collect();
        heard_by.sort();
        heard_by.dedup();
        let is_left_out = |id: EntityId| !heard_by.contains(&Knower::Entity(id));
        let has_named_hearers = speaker.is_some() && !line.heard_by.is_empty();
        let confidential = has_named_hearers && self.default_hearers().into_iter().any(is_left_out);
        Ok(Passage {
            speaker,
            speaker_alias: alias.map(str::to_owned),
            lie: line.lie,
            confidential,
            session: Some(self.session.id.clone()),
            time: self.time.clone(),
            place,
            heard_by,
            mentions: mentioned_entities(self.state, text),
            ..Passage::new(text)
        })
    }

    /// Returns the place of a line. The scene moves to the place that the line names, unless the line reaches only named
    /// hearers and leaves out a character in the scene. A mark in a transcript moves the whole scene.
    fn reach_place(&mut self, line: &LogLine, moment: Option<GameTime>) -> Option<EntityId> {
        if let Some(place) = line.place.as_ref().filter(|place| self.place.as_ref() != Some(*place)) {
            if self.speakers_join && line.number.is_none() {
                let speaker = line.speaker.as_ref().map(|speaker| &speaker.id);
                let is_named =
                    |id: &EntityId| speaker == Some(id) || line.heard_by.contains(id) || line.with.contains(id);
                let has_named_hearers = !line.heard_by.is_empty();
                if has_named_hearers && self.party.step_aside(place, is_named) {
                    return Some(place.clone());
                }
                let places = (self.place.as_ref(), place);
                self.party.change_scene(self.state, places, moment, has_named_hearers);
            }
            self.place = Some(place.clone());
        }
        self.place.clone()
    }

    /// Brings a character that speaks aloud into the scene, because the DM seldom records an arrival before the first line.
    /// A player character then attends the session. A non-player character is then at the place of the scene.
    ///
    /// If the line does not name its place, a character that was moved during the session stays where it is. In a game,
    /// the game decides where the non-player characters are. A character under a secret name does not come into the scene
    /// as itself.
    fn join(&mut self, speaker: &EntityId, line: &LogLine) {
        let (state, moment) = (self.state, self.time.as_ref().and_then(|date| date.time));
        let Some(kind) = state.kind(speaker).filter(Kind::is_character) else { return };
        let is_gone = is_dead(state, speaker, moment) || undecided(state).contains_key(speaker);
        if !self.speakers_join || is_gone || self.default_hearers().contains(speaker) {
            return;
        }
        let is_player = kind == Kind::Player;
        let is_masked = line.speaker.as_ref().is_some_and(|speaker| speaker.alias.is_some());
        let can_join = is_player || (!self.is_game && !is_masked && self.place.is_some());
        if !can_join || (line.place.is_none() && self.is_moved_away(speaker)) {
            self.party.outside_speakers.push(speaker.clone());
            return;
        }
        self.party.absent.remove(speaker);
        if is_player {
            self.party.join(speaker);
        } else if !self.default_hearers().contains(speaker)
            && let Some(place) = &self.place
        {
            self.party.add_guest(speaker, place);
        }
        self.party.joined_by_speech.push(speaker.clone());
    }

    /// Returns whether the DM moved a character to another place than the scene during the session.
    fn is_moved_away(&self, id: &EntityId) -> bool {
        let is_move = |fact: &&Fact| {
            fact.object().entity() != self.place.as_ref()
                && fact.provenance().session.as_ref() == Some(&self.session.id)
        };
        let locations = self.state.values(id, PredicateRole::Location.predicate());
        !self.is_game && (self.party.is_away(id) || locations.iter().any(is_move))
    }

    /// Returns the arrival of the attending characters at the place that the log has reached. If this is the place of the
    /// session being played, only the characters that joined arrive. `is_new` is `true` for a new session.
    pub(super) fn arrival(
        &self,
        playing: Option<&ActiveSession>,
        is_new: bool,
        author: &Author,
        now: Timestamp,
    ) -> Result<Arrival, CommandError> {
        let has_moved = playing.map_or(is_new, |playing| playing.place != self.place);
        let party = &self.party;
        let characters = if has_moved { &party.present } else { &party.joined };
        let attending = self.attending_with_guests();
        let scene = SessionScene {
            state: self.state,
            attending: &attending,
            absent: &party.absent,
            masked: &party.masked,
            place: self.place.as_ref(),
            time: self.time.as_ref(),
        };
        let mut arrival = scene.arrival(characters, author, now)?;
        for (place, characters) in party.places_outside() {
            let aside = SessionScene { attending: &characters, place: Some(place), ..scene };
            arrival.extend(aside.stay_outside(&characters, author, now)?);
        }
        for (guest, place) in &party.guests {
            let attending: &[EntityId] = if self.place.as_ref() == Some(place) { &attending } else { &[] };
            let visited = SessionScene { attending, place: Some(place), ..scene };
            arrival.extend(visited.arrival(std::slice::from_ref(guest), author, now)?);
        }
        arrival.summary.push_str(&party.left_behind_summary(self.state));
        Ok(arrival)
    }

    /// Returns the attending characters in the scene, and the non-player characters that came into it by speaking.
    fn attending_with_guests(&self) -> Vec<EntityId> {
        let guests = self.party.guests.iter().filter(|(_, at)| Some(at) == self.place.as_ref());
        self.party.present.iter().chain(guests.map(|(guest, _)| guest)).cloned().collect()
    }

    /// Returns the hearers of a line said aloud.
    fn default_hearers(&self) -> Vec<EntityId> {
        let moment = self.time.as_ref().and_then(|date| date.time);
        let attending = self.attending_with_guests();
        scene_hearers(self.state, &attending, &self.party.absent, self.place.as_ref(), moment)
    }
}
