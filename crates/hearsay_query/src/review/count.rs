//! Number of review items, updated after each operation.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_model::{FactId, FactStatus, Key, SettingKey, State};

use super::{
    items::{DecisionGroup, ReviewSource},
    triage::ReviewSettings,
};
use crate::contradictions::Contradictions;

/// Proposed facts of a group that the DM decides on together, each with its source. The source of the first fact is the
/// source of the group.
type GroupFacts = BTreeSet<(Option<ReviewSource>, FactId)>;

/// Numbers of review items. Duplicate entities are not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReviewCount {
    /// Number of items in the review queue.
    pub queued: usize,
    /// Number of items that are held back: items outside the queue, because the queue already has enough items.
    pub held_back: usize,
}

/// Counter of review items. An update reads only the changed records, so it is faster than
/// [`review_queue`](super::review_queue), which reads every fact.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ReviewCounter {
    proposed: BTreeMap<FactId, (DecisionGroup, Option<ReviewSource>)>,
    groups: BTreeMap<DecisionGroup, GroupFacts>,
    /// Number of groups of each source. The key `None` stands for facts that were not extracted from a text.
    group_counts: BTreeMap<Option<ReviewSource>, usize>,
    contradictions: Contradictions,
}

impl ReviewCounter {
    /// Counts the review items of a state. The function reads every fact.
    pub fn from_state(state: &State) -> Self {
        let mut reviews = Self { contradictions: Contradictions::from_state(state), ..Self::default() };
        for fact in state.facts() {
            reviews.update_fact(state, fact.id());
        }
        reviews
    }

    /// Returns the numbers of items with the given limits. The results equal the numbers of items that
    /// [`review_queue`](super::review_queue) returns.
    pub fn count(&self, settings: ReviewSettings) -> ReviewCount {
        let mut count = ReviewCount { queued: self.contradictions.count(), held_back: 0 };
        for (source, groups) in &self.group_counts {
            let queued = source.as_ref().map_or(*groups, |source| (*groups).min(settings.max_items(source)));
            count.queued += queued;
            count.held_back += groups - queued;
        }
        count
    }

    fn update_fact(&mut self, state: &State, id: FactId) {
        if let Some((group, source)) = self.proposed.remove(&id) {
            self.change_group(group, |facts| _ = facts.remove(&(source, id)));
        }
        if let Some(fact) = state.fact(id).filter(|fact| fact.status() == FactStatus::Proposed) {
            let (group, source) = (DecisionGroup::from_fact(state, fact), ReviewSource::from_fact(state, fact));
            self.proposed.insert(id, (group.clone(), source.clone()));
            self.change_group(group, |facts| _ = facts.insert((source, id)));
        }
    }

    /// Changes the facts of a group, and counts the group under its new source.
    fn change_group(&mut self, group: DecisionGroup, change: impl FnOnce(&mut GroupFacts)) {
        let source_of = |facts: &GroupFacts| facts.first().map(|(source, _)| source.clone());
        let mut facts = self.groups.remove(&group).unwrap_or_default();
        let old_source = source_of(&facts);
        change(&mut facts);
        let new_source = source_of(&facts);
        if !facts.is_empty() {
            self.groups.insert(group, facts);
        }
        if old_source == new_source {
            return;
        }
        if let Some(source) = old_source
            && let Some(count) = self.group_counts.get_mut(&source)
        {
            *count -= 1;
            if *count == 0 {
                self.group_counts.remove(&source);
            }
        }
        if let Some(source) = new_source {
            *self.group_counts.entry(source).or_default() += 1;
        }
    }

    /// Updates the count after an operation that changed the records with the keys `touched`.
    pub fn update(&mut self, state: &State, touched: &[Key]) {
        let is_vocabulary_change =
            |key: &Key| matches!(key, Key::Setting(SettingKey::Predicate(_) | SettingKey::Attribute(_)));
        // The record of an import determines the source of the texts that it added.
        let is_import = |key: &Key| matches!(key, Key::Setting(SettingKey::Imported(_)));
        if touched.iter().any(|key| is_vocabulary_change(key) || is_import(key)) {
            *self = Self::from_state(state);
            return;
        }
        for key in touched {
            match key {
                Key::Fact(id) => self.update_fact(state, *id),
                // The passage determines the source of the facts that were extracted from it.
                Key::Passage(id) => state.facts_citing(*id).for_each(|fact| self.update_fact(state, fact.id())),
                _ => {}
            }
        }
        self.contradictions.update(state, touched);
    }
}
