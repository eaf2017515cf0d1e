//! Validity index: the canon and claimed facts of each entity, grouped by predicate. Each group stores facts without an
//! end date separately from facts with an end date.
//!
//! Queries about the present (names, values, characters at a place) and about an interval (contradictions) use this
//! index. They do not read all facts that an entity ever had, so their cost does not depend on the length of the
//! history.

use std::sync::Arc;

use super::{
    State,
    rows::Indices,
    shared::{ChunkedVec, SortedMap},
};
use crate::{EntityId, Fact, FactStatus, GameTime, Predicate};

/// The list of a [group](PredicateFacts) to which a fact belongs: the facts without an end date, the canon facts with
/// an end date, or the claimed facts with an end date. Facts with an end date are sorted by this date. If the end date
/// is not a date on the campaign's calendar, the fact comes first in its list and is not valid at any moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValidityList {
    Open,
    Canon(Option<GameTime>),
    Claimed(Option<GameTime>),
}

impl ValidityList {
    pub(super) fn for_fact(fact: &Fact) -> Option<Self> {
        let validity = fact.validity();
        match fact.status() {
            FactStatus::Canon | FactStatus::Claimed if !validity.is_closed() => Some(Self::Open),
            FactStatus::Canon => Some(Self::Canon(validity.end())),
            FactStatus::Claimed => Some(Self::Claimed(validity.end())),
            FactStatus::Proposed | FactStatus::False | FactStatus::Rejected => None,
        }
    }
}

/// Dense indices of facts with an end date, sorted by this date.
type FactsByEnd = SortedMap<(Option<GameTime>, u32), ()>;

#[derive(Debug, Clone, Default)]
struct EndedFacts {
    canon: FactsByEnd,
    claimed: FactsByEnd,
}

/// The facts of one entity and one predicate.
#[derive(Debug, Clone, Default)]
struct PredicateFacts {
    /// Dense indices of facts without an end date, in arbitrary order.
    open: Indices,
    /// The facts with an end date; `None` for most predicates of most entities.
    ended: Option<Box<EndedFacts>>,
}

impl PredicateFacts {
    fn insert(&mut self, fact: u32, list: ValidityList) {
        match list {
            ValidityList::Open => self.open.push(fact),
            ValidityList::Canon(end) => _ = self.ended.get_or_insert_default().canon.get_or_default((end, fact)),
            ValidityList::Claimed(end) => _ = self.ended.get_or_insert_default().claimed.get_or_default((end, fact)),
        }
    }

    fn remove(&mut self, fact: u32, list: ValidityList) {
        match list {
            ValidityList::Open => _ = self.open.remove_last(|open| open == fact),
            ValidityList::Canon(end) => _ = self.ended.as_mut().map(|ended| ended.canon.remove(&(end, fact))),
            ValidityList::Claimed(end) => _ = self.ended.as_mut().map(|ended| ended.claimed.remove(&(end, fact))),
        }
    }
}

/// Groups of facts, one for each predicate. An entity has few groups.
type Groups = Vec<(Predicate, PredicateFacts)>;

/// The facts that have an entity as subject, and the facts that have it as object, by the dense index of the entity.
#[derive(Debug, Clone, Default)]
pub(super) struct ValidityIndex {
    subjects: ChunkedVec<Groups, 32>,
    objects: ChunkedVec<Groups, 32>,
}

impl ValidityIndex {
    /// Adds an entry for a new entity.
    pub(super) fn add_entity(&mut self) {
        self.subjects.push(Groups::new());
        self.objects.push(Groups::new());
    }

    /// Moves a fact from the first of the two lists to the second. Subject and object are given by their dense indices.
    pub(super) fn update(
        &mut self,
        fact: u32,
        predicate: &Predicate,
        (subject, object): (u32, Option<u32>),
        (old_list, new_list): (Option<ValidityList>, Option<ValidityList>),
    ) {
        let objects = object.map(|object| &mut self.objects[object as usize]);
        for groups in std::iter::once(&mut self.subjects[subject as usize]).chain(objects) {
            let at = groups.iter().position(|(name, _)| name == predicate).unwrap_or_else(|| {
                groups.push((predicate.clone(), PredicateFacts::default()));
                groups.len() - 1
            });
            let group = &mut groups[at].1;
            if let Some(list) = old_list {
                group.remove(fact, list);
            }
            if let Some(list) = new_list {
                group.insert(fact, list);
            }
        }
    }
}

