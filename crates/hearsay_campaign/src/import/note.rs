//! Intermediate representation of a campaign's files from any tool: notes with their fields, links and texts.
//!
//! Readers make no decisions. Link targets and the names of fields and relations stay as written in the file. Dates are
//! unparsed text. [`assemble`](super::assemble) builds a [`Campaign`](crate::Campaign) from the notes.

use std::{ops::Range, sync::Arc};

use hearsay_model::{Audience, AudienceRules, Calendar, ExternalId, Kind, Span, Value};

use super::{PlainText, truth::Truth};
use crate::{Format, Skipped, Warning};

/// The notes that a reader produced from a campaign's files.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    /// The name of the campaign. The id of the campaign is derived from this name.
    pub name: String,
    /// A short public description of the campaign.
    pub description: String,
    /// The game system of the campaign, such as `D&D 5e`; may be empty.
    pub system: String,
    /// The format of the files, or `None` if it is not set.
    pub format: Option<Format>,
    /// The files that were read. A [`FileId`] is an index into this list.
    pub files: Vec<File>,
    /// The notes, in the order of the files.
    pub notes: Vec<Note>,
    /// The calendar of the campaign, if the files contain one.
    pub calendar: Option<Calendar>,
    /// The audience rules in the files; `None` if the files contain no such rules. The rules apply to facts whose
    /// audience the files do not state.
    pub rules: Option<AudienceRules>,
    /// Files and records that were not read, with the reason.
    pub skipped: Vec<Skipped>,
    /// Warnings about text that was read but may contain a mistake.
    pub warnings: Vec<Warning>,
}

/// A file that a reader has read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The path of the file relative to the folder, with forward slashes.
    pub path: Arc<str>,
    /// A hash of the file's bytes, as 64 hexadecimal digits.
    pub digest: Arc<str>,
}

/// The index of a file in [`Notes::files`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FileId(pub u32);

/// The position of a part of a note in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// The file that contains the part.
    pub file: FileId,
    /// The line number, counted from 1.
    pub line: u32,
    /// The heading or field that contains the part, such as `## Secrets` or `system.details.biography.value`.
    pub field: Arc<str>,
    /// The range of the part in the file, in bytes; empty if the range is unknown.
    pub span: Range<u32>,
    /// The first bytes of the part as text, for evidence; see [`quote`].
    pub quote: Arc<str>,
    /// A hash of the text of the part. The hash changes only if this text changes.
    pub hash: u64,
}

impl Origin {
    /// Creates the origin of a part of a file. `span` is the range of the part in the file, in bytes, and `source` is
    /// the text of the part.
    pub fn new(file: FileId, line: u32, field: impl Into<Arc<str>>, span: Range<usize>, source: &str) -> Self {
        let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let hash = blake3::hash(source.as_bytes());
        let mut first = [0; 8];
        first.copy_from_slice(&hash.as_bytes()[..8]);
        Self {
            file,
            line,
            field: field.into(),
            span: clamp(span.start)..clamp(span.end),
            quote: quote(source).into(),
            hash: u64::from_be_bytes(first),
        }
    }

    /// Returns the range of the part in the file, in bytes, as a [`Span`] for evidence.
    pub fn span(&self) -> Span {
        Span { start: self.span.start as usize, end: self.span.end as usize }
    }
}

/// Returns the beginning of a source text, for use as evidence: at most 160 bytes, cut between characters.
pub fn quote(source: &str) -> &str {
    const MAX_QUOTE_BYTES: usize = 160;
    let source = source.trim();
    let mut end = source.len().min(MAX_QUOTE_BYTES);
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    source[..end].trim_end()
}

/// The characters that are allowed to know a note or a part of a note, according to the marks in the files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Visibility {
    /// The file has no mark. The campaign's audience rules decide which characters know the part.
    #[default]
    Unmarked,
    /// The file states this audience.
    Marked(Audience),
    /// Secret from everyone except these knowers. The list is usually empty.
    Secret(Vec<LinkTarget>),
}

impl Visibility {
    /// Secret from everyone.
    pub const SECRET: Self = Self::Secret(Vec::new());

    /// Returns whether the visibility is [`Visibility::Secret`].
    pub fn is_secret(&self) -> bool {
        matches!(self, Self::Secret(_))
    }

    /// Combines the visibility of a part with the visibility `outer` of the part that contains it. The result is secret
    /// if either visibility is secret.
    #[must_use]
    pub fn within(&self, outer: &Self) -> Self {
        match (self, outer) {
            (Self::Secret(_), _) | (_, Self::Unmarked) => self.clone(),
            (_, Self::Secret(_)) | (Self::Unmarked, _) => outer.clone(),
            (Self::Marked(inner), Self::Marked(_)) => Self::Marked(*inner),
        }
    }
}

/// Role of a note: an entity, a session log or another text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// The note describes an entity: a person, a place or a thing. The texts of the note are about this entity.
    #[default]
    Entity,
    /// The note is a session log. The texts of the note are lines of the session.
    Session,
    /// The note is a text that describes no entity, such as an overview, a table or advice to the DM. The links in this
    /// note have no subject.
    Text,
}

