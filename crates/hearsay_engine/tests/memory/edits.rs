use hearsay_commands::edit::{Edit, FactOptions};
use hearsay_model::{
    AudienceRules, Author, Change, FactId, FactStatus, Kind, Object, Operation, Secrecy, Setting, WorldSetting,
    attribute,
};
use hearsay_query::resolve::{
    Speaker, find_fact, resolve, resolve_all, resolve_object, resolve_replacement, resolve_speaker,
};

use crate::support::*;

#[test]
fn a_newcomer_is_known_to_itself_and_to_where_it_lives() {
    let memory = town();
    let state = state(&memory);
    let mirela = id("mirela-voss");
    assert_eq!(state.name(&mirela), Some("Mirela Voss"));
    assert_eq!(state.kind(&mirela), Some(Kind::Npc));
    for name in ["name", "kind", "RESIDENT_OF", "LOCATED_AT"] {
        assert_eq!(known_by(&memory, &fact(&memory, "mirela-voss", name)), ["mirela-voss", "the-gull"], "{name}");
    }
    assert_eq!(known_by(&memory, &fact(&memory, "the-gull", "PART_OF")), ["harbour", "the-gull"]);
    assert_eq!(known_by(&memory, &fact(&memory, "odo-brandt", "name")), ["odo-brandt"]);
    assert!(known_by(&memory, &fact(&memory, "silver-ring", "name")).is_empty(), "a thing knows nothing");
    assert!(knows(&memory, "pell", "Mirela Voss lives in The Gull."), "residents know");
    assert!(!knows(&memory, "odo-brandt", "Mirela Voss lives in The Gull."));
}

#[test]
fn a_newcomer_follows_the_audience_rules_of_the_campaign() {
    let memory = town();
    let rules = AudienceRules {
        attributes: [(predicate(attribute::NAME), hearsay_model::Audience::Common)].into(),
        ..AudienceRules::default()
    };
    memory
        .write(move |_| {
            Ok(Operation::new(
                Author::Dm,
                "rules",
                vec![Change::Set(Setting::World(WorldSetting::Audience(rules.clone())))],
            ))
        })
        .unwrap()
        .wait()
        .unwrap();
    do_edit(&memory, add("Bram", Kind::Npc, Some("Harbour")));
    assert_eq!(known_by(&memory, &fact(&memory, "bram", "name")), ["*"]);
    assert_eq!(known_by(&memory, &fact(&memory, "bram", "kind")), ["bram", "harbour"]);
}

#[test]
fn a_thing_that_lies_in_a_thing_is_known_to_neither() {
    let memory = town();
    do_edit(&memory, add("Inscription", Kind::Concept, Some("Silver Ring")));
    let place = fact(&memory, "inscription", "LOCATED_AT");
    assert!(known_by(&memory, &place).is_empty());
}

#[test]
fn an_attribute_is_canon_at_once_and_known_by_the_rules() {
    let memory = town();
    let check = |attribute: &str, options: FactOptions, status_secrecy: Secrecy, expected: &[&str]| {
        let value = format!("{attribute} {expected:?}");
        do_edit(&memory, set_with("Mirela Voss", attribute, &value, options));
        let fact = facts(&memory, "mirela-voss", attribute).into_iter().find(|f| f.object().text() == Some(&value));
        let fact = fact.unwrap();
        assert_eq!(fact.status(), FactStatus::Canon);
        assert_eq!(fact.secrecy(), status_secrecy);
        assert!(fact.provenance().confirmed);
        assert_eq!(known_by(&memory, &fact), expected, "{attribute}");
    };
    let plain = FactOptions::default;
    check("occupation", plain(), Secrecy::Open, &["mirela-voss", "the-gull"]);
    check("goals", plain(), Secrecy::Open, &["mirela-voss"]);
    check("faith", FactOptions { secret: true, ..plain() }, Secrecy::Secret, &["mirela-voss"]);
    check("motto", FactOptions { common: true, ..plain() }, Secrecy::Common, &["*"]);
    let speakers_and_hearers = ids(&["Odo Brandt", "mirela-voss", "Odo Brandt"]);
    let secret = FactOptions { secret: true, known_by: speakers_and_hearers, ..plain() };
    check("personality", secret, Secrecy::Secret, &["mirela-voss", "odo-brandt"]);
    let open = FactOptions { known_by: ids(&["The Guild"]), ..plain() };
    check("appearance", open, Secrecy::Open, &["mirela-voss", "the-guild", "the-gull"]);
}

