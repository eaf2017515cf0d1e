//! Tests of the curve of forgetting, and a comparison with a simple definition.

use hearsay_model::{
    Acquisition, Author, Change, Date, Fact, FactId, KnowledgeEdge, Method, MindRules, Operation, Provenance, Secrecy,
    Setting, WorldSetting,
};
use proptest::prelude::*;

use super::*;
use crate::{
    ViewImpact,
    world::{World, id, knower},
};

const DAY: i64 = 24 * 60;

fn with_forgetting(entities: &str, forgetting: Degree) -> World {
    let mut world = World::new(entities);
    set_rules(&mut world, forgetting);
    world
}

fn set_rules(world: &mut World, forgetting: Degree) -> Vec<hearsay_model::Key> {
    let rules = MindRules { forgetting, ..MindRules::default() };
    let change = Change::Set(Setting::World(WorldSetting::Minds(rules)));
    world.0.apply(Operation::new(Author::Dm, "rules", vec![change])).unwrap().touched
}

/// Adds a fact that nobody knows yet.
fn fact(world: &mut World, name: &str, value: &str, secrecy: Secrecy) -> FactId {
    let provenance = Provenance::new(Method::Authored, Author::Dm);
    let fact = Fact::attribute(&id("thing"), name, value, provenance).unwrap().secrecy(secrecy).build().unwrap();
    let id = fact.id();
    world.apply(vec![Change::AssertFact(fact.into())]);
    id
}

fn learn(world: &mut World, fact: FactId, acquisition: Acquisition, day: i64) {
    let learned = Some(Date::at(GameTime(day * DAY)));
    let edge = KnowledgeEdge { acquisition, learned, ..KnowledgeEdge::authored(knower("ann"), fact) };
    world.apply(vec![Change::Learn(edge.sorted().into())]);
}

fn told() -> Acquisition {
    Acquisition::told(None)
}

/// Returns Ann's retention of a fact on a day.
fn retention(world: &World, fact: FactId, day: i64) -> f64 {
    let view = world.view("ann");
    view.retention(view.fact(fact).unwrap(), Some(GameTime(day * DAY))).get()
}

/// Returns the number of days after which Ann's memory of a fact fades.
fn days_until_faded(world: &World, fact: FactId) -> i64 {
    (1..100_000).find(|day| retention(world, fact, *day) < Retention::FADED_BELOW - 1e-9).unwrap()
}

#[test]
fn a_fact_heard_once_is_faded_after_its_half_life() {
    for (forgetting, half_life) in [(Degree::Mild, 90), (Degree::Strong, 20)] {
        let mut world = with_forgetting("ann thing", forgetting);
        let rumour = fact(&mut world, "lore", "a rumour", Secrecy::Open);
        learn(&mut world, rumour, told(), 0);
        assert!((retention(&world, rumour, half_life) - 0.5).abs() < 1e-9);
        assert_eq!(days_until_faded(&world, rumour), half_life + 1);
        assert!(retention(&world, rumour, 0) > 0.95);
    }
}

#[test]
fn retention_follows_a_power_law() {
    for (forgetting, exponent) in [(Degree::Mild, 0.3), (Degree::Strong, 0.5)] {
        let mut world = with_forgetting("ann thing", forgetting);
        let rumour = fact(&mut world, "lore", "a rumour", Secrecy::Open);
        learn(&mut world, rumour, told(), 0);
        let log_odds = |day: i64| {
            let retention = retention(&world, rumour, day);
            (retention / (1.0 - retention)).ln()
        };
        for day in [1, 2, 4, 8, 16, 32, 64, 128, 256] {
            // Each doubling of the age lowers the log odds by the same amount.
            let slope = (log_odds(2 * day) - log_odds(day)) / 2.0_f64.ln();
            assert!((slope + exponent / RETENTION_SCALE).abs() < 1e-6, "{slope} on day {day}");
        }
    }
}

