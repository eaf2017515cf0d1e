//! Tests of how facts are learned, passed on, believed and withdrawn.

mod overhear;
mod rumours;

use hearsay_model::{Author, Date, FactRelation, FactStatus, GameTime, Method, Operation, Provenance, Validity};
use proptest::prelude::*;

use super::*;
use crate::{
    AttributionReason, BeliefStatus, RETELLING_FACTOR, Trust, View, derivations, retraction_impact,
    world::{World, ids, knower, occasion_at},
};

fn id(text: &str) -> EntityId {
    crate::world::id(text)
}

fn dm() -> Provenance {
    Provenance::new(Method::Authored, Author::Dm)
}

fn telling<'a>(teller: &'a EntityId, hearers: &'a [EntityId], fact: &'a Arc<Fact>) -> Telling<'a> {
    Telling::new(teller, hearers, fact)
}

impl World {
    fn sees(&mut self, minute: i64, witnesses: &str, fact: &Arc<Fact>) -> Learning {
        let learning = witness(&self.0, std::slice::from_ref(fact), &ids(witnesses), &occasion_at(minute)).unwrap();
        self.commit(learning)
    }

    fn tells(&mut self, minute: i64, teller: &str, hearers: &str, fact: &Arc<Fact>) -> Result<Learning, LearnError> {
        let learning = tell(&self.0, &telling(&id(teller), &ids(hearers), fact), &occasion_at(minute))?;
        Ok(self.commit(learning))
    }

    fn lies(&mut self, minute: i64, teller: &str, hearers: &str, fact: &Arc<Fact>) {
        let (teller, hearers) = (id(teller), ids(hearers));
        let lie = Telling { sincerity: Sincerity::Lie, ..telling(&teller, &hearers, fact) };
        let learning = tell(&self.0, &lie, &occasion_at(minute)).unwrap();
        self.commit(learning);
    }

    fn feels(&mut self, subject: &str, predicate: &str, object: &str, attitude: Option<i64>) {
        let attitude = attitude.map(|a| hearsay_model::Attitude::new(a).unwrap());
        let fact = Fact::relation(&id(subject), predicate, &id(object), dm()).unwrap().attitude(attitude);
        let fact = Arc::new(fact.build().unwrap());
        self.apply(vec![Change::AssertFact(Arc::clone(&fact))]);
        self.learn(subject, fact.id(), None);
    }

    fn is_at(&mut self, knower: &str, place: &str, from: i64, until: Option<i64>) {
        let date = |minute: i64| Date::at(GameTime(minute));
        let validity = Validity { from: Some(date(from)), until: until.map(date) };
        self.relation(knower, "LOCATED_AT", place, validity);
    }
}

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn nobody_notices_a_character_that_hides() {
    let mut world = World::new("ann bob pim crypt fire");
    let location = Fact::relation(&id("pim"), "LOCATED_AT", &id("crypt"), dm()).unwrap();
    let location = Arc::new(location.secrecy(hearsay_model::Secrecy::Secret).build().unwrap());
    world.apply(vec![Change::AssertFact(Arc::clone(&location))]);
    world.learn("bob", location.id(), None);
    let seen = World::saying("fire", "It burned.");
    world.sees(5, "ann bob pim", &seen);
    world.tells(6, "ann", "bob pim", &seen).unwrap();
    let company = |knower: &str| world.view(knower).fact(seen.id()).unwrap().known_edges()[0].edge.co_present.clone();
    assert_eq!(company("ann"), ids("bob"));
    assert_eq!(company("bob"), ids("ann pim"), "Bob knows where Pim hides");
    assert_eq!(company("pim"), ids("ann bob"));
    let view = world.view("ann");
    assert_eq!(view.fact(seen.id()).unwrap().shared()[0].edge.co_present, ids("bob"));
}

