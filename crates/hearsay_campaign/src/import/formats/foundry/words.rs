//! The word lists in `data/foundry.toml`.

use std::{collections::HashSet, sync::LazyLock};

use serde::Deserialize;

use crate::import::{english::WordMap, word_lists::parse_table};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FoundryWords {
    /// Types of actors that are not persons, with the kind of entity for each type.
    pub(super) kinds: WordMap,
    pub(super) players: HashSet<String>,
    pub(super) things: HashSet<String>,
    pub(super) fields: Vec<String>,
    pub(super) texts: HashSet<String>,
    pub(super) rules: HashSet<String>,
}

pub(super) static FOUNDRY_WORDS: LazyLock<FoundryWords> =
    LazyLock::new(|| parse_table("foundry.toml", include_str!("../../../../data/foundry.toml")));
