//! Intermediate representation of a campaign's files from any tool: notes with their fields, links and texts.
//!
//! Readers make no decisions. Links name their targets as the tool does, names of fields and relations are as written,
//! and dates are raw text. [`assemble`](super::assemble) builds a [`Campaign`](crate::Campaign) from the notes.

use std::{ops::Range, sync::Arc};

use hearsay_model::{Audience, AudienceRules, Calendar, ExternalId, Kind, Span, Value};

use super::{Clean, truth::Truth};
use crate::{Format, Skipped, Warning};

/// The output of a reader.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    /// The name of the campaign. The id of the source is derived from this name.
    pub name: String,
    /// A short public description of the campaign.
    pub description: String,
    /// The game system.
    pub system: String,
    /// The format of the files.
    pub format: Option<Format>,
    /// The files that were read, indexed by [`FileId`].
    pub files: Vec<File>,
    /// The notes, in the order of the files.
    pub notes: Vec<Note>,
    /// The calendar of the campaign, if the files contain one.
    pub calendar: Option<Calendar>,
    /// The audience rules for unmarked facts, if the files contain them.
    pub rules: Option<AudienceRules>,
    /// Files and records that were not read, with the reason.
    pub skipped: Vec<Skipped>,
    /// Warnings about text that may be a mistake.
    pub warnings: Vec<Warning>,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The path below the folder, with forward slashes.
    pub path: Arc<str>,
    /// A hash of the bytes, as 64 hexadecimal digits.
    pub digest: Arc<str>,
}

/// The index of a file in [`Notes::files`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FileId(pub u32);

/// A position in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// The file.
    pub file: FileId,
    /// The line, counted from 1.
    pub line: u32,
    /// The heading or field: `## Secrets`, `system.details.biography.value`.
    pub field: Arc<str>,
    /// The bytes in the file on disk; empty if unknown.
    pub span: Range<u32>,
    /// The beginning of these bytes as text, for evidence; see [`quote`].
    pub quote: Arc<str>,
    /// A hash of these bytes. It changes only if the text at this position changes.
    pub hash: u64,
}

impl Origin {
    /// Creates the origin of a source text. `span` is in bytes of the file.
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

    /// Returns the span for evidence.
    pub fn span(&self) -> Span {
        Span { start: self.span.start as usize, end: self.span.end as usize }
    }
}

/// Returns the beginning of a source text for evidence: up to 160 bytes, cut between characters.
pub fn quote(source: &str) -> &str {
    const MOST: usize = 160;
    let source = source.trim();
    let mut end = source.len().min(MOST);
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    source[..end].trim_end()
}

/// Who may know a note or a part of a note, according to the marks in the files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Visibility {
    /// No mark: the campaign's audience rules decide.
    #[default]
    Unmarked,
    /// Marked with an audience.
    Marked(Audience),
    /// Secret from everybody except the named knowers. The list is usually empty.
    Secret(Vec<Target>),
}

impl Visibility {
    /// Secret from everybody.
    pub const SECRET: Self = Self::Secret(Vec::new());

    /// Whether the visibility is secret.
    pub fn is_secret(&self) -> bool {
        matches!(self, Self::Secret(_))
    }

    /// Returns the visibility of a part within an outer visibility. A secret within an open part is secret, and
    /// everything within a secret is secret.
    #[must_use]
    pub fn within(&self, outer: &Self) -> Self {
        match (self, outer) {
            (Self::Secret(_), _) | (_, Self::Unmarked) => self.clone(),
            (_, Self::Secret(_)) | (Self::Unmarked, _) => outer.clone(),
            (Self::Marked(inner), Self::Marked(_)) => Self::Marked(*inner),
        }
    }
}

/// The role of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// An entity: a person, a place, a thing. The texts of the note are about the entity.
    #[default]
    Entity,
    /// A session log. The texts of the note are lines of the session.
    Session,
    /// A text without an entity: an overview, a table, advice to the DM. The links of the note have no subject.
    Text,
}

