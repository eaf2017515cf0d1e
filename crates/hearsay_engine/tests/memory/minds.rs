//! Outcomes of game events, and events of watched minds.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_commands::game_event::{Circumstances, GameEvent, Hearers};
use hearsay_engine::{Event, EventOutcome, MAX_WATCHED_BELIEFS, Memory, MemoryError, MindFilter, MindInterest};
use hearsay_model::{Acquisition, Author, OpenThread, Timestamp};
use hearsay_query::journal::UndoTarget;

use crate::{
    learning::{learn, lore, parts, recorded, reference, tell, witness},
    support::*,
};

const FIRE: &str = "The Gull burned.";

fn try_watch(memory: &Memory, filter: MindFilter) -> Result<(), MemoryError> {
    memory.watch(filter).unwrap().wait()
}

fn watch(memory: &Memory, filter: MindFilter) {
    try_watch(memory, filter).unwrap();
}

/// Returns a filter for facts about these entities in the minds of these knowers.
fn only(knowers: &[&str], about: &[&str], beliefs: bool) -> MindFilter {
    let interest = MindInterest { about: ids(about).into_iter().collect(), beliefs };
    MindFilter::Only(knowers.iter().map(|name| (id(name), interest.clone())).collect())
}

/// Returns the events of minds since the last call, for example `pell learned The Gull burned. (1.00)` and
/// `pell 0.00 > 1.00: The Gull burned.`.
fn news(memory: &Memory) -> Vec<String> {
    // When this request is answered, earlier requests are finished.
    memory.status().unwrap().wait().unwrap();
    let mut news = Vec::new();
    for event in memory.events().try_iter() {
        match event {
            Event::Learned(edges) => news.extend(
                edges
                    .into_iter()
                    .map(|edge| format!("{} learned {} ({})", edge.knower, edge.claim.object, edge.credence)),
            ),
            Event::BeliefsChanged(changes) => news.extend(changes.into_iter().map(|change| {
                format!("{} {} > {}: {}", change.knower, change.before, change.after, change.claim.object)
            })),
            Event::FeelingsChanged(changes) => news.extend(changes.into_iter().map(|change| {
                format!("{} {} {} > {}: {}", change.knower, change.feeling, change.before, change.after, change.towards)
            })),
            _ => {}
        }
    }
    news
}

fn record(memory: &Memory, game_event: GameEvent) -> EventOutcome {
    let build_plan = move |snapshot: &hearsay_engine::ReadSnapshot| {
        Ok(game_event.plan(&snapshot.state, Author::Game, Timestamp(1))?)
    };
    memory.record_event(build_plan).unwrap().wait().unwrap()
}

#[test]
fn a_game_event_returns_its_facts_and_who_perceived_it() {
    let memory = town();
    let seen = record(&memory, witness(lore("The Gull", FIRE), &["Pell", "Mirela Voss"]));
    assert_eq!(seen.facts, [reference(&memory, FIRE)]);
    assert_eq!(seen.heard_by, ids(&["Mirela Voss", "Pell"]));
    let told = record(&memory, tell("Pell", lore("The Gull", FIRE), &["Odo Brandt"]));
    assert_eq!(told.facts, seen.facts, "Pell tells the fact that it knows");
    assert_eq!(told.heard_by, ids(&["Odo Brandt"]));
    assert!(told.written.position > seen.written.position);
    let say = GameEvent::Say {
        speaker: id("Pell").into(),
        text: "It burned, and Odo ran.".into(),
        states: vec![recorded(&memory, FIRE), lore("Odo Brandt", "Odo ran.")],
        hearers: Hearers::Listed(ids(&["Mirela Voss", "Pell"])),
        lie: false,
        circumstances: Circumstances::default(),
    };
    let said = record(&memory, say);
    assert_eq!(said.facts, [seen.facts[0], reference(&memory, "Odo ran.")], "in the order of the statements");
    assert_eq!(said.heard_by, ids(&["Mirela Voss"]), "the speaker is not included");
    let forgotten = record(&memory, GameEvent::Forget { knower: id("Odo Brandt"), fact: seen.facts[0] });
    assert_eq!((forgotten.facts, forgotten.heard_by.len()), (seen.facts, 0));
    let unknown = tell("Odo Brandt", recorded(&memory, FIRE), &["Pell"]);
    let build_plan =
        move |snapshot: &hearsay_engine::ReadSnapshot| Ok(unknown.plan(&snapshot.state, Author::Game, Timestamp(1))?);
    let error = memory.record_event(build_plan).unwrap().wait().unwrap_err().to_string();
    assert!(error.contains("does not know that"), "{error}");
}

