//! Reveals and flags: reading, errors, repeated imports and exports.

use hearsay_belief::evaluate_reveals;
use hearsay_model::{
    Attitude, Author, Change, Condition, ConditionEntity, Credence, EntityId, Feeling, Operation, Predicate, Setting,
    SettingKey, State, Timestamp, Value, WorldSetting,
};

use super::{HEAD, apply, fact, fixture, import, imported, read_good, read_text};
use crate::{Limits, export_jsonl, plan, read, read_jsonl};

const FLAGS: &str = "flags: {fire-reported: false, favour: 0}\n";

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

/// Returns a campaign with a secret of Ann that has a reveal, and a second fact after it.
fn with(reveal: &str) -> String {
    format!(
        "{HEAD}{FLAGS}facts:\n  - {{id: x, subject: ann, text: T., secret: true, conceals: [ann], reveal: {reveal}}}\n  \
         - {{id: y, subject: bob, text: U., known_by: [eve]}}\n"
    )
}

fn flag(name: &str, is: Value) -> Condition {
    Condition::Flag { name: name.into(), is }
}

fn trusts(who: ConditionEntity, of: ConditionEntity) -> Condition {
    Condition::Trusts { who, of, at_least: Credence::new(0.8).unwrap() }
}

fn set(value: bool) -> Change {
    Change::SetFlag { name: "fire-reported".into(), value: Value::Flag(value) }
}

#[test]
fn conditions_are_read_in_their_short_form() {
    let check = |when: &str, expected: Condition| {
        let campaign = read_good(&with(&format!("{{when: {when}}}")));
        let [reveal] = campaign.reveals() else { panic!("{:?}", campaign.reveals()) };
        assert_eq!((reveal.id.as_str(), &reveal.when), ("x", &expected), "{when}");
    };
    let attribute = |name: &str, is: &str| Condition::Attribute {
        of: id("ann"),
        name: Predicate::new(name).unwrap(),
        is: is.into(),
    };
    let (listener, bob) = (|| ConditionEntity::Listener, || ConditionEntity::Entity(id("bob")));
    let owns = |who| Condition::Owns { who, item: id("book") };
    let state = imported(&with("{when: {flag: fire-reported}}"));
    check("{trust: {who: Bob Elm, of: listener, at_least: 0.8}}", trusts(bob(), listener()));
    check("{trust: {at_least: 0.8}}", trusts(ConditionEntity::Holder, listener()));
    let feels = |who, towards, feeling, at_least| {
        let at_least = Attitude::new(at_least).unwrap();
        Condition::Feels { who, towards, feeling, at_least }
    };
    let afraid = feels(bob(), ConditionEntity::Holder, Feeling::Fear, -5);
    check(
        "{feels: {feeling: affinity, at_least: 40}}",
        feels(ConditionEntity::Holder, listener(), Feeling::Affinity, 40),
    );
    check("{feels: {who: bob, towards: holder, feeling: fear, at_least: -5}}", afraid);
    check("{owns: {who: listener, item: book}}", owns(listener()));
    check("{owns: {item: book}}", owns(listener()));
    check("{owns: {who: holder, item: book}}", owns(ConditionEntity::Holder));
    let member =
        |rank: Option<&str>| Condition::Member { who: bob(), group: id("guild"), rank: rank.map(str::to_owned) };
    check("{member: {who: bob, group: guild}}", member(None));
    check("{member: {who: bob, group: guild, rank: warden}}", member(Some("warden")));
    check("{at: {place: The Inn}}", Condition::At { who: listener(), place: id("inn") });
    check("{stage: {quest: ann, is: solved}}", attribute("stage", "solved"));
    check("{attribute: {of: ann, name: age, is: 5}}", attribute("age", "5"));
    check("{flag: fire-reported}", flag("fire-reported", Value::Flag(true)));
    check("{flag: {fire-reported: false}}", flag("fire-reported", Value::Flag(false)));
    let three = Value::Number(hearsay_model::Number::new(3.0).unwrap());
    check("{flag: {favour: 3}}", flag("favour", three));
    let from = read_good(HEAD).settings.iter().find_map(|setting| match setting {
        Setting::World(WorldSetting::Calendar(calendar)) => calendar.parse("3 Rain 4").ok(),
        _ => None,
    });
    check("{date: 3 Rain 4}", Condition::Date { from: from.unwrap() });
    check("{knows: {who: bob, fact: y}}", Condition::Knows { who: bob(), fact: fact(&state, "y").id() });
    let nested = "{all: [{flag: fire-reported}, {any: [{owns: {item: book}}, {not: {flag: fire-reported}}]}]}";
    let fire = || flag("fire-reported", Value::Flag(true));
    let not = Condition::Not(Box::new(fire()));
    check(nested, Condition::All(vec![fire(), Condition::Any(vec![owns(listener()), not])]));
}

