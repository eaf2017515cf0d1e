//! Views: everything that one knower knows at a moment of game time.

mod collector;
mod fact_index;
mod known;
mod memory;
mod state_views;
mod update;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, OnceLock},
};

use hearsay_model::{
    EntityId, FactId, GameTime, Knower, Passage, PassageId, PassageSnapshot, State, Vocabulary, lists::extend_new,
};

use collector::{Collector, received_passages};
pub(crate) use collector::{KnowledgeSource, groups, learned};
use fact_index::FactIndex;
pub use known::{AccessPath, FactSummary, Known, KnownEdge, ReceivedPassage, Recency};
pub(crate) use known::{are_contradictory, are_rivals};
pub(crate) use memory::MemoryRules;
pub use memory::Retention;
pub use state_views::StateViews;
use update::Dependents;
pub use update::ViewImpact;

/// Everything that one knower knows at a moment of game time.
#[derive(Debug, Clone)]
pub struct View {
    knower: Knower,
    as_of: Option<GameTime>,
    /// The known facts, sorted by id.
    facts: Vec<Known>,
    /// Short records of the facts, in the same order.
    summaries: Vec<FactSummary>,
    /// The passages that the knower received. Collected from the snapshot at the first use; in the DM's view, when the
    /// view is created.
    passages: OnceLock<BTreeMap<PassageId, ReceivedPassage>>,
    /// The passages of the state from which the view was computed or updated.
    passage_snapshot: PassageSnapshot,
    vocabulary: Arc<Vocabulary>,
    /// Index of the facts, computed at the first query that needs the index.
    index: OnceLock<FactIndex>,
    /// Sources whose knowledge reaches the view.
    sources: Vec<KnowledgeSource>,
    /// Edges on which the view depends. Computed at the first change of an edge.
    dependents: OnceLock<Dependents>,
    is_of_dm: bool,
    /// How the knower forgets.
    memory: MemoryRules,
    /// The half-life of changes of feelings, in minutes of game time.
    feelings_half_life: i64,
}

/// Views are equal if their content is equal. Caches are not compared.
impl PartialEq for View {
    fn eq(&self, other: &Self) -> bool {
        self.knower == other.knower
            && self.as_of == other.as_of
            && self.facts == other.facts
            && self.received_passages() == other.received_passages()
            && self.vocabulary == other.vocabulary
            && self.memory == other.memory
            && self.feelings_half_life == other.feelings_half_life
    }
}

impl Eq for View {}

impl View {
    /// Creates the view of a knower at a moment of game time. If the moment is `None`, the view contains everything
    /// that the knower ever learned.
    ///
    /// 1. The view contains common lore, and the facts that the knower itself learned at or before this moment.
    /// 2. Known canon facts state the groups and places to which the knower belongs: memberships, residences, and parts
    ///    of larger groups or places. Each of them adds the facts that the group or place learned before the knower
    ///    left. The knower knows an added fact from the later of two times: when the knower joined, and when the group
    ///    or place learned the fact. The knower keeps these facts after leaving. This step is repeated until it adds no
    ///    more facts.
    /// 3. A group can reserve facts for members with at least a certain rank. These facts are added if the knower has
    ///    reached the rank. The latest list of ranks that the knower knows determines the order of ranks. Then step 2
    ///    is repeated until it adds no more facts.
    /// 4. The view also contains the passages that the knower or everyone heard. It also contains the passages that a
    ///    group or place heard while the knower belonged to it. The view contains no out-of-character lines.
    ///
    /// The passages are collected when the view first needs them. Therefore, the time for this function does not depend
    /// on how much the knower heard.
    pub fn new(state: &State, knower: &Knower, as_of: Option<GameTime>) -> Self {
        let mut collector = Collector::new(state, as_of);
        let mut sources = vec![KnowledgeSource::all(Knower::World, AccessPath::Common)];
        if matches!(knower, Knower::Entity(_)) {
            sources.push(KnowledgeSource::all(knower.clone(), AccessPath::Own));
        }
        let mut collected_count = 0;
        loop {
            for source in &sources[collected_count..] {
                collector.collect_from(source);
            }
            collected_count = sources.len();
            extend_new(&mut sources, knower.entity().into_iter().flat_map(|id| collector.groups(id)));
            if collected_count == sources.len() && !collector.collect_ranked() {
                break;
            }
        }
        let (facts, summaries) = collector.with_beliefs();
        Self { facts, summaries, sources, ..Self::empty(state, knower, as_of) }
    }

