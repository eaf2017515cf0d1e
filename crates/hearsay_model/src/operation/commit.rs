//! Operations: changes that are committed together.

use serde::{Deserialize, Serialize};

use super::Change;
use crate::{Author, Timestamp};

/// Unit of change. Either all changes of an operation are applied, or none of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// The author of the operation.
    pub author: Author,
    /// The moment when the operation was recorded, by the real clock.
    pub recorded: Timestamp,
    /// Summary for people, in a few words.
    pub summary: String,
    /// The changes, in order.
    pub changes: Vec<Change>,
}

impl Operation {
    /// Creates an operation with timestamp zero. The committing code sets the timestamp.
    pub fn new(author: Author, summary: impl Into<String>, changes: Vec<Change>) -> Self {
        Self { author, recorded: Timestamp::default(), summary: summary.into(), changes }
    }
}
