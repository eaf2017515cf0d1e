use std::path::Path;

use super::*;
use crate::mask::Mask;

const SCENE: &str = r#"{"scene":"s","entities":[{"id":"bram","kind":"npc","names":["Bram"],"pronouns":"he"},{"id":"odo","kind":"npc","names":["Odo"],"pronouns":"he"}]}"#;

fn labelled(lines: &[&str]) -> Result<Labelled, ExtractionError> {
    let mut labelled = Labelled::default();
    labelled.add(Path::new("file.jsonl"), &lines.join("\n"), 0, &Mask::default()).map(|()| labelled)
}

#[test]
fn found_facts_are_counted() {
    let works = r#"{"id":"1","scene":"s","form":"lore","text":"Bram works for Odo.","facts":[{"subject":"bram","predicate":"EMPLOYED_BY","object":"odo"}],"tags":["plain"]}"#;
    let wrong = r#"{"id":"2","scene":"s","form":"lore","text":"Bram works for Odo.","facts":[]}"#;
    let report = measure(&labelled(&[SCENE, works]).unwrap(), None);
    assert_eq!((report.n, report.precision, report.recall, report.review_recall), (1, 1.0, 1.0, 1.0));
    let report = measure(&labelled(&[SCENE, works, wrong]).unwrap(), None);
    assert_eq!((report.precision, report.recall, report.misses.len()), (0.5, 1.0, 1));
}

#[test]
fn a_label_covers_the_relations_that_it_does_not_tell_apart() {
    let brother = r#"{"id":"1","scene":"s","form":"lore","text":"Bram is Odo's brother.","facts":[{"subject":"bram","predicate":"RELATED_TO","object":"odo","relation":"brother"}]}"#;
    let report = measure(&labelled(&[SCENE, brother]).unwrap(), None);
    assert_eq!((report.accepted, report.precision, report.recall), (1, 1.0, 1.0));
}

#[test]
fn lines_that_cannot_be_read_are_named() {
    let check = |line: &str, expected: &str| {
        let error = labelled(&[SCENE, line]).unwrap_err().to_string();
        assert!(error.starts_with("file.jsonl:2: ") && error.contains(expected), "{error}");
    };
    check("{", "not valid JSON");
    check(r#"{"id":"1","scene":"t","form":"lore","text":"x","facts":[]}"#, "`t` is not defined");
    check(r#"{"id":"1","scene":"s","form":"song","text":"x","facts":[]}"#, "song");
    check(
        r#"{"id":"1","scene":"s","form":"lore","text":"x","facts":[{"subject":"pell","predicate":"OWES","object":"odo"}]}"#,
        "`pell` is no entity",
    );
    check(SCENE, "a second scene");
}
