//! Lines that the DM types: the name of a speaker before a colon, the names of hearers, and talk about the game.

use std::{borrow::Cow, collections::BTreeMap};

use hearsay_campaign::{split_hearers, split_speaker};
use hearsay_extract::Language;
use hearsay_model::{
    EntityId, SessionId, State, TalkKind,
    lists::extend_new,
    spelling,
    text::{self, SENTENCE_ENDS},
    words,
};
use hearsay_query::{
    QueryError,
    resolve::{Speaker, resolve_complete_words, resolve_named},
};

use super::{
    hearers::{BracketedHearers, bracketed_hearers, split_remark},
    introduction::Introduction,
    privacy::sounds_private,
    proposals::{is_title, similar_character},
    referents::Referent,
    reported_whispers::reported_whisper,
    speakers::{MAX_REFERENCE_WORDS, SpeakerIdentity, SpeakerNames, without_note},
    stage_directions::StageDirection,
    subjects::is_clause_opener,
    thoughts::thinker,
    unnoticed::unaware_characters,
};
use crate::{
    CommandError,
    session::{LogLine, table_talk::has_game_phrase},
};

/// Maximum number of words from the noun of a description to the verb: "Jamila the *old ferrywoman slowly waves*".
const MAX_DESCRIPTION_WORDS: usize = 4;

/// Maximum number of words before the colon that say who speaks, how and to whom.
const MAX_INTRODUCTION_WORDS: usize = 8;

impl LogLine {
    /// Returns whether the text can name the speaker or the hearers of the line.
    pub(in crate::session) fn may_name_speaker(&self) -> bool {
        self.typed && (self.speaker.is_some() || !self.at_table)
    }

