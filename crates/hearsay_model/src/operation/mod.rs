//! Operations: lists of changes that are committed together.

mod change;
mod commit;
mod key;
mod visit;

pub use change::Change;
pub use commit::Operation;
pub use key::Key;