#[test]
fn all_knowers_of_a_secret_conceal_it() {
    let memory = town();
    let secret = FactOptions { secret: true, known_by: ids(&["Odo Brandt"]), ..FactOptions::default() };
    do_edit(&memory, relate_with("Pell", "OWES", "Mirela Voss", secret.clone()));
    do_edit(&memory, set_with("Pell", "goals", "Leave the town.", secret));
    let state = state(&memory);
    for predicate in ["OWES", "goals"] {
        let fact = fact(&memory, "pell", predicate);
        assert_eq!(known_by(&memory, &fact), ["odo-brandt", "pell"], "{predicate}");
        assert!(state.recorded_knowledge(fact.id()).all(|edge| edge.conceals), "{predicate}");
    }
}

#[test]
fn only_the_two_ends_know_an_undeclared_relation() {
    let memory = town();
    do_edit(&memory, relate("Mirela Voss", "COURTS", "Pell"));
    assert_eq!(known_by(&memory, &fact(&memory, "mirela-voss", "COURTS")), ["mirela-voss", "pell"]);
}

#[test]
fn relations_are_named_by_their_name_their_inverse_or_words() {
    let check = |given: &str, subject: &str, expected: &str, object: &str| {
        let memory = town();
        do_edit(&memory, relate("Pell", given, "The Guild"));
        let fact = fact(&memory, subject, expected);
        assert_eq!(fact.object(), &entity(object), "{given}");
        assert_eq!(fact.status(), FactStatus::Canon);
    };
    check("MEMBER_OF", "pell", "MEMBER_OF", "the-guild");
    check("member of", "pell", "MEMBER_OF", "the-guild");
    check("HAS_MEMBER", "the-guild", "MEMBER_OF", "pell");
    check("has member", "the-guild", "MEMBER_OF", "pell");
    check("works for", "pell", "EMPLOYED_BY", "the-guild");
    check("Is a member of", "pell", "MEMBER_OF", "the-guild");
    check("employs", "the-guild", "EMPLOYED_BY", "pell");
    check("smuggles for", "pell", "SMUGGLES_FOR", "the-guild");
    check("WORKS_FOR", "pell", "EMPLOYED_BY", "the-guild");
}

#[test]
fn a_relation_carries_what_is_said_of_it() {
    let memory = town();
    let options = FactOptions {
        statement: Some("Pell cannot stand Odo.".into()),
        attitude: Some(-80),
        since: Some("2".into()),
        until: Some("3".into()),
        ..FactOptions::default()
    };
    let written = do_edit(&memory, relate_with("Pell", "HOSTILE_TO", "Odo Brandt", options));
    assert_eq!(written.summary, "relate Pell HOSTILE_TO Odo Brandt");
    let fact = fact(&memory, "pell", "HOSTILE_TO");
    assert_eq!((fact.statement(), fact.attitude().unwrap().get()), ("Pell cannot stand Odo.", -80));
    assert_eq!(fact.validity().from.as_ref().unwrap().raw, "2");
    assert!(fact.validity().is_closed());
    assert_eq!(known_by(&memory, &fact), ["odo-brandt", "pell"], "both parties");
}

#[test]
fn the_newer_state_ends_the_older_at_the_game_clock() {
    let memory = town();
    set_clock(&memory, 5 * DAY);
    do_edit(&memory, relate("Pell", "EMPLOYED_BY", "Mirela Voss"));
    assert_eq!(course(&memory, "pell", "EMPLOYED_BY"), ["mirela-voss .."]);
    set_clock(&memory, 8 * DAY);
    do_edit(&memory, relate("Pell", "EMPLOYED_BY", "The Guild"));
    assert_eq!(course(&memory, "pell", "EMPLOYED_BY"), ["mirela-voss ..8", "the-guild 8.."]);
    // Repeating the statement changes nothing.
    do_edit(&memory, relate("Pell", "EMPLOYED_BY", "The Guild"));
    assert_eq!(course(&memory, "pell", "EMPLOYED_BY"), ["mirela-voss ..8", "the-guild 8.."]);
    // When Pell returns to his earlier employer, a second fact is recorded.
    set_clock(&memory, 9 * DAY);
    do_edit(&memory, relate("Pell", "EMPLOYED_BY", "Mirela Voss"));
    assert_eq!(course(&memory, "pell", "EMPLOYED_BY"), ["mirela-voss ..8", "mirela-voss 9..", "the-guild 8..9"]);
    assert_eq!(memory.status().unwrap().wait().unwrap().reviews, 0, "succession is not contradiction");
}

