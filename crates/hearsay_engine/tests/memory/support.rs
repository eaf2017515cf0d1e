//! A small town, and helpers for frequent steps of the tests.

use std::{path::Path, sync::Arc, time::Duration};

use hearsay_belief::View;
use hearsay_commands::edit::{Edit, FactOptions};
use hearsay_engine::{ExtractionSettings, Memory, MemoryError, MemoryOptions, ModelSettings, Settings, Written};
use hearsay_model::{EntityId, Fact, FactId, FactStatus, GameTime, Kind, Knower, Object, Predicate, SessionId, State};
use hearsay_query::resolve::find_fact;
use hearsay_store::Location;

pub(crate) const DAY: i64 = 24 * 60;

/// Returns settings without fact extraction and without the model, which takes half a second to load.
pub(crate) fn settings() -> Settings {
    let extraction = ExtractionSettings { enabled: false, ..ExtractionSettings::default() };
    Settings { model: ModelSettings { enabled: false, ..ModelSettings::default() }, extraction, ..Settings::default() }
}

pub(crate) fn options() -> MemoryOptions {
    MemoryOptions { settings: settings(), ..MemoryOptions::in_memory() }
}

pub(crate) fn options_at(directory: &Path) -> MemoryOptions {
    MemoryOptions { location: Location::Directory(directory.to_owned()), ..options() }
}

pub(crate) fn empty() -> Memory {
    Memory::open(options()).unwrap()
}

pub(crate) fn town() -> Memory {
    let memory = empty();
    found_town(&memory);
    memory
}

/// Adds a small town: the Gull, a tavern at the harbour where Mirela and Pell live; Odo, who has no place; the guild;
/// and a ring.
pub(crate) fn found_town(memory: &Memory) {
    for (name, kind, place) in [
        ("Harbour", Kind::Location, None),
        ("The Gull", Kind::Location, Some("Harbour")),
        ("Mirela Voss", Kind::Npc, Some("The Gull")),
        ("Pell", Kind::Npc, Some("The Gull")),
        ("Odo Brandt", Kind::Npc, None),
        ("The Guild", Kind::Faction, None),
        ("Silver Ring", Kind::Item, None),
    ] {
        do_edit(memory, add(name, kind, place));
    }
}

pub(crate) fn add(name: &str, kind: Kind, place: Option<&str>) -> Edit {
    Edit::Add { name: name.into(), kind, id: None, place: place.map(id) }
}

pub(crate) fn set(entity: &str, attribute: &str, value: &str) -> Edit {
    set_with(entity, attribute, value, FactOptions::default())
}

pub(crate) fn set_with(entity: &str, attribute: &str, value: &str, options: FactOptions) -> Edit {
    Edit::Set { entity: id(entity), attribute: attribute.into(), value: value.into(), options }
}

pub(crate) fn relate(subject: &str, predicate: &str, object: &str) -> Edit {
    relate_with(subject, predicate, object, FactOptions::default())
}

pub(crate) fn relate_with(subject: &str, predicate: &str, object: &str, options: FactOptions) -> Edit {
    Edit::Relate { subject: id(subject), predicate: predicate.into(), object: id(object), options }
}

pub(crate) fn try_edit(memory: &Memory, edit: Edit) -> Result<Written, MemoryError> {
    memory.edit(edit).unwrap().wait()
}

pub(crate) fn do_edit(memory: &Memory, edit: Edit) -> Written {
    try_edit(memory, edit).unwrap()
}

pub(crate) fn state(memory: &Memory) -> Arc<State> {
    memory.read(|snapshot| Ok(Arc::clone(&snapshot.state))).unwrap().wait().unwrap()
}

pub(crate) fn set_clock(memory: &Memory, minute: i64) {
    memory.set_clock(GameTime(minute)).unwrap().wait().unwrap();
}

/// Returns the id of the entity with an id or a name.
pub(crate) fn id(name: &str) -> EntityId {
    EntityId::from_name(name).unwrap()
}

pub(crate) fn ids(names: &[&str]) -> Vec<EntityId> {
    names.iter().map(|name| id(name)).collect()
}

pub(crate) fn session(text: &str) -> SessionId {
    SessionId::new(text).unwrap()
}

