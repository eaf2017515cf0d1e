//! The word lists in `data/markdown.toml`.

use std::{collections::HashSet, sync::LazyLock};

use serde::Deserialize;

use crate::import::word_lists::parse_table;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MarkdownWords {
    pub(super) media: HashSet<String>,
    pub(super) repository: HashSet<String>,
}

pub(super) static MARKDOWN_WORDS: LazyLock<MarkdownWords> =
    LazyLock::new(|| parse_table("markdown.toml", include_str!("../../../../data/markdown.toml")));