#[test]
fn practice_strengthens_memory() {
    let mut world = with_forgetting("ann bob thing", Degree::Strong);
    let rumour = fact(&mut world, "lore", "a rumour", Secrecy::Open);
    learn(&mut world, rumour, told(), 0);
    let once = retention(&world, rumour, 40);
    let mut world_of_teller = world.clone();
    learn(&mut world, rumour, told(), 10);
    let twice = retention(&world, rumour, 40);
    learn(&mut world, rumour, told(), 30);
    let thrice = retention(&world, rumour, 40);
    assert!(once < 0.5 && once < twice && twice < thrice, "{once} {twice} {thrice}");
    let shared = KnowledgeEdge {
        acquisition: Acquisition::Shared,
        learned: Some(Date::at(GameTime(10 * DAY))),
        co_present: vec![id("bob")],
        ..KnowledgeEdge::authored(knower("ann"), rumour)
    };
    world_of_teller.apply(vec![Change::Learn(shared.into())]);
    assert!((retention(&world_of_teller, rumour, 40) - twice).abs() < 1e-12, "telling is practice");
    let view = world.view("ann");
    let known = view.fact(rumour).unwrap();
    assert_eq!((known.practice_count(), known.last_practiced()), (3, Some(GameTime(30 * DAY))));
}

#[test]
fn salient_facts_last_longer() {
    for forgetting in [Degree::Mild, Degree::Strong] {
        let mut world = with_forgetting("ann thing", forgetting);
        let ordinary = fact(&mut world, "lore", "a rumour", Secrecy::Open);
        let seen = fact(&mut world, "lore", "a fire", Secrecy::Open);
        let secret = fact(&mut world, "lore", "a secret", Secrecy::Secret);
        let death = fact(&mut world, "condition", "dead", Secrecy::Open);
        learn(&mut world, seen, Acquisition::Witnessed, 0);
        [ordinary, secret, death].into_iter().for_each(|fact| learn(&mut world, fact, told(), 0));
        let ordinary = days_until_faded(&world, ordinary);
        for salient in [seen, secret, death] {
            let days = days_until_faded(&world, salient);
            assert!((2 * ordinary - 5..=20 * ordinary).contains(&days), "{days} of {ordinary} days");
        }
    }
}

#[test]
fn some_facts_never_fade() {
    let mut world = with_forgetting("ann guild thing", Degree::Strong);
    world.belongs("ann", "MEMBER_OF", "guild", Some(0), None);
    let always = world.lore("ann", "always known", None);
    let stated = world.lore("ann", "stated by the campaign", Some(0));
    let common = world.lore("*", "common lore", Some(0));
    let of_group = world.lore("guild", "known to the guild", Some(0));
    let name = fact(&mut world, "name", "The Thing", Secrecy::Open);
    learn(&mut world, name, told(), 0);
    for fact in [always, stated, common, of_group, name] {
        assert_eq!(retention(&world, fact, 10_000), 1.0);
    }
    let view = world.view("ann");
    assert!(view.facts().all(|known| view.retention(known, None) == Retention::FULL), "no moment, no forgetting");
}

#[test]
fn rules_that_are_off_change_nothing() {
    let mut world = World::new("ann thing");
    let rumour = fact(&mut world, "lore", "a rumour", Secrecy::Open);
    learn(&mut world, rumour, told(), 0);
    assert_eq!(retention(&world, rumour, 100_000), 1.0);
    assert_eq!(world.view("ann").forgetting(), Degree::Off);
}