#[test]
fn the_newer_state_ends_the_older_when_it_begins() {
    let memory = town();
    set_clock(&memory, 5 * DAY);
    let since = |since: &str| FactOptions { since: Some(since.into()), ..FactOptions::default() };
    let day = |n: i64| {
        let state = state(&memory);
        state.calendar().format(hearsay_model::GameTime(n * DAY))
    };
    do_edit(&memory, relate_with("Pell", "EMPLOYED_BY", "Mirela Voss", since(&day(2))));
    do_edit(&memory, relate_with("Pell", "EMPLOYED_BY", "The Guild", since(&day(3))));
    assert_eq!(course(&memory, "pell", "EMPLOYED_BY"), ["mirela-voss 2..3", "the-guild 3.."]);
    // A value that begins earlier does not end a later value. The two overlap, so the DM must review them.
    do_edit(&memory, relate_with("Pell", "EMPLOYED_BY", "Odo Brandt", since(&day(1))));
    assert_eq!(course(&memory, "pell", "EMPLOYED_BY"), ["mirela-voss 2..3", "odo-brandt 1..", "the-guild 3.."]);
    assert_eq!(memory.status().unwrap().wait().unwrap().reviews, 1);
}

#[test]
fn without_a_clock_the_older_state_is_over_and_contradicts_nothing() {
    let memory = town();
    do_edit(&memory, relate("Pell", "EMPLOYED_BY", "Mirela Voss"));
    do_edit(&memory, relate("Pell", "EMPLOYED_BY", "The Guild"));
    assert_eq!(course(&memory, "pell", "EMPLOYED_BY"), ["mirela-voss ..?", "the-guild .."]);
    do_edit(&memory, set("Pell", "name", "Pelle"));
    assert_eq!(state(&memory).name(&id("pell")), Some("Pelle"));
    assert_eq!(memory.status().unwrap().wait().unwrap().reviews, 0);
    do_edit(&memory, relate("Pell", "OWES", "Mirela Voss"));
    do_edit(&memory, relate("Pell", "OWES", "The Guild"));
    assert_eq!(course(&memory, "pell", "OWES"), ["mirela-voss ..", "the-guild .."], "one can owe many");
}

#[test]
fn knowers_of_a_fact_know_its_correction() {
    let memory = town();
    let options = FactOptions { secret: true, known_by: ids(&["Odo Brandt"]), ..FactOptions::default() };
    do_edit(&memory, relate_with("Pell", "OWES", "Mirela Voss", options));
    let old = fact(&memory, "pell", "OWES");
    let correct = |object: Option<&str>, statement: Option<&str>, fact: FactId| Edit::Correct {
        fact,
        object: object.map(entity),
        statement: statement.map(str::to_owned),
    };
    do_edit(&memory, correct(Some("The Guild"), None, old.id()));
    let new = fact(&memory, "pell", "OWES");
    assert_eq!((new.object(), new.statement()), (&entity("the-guild"), "Pell owes The Guild."));
    assert_eq!((new.status(), new.secrecy()), (FactStatus::Canon, Secrecy::Secret));
    assert_eq!(known_by(&memory, &new), ["odo-brandt", "pell"]);
    assert!(!knows(&memory, "odo-brandt", old.statement()));
    do_edit(&memory, correct(None, Some("Pell owes the guild nine crowns."), new.id()));
    assert_eq!(fact(&memory, "pell", "OWES").statement(), "Pell owes the guild nine crowns.");
    let words = "Pell owes the guild nine crowns.";
    assert!(knows(&memory, "odo-brandt", words) && !knows(&memory, "mirela-voss", words));
}

#[test]
fn facts_about_removed_entities_can_be_corrected() {
    let memory = town();
    let options_with_knower = FactOptions { known_by: ids(&["Odo Brandt"]), ..FactOptions::default() };
    do_edit(&memory, relate_with("Pell", "OWES", "Mirela Voss", options_with_knower));
    do_edit(&memory, Edit::RemoveEntity { entity: id("Odo Brandt") });
    let old = fact(&memory, "pell", "OWES").id();
    do_edit(&memory, Edit::Correct { fact: old, object: Some(entity("The Guild")), statement: None });
    assert_eq!(known_by(&memory, &fact(&memory, "pell", "OWES")), ["mirela-voss", "pell"]);
}

