//! Output of the program: data goes to standard output, everything else to standard error.
//!
//! This module escapes everything that the program prints. A name, statement or file can therefore neither send a
//! control character to the terminal nor insert a line break.

use std::{
    fmt,
    io::{self, IsTerminal, Write},
    time::Duration,
};

use anyhow::Result;
use hearsay_commands::CommandError;
use hearsay_embed::EmbedError;
use hearsay_engine::MemoryError;
pub(crate) use hearsay_model::words::count;
use hearsay_model::{ApplyError, escape};
use hearsay_query::QueryError;
use hearsay_store::StoreError;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::{
    args::Args,
    choice, pager,
    style::{Colours, Line, Style},
};

/// Exit code for a wrong command line. Clap uses the same code.
pub(crate) const USAGE_ERROR: u8 = 2;
/// Exit code for a name, id or handle that matches no record or several records.
pub(crate) const NOT_FOUND: u8 = 3;
/// Exit code for a wrong or missing file or directory.
pub(crate) const FILE_ERROR: u8 = 4;

/// An error raised by this program itself, with its exit code.
#[derive(Debug)]
pub(crate) struct CliError {
    code: u8,
    message: String,
}

impl CliError {
    pub(crate) fn new(code: u8, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CliError {}

/// Prefix of a note that is a warning.
const WARNING: &str = "warning:";

/// Form of the results on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    /// One JSON document.
    Json,
    /// One JSON document per line, each printed as soon as it is complete.
    JsonLines,
}

/// Output of the program.
pub(crate) struct Output {
    format: Format,
    quiet: bool,
    colours: Colours,
    sink: Sink,
}

/// Destination of results.
enum Sink {
    /// Standard output.
    Direct(io::BufWriter<io::Stdout>),
    /// A buffer that is shown at the end, in a pager if it is long.
    Paged(Vec<u8>),
}

impl Sink {
    fn direct() -> Self {
        Self::Direct(io::BufWriter::new(io::stdout()))
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Direct(stdout) => stdout,
            Self::Paged(text) => text,
        }
    }
}

impl Output {
    pub(crate) fn new(args: &Args) -> Self {
        let is_paged = !args.json && !args.no_pager && io::stdout().is_terminal();
        let sink = if is_paged { Sink::Paged(Vec::new()) } else { Sink::direct() };
        let format = if args.json { Format::Json } else { Format::Text };
        Self { format, quiet: args.quiet, colours: Colours::new(args.color), sink }
    }

    /// Returns whether the program can ask the user: it prints text, and has a terminal.
    pub(crate) fn can_ask(&self) -> bool {
        !self.is_json() && choice::is_terminal()
    }

    /// Asks the user a question. Returns `false` if the user does not say yes, or if the program cannot ask.
    pub(crate) fn is_confirmed(&self, question: &str) -> bool {
        self.can_ask() && choice::is_confirmed(question, &mut io::stdin().lock(), &mut io::stderr())
    }

    /// Returns whether results are printed as JSON instead of text.
    pub(crate) fn is_json(&self) -> bool {
        self.format != Format::Text
    }

    /// From now on, prints each result as one line of JSON.
    pub(crate) fn use_json_lines(&mut self) {
        self.format = Format::JsonLines;
    }

    /// Prints one line of text. Prints nothing with `--json`.
    pub(crate) fn line(&mut self, line: impl Into<Line>) -> Result<()> {
        if !self.is_json() {
            let text = line.into().paint(self.colours.stdout);
            writeln!(self.sink.writer(), "{text}")?;
        }
        Ok(())
    }

    /// Prints how many results a list omits because of `--limit`. Prints nothing if the list is complete.
    pub(crate) fn omitted(&mut self, shown: usize, total: usize) -> Result<()> {
        if total > shown { self.line(format!("and {} more: raise --limit", total - shown)) } else { Ok(()) }
    }

    /// Prints text that may have several lines. The caller must ensure that the line breaks do not come from the
    /// campaign. Prints nothing with `--json`.
    pub(crate) fn page(&mut self, text: impl AsRef<str>) -> Result<()> {
        if !self.is_json() {
            writeln!(self.sink.writer(), "{}", escape::lines(text.as_ref().trim_end()))?;
        }
        Ok(())
    }

    /// Prints rows of text with aligned columns. The last cell is not padded.
    pub(crate) fn columns<const N: usize>(&mut self, rows: &[[String; N]]) -> Result<()> {
        self.table([Style::Plain; N], rows)
    }

