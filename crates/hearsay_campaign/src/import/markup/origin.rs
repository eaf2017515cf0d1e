//! Creates origins, which are positions in a file with a quote. The quotes contain no DM-only text.

use std::{ops::Range, sync::Arc};

use super::hidden::{regions, replace_with_spaces};
use crate::import::{Origin, SourceText, quote};

impl SourceText {
    /// Returns the origin of a range of this text. The quote of the origin contains no DM-only parts.
    pub fn origin(&self, field: impl Into<Arc<str>>, span: Range<usize>) -> Origin {
        let source = self.content.get(span.clone()).unwrap_or_default();
        let mut origin = self.origin_with_source(field, span, source);
        // Players may see the quote, so DM-only parts must be removed from it.
        const MARKS: [&str; 9] = ["%%", "<", "[!", "||", "[/", "{{", ":::", "```", "~~~"];
        if MARKS.iter().any(|mark| source.contains(mark)) {
            origin.quote = quote(&without_secrets(source)).into();
        }
        origin
    }
}

/// Returns the DM-only ranges of a text in Markdown: comments, and secret callouts and elements.
pub(crate) fn secret_ranges(source: &str) -> Vec<Range<usize>> {
    regions(source).into_iter().map(|region| region.outer).collect()
}

/// Replaces the DM-only parts of a text in Markdown with spaces, so that all other text keeps its position.
pub(crate) fn without_secrets(source: &str) -> String {
    replace_with_spaces(source, secret_ranges(source).into_iter())
}
