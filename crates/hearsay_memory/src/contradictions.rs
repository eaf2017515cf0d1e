//! Contradictions: facts about one subject that cannot all be so, kept up to date by what operations touch.
//!
//! Two facts are compared when at least one of them holds now or is only claimed. Canon facts that both ended are
//! settled. What is compared is found by subject, predicate and time, so that the cost of an update depends on the facts
//! that overlap with what changed, not on how many there ever were.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{Bearing, EntityId, Fact, FactGroup, FactId, Key, Predicate, Standing, State, Vocabulary};
use serde::Serialize;

/// Why facts cannot all be so.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Clash {
    /// A predicate that has one object at a time has several, at times that overlap.
    OneAtATime(Predicate),
    /// Opposite relations to one and the same entity.
    Opposites(EntityId),
    /// One is refuted by the others.
    Refuted(FactId),
}

/// A fact as it was when it was last compared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Member {
    fact: Arc<Fact>,
    /// How many others it clashes with.
    others: usize,
}

type Members = BTreeMap<FactId, Member>;

/// The contradictions of a state.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Contradictions {
    /// By subject.
    clashes: BTreeMap<EntityId, BTreeMap<Clash, Members>>,
    /// The clashes that each fact is part of, with their subjects.
    by_fact: BTreeMap<FactId, BTreeSet<(EntityId, Clash)>>,
    /// The facts that refute each fact.
    refuting: BTreeMap<FactId, BTreeSet<FactId>>,
}

impl Contradictions {
    pub(crate) fn of(state: &State) -> Self {
        let mut contradictions = Self::default();
        for fact in state.facts() {
            // Of two facts, the later in this order finds the other.
            contradictions.add(state, fact, |other| other > fact.id());
        }
        contradictions
    }

    /// Takes over what an operation touched: sorted keys.
    pub(crate) fn update(&mut self, state: &State, touched: &[Key]) {
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

    pub(crate) fn count(&self) -> usize {
        self.clashes.values().map(BTreeMap::len).sum()
    }

    /// By subject: in what its facts clash, and which facts those are, sorted.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&EntityId, &Clash, Vec<FactId>)> {
        self.clashes.iter().flat_map(|(subject, clashes)| {
            clashes.iter().map(move |(clash, members)| (subject, clash, members.keys().copied().collect()))
        })
    }

    fn remove(&mut self, state: &State, id: FactId) {
        if let Some(Bearing::Refutes(refuted)) = state.asserted(id).and_then(|fact| fact.bearing())
            && let Some(refuting) = self.refuting.get_mut(&refuted)
        {
            refuting.remove(&id);
            if refuting.is_empty() {
                self.refuting.remove(&refuted);
            }
        }
        for place in self.by_fact.remove(&id).unwrap_or_default() {
            self.leave(state.vocabulary(), id, &place);
        }
    }

    /// Takes a fact out of a clash, and those that clash with no other any more.
    fn leave(&mut self, vocabulary: &Vocabulary, id: FactId, place: &(EntityId, Clash)) {
        let (subject, clash) = place;
        let Some(clashes) = self.clashes.get_mut(subject) else { return };
        let Some(members) = clashes.get_mut(clash) else { return };
        if let Some(gone) = members.remove(&id) {
            members.retain(|other, member| {
                member.others -= usize::from(are_clashing(vocabulary, clash, &gone.fact, &member.fact));
                if member.others == 0
                    && let Some(places) = self.by_fact.get_mut(other)
                {
                    places.remove(place);
                    if places.is_empty() {
                        self.by_fact.remove(other);
                    }
                }
                member.others > 0
            });
        }
        if members.is_empty() {
            clashes.remove(clash);
        }
        if clashes.is_empty() {
            self.clashes.remove(subject);
        }
    }