    /// Prints rows of text with aligned columns. Each column has its own style. The last cell is not padded.
    pub(crate) fn table<const N: usize>(&mut self, styles: [Style; N], rows: &[[String; N]]) -> Result<()> {
        let mut widths = [0; N];
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for row in rows {
            // Does not pad the empty cells at the end of a row.
            let last = row.iter().rposition(|cell| !cell.is_empty()).unwrap_or(0);
            let mut line = Line::default();
            for (n, ((cell, width), style)) in row.iter().zip(widths).zip(styles).enumerate().take(last + 1) {
                let separator = if n == 0 { "" } else { "  " };
                let cell = if n < last { format!("{cell:width$}") } else { cell.trim_end().to_owned() };
                line = line.plain(separator).styled(style, cell);
            }
            self.line(line)?;
        }
        Ok(())
    }

    /// Prints data as JSON. Prints nothing without `--json` or `--jsonl`. A command calls this function once, unless it
    /// prints a stream of results.
    pub(crate) fn data(&mut self, data: &impl Serialize) -> Result<()> {
        let text = match self.format {
            Format::Text => return Ok(()),
            Format::Json => serde_json::to_string_pretty(data)?,
            Format::JsonLines => serde_json::to_string(data)?,
        };
        writeln!(self.sink.writer(), "{}", escape::json(&text))?;
        if self.format == Format::JsonLines { self.flush() } else { Ok(()) }
    }

    /// Writes the content of a file to standard output. On a terminal, control characters are escaped; otherwise, the
    /// bytes are unchanged. With `--json`, the content is a string in the JSON document.
    pub(crate) fn file(&mut self, bytes: &[u8]) -> Result<()> {
        if self.is_json() {
            return self.data(&serde_json::json!({ "content": String::from_utf8_lossy(bytes) }));
        }
        match io::stdout().is_terminal() {
            true => self.sink.writer().write_all(escape::lines(&String::from_utf8_lossy(bytes)).as_bytes())?,
            false => self.sink.writer().write_all(bytes)?,
        }
        Ok(())
    }

    /// Prints a one-line note on standard error.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        if !self.quiet {
            let line = match text.as_ref().strip_prefix(WARNING) {
                Some(rest) => Line::default().styled(Style::Warning, WARNING).plain(rest),
                None => text.as_ref().into(),
            };
            let _ = writeln!(io::stderr(), "{}", line.paint(self.colours.stderr));
        }
    }

    /// Creates a progress bar, which is hidden without a terminal.
    pub(crate) fn progress(&self, label: &'static str) -> ProgressBar {
        self.bar(Some(0), label, "{msg} [{bar:30}] {pos}/{len} {eta}")
    }

    /// Creates a progress bar for a number of bytes, which is hidden without a terminal.
    pub(crate) fn byte_progress(&self, label: &'static str, bytes: u64) -> ProgressBar {
        self.bar(Some(bytes), label, "{msg} [{bar:30}] {bytes}/{total_bytes} {eta}")
    }

    /// Creates a spinner for work of unknown length, which is hidden without a terminal.
    pub(crate) fn spinner(&self, label: &'static str) -> ProgressBar {
        let spinner = self.bar(None, label, "{spinner} {msg} {elapsed}");
        spinner.enable_steady_tick(Duration::from_millis(120));
        spinner
    }

    fn bar(&self, length: Option<u64>, label: &'static str, template: &str) -> ProgressBar {
        let is_visible = !self.quiet && io::stderr().is_terminal();
        let target = if is_visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(length, target).with_message(label);
        match ProgressStyle::with_template(template) {
            Ok(style) => bar.with_style(style.progress_chars("=> ")),
            Err(_) => bar,
        }
    }

    /// Immediately prints the output written so far. Later output is not shown in a pager.
    pub(crate) fn flush(&mut self) -> Result<()> {
        if let Sink::Paged(text) = &self.sink {
            io::stdout().write_all(text)?;
            self.sink = Sink::direct();
        }
        Ok(self.sink.writer().flush()?)
    }

    /// Shows the remaining output at the end of the program.
    pub(crate) fn finish(&mut self) -> Result<()> {
        match std::mem::replace(&mut self.sink, Sink::direct()) {
            Sink::Paged(text) => Ok(pager::show(&text)?),
            Sink::Direct(mut stdout) => Ok(stdout.flush()?),
        }
    }

    pub(crate) fn error(&self, error: &anyhow::Error) {
        let text = if self.is_json() {
            format_error(error)
        } else {
            choice::candidate_list(error).unwrap_or_else(|| format_error(error))
        };
        print_error(self.is_json(), self.colours.stderr, &text, exit_code(error));
    }
}