/// The certainty of a statement in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Sure {
    /// From free text or from a convention. The statement becomes a proposal.
    #[default]
    Guessed,
    /// From a field of the format. The statement becomes canon.
    Typed,
}

/// A note: one entity, one session log, or one text.
#[derive(Debug, Clone, Default)]
pub struct Note {
    /// The identity in the tool, unique among the notes: a path, a UUID, a Kanka id.
    pub key: String,
    /// The name of the tool: `file`, `foundry`, `kanka`. The tool and the key are the external id of the entity.
    pub tool: &'static str,
    /// Other ids that links may use for the note. They must be unique among all notes.
    pub ids: Vec<ExternalId>,
    /// Whether the note is an entity, a session log or a text.
    pub role: Role,
    /// The name.
    pub name: String,
    /// Other names.
    pub aliases: Vec<Alias>,
    /// The kind, if a sign in the files shows it. [`Note::guess`] sets the kind.
    pub kind: Option<Guess>,
    /// Whether a player plays the character. The entity is then a player character, whatever `kind` says.
    pub player: bool,
    /// The position of the note in its file.
    pub origin: Origin,
    /// The fields.
    pub fields: Vec<Field>,
    /// Links outside of texts and fields: members of a list, typed relations.
    pub links: Vec<Link>,
    /// The texts, in order.
    pub texts: Vec<Block>,
    /// The dates.
    pub dates: Vec<Dated>,
    /// The states: dead, missing.
    pub states: Vec<State>,
    /// The number, dates and characters of a session log.
    pub session: Option<SessionHead>,
    /// Who may know that the note exists. All parts of the note are at least as secret.
    pub visibility: Visibility,
}

impl Note {
    /// Sets the kind, unless the current kind is more certain.
    pub fn guess(&mut self, kind: Kind, sure: Sure, from: impl Into<String>) {
        if self.kind.as_ref().is_none_or(|held| held.sure < sure) {
            self.kind = Some(Guess { kind, sure, from: from.into() });
        }
    }
}

/// The assumed kind of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guess {
    /// The kind.
    pub kind: Kind,
    /// The certainty.
    pub sure: Sure,
    /// The sign of the kind, for display: `tag NPC`, `folder People`.
    pub from: String,
}

/// Another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// The name.
    pub name: String,
    /// The position.
    pub origin: Origin,
    /// Who may know the alias.
    pub visibility: Visibility,
}

/// A field of a note: front matter, an inline field, a row of a table, an entry of a JSON document.
///
/// [`lexicon`](super::lexicon) decides for all readers whether a field is a relation, an attribute, a name or a secret,
/// according to its name and values.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The name as written: `currentLocation`, `Party Knowledge`.
    pub name: String,
    /// The values, without empty ones.
    pub values: Vec<Piece>,
    /// The position.
    pub origin: Origin,
    /// Who may know the field.
    pub visibility: Visibility,
    /// The certainty that this is a field. A field that was found in prose is [`Sure::Guessed`], and its relations
    /// become proposals.
    pub sure: Sure,
}

/// One value of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The value. Text has no markup.
    pub value: Value,
    /// The links in the value.
    pub links: Vec<Target>,
}

impl From<&str> for Piece {
    fn from(text: &str) -> Self {
        Self { value: text.into(), links: Vec::new() }
    }
}

/// The target of a link, as written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// Only a note with this key or id.
    Key(String),
    /// A note by its title, file name, path or alias, with an optional heading after `#`, as authors write links.
    Name(String),
}

/// A link from one note to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The target.
    pub target: Target,
    /// The visible text, if it differs from the target's name.
    pub label: Option<String>,
    /// The relation between note and target; `None` for a mere mention.
    pub relation: Option<Relation>,
    /// The position.
    pub origin: Origin,
    /// Who may know the link.
    pub visibility: Visibility,
}

