//! Lines that the DM types: the name of a speaker before a colon, the names of hearers, and talk about the game.

use std::{borrow::Cow, collections::BTreeMap};

use hearsay_campaign::{split_hearers, split_speaker};
use hearsay_extract::Language;
use hearsay_model::{EntityId, SessionId, State, TalkKind, spelling, text, words};
use hearsay_query::{
    QueryError,
    resolve::{Speaker, resolve_complete_words, resolve_named},
};

use super::{
    acting::SENTENCE_ENDS,
    hearers::resolve_hearers,
    introduction::Introduction,
    proposals::similar_character,
    speakers::{MAX_REFERENCE_WORDS, SpeakerIdentity, SpeakerNames, without_note},
    unnoticed::unaware_characters,
};
use crate::{
    CommandError,
    session::{LogLine, table_talk::has_game_phrase},
};

/// Maximum number of words from the noun of a description to the verb: "Jamila the *old ferrywoman slowly waves*".
const MAX_DESCRIPTION_WORDS: usize = 4;

impl LogLine {
    /// Returns whether the text can name the speaker or the hearers of the line.
    pub(in crate::session) fn may_name_speaker(&self) -> bool {
        self.typed && (self.speaker.is_some() || !self.at_table)
    }

    /// Finds the speaker whose name begins the text of a [typed](Self::typed) line, as in `Laura: We open the door.`
    /// The name can be that of a character, of the player of a character, or of the DM. The speaker can also be named
    /// by an occupation, a title, or the beginning of a name. A verb of speech can follow the name, as in `Lotti
    /// whispers to Ysolde: Not here.` Only the named hearers and the speaker hear words that are whispered. Brackets
    /// after the name can also name hearers, as in `Lotti (to Ysolde): Not here.` If the line already has a speaker,
    /// the name of this speaker is removed from the text.
    ///
    /// For narration, finds the characters that do not notice what happens, as in `Wren takes the key. Odo doesn't
    /// notice.`, and the characters that act and therefore witness the line, as in `Pell kicks the door open.` A line that
    /// a player or nobody says is out of character if it contains a phrase about the game, or if a player asks about the
    /// own character by its name. Returns any other line unchanged.
    ///
    /// # Errors
    /// Returns an error if several characters have the name of the speaker, or if the line names an unknown or ambiguous
    /// hearer.
    pub fn with_named_speaker<'a>(&'a self, state: &State) -> Result<Cow<'a, Self>, CommandError> {
        if !self.may_name_speaker() {
            return Ok(Cow::Borrowed(self));
        }
        let names = SpeakerNames::new(state);
        let mut line = self.clone();
        if !line.read_name(&names, state)? {
            line.read_introduction(&names, state)?;
        }
        if line.is_said_to_all() {
            let unaware = unaware_characters(&names, state, &line.text);
            add_new(&mut line.unheard_by, unaware);
        }
        let states_facts = line.lie || !line.states.is_empty();
        let is_at_table = line.at_table || line.speaker.is_none();
        let is_game_talk = || has_game_phrase(&line.text) || line.asks_about_own_character(state);
        if is_at_table && !states_facts && line.talk_kind.is_none() && is_game_talk() {
            line.talk_kind = Some(TalkKind::OutOfCharacter);
        }
        if line.is_said_to_all() && line.talk_kind != Some(TalkKind::OutOfCharacter) {
            let witnesses = line.acting_witnesses(&names, state);
            add_new(&mut line.with, witnesses);
        }
        Ok(Cow::Owned(line))
    }

    /// Returns whether a player asks about the own character by its name, as in `Jess: Where is Ysolde?` The character
    /// itself would say "I".
    fn asks_about_own_character(&self, state: &State) -> bool {
        let Some(speaker) = self.speaker.as_ref().filter(|_| self.at_table) else { return false };
        let mut names: Vec<Vec<String>> = state.open_names(&speaker.id).into_iter().map(text::words).collect();
        let first_name = state.open_name(&speaker.id).and_then(|name| text::words(name).into_iter().next());
        let is_title = |word: &str| words::contains_word(&words::english().titles, word);
        let first_name = first_name.filter(|name| !is_title(name) && !spelling::is_common_word(name));
        names.extend(first_name.map(|name| vec![name]));
        let mut questions = self.text.split_inclusive(SENTENCE_ENDS).filter(|sentence| sentence.ends_with('?'));
        questions.any(|question| {
            let question = text::words(question);
            names.iter().any(|name| text::contains_name(&question, name))
        })
    }

    /// Reads a name before the colon, with hearers in brackets. Returns whether the name is that of the speaker.
    fn read_name(&mut self, names: &SpeakerNames<'_>, state: &State) -> Result<bool, CommandError> {
        let text = self.text.clone();
        let Some((name, said)) = split_speaker(text.trim()) else { return Ok(false) };
        let (name, hearers) = split_hearers(name).map_or((name, None), |(name, hearers)| (name, Some(hearers)));
        let is_speaker = self.take_speech(names, name, &names.identify_typed(name), said)?;
        if let Some(hearers) = hearers.filter(|_| is_speaker) {
            add_new(&mut self.heard_by, resolve_hearers(state, hearers)?);
        }
        Ok(is_speaker)
    }

    /// Reads a name and a verb of speech before the colon. If the speaker is no character, the line stays narration, but
    /// only the named hearers hear it.
    fn read_introduction(&mut self, names: &SpeakerNames<'_>, state: &State) -> Result<(), CommandError> {
        let text = self.text.clone();
        let introduction = Introduction::find(text.trim()).filter(|introduction| introduction.introduces_words(state));
        let Some(introduction) = introduction else { return Ok(()) };
        let speaker = introduction.speaker(names);
        let is_speaker = match speaker {
            Some((name, identity)) => self.take_speech(names, &name, &identity, introduction.said)?,
            None => false,
        };
        if self.speaker.is_some() && !is_speaker {
            return Ok(());
        }
        match introduction.confidants(state) {
            Ok(hearers) => add_new(&mut self.heard_by, hearers),
            Err(error) if is_speaker => return Err(error.into()),
            Err(_) => {}
        }
        if let Some(speaker) = self.speaker.as_ref().filter(|_| is_speaker && introduction.is_to_self()) {
            let id = speaker.id.clone();
            add_new(&mut self.heard_by, vec![id]);
        }
        Ok(())
    }

    /// Makes the line words that a speaker with a name and an identity says. Returns `false` if this speaker cannot say
    /// the line.
    ///
    /// # Errors
    /// Returns an error if the line has no speaker yet, and several characters have the name.
    fn take_speech(
        &mut self,
        names: &SpeakerNames<'_>,
        name: &str,
        identity: &SpeakerIdentity,
        said: &str,
    ) -> Result<bool, CommandError> {
        let named = names.line(name, identity, said);
        let is_speaker = match (&self.speaker, identity) {
            (Some(given), identity) => *identity == SpeakerIdentity::Character(given.id.clone()),
            (None, SpeakerIdentity::Character(id)) => names.can_speak(id),
            (None, _) if named.at_table => true,
            (None, identity) => {
                names.require_unambiguous(name, identity)?;
                false
            }
        };
        if is_speaker || self.speaker.is_none() {
            self.talk_kind = self.talk_kind.or(named.talk_kind);
        }
        if is_speaker {
            self.text = named.text;
            if self.speaker.is_none() {
                (self.speaker, self.at_table) = (named.speaker, named.at_table);
            }
        }
        Ok(is_speaker)
    }

    /// Returns the character whose name the DM probably misspelled before the colon of a [typed](Self::typed) line
    /// without a speaker. Returns `None` if there is no such character, or if the name is similar to the names of
    /// several characters.
    pub fn similar_speaker(&self, state: &State) -> Option<EntityId> {
        let (_, id) = self.misspelled_speaker(state)?;
        Some(id)
    }

    /// Replaces the misspelled name of the [similar speaker](Self::similar_speaker) with its id.
    #[must_use]
    pub fn with_corrected_speaker(&self, state: &State) -> Self {
        match self.misspelled_speaker(state) {
            Some((name, id)) => Self { text: self.text.replacen(&name, id.as_str(), 1), ..self.clone() },
            None => self.clone(),
        }
    }

    /// Returns the name before the colon of a [typed](Self::typed) line without a speaker, if no entity has this name:
    /// `Jamila: Drinks, anyone?` Words in lowercase after an article are a name if they refer to a person: `The old monk:
    /// Hush.`
    pub fn unknown_speaker(&self, state: &State) -> Option<String> {
        if self.speaker.is_some() || !self.may_name_speaker() {
            return None;
        }
        unknown_name(&SpeakerNames::new(state), state, &self.text)
    }

    /// Returns the first word of a [typed](Self::typed) line without a speaker, and the character of whose name the word is
    /// probably a misspelling: `Sabl takes the purse.` Returns `None` if there is no such character.
    pub fn misspelled_actor(&self, state: &State) -> Option<(String, EntityId)> {
        let word = self.text.split_whitespace().next()?;
        let is_name = word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphabetic);
        let is_candidate = self.typed && self.speaker.is_none() && is_name && !self.text.contains(':');
        if !is_candidate || spelling::is_common_word(&text::normalize(word)) {
            return None;
        }
        let is_unknown = matches!(resolve_complete_words(state, word), Err(QueryError::Unknown { .. }));
        let id = similar_character(state, word).filter(|_| is_unknown)?;
        Some((word.to_owned(), id))
    }

    /// Returns the name with which a [typed](Self::typed) line without a speaker begins, if a description and a verb follow
    /// it and no entity has the name: `Jamila the ferrywoman waves.`
    pub fn unknown_actor(&self, state: &State) -> Option<String> {
        if !self.typed || self.speaker.is_some() || self.text.contains(':') {
            return None;
        }
        let (name, following) = described_name(&self.text)?;
        let language = Language::english();
        let mut following = following.iter().skip(1).take(MAX_DESCRIPTION_WORDS).flat_map(|word| text::words(word));
        let has_verb = following.any(|word| language.is_finite_verb(&word, false));
        (has_verb && is_unknown_name(&SpeakerNames::new(state), state, &name)).then_some(name)
    }

    /// Returns the words of a speaker in a text that was recorded as narration. If the text begins with a name that
    /// nobody has, before a colon, the line treats this name as the name of the speaker.
    ///
    /// # Errors
    /// Returns an error if the text names an unknown or ambiguous hearer.
    pub(in crate::session) fn spoken_by(speaker: &Speaker, text: &str, state: &State) -> Result<Self, CommandError> {
        let text = match unknown_speaker(&SpeakerNames::new(state), text) {
            Some(name) => text.trim().replacen(&name, speaker.id.as_str(), 1),
            None => text.to_owned(),
        };
        let line = Self { speaker: Some(speaker.clone()), ..Self::typed(text) };
        Ok(line.with_named_speaker(state)?.into_owned())
    }

    /// Returns the misspelled name, and the character that probably has the name.
    fn misspelled_speaker(&self, state: &State) -> Option<(String, EntityId)> {
        if self.speaker.is_some() || !self.may_name_speaker() {
            return None;
        }
        let name = unknown_speaker(&SpeakerNames::new(state), &self.text)?;
        let id = similar_character(state, &name)?;
        Some((name, id))
    }
}

