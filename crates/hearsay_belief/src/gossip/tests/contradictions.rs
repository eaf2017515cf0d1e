//! Tests of tellers who know that a fact is false.

use super::*;

/// Adds a fact that others told `p0` on the last day before the step.
fn heard(world: &mut World, fact: FactBuilder) -> FactId {
    let fact = world.fact(fact, &[]);
    let edge = KnowledgeEdge::authored(id("p0").into(), fact);
    let credence = Credence::new(0.8).unwrap();
    world.learn(KnowledgeEdge {
        acquisition: Acquisition::told(Some(id("p9"))),
        learned: at(DAY - 50),
        credence,
        ..edge
    });
    fact
}

/// Returns whether `p0` tells a fact. If not, checks that the reason is doubt.
fn is_told(world: &World, fact: FactId) -> bool {
    let step = gossip(&world.state(), &lively_days(1, 11)).unwrap();
    match step.untold.iter().find(|untold| untold.fact == fact) {
        Some(untold) => {
            assert_eq!(untold.reason, UntoldReason::Doubted);
            false
        }
        None => step.news.iter().any(|news| news.fact == fact && news.teller == id("p0")),
    }
}

#[test]
fn an_eyewitness_does_not_repeat_a_lie_about_what_it_saw() {
    for (lie, truth) in [
        (relation("p5", "EMPLOYED_BY", "p6"), relation("p5", "EMPLOYED_BY", "p7")),
        (attribute("p5", "condition", "dead"), attribute("p5", "condition", "well")),
        (relation("p5", "ALLIED_WITH", "p6"), relation("p5", "HOSTILE_TO", "p6")),
    ] {
        let mut world = talkative_village();
        let lie = heard(&mut world, lie);
        assert!(is_told(&world, lie), "a rumour is told");
        let truth = world.event(truth, &["p0"], DAY - 60);
        assert!(!is_told(&world, lie));
        assert!(is_told(&world, truth));
    }
}

#[test]
fn who_only_heard_of_the_truth_passes_on_the_rumour_that_it_believes_more() {
    let mut world = talkative_village();
    let rumour = heard(&mut world, relation("p5", "EMPLOYED_BY", "p6"));
    let other = world.fact(relation("p5", "EMPLOYED_BY", "p7"), &[]);
    let edge = KnowledgeEdge::authored(id("p0").into(), other);
    let credence = Credence::new(0.6).unwrap();
    world.learn(KnowledgeEdge { acquisition: Acquisition::told(None), learned: at(DAY - 60), credence, ..edge });
    assert!(is_told(&world, rumour));
    assert!(!is_told(&world, other));
}

#[test]
fn a_later_value_is_news_even_for_witnesses_of_the_earlier_value() {
    let mut world = talkative_village();
    let since = |time| Validity { from: at(time), until: None };
    world.event(attribute("p5", "condition", "wounded").validity(since(DAY - 300)), &["p0"], DAY - 300);
    let died = heard(&mut world, attribute("p5", "condition", "dead").validity(since(DAY - 100)));
    assert!(is_told(&world, died));
}

#[test]
fn a_denial_of_what_the_teller_saw_is_not_repeated() {
    let mut world = talkative_village();
    let seen = world.event(attribute("ashby", "lore", "The mill burned."), &["p0"], DAY - 60);
    let denial = attribute("ashby", "lore", "The mill did not burn.");
    let denial = heard(&mut world, denial.fact_relation(Some(FactRelation::Refutes(seen))));
    assert!(!is_told(&world, denial));
    assert!(is_told(&world, seen));
}

#[test]
fn who_saw_the_truth_does_not_repeat_the_lie_that_hides_it() {
    let mut world = talkative_village();
    let truth = world.event(attribute("ashby", "lore", "Ada burned the mill."), &["p0"], DAY - 60);
    let lie = attribute("ashby", "lore", "Lightning struck the mill.");
    let lie = heard(&mut world, lie.contradicts([truth]));
    assert!(!is_told(&world, lie));
    assert!(is_told(&world, truth));
}
