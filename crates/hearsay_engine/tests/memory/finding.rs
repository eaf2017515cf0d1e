//! Tests of search.

use hearsay_commands::edit::FactOptions;
use hearsay_engine::Memory;
use hearsay_model::{Author, Change, Date, FactStatus, GameTime, Kind, Knower, Operation, Passage, Session, SessionId};
use hearsay_query::search::{EntityHit, Match, Search, SearchResults};
use hearsay_recall::CitedAcquisition;

use crate::support::*;

fn find(memory: &Memory, search: Search) -> SearchResults {
    memory.search(search).unwrap().wait().unwrap()
}

fn ids(entities: &[EntityHit]) -> Vec<&str> {
    entities.iter().map(|hit| hit.id.as_str()).collect()
}

fn apply(memory: &Memory, changes: Vec<Change>) {
    memory.write(move |_| Ok(Operation::new(Author::Dm, "edit", changes.clone()))).unwrap().wait().unwrap();
}

fn session(memory: &Memory, id: &str) -> SessionId {
    let id = SessionId::new(id).unwrap();
    let (number, title) = (Some(1), "A night".into());
    let session = Session { id: id.clone(), number, title, date: None, start: None, end: None, present: vec![] };
    apply(memory, vec![Change::SetSession(session)]);
    id
}

#[test]
fn entities_are_found_by_name_before_weaker_matches() {
    let memory = town();
    do_edit(&memory, set("Mirela Voss", "alias", "The Grey Lady"));
    for (name, kind) in [("Greyfriars", Kind::Location), ("Grimjaw Ironhand", Kind::Npc), ("Lyra", Kind::Npc)] {
        do_edit(&memory, add(name, kind, None));
    }
    let check = |text: &str, expected: &[(&str, Match)]| {
        let found = find(&memory, Search { depth: 0, ..Search::new(text) }).entities;
        assert_eq!(found.iter().map(|hit| (hit.id.as_str(), hit.by)).collect::<Vec<_>>(), expected, "{text}");
    };
    check("mirela-voss", &[("mirela-voss", Match::Name)]);
    check("the grey lady", &[("mirela-voss", Match::Name)]);
    check("grey", &[("greyfriars", Match::Prefix), ("mirela-voss", Match::Word)]);
    check("iron", &[("grimjaw-ironhand", Match::Word)]);
    check("Grim Jaw", &[("grimjaw-ironhand", Match::Spelling)]);
    check("where is grimjow?", &[("grimjaw-ironhand", Match::Spelling)]);
    check("Where does Odo Brandt drink?", &[("odo-brandt", Match::Mentioned)]);
    check("will they lure her", &[]);
}

#[test]
fn results_are_bounded() {
    let memory = town();
    for n in 0..22 {
        do_edit(&memory, add(&format!("Sentry {n:02}"), Kind::Npc, None));
    }
    for n in 0..8 {
        do_edit(&memory, relate("Pell", "KNOWS", &format!("Sentry {n:02}")));
    }
    for n in 0..14 {
        do_edit(&memory, set("Pell", "lore", &format!("Pell mends {n} lobster pots.")));
    }
    let passages = (0..14).map(|line| Change::AddPassage(Passage { line, ..Passage::new("Lobster again.") }.into()));
    apply(&memory, passages.collect());
    assert_eq!(find(&memory, Search::new("*")).entities.len(), 20);
    assert_eq!(find(&memory, Search::new("sentry")).entities.len(), 20);
    let found = find(&memory, Search::new("lobster"));
    assert_eq!((found.facts.len(), found.passages.len()), (10, 10));
    let found = find(&memory, Search { limit: 3, ..Search::new("lobster") });
    assert_eq!((found.facts.len(), found.passages.len()), (3, 3));
    let pell = find(&memory, Search { depth: 0, ..Search::new("pell") }).entities.remove(0);
    assert_eq!(pell.relations.len(), 5);
    let hints = find(&memory, Search { kind: Some(Kind::Quest), ..Search::new("sentri") }).hints;
    assert_eq!(hints.len(), 10);
}

