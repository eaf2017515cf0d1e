use hearsay_commands::{
    policy::{Policy, ReviewMode},
    proposal::{Proposal, ProposalCounts},
    review::Decision,
};
use hearsay_engine::{Memory, MemoryOptions, Settings};
use hearsay_model::{Acquisition, Author, Confidence, FactStatus, GameTime, Knower, Object};

use crate::support::*;

fn confidence(value: f64) -> Confidence {
    Confidence::new(value).unwrap()
}

fn owes(object: &str, sure: f64) -> Proposal {
    Proposal { confidence: confidence(sure), ..Proposal::new(id("pell"), predicate("OWES"), entity(object)) }
}

fn said_by(speaker: &str, proposal: Proposal) -> Proposal {
    Proposal { speaker: Some(id(speaker)), ..proposal }
}

fn at(place: &str) -> Proposal {
    Proposal::new(id("pell"), predicate("LOCATED_AT"), entity(place))
}

fn propose(memory: &Memory, author: Author, proposals: Vec<Proposal>) -> ProposalCounts {
    memory.propose(author, proposals).unwrap().wait().unwrap()
}

fn autonomous() -> Memory {
    let policy = Policy { mode: ReviewMode::Autonomous, ..Policy::default() };
    let memory = Memory::open(MemoryOptions { settings: Settings { policy, ..settings() }, ..options() }).unwrap();
    found_town(&memory);
    memory
}

#[test]
fn confidence_and_voice_decide_the_status() {
    let check = |memory: &Memory, proposal: Proposal, expected: Option<FactStatus>| {
        let counts = propose(memory, Author::Extractor, vec![proposal]);
        let found = facts(memory, "pell", "OWES").first().map(|fact| fact.status());
        assert_eq!(found, expected, "{counts:?}");
        assert_eq!(counts.canon, usize::from(expected == Some(FactStatus::Canon)));
        assert_eq!(counts.claimed, usize::from(expected == Some(FactStatus::Claimed)));
        assert_eq!(counts.waiting, usize::from(expected == Some(FactStatus::Proposed)));
        assert_eq!(counts.dropped, usize::from(expected.is_none()));
    };
    let says = |sure| said_by("odo-brandt", owes("mirela-voss", sure));
    check(&town(), owes("mirela-voss", 0.7), Some(FactStatus::Canon));
    check(&town(), says(0.9), Some(FactStatus::Claimed));
    check(&town(), owes("mirela-voss", 0.6), Some(FactStatus::Proposed));
    check(&town(), says(0.3), Some(FactStatus::Proposed));
    check(&town(), owes("mirela-voss", 0.2), None);
    check(&autonomous(), owes("mirela-voss", 0.6), Some(FactStatus::Claimed));
    check(&autonomous(), says(0.2), None);
}

#[test]
fn dropped_proposals_are_counted() {
    let memory = town();
    let before = state(&memory).position();
    propose(&memory, Author::Extractor, vec![owes("mirela-voss", 0.1), owes("the-guild", 0.2)]);
    assert_eq!(state(&memory).position(), before, "nothing is written");
    propose(&memory, Author::Extractor, vec![owes("mirela-voss", 0.1), owes("the-guild", 0.9)]);
    let status = memory.status().unwrap().wait().unwrap();
    assert_eq!((status.dropped_proposals, status.reviews), (3, 0));
}

#[test]
fn speakers_and_hearers_know_a_stated_fact() {
    let memory = town();
    let heard_by = vec![Knower::Entity(id("pell")), Knower::Entity(id("odo-brandt"))];
    let proposal = Proposal { heard_by, ..said_by("odo-brandt", owes("mirela-voss", 0.8)) };
    propose(&memory, Author::Extractor, vec![proposal]);
    let owes = fact(&memory, "pell", "OWES");
    // Odo has two edges: he knows the fact, and he told Pell.
    assert_eq!(known_by(&memory, &owes), ["odo-brandt", "odo-brandt", "pell"]);
    let state = state(&memory);
    let edge = state.known_by(owes.id()).find(|edge| edge.knower == Knower::Entity(id("pell"))).unwrap();
    assert_eq!(edge.acquisition, Acquisition::told(Some(id("odo-brandt"))));
    // If a proposal has no speaker, the audience rules decide who knows the fact.
    propose(&memory, Author::Game, vec![at("harbour")]);
    let location = facts(&memory, "pell", "LOCATED_AT").into_iter().find(|fact| *fact.object() == entity("harbour"));
    assert_eq!(known_by(&memory, &location.unwrap()), ["harbour", "pell", "the-gull"]);
}

