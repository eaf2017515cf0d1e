//! What a reader makes of a campaign's files, whatever tool wrote them: notes with their fields, links and texts.
//!
//! Nothing here is decided yet: links name their targets as the tool does, names of fields and relations stand as they
//! are written, dates are raw text. [`assemble`](super::assemble) makes a [`Campaign`](crate::Campaign) of it.

use std::{ops::Range, sync::Arc};

use hearsay_model::{Audience, AudienceRules, Calendar, ExternalId, Kind, Span, Value};
use serde::Serialize;

use super::{Format, truth::Truth};
use crate::{Warning, text::Clean};

/// Everything that a reader understood.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    /// What the campaign is called. The id of the source is made of it.
    pub name: String,
    /// A few sentences about the campaign, which everybody may know.
    pub description: String,
    /// The game system it is played with.
    pub system: String,
    /// In which format it is written.
    pub format: Option<Format>,
    /// The files that were read, by their [`FileId`].
    pub files: Vec<File>,
    /// The notes, in the order of the files.
    pub notes: Vec<Note>,
    /// How the campaign counts its days, where the files say so.
    pub calendar: Option<Calendar>,
    /// Who knows what is not marked, where the files say so.
    pub rules: Option<AudienceRules>,
    /// What was not read, and why. The rest was.
    pub skipped: Vec<Skipped>,
    /// What was read, but may not be what was meant.
    pub warnings: Vec<Warning>,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The path below the folder, with forward slashes.
    pub path: Arc<str>,
    /// A hash of its bytes: 64 hexadecimal digits.
    pub digest: Arc<str>,
}

/// The number of a file in [`Notes::files`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FileId(pub u32);

/// Something that was not read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Skipped {
    /// The path below the folder, with forward slashes.
    pub path: String,
    /// Why, and what to do about it.
    pub why: String,
}

/// Where something is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// In which file.
    pub file: FileId,
    /// On which line, counted from 1.
    pub line: u32,
    /// Under which heading or in which field: `## Secrets`, `system.details.biography.value`.
    pub field: Arc<str>,
    /// Which bytes of the file as it lies on the disk; empty when that is not known.
    pub span: Range<u32>,
    /// The beginning of these bytes as text, for evidence; see [`quote`].
    pub quote: Arc<str>,
    /// A hash of these bytes: it changes when what is written here changes, and not when the rest of the file does.
    pub hash: u64,
}

impl Origin {
    /// A place in a file with the text that stands there. `span` is in bytes of the file.
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

    /// The span for evidence.
    pub fn span(&self) -> Span {
        Span { start: self.span.start as usize, end: self.span.end as usize }
    }
}

/// The beginning of a source text, as much as evidence quotes: up to 160 bytes, cut between letters.
pub fn quote(source: &str) -> &str {
    const MOST: usize = 160;
    let source = source.trim();
    let mut end = source.len().min(MOST);
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    source[..end].trim_end()
}

/// What may know something, by the signs of the tool that wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Visibility {
    /// It bears no sign: the campaign's audience rules decide.
    #[default]
    Unmarked,
    /// It is marked with an audience.
    Marked(Audience),
    /// It is kept secret from everybody but those who are named; mostly nobody is.
    Secret(Vec<Target>),
}

impl Visibility {
    /// Kept from everybody.
    pub const SECRET: Self = Self::Secret(Vec::new());

    /// Whether it is kept secret.
    pub fn is_secret(&self) -> bool {
        matches!(self, Self::Secret(_))
    }

    /// A part of something that is marked so too: a secret within something open is a secret, and all that stands within
    /// a secret is one.
    #[must_use]
    pub fn within(&self, outer: &Self) -> Self {
        match (self, outer) {
            (Self::Secret(_), _) | (_, Self::Unmarked) => self.clone(),
            (_, Self::Secret(_)) | (Self::Unmarked, _) => outer.clone(),
            (Self::Marked(inner), Self::Marked(_)) => Self::Marked(*inner),
        }
    }
}

