//! Game events: a character sees, says, tells, reads or concludes something, and characters learn from it.
//!
//! A game event refers to entities and facts by name, like an [`Edit`](crate::edit::Edit). A game event computes the
//! changes of one operation from the current state, but does not apply them.

mod event;
mod parts;
mod stage;

pub use event::GameEvent;
pub use parts::{Circumstances, Retelling, Stated};
pub(crate) use stage::mentioned;
