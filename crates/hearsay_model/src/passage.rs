//! Passages of text, and the sessions at the table.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Date, EntityId, Evidence, GameTime, Knower, PassageId, Reference, Rename, SessionId, text, words};

/// A text with its speaker, time, place and hearers. For example, a passage is a line said at the table, a letter, or a
/// paragraph of lore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The text of the passage.
    pub text: String,
    /// The title of the passage, such as the title of a letter; `None` if it has no title.
    pub title: Option<String>,
    /// The speaker; `None` for narration or lore.
    pub speaker: Option<EntityId>,
    /// The secret name that the speaker uses; `None` if the speaker uses no secret name. A listener who does not know
    /// that the name belongs to the speaker learns only the secret name.
    #[serde(default)]
    pub speaker_alias: Option<String>,
    /// The session in which the passage was said; `None` if the passage belongs to no session.
    pub session: Option<SessionId>,
    /// The line number of the passage within its session or document. If the same line is said twice, there are two
    /// passages with different line numbers.
    pub line: u32,
    /// The game date on which the passage was said; `None` if the date is unknown.
    pub time: Option<Date>,
    /// The place where the passage was said or where the text is; `None` if the place is unknown.
    pub place: Option<EntityId>,
    /// The knowers who heard the passage or may have read it. Sorted and unique.
    pub heard_by: Vec<Knower>,
    /// The entities that the passage mentions. Sorted and unique.
    pub mentions: Vec<EntityId>,
    /// The document that contains the passage; `None` if no document contains it.
    pub document: Option<EntityId>,
    /// The files or passages against which a person can check the text.
    pub evidence: Vec<Evidence>,
    /// The knowers who read the passage later. Sorted; each knower occurs once.
    #[serde(default)]
    pub readers: Vec<PassageReader>,
    /// The kind of talk; `None` if it is unknown, or if the passage is not a line of a session.
    #[serde(default)]
    pub talk_kind: Option<TalkKind>,
    /// Whether the speaker lies: `true` if the speaker does not believe the facts that the passage states. Only the DM
    /// can see this value.
    #[serde(default)]
    pub lie: bool,
    /// Whether the speaker says the passage to some of the characters who are present, such as a whisper, so that the
    /// others do not hear it. Only the DM can see this value.
    #[serde(default)]
    pub confidential: bool,
}

/// The kind of talk in a line of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TalkKind {
    /// The line narrates the story or describes its world.
    Narration,
    /// A character speaks.
    InCharacter,
    /// The line is not part of the story. For example, the line is about rules, dice or the real world. No character
    /// hears the line.
    OutOfCharacter,
    /// The line narrates, but may state a secret that a hearer does not know. No character hears the line until the DM
    /// decides that the secret comes out, or that the line states no secret.
    Withheld,
}

impl TalkKind {
    /// Returns the name of this kind in exported data, such as `in_character`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Narration => "narration",
            Self::InCharacter => "in_character",
            Self::OutOfCharacter => "out_of_character",
            Self::Withheld => "withheld",
        }
    }

    /// Returns whether the line is part of the story, so that characters can hear it.
    pub fn is_heard(self) -> bool {
        !matches!(self, Self::OutOfCharacter | Self::Withheld)
    }
}

impl fmt::Display for TalkKind {
    /// Writes the kind in words, such as `in character`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.as_str().replace('_', " "))
    }
}

/// A knower who read a passage, with the time of reading.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PassageReader {
    /// The reader.
    pub knower: Knower,
    /// The game time at which the knower read the passage; `None` means that the knower has always known the text.
    pub since: Option<GameTime>,
}

