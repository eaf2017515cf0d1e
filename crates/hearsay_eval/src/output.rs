//! Output of the program: tables for people, or JSON lines.

use std::io::{self, IsTerminal, Write};

use anyhow::Result;
use serde::Serialize;

/// Standard output: tables for people or, with `--json`, JSON lines.
pub(crate) struct Output {
    pub(crate) json: bool,
    pub(crate) writer: io::BufWriter<io::Stdout>,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json, writer: io::BufWriter::new(io::stdout()) }
    }

    /// Prints an object as one line of JSON. Does nothing without `--json`.
    pub(crate) fn data(&mut self, data: &impl Serialize) -> Result<()> {
        if self.json {
            writeln!(self.writer, "{}", serde_json::to_string(data)?)?;
        }
        Ok(())
    }

    /// Prints a line of text. Does nothing with `--json`.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Result<()> {
        if !self.json {
            writeln!(self.writer, "{}", text.as_ref())?;
        }
        Ok(())
    }
}

/// Prints a line about the progress to standard error. The next call replaces this line. Does nothing if standard error
/// is not a terminal.
pub(crate) fn progress(text: &str) {
    let mut stderr = io::stderr();
    if stderr.is_terminal() {
        // Progress output is not essential, so errors are ignored.
        let _ = write!(stderr, "\r\x1b[2K{text}").and_then(|()| stderr.flush());
    }
}
