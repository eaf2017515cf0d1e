//! Tests of removal: the state after the removal of a record is the same as if the record had never existed.

use std::collections::BTreeSet;

use super::{super::*, *};
use crate::{FactId, KnowledgeId};

/// Returns the results of all public queries, in a form that does not depend on dense indices.
pub(super) fn query_results(state: &State, keys: &BTreeSet<Key>) -> Vec<String> {
    fn sorted<T: std::fmt::Debug>(all: impl Iterator<Item = T>) -> String {
        let mut all: Vec<String> = all.map(|one| format!("{one:?}")).collect();
        all.sort();
        all.concat()
    }
    let mut results = vec![format!("{} {} {:?}", state.entity_count(), state.fact_count(), state.vocabulary())];
    let ids: Vec<EntityId> = (0..5).map(id).collect();
    for id in &ids {
        let knower = Knower::Entity(id.clone());
        let links = state.links(id).map(|link| (link.fact().clone(), link.other().clone(), link.is_forward()));
        results.extend([
            format!("{:?} {:?} {:?}", state.entity(id), state.names(id), state.open_name(id)),
            format!("{:?} {:?}", state.newest(id, "name"), state.newest_by_predicate(id)),
            sorted(state.facts_of(id)),
            sorted(links),
            sorted(state.edges_of(&knower)),
            sorted(state.known_facts(&knower).map(|known| (known.id, known.edge, known.fact))),
            sorted(state.passages_of(&knower)),
        ]);
        if let Some(index) = state.index_of(id) {
            let hops = state.hops_at(index).iter().filter(|hop| state.is_in_effect_at(hop.fact()));
            results.push(sorted(hops.map(|hop| (state.fact_at(hop.fact()), state.id_at(hop.other())))));
            assert_eq!(state.by_rank()[state.rank_at(index) as usize], index);
        }
    }
    results.push(sorted(state.edges_of(&Knower::World)));
    results.push(sorted(state.known_facts(&Knower::World).map(|known| (known.id, known.edge, known.fact))));
    results.extend((0..6).map(|n| format!("{:?}", state.resolve(&format!("Name {n}")))));
    results.extend((0..10).map(|n| sorted(state.facts_by_handle(&format!("h{n}")))));
    for key in keys {
        results.push(match key {
            Key::Fact(id) => {
                let fact = (state.fact(*id), state.asserted(*id), state.is_retracted(*id));
                let by_index = state.fact_index(*id).map(|index| state.fact_at(index));
                let edges = (sorted(state.known_by(*id)), sorted(state.recorded_edges(*id)));
                format!("{fact:?} {by_index:?} {edges:?} {}", sorted(state.reveals_of(*id)))
            }
            Key::KnowledgeEdge(id) => format!("{:?} {}", state.knowledge(*id), sorted(state.dependent_edges(*id))),
            key => format!("{key:?} {}", state.shows(key)),
        });
    }
    results.push(format!("{:?}", state.flags().collect::<Vec<_>>()));
    results.push(format!("{:?}", state.settings().collect::<Vec<_>>()));
    results
}

pub(super) fn keys_of<'a>(operations: impl IntoIterator<Item = &'a Operation>) -> BTreeSet<Key> {
    operations.into_iter().flat_map(|operation| operation.changes.iter().filter_map(Change::written_key)).collect()
}

impl State {
    fn forget(&mut self, key: &Key) -> Vec<Key> {
        match key {
            Key::Fact(id) => self.facts.find(id).map(|index| self.forget_fact(index)),
            Key::KnowledgeEdge(id) => self.knowledge.find(id).map(|index| self.forget_knowledge(index)),
            _ => None,
        }
        .unwrap_or_default()
    }
}

proptest! {
    #[test]
    fn removing_a_record_equals_never_having_had_it(
        before in history(),
        after in history(),
        undone in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        order in prop::collection::vec(any::<prop::sample::Index>(), 1..30),
    ) {
        let undone = undone.iter().map(|index| revert(index.index(before.len()) as u64 + 1)).collect::<Vec<_>>();
        let before: Vec<Operation> = before.into_iter().chain(undone).collect();
        let keys = keys_of(before.iter().chain(&after));
        let is_forgettable = |key: &&Key| matches!(key, Key::Fact(_) | Key::KnowledgeEdge(_));
        let forgettable: Vec<Key> = keys.iter().filter(is_forgettable).cloned().collect();
        let removed: BTreeSet<Key> = if forgettable.is_empty() {
            BTreeSet::new()
        } else {
            order.iter().map(|index| forgettable[index.index(forgettable.len())].clone()).collect()
        };
        let mut forgot = fold(before.clone());
        let original = forgot.clone();
        forgot.assert_consistent();
        let mut touched = BTreeSet::new();
        for index in order.iter().filter(|_| !forgettable.is_empty()) {
            touched.extend(forgot.forget(&forgettable[index.index(forgettable.len())]));
            forgot.assert_consistent();
            assert_indices(&forgot);
        }
        let without = |operation: Operation| {
            let kept = operation.changes.into_iter().filter(|change| change.written_key().is_none_or(|key| !removed.contains(&key)));
            Operation { changes: kept.collect(), ..operation }
        };
        let mut expected = fold(before.into_iter().map(without));
        prop_assert!(forgot == expected);
        prop_assert_eq!(query_results(&forgot, &keys), query_results(&expected, &keys));
        for key in keys.iter().filter(|key| !original.has_equal_record(&forgot, key)) {
            let is_reported = !matches!(key, Key::Setting(_));
            prop_assert!(!is_reported || touched.contains(key), "{:?} changed and is not told", key);
        }
        // Later operations can restore records in the same rows.
        for operation in after {
            forgot.apply_checked(Arc::new(operation.clone()));
            expected.apply_checked(Arc::new(operation));
            forgot.assert_consistent();
        }
        prop_assert!(forgot == expected);
        prop_assert_eq!(query_results(&forgot, &keys), query_results(&expected, &keys));
    }
}

#[test]
fn indices_of_forgotten_rows_are_used_again() {
    let mut state =
        fold([Operation::new(Author::Game, "begin", (0..4).map(|n| Change::AddEntity(Entity::new(id(n)))).collect())]);
    let place = |n: u8| {
        let provenance = Provenance::new(Method::Authored, Author::Game);
        let fact = Fact::relation(&id(n), "LOCATED_AT", &id(n / 4), provenance).unwrap().build();
        Arc::new(fact.unwrap())
    };
    let mut last: Option<(FactId, KnowledgeId)> = None;
    for n in 0..200_u8 {
        if let Some((fact, edge)) = last {
            assert_eq!(state.forget(&Key::Fact(fact)).len(), 2, "the fact, and the edge that leads to it");
            assert_eq!(state.forget(&Key::KnowledgeEdge(edge)), [Key::KnowledgeEdge(edge)]);
        }
        let fact = place(n);
        let edge = KnowledgeEdge::authored(id(n).into(), fact.id());
        last = Some((fact.id(), edge.id()));
        let changes = vec![Change::AssertFact(fact), Change::Learn(Arc::new(edge))];
        state.apply(Operation::new(Author::Game, "move", changes)).unwrap();
    }
    assert_eq!((state.facts.index_count(), state.knowledge.index_count()), (1, 1));
    state.assert_consistent();
}
