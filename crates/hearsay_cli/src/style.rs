//! Colours on the terminal. Each piece of a line has a style.

use std::io;

use anstream::AutoStream;
use clap::{
    ColorChoice,
    builder::styling::{AnsiColor, Style as Ansi},
};
use hearsay_model::escape;

/// Style of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Ordinary text.
    Plain,
    /// A heading.
    Heading,
    /// An id, a position or a citation.
    Id,
    /// A warning.
    Warning,
    /// An error.
    Error,
}

impl Style {
    fn ansi(self) -> Ansi {
        match self {
            Self::Plain => Ansi::new(),
            Self::Heading => Ansi::new().bold(),
            Self::Id => Ansi::new().dimmed(),
            Self::Warning => AnsiColor::Yellow.on_default(),
            Self::Error => AnsiColor::Red.on_default().bold(),
        }
    }

    /// Returns text in this style. `text` must already be escaped.
    pub(crate) fn paint(self, text: &str, colour: bool) -> String {
        if !colour || self == Self::Plain || text.is_empty() {
            return text.to_owned();
        }
        let ansi = self.ansi();
        format!("{ansi}{text}{ansi:#}")
    }
}

/// A line of output that consists of pieces with a style. Each piece is escaped before its style is applied.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line(Vec<(Style, String)>);

impl Line {
    pub(crate) fn heading(text: impl Into<String>) -> Self {
        Self::default().styled(Style::Heading, text)
    }

    pub(crate) fn id(self, text: impl Into<String>) -> Self {
        self.styled(Style::Id, text)
    }

    pub(crate) fn plain(self, text: impl Into<String>) -> Self {
        self.styled(Style::Plain, text)
    }

    pub(crate) fn styled(mut self, style: Style, text: impl Into<String>) -> Self {
        self.0.push((style, text.into()));
        self
    }

    /// Returns the line as text for a terminal, without a line break at the end.
    pub(crate) fn paint(&self, colour: bool) -> String {
        self.0.iter().map(|(style, text)| style.paint(&escape::line(text), colour)).collect()
    }
}

impl<T: AsRef<str>> From<T> for Line {
    fn from(text: T) -> Self {
        Self::default().plain(text.as_ref())
    }
}

/// Whether standard output and standard error use colour.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Colours {
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
}

impl Colours {
    /// Decides according to the option `--color`. `auto` uses colour on terminals, unless the variables `NO_COLOR`,
    /// `CLICOLOR`, `CLICOLOR_FORCE` and `TERM` say otherwise.
    pub(crate) fn new(choice: ColorChoice) -> Self {
        let uniform = |colour| Self { stdout: colour, stderr: colour };
        match choice {
            ColorChoice::Always => uniform(true),
            ColorChoice::Never => uniform(false),
            ColorChoice::Auto => Self {
                stdout: AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never,
                stderr: AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_escaped_before_they_are_painted() {
        let line = Line::heading("A\u{1b}[2J").plain(" b\n").id("c");
        assert_eq!(line.paint(false), "A\\u{1b}[2J b c");
        assert_eq!(line.paint(true), "\u{1b}[1mA\\u{1b}[2J\u{1b}[0m b \u{1b}[2mc\u{1b}[0m");
    }
}
