//! Tests of flags, reveals and the roles of speakers.

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
    let set_reveal = |when| {
        Change::Set(Setting::Game(GameSetting::Reveal(Reveal {
            id: "r".into(),
            fact: fact(0).id(),
            holder: None,
            when,
            note: None,
        })))
    };
    let flag_is = |name: &str, is: Value| Condition::Flag { name: name.into(), is };
    let check_refused = |state: &mut State, change: Change, words: &str| {
        let before = state.clone();
        let error = apply(state, change).unwrap_err().to_string();
        assert!(error.contains(words) && before == *state, "{error}");
    };
    check_refused(
        &mut state,
        set("fire-reportd", Value::Flag(true)),
        "no flag `fire-reportd` is declared; first declare this flag, or use one of the declared flags: `fire-reported`",
    );
    check_refused(
        &mut state,
        set("fire-reported", Value::from("soon")),
        "the value of the flag `fire-reported` must be yes or no, not `soon`",
    );
    check_refused(&mut state, set_reveal(flag_is("moon", Value::Flag(true))), "no flag `moon` is declared");
    check_refused(&mut state, set_reveal(flag_is("fire-reported", Value::from("yes"))), "must be yes or no");
    let listener_at = |place| Condition::At { who: ConditionEntity::Listener, place };
    check_refused(&mut state, set_reveal(listener_at(id(3))), "there is no entity `e3`");
    check_refused(
        &mut state,
        set_reveal(Condition::Knows { who: ConditionEntity::Holder, fact: fact(3).id() }),
        "there is no fact",
    );
    check_refused(&mut state, set_reveal(Condition::All(vec![])), "reveal `r`: the list of conditions is empty");
    let key = SettingKey::Reveal("r".into());
    check_refused(&mut state, Change::Unset(key.clone()), "the setting reveal r has no value");
    let spaced = Setting::Game(GameSetting::Flag { name: "Fire Reported".into(), value: Value::Flag(true) });
    check_refused(&mut state, Change::Set(spaced), "`fire-reported`");

    apply(&mut state, set_reveal(flag_is("fire-reported", Value::Flag(true)))).unwrap();
    let set = apply(&mut state, set("fire-reported", Value::Flag(true))).unwrap().position;
    assert_eq!(state.flag("fire-reported"), Some(&Value::Flag(true)));
    assert_eq!(state.reveals_of(fact(0).id()).map(|reveal| reveal.id.as_str()).collect::<Vec<_>>(), ["r"]);
    state.apply(revert(set.0)).unwrap();
    assert_eq!(state.flags().collect::<Vec<_>>(), [("fire-reported", &Value::Flag(false))]);
    // The reveal does not apply while its fact or its flag is missing.
    for removal in [Change::RetractFact(fact(0).id()), Change::Unset(SettingKey::Flag("fire-reported".into()))] {
        let removed = apply(&mut state, removal).unwrap().position;
        assert_eq!((state.reveals().count(), state.shows(&Key::Setting(key.clone()))), (0, false));
        state.apply(revert(removed.0)).unwrap();
        assert_eq!(state.reveals().count(), 1);
    }
    apply(&mut state, Change::Unset(key)).unwrap();
    assert_eq!(state.reveals().count(), 0);
}

#[test]
fn a_role_belongs_to_the_name_of_a_speaker() {
    let set = |name: &str, role| Change::Set(Setting::speaker(name, role));
    let edits = vec![set("Anna", SpeakerRole::Dm), set("Crew", SpeakerRole::Nobody)];
    let mut state = fold([Operation::new(Author::Dm, "speakers", edits)]);
    assert_eq!(state.speaker_role(" ANNA"), Some(SpeakerRole::Dm), "names are compared in normal form");
    assert_eq!(state.speaker_role("Crew"), Some(SpeakerRole::Nobody));
    assert_eq!(state.speaker_role("Ann"), None);
    state.apply(Operation::new(Author::Dm, "speakers", vec![set("crew", SpeakerRole::Dm)])).unwrap();
    assert_eq!(state.speaker_role("Crew"), Some(SpeakerRole::Dm), "the newer role replaces the older role");
    state.apply(revert(2)).unwrap();
    assert_eq!(state.speaker_role("Crew"), Some(SpeakerRole::Nobody));
}