#[test]
fn belief_falls_with_each_retelling_and_rises_with_independent_origins() {
    let mut world = World::new("ann bob cid dan eve fire");
    let fact = World::saying("fire", "The mill burned.");
    world.sees(10, "ann", &fact);
    world.tells(20, "ann", "bob", &fact).unwrap();
    world.tells(30, "bob", "cid", &fact).unwrap();
    let credence = |world: &World, knower| world.credence(knower, fact.id()).unwrap();
    assert!(is_close(credence(&world, "ann"), 1.0));
    let retold_once = 0.6 * RETELLING_FACTOR;
    assert!(
        is_close(credence(&world, "bob"), retold_once) && is_close(credence(&world, "cid"), retold_once * retold_once)
    );
    // Dan hears the fact from two tellers who, as far as he knows, are independent.
    world.tells(40, "bob", "dan", &fact).unwrap();
    world.tells(41, "cid", "dan", &fact).unwrap();
    let (from_bob, from_cid) = (retold_once * retold_once, retold_once * retold_once * retold_once);
    assert!(is_close(credence(&world, "dan"), 1.0 - (1.0 - from_bob) * (1.0 - from_cid)));
    // Eve hears that both tellers have the fact from Ann.
    for (minute, teller) in [(50, "bob"), (51, "cid")] {
        let (teller, hearers, ann) = (id(teller), ids("eve"), id("ann"));
        let learning =
            tell(&world.0, &Telling { citing: Some(&ann), ..telling(&teller, &hearers, &fact) }, &occasion_at(minute));
        world.commit(learning.unwrap());
    }
    assert!(is_close(credence(&world, "eve"), from_bob), "one origin is counted once, by its strongest way");
}

#[test]
fn an_echo_of_ones_own_words_proves_nothing() {
    let mut world = World::new("ann bob cid dan fire");
    let fact = World::saying("fire", "The mill burned.");
    world.sees(10, "dan", &fact);
    world.tells(20, "dan", "ann bob", &fact).unwrap();
    let before = world.credence("ann", fact.id());
    world.tells(30, "bob", "ann", &fact).unwrap();
    assert_eq!(world.credence("ann", fact.id()), before, "Bob was there when Ann heard it");
    world.tells(40, "ann", "cid", &fact).unwrap();
    world.tells(50, "cid", "ann", &fact).unwrap();
    assert_eq!(world.credence("ann", fact.id()), before, "Cid has it from Ann");
}

#[test]
fn trust_follows_feeling_and_experience() {
    let mut world = World::new("ann bob cid thing chest crate");
    world.feels("ann", "LIKES", "bob", Some(80));
    world.feels("ann", "TRUSTS", "cid", Some(-100));
    let level = |world: &World, of: &str| Trust::from_view(&world.view("ann"), &id(of)).level().get();
    assert!(is_close(level(&world, "bob"), 0.6 + 0.35 * 0.8) && is_close(level(&world, "cid"), 0.0));
    let place = |object: &str, from: i64| {
        let since = Validity { from: Some(Date::at(GameTime(from))), until: None };
        let fact = Fact::relation(&id("thing"), "LOCATED_AT", &id(object), dm()).unwrap().validity(since);
        Arc::new(fact.build().unwrap())
    };
    // Bob says where the thing is. Ann finds it in another place, where it already was before he spoke.
    let (said, seen, moved) = (place("chest", 5), place("crate", 4), place("crate", 40));
    world.lies(10, "bob", "ann", &said);
    world.sees(45, "ann", &moved);
    assert!(is_close(level(&world, "bob"), 0.88), "it may have been moved since");
    world.sees(50, "ann", &seen);
    assert!(is_close(level(&world, "bob"), 4.0 * 0.88 / 5.0));
    // Ann believes the next statement of Bob less, and more again if it turns out to be true.
    let fact = World::saying("thing", "The thing is cursed.");
    world.sees(55, "bob", &fact);
    world.tells(60, "bob", "ann", &fact).unwrap();
    assert!(is_close(world.credence("ann", fact.id()).unwrap(), 4.0 * 0.88 / 5.0 * RETELLING_FACTOR));
    world.sees(70, "ann", &fact);
    assert!(is_close(level(&world, "bob"), (4.0 * 0.88 + 1.0) / 6.0));
    assert!(is_close(world.credence("ann", fact.id()).unwrap(), 1.0), "what she saw is not moved by talk");
}

