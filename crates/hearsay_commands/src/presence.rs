//! The characters who are present at a scene of a session.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_belief::{characters_at, dead_entity, is_dead};
use hearsay_model::{ActiveSession, EntityId, Fact, FactId, FactStatus, Factuality, GameTime, Kind, State};
use hearsay_query::session::{attending_in_scene, later_time};

use crate::CommandError;

/// Returns the living characters at a scene of the session being played, sorted and unique: the attending characters in
/// the current scene, and the non-player characters at the place of the scene (see [`characters_at`]). Player characters
/// that do not attend the session are not included, and neither are the characters who left the scene at this place
/// ([`ActiveSession::absent`]) and the characters with an [undecided death](undecided_deaths).
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
    let mut present = living_in_scene(state, attending, absent, place, moment);
    let undecided = undecided(state);
    present.retain(|id| !undecided.contains_key(id));
    present
}

/// Returns the same characters as [`scene_hearers`], and the characters with an [undecided death](undecided_deaths).
pub(crate) fn living_in_scene(
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

/// Returns the game time of the current scene of the session being played: the later of the game clock and the time that
/// the log has reached.
pub(crate) fn scene_moment(state: &State, playing: &ActiveSession) -> Option<GameTime> {
    later_time(state, playing.time.clone()).and_then(|date| date.time)
}

/// Returns whether a character speaks under a secret name in the session being played. The others in the scene then do not
/// learn where the character is, because they would learn who it is.
pub(crate) fn is_masked(state: &State, id: &EntityId) -> bool {
    let Some(playing) = state.active_session() else { return false };
    let mut lines = state.passages_in_session(Some(&playing.session)).map(|(_, passage)| passage);
    lines.any(|passage| passage.speaker_alias.is_some() && passage.speaker.as_ref() == Some(id))
}

/// Returns the characters who died in a narrated line of the session being played, each with the fact that states the death
/// and waits for review. Until the DM decides on the fact, the character hears no further lines.
pub(crate) fn undecided(state: &State) -> BTreeMap<EntityId, FactId> {
    let Some(playing) = state.active_session() else { return BTreeMap::new() };
    let lines = state.passages_in_session(Some(&playing.session));
    let narrated = lines.filter(|(_, line)| line.speaker.is_none() && !line.is_out_of_character());
    let facts = narrated.flat_map(|(id, _)| state.facts_citing(id));
    let waits = |fact: &&Arc<Fact>| fact.status() == FactStatus::Proposed && fact.factuality() == Factuality::Asserted;
    facts.filter(waits).filter_map(|fact| Some((dead_entity(state, fact)?.clone(), fact.id()))).collect()
}

/// Returns the characters in the current scene of the session being played who hear no lines because of an undecided
/// death, each with the fact that waits for review.
pub fn undecided_deaths(state: &State) -> Vec<(EntityId, FactId)> {
    let Some(playing) = state.active_session() else { return Vec::new() };
    let moment = scene_moment(state, playing);
    let attending = attending_in_scene(state, playing);
    let present = living_in_scene(state, &attending, &playing.absent, playing.place.as_ref(), moment);
    undecided(state).into_iter().filter(|(id, _)| present.contains(id)).collect()
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
