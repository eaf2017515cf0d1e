//! The characters who are present at a scene of a session.

use hearsay_belief::{characters_at, is_dead};
use hearsay_model::{EntityId, GameTime, Kind, State};

/// Returns the living characters present at a scene, sorted and unique: the attending characters, and the non-player
/// characters at the place of the scene. A player character that does not attend is not present, even if it is at the
/// place.
pub fn scene_characters(
    state: &State,
    attending: &[EntityId],
    place: Option<&EntityId>,
    moment: Option<GameTime>,
) -> Vec<EntityId> {
    let mut present = place.map(|place| characters_at(state, place, moment)).unwrap_or_default();
    present.retain(|id| state.kind(id) != Some(Kind::Player));
    let attending = attending.iter().filter(|id| state.entity(id).is_some() && !is_dead(state, id, moment));
    present.extend(attending.cloned());
    present.sort();
    present.dedup();
    present
}
