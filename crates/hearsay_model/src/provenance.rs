//! Provenance of facts: their authors, methods, times and evidence.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Author, Confidence, EntityId, ExtractionStage, PassageId, Reference, Rename, SessionId, Timestamp};

/// How a fact was first obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The game observed what the fact states.
    Witnessed,
    /// A character stated the fact.
    Stated,
    /// The fact was concluded from other facts.
    Inferred,
    /// An author wrote the fact as part of the campaign.
    Authored,
    /// The fact was read from a file.
    Imported,
}

/// A range of bytes in a text. The start is included and the end is excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The position of the first byte.
    pub start: usize,
    /// The position after the last byte.
    pub end: usize,
}

/// Source text of a fact. A person can check the fact against this text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// A quotation from a passage.
    Passage {
        /// The passage that contains the quotation.
        passage: PassageId,
        /// The position of the quotation in the text of the passage, in bytes.
        span: Span,
        /// The quoted words.
        quote: String,
    },
    /// A line or field in a file.
    File {
        /// The path of the file, relative to the folder of the campaign, with forward slashes.
        path: String,
        /// The number of the line in the file, counted from 1.
        line: u32,
        /// The heading or field in the file, such as `entities/odo-brandt/secrets`.
        field: String,
    },
    /// A quotation from a file that another tool wrote.
    Excerpt(Arc<Excerpt>),
}

impl Evidence {
    /// Returns the passage that contains the evidence; `None` if the evidence is in a file.
    pub fn passage(&self) -> Option<PassageId> {
        match self {
            Self::Passage { passage, .. } => Some(*passage),
            Self::File { .. } | Self::Excerpt(_) => None,
        }
    }

    /// Uses the methods of `renaming` to replace the id of the passage that contains the evidence.
    pub fn rename(&mut self, renaming: &mut impl Rename) {
        match self {
            Self::Passage { passage, .. } => renaming.passage(passage),
            Self::File { .. } | Self::Excerpt(_) => {}
        }
    }
}

/// A quotation from a file that another tool wrote, with its position in the file. Excerpts of the same file share one
/// copy of equal texts, such as the path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The path of the file, relative to the folder of the campaign, with forward slashes.
    pub path: Arc<str>,
    /// The number of the line in the file, counted from 1.
    pub line: u32,
    /// The heading or field in the file.
    pub field: Arc<str>,
    /// The position of the quotation in the file, in bytes; an empty range if the position is unknown.
    pub span: Span,
    /// The quoted words. If a quotation is long, only its first words are stored.
    pub quote: Arc<str>,
    /// The id that the other tool gives the document, page or entity.
    pub source: Arc<str>,
    /// A hash of the quoted bytes of the file, as 16 hexadecimal digits. If the bytes at this position now have a
    /// different hash, the file has changed.
    pub hash: String,
}

/// The provenance of a fact: its author, its time of recording, its method, its source, its confidence and its
/// evidence. Every fact has a provenance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// How the fact was obtained.
    pub method: Method,
    /// The author who recorded the fact.
    pub author: Author,
    /// The session in which the fact was recorded; `None` if the fact was not recorded in a session.
    pub session: Option<SessionId>,
    /// The entity that stated the fact; `None` if the source is not an entity.
    pub speaker: Option<EntityId>,
    /// The real time at which the fact was recorded.
    pub recorded: Timestamp,
    /// The probability that the source really states the fact. Trust calibration, which learns from the DM's decisions,
    /// may have adjusted the confidence.
    pub confidence: Confidence,
    /// The confidence that the extraction computed, before trust calibration adjusted it; `None` if it equals
    /// `confidence`.
    #[serde(default)]
    pub extracted: Option<Confidence>,
    /// The name of the language model that found the fact; `None` if no language model was used.
    #[serde(default)]
    pub model: Option<String>,
    /// The stage of the extraction that found the fact; `None` if the fact was not extracted from a text.
    #[serde(default)]
    pub stage: Option<ExtractionStage>,
    /// Whether the DM confirmed the fact.
    pub confirmed: bool,
    /// The source texts against which a person can check the fact.
    pub evidence: Vec<Evidence>,
}

impl Provenance {
    /// Creates a provenance with full confidence (1.0). If the author is the DM, the fact is confirmed.
    pub fn new(method: Method, author: Author) -> Self {
        let confirmed = author == Author::Dm;
        Self {
            method,
            author,
            session: None,
            speaker: None,
            recorded: Timestamp::default(),
            confidence: Confidence::FULL,
            extracted: None,
            model: None,
            stage: None,
            confirmed,
            evidence: Vec::new(),
        }
    }

    /// Adds the evidence of another provenance of the same fact, and keeps the higher of the two confidences.
    pub fn support(&mut self, other: &Self) {
        if other.confidence > self.confidence {
            (self.confidence, self.extracted) = (other.confidence, other.extracted);
            self.model.clone_from(&other.model);
            self.stage = other.stage;
        }
        for evidence in &other.evidence {
            if !self.evidence.contains(evidence) {
                self.evidence.push(evidence.clone());
            }
        }
    }

    /// Calls `visit` with each reference from the provenance to a record.
    pub fn visit_references<'a>(&'a self, visit: &mut dyn FnMut(Reference<'a>)) {
        self.session.iter().for_each(|id| visit(Reference::Session(id)));
        self.speaker.iter().for_each(|id| visit(Reference::Entity(id)));
        self.evidence.iter().filter_map(Evidence::passage).for_each(|id| visit(Reference::Passage(id)));
    }

    /// Uses the methods of `renaming` to replace the ids of the records that the provenance refers to.
    pub fn rename(&mut self, renaming: &mut impl Rename) {
        self.session.iter_mut().for_each(|id| renaming.session(id));
        self.speaker.iter_mut().for_each(|id| renaming.entity(id));
        self.evidence.iter_mut().for_each(|evidence| evidence.rename(renaming));
    }

    /// Returns the author, session and speaker as a stable text. This text is part of the fact's id, so the same
    /// statement from two sources gives two facts. It omits the path and line of a file, so a fact keeps its id when
    /// its line moves to another file of the campaign.
    pub(crate) fn source_text(&self) -> String {
        let session = self.session.as_ref().map_or("", SessionId::as_str);
        let speaker = self.speaker.as_ref().map_or("", EntityId::as_str);
        format!("{}\u{1f}{session}\u{1f}{speaker}", self.author)
    }
}
