//! Saving of the identities of the speakers of a transcript in the campaign.

use std::collections::BTreeMap;

use hearsay_model::{
    Author, Change, EntityId, Operation, Setting, SettingKey, SpeakerRole, State, Timestamp, attribute, text,
};
use hearsay_query::ids::require_entity;

use super::speakers::{AssignedSpeaker, SpeakerAssignment};
use crate::{
    CommandError,
    edit::{Edit, FactOptions},
};

/// Returns the operation by the DM that saves the identities of the speakers of transcripts. Later imports then
/// identify these speakers.
///
/// The name of a player becomes the attribute `player` of the character. If several speakers play the same character,
/// only the last of them is saved. The names of the DM and of speakers who play no character become settings.
///
/// # Errors
/// Returns an error if a character does not exist.
pub fn remember_speakers(
    state: &State,
    speakers: &[SpeakerAssignment],
    now: Timestamp,
) -> Result<Operation, CommandError> {
    let mut players: BTreeMap<EntityId, &str> = BTreeMap::new();
    let mut roles: BTreeMap<String, Option<SpeakerRole>> = BTreeMap::new();
    for SpeakerAssignment { name, is, .. } in speakers {
        let role = match is {
            AssignedSpeaker::Character(character) => {
                require_entity(state, character)?;
                players.insert(character.clone(), name);
                None
            }
            AssignedSpeaker::Role(role) => Some(*role),
        };
        roles.insert(text::normalize(name), role);
    }
    let mut changes = Vec::new();
    for (name, role) in roles {
        match role {
            Some(role) => changes.push(Change::Set(Setting::speaker(&name, role))),
            // A player has no other role.
            None if state.speaker_role(&name).is_some() => changes.push(Change::Unset(SettingKey::Speaker(name))),
            None => {}
        }
    }
    for (character, player) in players {
        let edit = Edit::Set {
            entity: character,
            attribute: attribute::PLAYER.into(),
            value: player.to_owned(),
            options: FactOptions::default(),
        };
        changes.extend(edit.operation(state, Author::Dm, now)?.changes);
    }
    let names: Vec<&str> = speakers.iter().map(|speaker| speaker.name.as_str()).collect();
    let summary = format!("speakers of transcripts: {}", names.join(", "));
    Ok(Operation { recorded: now, ..Operation::new(Author::Dm, summary, changes) })
}