#[test]
fn nobody_knows_a_removed_fact() {
    let memory = town();
    do_edit(&memory, relate("Pell", "OWES", "Mirela Voss"));
    let owes = fact(&memory, "pell", "OWES");
    memory.retcon(hearsay_commands::retcon::Retcon::Retract { fact: owes.id() }).unwrap().wait().unwrap();
    assert!(facts(&memory, "pell", "OWES").is_empty());
    assert!(!knows(&memory, "mirela-voss", owes.statement()));
    let written = do_edit(&memory, Edit::RemoveEntity { entity: id("Mirela Voss") });
    assert_eq!(written.summary, "remove Mirela Voss");
    assert!(state(&memory).entity(&id("mirela-voss")).is_none());
    assert!(!knows(&memory, "pell", "Mirela Voss lives in The Gull."));
    refused(&memory, |memory| try_edit(memory, set("Mirela Voss", "age", "30")), &["there is no entity `mirela-voss`"]);
}

#[test]
fn a_part_of_a_name_is_enough_where_one_entity_has_it() {
    let memory = town();
    do_edit(&memory, add("Captain Ilsa Rusk", Kind::Npc, None));
    do_edit(&memory, add("Mirela Stone", Kind::Npc, None));
    let secret = FactOptions { secret: true, ..FactOptions::default() };
    do_edit(&memory, set_with("mirela-voss", "alias", "The Grey Lady", secret));
    do_edit(&memory, set("Odo Brandt", "alias", "The Boy"));
    do_edit(&memory, set("Pell", "alias", "the boy"));
    let state = state(&memory);
    for (part, entity) in [("Voss", "mirela-voss"), ("odo", "odo-brandt"), ("Captain Rusk", "captain-ilsa-rusk")] {
        assert_eq!(resolve(&state, part).unwrap(), id(entity), "{part}");
    }
    let check = |name: &str, words: &[&str]| {
        let error = resolve(&state, name).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    };
    check("Mirela", &["`mirela-stone`", "`mirela-voss`", "use the id"]);
    check("The Boy", &["`odo-brandt`", "`pell`", "use the id"]);
    check("Rusk Captain", &["no entity is called"]);
    check("the", &["no entity is called `the`"]);
    // A part of a secret name finds no entity, because the result would reveal whose name it is.
    check("Grey Lady", &["no entity is called `Grey Lady`"]);
    check("Mirella Vos", &["no entity is called `Mirella Vos`", "did you mean mirela-voss"]);
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(resolve_all(&state, &names(&["odo", "Voss"])).unwrap(), ids(&["odo-brandt", "mirela-voss"]));
    assert!(resolve_all(&state, &names(&["odo", "Mirela"])).is_err());
}

#[test]
fn a_speaker_under_a_secret_name_keeps_the_name() {
    let memory = town();
    let secret = FactOptions { secret: true, ..FactOptions::default() };
    do_edit(&memory, set_with("mirela-voss", "alias", "The Grey Lady", secret));
    let state = state(&memory);
    let speaker = |name: &str| resolve_speaker(&state, name).unwrap();
    let masked = Speaker { id: id("mirela-voss"), alias: Some("The Grey Lady".into()) };
    assert_eq!(speaker("the grey lady"), masked);
    assert_eq!(speaker("Mirela Voss"), id("mirela-voss").into());
}

#[test]
fn the_predicate_decides_whether_an_object_is_an_entity() {
    let memory = town();
    do_edit(&memory, relate("Pell", "OWES", "Mirela Voss"));
    do_edit(&memory, set("Pell", "occupation", "potboy"));
    let now = state(&memory);
    let object = |predicate: &str, object: &str| resolve_object(&now, predicate, object);
    assert_eq!(object("owes", "Voss").unwrap(), entity("mirela-voss"));
    assert_eq!(object("occupation", "Voss").unwrap(), Object::Value("Voss".into()));
    assert!(object("OWES", "Nobody").unwrap_err().to_string().contains("no entity is called `Nobody`"));
    let replacement =
        |predicate: &str, object: &str| resolve_replacement(&now, &fact(&memory, "pell", predicate), object).unwrap();
    assert_eq!(replacement("OWES", "The Guild"), entity("the-guild"));
    assert_eq!(replacement("occupation", "The Guild"), Object::Value("The Guild".into()));
}

