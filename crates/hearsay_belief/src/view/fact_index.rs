//! Index of the facts of a view by subject, by object and by related fact.

use std::hash::{BuildHasher, Hash};

use hearsay_model::{EntityId, FactId, Vocabulary};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::known::{FactSummary, Known};

/// Minimum credence of a fact that can supersede another fact or be superseded.
const MIN_CREDENCE: f64 = 0.65;

/// Fact ids by the hash of a key, sorted. Different keys may have the same hash, so the caller checks the key of each
/// fact. A sorted list takes less time to build than a hash table with a list for each key.
#[derive(Debug, Clone, Default)]
struct HashedIds {
    entries: Vec<(u64, FactId)>,
}

impl HashedIds {
    fn get<K: Hash>(&self, key: &K) -> impl Iterator<Item = FactId> + Clone + use<'_, K> {
        let hash = FxBuildHasher.hash_one(key);
        let start = self.entries.partition_point(|(other, _)| *other < hash);
        self.entries[start..].iter().take_while(move |(other, _)| *other == hash).map(|(_, id)| *id)
    }

    fn insert(&mut self, key: &impl Hash, id: FactId) {
        let entry = (FxBuildHasher.hash_one(key), id);
        if let Err(place) = self.entries.binary_search(&entry) {
            self.entries.insert(place, entry);
        }
    }

    fn remove(&mut self, key: &impl Hash, id: FactId) {
        if let Ok(place) = self.entries.binary_search(&(FxBuildHasher.hash_one(key), id)) {
            self.entries.remove(place);
        }
    }
}

/// Index of the facts of a view.
#[derive(Debug, Clone, Default)]
pub(super) struct FactIndex {
    by_subject: HashedIds,
    by_object: HashedIds,
    /// Facts that have a relation to another fact or contradict it, by the other fact.
    by_related_fact: HashedIds,
    /// Facts with a functional predicate for which the knower believes a later value.
    superseded: FxHashSet<FactId>,
}

impl FactIndex {
    /// Creates the index. `summaries` belong to `facts`, in the same order.
    pub(super) fn new(vocabulary: &Vocabulary, facts: &[Known], summaries: &[FactSummary]) -> Self {
        let mut index = Self::default();
        let mut by_subject: Vec<(u64, u32)> = Vec::with_capacity(facts.len());
        for ((known, summary), place) in facts.iter().zip(summaries).zip(0..) {
            by_subject.push((FxBuildHasher.hash_one(known.subject()), place));
            if let Some(object) = known.object().entity() {
                index.by_object.entries.push((FxBuildHasher.hash_one(object), summary.id));
            }
            let related = related_facts(known).map(|fact| (FxBuildHasher.hash_one(fact), summary.id));
            index.by_related_fact.entries.extend(related);
        }
        by_subject.sort_unstable();
        index.by_object.entries.sort_unstable();
        index.by_related_fact.entries.sort_unstable();
        index.by_related_fact.entries.dedup();
        let mut is_functional = FxHashMap::<&str, bool>::default();
        for group in by_subject.chunk_by(|(a, _), (b, _)| a == b).filter(|group| group.len() > 1) {
            let known = |(_, place): &(u64, u32)| &facts[*place as usize];
            let functional = group.iter().map(known).filter(|known| {
                let predicate = known.predicate();
                // Caches the lookup, because it is slow and there are few distinct predicates.
                *is_functional.entry(predicate.as_str()).or_insert_with(|| vocabulary.is_functional(predicate))
            });
            index.superseded.extend(superseded(functional));
        }
        index.by_subject.entries =
            by_subject.into_iter().map(|(hash, place)| (hash, summaries[place as usize].id)).collect();
        index
    }

    pub(super) fn insert(&mut self, known: &Known) {
        self.by_subject.insert(known.subject(), known.id());
        known.object().entity().into_iter().for_each(|object| self.by_object.insert(object, known.id()));
        related_facts(known).for_each(|fact| self.by_related_fact.insert(&fact, known.id()));
    }

    pub(super) fn remove(&mut self, known: &Known) {
        self.by_subject.remove(known.subject(), known.id());
        known.object().entity().into_iter().for_each(|object| self.by_object.remove(object, known.id()));
        related_facts(known).for_each(|fact| self.by_related_fact.remove(&fact, known.id()));
        self.superseded.remove(&known.id());
    }

    /// Computes again which facts about one subject are superseded. `facts` contains all facts with this subject.
    pub(super) fn refresh_superseded<'a>(
        &mut self,
        vocabulary: &Vocabulary,
        facts: impl Iterator<Item = &'a Known> + Clone,
    ) {
        facts.clone().for_each(|known| _ = self.superseded.remove(&known.id()));
        self.superseded.extend(superseded(facts.filter(|known| vocabulary.is_functional(known.predicate()))));
    }

    /// Returns the facts with a subject, sorted by id. The result can also contain facts with another subject.
    pub(super) fn with_subject(&self, subject: &EntityId) -> impl Iterator<Item = FactId> + Clone + use<'_> {
        self.by_subject.get(subject)
    }

    /// Returns the facts with an object, sorted by id. The result can also contain facts with another object.
    pub(super) fn with_object(&self, object: &EntityId) -> impl Iterator<Item = FactId> + use<'_> {
        self.by_object.get(object)
    }

    /// Returns the facts with a relation to a fact and the facts that contradict it, sorted by id. Facts with a
    /// relation to another fact may be among them.
    pub(super) fn related_to(&self, fact: FactId) -> impl Iterator<Item = FactId> {
        self.by_related_fact.get(&fact)
    }

    pub(super) fn is_superseded(&self, fact: FactId) -> bool {
        self.superseded.contains(&fact)
    }
}

/// Returns the facts to which a fact has a relation, and the facts that it contradicts.
fn related_facts(known: &Known) -> impl Iterator<Item = FactId> {
    known.fact_relation().map(|relation| relation.fact()).into_iter().chain(known.contradicts().iter().copied())
}

/// Returns the facts for which the knower believes a later value of the same predicate. `functional` contains facts
/// with functional predicates, sorted by id.
///
/// A rumour that the knower does not believe cannot supersede a fact, and cannot be superseded. A public fact does not
/// supersede a secret fact.
fn superseded<'a>(functional: impl Iterator<Item = &'a Known>) -> Vec<FactId> {
    let key = |known: &'a Known| (known.subject(), known.predicate(), known.is_secret());
    let mut believed: Vec<&Known> = functional.filter(|known| known.credence().get() >= MIN_CREDENCE).collect();
    // Among equally recent facts, the one with the smallest id is the latest value.
    believed.sort_by(|a, b| (key(a), a.recency(), b.id()).cmp(&(key(b), b.recency(), a.id())));
    let mut superseded = Vec::new();
    for group in believed.chunk_by(|a, b| key(a) == key(b)) {
        let Some(latest) = group.last() else { continue };
        let is_earlier = |known: &&&Known| known.recency() < latest.recency() && known.object() != latest.object();
        superseded.extend(group.iter().filter(is_earlier).map(|known| known.id()));
    }
    superseded
}
