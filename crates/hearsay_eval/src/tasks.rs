//! Retrieval tasks. A task is a folder with a corpus, questions about the corpus, and optional facts, in JSON Lines:
//!
//! - `corpus.jsonl` has the keys `id`, `group` and `text`, and optionally `title`, `speaker` and `time`. A group is a
//!   session with its lines in order, or a document with a single line.
//! - `queries.jsonl` has the keys `id`, `text`, `relevant` (the groups that answer the question) and `category`.
//! - `facts.jsonl` is optional. It has the keys `subject`, `predicate`, `object` and `source` (the id of a corpus
//!   line).

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, de::DeserializeOwned};
use thiserror::Error;

/// Error in a task.
#[derive(Debug, Error)]
pub enum TaskError {
    /// A file or folder cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A line has the wrong format.
    #[error("{}:{line}: {problem}", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The problem, and the expected input.
        problem: String,
    },
    /// The folder contains no task, or a file of a task is empty.
    #[error("{}: no task in it; expected a folder with corpus.jsonl and queries.jsonl, or folders of such folders", .0.display())]
    Empty(PathBuf),
}

/// A text in the corpus.
#[derive(Debug, Clone, Deserialize)]
pub struct CorpusLine {
    /// The id.
    pub id: String,
    /// The group of the text. Rankings of groups are scored.
    pub group: String,
    /// The title. May be empty.
    #[serde(default)]
    pub title: String,
    /// The text.
    pub text: String,
    /// The speaker.
    #[serde(default)]
    pub speaker: Option<String>,
    /// The time, in the words of the source.
    #[serde(default)]
    pub time: Option<String>,
}

/// A question.
#[derive(Debug, Clone, Deserialize)]
pub struct TaskQuery {
    /// The id.
    pub id: String,
    /// The text.
    pub text: String,
    /// The groups that answer the question.
    pub relevant: Vec<String>,
}

/// A fact derived from a corpus line.
#[derive(Debug, Clone, Deserialize)]
pub struct TaskFact {
    /// The subject.
    pub subject: String,
    /// The predicate.
    pub predicate: String,
    /// The object.
    pub object: String,
    /// The id of the corpus line that states the fact.
    pub source: String,
}

/// A task: a corpus and its questions.
#[derive(Debug, Clone)]
pub struct Task {
    /// The path of the task's folder, relative to the folder that was passed to [`read`].
    pub name: String,
    /// The corpus.
    pub corpus: Vec<CorpusLine>,
    /// The questions.
    pub queries: Vec<TaskQuery>,
    /// Additional facts.
    pub facts: Vec<TaskFact>,
}

/// Reads the task in a folder, or all tasks in the folders below it, sorted by path.
///
/// # Errors
/// If there is no task, or one of its files cannot be read.
pub fn read(dir: &Path) -> Result<Vec<Task>, TaskError> {
    let name = dir.canonicalize().ok().and_then(|dir| Some(dir.file_name()?.to_string_lossy().into_owned()));
    let mut tasks = Vec::new();
    walk(dir, name.as_deref().unwrap_or("task"), &mut tasks)?;
    if tasks.is_empty() { Err(TaskError::Empty(dir.to_owned())) } else { Ok(tasks) }
}

fn walk(dir: &Path, name: &str, tasks: &mut Vec<Task>) -> Result<(), TaskError> {
    if dir.join("corpus.jsonl").is_file() {
        tasks.push(task(dir, name)?);
        return Ok(());
    }
    let failed = |source| TaskError::File { path: dir.to_owned(), source };
    let mut below = Vec::new();
    for entry in fs::read_dir(dir).map_err(failed)? {
        below.push(entry.map_err(failed)?.path());
    }
    below.sort();
    for path in below.iter().filter(|path| path.is_dir()) {
        let last = path.file_name().unwrap_or_default().to_string_lossy();
        walk(path, &format!("{name}/{last}"), tasks)?;
    }
    Ok(())
}

fn task(dir: &Path, name: &str) -> Result<Task, TaskError> {
    let (mut ids, mut groups) = (BTreeSet::new(), BTreeSet::new());
    let corpus = lines(&dir.join("corpus.jsonl"), |line: &CorpusLine| {
        groups.insert(line.group.clone());
        let new = ids.insert(line.id.clone());
        (!new).then(|| format!("a second corpus line with the id `{}`; ids must differ", line.id))
    })?;
    let queries = lines(&dir.join("queries.jsonl"), |query: &TaskQuery| {
        let unknown = query.relevant.iter().find(|group| !groups.contains(*group));
        let none = query.relevant.is_empty().then(|| "`relevant` is empty; name the groups that answer".to_owned());
        none.or_else(|| Some(format!("`relevant` names `{}`, which is no group of corpus.jsonl", unknown?)))
    })?;
    let file = dir.join("facts.jsonl");
    let facts = if file.is_file() {
        lines(&file, |fact: &TaskFact| {
            let unknown = !ids.contains(&fact.source);
            unknown.then(|| format!("`source` names `{}`, which is no id in corpus.jsonl", fact.source))
        })?
    } else {
        Vec::new()
    };
    Ok(Task { name: name.to_owned(), corpus, queries, facts })
}

/// Reads the lines of a file, and checks each line. `check` returns the problem of a line, if any.
fn lines<T: DeserializeOwned>(file: &Path, mut check: impl FnMut(&T) -> Option<String>) -> Result<Vec<T>, TaskError> {
    let text = fs::read_to_string(file).map_err(|source| TaskError::File { path: file.to_owned(), source })?;
    let mut read = Vec::new();
    for (line, json) in (1..).zip(text.lines()).filter(|(_, json)| !json.trim().is_empty()) {
        let failed = |problem| TaskError::Line { file: file.to_owned(), line, problem };
        let value = serde_json::from_str(json).map_err(|error| failed(format!("wrong format: {error}")))?;
        if let Some(problem) = check(&value) {
            return Err(failed(problem));
        }
        read.push(value);
    }
    Ok(read)
}
