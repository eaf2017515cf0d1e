//! Operations: lists of changes that are committed together.

use serde::{Deserialize, Serialize};

use super::Change;
use crate::{Author, Evidence, PassageId, Timestamp};

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

    /// Returns the passage in which the extractor found the facts of the operation. Returns `None` if another author
    /// recorded the operation, or if the facts do not come from one passage.
    ///
    /// A fact that became more certain also has earlier passages as evidence. The newest passage comes last.
    pub fn extracted_from(&self) -> Option<PassageId> {
        if self.author != Author::Extractor {
            return None;
        }
        let mut common_passages: Option<Vec<PassageId>> = None;
        for change in &self.changes {
            let fact = match change {
                Change::AssertFact(fact) | Change::Support(fact) => fact,
                Change::AddEntity(_) | Change::Learn(_) | Change::EndFact { .. } => continue,
                _ => return None,
            };
            let passages: Vec<PassageId> = fact.provenance().evidence.iter().filter_map(Evidence::passage).collect();
            common_passages = Some(match common_passages {
                None => passages,
                Some(earlier) => earlier.into_iter().filter(|passage| passages.contains(passage)).collect(),
            });
        }
        common_passages?.pop()
    }
}
