//! Tests of reveals in a harbour with a secret: one test for each kind of condition.

use std::sync::Arc;

use hearsay_model::{
    Attitude, Author, Change, Entity, Feeling, GameSetting, GameTime, KnowledgeEdge, Method, Object, Operation,
    Provenance, Reveal, Setting, Validity, Value,
};

use super::*;

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn fact(subject: &str, name: &str, object: Object) -> Arc<Fact> {
    let provenance = Provenance::new(Method::Authored, Author::Dm);
    let builder = match object {
        Object::Entity(object) => Fact::relation(&id(subject), name, &object, provenance),
        Object::Value(value) => Fact::attribute(&id(subject), name, value, provenance),
    };
    let rank = (name == "MEMBER_OF").then(|| "Warden".to_owned());
    Arc::new(builder.unwrap().rank(rank).build().unwrap())
}

fn related(subject: &str, name: &str, object: &str) -> Change {
    Change::AssertFact(fact(subject, name, Object::Entity(id(object))))
}

fn is(subject: &str, name: &str, value: &str) -> Change {
    Change::AssertFact(fact(subject, name, Object::Value(value.into())))
}

fn apply(state: &mut State, changes: Vec<Change>) {
    state.apply(Operation::new(Author::Game, "edit", changes)).unwrap();
}

fn secret() -> Arc<Fact> {
    fact("mirela", "lore", Object::Value("The ledger lies in the chapel.".into()))
}

/// Mirela conceals the place of the ledger. Wren and Dorric are player characters; only Wren is in the party.
fn harbour() -> State {
    let mut state = State::default();
    let kinds = [
        ("mirela", "npc"),
        ("wren", "player"),
        ("dorric", "player"),
        ("ferry", "party"),
        ("watch", "faction"),
        ("night-watch", "faction"),
        ("gull", "location"),
        ("back-room", "location"),
        ("ledger", "document"),
        ("find-it", "quest"),
    ];
    apply(&mut state, kinds.iter().map(|(name, _)| Change::AddEntity(Entity::new(id(name)))).collect());
    apply(&mut state, kinds.iter().map(|(name, kind)| is(name, "kind", kind)).collect());
    let flag = |name: &str, value| Change::Set(Setting::Game(GameSetting::Flag { name: name.into(), value }));
    apply(
        &mut state,
        vec![
            related("wren", "MEMBER_OF", "ferry"),
            related("wren", "MEMBER_OF", "night-watch"),
            related("night-watch", "PART_OF", "watch"),
            related("wren", "LOCATED_AT", "back-room"),
            related("back-room", "PART_OF", "gull"),
            is("find-it", "stage", "Begun"),
            Change::AssertFact(secret()),
            Change::Learn(Arc::new(KnowledgeEdge {
                conceals: true,
                ..KnowledgeEdge::authored(id("mirela").into(), secret().id())
            })),
            flag("fire-reported", Value::Flag(false)),
            Change::Set(Setting::Game(GameSetting::Clock(GameTime(100)))),
        ],
    );
    state
}

/// Mirela trusts Wren a little, and nobody else.
fn trust(who: &EntityId, of: &EntityId) -> Credence {
    let is_trusted = (who.as_str(), of.as_str()) == ("mirela", "wren");
    Credence::new(if is_trusted { 0.6 } else { 0.0 }).unwrap()
}

fn listener() -> ConditionEntity {
    ConditionEntity::Listener
}

fn trusts(at_least: f64) -> Condition {
    Condition::Trusts { who: ConditionEntity::Holder, of: listener(), at_least: Credence::new(at_least).unwrap() }
}

fn owns() -> Condition {
    Condition::Owns { who: listener(), item: id("ledger") }
}

fn reported() -> Condition {
    Condition::Flag { name: "fire-reported".into(), is: Value::Flag(true) }
}

fn not(condition: Condition) -> Condition {
    Condition::Not(Box::new(condition))
}

