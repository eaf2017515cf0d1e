//! The provenance of facts.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Author, Confidence, EntityId, PassageId, SessionId, Timestamp};

/// How a fact came into the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The game saw it happen.
    Witnessed,
    /// A character said it.
    Stated,
    /// It was concluded from other facts.
    Inferred,
    /// An author wrote it as part of the world.
    Authored,
    /// It was read from a file.
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
    /// Words of a passage.
    Passage {
        /// The passage.
        passage: PassageId,
        /// The bytes of the passage.
        span: Span,
        /// The words themselves.
        quote: String,
    },
    /// A place in a file.
    File {
        /// The path below the campaign's folder, with forward slashes.
        path: String,
        /// The line, counted from 1.
        line: u32,
        /// The heading or field, such as `entities/odo-brandt/secrets`.
        field: String,
    },
    /// Words of a file that another tool wrote.
    Excerpt(Arc<Excerpt>),
}

/// Words of a file that another tool wrote, and how to find them again. The many excerpts of one file share its texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The path below the campaign's folder, with forward slashes.
    pub path: Arc<str>,
    /// The line, counted from 1.
    pub line: u32,
    /// The heading or field.
    pub field: Arc<str>,
    /// The bytes of the file; empty if they are not known.
    pub span: Span,
    /// The words, or the first of them.
    pub quote: Arc<str>,
    /// The id that the tool has for the document, page or entity.
    pub source: Arc<str>,
    /// A hash of these bytes: 16 hexadecimal digits. It changes when the words change.
    pub hash: String,
}

/// The provenance of a fact: method, author, time, confidence and evidence. Every fact has one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// How it came into the record.
    pub method: Method,
    /// The author of the record.
    pub author: Author,
    /// The session in which it was recorded.
    pub session: Option<SessionId>,
    /// The speaker.
    pub speaker: Option<EntityId>,
    /// The real time of the record.
    pub recorded: Timestamp,
    /// The probability that the source says this, adjusted by trust calibration from the DM's decisions.
    pub confidence: Confidence,
    /// The confidence of extraction before that adjustment, if it differs.
    #[serde(default)]
    pub extracted: Option<Confidence>,
    /// The name of the language model that found it, if one did.
    #[serde(default)]
    pub model: Option<String>,
    /// Whether the DM confirmed it.
    pub confirmed: bool,
    /// The source texts that it can be checked against.
    pub evidence: Vec<Evidence>,
}

impl Provenance {
    /// Creates a provenance at full confidence. A record by the DM counts as confirmed.
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

    /// Returns the source as a stable text. It is part of the fact's id, so the same words from two sources are two facts.
    /// The path and line of a file are left out, so a fact keeps its id when it moves within the campaign.
    pub(crate) fn source(&self) -> String {
        let session = self.session.as_ref().map_or("", SessionId::as_str);
        let speaker = self.speaker.as_ref().map_or("", EntityId::as_str);
        format!("{}\u{1f}{session}\u{1f}{speaker}", self.author)
    }
}
