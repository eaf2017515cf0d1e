//! The panels of the DM console and all commands. The help (`?`) and the command palette (Ctrl+P) use the same table of
//! commands and keys.

mod keys;
mod table;

pub use keys::{KeyCombination, alt, ctrl, key};
pub(crate) use table::DefaultPosition;
pub use table::*;
