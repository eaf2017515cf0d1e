//! Number of review items, updated after each operation.

use std::collections::BTreeMap;

use hearsay_model::{FactId, FactStatus, Key, SettingKey, State};

use super::items::Together;
use crate::contradictions::Contradictions;

/// Counter of review items. An update reads only the changed records, so it is faster than
/// [`review_items`](super::review_items), which reads every fact.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Reviews {
    doubtful: BTreeMap<FactId, Together>,
    /// Number of proposed facts in each group that the DM decides on together.
    claims: BTreeMap<Together, usize>,
    contradictions: Contradictions,
}

impl Reviews {
    /// Counts the review items of a state. Reads every fact.
    pub fn of(state: &State) -> Self {
        let mut reviews = Self { contradictions: Contradictions::of(state), ..Self::default() };
        for fact in state.facts() {
            reviews.note(state, fact.id());
        }
        reviews
    }

    /// Returns the number of review items. Duplicate entities are not counted.
    pub fn count(&self) -> usize {
        self.claims.len() + self.contradictions.count()
    }

    fn note(&mut self, state: &State, id: FactId) {
        if let Some(claim) = self.doubtful.remove(&id)
            && let Some(count) = self.claims.get_mut(&claim)
        {
            *count -= 1;
            if *count == 0 {
                self.claims.remove(&claim);
            }
        }
        if let Some(fact) = state.fact(id).filter(|fact| fact.status() == FactStatus::Proposed) {
            let claim = Together::of(state, fact);
            *self.claims.entry(claim.clone()).or_default() += 1;
            self.doubtful.insert(id, claim);
        }
    }

    /// Updates the count after an operation that changed the records with the keys `touched`.
    pub fn update(&mut self, state: &State, touched: &[Key]) {
        let defines = |key: &Key| matches!(key, Key::Setting(SettingKey::Predicate(_) | SettingKey::Attribute(_)));
        if touched.iter().any(defines) {
            *self = Self::of(state);
            return;
        }
        for key in touched {
            if let Key::Fact(id) = key {
                self.note(state, *id);
            }
        }
        self.contradictions.update(state, touched);
    }
}
