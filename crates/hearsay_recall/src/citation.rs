//! Citations: the source of a line, and how the knower learned the content of the line.

use hearsay_belief::{AccessPath, Known, ReceivedPassage};
use hearsay_model::{Acquisition, Calendar, Credence, EntityId, Evidence, FactId, PassageId, SessionId, words};
use serde::{Deserialize, Serialize};

use crate::{Channels, EntityLinker};

/// Source of a line in a scene context, a summary or a recap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A fact.
    Fact(FactId),
    /// A passage.
    Passage(PassageId),
    /// The scene in the request: its time, its place and the entities that are present.
    Scene,
}

/// An entity, with the name by which a knower knows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CitedEntity {
    /// Id of the entity.
    pub id: EntityId,
    /// The knower's name for the entity; `None` if the knower knows no name of the entity.
    pub name: Option<String>,
}

impl CitedEntity {
    pub(crate) fn new(names: &EntityLinker, id: &EntityId) -> Self {
        Self { id: id.clone(), name: names.name(id).map(str::to_owned) }
    }

    /// Returns the knower's name for the entity, or `fallback` if the knower knows no name.
    pub fn name_or<'a>(&'a self, fallback: &'a str) -> &'a str {
        self.name.as_deref().unwrap_or(fallback)
    }
}

/// Joins the names of entities: `A`, `A and B`, `A, B and C`. One entity without a name is called
/// `somebody`, and several are counted: `two people`. The `description` follows these words.
pub(crate) fn join_names(entities: &[CitedEntity], description: &str) -> String {
    let unnamed = match entities.iter().filter(|entity| entity.name.is_none()).count() {
        0 => None,
        1 => Some(format!("somebody{description}")),
        several => {
            let number = words::english().number_words.get(several - 1).cloned();
            Some(format!("{} people{description}", number.unwrap_or_else(|| several.to_string())))
        }
    };
    let names = entities.iter().filter_map(|entity| entity.name.as_deref());
    words::join_names(&names.chain(unnamed.as_deref()).collect::<Vec<_>>())
}

/// How a knower learned the content of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CitedAcquisition {
    /// The campaign states that the knower, or its group or place, knows the content. The campaign does not state how
    /// the knower learned the content.
    Authored,
    /// The knower saw what the fact states.
    Witnessed,
    /// Another entity told the knower the fact.
    Told {
        /// The entity that told the fact; `None` if the knower heard the fact as a rumour.
        by: Option<CitedEntity>,
        /// The entity that the teller named as its own source; `None` if the teller named no source.
        citing: Option<CitedEntity>,
    },
    /// The knower read the fact or the passage.
    Read {
        /// The document; `None` if it is unknown.
        document: Option<CitedEntity>,
    },
    /// The knower deduced the fact from other facts.
    Deduced,
    /// The knower invented the fact and told it to others.
    MadeUp,
    /// The knower heard another version of the fact, and told others this version.
    OwnVersion,
    /// The knower said the words of the passage.
    Said,
    /// The knower heard another entity say the words of the passage.
    Heard,
    /// The knower was present when the passage was narrated. The passage has no speaker.
    Attended,
    /// The knower is the DM, who sees all records.
    Recorded,
    /// The content is part of the scene in the request.
    Scene,
}

/// How the content of a line reached the knower: directly, through a group or place, or as common lore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CitedAccessPath {
    /// The knower itself learned the content.
    Own,
    /// The knower is a member of this group, which learned the content.
    Member(CitedEntity),
    /// The knower is a resident of this place, which learned the content.
    Resident(CitedEntity),
    /// Everyone knows the content (common lore).
    Common,
}

/// Source of a line, and how one knower learned its content.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Citation {
    /// Source of the line.
    pub source: Source,
    /// How the knower learned the content. If `access_path` names a group or place, how the group or place learned the
    /// content.
    pub acquisition: CitedAcquisition,
    /// How the content reached the knower: directly, through a group or place, or as common lore.
    pub access_path: CitedAccessPath,
    /// The knower's credence in the fact. `None` for passages, because the knower heard or read the exact words.
    pub credence: Option<Credence>,
    /// Date on which the knower learned the content, on the campaign's calendar. `None` if the date is unknown or the
    /// knower has always known the content.
    pub learned: Option<String>,
    /// Session in which the source was recorded; `None` if the source was not recorded in a session.
    pub session: Option<SessionId>,
    /// File and line of the source, as `path:line`; `None` if the source does not come from a file.
    pub file: Option<String>,
    /// Whether the knower conceals the fact. `false` for passages.
    pub conceals: bool,
}

