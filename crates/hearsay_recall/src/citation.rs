//! Citations: the source of each line, how the asker learned it, and why the line is relevant.

use hearsay_belief::{AccessPath, Known, ReceivedPassage};
use hearsay_model::{Acquisition, Calendar, Credence, EntityId, Evidence, FactId, PassageId, Reliability, SessionId};
use serde::Serialize;

use crate::{Channels, EntityLinker};

/// Source of a line in a scene context, a summary or a recap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A fact.
    Fact(FactId),
    /// A passage.
    Passage(PassageId),
    /// The scene in the request: its time, its place and the entities present.
    Scene,
}

/// Source of a line, and how one knower learned its content.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Citation {
    /// Source of the line.
    pub source: Source,
    /// How the knower learned the content, in words: `told by Odo Brandt`, `as a member of the Harbour Watch`.
    pub acquisition: String,
    /// The knower's credence in the fact. `None` for passages: the knower heard the words themselves.
    pub credence: Option<Credence>,
    /// Date on which the knower learned the content, on the campaign's calendar. `None` if the date is unknown or the
    /// knower has always known the content.
    pub learned: Option<String>,
    /// Session in which the source was recorded.
    pub session: Option<SessionId>,
    /// File and line of the source, as `path:line`.
    pub file: Option<String>,
    /// Whether the knower conceals the fact.
    pub conceals: bool,
}

impl Citation {
    pub(crate) fn for_scene() -> Self {
        Self {
            source: Source::Scene,
            acquisition: "the scene".into(),
            credence: None,
            learned: None,
            session: None,
            file: None,
            conceals: false,
        }
    }

    /// Returns the citation as one line: acquisition, credence, date, session, file, id.
    pub fn line(&self) -> String {
        let mut parts = vec![self.acquisition.clone()];
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

/// Returns a one-line explanation of a result: its score, its score in each channel (words, meaning, graph), and its
/// path through the graph. `path` contains the text of each step.
pub fn score_explanation(score: f32, channels: &Channels, path: &[String]) -> String {
    let mut parts = Vec::new();
    parts.extend((channels.words > 0.0).then(|| format!("words {:.2}", channels.words)));
    parts.extend(channels.meaning.map(|meaning| format!("meaning {meaning:.2}")));
    parts.extend((channels.graph > 0.0).then(|| format!("graph {:.2}", channels.graph)));
    let graph_note = if path.is_empty() { String::new() } else { format!("; by way of: {}", path.join(" \u{2192} ")) };
    format!("score {score:.2}: {}{graph_note}", parts.join(", "))
}

/// Creates citations for one knower.
#[derive(Debug, Clone, Copy)]
pub struct Citations<'a> {
    /// Entity linker with the names that the knower uses.
    pub names: &'a EntityLinker,
    /// Calendar for dates.
    pub calendar: &'a Calendar,
    /// The knower; `None` for the DM. For the DM, the acquisition of each passage is `recorded`.
    pub knower: Option<&'a EntityId>,
}

impl Citations<'_> {
    /// Returns the citation of a fact that the knower knows.
    pub fn fact_citation(&self, known: &Known) -> Citation {
        Citation {
            source: Source::Fact(known.id()),
            acquisition: match known.acquisition() {
                Some((acquisition, access_path)) => self.acquisition(acquisition, access_path),
                None if known.shared().is_empty() => "recorded".into(),
                None => "made it up".into(),
            },
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
        let acquisition = match &heard.access_path {
            _ if self.knower.is_none() => "recorded".into(),
            AccessPath::Own if speaker == self.knower => "said it".into(),
            AccessPath::Own if speaker.is_some() || passage.speaker_alias.is_some() => "heard it".into(),
            AccessPath::Own if passage.session.is_some() => "was there".into(),
            AccessPath::Own => "read it".into(),
            access_path => self.acquisition(&Acquisition::Authored, access_path),
        };
        Citation {
            source: Source::Passage(id),
            acquisition,
            credence: None,
            learned: passage.time.as_ref().and_then(|date| date.time).map(|time| self.calendar.format(time)),
            session: passage.session.clone(),
            file: file(&passage.evidence),
            conceals: false,
        }
    }

    fn name_or<'n>(&'n self, id: &EntityId, fallback: &'n str) -> &'n str {
        self.names.name(id).unwrap_or(fallback)
    }

    fn acquisition(&self, acquisition: &Acquisition, access_path: &AccessPath) -> String {
        let fallback = if acquisition.document().is_some() { "a document" } else { "somebody" };
        let learned = match acquisition.reliability() {
            Reliability::Stated => String::new(),
            Reliability::Concluded => acquisition.descriptor().phrase.to_owned(),
            _ => acquisition.describe(|id| self.name_or(id, fallback).to_owned()),
        };
        let access = match access_path {
            AccessPath::Own if learned.is_empty() => "own knowledge".to_owned(),
            AccessPath::Own => String::new(),
            AccessPath::Member(group) => format!("as a member of {}", self.name_or(group, "a group")),
            AccessPath::Resident(place) => format!("as a resident of {}", self.name_or(place, "a place")),
            AccessPath::Common => "common lore".to_owned(),
        };
        [learned, access].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

fn file(evidence: &[Evidence]) -> Option<String> {
    evidence.iter().find_map(|evidence| match evidence {
        Evidence::File { path, line, .. } => Some(format!("{path}:{line}")),
        Evidence::Excerpt(excerpt) => Some(format!("{}:{}", excerpt.path, excerpt.line)),
        Evidence::Passage { .. } => None,
    })
}
