//! The syntax of links in the texts of a tool.

use std::ops::Range;

use crate::import::LinkTarget;

/// A link in a text, in the syntax of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlineLink {
    /// The range of the link in the text, in bytes.
    pub range: Range<usize>,
    /// The target of the link; `None` for markup that is not a link, such as a dice roll.
    pub target: Option<LinkTarget>,
    /// The text that is shown instead of the link.
    pub label: String,
}

/// Functions that recognize the links of one tool.
#[derive(Clone, Copy)]
pub struct LinkSyntax<'a> {
    /// Returns the links in a text that has no other markup, in order and without overlaps.
    pub inline: &'a dyn Fn(&str) -> Vec<InlineLink>,
    /// Returns the target of an anchor with this address, as in `[label](address)` or `<a href="address">`. Returns
    /// `None` if the target is not a note of the campaign.
    pub address: &'a dyn Fn(&str) -> Option<LinkTarget>,
}

/// Returns a link syntax that recognizes no links.
pub fn no_links() -> LinkSyntax<'static> {
    LinkSyntax { inline: &|_| Vec::new(), address: &|_| None }
}
