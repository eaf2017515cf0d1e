//! Readers: which there are, and which of them fits.

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
    /// Every format.
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

    /// Its name, as `--format` takes it.
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

/// How well a reader fits the files, 1 to 100. The best one reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(pub u8);

impl Score {
    /// Signs that nothing else has.
    pub const SURE: Self = Self(90);
    /// Most of the files look like it.
    pub const LIKELY: Self = Self(60);
    /// It can be read so, if nothing better fits.
    pub const POSSIBLE: Self = Self(20);
}

/// How files are read.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The format; found by looking at the files, when there is none.
    pub format: Option<Format>,
    /// What the campaign is called; as its files or their folder say, when nothing is given.
    pub name: Option<String>,
    /// Which side of `[[a|b]]` or `[[a:b]]` is the target; found by looking at the links, when nothing is given.
    pub alias_order: Option<AliasOrder>,
    /// Whether the notes of a folder with session logs for the DM alone are secret, and the documents of Foundry's compendiums
    /// that give players no permission. They are, unless this is set.
    pub open_folders: bool,
    /// The mapping file, for [`Format::Mapping`]; looked for beside the files, when there is none.
    pub mapping: Option<std::path::PathBuf>,
    /// The entities that an earlier import made of notes, by their external ids. They keep their ids, whatever became of
    /// their names.
    pub known: HashMap<ExternalId, EntityId>,
    /// What earlier imports made of notes. A note gets the id of no entity that others brought, whatever its name: that two
    /// names agree does not make them one.
    pub earlier: Earlier,
}

/// Which part of a link with two parts is its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AliasOrder {
    /// `[[target|label]]`
    TargetFirst,
    /// `[[label|target]]`, `[[label:target]]`
    LabelFirst,
}

/// Reads one format.
pub trait Reader: Sync {
    /// Which.
    fn format(&self) -> Format;

    /// Whether the files are of this format, by looking at them: at names first, then into few of them.
    fn detect(&self, folder: &Folder) -> Option<Score>;

    /// Reads all it can. What cannot be read is noted as skipped, and the rest goes on.
    fn read(&self, folder: &Folder, options: &Options, notes: &mut Notes);
}

/// The readers. Where two fit equally well, the earlier one reads.
pub static READERS: &[&dyn Reader] = &[
    &super::mapping::Mapping,
    &super::kanka::Kanka,
    &super::foundry::Foundry,
    &super::roll20::Roll20,
    &super::world_anvil::WorldAnvil,
    &super::glyphoxa::Glyphoxa,
    &super::markdown::Markdown,
];