    /// Finds the facts that a fact clashes with, but for those that are still to be added.
    fn add(&mut self, state: &State, fact: &Arc<Fact>, is_pending: impl Fn(FactId) -> bool) {
        if !stands(fact) {
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
        if let Some(Bearing::Refutes(refuted)) = fact.bearing() {
            self.refuting.entry(refuted).or_default().insert(fact.id());
            let refuted = state.fact(refuted).filter(|refuted| stands(refuted));
            found.extend(refuted.map(|refuted| (Clash::Refuted(refuted.id()), refuted)));
        }
        for (clash, other) in found {
            if other.id() != fact.id() && !is_pending(other.id()) && are_clashing(vocabulary, &clash, fact, other) {
                self.note(clash, fact, other);
            }
        }
    }

    fn note(&mut self, clash: Clash, a: &Arc<Fact>, b: &Arc<Fact>) {
        let subject = match clash {
            Clash::Refuted(id) if id == b.id() => b.subject(),
            _ => a.subject(),
        };
        let members = self.clashes.entry(subject.clone()).or_default().entry(clash.clone()).or_default();
        for fact in [a, b] {
            let member = members.entry(fact.id()).or_insert_with(|| Member { fact: Arc::clone(fact), others: 0 });
            member.others += 1;
            self.by_fact.entry(fact.id()).or_default().insert((subject.clone(), clash.clone()));
        }
    }
}

/// The facts of a group that a fact is compared with and may overlap with.
fn candidates<'a>(group: FactGroup<'a>, fact: &Fact) -> impl Iterator<Item = &'a Arc<Fact>> + use<'a> {
    let validity = fact.validity();
    let (is_open, start) = (!validity.is_closed(), validity.start());
    // What began, nobody knows when, and goes on may have begun when the other ended.
    let ended = (is_open && validity.from.is_some()) || (!is_open && fact.standing() == Standing::Claimed);
    let claims = !is_open && fact.standing() == Standing::Canon;
    let ended = ended.then(|| group.ended_after(start)).into_iter().flatten();
    let claims = claims.then(|| group.claims_ended_after(start)).into_iter().flatten();
    group.open().chain(ended).chain(claims)
}

/// Whether two facts are part of a clash because of each other.
fn are_clashing(vocabulary: &Vocabulary, clash: &Clash, a: &Fact, b: &Fact) -> bool {
    let refutes = |fact: &Fact, id| fact.bearing() == Some(Bearing::Refutes(id));
    let at_one_time = || !(is_settled(a) && is_settled(b)) && must_overlap(a, b);
    match clash {
        Clash::OneAtATime(_) => a.object() != b.object() && at_one_time(),
        Clash::Opposites(_) => vocabulary.are_opposites(a.predicate(), b.predicate()) && at_one_time(),
        Clash::Refuted(id) => (a.id() == *id && refutes(b, *id)) || (b.id() == *id && refutes(a, *id)),
    }
}

/// Whether a fact is canon or claimed.
fn stands(fact: &Fact) -> bool {
    matches!(fact.standing(), Standing::Canon | Standing::Claimed)
}

/// Whether a fact is canon and over.
fn is_settled(fact: &Fact) -> bool {
    fact.standing() == Standing::Canon && fact.validity().is_closed()
}

/// Whether two facts may both hold at some time. What ended, nobody knows when, may have ended before the other began.
pub(crate) fn overlap(a: &Fact, b: &Fact) -> bool {
    let ended = |fact: &Fact| fact.validity().is_closed() && fact.validity().end().is_none();
    !ended(a) && !ended(b) && a.validity().overlaps(b.validity())
}

/// Whether they must: what began, nobody knows when, and goes on may have begun when the other ended.
fn must_overlap(a: &Fact, b: &Fact) -> bool {
    let follows = |one: &Fact, other: &Fact| {
        let (one, other) = (one.validity(), other.validity());
        one.from.is_none() && !one.is_closed() && other.is_closed()
    };
    overlap(a, b) && !follows(a, b) && !follows(b, a)
}

#[cfg(test)]
pub(crate) mod tests;
