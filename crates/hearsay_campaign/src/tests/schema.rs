//! The JSON Schema and the reader accept the same keys.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::fixture;
use crate::{
    Limits,
    alias::AliasBytes,
    error::Diagnostics,
    files::load_files,
    keys,
    yaml::{Node, Yaml, parse},
};

fn schema() -> Value {
    serde_json::from_str(include_str!("../../schema/campaign.schema.json")).unwrap()
}

fn to_json(node: &Node) -> Value {
    match &node.value {
        Yaml::Null => Value::Null,
        Yaml::Flag(flag) => json!(flag),
        Yaml::Number(number, raw) => raw.parse::<i64>().map_or_else(|_| json!(number), |whole| json!(whole)),
        Yaml::Text(text) => json!(text),
        Yaml::List(items) => items.iter().map(to_json).collect(),
        Yaml::Map(entries) => {
            entries.iter().map(|(key, node)| (key.text.to_string(), to_json(node))).collect::<Map<_, _>>().into()
        }
    }
}

fn errors(path: &std::path::Path) -> Vec<String> {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    let (limits, mut diagnostics) = (Limits::default(), Diagnostics::new(50));
    let files = load_files(path, &limits, &mut diagnostics).files;
    assert!(!files.is_empty());
    let mut errors = Vec::new();
    for file in files {
        let tree = parse(&file.bytes, 0, &limits, &AliasBytes::default(), &mut diagnostics).unwrap();
        let json_tree = to_json(&tree);
        errors.extend(validator.iter_errors(&json_tree).map(|e| format!("{}: {}: {e}", file.path, e.instance_path())));
    }
    errors
}

#[test]
fn fixtures_and_examples_fit_the_schema() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../campaigns");
    let examples = ["gullhaven", "tiny-tavern"].map(|name| root.join(name)).into_iter().filter(|path| path.is_dir());
    for path in [fixture("inn"), fixture("glyphoxa.yaml")].into_iter().chain(examples) {
        assert_eq!(errors(&path), Vec::<String>::new(), "{}", path.display());
    }
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    let check = |value: Value| assert!(!validator.is_valid(&value), "{value}");
    check(json!({"fcts": []}));
    check(json!({"facts": [{"subjekt": "ann", "text": "T."}]}));
    check(json!({"facts": [{"subject": "ann", "text": "T.", "confidence": 2}]}));
    check(json!({"entities": [{"name": "Ann"}]}));
    check(json!({"entities": [{"name": "Ann", "kind": "npc", "attributes": {"age": {"valeu": 3}}}]}));
    check(json!({"sessions": [{"id": "s", "log": [{"speaker": "ann", "txt": "T."}]}]}));
    check(json!({"facts": [{"subject": "ann", "text": "T.", "reveal": {"when": {"ownz": {"item": "book"}}}}]}));
    check(json!({"facts": [{"subject": "ann", "text": "T.", "reveal": {"when": {"date": "4", "flag": "f"}}}]}));
    check(json!({"flags": {"f": [1]}}));
    check(json!({"format": 2}));
    let calendar =
        |key: &str, value: Value| json!({"calendar": {"months": [{"name": "Rain", "days": 28}], key: value}});
    check(calendar("leap", json!([{"every": 0, "month": "Rain"}])));
    check(calendar("leap", json!([{"every": 4, "unless_every": 400, "month": "Rain"}])));
    check(calendar("eras", json!([{"name": "Age of Salt"}])));
    for era in [json!({"name": "Age of Salt", "start": 1}), json!({"name": "Dawn", "backwards": true, "end": 0})] {
        assert!(validator.is_valid(&calendar("eras", json!([era]))), "{era}");
    }
}

/// Returns the properties of a definition, including those of the definitions that it refers to.
fn properties(schema: &Value, def: &Value) -> BTreeSet<String> {
    let mut names: BTreeSet<String> =
        def["properties"].as_object().into_iter().flat_map(|object| object.keys().cloned()).collect();
    for part in def["allOf"].as_array().into_iter().flatten() {
        let name = part["$ref"].as_str().unwrap().trim_start_matches("#/$defs/");
        names.extend(properties(schema, &schema["$defs"][name]));
    }
    names
}

#[test]
fn reader_and_schema_know_the_same_keys() {
    let schema = schema();
    let mut strict = BTreeSet::new();
    for keys in keys::ALL {
        let def = if keys.schema_name.is_empty() { &schema } else { &schema["$defs"][keys.schema_name] };
        let known: BTreeSet<String> = keys.all_keys().map(str::to_owned).collect();
        assert_eq!(properties(&schema, def), known, "{}", keys.schema_name);
        let closed = def["additionalProperties"] == json!(false) || def["unevaluatedProperties"] == json!(false);
        assert!(closed, "{} is strict", keys.schema_name);
        strict.insert(keys.schema_name);
    }
    for (name, def) in schema["$defs"].as_object().unwrap() {
        let closed = def["additionalProperties"] == json!(false) || def["unevaluatedProperties"] == json!(false);
        assert_eq!(closed, strict.contains(name.as_str()), "{name} is known to the reader");
    }
}

#[test]
fn every_property_is_described() {
    fn walk(value: &Value, path: &str) {
        for (name, property) in value["properties"].as_object().into_iter().flatten() {
            let described = property["description"].is_string() || property["$ref"].is_string();
            assert!(described, "{path}/{name}");
        }
    }
    let schema = schema();
    walk(&schema, "");
    for (name, def) in schema["$defs"].as_object().unwrap() {
        assert!(def["description"].is_string(), "{name}");
        walk(def, name);
    }
}