/// What a note is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// An entity: somebody, a place, a thing. Its texts are about it.
    #[default]
    Entity,
    /// A log of a session: its texts are lines of the session.
    Session,
    /// A text that is no entity of its own: an overview, a table, advice to the DM. Its links are of no subject.
    Text,
}

/// How surely a file says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Sure {
    /// It follows from free text or from a convention: it is proposed to the DM.
    #[default]
    Guessed,
    /// The format has a place for it: it counts as canon.
    Typed,
}

/// A note: one entity, one session log, or one text.
#[derive(Debug, Clone, Default)]
pub struct Note {
    /// What the tool calls it, unique among the notes: a path, a UUID, a Kanka id.
    pub key: String,
    /// Which tool that is: `file`, `foundry`, `kanka`. With the key it is the entity's external id.
    pub tool: &'static str,
    /// Other ids by which links may name it. None of another note may be the same.
    pub ids: Vec<ExternalId>,
    /// Whether it is an entity, a session log or a text.
    pub role: Role,
    /// What it is called.
    pub name: String,
    /// What it is called besides.
    pub aliases: Vec<Alias>,
    /// What it is, where there is a sign of it. Set it by [`Note::guess`].
    pub kind: Option<Guess>,
    /// Whether a player plays it. It is a player character then, whatever its kind says.
    pub player: bool,
    /// Where it begins.
    pub origin: Origin,
    /// What it says in fields.
    pub fields: Vec<Field>,
    /// Its links that stand in no text and no field: members of a list, typed relations.
    pub links: Vec<Link>,
    /// What it says in texts, in their order.
    pub texts: Vec<Block>,
    /// Dates of it.
    pub dates: Vec<Dated>,
    /// How it is: dead, missing.
    pub states: Vec<State>,
    /// For a session log: which session.
    pub session: Option<SessionHead>,
    /// Who may know that it is there at all. What is within it is at least as secret.
    pub visibility: Visibility,
}

impl Note {
    /// Takes a kind over, unless a surer one is there.
    pub fn guess(&mut self, kind: Kind, sure: Sure, from: impl Into<String>) {
        if self.kind.as_ref().is_none_or(|held| held.sure < sure) {
            self.kind = Some(Guess { kind, sure, from: from.into() });
        }
    }
}

/// What a note seems to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guess {
    /// The kind.
    pub kind: Kind,
    /// How sure that is.
    pub sure: Sure,
    /// The sign of it, for people: `tag NPC`, `folder People`.
    pub from: String,
}

/// Another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// The name.
    pub name: String,
    /// Where it is written.
    pub origin: Origin,
    /// Who may know it.
    pub visibility: Visibility,
}

/// A field of a note: front matter, an inline field, a row of a table, an entry of a JSON document.
///
/// Whether it is a relation, an attribute, a name or a secret is found out from its name and values, in one place for all
/// readers: [`lexicon`](super::lexicon).
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name as written: `currentLocation`, `Party Knowledge`.
    pub name: String,
    /// Its values. An empty value is not there.
    pub values: Vec<Piece>,
    /// Where it is written.
    pub origin: Origin,
    /// Who may know it.
    pub visibility: Visibility,
    /// How surely it is a field. What is cut out of prose is [`Sure::Guessed`]; its relations are proposed.
    pub sure: Sure,
}

/// One value of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The value; text is free of markup.
    pub value: Value,
    /// The links that stand in it.
    pub links: Vec<Target>,
}

impl From<&str> for Piece {
    fn from(text: &str) -> Self {
        Self { value: text.into(), links: Vec::new() }
    }
}

/// What a link points at, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// A note by its key or one of its ids: nothing else is looked at.
    Key(String),
    /// A note by its title, file name, path or alias, with a heading behind `#` or not: as people write links.
    Name(String),
}

/// A link from one note to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// What it points at.
    pub target: Target,
    /// What it shows, where that is not the target's name.
    pub label: Option<String>,
    /// What it says of the two. Nothing, when it only mentions the target.
    pub relation: Option<Relation>,
    /// Where it is written.
    pub origin: Origin,
    /// Who may know it.
    pub visibility: Visibility,
}