/// A relation between a note and the target of a link.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Relation {
    /// The words as written: `organization`, `is the rival of`, `MEMBER_OF`. The lexicon maps the words to a predicate.
    /// The predicate may have the other direction.
    pub words: String,
    /// Whether the target is the subject.
    pub backwards: bool,
    /// Whether the relation is symmetric.
    pub both_ways: bool,
    /// The certainty.
    pub sure: Sure,
    /// Whether the file marks the relation as a rumour or as untrue.
    pub truth: Truth,
    /// The subject's attitude to the object, −100 to 100.
    pub attitude: Option<i64>,
    /// The rank of the subject in the object, which is a group.
    pub rank: Option<String>,
    /// A sentence that states the relation, if the file has one.
    pub statement: Option<String>,
    /// The start date, as written.
    pub since: Option<String>,
    /// The end date, as written.
    pub until: Option<String>,
}

impl Relation {
    /// Creates a relation for which the format has a field.
    pub fn typed(words: impl Into<String>) -> Self {
        Self { words: words.into(), sure: Sure::Typed, ..Self::default() }
    }

    /// Makes the target the subject.
    #[must_use]
    pub fn backwards(self) -> Self {
        Self { backwards: true, ..self }
    }
}

/// A paragraph, a list item or a row, without markup.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Block {
    /// The headings above, outermost first.
    pub headings: Arc<[String]>,
    /// The label at the beginning, if markup separates it: `**Status:** …`, `key:: …`, the first cell of a row.
    pub label: Option<String>,
    /// The text.
    pub text: Clean,
    /// The speaker, in a log.
    pub speaker: Option<Target>,
    /// The links in the text.
    pub links: Vec<Link>,
    /// The position.
    pub origin: Origin,
    /// Who may know the block.
    pub visibility: Visibility,
}

/// A date of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dated {
    /// The role of the date.
    pub what: DateOf,
    /// The date as written. It is stored together with the parsed date.
    pub raw: String,
    /// The date in a form that calendars can parse, such as `1492-03-14`, if the tool uses another form.
    pub readable: Option<String>,
    /// The name of the event, if the date has one.
    pub title: Option<String>,
    /// The position.
    pub origin: Origin,
    /// Who may know the date.
    pub visibility: Visibility,
}

/// The role of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOf {
    /// The beginning of the entity, or the date of an event.
    Start,
    /// The end of the entity or event.
    End,
    /// The date of another event that the note mentions. [`Dated::title`] is the name of that event.
    Mention,
}

/// The state of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The state as a word: `dead`, `missing`, `imprisoned`. An unknown word stays as written.
    pub word: String,
    /// The position.
    pub origin: Origin,
    /// Who may know the state.
    pub visibility: Visibility,
}

/// The number, dates and characters of a session log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionHead {
    /// The number.
    pub number: Option<u32>,
    /// The real date of the session, as written.
    pub date: Option<String>,
    /// The game date at the start of the session, as written.
    pub start: Option<String>,
    /// The game date at the end of the session, as written.
    pub end: Option<String>,
    /// The characters who were present.
    pub present: Vec<Target>,
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

    /// Registers a file, and returns its id. Positions refer to the file by this id.
    pub fn file(&mut self, path: &str, bytes: &[u8]) -> FileId {
        let digest = blake3::hash(bytes).to_hex();
        self.files.push(File { path: path.into(), digest: digest.as_str().into() });
        FileId(u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX))
    }

    /// Returns the path of a file.
    pub fn path(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", |file| &file.path)
    }

    /// Records that a file or record was not read.
    pub fn skip(&mut self, path: impl Into<String>, why: impl Into<String>) {
        self.skipped.push(Skipped { path: path.into(), why: why.into() });
    }

    /// Adds a warning about text that may be a mistake.
    pub fn warn(&mut self, path: impl Into<String>, line: u32, what: impl Into<String>) {
        self.warnings.push(Warning { path: path.into(), line, what: what.into() });
    }
}
