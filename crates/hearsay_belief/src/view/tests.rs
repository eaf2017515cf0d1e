//! Tests of the ways in which a knower learns facts, and of the limits of its knowledge.

use std::rc::Rc;

use hearsay_model::{Acquisition, Change, Credence, Date, FactStatus, Key, KnowledgeEdge, TalkKind, Validity};

use super::*;
use crate::world::{World, at, id, knower};

#[test]
fn own_and_common_knowledge() {
    let mut world = World::new("ann bob thing");
    let own = world.lore("ann", "own", Some(10));
    let common = world.lore("*", "common", None);
    assert!(world.knows("ann", own, None) && world.knows("ann", own, Some(10)));
    assert!(!world.knows("ann", own, Some(9)), "not learned yet");
    assert!(!world.knows("bob", own, None));
    assert!(world.knows("bob", common, Some(0)));
}

#[test]
fn members_know_what_the_group_learned_before_they_left() {
    let mut world = World::new("ann guild thing");
    world.belongs("ann", "MEMBER_OF", "guild", Some(10), Some(20));
    let before = world.lore("guild", "before", Some(5));
    let during = world.lore("guild", "during", Some(15));
    let after = world.lore("guild", "after", Some(20));
    let check = |fact, as_of, expected| assert_eq!(world.knows("ann", fact, as_of), expected, "at {as_of:?}");
    check(before, Some(9), false);
    check(before, Some(10), true);
    check(during, Some(14), false);
    check(during, Some(15), true);
    check(during, None, true);
    check(after, None, false);
}

#[test]
fn a_membership_that_ended_without_a_date_leaves_all_knowledge() {
    let mut world = World::new("ann guild thing");
    let until = Some(Date { raw: "before the flood".into(), time: None });
    let membership = world.relation("ann", "MEMBER_OF", "guild", Validity { from: None, until });
    world.learn("ann", membership, None);
    let ever = world.lore("guild", "ever", None);
    let later = world.lore("guild", "later", Some(-1000));
    assert!(world.knows("ann", ever, None) && !world.knows("ann", later, None));
}

#[test]
fn residents_know_local_lore_of_their_place_and_those_around_it() {
    let mut world = World::new("ann tavern town road thing");
    world.belongs("ann", "RESIDENT_OF", "tavern", None, None);
    world.belongs("ann", "LOCATED_AT", "road", None, None);
    world.belongs("tavern", "PART_OF", "town", None, None);
    let (tavern, town, road) =
        (world.lore("tavern", "a", None), world.lore("town", "b", None), world.lore("road", "c", None));
    assert!(world.knows("ann", tavern, None) && world.knows("ann", town, None));
    assert!(!world.knows("ann", road, None), "being present only witnesses");
    assert!(!world.knows("town", tavern, None), "knowledge does not go up");
    let view = View::new(&world.0, &knower("ann"), None);
    assert_eq!(view.fact(town).unwrap().acquisition().unwrap().1, &AccessPath::Resident(id("town")));
}

#[test]
fn groups_in_groups_and_cycles_end() {
    let mut world = World::new("ann cell guild thing");
    world.belongs("ann", "MEMBER_OF", "cell", Some(10), None);
    world.belongs("cell", "PART_OF", "guild", None, Some(30));
    world.belongs("guild", "PART_OF", "cell", None, None);
    let early = world.lore("guild", "early", None);
    let late = world.lore("guild", "late", Some(30));
    assert!(!world.knows("ann", early, Some(9)) && world.knows("ann", early, Some(10)));
    assert!(!world.knows("ann", late, None), "the cell had left the guild");
}

#[test]
fn membership_counts_only_when_it_is_so_and_the_member_knows() {
    let mut world = World::new("ann bob guild thing");
    let unknown = world.relation("ann", "MEMBER_OF", "guild", Validity::default());
    let lore = world.lore("guild", "lore", None);
    assert!(!world.knows("ann", lore, None), "she does not know that she is a member");
    world.learn("ann", unknown, None);
    assert!(world.knows("ann", lore, None));
    world.apply(vec![Change::SetStatus { fact: unknown, status: FactStatus::False }]);
    assert!(!world.knows("ann", lore, None), "she is none");
    assert!(world.knows("ann", unknown, None), "but still believes so");
}

