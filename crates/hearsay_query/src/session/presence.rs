//! The characters who are present at a scene of a session.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_belief::{View, characters_at, dead_entity, is_dead, left_home};
use hearsay_model::{
    ActiveSession, EntityId, Fact, FactId, FactStatus, Factuality, GameTime, Kind, PredicateRole, State,
};

use super::lines::{attending_in_scene, scene_moment};
use crate::dates::calendar_text;

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
pub fn scene_hearers(
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
pub fn living_in_scene(
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

/// A character who left its home for an unknown place, and who is at no scene until its new place is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepartedResident {
    /// The character.
    pub character: EntityId,
    /// The game time at which the character left, as the calendar prints it; `None` if this time is unknown.
    pub since: Option<String>,
}

/// Returns the living non-player characters whose home is a place, and who left it for an unknown place (see
/// [`left_home`]), sorted.
pub fn departed_residents(state: &State, place: &EntityId, moment: Option<GameTime>) -> Vec<DepartedResident> {
    let homes = state.facts_with_object(place, PredicateRole::Residence.name()).at(moment);
    let mut residents: Vec<&EntityId> =
        homes.filter(|home| home.status() == FactStatus::Canon).map(|home| home.subject()).collect();
    residents.sort();
    residents.dedup();
    residents
        .retain(|id| state.is_character(id) && state.kind(id) != Some(Kind::Player) && !is_dead(state, id, moment));
    let departed = |id: &EntityId| {
        let stay = left_home(state, id, moment).filter(|stay| stay.object().entity() == Some(place))?;
        let since = calendar_text(state, stay.validity().until.as_ref()).filter(|text| !text.is_empty());
        Some(DepartedResident { character: id.clone(), since })
    };
    residents.into_iter().filter_map(departed).collect()
}

/// Returns whether a character speaks under a secret name in the session being played. The others in the scene then do not
/// learn where the character is, because they would learn who it is.
pub fn is_masked(state: &State, id: &EntityId) -> bool {
    !secret_names(state, id).is_empty()
}

/// Returns whether a character speaks under a secret name in the session being played, and the holder of a view does not
/// know whose name it is.
pub fn is_masked_for(state: &State, id: &EntityId, view: &View) -> bool {
    secret_names(state, id).into_iter().any(|name| !view.knows_name(id, name))
}

/// Returns the secret names under which a character speaks in the session being played.
fn secret_names<'s>(state: &'s State, id: &EntityId) -> BTreeSet<&'s str> {
    let Some(playing) = state.active_session() else { return BTreeSet::new() };
    let lines = state.passages_in_session(Some(&playing.session)).map(|(_, passage)| passage);
    let said = lines.filter(|passage| passage.speaker.as_ref() == Some(id));
    said.filter_map(|passage| passage.speaker_alias.as_deref()).collect()
}

/// Returns the characters who died in a narrated line of the session being played, each with the fact that states the death
/// and waits for review. Until the DM decides on the fact, the character hears no further lines.
pub fn undecided(state: &State) -> BTreeMap<EntityId, FactId> {
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