impl Citation {
    pub(crate) fn for_scene() -> Self {
        Self {
            source: Source::Scene,
            acquisition: CitedAcquisition::Scene,
            access_path: CitedAccessPath::Own,
            credence: None,
            learned: None,
            session: None,
            file: None,
            conceals: false,
        }
    }

    /// Describes in words how the knower learned the content: `told by Odo Brandt`, `as a member of the Harbour Watch`.
    pub fn describe_acquisition(&self) -> String {
        let learned = match &self.acquisition {
            CitedAcquisition::Authored => String::new(),
            CitedAcquisition::Witnessed => "witnessed".into(),
            CitedAcquisition::Told { by: Some(by), citing: None } => format!("told by {}", by.name_or("somebody")),
            CitedAcquisition::Told { by: Some(by), citing: Some(citing) } => {
                format!("told by {}, who has it from {}", by.name_or("somebody"), citing.name_or("somebody"))
            }
            CitedAcquisition::Told { by: None, .. } => "heard talk of it".into(),
            CitedAcquisition::Read { document: Some(document) } => {
                format!("read in {}", document.name_or("a document"))
            }
            CitedAcquisition::Read { document: None } => "read".into(),
            CitedAcquisition::Deduced => "concluded".into(),
            CitedAcquisition::MadeUp => "made it up".into(),
            CitedAcquisition::OwnVersion => "own version of what it heard".into(),
            CitedAcquisition::Said => "said it".into(),
            CitedAcquisition::Heard => "heard it".into(),
            CitedAcquisition::Attended => "was there".into(),
            CitedAcquisition::Recorded => "recorded".into(),
            CitedAcquisition::Scene => "the scene".into(),
        };
        let access = match &self.access_path {
            CitedAccessPath::Own if learned.is_empty() => "own knowledge".into(),
            CitedAccessPath::Own => String::new(),
            CitedAccessPath::Member(group) => format!("as a member of {}", group.name_or("a group")),
            CitedAccessPath::Resident(place) => format!("as a resident of {}", place.name_or("a place")),
            CitedAccessPath::Common => "common lore".into(),
        };
        [learned, access].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// Returns the citation as one line, with the acquisition, the credence, the date, the session, the file and the
    /// id.
    pub fn line(&self) -> String {
        let mut parts = vec![self.describe_acquisition()];
        parts.extend(self.credence.map(|credence| format!("credence {credence}")));
        parts.extend(self.learned.as_ref().map(|learned| format!("since {learned}")));
        parts.extend(self.session.as_ref().map(ToString::to_string));
        parts.extend(self.file.clone());
        parts.extend(match self.source {
            Source::Fact(id) => Some(format!("fact {}", id.short())),
            Source::Passage(id) => Some(format!("passage {}", id.short())),
            Source::Scene => None,
        });
        parts.join(" \u{00B7} ")
    }
}

/// Returns an explanation of a search result on one line. The line contains the score, the score in each channel
/// (words, meaning, graph), and the path through the graph. `path` contains the text of each step of the path.
pub fn score_explanation(score: f32, channels: &Channels, path: &[String]) -> String {
    let mut parts = Vec::new();
    parts.extend((channels.words > 0.0).then(|| format!("words {:.2}", channels.words)));
    parts.extend(channels.meaning.map(|meaning| format!("meaning {meaning:.2}")));
    parts.extend((channels.graph > 0.0).then(|| format!("graph {:.2}", channels.graph)));
    let graph_note = if path.is_empty() { String::new() } else { format!("; by way of: {}", path.join(" \u{2192} ")) };
    format!("score {score:.2}: {}{graph_note}", parts.join(", "))
}

/// Factory for citations for one knower.
#[derive(Debug, Clone, Copy)]
pub struct Citations<'a> {
    /// Entity linker, which provides the names that the knower uses.
    pub names: &'a EntityLinker,
    /// Calendar for the format of dates.
    pub calendar: &'a Calendar,
    /// The knower; `None` for the DM. For the DM, the acquisition of each passage is [`CitedAcquisition::Recorded`].
    pub knower: Option<&'a EntityId>,
}

