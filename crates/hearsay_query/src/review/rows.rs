//! Review items with all details of their facts.

use hearsay_model::State;
use serde::Serialize;

use super::items::{ReviewItem, review_items};
use crate::{
    facts::{FactRow, fact_row},
    trust::{ConfidenceBoost, Reason, TrustCalibration, confidence_boost},
};

/// An item that waits for the DM's decision, with all details of its facts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewRow {
    /// The item.
    #[serde(flatten)]
    pub item: ReviewItem,
    /// Details of each fact in the item.
    pub in_full: Vec<FactRow>,
    /// For a proposed fact: the effects of the DM's earlier decisions on its confidence, one for each category. Empty
    /// for other items.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trust: Vec<Reason>,
    /// For a proposed fact: the increase of its confidence because of a similar confirmed fact. `None` if there is no
    /// increase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lift: Option<ConfidenceBoost>,
}

/// Returns at most `limit` items that wait for the DM's decision. Also returns the total number of these items.
pub fn review(state: &State, trust_calibration: &TrustCalibration, limit: usize) -> (Vec<ReviewRow>, usize) {
    let items = review_items(state);
    let total = items.len();
    (review_rows(state, trust_calibration, items.into_iter().take(limit)), total)
}

/// Returns review items with all details of their facts.
pub fn review_rows(
    state: &State,
    trust_calibration: &TrustCalibration,
    items: impl IntoIterator<Item = ReviewItem>,
) -> Vec<ReviewRow> {
    let row = |item: ReviewItem| {
        let ids = match &item {
            ReviewItem::Doubtful { fact, also } => std::iter::once(*fact).chain(also.iter().copied()).collect(),
            ReviewItem::Contradiction { facts, .. } => facts.clone(),
            ReviewItem::Duplicate(_) => Vec::new(),
        };
        let doubtful = match &item {
            ReviewItem::Doubtful { fact, .. } => state.fact(*fact),
            _ => None,
        };
        let in_full = ids.iter().filter_map(|id| state.fact(*id)).map(|fact| fact_row(state, fact)).collect();
        let trust =
            doubtful.map(|fact| trust_calibration.reasons(fact.provenance(), fact.predicate())).unwrap_or_default();
        ReviewRow { item, in_full, trust, lift: doubtful.and_then(|fact| confidence_boost(state, fact)) }
    };
    items.into_iter().map(row).collect()
}
