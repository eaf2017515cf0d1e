//! Facts that refer to other facts: distortions, refutations, ends, and public versions of secrets.

use hearsay_belief::{BeliefStatus, View};
use hearsay_model::{EntityId, Fact, FactRelation, FactStatus, Knower, Secrecy, State};

use super::{HEAD, fact, import, imported, known, read_good};

fn world(yaml: &str) -> State {
    imported(&format!("{HEAD}{yaml}"))
}

fn view(state: &State, knower: &str) -> View {
    View::new(state, &Knower::Entity(EntityId::new(knower).unwrap()), None)
}

#[test]
fn a_fact_may_distort_refute_or_end_another() {
    let original = "facts: [{id: x, subject: ann, type: OWES, target: bob}]\n";
    let check = |yaml: &str,
                 fact_relation: fn(hearsay_model::FactId) -> FactRelation,
                 subject: &str,
                 statement: &str| {
        // The other fact may come before or after this fact in the files.
        for yaml in [format!("{original}rumours: [{yaml}]"), format!("rumours: [{yaml}]\n{original}")] {
            let state = world(&yaml);
            let relation_fact = state.facts().find(|fact| fact.fact_relation().is_some()).unwrap();
            assert_eq!(relation_fact.fact_relation(), Some(fact_relation(fact(&state, "x").id())), "{yaml}");
            assert_eq!((relation_fact.subject().as_str(), relation_fact.statement()), (subject, statement), "{yaml}");
        }
    };
    let owes = "Ann Oak owes Bob Elm.";
    check("{distorts: x, text: Ann owes a king.}", FactRelation::Distorts, "ann", "Ann owes a king.");
    check("{distorts: x, text: Eve owes Bob., about: [eve, bob]}", FactRelation::Distorts, "eve", "Eve owes Bob.");
    check(
        "{distorts: x, subject: eve, type: OWES, target: bob}",
        FactRelation::Distorts,
        "eve",
        "Eve Ash owes Bob Elm.",
    );
    check("{refutes: x}", FactRelation::Refutes, "ann", &format!("It is not true that {owes}"));
    check("{refutes: x, about: [eve]}", FactRelation::Refutes, "eve", &format!("It is not true that {owes}"));
    check("{refutes: x, text: She paid.}", FactRelation::Refutes, "ann", "She paid.");
    check("{ends: x}", FactRelation::Ends, "ann", &format!("It is no longer true that {owes}"));
    let dated = format!("Since 3 Rain 4, it is no longer true that {owes}");
    check("{ends: x, since: 3 Rain 4}", FactRelation::Ends, "ann", &dated);
}

#[test]
fn fact_relations_refer_to_one_another() {
    let state = world(
        "rumours: [{id: c, refutes: b, heard_by: [eve]}, {id: b, distorts: a, text: U., heard_by: [eve]}]
facts: [{id: a, subject: ann, text: T., secret: true, bearer: false, conceals: false, known_by: [bob]}, {id: d, refutes: a, known_by: [eve]},
  {id: e, refutes: a, subject: ann, text: No., audience: parties}]
knowledge: [{fact: a, who: eve, how: rumour}]
sessions: [{id: s, present: [eve], log: [{speaker: bob, text: No., facts: [{id: f, refutes: a}, {refutes: a}]}]}]",
    );
    assert_eq!(fact(&state, "c").fact_relation(), Some(FactRelation::Refutes(fact(&state, "b").id())));
    // A fact that refers to a secret is also a secret, unless it has a mark.
    assert_eq!((fact(&state, "d").secrecy(), fact(&state, "e").secrecy()), (Secrecy::Secret, Secrecy::Open));
    assert_eq!(known(&state, "d"), ["eve authored 1"]);
    assert_eq!(known(&state, "e"), ["ann authored 1"]);
    let of_eve = view(&state, "eve");
    let status = of_eve.belief(of_eve.fact(fact(&state, "a").id()).unwrap()).status;
    assert!(matches!(status, BeliefStatus::Outweighed(_)), "{status:?}");
    // Two equal facts become one.
    assert_eq!(known(&state, "f"), ["bob authored 1", "bob told eve", "eve told by bob 0.7"]);
    assert_eq!(state.facts().filter(|fact| fact.fact_relation().is_some()).count(), 5);
}

#[test]
fn the_truth_refutes_a_lie_and_a_rumour_for_those_who_know_both() {
    let state = world(
        "facts: [{id: truth, subject: ann, text: Ann took the book., known_by: [eve]}]
lies: [{id: lie, by: ann, text: A thief took the book., about: [book], truth_is: truth, told_to: [bob, {who: eve, credence: 0.8}]}]
rumours: [{id: rumour, text: A cat took the book., about: [book], contradicts: [truth, lie], heard_by: [{who: eve, credence: 0.5}]}]",
    );
    let truth = fact(&state, "truth").id();
    assert_eq!(fact(&state, "lie").contradicts(), [truth]);
    assert_eq!(fact(&state, "rumour").contradicts().len(), 2);
    let status = |knower: &str, name: &str| {
        let view = view(&state, knower);
        let belief = view.belief(view.fact(fact(&state, name).id()).unwrap());
        (belief.status, belief.credence.get())
    };
    assert_eq!(status("eve", "lie"), (BeliefStatus::Outweighed(truth), 0.0));
    assert_eq!(status("eve", "rumour"), (BeliefStatus::Outweighed(truth), 0.0));
    assert_eq!(status("bob", "lie").0, BeliefStatus::Believed, "he does not know the truth");
    assert_eq!(status("ann", "lie"), (BeliefStatus::Doubted, 0.0), "the liar needs no refutation");
    let of_eve = view(&state, "eve");
    assert!(of_eve.facts_against(truth).any(|known| known.id() == fact(&state, "lie").id()));
}

