//! Tests of rumours that change.

use hearsay_model::{Degree, MindRules, Setting, WorldSetting};

use super::*;

fn set_distortion(world: &mut World, distortion: Degree) {
    let minds = MindRules { distortion, ..MindRules::default() };
    world.0.push(Change::Set(Setting::World(WorldSetting::Minds(minds))));
}

/// Returns a village in which everybody knows everybody, with news that can change in several ways.
fn village(distortion: Degree, unknown_facts: bool) -> World {
    let mut world = World::default();
    world.add("ashby", "location");
    (0..20).for_each(|n| world.villager(&format!("p{n}"), "ashby"));
    for n in 0..20 {
        let name = format!("p{n}");
        world.fact(attribute(&name, "kind", "npc").statement(format!("{name} lives here.")), &["ashby"]);
        if n % 3 == 0 {
            world.fact(attribute(&name, "honesty", Value::Number(Number::new(0.0).unwrap())), &[]);
        }
        world.fact(attribute(&name, "talkativeness", Value::Number(Number::new(1.0).unwrap())), &[]);
        if unknown_facts {
            world.fact(attribute(&name, "alias", format!("Hidden {n}")), &[]);
            world.fact(relation(&name, "LIKES", &format!("p{}", (n + 1) % 20)), &[]);
        }
    }
    let lore = |n: usize, text: &str, mention: &str| {
        attribute(&format!("p{n}"), "lore", text).statement(text).mentions([id(mention)])
    };
    world.event(lore(0, "Perhaps p0 owes p5 20 gold, because p5 won at dice.", "p5"), &["p1", "p2"], DAY - 60);
    world.event(lore(3, "p3 met p7 and two strangers in the wood on Marketday.", "p7"), &["p4", "p6"], DAY - 90);
    world.event(relation("p8", "OWES", "p9").statement("p8 owes p9 seven sheep."), &["p10"], DAY - 70);
    set_distortion(&mut world, distortion);
    world
}

fn lively(seed: u64) -> GossipOptions {
    GossipOptions { seed, meetings_per_day: 8.0, ..days(1, 7) }
}

/// Returns the origin of a fact: follows the chain of distorted facts.
fn origin(state: &State, mut id: FactId) -> FactId {
    while let Some(FactRelation::Distorts(original)) = state.fact(id).unwrap().fact_relation() {
        id = original;
    }
    id
}

#[test]
fn rumours_change_in_every_way_and_lead_back_to_their_origin() {
    let world = village(Degree::Strong, false);
    let state = world.state();
    let origins: BTreeSet<FactId> = state.facts().map(|fact| fact.id()).collect();
    let mut kinds = BTreeSet::new();
    for seed in 0..10 {
        let step = gossip(&state, &lively(seed)).unwrap();
        let after = committed(state.clone(), step.changes.clone());
        for distorted in &step.distorted {
            kinds.insert(distorted.kind.as_str());
            let (fact, original) = (&distorted.fact, after.fact(distorted.original).unwrap());
            assert_ne!((fact.statement(), fact.object()), (original.statement(), original.object()));
            assert_eq!(fact.fact_relation(), Some(FactRelation::Distorts(original.id())));
            assert!(origins.contains(&origin(&after, fact.id())));
            // The teller does not lie: it does not notice that it changes what it heard.
            let view = View::new(&after, &Knower::Entity(distorted.teller.clone()), None);
            let version = view.fact(fact.id()).unwrap();
            assert!(!version.is_own_lie() && (version.is_own_version() || !version.is_made_up()));
        }
        let mut versions: BTreeMap<(&EntityId, FactId), FactId> = BTreeMap::new();
        for news in &step.news {
            let fact = after.fact(news.fact).unwrap();
            assert!(
                !untold::is_about(fact, &news.hearer) && !untold::is_about(fact, &news.teller)
                    || news.original.is_none()
            );
            // A character tells the same version of a fact to everybody.
            if let Some(original) = news.original {
                assert_eq!(*versions.entry((&news.teller, original)).or_insert(news.fact), news.fact);
            }
            if let (Some(_), Some(original)) = (news.original, news.original.and_then(|id| after.fact(id))) {
                let names_hearer = |fact: &Fact| fact.entities().any(|id| *id == news.hearer);
                assert!(!names_hearer(fact) || names_hearer(original));
            }
        }
    }
    assert_eq!(kinds.len(), 4, "{kinds:?}");
}