#[test]
fn a_lie_begins_with_the_liar() {
    let mut world = World::new("ann bob cid fire");
    let lie = World::saying("fire", "The watch set the fire.");
    world.lies(10, "bob", "ann", &lie);
    assert_eq!(world.credence("bob", lie.id()), Some(0.0));
    world.tells(20, "ann", "cid", &lie).unwrap();
    world.tells(30, "cid", "bob", &lie).unwrap();
    assert_eq!(world.credence("bob", lie.id()), Some(0.0), "a liar does not fall for his own lie");
    let view = world.view("cid");
    let chain = derivations(&world.0, view.fact(lie.id()).unwrap());
    let tellers: Vec<_> = chain[0].origins().iter().map(|link| link.edge.knower.to_string()).collect();
    assert_eq!((chain.len(), tellers), (1, vec!["ann".to_owned()]), "Ann was told, and nothing lies behind it");
}

#[test]
fn a_withdrawal_deactivates_edges_that_depend_on_it_alone() {
    let mut world = World::new("ann bob cid dan fire");
    let fact = World::saying("fire", "The mill burned.");
    let first = world.sees(10, "ann", &fact).learned_facts[0].edge;
    world.sees(11, "bob", &fact);
    world.tells(20, "ann", "cid dan", &fact).unwrap();
    world.tells(30, "bob", "dan", &fact).unwrap();
    let forget = Operation::new(Author::Dm, "forget", vec![Change::Unlearn(first)]);
    let before = world.0.clone();
    world.0.apply(forget).unwrap();
    let impact = retraction_impact(&before, &world.0);
    let mut losers: Vec<_> = impact.lost.iter().map(|edge| edge.knower.to_string()).collect();
    losers.dedup();
    assert_eq!(losers, ["ann", "cid", "dan"], "Dan loses one of his two ways");
    let knows = |knower| world.credence(knower, fact.id()).is_some();
    assert_eq!(["ann", "bob", "cid", "dan"].map(knows), [false, true, false, true]);
}

#[test]
fn a_deduction_becomes_inactive_with_any_of_its_premises() {
    let mut world = World::new("ann bob dirk");
    let facts = ["Dirk was out.", "Dirk owns a boat."].map(|text| World::saying("dirk", text));
    let edges = facts.each_ref().map(|fact| world.sees(10, "ann", fact).learned_facts[0].edge);
    let conclusion = World::saying("dirk", "Dirk rowed to the wreck.");
    let certainty = Credence::new(0.7).unwrap();
    let premises = facts.each_ref().map(|fact| fact.id());
    let deduced = deduce(&world.0, &id("ann"), &conclusion, &premises, certainty, &occasion_at(20)).unwrap();
    world.commit(deduced);
    assert_eq!(world.credence("ann", conclusion.id()), Some(0.7));
    world.apply(vec![Change::Unlearn(edges[1])]);
    assert_eq!(world.credence("ann", conclusion.id()), None);
    let error = deduce(&world.0, &id("bob"), &conclusion, &premises, certainty, &occasion_at(20)).unwrap_err();
    assert!(error.to_string().contains("bob does not know that \u{201C}Dirk was out.\u{201D}"), "{error}");
}

#[test]
fn one_knows_what_others_have_reason_to_know() {
    let mut world = World::new("ann bob cid thing");
    let [seen, told, private] =
        ["The thing glows.", "The thing hums.", "The thing is stolen."].map(|text| World::saying("thing", text));
    world.sees(10, "ann bob", &seen);
    world.sees(11, "ann", &told);
    world.sees(12, "ann", &private);
    world.tells(20, "ann", "bob", &told).unwrap();
    let view = world.view("ann");
    let attributed = view.attributed_facts(&id("bob"));
    let reason = |fact: &Arc<Fact>| attributed.get(&fact.id()).map(|reasons| reasons[0].reason.clone());
    assert_eq!(reason(&seen), Some(AttributionReason::Present));
    assert_eq!(reason(&told), Some(AttributionReason::ToldByMe));
    assert_eq!(reason(&private), None);
    let of_bob = world.view("bob");
    let attributed_to_ann = of_bob.attributed_facts(&id("ann"));
    assert_eq!(attributed_to_ann[&told.id()][0].reason, AttributionReason::ToldMe);
    assert!(world.view("cid").attributed_facts(&id("ann")).is_empty());
}