/// Returns the id of a fact that does not exist.
pub(crate) fn no_fact() -> FactId {
    "0".repeat(32).parse().unwrap()
}

/// Returns the id of the fact with a handle.
pub(crate) fn handle(state: &State, handle: &str) -> FactId {
    find_fact(state, handle).unwrap().id()
}

/// Returns the objects of all facts with a subject and a predicate, whatever their status.
pub(crate) fn facts(memory: &Memory, subject: &str, predicate: &str) -> Vec<Arc<Fact>> {
    let state = state(memory);
    let mut facts: Vec<_> = state
        .facts()
        .filter(|fact| fact.subject().as_str() == subject && *fact.predicate() == *predicate)
        .cloned()
        .collect();
    facts.sort_by_key(|fact| (fact.object().to_string(), fact.validity().start(), fact.id()));
    facts
}

pub(crate) fn fact(memory: &Memory, subject: &str, predicate: &str) -> Arc<Fact> {
    let mut facts = facts(memory, subject, predicate);
    assert_eq!(facts.len(), 1, "{facts:?}");
    facts.remove(0)
}

/// Returns each value of a predicate with the days on which the value begins and ends: `inn 1..3`.
pub(crate) fn course(memory: &Memory, subject: &str, predicate: &str) -> Vec<String> {
    let day = |time: Option<GameTime>| time.map_or(String::new(), |time| (time.0 / DAY).to_string());
    let one = |fact: &Arc<Fact>| {
        let end_mark = if fact.validity().is_closed() && fact.validity().end().is_none() { "?" } else { "" };
        let (start, end) = (day(fact.validity().start()), day(fact.validity().end()));
        format!("{} {start}..{end}{end_mark}", fact.object())
    };
    facts(memory, subject, predicate).iter().map(one).collect()
}

/// Returns the knowers with an edge to a fact, sorted.
pub(crate) fn known_by(memory: &Memory, fact: &Fact) -> Vec<String> {
    let state = state(memory);
    let mut knowers: Vec<_> = state.known_by(fact.id()).map(|edge| edge.knower.to_string()).collect();
    knowers.sort();
    knowers
}

/// Returns whether a character knows a sentence, either itself or as a member, as a resident or as common lore.
pub(crate) fn knows(memory: &Memory, knower: &str, statement: &str) -> bool {
    let view = View::new(&state(memory), &Knower::Entity(id(knower)), None);
    view.facts().any(|known| known.statement() == statement)
}

/// Returns the sentences of all facts with a status.
pub(crate) fn with_status(memory: &Memory, status: FactStatus) -> Vec<String> {
    let state = state(memory);
    state.facts().filter(|fact| fact.status() == status).map(|fact| fact.statement().to_owned()).collect()
}

/// Checks that a request fails with these words and changes nothing.
pub(crate) fn refused<T: std::fmt::Debug>(
    memory: &Memory,
    request: impl FnOnce(&Memory) -> Result<T, MemoryError>,
    words: &[&str],
) {
    let before = state(memory);
    let error = request(memory).unwrap_err().to_string();
    for word in words {
        assert!(error.contains(word), "`{word}` in `{error}`");
    }
    let after = state(memory);
    assert!(*before == *after && before.position() == after.position(), "{error}");
}

pub(crate) fn predicate(name: &str) -> Predicate {
    Predicate::new(name).unwrap()
}

pub(crate) fn entity(name: &str) -> Object {
    Object::Entity(id(name))
}

/// Blocks the worker until the returned value is dropped. Returns after the worker is blocked.
pub(crate) fn block(memory: &Memory) -> crossbeam_channel::Sender<()> {
    let (release, released) = crossbeam_channel::bounded::<()>(0);
    let (started_sender, started) = crossbeam_channel::bounded(1);
    let ticket = memory
        .read(move |_| {
            let _ = started_sender.send(());
            let _ = released.recv_timeout(Duration::from_secs(20));
            Ok(())
        })
        .unwrap();
    started.recv_timeout(Duration::from_secs(10)).unwrap();
    // Dropping the ticket does not end a read that has begun.
    drop(ticket);
    release
}

pub(crate) fn gullhaven() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../campaigns/gullhaven")
}

pub(crate) fn tiny_tavern() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../campaigns/tiny-tavern")
}
