//! Triage: selects, for each source of texts, the extracted facts that are worth the DM's time.

use std::collections::BTreeMap;

use hearsay_model::State;

use super::items::{ReviewItem, ReviewSource, ranked_items};

/// Items that wait for the DM's decision, divided by triage. The most important items of each list come first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewQueue {
    /// Items on which the DM should decide.
    pub queued: Vec<ReviewItem>,
    /// Items that are held back, because enough facts with a higher confidence wait from the same source.
    pub held_back: Vec<ReviewItem>,
}

/// Returns the proposed facts and contradictions that wait for the DM's decision, divided by triage. From the texts of
/// each [source](ReviewSource), the `max_per_source` facts with the highest confidence are queued. Items that do not
/// come from a text are always queued. Does not include duplicate entities.
///
/// Once the DM has decided on a queued fact, a fact that is held back can take its place.
pub fn review_queue(state: &State, max_per_source: usize) -> ReviewQueue {
    let items = ranked_items(state);
    let mut items_by_source: BTreeMap<&ReviewSource, Vec<usize>> = BTreeMap::new();
    for (index, ranked) in items.iter().enumerate() {
        if let Some(source) = &ranked.source {
            items_by_source.entry(source).or_default().push(index);
        }
    }
    let mut is_held_back = vec![false; items.len()];
    for mut indices in items_by_source.into_values() {
        // The stable sort keeps the more important of two items with the same confidence first.
        indices.sort_by(|a, b| items[*b].confidence.total_cmp(&items[*a].confidence));
        for index in indices.into_iter().skip(max_per_source) {
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
