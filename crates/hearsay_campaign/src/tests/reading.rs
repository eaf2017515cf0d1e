//! The facts that each part of the format creates.

use hearsay_model::{Author, EntityId, Evidence, FactStatus, Method, Secrecy, attribute};

use super::{HEAD, fact, fixture, import, imported, known, read_good, read_text};
use crate::{Limits, read};

/// Reads the head and a text after it. Checks the status and the knowers of the fact with this handle or statement.
fn check(yaml: &str, name: &str, status: FactStatus, knowers: &[&str]) {
    let state = imported(&format!("{HEAD}{yaml}"));
    assert_eq!(fact(&state, name).status(), status, "{yaml}");
    assert_eq!(known(&state, name), knowers, "{yaml}");
}

#[test]
fn unmarked_facts_follow_the_rules() {
    let all = ["ann authored 1", "bob authored 1", "inn authored 1"];
    check(
        "relationships: [{source: ann, type: OWNS, target: Bob Elm}]",
        "Ann Oak owns Bob Elm.",
        FactStatus::Canon,
        &all,
    );
    let parties = ["ann authored 1", "bob authored 1"];
    check(
        "relationships: [{source: ann, type: OWES, target: bob}]",
        "Ann Oak owes Bob Elm.",
        FactStatus::Canon,
        &parties,
    );
    let yaml = "audience: {predicates: {OWES: common}}\nrelationships: [{source: ann, type: OWES, target: bob}]";
    check(yaml, "Ann Oak owes Bob Elm.", FactStatus::Canon, &["* authored 1"]);
    check("facts: [{id: x, subject: book, text: Torn., audience: private}]", "x", FactStatus::Canon, &[]);
    check("facts: [{id: x, subject: ann, text: Tall., common: true}]", "x", FactStatus::Canon, &["* authored 1"]);
}

#[test]
fn marks_say_who_knows() {
    let yaml = "facts: [{id: x, subject: ann, text: T., secret: true, bearer: false, known_by: [bob, {who: eve, how: told, from: bob, \
        when: 3 Rain 4, credence: 0.4}], conceals: [bob]}]";
    let known = ["bob authored 1 !", "bob told eve at 3 Rain 4", "eve told by bob 0.4 at 3 Rain 4"];
    check(yaml, "x", FactStatus::Canon, &known);
    // A named knower has only the edge that the files name. The audience rule adds no second edge.
    let yaml = "facts: [{id: x, subject: ann, text: T., known_by: [{who: ann, how: rumour}, eve]}]";
    check(yaml, "x", FactStatus::Canon, &["ann told by ? 0.5", "eve authored 1", "inn authored 1"]);
    let yaml =
        "facts: [{id: x, subject: ann, text: T., secret: true}]\nknowledge: [{fact: x, who: world, how: witnessed}]";
    check(yaml, "x", FactStatus::Canon, &["* witnessed 1", "ann authored 1 !"]);
}

#[test]
fn rumours_and_lies_reach_their_hearers() {
    let yaml = "rumours: [{id: x, text: T., about: [book, ann], truth: false, heard_by: [inn, {who: eve, from: bob}]}]";
    check(yaml, "x", FactStatus::False, &["eve told by bob 0.5", "inn told by ? 0.5"]);
    check("rumours: [{id: x, text: T., about: [book]}]", "x", FactStatus::Claimed, &[]);
    let yaml = "lies: [{id: x, by: ann, text: T., about: [ann], told_to: [bob], truth_is: y}]\n\
        facts: [{id: y, subject: ann, text: True., audience: parties}]";
    check(yaml, "x", FactStatus::False, &["ann authored 0", "ann made up to bob", "bob told by ann 0.8"]);
    check(yaml, "y", FactStatus::Canon, &["ann authored 1 !"]);
}

#[test]
fn secrets_belong_to_their_bearer() {
    let secret = |marks: &str| {
        let entity =
            format!("  - {{id: sly, name: Sly, kind: npc, home: none, secrets: [{{id: x, text: T.{marks}}}]}}\n");
        imported(&format!("{HEAD}{entity}"))
    };
    assert_eq!(known(&secret(""), "x"), ["sly authored 1 !"]);
    assert_eq!(known(&secret(", conceals: false"), "x"), ["sly authored 1"]);
    assert_eq!(known(&secret(", known_by: [{who: sly, how: read}, ann]"), "x"), ["ann authored 1 !", "sly read ? 1 !"]);
    assert_eq!(fact(&secret(""), "x").secrecy(), Secrecy::Secret);
}

