//! Tests the vocabulary. A predicate is defined only by its entry: together, the entries of the campaigns in these
//! tests use every property that a predicate can have. The code of the project contains no name of a relation.

use std::{fs, sync::Arc, time::Duration};

use hearsay_belief::{
    Trust, View,
    graph::{Traversal, neighbours},
    is_dead,
};
use hearsay_commands::edit::{Edit, FactOptions};
use hearsay_engine::{ExtractionEngine, ExtractionSettings, Memory, MemoryOptions, ModelSettings, Settings};
use hearsay_model::{EntityId, Fact, Predicate, State, Vocabulary};
use hearsay_query as query;
use hearsay_query::{
    session::{ThreadFilter, ThreadKind, threads},
    timeline::TimelineFilter,
};

use crate::{architecture, gullhaven::root};

const CAMPAIGN: &str = r#"
format: 1
campaign: {id: oaths, name: Oaths}
predicates:
  - name: SWORN_TO
    phrase: "{subject} is sworn to {object}"
    inverse: HAS_SWORN
    inverse_phrase: "{object} has the oath of {subject}"
    functional: true
    audience: parties
    behavior: {belonging: member, thread: promise, attitude: 80, object_attitude: 20, notable: true}
  - name: HEARD_AT
    phrase: "{subject} was heard at {object}"
    behavior: {event: place}
  - name: CURSED_TO_DEATH
    phrase: "{subject} cursed {object} to death"
    behavior: {fatal: true}
attributes:
  - name: fate
    functional: true
    behavior: {dead_values: [Drowned], minor: true}
  - {name: outlook, behavior: {ended_values: [hopeless]}}
entities:
  - {id: ann, name: Ann, kind: npc, relationships: [{type: SWORN_TO, target: lanterns}, {type: CURSED_TO_DEATH, target: cy}]}
  - {id: cy, name: Cy, kind: npc}
  - {id: bo, name: Bo, kind: npc, attributes: {fate: drowned}}
  - {id: lanterns, name: The Lanterns, kind: faction, facts: [{id: cellar, text: The Lanterns meet in a cellar., known_by: [lanterns]}]}
  - {id: watch, name: The Watch, kind: faction}
  - {id: hunt, name: The Hunt, kind: quest, attributes: {outlook: hopeless}}
  - {id: search, name: The Search, kind: quest}
  - {id: toll, name: The Toll, kind: event, relationships: [{type: HEARD_AT, target: quay}]}
  - {id: quay, name: The Quay, kind: location}
"#;

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn state(memory: &Memory) -> Arc<State> {
    memory.read(|world| Ok(Arc::clone(&world.state))).unwrap().wait().unwrap()
}

fn open_memory(extraction: ExtractionSettings) -> Memory {
    let model = ModelSettings { enabled: false, ..ModelSettings::default() };
    let settings = Settings { model, extraction, ..Settings::default() };
    Memory::open(MemoryOptions { settings, ..MemoryOptions::in_memory() }).unwrap()
}

/// Opens a memory in which the patterns extract facts from texts.
fn open_reading_memory() -> Memory {
    open_memory(ExtractionSettings { engine: ExtractionEngine::Patterns, ..ExtractionSettings::default() })
}

fn import(memory: &Memory, files: &[(&str, &str)]) {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(directory.path().join(name), text).unwrap();
    }
    memory.import(directory.path()).unwrap().wait().unwrap();
}