#[test]
fn presence_follows_places_over_time_and_the_dead_learn_nothing() {
    let mut world = World::new("ann bob cid tavern mill fire");
    for name in ["ann", "bob", "cid"] {
        let kind = Fact::attribute(&id(name), "kind", "npc", dm()).unwrap().build().unwrap();
        world.apply(vec![Change::AssertFact(kind.into())]);
    }
    world.is_at("ann", "tavern", 0, Some(50));
    world.is_at("bob", "tavern", 20, None);
    world.is_at("cid", "tavern", 0, None);
    let dead = Fact::attribute(&id("cid"), "condition", "Dead", dm()).unwrap();
    let since = Validity { from: Some(Date::at(GameTime(30))), until: None };
    world.apply(vec![Change::AssertFact(Arc::new(dead.validity(since).build().unwrap()))]);
    let check = |minute, expected: &str| {
        assert_eq!(crate::characters_at(&world.0, &id("tavern"), Some(GameTime(minute))), ids(expected), "at {minute}");
    };
    check(10, "ann cid");
    check(25, "ann bob cid");
    check(40, "ann bob");
    check(60, "bob");
    let fact = World::saying("fire", "The mill burned.");
    let seen = witness(&world.0, std::slice::from_ref(&fact), &ids("cid"), &occasion_at(40));
    assert_eq!(seen, Err(LearnError::Dead(id("cid"))));
    assert!(witness(&world.0, std::slice::from_ref(&fact), &ids("cid"), &occasion_at(29)).is_ok());
}

#[test]
fn the_victim_of_a_killing_is_dead_from_that_time() {
    let mut world = World::new("ann bob fire");
    let since = Validity { from: Some(Date::at(GameTime(30))), until: None };
    let killing = world.relation("ann", "KILLED", "bob", since);
    let is_dead = |world: &World, name: &str, minute| crate::is_dead(&world.0, &id(name), Some(GameTime(minute)));
    assert!(!is_dead(&world, "bob", 29) && is_dead(&world, "bob", 30) && !is_dead(&world, "ann", 30));
    let seen = witness(&world.0, &[World::saying("fire", "The mill burned.")], &ids("bob"), &occasion_at(40));
    assert_eq!(seen, Err(LearnError::Dead(id("bob"))));
    // The victim learns nothing of its own death.
    let seen = world.0.fact(killing).cloned().unwrap();
    let seen = witness(&world.0, &[seen], &ids("ann bob"), &occasion_at(29)).unwrap();
    let edges = seen.changes.iter().filter_map(Change::edge).filter(|edge| edge.fact == killing);
    let knowers: Vec<Option<EntityId>> = edges.map(|edge| edge.knower.entity().cloned()).collect();
    assert_eq!(knowers, [Some(id("ann"))]);
    world.apply(vec![Change::SetStatus { fact: killing, status: FactStatus::Claimed }]);
    assert!(!is_dead(&world, "bob", 40), "nobody dies because of a claim");
}

#[test]
fn a_character_without_a_location_is_at_its_home() {
    let mut world = World::new("ann bob cid tavern mill");
    for name in ["ann", "bob", "cid"] {
        let kind = Fact::attribute(&id(name), "kind", "npc", dm()).unwrap().build().unwrap();
        world.apply(vec![Change::AssertFact(kind.into())]);
    }
    world.relation("ann", "RESIDENT_OF", "tavern", Validity::default());
    world.relation("bob", "RESIDENT_OF", "tavern", Validity::default());
    world.is_at("bob", "mill", 20, Some(50));
    // A secret home does not count.
    let hideout = Fact::relation(&id("cid"), "RESIDENT_OF", &id("tavern"), dm()).unwrap();
    let hideout = hideout.secrecy(hearsay_model::Secrecy::Secret).build().unwrap();
    world.apply(vec![Change::AssertFact(Arc::new(hideout))]);
    let at = |place: &str, minute| crate::characters_at(&world.0, &id(place), Some(GameTime(minute)));
    assert_eq!((at("tavern", 10), at("mill", 10)), (ids("ann bob"), ids("")));
    assert_eq!((at("tavern", 30), at("mill", 30)), (ids("ann"), ids("bob")));
    assert_eq!((at("tavern", 60), at("mill", 60)), (ids("ann bob"), ids("")));
    let place = |world: &World, name: &str, minute| crate::place_at(&world.0, &id(name), Some(GameTime(minute)));
    let places = ["ann", "bob", "cid"].map(|name| place(&world, name, 30));
    assert_eq!(places, [Some(id("tavern")), Some(id("mill")), None]);
    // A character who left its home is not there until it comes to another place.
    world.is_at("ann", "tavern", 70, Some(70));
    let before =
        |minute| (place(&world, "ann", minute), crate::left_home(&world.0, &id("ann"), Some(GameTime(minute))));
    assert_eq!((before(69).0, before(69).1.is_some()), (Some(id("tavern")), false));
    assert_eq!((before(70).0, before(70).1.is_some()), (None, true));
    world.is_at("ann", "mill", 80, Some(90));
    assert_eq!([75, 85, 95].map(|minute| place(&world, "ann", minute)), [None, Some(id("mill")), Some(id("tavern"))]);
}

