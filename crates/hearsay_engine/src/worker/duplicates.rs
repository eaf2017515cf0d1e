//! Search for duplicate entities, and automatic merging of near-certain duplicates, which is off by default.

use hearsay_commands::merge::{MergePlan, merge, was_merged_and_split};
use hearsay_model::{Author, Key, State};
use hearsay_query::duplicates::{Duplicate, DuplicateCertainty, duplicates, sort_duplicates};
use hearsay_recall::DocId;

use super::{Internal, Worker, Write, guarded};
use crate::{MemoryError, clock::now, ticket::Responder};

/// Maximum number of merges that one search plans.
const MAX_PLANNED_MERGES: usize = 16;

/// Whether a search for mergeable duplicates is due, and whether one is running.
#[derive(Default)]
pub(super) struct Search {
    is_due: bool,
    is_running: bool,
}

impl Worker {
    /// Finds entities that may be duplicates on a background thread, and sends them to the caller.
    pub(super) fn find_duplicates(&mut self, responder: Responder<Vec<Duplicate>>) {
        let snapshot = self.snapshot.clone();
        self.run_in_background(move |internal| {
            let found = if responder.is_cancelled() {
                Err(MemoryError::Cancelled)
            } else {
                guarded(|| Ok(duplicates(&snapshot.state)))
            };
            drop(snapshot);
            match found {
                Ok(found) => drop(internal.send(Internal::FoundDuplicates(found, responder))),
                Err(error) => responder.give(Err(error)),
            }
        });
    }

    /// Compares the meaning of the descriptions of found duplicates and sends the answer. There are few duplicates, so
    /// this does not delay the worker noticeably.
    pub(super) fn give_duplicates(&mut self, found: Vec<Duplicate>, responder: Responder<Vec<Duplicate>>) {
        let (state, index) = (&self.snapshot.state, &self.index);
        let add_meaning =
            |duplicate: Duplicate| duplicate.with_meaning_similarity(state, |fact| index.vector(DocId::Fact(fact)));
        let mut found: Vec<Duplicate> = found.into_iter().map(add_meaning).collect();
        sort_duplicates(&mut found);
        responder.give(Ok(found));
    }

    /// Marks a search as due if an operation changed a name, because the changed name may be similar to the name of
    /// another entity.
    pub(super) fn note_duplicates(&mut self, touched: &[Key]) {
        if !self.settings.duplicates.merge_near_certain || self.duplicates.is_due {
            return;
        }
        let is_name = |key: &Key| match key {
            Key::Fact(id) => self.snapshot.state.fact(*id).is_some_and(|fact| fact.is_name()),
            _ => false,
        };
        self.duplicates.is_due = touched.iter().any(is_name);
    }

    /// Starts a background search for duplicates to merge, if one is due and no writes wait.
    pub(super) fn look_for_duplicates(&mut self) {
        if !self.duplicates.is_due || self.duplicates.is_running || self.closing || self.writes.waiting() > 0 {
            return;
        }
        let snapshot = self.snapshot.clone();
        self.duplicates.is_due = false;
        self.duplicates.is_running = self.run_in_background(move |internal| {
            let found = duplicates(&snapshot.state);
            let plans = found
                .iter()
                .filter_map(|duplicate| plan_undisputed_merge(&snapshot.state, duplicate))
                .take(MAX_PLANNED_MERGES)
                .collect::<Vec<_>>();
            drop(snapshot);
            let has_more = plans.len() == MAX_PLANNED_MERGES;
            let _ = internal.send(Internal::Duplicates(plans, has_more));
        });
    }

    pub(super) fn take_duplicates(&mut self, plans: Vec<MergePlan>, has_more: bool) {
        self.duplicates.is_running = false;
        if self.closing {
            return;
        }
        self.duplicates.is_due |= has_more;
        for plan in plans {
            self.writes.push(Write::Merge(Box::new(plan)));
        }
    }
}

/// Returns the plan of a merge that does not need the DM's decision: the duplicate is near-certain, no values
/// contradict each other, and the two entities were never merged and split again.
fn plan_undisputed_merge(state: &State, duplicate: &Duplicate) -> Option<MergePlan> {
    if duplicate.band != DuplicateCertainty::NearCertain || was_merged_and_split(state, duplicate) {
        return None;
    }
    // Two records from the same external tool are distinct entities in that tool.
    let tools = |id| state.entity(id).into_iter().flat_map(|entity| &entity.external_ids).map(|id| &id.system);
    if tools(&duplicate.one).any(|tool| tools(&duplicate.other).any(|other| tool == other)) {
        return None;
    }
    let plan = merge(state, &duplicate.other, &duplicate.one, Author::Extractor, now()).ok();
    plan.filter(|plan| plan.undecided.is_empty())
}