    /// Returns a view without facts and sources, and therefore without passages.
    fn empty(state: &State, knower: &Knower, as_of: Option<GameTime>) -> Self {
        let (facts, summaries, passages, index, sources, dependents) = Default::default();
        Self {
            knower: knower.clone(),
            as_of,
            facts,
            summaries,
            passages,
            passage_snapshot: state.passage_snapshot(),
            vocabulary: Arc::clone(state.vocabulary()),
            index,
            sources,
            dependents,
            is_of_dm: false,
            memory: MemoryRules::new(state, knower),
            feelings_half_life: feelings_half_life(state),
        }
    }

    /// Returns the knower whose view this is.
    pub fn knower(&self) -> &Knower {
        &self.knower
    }

    /// Returns the moment of the view; `None` if the view contains everything that the knower ever learned.
    pub fn as_of(&self) -> Option<GameTime> {
        self.as_of
    }

    /// Returns a fact; `None` if the knower does not know the fact.
    pub fn fact(&self, id: FactId) -> Option<&Known> {
        self.facts.get(self.place_of(id)?)
    }

    fn place_of(&self, id: FactId) -> Option<usize> {
        self.summaries.binary_search_by_key(&id, |summary| summary.id).ok()
    }

    /// Returns a [`FactSummary`] of each known fact, sorted by fact id.
    #[inline]
    pub fn summaries(&self) -> &[FactSummary] {
        &self.summaries
    }

    /// Returns the fact at an index in the order of [`facts`](Self::facts).
    #[inline]
    pub fn fact_at(&self, place: usize) -> Option<&Known> {
        self.facts.get(place)
    }

    /// Returns all known facts, sorted by id.
    pub fn facts(&self) -> impl ExactSizeIterator<Item = &Known> {
        self.facts.iter()
    }

    /// Returns the facts that have an entity as subject, object or mention, sorted by id.
    pub fn facts_about<'a>(&'a self, id: &'a EntityId) -> impl Iterator<Item = &'a Known> {
        self.facts.iter().filter(move |known| known.entities().any(|entity| entity == id))
    }

    /// Returns the facts that another entity told the knower, sorted by id.
    pub fn told_by<'a>(&'a self, other: &'a EntityId) -> impl Iterator<Item = &'a Known> {
        let told = move |known_edge: &KnownEdge| known_edge.edge.acquisition.teller() == Some(other);
        self.facts.iter().filter(move |known| {
            known.known_edges.iter().any(|known_edge| known_edge.access_path == AccessPath::Own && told(known_edge))
        })
    }

