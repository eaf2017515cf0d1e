use hearsay_model::{Author, Change, Date, Fact, FactRelation, Method, Predicate, Provenance, Validity};
use proptest::prelude::*;

use super::*;
use crate::{
    Trust,
    world::{World, id},
};

const DAY: i64 = 24 * 60;

fn since(minute: i64) -> Validity {
    Validity { from: Some(Date::at(GameTime(minute))), until: None }
}

fn feelings(world: &World, who: &str, other: &str, minute: i64) -> Feelings {
    Feelings::from_view(&View::new(&world.0, &id(who).into(), Some(GameTime(minute))), &id(other))
}

#[test]
fn a_deed_changes_the_feelings_of_those_who_know_it() {
    let mut world = World::new("ann bob cid dee eve");
    let threat = world.relation("bob", "THREATENED", "ann", since(0));
    let enmity = world.relation("dee", "HOSTILE_TO", "ann", Validity::default());
    for knower in ["ann", "cid", "dee"] {
        world.learn(knower, threat, Some(0));
    }
    world.learn("dee", enmity, None);

    let ann = feelings(&world, "ann", "bob", 0);
    assert_eq!((ann.level(Feeling::Affinity), ann.level(Feeling::Fear)), (-20, 30));
    let words: Vec<_> = ann.words().into_iter().map(|words| (words.third_person, words.second_person)).collect();
    assert_eq!(words, [("dislikes", "dislike"), ("is afraid of", "are afraid of")]);
    assert_eq!(ann.strongest_cause(Feeling::Fear).unwrap().fact, threat);
    assert_eq!(ann.strongest_cause(Feeling::Debt), None);
    let view = View::new(&world.0, &id("ann").into(), Some(GameTime(0)));
    let trust = Trust::from_view(&view, &id("bob"));
    assert!((trust.first_impression.get() - (0.6 - 0.35 * 0.2)).abs() < 1e-9);

    let bystander = feelings(&world, "cid", "bob", 0);
    assert_eq!((bystander.level(Feeling::Affinity), bystander.level(Feeling::Fear)), (0, 15));
    let enemy = feelings(&world, "dee", "bob", 0);
    assert_eq!(enemy.level(Feeling::Affinity), 6, "-20 * -60 / 100 * 0.5");
    assert_eq!(feelings(&world, "eve", "bob", 0), Feelings::default());
    assert_eq!(feelings(&world, "ann", "ann", 0), Feelings::default());
    assert_eq!(feelings(&world, "bob", "ann", 0), Feelings::default());

    // After the half-life, half of the change is left.
    let later = feelings(&world, "ann", "bob", 30 * DAY);
    assert!((later.values.fear - 15.0).abs() < 1e-9 && (later.values.affinity + 10.0).abs() < 1e-9);
}

