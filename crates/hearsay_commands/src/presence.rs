//! The characters who are present at a scene of a session.

use std::collections::BTreeMap;

use hearsay_belief::{characters_at, is_dead};
use hearsay_model::{ActiveSession, EntityId, GameTime, Kind, State};
use hearsay_query::session::attending_in_scene;

use crate::CommandError;

/// Returns the living characters at a scene of the session being played, sorted and unique: the attending characters in
/// the current scene, and the non-player characters at the place of the scene (see [`characters_at`]). Player characters
/// that do not attend the session are not included, and neither are the characters who left the scene at this place
/// ([`ActiveSession::absent`]).
pub fn scene_characters(
    state: &State,
    playing: &ActiveSession,
    place: Option<&EntityId>,
    moment: Option<GameTime>,
) -> Vec<EntityId> {
    scene_hearers(state, &attending_in_scene(state, playing), &playing.absent, place, moment)
}

/// Returns the same characters as [`scene_characters`], for the given attending and absent characters.
pub(crate) fn scene_hearers(
    state: &State,
    attending: &[EntityId],
    absent: &BTreeMap<EntityId, EntityId>,
    place: Option<&EntityId>,
    moment: Option<GameTime>,
) -> Vec<EntityId> {
    let mut present = place.map(|place| characters_at(state, place, moment)).unwrap_or_default();
    present.retain(|id| state.kind(id) != Some(Kind::Player) && absent.get(id) != place);
    let attending = attending.iter().filter(|id| state.entity(id).is_some() && !is_dead(state, id, moment));
    present.extend(attending.cloned());
    present.sort();
    present.dedup();
    present
}

/// Checks that an entity can speak, because it is a character or a group. An entity of unknown kind or of a custom kind
/// passes the check, because it could be a group.
///
/// # Errors
/// Returns an error if the entity is a place, a thing or another entity that cannot speak.
pub(crate) fn require_speaker(state: &State, id: &EntityId) -> Result<(), CommandError> {
    match state.kind(id) {
        Some(kind) if !kind.can_speak() => {
            Err(CommandError::CannotSpeak { name: state.name_or_id(id).to_owned(), kind })
        }
        _ => Ok(()),
    }
}
