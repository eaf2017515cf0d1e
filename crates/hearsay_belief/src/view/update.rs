//! Updates of a view after changes of the state. An update does not compute the whole view again.

use std::{collections::BTreeSet, sync::Arc};

use hearsay_model::{
    EntityId, Fact, FactId, Justification, Key, Knower, KnowledgeEdge, KnowledgeId, PassageId, State, attribute,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{View, collector::received_passage, feelings_half_life, known::Known, memory::MemoryRules};
use crate::credence::BeliefCalculator;

/// For each edge on which a view depends, the facts of the view that depend on it.
pub(super) type Dependents = FxHashMap<KnowledgeId, SmallVec<[FactId; 1]>>;

/// Effect of a change of the state on a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewImpact {
    /// The view is unchanged.
    Unchanged,
    /// Only the parts of the view that come from these records may change.
    Records(Vec<Key>),
    /// The groups, places or ranks through which the knower knows facts may change. The whole view must be computed
    /// again.
    Whole,
}

impl View {
    /// Returns how a change of some records affects the view.
    ///
    /// `state` is the state after the change. `touched` contains the keys of all records that changed, appeared or
    /// disappeared. You need not [update](Self::update) the view after each change. In this case, collect the records
    /// that this method returns for each change, and pass all of them to the next update.
    pub fn impact(&self, state: &State, touched: &[Key]) -> ViewImpact {
        let is_same_half_life = self.feelings_half_life == feelings_half_life(state);
        if !Arc::ptr_eq(&self.vocabulary, state.vocabulary())
            || !is_same_half_life
            || self.has_other_memory(state, touched)
        {
            return ViewImpact::Whole;
        }
        let mut records = Vec::new();
        for key in touched {
            let facts = match key {
                Key::Fact(id) if self.is_of_dm || self.fact(*id).is_some() => SmallVec::from_elem(*id, 1),
                Key::KnowledgeEdge(id) if !self.is_of_dm => self.facts_depending_on(state, *id),
                Key::Passage(id) if self.is_of_dm || self.may_contain_passage(state, *id) => {
                    records.push(key.clone());
                    continue;
                }
                _ => continue,
            };
            if !self.is_of_dm && facts.iter().any(|id| self.affects_sources(state, *id)) {
                return ViewImpact::Whole;
            }
            records.extend((!facts.is_empty()).then(|| key.clone()));
        }
        if records.is_empty() { ViewImpact::Unchanged } else { ViewImpact::Records(records) }
    }

    /// Updates the view after some records changed. Afterwards, the view equals a new view of the same knower and
    /// moment in `state`. Returns the facts that were added, removed or changed. Returns `None` if the whole view must
    /// be computed again. In this case, do not use the view any more.
    ///
    /// `records` contains the records that [`impact`](Self::impact) returned for each change since the view was
    /// computed or updated. The running time is proportional to the number of records, plus a small amount of time for
    /// each fact in the view.
    pub fn update(&mut self, state: &State, records: &[Key]) -> Option<Vec<Arc<Fact>>> {
        let (mut facts, mut passages) = (BTreeSet::new(), BTreeSet::new());
        for key in records {
            match key {
                Key::Fact(id) => _ = facts.insert(*id),
                Key::KnowledgeEdge(id) => facts.extend(self.facts_depending_on(state, *id)),
                Key::Passage(id) => _ = passages.insert(*id),
                Key::Entity(_) | Key::Session(_) | Key::Setting(_) => {}
            }
        }
        let mut changed = Vec::new();
        let mut calculator = BeliefCalculator::new(state);
        for id in facts {
            let known = self.known_in(state, id, &mut calculator)?;
            changed.extend(self.replace(id, known));
        }
        self.extend_dependents(state, &changed);
        self.refresh_superseded(&changed);
        self.passage_snapshot = state.passage_snapshot();
        if changed.iter().any(|fact| fact.is_name()) && !self.is_of_dm {
            // A name may reveal whose secret name the speaker of a passage uses, so collect the passages again.
            self.passages.take();
        } else {
            passages.into_iter().for_each(|id| self.replace_passage(state, id));
        }
        Some(changed)
    }

