//! Arrival of the attending characters at the place of a scene.

use std::sync::Arc;

use hearsay_belief::{is_dead, moves_after, place_at};
use hearsay_model::{
    Author, Change, Date, EntityId, Fact, Kind, KnowledgeEdge, Method, Object, PredicateRole, Provenance, State,
    Timestamp, Validity, words,
};
use hearsay_query::resolve::public_name;

use crate::{CommandError, edit::succession};

/// A scene of a session, with the characters who attend it.
#[derive(Clone, Copy)]
pub(super) struct SessionScene<'a> {
    pub(super) state: &'a State,
    /// Characters who attend the scene.
    pub(super) attending: &'a [EntityId],
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
    /// attending player characters know the locations of each other. The locations belong to no session, so that
    /// recaps do not list them.
    ///
    /// Omits the dead, and the characters who are already at the place or who have a location with a later start. In a
    /// game, the game decides where the characters are, so nobody arrives.
    pub(super) fn arrival(
        &self,
        characters: &[EntityId],
        author: &Author,
        now: Timestamp,
    ) -> Result<Arrival, CommandError> {
        let Some(place) = self.place.filter(|_| *author != Author::Game) else { return Ok(Arrival::default()) };
        let moment = self.time.and_then(|date| date.time);
        let (mut names, mut changes) = (Vec::new(), Vec::new());
        for id in characters {
            let is_character = self.state.kind(id).is_some_and(|kind| kind.is_character());
            let is_there = || place_at(self.state, id, moment).as_ref() == Some(place);
            if !is_character || is_dead(self.state, id, moment) || is_there() || moves_after(self.state, id, moment) {
                continue;
            }
            names.push(self.state.name_or_id(id));
            changes.extend(self.move_to(id, place, now)?);
        }
        let verb = if names.len() == 1 { "is" } else { "are" };
        let summary = match names.is_empty() {
            true => String::new(),
            false => format!("; {} {verb} now at {}", words::join_names(&names), self.state.name_or_id(place)),
        };
        Ok(Arrival { changes, summary })
    }

    /// Returns the changes that record the new location of a character, as a statement of the DM.
    fn move_to(&self, id: &EntityId, place: &EntityId, now: Timestamp) -> Result<Vec<Change>, CommandError> {
        let Self { state, attending, time, .. } = *self;
        let location = PredicateRole::Location.predicate();
        let mut validity = Validity { from: time.filter(|date| date.time.is_some()).cloned(), until: None };
        let open_values = state.values(id, location);
        let mut changes = succession(state, &open_values, location, &Object::Entity(place.clone()), &mut validity);
        let provenance = Provenance { recorded: now, ..Provenance::new(Method::Authored, Author::Dm) };
        let statement = state.vocabulary().sentence(location, public_name(state, id), public_name(state, place));
        let fact = Fact::relation(id, location.clone(), place, provenance)?.statement(statement).validity(validity);
        let fact = Arc::new(fact.build()?);
        let is_player = |id: &EntityId| state.kind(id) == Some(Kind::Player);
        let companions = attending.iter().filter(|other| *other != id && is_player(id) && is_player(other));
        let edge = |knower: &EntityId| {
            let edge = KnowledgeEdge::authored(knower.clone().into(), fact.id());
            Change::Learn(Arc::new(KnowledgeEdge { learned: time.cloned(), ..edge }))
        };
        let learned: Vec<Change> = std::iter::once(id).chain(companions).map(edge).collect();
        changes.push(Change::AssertFact(Arc::clone(&fact)));
        changes.extend(learned);
        Ok(changes)
    }
}
