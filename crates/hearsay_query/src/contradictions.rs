//! Contradictions: facts about one subject that cannot all be true.
//!
//! Two canon facts that have both ended are not compared. After each operation, only the contradictions of changed
//! facts are updated.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{EntityId, Fact, FactGroup, FactId, FactRelation, FactStatus, Key, Predicate, State, Vocabulary};
use serde::Serialize;

/// Reason why a group of facts cannot all be true.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Clash {
    /// The predicate allows only one object at a time, but the facts state different objects for overlapping times.
    OneAtATime(Predicate),
    /// The facts state opposite relations to this entity for overlapping times.
    Opposites(EntityId),
    /// The other facts of the group refute this fact.
    Refuted(FactId),
}

/// A fact in a contradiction, as it was when it was last compared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Member {
    fact: Arc<Fact>,
    /// Number of other facts that this fact clashes with.
    conflict_count: usize,
}

type Members = BTreeMap<FactId, Member>;

/// The contradictions of a state.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Contradictions {
    /// Contradictions of each subject.
    clashes: BTreeMap<EntityId, BTreeMap<Clash, Members>>,
    /// For each fact, the contradictions that contain it, with their subjects.
    by_fact: BTreeMap<FactId, BTreeSet<(EntityId, Clash)>>,
    /// For each refuted fact, the facts that refute it.
    refuting: BTreeMap<FactId, BTreeSet<FactId>>,
}

impl Contradictions {
    /// Finds the contradictions of a state. The function reads every fact.
    pub fn from_state(state: &State) -> Self {
        let mut contradictions = Self::default();
        for fact in state.facts() {
            // Visits each pair once: the fact with the larger id adds the contradiction.
            contradictions.add(state, fact, |other| other > fact.id());
        }
        contradictions
    }

    /// Updates the contradictions after an operation that changed the records with the keys `touched`. The keys must be
    /// sorted.
    pub fn update(&mut self, state: &State, touched: &[Key]) {
        let facts = || {
            touched.iter().filter_map(|key| match key {
                Key::Fact(id) => Some(*id),
                _ => None,
            })
        };
        facts().for_each(|id| self.remove(state, id));
        for fact in facts().filter_map(|id| state.fact(id)) {
            let is_pending = |other| other > fact.id() && touched.binary_search(&Key::Fact(other)).is_ok();
            self.add(state, fact, is_pending);
        }
    }

    /// Returns the number of contradictions.
    pub fn count(&self) -> usize {
        self.clashes.values().map(BTreeMap::len).sum()
    }

    /// Iterates over the contradictions: the subject, the reason, and the facts sorted by id.
    pub fn iter(&self) -> impl Iterator<Item = (&EntityId, &Clash, Vec<FactId>)> {
        self.clashes.iter().flat_map(|(subject, clashes)| {
            clashes.iter().map(move |(clash, members)| (subject, clash, members.keys().copied().collect()))
        })
    }

    fn remove(&mut self, state: &State, id: FactId) {
        if let Some(FactRelation::Refutes(refuted)) = state.asserted(id).and_then(|fact| fact.fact_relation())
            && let Some(refuting) = self.refuting.get_mut(&refuted)
        {
            refuting.remove(&id);
            if refuting.is_empty() {
                self.refuting.remove(&refuted);
            }
        }
        for key in self.by_fact.remove(&id).unwrap_or_default() {
            self.remove_member(state.vocabulary(), id, &key);
        }
    }

    /// Removes a fact from a contradiction. Then also removes the members that no longer contradict another member.
    fn remove_member(&mut self, vocabulary: &Vocabulary, id: FactId, key: &(EntityId, Clash)) {
        let (subject, clash) = key;
        let Some(clashes) = self.clashes.get_mut(subject) else { return };
        let Some(members) = clashes.get_mut(clash) else { return };
        if let Some(removed) = members.remove(&id) {
            members.retain(|other, member| {
                member.conflict_count -= usize::from(are_clashing(vocabulary, clash, &removed.fact, &member.fact));
                if member.conflict_count == 0
                    && let Some(keys) = self.by_fact.get_mut(other)
                {
                    keys.remove(key);
                    if keys.is_empty() {
                        self.by_fact.remove(other);
                    }
                }
                member.conflict_count > 0
            });
        }
        if members.is_empty() {
            clashes.remove(clash);
        }
        if clashes.is_empty() {
            self.clashes.remove(subject);
        }
    }