#[test]
fn saying_a_fact_does_not_make_the_speaker_know_it() {
    let mut world = World::new("ann guild thing");
    let membership = world.relation("ann", "MEMBER_OF", "guild", Validity::default());
    let lore = world.lore("guild", "lore", None);
    let record =
        KnowledgeEdge { acquisition: Acquisition::Shared, ..KnowledgeEdge::authored(knower("ann"), membership) };
    world.apply(vec![Change::Learn(Arc::new(record))]);
    assert_eq!(world.credence("ann", membership), Some(0.0), "she remembers what she said");
    assert!(!world.knows("ann", lore, None));
}

#[test]
fn one_knows_when_ones_own_membership_ends() {
    let mut world = World::new("ann bob guild");
    let membership = world.belongs("ann", "MEMBER_OF", "guild", Some(5), Some(20));
    world.learn("bob", membership, None);
    let end = |name: &str, as_of| {
        let view = View::new(&world.0, &knower(name), Some(GameTime(as_of)));
        view.known_end(view.fact(membership).unwrap()).map(|end| end.date.cloned())
    };
    assert_eq!((end("ann", 19), end("ann", 20)), (None, Some(at(20))));
    assert_eq!(end("bob", 20), None, "nobody told him");
}

#[test]
fn those_present_are_thought_to_know_new_positions() {
    let mut world = World::new("ann bob inn road chest coin");
    let since = |minute: i64| Validity { from: Some(Date::at(GameTime(minute))), until: None };
    let witness = |world: &mut World, fact: FactId, minute: i64| {
        let acquisition = Acquisition::Witnessed;
        let edge = KnowledgeEdge { acquisition, learned: at(minute), ..KnowledgeEdge::authored(knower("ann"), fact) };
        world.apply(vec![Change::Learn(Arc::new(edge))]);
    };
    let chest = world.relation("chest", "LOCATED_AT", "inn", since(1));
    let bob = world.relation("bob", "LOCATED_AT", "inn", since(2));
    let coin = world.relation("coin", "LOCATED_AT", "chest", since(5));
    let debt = world.relation("coin", "OWES", "chest", since(5));
    for (fact, minute) in [(chest, 1), (bob, 2), (coin, 9), (debt, 9)] {
        witness(&mut world, fact, minute);
    }
    let thinks = |world: &World, fact| {
        let view = View::new(&world.0, &knower("ann"), None);
        view.attributed_facts(&id("bob")).remove(&fact).map(|mut reasons| reasons.remove(0))
    };
    let reason = thinks(&world, coin).unwrap();
    assert_eq!(
        (reason.reason, reason.since),
        (crate::AttributionReason::AtPlaceOfArrival(id("inn")), Some(GameTime(5)))
    );
    assert_eq!(thinks(&world, debt), None, "only what is plain to all who are there");
    assert_eq!(thinks(&world, chest), None, "he came later");
    // When she learns that he had left earlier, she no longer has a reason to think that he knows the fact.
    let gone = world.relation("bob", "LOCATED_AT", "road", since(4));
    witness(&mut world, gone, 10);
    assert_eq!(thinks(&world, coin), None);
}

#[test]
fn belief_does_not_read_the_world() {
    let mut world = World::new("ann thing");
    let fact = world.relation("ann", "OWNS", "thing", Validity::default());
    world.learn("ann", fact, None);
    let before = View::new(&world.0, &knower("ann"), None);
    world.apply(vec![
        Change::SetStatus { fact, status: FactStatus::False },
        Change::EndFact { fact, until: Date::at(GameTime(3)) },
    ]);
    let after = View::new(&world.0, &knower("ann"), None);
    let tell = |view: &View| {
        let known = view.fact(fact).unwrap();
        (known.statement().to_owned(), known.credence(), known.since().cloned())
    };
    assert_eq!(tell(&before), tell(&after));
}

#[test]
fn own_edges_weigh_more_than_what_the_place_believes() {
    let mut world = World::new("odo town thing");
    world.belongs("odo", "RESIDENT_OF", "town", None, None);
    let lie = world.lore("town", "a lie", None);
    let edge =
        KnowledgeEdge { credence: Credence::NONE, conceals: true, ..KnowledgeEdge::authored(knower("odo"), lie) };
    world.apply(vec![Change::Learn(Arc::new(edge))]);
    let view = View::new(&world.0, &knower("odo"), None);
    let known = view.fact(lie).unwrap();
    assert_eq!((known.credence(), known.conceals(), known.known_edges().len()), (Credence::NONE, true, 2));
}

