//! Reads labelled lines of table talk.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use flate2::read::GzDecoder;
use hearsay_model::EntityId;
use serde::Deserialize;
use thiserror::Error;

/// Error in the text or the labels.
#[derive(Debug, Error)]
pub enum TableTalkError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A label does not match the text, or has the wrong format.
    #[error("{}:{line}: {problem}", path.display())]
    Label {
        /// Path of the file with the labels.
        path: PathBuf,
        /// Line number, counted from 1.
        line: usize,
        /// Description of the problem.
        problem: String,
    },
}

/// Whether a text was written or spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CorpusPart {
    /// The text is a written summary.
    Written,
    /// The text is a transcript of spoken play.
    Spoken,
}

/// The kind of talk in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum TalkLabel {
    /// Narration.
    #[serde(rename = "n")]
    Narration,
    /// Words of a character.
    #[serde(rename = "c")]
    InCharacter,
    /// Talk at the table that is not part of the story.
    #[serde(rename = "o")]
    OutOfCharacter,
}

/// A labelled statement. Ranges are in bytes from the start of the line.
#[derive(Debug, Clone)]
pub struct LabelledStatement {
    /// The byte range of the statement's words in the line.
    pub span: (usize, usize),
    /// The first letter of the status. The status is asserted, negated, planned, hedged or ended.
    pub status: char,
    /// The name of the subject, if the statement's words do not contain it.
    pub subject: Option<String>,
    /// The byte ranges of pronouns and descriptions in the line, each with the name of the entity to which it refers.
    pub references: Vec<((usize, usize), String)>,
    /// The relations and attributes that the statement states, each as predicate, subject and object. The object of an
    /// attribute is its value.
    pub typed: Vec<(String, String, String)>,
}

/// The labels of one line.
#[derive(Debug, Clone)]
pub struct Label {
    /// The index of the line in [`Chunk::lines`].
    pub line: usize,
    /// The kind of talk.
    pub talk: TalkLabel,
    /// The statements that should be recorded.
    pub statements: Vec<LabelledStatement>,
}

