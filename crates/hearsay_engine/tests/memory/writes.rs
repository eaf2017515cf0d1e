use std::sync::Arc;

use hearsay_commands::{
    CommandError,
    edit::{Edit, FactOptions},
};
use hearsay_engine::{Memory, MemoryError, MemoryOptions, ReadSnapshot, Ticket, Written, real_time};
use hearsay_model::{Author, Change, Entity, Fact, Kind, Method, Operation, Position, Provenance, State};
use hearsay_query::{QueryError, journal::UndoTarget, resolve::resolve};
use hearsay_store::{Location, StoreOptions, testing::Faults};
use proptest::prelude::*;

use crate::support::*;

fn note(subject: &str, n: usize) -> Operation {
    let provenance = Provenance::new(Method::Authored, Author::Game);
    let fact = Fact::attribute(&id(subject), "lore", format!("Note {n} of {subject}."), provenance).unwrap();
    let changes =
        vec![Change::AddEntity(Entity::new(id(subject))), Change::AssertFact(Arc::new(fact.build().unwrap()))];
    Operation::new(Author::Game, format!("note {n}"), changes)
}

#[test]
fn many_small_writes_land_in_order_without_gaps() {
    let memory = Memory::open(MemoryOptions { queue: 1_000, ..options() }).unwrap();
    let check = |subject: fn(usize) -> String| {
        let first = state(&memory).position();
        let send = |n| memory.write(move |_| Ok(note(&subject(n), n))).unwrap();
        let tickets: Vec<_> = (0..200).map(send).collect();
        for (n, ticket) in tickets.into_iter().enumerate() {
            let written = ticket.wait().unwrap();
            assert_eq!((written.position, written.summary), (Position(first.0 + n as u64 + 1), format!("note {n}")));
        }
        let state = state(&memory);
        assert_eq!(state.position(), Position(first.0 + 200));
        for (n, (_, entry)) in state.journal().skip(first.0 as usize).enumerate() {
            assert_eq!(entry.operation.summary, format!("note {n}"));
        }
    };
    check(|n| format!("entity-{n}"));
    check(|_| "one".into());
    assert_eq!(facts(&memory, "one", "lore").len(), 200);
}

#[test]
fn each_write_sees_the_one_before_it() {
    let memory = Memory::open(MemoryOptions { queue: 1_000, ..options() }).unwrap();
    let count = |memory: &Memory| {
        memory.write(|snapshot| {
            let n = snapshot.state.facts_of(&id("counter")).count();
            Ok(note("counter", n))
        })
    };
    let tickets: Vec<_> = (0..50).map(|_| count(&memory).unwrap()).collect();
    for (n, ticket) in tickets.into_iter().enumerate() {
        assert_eq!(ticket.wait().unwrap().summary, format!("note {n}"));
    }
}

#[test]
fn an_edit_may_name_what_the_edit_before_it_adds() {
    let memory = empty();
    // The worker is blocked, so that all edits wait together.
    let blocked = block(&memory);
    let edits = [
        add("Harbour", Kind::Location, None),
        add("Bram", Kind::Npc, Some("Harbour")),
        set("Bram", "occupation", "ferryman"),
        add("Bram", Kind::Npc, None),
        relate("Bram", "LIKES", "Harbour"),
    ];
    let tickets: Vec<_> = edits.into_iter().map(|edit| memory.edit(edit).unwrap()).collect();
    drop(blocked);
    let answers: Vec<_> = tickets.into_iter().map(|ticket| ticket.wait()).collect();
    let positions: Vec<_> = answers.iter().filter_map(|answer| Some(answer.as_ref().ok()?.position.0)).collect();
    assert_eq!(positions, [1, 2, 3, 4]);
    assert!(matches!(answers[3], Err(MemoryError::Command(CommandError::EntityExists(_)))), "{:?}", answers[3]);
}

#[test]
fn a_name_means_what_the_write_before_it_says() {
    for (earlier, name, meaning) in [
        // The name of a new entity is the occupation of another one, or a part of its name.
        (add("Newcomer", Kind::Npc, None), "newcomer", "newcomer"),
        (add("Newcomer Hob", Kind::Npc, None), "newcomer", "newcomer-hob"),
        (add("Brandt", Kind::Npc, None), "Brandt", "brandt"),
        // A known entity gets a name or an occupation.
        (set("Mirela Voss", "alias", "Newcomer"), "newcomer", "mirela-voss"),
        (set("Mirela Voss", "alias", "Brandt"), "Brandt", "mirela-voss"),
        (set("Mirela Voss", "occupation", "brandt"), "Brandt", "odo-brandt"),
    ] {
        let memory = town();
        do_edit(&memory, set("Pell", "occupation", "newcomer"));
        let blocked = block(&memory);
        let described = format!("{earlier:?}, then {name}");
        let first = memory.edit(earlier).unwrap();
        let set_age = move |snapshot: &ReadSnapshot| {
            let (attribute, value, options) = ("age".to_owned(), "30".to_owned(), FactOptions::default());
            let edit = Edit::Set { entity: resolve(&snapshot.state, name)?, attribute, value, options };
            Ok(edit.operation(&snapshot.state, Author::Dm, real_time())?)
        };
        let second = memory.write(set_age).unwrap();
        drop(blocked);
        first.wait().unwrap();
        second.wait().unwrap();
        assert_eq!(facts(&memory, meaning, "age").len(), 1, "{described}");
    }
}

