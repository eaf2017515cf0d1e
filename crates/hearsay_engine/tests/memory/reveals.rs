use hearsay_commands::edit::Edit;
use hearsay_engine::{Event, Memory};
use hearsay_model::{
    Author, Change, Condition, ConditionEntity, Credence, EntityId, GameSetting, GameTime, Kind, KnowledgeEdge,
    Operation, Reveal, Setting, Value,
};
use hearsay_query as query;
use hearsay_query::ask::Ask;
use hearsay_recall::{Form, Line, LineSecrecy, Source};

use crate::support::*;

fn declare(name: &str, value: &str) -> Edit {
    Edit::DeclareFlag { name: name.into(), value: value.into() }
}

fn set_flag(name: &str, value: &str) -> Edit {
    Edit::SetFlag { name: name.into(), value: value.into() }
}

fn write(memory: &Memory, changes: Vec<Change>) {
    memory.write(move |_| Ok(Operation::new(Author::Dm, "write", changes.clone()))).unwrap().wait().unwrap();
}

/// Returns the reveals that were reported to the DM since the last call, each with its listeners.
fn reported_reveals_and_listeners(memory: &Memory) -> Vec<(String, Vec<EntityId>)> {
    // When this request is answered, earlier requests are finished.
    memory.status().unwrap().wait().unwrap();
    let reveals = memory.events().try_iter().filter_map(|event| match event {
        Event::Revealable { reveal, holder, listeners, .. } => Some((format!("{reveal} {holder}"), listeners)),
        _ => None,
    });
    reveals.collect()
}

/// Returns the reveals that were reported to the DM since the last call.
fn reported_reveals(memory: &Memory) -> Vec<String> {
    reported_reveals_and_listeners(memory).into_iter().map(|(reveal, _)| reveal).collect()
}

#[test]
fn a_flag_keeps_to_the_kind_that_was_declared() {
    let memory = empty();
    let check = |name: &str, first: &str, then: &str, expected: Value, bad: &str| {
        do_edit(&memory, declare(name, first));
        do_edit(&memory, set_flag(name, then));
        assert_eq!(state(&memory).flag(name), Some(&expected));
        if !bad.is_empty() {
            refused(&memory, |memory| try_edit(memory, set_flag(name, bad)), &[name, bad, "must be"]);
        }
        refused(&memory, |memory| try_edit(memory, declare(name, first)), &["is already declared", name]);
    };
    check("fire-reported", "no", " Yes ", Value::Flag(true), "soon");
    let three = hearsay_model::Number::new(3.0).unwrap();
    check("favour", "0", "3", Value::Number(three), "NaN");
    check("weather", "fog", "no", Value::from("no"), "");
    refused(&memory, |memory| try_edit(memory, set_flag("favor", "3")), &["no flag `favor`", "`favour`"]);
    refused(&memory, |memory| try_edit(memory, declare("Big Fire", "no")), &["`big-fire`"]);
}

#[test]
fn the_dm_is_told_once_when_a_secret_may_be_told() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(options_at(folder.path())).unwrap();
    found_town(&memory);
    do_edit(&memory, declare("fire-reported", "no"));
    do_edit(&memory, set_with("Mirela Voss", "lore", "The ledger lies in the chapel.", secret()));
    let fact = fact(&memory, "mirela-voss", "lore").id();
    let reveal = |name: &str, when| Reveal { id: name.into(), fact, holder: Some(id("mirela-voss")), when, note: None };
    let set_reveal = |reveal| Change::Set(Setting::Game(GameSetting::Reveal(reveal)));
    let fire = Condition::Flag { name: "fire-reported".into(), is: Value::Flag(true) };
    let ring = Condition::Owns { who: ConditionEntity::Listener, item: id("silver-ring") };
    let trusts = Condition::Trusts {
        who: ConditionEntity::Holder,
        of: ConditionEntity::Listener,
        at_least: Credence::new(0.8).unwrap(),
    };
    write(
        &memory,
        vec![set_reveal(reveal("fire", fire)), set_reveal(reveal("ring", ring)), set_reveal(reveal("trust", trusts))],
    );
    assert!(reported_reveals(&memory).is_empty());

    let reported = do_edit(&memory, set_flag("fire-reported", "yes")).position;
    let listeners = |reveal: &str, names: &[&str]| {
        vec![(format!("{reveal} mirela-voss"), names.iter().map(|name| id(name)).collect::<Vec<_>>())]
    };
    assert_eq!(reported_reveals_and_listeners(&memory), listeners("fire", &[]), "there are no player characters");
    do_edit(&memory, set("Pell", "mood", "glad"));
    do_edit(&memory, set_flag("fire-reported", "yes"));
    assert!(reported_reveals(&memory).is_empty(), "once is enough");
    memory.undo(hearsay_query::journal::UndoTarget::At(reported)).unwrap().wait().unwrap();
    do_edit(&memory, set_flag("fire-reported", "no"));
    assert!(reported_reveals(&memory).is_empty());
    do_edit(&memory, set_flag("fire-reported", "on"));
    assert_eq!(reported_reveals(&memory), ["fire mirela-voss"], "it holds again");

    // When Pell becomes a player character, the secret can be told to him.
    do_edit(&memory, relate("Pell", "OWNS", "Silver Ring"));
    assert!(reported_reveals(&memory).is_empty(), "Pell is no player character");
    let waiting = query::reveals::reveals(&state(&memory));
    let ring = waiting.iter().find(|one| one.reveal == "ring").unwrap();
    assert_eq!(ring.judgement.missing, ["there is no player character who could be told"]);
    do_edit(&memory, set("Pell", "kind", "player"));
    assert_eq!(reported_reveals_and_listeners(&memory), listeners("ring", &["pell"]));
    do_edit(&memory, add("Wren", Kind::Player, None));
    let fond = hearsay_commands::edit::FactOptions { attitude: Some(60), ..Default::default() };
    do_edit(&memory, relate_with("Mirela Voss", "LIKES", "Wren", fond));
    assert_eq!(reported_reveals_and_listeners(&memory), listeners("trust", &["wren"]));

    // A reveal of a corrected secret is not reported again.
    let statement = Some("The ledger lies under the chapel.".into());
    do_edit(&memory, Edit::Correct { fact, object: None, statement });
    assert!(reported_reveals(&memory).is_empty());
    let state_now = state(&memory);
    assert!(state_now.fact(fact).is_none() && state_now.reveals().count() == 3);

    // A condition that already held when the memory was opened is not reported.
    memory.close().unwrap();
    let memory = Memory::open(options_at(folder.path())).unwrap();
    do_edit(&memory, set("Odo Brandt", "mood", "sour"));
    assert!(reported_reveals(&memory).is_empty());
    assert_eq!(query::reveals::reveals(&state(&memory)).iter().filter(|one| one.judgement.holds).count(), 3);
    memory.close().unwrap();
}

