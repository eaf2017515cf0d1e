//! Tests of characters whose place is a secret.

use super::*;

/// Returns a village with ten people, each with news. The last of them hides there, and `knowers` know the place.
fn village(has_hidden: bool, knowers: &[&str]) -> (World, Option<FactId>) {
    let mut world = World::default();
    world.add("ashby", "location");
    world.add("birchley", "location");
    world.fact(relation("ashby", "ROAD_TO", "birchley"), &["ashby"]);
    let count = if has_hidden { 10 } else { 9 };
    for n in 0..count {
        let name = format!("p{n}");
        world.add(&name, "npc");
        world.fact(attribute(&name, "name", name.as_str()), &[&name]);
        world.fact(attribute(&name, "talkativeness", Value::Number(Number::new(1.0).unwrap())), &[]);
        if n < 9 {
            world.fact(relation(&name, "RESIDENT_OF", "ashby"), &[&name, "ashby"]);
        }
        world.event(attribute("birchley", "lore", format!("News {n}.")), &[&name], DAY - 60);
    }
    let place = has_hidden.then(|| {
        let knowers: Vec<&str> = ["p9"].into_iter().chain(knowers.iter().copied()).collect();
        world.fact(relation("p9", "LOCATED_AT", "ashby").secrecy(Secrecy::Secret), &knowers)
    });
    (world, place)
}

fn lively() -> GossipOptions {
    GossipOptions { meetings_per_day: 8.0, ..days(1, 11) }
}

#[test]
fn a_hidden_character_meets_only_those_who_know_its_place() {
    let (world, _) = village(true, &["p0", "p1"]);
    let step = gossip(&world.state(), &lively()).unwrap();
    let hidden = id("p9");
    let partners: BTreeSet<&str> = step
        .news
        .iter()
        .filter(|news| news.teller == hidden || news.hearer == hidden)
        .map(|news| if news.teller == hidden { news.hearer.as_str() } else { news.teller.as_str() })
        .collect();
    assert_eq!(partners, BTreeSet::from(["p0", "p1"]));
    assert!(
        step.news
            .iter()
            .filter(|news| news.hearer == hidden || news.teller == hidden)
            .all(|news| { news.place == id("ashby") })
    );
}

#[test]
fn a_hidden_character_that_nobody_knows_of_changes_no_talk() {
    let [with, without] = [true, false].map(|has_hidden| village(has_hidden, &[]).0.state());
    let [with, without] = [with, without].map(|state| gossip(&state, &lively()).unwrap());
    assert!(with.meetings > 0);
    assert_eq!(with, without);
}

#[test]
fn a_character_without_location_hides_at_a_secret_home() {
    let (mut world, _) = village(false, &[]);
    world.villager("pim", "birchley");
    world.add("quin", "npc");
    world.fact(relation("quin", "RESIDENT_OF", "birchley").secrecy(Secrecy::Secret), &["quin"]);
    let news = world.event(attribute("ashby", "lore", "Seen from the loft."), &["quin"], DAY - 60);
    let explain = GossipOptions { explain: true, visits_per_day: 0.0, ..lively() };
    let step = gossip(&world.state(), &explain).unwrap();
    assert!(step.news.iter().all(|told| ![&told.teller, &told.hearer].contains(&&id("quin"))));
    let untold = step.untold.iter().find(|untold| untold.fact == news).unwrap();
    assert_eq!(untold.reason, UntoldReason::Alone);
}

#[test]
fn two_characters_in_one_hideout_talk_if_they_know_of_each_other() {
    for knows in [true, false] {
        let (mut world, place) = village(true, &[]);
        world.add("pim", "npc");
        world.learn(KnowledgeEdge::authored(id("pim").into(), place.unwrap()));
        let knowers: &[&str] = if knows { &["pim", "p9"] } else { &["pim"] };
        world.fact(relation("pim", "LOCATED_AT", "ashby").secrecy(Secrecy::Secret), knowers);
        let step = gossip(&world.state(), &lively()).unwrap();
        let has_met = step.news.iter().any(|news| news.teller == id("p9") && news.hearer == id("pim"));
        assert_eq!(has_met, knows);
    }
}
