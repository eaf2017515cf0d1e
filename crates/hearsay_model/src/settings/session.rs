//! Settings of sessions.

use std::{collections::BTreeMap, mem};

use serde::{Deserialize, Serialize};

use super::{RecapReader, SettingKey};
use crate::{Date, EntityId, Reference, Rename, SessionId};

/// The session in progress and its current scene. New records get their session, place and time from this setting,
/// unless the caller provides other values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveSession {
    /// The session in progress.
    pub session: SessionId,
    /// The characters who attend the session now, also those whose location is another place than the scene.
    /// [`Session::present`](crate::Session) lists the characters that attended at any time during the session. Sorted
    /// and unique.
    pub here: Vec<EntityId>,
    /// The characters who left the scene although their location or home is its place, each with this place. Such a
    /// character does not hear the lines that are said at the place.
    #[serde(default)]
    pub absent: BTreeMap<EntityId, EntityId>,
    /// The place of the current scene; `None` if it is not set.
    pub place: Option<EntityId>,
    /// The game time that the session log has reached; `None` if it is not set.
    pub time: Option<Date>,
}

/// A recap of a session as the DM edited it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditedRecap {
    /// The session.
    pub session: SessionId,
    /// Reader for whom the recap is written.
    #[serde(rename = "players")]
    pub reader: RecapReader,
    /// The text of the recap.
    pub text: String,
}

/// A setting of a session.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionSetting {
    /// The session in progress. Removing this setting ends the session.
    Playing(ActiveSession),
    /// A recap of a session as the DM edited it. Hearsay does not use the text of the recap to answer questions.
    Recap(EditedRecap),
}

impl SessionSetting {
    pub(super) fn key(&self) -> SettingKey {
        match self {
            Self::Playing(_) => SettingKey::Playing,
            Self::Recap(recap) => SettingKey::Recap(recap.session.clone(), recap.reader),
        }
    }

    /// Returns the session of the setting.
    pub fn session(&self) -> &SessionId {
        match self {
            Self::Playing(playing) => &playing.session,
            Self::Recap(recap) => &recap.session,
        }
    }

    pub(super) fn visit_references<'a>(&'a self, visit: &mut dyn FnMut(Reference<'a>)) {
        visit(Reference::Session(self.session()));
        if let Self::Playing(playing) = self {
            let absent = playing.absent.iter().flat_map(|(character, place)| [character, place]);
            playing.here.iter().chain(&playing.place).chain(absent).for_each(|id| visit(Reference::Entity(id)));
        }
    }

    pub(super) fn rename<R: Rename>(&mut self, renaming: &mut R) {
        match self {
            Self::Playing(playing) => {
                renaming.session(&mut playing.session);
                playing.here.iter_mut().chain(&mut playing.place).for_each(|id| renaming.entity(id));
                for (mut character, mut place) in mem::take(&mut playing.absent) {
                    renaming.entity(&mut character);
                    renaming.entity(&mut place);
                    playing.absent.insert(character, place);
                }
                if !R::KEEPS_IDS_EQUAL {
                    playing.here.sort();
                    playing.here.dedup();
                }
            }
            Self::Recap(recap) => renaming.session(&mut recap.session),
        }
    }
}
