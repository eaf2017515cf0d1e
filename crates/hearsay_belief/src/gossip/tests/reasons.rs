//! Tests of the reasons why nobody tells a fact.

use super::*;

/// Returns a world with a mill, where Ada and Ben live, and a quay, where Cy lives. All three know each other by name.
fn mill() -> World {
    let mut world = World::default();
    ["mill", "quay"].iter().for_each(|place| world.add(place, "location"));
    [("ada", "mill"), ("ben", "mill"), ("cy", "quay")].iter().for_each(|(name, home)| world.villager(name, home));
    world.fact(attribute("cy", "name", "Cy"), &["mill"]);
    world
}

fn lore() -> FactBuilder {
    attribute("mill", "lore", "The wheel of the mill broke.")
}

fn explained(world: &World, options: GossipOptions) -> GossipStep {
    gossip(&world.state(), &GossipOptions { explain: true, ..options }).unwrap()
}

fn untold(world: &World, fact: FactId, options: GossipOptions) -> Untold {
    let step = explained(world, options);
    let untold = step.untold.iter().find(|untold| untold.fact == fact);
    untold.unwrap_or_else(|| panic!("the fact is told: {:?}", step.news)).clone()
}

/// Checks why a fact is not told within ten days.
fn check(world: &World, fact: FactId, expected: UntoldReason) {
    assert_eq!(untold(world, fact, days(1, 11)).reason, expected);
}

#[test]
fn news_that_spreads_needs_no_reason() {
    let mut world = mill();
    world.fact(attribute("ada", "talkativeness", Value::Number(Number::new(1.0).unwrap())), &[]);
    let news = world.event(lore(), &["ada"], DAY - 60);
    let lively = GossipOptions { meetings_per_day: 8.0, ..days(1, 11) };
    let step = explained(&world, lively.clone());
    assert_eq!(step.news.first().map(|told| told.fact), Some(news), "{:?}", step.untold);
    assert!(step.untold.iter().all(|untold| untold.fact != news));
    let GossipStep { untold, .. } = gossip(&world.state(), &lively).unwrap();
    assert_eq!(untold, [], "reasons are given only on request");
}

#[test]
fn nobody_may_tell_what_is_secret_private_or_concealed() {
    let mut world = mill();
    let secret = world.event(lore().secrecy(Secrecy::Secret), &["ada"], DAY - 60);
    let private = world.event(attribute("ada", "goals", "Leave the mill."), &["ada"], DAY - 60);
    let concealed = world.fact(attribute("mill", "lore", "The miller cheats."), &[]);
    let edge = KnowledgeEdge::authored(id("ada").into(), concealed);
    world.learn(KnowledgeEdge { conceals: true, learned: at(DAY - 60), ..edge });
    for (fact, expected) in
        [(secret, UntoldReason::Secret), (private, UntoldReason::Private), (concealed, UntoldReason::Concealed)]
    {
        check(&world, fact, expected);
    }
    // Another knower who does not conceal the fact tells it.
    let edge = KnowledgeEdge::authored(id("ben").into(), concealed);
    world.learn(KnowledgeEdge { learned: at(DAY - 60), ..edge });
    check(&world, concealed, UntoldReason::HearersKnow);
}

#[test]
fn nobody_tells_of_its_own_harmful_deed() {
    let mut world = mill();
    let theft = world.event(relation("ada", "STOLE_FROM", "cy"), &["ada"], DAY - 60);
    check(&world, theft, UntoldReason::OwnDeed);
    // A witness would tell it, but meets only the thief.
    let edge = KnowledgeEdge::authored(id("ben").into(), theft);
    world.learn(KnowledgeEdge { acquisition: Acquisition::Witnessed, learned: at(DAY - 60), ..edge });
    check(&world, theft, UntoldReason::AboutHearer);
}