#[test]
fn each_condition_says_what_is_missing() {
    let mut state = harbour();
    let check = |state: &State, condition: Condition, listener: &str, missing: &[&str]| {
        let listener = id(listener);
        let judgement = evaluate_condition(state, &condition, &id("mirela"), Some(&listener), &trust);
        assert_eq!(judgement.missing, missing, "{condition:?}");
        assert_eq!(judgement.holds, missing.is_empty());
        assert_eq!(judgement.listeners, if missing.is_empty() { vec![listener] } else { vec![] });
    };
    let member = |group: &str, rank: Option<&str>| Condition::Member {
        who: listener(),
        group: id(group),
        rank: rank.map(str::to_owned),
    };
    let at = |place: &str| Condition::At { who: listener(), place: id(place) };
    let stage = |is: &str| {
        let name = Predicate::new("stage").unwrap();
        Condition::Attribute { of: id("find-it"), name, is: is.into() }
    };
    let fears = |at_least| Condition::Feels {
        who: ConditionEntity::Holder,
        towards: listener(),
        feeling: Feeling::Fear,
        at_least: Attitude::new(at_least).unwrap(),
    };
    let from = |minute| Condition::Date { from: Date::at(GameTime(minute)) };
    let knows = || Condition::Knows { who: listener(), fact: secret().id() };

    check(&state, trusts(0.6), "wren", &[]);
    check(&state, trusts(0.7), "wren", &["mirela trusts wren 0.60 (wanted: at least 0.70)"]);
    check(&state, fears(0), "wren", &[]);
    check(&state, fears(30), "wren", &["the fear of mirela towards wren is 0 (wanted: at least 30)"]);
    check(&state, owns(), "wren", &["wren does not own ledger"]);
    check(&state, member("watch", None), "wren", &[]);
    check(&state, member("night-watch", Some("warden")), "wren", &[]);
    check(&state, member("watch", Some("warden")), "wren", &["wren is not a member of watch with the rank warden"]);
    check(&state, member("watch", None), "dorric", &["dorric is not a member of watch"]);
    check(&state, at("gull"), "wren", &[]);
    check(&state, at("gull"), "dorric", &["dorric is not at gull"]);
    check(&state, stage(" begun"), "wren", &[]);
    check(
        &state,
        stage("solved"),
        "wren",
        &["the stage of find-it is \u{201C}Begun\u{201D} (wanted: \u{201C}solved\u{201D})"],
    );
    check(&state, reported(), "wren", &["flag `fire-reported` is no (wanted: yes)"]);
    check(&state, from(100), "wren", &[]);
    let (day, minute) = (state.calendar().format(GameTime(100)), state.calendar().format(GameTime(101)));
    check(&state, from(101), "wren", &[&format!("it is {day} (wanted: {minute} or later)")]);
    check(&state, knows(), "wren", &["wren does not know \u{201C}mirela lore The ledger lies in the chapel.\u{201D}"]);

    // Nested conditions.
    check(
        &state,
        Condition::All(vec![trusts(0.5), owns(), reported()]),
        "wren",
        &["wren does not own ledger", "flag `fire-reported` is no (wanted: yes)"],
    );
    check(&state, Condition::Any(vec![trusts(0.5), owns()]), "wren", &[]);
    let either = Condition::Any(vec![owns(), Condition::All(vec![reported(), from(101)])]);
    let expected = format!(
        "one of these: dorric does not own ledger; or flag `fire-reported` is no (wanted: yes) and it is {day} \
         (wanted: {minute} or later)"
    );
    check(&state, either, "dorric", &[&expected]);
    check(&state, not(owns()), "wren", &[]);
    check(&state, not(at("gull")), "wren", &["wren is at gull (must not be the case)"]);
    check(&state, not(Condition::Any(vec![owns(), at("gull")])), "wren", &["wren is at gull (must not be the case)"]);
    check(&state, not(Condition::All(vec![owns(), at("gull")])), "wren", &[]);

    // Conditions on values that the game changes.
    let edge = KnowledgeEdge::authored(id("ferry").into(), secret().id());
    let joined = fact("wren", "MEMBER_OF", Object::Entity(id("ferry"))).id();
    apply(
        &mut state,
        vec![
            related("ferry", "OWNS", "ledger"),
            Change::SetFlag { name: "fire-reported".into(), value: Value::Flag(true) },
            Change::Learn(edge.into()),
            Change::Learn(KnowledgeEdge::authored(id("wren").into(), joined).into()),
        ],
    );
    let threat = fact("wren", "THREATENED", Object::Entity(id("mirela")));
    let mut threatened = state.clone();
    apply(&mut threatened, vec![Change::AssertFact(Arc::clone(&threat))]);
    check(&threatened, fears(30), "wren", &["the fear of mirela towards wren is 0 (wanted: at least 30)"]);
    let edge = KnowledgeEdge::authored(id("mirela").into(), threat.id());
    apply(&mut threatened, vec![Change::Learn(edge.into())]);
    check(&threatened, fears(30), "wren", &[]);
    check(&state, owns(), "wren", &[]);
    check(&state, owns(), "dorric", &["dorric does not own ledger"]);
    check(&state, reported(), "wren", &[]);
    check(&state, knows(), "wren", &[]);
    // Only canon facts that are valid now count.
    let owned = fact("ferry", "OWNS", Object::Entity(id("ledger")));
    for change in [
        Change::SetStatus { fact: owned.id(), status: FactStatus::Claimed },
        Change::EndFact { fact: owned.id(), until: Date::at(GameTime(100)) },
        Change::AssertFact(Arc::new(
            owned.to_builder().validity(Validity { from: None, until: Some(Date::at(GameTime(99))) }).build().unwrap(),
        )),
    ] {
        let mut later = state.clone();
        apply(&mut later, vec![change]);
        check(&later, owns(), "wren", &["wren does not own ledger"]);
    }
}

