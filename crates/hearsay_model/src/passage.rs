//! Passages of text, and the sessions in which they were said.

use serde::{Deserialize, Serialize};

use crate::{Date, EntityId, Evidence, GameTime, Knower, PassageId, SessionId};

/// A self-contained text: a line said at the table, a letter, a paragraph of lore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The text.
    pub text: String,
    /// The title.
    pub title: Option<String>,
    /// The speaker; `None` for narration or lore.
    pub speaker: Option<EntityId>,
    /// The secret name under which the speaker speaks. A listener who does not know its bearer hears only this name.
    #[serde(default)]
    pub speaker_alias: Option<String>,
    /// The session in which it was said.
    pub session: Option<SessionId>,
    /// The number of the passage within the session or text, so that a line said twice is two passages.
    pub line: u32,
    /// When it was said, in game time.
    pub time: Option<Date>,
    /// The place where it was said, or that it belongs to.
    pub place: Option<EntityId>,
    /// The knowers who heard it or may have read it. Sorted and unique.
    pub heard_by: Vec<Knower>,
    /// The entities that the passage mentions. Sorted and unique.
    pub mentions: Vec<EntityId>,
    /// The document that contains the passage.
    pub document: Option<EntityId>,
    /// Where the text was written down.
    pub evidence: Vec<Evidence>,
    /// Later readers of the passage. Sorted, each reader once.
    #[serde(default)]
    pub readers: Vec<PassageReader>,
}

/// A reader of a passage, and when it read the passage.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PassageReader {
    /// The reader.
    pub knower: Knower,
    /// The time of reading; `None` means since ever.
    pub since: Option<GameTime>,
}

impl Passage {
    /// Creates a passage that consists of its text only.
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
        }
    }

    /// Returns when a knower received the passage directly: when it was said, or when the knower read it.
    ///
    /// Returns `None` if the knower did not receive it, and `Some(None)` if the time is not known.
    pub fn reached(&self, knower: &Knower) -> Option<Option<GameTime>> {
        let said = self.time.as_ref().and_then(|date| date.time);
        let spoke = self.speaker.is_some() && self.speaker.as_ref() == knower.entity();
        if spoke || self.heard_by.contains(knower) {
            return Some(said);
        }
        self.readers.iter().find(|reader| reader.knower == *knower).map(|reader| reader.since.max(said))
    }

    /// Returns the passage as a listener perceives it who does not know the bearer of the speaker's secret name.
    ///
    /// The result contains no reference to the speaker.
    #[must_use]
    pub fn masked(&self) -> Self {
        let mut masked = self.clone();
        if let Some(speaker) = masked.speaker.take() {
            masked.heard_by.retain(|knower| knower.entity() != Some(&speaker));
            masked.readers.retain(|reader| reader.knower.entity() != Some(&speaker));
        }
        masked
    }

    /// Returns the id: a hash of the text, the title, the speaker, the session, the document and the line number.
    ///
    /// If the speaker uses a secret name, the hash contains that name, so that the id does not reveal the speaker.
    pub fn id(&self) -> PassageId {
        PassageId::of(&[
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

/// A session at the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The readable stable id.
    pub id: SessionId,
    /// Its number in the campaign.
    pub number: Option<u32>,
    /// The title.
    pub title: String,
    /// The real-world date of the session, as written.
    pub date: Option<String>,
    /// The game time at its start.
    pub start: Option<Date>,
    /// The game time at its end.
    pub end: Option<Date>,
    /// The player characters present. Sorted and unique.
    pub present: Vec<EntityId>,
}
