//! Game events: a character sees, says, tells, reads or concludes something, and others learn from it.
//!
//! A game event refers to entities and facts by name, like an [`Edit`](crate::edit::Edit). It computes the changes of
//! one operation from the current state, and does not apply them.

mod event;
mod parts;
mod stage;

pub use event::GameEvent;
pub use parts::{Circumstances, Retelling, Stated};
pub(crate) use stage::mentioned;
