//! Formats of campaign files.

use std::{fmt, str::FromStr};

use serde::Serialize;

/// The format of a campaign's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Hearsay's own YAML format.
    Native,
    /// Markdown: an Obsidian vault, a folder whose notes refer to each other by title, or files with an entity per
    /// heading.
    Markdown,
    /// Foundry VTT: exported documents, worlds, `packs/_source` folders and NeDB files.
    Foundry,
    /// A Kanka export, as a folder or a zip archive.
    Kanka,
    /// A Roll20 export of characters and handouts.
    Roll20,
    /// A World Anvil export of articles.
    WorldAnvil,
    /// A YAML campaign of the tool Glyphoxa.
    Glyphoxa,
    /// Any JSON, YAML or CSV files. A mapping file describes the meaning of their fields.
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

    /// Returns the name of the format, which is also its name in the option `--format` of the program `hearsay`.
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
            format!("unknown format `{text}`: expected {}", names.join(", "))
        })
    }
}
