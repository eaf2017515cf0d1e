//! Speakers of a transcript, and the characters or persons to whom their names refer.

use std::{cell::RefCell, collections::BTreeMap};

use hearsay_belief::is_dead;
use hearsay_extract::Language;
use hearsay_model::{
    EntityId, Resolution, SpeakerRole, State, TalkKind, attribute, lists::push_new, spelling, text, words,
};
use hearsay_query::{
    QueryError,
    resolve::{Speaker, resolve_character, resolve_complete_words, resolve_named},
};
use serde::Serialize;

use crate::{
    presence::{require_speaker, scene_moment},
    session::{LogLine, table_talk::is_marked_out_of_character},
};

/// Minimum number of letters of an abbreviated name.
pub(super) const MIN_ABBREVIATION_LETTERS: usize = 3;

/// Maximum number of words before the colon of a typed line that can refer to a speaker.
pub(super) const MAX_REFERENCE_WORDS: usize = 4;

/// A speaker of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpeakerRow {
    /// Name of the speaker as written in the file.
    pub name: String,
    /// Number of lines by this speaker.
    pub lines: usize,
    /// Character or person to whom the name refers.
    pub is: SpeakerIdentity,
    /// Proposal of a character or person, if the campaign does not identify the speaker; `None` if there is no
    /// proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<SpeakerProposal>,
}

/// Character or person to whom the name of a speaker refers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeakerIdentity {
    /// The name refers to this character of the campaign, or to the player of the character.
    Character(EntityId),
    /// The name refers to the DM.
    Dm,
    /// The DM decided that the speaker does not take part in the game. The name stays part of the text of the line.
    Nobody,
    /// The name is ambiguous: it can refer to each of these characters.
    Ambiguous(Vec<EntityId>),
    /// The name refers to no character of the campaign. The name stays part of the text of the line.
    Unknown,
}

impl SpeakerIdentity {
    /// Returns the identity of a speaker whose name can refer to each of these characters.
    fn from_candidates(candidates: &[EntityId]) -> Self {
        match candidates {
            [] => Self::Unknown,
            [character] => Self::Character(character.clone()),
            candidates => Self::Ambiguous(candidates.to_vec()),
        }
    }

    /// Returns whether the speaker is unidentified, because the name is unknown or ambiguous.
    pub fn is_unidentified(&self) -> bool {
        matches!(self, Self::Ambiguous(_) | Self::Unknown)
    }
}

impl From<SpeakerRole> for SpeakerIdentity {
    fn from(role: SpeakerRole) -> Self {
        match role {
            SpeakerRole::Dm => Self::Dm,
            SpeakerRole::Nobody => Self::Nobody,
        }
    }
}

/// Proposal for a speaker whom the campaign does not identify.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpeakerProposal {
    /// Probable character or person: a character or the DM.
    pub is: SpeakerIdentity,
    /// Reason for the proposal.
    pub evidence: SpeakerEvidence,
}

/// Reason for the proposal of a character or a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeakerEvidence {
    /// The name of the speaker is similar to a name of the character, or to the name of its player.
    SimilarName,
    /// The speaker introduces himself or herself as the character.
    Introduction,
    /// The speaker answers when others address the character.
    Conversation,
    /// All other speakers are identified, and all other player characters have a player.
    Elimination,
    /// The speaker says more words than any other speaker.
    MostWords,
}

/// Assignment of a speaker of a transcript to a character or a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpeakerAssignment {
    /// Name of the speaker as written in the file. Upper and lower case are ignored.
    pub name: String,
    /// Character or person who speaks.
    pub is: AssignedSpeaker,
    /// Whether to save the assignment in the campaign for later imports: see
    /// [`remember_speakers`](super::remember_speakers).
    pub remember: bool,
}

/// Character or person to whom the user assigns a speaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssignedSpeaker {
    /// The speaker is this character, or the player of this character.
    Character(EntityId),
    /// The speaker plays no character.
    Role(SpeakerRole),
}

/// Returns whether a name is a label that a transcription program gave to a speaker, such as `Speaker 1`. The same
/// label can mean different persons in different transcripts.
pub fn is_speaker_label(name: &str) -> bool {
    let name_words = text::words(name);
    let is_label = |word: &String| words::contains_word(&words::english().speaker_labels, word);
    let is_number = |word: &String| word.chars().count() == 1 || word.chars().all(|c| c.is_ascii_digit());
    name_words.iter().any(is_label) && name_words.iter().all(|word| is_label(word) || is_number(word))
}

