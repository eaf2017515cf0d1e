//! Edits of entities, facts and settings. A fact that the DM adds with an edit is canon immediately.
//!
//! Each edit computes one operation from the current state, but does not apply it.

mod editor;
mod edits;
mod options;
mod succession;

pub(crate) use editor::{Correction, Editor};
pub use edits::Edit;
pub use options::FactOptions;
pub(crate) use succession::succession;
