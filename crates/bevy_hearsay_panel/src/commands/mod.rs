//! The panels of the desk and all commands. The help (`?`) and the palette (Ctrl+P) use the same table of commands and
//! keys.

mod keys;
mod table;

pub use keys::{Keys, alt, ctrl, key};
pub(crate) use table::FirstPlace;
pub use table::*;