/// Prints an error, as text or as JSON.
pub(crate) fn print_error(json: bool, colour: bool, text: &str, code: u8) {
    let text = text.strip_prefix("error: ").unwrap_or(text).trim_end();
    let _ = if json {
        let error = serde_json::json!({ "error": text, "exit_code": code }).to_string();
        writeln!(io::stderr(), "{}", escape::json(&error))
    } else {
        writeln!(io::stderr(), "{} {}", Style::Error.paint("error:", colour), escape::lines(text))
    };
}

/// Formats an error and its causes. Skips a cause whose text the error already contains.
fn format_error(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            let separator = if text.is_empty() { "" } else { ": " };
            text = format!("{text}{separator}{cause}");
        }
    }
    text
}

/// Returns the exit code of an error. `hearsay help` lists the exit codes.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    if let Some(cli_error) = error.downcast_ref::<CliError>() {
        return cli_error.code;
    }
    if let Some(query_error) = error.downcast_ref::<QueryError>() {
        return query_code(query_error);
    }
    if error.downcast_ref::<EmbedError>().is_some() || error.downcast_ref::<io::Error>().is_some() {
        return FILE_ERROR;
    }
    match error.downcast_ref::<MemoryError>() {
        Some(MemoryError::Query(error)) => query_code(error),
        Some(MemoryError::Command(error)) => command_code(error),
        Some(MemoryError::QuestionTooLong { .. }) => USAGE_ERROR,
        Some(
            MemoryError::Settings { .. }
            | MemoryError::Campaign(_)
            | MemoryError::Embed(_)
            | MemoryError::File { .. }
            | MemoryError::Server(_)
            | MemoryError::Store(StoreError::File { .. }),
        ) => FILE_ERROR,
        Some(
            MemoryError::Store(StoreError::InUse { .. })
            | MemoryError::NotOwner { .. }
            | MemoryError::InServer { .. }
            | MemoryError::OtherVersion { .. },
        ) => 5,
        _ => 1,
    }
}

fn query_code(error: &QueryError) -> u8 {
    match error {
        QueryError::Calendar(_)
        | QueryError::Id(_)
        | QueryError::NoSessionEnd(_)
        | QueryError::NoSessionStart(_)
        | QueryError::Predicate(_) => USAGE_ERROR,
        QueryError::Unknown { .. }
        | QueryError::UnknownToKnower { .. }
        | QueryError::FactUnknownToKnower { .. }
        | QueryError::UnknownEntity { .. }
        | QueryError::UnknownFact(_)
        | QueryError::Ambiguous { .. }
        | QueryError::FactReference { .. }
        | QueryError::NoSession { .. }
        | QueryError::NotKnown { .. } => NOT_FOUND,
        QueryError::Apply(error) => apply_code(error),
        _ => 1,
    }
}

fn command_code(error: &CommandError) -> u8 {
    match error {
        CommandError::LogLine { source, .. } => command_code(source),
        CommandError::Query(error) => query_code(error),
        CommandError::Calendar(_)
        | CommandError::EmptyLog
        | CommandError::EndsTooEarly { .. }
        | CommandError::Fact(_)
        | CommandError::Id(_)
        | CommandError::NotTrue { .. }
        | CommandError::Predicate(_)
        | CommandError::NoPruneCriteria
        | CommandError::Scale(_)
        | CommandError::SessionEndsTooEarly { .. } => USAGE_ERROR,
        CommandError::AmbiguousReferent { .. }
        | CommandError::NoReferent { .. }
        | CommandError::NoSpeaker { .. }
        | CommandError::NotMerged { .. }
        | CommandError::NoValue { .. }
        | CommandError::SameEntity(_) => NOT_FOUND,
        CommandError::Apply(error) => apply_code(error),
        CommandError::Transcript(_) => FILE_ERROR,
        _ => 1,
    }
}

fn apply_code(error: &ApplyError) -> u8 {
    match error {
        ApplyError::FlagKind { .. } | ApplyError::FlagName { .. } => USAGE_ERROR,
        ApplyError::NoFlag { .. } => NOT_FOUND,
        _ => 1,
    }
}

/// Returns whether an error occurred because the reader of the output closed the pipe.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_broken_io = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    let is_broken_json = |error: &serde_json::Error| error.io_error_kind() == Some(io::ErrorKind::BrokenPipe);
    error.downcast_ref::<io::Error>().is_some_and(is_broken_io)
        || error.downcast_ref::<serde_json::Error>().is_some_and(is_broken_json)
}
