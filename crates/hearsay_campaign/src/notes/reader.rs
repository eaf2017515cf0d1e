//! Readers for the supported formats, and their selection.

use std::{collections::HashMap, fmt, str::FromStr};

use hearsay_model::{EntityId, ExternalId};
use serde::Serialize;

use super::{Earlier, Folder, Notes};

/// The format of a campaign's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Hearsay's own YAML.
    Native,
    /// Markdown: an Obsidian vault, a folder whose notes link by title, or files with an entity per heading.
    Markdown,
    /// Foundry VTT: exported documents, worlds, `packs/_source`, NeDB.
    Foundry,
    /// A Kanka export, zipped or not.
    Kanka,
    /// A Roll20 export.
    Roll20,
    /// A World Anvil export.
    WorldAnvil,
    /// The YAML campaign of Glyphoxa.
    Glyphoxa,
    /// Any JSON, YAML or CSV, by a mapping file.
    Mapping,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 8] = [
        Self::Native,
        Self::Markdown,
        Self::Foundry,
        Self::Kanka,
        Self::Roll20,
        Self::WorldAnvil,
        Self::Glyphoxa,
        Self::Mapping,
    ];

    /// Returns the name, as `--format` takes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Markdown => "markdown",
            Self::Foundry => "foundry",
            Self::Kanka => "kanka",
            Self::Roll20 => "roll20",
            Self::WorldAnvil => "world-anvil",
            Self::Glyphoxa => "glyphoxa",
            Self::Mapping => "mapping",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let word = hearsay_model::slug(text);
        let found = Self::ALL.into_iter().find(|format| format.as_str() == word);
        found.or((word == "obsidian").then_some(Self::Markdown)).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|format| format.as_str()).collect();
            format!("`{text}` is no format: expected {}", names.join(", "))
        })
    }
}

/// The certainty of a reader about the files, 1 to 100. The reader with the highest score is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(pub u8);

impl Score {
    /// The files have unique marks of the format.
    pub const SURE: Self = Self(90);
    /// Most of the files look like the format.
    pub const LIKELY: Self = Self(60);
    /// The reader can read the files if no other matches better.
    pub const POSSIBLE: Self = Self(20);
}

/// Options for reading files.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The format; `None` to detect it.
    pub format: Option<Format>,
    /// The name of the campaign; `None` to take it from the files or their folder.
    pub name: Option<String>,
    /// The side of `[[a|b]]` or `[[a:b]]` that is the target; `None` to detect it from the links.
    pub alias_order: Option<AliasOrder>,
    /// Whether some notes are open that are secret by default: notes in a folder with DM-only session logs, and
    /// documents of Foundry compendiums that give players no permission.
    pub open_folders: bool,
    /// The mapping file, for [`Format::Mapping`]; `None` to search for it beside the files.
    pub mapping: Option<std::path::PathBuf>,
    /// The entities that an earlier import created, by their external ids. They keep their ids even if their names
    /// change.
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

/// Reader for one format.
pub trait NoteReader: Sync {
    /// Returns the format.
    fn format(&self) -> Format;

    /// Returns a score if the files may have this format. Checks names first, then the content of a few files.
    fn detect(&self, folder: &Folder) -> Option<Score>;

    /// Reads all readable files. An unreadable file is recorded as skipped, and reading continues.
    fn read(&self, folder: &Folder, options: &Options, notes: &mut Notes);
}

/// All readers. If two have the same score, the earlier one is used.
pub static READERS: &[&dyn NoteReader] = &[
    &super::mapping::Mapping,
    &super::kanka::Kanka,
    &super::foundry::Foundry,
    &super::roll20::Roll20,
    &super::world_anvil::WorldAnvil,
    &super::glyphoxa::Glyphoxa,
    &super::markdown::Markdown,
];
