//! Tests of the graph tables: results of SurrealQL queries, and incremental updates, which must equal a complete
//! rebuild.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hearsay_model::*;
use hearsay_store::{DifferenceKind, Store, projection};
use proptest::prelude::*;
use serde_json::json;

use crate::worlds::*;

/// Commits and applies an operation, and writes its rows to the graph tables.
fn commit_and_project(store: &Store, state: &mut State, operation: Arc<Operation>) -> Position {
    store.commit_blocking(state.position().next(), vec![Arc::clone(&operation)]).unwrap();
    let applied = state.apply(operation).unwrap();
    store.project(projection::rows(state, &applied.touched), applied.position, |result| {
        if let Err(error) = result {
            panic!("{error}");
        }
    });
    applied.position
}

/// Returns the records of all graph tables, sorted by id.
fn tables(store: &Store) -> serde_json::Value {
    let names = ["entity", "fact", "attribute", "knows", "passage", "session", "world"];
    let tables = names.map(|name| (name, store.query_blocking(&format!("SELECT * FROM {name} ORDER BY id")).unwrap()));
    tables.into_iter().map(|(name, rows)| (name.to_owned(), rows)).collect::<serde_json::Map<_, _>>().into()
}

/// Waits until the graph tables are complete.
fn wait_for_graph(store: &Store) {
    let started = Instant::now();
    while store.projected() < store.position() {
        assert!(started.elapsed() < Duration::from_secs(10), "the tables are not complete after 10 s");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn ironhand() -> Vec<Change> {
    let (jaw, guild, mill) = (id("grimjaw-ironhand"), id("iron-guild"), id("old-mill"));
    let add = |id: &EntityId| Change::AddEntity(Entity::new(id.clone()));
    let named = |id: &EntityId, name: &str| {
        Change::AssertFact(Fact::attribute(id, "name", name, provenance()).unwrap().build().unwrap().into())
    };
    let member = Fact::relation(&jaw, "MEMBER_OF", &guild, provenance()).unwrap().rank(Some("captain".into()));
    let member = Arc::new(member.build().unwrap());
    let lives = Fact::relation(&jaw, "RESIDENT_OF", &mill, provenance()).unwrap().build().unwrap();
    let knows = KnowledgeEdge::authored(Knower::World, member.id());
    let told = KnowledgeEdge {
        acquisition: Acquisition::told(Some(jaw.clone())),
        conceals: true,
        ..KnowledgeEdge::authored(Knower::Entity(guild.clone()), member.id())
    };
    vec![
        add(&jaw),
        add(&guild),
        add(&mill),
        named(&jaw, "Grimjaw Ironhand"),
        named(&guild, "The Iron Guild"),
        named(&mill, "The Old Mill"),
        Change::AssertFact(Arc::clone(&member)),
        Change::AssertFact(lives.into()),
        Change::Learn(knows.into()),
        Change::Learn(told.into()),
    ]
}

#[test]
fn surrealql_walks_the_graph() {
    let opened = memory();
    let (store, mut state) = (opened.store, opened.state);
    commit_and_project(&store, &mut state, operation("add", ironhand()));
    wait_for_graph(&store);
    let check = |query: &str, expected: serde_json::Value| {
        assert_eq!(store.query_blocking(query).unwrap(), expected, "{query}");
    };
    check(
        "SELECT ->fact[WHERE predicate = 'MEMBER_OF']->entity.name FROM entity:⟨grimjaw-ironhand⟩",
        json!([{ "->fact": { "->entity": { "name": ["The Iron Guild"] } } }]),
    );
    check(
        "SELECT VALUE ->fact[WHERE predicate = 'MEMBER_OF']->entity.name FROM entity:⟨grimjaw-ironhand⟩",
        json!([["The Iron Guild"]]),
    );
    check("SELECT VALUE <-fact<-entity.name FROM entity:`iron-guild`", json!([["Grimjaw Ironhand"]]));
    check("SELECT VALUE rank FROM fact WHERE predicate = 'MEMBER_OF'", json!(["captain"]));
    check("SELECT VALUE provenance.author FROM fact", json!(["dm", "dm"]));
    check("SELECT VALUE ->knows->fact->entity.name FROM world:everyone", json!([["The Iron Guild"]]));
    check(
        "SELECT VALUE ->knows[WHERE acquisition = 'told'].by.name FROM entity:`iron-guild`",
        json!([["Grimjaw Ironhand"]]),
    );
    check("SELECT VALUE value FROM attribute WHERE entity.name = 'The Old Mill'", json!(["The Old Mill"]));
}

#[test]
fn removed_records_leave_no_rows() {
    let opened = memory();
    let (store, mut state) = (opened.store, opened.state);
    let at = commit_and_project(&store, &mut state, operation("add", ironhand()));
    wait_for_graph(&store);
    let before = tables(&store);
    let revert = commit_and_project(&store, &mut state, operation("undo", vec![Change::Revert(at)]));
    wait_for_graph(&store);
    let empty = json!([]);
    let now = tables(&store);
    for table in ["entity", "fact", "attribute", "knows"] {
        assert_eq!(now[table], empty, "{table}");
    }
    commit_and_project(&store, &mut state, operation("undo the undo", vec![Change::Revert(revert)]));
    wait_for_graph(&store);
    assert_eq!(tables(&store), before);
}

#[test]
fn tables_that_are_behind_catch_up_after_opening() {
    let directory = tempfile::tempdir().unwrap();
    let opened = open(directory.path());
    let (store, mut state) = (opened.store, opened.state);
    commit_and_project(&store, &mut state, operation("add", ironhand()));
    store.settle_blocking().unwrap();
    commit(&store, &mut state, &[small(0), small(1), operation("undo", vec![Change::Revert(Position(1))])]);
    store.close().unwrap();
    let opened = open(directory.path());
    assert!(opened.report.catching_up > 0, "{:?}", opened.report);
    wait_for_graph(&opened.store);
    let incremental = tables(&opened.store);
    opened.store.rebuild_projections_blocking(&opened.state, |_, _| {}).unwrap();
    assert_eq!(incremental, tables(&opened.store));
    assert_eq!(incremental["entity"].as_array().unwrap().len(), 2);
    opened.store.close().unwrap();
    assert_eq!(open(directory.path()).report.catching_up, 0);
}

fn fact(n: u8) -> Arc<Fact> {
    let (subject, object) = (id(&format!("e-{}", n % 4)), id(&format!("e-{}", n / 4 % 4)));
    let provenance = Provenance::new(Method::Authored, Author::Game);
    let builder = match n % 3 {
        0 => Fact::attribute(
            &subject,
            ["name", "kind", "alias"][usize::from(n % 5 % 3)],
            format!("name {}", n % 5),
            provenance,
        ),
        _ => Fact::relation(&subject, ["KNOWS", "OWES"][usize::from(n % 2)], &object, provenance),
    };
    let builder =
        builder.unwrap().mentions([id(&format!("e-{}", n % 3))]).rank(n.is_multiple_of(2).then(|| "first".into()));
    Arc::new(builder.build().unwrap())
}

fn edge(n: u8) -> KnowledgeEdge {
    KnowledgeEdge {
        knower: if n.is_multiple_of(5) { Knower::World } else { id(&format!("e-{}", n % 4)).into() },
        fact: fact(n / 2).id(),
        acquisition: match n % 4 {
            0 => Acquisition::Witnessed,
            1 => Acquisition::told(Some(id(&format!("e-{}", n / 3 % 4)))),
            2 => Acquisition::Deduced { from: vec![fact(n / 3).id()] },
            _ => Acquisition::Read { document: None },
        },
        learned: n.is_multiple_of(3).then(|| Date::at(GameTime(n.into()))),
        credence: Credence::new(f64::from(n) / 255.0).unwrap(),
        conceals: n.is_multiple_of(7),
        co_present: vec![id("e-1")],
        ..KnowledgeEdge::authored(Knower::World, fact(n / 2).id())
    }
}

fn change(which: u8, n: u8, newest: Position) -> Change {
    let entity = || id(&format!("e-{}", n % 4));
    match which % 17 {
        0 | 1 => Change::AddEntity(Entity {
            external_ids: vec![ExternalId { system: "kanka".into(), id: n.to_string() }],
            ..Entity::new(entity())
        }),
        2 => Change::RemoveEntity(entity()),
        3..=5 => Change::AssertFact(fact(n)),
        6 => Change::EndFact { fact: fact(n).id(), until: Date::at(GameTime(n.into())) },
        7 => Change::SetStatus { fact: fact(n).id(), status: FactStatus::ALL[usize::from(n % 5)] },
        8 => Change::SetSecrecy { fact: fact(n).id(), secrecy: Secrecy::Secret },
        9 => Change::RetractFact(fact(n).id()),
        10..=12 => Change::Learn(Arc::new(edge(n))),
        13 => Change::Unlearn(edge(n).id()),
        14 if n < 128 => Change::Revert(Position(u64::from(n) % newest.0 + 2)),
        15 if n < 128 => Change::Restore(Position(newest.0.saturating_sub(u64::from(n % 4)))),
        _ if n.is_multiple_of(2) => {
            let mut passage = Passage::new(format!("line {}", n % 8));
            passage.heard_by = vec![Knower::World, entity().into()];
            Change::AddPassage(Arc::new(passage))
        }
        _ => Change::SetSession(Session {
            id: SessionId::new(format!("s-{}", n % 2)).unwrap(),
            number: Some(n.into()),
            title: "A night".into(),
            date: None,
            start: None,
            end: None,
            present: vec![entity()],
        }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 20, ..ProptestConfig::default() })]
    #[test]
    fn following_equals_writing_anew(operations in prop::collection::vec(
        prop::collection::vec((any::<u8>(), any::<u8>()), 1..5), 10..60,
    )) {
        let opened = memory();
        let (store, mut state) = (opened.store, opened.state);
        let begin = (0..4).map(|n| Change::AddEntity(Entity::new(id(&format!("e-{n}"))))).collect();
        commit_and_project(&store, &mut state, operation("begin", begin));
        for changes in operations {
            let newest = state.position();
            let changes = changes.into_iter().map(|(which, n)| change(which, n, newest));
            let alone = |change: &Change| Operation::new(Author::Game, "", vec![change.clone()]);
            let changes: Vec<_> = changes.filter(|change| state.check(&alone(change)).is_ok()).collect();
            let operation = operation("edit", changes);
            if state.check(&operation).is_ok() {
                commit_and_project(&store, &mut state, operation);
            }
        }
        wait_for_graph(&store);
        let incremental = tables(&store);
        store.rebuild_projections_blocking(&state, |_, _| {}).unwrap();
        prop_assert_eq!(&incremental, &tables(&store));
        prop_assert_eq!(store.backlog(), 0);
        if std::env::var("HEARSAY_SHOW").is_ok() {
            println!("{} operations, {} bytes of tables", state.position(), incremental.to_string().len());
        }
    }
}

#[test]
fn tables_that_differ_from_the_state_are_told_record_by_record() {
    let directory = tempfile::tempdir().unwrap();
    let opened = open(directory.path());
    let (store, mut state) = (opened.store, opened.state);
    commit_and_project(&store, &mut state, operation("add", ironhand()));
    commit(&store, &mut state, &[small(0)]);
    let applied: Vec<Key> = vec![Key::Entity(id("e0"))];
    store.project(projection::rows(&state, &applied), state.position(), |_| {});
    store.settle_blocking().unwrap();
    // Now the tables lack a fact about `e0`. The next lines delete the entity `iron-guild` from the tables and add an
    // entity that the state does not have.
    let extra = State::default();
    let rows = projection::rows(&extra, &[Key::Entity(id("iron-guild"))]);
    assert!(rows[0].is_deletion());
    store.project(rows, state.position(), |_| {});
    let mut other = State::default();
    other.apply(operation("add", vec![Change::AddEntity(Entity::new(id("nobody")))])).unwrap();
    store.project(projection::rows(&other, &[Key::Entity(id("nobody"))]), state.position(), |_| {});
    store.settle_blocking().unwrap();
    let found = store.graph_differences_blocking(&state).unwrap();
    // Ignores edges, because the database also deletes the edges of a deleted entity.
    let found = found.iter().filter(|difference| !["fact", "knows"].contains(&difference.table));
    let mut found: Vec<_> =
        found.map(|difference| (difference.table, difference.id.as_str(), difference.kind)).collect();
    found.sort_by_key(|(table, id, _)| (*table, *id));
    let name = Fact::attribute(&id("e0"), "name", "Number 0", provenance()).unwrap().build().unwrap().id().to_string();
    assert_eq!(
        found,
        [
            ("attribute", name.as_str(), DifferenceKind::Missing),
            ("entity", "iron-guild", DifferenceKind::Missing),
            ("entity", "nobody", DifferenceKind::Extra),
        ]
    );
    store.rebuild_projections_blocking(&state, |_, _| {}).unwrap();
    assert_eq!(store.graph_differences_blocking(&state).unwrap(), []);
}
