//! The word lists in `data/kanka.toml`.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use hearsay_model::Kind;
use serde::Deserialize;

use crate::import::word_lists::parse_table;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KankaWords {
    /// The folders of an export.
    pub(super) modules: HashMap<String, Module>,
    /// Folders with files that describe no entity.
    pub(super) others: HashSet<String>,
}

/// A folder of an export.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Module {
    /// The name that links in Kanka texts use for an entity of this module, such as `character`.
    pub(super) singular: String,
    /// The kind of the entities in the folder.
    pub(super) kind: Option<Kind>,
}

pub(super) static KANKA_WORDS: LazyLock<KankaWords> =
    LazyLock::new(|| parse_table("kanka.toml", include_str!("../../../../data/kanka.toml")));