#[test]
fn an_edit_is_dated_by_the_clock_that_was_set_before_it() {
    let memory = town();
    set_clock(&memory, DAY);
    do_edit(&memory, relate("Pell", "EMPLOYED_BY", "Mirela Voss"));
    let blocked = block(&memory);
    let other = memory.edit(set("Odo Brandt", "age", "60")).unwrap();
    let clock = memory.set_clock(hearsay_model::GameTime(4 * DAY)).unwrap();
    let edit = memory.edit(relate("Pell", "EMPLOYED_BY", "The Guild")).unwrap();
    drop(blocked);
    for ticket in [other, clock, edit] {
        ticket.wait().unwrap();
    }
    assert_eq!(course(&memory, "pell", "EMPLOYED_BY"), ["mirela-voss ..4", "the-guild 4.."]);
}

#[test]
fn a_decision_on_a_removed_fact_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::open(options_at(directory.path())).unwrap();
    found_town(&memory);
    do_edit(&memory, relate("Pell", "OWES", "Mirela Voss"));
    let owes = fact(&memory, "pell", "OWES").id();
    let blocked = block(&memory);
    let remove = memory.edit(Edit::RemoveEntity { entity: id("Mirela Voss") }).unwrap();
    let decide = memory.decide(owes, hearsay_commands::review::Decision::False).unwrap();
    let after = memory.edit(set("Pell", "age", "12")).unwrap();
    drop(blocked);
    remove.wait().unwrap();
    assert!(decide.wait().is_err());
    after.wait().unwrap();
    let before = state(&memory);
    memory.close().unwrap();
    let memory = Memory::open(options_at(directory.path())).unwrap();
    assert!(*before == *state(&memory));
}

fn edits() -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
    prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 1..30)
}

/// Returns an edit of the town, with the names of entities resolved in a state. Some of the edits are invalid.
fn one(state: &State, (what, a, b): (u8, u8, u8)) -> Result<Edit, QueryError> {
    let people = ["Mirela Voss", "Pell", "Odo Brandt", "Newcomer 0", "Newcomer 1"];
    let name = |n: u8| people[usize::from(n) % people.len()];
    let entity = |name: &str| resolve(state, name);
    let set = |name: &str, attribute: &str, value: &str| -> Result<Edit, QueryError> {
        let (attribute, value, options) = (attribute.to_owned(), value.to_owned(), FactOptions::default());
        Ok(Edit::Set { entity: entity(name)?, attribute, value, options })
    };
    let relate = |subject: &str, predicate: &str, object: &str| -> Result<Edit, QueryError> {
        let (subject, object, predicate) = (entity(subject)?, entity(object)?, predicate.to_owned());
        Ok(Edit::Relate { subject, predicate, object, options: FactOptions::default() })
    };
    match what % 8 {
        0 => Ok(add(&format!("Newcomer {}", a % 2), Kind::Npc, (b % 2 == 0).then_some("The Gull"))),
        1 => Ok(Edit::RemoveEntity { entity: entity(name(a))? }),
        2 => set(name(a), "age", &(b % 3).to_string()),
        3 => set(name(a), "alias", ["Boss", "Odo Brandt"][usize::from(b) % 2]),
        4 => set("Boss", "occupation", name(b)),
        5 => relate(name(a), "RESIDENT_OF", ["The Gull", "Harbour"][usize::from(b) % 2]),
        _ => relate(name(a), ["EMPLOYED_BY", "OWES"][usize::from(what / 8) % 2], name(b)),
    }
}

