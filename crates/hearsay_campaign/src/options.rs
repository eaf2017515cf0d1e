//! Options for reading a campaign.

use std::{collections::HashMap, path::PathBuf};

use hearsay_model::{EntityId, ExternalId};
use serde::Serialize;

use crate::{Earlier, Format};

/// Options for reading files.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format; `None` to detect it.
    pub format: Option<Format>,
    /// The name of the campaign; `None` to take it from the files or their folder.
    pub name: Option<String>,
    /// The part of `[[a|b]]` or `[[a:b]]` that is the target; `None` to detect it from the links.
    pub alias_order: Option<AliasOrder>,
    /// Whether to read some notes as open that are secret by default. These are notes in a folder whose name marks it
    /// as DM-only, and documents of Foundry compendiums that give players no permission.
    pub open_folders: bool,
    /// The mapping file, for [`Format::Mapping`]; `None` to search for it beside the files.
    pub mapping: Option<PathBuf>,
    /// The entities that an earlier import created, by their external ids. These entities keep their ids even if their
    /// names change.
    pub known: HashMap<ExternalId, EntityId>,
    /// The results of earlier imports. A note never gets the id of an entity of another source, because equal names do
    /// not prove that two entities are the same.
    pub earlier: Earlier,
}

/// The part of a two-part link that is the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AliasOrder {
    /// `[[target|label]]`
    TargetFirst,
    /// `[[label|target]]`, `[[label:target]]`
    LabelFirst,
}
