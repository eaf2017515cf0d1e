//! Operations: lists of changes that are committed together.

use serde::{Deserialize, Serialize};

use super::Change;
use crate::{Author, Timestamp};

/// List of changes by one author. Either all changes of an operation are applied, or none of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// The author of the operation.
    pub author: Author,
    /// The real time at which the operation was recorded.
    pub recorded: Timestamp,
    /// Summary of the operation in a few words, for people.
    pub summary: String,
    /// The changes, in order.
    pub changes: Vec<Change>,
}

impl Operation {
    /// Creates an operation with timestamp zero. The code that commits the operation sets the timestamp.
    pub fn new(author: Author, summary: impl Into<String>, changes: Vec<Change>) -> Self {
        Self { author, recorded: Timestamp::default(), summary: summary.into(), changes }
    }
}