#[test]
fn nobody_knows_a_proposed_fact_before_it_is_accepted() {
    let memory = town();
    let heard_by = vec![Knower::Entity(id("mirela-voss"))];
    propose(&memory, Author::Extractor, vec![Proposal { heard_by, ..owes("mirela-voss", 0.5) }]);
    let owes = fact(&memory, "pell", "OWES");
    assert!(known_by(&memory, &owes).is_empty() && !knows(&memory, "mirela-voss", owes.statement()));
    assert_eq!(hearsay_query::facts::recorded_edges(&state(&memory), owes.id()).len(), 1);
    memory.decide(owes.id(), Decision::Accept).unwrap().wait().unwrap();
    assert!(knows(&memory, "mirela-voss", owes.statement()));
}

#[test]
fn in_a_game_without_a_dm_doubt_is_credence() {
    let memory = autonomous();
    propose(&memory, Author::Extractor, vec![said_by("odo-brandt", owes("mirela-voss", 0.5))]);
    let owes = fact(&memory, "pell", "OWES");
    let state = state(&memory);
    let credence = state.known_by(owes.id()).next().unwrap().credence;
    assert_eq!((owes.status(), credence.get()), (FactStatus::Claimed, 0.5));
    assert_eq!(memory.status().unwrap().wait().unwrap().reviews, 0);
}

#[test]
fn rejected_facts_are_not_proposed_again() {
    let memory = town();
    propose(&memory, Author::Extractor, vec![owes("mirela-voss", 0.5)]);
    let id = fact(&memory, "pell", "OWES").id();
    memory.decide(id, Decision::Reject).unwrap().wait().unwrap();
    let before = state(&memory).position();
    for sure in [0.5, 0.9] {
        let counts = propose(&memory, Author::Extractor, vec![owes("mirela-voss", sure)]);
        assert_eq!(counts, ProposalCounts { rejected_before: 1, ..ProposalCounts::default() });
    }
    assert_eq!(state(&memory).position(), before);
    assert_eq!(fact(&memory, "pell", "OWES").status(), FactStatus::Rejected);
}

#[test]
fn one_fact_twice_in_a_batch_is_one_fact_and_the_surer_counts() {
    let check = |proposals: Vec<Proposal>, expected: FactStatus| {
        let memory = town();
        let counts = propose(&memory, Author::Extractor, proposals);
        assert_eq!(fact(&memory, "pell", "OWES").status(), expected, "{counts:?}");
    };
    check(vec![owes("mirela-voss", 0.9), owes("mirela-voss", 0.5)], FactStatus::Canon);
    check(vec![owes("mirela-voss", 0.5), owes("mirela-voss", 0.9)], FactStatus::Canon);
    check(vec![owes("mirela-voss", 0.4), owes("mirela-voss", 0.5)], FactStatus::Proposed);
    // Proposals in several batches have the same result as in one batch.
    let memory = town();
    propose(&memory, Author::Extractor, vec![owes("mirela-voss", 0.5)]);
    let counts = propose(&memory, Author::Extractor, vec![owes("mirela-voss", 0.6)]);
    assert_eq!(counts, ProposalCounts { known: 1, ..ProposalCounts::default() });
    let counts = propose(&memory, Author::Extractor, vec![owes("mirela-voss", 0.9)]);
    assert_eq!(counts, ProposalCounts { canon: 1, ..ProposalCounts::default() });
    assert_eq!(fact(&memory, "pell", "OWES").status(), FactStatus::Canon);
}