/// Certainty of a statement in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Certainty {
    /// The statement comes from free text, or from a convention such as the name of a folder. The statement becomes a
    /// proposal.
    #[default]
    Inferred,
    /// The statement comes from a field of the format. The statement becomes canon.
    Explicit,
}

/// One entity, one session log or one text in the files of another tool.
#[derive(Debug, Clone, Default)]
pub struct Note {
    /// The identity of the note in the tool, unique among all notes, such as a path, a UUID or a Kanka id.
    pub key: String,
    /// The name of the tool, such as `file`, `foundry` or `kanka`. The tool and the key together are the external id of
    /// the entity.
    pub tool: &'static str,
    /// Other ids that links can use for the note. These ids must be unique among all notes.
    pub ids: Vec<ExternalId>,
    /// Whether the note is an entity, a session log or a text.
    pub role: Role,
    /// The name of the entity, session or text.
    pub name: String,
    /// Other names of the entity.
    pub aliases: Vec<Alias>,
    /// The kind of the entity, if the files indicate a kind. [`Note::set_kind`] sets the kind.
    pub kind: Option<KindGuess>,
    /// Whether a player plays the character. If `true`, the entity is a player character even if `kind` has another
    /// value.
    pub is_player: bool,
    /// The position of the note in its file.
    pub origin: Origin,
    /// The fields of the note.
    pub fields: Vec<Field>,
    /// Links outside of texts and fields, such as the members of a list, or relations that have a type.
    pub links: Vec<NoteLink>,
    /// The texts of the note, in the order of the file.
    pub texts: Vec<Block>,
    /// The dates of the entity.
    pub dates: Vec<NoteDate>,
    /// The states of the entity, such as dead or missing.
    pub states: Vec<EntityState>,
    /// The number, dates and characters of the session, if the note is a session log.
    pub session: Option<SessionInfo>,
    /// The characters that are allowed to know that the entity exists. No part of the note is known more widely.
    pub visibility: Visibility,
}

impl Note {
    /// Sets the kind of the entity. If the current kind is more certain, does nothing. `evidence` describes the
    /// evidence for the kind.
    pub fn set_kind(&mut self, kind: Kind, certainty: Certainty, evidence: impl Into<String>) {
        if self.kind.as_ref().is_none_or(|present| present.certainty < certainty) {
            self.kind = Some(KindGuess { kind, certainty, evidence: evidence.into() });
        }
    }
}

/// The kind that a note's entity probably has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindGuess {
    /// The probable kind.
    pub kind: Kind,
    /// Certainty of the kind.
    pub certainty: Certainty,
    /// The evidence for the kind, as shown to the DM, such as `tag NPC` or `folder People`.
    pub evidence: String,
}

/// Another name of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// The other name.
    pub name: String,
    /// The position of the name in its file.
    pub origin: Origin,
    /// The characters that are allowed to know the alias.
    pub visibility: Visibility,
}

/// A field of a note: an entry of the front matter, an inline field, a row of a table or an entry of a JSON document.
///
/// [`lexicon`](super::lexicon) decides for all readers whether a field is a relation, an attribute, a name or a secret.
/// The decision depends on the name and the values of the field.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The name of the field as written in the file, such as `currentLocation` or `Party Knowledge`.
    pub name: String,
    /// The values of the field, without empty values.
    pub values: Vec<FieldValue>,
    /// The position of the field in its file.
    pub origin: Origin,
    /// The characters that are allowed to know the field.
    pub visibility: Visibility,
    /// Certainty that the text is a field. A field that was found in prose is [`Certainty::Inferred`], and its
    /// relations become proposals.
    pub certainty: Certainty,
}

/// One value of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldValue {
    /// The value. If the value is text, the text has no markup.
    pub value: Value,
    /// The links in the value.
    pub links: Vec<LinkTarget>,
}

impl From<&str> for FieldValue {
    fn from(text: &str) -> Self {
        Self { value: text.into(), links: Vec::new() }
    }
}

/// The target of a link, as written in the file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LinkTarget {
    /// The note with this key or id. Names of notes are not searched.
    Key(String),
    /// The note with this title, file name, path or alias. After `#`, the heading of a section may follow.
    Name(String),
}

/// A link from one note to another.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteLink {
    /// The target of the link.
    pub target: LinkTarget,
    /// The visible text of the link, if it differs from the target's name.
    pub label: Option<String>,
    /// The relation that the link states; `None` if the link is only a mention.
    pub relation: Option<LinkRelation>,
    /// The position of the link in its file.
    pub origin: Origin,
    /// The characters that are allowed to know the link.
    pub visibility: Visibility,
}

