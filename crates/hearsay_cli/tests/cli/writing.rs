//! Tests of edits by hand, and of their undo.

use super::*;

#[test]
fn writing_by_hand_and_undoing() {
    let place = Place::new();
    let added = place.json(&["-C", "mill", "entity", "add", "Cora", "--at", "the-mill"]);
    assert_eq!((&added["position"], &added["entities"][0]), (&Value::from(2), &Value::from("cora")));
    let set = place.json(&["-C", "mill", "entity", "set", "cora", "occupation", "weaver"]);
    assert_eq!(set["facts"][0]["statement"], "Cora works as weaver.");
    let owes = place.json(&["-C", "mill", "fact", "add", "cora", "OWES", "ben", "--secret", "--attitude", "-20"]);
    let id = owes["facts"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(owes["facts"][0]["attitude"], -20);
    let right = place.json(&["-C", "mill", "fact", "correct", &id[..8], "--object", "ada"]);
    let id = right["facts"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(right["facts"][0]["object"], "ada");
    place.json(&["-C", "mill", "fact", "remove", &id]);
    place.fails(&["-C", "mill", "entity", "show", &id], 3, &[&id]);
    let history = place.json(&["-C", "mill", "db", "history", "--limit", "1"]);
    assert_eq!(history[0]["position"], 6);
    assert_eq!(place.json(&["-C", "mill", "undo", "--dry-run"])["position"], 6);
    assert_eq!(place.json(&["-C", "mill", "undo"])["position"], 7);
    assert_eq!(place.json(&["-C", "mill", "entity", "show", &id])["fact"]["object"], "ada");
    place.json(&["-C", "mill", "entity", "remove", "cora"]);
    place.fails(&["-C", "mill", "entity", "show", "cora"], 3, &["cora"]);
    assert_eq!(place.json(&["-C", "mill", "undo", "--author", "dm"])["position"], 9);
    assert_eq!(place.json(&["-C", "mill", "entity", "show", "cora"])["entity"]["name"], "Cora");
    place.fails(&["-C", "mill", "undo", "99"], 1, &["99"]);
    place.fails(&["-C", "mill", "undo", "--author", "game"], 1, &["nothing to undo"]);
    place.fails(&["-C", "mill", "undo", "1"], 1, &["operation 1", "--force"]);
}

#[test]
fn an_import_that_was_undone_stays_undone() {
    let place = Place::new();
    place.ok(&["-C", "mill", "status"]);
    let told = place.ok(&["-C", "mill", "undo"]);
    assert!(told.contains("hearsay -C mill sync"), "{told}");
    let told = place.run(&["-C", "mill", "db", "stats", "--json"]);
    assert!(told.err.contains("hearsay -C mill sync"), "{}", told.err);
    assert_eq!(serde_json::from_str::<Value>(&told.out).unwrap()["predicates"], serde_json::json!({}));
    place.ok(&["-C", "mill", "sync"]);
    assert_eq!(place.json(&["-C", "mill", "db", "stats"])["entities"]["npc"], 4);
    // Later changes of the files are imported automatically again.
    place.write("mill/campaign.yaml", &CAMPAIGN.replace("carter", "cooper"));
    place.ok(&["-C", "mill", "sync"]);
    assert_eq!(place.json(&["-C", "mill", "fact", "list", "--object", "cooper"])["all"], 1);
    // After the undo is undone, the files are imported automatically again.
    place.ok(&["-C", "mill", "undo", "--author", "import"]);
    assert_eq!(place.json(&["-C", "mill", "fact", "list", "--object", "carter"])["all"], 1);
    let newest = place.json(&["-C", "mill", "db", "history"])[0]["position"].to_string();
    place.ok(&["-C", "mill", "undo", &newest]);
    assert_eq!(place.json(&["-C", "mill", "fact", "list", "--object", "cooper"])["all"], 1);
}