    /// Adds the contradictions between a fact and all other facts. Skips the facts for which `is_pending` returns
    /// `true`. When a later call adds a skipped fact, that call finds the contradiction with this fact.
    fn add(&mut self, state: &State, fact: &Arc<Fact>, is_pending: impl Fn(FactId) -> bool) {
        if !is_asserted(fact) {
            return;
        }
        let (vocabulary, subject) = (state.vocabulary(), fact.subject());
        let mut found = Vec::new();
        if vocabulary.is_functional(fact.predicate()) {
            let group = state.facts_with_subject(subject, fact.predicate().as_str());
            let clash = Clash::OneAtATime(fact.predicate().clone());
            found.extend(candidates(group, fact).map(|other| (clash.clone(), other)));
        }
        if let Some(object) = fact.object().entity() {
            for opposite in vocabulary.opposites(fact.predicate()) {
                let group = state.facts_with_subject(subject, opposite.as_str());
                let same = candidates(group, fact).filter(|other| other.object() == fact.object());
                found.extend(same.map(|other| (Clash::Opposites(object.clone()), other)));
            }
        }
        found.extend(self.refuting.get(&fact.id()).into_iter().flatten().filter_map(|id| {
            let other = state.fact(*id)?;
            Some((Clash::Refuted(fact.id()), other))
        }));
        if let Some(FactRelation::Refutes(refuted)) = fact.fact_relation() {
            self.refuting.entry(refuted).or_default().insert(fact.id());
            let refuted = state.fact(refuted).filter(|refuted| is_asserted(refuted));
            found.extend(refuted.map(|refuted| (Clash::Refuted(refuted.id()), refuted)));
        }
        for (clash, other) in found {
            if other.id() != fact.id() && !is_pending(other.id()) && are_clashing(vocabulary, &clash, fact, other) {
                self.record(clash, fact, other);
            }
        }
    }

    fn record(&mut self, clash: Clash, a: &Arc<Fact>, b: &Arc<Fact>) {
        let subject = match clash {
            Clash::Refuted(id) if id == b.id() => b.subject(),
            _ => a.subject(),
        };
        let members = self.clashes.entry(subject.clone()).or_default().entry(clash.clone()).or_default();
        for fact in [a, b] {
            let member =
                members.entry(fact.id()).or_insert_with(|| Member { fact: Arc::clone(fact), conflict_count: 0 });
            member.conflict_count += 1;
            self.by_fact.entry(fact.id()).or_default().insert((subject.clone(), clash.clone()));
        }
    }
}

/// Returns the facts of a group that possibly contradict a fact, because it is possible that their validity periods
/// overlap.
fn candidates<'a>(group: FactGroup<'a>, fact: &Fact) -> impl Iterator<Item = &'a Arc<Fact>> + use<'a> {
    let validity = fact.validity();
    let (is_open, start) = (!validity.is_closed(), validity.start());
    // If a fact has not ended and its start is unknown, it may have begun after the other fact ended. Then the two
    // facts need not overlap.
    let include_ended = (is_open && validity.from.is_some()) || (!is_open && fact.status() == FactStatus::Claimed);
    let include_ended_claims = !is_open && fact.status() == FactStatus::Canon;
    let ended_facts = include_ended.then(|| group.ended_after(start)).into_iter().flatten();
    let ended_claims = include_ended_claims.then(|| group.claims_ended_after(start)).into_iter().flatten();
    group.open().chain(ended_facts).chain(ended_claims)
}

/// Returns whether two facts contradict each other for the given reason.
fn are_clashing(vocabulary: &Vocabulary, clash: &Clash, a: &Fact, b: &Fact) -> bool {
    let is_refutation_of = |fact: &Fact, id| fact.fact_relation() == Some(FactRelation::Refutes(id));
    let hold_at_same_time = || !(is_settled(a) && is_settled(b)) && must_overlap(a, b);
    match clash {
        Clash::OneAtATime(_) => a.object() != b.object() && hold_at_same_time(),
        Clash::Opposites(_) => vocabulary.are_opposites(a.predicate(), b.predicate()) && hold_at_same_time(),
        Clash::Refuted(id) => {
            (a.id() == *id && is_refutation_of(b, *id)) || (b.id() == *id && is_refutation_of(a, *id))
        }
    }
}

/// Returns whether a fact is canon or claimed.
fn is_asserted(fact: &Fact) -> bool {
    matches!(fact.status(), FactStatus::Canon | FactStatus::Claimed)
}

/// Returns whether a fact is canon and has ended.
fn is_settled(fact: &Fact) -> bool {
    fact.status() == FactStatus::Canon && fact.validity().is_closed()
}

/// Returns whether two facts may be true at the same time. Returns `false` if one of the facts ended at an unknown
/// time, because it may have ended before the other fact began.
pub fn may_overlap(a: &Fact, b: &Fact) -> bool {
    let ended_at_unknown_time = |fact: &Fact| fact.validity().is_closed() && fact.validity().end().is_none();
    !ended_at_unknown_time(a) && !ended_at_unknown_time(b) && a.validity().overlaps(b.validity())
}

/// Returns whether there is a time at which both facts must be true. Returns `false` if one fact has ended and the
/// other fact has an unknown start and no end, because the other fact could have begun afterwards.
fn must_overlap(a: &Fact, b: &Fact) -> bool {
    let may_follow = |one: &Fact, other: &Fact| {
        let (one, other) = (one.validity(), other.validity());
        one.from.is_none() && !one.is_closed() && other.is_closed()
    };
    may_overlap(a, b) && !may_follow(a, b) && !may_follow(b, a)
}

#[cfg(test)]
pub(crate) mod tests;
