//! Errors and warnings about the files of a campaign, with their positions.

use std::fmt;

use serde::Serialize;
use thiserror::Error;

/// An error in a file: its position, a message that says what was expected, and a hint.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize)]
pub struct CampaignError {
    /// The path of the file relative to the campaign's folder, with forward slashes.
    pub file: String,
    /// The line number, counted from 1; 0 if the error concerns the whole file.
    pub line: u32,
    /// The field with the error, such as `entities/odo-brandt/secrets/2`; empty if the error concerns the whole file.
    pub field: String,
    /// The description of the error and of the expected input.
    pub message: String,
    /// A hint on how to fix the error; may be empty.
    pub hint: String,
}

impl fmt::Display for CampaignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if !self.field.is_empty() {
            write!(f, ": {}", self.field)?;
        }
        write!(f, ": {}", self.message)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, "; {}", self.hint) }
    }
}

/// All errors of an import, in the order of the files. There is at least one error. A failed import does not change the
/// state.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize)]
pub struct CampaignErrors {
    /// The listed errors, at most [`Limits::errors`](crate::Limits::errors).
    pub errors: Vec<CampaignError>,
    /// The number of further errors that are not listed, because the limit is reached.
    pub omitted_errors: usize,
}

impl CampaignErrors {
    /// Creates an error about a whole file.
    pub(crate) fn in_file(file: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let (file, field) = (file.to_owned(), String::new());
        let error = CampaignError { file, line: 0, field, message: message.into(), hint: hint.into() };
        Self { errors: vec![error], omitted_errors: 0 }
    }
}

/// The hint for input that needs the cargo feature `import`.
#[cfg(not(feature = "import"))]
pub(crate) const NEEDS_IMPORT: &str = "build the program with the cargo feature `import`, which reads archives and the \
                                       formats of other tools";

impl fmt::Display for CampaignErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, error) in self.errors.iter().enumerate() {
            let line_break = if n == 0 { "" } else { "\n" };
            write!(f, "{line_break}{error}")?;
        }
        if self.omitted_errors > 0 { write!(f, "\nand {} more", self.omitted_errors) } else { Ok(()) }
    }
}

/// A warning about text that was read but may contain a mistake.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Warning {
    /// The path of the file relative to the campaign's folder, with forward slashes.
    pub path: String,
    /// The line number, counted from 1.
    pub line: u32,
    /// The text that may contain a mistake, and how the import interpreted the text.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// The position of a line: the index of its file and the line number, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct SourcePosition {
    pub(crate) file: u32,
    pub(crate) line: u32,
}

/// Collects errors up to a limit, so that one run shows many errors instead of only the first.
#[derive(Debug)]
pub(crate) struct Diagnostics {
    /// The paths of the files. The index is the `file` of a [`SourcePosition`].
    pub(crate) files: Vec<String>,
    limit: usize,
    errors: Vec<(SourcePosition, CampaignError)>,
    omitted_errors: usize,
    pub(crate) warnings: Vec<Warning>,
}

impl Diagnostics {
    pub(crate) fn new(limit: usize) -> Self {
        Self { files: Vec::new(), limit: limit.max(1), errors: Vec::new(), omitted_errors: 0, warnings: Vec::new() }
    }

    /// Returns whether the limit is reached. Further errors are only counted, and hints that are expensive to compute
    /// are skipped.
    pub(crate) fn is_full(&self) -> bool {
        self.errors.len() >= self.limit
    }

    /// Returns the number of errors so far.
    pub(crate) fn error_count(&self) -> usize {
        self.errors.len() + self.omitted_errors
    }

    /// Returns whether no error has been found so far.
    pub(crate) fn has_no_errors(&self) -> bool {
        self.errors.is_empty()
    }

    pub(crate) fn path(&self, at: SourcePosition) -> &str {
        self.files.get(at.file as usize).map_or("", String::as_str)
    }

    /// Formats a position as `file:line`, for hints that refer to another position.
    pub(crate) fn format_position(&self, at: SourcePosition) -> String {
        format!("{}:{}", self.path(at), at.line)
    }

    pub(crate) fn add(&mut self, at: SourcePosition, field: &str, message: impl Into<String>, hint: impl Into<String>) {
        if self.is_full() {
            self.omitted_errors += 1;
            return;
        }
        let file = self.path(at).to_owned();
        let error =
            CampaignError { file, line: at.line, field: field.into(), message: message.into(), hint: hint.into() };
        // A YAML alias has the line of its anchor, so the same error can occur several times.
        if !self.errors.iter().any(|(_, found)| *found == error) {
            self.errors.push((at, error));
        }
    }

    pub(crate) fn warn(&mut self, at: SourcePosition, message: impl Into<String>) {
        let path = self.path(at).to_owned();
        self.warnings.push(Warning { path, line: at.line, message: message.into() });
    }

    /// Returns the warnings if there are no errors. If there are errors, returns all errors.
    pub(crate) fn finish(mut self) -> Result<Vec<Warning>, CampaignErrors> {
        if self.errors.is_empty() {
            self.warnings.sort();
            self.warnings.dedup();
            return Ok(self.warnings);
        }
        self.errors.sort_by_key(|(at, _)| *at);
        Err(CampaignErrors {
            errors: self.errors.into_iter().map(|(_, error)| error).collect(),
            omitted_errors: self.omitted_errors,
        })
    }
}