#[test]
fn bearer_and_named_knowers_know_and_conceal_a_secret() {
    let both = ["ann authored 1 !", "bob authored 1 !"];
    // The mark `secret` has the same meaning in each part of an entity, and in the lists of the file.
    let sly = |part: &str| format!("  - {{id: sly, name: Sly, kind: npc, home: none, {part}}}\n");
    for part in [
        "relationships: [{id: x, type: OWES, target: ann, secret: true, known_by: [bob]}]",
        "relationships: [{id: x, type: OWED_BY, target: ann, secret: true, known_by: [bob]}]",
        "relationships: [{id: x, type: PINES_FOR, target: ann, secret: true, known_by: [bob]}]",
        "facts: [{id: x, text: T., about: [ann], secret: true, known_by: [bob]}]",
        "attributes: {goals: {id: x, value: T., secret: true, known_by: [bob]}}",
        "aliases: [{id: x, name: Fox, secret: true, known_by: [bob]}]",
        "secrets: [{id: x, text: T., known_by: [bob]}]",
    ] {
        check(&sly(part), "x", FactStatus::Canon, &["bob authored 1 !", "sly authored 1 !"]);
    }
    check("facts: [{id: x, subject: ann, text: T., secret: true, known_by: [bob]}]", "x", FactStatus::Canon, &both);
    let owes = "relationships: [{id: x, source: ann, type: OWES, target: eve, secret: true, known_by: [bob]}]";
    check(owes, "x", FactStatus::Canon, &both);
    // A group shares only the entries under its `secrets`.
    let guild = |part: &str| format!("  - {{id: crafts, name: The Crafts, kind: faction, {part}}}\n");
    check(&guild("facts: [{id: x, text: T., secret: true, known_by: [bob]}]"), "x", FactStatus::Canon, &both[1..]);
    check(&guild("secrets: [{id: x, text: T.}]"), "x", FactStatus::Canon, &["crafts authored 1 !"]);
}

#[test]
fn marks_of_a_secret_say_who_does_not_know_or_conceal_it() {
    let knowers = |marks: &str, expected: &[&str]| {
        let yaml = format!("facts: [{{id: x, subject: ann, text: T., secret: true, {marks}}}]");
        check(&yaml, "x", FactStatus::Canon, expected);
    };
    knowers("bearer: false, known_by: [bob]", &["bob authored 1 !"]);
    knowers("conceals: false, known_by: [bob]", &["ann authored 1", "bob authored 1"]);
    knowers("conceals: [ann], known_by: [bob]", &["ann authored 1 !", "bob authored 1"]);
    let one_conceals = ["ann authored 1 !", "bob authored 1 !", "eve authored 1"];
    knowers("known_by: [{who: bob, conceals: true}, eve]", &one_conceals);
    knowers("known_by: [bob, {who: eve, conceals: false}]", &one_conceals);
}

#[test]
fn only_the_two_ends_know_an_undeclared_relation() {
    let relation = "relationships: [{id: x, source: ann, type: COURTS, target: bob}]";
    let campaign = read_good(&format!("{HEAD}audience: {{default: local}}\n{relation}"));
    let [warning] = campaign.warnings() else { panic!("{:?}", campaign.warnings()) };
    for words in ["COURTS is not a known relation", "Only its subject and object know", "`predicates`", "`audience`"] {
        assert!(warning.message.contains(words), "{warning}");
    }
    let ends = ["ann authored 1", "bob authored 1"];
    let with_inn = ["ann authored 1", "bob authored 1", "inn authored 1"];
    check(&format!("audience: {{default: local}}\n{relation}"), "x", FactStatus::Canon, &ends);
    let declared = "predicates: [{name: COURTS, phrase: '{subject} courts {object}', audience: local}]\n";
    check(&format!("{declared}{relation}"), "x", FactStatus::Canon, &with_inn);
}