#[test]
fn relations_are_followed_two_far_and_three_at_most() {
    let memory = town();
    let chain = ["Anna", "Berta", "Clara", "Dora", "Emma"];
    for name in chain {
        do_edit(&memory, add(name, Kind::Npc, None));
    }
    for pair in chain.windows(2) {
        do_edit(&memory, relate(pair[0], "KNOWS", pair[1]));
    }
    let of = |search: Search| {
        let found = find(&memory, search).entities;
        found.iter().map(|hit| (hit.name.clone(), hit.distance)).collect::<Vec<_>>()
    };
    let all =
        [("Anna", 0), ("Berta", 1), ("Clara", 2), ("Dora", 3)].map(|(name, distance)| (name.to_owned(), distance));
    assert_eq!(of(Search::new("anna")), all[..3]);
    assert_eq!(of(Search { depth: 0, ..Search::new("anna") }), all[..1]);
    assert_eq!(of(Search { depth: 99, ..Search::new("anna") }), all);
}

#[test]
fn filters_apply_before_counting() {
    let memory = town();
    let night = session(&memory, "night");
    for n in 0..12 {
        do_edit(&memory, set("Pell", "lore", &format!("Pell salts {n} herrings, herring by herring.")));
    }
    let options = FactOptions { statement: Some("Odo smells of herring.".into()), ..FactOptions::default() };
    do_edit(&memory, set_with("Odo Brandt", "appearance", "smells of herring", options));
    let passages = (0..12).map(|line| Change::AddPassage(Passage { line, ..Passage::new("Herring, herring!") }.into()));
    apply(&memory, passages.collect());
    let late = Passage { session: Some(night.clone()), ..Passage::new("One of the herring barrels leaked.") };
    apply(&memory, vec![Change::AddPassage(late.into())]);
    let search = || Search::new("herring");
    let facts = |search: Search| {
        let found = find(&memory, search);
        found.facts.iter().map(|hit| hit.text.clone()).collect::<Vec<_>>()
    };
    assert!(!facts(search()).contains(&"Odo smells of herring.".into()), "others fit better");
    let odo = ["Odo smells of herring."];
    assert_eq!(facts(Search { predicate: Some(predicate("appearance")), ..search() }), odo);
    assert_eq!(facts(Search { about: vec![id("Odo Brandt")], ..search() }), odo);
    assert_eq!(facts(Search { status: Some(FactStatus::False), ..search() }), Vec::<String>::new());
    assert_eq!(facts(Search { knower: Some(id("odo-brandt")), ..search() }), odo);
    assert_eq!(facts(Search { kind: Some(Kind::Faction), ..search() }), Vec::<String>::new());
    assert_eq!(facts(Search { holds_at: Some(GameTime(DAY)), limit: 20, ..search() }).len(), 13);
    let found = find(&memory, Search { session: Some(night), ..search() });
    assert!(found.facts.is_empty());
    assert_eq!(
        found.passages.iter().map(|hit| hit.text.as_str()).collect::<Vec<_>>(),
        ["One of the herring barrels leaked."]
    );
    let found = find(&memory, Search { as_of: Some(GameTime(0)), knower: Some(id("pell")), ..search() });
    assert_eq!(found.facts.len(), 10);
}

#[test]
fn relations_that_are_told_of_an_entity_are_filtered_too() {
    let memory = town();
    do_edit(&memory, relate("Pell", "OWES", "Mirela Voss"));
    let related_facts = |search: Search| {
        let found = find(&memory, Search { depth: 0, ..search }).entities.remove(0);
        found.relations
    };
    assert_eq!(related_facts(Search::new("pell")).len(), 3);
    assert_eq!(related_facts(Search { predicate: Some(predicate("OWES")), ..Search::new("pell") }).len(), 1);
    assert_eq!(related_facts(Search { status: Some(FactStatus::False), ..Search::new("pell") }), Vec::<String>::new());
}

