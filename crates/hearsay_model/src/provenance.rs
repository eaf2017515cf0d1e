//! Where a fact comes from.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Author, Confidence, EntityId, PassageId, SessionId, Timestamp};

/// The way a fact came into the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The game saw it happen.
    Witnessed,
    /// Somebody said it.
    Stated,
    /// It was concluded from other facts.
    Inferred,
    /// Somebody wrote it as part of the world.
    Authored,
    /// It was read from a file.
    Imported,
}

/// A stretch of bytes in a text, the end not included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// What a fact can be checked against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Words of a passage.
    Passage {
        /// The passage.
        passage: PassageId,
        /// Which bytes of it.
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

/// Where a fact comes from: how, by whom, when, how sure, and what shows it. No fact is built without one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The way it came into the record.
    pub method: Method,
    /// Who recorded it.
    pub author: Author,
    /// The session it was recorded in.
    pub session: Option<SessionId>,
    /// Who said it.
    pub speaker: Option<EntityId>,
    /// When it was recorded, by the real clock.
    pub recorded: Timestamp,
    /// How sure extraction is that the source says this, with what was learned from the DM's decisions.
    pub confidence: Confidence,
    /// How sure extraction was by itself, where what was learned made that another number.
    #[serde(default)]
    pub extracted: Option<Confidence>,
    /// The language model that found it, by the name its server has for it, where one did.
    #[serde(default)]
    pub model: Option<String>,
    /// Whether the DM confirmed it.
    pub confirmed: bool,
    /// What it can be checked against.
    pub evidence: Vec<Evidence>,
}

impl Provenance {
    /// A provenance at full confidence. What the DM records is confirmed by that.
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

    /// The source as a stable text: part of a fact's id, so that the same words from two sources are two facts.
    /// A file's path and line are left out, so that a fact survives being moved within its campaign.
    pub(crate) fn source(&self) -> String {
        let session = self.session.as_ref().map_or("", SessionId::as_str);
        let speaker = self.speaker.as_ref().map_or("", EntityId::as_str);
        format!("{}\u{1f}{session}\u{1f}{speaker}", self.author)
    }
}
