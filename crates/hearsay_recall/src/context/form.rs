//! Output forms of a scene context, and their levels of detail.

/// An output form of a scene context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// Plain text, for people at a terminal.
    #[default]
    Text,
    /// Markdown, for people.
    Markdown,
    /// JSON: one object, indented over several lines.
    Json,
    /// Compact prompt, for a language model.
    Prompt,
}

/// Level of detail shown with the lines of a scene context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Detail {
    /// The lines alone, without citations.
    #[default]
    Plain,
    /// The lines, each with its citations.
    Citations,
    /// The lines, each with its citations. A line that answers the question also shows its score in each channel and
    /// its path through the graph.
    Explained,
}

/// Converts `true` to [`Detail::Citations`] and `false` to [`Detail::Plain`].
impl From<bool> for Detail {
    fn from(citations: bool) -> Self {
        if citations { Self::Citations } else { Self::Plain }
    }
}