    /// Finds the speaker whose name begins the text of a [typed](Self::typed) line, as in `Laura: We open the door.`
    /// The name can be that of a character, of the player of a character, or of the DM. The speaker can also be named
    /// by an occupation, a title, or the beginning of a name. A verb of speech can follow the name, as in `Lotti
    /// whispers to Ysolde: Not here.` Only the named hearers and the speaker hear words that are whispered. Brackets
    /// after the name can also name hearers, as in `Lotti (to Ysolde): Not here.` Brackets at the end of the words can
    /// name hearers too. If they name nobody, as in `Lotti: Not here. (lying badly)`, they are a remark of the DM, and are
    /// removed from the text. A pronoun before the colon refers to the person who last spoke or acted in the scene and whom
    /// it fits. If the line already has a speaker, the name of this speaker is removed from the text. Words in the first
    /// person singular, and quoted words, can also follow a deed of the speaker, as in `Lotti slams the door: I knew it.` The
    /// deed is removed from the text.
    ///
    /// For narration, finds the only hearers of a whisper that it reports, as in `Lotti whispers to Ysolde that Odo is late.`
    /// Only the character who thinks hears narration that tells nothing but its thoughts, as in `Lotti wonders who Odo is.`
    /// Also finds the characters that do not notice what happens, as in `Wren takes the key. Odo doesn't notice.` or `Wren
    /// takes the key. Nobody sees it.`, and the characters that act and therefore witness the line, as in `Pell kicks the
    /// door open.` A line that a player or nobody says is out of character if it contains a phrase about the game, or if a
    /// player asks about the own character by its name. Returns any other line unchanged.
    ///
    /// # Errors
    /// Returns an error if several characters have the name of the speaker, if a pronoun before the colon fits nobody in the
    /// scene or can refer to several persons, or if the line names an unknown or ambiguous hearer.
    pub fn with_named_speaker<'a>(&'a self, state: &State) -> Result<Cow<'a, Self>, CommandError> {
        if !self.may_name_speaker() {
            return Ok(Cow::Borrowed(self));
        }
        let names = SpeakerNames::new(state);
        let mut line = match self.with_pronoun_speaker(&names, state)? {
            Some(line) => line,
            None => {
                let mut line = self.clone();
                line.read_speaker(&names, state)?;
                line
            }
        };
        line.read_remark(state);
        if line.is_said_to_all() {
            line.read_reported_whisper(&names, state);
        }
        if line.is_said_to_all() {
            line.whisper_to(thinker(&names, state, &line.text).into_iter().collect());
        }
        if line.is_said_to_all() {
            let unaware = unaware_characters(&names, state, &line.text);
            extend_new(&mut line.unheard_by, unaware);
        }
        let states_facts = line.lie || !line.states.is_empty();
        let is_at_table = line.at_table || line.speaker.is_none();
        let is_game_talk = || has_game_phrase(&line.text) || line.asks_about_own_character(state);
        if is_at_table && !states_facts && line.talk_kind.is_none() && is_game_talk() {
            line.talk_kind = Some(TalkKind::OutOfCharacter);
        }
        if line.is_said_to_all() && line.talk_kind != Some(TalkKind::OutOfCharacter) {
            if let Some(place) = line.place_aside(&names, state) {
                (line.place, line.is_aside) = (Some(place), true);
            }
            let unaware = line.unaware_of_deed(&names, state);
            extend_new(&mut line.unheard_by, unaware);
            let witnesses = line.acting_witnesses(&names, state);
            extend_new(&mut line.with, witnesses);
        }
        Ok(Cow::Owned(line))
    }

    /// Returns whether a player asks about the own character by its name, as in `Jess: Where is Ysolde?` The character
    /// itself would say "I".
    fn asks_about_own_character(&self, state: &State) -> bool {
        let Some(speaker) = self.speaker.as_ref().filter(|_| self.at_table) else { return false };
        let mut names: Vec<Vec<String>> = state.open_names(&speaker.id).into_iter().map(text::words).collect();
        let first_name = state.open_name(&speaker.id).and_then(|name| text::words(name).into_iter().next());
        let first_name = first_name.filter(|name| !is_title(name) && !spelling::is_common_word(name));
        names.extend(first_name.map(|name| vec![name]));
        let mut questions = self.text.split_inclusive(SENTENCE_ENDS).filter(|sentence| sentence.ends_with('?'));
        questions.any(|question| {
            let question = text::words(question);
            names.iter().any(|name| text::contains_name(&question, name))
        })
    }

    /// Reads the name of the speaker, with or without a verb of speech or a deed.
    fn read_speaker(&mut self, names: &SpeakerNames<'_>, state: &State) -> Result<(), CommandError> {
        if !self.read_name(names, state)? && !self.read_introduction(names, state)? {
            self.read_stage_direction(names, state)?;
        }
        Ok(())
    }

    /// Returns the line with the person to whom a pronoun before the colon refers as its speaker. Returns `None` if the text
    /// begins with no such pronoun, or if it tells what the person does.
    ///
    /// # Errors
    /// Returns an error if only a pronoun stands before the colon, and it fits nobody in the scene, or several persons.
    fn with_pronoun_speaker(&self, names: &SpeakerNames<'_>, state: &State) -> Result<Option<Self>, CommandError> {
        let text = self.text.trim();
        let Some((written, rest)) = split_pronoun(names, text) else { return Ok(None) };
        let pronoun = written.to_lowercase();
        let is_alone = split_speaker(text).is_some_and(|(name, _)| without_note(name) == written);
        if !is_alone && Introduction::find(text).is_none() {
            return Ok(None);
        }
        let referent = match &self.speaker {
            Some(speaker) => Referent::Person(speaker.clone()),
            None => self.referent_in_scene(names, state, &pronoun),
        };
        let referent = match referent {
            Referent::Person(speaker) => speaker,
            _ if !is_alone => return Ok(None),
            Referent::Nobody => return Err(CommandError::NoReferent { pronoun: written.to_owned() }),
            Referent::Ambiguous(ids) => {
                let candidates = ids.iter().map(|id| state.name_or_id(id).to_owned()).collect();
                return Err(CommandError::AmbiguousReferent { pronoun: written.to_owned(), candidates });
            }
        };
        let mut line = Self { text: format!("{}{rest}", referent.id), ..self.clone() };
        line.read_speaker(names, state)?;
        if line.speaker.is_none() || line.text.starts_with(referent.id.as_str()) {
            return Ok(None);
        }
        line.speaker = Some(referent);
        Ok(Some(line))
    }

    /// Reads brackets at the end of the words of a character: the names of hearers, or a remark of the DM.
    fn read_remark(&mut self, state: &State) {
        let is_marked = self.talk_kind == Some(TalkKind::OutOfCharacter) || self.is_marked_out_of_character();
        if self.speaker.is_none() || is_marked {
            return;
        }
        let Some((said, hearers)) = split_remark(state, &self.text) else { return };
        let said = said.to_owned();
        self.whisper_to(hearers);
        self.text = said;
    }

    /// Adds the hearers to whom the text says that the words are whispered.
    fn whisper_to(&mut self, hearers: Vec<EntityId>) {
        self.names_hearers |= self.heard_by.is_empty() && !hearers.is_empty();
        extend_new(&mut self.heard_by, hearers);
    }

    /// Makes the speaker the only hearer.
    fn whisper_to_self(&mut self) {
        let speaker = self.speaker.iter().map(|speaker| speaker.id.clone()).collect();
        self.whisper_to(speaker);
    }

    /// Reads a name before the colon, with hearers in brackets. Returns whether the name is that of the speaker.
    fn read_name(&mut self, names: &SpeakerNames<'_>, state: &State) -> Result<bool, CommandError> {
        let text = self.text.clone();
        let Some((name, said)) = split_speaker(text.trim()) else { return Ok(false) };
        let (name, hearers) = split_hearers(name).map_or((name, None), |(name, hearers)| (name, Some(hearers)));
        let is_speaker = self.take_speech(names, name, &names.identify_typed(name), said)?;
        if let Some(hearers) = hearers.filter(|_| is_speaker) {
            match bracketed_hearers(state, hearers)? {
                BracketedHearers::Named(hearers) => self.whisper_to(hearers),
                BracketedHearers::Speaker => self.whisper_to_self(),
                BracketedHearers::Nobody => {}
            }
        }
        Ok(is_speaker)
    }

    /// Reads a name and a verb of speech before the colon. If the speaker is no character, the line stays narration, but
    /// only the named hearers hear it. Returns whether the name is that of the speaker.
    fn read_introduction(&mut self, names: &SpeakerNames<'_>, state: &State) -> Result<bool, CommandError> {
        let text = self.text.clone();
        let introduction = Introduction::find(text.trim()).filter(|introduction| introduction.introduces_words(state));
        let Some(introduction) = introduction else { return Ok(false) };
        let speaker = introduction.speaker(names);
        let is_speaker = match speaker {
            Some((name, identity)) => self.take_speech(names, &name, &identity, introduction.said)?,
            None => false,
        };
        if self.speaker.is_some() && !is_speaker {
            return Ok(false);
        }
        let speaker = self.speaker.as_ref().filter(|_| is_speaker);
        let approached = speaker.and_then(|speaker| introduction.approached(names, &speaker.id));
        match approached.map_or_else(|| introduction.confidants(state), |hearer| Ok(vec![hearer])) {
            Ok(hearers) => self.whisper_to(hearers),
            Err(error) if is_speaker && !introduction.may_be_aloud() => return Err(error.into()),
            Err(_) => {}
        }
        if is_speaker && introduction.is_to_self() {
            self.whisper_to_self();
        }
        Ok(is_speaker)
    }

    /// Reads the words that a character says after a deed, as in `Pike slams the door: I knew it.` If the line has no speaker
    /// yet, the character must certainly say the words.
    fn read_stage_direction(&mut self, names: &SpeakerNames<'_>, state: &State) -> Result<(), CommandError> {
        let text = self.text.clone();
        let direction = StageDirection::find(names, state, text.trim());
        let Some(direction) = direction.filter(|direction| direction.is_certain || self.speaker.is_some()) else {
            return Ok(());
        };
        let identity = SpeakerIdentity::Character(direction.character);
        self.take_speech(names, &direction.name, &identity, direction.said)?;
        Ok(())
    }

    /// Makes the speaker and the hearers of a whisper that narration reports the only hearers of the line.
    fn read_reported_whisper(&mut self, names: &SpeakerNames<'_>, state: &State) {
        let text = self.text.trim();
        let with_referent = split_pronoun(names, text).and_then(|(written, rest)| {
            match self.referent_in_scene(names, state, &written.to_lowercase()) {
                Referent::Person(referent) => Some(format!("{}{rest}", referent.id)),
                Referent::Ambiguous(_) | Referent::Nobody => None,
            }
        });
        if let Some(participants) = reported_whisper(names, state, with_referent.as_deref().unwrap_or(text)) {
            self.whisper_to(participants);
        }
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

    /// Returns whether the text of a [typed](Self::typed) line says that its words are whispered, but not to whom, so that
    /// everybody in the scene hears them: `Lotti whispers: Not here.`
    pub fn has_open_whisper(&self, state: &State) -> bool {
        let is_whisper = Introduction::find(self.text.trim()).is_some_and(|found| found.is_confidential());
        let is_open = |line: &Self| line.speaker.is_some() && line.heard_by.is_empty();
        is_whisper && self.may_name_speaker() && self.with_named_speaker(state).is_ok_and(|line| is_open(&line))
    }

    /// Returns whether the words of the [typed](Self::typed) line suggest that only some of the characters in the scene
    /// notice it, and no hearers are given.
    pub fn sounds_private(&self, state: &State) -> bool {
        let is_open = self.typed && self.heard_by.is_empty() && !self.is_marked_out_of_character();
        let is_speech =
            || self.speaker.is_some() || self.with_named_speaker(state).is_ok_and(|line| line.speaker.is_some());
        is_open && sounds_private(&SpeakerNames::new(state), self.text.trim(), is_speech())
    }

    /// Returns the character whose thoughts are all that the [typed](Self::typed) line of narration tells. Only this character
    /// hears the line.
    pub fn thinker(&self, state: &State) -> Option<EntityId> {
        let is_narration = self.typed && self.is_said_to_all() && !self.is_marked_out_of_character();
        is_narration.then(|| thinker(&SpeakerNames::new(state), state, self.text.trim()))?
    }

    /// Returns whether a pronoun stands before the words of the [typed](Self::typed) line in place of its speaker, so that
    /// the speaker is a guess: `She: Not here.`
    pub fn has_pronoun_for_speaker(&self, state: &State) -> bool {
        let is_open = self.may_name_speaker() && self.speaker.is_none();
        is_open && split_pronoun(&SpeakerNames::new(state), self.text.trim()).is_some()
    }

    /// Returns the character that perhaps says the words after its deed, although the [typed](Self::typed) line is narration:
    /// `Pike slams the door: You knew it.`
    pub fn possible_speaker(&self, state: &State) -> Option<EntityId> {
        if self.speaker.is_some() || !self.may_name_speaker() {
            return None;
        }
        StageDirection::find(&SpeakerNames::new(state), state, self.text.trim()).map(|direction| direction.character)
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

    /// Returns the name with which a [typed](Self::typed) line without a speaker begins, and the character of whose name it is
    /// probably a misspelling: `Sabl takes the purse.` The name is one word, with or without titles: `Captain Sabl`.
    /// Returns `None` if there is no such character.
    pub fn misspelled_actor(&self, state: &State) -> Option<(String, EntityId)> {
        let written: Vec<&str> = self.text.split_whitespace().take(MAX_REFERENCE_WORDS).collect();
        let is_name = |word: &str| word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphabetic);
        let titles = written.iter().take_while(|word| is_name(word) && is_title(&text::normalize(word))).count();
        let word = written.get(titles)?;
        let is_candidate = self.typed && self.speaker.is_none() && is_name(word) && !self.text.contains(':');
        if !is_candidate || spelling::is_common_word(&text::normalize(word)) {
            return None;
        }
        let is_unknown = matches!(resolve_complete_words(state, word), Err(QueryError::Unknown { .. }));
        let name = written[..=titles].join(" ");
        let id = similar_character(state, &name).filter(|_| is_unknown)?;
        Some((name, id))
    }

    /// Returns the name with which a [typed](Self::typed) line without a speaker begins, if a description and a verb follow
    /// it and no entity has the name: `Jamila the ferrywoman waves.`
    pub fn unknown_actor(&self, state: &State) -> Option<String> {
        if !self.typed || self.speaker.is_some() || self.text.contains(':') {
            return None;
        }
        let (name, following) = described_name(&self.text)?;
        // In "Meanwhile, the rain stops", no comma ends a description.
        let has_comma = self.text.split_whitespace().nth(name.split_whitespace().count() - 1)?.ends_with(',');
        let is_described = !has_comma || following.iter().any(|word| word.ends_with(','));
        if !is_described || name.split_whitespace().any(is_clause_opener) {
            return None;
        }
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
        let said = after_introduction(&SpeakerNames::new(state), &speaker.id, &text).map(str::to_owned);
        let line = Self { speaker: Some(speaker.clone()), ..Self::typed(text) };
        let mut named = line.with_named_speaker(state)?.into_owned();
        // The name of the speaker is still part of the text if the words after the name have an unusual form.
        if let Some(said) = said.filter(|_| named.text == line.text) {
            named.text = said;
        }
        Ok(named)
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

/// Splits a pronoun for one person from the start of a text. Returns the pronoun as written, and the words after it.
fn split_pronoun<'t>(names: &SpeakerNames<'_>, text: &'t str) -> Option<(&'t str, &'t str)> {
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    let (written, rest) = text.split_at(end);
    let pronoun = written.to_lowercase();
    let is_pronoun = words::english().personal_pronouns.iter().any(|pronouns| pronouns.subject == pronoun);
    (is_pronoun && names.identify_typed(written) == SpeakerIdentity::Unknown).then_some((written, rest))
}

/// Returns the name before a colon, or before a verb of speech and a colon, at the start of a text, if nobody has this
/// name.
fn unknown_speaker(names: &SpeakerNames<'_>, text: &str) -> Option<String> {
    let text = text.trim();
    let written = split_speaker(text).map(|(name, _)| without_note(name).to_owned());
    let before_verb = Introduction::find(text).map(|introduction| introduction.subject());
    before_verb.or(written).filter(|name| names.identify_typed(name) == SpeakerIdentity::Unknown)
}

/// Returns the words after a colon, if the words before it are the name of a character and how or to whom this character
/// speaks, as in `Lotti to Ysolde, very slowly: Not here.`
fn after_introduction<'t>(names: &SpeakerNames<'_>, speaker: &EntityId, text: &'t str) -> Option<&'t str> {
    let (introduction, said) = text.split_once(": ")?;
    let words: Vec<&str> = introduction.split_whitespace().collect();
    let is_one_clause = !introduction.contains(SENTENCE_ENDS) && !introduction.contains(['"', '\u{201C}']);
    let is_named = |end: usize| {
        let name = words[..end].join(" ");
        names.identify_typed(name.trim_end_matches(',')) == SpeakerIdentity::Character(speaker.clone())
    };
    let is_introduction = is_one_clause
        && words.len() <= MAX_INTRODUCTION_WORDS
        && (1..=words.len().min(MAX_REFERENCE_WORDS)).any(is_named);
    Some(said.trim()).filter(|said| is_introduction && !said.is_empty())
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
    words::is_article(&word.to_lowercase())
}

/// Returns whether a name belongs to no entity, and to no person at the table.
fn is_unknown_name(names: &SpeakerNames<'_>, state: &State, name: &str) -> bool {
    names.identify_typed(name) == SpeakerIdentity::Unknown
        && matches!(resolve_named(state, name), Err(QueryError::Unknown { .. }))
}