    /// Returns whether a change of some records changes how the knower forgets: the rules of the campaign, or the facts
    /// that state the kind of the knower and its attribute `forgetting`.
    fn has_other_memory(&self, state: &State, touched: &[Key]) -> bool {
        let Some(knower) = self.knower.entity() else { return false };
        let may_change = |key: &Key| match key {
            Key::Setting(_) => true,
            // A fact that does not exist any more can have stated anything.
            Key::Fact(id) => state.fact(*id).is_none_or(|fact| fact.subject() == knower),
            _ => false,
        };
        !self.is_of_dm && touched.iter().any(may_change) && MemoryRules::new(state, &self.knower) != self.memory
    }

    /// Returns whether a fact determines which groups, places and ranks give the knower access to knowledge.
    fn affects_sources(&self, state: &State, id: FactId) -> bool {
        let fact = state.fact(id).map(Arc::as_ref).or_else(|| self.fact(id).map(|known| &*known.fact));
        fact.is_some_and(|fact| {
            *fact.predicate() == *attribute::RANKS || self.vocabulary.belonging(fact.predicate()).is_some()
        })
    }

    /// Returns the facts of the view that an edge may affect: the fact of the edge, if the edge belongs to a source of
    /// the view, and the facts whose belief is computed from the edge.
    fn facts_depending_on(&self, state: &State, id: KnowledgeId) -> SmallVec<[FactId; 1]> {
        let mut facts = self.dependents(state).get(&id).cloned().unwrap_or_default();
        let edge = state.knowledge(id).filter(|edge| self.has_source(&edge.knower));
        if let Some(edge) = edge
            && !facts.contains(&edge.fact)
        {
            facts.push(edge.fact);
        }
        facts
    }

    fn has_source(&self, knower: &Knower) -> bool {
        self.sources.iter().any(|source| source.from == *knower)
    }

    /// Returns whether the view contains a passage, or could contain it after a change.
    fn may_contain_passage(&self, state: &State, id: PassageId) -> bool {
        // The comparison does not collect the passages of the view, because the view may never need them.
        let versions = [self.passage_snapshot.passage(id), state.passage(id)];
        let mut sources = self.sources.iter();
        sources.any(|source| versions.iter().flatten().any(|passage| passage.received_at(&source.from).is_some()))
    }

    /// Returns the edges of the view, and all edges on which their belief depends, including edges that are missing.
    ///
    /// The first call computes the edges from the state after a change. The state before the change is not needed. If
    /// the belief in a fact depended on an edge that changed, a path of unchanged edges still leads from the fact to
    /// this edge or to another changed edge.
    fn dependents(&self, state: &State) -> &Dependents {
        self.dependents.get_or_init(|| {
            let mut dependents = Dependents::default();
            self.facts.iter().for_each(|known| add_dependents(&mut dependents, state, known));
            dependents
        })
    }

    fn extend_dependents(&mut self, state: &State, changed: &[Arc<Fact>]) {
        if let Some(mut dependents) = self.dependents.take() {
            let facts = changed.iter().filter_map(|fact| self.fact(fact.id()));
            facts.for_each(|known| add_dependents(&mut dependents, state, known));
            self.dependents = dependents.into();
        }
    }

    fn refresh_superseded(&mut self, changed: &[Arc<Fact>]) {
        if let Some(mut index) = self.index.take() {
            let subjects: BTreeSet<&EntityId> = changed.iter().map(|fact| fact.subject()).collect();
            for subject in subjects {
                let ids: Vec<FactId> = index.with_subject(subject).collect();
                let facts = ids.iter().filter_map(|id| self.fact(*id));
                index.refresh_superseded(&self.vocabulary, facts.filter(|known| known.subject() == subject));
            }
            self.index = index.into();
        }
    }

    /// Returns what the knower knows of a fact in `state`; `Some(None)` if it does not know the fact. Returns `None` if
    /// a group passes the fact on to some ranks only, because the access by rank depends on other facts.
    fn known_in(&self, state: &State, id: FactId, calculator: &mut BeliefCalculator) -> Option<Option<(Known, u32)>> {
        let Some((index, fact)) = state.fact_index(id).and_then(|index| Some((index, state.fact_at(index)?))) else {
            return Some(None);
        };
        let mut known = Known::new(Arc::clone(fact));
        if self.is_of_dm {
            return Some(fact.status().is_knowable().then_some((known, index)));
        }
        for (id, edge) in state.edges_to(fact.id()) {
            for source in self.sources.iter().filter(|source| source.from == edge.knower) {
                let Some(known_edge) = source.received(self.as_of, id, edge, fact) else { continue };
                if source.reserves(edge) {
                    return None;
                }
                known.add(known_edge);
            }
        }
        let is_known = !(known.known_edges.is_empty() && known.shared.is_empty());
        Some(is_known.then(|| {
            known.compute_belief(calculator);
            (known, index)
        }))
    }

