//! Conversion of marked-up texts to plain blocks, with their headings, links and positions in the file.
//!
//! [`markdown`], [`html`] and [`bbcode`] read the markup of common tools. A reader for other markup converts it to HTML
//! first, or creates [`Block`](crate::import::Block)s with a [`BlockWriter`].

mod bbcode;
mod hidden;
mod html;
mod link_syntax;
mod markdown;
mod origin;
mod tags;
mod writer;

pub use bbcode::bbcode;
pub(crate) use hidden::inline_field;
pub use html::{html, html_to_text};
pub use link_syntax::{InlineLink, LinkSyntax, no_links};
pub use markdown::markdown;
pub(crate) use origin::{secret_ranges, without_secrets};
pub use writer::BlockWriter;