#[test]
fn a_failed_search_suggests_names() {
    let memory = town();
    for text in ["Mirela Vosk", "qqq", "\u{9280}", "?", "Wer ist da?"] {
        for kind in [None, Some(Kind::Quest)] {
            let found = find(&memory, Search { kind, ..Search::new(text) });
            let is_empty = found.entities.is_empty() && found.facts.is_empty() && found.passages.is_empty();
            assert_eq!(is_empty, !found.hints.is_empty(), "{text}: {found:?}");
        }
    }
    let nearest = find(&memory, Search { kind: Some(Kind::Quest), ..Search::new("Mirela Vosk") });
    assert_eq!(nearest.hints[0].id.as_str(), "mirela-voss");
    assert!(find(&empty(), Search::new("anything")).hints.is_empty(), "there is no name");
}

#[test]
fn a_search_keeps_to_what_it_is_about() {
    let memory = town();
    do_edit(&memory, relate("Pell", "OWES", "Mirela Voss"));
    let mut passage = Passage::new("A long night at the harbour.");
    passage.mentions = vec![id("odo-brandt")];
    passage.heard_by = vec![Knower::Entity(id("pell"))];
    apply(&memory, vec![Change::AddPassage(passage.into())]);
    let about = |names: &[&str]| names.iter().map(|name| id(name)).collect::<Vec<_>>();
    let found = find(&memory, Search { about: about(&["Pell"]), ..Search::new("*") });
    assert_eq!(ids(&found.entities), ["mirela-voss", "pell", "the-gull"]);
    let night = |about, knower: Option<&str>| {
        let search = Search { about, knower: knower.map(id), ..Search::new("a long night") };
        find(&memory, search).passages.len()
    };
    assert_eq!(night(vec![], None), 1);
    assert_eq!(night(about(&["Odo Brandt"]), None), 1, "it is noted whom it mentions");
    assert_eq!(night(about(&["Odo Brandt"]), Some("pell")), 0, "Pell cannot know whom");
    assert_eq!(night(about(&["Harbour"]), Some("pell")), 1, "the words name it");
    let nobody = Search { about: about(&["Nobody"]), ..Search::new("x") };
    refused(&memory, |memory| memory.search(nobody).unwrap().wait(), &["there is no entity `nobody`"]);
}

#[test]
fn a_result_says_why_it_is_there_and_how_it_is_known() {
    let memory = town();
    let night = session(&memory, "night");
    do_edit(&memory, set("Pell", "lore", "Pell whittles flutes."));
    let passage = Passage {
        session: Some(night),
        speaker: Some(id("mirela-voss")),
        time: Some(Date::at(GameTime(DAY))),
        heard_by: vec![Knower::Entity(id("pell"))],
        ..Passage::new("Those flutes again!")
    };
    apply(&memory, vec![Change::AddPassage(passage.into())]);
    let found = find(&memory, Search { knower: Some(id("pell")), ..Search::new("flutes") });
    let json = serde_json::to_value(&found).unwrap();
    for (what, acquisition) in [("facts", "authored"), ("passages", "heard")] {
        let hit = &json[what][0];
        assert_eq!(hit["citation"]["acquisition"], acquisition, "{hit}");
        assert_eq!(hit["citation"]["access_path"], "own", "{hit}");
        assert!(hit["score"].as_f64().unwrap() > 0.0 && hit["channels"]["words"].as_f64().unwrap() > 0.0);
        assert!(hit["explanation"]["path"].is_array() && hit["path"].is_array());
    }
    assert_eq!(json["passages"][0]["citation"]["session"], "night");
    let of_dm = find(&memory, Search::new("flutes"));
    let mut hits = of_dm.facts.iter().chain(&of_dm.passages);
    assert!(hits.all(|hit| hit.citation.acquisition == CitedAcquisition::Recorded));
}