    /// Replaces what the knower knows of a fact. Returns the old or the new fact. Returns `None` if the knower neither
    /// knew nor knows the fact.
    fn replace(&mut self, id: FactId, known: Option<(Known, u32)>) -> Option<Arc<Fact>> {
        let place = self.summaries.binary_search_by_key(&id, |summary| summary.id);
        match (place, known) {
            (Ok(place), Some((known, index))) => {
                let fact = Arc::clone(&known.fact);
                self.summaries[place] = known.summary(index);
                self.facts[place] = known;
                Some(fact)
            }
            (Ok(place), None) => {
                self.summaries.remove(place);
                let known = self.facts.remove(place);
                self.index.get_mut().into_iter().for_each(|index| index.remove(&known));
                Some(known.fact)
            }
            (Err(place), Some((known, index))) => {
                self.index.get_mut().into_iter().for_each(|index| index.insert(&known));
                let fact = Arc::clone(&known.fact);
                self.summaries.insert(place, known.summary(index));
                self.facts.insert(place, known);
                Some(fact)
            }
            (Err(_), None) => None,
        }
    }

    /// Replaces a passage, unless the passages are not collected yet.
    fn replace_passage(&mut self, state: &State, id: PassageId) {
        let Some(passages) = self.passages.get_mut() else { return };
        let heard = if self.is_of_dm {
            state.passage(id).map(super::passage_of_dm)
        } else {
            received_passage(state, self.as_of, &self.knower, &self.sources, &self.facts, id)
        };
        match heard {
            Some(heard) => _ = passages.insert(id, heard),
            None => _ = passages.remove(&id),
        }
    }
}

/// Adds the edges on which the belief in a fact depends.
fn add_dependents(dependents: &mut Dependents, state: &State, known: &Known) {
    let mut open: Vec<KnowledgeId> = Vec::new();
    let mut add = |id: KnowledgeId, edge: Option<&KnowledgeEdge>, open: &mut Vec<KnowledgeId>| {
        let facts = dependents.entry(id).or_default();
        if !facts.contains(&known.id()) {
            facts.push(known.id());
            open.extend(edge.into_iter().flat_map(|edge| &edge.sources).flat_map(Justification::edges));
        }
    };
    for known_edge in known.known_edges.iter().chain(&known.shared) {
        add(known_edge.id, Some(&known_edge.edge), &mut open);
    }
    while let Some(id) = open.pop() {
        add(id, state.knowledge(id).map(Arc::as_ref), &mut open);
    }
}

#[cfg(test)]
mod tests {
    use hearsay_model::{
        Acquisition, Author, Change, GameTime, KnowledgeEdge, Operation, Position, Predicate, TransientChange,
        TransientUpdate, TransientValue,
    };
    use proptest::prelude::*;

    use super::*;
    use crate::{
        view::naive::{PLACES, add},
        world::{World, id, knower},
    };

    /// Makes a change that the three numbers select, and returns the touched records.
    fn change(world: &mut World, (n, m, k): (u8, u8, u8)) -> Vec<Key> {
        let place = |n: u8| PLACES[usize::from(n) % PLACES.len()];
        match n % 8 {
            // Undoes an operation.
            0 => {
                let position = Position(1 + u64::from(m) % world.0.position().0);
                let revert = Operation::new(Author::Dm, "undo", vec![Change::Revert(position)]);
                world.0.apply(revert).map(|applied| applied.touched).unwrap_or_default()
            }
            // Somebody tells a fact that it knows.
            1 | 2 => {
                let known: Vec<_> = world.0.edges_of(&knower(place(m))).map(|(id, edge)| (id, edge.fact)).collect();
                let Some((edge, fact)) = known.get(usize::from(k) % known.len().max(1)) else { return Vec::new() };
                let told = KnowledgeEdge {
                    acquisition: Acquisition::Told { by: Some(id(place(m))), citing: None },
                    sources: vec![Justification::Basis { fact: *fact, edge: *edge }],
                    ..KnowledgeEdge::authored(knower(place(k)), *fact)
                };
                let operation = Operation::new(Author::Game, "tell", vec![Change::Learn(told.into())]);
                world.0.apply(operation).map(|applied| applied.touched).unwrap_or_default()
            }
            // Somebody moves.
            3 => {
                let fact = World::saying(place(m), &format!("is at {}", k % 4));
                let predicate = Predicate::new("lore").unwrap();
                let value = TransientValue { fact, knowers: vec![knower(place(k))] };
                let values = vec![TransientChange { subject: id(place(m)), predicate, value: Some(value) }];
                world.0.set_transients(&TransientUpdate { values, clock: Some(GameTime(k.into())) })
            }
            _ => add(world, (n, m, k)).unwrap_or_default(),
        }
    }