impl Citations<'_> {
    /// Returns the citation of a fact that the knower knows.
    pub fn fact_citation(&self, known: &Known) -> Citation {
        let (acquisition, access_path) = match known.acquisition() {
            Some((acquisition, access_path)) => (self.acquisition(acquisition), self.access_path(access_path)),
            None if known.shared().is_empty() => (CitedAcquisition::Recorded, CitedAccessPath::Own),
            None if known.is_own_version() => (CitedAcquisition::OwnVersion, CitedAccessPath::Own),
            None => (CitedAcquisition::MadeUp, CitedAccessPath::Own),
        };
        Citation {
            source: Source::Fact(known.id()),
            acquisition,
            access_path,
            credence: known.acquisition().map(|_| known.credence()),
            learned: known.learned().map(|time| self.calendar.format(time)),
            session: known.session().cloned(),
            file: file(known.evidence()),
            conceals: known.conceals(),
        }
    }

    /// Returns the citation of a passage that the knower heard or read.
    pub fn passage_citation(&self, id: PassageId, heard: &ReceivedPassage) -> Citation {
        let passage = &heard.passage;
        let speaker = passage.speaker.as_ref();
        let acquisition = match heard.access_path {
            _ if self.knower.is_none() => CitedAcquisition::Recorded,
            AccessPath::Own if speaker == self.knower => CitedAcquisition::Said,
            AccessPath::Own if speaker.is_some() || passage.speaker_alias.is_some() => CitedAcquisition::Heard,
            AccessPath::Own if passage.session.is_some() => CitedAcquisition::Attended,
            AccessPath::Own => CitedAcquisition::Read { document: self.cite(passage.document.as_ref()) },
            AccessPath::Member(_) | AccessPath::Resident(_) | AccessPath::Common => CitedAcquisition::Authored,
        };
        Citation {
            source: Source::Passage(id),
            acquisition,
            access_path: self.access_path(&heard.access_path),
            credence: None,
            learned: passage.said_at().map(|time| self.calendar.format(time)),
            session: passage.session.clone(),
            file: file(&passage.evidence),
            conceals: false,
        }
    }

    fn cite(&self, id: Option<&EntityId>) -> Option<CitedEntity> {
        id.map(|id| CitedEntity::new(self.names, id))
    }

    fn acquisition(&self, acquisition: &Acquisition) -> CitedAcquisition {
        match acquisition {
            Acquisition::Authored => CitedAcquisition::Authored,
            Acquisition::Witnessed => CitedAcquisition::Witnessed,
            Acquisition::Told { by, citing } => {
                CitedAcquisition::Told { by: self.cite(by.as_ref()), citing: self.cite(citing.as_ref()) }
            }
            Acquisition::Read { document } => CitedAcquisition::Read { document: self.cite(document.as_ref()) },
            Acquisition::Deduced { .. } => CitedAcquisition::Deduced,
            // The knower told others a fact for which it has no source.
            Acquisition::Shared => CitedAcquisition::MadeUp,
        }
    }

    fn access_path(&self, access_path: &AccessPath) -> CitedAccessPath {
        match access_path {
            AccessPath::Own => CitedAccessPath::Own,
            AccessPath::Member(group) => CitedAccessPath::Member(CitedEntity::new(self.names, group)),
            AccessPath::Resident(place) => CitedAccessPath::Resident(CitedEntity::new(self.names, place)),
            AccessPath::Common => CitedAccessPath::Common,
        }
    }
}

fn file(evidence: &[Evidence]) -> Option<String> {
    evidence.iter().find_map(|evidence| match evidence {
        Evidence::File { path, line, .. } => Some(format!("{path}:{line}")),
        Evidence::Excerpt(excerpt) => Some(format!("{}:{}", excerpt.path, excerpt.line)),
        Evidence::Passage { .. } => None,
    })
}