#[test]
fn what_is_said_is_heard_and_taken_up() {
    let mut world = World::new("ann bob cid fire");
    let fact = World::saying("fire", "The mill burned.");
    let line = Passage { speaker: Some(id("ann")), ..Passage::new("The mill! It burned!") };
    let heard = say(&world.0, line, std::slice::from_ref(&fact), &ids("ann bob"), Sincerity::Sincere, &occasion_at(10))
        .unwrap();
    world.commit(heard);
    assert_eq!(world.credence("ann", fact.id()), Some(1.0), "the speaker knows it from itself");
    assert!(is_close(world.credence("bob", fact.id()).unwrap(), 0.6 * RETELLING_FACTOR));
    let passages = |knower: &str| world.view(knower).passages().len();
    assert_eq!((passages("ann"), passages("bob"), passages("cid")), (1, 1, 0));
}

#[test]
fn an_end_and_a_refutation_are_learned_like_anything_else() {
    let mut world = World::new("ann bob cid mill");
    let fact = World::saying("mill", "The mill is haunted.");
    world.sees(10, "ann bob cid", &fact);
    let refuted = refutation(&fact, None, dm()).unwrap();
    assert_eq!(refuted.statement(), "It is not true that the mill is haunted.");
    let ended = ending(&fact, Date::at(GameTime(30)), dm()).unwrap();
    world.sees(20, "bob", &refuted);
    world.sees(40, "cid", &ended);
    let status = |name: &str, as_of| {
        let view = View::new(&world.0, &knower(name), as_of);
        let known = view.fact(fact.id()).unwrap();
        view.belief(known).status
    };
    assert_eq!(status("ann", None), BeliefStatus::Believed);
    assert_eq!(status("bob", None), BeliefStatus::Outweighed(refuted.id()));
    assert_eq!(status("bob", Some(GameTime(15))), BeliefStatus::Believed);
    assert_eq!(status("cid", None), BeliefStatus::Ended(ended.id()));
}

#[test]
fn a_refutation_also_counts_against_the_known_versions_of_a_fact() {
    let mut world = World::new("ann bob cid dan eve mill");
    let fact = World::saying("mill", "The mill is haunted.");
    let distort = |fact: &Arc<Fact>, statement: &str| {
        let version = Fact::attribute(&id("mill"), "lore", statement, dm()).unwrap();
        Arc::new(version.fact_relation(Some(FactRelation::Distorts(fact.id()))).build().unwrap())
    };
    let ghosts = distort(&fact, "Six ghosts live in the mill.");
    let army = distort(&ghosts, "An army of ghosts lives in the mill.");
    let denial = refutation(&fact, None, dm()).unwrap();
    world.sees(10, "ann", &fact);
    world.sees(10, "ann dan", &ghosts);
    world.sees(10, "ann", &army);
    for hearer in ["bob", "cid", "eve"] {
        world.tells(20, "ann", hearer, &army).unwrap();
    }
    world.tells(20, "ann", "bob", &ghosts).unwrap();
    world.tells(20, "ann", "eve", &fact).unwrap();
    world.sees(30, "bob cid dan", &denial);
    let status = |name: &str, fact: &Fact| {
        let view = world.view(name);
        view.belief(view.fact(fact.id()).unwrap()).status
    };
    let outweighed = BeliefStatus::Outweighed(denial.id());
    assert_eq!((status("bob", &ghosts), status("bob", &army)), (outweighed, outweighed));
    // Cid does not know the version in between. Dan saw the ghosts. Eve does not know the refutation.
    assert_eq!(status("cid", &army), BeliefStatus::Believed);
    assert_eq!(status("dan", &ghosts), BeliefStatus::Believed);
    assert_eq!((status("eve", &army), status("eve", &fact)), (BeliefStatus::Believed, BeliefStatus::Believed));
    // The refutation of a version is no evidence against the original.
    let denial = refutation(&ghosts, None, dm()).unwrap();
    world.sees(40, "eve", &denial);
    let view = world.view("eve");
    assert_eq!(view.belief(view.fact(fact.id()).unwrap()).status, BeliefStatus::Believed);
}