    /// A view, and the records that changed since the view was computed or updated.
    struct Kept {
        view: View,
        records: Vec<Key>,
    }

    impl Kept {
        fn new(view: View) -> Self {
            // Contradictions are computed early, so that updates must keep them.
            view.facts().for_each(|known| _ = view.contradicting_facts(known).count());
            Self { view, records: Vec::new() }
        }
    }

    /// Follows a change, and compares the view with a newly computed one.
    fn update(world: &World, kept: &mut Kept, touched: &[Key], now: &View, at_once: bool) {
        match kept.view.impact(&world.0, touched) {
            ViewImpact::Unchanged => {}
            ViewImpact::Records(records) => kept.records.extend(records),
            ViewImpact::Whole => {
                *kept = Kept::new(now.clone());
                return;
            }
        }
        if !at_once && !kept.records.is_empty() {
            return;
        }
        let records = std::mem::take(&mut kept.records);
        let before = kept.view.clone();
        let Some(changed) = kept.view.update(&world.0, &records) else {
            *kept = Kept::new(now.clone());
            return;
        };
        assert_eq!(kept.view, *now, "after {touched:?}");
        assert_eq!(kept.view.summaries(), now.summaries());
        for known in now.facts() {
            assert!(kept.view.contradicting_facts(known).eq(now.contradicting_facts(known)));
            assert_eq!(kept.view.is_superseded(known.id()), now.is_superseded(known.id()));
            assert!(kept.view.facts_with_subject(known.subject()).any(|other| other == known));
            let is_same = before.fact(known.id()) == Some(known);
            assert!(is_same || changed.iter().any(|fact| fact.id() == known.id()));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn an_updated_view_equals_a_new_one(
            seeds in prop::collection::vec(any::<(u8, u8, u8)>(), 1..40),
            as_of in prop::option::of(0_i64..9),
        ) {
            let mut world = World::new(&PLACES.join(" "));
            let as_of = as_of.map(GameTime);
            let view = |world: &World, name: &str| View::new(&world.0, &knower(name), as_of);
            let mut kept: Vec<(&str, Kept)> =
                PLACES.iter().map(|name| (*name, Kept::new(view(&world, name)))).collect();
            let mut of_dm = Kept::new(View::of_dm(&world.0));
            for seed in seeds {
                let touched = change(&mut world, seed);
                for (name, kept) in &mut kept {
                    let now = view(&world, name);
                    // Half of the views are updated after each change, and the others only now and then.
                    update(&world, kept, &touched, &now, seed.1 % 2 == 0);
                }
                let now = View::of_dm(&world.0);
                update(&world, &mut of_dm, &touched, &now, true);
            }
        }
    }

    #[test]
    fn what_others_learn_does_not_concern_a_view() {
        let mut world = World::new("ann bob guild thing");
        world.belongs("ann", "MEMBER_OF", "guild", None, None);
        let view = world.view("ann");
        let learn = |world: &mut World, name: &str| {
            let fact = World::saying("thing", &format!("{name} knows"));
            let edge = KnowledgeEdge::authored(knower(name), fact.id());
            let changes = vec![Change::AssertFact(fact), Change::Learn(edge.into())];
            world.0.apply(Operation::new(Author::Dm, "learn", changes)).unwrap().touched
        };
        for (knower, concerned) in [("bob", false), ("ann", true), ("guild", true), ("*", true)] {
            let mut after = world.clone();
            let touched = learn(&mut after, knower);
            let unchanged = view.impact(&after.0, &touched) == ViewImpact::Unchanged;
            assert_eq!(unchanged, !concerned, "{knower}");
        }
    }
}
