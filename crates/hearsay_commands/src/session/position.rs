//! Place, game time and present characters at one line of a log.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::{is_dead, learn::LearnError};
use hearsay_model::{
    ActiveSession, Author, Date, EntityId, FactId, GameTime, Kind, Knower, Passage, Session, State, TalkKind, Timestamp,
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
    presence::{living_in_scene, require_speaker},
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
    /// Characters with an undecided death, who hear no lines (see [`undecided`](crate::presence::undecided)).
    pub(super) undecided: BTreeMap<EntityId, FactId>,
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
        let is_said_aloud = line.heard_by.is_empty() && talk_kind != Some(TalkKind::OutOfCharacter);
        let aloud_speaker = speaker.as_ref().filter(|_| is_said_aloud);
        let elsewhere = aloud_speaker.filter(|_| line.place.is_none());
        let elsewhere = elsewhere.and_then(|id| self.place_outside(id, alias.is_some(), moment));
        let aside = line.place.as_ref().filter(|_| line.is_aside && self.speakers_join);
        let elsewhere = elsewhere.or_else(|| aside.cloned());
        let place = elsewhere.clone().or_else(|| self.reach_place(line, moment));
        // A line of a file can be older than the death.
        let mut named_hearers = line.heard_by.iter().chain(&line.with).filter(|_| line.number.is_none());
        if let Some(dead) = named_hearers.find(|id| is_dead(self.state, id, moment)) {
            return Err(LearnError::Dead(dead.clone()).into());
        }
        match (aloud_speaker, &elsewhere) {
            (Some(speaker), Some(place)) => self.party.spoke_elsewhere.push((speaker.clone(), place.clone())),
            (Some(speaker), None) => self.join(speaker, line),
            (None, _) => {}
        }
        let mut hearers = match &elsewhere {
            _ if !line.heard_by.is_empty() => line.heard_by.clone(),
            Some(place) => {
                let there = self.party.away_at(self.state, place, moment);
                self.hearers_at(&there, Some(place))
            }
            None => self.default_hearers(),
        };
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

    /// Returns the place of a line. The scene moves to the place that the line names, unless the line reaches only given
    /// hearers and leaves out a character in the scene. Given hearers who left the session attend it again, and
    /// non-player characters come to the place. A whisper is no reason to leave others behind. A mark in a transcript moves
    /// the whole scene.
    fn reach_place(&mut self, line: &LogLine, moment: Option<GameTime>) -> Option<EntityId> {
        let other_place = line.place.as_ref().filter(|place| self.place.as_ref() != Some(*place) && !line.is_aside);
        if let Some(place) = other_place {
            if self.speakers_join && line.number.is_none() {
                let speaker = line.speaker.as_ref().map(|speaker| &speaker.id);
                let is_named =
                    |id: &EntityId| speaker == Some(id) || line.heard_by.contains(id) || line.with.contains(id);
                let has_given_hearers = !line.heard_by.is_empty() && !line.names_hearers;
                if has_given_hearers {
                    self.party.bring_back(is_named);
                    self.bring_named_npcs(line, place, moment);
                }
                if has_given_hearers && self.party.step_aside(place, is_named) {
                    return Some(place.clone());
                }
                let places = (self.place.as_ref(), place);
                self.party.change_scene(self.state, places, moment, has_given_hearers);
            }
            self.place = Some(place.clone());
        }
        self.place.clone()
    }

    /// Brings the speaker and the given hearers of a line to the place that the line names, as far as they are non-player
    /// characters who do not attend the session. A character under a secret name does not come as itself. In a game, the
    /// game decides where the non-player characters are.
    fn bring_named_npcs(&mut self, line: &LogLine, place: &EntityId, moment: Option<GameTime>) {
        if self.is_game {
            return;
        }
        let speaker = line.speaker.as_ref().filter(|speaker| speaker.alias.is_none()).map(|speaker| &speaker.id);
        let attending = self.party.attending();
        for id in line.heard_by.iter().chain(&line.with).chain(speaker) {
            let is_npc = self.state.kind(id).is_some_and(|kind| kind.is_character() && kind != Kind::Player);
            let is_gone = is_dead(self.state, id, moment) || self.undecided.contains_key(id);
            if is_npc && !is_gone && !attending.contains(id) {
                self.party.absent.remove(id);
                self.party.add_guest(id, place);
            }
        }
    }

    /// Returns the place outside the scene where a speaker and at least one attending character are. A line that it says
    /// aloud there is said at this place, and the scene stays where it is. Returns `None` if the speaker is in the scene or
    /// dead. A player character that does not attend the session yet comes into the scene instead, and the place of a
    /// character under a secret name would tell who it is.
    fn place_outside(&self, speaker: &EntityId, is_masked: bool, moment: Option<GameTime>) -> Option<EntityId> {
        let (state, party) = (self.state, &self.party);
        let is_npc = state.kind(speaker).is_some_and(|kind| kind.is_character() && kind != Kind::Player);
        let may_be_outside = party.is_away(speaker) || (is_npc && !is_masked);
        let is_gone = is_dead(state, speaker, moment) || self.undecided.contains_key(speaker);
        let cannot_be_outside = is_gone || self.default_hearers().contains(speaker);
        if !self.speakers_join || self.is_game || !may_be_outside || cannot_be_outside {
            return None;
        }
        let place = party.place_outside(state, speaker, moment)?;
        let is_outside = self.place.as_ref() != Some(&place) && !party.away_at(state, &place, moment).is_empty();
        is_outside.then_some(place)
    }

    /// Brings a character that speaks aloud into the scene, because the DM seldom records an arrival before the first line.
    /// A player character then attends the session. A non-player character is then at the place of the scene.
    ///
    /// In a game, the game decides where the non-player characters are. A character under a secret name does not come into
    /// the scene as itself. Without a place, a non-player character cannot be in the scene.
    fn join(&mut self, speaker: &EntityId, line: &LogLine) {
        let (state, moment) = (self.state, self.time.as_ref().and_then(|date| date.time));
        let Some(kind) = state.kind(speaker).filter(Kind::is_character) else { return };
        let is_gone = is_dead(state, speaker, moment) || self.undecided.contains_key(speaker);
        if !self.speakers_join || is_gone || self.default_hearers().contains(speaker) {
            return;
        }
        let is_player = kind == Kind::Player;
        let is_masked = line.speaker.as_ref().is_some_and(|speaker| speaker.alias.is_some());
        let can_join = is_player || (!self.is_game && !is_masked && self.place.is_some());
        if !can_join {
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
        let places_outside = party.places_outside();
        for (&place, characters) in &places_outside {
            let there: Vec<EntityId> = characters.iter().cloned().chain(party.guests_at(place)).collect();
            let aside = SessionScene { attending: &there, place: Some(place), ..scene };
            arrival.extend(aside.stay_outside(characters, author, now)?);
        }
        let visited_places: BTreeSet<&EntityId> = party.guests.iter().map(|(_, place)| place).collect();
        for place in visited_places {
            let guests: Vec<EntityId> = party.guests_at(place).collect();
            let outside = places_outside.get(place).into_iter().flatten();
            let there: Vec<EntityId> = match self.place.as_ref() == Some(place) {
                true => attending.clone(),
                false => outside.chain(&guests).cloned().collect(),
            };
            let visited = SessionScene { attending: &there, place: Some(place), ..scene };
            arrival.extend(visited.arrival(&guests, author, now)?);
        }
        arrival.summary.push_str(&party.left_behind_summary(self.state));
        Ok(arrival)
    }

    /// Returns the attending characters in the scene, and the non-player characters that came into it by speaking.
    fn attending_with_guests(&self) -> Vec<EntityId> {
        let guests = self.place.iter().flat_map(|place| self.party.guests_at(place));
        self.party.present.iter().cloned().chain(guests).collect()
    }

    /// Returns the hearers of a line said aloud.
    fn default_hearers(&self) -> Vec<EntityId> {
        self.hearers_at(&self.attending_with_guests(), self.place.as_ref())
    }

    /// Returns the hearers of a line said aloud at a place, as [`scene_hearers`](crate::presence::scene_hearers) does.
    fn hearers_at(&self, attending: &[EntityId], place: Option<&EntityId>) -> Vec<EntityId> {
        let moment = self.time.as_ref().and_then(|date| date.time);
        let mut hearers = living_in_scene(self.state, attending, &self.party.absent, place, moment);
        let is_elsewhere = |id: &EntityId| self.party.guests.iter().any(|(guest, at)| guest == id && Some(at) != place);
        hearers.retain(|id| !self.undecided.contains_key(id) && !is_elsewhere(id));
        hearers
    }
}
