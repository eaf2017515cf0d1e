//! Operations: the unit of change.

mod change;
mod commit;
mod key;
mod visit;

pub use change::Change;
pub use commit::Operation;
pub use key::Key;
