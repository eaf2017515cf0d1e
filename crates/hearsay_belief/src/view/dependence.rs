//! Which changes of the state can change a view.

use std::sync::Arc;

use hearsay_model::{Justification, Key, Knower, KnowledgeId, State};
use rustc_hash::FxHashSet;

use super::View;

impl View {
    /// Returns whether a change of some records may change the view. If it returns `false`, the view equals the view of
    /// the same knower and moment in `state`.
    ///
    /// `state` is the state after the change. `touched` contains the keys of all records whose value or visibility
    /// changed since the view was computed, or since the previous call. Do not call this function again after it
    /// returned `true`.
    pub fn depends_on(&self, state: &State, touched: &[Key]) -> bool {
        !Arc::ptr_eq(&self.vocabulary, state.vocabulary()) || touched.iter().any(|key| self.depends_on_key(state, key))
    }

    fn depends_on_key(&self, state: &State, key: &Key) -> bool {
        match key {
            Key::Fact(_) | Key::Passage(_) if self.is_of_dm => true,
            Key::Fact(id) => self.fact(*id).is_some(),
            Key::KnowledgeEdge(id) => {
                let is_of_source = || state.knowledge(*id).is_some_and(|edge| self.sources.contains(&edge.knower));
                self.edges(state).contains(id) || is_of_source()
            }
            Key::Passage(id) => {
                let reaches =
                    |source: &Knower| state.passage(*id).is_some_and(|passage| passage.reached(source).is_some());
                self.passage(*id).is_some() || self.sources.iter().any(reaches)
            }
            Key::Entity(_) | Key::Session(_) | Key::Setting(_) => false,
        }
    }

    /// Returns the edges of the view, and all edges on which their belief depends, including edges that are missing.
    ///
    /// The set is computed from the state after the first change. This is sufficient: if an edge changed on which the
    /// view depended before, a path of unchanged edges leads from the view to a changed edge.
    fn edges(&self, state: &State) -> &FxHashSet<KnowledgeId> {
        self.edges.get_or_init(|| {
            let own = self.facts.iter().flat_map(|known| known.known_edges.iter().chain(&known.shared));
            let mut edges = FxHashSet::default();
            let mut open: Vec<KnowledgeId> = Vec::new();
            for way in own {
                edges.insert(way.id);
                open.extend(way.edge.sources.iter().flat_map(Justification::edges));
            }
            while let Some(id) = open.pop() {
                if edges.insert(id)
                    && let Some(edge) = state.knowledge(id)
                {
                    open.extend(edge.sources.iter().flat_map(Justification::edges));
                }
            }
            edges
        })
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
        world::{World, id, who},
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
                let known: Vec<_> = world.0.edges_of(&who(place(m))).map(|(id, edge)| (id, edge.fact)).collect();
                let Some((edge, fact)) = known.get(usize::from(k) % known.len().max(1)) else { return Vec::new() };
                let told = KnowledgeEdge {
                    acquisition: Acquisition::Told { by: Some(id(place(m))), citing: None },
                    sources: vec![Justification::Basis { fact: *fact, edge: *edge }],
                    ..KnowledgeEdge::authored(who(place(k)), *fact)
                };
                let operation = Operation::new(Author::Game, "tell", vec![Change::Learn(told.into())]);
                world.0.apply(operation).map(|applied| applied.touched).unwrap_or_default()
            }
            // Somebody moves.
            3 => {
                let fact = World::saying(place(m), &format!("is at {}", k % 4));
                let predicate = Predicate::new("lore").unwrap();
                let value = TransientValue { fact, knowers: vec![who(place(k))] };
                let values = vec![TransientChange { subject: id(place(m)), predicate, value: Some(value) }];
                world.0.set_transients(&TransientUpdate { values, clock: Some(GameTime(k.into())) })
            }
            _ => add(world, (n, m, k)).unwrap_or_default(),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn a_view_that_does_not_depend_on_a_change_stays_equal(
            seeds in prop::collection::vec(any::<(u8, u8, u8)>(), 1..40),
            as_of in prop::option::of(0_i64..9),
        ) {
            let mut world = World::new(&PLACES.join(" "));
            let as_of = as_of.map(GameTime);
            let view = |world: &World, name: &str| View::of(&world.0, &who(name), as_of);
            let mut kept: Vec<(&str, View)> = PLACES.iter().map(|name| (*name, view(&world, name))).collect();
            let mut of_dm = View::of_dm(&world.0);
            for seed in seeds {
                let touched = change(&mut world, seed);
                for (name, held) in &mut kept {
                    let now = view(&world, name);
                    if held.depends_on(&world.0, &touched) {
                        *held = now;
                    } else {
                        prop_assert_eq!(&*held, &now, "{} after {:?}", name, touched);
                        prop_assert_eq!(held.briefs(), now.briefs());
                    }
                }
                if of_dm.depends_on(&world.0, &touched) {
                    of_dm = View::of_dm(&world.0);
                } else {
                    prop_assert_eq!(&of_dm, &View::of_dm(&world.0));
                }
            }
        }
    }

    #[test]
    fn what_others_learn_does_not_concern_a_view() {
        let mut world = World::new("ann bob guild thing");
        world.belongs("ann", "MEMBER_OF", "guild", None, None);
        let view = world.view("ann");
        let learn = |world: &mut World, knower: &str| {
            let fact = World::saying("thing", &format!("{knower} knows"));
            let edge = KnowledgeEdge::authored(who(knower), fact.id());
            let changes = vec![Change::AssertFact(fact), Change::Learn(edge.into())];
            world.0.apply(Operation::new(Author::Dm, "learn", changes)).unwrap().touched
        };
        for (knower, concerned) in [("bob", false), ("ann", true), ("guild", true), ("*", true)] {
            let mut after = world.clone();
            let touched = learn(&mut after, knower);
            assert_eq!(view.depends_on(&after.0, &touched), concerned, "{knower}");
        }
    }
}