impl Passage {
    /// Creates a passage with a text and without any other data.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            title: None,
            speaker: None,
            speaker_alias: None,
            session: None,
            line: 0,
            time: None,
            place: None,
            heard_by: Vec::new(),
            mentions: Vec::new(),
            document: None,
            evidence: Vec::new(),
            readers: Vec::new(),
            talk_kind: None,
            lie: false,
            confidential: false,
        }
    }

    /// Returns whether the passage is a line that no character hears: an out-of-character line, or a withheld line.
    pub fn is_out_of_character(&self) -> bool {
        self.talk_kind.is_some_and(|kind| !kind.is_heard())
    }

    /// Returns whether the passage is narration that only says what somebody thinks or intends: `Odo thinks about going
    /// home.` Only this character knows it, although others hear the line.
    pub fn is_intention(&self) -> bool {
        let own_words = text::words(&self.text);
        let mut phrases = words::english().intention_phrases.iter();
        self.speaker.is_none() && phrases.any(|phrase| text::contains_name(&own_words, &text::words(phrase)))
    }

    /// Returns whether no character hears the line because it may state a secret.
    pub fn is_withheld(&self) -> bool {
        self.talk_kind == Some(TalkKind::Withheld)
    }

    /// Returns whether the passage is an entry of `passages` in a campaign file that no knower knows, such as the DM's plan
    /// for a session.
    pub fn is_for_dm_alone(&self) -> bool {
        let is_entry = |evidence: &Evidence| match evidence {
            Evidence::File { field, .. } => field.starts_with("passages"),
            Evidence::Excerpt(_) | Evidence::Passage { .. } => false,
        };
        self.evidence.iter().any(is_entry) && self.heard_by.is_empty() && self.readers.is_empty()
    }

    /// Returns whether a knower is the speaker or one of the hearers, regardless of the [kind of
    /// talk](Self::talk_kind).
    pub fn has_participant(&self, knower: &Knower) -> bool {
        let is_speaker = self.speaker.is_some() && self.speaker.as_ref() == knower.entity();
        is_speaker || self.heard_by.contains(knower)
    }

    /// Returns the game time at which the passage was said; `None` if its date is unknown or not on the campaign's
    /// calendar.
    pub fn said_at(&self) -> Option<GameTime> {
        self.time.as_ref().and_then(|date| date.time)
    }

    /// Returns the game time at which a knower heard or read the passage.
    ///
    /// Returns `None` if the knower neither heard nor read the passage. The result is always `None` for an
    /// out-of-character or withheld line. Returns `Some(None)` if the knower heard or read the passage, but the time is
    /// not known.
    pub fn received_at(&self, knower: &Knower) -> Option<Option<GameTime>> {
        if self.is_out_of_character() {
            return None;
        }
        let said_at = self.said_at();
        if self.has_participant(knower) {
            return Some(said_at);
        }
        self.readers.iter().find(|reader| reader.knower == *knower).map(|reader| reader.since.max(said_at))
    }

    /// Returns a key that sorts passages in the order in which they were said: by game time, then by session, then by line
    /// number. `sessions` contains the sessions in the order in which they were played. Of the passages of one game time,
    /// those without a session come last.
    pub fn said_order(&self, sessions: &[SessionId]) -> (Option<GameTime>, bool, Option<usize>, u32) {
        let index = self.session.as_ref().and_then(|session| sessions.iter().position(|other| other == session));
        (self.said_at(), self.session.is_none(), index, self.line)
    }

    /// Returns the passage as it appears to a listener who does not know that the secret name belongs to the speaker.
    ///
    /// The result contains no reference to the speaker.
    #[must_use]
    pub fn without_speaker(&self) -> Self {
        let mut masked = self.clone();
        if let Some(speaker) = masked.speaker.take() {
            masked.heard_by.retain(|knower| knower.entity() != Some(&speaker));
            masked.readers.retain(|reader| reader.knower.entity() != Some(&speaker));
        }
        masked
    }

    /// Returns the entities to which the passage refers, except the hearers and readers.
    pub fn entities(&self) -> impl Iterator<Item = &EntityId> {
        self.speaker.iter().chain(&self.place).chain(&self.document).chain(&self.mentions)
    }

    /// Returns the knowers who heard or read the passage.
    pub fn knowers(&self) -> impl Iterator<Item = &Knower> {
        self.heard_by.iter().chain(self.readers.iter().map(|reader| &reader.knower))
    }

    /// Calls `visit` with each reference from the passage to another record.
    pub fn visit_references<'a>(&'a self, visit: &mut dyn FnMut(Reference<'a>)) {
        self.entities().chain(self.knowers().filter_map(Knower::entity)).for_each(|id| visit(Reference::Entity(id)));
        self.session.iter().for_each(|id| visit(Reference::Session(id)));
        self.evidence.iter().filter_map(Evidence::passage).for_each(|id| visit(Reference::Passage(id)));
    }

    /// Uses the methods of `renaming` to replace the ids of the records that the passage refers to.
    pub fn rename<R: Rename>(&mut self, renaming: &mut R) {
        let entities = self.speaker.iter_mut().chain(&mut self.place).chain(&mut self.document);
        entities.chain(&mut self.mentions).for_each(|id| renaming.entity(id));
        self.session.iter_mut().for_each(|id| renaming.session(id));
        let readers = self.readers.iter_mut().map(|reader| &mut reader.knower);
        self.heard_by.iter_mut().chain(readers).for_each(|knower| knower.rename(renaming));
        self.evidence.iter_mut().for_each(|evidence| evidence.rename(renaming));
        if !R::KEEPS_IDS_EQUAL {
            self.mentions.sort();
            self.mentions.dedup();
            self.heard_by.sort();
            self.heard_by.dedup();
            self.readers.sort();
            self.readers.dedup_by(|later, first| later.knower == first.knower);
        }
    }

    /// Returns the id of the passage: a hash of the text, the title, the speaker, the session, the document and the
    /// line number.
    ///
    /// If the speaker uses a secret name, the hash contains that name instead. The id then does not reveal the speaker.
    pub fn id(&self) -> PassageId {
        PassageId::from_parts(&[
            self.text.as_bytes(),
            self.title.as_deref().unwrap_or_default().as_bytes(),
            self.speaker_alias
                .as_deref()
                .or(self.speaker.as_ref().map(EntityId::as_str))
                .unwrap_or_default()
                .as_bytes(),
            self.session.as_ref().map_or("", SessionId::as_str).as_bytes(),
            self.document.as_ref().map_or("", EntityId::as_str).as_bytes(),
            &self.line.to_be_bytes(),
        ])
    }
}