#[test]
fn mild_distortion_is_rarer_and_none_changes_nothing() {
    let count = |distortion| {
        let state = village(distortion, false).state();
        (0..10).map(|seed| gossip(&state, &lively(seed)).unwrap().distorted.len()).sum::<usize>()
    };
    let (mild, strong) = (count(Degree::Mild), count(Degree::Strong));
    assert!(mild > 0 && 2 * mild < strong, "{mild}, {strong}");
    assert_eq!(count(Degree::Off), 0);
}

#[test]
fn facts_that_nobody_knows_change_no_rumour() {
    for seed in 0..10 {
        let [with, without] = [true, false].map(|unknown| village(Degree::Strong, unknown).state());
        let [with, without] = [with, without].map(|state| gossip(&state, &lively(seed)).unwrap());
        assert_eq!(with, without);
    }
}

#[test]
fn the_debunking_of_a_rumour_spreads() {
    let mut world = village(Degree::Strong, false);
    let rumour = world.event(attribute("ashby", "lore", "The well is poisoned."), &["p1"], DAY - 60);
    let refutation =
        attribute("ashby", "lore", "The well is clean.").fact_relation(Some(FactRelation::Refutes(rumour)));
    let refutation = world.event(refutation, &["p2", "p11", "p12"], DAY - 60);
    let state = world.state();
    let step = gossip(&state, &lively(1)).unwrap();
    let hearers: BTreeSet<_> =
        step.news.iter().filter(|news| news.fact == refutation).map(|news| &news.hearer).collect();
    assert!(hearers.len() > 3, "{hearers:?}");
    assert!(step.distorted.iter().all(|distorted| distorted.original != refutation));
    assert!(step.news.iter().all(|news| news.teller != id("p2") || news.fact != rumour));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// A step with distorted rumours equals a sequence of tellings, however the step is divided.
    #[test]
    fn distorted_gossip_is_telling_one_by_one(seed: u64, cut in DAY..7 * DAY, is_random: bool) {
        let mut world = if is_random { random_world(seed) } else { village(Degree::Strong, false) };
        set_distortion(&mut world, Degree::Strong);
        let state = world.state();
        let options = GossipOptions { visits_per_day: 0.3, ..lively(seed) };
        let step = gossip(&state, &options).unwrap();
        prop_assert_eq!(&step, &gossip(&state, &options).unwrap());
        let first = gossip(&state, &GossipOptions { until: GameTime(cut), ..options.clone() }).unwrap();
        let between = committed(state.clone(), first.changes.clone());
        let second = gossip(&between, &GossipOptions { from: GameTime(cut), ..options }).unwrap();
        prop_assert_eq!(&step.changes, &[first.changes, second.changes].concat());
        prop_assert_eq!(&step.news, &[first.news, second.news].concat());
        prop_assert_eq!(&step.distorted, &[first.distorted, second.distorted].concat());

        let mut told = state;
        let mut changes = Vec::new();
        for news in &step.news {
            let time = Some(Date { raw: told.calendar().format(news.when), time: Some(news.when) });
            let occasion = Occasion { time, place: Some(news.place.clone()), session: None };
            let fact = Arc::clone(told.fact(news.original.unwrap_or(news.fact)).unwrap());
            let version = step.distorted.iter().find(|distorted| distorted.fact.id() == news.fact);
            let version = news.original.map(|_| &version.unwrap().fact);
            let telling = Telling { retold: version, ..Telling::new(&news.teller, std::slice::from_ref(&news.hearer), &fact) };
            let learning = tell(&told, &telling, &occasion).unwrap();
            let learned_fact = &learning.learned_facts[0];
            prop_assert_eq!((learned_fact.edge, learned_fact.was_known), (news.edge, news.was_known));
            changes.extend(learning.changes.clone());
            told = committed(told, learning.changes);
        }
        prop_assert_eq!(&step.changes, &changes);
    }
}