#[test]
fn the_filter_selects_the_knowers_and_the_facts() {
    let memory = town();
    learn(&memory, witness(lore("The Gull", FIRE), &["Pell"]));
    assert!(news(&memory).is_empty(), "nobody is watched");

    watch(&memory, only(&["Odo Brandt"], &[], false));
    assert!(news(&memory).is_empty());
    learn(&memory, tell("Pell", recorded(&memory, FIRE), &["Odo Brandt", "Mirela Voss"]));
    assert_eq!(news(&memory), ["odo-brandt learned The Gull burned. (0.54)"]);
    learn(&memory, tell("Mirela Voss", recorded(&memory, FIRE), &["Odo Brandt"]));
    assert!(news(&memory).is_empty(), "Odo knows it already");
    learn(&memory, GameEvent::Forget { knower: id("Odo Brandt"), fact: reference(&memory, FIRE) });
    learn(&memory, witness(recorded(&memory, FIRE), &["Odo Brandt"]));
    assert_eq!(news(&memory), ["odo-brandt learned The Gull burned. (1.00)"]);

    watch(&memory, only(&["Odo Brandt"], &["Silver Ring"], false));
    learn(&memory, witness(lore("The Gull", "The roof is gone."), &["Odo Brandt"]));
    learn(&memory, witness(lore("Silver Ring", "The ring is tarnished."), &["Odo Brandt"]));
    assert_eq!(news(&memory), ["odo-brandt learned The ring is tarnished. (1.00)"]);

    watch(&memory, MindFilter::All { about: BTreeSet::new() });
    do_edit(&memory, add("Wren", hearsay_model::Kind::Npc, None));
    assert!(news(&memory).iter().all(|line| line.starts_with("wren")), "an edit teaches nobody else");
    learn(&memory, witness(lore("The Gull", "The door is gone."), &["Wren", "Pell"]));
    assert_eq!(news(&memory), ["pell learned The door is gone. (1.00)", "wren learned The door is gone. (1.00)"]);

    watch(&memory, MindFilter::None);
    learn(&memory, witness(lore("The Gull", "The sign is gone."), &["Wren", "Odo Brandt"]));
    assert!(news(&memory).is_empty());
}

#[test]
fn learned_edges_have_the_source_and_the_thread() {
    let memory = town();
    watch(&memory, only(&["Pell"], &[], false));
    learn(&memory, tell("Mirela Voss", parts("Mirela Voss", "PROMISED", "Pell"), &["Pell"]));
    let edges = memory.events().try_iter().find_map(|event| match event {
        Event::Learned(edges) => Some(edges),
        _ => None,
    });
    let edges = edges.unwrap();
    assert_eq!(edges.len(), 1, "names and kinds are not reported: {edges:?}");
    assert_eq!(edges[0].thread, Some(OpenThread::Promise));
    assert_eq!((&edges[0].claim.subject, &edges[0].claim.object), (&id("Mirela Voss"), &entity("Pell")));
    assert_eq!(edges[0].acquisition, Acquisition::Told { by: Some(id("Mirela Voss")), citing: None });
}