/// A session: one evening of play at the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The readable, stable id.
    pub id: SessionId,
    /// The number of the session in the campaign; `None` if the session has no number.
    pub number: Option<u32>,
    /// The title of the session.
    pub title: String,
    /// The real-world date of the session, as the DM wrote it; `None` if it is unknown.
    pub date: Option<String>,
    /// The game time at the start of the session; `None` if it is unknown.
    pub start: Option<Date>,
    /// The game time at the end of the session; `None` if it is unknown.
    pub end: Option<Date>,
    /// The player characters that were present at any time in the session. Sorted and unique.
    pub present: Vec<EntityId>,
}

impl Session {
    /// Creates a session without a number, title, date, times and characters.
    pub fn new(id: SessionId) -> Self {
        Self { id, number: None, title: String::new(), date: None, start: None, end: None, present: Vec::new() }
    }

    /// Returns the game time at the start; `None` if it is unknown or not on the campaign's calendar.
    pub fn started_at(&self) -> Option<GameTime> {
        self.start.as_ref().and_then(|date| date.time)
    }

    /// Returns the game time at the end; `None` if it is unknown or not on the campaign's calendar.
    pub fn ended_at(&self) -> Option<GameTime> {
        self.end.as_ref().and_then(|date| date.time)
    }

    /// Uses the methods of `renaming` to replace the ids of the session and of the player characters.
    pub fn rename<R: Rename>(&mut self, renaming: &mut R) {
        renaming.session(&mut self.id);
        self.present.iter_mut().for_each(|id| renaming.entity(id));
        if !R::KEEPS_IDS_EQUAL {
            self.present.sort();
            self.present.dedup();
        }
    }
}
