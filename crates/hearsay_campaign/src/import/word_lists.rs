//! Word lists: the TOML files in `data/`.

use serde::de::DeserializeOwned;

/// Parses a word list. The word lists are part of the program, so a malformed list is a bug of the program.
#[expect(clippy::panic, reason = "the files are part of the program, and the tests read all of them")]
pub(super) fn parse_table<T: DeserializeOwned>(path: &str, file: &str) -> T {
    toml::from_str(file).unwrap_or_else(|error| panic!("data/{path}: {error}"))
}
