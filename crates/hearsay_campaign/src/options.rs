//! Options for reading a campaign.

use std::{collections::HashMap, path::PathBuf};

use hearsay_model::{EntityId, ExternalId};
use serde::Serialize;

use crate::{EarlierImports, Format};

/// Options for reading the files of a campaign.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format of the files; `None` to detect it.
    pub format: Option<Format>,
    /// The name of the campaign; `None` to take it from the files or their folder.
    pub name: Option<String>,
    /// The part of `[[a|b]]` or `[[a:b]]` that is the target; `None` to detect it from the links.
    pub alias_order: Option<AliasOrder>,
    /// Whether to read notes as open if only their folder makes them secret. If `false`, notes in a folder whose name
    /// marks it as DM-only are secret. Documents in Foundry compendiums that players cannot see by default are then
    /// secret too.
    pub open_folders: bool,
    /// The path of the mapping file, for [`Format::Mapping`]; `None` to search for it beside the files.
    pub mapping: Option<PathBuf>,
    /// The entities that an earlier import created, by external id. These entities keep their ids even if their names
    /// change.
    pub known_entities: HashMap<ExternalId, EntityId>,
    /// The entities, calendar and vocabulary that earlier imports created. A note can describe an existing entity with
    /// the same name: see [`EarlierImports::namesake`].
    pub earlier: EarlierImports,
}

/// Order of target and label in a two-part link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AliasOrder {
    /// The first part is the target: `[[target|label]]`.
    TargetFirst,
    /// The second part is the target: `[[label|target]]` or `[[label:target]]`.
    LabelFirst,
}