/// Returns the name before a colon, or before a verb of speech and a colon, at the start of a text, if nobody has this
/// name.
fn unknown_speaker(names: &SpeakerNames<'_>, text: &str) -> Option<String> {
    let text = text.trim();
    let written = split_speaker(text).map(|(name, _)| without_note(name).to_owned());
    let before_verb = Introduction::find(text).map(|introduction| introduction.subject());
    before_verb.or(written).filter(|name| names.identify_typed(name) == SpeakerIdentity::Unknown)
}

/// Returns the names before the colons of the narration of a session that no entity has, with the numbers of the lines.
pub fn unknown_speakers(state: &State, session: &SessionId) -> BTreeMap<String, Vec<u32>> {
    let names = SpeakerNames::new(state);
    let mut found: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let lines = state.passages_in_session(Some(session)).map(|(_, passage)| passage);
    for line in lines.filter(|line| line.speaker.is_none() && !line.is_out_of_character()) {
        if let Some(name) = unknown_name(&names, state, &line.text) {
            found.entry(name).or_default().push(line.line);
        }
    }
    found.values_mut().for_each(|lines| lines.sort_unstable());
    found
}

/// Returns the name before a colon at the start of a text, if it looks like the name of a person and no entity has it.
fn unknown_name(names: &SpeakerNames<'_>, state: &State, text: &str) -> Option<String> {
    let name = unknown_speaker(names, text)?;
    let described = described_name(&name).map(|(name, _)| name);
    let name = described.unwrap_or(name);
    let written: Vec<&str> = name.split_whitespace().collect();
    let content = if written.first().is_some_and(is_article) { &written[1..] } else { &written[..] };
    let is_capitalized = content.iter().all(|word| word.starts_with(char::is_uppercase));
    let is_common = content.iter().all(|word| spelling::is_common_word(&text::normalize(word)));
    let noun = content.last().map(|noun| noun.to_lowercase());
    let is_person = content.len() < written.len() && noun.is_some_and(|noun| Language::english().is_occupation(&noun));
    let is_name = content.len() <= MAX_REFERENCE_WORDS && (is_capitalized && !is_common || is_person);
    (is_name && is_unknown_name(names, state, &name)).then_some(name)
}

