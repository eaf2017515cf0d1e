//! Authors of operations and facts.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Author of an operation or a fact: a person or a program. An undo can be limited to the operations of one author.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The Dungeon Master (DM), who runs the game. The DM's statements are canon.
    Dm,
    /// The game program.
    Game,
    /// A player at the table. The text is the name of the player.
    Player(String),
    /// An import. The text is the name of the source.
    Importer(String),
    /// The extractor: the part of Hearsay that finds facts in texts.
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