#[test]
fn old_and_undated_facts_are_no_news() {
    for (learned, expected) in [
        (None, UntoldReason::NoDate),
        (at(-100 * DAY), UntoldReason::TooOld),
        (at(100 * DAY), UntoldReason::NotYetLearned),
    ] {
        let mut world = mill();
        let fact = world.fact(lore(), &[]);
        world.learn(KnowledgeEdge { learned, ..KnowledgeEdge::authored(id("ada").into(), fact) });
        check(&world, fact, expected);
    }
}

#[test]
fn a_rumour_without_a_date_is_news_and_what_anybody_sees_is_not() {
    let mut world = mill();
    world.fact(attribute("ada", "talkativeness", Value::Number(Number::new(1.0).unwrap())), &[]);
    let rumour = world.fact(lore(), &[]);
    let heard = KnowledgeEdge::authored(id("ada").into(), rumour);
    world.learn(KnowledgeEdge { acquisition: Acquisition::told(None), ..heard });
    let about_ben = world.event(attribute("mill", "lore", "Ben cheats.").mentions([id("ben")]), &["ada"], DAY - 60);
    let trade = world.event(attribute("cy", "occupation", "fisher"), &["ada"], DAY - 60);
    let step = explained(&world, GossipOptions { meetings_per_day: 8.0, ..days(1, 11) });
    let told: Vec<FactId> = step.news.iter().map(|news| news.fact).collect();
    assert!(told.contains(&rumour) && !told.contains(&trade), "{:?}", step.news);
    let hears_of_itself = |news: &&News| news.fact == about_ben && news.hearer == id("ben");
    assert_eq!(step.news.iter().find(hears_of_itself), None);
    assert!(step.untold.iter().all(|untold| untold.fact != trade), "{:?}", step.untold);
}

#[test]
fn some_rumours_have_no_teller() {
    let mut world = mill();
    world.villager("hero", "mill");
    world.fact(attribute("hero", "kind", "player"), &["hero"]);
    let of_player = world.event(lore(), &["hero"], DAY - 60);
    check(&world, of_player, UntoldReason::NoTeller);
    assert_eq!(untold(&world, of_player, days(1, 11)).knowers, []);

    let mut world = mill();
    let of_dead = world.event(lore(), &["ada"], DAY - 60);
    world.fact(attribute("ada", "condition", "dead"), &[]);
    check(&world, of_dead, UntoldReason::NoTeller);

    let mut world = mill();
    world.fact(attribute("ada", "talkativeness", Value::Number(Number::new(0.0).unwrap())), &[]);
    let of_silent = world.event(lore(), &["ada"], DAY - 60);
    check(&world, of_silent, UntoldReason::Silent);

    let mut world = mill();
    let doubted = world.fact(lore(), &[]);
    let edge = KnowledgeEdge::authored(id("ada").into(), doubted);
    world.learn(KnowledgeEdge { credence: Credence::NONE, learned: at(DAY - 60), ..edge });
    check(&world, doubted, UntoldReason::Doubted);
}

#[test]
fn who_meets_nobody_tells_nobody() {
    let mut world = mill();
    world.add("dee", "npc");
    let of_lost = world.event(lore(), &["dee"], DAY - 60);
    check(&world, of_lost, UntoldReason::NoPlace);
    let of_lonely = world.event(attribute("quay", "lore", "The quay sinks."), &["cy"], DAY - 60);
    let step = untold(&world, of_lonely, days(1, 11));
    assert_eq!((step.reason, &step.knowers[..]), (UntoldReason::Alone, &[id("cy")][..]));
    let of_unlucky = world.event(attribute("mill", "lore", "The sails tore."), &["ada"], DAY - 60);
    let rare = GossipOptions { meetings_per_day: 0.0, ..days(1, 2) };
    assert_eq!(untold(&world, of_unlucky, rare).reason, UntoldReason::NoMeeting);
    // Once another character lives at the quay, the same fact spreads.
    world.villager("eve", "quay");
    assert!(explained(&world, days(1, 11)).news.iter().any(|news| news.fact == of_lonely));
}

