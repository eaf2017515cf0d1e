//! Mappings of files that were written for these tests.

use std::path::Path;

use hearsay_model::Kind;

use super::{Tree, select::matches_glob, spec::MappingSpec};
use crate::{
    Campaign, Format, Limits, ReadOptions,
    alias::AliasBytes,
    import::{FileId, SourceText},
    read_any,
    tests::notes::{assert_hushed, kind, read as read_in, relations, skipped, texts, values},
};

fn read(files: &[(&str, &str)]) -> Campaign {
    read_in(files, Format::Mapping)
}

const MAPPING: &str = r#"
mapping: 1
name: The Coast
sources:
  - files: data/people*.json
    records: people.*
    where: [{field: kind, is: [person, hero]}, {field: draft, not: true}]
    kind: {field: kind, values: {person: npc, hero: player}}
    id: $key
    name: full.name
    aliases: [{field: nick, split: true}]
    player: {field: kind, is: hero}
    secret: {field: hidden, is: true}
    known_by: known_by
    fields:
      - stats.age
      - {field: job, as: occupation}
      - {field: debt, secret: true}
      - {constant: coast, as: origin}
    relations:
      - {field: boss, relation: EMPLOYED_BY, target: id}
      - {field: guilds, relation: MEMBER_OF}
      - {field: enemies}
      - {field: home, make: location, relation: RESIDENT_OF}
      - {field: pupils, relation: taught_by, backwards: true, target: id}
      - {field: master, relation: EMPLOYED_BY, target: id, secret: true}
    dates: [{field: born}]
    states: [condition]
    passages:
      - {field: bio, secret_headings: [Plot hooks], skip_headings: [Data]}
      - {field: notes, heading: Notes, secret: true, markup: markdown}
  - files: "**/guilds.csv"
    kind: faction
    id: id
    name: name
    prefix: g
    fields: [{field: colours, split: "/", as: colour}]
"#;

const PEOPLE: &str = r#"{"people": {
  "p1": {"kind": "person", "full": {"name": "Ann Oak"}, "nick": "Annie (to friends), Red", "stats": {"age": 40}, "job": "smith", "debt": "hush one", "boss": "p2",
    "guilds": "Tide Guild, Local Militia", "enemies": "None; works independently.", "home": "Gull Rock", "born": "3 Rain -12", "condition": "DECEASED",
    "bio": "<h1>Data</h1><table><tr><td>Age<td>40</table><h3>Story</h3><p>She left.</p><h3>Plot Hooks</h3><ul><li>Hush two.</ul>", "notes": "Hush **three**.", "pupils": ["p3"]},
  "p2": {"kind": "person", "full": {"name": "Bob"}, "guilds": "Tide Guild", "enemies": "<p>rival faction</p>", "home": "None", "master": "p9"},
  "p3": {"kind": "hero", "full": {"name": "Petra"}, "home": "gull rock"},
  "p4": {"kind": "person", "full": {"name": "Half"}, "draft": true},
  "p5": {"kind": "ship", "full": {"name": "Gull"}},
  "p6": {"kind": "person", "full": {"name": "Hush Four"}, "hidden": true, "home": "Hush Isle"},
  "p7": {"kind": "person", "full": {"name": "Hush Five"}, "known_by": ["Bob"]},
  "p8": {"kind": "person"},
  "p9": {"kind": "person", "full": {"name": "Bob"}}}}"#;

