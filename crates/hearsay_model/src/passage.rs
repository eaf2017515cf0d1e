//! Passages of text, and the sessions in which they were said.

use serde::{Deserialize, Serialize};

use crate::{Date, EntityId, Evidence, GameTime, Knower, PassageId, SessionId};

/// Text that stands for itself: a line said at the table, a letter, a paragraph of lore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The words.
    pub text: String,
    /// What it is headed with.
    pub title: Option<String>,
    /// Who says it; nobody, when it is narration or lore.
    pub speaker: Option<EntityId>,
    /// The secret name under which the speaker says it. Whoever does not know whose name it is hears this name speak.
    #[serde(default)]
    pub speaker_alias: Option<String>,
    /// The session in which it was said.
    pub session: Option<SessionId>,
    /// Its number within the session or text, so that a line said twice is two passages.
    pub line: u32,
    /// When it was said, in game time.
    pub time: Option<Date>,
    /// Where it was said, or what place it belongs to.
    pub place: Option<EntityId>,
    /// Who heard or may have read it. Sorted, each once.
    pub heard_by: Vec<Knower>,
    /// The entities it mentions. Sorted, each once.
    pub mentions: Vec<EntityId>,
    /// The document that bears it.
    pub document: Option<EntityId>,
    /// Where it was written down.
    pub evidence: Vec<Evidence>,
    /// Who read it later, and when. Sorted, each reader once.
    #[serde(default)]
    pub readers: Vec<Reader>,
}

/// Somebody who read a text at a moment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Reader {
    /// Who.
    pub knower: Knower,
    /// When; since ever, when nothing is said.
    pub since: Option<GameTime>,
}

impl Passage {
    /// A passage with nothing but its words.
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

    /// Since when somebody has it by itself: since it was said, or since it read it. Nothing, when it has not.
    pub fn reached(&self, knower: &Knower) -> Option<Option<GameTime>> {
        let said = self.time.as_ref().and_then(|date| date.time);
        let spoke = self.speaker.is_some() && self.speaker.as_ref() == knower.entity();
        if spoke || self.heard_by.contains(knower) {
            return Some(said);
        }
        self.readers.iter().find(|reader| reader.knower == *knower).map(|reader| reader.since.max(said))
    }

    /// The passage as it is heard by one who does not know who bears the name under which the speaker speaks: nothing in
    /// it leads to the speaker.
    #[must_use]
    pub fn masked(&self) -> Self {
        let mut masked = self.clone();
        if let Some(speaker) = masked.speaker.take() {
            masked.heard_by.retain(|knower| knower.entity() != Some(&speaker));
            masked.readers.retain(|reader| reader.knower.entity() != Some(&speaker));
        }
        masked
    }

    /// The id: a hash of the words, who said them (or under which secret name, so that the id leads nobody to the speaker),
    /// and where in which session they stand.
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

/// A meeting at the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The readable stable id.
    pub id: SessionId,
    /// Its number in the campaign.
    pub number: Option<u32>,
    /// What it is called.
    pub title: String,
    /// When it was played, in the real world, as written.
    pub date: Option<String>,
    /// The game time at its start.
    pub start: Option<Date>,
    /// The game time at its end.
    pub end: Option<Date>,
    /// Whose characters were there. Sorted, each once.
    pub present: Vec<EntityId>,
}
