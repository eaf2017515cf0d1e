//! Exports are well formed and complete.

use hearsay_model::{Author, Change, Position, State, Timestamp};

use super::{export_backup, export_dot, export_graphml, read_backup};
use crate::{
    Limits, plan, read,
    tests::{apply, fixture},
};

fn inn() -> State {
    let mut state = State::default();
    let campaign = read(&fixture("inn"), &Limits::default()).unwrap();
    state.apply(plan(&state, &campaign, Timestamp(7)).operation.unwrap()).unwrap();
    state
}

fn write_to_string(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_backup_has_the_whole_history() {
    let mut state = inn();
    let first = state.facts().next().unwrap().id();
    apply(&mut state, Author::Dm, vec![Change::RetractFact(first)]);
    apply(&mut state, Author::Dm, vec![Change::SaveSlot("evening".into())]);
    apply(&mut state, Author::Dm, vec![Change::Revert(Position(2))]);
    let text = write_to_string(|bytes| export_backup(&state, bytes));
    let back = read_backup(text.as_bytes()).unwrap().fold().unwrap();
    assert!(back == state);
    assert_eq!((back.position(), back.slots()), (state.position(), state.slots()));
    for (broken, why) in [
        (text.replacen("retract_fact", "confirm", 1), "was changed"),
        (text.lines().take(2).collect::<Vec<_>>().join("\n"), "is truncated"),
        ("{\"type\":\"hearsay\",\"format\":1}".into(), "1:"),
    ] {
        let error = read_backup(broken.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn graphs_have_every_relation_and_their_text_is_escaped() {
    let state = inn();
    let relations = state.facts().filter(|fact| fact.object().entity().is_some()).count();
    let graphml = write_to_string(|bytes| export_graphml(&state, bytes));
    assert_eq!(graphml.matches("<edge ").count(), relations);
    assert_eq!(graphml.matches("<node ").count(), state.entity_count());
    let dot = write_to_string(|bytes| export_dot(&state, bytes));
    assert_eq!(dot.matches(" -> ").count(), relations);
    assert!(dot.starts_with("digraph") && dot.ends_with("}\n"));
}
