//! Measures how fast one character's view is computed in a world of 20,000 entities and 100,000 facts. As in a
//! campaign, a few places and groups have many people, and most facts are known to few characters.
//!
//! To run it: `cargo bench --profile dev -p hearsay_belief`

use std::sync::{Arc, LazyLock};

use divan::{Bencher, black_box};
use hearsay_belief::{Occasion, View, learn};
use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, Knower, KnowledgeEdge, Method, Operation, Provenance, State,
};

const ENTITIES: usize = 20_000;
const FACTS: usize = 100_000;
/// Number of towns. Each town has its own lore and people.
const TOWNS: usize = 50;

fn id(n: usize) -> EntityId {
    EntityId::new(format!("e{n}")).unwrap_or_else(|_| unreachable!("the name is a slug"))
}

fn fact(subject: usize, predicate: &str, object: usize) -> Arc<Fact> {
    let provenance = Provenance::new(Method::Authored, Author::Dm);
    let fact = Fact::relation(&id(subject), predicate, &id(object), provenance).and_then(|fact| fact.build());
    Arc::new(fact.unwrap_or_else(|_| unreachable!("the fact is well formed")))
}

static WORLD: LazyLock<State> = LazyLock::new(|| {
    let mut state = State::default();
    let mut changes: Vec<Change> = (0..ENTITIES).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
    let mut add_fact = |fact: Arc<Fact>, knowers: &[usize], common: bool| {
        changes.push(Change::AssertFact(Arc::clone(&fact)));
        for knower in knowers {
            changes.push(Change::Learn(Arc::new(KnowledgeEdge::authored(id(*knower).into(), fact.id()))));
        }
        if common {
            changes.push(Change::Learn(Arc::new(KnowledgeEdge::authored(Knower::World, fact.id()))));
        }
    };
    for person in TOWNS..ENTITIES {
        add_fact(fact(person, "RESIDENT_OF", person % TOWNS), &[person, person % TOWNS], false);
    }
    for n in 0..FACTS + TOWNS - ENTITIES {
        // Towns differ in size: the first town knows the most facts.
        let (person, town) = (TOWNS + n * 7919 % (ENTITIES - TOWNS), n * n % TOWNS * n % TOWNS);
        let relation =
            fact(person, ["OWES", "KNOWS", "LIKES"][n % 3], TOWNS + (n * 104_729 + n / 7) % (ENTITIES - TOWNS));
        let teller = TOWNS + n % 300;
        add_fact(relation, &[person, town, teller], n % 100 == 0);
    }
    let panic_on_error = |_| unreachable!("the world is well formed");
    state.apply(Operation::new(Author::Dm, "a world", changes)).unwrap_or_else(panic_on_error);
    // Some facts are rumours that one inhabitant of a town tells another.
    let tellings: Vec<Change> = (0..300)
        .flat_map(|n| {
            let (teller, hearer) = (id(TOWNS + n), [id(TOWNS + (n + 1) % 300)]);
            let view = View::new(&state, &teller.clone().into(), None);
            let facts: Vec<_> = view.facts().take(20).filter_map(|known| state.fact(known.id()).cloned()).collect();
            let tell = |fact: &Arc<Fact>| {
                let telling = learn::Telling::new(&teller, &hearer, fact);
                learn::tell(&state, &telling, &Occasion::default())
                    .map_or_else(|_| Vec::new(), |learning| learning.changes)
            };
            facts.iter().flat_map(tell).collect::<Vec<_>>()
        })
        .collect();
    state.apply(Operation::new(Author::Game, "talk", tellings)).unwrap_or_else(panic_on_error);
    state
});

fn main() {
    divan::main();
}

/// Measures the views of characters that know different numbers of facts. The throughput column shows the number of
/// facts in the view.
#[divan::bench(args = [TOWNS, TOWNS + 7, ENTITIES - 1])]
fn view_at_100_000_facts(bencher: Bencher, character: usize) {
    let knower = id(character).into();
    let fact_count = View::new(&WORLD, &knower, None).facts().len();
    bencher
        .counter(divan::counter::ItemsCount::new(fact_count))
        .bench_local(|| View::new(black_box(&WORLD), &knower, None));
}