#[test]
fn a_fact_may_have_several_reveals() {
    let campaign = read_good(&with(
        "[{when: {flag: fire-reported}}, {holder: bob, when: {flag: fire-reported}, note: Late.}, {id: own, when: {flag: fire-reported}}]",
    ));
    let reveals: Vec<_> = campaign
        .reveals()
        .iter()
        .map(|r| (r.id.as_str(), r.holder.as_ref().map(EntityId::as_str), r.note.as_deref()))
        .collect();
    assert_eq!(reveals, [("x", None, None), ("x-2", Some("bob"), Some("Late.")), ("own", None, None)]);
}

#[test]
fn bad_reveals_are_refused_with_their_line() {
    let check = |yaml: &str, line: u32, message: &str, hint: &str| {
        let errors = read_text(yaml).unwrap_err();
        let [error] = errors.errors.as_slice() else { panic!("expected one error: {errors}") };
        assert!(error.line == line && error.message.contains(message) && error.hint.contains(hint), "{error}");
    };
    let when = |when: &str, message: &str, hint: &str| check(&with(&format!("{{when: {when}}}")), 12, message, hint);
    when("{flag: fire-reportd}", "no flag `fire-reportd` is declared", "did you mean `fire-reported`?");
    when("{flag: {moon: 3}}", "no flag `moon` is declared", "expected one of favour, fire-reported");
    when("{flag: favour}", "the flag `favour` is a number, so it never has the value `yes`", "`flag: {favour: …}`");
    when("{flag: {favour: 3, fire-reported: true}}", "expected one flag", "");
    when("{flag: [favour]}", "expected text, found a list", "");
    when("{knows: {fact: z}}", "no fact has the id `z`", "");
    when("{ownz: {item: book}}", "a condition has no key `ownz`", "did you mean `owns`?");
    when("{owns: {itm: book, item: book}}", "no key `itm`", "did you mean `item`?");
    when("{owns: {item: bok}}", "no entity has the name or id `bok`", "did you mean `book`?");
    when("{owns: {}}", "`owns` needs `item`", "add `item: …`");
    when("{owns: book}", "expected a mapping", "");
    when("{trust: {at_least: 2}}", "credence must be from 0 to 1", "");
    when("{trust: {of: bob}}", "`trust` needs `at_least`", "");
    when("{feels: {feeling: love, at_least: 2}}", "`love` is not a feeling", "expected one of");
    when("{feels: {feeling: afinity, at_least: 2}}", "`afinity` is not a feeling", "did you mean `affinity`?");
    when("{feels: {feeling: debt, at_least: 101}}", "from -100 to 100", "");
    when("{feels: {feeling: debt}}", "`feels` needs `at_least`", "");
    when("{date: someday}", "someday", "");
    when("{date: }", "needs `date`", "");
    when("{owns: }", "expected a mapping", "");
    when("{any: }", "the list of conditions is empty", "");
    when("{all: []}", "the list of conditions is empty", "");
    when("{all: {flag: favour}}", "expected a list", "");
    when("{flag: fire-reported, owns: {item: book}}", "exactly one key, not `flag` and `owns`", "`all: [{…}, {…}]`");
    when("{}", "the condition is empty", "");
    when("{attribute: {of: ann, name: '!', is: 3}}", "", "");
    let deep = (0..40).fold("{flag: fire-reported}".to_owned(), |inner, _| format!("{{not: {inner}}}"));
    when(&deep, "more than 32 levels deep", "");
    let reveal = |reveal: &str, message: &str, hint: &str| check(&with(reveal), 12, message, hint);
    reveal("{holder: ann}", "`reveal` needs `when`", "");
    reveal("{wen: 4, when: {flag: fire-reported}}", "a reveal has no key `wen`", "did you mean `when`?");
    reveal("{id: A b, when: {flag: fire-reported}}", "`a-b`", "");
    reveal("[{id: r, when: {flag: fire-reported}}, {id: r, when: {flag: fire-reported}}]", "duplicate id `r`", "");
    let open = "facts: [{subject: ann, text: T., reveal: {when: {date: '4'}}}]";
    check(&format!("{HEAD}{open}"), 10, "nobody conceals this fact", "add `holder: …`");
    let undeclared = "facts: [{subject: ann, text: T., reveal: {holder: ann, when: {flag: f}}}]";
    check(&format!("{HEAD}{undeclared}"), 10, "no flag `f` is declared", "declare it: `flags: {f: false}`");
    check(&format!("{HEAD}flags: {{Fire Reported: false}}"), 10, "`fire-reported`", "");
    check(&format!("{HEAD}flags: {{f: [1]}}"), 10, "text, a number, true or false", "");
    check(&format!("{HEAD}flags: [f]"), 10, "expected a mapping", "");
}

