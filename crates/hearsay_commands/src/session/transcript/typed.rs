//! Lines that the DM types: the name of a speaker before a colon, and the names of hearers in brackets.

use std::borrow::Cow;

use hearsay_campaign::{split_hearers, split_speaker};
use hearsay_model::{EntityId, State};

use super::{
    hearers::resolve_hearers,
    proposals::similar_character,
    speakers::{SpeakerIdentity, SpeakerNames},
};
use crate::{CommandError, presence::require_speaker, session::LogLine};

impl LogLine {
    /// Returns whether the text can begin with the name of a speaker and a colon.
    pub(in crate::session) fn may_name_speaker(&self) -> bool {
        self.typed && self.speaker.is_none() && !self.at_table && split_speaker(self.text.trim()).is_some()
    }

    /// Finds the speaker whose name begins the text of a [typed](Self::typed) line, as in `Laura: We open the door.`
    /// The name can be that of a character, of the player of a character, or of the DM. The speaker can also be named
    /// by an occupation, a title, or the beginning of a name. Brackets after the name can name hearers, as in
    /// `Lotti (whispers to Ysolde): Not here.` Returns any other line unchanged.
    ///
    /// # Errors
    /// Returns an error if the brackets contain an unknown or ambiguous name.
    pub fn with_named_speaker<'a>(&'a self, state: &State) -> Result<Cow<'a, Self>, CommandError> {
        let Some((name, words)) = split_speaker(self.text.trim()).filter(|_| self.may_name_speaker()) else {
            return Ok(Cow::Borrowed(self));
        };
        let (speaker, hearers) =
            split_hearers(name).map_or((name, None), |(speaker, hearers)| (speaker, Some(hearers)));
        let names = SpeakerNames::new(state);
        let identity = names.identify_typed(speaker);
        let named = names.line(speaker, &identity, words);
        let is_speaker = match &identity {
            SpeakerIdentity::Character(id) => require_speaker(state, id).is_ok(),
            _ => named.at_table,
        };
        let talk_kind = self.talk_kind.or(named.talk_kind);
        if !is_speaker {
            return Ok(Cow::Owned(Self { talk_kind, ..self.clone() }));
        }
        let mut heard_by = self.heard_by.clone();
        if let Some(hearers) = hearers {
            heard_by.extend(resolve_hearers(state, hearers)?);
        }
        let LogLine { text, speaker, at_table, .. } = named;
        Ok(Cow::Owned(Self { text, speaker, at_table, talk_kind, heard_by, ..self.clone() }))
    }

    /// Returns the character whose name the DM probably misspelled before the colon of a [typed](Self::typed) line
    /// without a speaker. Returns `None` if there is no such character, or if the name is similar to the names of
    /// several characters.
    pub fn similar_speaker(&self, state: &State) -> Option<EntityId> {
        let (name, _) = split_speaker(self.text.trim()).filter(|_| self.may_name_speaker())?;
        let is_unknown = SpeakerNames::new(state).identify_typed(name) == SpeakerIdentity::Unknown;
        if is_unknown { similar_character(state, name) } else { None }
    }
}