/// Waits until facts have been extracted from all texts and are recorded.
fn settle(memory: &Memory) {
    for _ in 0..2_000 {
        let status = memory.status().unwrap().wait().unwrap();
        if status.unread == 0 && status.waiting_writes == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("texts are never read");
}

/// Returns the relations as `subject PREDICATE object`, with the number of pieces of evidence of each, sorted.
fn relations(state: &State) -> Vec<(String, usize)> {
    let of_fact = |fact: &Fact| {
        let object = fact.object().entity()?;
        Some((format!("{} {} {object}", fact.subject(), fact.predicate()), fact.provenance().evidence.len()))
    };
    let mut relations: Vec<_> = state.facts().filter_map(|fact| of_fact(fact)).collect();
    relations.sort();
    relations
}

fn open(kind: ThreadKind, state: &State) -> Vec<String> {
    let filter = ThreadFilter { kinds: vec![kind], ..ThreadFilter::default() };
    threads(state, &filter).unwrap().into_iter().map(|thread| thread.description).collect()
}

#[test]
fn a_new_predicate_is_one_entry() {
    let memory = open_memory(ExtractionSettings { enabled: false, ..ExtractionSettings::default() });
    import(&memory, &[("campaign.yaml", CAMPAIGN)]);
    let before = state(&memory);
    let sworn = Predicate::new("SWORN_TO").unwrap();

    // The sentence of the oath is built from the phrase of its predicate. The oath is an edge of the graph and an open
    // promise.
    let oath = before.newest(&id("ann"), "SWORN_TO").unwrap();
    assert_eq!(oath.statement(), "Ann is sworn to The Lanterns.");
    let near = neighbours(&before, &id("ann"), &Traversal::default(), 1, 10);
    assert!(near.iter().any(|near| *near.id == id("lanterns")), "{near:?}");
    assert_eq!(open(ThreadKind::Promise, &before), ["Ann is sworn to The Lanterns."]);

    // The member of the group knows the facts of the group. The oath raises the member's trust in the group.
    let knows = |state: &State| {
        let cellar = state.facts_by_handle("cellar").next().unwrap().id();
        View::new(state, &id("ann").into(), None).fact(cellar).is_some()
    };
    assert!(knows(&before));
    let trust = |state: &State, who: &str, whom: &str| Trust::between(state, &id(who), &id(whom)).level().get();
    assert!(trust(&before, "ann", "lanterns") > trust(&before, "ann", "bo"));

    // Checks four custom predicates: the place of an event, an attribute and a relation for the death of a character,
    // and an attribute for the end of a quest.
    let timeline = query::timeline::timeline(&before, &TimelineFilter::default()).unwrap();
    let toll = timeline.undated.iter().find(|moment| moment.event == Some(id("toll"))).unwrap();
    assert_eq!(toll.place, Some(id("quay")));
    assert!(is_dead(&before, &id("bo"), None) && !is_dead(&before, &id("ann"), None));
    assert!(is_dead(&before, &id("cy"), None));
    assert_eq!(open(ThreadKind::Quest, &before), ["The Search"]);
    assert!(before.vocabulary().behavior(&sworn).notable);
    assert!(before.vocabulary().behavior(&Predicate::new("fate").unwrap()).minor);

    // A character can have only one oath at a time, so a new oath ends the old oath. The old promise is no longer open.
    let (subject, object) = (id("ann"), id("watch"));
    let relate = Edit::Relate { subject, predicate: "is sworn to".into(), object, options: FactOptions::default() };
    memory.edit(relate).unwrap().wait().unwrap();
    let after = state(&memory);
    assert_eq!(open(ThreadKind::Promise, &after), ["Ann is sworn to The Watch."]);
}

#[test]
fn the_words_of_a_new_relation_are_read_in_fields_and_sentences() {
    let memory = open_reading_memory();
    let campaign = r#"
campaign: {id: satire, name: Satire}
predicates:
  - name: LAMPOONS
    phrase: "{subject} lampoons {object}"
    words: {fields: [satirist of], inverse_fields: [satirist], nouns: [satirist], verbs: [lampoon]}
entities: [{id: watch, name: The Watch, kind: faction}]
"#;
    import(&memory, &[("campaign.yaml", campaign)]);
    let notes = [
        ("Ann Marsh.md", "---\ntags: [npc]\nsatirist of: \"[[Bo Rusk]]\"\n---\n"),
        ("Bo Rusk.md", "---\ntags: [npc]\nsatirist: \"[[Cid Orrin]]\"\n---\n"),
        ("Cid Orrin.md", "---\ntags: [npc]\n---\nCid Orrin lampoons Dot Vane.\n"),
        ("Dot Vane.md", "---\ntags: [npc]\n---\nDot Vane is the satirist of Ann Marsh.\n"),
    ];
    import(&memory, &notes);
    settle(&memory);
    let relations: Vec<String> = relations(&state(&memory)).into_iter().map(|(relation, _)| relation).collect();
    let expected = ["ann-marsh bo-rusk", "cid-orrin bo-rusk", "cid-orrin dot-vane", "dot-vane ann-marsh"];
    assert_eq!(relations, expected.map(|pair| pair.replace(' ', " LAMPOONS ")));
}

#[test]
fn a_relation_in_a_field_and_in_a_sentence_is_one_fact() {
    let memory = open_reading_memory();
    let ann = r#"---
tags: [npc]
sibling: "[[Bo Marsh]]"
cousin: "[[Eve Ash]]"
spouse: "[[Cid Orrin]]"
ruler-of: "[[Saltvale]]"
deity: "[[Kord]]"
mentor: "[[Vo Tarn]]"
---
Bo Marsh is the sister of Ann Marsh. Eve Ash is Ann Marsh's cousin. Ann Marsh is married to Cid Orrin.
Ann Marsh rules Saltvale. Ann Marsh worships Kord. Vo Tarn is Ann Marsh's mentor.
"#;
    let person = "---\ntags: [npc]\n---\n";
    let notes = [
        ("Ann Marsh.md", ann),
        ("Bo Marsh.md", person),
        ("Eve Ash.md", person),
        ("Cid Orrin.md", person),
        ("Vo Tarn.md", person),
        ("Saltvale.md", "---\ntags: [location]\n---\n"),
        ("Kord.md", "---\ntags: [deity]\n---\n"),
    ];
    import(&memory, &notes);
    settle(&memory);
    let expected = [
        "ann-marsh MARRIED_TO cid-orrin",
        "ann-marsh RELATIVE_OF eve-ash",
        "ann-marsh RULES saltvale",
        "ann-marsh SIBLING_OF bo-marsh",
        "ann-marsh STUDENT_OF vo-tarn",
        "ann-marsh WORSHIPS kord",
    ];
    assert_eq!(relations(&state(&memory)), expected.map(|relation| (relation.to_owned(), 2)), "the field and the text");
}

#[test]
fn no_code_names_a_predicate() {
    let vocabulary = Vocabulary::default();
    let names: Vec<String> = vocabulary.predicates().map(|def| format!("\"{}\"", def.name)).collect();
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    // `hearsay_eval` contains names of relations, because it generates worlds and stories with them.
    for directory in crates.filter(|path| !path.ends_with("hearsay_eval")) {
        let mut files = Vec::new();
        architecture::sources(&directory.join("src"), &mut files);
        for file in &files {
            let text = fs::read_to_string(file).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
            for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
                let named = names.iter().find(|name| line.contains(name.as_str()));
                assert!(named.is_none(), "{}: use the vocabulary instead of a name: {line}", file.display());
            }
        }
    }
}