#[test]
fn an_attribute_without_a_value_causes_a_warning_or_an_error() {
    let inn = |attributes: &str| HEAD.replace("kind: location}", &format!("kind: location, {attributes}}}"));
    let campaign = read_good(&inn("attributes: {atmosphere: }"));
    let [warning] = campaign.warnings() else { panic!("{:?}", campaign.warnings()) };
    assert_eq!((warning.path.as_str(), warning.line), ("test.yaml", 4), "{warning}");
    assert!(warning.message.contains("`atmosphere` has no value"), "{warning}");
    let template = HEAD.replace(
        "kind: location}",
        "kind: location}\n  - id: eel\n    name: The Eel\n    kind: location\n    attributes:\n      roof colour:",
    );
    assert_eq!(read_good(&template).warnings().len(), 1, "{template}");
    // Several words are no name of an attribute, so a colon or quotes are missing.
    for (attributes, words) in [
        ("attributes: {atmosfere smoky}", "`atmosfere smoky` has no colon"),
        ("attributes: {atmosphere: smoke, wet dogs and eel pie}", "`wet dogs and eel pie` has no colon"),
    ] {
        let errors = read_text(&inn(attributes)).unwrap_err().to_string();
        for words in ["test.yaml:4", words, "put the whole text in quotes"] {
            assert!(errors.contains(words), "{words}: {errors}");
        }
    }
    assert_eq!(read_good(&inn("attributes: {atmosphere: 'smoke, wet dogs and eel pie'}")).warnings(), []);
}

#[test]
fn a_synonym_of_a_relation_is_this_relation() {
    let relations = |types: &[&str]| {
        let entries: Vec<String> =
            types.iter().map(|name| format!("{{source: ann, type: {name}, target: bob}}")).collect();
        read_good(&format!("{HEAD}relationships: [{}]", entries.join(", ")))
    };
    let rescued = "relationships: [{source: ann, type: rescued, target: bob}]";
    check(rescued, "Ann Oak saved Bob Elm.", FactStatus::Canon, &["ann authored 1", "bob authored 1"]);
    assert!(relations(&["threatens", "rescued", "RESCUED_BY"]).warnings().is_empty());
    let campaign = relations(&["threatening"]);
    let [warning] = campaign.warnings() else { panic!("{:?}", campaign.warnings()) };
    for words in ["THREATENING is not a known relation", "Did you mean THREATENED?"] {
        assert!(warning.message.contains(words), "{warning}");
    }
}

#[test]
fn the_player_of_a_character_is_an_attribute() {
    let state = imported(&format!("{HEAD}  - {{id: pia, name: Pia, kind: player, player: Laura, home: none}}\n"));
    let player = state.newest(&EntityId::new("pia").unwrap(), attribute::PLAYER).unwrap();
    assert_eq!((player.object().text(), player.statement()), (Some("Laura"), "Pia is played by Laura."));
    assert_eq!(known(&state, "Pia is played by Laura."), ["pia authored 1"]);
}

#[test]
fn the_party_and_the_neighbours_know_names() {
    let people = "  - {id: bay, name: Gull Bay, kind: location}
  - {id: mill, name: The Mill, kind: location, part_of: bay}
  - {id: pia, name: Pia, kind: player, home: none}
  - {id: tam, name: Tam, kind: player, home: none}
  - {id: cole, name: Cole, kind: npc, home: mill}
  - {id: sly, name: Sly, kind: npc, home: mill, visibility: gm}
";
    let names = |yaml: &str| {
        let state = imported(&format!("{HEAD}{people}{yaml}"));
        ["Pia", "Cole", "Sly"].map(|name| known(&state, &format!("The name is {name}.")).join(", "))
    };
    let party = "pia authored 1, tam authored 1";
    assert_eq!(names(""), [party, "bay authored 1, cole authored 1, mill authored 1", "sly authored 1"]);
    // The residents of the mill also know that Cole lives there.
    let private = names("audience: {attributes: {name: private}}\n");
    assert_eq!(private, ["pia authored 1", "cole authored 1, mill authored 1", "sly authored 1"]);
}