#[test]
fn passages_are_known_to_those_who_heard_them() {
    let mut world = World::new("ann bob guild");
    world.belongs("bob", "MEMBER_OF", "guild", Some(10), None);
    let mut passage = Passage::new("Under the chapel.");
    passage.speaker = Some(id("ann"));
    passage.heard_by = vec![knower("guild")];
    passage.time = at(5);
    let passage = Arc::new(passage);
    world.apply(vec![Change::AddPassage(Arc::clone(&passage))]);
    let hears = |name, as_of: Option<i64>| {
        View::new(&world.0, &knower(name), as_of.map(GameTime)).passage(passage.id()).is_some()
    };
    assert!(hears("ann", None), "speakers hear themselves");
    assert!(!hears("bob", Some(9)) && hears("bob", Some(10)));
    assert!(!hears("ann", Some(4)));
}

#[test]
fn out_of_character_lines_are_known_to_the_dm_alone() {
    let mut world = World::new("ann bob");
    let line = Passage { speaker: Some(id("ann")), heard_by: vec![knower("bob")], ..Passage::new("Roll for it.") };
    let passage = line.id();
    world.apply(vec![Change::AddPassage(line.into())]);
    let mut views = ["ann", "bob"].map(|name| View::new(&world.0, &knower(name), None));
    assert!(views.iter().all(|view| view.passage(passage).is_some()));
    world.apply(vec![Change::SetTalkKind { passage, kind: TalkKind::OutOfCharacter }]);
    for view in &mut views {
        view.update(&world.0, &[Key::Passage(passage)]).unwrap();
        assert_eq!(view.passages().len(), 0);
        assert_eq!(View::new(&world.0, view.knower(), None).passages().len(), 0);
    }
    assert!(View::of_dm(&world.0).passage(passage).is_some());
}

#[test]
fn a_view_collects_the_passages_of_the_state_from_which_it_was_computed() {
    let mut world = World::new("ann bob");
    let line = Passage { heard_by: vec![knower("ann")], ..Passage::new("The bell rings.") };
    let passage = line.id();
    let mut views = [world.view("ann"), world.view("ann")];
    let unrelated = world.view("bob");
    assert_eq!(views[0].passages().len(), 0);
    for (change, count) in [(Change::AddPassage(line.into()), 1), (Change::RemovePassage(passage), 0)] {
        let earlier = views[1].clone();
        world.apply(vec![change]);
        let touched = [Key::Passage(passage)];
        for view in &mut views {
            assert_eq!(view.impact(&world.0, &touched), ViewImpact::Records(touched.to_vec()));
            view.update(&world.0, &touched).unwrap();
        }
        assert_eq!(unrelated.impact(&world.0, &touched), ViewImpact::Unchanged);
        // The second view collects its passages only after both updates.
        assert_eq!(views[0].passages().len(), count);
        assert_eq!(earlier.passages().len(), 1 - count);
    }
    assert_eq!(views[1].passages().len(), 0);
}

#[test]
fn the_views_of_a_state_are_computed_once() {
    let mut world = World::new("ann bob thing");
    let fact = world.lore("ann", "known", Some(5));
    let views = StateViews::new(&world.0);
    let (ann, bob) = (knower("ann"), knower("bob"));
    assert!(Rc::ptr_eq(&views.get(&ann, None), &views.clone().get(&ann, None)));
    assert!(views.get(&ann, None).fact(fact).is_some() && views.get(&bob, None).fact(fact).is_none());
    assert!(views.get(&ann, Some(GameTime(4))).fact(fact).is_none());
}

#[test]
fn nothing_outside_the_view_changes_it() {
    let mut world = World::new("ann guild bob thing");
    world.belongs("ann", "MEMBER_OF", "guild", None, None);
    world.lore("guild", "known", None);
    let before = View::new(&world.0, &knower("ann"), None);
    world.lore("bob", "unknown", None);
    world.belongs("bob", "MEMBER_OF", "guild", None, None);
    let membership_of_bob_is_known_to_the_guild = 1;
    let after = View::new(&world.0, &knower("ann"), None);
    assert_eq!(before.facts().len() + membership_of_bob_is_known_to_the_guild, after.facts().len());
}