/// Consecutive lines of an episode. The first lines are only context and have no labels. All other lines have labels.
#[derive(Debug)]
pub struct Chunk {
    /// The name of the file with the labels, without its extension.
    pub name: String,
    /// Whether the text was written or spoken.
    pub part: CorpusPart,
    /// The number of the chunk's first line in the text of the episode, counted from 0.
    pub first_line: usize,
    /// The lines of the text, unchanged.
    pub lines: Vec<String>,
    /// The labels of the labelled lines, in order.
    pub labels: Vec<Label>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLabel {
    line: usize,
    talk: TalkLabel,
    #[serde(default)]
    statements: Vec<RawStatement>,
}

#[derive(Deserialize)]
struct RawStatement {
    span: (usize, usize),
    status: char,
    subject: Option<String>,
    #[serde(default)]
    references: Vec<(usize, usize, String)>,
    by: Option<String>,
    #[serde(default)]
    typed: Vec<(String, String, String)>,
}

/// Maps the name of each player, in lowercase, to the player's character. The lines of a transcript begin with these
/// names.
pub type Players = BTreeMap<String, EntityId>;

/// The name of the DM at the start of the lines of a transcript.
pub(crate) const DM: &str = "Matt";

/// Returns the characters of the players in the labelled episodes.
pub fn players() -> Players {
    let players = [
        ("laura", "vex"),
        ("liam", "vax"),
        ("marisha", "keyleth"),
        ("taliesin", "percy"),
        ("travis", "grog"),
        ("sam", "scanlan"),
        ("ashley", "pike"),
        ("orion", "tiberius"),
    ];
    players.into_iter().filter_map(|(player, id)| Some((player.to_owned(), EntityId::new(id).ok()?))).collect()
}

/// Number of lines that precede the first labelled line, as context.
const LINES_BEFORE: usize = 8;

/// Returns the names of the test episodes or of the development episodes. `name` is the name of the list in
/// `training/data.py`: `TEST` or `DEVELOPMENT`.
pub fn read_episode_names(training: &Path, name: &str) -> Result<Vec<String>, TableTalkError> {
    let path = training.join("data.py");
    let text = fs::read_to_string(&path).map_err(|source| TableTalkError::File { path: path.clone(), source })?;
    let list = text.lines().find_map(|line| line.strip_prefix(&format!("{name} = [")));
    let list =
        list.ok_or_else(|| TableTalkError::Label { path, line: 1, problem: format!("expected the list `{name}`") })?;
    Ok(list.trim_end_matches(']').split(", ").map(|episode| episode.trim_matches('"').to_owned()).collect())
}

/// Returns the names in the labels of some episodes: subjects, characters who make a statement, referents, and the ends
/// of typed facts. The texts of the episodes are not needed.
///
/// # Errors
/// Returns an error if a file cannot be read, or if a label has the wrong format.
pub fn read_label_names(labels: &Path, episodes: &[String]) -> Result<BTreeSet<String>, TableTalkError> {
    let mut names = BTreeSet::new();
    for chunk in chunk_names(labels, episodes)? {
        for (_, label) in read_raw_labels(&labels.join(format!("{chunk}.jsonl")))? {
            for statement in label.statements {
                names.extend(statement.subject.into_iter().chain(statement.by));
                names.extend(statement.references.into_iter().map(|(.., name)| name));
                names.extend(statement.typed.into_iter().flat_map(|(_, subject, object)| [subject, object]));
            }
        }
    }
    Ok(names)
}

/// Returns the names of the files with the labels of some episodes, without extensions, in order.
fn chunk_names(labels: &Path, episodes: &[String]) -> Result<Vec<String>, TableTalkError> {
    let failed = |source| TableTalkError::File { path: labels.to_owned(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(labels).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    names.retain(|name| episodes.iter().any(|episode| name.starts_with(episode.as_str())));
    names.sort();
    Ok(names)
}

/// Reads a file with labels. Returns each label with its line number in the file, counted from 1.
fn read_raw_labels(path: &Path) -> Result<Vec<(usize, RawLabel)>, TableTalkError> {
    let content = fs::read_to_string(path).map_err(|source| TableTalkError::File { path: path.to_owned(), source })?;
    let read = |(line, json): (usize, &str)| match serde_json::from_str(json) {
        Ok(label) => Ok((line, label)),
        Err(error) => Err(TableTalkError::Label { path: path.to_owned(), line, problem: error.to_string() }),
    };
    (1..).zip(content.lines()).map(read).collect()
}

/// Returns the lines of an episode's summary or transcript.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn read_text(text: &Path, episode: &str, part: CorpusPart) -> Result<Vec<String>, TableTalkError> {
    let folder = if part == CorpusPart::Written { "summaries" } else { "transcripts" };
    let path = text.join(folder).join(format!("{episode}.txt.gz"));
    let failed = |source| TableTalkError::File { path: path.clone(), source };
    let mut content = String::new();
    let file = fs::File::open(&path).map_err(failed)?;
    GzDecoder::new(file).read_to_string(&mut content).map_err(failed)?;
    Ok(content.split('\n').map(str::to_owned).collect())
}

/// Reads the labels and the texts of some episodes.
///
/// # Errors
/// Returns an error if a file cannot be read, or if a label does not match the text.
pub fn read(text: &Path, labels: &Path, episodes: &[String]) -> Result<Vec<Chunk>, TableTalkError> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut chunks = Vec::new();
    for name in chunk_names(labels, episodes)? {
        let part = if name.as_bytes().get(6) == Some(&b'S') { CorpusPart::Written } else { CorpusPart::Spoken };
        if !texts.contains_key(&name[..7]) {
            texts.insert(name[..7].to_owned(), read_text(text, &name[..6], part)?);
        }
        chunks.push(read_chunk(&labels.join(format!("{name}.jsonl")), name.clone(), part, &texts[&name[..7]])?);
    }
    Ok(chunks)
}

fn read_chunk(path: &Path, name: String, part: CorpusPart, text: &[String]) -> Result<Chunk, TableTalkError> {
    let (mut labels, mut first) = (Vec::new(), None);
    for (number, raw) in read_raw_labels(path)? {
        let failed = |problem: String| TableTalkError::Label { path: path.to_owned(), line: number, problem };
        let first = *first.get_or_insert(raw.line.saturating_sub(LINES_BEFORE));
        let line = text.get(raw.line).ok_or_else(|| failed(format!("the text has no line {}", raw.line)))?;
        let byte_index = |index: usize| line.char_indices().map(|(index, _)| index).chain([line.len()]).nth(index);
        let span = |start, end| {
            let range = byte_index(start).zip(byte_index(end)).filter(|(start, end)| start < end);
            range.ok_or_else(|| failed(format!("line {} has no characters {start} to {end}", raw.line)))
        };
        let mut statements = Vec::new();
        for statement in &raw.statements {
            let references =
                statement.references.iter().map(|(start, end, name)| Ok((span(*start, *end)?, name.clone())));
            statements.push(LabelledStatement {
                span: span(statement.span.0, statement.span.1)?,
                status: statement.status,
                subject: statement.subject.clone(),
                references: references.collect::<Result<_, TableTalkError>>()?,
                typed: statement.typed.clone(),
            });
        }
        labels.push(Label { line: raw.line - first, talk: raw.talk, statements });
    }
    let first = first.unwrap_or_default();
    let last = labels.last().map_or(first, |label| first + label.line);
    Ok(Chunk { name, part, first_line: first, lines: text[first..=last].to_vec(), labels })
}