#[test]
fn factions_and_pronouns_are_fields_of_an_entity() {
    for faction in ["guild", "[The Guild]"] {
        let cole = format!("  - {{id: cole, name: Cole, kind: npc, home: none, faction: {faction}}}\n");
        let knowers = ["cole authored 1", "guild authored 1"];
        check(&cole, "Cole is a member of The Guild.", FactStatus::Canon, &knowers);
    }
    let state = imported(&format!("{HEAD}  - {{id: pia, name: Pia, kind: player, pronouns: she/her}}\n"));
    let pronouns = state.newest(&EntityId::new("pia").unwrap(), "pronouns").unwrap();
    assert_eq!(pronouns.object().text(), Some("she/her"));
}

const SESSION: &str = "sessions:
  - number: 1
    start: 1 Rain 5
    place: inn
    present: [bob, ann]
    log:
      - Rain falls.
      - {text: A bell rings., facts: [{id: rings, subject: inn, text: A bell rang.}]}
      - speaker: ann
        text: \"Eve owes me, says The Book.\"
        time: 1 Rain 5, 20:00
        facts: [{id: owes, subject: eve, type: OWES, target: ann}, {fact: tale, credence: 0.2}]
      - {speaker: ann, text: Psst., heard_by: [eve], with: [guild], facts: [{id: psst, subject: ann, text: T.}]}
rumours: [{id: tale, text: T., about: [book], heard_by: [ann]}]
";

#[test]
fn a_line_tells_its_hearers() {
    let told = "bob told by ann 0.7 at 1 Rain 5, 20:00";
    let record = "ann told bob at 1 Rain 5, 20:00";
    check(SESSION, "owes", FactStatus::Claimed, &["ann authored 1", record, told]);
    check(SESSION, "rings", FactStatus::Canon, &["ann witnessed 1 at 1 Rain 5", "bob witnessed 1 at 1 Rain 5"]);
    let told = "bob told by ann 0.2 at 1 Rain 5, 20:00";
    check(SESSION, "tale", FactStatus::Claimed, &[record, "ann told by ? 0.5", told]);
    let at = "at 1 Rain 5, 20:00";
    let psst = [format!("eve told by ann 0.7 {at}"), format!("guild told by ann 0.7 {at}")];
    let record = format!("ann told eve, guild {at}");
    check(SESSION, "psst", FactStatus::Claimed, &["ann authored 1", &record, &psst[0], &psst[1]]);
    let state = imported(&format!("{HEAD}{SESSION}"));
    let owes = fact(&state, "owes").provenance();
    assert_eq!((owes.method, owes.session.as_ref().unwrap().as_str()), (Method::Stated, "session-1"));
    assert_eq!(owes.speaker.as_ref().unwrap().as_str(), "ann");
    let Evidence::Passage { passage, quote, span } = &owes.evidence[1] else { panic!("{:?}", owes.evidence) };
    let passage = state.passage(*passage).unwrap();
    assert_eq!((&passage.text, span.end), (quote, quote.len()));
    let ids = |ids: &[hearsay_model::EntityId]| ids.iter().map(|id| id.to_string()).collect::<Vec<_>>();
    assert_eq!(ids(&passage.mentions), ["book"], "a name is found as words: Eve Ash is not named in full");
    assert_eq!(passage.line, 3);
    assert_eq!(passage.place.as_ref().unwrap().as_str(), "inn");
}

#[test]
fn readers_of_a_text_know_its_facts() {
    let yaml = "passages: [{id: p, text: Words., about: [ann], document: book, known_by: [bob], facts: [{id: x, subject: \
        ann, text: T.}, {fact: y}]}]\nfacts: [{id: y, subject: eve, text: U., secret: true}]";
    check(yaml, "x", FactStatus::Canon, &["bob read book 1"]);
    check(yaml, "y", FactStatus::Canon, &["bob read book 1", "eve authored 1 !"]);
    let state = imported(&format!("{HEAD}passages: [{{text: Words., about: [ann]}}]"));
    let (_, passage) = state.passages().next().unwrap();
    let heard: Vec<_> = passage.heard_by.iter().map(|knower| knower.as_str()).collect();
    assert_eq!(heard, ["ann", "inn"], "unmarked, it is for whom lore about its subject is");
}

