//! Tests of the optimised traversal against a simple implementation, which searches all facts on every level.

use std::collections::BTreeMap;

use hearsay_model::{
    Author, Change, Date, EntityId, Fact, FactId, GameTime, Knower, KnowledgeEdge, Method, Operation, Provenance, State,
};
use proptest::prelude::*;

use super::{Direction, Traversal, neighbours};
use crate::{
    View,
    world::{World, id},
};

const ENTITIES: &str = "e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 e10 e11";

fn entity(n: u8) -> EntityId {
    id(&format!("e{}", n % 12))
}

/// Returns a world with relations that few characters know. Some of the relations ended or were retracted.
fn world(seeds: &[(u8, u8, u8)]) -> State {
    let mut world = World::new(ENTITIES);
    let mut facts: Vec<FactId> = Vec::new();
    for &(n, m, k) in seeds {
        let changes = match (n % 8, facts.get(usize::from(m) % facts.len().max(1))) {
            (0, Some(fact)) => vec![Change::RetractFact(*fact)],
            (1, Some(fact)) => vec![Change::EndFact { fact: *fact, until: Date::at(GameTime(i64::MAX)) }],
            _ => {
                let predicate = ["KNOWS", "OWES"][usize::from(m % 2)];
                let provenance = Provenance::new(Method::Authored, Author::Dm);
                let fact = Fact::relation(&entity(n / 8), predicate, &entity(m / 2), provenance).unwrap();
                let fact = fact.statement(format!("statement {m} {k}")).build().unwrap();
                facts.push(fact.id());
                let knower = if k.is_multiple_of(5) { Knower::World } else { entity(k).into() };
                let edge = KnowledgeEdge::authored(knower, fact.id());
                vec![Change::AssertFact(fact.into()), Change::Learn(edge.into())]
            }
        };
        // Some operations are invalid, for example the end of a retracted fact.
        _ = world.0.apply(Operation::new(Author::Dm, "edit", changes));
    }
    world.0
}

/// Returns the result of a traversal by its definition: level by level, where each entity is reached by the relation
/// with the smallest id.
fn reference_traversal(
    state: &State,
    from: &EntityId,
    traversal: &Traversal,
    depth: usize,
) -> Vec<(EntityId, usize, FactId, bool)> {
    let mut found: BTreeMap<EntityId, usize> = BTreeMap::from([(from.clone(), 0)]);
    let mut all = Vec::new();
    for distance in 1..=depth {
        let mut level: BTreeMap<EntityId, (FactId, bool)> = BTreeMap::new();
        for fact in state.facts() {
            let Some(object) = fact.object().entity() else { continue };
            let is_visible = traversal.view.map_or(fact.is_in_effect(), |view| view.fact(fact.id()).is_some());
            let predicate_matches = traversal.predicates.is_empty() || traversal.predicates.contains(fact.predicate());
            if !is_visible || !predicate_matches {
                continue;
            }
            for (from, to, forward) in [(fact.subject(), object, true), (object, fact.subject(), false)] {
                let direction_matches = match traversal.direction {
                    Direction::Both => true,
                    Direction::Out => forward,
                    Direction::In => !forward,
                };
                if direction_matches && found.get(from) == Some(&(distance - 1)) && !found.contains_key(to) {
                    // The facts are sorted by id.
                    level.entry(to.clone()).or_insert((fact.id(), forward));
                }
            }
        }
        for (id, (fact, forward)) in level {
            found.insert(id.clone(), distance);
            all.push((id, distance, fact, forward));
        }
    }
    all
}

proptest! {
    #[test]
    fn a_traversal_equals_its_definition(
        seeds in prop::collection::vec(any::<(u8, u8, u8)>(), 1..80),
        from in 0_u8..12,
        depth in 1_usize..5,
        direction in 0_usize..3,
        has_predicate in any::<bool>(),
    ) {
        let state = world(&seeds);
        let view = View::new(&state, &Knower::Entity(entity(from)), None);
        let direction = [Direction::Both, Direction::Out, Direction::In][direction];
        let predicates = if has_predicate { vec!["OWES".try_into().unwrap()] } else { Vec::new() };
        for view in [None, Some(&view)] {
            let traversal = Traversal { direction, predicates: predicates.clone(), view };
            let found = neighbours(&state, &entity(from), &traversal, depth, usize::MAX);
            let found: Vec<_> =
                found.iter().map(|n| (n.id.clone(), n.distance, n.fact.id(), n.forward)).collect();
            prop_assert_eq!(found, reference_traversal(&state, &entity(from), &traversal, depth));
        }
    }
}