#[test]
fn untrue_deeds_do_not_count_and_debts_are_a_baseline() {
    let mut world = World::new("ann bob");
    let harm = world.relation("bob", "HARMED", "ann", since(0));
    let debt = world.relation("ann", "OWES", "bob", Validity::default());
    world.learn("ann", harm, Some(0));
    world.learn("ann", debt, None);
    let fear = world.relation("bob", "FEARS", "ann", Validity::default());
    ["ann", "bob"].into_iter().for_each(|knower| world.learn(knower, fear, None));
    let frightened = feelings(&world, "bob", "ann", 10);
    assert_eq!((frightened.level(Feeling::Fear), frightened.baseline.fear), (50, 50.0));
    assert_eq!(frightened.strongest_cause(Feeling::Fear).unwrap().fact, fear);
    let before = feelings(&world, "ann", "bob", 10);
    assert_eq!(before.level(Feeling::Fear), 15, "only Bob is afraid");
    assert_eq!((before.level(Feeling::Affinity), before.level(Feeling::Debt)), (-30, 40));
    assert_eq!(before.baseline.debt, 40.0);
    assert_eq!(before.baseline_causes.iter().map(|cause| cause.fact).collect::<Vec<_>>(), [debt]);
    assert_eq!(before.strongest_cause(Feeling::Debt).unwrap().fact, debt);
    let provenance = Provenance::new(Method::Authored, Author::Dm);
    let refutation = Fact::attribute(&id("bob"), "lore", "Bob did not do it.", provenance).unwrap();
    let refutation = refutation.fact_relation(Some(FactRelation::Refutes(harm))).build().unwrap();
    let refutation_id = refutation.id();
    world.apply(vec![Change::AssertFact(refutation.into())]);
    assert_eq!(feelings(&world, "ann", "bob", 10), before, "Ann does not know the refutation");
    world.learn("ann", refutation_id, Some(5));
    let after = feelings(&world, "ann", "bob", 10);
    assert_eq!((after.level(Feeling::Affinity), after.causes.len()), (0, 0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// The feelings equal a naive sum over the facts, and facts that the knower does not know change nothing.
    #[test]
    fn feelings_equal_the_definition(
        deeds in proptest::collection::vec((0..8_usize, 0..4_usize, 0..4_usize, 0..90_i64, any::<bool>()), 0..12),
        now in 0..120_i64,
    ) {
        let people = ["ann", "bob", "cid", "dee"];
        let names = ["HELPED", "HARMED", "INSULTED", "STOLE_FROM", "SAVED", "THREATENED", "LIKES", "HOSTILE_TO"];
        let (mut world, mut hidden) = (World::new("ann bob cid dee"), World::new("ann bob cid dee"));
        let mut known = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for (name, subject, object, day, is_known) in deeds {
            if subject == object || !seen.insert((name, subject, object)) {
                continue;
            }
            let fact = world.relation(people[subject], names[name], people[object], since(day * DAY));
            if is_known {
                world.learn("ann", fact, Some(0));
                hidden.relation(people[subject], names[name], people[object], since(day * DAY));
                hidden.learn("ann", fact, Some(0));
                known.push((names[name], people[subject], people[object], day));
            }
        }
        let attitude = |other: &str| {
            let towards = known.iter().filter(|(_, subject, object, _)| (*subject, *object) == ("ann", other));
            let attitudes = towards.map(|(name, ..)| match *name { "LIKES" => 40.0, "HOSTILE_TO" => -60.0, _ => 0.0 });
            attitudes.fold(0.0, |strongest: f64, other: f64| if other.abs() > strongest.abs() { other } else { strongest })
        };
        for other in ["bob", "cid", "dee"] {
            let found = feelings(&world, "ann", other, now * DAY);
            for feeling in Feeling::ALL {
                let sum: f64 = found.baseline_causes.iter().map(|cause| cause.change.get(feeling)).sum();
                prop_assert!((sum - found.baseline.get(feeling)).abs() < 1e-9, "every value has a cause");
            }
            prop_assert_eq!(&found, &feelings(&hidden, "ann", other, now * DAY));
            let (mut fear, mut affinity) = (0.0, attitude(other));
            for (name, _, object, day) in known.iter().filter(|one| one.1 == other && one.2 != other) {
                let changes = &world.0.vocabulary().behavior(&Predicate::new(name).unwrap()).feelings;
                let decay = 0.5_f64.powf((now - day).max(0) as f64 / 30.0);
                let (share, sympathy) = if *object == "ann" { (1.0, 1.0) } else { (0.5, attitude(object) / 200.0) };
                fear += f64::from(changes.get(Feeling::Fear)) * share * decay;
                affinity += f64::from(changes.get(Feeling::Affinity)) * sympathy * decay;
            }
            prop_assert!((found.values.fear - fear.clamp(-100.0, 100.0)).abs() < 1e-9, "{} {}", found.values.fear, fear);
            let found = found.values.affinity;
            prop_assert!((found - affinity.clamp(-100.0, 100.0)).abs() < 1e-9, "{found} {affinity}");
        }
    }
}