/// Sends an edit of the town. Its names are resolved when its turn comes.
fn send(memory: &Memory, seed: (u8, u8, u8)) -> Ticket<Written> {
    let build_operation = move |snapshot: &ReadSnapshot| {
        Ok(one(&snapshot.state, seed)?.operation(&snapshot.state, Author::Dm, real_time())?)
    };
    memory.write(build_operation).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn writes_that_share_commits_equal_single_writes(edits in edits()) {
        let (together, apart) = (town(), town());
        let blocked = block(&together);
        let tickets: Vec<_> = edits.iter().map(|edit| send(&together, *edit)).collect();
        drop(blocked);
        let answers: Vec<_> = tickets.into_iter().map(|ticket| ticket.wait().map_err(|e| e.to_string())).collect();
        for (edit, answer) in edits.iter().zip(answers) {
            prop_assert_eq!(send(&apart, *edit).wait().map_err(|e| e.to_string()), answer);
        }
        // Removes the real times, in which the two memories differ.
        let print = |memory: &Memory| {
            let mut lines = Vec::new();
            hearsay_campaign::export_jsonl(&state(memory), &mut lines).unwrap();
            let text = String::from_utf8(lines).unwrap();
            text.split("\"recorded\":").map(|part| part.trim_start_matches(char::is_numeric)).collect::<String>()
        };
        prop_assert_eq!(print(&together), print(&apart));
        let reviews = |memory: &Memory| memory.status().unwrap().wait().unwrap().reviews;
        prop_assert_eq!(reviews(&together), hearsay_query::review::review_items(&state(&together)).len());
    }
}

#[test]
fn a_commit_that_fails_changes_nothing_and_later_writes_work() {
    let faults = Faults::default();
    let store = StoreOptions { faults: faults.clone(), ..StoreOptions::default() };
    let memory = Memory::open(MemoryOptions { store, ..options() }).unwrap();
    found_town(&memory);
    while memory.events().try_recv().is_ok() {}
    faults.fail_after(0);
    let before = state(&memory);
    let blocked = block(&memory);
    let tickets: Vec<_> = (0..3).map(|n| memory.edit(set("Pell", "lore", &format!("Lore {n}."))).unwrap()).collect();
    drop(blocked);
    for ticket in tickets {
        let error = ticket.wait().unwrap_err();
        assert!(matches!(error, MemoryError::NotCommitted(_)), "{error}");
        assert!(error.to_string().contains("was not saved"), "{error}");
    }
    assert!(*before == *state(&memory));
    assert!(memory.events().try_recv().is_err(), "nothing was applied");
    faults.heal();
    let written = do_edit(&memory, set("Pell", "lore", "Lore 4."));
    assert_eq!(written.position, before.position().next());
    assert_eq!(facts(&memory, "pell", "lore").len(), 1);
}

#[test]
fn a_write_that_does_nothing_is_refused() {
    let memory = town();
    let nothing = |memory: &Memory| memory.write(|_| Ok(Operation::new(Author::Dm, "nothing", vec![]))).unwrap().wait();
    refused(&memory, nothing, &["nothing would change"]);
    let missing = |memory: &Memory| {
        memory.write(|_| Ok(Operation::new(Author::Dm, "x", vec![Change::RemoveEntity(id("nobody"))]))).unwrap().wait()
    };
    refused(&memory, missing, &["there is no entity `nobody`"]);
}

#[test]
fn the_graph_tables_follow_the_journal_without_being_asked() {
    let directory = tempfile::tempdir().unwrap();
    let location = Location::Directory(directory.path().join("campaign"));
    let memory = Memory::open(MemoryOptions { location, ..options() }).unwrap();
    let changes = || {
        let entities = (0..12_000).map(|n| Change::AddEntity(Entity::new(id(&format!("e-{n}"))))).collect();
        Operation::new(Author::Game, "many", entities)
    };
    memory.write(move |_| Ok(changes())).unwrap().wait().unwrap();
    // The operation has more rows than the queue of the store accepts, so the worker must be woken when there is space.
    let started_at = std::time::Instant::now();
    loop {
        std::thread::sleep(std::time::Duration::from_millis(700));
        let status = memory.status().unwrap().wait().unwrap();
        if status.projected == status.position {
            break;
        }
        assert!(started_at.elapsed().as_secs() < 40, "{status:?}");
    }
    memory.rebuild().unwrap().wait().unwrap();
    let written = do_edit(&memory, set("e-1", "age", "3"));
    memory.undo(UndoTarget::At(written.position)).unwrap().wait().unwrap();
    memory.close().unwrap();
}

#[test]
fn a_campaign_without_files_writes_no_graph_tables() {
    let memory = Memory::open(options()).unwrap();
    let entities = (0..2_000).map(|n| Change::AddEntity(Entity::new(id(&format!("e-{n}"))))).collect();
    let many = Operation::new(Author::Game, "many", entities);
    memory.write(move |_| Ok(many.clone())).unwrap().wait().unwrap();
    // With graph tables, the rows of this operation would take a second.
    let status = memory.status().unwrap().wait().unwrap();
    assert_eq!((status.projected, status.entities), (status.position, 2_000));
    memory.rebuild().unwrap().wait().unwrap();
    memory.close().unwrap();
}
