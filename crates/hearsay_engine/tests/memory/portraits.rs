//! Queries about an entity: its meetings with the players, its knowers, and the sources of its facts.

use std::collections::BTreeSet;

use hearsay_commands::{
    game_event::{GameEvent, Hearers, Stated},
    session::{Log, LogLine, NewSession, SessionStep},
};
use hearsay_model::{Author, Evidence, Kind, State};
use hearsay_query as query;
use hearsay_query::{
    portrait::ContactKind,
    session::{ThreadFilter, ThreadKind},
    table::PlayersView,
};

use crate::support::*;

fn campaign() -> std::sync::Arc<State> {
    let memory = empty();
    memory.import(gullhaven()).unwrap().wait().unwrap();
    state(&memory)
}

fn the(state: &State, handle: &str) -> hearsay_model::FactId {
    hearsay_query::resolve::find_fact(state, handle).unwrap().id()
}

#[test]
fn when_the_table_met_somebody() {
    let state = campaign();
    let odo = query::portrait::meetings(&state, &id("odo-brandt")).unwrap();
    let (first, last) = (odo.first.unwrap(), odo.last.unwrap());
    assert!(first.acquisition >= ContactKind::Present && last.session.unwrap().as_str() == "session-4", "{first:?}");
    assert!(first.title.unwrap().starts_with("Session "));
    let words = odo.words.unwrap();
    let last_line = state.passage(words.passage).unwrap();
    assert_eq!((last_line.speaker.as_ref(), &last_line.text), (Some(&id("odo-brandt")), &words.text));
    let later = state.passages().filter(|(_, passage)| passage.speaker.as_ref() == Some(&id("odo-brandt")));
    assert!(
        later
            .filter(|(_, passage)| passage.session == last_line.session)
            .all(|(_, other)| other.line <= last_line.line)
    );
    let wren = query::portrait::meetings(&state, &id("wren-oake")).unwrap();
    assert_eq!(wren.first.unwrap().session.unwrap().as_str(), "session-1");
    // The players have not met a character that they only heard of.
    let jory = query::portrait::meetings(&state, &id("jory-penhale")).unwrap();
    assert_eq!(jory.first.unwrap().acquisition, ContactKind::Named);
    assert!(jory.words.is_none());
    let chapel = query::portrait::meetings(&state, &id("the-gilded-gull")).unwrap();
    assert_eq!(chapel.first.unwrap().acquisition, ContactKind::Visited);
    for entity in state.entities() {
        let met = query::portrait::meetings(&state, &entity.id).unwrap();
        assert_eq!(met.first.is_some(), met.last.is_some());
        let sessions: BTreeSet<_> = met.sessions.iter().collect();
        assert_eq!(sessions.len(), met.sessions.len());
    }
}

#[test]
fn a_game_without_logs_has_meetings_too() {
    let memory = town();
    do_edit(&memory, add("Lyra", Kind::Player, Some("The Gull")));
    let meetings_of = |who: &str| query::portrait::meetings(&state(&memory), &id(who)).unwrap();
    assert_eq!(meetings_of("pell"), query::portrait::Meetings::default());
    let sees = GameEvent::Witness {
        facts: vec![Stated::Lore { about: id("pell"), text: "Pell dropped a jug.".into() }],
        witnesses: Hearers::Listed(ids(&["lyra", "pell"])),
        circumstances: Default::default(),
    };
    memory.learn(Author::Game, sees).unwrap().wait().unwrap();
    assert_eq!(meetings_of("pell").first.unwrap().acquisition, ContactKind::Present);
    memory.session(Author::Dm, SessionStep::Start(NewSession::default())).unwrap().wait().unwrap();
    let line = LogLine { speaker: Some(id("pell").into()), text: "More ale?".into(), ..LogLine::default() };
    memory.log(Author::Dm, Log { lines: vec![line], ..Log::default() }).unwrap().wait().unwrap();
    let pell = meetings_of("pell");
    assert_eq!((pell.last.unwrap().acquisition, pell.words.unwrap().text.as_str()), (ContactKind::Spoke, "More ale?"));
}

#[test]
fn open_threads_of_an_entity_equal_those_of_the_thread_list() {
    let state = campaign();
    let mut found = 0;
    for entity in state.entities() {
        let filter = ThreadFilter {
            kinds: vec![ThreadKind::Quest, ThreadKind::Promise, ThreadKind::Debt],
            about: Some(entity.id.clone()),
            session: None,
        };
        let mut expected = query::session::threads(&state, &filter).unwrap();
        let mut threads = query::session::open_threads_of(&state, &entity.id);
        found += threads.len();
        for threads in [&mut expected, &mut threads] {
            threads.sort_by_key(|thread| (thread.kind, thread.description.clone(), thread.fact));
        }
        assert_eq!(threads, expected, "{}", entity.id);
    }
    assert!(found > 5, "{found}");
}

#[test]
fn the_table_knows_what_one_of_its_players_knows() {
    let state = campaign();
    let players_view = PlayersView::new(&state, None);
    assert_eq!(players_view.players().filter(|id| state.kind(id) == Some(Kind::Player)).count(), 4);
    let mut known = 0;
    for fact in state.facts() {
        let reading = players_view.knows(fact.id());
        assert_eq!(players_view.all_know(fact.id()), reading.as_ref().is_some_and(|knows| knows.all));
        let holders = query::who_knows::who_knows(&state, fact.id(), None).ok().filter(|_| known < 40);
        if let Some(holders) = holders.filter(|holders| !holders.everybody) {
            let players: BTreeSet<_> = players_view.players().collect();
            let all = holders.groups.iter().chain(&holders.characters).map(|row| &row.knower);
            let expected: BTreeSet<_> = all.filter(|who| players.contains(who)).cloned().collect();
            let here: BTreeSet<_> =
                reading.iter().flat_map(|knows| &knows.known_by).map(|row| row.knower.clone()).collect();
            assert_eq!(here, expected, "{}", fact.statement());
            known += usize::from(!here.is_empty());
        }
    }
    assert!(known > 10);
    let fire = players_view.knows(the(&state, "fire-of-398")).unwrap();
    assert_eq!(fire.session.unwrap().as_str(), "session-4");
    assert!(!fire.all && players_view.knows(the(&state, "jory-gave-mirela-the-ledger")).is_none());
    assert!(
        fire.known_by.iter().any(|knower| knower.acquisition.contains("told by Aldous Crane")),
        "{:?}",
        fire.known_by
    );
}

#[test]
fn holders_and_sources_of_a_fact() {
    let state = campaign();
    let direct_knowers = query::portrait::direct_knowers(&state, the(&state, "fire-of-398"));
    assert!(direct_knowers.groups.iter().any(|row| row.knower == id("lantern-club") && row.conceals));
    assert!(!direct_knowers.everybody && direct_knowers.characters.iter().all(|row| !row.name.contains('-')));
    let file = hearsay_query::resolve::find_fact(&state, "fire-of-398").unwrap();
    let sources = query::portrait::sources_of(&state, &file);
    assert!(sources.iter().any(|source| source.place.contains("secrets-and-rumours.yaml, line ")), "{sources:?}");
    let quoted = state
        .facts()
        .find(|fact| fact.provenance().evidence.iter().any(|evidence| matches!(evidence, Evidence::Passage { .. })));
    if let Some(fact) = quoted {
        let sources = query::portrait::sources_of(&state, fact);
        let source = sources.iter().find(|source| source.passage.is_some()).unwrap();
        let (start, end) = source.quote.unwrap();
        assert!(source.text.as_ref().unwrap().get(start..end).is_some());
    }
}
