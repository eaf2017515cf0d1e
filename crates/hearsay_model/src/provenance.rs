//! The provenance of facts.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Author, Confidence, EntityId, PassageId, Reference, Rename, SessionId, Timestamp};

/// How a fact was first obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The game observed what the fact states.
    Witnessed,
    /// A character said it.
    Stated,
    /// The fact was concluded from other facts.
    Inferred,
    /// An author wrote the fact as part of the campaign.
    Authored,
    /// The fact was read from a file.
    Imported,
}

/// A range of bytes in a text; the end is excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// The source text that a fact can be checked against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Words in a passage.
    Passage {
        /// The passage.
        passage: PassageId,
        /// The range of bytes in the text of the passage.
        span: Span,
        /// The quoted words.
        quote: String,
    },
    /// A line or field in a file.
    File {
        /// The path, relative to the campaign's folder, with forward slashes.
        path: String,
        /// The line, counted from 1.
        line: u32,
        /// The heading or field, such as `entities/odo-brandt/secrets`.
        field: String,
    },
    /// Words in a file that another tool wrote.
    Excerpt(Arc<Excerpt>),
}

impl Evidence {
    /// Returns the passage that the evidence is part of.
    pub fn passage(&self) -> Option<PassageId> {
        match self {
            Self::Passage { passage, .. } => Some(*passage),
            Self::File { .. } | Self::Excerpt(_) => None,
        }
    }

    /// Renames the passage that the evidence is part of.
    pub fn rename(&mut self, renaming: &mut impl Rename) {
        match self {
            Self::Passage { passage, .. } => renaming.passage(passage),
            Self::File { .. } | Self::Excerpt(_) => {}
        }
    }
}

/// Words in a file that another tool wrote, and the data to find them again. Excerpts of the same file share their
/// texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The path, relative to the campaign's folder, with forward slashes.
    pub path: Arc<str>,
    /// The line, counted from 1.
    pub line: u32,
    /// The heading or field.
    pub field: Arc<str>,
    /// The range of bytes in the file; empty if the range is not known.
    pub span: Span,
    /// The quoted words. A long quotation contains only the first words.
    pub quote: Arc<str>,
    /// The id of the document, page or entity in the other tool.
    pub source: Arc<str>,
    /// A hash of the bytes of the span, as 16 hexadecimal digits. It shows whether the words have changed.
    pub hash: String,
}

/// The provenance of a fact: method, author, time, confidence and evidence. Every fact has a provenance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// How the fact was obtained.
    pub method: Method,
    /// The author who recorded the fact.
    pub author: Author,
    /// The session in which the fact was recorded.
    pub session: Option<SessionId>,
    /// The entity that said the fact.
    pub speaker: Option<EntityId>,
    /// The moment when the fact was recorded, by the real clock.
    pub recorded: Timestamp,
    /// The probability that the source says this, adjusted by trust calibration from the DM's decisions.
    pub confidence: Confidence,
    /// The confidence that extraction gave before trust calibration; `None` if both are equal.
    #[serde(default)]
    pub extracted: Option<Confidence>,
    /// The name of the language model that found the fact; `None` if no language model was used.
    #[serde(default)]
    pub model: Option<String>,
    /// Whether the DM confirmed the fact.
    pub confirmed: bool,
    /// The source texts that the fact can be checked against.
    pub evidence: Vec<Evidence>,
}

impl Provenance {
    /// Creates a provenance with full confidence. A fact that the DM records counts as confirmed.
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
            confirmed,
            evidence: Vec::new(),
        }
    }

    /// Calls a function with every record that the provenance refers to.
    pub fn references<'a>(&'a self, visit: &mut dyn FnMut(Reference<'a>)) {
        self.session.iter().for_each(|id| visit(Reference::Session(id)));
        self.speaker.iter().for_each(|id| visit(Reference::Entity(id)));
        self.evidence.iter().filter_map(Evidence::passage).for_each(|id| visit(Reference::Passage(id)));
    }

    /// Renames the records that the provenance refers to.
    pub fn rename(&mut self, renaming: &mut impl Rename) {
        self.session.iter_mut().for_each(|id| renaming.session(id));
        self.speaker.iter_mut().for_each(|id| renaming.entity(id));
        self.evidence.iter_mut().for_each(|evidence| evidence.rename(renaming));
    }

    /// Returns the author, session and speaker as a stable text. This text is part of the fact's id, so the same
    /// statement from two sources gives two facts. It omits the path and line of a file, so a fact keeps its id when
    /// its line moves to another file of the campaign.
    pub(crate) fn source(&self) -> String {
        let session = self.session.as_ref().map_or("", SessionId::as_str);
        let speaker = self.speaker.as_ref().map_or("", EntityId::as_str);
        format!("{}\u{1f}{session}\u{1f}{speaker}", self.author)
    }
}
