//! Reads retrieval tasks. A task is a folder with a corpus, questions about the corpus, and optional facts, in JSON
//! Lines:
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

/// Error while reading a task.
#[derive(Debug, Error)]
pub enum TaskError {
    /// A file or folder cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// Path of the file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A line has the wrong format.
    #[error("{}:{line}: {problem}", file.display())]
    Line {
        /// Path of the file.
        file: PathBuf,
        /// Line number, counted from 1.
        line: usize,
        /// Description of the problem and of the expected input.
        problem: String,
    },
    /// The folder contains no task, or a file of a task is empty.
    #[error(
        "{folder}: no task found; expected a folder with the files corpus.jsonl and queries.jsonl, which must not be empty, \
         or a folder that contains such folders",
        folder = .0.display()
    )]
    Empty(PathBuf),
}

/// A line of `corpus.jsonl`: one text of the corpus.
#[derive(Debug, Clone, Deserialize)]
pub struct CorpusLine {
    /// The id of the text.
    pub id: String,
    /// The id of the text's group: a session or a document. The measurement scores rankings of groups, not of texts.
    pub group: String,
    /// The title of the text. Empty if the text has no title.
    #[serde(default)]
    pub title: String,
    /// The words of the text.
    pub text: String,
    /// The name of the speaker. `None` if nobody spoke the text.
    #[serde(default)]
    pub speaker: Option<String>,
    /// The date or time of the text, in the words of the source; `None` if it is unknown.
    #[serde(default)]
    pub time: Option<String>,
}

/// A line of `queries.jsonl`: a question about the corpus.
#[derive(Debug, Clone, Deserialize)]
pub struct TaskQuery {
    /// The id of the question.
    pub id: String,
    /// The text of the question.
    pub text: String,
    /// The ids of the groups (sessions or documents) that answer the question.
    pub relevant: Vec<String>,
}

/// A line of `facts.jsonl`: a fact that a text of the corpus states.
#[derive(Debug, Clone, Deserialize)]
pub struct TaskFact {
    /// The name of the subject.
    pub subject: String,
    /// The words that name the relation between subject and object.
    pub predicate: String,
    /// The name of the object.
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
    /// The facts that the corpus states. Empty if there is no file `facts.jsonl`.
    pub facts: Vec<TaskFact>,
}

/// Reads the task in the folder `dir`. If the folder contains no task itself, reads all tasks in the folders below it,
/// sorted by path.
///
/// # Errors
/// Returns an error if there is no task, if a file of a task cannot be read or is empty, or if a line has the wrong
/// format.
pub fn read(dir: &Path) -> Result<Vec<Task>, TaskError> {
    let name = dir.canonicalize().ok().and_then(|dir| Some(dir.file_name()?.to_string_lossy().into_owned()));
    let mut tasks = Vec::new();
    find_tasks(dir, name.as_deref().unwrap_or("task"), &mut tasks)?;
    if tasks.is_empty() { Err(TaskError::Empty(dir.to_owned())) } else { Ok(tasks) }
}

fn find_tasks(dir: &Path, name: &str, tasks: &mut Vec<Task>) -> Result<(), TaskError> {
    if dir.join("corpus.jsonl").is_file() {
        tasks.push(read_task(dir, name)?);
        return Ok(());
    }
    let failed = |source| TaskError::File { path: dir.to_owned(), source };
    let mut entries = Vec::new();
    for entry in fs::read_dir(dir).map_err(failed)? {
        entries.push(entry.map_err(failed)?.path());
    }
    entries.sort();
    for path in entries.iter().filter(|path| path.is_dir()) {
        let folder_name = path.file_name().unwrap_or_default().to_string_lossy();
        find_tasks(path, &format!("{name}/{folder_name}"), tasks)?;
    }
    Ok(())
}

fn read_task(dir: &Path, name: &str) -> Result<Task, TaskError> {
    let (mut ids, mut groups) = (BTreeSet::new(), BTreeSet::new());
    let corpus = read_lines(&dir.join("corpus.jsonl"), |line: &CorpusLine| {
        groups.insert(line.group.clone());
        let is_new = ids.insert(line.id.clone());
        (!is_new).then(|| format!("a second corpus line with the id `{}`; each id must be unique", line.id))
    })?;
    let queries = read_lines(&dir.join("queries.jsonl"), |query: &TaskQuery| {
        let unknown = query.relevant.iter().find(|group| !groups.contains(*group));
        let empty_problem =
            query.relevant.is_empty().then(|| "`relevant` is empty; list the correct groups".to_owned());
        empty_problem
            .or_else(|| Some(format!("`relevant` contains `{}`, which is not a group in corpus.jsonl", unknown?)))
    })?;
    let file = dir.join("facts.jsonl");
    let facts = if file.is_file() {
        read_lines(&file, |fact: &TaskFact| {
            let unknown = !ids.contains(&fact.source);
            unknown.then(|| format!("`source` is `{}`, which is not an id in corpus.jsonl", fact.source))
        })?
    } else {
        Vec::new()
    };
    Ok(Task { name: name.to_owned(), corpus, queries, facts })
}

/// Reads the lines of a file, and checks each line. `check` returns the problem of a line, if any.
fn read_lines<T: DeserializeOwned>(
    file: &Path,
    mut check: impl FnMut(&T) -> Option<String>,
) -> Result<Vec<T>, TaskError> {
    let text = fs::read_to_string(file).map_err(|source| TaskError::File { path: file.to_owned(), source })?;
    let mut parsed = Vec::new();
    for (line, json) in (1..).zip(text.lines()).filter(|(_, json)| !json.trim().is_empty()) {
        let failed = |problem| TaskError::Line { file: file.to_owned(), line, problem };
        let value = serde_json::from_str(json).map_err(|error| failed(format!("wrong format: {error}")))?;
        if let Some(problem) = check(&value) {
            return Err(failed(problem));
        }
        parsed.push(value);
    }
    Ok(parsed)
}