#[test]
fn without_a_listener_any_player_character_will_do() {
    let state = harbour();
    let check = |condition: Condition, listeners: &[&str], missing: &[&str]| {
        let judgement = evaluate_condition(&state, &condition, &id("mirela"), None, &trust);
        assert_eq!(judgement.listeners.iter().map(EntityId::as_str).collect::<Vec<_>>(), listeners);
        assert_eq!(judgement.missing, missing);
        assert_eq!(judgement.holds, missing.is_empty());
    };
    check(trusts(0.5), &["wren"], &[]);
    check(not(owns()), &["dorric", "wren"], &[]);
    check(not(reported()), &[], &[]);
    // One listener must meet all conditions. The report lists the unmet conditions of the listener who has the fewest.
    check(Condition::All(vec![trusts(0.5), owns()]), &[], &["wren does not own ledger"]);
    // Both listeners have one unmet part, and Wren is nearer to the required trust.
    let trust_of_wren = "mirela trusts wren 0.60 (wanted: at least 0.80)";
    check(trusts(0.8), &[], &[trust_of_wren]);
    let flag = "flag `fire-reported` is no (wanted: yes)";
    let alternatives = format!("one of these: {trust_of_wren}; or {flag}");
    check(Condition::Any(vec![trusts(0.8), reported()]), &[], &[&alternatives]);
    check(Condition::All(vec![trusts(0.8), not(not(reported()))]), &[], &[trust_of_wren, flag]);
    let without_players = evaluate_condition(&State::default(), &owns(), &id("mirela"), None, &trust);
    assert_eq!(without_players.missing, ["there is no player character who could be told"]);
}

#[test]
fn reveals_are_judged_for_those_who_conceal_the_secret() {
    let mut state = harbour();
    let reveal = |name: &str, holder: Option<&str>, when| {
        let fact = secret().id();
        Change::Set(Setting::Game(GameSetting::Reveal(Reveal {
            id: name.into(),
            fact,
            holder: holder.map(id),
            when,
            note: None,
        })))
    };
    let concealing_edge =
        KnowledgeEdge { conceals: true, ..KnowledgeEdge::authored(id("watch").into(), secret().id()) };
    apply(
        &mut state,
        vec![
            reveal("by-trust", None, trusts(0.5)),
            reveal("after-the-fire", Some("dorric"), reported()),
            Change::Learn(concealing_edge.into()),
        ],
    );
    let summaries = |state: &State| {
        let all = evaluate_reveals(state, &trust);
        all.iter()
            .map(|result| format!("{} {} {}", result.reveal, result.holder, result.judgement.holds))
            .collect::<Vec<_>>()
    };
    assert_eq!(summaries(&state), ["after-the-fire dorric false", "by-trust mirela true", "by-trust watch false"]);
    apply(&mut state, vec![Change::SetFlag { name: "fire-reported".into(), value: Value::Flag(true) }]);
    assert_eq!(summaries(&state), ["after-the-fire dorric false", "by-trust mirela true", "by-trust watch false"]);
    assert_eq!(evaluate_reveals(&state, &trust)[0].judgement.missing, ["dorric does not know the secret"]);
    apply(&mut state, vec![Change::Learn(KnowledgeEdge::authored(id("dorric").into(), secret().id()).into())]);
    assert_eq!(summaries(&state), ["after-the-fire dorric true", "by-trust mirela true", "by-trust watch false"]);
    // Without a condition on the listener, the listeners are all player characters who do not know the secret.
    let all = evaluate_reveals(&state, &trust);
    assert_eq!(all[0].judgement.listeners, [id("wren")]);
    let revealable = |holder: &str| revealable_facts(&all, &id(holder));
    for holder in ["dorric", "mirela"] {
        assert_eq!(revealable(holder), RevealableFacts::from([(secret().id(), BTreeSet::from([id("wren")]))]));
    }
    assert!(revealable("watch").is_empty(), "its condition is not met");
    // A character who knows the secret already is not a listener.
    apply(&mut state, vec![Change::Learn(KnowledgeEdge::authored(id("wren").into(), secret().id()).into())]);
    assert_eq!(summaries(&state), ["after-the-fire dorric false", "by-trust mirela false", "by-trust watch false"]);
    apply(&mut state, vec![Change::RetractFact(secret().id())]);
    assert_eq!(summaries(&state), Vec::<String>::new());
}