#[test]
fn an_answer_says_to_whom_a_secret_may_be_told() {
    let memory = empty();
    found_town(&memory);
    for player in ["Wren", "Ansel"] {
        do_edit(&memory, add(player, Kind::Player, Some("The Gull")));
    }
    do_edit(&memory, set_with("Mirela Voss", "lore", "The ledger lies in the chapel.", secret()));
    let fact = fact(&memory, "mirela-voss", "lore").id();
    let edge = KnowledgeEdge { conceals: true, ..KnowledgeEdge::authored(id("mirela-voss").into(), fact) };
    let when = Condition::Owns { who: ConditionEntity::Listener, item: id("silver-ring") };
    let reveal = Reveal { id: "ring".into(), fact, holder: None, when, note: None };
    write(&memory, vec![Change::Learn(edge.into()), Change::Set(Setting::Game(GameSetting::Reveal(reveal)))]);
    let answer = |as_of: Option<i64>| -> (Line, String) {
        let ask = Ask { as_of: as_of.map(GameTime), ..Ask::new(id("mirela-voss"), "Where is the ledger?") };
        let context = memory.ask(ask).unwrap().wait().unwrap().context;
        let line = context.lines().find(|line| line.citation.source == Source::Fact(fact)).unwrap();
        (line.clone(), context.render(Form::Prompt, false))
    };

    set_clock(&memory, DAY);
    let (line, prompt) = answer(None);
    assert_eq!(line.secrecy, LineSecrecy::Concealed);
    let (_, secrets) = prompt.split_once("You keep these secret").unwrap_or_else(|| panic!("{prompt}"));
    assert!(secrets.contains("The ledger lies in the chapel."), "{prompt}");
    do_edit(&memory, relate("Wren", "OWNS", "Silver Ring"));
    for as_of in [None, Some(DAY)] {
        let (line, prompt) = answer(as_of);
        let LineSecrecy::MayTell { to } = &line.secrecy else { panic!("{line:?}") };
        assert_eq!(to.iter().map(|listener| &listener.id).collect::<Vec<_>>(), [&id("wren")]);
        assert!(line.secrecy.allows(&id("wren")) && !line.secrecy.allows(&id("ansel")));
        assert!(prompt.contains("The ledger lies in the chapel. [you may tell Wren, but nobody else]"), "{prompt}");
        assert!(!prompt.contains("You keep these secret"), "{prompt}");
    }
    assert_eq!(answer(Some(DAY - 1)).0.secrecy, LineSecrecy::Concealed, "reveals are evaluated at the current time");
    let ask = Ask::new(id("mirela-voss"), "Where is the ledger?");
    let context = ask.context_in_state(&state(&memory), &query::ask::RecallSettings::default()).unwrap();
    assert!(context.lines().any(|line| matches!(line.secrecy, LineSecrecy::MayTell { .. })));
}

#[test]
fn an_import_brings_flags_and_reveals_and_leaves_flags_as_the_game_set_them() {
    let memory = empty();
    memory.import(gullhaven()).unwrap().wait().unwrap();
    assert!(reported_reveals(&memory).is_empty());
    do_edit(&memory, set_flag("lucan-arrested", "yes"));
    assert_eq!(reported_reveals(&memory), ["lucan-left-the-table ottilie-corvane"]);
    assert!(memory.import(gullhaven()).unwrap().wait().unwrap().written.is_none());
    assert_eq!(state(&memory).flag("lucan-arrested"), Some(&Value::Flag(true)));
}

fn secret() -> hearsay_commands::edit::FactOptions {
    hearsay_commands::edit::FactOptions { secret: true, ..Default::default() }
}