#[test]
fn values_set_by_the_game_stay_and_removed_entries_are_withdrawn() {
    let mut state = State::default();
    let yaml = with("{when: {all: [{flag: fire-reported}, {not: {flag: {favour: 3}}}]}}");
    assert_eq!(import(&mut state, &yaml).reveals, 1);
    apply(&mut state, Author::Game, vec![set(true)]);
    let flags_and_reveals = |state: &State| {
        let flags: Vec<_> = state.flags().map(|(name, value)| format!("{name} {value}")).collect();
        (flags.join(", "), state.reveals().map(|reveal| reveal.id.clone()).collect::<Vec<_>>())
    };
    let x = || vec!["x".to_owned()];
    assert_eq!(import(&mut state, &yaml).unapplied_changes, []);
    assert_eq!(flags_and_reveals(&state), ("favour 0, fire-reported yes".into(), x()));
    // A new initial value does not change a flag that was set. It changes a flag that was not set.
    let changed = yaml.replace("fire-reported: false, favour: 0", "fire-reported: true, favour: 2");
    import(&mut state, &changed);
    apply(&mut state, Author::Game, vec![set(false)]);
    import(&mut state, &changed);
    assert_eq!(flags_and_reveals(&state), ("favour 2, fire-reported no".into(), x()));
    // A flag of another type is a new flag. A changed condition replaces the old one.
    let text = yaml
        .replace("fire-reported: false", "fire-reported: soon")
        .replace("{flag: fire-reported}", "{flag: {fire-reported: now}}");
    assert_eq!(import(&mut state, &text).reveals, 1);
    assert_eq!(flags_and_reveals(&state), ("favour 0, fire-reported soon".into(), x()));
    // Entries that were removed from the files are withdrawn; flags that the game set are not.
    import(&mut state, &yaml);
    apply(&mut state, Author::Game, vec![set(true)]);
    import(&mut state, HEAD);
    assert_eq!(flags_and_reveals(&state), ("fire-reported yes".into(), vec![]));
}

#[test]
fn a_reveal_stays_away_with_its_references() {
    let yaml = with("{when: {any: [{knows: {fact: y}}, {flag: fire-reported}]}}");
    let check = |change: fn(&State) -> Change, reason: &str| {
        let mut state = imported(&yaml);
        let change = change(&state);
        apply(&mut state, Author::Dm, vec![change]);
        let report = import(&mut state, &yaml.replace("{flag: fire-reported}", "{not: {flag: fire-reported}}"));
        assert!(
            report
                .unapplied_changes
                .iter()
                .any(|unchanged| unchanged.description == "reveal x" && unchanged.reason.contains(reason)),
            "{report}"
        );
    };
    let not_added = "refers to a fact, entity or flag that is not added again";
    check(|state| Change::RetractFact(fact(state, "y").id()), not_added);
    check(|_| Change::Unset(SettingKey::Flag("fire-reported".into())), not_added);
    check(|_| Change::RemoveEntity(id("bob")), not_added);
    check(|_| Change::Unset(SettingKey::Reveal("x".into())), "it was set or removed");
}

#[test]
fn json_lines_name_what_a_reveal_misses() {
    let state = imported(&with("{holder: eve, when: {any: [{knows: {fact: y}}, {flag: fire-reported}]}}"));
    let mut bytes = Vec::new();
    export_jsonl(&state, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let back = State::fold([Operation::new(Author::Dm, "import", read_jsonl(text.as_bytes()).unwrap())]).unwrap();
    assert!(back == state && back.reveals().count() == 1);
    let check = |removed_text: &str, message: &str| {
        let less: String =
            text.lines().filter(|line| !line.contains(removed_text)).map(|line| format!("{line}\n")).collect();
        let errors = read_jsonl(less.as_bytes()).unwrap_err().to_string();
        assert!(errors.contains(message), "{errors}");
    };
    check("\"flag\":{\"name\":\"fire-reported\",\"value\"", "the file has no line for the flag `fire-reported`");
    check("\"handle\":\"y\"", &format!("the file has no line for the fact {}", fact(&state, "y").id()));
    check("\"id\":\"eve\"", "the file has no line for the entity `eve`");
}

#[test]
fn gullhaven_tells_when_the_time_has_come() {
    let campaign = read(&fixture("../../../../campaigns/gullhaven"), &Limits::default()).unwrap();
    let mut state = State::default();
    state.apply(plan(&state, &campaign, Timestamp(1)).operation.unwrap()).unwrap();
    let judged = |state: &State, reveal: &str, holder: &str| {
        let trust = |_: &EntityId, _: &EntityId| Credence::new(0.5).unwrap();
        let all = evaluate_reveals(state, &trust);
        all.into_iter().find(|offer| offer.reveal == reveal && offer.holder.as_str() == holder).unwrap().judgement
    };
    let ottilie = judged(&state, "lucan-left-the-table", "ottilie-corvane");
    assert_eq!(ottilie.missing, ["flag `lucan-arrested` is no (wanted: yes)"]);
    let tamsin = judged(&state, "tamsin-is-minna", "tamsin-reed");
    assert!(tamsin.missing[0].ends_with("does not own The harbour ledger"), "{tamsin:?}");
    let mirela = judged(&state, "mirela-hid-the-ledger", "mirela-voss");
    assert!(mirela.missing[0].starts_with("Mirela Voss trusts "), "{mirela:?}");
    let arrested = Change::SetFlag { name: "lucan-arrested".into(), value: Value::Flag(true) };
    apply(&mut state, Author::Game, vec![arrested]);
    assert!(judged(&state, "lucan-left-the-table", "ottilie-corvane").holds);
}