#[test]
fn knowers_of_a_fact_know_the_names_in_it() {
    let yaml = "facts: [{id: x, subject: ann, text: T., about: [eve], secret: true, bearer: false, known_by: [{who: bob, how: told, from: \
        ann, when: 3 Rain 4}]}]";
    check(yaml, "The name is Eve Ash.", FactStatus::Canon, &["bob told by ann 1 at 3 Rain 4", "eve authored 1"]);
    check(
        yaml,
        "Ann Oak is an NPC.",
        FactStatus::Canon,
        &["ann authored 1", "bob told by ann 1 at 3 Rain 4", "inn authored 1"],
    );
    let proposed = yaml.replace("secret: true", "secret: true, status: proposed");
    check(&proposed, "The name is Eve Ash.", FactStatus::Canon, &["eve authored 1"]);
}

#[test]
fn secret_names_are_not_learned_with_a_fact() {
    let entity =
        "  - {id: sly, name: Sly, kind: npc, home: none, aliases: [{name: Fox, secret: true, known_by: [bob]}]}\n";
    let yaml = format!("{HEAD}{entity}facts: [{{subject: sly, text: T., known_by: [eve]}}]");
    assert_eq!(known(&imported(&yaml), "Sly is also called Fox."), ["bob authored 1 !", "sly authored 1 !"]);
}

#[test]
fn provenance_leads_back_to_the_file() {
    let state = imported(&format!("{HEAD}facts:\n  - {{id: x, subject: ann, text: T., confidence: 0.5}}\n"));
    let provenance = fact(&state, "x").provenance();
    let location = Evidence::File { path: "test.yaml".into(), line: 11, field: "facts/x".into() };
    assert_eq!(provenance.evidence, [location]);
    assert_eq!((provenance.method, provenance.confidence.get()), (Method::Imported, 0.5));
    assert_eq!(provenance.author, Author::Importer("test".into()));
}

#[test]
fn relations_are_read_as_other_tools_write_them() {
    let yaml = "relationships:
  - {source: ann, type: works for, target_name: Bob Elm}
  - {source: bob, type: EMPLOYS, target_id: eve}
  - {source: ann, type: LIKES, target: eve, bidirectional: true}
  - {source: ann, type: MEMBER_OF, target: None; works independently.}
";
    let campaign = read_good(&format!("{HEAD}{yaml}"));
    let statements: Vec<_> = campaign.facts().map(|fact| fact.statement()).collect();
    for expected in
        ["Ann Oak works for Bob Elm.", "Eve Ash works for Bob Elm.", "Ann Oak likes Eve Ash.", "Eve Ash likes Ann Oak."]
    {
        assert!(statements.contains(&expected), "{expected}: {statements:?}");
    }
    let warnings: Vec<_> = campaign.warnings().iter().map(|warning| warning.to_string()).collect();
    assert!(warnings.len() == 1 && warnings[0].contains("names no entity"), "{warnings:?}");
    assert_eq!(campaign.entities().len(), 6);
}

#[test]
fn the_shapes_of_other_tools_are_read() {
    let campaign = read(&fixture("glyphoxa.yaml"), &Limits::default()).unwrap_or_else(|errors| panic!("{errors}"));
    let mut facts: Vec<String> = campaign.facts().map(|fact| fact.statement().to_owned()).collect();
    facts.sort();
    let expected = [
        "Day\u{2019}s End is a location.",
        "Dorn Reck's character is: gruff",
        "Dorn Reck is an NPC.",
        "Dorn Reck knows about Day\u{2019}s End.",
        "Dorn Reck stole the bell.",
        "Dorn Reck is a smith.",
        "Dorn Reck: loyal to: Day\u{2019}s End",
    ];
    for expected in expected {
        assert!(facts.iter().any(|fact| fact.starts_with(expected.trim_end_matches('.'))), "{expected}: {facts:#?}");
    }
    assert_eq!(campaign.passages().filter(|passage| passage.title.as_deref() == Some("The bell")).count(), 1);
    assert_eq!(campaign.entities().len(), 3, "nobody is made of `None`");
}

#[test]
fn equal_names_are_kept_apart_by_their_ids() {
    let more =
        "  - {id: ann-two, name: Ann Oak, kind: npc}\nrelationships: [{source: ann-two, type: KNOWS, target: ann}]\n";
    assert_eq!(read_good(&format!("{HEAD}{more}")).entities().len(), 7);
}

