//! Lines that the DM types: the name of a speaker before a colon.

use std::borrow::Cow;

use hearsay_campaign::split_speaker;
use hearsay_model::State;

use super::speakers::{SpeakerIdentity, SpeakerNames};
use crate::{presence::require_speaker, session::LogLine};

impl LogLine {
    /// Returns whether the text can begin with the name of a speaker and a colon.
    pub(in crate::session) fn may_name_speaker(&self) -> bool {
        self.typed && self.speaker.is_none() && !self.at_table && split_speaker(self.text.trim()).is_some()
    }

    /// Finds the speaker whose name begins the text of a [typed](Self::typed) line, as in `Laura: We open the door.`
    /// The name can be that of a character, of the player of a character, or of the DM. Returns any other line
    /// unchanged.
    pub fn with_named_speaker<'a>(&'a self, state: &State) -> Cow<'a, Self> {
        let Some((name, words)) = split_speaker(self.text.trim()).filter(|_| self.may_name_speaker()) else {
            return Cow::Borrowed(self);
        };
        let names = SpeakerNames::new(state);
        let identity = names.identify(name);
        let named = names.line(name, &identity, words);
        let is_speaker = match &identity {
            SpeakerIdentity::Character(id) => require_speaker(state, id).is_ok(),
            _ => named.at_table,
        };
        let talk_kind = self.talk_kind.or(named.talk_kind);
        Cow::Owned(match is_speaker {
            true => {
                Self { text: named.text, speaker: named.speaker, at_table: named.at_table, talk_kind, ..self.clone() }
            }
            false => Self { talk_kind, ..self.clone() },
        })
    }
}