    /// Returns the facts with an entity as subject, sorted by id.
    pub fn facts_with_subject<'a>(&'a self, subject: &EntityId) -> impl Iterator<Item = &'a Known> + use<'a> {
        let (facts, subject) = (self.index().with_subject(subject), subject.clone());
        facts.filter_map(|id| self.fact(id)).filter(move |known| *known.subject() == subject)
    }

    /// Returns the facts with an entity as object, sorted by id.
    pub fn facts_with_object<'a>(&'a self, object: &EntityId) -> impl Iterator<Item = &'a Known> + use<'a> {
        let (facts, object) = (self.index().with_object(object), object.clone());
        facts.filter_map(|id| self.fact(id)).filter(move |known| known.object().entity() == Some(&object))
    }

    /// Returns the facts that contradict a fact, according to the knowledge of the knower, sorted by id.
    ///
    /// Two facts contradict each other if one refutes the other, or if they state opposite relations between the same
    /// two entities. Two facts about one subject also contradict each other if they state different objects of a
    /// predicate that allows only one object.
    pub fn contradicting_facts<'a>(&'a self, fact: &'a Known) -> impl Iterator<Item = &'a Known> {
        let mut ids: Vec<FactId> = self.index().with_subject(fact.subject()).collect();
        ids.extend(self.index().related_to(fact.id()));
        ids.extend(fact.fact_relation().map(|relation| relation.fact()));
        ids.sort_unstable();
        ids.dedup();
        let others = ids.into_iter().filter_map(|id| self.fact(id));
        others.filter(move |other| self.are_contradictory(fact, other))
    }

    /// Returns the facts that refute, end, cover or distort the given fact, sorted by id.
    pub fn relations_to(&self, fact: FactId) -> impl Iterator<Item = &Known> {
        let facts = self.index().related_to(fact).filter_map(|id| self.fact(id));
        facts.filter(move |known| known.fact_relation().is_some_and(|relation| relation.fact() == fact))
    }

    /// Returns the facts that contradict the given fact [according to their author](Known::contradicts), sorted by id.
    pub fn facts_against(&self, fact: FactId) -> impl Iterator<Item = &Known> {
        let facts = self.index().related_to(fact).filter_map(|id| self.fact(id));
        facts.filter(move |known| known.contradicts().contains(&fact))
    }

    /// Returns whether a fact is superseded: whether the knower believes a later value of a predicate that allows only
    /// one value, such as a location. A public fact does not supersede a secret fact.
    pub fn is_superseded(&self, fact: FactId) -> bool {
        self.index().is_superseded(fact)
    }

    fn index(&self) -> &FactIndex {
        self.index.get_or_init(|| FactIndex::new(&self.vocabulary, &self.facts, &self.summaries))
    }

    /// Returns whether two facts contradict each other.
    pub fn are_contradictory(&self, a: &Known, b: &Known) -> bool {
        are_contradictory(&self.vocabulary, a, b)
    }

    /// Returns the vocabulary of the campaign.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns the half-life of changes of feelings, in minutes of game time.
    pub(crate) fn feelings_half_life(&self) -> i64 {
        self.feelings_half_life
    }

    /// Returns whether the knower knows that an entity has this name. The name may be secret.
    pub fn knows_name(&self, id: &EntityId, name: &str) -> bool {
        self.knower.entity() == Some(id) || self.facts.iter().any(|known| collector::knows_name(known, id, name))
    }

    /// Returns the facts that the knower conceals, sorted by id.
    pub fn concealed_facts(&self) -> impl Iterator<Item = &Known> {
        self.summaries.iter().zip(&self.facts).filter(|(summary, _)| summary.conceals).map(|(_, known)| known)
    }

    /// Returns the passages that state a concealed fact. A quotation from one of these passages would reveal the fact.
    pub fn concealed_passages(&self) -> BTreeSet<PassageId> {
        self.concealed_facts().flat_map(Known::evidence_passages).collect()
    }

    /// Returns a passage; `None` if the knower did not hear or read the passage.
    pub fn passage(&self, id: PassageId) -> Option<&ReceivedPassage> {
        self.received_passages().get(&id)
    }

    /// Returns all passages that the knower heard or read, sorted by id.
    pub fn passages(&self) -> impl ExactSizeIterator<Item = (PassageId, &ReceivedPassage)> {
        self.received_passages().iter().map(|(id, heard)| (*id, heard))
    }

    fn received_passages(&self) -> &BTreeMap<PassageId, ReceivedPassage> {
        let collect =
            || received_passages(&self.passage_snapshot, self.as_of, &self.knower, &self.sources, &self.facts);
        self.passages.get_or_init(collect)
    }

    /// Returns the DM's view: all facts that are neither proposed nor rejected, without edges. Use this view for
    /// questions without a speaker.
    pub fn of_dm(state: &State) -> Self {
        let facts = state.indexed_facts().filter(|(_, fact)| fact.status().is_knowable());
        let (facts, summaries) = facts
            .map(|(index, fact)| {
                let known = Known::new(Arc::clone(fact));
                let summary = known.summary(index);
                (known, summary)
            })
            .unzip();
        let passages: BTreeMap<_, _> = state.passages().map(|(id, passage)| (id, passage_of_dm(passage))).collect();
        Self { facts, summaries, passages: passages.into(), is_of_dm: true, ..Self::empty(state, &Knower::World, None) }
    }
}

/// Returns the half-life of changes of feelings, in minutes of game time.
pub(crate) fn feelings_half_life(state: &State) -> i64 {
    let days = i64::from(state.mind_rules().feelings_half_life_days);
    days.saturating_mul(state.calendar().minutes_per_day()).max(1)
}

/// Returns a passage in the form in which the DM's view contains it.
fn passage_of_dm(passage: &Arc<Passage>) -> ReceivedPassage {
    ReceivedPassage { passage: Arc::clone(passage), access_path: AccessPath::Own }
}

#[cfg(test)]
mod naive;
#[cfg(test)]
mod tests;
