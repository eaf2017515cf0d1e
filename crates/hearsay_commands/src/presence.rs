//! The characters who are present at a scene of a session, and the entities that can speak.

use hearsay_model::{EntityId, State};
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