#[test]
fn talk_does_not_move_what_was_seen_and_weighs_by_how_far_it_is_believed() {
    let mut world = World::new("ann bob cid dan mill");
    let fact = World::saying("mill", "The mill is haunted.");
    let denial = refutation(&fact, None, dm()).unwrap();
    world.sees(10, "ann bob", &fact);
    world.tells(20, "bob", "cid", &fact).unwrap();
    world.lies(30, "dan", "ann cid", &denial);
    let belief = |knower: &str| {
        let view = world.view(knower);
        let belief = view.belief(view.fact(fact.id()).unwrap());
        (belief.status, belief.credence.get())
    };
    assert_eq!(belief("ann"), (BeliefStatus::Believed, 1.0));
    let (told, denied) = (0.6 * RETELLING_FACTOR, 0.6 * RETELLING_FACTOR);
    let (status, credence) = belief("cid");
    assert!(
        status == BeliefStatus::Outweighed(denial.id())
            && is_close(credence, told * (1.0 - denied) / (1.0 - told * denied))
    );
}

#[test]
fn one_mouth_is_one_origin_whomever_it_cites() {
    let mut world = World::new("ann bob cid dan moon");
    let fact = World::saying("moon", "The moon is cheese.");
    for (minute, cited) in [(10, "cid"), (20, "dan"), (30, "ann")] {
        let (teller, hearers, cited) = (id("bob"), ids("ann"), id(cited));
        let lie = Telling { sincerity: Sincerity::Lie, citing: Some(&cited), ..telling(&teller, &hearers, &fact) };
        let learning = tell(&world.0, &lie, &occasion_at(minute)).unwrap();
        world.commit(learning);
        assert!(is_close(world.credence("ann", fact.id()).unwrap(), 0.6 * RETELLING_FACTOR), "citing {cited}");
    }
}

#[test]
fn what_is_read_is_known_since_then() {
    let mut world = World::new("ann letter");
    let passage = Passage { document: Some(id("letter")), time: crate::world::at(5), ..Passage::new("Come at noon.") };
    world.apply(vec![Change::AddPassage(Arc::new(passage))]);
    let learning = read(&world.0, &id("letter"), &ids("ann"), Credence::FULL, &occasion_at(20)).unwrap();
    world.commit(learning);
    let read = |at| View::new(&world.0, &knower("ann"), Some(GameTime(at))).passages().len();
    assert_eq!((read(19), read(20)), (0, 1));
}

#[test]
fn what_a_group_conceals_its_members_do() {
    let mut world = World::new("ann guild fire");
    world.belongs("ann", "MEMBER_OF", "guild", None, None);
    let fact = World::saying("fire", "The guild set the fire.");
    let edge = KnowledgeEdge { conceals: true, ..KnowledgeEdge::authored(knower("guild"), fact.id()) };
    world.apply(vec![Change::AssertFact(Arc::clone(&fact)), Change::Learn(Arc::new(edge))]);
    assert!(world.view("ann").fact(fact.id()).unwrap().conceals());
}

