//! Output of the program: data goes to standard output, everything else to standard error.
//!
//! This module escapes everything that the program prints. No name, statement or file can send a control character to
//! the terminal, or begin a line of its own.

use std::{
    fmt,
    io::{self, IsTerminal, Write},
};

use anyhow::Result;
use hearsay_embed::EmbedError;
use hearsay_memory::MemoryError;
use hearsay_model::{ApplyError, escape};
use hearsay_store::StoreError;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

/// Exit code of a wrong command line, the same as clap's.
pub(crate) const WRONG_LINE: u8 = 2;
/// Exit code for a name, id or handle that matches nothing, or more than one thing.
pub(crate) const NO_SUCH: u8 = 3;
/// Exit code for a wrong or missing file or directory.
pub(crate) const WRONG_FILE: u8 = 4;

/// An error that this program raises itself, with its exit code.
#[derive(Debug)]
pub(crate) struct Fault {
    code: u8,
    text: String,
}

impl Fault {
    pub(crate) fn new(code: u8, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Fault {}

/// The program's output.
pub(crate) struct Output {
    json: bool,
    quiet: bool,
    out: io::BufWriter<io::Stdout>,
}

impl Output {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        Self { json, quiet, out: io::BufWriter::new(io::stdout()) }
    }

    /// Prints one line of text. Prints nothing with `--json`.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Result<()> {
        if !self.json {
            writeln!(self.out, "{}", escape::line(text.as_ref()))?;
        }
        Ok(())
    }

    /// Prints a text of several lines that the program itself broke. Prints nothing with `--json`.
    pub(crate) fn page(&mut self, text: impl AsRef<str>) -> Result<()> {
        if !self.json {
            writeln!(self.out, "{}", escape::lines(text.as_ref().trim_end()))?;
        }
        Ok(())
    }

    /// Prints rows of text with aligned columns. The last cell is not padded.
    pub(crate) fn columns<const N: usize>(&mut self, rows: &[[String; N]]) -> Result<()> {
        let mut widths = [0; N];
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for row in rows {
            let cells = row.iter().zip(widths).enumerate();
            let cells = cells.map(|(n, (cell, width))| if n + 1 < N { format!("{cell:width$}") } else { cell.clone() });
            self.line(cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }

    /// Prints data as JSON, if `--json` is given.
    pub(crate) fn data(&mut self, data: &impl Serialize) -> Result<()> {
        if self.json {
            let text = serde_json::to_string_pretty(data)?;
            writeln!(self.out, "{}", escape::json(&text))?;
        }
        Ok(())
    }

    /// Writes a file to standard output byte for byte. Text for a terminal is escaped.
    pub(crate) fn file(&mut self, bytes: &[u8]) -> Result<()> {
        match io::stdout().is_terminal() {
            true => self.out.write_all(escape::lines(&String::from_utf8_lossy(bytes)).as_bytes())?,
            false => self.out.write_all(bytes)?,
        }
        Ok(())
    }

    /// Prints a note of one line on standard error.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        if !self.quiet {
            let _ = writeln!(io::stderr(), "{}", escape::line(text.as_ref()));
        }
    }

    /// Creates a progress bar, which is hidden without a terminal.
    pub(crate) fn progress(&self, what: &'static str) -> ProgressBar {
        let shown = !self.quiet && io::stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} {eta}");
        let bar = ProgressBar::with_draw_target(Some(0), target).with_message(what);
        match style {
            Ok(style) => bar.with_style(style.progress_chars("=> ")),
            Err(_) => bar,
        }
    }

    pub(crate) fn finish(&mut self) -> Result<()> {
        Ok(self.out.flush()?)
    }

    pub(crate) fn error(&self, error: &anyhow::Error) {
        print_error(self.json, &text_of(error), exit_code(error));
    }
}

/// Prints an error, as a line of text or as JSON.
pub(crate) fn print_error(json: bool, text: &str, code: u8) {
    let text = text.strip_prefix("error: ").unwrap_or(text).trim_end();
    let _ = if json {
        let error = serde_json::json!({ "error": text, "exit_code": code }).to_string();
        writeln!(io::stderr(), "{}", escape::json(&error))
    } else {
        writeln!(io::stderr(), "error: {}", escape::lines(text))
    };
}

/// Formats an error and its causes. Skips a cause whose text the error already contains.
fn text_of(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            let between = if text.is_empty() { "" } else { ": " };
            text = format!("{text}{between}{cause}");
        }
    }
    text
}

/// Returns the exit code of an error, as `hearsay help` lists them.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    if let Some(fault) = error.downcast_ref::<Fault>() {
        return fault.code;
    }
    if error.downcast_ref::<EmbedError>().is_some() || error.downcast_ref::<io::Error>().is_some() {
        return WRONG_FILE;
    }
    let error = match error.downcast_ref::<MemoryError>() {
        Some(MemoryError::LogLine { source, .. }) => Some(&**source),
        error => error,
    };
    match error {
        Some(
            MemoryError::Calendar(_)
            | MemoryError::EndsTooEarly { .. }
            | MemoryError::Fact(_)
            | MemoryError::NoSessionEnd(_)
            | MemoryError::NoSessionStart(_)
            | MemoryError::NotSo { .. }
            | MemoryError::EmptyLog
            | MemoryError::SessionEndsTooEarly { .. }
            | MemoryError::Id(_)
            | MemoryError::Predicate(_)
            | MemoryError::LongQuestion { .. }
            | MemoryError::PruneWhat
            | MemoryError::Scale(_)
            | MemoryError::Apply(ApplyError::FlagKind { .. } | ApplyError::FlagName { .. }),
        ) => WRONG_LINE,
        Some(
            MemoryError::Unknown { .. }
            | MemoryError::Ambiguous { .. }
            | MemoryError::FactReference { .. }
            | MemoryError::NoSession { .. }
            | MemoryError::NoSpeaker { .. }
            | MemoryError::Apply(ApplyError::NoFlag { .. })
            | MemoryError::NotKnown { .. }
            | MemoryError::NotMerged { .. }
            | MemoryError::OneEntity(_),
        ) => NO_SUCH,
        Some(
            MemoryError::Settings { .. }
            | MemoryError::Campaign(_)
            | MemoryError::Embed(_)
            | MemoryError::File { .. }
            | MemoryError::Transcript(_)
            | MemoryError::Store(StoreError::File { .. }),
        ) => WRONG_FILE,
        Some(MemoryError::Store(StoreError::Held { .. })) => 5,
        _ => 1,
    }
}

/// Whether the reader of the output closed the pipe.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    let of_json = |error: &serde_json::Error| error.io_error_kind() == Some(io::ErrorKind::BrokenPipe);
    error.downcast_ref::<io::Error>().is_some_and(broken)
        || error.downcast_ref::<serde_json::Error>().is_some_and(of_json)
}

/// Formats a number with its noun: `1 fact`, `2 facts`.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
