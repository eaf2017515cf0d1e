//! Measures one day of gossip among 10,000 characters in 200 villages with 1,000 pieces of news.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::sync::{Arc, LazyLock};

use divan::{Bencher, black_box};
use hearsay_belief::gossip::{GossipOptions, gossip};
use hearsay_model::{
    Acquisition, Author, Change, Date, Entity, EntityId, Fact, FactBuilder, GameTime, Knower, KnowledgeEdge, Method,
    Operation, Provenance, State,
};

const DAY: i64 = 24 * 60;
const PEOPLE: usize = 10_000;
const PLACES: usize = 200;

fn main() {
    divan::main();
}

fn id(text: &str, n: usize) -> EntityId {
    EntityId::new(format!("{text}-{n}")).unwrap()
}

fn add_fact(changes: &mut Vec<Change>, fact: FactBuilder, knowers: &[&EntityId], learned: Option<i64>) {
    let fact = Arc::new(fact.build().unwrap());
    changes.push(Change::AssertFact(Arc::clone(&fact)));
    for knower in knowers {
        let edge = KnowledgeEdge::authored(Knower::Entity((*knower).clone()), fact.id());
        let acquisition = if learned.is_some() { Acquisition::Witnessed } else { Acquisition::Authored };
        let learned = learned.map(|minute| Date::at(GameTime(minute)));
        changes.push(Change::Learn(Arc::new(KnowledgeEdge { acquisition, learned, ..edge })));
    }
}

/// Returns a world with fifty people in each village and ten villages in each valley. Each person has a name, a home, a
/// trade and two acquaintances. Each piece of news is an event that some people of one village saw last night.
/// `witnesses` is the number of these people.
fn world(witnesses: usize) -> State {
    let provenance = || Provenance::new(Method::Authored, Author::Game);
    let mut changes = Vec::new();
    let places = (0..PLACES).map(|n| (id("village", n), "location"));
    let valleys = (0..PLACES / 10).map(|n| (id("valley", n), "location"));
    let people = (0..PEOPLE).map(|n| (id("person", n), "npc"));
    for (id, kind) in places.chain(valleys).chain(people) {
        changes.push(Change::AddEntity(Entity::new(id.clone())));
        add_fact(&mut changes, Fact::attribute(&id, "kind", kind, provenance()).unwrap(), &[&id], None);
    }
    for n in 0..PLACES {
        let (place, valley) = (id("village", n), id("valley", n / 10));
        add_fact(&mut changes, Fact::relation(&place, "PART_OF", &valley, provenance()).unwrap(), &[&place], None);
    }
    for n in 0..PEOPLE {
        let (person, home) = (id("person", n), id("village", n % PLACES));
        let name = Fact::attribute(&person, "name", format!("Person {n}"), provenance()).unwrap();
        add_fact(&mut changes, name, &[&person, &home], None);
        add_fact(
            &mut changes,
            Fact::relation(&person, "RESIDENT_OF", &home, provenance()).unwrap(),
            &[&person, &home],
            None,
        );
        let trade = Fact::attribute(&person, "occupation", format!("trade {}", n % 50), provenance()).unwrap();
        add_fact(&mut changes, trade, &[&person, &home], None);
        for (name, step) in [("KNOWS", 1), ("LIKES", 2)] {
            let other = id("person", (n + step * PLACES) % PEOPLE);
            add_fact(
                &mut changes,
                Fact::relation(&person, name, &other, provenance()).unwrap(),
                &[&person, &other],
                None,
            );
        }
    }
    for n in 0..1_000 {
        let subject = id("person", n);
        let observers: Vec<EntityId> = (0..witnesses).map(|k| id("person", (n + k * PLACES) % PEOPLE)).collect();
        let news = Fact::attribute(&subject, "lore", format!("What happened to person {n}."), provenance()).unwrap();
        add_fact(&mut changes, news, &observers.iter().collect::<Vec<_>>(), Some(DAY - 60));
    }
    let mut state = State::default();
    state.apply(Operation::new(Author::Game, "world", changes)).unwrap();
    state
}

static THREE_WITNESSES: LazyLock<State> = LazyLock::new(|| world(3));
static TWENTY_FIVE_WITNESSES: LazyLock<State> = LazyLock::new(|| world(25));
/// The state after four days of gossip.
static AFTER_FOUR_DAYS: LazyLock<State> = LazyLock::new(|| {
    let mut state = world(3);
    let step = gossip(&state, &GossipOptions::between(GameTime(DAY), GameTime(5 * DAY))).unwrap();
    state.apply(Operation::new(Author::Game, "gossip", step.changes)).unwrap();
    state
});

fn day(bencher: Bencher, state: &State, day: i64) {
    let options = GossipOptions::between(GameTime(day * DAY), GameTime((day + 1) * DAY));
    bencher.bench(|| gossip(black_box(state), &options).unwrap().news.len());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn first_day_with_three_witnesses(bencher: Bencher) {
    day(bencher, &THREE_WITNESSES, 1);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn first_day_with_twenty_five_witnesses(bencher: Bencher) {
    day(bencher, &TWENTY_FIVE_WITNESSES, 1);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn fifth_day(bencher: Bencher) {
    day(bencher, &AFTER_FOUR_DAYS, 5);
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn ten_days(bencher: Bencher) {
    let options = GossipOptions::between(GameTime(DAY), GameTime(11 * DAY));
    bencher.bench(|| gossip(black_box(&THREE_WITNESSES), &options).unwrap().news.len());
}
