//! The panels of the desk and all commands. The help (`?`) and the palette (Ctrl+P) use the same table of commands and
//! keys.

mod keys;
mod table;

pub use keys::{KeyCombination, alt, ctrl, key};
pub(crate) use table::DefaultPosition;
pub use table::*;
