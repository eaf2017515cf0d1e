//! Texts with markup become clean text: blocks with their headings, their links, and their place in the file.
//!
//! [`markdown`] and [`html`] read the two kinds of markup that campaigns are written in; a reader of another kind turns it
//! into HTML first, or pushes [`Block`](crate::notes::Block)s made with [`Writer`].

mod clean;
mod hidden;
mod html;
mod markdown;

pub use clean::{Clean, Inline, Style, Writer, no_links};
pub use html::{html, html_to_text};
pub use markdown::markdown;
