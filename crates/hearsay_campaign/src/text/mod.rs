//! Texts with markup become clean text: blocks with their headings, their links, and their place in the file.
//!
//! [`markdown`], [`html`] and [`bbcode`] read the kinds of markup that campaigns are written in; a reader of another kind turns it
//! into HTML first, or pushes [`Block`](crate::notes::Block)s made with [`Writer`].

mod bbcode;
mod clean;
mod hidden;
mod html;
mod markdown;

pub use bbcode::bbcode;
pub use clean::{Clean, Inline, Style, Writer, no_links};
pub use html::{html, html_to_text};
pub use markdown::markdown;

/// The stretches of a text in Markdown that are for the DM alone: comments, and callouts and elements that say so.
pub(crate) fn secret_ranges(source: &str) -> Vec<std::ops::Range<usize>> {
    hidden::regions(source).into_iter().map(|region| region.outer).collect()
}

/// A text in Markdown with what is for the DM alone turned into spaces, so that all else stays where it is.
pub(crate) fn without_secrets(source: &str) -> String {
    hidden::blanked(source, secret_ranges(source).into_iter())
}

/// The name and the value of a line such as `key:: value`.
pub(crate) fn inline_field(line: &str) -> Option<(&str, &str)> {
    hidden::inline_field(line)
}
