//! Authors of operations and facts.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Author of an operation. Undo can be limited to the operations of one author.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The person who runs the game. The DM's statements are canon.
    Dm,
    /// The running game.
    Game,
    /// A player, by name.
    Player(String),
    /// An import, by the name of its source.
    Importer(String),
    /// Extraction from text.
    Extractor,
}

impl fmt::Display for Author {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dm => f.write_str("DM"),
            Self::Game => f.write_str("game"),
            Self::Player(name) => write!(f, "player {name}"),
            Self::Importer(source) => write!(f, "import of {source}"),
            Self::Extractor => f.write_str("extractor"),
        }
    }
}