#[test]
fn edits_that_are_not_understood_change_nothing() {
    let memory = town();
    do_edit(&memory, add("Pell the Younger", Kind::Npc, None));
    let check = |edit: Edit, words: &[&str]| refused(&memory, |memory| try_edit(memory, edit), words);
    let with = |change: fn(&mut FactOptions)| {
        let mut options = FactOptions::default();
        change(&mut options);
        relate_with("Pell", "OWES", "Mirela Voss", options)
    };
    check(set("Mirella Vos", "age", "30"), &["there is no entity `mirella-vos`", "did you mean mirela-voss"]);
    check(add("Pell", Kind::Npc, None), &["already an entity with the id `pell`"]);
    check(add("  ", Kind::Npc, None), &[]);
    check(add("Bram", Kind::Npc, Some("Nowhere")), &["there is no entity `nowhere`"]);
    check(relate("Pell", "!!", "Mirela Voss"), &["`!!` is not a predicate"]);
    check(relate("Pell", "OWES", "Mirella"), &["there is no entity `mirella`", "mirela-voss"]);
    check(set("Pell", "Occu pation", "potboy"), &["is not a predicate"]);
    check(set("Pell", "OWES", "potboy"), &["the object of OWES must be an entity"]);
    check(set("Pell", "occupation", "  "), &["`occupation` is empty"]);
    check(with(|options| options.since = Some("yesterday".into())), &["yesterday", "give a date with a year"]);
    check(with(|options| options.attitude = Some(101)), &["attitude must be from -100 to 100, not 101"]);
    check(with(|options| options.known_by = ids(&["Nobody"])), &["there is no entity `nobody`"]);
    let backwards = |options: &mut FactOptions| {
        (options.since, options.until) = (Some("9".into()), Some("4".into()));
    };
    check(with(backwards), &["begins at", "cannot end at the earlier time"]);
    check(Edit::RemoveEntity { entity: id("Nobody At All") }, &["there is no entity `nobody-at-all`"]);
    check(Edit::Correct { fact: no_fact(), object: None, statement: None }, &["there is no fact with the id 0000"]);
    let name = fact(&memory, "mirela-voss", "name").id();
    let wrong = Edit::Correct { fact: name, object: Some(entity("pell")), statement: Some("Pell.".into()) };
    check(wrong, &["the object of name must be a value"]);
}

#[test]
fn the_beginning_of_an_id_must_mean_one_fact() {
    let memory = town();
    let state = state(&memory);
    let one = state.facts().next().unwrap();
    assert_eq!(find_fact(&state, &one.id().to_string()).unwrap().id(), one.id());
    assert_eq!(find_fact(&state, &one.id().to_string()[..12]).unwrap().id(), one.id());
    assert!(find_fact(&state, &one.id().to_string()[..3]).is_err(), "three digits are too few");
    assert!(find_fact(&state, "").is_err());
    assert!(find_fact(&state, "no-such-handle").unwrap_err().to_string().contains("no fact matches `no-such-handle`"));
}

#[test]
fn several_words_of_a_statement_name_a_fact() {
    let memory = town();
    do_edit(&memory, set("Pell", "lore", "The ledger lies under the chapel."));
    do_edit(&memory, set("Odo Brandt", "lore", "The ledger is in the mill."));
    let state = state(&memory);
    let found = |given: &str| find_fact(&state, given).map(|fact| fact.statement().to_owned());
    assert_eq!(found("the ledger, chapel").unwrap(), "The ledger lies under the chapel.");
    assert!(found("the ledger").is_err(), "two facts have this word");
    assert!(found("chapel").is_err(), "one word may be meant as a handle");
}

#[test]
fn an_improvised_character_is_usable_at_once() {
    let memory = town();
    let attributes = [("occupation".to_owned(), "ferryman".to_owned())].into();
    let (name, place) = ("Bram".to_owned(), Some(id("The Gull")));
    do_edit(&memory, Edit::Introduce { name, kind: Kind::Npc, place, attributes });
    let occupation = fact(&memory, "bram", "occupation");
    assert_eq!((occupation.status(), occupation.statement()), (FactStatus::Canon, "Bram is a ferryman."));
    // Bram lives at the Gull, so he knows the facts that the Gull knows.
    assert!(knows(&memory, "bram", fact(&memory, "mirela-voss", "RESIDENT_OF").statement()));
    let again = Edit::Introduce { name: "Bram".into(), kind: Kind::Npc, place: None, attributes: Default::default() };
    refused(&memory, |memory| memory.edit(again).unwrap().wait(), &["bram"]);
}
