//! Arrival of the attending characters at the place of a scene.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_belief::{StateViews, is_dead, location_at, moves_after, place_at};
use hearsay_model::{
    Author, Change, Date, EntityId, Fact, GameTime, Kind, Method, Object, PredicateRole, Provenance, State, Timestamp,
    Validity, words,
};
use hearsay_query::resolve::public_name;

use crate::{
    CommandError,
    edit::succession,
    moves::{departure, learn_fact, recognizes, withdrawn_ends},
    presence::scene_hearers,
};

/// A scene of a session, with the characters who attend it.
#[derive(Clone, Copy)]
pub(super) struct SessionScene<'a> {
    pub(super) state: &'a State,
    /// Characters who attend the scene.
    pub(super) attending: &'a [EntityId],
    /// Characters who left the scene: see [`ActiveSession::absent`](hearsay_model::ActiveSession::absent).
    pub(super) absent: &'a BTreeMap<EntityId, EntityId>,
    /// Characters who speak under a secret name in lines that are not recorded yet.
    pub(super) masked: &'a [EntityId],
    /// Place of the scene; `None` if the place is unknown.
    pub(super) place: Option<&'a EntityId>,
    /// Game time of the scene; `None` if the time is unknown.
    pub(super) time: Option<&'a Date>,
}

/// Characters who come to the place of a scene, and the changes that record their new location.
#[derive(Default)]
pub(super) struct Arrival {
    pub(super) changes: Vec<Change>,
    /// Text for the summary of the operation: `; Wren and Odo are now at The Mill`. Empty if nobody arrives.
    pub(super) summary: String,
}

impl Arrival {
    /// Adds the characters who come to another place.
    pub(super) fn extend(&mut self, other: Self) {
        self.changes.extend(other.changes);
        self.summary.push_str(&other.summary);
    }
}

impl SessionScene<'_> {
    /// Records that characters are at the place of the scene from now on. Each character knows its own location, and the
    /// characters in the scene know it too (see [`witnesses`](Self::witnesses)). The characters in the scene that is left
    /// learn that the characters are no longer there. The locations belong to no session, so that recaps do not list them.
    ///
    /// Omits the dead, and the characters who are already at the place or who have a location with a later start. In a
    /// game, the game decides where the characters are, so nobody arrives.
    pub(super) fn arrival(
        &self,
        characters: &[EntityId],
        author: &Author,
        now: Timestamp,
    ) -> Result<Arrival, CommandError> {
        self.record(characters, |id, place, moment| self.is_at(id, place, moment), author, now)
    }

    /// Records the same as [`arrival`](Self::arrival) for characters outside the scene of the following lines. Also records
    /// the location of a character who is at home, because only a recorded location keeps an attending character out of
    /// the scene at another place.
    pub(super) fn stay_outside(
        &self,
        characters: &[EntityId],
        author: &Author,
        now: Timestamp,
    ) -> Result<Arrival, CommandError> {
        let is_recorded = |id: &EntityId, place: &EntityId, moment| location_at(self.state, id, moment) == Some(place);
        self.record(characters, is_recorded, author, now)
    }

    fn is_at(&self, id: &EntityId, place: &EntityId, moment: Option<GameTime>) -> bool {
        place_at(self.state, id, moment).as_ref() == Some(place)
    }

    fn record(
        &self,
        characters: &[EntityId],
        is_recorded: impl Fn(&EntityId, &EntityId, Option<GameTime>) -> bool,
        author: &Author,
        now: Timestamp,
    ) -> Result<Arrival, CommandError> {
        let Some(place) = self.place.filter(|_| *author != Author::Game) else { return Ok(Arrival::default()) };
        let moment = self.time.and_then(|date| date.time);
        let (mut names, mut changes, views) = (Vec::new(), Vec::new(), StateViews::new(self.state));
        for id in characters {
            let is_character = self.state.kind(id).is_some_and(|kind| kind.is_character());
            let is_bound = || is_dead(self.state, id, moment) || moves_after(self.state, id, moment);
            if !is_character || is_recorded(id, place, moment) || is_bound() {
                continue;
            }
            if !self.is_at(id, place, moment) {
                names.push(self.state.name_or_id(id));
            }
            changes.extend(self.move_to(&views, (id, place), characters, now)?);
        }
        let verb = if names.len() == 1 { "is" } else { "are" };
        let summary = match names.is_empty() {
            true => String::new(),
            false => format!("; {} {verb} now at {}", words::join_names(&names), self.state.name_or_id(place)),
        };
        Ok(Arrival { changes, summary })
    }

    /// Returns the changes that record the new location of a character, as a statement of the DM. `movers` contains all
    /// characters who move together.
    fn move_to(
        &self,
        views: &StateViews<'_>,
        (id, place): (&EntityId, &EntityId),
        movers: &[EntityId],
        now: Timestamp,
    ) -> Result<Vec<Change>, CommandError> {
        let Self { state, time, .. } = *self;
        let location = PredicateRole::Location.predicate();
        let mut validity = Validity { from: time.filter(|date| date.time.is_some()).cloned(), until: None };
        let open_values = state.values(id, location);
        let ended = succession(state, &open_values, location, &Object::Entity(place.clone()), &mut validity);
        let provenance = Provenance { recorded: now, ..Provenance::new(Method::Authored, Author::Dm) };
        let statement = state.vocabulary().sentence(location, public_name(state, id), public_name(state, place));
        let fact = Fact::relation(id, location.clone(), place, provenance)?.statement(statement).validity(validity);
        let fact = Arc::new(fact.build()?);
        let knowers = self.witnesses(views, id, place);
        let mut changes = departure(views, &ended, movers, now)?;
        changes.extend(withdrawn_ends(state, &fact, &knowers));
        changes.extend(ended);
        changes.push(Change::AssertFact(Arc::clone(&fact)));
        changes.extend(learn_fact(&fact, knowers, time));
        Ok(changes)
    }

    /// Returns the characters who know that a character comes to the place of the scene: the character itself, and the
    /// characters in the scene to whom it is no stranger (see [`recognizes`]). The character is also a stranger if it
    /// speaks under a secret name in a line that is not recorded yet, except to the player characters if it is one.
    fn witnesses(&self, views: &StateViews<'_>, id: &EntityId, place: &EntityId) -> Vec<EntityId> {
        let Self { state, attending, absent, .. } = *self;
        let moment = self.time.and_then(|date| date.time);
        let mut witnesses = scene_hearers(state, attending, absent, Some(place), moment);
        if self.masked.contains(id) {
            let is_player = |id: &EntityId| state.kind(id) == Some(Kind::Player);
            witnesses.retain(|other| is_player(id) && is_player(other));
        }
        witnesses.retain(|other| recognizes(views, other, id, moment));
        witnesses.push(id.clone());
        witnesses.sort();
        witnesses.dedup();
        witnesses
    }
}