#[test]
fn ranks_open_what_a_group_keeps_for_them() {
    let mut world = World::new("ann bob guild thing");
    let join = |world: &mut World, knower: &str, rank: &str, from: i64, until: Option<i64>| {
        let date = |minute: i64| Date::at(GameTime(minute));
        let fact = Fact::relation(&id(knower), "MEMBER_OF", &id("guild"), dm()).unwrap().rank(Some(rank.into()));
        let fact = fact
            .statement(format!("{knower} is {rank}"))
            .validity(Validity { from: Some(date(from)), until: until.map(date) });
        let fact = Arc::new(fact.build().unwrap());
        world.apply(vec![Change::AssertFact(Arc::clone(&fact))]);
        world.learn(knower, fact.id(), None);
    };
    join(&mut world, "ann", "apprentice", 0, Some(50));
    join(&mut world, "ann", "master", 50, None);
    join(&mut world, "bob", "apprentice", 0, None);
    let ranks = Fact::attribute(&id("guild"), "ranks", "apprentice, journeyman, master", dm()).unwrap();
    let ranks = Arc::new(ranks.build().unwrap());
    world.apply(vec![Change::AssertFact(Arc::clone(&ranks))]);
    world.learn("guild", ranks.id(), None);
    let secret = World::saying("thing", "The thing is ours.");
    let edge = KnowledgeEdge {
        rank: Some("Journeyman".into()),
        learned: Some(Date::at(GameTime(10))),
        ..KnowledgeEdge::authored(knower("guild"), secret.id())
    };
    world.apply(vec![Change::AssertFact(Arc::clone(&secret)), Change::Learn(Arc::new(edge))]);
    let knows = |knower: &str, at| world.knows(knower, secret.id(), Some(at));
    assert!(!knows("bob", 90) && !knows("ann", 49) && knows("ann", 50));
}

#[test]
fn impossible_tellings_are_refused() {
    let mut world = World::new("ann bob sword fire");
    let kind = Fact::attribute(&id("sword"), "kind", "item", dm()).unwrap().build().unwrap();
    world.apply(vec![Change::AssertFact(kind.into())]);
    let fact = World::saying("fire", "The mill burned.");
    let check = |world: &mut World, teller: &str, hearers: &str, expected: &str| {
        let error = world.tells(10, teller, hearers, &fact).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(&mut world, "ann", "bob", "ann does not know that \u{201C}The mill burned.\u{201D}");
    world.sees(5, "ann", &fact);
    check(&mut world, "ann", "ann", "ann cannot tell a fact to itself");
    check(&mut world, "ann", "sword", "sword is not a character");
    check(&mut world, "ann", "", "nobody would learn the fact");
    let rejected = Change::SetStatus { fact: fact.id(), status: FactStatus::Rejected };
    world.apply(vec![rejected]);
    check(&mut world, "ann", "bob", "is rejected");
    assert!(matches!(
        read(&world.0, &id("sword"), &ids("ann"), Credence::FULL, &occasion_at(1)),
        Err(LearnError::NoText(_))
    ));
}

/// A random event in a generated world.
#[derive(Debug, Clone)]
enum GameEvent {
    Sees(u8, u8),
    Tells(u8, u8, u8),
    Lies(u8, u8, u8),
    Concludes(u8, u8, u8),
}

const PEOPLE: [&str; 5] = ["ann", "bob", "cid", "dan", "eve"];

fn person(n: u8) -> &'static str {
    PEOPLE[usize::from(n) % PEOPLE.len()]
}

/// Returns one of several facts, some of which contradict each other.
fn varied_fact(n: u8) -> Arc<Fact> {
    match n % 6 {
        0..3 => World::saying("thing", &format!("Saying {}.", n % 6)),
        n => {
            let fact = Fact::relation(&id("thing"), "LOCATED_AT", &id(PEOPLE[usize::from(n) - 3]), dm()).unwrap();
            Arc::new(fact.build().unwrap())
        }
    }
}

fn game_event() -> impl Strategy<Value = GameEvent> {
    let n = any::<u8>;
    prop_oneof![
        (n(), n()).prop_map(|(a, b)| GameEvent::Sees(a, b)),
        (n(), n(), n()).prop_map(|(a, b, c)| GameEvent::Tells(a, b, c)),
        (n(), n(), n()).prop_map(|(a, b, c)| GameEvent::Tells(a, b, c)),
        (n(), n(), n()).prop_map(|(a, b, c)| GameEvent::Lies(a, b, c)),
        (n(), n(), n()).prop_map(|(a, b, c)| GameEvent::Concludes(a, b, c)),
    ]
}

