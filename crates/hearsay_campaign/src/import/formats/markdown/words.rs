//! The words of `data/markdown.toml`.

use std::{collections::HashSet, sync::LazyLock};

use serde::Deserialize;

use crate::import::tables::table;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    pub(super) media: HashSet<String>,
    pub(super) repository: HashSet<String>,
}

pub(super) static WORDS: LazyLock<Words> =
    LazyLock::new(|| table("markdown.toml", include_str!("../../../../data/markdown.toml")));
