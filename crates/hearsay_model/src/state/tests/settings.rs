//! Tests of flags and reveals.

use super::{super::*, *};

#[test]
fn flags_are_declared_before_they_are_set_or_named() {
    let edits = vec![
        Change::AddEntity(Entity::new(id(0))),
        Change::AssertFact(fact(0)),
        Change::Set(Setting::Game(GameSetting::Flag { name: "fire-reported".into(), value: Value::Flag(false) })),
    ];
    let mut state = fold([Operation::new(Author::Importer("town".into()), "import", edits)]);
    let apply = |state: &mut State, change| state.apply(Operation::new(Author::Game, "edit", vec![change]));
    let set = |name: &str, value: Value| Change::SetFlag { name: name.into(), value };
    let when = |when| {
        Change::Set(Setting::Game(GameSetting::Reveal(Reveal {
            id: "r".into(),
            fact: fact(0).id(),
            holder: None,
            when,
            note: None,
        })))
    };
    let is = |name: &str, is: Value| Condition::Flag { name: name.into(), is };
    let refused = |state: &mut State, change: Change, words: &str| {
        let before = state.clone();
        let error = apply(state, change).unwrap_err().to_string();
        assert!(error.contains(words) && before == *state, "{error}");
    };
    refused(
        &mut state,
        set("fire-reportd", Value::Flag(true)),
        "no flag `fire-reportd` is declared; declare it first, or use a declared flag: `fire-reported`",
    );
    refused(
        &mut state,
        set("fire-reported", Value::from("soon")),
        "the value of flag `fire-reported` must be yes or no, not `soon`",
    );
    refused(&mut state, when(is("moon", Value::Flag(true))), "no flag `moon` is declared");
    refused(&mut state, when(is("fire-reported", Value::from("yes"))), "must be yes or no");
    let at = |place| Condition::At { who: Who::Listener, place };
    refused(&mut state, when(at(id(3))), "there is no entity `e3`");
    refused(&mut state, when(Condition::Knows { who: Who::Holder, fact: fact(3).id() }), "there is no fact");
    refused(&mut state, when(Condition::All(vec![])), "reveal `r`: the list of conditions is empty");
    let key = SettingKey::Reveal("r".into());
    refused(&mut state, Change::Unset(key.clone()), "reveal r is not set");
    let spaced = Setting::Game(GameSetting::Flag { name: "Fire Reported".into(), value: Value::Flag(true) });
    refused(&mut state, Change::Set(spaced), "`fire-reported`");

    apply(&mut state, when(is("fire-reported", Value::Flag(true)))).unwrap();
    let set = apply(&mut state, set("fire-reported", Value::Flag(true))).unwrap().position;
    assert_eq!(state.flag("fire-reported"), Some(&Value::Flag(true)));
    assert_eq!(state.reveals_of(fact(0).id()).map(|reveal| reveal.id.as_str()).collect::<Vec<_>>(), ["r"]);
    state.apply(revert(set.0)).unwrap();
    assert_eq!(state.flags().collect::<Vec<_>>(), [("fire-reported", &Value::Flag(false))]);
    // The reveal is inactive while its fact or its flag is missing.
    for gone in [Change::RetractFact(fact(0).id()), Change::Unset(SettingKey::Flag("fire-reported".into()))] {
        let gone = apply(&mut state, gone).unwrap().position;
        assert_eq!((state.reveals().count(), state.shows(&Key::Setting(key.clone()))), (0, false));
        state.apply(revert(gone.0)).unwrap();
        assert_eq!(state.reveals().count(), 1);
    }
    apply(&mut state, Change::Unset(key)).unwrap();
    assert_eq!(state.reveals().count(), 0);
}