#[test]
fn listeners_are_told_no_fact_that_is_about_them_or_that_they_know() {
    let mut world = mill();
    let about_ben = world.event(attribute("ben", "lore", "Ben snores."), &["ada"], DAY - 60);
    check(&world, about_ben, UntoldReason::AboutHearer);
    let of_both = world.event(lore(), &["ada", "ben"], DAY - 60);
    check(&world, of_both, UntoldReason::HearersKnow);
    let of_all = world.event(attribute("mill", "lore", "The sails tore."), &["ada", "ben", "cy"], DAY - 60);
    check(&world, of_all, UntoldReason::EverybodyKnows);
    let common = world.event(attribute("mill", "lore", "It is old."), &["*", "ada"], DAY - 60);
    check(&world, common, UntoldReason::EverybodyKnows);
}

#[test]
fn a_low_probability_is_named_with_its_amount() {
    let mut world = mill();
    world.fact(attribute("ada", "talkativeness", Value::Number(Number::new(0.001).unwrap())), &[]);
    let interesting = world.event(attribute("cy", "lore", "Cy found a boat."), &["ada"], DAY - 60);
    let dull = world.event(lore(), &["ada"], DAY - 60);
    for (fact, expected, limit) in [
        (interesting, UntoldReason::LowProbability, 0.001),
        (dull, UntoldReason::LittleInterest, 0.001 * INTEREST_IN_UNKNOWN),
    ] {
        let untold = untold(&world, fact, days(1, 11));
        assert_eq!(untold.reason, expected);
        assert!(untold.chances > 5 && (limit / 10.0..limit).contains(&untold.max_probability), "{untold:?}");
    }
    let curt = GossipOptions { facts_per_meeting: 0, ..days(1, 11) };
    assert_eq!(untold(&world, dull, curt).reason, UntoldReason::OtherNewsFirst);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    /// Reasons change nothing about the gossip, and no fact is both told and untold.
    #[test]
    fn reasons_do_not_change_gossip(seed: u64) {
        let world = random_world(seed);
        let options = GossipOptions { seed, meetings_per_day: 8.0, visits_per_day: 0.3, ..days(0, 8) };
        let (plain, explained) = (gossip(&world.state(), &options).unwrap(), explained(&world, options));
        prop_assert_eq!(&plain.changes, &explained.changes);
        prop_assert_eq!(&plain.news, &explained.news);
        let told: BTreeSet<_> = explained.news.iter().map(|news| news.fact).collect();
        prop_assert!(explained.untold.iter().all(|untold| !told.contains(&untold.fact)));
        prop_assert!(explained.untold.is_sorted_by_key(|untold| std::cmp::Reverse(untold.reason)));
    }
}

#[test]
fn a_faded_fact_is_not_told() {
    let mut world = mill();
    world.fact(attribute("ada", "talkativeness", Value::Number(Number::new(1.0).unwrap())), &[]);
    let rumour = world.fact(lore(), &[]);
    let edge = KnowledgeEdge::authored(id("ada").into(), rumour);
    world.learn(KnowledgeEdge { acquisition: Acquisition::told(None), learned: at(-30 * DAY), ..edge });
    let seen = world.event(attribute("mill", "lore", "The sails tore."), &["ada"], -30 * DAY);
    let lively = GossipOptions { meetings_per_day: 8.0, news_days: 100, ..days(1, 6) };
    let told =
        |world: &World| -> Vec<FactId> { explained(world, lively.clone()).news.iter().map(|news| news.fact).collect() };
    assert!(told(&world).contains(&rumour) && told(&world).contains(&seen));
    world.forget(Degree::Strong);
    assert_eq!(untold(&world, rumour, lively.clone()).reason, UntoldReason::Faded);
    assert!(told(&world).contains(&seen), "witnesses remember a fact longer");
}