#[test]
fn dates_keep_their_raw_text() {
    let state = imported(&format!("{HEAD}facts: [{{id: x, subject: ann, text: T., since: \"-3-02-02\", until: 12}}]"));
    let state = fact(&state, "x").validity().clone();
    assert_eq!(state.until.unwrap().raw, "12");
    let state = imported(&format!("{HEAD}facts: [{{id: x, subject: ann, text: T., since: \"3   Rain   2\"}}]"));
    assert_eq!(fact(&state, "x").validity().from.clone().unwrap().raw, "3   Rain   2");
}

#[test]
fn the_report_counts() {
    let mut state = hearsay_model::State::default();
    let report = import(&mut state, &format!("{HEAD}{SESSION}"));
    assert_eq!(report.created.get("npc"), Some(&3));
    assert_eq!((report.passages, report.sessions, report.matched), (4, 1, 0));
    assert_eq!(report.audience.get("told"), Some(&4));
    assert!(report.to_string().contains("4 to named characters"), "{report}");
    let nothing: Vec<_> = report.without_knowledge.iter().map(|id| id.as_str()).collect();
    assert!(nothing.is_empty(), "{nothing:?}");
    let mut state = hearsay_model::State::default();
    let report = import(&mut state, HEAD);
    let nothing: Vec<_> = report.without_knowledge.iter().map(|id| id.as_str()).collect();
    assert_eq!(nothing, ["bob", "eve"]);
    assert!(report.to_string().contains("NPCs who know only names and kinds: bob, eve"), "{report}");
    let mut unknown: Vec<_> = report.without_knower.iter().map(|unknown| unknown.statement.as_str()).collect();
    unknown.sort_unstable();
    assert_eq!(unknown, ["The Book is a document.", "The name is The Book."]);
    assert_eq!(report.audience.get("nobody"), Some(&2));
    assert!(report.to_string().contains("known to nobody: The Book is a document. ["), "{report}");
}

#[test]
fn the_example_of_the_format_is_the_fixture() {
    let example = std::fs::read_to_string(fixture("inn/campaign.yaml")).unwrap();
    assert!(include_str!("../../FORMAT.md").contains(&format!("```yaml\n{example}```\n")));
}

#[test]
fn the_calendar_of_the_format_is_read() {
    let example = include_str!("../../FORMAT.md").split("```yaml\n").find(|part| part.starts_with("calendar:"));
    let example = example.and_then(|part| part.split("```").next()).unwrap();
    let state = imported(&format!("campaign: {{name: T}}\n{example}"));
    let calendar = state.calendar();
    let check = |raw: &str, printed: &str| {
        assert_eq!(calendar.format(calendar.parse(raw).unwrap().time.unwrap()), printed, "{raw}");
    };
    check("Shieldmeet 412 Age of Salt", "1 Shieldmeet 412 AS");
    check("31 Frostmoon 412", "31 Frostmoon 412 AS");
    check("-1", "1 Frostmoon 1 BR");
    check("413", "1 Frostmoon 1 AB");
    let error = calendar.parse("31 Frostmoon 411").unwrap_err().to_string();
    assert!(error.contains("the day of Frostmoon in the year 411 AS must be from 1 to 30"), "{error}");
    assert_eq!(calendar.format(calendar.end_of("Frostmoon 2 AB").unwrap()), "30 Frostmoon 2 AB, 23:59");
}

#[test]
fn the_clock_goes_on_with_the_sessions() {
    let clock = |sessions: &str| {
        let head = HEAD.replace("id: test}", "id: test, start: 2 Rain 3}");
        let state = imported(&format!("{head}sessions: [{sessions}]"));
        state.calendar().format(state.clock().unwrap())
    };
    assert_eq!(clock("{id: s1, log: [Rain falls.]}"), "2 Rain 3");
    assert_eq!(clock("{id: s1, start: 3 Rain 3, end: 4 Rain 3}, {id: s2, start: 1 Rain 3}"), "4 Rain 3");
    assert_eq!(
        clock("{id: s1, start: 3 Rain 3, log: [{text: Night falls., time: '5 Rain 3, 20:00'}]}"),
        "5 Rain 3, 20:00"
    );
}
