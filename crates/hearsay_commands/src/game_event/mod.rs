//! Game events: characters witness, say, tell, read or deduce facts, and learn from these events.
//!
//! Like an [`Edit`](crate::edit::Edit), a game event refers to entities and facts by id. It computes one operation from
//! the current state, but does not apply the operation.

mod event;
mod event_context;
mod parts;

pub use event::{EventPlan, GameEvent};
pub(crate) use event_context::{mentioned_entities, secret_name};
pub use parts::{Circumstances, Hearers, Retelling, Stated};