/// What a link says of the note and its target.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Relation {
    /// In words, as written: `organization`, `is the rival of`, `MEMBER_OF`. The lexicon makes a predicate of it, which may
    /// read the two the other way round.
    pub words: String,
    /// Whether the target is the subject.
    pub backwards: bool,
    /// Whether it holds both ways.
    pub both_ways: bool,
    /// How surely it is meant.
    pub sure: Sure,
    /// How true it is said to be.
    pub truth: Truth,
    /// How the subject feels about the object, −100 to 100.
    pub attitude: Option<i64>,
    /// The subject's rank in the object.
    pub rank: Option<String>,
    /// A sentence that states it, where the file has one.
    pub statement: Option<String>,
    /// Since when, as written.
    pub since: Option<String>,
    /// Until when, as written.
    pub until: Option<String>,
}

impl Relation {
    /// A relation that the format has a place for.
    pub fn typed(words: impl Into<String>) -> Self {
        Self { words: words.into(), sure: Sure::Typed, ..Self::default() }
    }

    /// The same, with the target as its subject.
    #[must_use]
    pub fn backwards(self) -> Self {
        Self { backwards: true, ..self }
    }
}

/// A paragraph, a list item or a row, free of markup.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Block {
    /// The headings that it stands under, the outermost first.
    pub headings: Arc<[String]>,
    /// The label that it begins with, where the markup sets one off: `**Status:** …`, `key:: …`, the first cell of a row.
    pub label: Option<String>,
    /// Its text.
    pub text: Clean,
    /// Who says it, in a log.
    pub speaker: Option<Target>,
    /// The links in it.
    pub links: Vec<Link>,
    /// Where it is written.
    pub origin: Origin,
    /// Who may know it.
    pub visibility: Visibility,
}

/// A date of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dated {
    /// What happened then.
    pub what: DateOf,
    /// The date as written. It is kept beside what the calendar makes of it.
    pub raw: String,
    /// The same in a form that calendars read, where the tool has one of its own: `1492-03-14`.
    pub readable: Option<String>,
    /// A name for what happened, where there is one.
    pub title: Option<String>,
    /// Where it is written.
    pub origin: Origin,
    /// Who may know it.
    pub visibility: Visibility,
}

/// What a date is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOf {
    /// When it began or happened.
    Start,
    /// When it ended.
    End,
    /// Something that happened, which the note tells of: its title says what.
    Mention,
}

/// How somebody or something is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// In a word: `dead`, `missing`, `imprisoned`. A word that is not known stays as written.
    pub word: String,
    /// Where it is written.
    pub origin: Origin,
    /// Who may know it.
    pub visibility: Visibility,
}

/// Which session a log is of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionHead {
    /// Its number.
    pub number: Option<u32>,
    /// When it was played, in the real world, as written.
    pub date: Option<String>,
    /// The game date at its start, as written.
    pub start: Option<String>,
    /// The game date at its end, as written.
    pub end: Option<String>,
    /// Whose characters were there.
    pub present: Vec<Target>,
}

impl Notes {
    /// Takes over a note.
    pub fn push(&mut self, mut note: Note) {
        // Lists that grew have room for more, and there may be many notes.
        note.fields.shrink_to_fit();
        note.links.shrink_to_fit();
        note.texts.shrink_to_fit();
        note.aliases.shrink_to_fit();
        note.states.shrink_to_fit();
        self.notes.push(note);
    }

    /// Registers a file that was read. What is written in it refers to it by this number.
    pub fn file(&mut self, path: &str, bytes: &[u8]) -> FileId {
        let digest = blake3::hash(bytes).to_hex();
        self.files.push(File { path: path.into(), digest: digest.as_str().into() });
        FileId(u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX))
    }

    /// The path of a file.
    pub fn path(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", |file| &file.path)
    }

    /// Notes that something was not read.
    pub fn skip(&mut self, path: impl Into<String>, why: impl Into<String>) {
        self.skipped.push(Skipped { path: path.into(), why: why.into() });
    }

    /// Notes that something may not be what was meant.
    pub fn warn(&mut self, path: impl Into<String>, line: u32, what: impl Into<String>) {
        self.warnings.push(Warning { path: path.into(), line, what: what.into() });
    }
}