fn find_group<'a>(
    groups: &'a ChunkedVec<Groups, 32>,
    entity: Option<u32>,
    predicate: &str,
) -> Option<&'a PredicateFacts> {
    let groups = groups.get(entity? as usize)?;
    groups.iter().find(|(name, _)| *name == *predicate).map(|(_, group)| group)
}

/// The canon and claimed facts of one entity and one predicate. Each method returns the facts with a certain validity,
/// in arbitrary order.
#[derive(Debug, Clone, Copy)]
pub struct FactGroup<'a> {
    state: &'a State,
    group: Option<&'a PredicateFacts>,
}

impl<'a> FactGroup<'a> {
    pub(super) fn open_indices(self) -> impl Iterator<Item = u32> + use<'a> {
        self.group.into_iter().flat_map(|group| group.open.iter())
    }

    fn facts(self, indices: impl Iterator<Item = u32>) -> impl Iterator<Item = &'a Arc<Fact>> {
        indices.filter_map(move |index| self.state.fact_at(index))
    }

    /// Returns the facts without an end date.
    pub fn open(self) -> impl Iterator<Item = &'a Arc<Fact>> {
        self.facts(self.open_indices())
    }

    /// Returns all facts of the group, including facts whose end date is not a date on the campaign's calendar.
    pub fn all(self) -> impl Iterator<Item = &'a Arc<Fact>> {
        let ended = self.group.and_then(|group| group.ended.as_deref());
        let ended = ended.into_iter().flat_map(|ended| ended.canon.keys().chain(ended.claimed.keys()));
        self.open().chain(self.facts(ended.map(|(_, index)| *index)))
    }

    /// Returns the facts that end after a moment. If the moment is `None`, returns all facts whose end date is a date
    /// on the campaign's calendar.
    pub fn ended_after(self, moment: Option<GameTime>) -> impl Iterator<Item = &'a Arc<Fact>> {
        let ended = self.group.and_then(|group| group.ended.as_deref());
        let canon = ended.into_iter().flat_map(move |ended| indices_ended_after(&ended.canon, moment));
        self.facts(canon).chain(self.claims_ended_after(moment))
    }

    /// Returns the claimed facts that [`ended_after`](Self::ended_after) returns.
    pub fn claims_ended_after(self, moment: Option<GameTime>) -> impl Iterator<Item = &'a Arc<Fact>> {
        let ended = self.group.and_then(|group| group.ended.as_deref());
        self.facts(ended.into_iter().flat_map(move |ended| indices_ended_after(&ended.claimed, moment)))
    }

    /// Returns the facts that are valid at a moment. If the moment is `None`, returns the facts without an end date.
    pub fn at(self, moment: Option<GameTime>) -> impl Iterator<Item = &'a Arc<Fact>> {
        let ended = moment.map(|moment| self.ended_after(Some(moment)));
        self.open().chain(ended.into_iter().flatten()).filter(move |fact| fact.validity().holds_at(moment))
    }
}

/// Returns the facts that end after a moment.
fn indices_ended_after(ended: &FactsByEnd, moment: Option<GameTime>) -> impl Iterator<Item = u32> + use<'_> {
    // No fact ends after the maximum moment.
    let from = moment.map_or(Some(i64::MIN), |moment| moment.0.checked_add(1));
    from.into_iter().flat_map(|from| ended.keys_from(&(Some(GameTime(from)), 0))).map(|(_, index)| *index)
}

impl State {
    /// Returns the canon and claimed facts with this subject and this predicate.
    pub fn facts_with_subject(&self, subject: &EntityId, predicate: &str) -> FactGroup<'_> {
        FactGroup { state: self, group: find_group(&self.validity.subjects, self.entities.find(subject), predicate) }
    }

    /// Returns the canon and claimed relations with this predicate whose object is the given entity.
    pub fn facts_with_object(&self, object: &EntityId, predicate: &str) -> FactGroup<'_> {
        FactGroup { state: self, group: find_group(&self.validity.objects, self.entities.find(object), predicate) }
    }

    /// Returns the canon and claimed facts of a subject, grouped by predicate.
    pub(super) fn fact_groups(&self, subject: &EntityId) -> impl Iterator<Item = FactGroup<'_>> {
        let groups = self.entities.find(subject).and_then(|index| self.validity.subjects.get(index as usize));
        groups.into_iter().flatten().map(|(_, group)| FactGroup { state: self, group: Some(group) })
    }
}