/// Returns the name with which a text begins and that an article and a noun follow, with the words from the article on:
/// `Jamila` for `Jamila the ferrywoman waves`. Returns `None` if no description follows a name. A noun with a capital
/// letter is part of the name: `Simon the Bold`.
fn described_name(text: &str) -> Option<(String, Vec<&str>)> {
    let written: Vec<&str> = text.split_whitespace().collect();
    let article = written.iter().take(MAX_REFERENCE_WORDS + 1).position(is_article).filter(|at| *at > 0)?;
    let (name, following) = written.split_at(article);
    let is_noun = following.get(1).is_some_and(|noun| noun.starts_with(char::is_lowercase));
    let name: Vec<&str> = name.iter().map(|word| word.trim_end_matches(',')).collect();
    let is_part =
        |word: &&str| word.starts_with(char::is_uppercase) && !spelling::is_common_word(&text::normalize(word));
    (is_noun && name.iter().all(is_part)).then(|| (name.join(" "), following.to_vec()))
}

fn is_article(word: &&str) -> bool {
    ["a", "an", "the"].contains(&word.to_lowercase().as_str())
}

/// Returns whether a name belongs to no entity, and to no person at the table.
fn is_unknown_name(names: &SpeakerNames<'_>, state: &State, name: &str) -> bool {
    names.identify_typed(name) == SpeakerIdentity::Unknown
        && matches!(resolve_named(state, name), Err(QueryError::Unknown { .. }))
}

/// Adds the ids that a list does not contain.
fn add_new(ids: &mut Vec<EntityId>, new: Vec<EntityId>) {
    for id in new {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
}