/// Performs a random event at a minute, if the event is possible. Returns the edges of knowers who learned a new fact
/// without a teller.
fn perform(world: &mut World, minute: i64, game_event: &GameEvent) -> Vec<KnowledgeId> {
    let learning = match *game_event {
        GameEvent::Sees(knower, fact_number) => {
            let co_present = format!("{} {}", person(knower), person(knower / 5));
            witness(&world.0, &[varied_fact(fact_number)], &ids(&co_present), &occasion_at(minute))
        }
        GameEvent::Tells(knower, hearer, fact_number) | GameEvent::Lies(knower, hearer, fact_number) => {
            let (teller, hearers, fact) = (id(person(knower)), ids(person(hearer)), varied_fact(fact_number));
            let sincerity = Sincerity::from_lie_mark(matches!(game_event, GameEvent::Lies(..)));
            tell(&world.0, &Telling { sincerity, ..telling(&teller, &hearers, &fact) }, &occasion_at(minute))
        }
        GameEvent::Concludes(knower, a, b) => {
            let (from, to) = (varied_fact(a), varied_fact(b));
            deduce(&world.0, &id(person(knower)), &to, &[from.id()], Credence::FULL, &occasion_at(minute))
        }
    };
    let Ok(learning) = learning else { return Vec::new() };
    world.commit(learning).learned_facts.into_iter().map(|learned_fact| learned_fact.edge).collect()
}

fn world_with_attitudes() -> World {
    let mut world = World::new(&format!("{} thing", PEOPLE.join(" ")));
    world.feels("ann", "LIKES", "bob", Some(70));
    world.feels("cid", "HOSTILE_TO", "bob", None);
    world
}

/// Returns each knower with its credence and number of edges.
fn knowledge_of_all(world: &World, as_of: Option<GameTime>) -> Vec<(String, FactId, String, usize)> {
    let mut knowledge = Vec::new();
    for person in PEOPLE {
        let view = View::new(&world.0, &knower(person), as_of);
        for known in view.facts() {
            // Rounding depends on the order of ids, which depend on the justifications of the edges.
            let credence = format!("{:.9}", known.credence().get());
            knowledge.push((person.to_owned(), known.id(), credence, known.known_edges().len()));
        }
    }
    knowledge
}

proptest! {
    #[test]
    fn withdrawing_an_origin_equals_never_having_seen_it(
        first in (any::<u8>(), any::<u8>()),
        mut game_events in prop::collection::vec(game_event(), 1..40),
        which: prop::sample::Index,
    ) {
        game_events.insert(0, GameEvent::Sees(first.0, first.1));
        let seen: Vec<usize> =
            game_events.iter().enumerate().filter(|(_, h)| matches!(h, GameEvent::Sees(..))).map(|(n, _)| n).collect();
        let origin = seen[which.index(seen.len())];
        let (mut world, mut never) = (world_with_attitudes(), world_with_attitudes());
        let mut edges = Vec::new();
        for (minute, game_event) in game_events.iter().enumerate() {
            let learned = perform(&mut world, minute as i64, game_event);
            if minute == origin {
                edges = learned;
            } else {
                perform(&mut never, minute as i64, game_event);
            }
        }
        world.apply(edges.into_iter().map(Change::Unlearn).collect());
        prop_assert_eq!(knowledge_of_all(&world, None), knowledge_of_all(&never, None));
    }

    #[test]
    fn as_of_equals_replaying_the_journal_to_that_point(
        game_events in prop::collection::vec(game_event(), 1..40),
        cut: prop::sample::Index,
    ) {
        let cut = cut.index(game_events.len());
        let (mut world, mut then) = (world_with_attitudes(), None);
        for (minute, game_event) in game_events.iter().enumerate() {
            perform(&mut world, minute as i64, game_event);
            if minute == cut {
                then = Some(world.0.position());
            }
        }
        let replayed = World(world.0.at(then.unwrap()).unwrap());
        prop_assert_eq!(knowledge_of_all(&world, Some(GameTime(cut as i64))), knowledge_of_all(&replayed, None));
    }
}