/// Returns the name of a speaker without a note that follows it: `Laura` for `Laura (she/her)`.
pub(super) fn without_note(name: &str) -> &str {
    name.split(['(', '[', '#', '/']).next().unwrap_or(name).trim()
}

/// Returns whether a name refers to the person who runs the game in every campaign.
fn is_narrator(name: &str) -> bool {
    words::contains_word(&words::english().narrators, &text::normalize(name))
}

/// Characters by a name in normal form.
type CharactersByName = BTreeMap<String, Vec<EntityId>>;

fn add_name(names: &mut CharactersByName, name: String, id: &EntityId) {
    push_new(names.entry(name).or_default(), id.clone());
}

/// Names by which a campaign identifies the speakers of a transcript.
pub(in crate::session) struct SpeakerNames<'a> {
    state: &'a State,
    /// Characters by their players' full names.
    players: CharactersByName,
    /// Characters by their first names, and by their players' full names and first names.
    short_names: CharactersByName,
    /// Results of [`identify_typed`](Self::identify_typed), because the clauses of a line ask for the same words.
    identified: RefCell<BTreeMap<String, SpeakerIdentity>>,
}

impl<'a> SpeakerNames<'a> {
    pub(in crate::session) fn new(state: &'a State) -> Self {
        let (players, short_names) = (CharactersByName::new(), CharactersByName::new());
        let mut names = Self { state, players, short_names, identified: RefCell::default() };
        names.add_first_names();
        names.add_players();
        names
    }

    fn add_first_names(&mut self) {
        let state = self.state;
        let ids = state.entities().map(|entity| &entity.id);
        for id in ids.filter(|id| state.is_character(id)) {
            let name_words = state.open_name(id).map(text::words).unwrap_or_default();
            if let Some(first_name) = name_words.into_iter().next() {
                add_name(&mut self.short_names, first_name, id);
            }
        }
    }

    fn add_players(&mut self) {
        let state = self.state;
        for id in state.entities().map(|entity| &entity.id) {
            let Some(player) = player(state, id) else { continue };
            let full_name = text::normalize(player);
            if let Some(first_name) = text::words(player).into_iter().next() {
                add_name(&mut self.short_names, first_name, id);
            }
            add_name(&mut self.short_names, full_name.clone(), id);
            add_name(&mut self.players, full_name, id);
        }
    }

