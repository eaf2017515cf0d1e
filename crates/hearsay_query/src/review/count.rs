//! Number of review items, updated after each operation.

use std::collections::BTreeMap;

use hearsay_model::{FactId, FactStatus, Key, SettingKey, State};

use super::items::DecisionGroup;
use crate::contradictions::Contradictions;

/// Counter of review items. An update reads only the changed records, so it is faster than
/// [`review_items`](super::review_items), which reads every fact.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ReviewCounter {
    proposed: BTreeMap<FactId, DecisionGroup>,
    /// Number of proposed facts in each group that the DM decides on together.
    group_sizes: BTreeMap<DecisionGroup, usize>,
    contradictions: Contradictions,
}

impl ReviewCounter {
    /// Counts the review items of a state. Reads every fact.
    pub fn of(state: &State) -> Self {
        let mut reviews = Self { contradictions: Contradictions::from_state(state), ..Self::default() };
        for fact in state.facts() {
            reviews.update_fact(state, fact.id());
        }
        reviews
    }

    /// Returns the number of review items. Duplicate entities are not counted.
    pub fn count(&self) -> usize {
        self.group_sizes.len() + self.contradictions.count()
    }

    fn update_fact(&mut self, state: &State, id: FactId) {
        if let Some(group) = self.proposed.remove(&id)
            && let Some(count) = self.group_sizes.get_mut(&group)
        {
            *count -= 1;
            if *count == 0 {
                self.group_sizes.remove(&group);
            }
        }
        if let Some(fact) = state.fact(id).filter(|fact| fact.status() == FactStatus::Proposed) {
            let group = DecisionGroup::from_fact(state, fact);
            *self.group_sizes.entry(group.clone()).or_default() += 1;
            self.proposed.insert(id, group);
        }
    }

    /// Updates the count after an operation that changed the records with the keys `touched`.
    pub fn update(&mut self, state: &State, touched: &[Key]) {
        let is_vocabulary_change =
            |key: &Key| matches!(key, Key::Setting(SettingKey::Predicate(_) | SettingKey::Attribute(_)));
        if touched.iter().any(is_vocabulary_change) {
            *self = Self::of(state);
            return;
        }
        for key in touched {
            if let Key::Fact(id) = key {
                self.update_fact(state, *id);
            }
        }
        self.contradictions.update(state, touched);
    }
}
