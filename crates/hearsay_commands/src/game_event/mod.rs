//! Game events: characters see, say, tell, read or deduce something, and learn from it.
//!
//! A game event refers to entities and facts by name, like an [`Edit`](crate::edit::Edit). It computes one operation
//! from the current state, but does not apply it.

mod event;
mod event_context;
mod parts;

pub use event::GameEvent;
pub(crate) use event_context::mentioned_entities;
pub use parts::{Circumstances, Retelling, Stated};