    /// Returns the character or person to whom the name of a speaker refers. Roles and names of players take precedence
    /// over names of characters. Recognizes a name or alias even if a player's name, a number or a note in brackets
    /// follows it.
    pub(super) fn identify(&self, name: &str) -> SpeakerIdentity {
        if is_narrator(name) {
            return SpeakerIdentity::Dm;
        }
        if let Some(role) = self.state.speaker_role(name) {
            return role.into();
        }
        if let Some(characters) = self.players.get(&text::normalize(name)) {
            return SpeakerIdentity::from_candidates(characters);
        }
        let name_without_note = without_note(name);
        let note = name.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')')).trim();
        for name in [name, name_without_note, note].into_iter().filter(|name| !name.is_empty()) {
            match self.state.resolve(name) {
                Resolution::One(id) => return SpeakerIdentity::Character(id),
                Resolution::Ambiguous(mut candidates) => {
                    candidates.retain(|id| self.can_speak(id));
                    return SpeakerIdentity::from_candidates(&candidates);
                }
                Resolution::None => {}
            }
        }
        if is_narrator(name_without_note) || is_narrator(note) {
            return SpeakerIdentity::Dm;
        }
        if let Some(characters) = self.short_names.get(&text::normalize(name_without_note)) {
            return SpeakerIdentity::from_candidates(characters);
        }
        // A part of a name is enough, such as the name behind a title. Places and things do not speak.
        let mut candidates = match resolve_complete_words(self.state, name_without_note) {
            Ok(id) => vec![id],
            Err(QueryError::Ambiguous { candidates, .. }) => candidates.into_iter().map(|(id, _)| id).collect(),
            Err(_) => Vec::new(),
        };
        candidates.retain(|id| self.is_character(id));
        SpeakerIdentity::from_candidates(&candidates)
    }

    /// Returns an error with the characters to whom the name of a speaker can refer, if there are several.
    pub(super) fn require_unambiguous(&self, name: &str, identity: &SpeakerIdentity) -> Result<(), QueryError> {
        let SpeakerIdentity::Ambiguous(ids) = identity else { return Ok(()) };
        let candidates = ids.iter().map(|id| (id.clone(), self.state.name_or_id(id).to_owned())).collect();
        Err(QueryError::Ambiguous { name: name.to_owned(), candidates })
    }

    /// Returns the character or person to whom the words before the colon of a typed line refer. Unlike the name of a
    /// speaker in a transcript, these words can be an occupation, a title, or the beginning of a name.
    pub(super) fn identify_typed(&self, name: &str) -> SpeakerIdentity {
        if let Some(identity) = self.identified.borrow().get(name) {
            return identity.clone();
        }
        let identity = match self.identify(name) {
            SpeakerIdentity::Unknown => {
                let name = without_note(name);
                let referent = self.referent(name).or_else(|| self.with_other_title_form(name));
                referent.map_or(SpeakerIdentity::Unknown, SpeakerIdentity::Character)
            }
            identity => identity,
        };
        self.identified.borrow_mut().insert(name.to_owned(), identity.clone());
        identity
    }

    /// Returns the character to whom a few words refer; `None` if there is none, or if it cannot speak.
    pub(super) fn speaking_character(&self, reference: &str) -> Option<EntityId> {
        match self.identify_typed(reference) {
            SpeakerIdentity::Character(id) if self.can_speak(&id) => Some(id),
            _ => None,
        }
    }

    /// Returns the character or group to whom a few words refer.
    fn referent(&self, reference: &str) -> Option<EntityId> {
        let reference_words = text::words(reference);
        // "Rain" abbreviates no name.
        let can_abbreviate = spelling::letters(&reference_words).chars().count() >= MIN_ABBREVIATION_LETTERS
            && !reference_words.iter().all(|word| spelling::is_common_word(word));
        let is_unknown = |found| matches!(found, Err(QueryError::Unknown { .. }));
        let is_abbreviation = !is_unknown(resolve_named(self.state, reference))
            && is_unknown(resolve_complete_words(self.state, reference));
        if reference_words.len() > MAX_REFERENCE_WORDS || (is_abbreviation && !can_abbreviate) {
            return None;
        }
        let described = match resolve_character(self.state, reference) {
            Ok(id) => Some(id).filter(|id| self.state.kind(id).is_some_and(|kind| kind.can_speak())),
            Err(QueryError::Ambiguous { .. }) => return None,
            Err(_) => None,
        };
        let mut referents = self.titled(&reference_words);
        if let Some(id) = described.filter(|id| !referents.contains(id)) {
            referents.push(id);
        }
        if referents.len() == 1 { referents.pop() } else { None }
    }

    /// Returns the only character whose name begins with another form of the title of a name, and contains the rest of the
    /// name: Doctor Halvard Renn for "Doc Renn".
    fn with_other_title_form(&self, name: &str) -> Option<EntityId> {
        let name = text::words(name);
        let (title, rest) = name.split_first().filter(|(_, rest)| !rest.is_empty())?;
        let is_form = |forms: &str, title: &str| forms.split_whitespace().any(|form| form == title);
        let forms = words::english().title_forms.iter().find(|forms| is_form(forms, title))?;
        let has_name = |id: &EntityId| {
            let own_name = self.state.open_name(id).map(text::words).unwrap_or_default();
            own_name.split_first().is_some_and(|(own, others)| is_form(forms, own) && text::contains_name(others, rest))
        };
        let ids = self.state.entities().map(|entity| &entity.id);
        let mut found = ids.filter(|id| self.is_character(id) && has_name(id));
        found.next().filter(|_| found.next().is_none()).cloned()
    }

    /// Returns the characters to whose titles a definite description refers: Captain Lionel Greaves for "the captain".
    fn titled(&self, reference: &[String]) -> Vec<EntityId> {
        let english = words::english();
        let [article, title] = reference else { return Vec::new() };
        // "Old" is no noun, and "the father" is no priest.
        let is_title = words::is_title(title) && Language::english().is_occupation(title);
        if !is_title || !words::contains_word(&english.fillers, article) {
            return Vec::new();
        }
        let mut ids = self.short_names.get(title).cloned().unwrap_or_default();
        ids.retain(|id| {
            let name = self.state.open_name(id).map(text::words).unwrap_or_default();
            name.len() > 1 && name.first() == Some(title)
        });
        ids
    }

    /// Returns the line that a speaker with a name and an identity says. The name of a speaker that is no character
    /// stays part of the text, except for the DM.
    pub(super) fn line(&self, name: &str, identity: &SpeakerIdentity, words: &str) -> LogLine {
        let (speaker, words_with_name) = match identity {
            SpeakerIdentity::Character(id) => {
                let secret_name = self.state.secret_name(id, name);
                let alias = secret_name.or_else(|| self.state.secret_name(id, without_note(name))).map(str::to_owned);
                (Some(Speaker { id: id.clone(), alias }), words.to_owned())
            }
            SpeakerIdentity::Dm => (None, words.to_owned()),
            _ => (None, format!("{name}: {words}")),
        };
        let is_marked = is_marked_out_of_character(words) || is_marked_out_of_character(name);
        LogLine {
            speaker,
            at_table: self.is_at_table(name, identity),
            talk_kind: is_marked.then_some(TalkKind::OutOfCharacter),
            ..LogLine::new(words_with_name)
        }
    }

    /// Returns whether a name means a person at the table, such as a player, and not a character.
    fn is_at_table(&self, name: &str, identity: &SpeakerIdentity) -> bool {
        let is_player = |id: &EntityId| plays(self.state, name, id);
        match identity {
            SpeakerIdentity::Character(id) => is_player(id),
            SpeakerIdentity::Ambiguous(ids) => ids.iter().any(is_player),
            SpeakerIdentity::Dm | SpeakerIdentity::Nobody => true,
            SpeakerIdentity::Unknown => false,
        }
    }

    /// Returns whether an entity can speak. An entity of unknown kind can speak.
    pub(super) fn can_speak(&self, id: &EntityId) -> bool {
        require_speaker(self.state, id).is_ok()
    }

    /// Returns whether an entity can hear words now: it [can speak](Self::can_speak), and is alive.
    pub(super) fn can_hear(&self, id: &EntityId) -> bool {
        let moment = self.state.active_session().and_then(|playing| scene_moment(self.state, playing));
        self.can_speak(id) && !is_dead(self.state, id, moment)
    }

    pub(super) fn is_character(&self, id: &EntityId) -> bool {
        self.state.is_character(id)
    }

    /// Returns whether the campaign already contains an assignment, so that it need not be saved.
    pub(super) fn contains(&self, name: &str, identity: &SpeakerIdentity) -> bool {
        // A player of several characters stays ambiguous, although each of the characters names the player.
        let is_player = |id: &EntityId| {
            player(self.state, id).is_some_and(|player| text::normalize(player) == text::normalize(name))
        };
        self.identify(name) == *identity
            || matches!(identity, SpeakerIdentity::Character(id) if is_player(id))
                && self.state.speaker_role(name).is_none()
    }
}

