//! Link syntax of a tool.

use std::ops::Range;

use crate::import::Target;

/// A link in a line of text, in the syntax of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inline {
    /// The bytes of the text that the link occupies.
    pub range: Range<usize>,
    /// The target; `None` for markup that is not a link, such as a dice roll.
    pub target: Option<Target>,
    /// The text that replaces the link.
    pub label: String,
}

/// Link syntax of a tool.
#[derive(Clone, Copy)]
pub struct Style<'a> {
    /// Finds the links in a text without other markup, in order and without overlaps.
    pub inline: &'a dyn Fn(&str) -> Vec<Inline>,
    /// Returns the target of an anchor with this address (`[label](address)`, `<a href="address">`). Returns `None` if
    /// the target is not a note of the campaign.
    pub address: &'a dyn Fn(&str) -> Option<Target>,
}

/// Returns a style without links.
pub fn no_links() -> Style<'static> {
    Style { inline: &|_| Vec::new(), address: &|_| None }
}