#[test]
fn records_are_read_as_the_mapping_says() {
    let campaign = read(&[
        ("coast.mapping.yaml", MAPPING),
        ("data/people1.json", PEOPLE),
        ("data/guilds.csv", "id,name,colours\n1,Tide Guild,red / blue\n"),
    ]);
    assert_eq!(
        relations(&campaign),
        [
            "ann-oak EMPLOYED_BY bob",
            "ann-oak MEMBER_OF tide-guild?",
            "ann-oak RESIDENT_OF gull-rock",
            "bob EMPLOYED_BY bob-data!",
            "bob MEMBER_OF tide-guild?",
            "hush-four RESIDENT_OF hush-isle!",
            "petra RESIDENT_OF gull-rock",
            "petra TAUGHT_BY ann-oak"
        ]
    );
    let ids: Vec<_> = campaign.entities().keys().map(|id| id.as_str()).collect();
    assert_eq!(
        ids,
        ["ann-oak", "bob", "bob-data", "gull-rock", "hush-five", "hush-four", "hush-isle", "petra", "tide-guild"],
        "one name, two people; and nobody of `Local Militia` or `rival faction`"
    );
    assert_eq!(kind(&campaign, "petra"), Some(Kind::Player));
    assert_eq!(kind(&campaign, "gull-rock"), Some(Kind::Location));
    assert_eq!(values(&campaign, "ann-oak", "alias"), ["Annie (to friends)", "Red"]);
    assert_eq!(values(&campaign, "ann-oak", "age"), ["40"]);
    assert_eq!(values(&campaign, "ann-oak", "origin"), ["coast"]);
    assert_eq!(values(&campaign, "ann-oak", "condition"), ["dead"]);
    assert_eq!(values(&campaign, "ann-oak", "date"), ["3 Rain -12"], "a date that no calendar reads is kept");
    assert_eq!(values(&campaign, "tide-guild", "colour"), ["red", "blue"]);
    assert_eq!(
        texts(&campaign),
        ["Ann Oak: Notes| Hush three.", "Ann Oak: Plot Hooks| Hush two.", "Ann Oak: Story| She left."]
    );
    assert!(campaign.warnings().iter().any(|warning| warning.message.contains("skipped 1 records without a name")));
}

#[test]
fn private_content_stays_private() {
    let campaign = read(&[
        ("coast.mapping.yaml", MAPPING),
        ("data/people1.json", PEOPLE),
        ("data/guilds.csv", "id,name,colours\n"),
    ]);
    let secrets = ["hush one", "hush two", "hush three", "hush four", "hush five", "hush isle"];
    assert_hushed(&campaign, &secrets, &["bob"]);
}

#[test]
fn a_mapping_with_faults_says_what_is_expected() {
    for (source, expected) in [
        ("mapping: 2\nsources: []\n", "line 1, `mapping`: expected `mapping: 1`"),
        ("mapping: 1\n", "`sources`: expected a list of sources"),
        ("mapping: 1\nsources: [{files: a.json}]\n", "line 2, `name`"),
        (
            "mapping: 1\nsources: [{files: a.json, name: n, kinds: npc}]\n",
            "line 2, `kinds`: unknown field; the fields of a source are files",
        ),
        ("mapping: 1\nsources: [{files: a.json, name: n, where: [{field: x}]}]\n", "`is`: expected one of"),
        (
            "mapping: 1\nsources: [{files: a.json, name: n, fields: [{secret: true}]}]\n",
            "expected the path of a field, or a `constant`",
        ),
        ("mapping: 1\nsources: [{files: a.json, name: n, passages: [{field: x, markup: rtf}]}]\n", "`markup`"),
        ("mapping: 1\nsources: [{files: a.json, name: n, format: xml}]\n", "`format`"),
        ("mapping: 1\nsources: [3]\n", "expected `key: value`"),
    ] {
        let text = SourceText::new(FileId(0), source.to_owned());
        let tree = Tree::parse(&text, "m.yaml", &Limits::default(), &AliasBytes::default()).unwrap();
        let why = MappingSpec::read(&tree).unwrap_err();
        assert!(why.contains(expected), "{source}: {why}");
    }
    let campaign = read(&[("mapping.yaml", "mapping: 1\nsources: 3\n"), ("a.json", "[]")]);
    assert!(skipped(&campaign)[0].contains("see MAPPING.md"));
}

#[test]
fn lines_and_bad_files() {
    let mapping = "mapping: 1\nsources:\n  - {files: ['*.jsonl', '*.csv', '*.json'], name: name, kind: npc}\n  - {files: none.json, name: n}\n";
    let campaign = read(&[
        ("a.mapping.yml", mapping),
        ("a.jsonl", "{\"name\": \"Ann\"}\n{\"name\": \n{\"name\": \"Bob\"}\n"),
        ("b.json", "{\"name\": [1"),
        ("c.csv", "name\nCob\n"),
    ]);
    let ids: Vec<_> = campaign.entities().keys().map(|id| id.as_str()).collect();
    assert_eq!(ids, ["ann", "bob", "cob"]);
    assert_eq!(skipped(&campaign).len(), 1);
    let warned: Vec<_> = campaign.warnings().iter().map(|warning| (warning.path.as_str(), warning.line)).collect();
    assert_eq!(warned, [("a.jsonl", 2), ("a.mapping.yml", 4)]);
}