/// A relation between a note's entity and the target of a link.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinkRelation {
    /// The words that state the relation, as written in the file, such as `organization`, `is the rival of` or
    /// `MEMBER_OF`. The lexicon maps the words to a predicate, and can reverse the direction.
    pub words: String,
    /// Whether the target is the subject of the relation. Otherwise the note's entity is the subject.
    pub backwards: bool,
    /// Whether the relation is true in both directions.
    pub bidirectional: bool,
    /// Certainty of the relation.
    pub certainty: Certainty,
    /// Whether the file marks the relation as a rumour or as untrue.
    pub truth: Truth,
    /// The subject's attitude towards the object, from −100 (hostile) to 100 (friendly); `None` if the file states no
    /// attitude.
    pub attitude: Option<i64>,
    /// The rank of the subject in the group that is the object; `None` if the file states no rank.
    pub rank: Option<String>,
    /// A sentence that states the relation, if the file has one.
    pub statement: Option<String>,
    /// The date from which the relation is true, as written in the file; `None` if the file has no such date.
    pub since: Option<String>,
    /// The date on which the relation ends, as written in the file; `None` if the file has no such date.
    pub until: Option<String>,
}

impl LinkRelation {
    /// Creates a relation that comes from a field of the format, so it is certain.
    pub fn explicit(words: impl Into<String>) -> Self {
        Self { words: words.into(), certainty: Certainty::Explicit, ..Self::default() }
    }

    /// Makes the target of the link the subject of the relation.
    #[must_use]
    pub fn backwards(self) -> Self {
        Self { backwards: true, ..self }
    }
}

/// A paragraph, a list item or a row of a table, without markup.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Block {
    /// The headings above the block, outermost first.
    pub headings: Arc<[String]>,
    /// The label at the beginning of the block; `None` if there is no label. A label is marked up, as in `**Status:**
    /// …` and `key:: …`, or is the first cell of a row.
    pub label: Option<String>,
    /// The text of the block.
    pub text: PlainText,
    /// The speaker of the block in a session log; `None` for all other blocks.
    pub speaker: Option<LinkTarget>,
    /// The links in the text of the block.
    pub links: Vec<NoteLink>,
    /// The position of the block in its file.
    pub origin: Origin,
    /// The characters that are allowed to know the block.
    pub visibility: Visibility,
}

/// A date in a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteDate {
    /// Meaning of the date for the entity.
    pub role: DateRole,
    /// The date as written in the file. This text is stored together with the parsed date.
    pub raw: String,
    /// The date in a form that calendars can parse, such as `1492-03-14`; `None` if `raw` already has such a form.
    pub readable: Option<String>,
    /// The name of the event on this date, if the file contains a name.
    pub title: Option<String>,
    /// The position of the date in its file.
    pub origin: Origin,
    /// The characters that are allowed to know the date.
    pub visibility: Visibility,
}

/// Meaning of a date for the entity of its note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateRole {
    /// The date at which the entity began to exist, or the date of an event.
    Start,
    /// The date at which the entity or event ended.
    End,
    /// The date of another event, which the note mentions. [`NoteDate::title`] is the name of the other event.
    Mention,
}

/// A state of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityState {
    /// The state as one word, such as `dead`, `missing` or `imprisoned`. If the word is unknown, it stays as written in
    /// the file.
    pub word: String,
    /// The position of the state in its file.
    pub origin: Origin,
    /// The characters that are allowed to know the state.
    pub visibility: Visibility,
}

/// The number, dates and characters of a session log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionInfo {
    /// The number of the session; `None` if the file has no number.
    pub number: Option<u32>,
    /// The date of the session in the real world, as written in the file; `None` if the file has no such date.
    pub date: Option<String>,
    /// The game date at the start of the session, as written in the file; `None` if the file has no such date.
    pub start: Option<String>,
    /// The game date at the end of the session, as written in the file; `None` if the file has no such date.
    pub end: Option<String>,
    /// The characters who were present at the session.
    pub present: Vec<LinkTarget>,
}

impl Notes {
    /// Adds a note.
    pub fn push(&mut self, mut note: Note) {
        // Releases the spare capacity of the vectors, because there may be many notes.
        note.fields.shrink_to_fit();
        note.links.shrink_to_fit();
        note.texts.shrink_to_fit();
        note.aliases.shrink_to_fit();
        note.states.shrink_to_fit();
        self.notes.push(note);
    }

    /// Adds a file to the list of files, and returns its id. An [`Origin`] refers to the file by this id.
    pub fn add_file(&mut self, path: &str, bytes: &[u8]) -> FileId {
        let digest = blake3::hash(bytes).to_hex();
        self.files.push(File { path: path.into(), digest: digest.as_str().into() });
        FileId(u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX))
    }

    /// Returns the path of a file, or an empty text if the id is unknown.
    pub fn path(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", |file| &file.path)
    }

    /// Records that a file or record was not read. `reason` is the reason, with a hint.
    pub fn skip(&mut self, path: impl Into<String>, reason: impl Into<String>) {
        self.skipped.push(Skipped { path: path.into(), reason: reason.into() });
    }

    /// Adds a warning about text that was read but may contain a mistake.
    pub fn warn(&mut self, path: impl Into<String>, line: u32, message: impl Into<String>) {
        self.warnings.push(Warning { path: path.into(), line, message: message.into() });
    }
}
