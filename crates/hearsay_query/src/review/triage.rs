//! Triage: selection of the extracted facts that are worth the DM's time.

use std::collections::BTreeMap;

use hearsay_model::{Author, Evidence, PassageId, Span, State};
use serde::{Deserialize, Serialize};

use super::items::{RankedItem, ReviewItem, ReviewSource, ranked_items};

/// Settings of the review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewSettings {
    /// Maximum number of items in the review queue from one source: a session, a transcript, or the texts of one author
    /// outside of sessions. The items with the highest confidence are queued. The other items are held back until the
    /// DM asks for them or decides on queued items.
    pub max_per_source: usize,
    /// Maximum number of items in the review queue from the texts of one imported campaign, including its sessions.
    pub max_per_import: usize,
}

impl Default for ReviewSettings {
    fn default() -> Self {
        Self { max_per_source: 25, max_per_import: 8 }
    }
}

impl ReviewSettings {
    /// Returns the maximum number of items from a source of texts.
    pub(super) fn max_items(&self, source: &ReviewSource) -> usize {
        match source {
            ReviewSource::Import(_) => self.max_per_import,
            ReviewSource::Session(_) | ReviewSource::Author(_) => self.max_per_source,
        }
    }
}

/// Items that wait for the DM's decision, divided into a queue and the items that are held back. The most important
/// items of each list come first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewQueue {
    /// Items on which the DM should decide.
    pub queued: Vec<ReviewItem>,
    /// Items that are held back, because the queue already contains enough facts with a higher confidence from the same
    /// source.
    pub held_back: Vec<ReviewItem>,
}

/// Returns the proposed facts and contradictions that wait for the DM's decision, divided into queued items and items
/// that are held back. For each [source](ReviewSource) of texts, the facts with the highest confidence are queued.
/// `settings` limits the number of these facts. Items that do not come from a text are always queued. The result does
/// not include duplicate entities.
///
/// After the DM decides on a queued fact, a fact that is held back can enter the queue.
pub fn review_queue(state: &State, settings: ReviewSettings) -> ReviewQueue {
    let items = ranked_items(state);
    let mut items_by_source: BTreeMap<&ReviewSource, Vec<usize>> = BTreeMap::new();
    for (index, ranked) in items.iter().enumerate() {
        if let Some(source) = &ranked.source {
            items_by_source.entry(source).or_default().push(index);
        }
    }
    let mut is_held_back = vec![false; items.len()];
    for (source, mut indices) in items_by_source {
        // The stable sort keeps the more important of two items with the same confidence first.
        indices.sort_by(|a, b| items[*b].confidence.total_cmp(&items[*a].confidence));
        if matches!(source, ReviewSource::Import(_)) {
            most_useful_first(state, &items, &mut indices);
        }
        for index in indices.into_iter().skip(settings.max_items(source)) {
            is_held_back[index] = true;
        }
    }
    let mut queue = ReviewQueue::default();
    for (ranked, is_held_back) in items.into_iter().zip(is_held_back) {
        let list = if is_held_back { &mut queue.held_back } else { &mut queue.queued };
        list.push(ranked.item);
    }
    queue
}

/// Sorts items from the texts of an imported campaign by usefulness. `indices` contains the positions of these items in
/// `items`. The order is:
///
/// 1. items from lines of sessions, if only the extractor found facts in the line
/// 2. items from other texts, which are mostly descriptions
/// 3. items from words from which a more useful item was also extracted
/// 4. items from texts in which the campaign files themselves name a fact
///
/// Within these classes, facts that concern several entities come first. The sort is stable.
fn most_useful_first(state: &State, items: &[RankedItem], indices: &mut Vec<usize>) {
    let fact = |index: usize| match &items[index].item {
        ReviewItem::Doubtful { fact, .. } => state.fact(*fact),
        _ => None,
    };
    let quotes = |index: usize| -> Vec<(PassageId, Span)> {
        let evidence = fact(index).into_iter().flat_map(|fact| &fact.provenance().evidence);
        let quote = |evidence: &Evidence| match evidence {
            Evidence::Passage { passage, span, .. } => Some((*passage, *span)),
            _ => None,
        };
        evidence.filter_map(quote).collect()
    };
    let class = |index: usize| {
        let passages: Vec<PassageId> = quotes(index).into_iter().map(|(passage, _)| passage).collect();
        let is_stated = passages
            .iter()
            .any(|passage| state.facts_citing(*passage).any(|fact| fact.provenance().author != Author::Extractor));
        let in_session = passages.iter().filter_map(|id| state.passage(*id)).any(|passage| passage.session.is_some());
        match (is_stated, in_session) {
            (true, _) => 3,
            (false, true) => 0,
            (false, false) => 1,
        }
    };
    let concerns_one = |index: usize| fact(index).is_none_or(|fact| fact.entities().nth(1).is_none());
    indices.sort_by_cached_key(|index| (class(*index), concerns_one(*index)));
    let mut used: Vec<(PassageId, Span)> = Vec::new();
    let (first, repeated): (Vec<usize>, Vec<usize>) = indices.iter().partition(|index| {
        let quotes = quotes(**index);
        let overlaps = |(passage, span): &(PassageId, Span)| {
            let is_same =
                |(other, used): &(PassageId, Span)| other == passage && used.start < span.end && span.start < used.end;
            used.iter().any(is_same)
        };
        let is_new = !quotes.iter().any(overlaps);
        used.extend(quotes);
        is_new
    });
    let stated_from = first.partition_point(|index| class(*index) < 3);
    let (open, stated) = first.split_at(stated_from);
    *indices = [open, &repeated, stated].concat();
}
