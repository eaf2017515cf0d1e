//! Conversion of marked-up texts to plain blocks, with their headings, links and positions in the file.
//!
//! [`markdown`], [`html`] and [`bbcode`] read the markup of common tools. A reader for other markup converts it to HTML
//! first, or pushes [`Block`](crate::notes::Block)s that a [`Writer`] creates.

mod bbcode;
mod clean;
mod hidden;
mod html;
mod markdown;

pub use bbcode::bbcode;
pub use clean::{Clean, Inline, Style, Writer, no_links};
pub use html::{html, html_to_text};
pub use markdown::markdown;

/// Returns the DM-only ranges of a text in Markdown: comments, and secret callouts and elements.
pub(crate) fn secret_ranges(source: &str) -> Vec<std::ops::Range<usize>> {
    hidden::regions(source).into_iter().map(|region| region.outer).collect()
}

/// Replaces the DM-only parts of a text in Markdown with spaces, so that all other text keeps its position.
pub(crate) fn without_secrets(source: &str) -> String {
    hidden::blanked(source, secret_ranges(source).into_iter())
}

/// Returns the name and value of a line such as `key:: value`.
pub(crate) fn inline_field(line: &str) -> Option<(&str, &str)> {
    hidden::inline_field(line)
}
