//! Receipts: how the asker knows what it is told, and why it is told that.

use hearsay_belief::{Heard, Known, Via};
use hearsay_model::{Calendar, Credence, EntityId, Evidence, FactId, How, PassageId, SessionId};
use serde::Serialize;

use crate::{Channels, Names};

/// What a line is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A fact.
    Fact(FactId),
    /// A passage.
    Passage(PassageId),
    /// What the asker said of the scene.
    Scene,
}

/// How somebody comes to know something.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Receipt {
    /// What it is made from.
    pub source: Source,
    /// How it is known, in words: `told by Odo Brandt`, `as a member of the Harbour Watch`.
    pub how: String,
    /// How much the knower believes it. A line that was heard is known to have been said.
    pub credence: Option<Credence>,
    /// When it was learned, on the campaign's calendar; since ever, when there is none.
    pub learned: Option<String>,
    /// The session it comes from.
    pub session: Option<SessionId>,
    /// The file and line it comes from.
    pub file: Option<String>,
    /// Whether the knower keeps it to itself.
    pub conceals: bool,
}

impl Receipt {
    pub(crate) fn of_scene() -> Self {
        Self {
            source: Source::Scene,
            how: "the scene".into(),
            credence: None,
            learned: None,
            session: None,
            file: None,
            conceals: false,
        }
    }

    /// The receipt in one line: how, credence, when, session, file, id.
    pub fn line(&self) -> String {
        let mut parts = vec![self.how.clone()];
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

/// Why a result is told, in one line: its score, what each channel says, and the facts by which the walk came there.
pub fn why(score: f32, channels: &Channels, path: &[String]) -> String {
    let mut parts = Vec::new();
    parts.extend((channels.words > 0.0).then(|| format!("words {:.2}", channels.words)));
    parts.extend(channels.meaning.map(|meaning| format!("meaning {meaning:.2}")));
    parts.extend((channels.graph > 0.0).then(|| format!("graph {:.2}", channels.graph)));
    let way = if path.is_empty() { String::new() } else { format!("; by way of: {}", path.join(" \u{2192} ")) };
    format!("score {score:.2}: {}{way}", parts.join(", "))
}

/// Writes receipts for one who knows.
#[derive(Debug, Clone, Copy)]
pub struct Receipts<'a> {
    /// What it calls others.
    pub names: &'a Names,
    /// For dates.
    pub calendar: &'a Calendar,
    /// Who it is; the DM, when it is nobody: to the DM all is recorded.
    pub knower: Option<&'a EntityId>,
}

impl Receipts<'_> {
    /// Of a fact.
    pub fn of_fact(&self, known: &Known) -> Receipt {
        Receipt {
            source: Source::Fact(known.id()),
            how: match known.how() {
                Some((how, via)) => self.how(how, via),
                None if known.shared().is_empty() => "recorded".into(),
                None => "made it up".into(),
            },
            credence: known.how().map(|_| known.credence()),
            learned: known.learned().map(|time| self.calendar.print(time)),
            session: known.session().cloned(),
            file: file(known.evidence()),
            conceals: known.conceals(),
        }
    }

    /// Of a passage.
    pub fn of_passage(&self, id: PassageId, heard: &Heard) -> Receipt {
        let passage = &heard.passage;
        let speaker = passage.speaker.as_ref();
        let how = match &heard.via {
            _ if self.knower.is_none() => "recorded".into(),
            Via::Own if speaker == self.knower => "said it".into(),
            Via::Own if speaker.is_some() || passage.speaker_alias.is_some() => "heard it".into(),
            Via::Own if passage.session.is_some() => "was there".into(),
            Via::Own => "read it".into(),
            via => self.how(&How::Authored, via),
        };
        Receipt {
            source: Source::Passage(id),
            how,
            credence: None,
            learned: passage.time.as_ref().and_then(|date| date.time).map(|time| self.calendar.print(time)),
            session: passage.session.clone(),
            file: file(&passage.evidence),
            conceals: false,
        }
    }

    fn called<'n>(&'n self, id: &EntityId, nameless: &'n str) -> &'n str {
        self.names.name(id).unwrap_or(nameless)
    }

    fn how(&self, how: &How, via: &Via) -> String {
        let somebody = |id| self.called(id, "somebody");
        let learned = match how {
            How::Witnessed => "witnessed".to_owned(),
            How::Told { by: Some(by), citing: None } => format!("told by {}", somebody(by)),
            How::Told { by: Some(by), citing: Some(citing) } => {
                format!("told by {}, who has it from {}", somebody(by), somebody(citing))
            }
            How::Shared => "passed it on".to_owned(),
            How::Told { by: None, .. } => "heard talk of it".to_owned(),
            How::Read { document: Some(document) } => format!("read in {}", self.called(document, "a document")),
            How::Read { document: None } => "read".to_owned(),
            How::Authored => String::new(),
            How::Deduced { .. } => "concluded".to_owned(),
        };
        let reached = match via {
            Via::Own if learned.is_empty() => "own knowledge".to_owned(),
            Via::Own => String::new(),
            Via::Member(group) => format!("as a member of {}", self.called(group, "a group")),
            Via::Resident(place) => format!("as a resident of {}", self.called(place, "a place")),
            Via::Common => "common lore".to_owned(),
        };
        [learned, reached].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

fn file(evidence: &[Evidence]) -> Option<String> {
    evidence.iter().find_map(|evidence| match evidence {
        Evidence::File { path, line, .. } => Some(format!("{path}:{line}")),
        Evidence::Excerpt(excerpt) => Some(format!("{}:{}", excerpt.path, excerpt.line)),
        Evidence::Passage { .. } => None,
    })
}
