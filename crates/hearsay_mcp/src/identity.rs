//! The identity of a session.

use hearsay_model::EntityId;

/// Identity of a session: the character whose view the session uses, or the DM. The identity is set when the session
/// starts, and does not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionIdentity {
    /// A character. The session gives access to the view of this character only.
    Character(EntityId),
    /// The DM, who sees everything.
    Dm,
}