#[test]
fn entries_that_say_the_same_are_one() {
    let yaml = |extra: &str| {
        format!(
            "{HEAD}rumours: [{{id: b, distorts: a, text: U., heard_by: [eve]}}, {{distorts: a, text: U., heard_by: [bob]{extra}}}]
facts: [{{id: a, subject: ann, text: T., secret: true, conceals: false, known_by: [ann]}}, {{id: z, subject: ann, text: Z.}}]
passages: [{{text: P., about: [ann], known_by: [guild], facts: [{{fact: z}}, {{fact: b}}]}}]"
        )
    };
    let state = imported(&yaml(""));
    assert_eq!(known(&state, "b"), ["bob told by ? 0.5", "eve told by ? 0.5", "guild read ? 1"]);
    assert!(known(&state, "z").contains(&"guild read ? 1".to_owned()), "numbers move with them");
    let campaign = read_good(&yaml(""));
    assert!(campaign.warnings()[0].message.contains("duplicate of test.yaml:10"), "{:?}", campaign.warnings());
    let mut again = imported(HEAD);
    import(&mut again, &yaml(""));
    assert!(again == state);
    assert_eq!(known(&imported(&yaml(", since: 3 Rain 4")), "b").len(), 2, "another moment is another fact");
}

fn cover(state: &State) -> &Fact {
    state.facts().find(|fact| matches!(fact.fact_relation(), Some(FactRelation::Covers(_)))).unwrap()
}

#[test]
fn a_secret_has_a_public_version() {
    let check = |public: &str, triple: &str, statement: &str, status: FactStatus, knowers: &[&str]| {
        let relation = "{id: x, type: HOSTILE_TO, target: bob, secret: true, known_by: [ann, {who: eve, credence: 0.6}], conceals: [ann]";
        let state = world(&format!("relationships: [{{source: ann, {}, public: {public}}}]", &relation[1..]));
        let cover = cover(&state);
        assert_eq!(cover.fact_relation(), Some(FactRelation::Covers(fact(&state, "x").id())));
        assert_eq!(format!("{} {} {}", cover.subject(), cover.predicate(), cover.object()), triple, "{public}");
        // A generated sentence does not reveal the subject of the secret.
        assert_eq!(cover.entities().any(|id| id.as_str() == "bob"), cover.predicate().is_relation(), "{public}");
        assert_eq!((cover.statement(), cover.status(), cover.secrecy()), (statement, status, Secrecy::Open));
        assert_eq!(known(&state, statement), knowers, "{public}");
    };
    // Knowers of the secret believe the public version as far as they doubt the secret.
    let usual = ["ann authored 0", "bob authored 1", "eve authored 0.4", "inn authored 1"];
    let allied = "Ann Oak is allied with Bob Elm.";
    check("{type: ALLIED_WITH}", "ann ALLIED_WITH bob", allied, FactStatus::Claimed, &usual);
    check(
        "They get on.",
        "ann lore They get on.",
        "They get on.",
        FactStatus::Claimed,
        &["ann authored 0", "eve authored 0.4", "inn authored 1"],
    );
    let known_by = ["ann authored 0", "bob authored 1", "eve authored 0.1"];
    check(
        "{type: LIKES, text: She likes him., audience: parties, known_by: [{who: eve, credence: 0.1}]}",
        "ann LIKES bob",
        "She likes him.",
        FactStatus::Claimed,
        &known_by,
    );
    // If the public version is canon, knowers of the secret believe it like everybody else.
    let authored = ["ann authored 1", "bob authored 1", "inn authored 1"];
    check("{type: ALLIED_WITH, status: canon}", "ann ALLIED_WITH bob", allied, FactStatus::Canon, &authored);
    let backwards = "Bob Elm works for Ann Oak.";
    check("{type: EMPLOYS, audience: parties}", "bob EMPLOYED_BY ann", backwards, FactStatus::Claimed, &usual[..3]);
}

#[test]
fn attributes_names_and_secrets_may_have_a_public_version() {
    let check = |entity: &str, statement: &str, knowers: &[&str]| {
        let state = world(&format!("  - {{id: sly, name: Sly, kind: npc, home: inn, {entity}}}"));
        assert_eq!(cover(&state).statement(), statement, "{entity}");
        assert_eq!(known(&state, statement), knowers, "{entity}");
    };
    let (usual, with_inn) = (["sly authored 0"], ["inn authored 1", "sly authored 0"]);
    check("secrets: [{id: x, text: He spies., public: He sings.}]", "He sings.", &with_inn);
    check(
        "attributes: {occupation: {value: spy, secret: true, known_by: [sly], public: {value: singer}}}",
        "Sly is a singer.",
        &["inn authored 1", "sly authored 0"],
    );
    check(
        "aliases: [{name: Fox, secret: true, public: {text: A fox howls., audience: private}}]",
        "A fox howls.",
        &usual,
    );
}
