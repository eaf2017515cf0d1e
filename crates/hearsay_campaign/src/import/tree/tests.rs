use proptest::prelude::*;

use super::{Data, Tree};
use crate::{
    Limits,
    alias::AliasBytes,
    import::{FileId, SourceText},
};

fn parse(path: &str, source: &str) -> Result<Tree, String> {
    Tree::parse(&SourceText::new(FileId(0), source.to_owned()), path, &Limits::default(), &AliasBytes::default())
}

#[test]
fn values_know_their_places() {
    let json = "{\"a\": [1, \"tö\\u00e9\\n\"],\n \"b\": {\"c\": true}}";
    let tree = parse("x.json", json).unwrap();
    let text = tree.path("a.1");
    assert_eq!(text.text(), Some("töé\n"));
    assert_eq!(&json[text.span.start as usize..text.span.end as usize], "\"tö\\u00e9\\n\"");
    assert_eq!((text.line, tree.path("b.c").line), (1, 2));
    assert!(tree.path("b.c").is_true() && tree.path("b.x.y").is_null());

    let yaml = "a: [1, 'tö']\nb:\n  c: >-\n    long\n    line\n  d: yes\n";
    let tree = parse("x.yaml", yaml).unwrap();
    let text = tree.path("a.1");
    assert_eq!(&yaml[text.span.start as usize..text.span.end as usize], "'tö'");
    assert_eq!(tree.path("b.c").text(), Some("long line"));
    assert_eq!(tree.path("b.c").line, 4, "where the text begins");

    let csv = "name,home\n\"Oak, Ann\",Vale\nBob,\n";
    let tree = parse("x.csv", csv).unwrap();
    assert_eq!(tree.path("0.name").text(), Some("Oak, Ann"));
    let row = tree.path("1.name");
    assert_eq!((row.line, csv[row.span.start as usize..row.span.end as usize].trim()), (3, "Bob,"));
}

#[test]
fn faults_name_their_lines() {
    for (path, source, expected) in [
        ("a.json", "{\n\"a\": }", "line 2: invalid JSON: expected a value"),
        ("a.json", "{\"a\": 1} x", "trailing data"),
        ("a.json", "", "unexpected end"),
        ("a.json", "{\"a\": \"b", "no closing quote"),
        ("a.json", "{\"a\": \"\\ud83", "unknown escape"),
        ("a.yaml", "a: [1", "invalid YAML"),
        ("a.yaml", "a: *b", "invalid YAML"),
    ] {
        let why = parse(path, source).unwrap_err();
        assert!(why.contains(expected), "{source}: {why}");
    }
    let deep = "[".repeat(1 << 20);
    assert!(parse("a.json", &deep).unwrap_err().contains("deep"));
    assert!(parse("a.yaml", &deep).is_err());
}

#[test]
fn a_long_line_is_read() {
    let source = format!("{{\"a\": \"{}\"}}", "x".repeat(8 << 20));
    assert_eq!(parse("a.json", &source).unwrap().get("a").text().map(str::len), Some(8 << 20));
}

/// Generates JSON values. The test writes them with another library and reads them back.
fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        ".{0,12}".prop_map(serde_json::Value::String),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::Array),
            prop::collection::btree_map(".{0,6}", inner, 0..5)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

fn same(tree: &Tree, value: &serde_json::Value) -> bool {
    use serde_json::Value;
    match (&tree.data, value) {
        (Data::Null, Value::Null) => true,
        (Data::Flag(a), Value::Bool(b)) => a == b,
        (Data::Number(a), Value::Number(b)) => **a == b.to_string(),
        // Carriage returns do not change the result.
        (Data::Text(a), Value::String(b)) => **a == *b.replace('\r', "").replace(['\u{8}', '\u{c}'], " "),
        (Data::List(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Data::Map(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| {
                    b.iter()
                        .any(|(name, b)| name.replace('\r', "").replace(['\u{8}', '\u{c}'], " ") == **key && same(a, b))
                })
        }
        _ => false,
    }
}

proptest! {
    #[test]
    fn json_is_read_as_others_read_it(value in value(), pretty in any::<bool>()) {
        let source = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let tree = parse("a.json", &source).unwrap();
        prop_assert!(same(&tree, &value), "{source}");
    }

    #[test]
    fn nothing_panics(source in "[\\[\\]{}:,\"\\\\ a1\n\u{e9}*&-]{0,60}") {
        for path in ["a.json", "a.yaml", "a.csv"] {
            let _ = parse(path, &source);
        }
        let text = SourceText::new(FileId(0), source);
        let _ = Tree::lines(&text, &Limits::default()).count();
    }
}