#[test]
fn a_repeated_proposal_does_not_overrule_the_dm() {
    let memory = town();
    propose(&memory, Author::Extractor, vec![owes("mirela-voss", 0.9)]);
    let id = fact(&memory, "pell", "OWES").id();
    memory.decide(id, Decision::False).unwrap().wait().unwrap();
    let counts = propose(&memory, Author::Extractor, vec![owes("mirela-voss", 0.9)]);
    assert_eq!(counts.known, 1);
    assert_eq!(fact(&memory, "pell", "OWES").status(), FactStatus::False);
}

#[test]
fn proposals_without_a_known_entity_change_nothing() {
    let memory = town();
    let check = |proposal: Proposal, words: &[&str]| {
        let proposals = vec![owes("mirela-voss", 0.9), proposal];
        refused(&memory, |memory| memory.propose(Author::Extractor, proposals).unwrap().wait(), words);
    };
    check(owes("nobody", 0.9), &["there is no entity `nobody`"]);
    check(said_by("nobody", owes("the-guild", 0.9)), &["there is no entity `nobody`"]);
    let heard_by = vec![Knower::Entity(id("nobody"))];
    check(Proposal { heard_by, ..owes("the-guild", 0.9) }, &["there is no entity `nobody`"]);
    let session = Some(hearsay_model::SessionId::new("s9").unwrap());
    check(Proposal { session, ..owes("the-guild", 0.9) }, &["there is no session `s9`"]);
    let value = Object::Value("much".into());
    check(Proposal::new(id("pell"), predicate("OWES"), value), &["the object of OWES must be an entity"]);
}

#[test]
fn the_game_moves_somebody_to_and_fro() {
    let memory = town();
    let step = |minute: i64, places: &[&str]| {
        set_clock(&memory, minute);
        propose(&memory, Author::Game, places.iter().map(|place| at(place)).collect());
        let state = state(&memory);
        let now: Vec<_> = state.values(&id("pell"), &predicate("LOCATED_AT"));
        assert_eq!(now.len(), 1, "{now:?}");
        assert_eq!(now[0].object(), &entity(places.last().unwrap()));
    };
    step(DAY, &["harbour"]);
    step(2 * DAY, &["the-gull"]);
    step(3 * DAY, &["harbour"]);
    step(3 * DAY, &["the-gull"]);
    step(3 * DAY, &["harbour"]);
    step(4 * DAY, &["the-gull", "harbour", "the-gull"]);
    step(4 * DAY, &["the-gull"]);
    assert_eq!(memory.status().unwrap().wait().unwrap().reviews, 0);
    // Without a game clock, a new place also ends the old place.
    let memory = town();
    for place in ["harbour", "the-gull", "harbour", "harbour", "the-gull"] {
        propose(&memory, Author::Game, vec![at(place)]);
        let state = state(&memory);
        let now = state.values(&id("pell"), &predicate("LOCATED_AT"));
        assert_eq!(now.iter().map(|fact| fact.object()).collect::<Vec<_>>(), [&entity(place)]);
    }
}

#[test]
fn notes_do_not_end_canon_facts() {
    let memory = town();
    let counts = propose(&memory, Author::Extractor, vec![at("harbour")]);
    assert_eq!((counts.canon, counts.waiting), (0, 1));
    assert_eq!(course(&memory, "pell", "LOCATED_AT"), ["harbour ..", "the-gull .."]);
    assert_eq!(with_status(&memory, FactStatus::Proposed), ["Pell is at Harbour."]);
    // A fact whose validity does not overlap with canon is recorded.
    let memory = town();
    set_clock(&memory, 5 * DAY);
    propose(&memory, Author::Game, vec![at("harbour")]);
    let mut earlier = at("the-gull");
    earlier.validity.from = Some(hearsay_model::Date::at(GameTime(DAY)));
    earlier.validity.until = Some(hearsay_model::Date::at(GameTime(2 * DAY)));
    assert_eq!(propose(&memory, Author::Extractor, vec![earlier]).canon, 1);
}