/// Returns the name of the person who plays a character.
pub(super) fn player<'a>(state: &'a State, id: &EntityId) -> Option<&'a str> {
    state.newest(id, attribute::PLAYER)?.object().text()
}

/// Returns whether a name is the full name or the first name of the player of a character.
fn plays(state: &State, name: &str, id: &EntityId) -> bool {
    let name = text::words(without_note(name));
    let player = player(state, id).map(text::words).unwrap_or_default();
    !name.is_empty() && (name == player || name[..] == player[..player.len().min(1)])
}

/// Finds the speaker that a person names, and decides whether the name is that of the player of the speaker. `found` is the
/// result of a search for a character with this name. If the search fails, the speaker is the character whose player has
/// the name.
///
/// # Errors
/// Returns the error in `found` if no player has this name, or if the player plays several characters.
pub fn speaker_or_player<E>(state: &State, name: &str, found: Result<Speaker, E>) -> Result<(Speaker, bool), E> {
    match (found, speaker_of_player(state, name)) {
        (Ok(speaker), played) => {
            let is_player = played.as_ref() == Some(&speaker) && resolve_named(state, name).is_err();
            Ok((speaker, is_player))
        }
        (Err(_), Some(speaker)) => Ok((speaker, true)),
        (Err(error), None) => Err(error),
    }
}

/// Finds the character whose player has this name. Returns `None` if no player has this name, or if the player plays
/// several characters.
pub(super) fn speaker_of_player(state: &State, name: &str) -> Option<Speaker> {
    match SpeakerNames::new(state).identify(name) {
        SpeakerIdentity::Character(id) if plays(state, name, &id) => Some(id.into()),
        _ => None,
    }
}
