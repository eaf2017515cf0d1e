//! The characters who are present at a scene of a session, and the entities that can speak.

use hearsay_belief::{left_home, place_at};
use hearsay_model::{EntityId, Knower, Passage, State};
pub(crate) use hearsay_query::session::{is_masked, living_in_scene, scene_hearers, scene_moment, undecided};
pub use hearsay_query::session::{scene_characters, undecided_deaths};

use crate::CommandError;

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

/// Returns the hearers of a line of the session being played who are outside its scene, each with its place. The place is
/// `None` if the hearer left the scene for an unknown place. Hearers whose place was never recorded are omitted, because they
/// can be anywhere. For narration, returns nobody unless only some of the characters in the scene hear the line.
pub fn hearers_elsewhere(state: &State, line: &Passage) -> Vec<(EntityId, Option<EntityId>)> {
    let playing = state.active_session().filter(|playing| line.session.as_ref() == Some(&playing.session));
    let Some(playing) = playing else { return Vec::new() };
    let (place, moment) = (line.place.as_ref(), line.said_at());
    let present = scene_characters(state, playing, place, moment);
    let hearers: Vec<&EntityId> = line.heard_by.iter().filter_map(Knower::entity).collect();
    let heard_in_scene = present.iter().filter(|id| hearers.contains(id)).count();
    let is_heard_by_some = heard_in_scene > 0 && heard_in_scene < present.len();
    if line.speaker.is_none() && !is_heard_by_some {
        return Vec::new();
    }
    let attended = state.session(&playing.session).map_or(&[][..], |session| &session.present[..]);
    let has_left = |id: &EntityId| {
        let left_session = attended.contains(id) && !playing.here.contains(id);
        left_session || playing.absent.contains_key(id) || left_home(state, id, moment).is_some()
    };
    let outside = |id: &EntityId| match place_at(state, id, moment) {
        Some(at) if place.is_some_and(|place| *place != at) => Some((id.clone(), Some(at))),
        _ if place == playing.place.as_ref() && has_left(id) => Some((id.clone(), None)),
        _ => None,
    };
    let others = hearers.into_iter().filter(|id| line.speaker.as_ref() != Some(*id) && !present.contains(id));
    others.filter_map(outside).collect()
}