#[test]
fn the_attribute_of_a_character_overrides_the_rule() {
    let mut world = with_forgetting("ann bob guild thing", Degree::Mild);
    let state_attribute = |world: &mut World, name: &str, predicate: &str, value: &str| {
        let provenance = Provenance::new(Method::Authored, Author::Dm);
        let fact = Fact::attribute(&id(name), predicate, value, provenance).unwrap().build().unwrap();
        let operation = Operation::new(Author::Dm, "attribute", vec![Change::AssertFact(fact.into())]);
        world.0.apply(operation).unwrap().touched
    };
    let mut view = world.view("ann");
    for (value, expected) in [("strong", Degree::Strong), ("Off", Degree::Off), ("wrong", Degree::Mild)] {
        let touched = state_attribute(&mut world, "ann", "forgetting", value);
        // A value that is no rule counts as no value.
        let expected = if value == "wrong" { expected } else { Degree::from_name(&value.to_lowercase()).unwrap() };
        assert_eq!(view.impact(&world.0, &touched), ViewImpact::Whole, "{value}");
        view = world.view("ann");
        assert_eq!(view.forgetting(), expected);
    }
    let touched = set_rules(&mut world, Degree::Strong);
    assert_eq!(view.impact(&world.0, &touched), ViewImpact::Whole);
    assert_eq!(world.view("bob").forgetting(), Degree::Strong);
    state_attribute(&mut world, "guild", "kind", "faction");
    assert_eq!(world.view("guild").forgetting(), Degree::Off, "a group forgets nothing");
    assert_eq!(View::of_dm(&world.0).forgetting(), Degree::Off);
}

/// Simple definition of retention, for facts without salience. Reads all edges of the campaign.
fn naive(state: &State, character: &str, fact: FactId, as_of: i64, now: i64) -> f64 {
    let (mut sum, mut is_lasting) = (0.0, false);
    for (_, edge) in state.all_knowledge().filter(|(_, edge)| edge.fact == fact) {
        let Some(learned) = edge.learned_at() else {
            is_lasting |= edge.knower == knower(character) || edge.knower == Knower::World;
            continue;
        };
        if learned.0 > as_of {
            continue;
        }
        if edge.knower == Knower::World || (edge.knower == knower(character) && edge.acquisition.is_authored()) {
            is_lasting = true;
        } else if edge.knower == knower(character) {
            sum += (((now - learned.0) as f64 / DAY as f64).max(1.0 / 24.0)).powf(-0.5);
        }
    }
    let witnessed = state.all_knowledge().any(|(_, edge)| {
        let is_own = edge.fact == fact && edge.knower == knower(character);
        is_own && edge.acquisition.is_witnessed() && edge.learned_at().is_none_or(|learned| learned.0 <= as_of)
    });
    let activation = sum.ln() + if witnessed { 0.35 } else { 0.0 };
    let odds = ((activation + 0.5 * 20.0_f64.ln()) / 0.25).exp();
    if is_lasting { 1.0 } else { odds / (1.0 + odds) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn retention_equals_its_definition(
        seeds in prop::collection::vec((0_u8..4, 0_u8..3, 0_u8..6, -1_i64..200), 1..30),
        as_of in 0_i64..300,
        later in 0_i64..300,
    ) {
        let mut world = with_forgetting("ann bob cid thing", Degree::Strong);
        let facts = ["a", "b", "c"].map(|text| fact(&mut world, "lore", text, Secrecy::Open));
        for (person, fact, acquisition, day) in seeds {
            let name = ["ann", "bob", "cid", "*"][usize::from(person)];
            let acquisition = match acquisition {
                0 => Acquisition::Authored,
                1 if name != "*" => Acquisition::Shared,
                2 => Acquisition::Witnessed,
                3 => Acquisition::Told { by: Some(id("bob")), citing: None },
                _ => told(),
            };
            let learned = (day >= 0).then(|| Date::at(GameTime(day * DAY)));
            let edge = KnowledgeEdge::authored(knower(name), facts[usize::from(fact)]);
            world.apply(vec![Change::Learn(KnowledgeEdge { acquisition, learned, ..edge }.into())]);
        }
        let (as_of, now) = (as_of * DAY, (as_of + later) * DAY);
        for name in ["ann", "bob", "cid"] {
            let view = View::new(&world.0, &knower(name), Some(GameTime(as_of)));
            for known in view.facts() {
                let expected = naive(&world.0, name, known.id(), as_of, now);
                let actual = view.retention(known, Some(GameTime(now))).get();
                prop_assert!((actual - expected).abs() < 1e-9, "{name}: {actual} is not {expected}");
            }
        }
    }
}