#[test]
fn files_are_found_by_patterns() {
    for (pattern, path, is_match) in [
        ("a.json", "a.json", true),
        ("a.json", "b/a.json", false),
        ("**/a.json", "a.json", true),
        ("**/a.json", "b/c/a.json", true),
        ("data/*.json", "data/x.json", true),
        ("data/*.json", "data/x/y.json", false),
        ("*a*a*", "banana", true),
        ("a*a", "a", false),
        ("**", "a/b", true),
    ] {
        assert_eq!(matches_glob(pattern, path), is_match, "{pattern} {path}");
    }
}

#[test]
fn the_schema_matches_the_reader() {
    fn to_json(tree: &Tree) -> serde_json::Value {
        use crate::import::tree::Data;
        match &tree.data {
            Data::Null => serde_json::Value::Null,
            Data::Flag(flag) => (*flag).into(),
            Data::Number(number) => serde_json::from_str(number).unwrap(),
            Data::Text(text) => (&**text).into(),
            Data::List(items) => items.iter().map(to_json).collect(),
            Data::Map(entries) => entries.iter().map(|(key, value)| (key.to_string(), to_json(value))).collect(),
        }
    }
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../../../schema/mapping.schema.json")).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let check = |source: &str| {
        let text = SourceText::new(FileId(0), source.to_owned());
        let tree = Tree::parse(&text, "m.yaml", &Limits::default(), &AliasBytes::default()).unwrap();
        let valid = validator.is_valid(&to_json(&tree));
        assert_eq!(valid, MappingSpec::read(&tree).is_ok(), "{source}");
        valid
    };
    assert!(check(MAPPING));
    assert!(check(include_str!("../../../../mappings/heroes-and-knaves.mapping.yaml")));
    for source in [
        "mapping: 2\nsources: [{files: a, name: n}]\n",
        "mapping: 1\nsources: []\n",
        "mapping: 1\nsources: [{files: a}]\n",
        "mapping: 1\nsources: [{files: a, name: n, kinds: npc}]\n",
        "mapping: 1\nsources: [{files: a, name: n, where: [{field: x}]}]\n",
        "mapping: 1\nsources: [{files: a, name: n, fields: [{secret: true}]}]\n",
        "mapping: 1\nsources: [{files: a, name: n, role: hero}]\n",
        "mapping: 1\nsources: [{files: a, name: n, relations: [{field: x, target: uuid}]}]\n",
        "mapping: 1\nsources: [{files: a, name: n, kind: {values: {a: npc}}}]\n",
    ] {
        assert!(!check(source), "{source}");
    }
}

/// Reads the files for which the documented example mapping was written, if they are available.
#[test]
fn heroes_and_knaves_are_188_npcs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mapping = root.join("mappings/heroes-and-knaves.mapping.yaml");
    let text = SourceText::new(FileId(0), std::fs::read_to_string(&mapping).unwrap());
    MappingSpec::read(&Tree::parse(&text, "m.yaml", &Limits::default(), &AliasBytes::default()).unwrap()).unwrap();
    let folder = shared().join("heroes-and-knaves");
    if !folder.is_dir() {
        return;
    }
    let options = ReadOptions { format: Some(Format::Mapping), mapping: Some(mapping), ..ReadOptions::default() };
    let campaign = read_any(&folder, &options, &Limits::default()).unwrap();
    let npcs = campaign.entities().values().filter(|kind| **kind == Kind::Npc).count();
    assert_eq!(npcs, 188);
    for id in campaign.entities().keys() {
        let words: Vec<_> = id.as_str().split('-').collect();
        assert!(
            !["none", "rival", "militia", "independently"].iter().any(|word| words.contains(word)),
            "{id} is nobody"
        );
    }
    let count = |kind: Kind| campaign.entities().values().filter(|entity_kind| **entity_kind == kind).count();
    assert_eq!((count(Kind::Location), count(Kind::Concept), campaign.entities().len()), (24, 37, 249));
    assert_eq!(relations(&campaign).len(), 376, "a realm and a god for each");
    assert!(campaign.passages().count() > 1000, "{} passages", campaign.passages().count());
    assert!(campaign.findings.skipped.is_empty() && campaign.findings.stubs.is_empty());
}

/// Returns directories of campaigns that are not part of the project.
fn shared() -> std::path::PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data_folders = ["../shared/data/campaigns", "../../shared/data/campaigns"];
    data_folders.iter().map(|path| root.join(path)).find(|path| path.is_dir()).unwrap_or_default()
}
