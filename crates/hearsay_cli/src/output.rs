//! Where output goes: data to standard output, all else to standard error.

use std::io::{self, IsTerminal, Write};

use anyhow::Result;
use hearsay_memory::MemoryError;
use hearsay_store::StoreError;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

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

    /// A line for people; nothing, where data is wanted.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Result<()> {
        if !self.json {
            writeln!(self.out, "{}", text.as_ref())?;
        }
        Ok(())
    }

    /// Data, where it is wanted.
    pub(crate) fn data(&mut self, data: &impl Serialize) -> Result<()> {
        if self.json {
            serde_json::to_writer_pretty(&mut self.out, data)?;
            writeln!(self.out)?;
        }
        Ok(())
    }

    /// Standard output itself.
    pub(crate) fn raw(&mut self) -> &mut impl Write {
        &mut self.out
    }

    /// A note on standard error.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        if !self.quiet {
            let _ = writeln!(io::stderr(), "{}", text.as_ref());
        }
    }

    /// A bar on the terminal; nothing, where there is none.
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
        let mut text = format!("{error:#}");
        if text.starts_with("error: ") {
            text.drain(.."error: ".len());
        }
        if self.json {
            let data = serde_json::json!({ "error": text, "exit_code": exit_code(error) });
            let _ = writeln!(io::stderr(), "{data}");
        } else {
            let _ = writeln!(io::stderr(), "error: {text}");
        }
    }
}

/// The exit code of an error, as `hearsay help` lists them.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<MemoryError>() {
        Some(MemoryError::Unknown { .. } | MemoryError::Ambiguous { .. } | MemoryError::FactReference { .. }) => 3,
        Some(MemoryError::Settings { .. } | MemoryError::Campaign(_) | MemoryError::Embed(_)) => 4,
        Some(MemoryError::Store(StoreError::Held { .. })) => 5,
        _ => match error.downcast_ref::<hearsay_embed::EmbedError>() {
            Some(_) => 4,
            None => 1,
        },
    }
}

/// Whether the reader of the output is gone.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    let of_json = |error: &serde_json::Error| error.io_error_kind() == Some(io::ErrorKind::BrokenPipe);
    error.downcast_ref::<io::Error>().is_some_and(broken)
        || error.downcast_ref::<serde_json::Error>().is_some_and(of_json)
}