#[test]
fn beliefs_are_reported_whenever_they_change() {
    let memory = town();
    learn(&memory, witness(lore("The Gull", FIRE), &["Pell"]));
    watch(&memory, only(&["Odo Brandt"], &["The Gull"], true));
    assert!(news(&memory).is_empty());

    let told = learn(&memory, tell("Pell", recorded(&memory, FIRE), &["Odo Brandt"])).position;
    assert_eq!(
        news(&memory),
        ["odo-brandt learned The Gull burned. (0.54)", "odo-brandt 0.00 > 0.54: The Gull burned."]
    );
    let refute = GameEvent::Refute {
        fact: reference(&memory, FIRE),
        statement: Some("The Gull never burned.".into()),
        teller: None,
        hearers: Hearers::Listed(ids(&["Odo Brandt"])),
        credence: None,
        circumstances: Circumstances::default(),
    };
    let refuted = learn(&memory, refute).position;
    let refuted_news = news(&memory);
    assert!(refuted_news.iter().any(|line| line.starts_with("odo-brandt 0.54 > 0.")), "{refuted_news:?}");
    memory.undo(UndoTarget::At(refuted)).unwrap().wait().unwrap();
    assert!(news(&memory).iter().any(|line| line.ends_with("> 0.54: The Gull burned.")));
    memory.save_slot("before").unwrap().wait().unwrap();
    memory.undo(UndoTarget::At(told)).unwrap().wait().unwrap();
    assert_eq!(news(&memory), ["odo-brandt 0.54 > 0.00: The Gull burned."]);

    // Nobody learns anything when a slot is loaded, and later changes are compared with the loaded state.
    memory.load_slot("before").unwrap().wait().unwrap();
    assert!(news(&memory).is_empty());
    learn(&memory, witness(recorded(&memory, FIRE), &["Odo Brandt"]));
    assert_eq!(news(&memory), ["odo-brandt 0.54 > 1.00: The Gull burned."]);
}

#[test]
fn the_beliefs_of_a_limited_number_of_knowers_can_be_watched() {
    let memory = town();
    let filter = |count: usize, beliefs: bool| {
        let interest = MindInterest { beliefs, ..MindInterest::default() };
        let knowers = (0..count).map(|number| (id(&format!("npc {number}")), interest.clone()));
        MindFilter::Only(knowers.collect::<BTreeMap<_, _>>())
    };
    watch(&memory, filter(MAX_WATCHED_BELIEFS, true));
    watch(&memory, filter(2 * MAX_WATCHED_BELIEFS, false));
    let error = try_watch(&memory, filter(MAX_WATCHED_BELIEFS + 1, true)).unwrap_err();
    assert!(matches!(error, MemoryError::TooManyBeliefs { count: 257, max: 256 }), "{error}");
}

#[test]
fn a_deed_changes_the_feelings_of_those_who_learn_of_it() {
    let memory = town();
    set_clock(&memory, 1_000);
    watch(&memory, only(&["Pell", "Mirela Voss"], &["Pell"], false));
    let feelings = || news(&memory).into_iter().filter(|line| !line.contains("learned")).collect::<Vec<_>>();
    // Odo threatens Pell before Mirela, who feels less than Pell.
    learn(&memory, witness(parts("Odo Brandt", "THREATENED", "Pell"), &["Pell", "Mirela Voss"]));
    let expected =
        ["mirela-voss fear 0 > 15: odo-brandt", "pell affinity 0 > -20: odo-brandt", "pell fear 0 > 30: odo-brandt"];
    assert_eq!(feelings(), expected);
    // Time alone causes no event, and the next deed is measured without the decay.
    set_clock(&memory, 1_000 + 60 * 24 * 30);
    assert_eq!(feelings(), [""; 0]);
    learn(&memory, witness(parts("Odo Brandt", "HELPED", "Pell"), &["Pell"]));
    let expected =
        ["pell affinity -10 > 5: odo-brandt", "pell respect 0 > 5: odo-brandt", "pell debt 0 > 20: odo-brandt"];
    assert_eq!(feelings(), expected);
    let threat = reference(&memory, "Odo Brandt threatened Pell.");
    learn(&memory, GameEvent::Forget { knower: id("Pell"), fact: threat });
    assert_eq!(feelings(), ["pell affinity 5 > 15: odo-brandt", "pell fear 15 > 0: odo-brandt"]);
    // A deed that concerns nobody in the filter, and a deed that Pell does not learn of.
    learn(&memory, witness(parts("Odo Brandt", "HARMED", "The Guild"), &["Mirela Voss"]));
    learn(&memory, witness(parts("Odo Brandt", "INSULTED", "Pell"), &["Odo Brandt"]));
    assert_eq!(feelings(), [""; 0]);
}
