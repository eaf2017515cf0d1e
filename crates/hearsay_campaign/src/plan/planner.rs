//! The state of a comparison between files and state.

use std::collections::{BTreeMap, HashSet};

use hearsay_model::{Author, Change, FactId, KnowledgeId, PassageId, State, Timestamp};

use crate::{Campaign, ImportReport, UnappliedChange, campaign::UnchangedRecords, history::History};

/// Collects the changes of an import.
pub(super) struct Planner<'a> {
    pub(super) state: &'a State,
    pub(super) campaign: &'a Campaign,
    pub(super) now: Timestamp,
    pub(super) author: Author,
    pub(super) history: History<'a>,
    pub(super) report: ImportReport,
    /// Changes that add records. A record comes after the records that it depends on.
    pub(super) additions: Vec<Change>,
    /// Changes that remove records. A record comes after the records that depend on it.
    pub(super) removals: Vec<Change>,
}

/// Records of this source that the import withdraws, leaves out or keeps.
#[derive(Default)]
pub(super) struct Withdrawn {
    /// Facts that are retracted.
    pub(super) retracted: HashSet<FactId>,
    /// Facts in the files that are not added, because another author retracted them.
    pub(super) not_added: HashSet<FactId>,
    /// Facts that the files no longer contain, but that stay because another author uses or changed them.
    pub(super) kept_facts: HashSet<FactId>,
    /// Facts that the files of another tool no longer contain. These facts stay until the DM decides.
    pub(super) missing_facts: Vec<FactId>,
    /// Passages that the files of another tool no longer contain. These passages stay until the DM decides.
    pub(super) missing_passages: Vec<PassageId>,
    /// The new facts of retracted facts whose lines in an export were changed.
    pub(super) replacements: BTreeMap<FactId, FactId>,
    /// Edges that depend on the knowledge of a replaced fact. Edges that depend on the new fact replace them.
    pub(super) moved_edges: Vec<KnowledgeId>,
}

impl Planner<'_> {
    /// Reports a record that stays unchanged.
    pub(super) fn report_unchanged(
        &mut self,
        fact: Option<FactId>,
        description: impl Into<String>,
        reason: impl Into<String>,
    ) {
        self.report.unapplied_changes.push(UnappliedChange {
            fact,
            description: description.into(),
            reason: reason.into(),
        });
    }

    /// Returns the exact records, if the files are an export.
    pub(super) fn unchanged_records(&self) -> Option<&UnchangedRecords> {
        self.campaign.unchanged_records.as_deref()
    }
}
