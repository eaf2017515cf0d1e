//! Source chains in files: tellers, others who were present, ranks, and the tellers' records of their tellings.

use std::sync::Arc;

use hearsay_belief::{RETELLING_FACTOR, View, derivations};
use hearsay_model::{Author, Change, EntityId, Justification, Knower, KnowledgeEdge, State};

use super::{HEAD, apply, fact, imported, known, read_text};

const MORE: &str = "  - {id: dan, name: Dan Ash, kind: npc, home: none}\n";

fn world(yaml: &str) -> State {
    imported(&format!("{HEAD}{MORE}{yaml}"))
}

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

/// Returns the final credence of a knower in a fact.
fn belief(state: &State, knower: &str, name: &str) -> f64 {
    let view = View::new(state, &Knower::Entity(id(knower)), None);
    let belief = view.fact(fact(state, name).id()).map_or(-1.0, |known_fact| known_fact.credence().get());
    (belief * 1000.0).round() / 1000.0
}

/// Returns the edges by which a knower knows a fact.
fn edges<'a>(state: &'a State, knower: &str, name: &str) -> Vec<&'a Arc<KnowledgeEdge>> {
    let edges = state.recorded_knowledge(fact(state, name).id());
    edges.filter(|edge| edge.knower == id(knower).into() && edge.acquisition.gives_knowledge()).collect()
}

#[test]
fn a_told_fact_depends_on_the_tellers_knowledge() {
    let check = |holders: &str, expected: &[(&str, f64, usize)]| {
        let yaml = format!(
            "facts: [{{id: x, subject: book, text: T., secret: true, conceals: false, since: 2 Rain 4, known_by: [{holders}]}}]"
        );
        let state = world(&yaml);
        for (knower, expected_belief, links) in expected {
            let view = View::new(&state, &Knower::Entity(id(knower)), None);
            let found_chains = derivations(&state, view.fact(fact(&state, "x").id()).unwrap());
            let (mut length, mut link) = (1, &found_chains[0]);
            while let Some(next) = link.from.first() {
                (length, link) = (length + 1, next);
            }
            assert_eq!((belief(&state, knower, "x"), length), (*expected_belief, *links), "{knower}: {holders}");
        }
    };
    let saw = "{who: ann, how: witnessed, when: 2 Rain 4}";
    let told = |knower: &str, teller: &str, rest: &str| format!("{{who: {knower}, how: told, from: {teller}{rest}}}");
    let (bob, eve) = (told("bob", "ann", ", when: 3 Rain 4"), told("eve", "bob", ", when: 4 Rain 4"));
    let dan = told("dan", "eve", ", when: 5 Rain 4, credence: 0.4");
    // Without a written credence, the credence is the maximum that the chain allows. Otherwise, the credence is the
    // written value.
    let all_entries = [saw, &bob, &eve, &dan].join(", ");
    check(&all_entries, &[("ann", 1.0, 1), ("bob", 0.9, 2), ("eve", 0.81, 3), ("dan", 0.4, 4)]);
    let backwards = [&dan, &eve, &bob, saw].join(", ");
    check(&backwards, &[("bob", 0.9, 2), ("eve", 0.81, 3), ("dan", 0.4, 4)]);
    check(&format!("{saw}, {{who: bob, how: rumour, from: ann}}"), &[("bob", 0.5, 2)]);
    check(&format!("{{who: ann, credence: 0.5}}, {}", told("bob", "ann", "")), &[("bob", 0.45, 2)]);
    // A teller who does not know the fact in the files, or learned it later, is the origin of the chain.
    check(&bob, &[("bob", 1.0, 1)]);
    check(&format!("{{who: ann, when: 9 Rain 4}}, {bob}"), &[("bob", 1.0, 1)]);
    // Without a date, the fact was told when its validity began.
    check(&format!("{saw}, {}", told("bob", "ann", "")), &[("bob", 0.9, 2)]);
    // A circle is valid if one of the knowers has another source.
    let (back, forth) = (told("ann", "bob", ""), told("bob", "ann", ""));
    check(&format!("{back}, {forth}, {saw}"), &[("ann", 1.0, 1), ("bob", 0.9, 2)]);
}

#[test]
fn a_teller_keeps_a_record() {
    let yaml = "facts: [{id: x, subject: book, text: T., secret: true, conceals: false, known_by: [ann, {who: bob, from: ann, citing: eve, when: 3 Rain 4},
  {who: dan, from: ann, when: 3 Rain 4}, {who: eve, from: bob, when: 4 Rain 4}]}]
lies: [{id: y, by: ann, text: U., about: [book], told_to: [{who: bob, when: 3 Rain 4}, {who: dan, from: bob, when: 4 Rain 4}]}]";
    let state = world(yaml);
    let of_x = ["ann authored 1", "ann told bob, dan at 3 Rain 4", "bob told by ann citing eve 0.9 at 3 Rain 4"];
    let rest = ["bob told eve at 4 Rain 4", "dan told by ann 0.9 at 3 Rain 4", "eve told by bob 0.81 at 4 Rain 4"];
    assert_eq!(known(&state, "x"), [of_x, rest].concat());
    // The liar is the origin of a lie. A hearer who believed the lie passes it on in good faith.
    let of_y = ["ann authored 0", "ann made up to bob at 3 Rain 4", "bob told by ann 0.8 at 3 Rain 4"];
    let rest = ["bob told dan at 4 Rain 4", "dan told by bob 0.72 at 4 Rain 4"];
    assert_eq!(known(&state, "y"), [&of_y[..], &rest[..]].concat());
    assert_eq!(belief(&state, "ann", "y"), 0.0);
    assert!(edges(&state, "bob", "y")[0].sources.is_empty());
    let Justification::Basis { edge, .. } = &edges(&state, "dan", "y")[0].sources[0] else { panic!("no basis") };
    assert_eq!(*edge, edges(&state, "bob", "y")[0].id());
}

#[test]
fn inactive_edges_deactivate_their_dependents() {
    let yaml = "facts: [{id: x, subject: book, text: T., secret: true, conceals: false, known_by: [ann, {who: bob, from: ann}, {who: eve, from: bob}]}]";
    let mut state = world(yaml);
    let of_ann = edges(&state, "ann", "x")[0].id();
    apply(&mut state, Author::Dm, vec![Change::Unlearn(of_ann)]);
    assert_eq!(belief(&state, "eve", "x"), -1.0, "nobody knows it any more");
}

#[test]
fn a_distortion_depends_on_the_distorted_fact() {
    let yaml = "rumours: [{id: y, distorts: x, text: Ann killed a king., about: [ann], heard_by: [{who: eve, from: bob, when: 4 Rain 4}]}]
facts: [{id: x, subject: ann, text: Ann killed a hen., secret: true, conceals: false, bearer: false, known_by: [{who: bob, how: witnessed, when: 3 Rain 4}]}]";
    let state = world(yaml);
    assert_eq!(known(&state, "y"), ["bob told eve at 4 Rain 4", "eve told by bob 0.5 at 4 Rain 4"]);
    let Justification::Basis { fact: on, .. } = edges(&state, "eve", "y")[0].sources[0] else { panic!("no basis") };
    assert_eq!(on, fact(&state, "x").id());
    // A speaker who distorts a fact in a session does not believe the distortion.
    let line = yaml.replace("heard_by: [{who: eve, from: bob, when: 4 Rain 4}]", "heard_by: []");
    let session =
        "\nsessions: [{id: s, start: 4 Rain 4, present: [eve], log: [{speaker: bob, text: So., facts: [{fact: y}]}]}]";
    let state = world(&format!("{line}{session}"));
    assert_eq!(known(&state, "y"), ["bob told eve at 4 Rain 4", "eve told by bob 0.7 at 4 Rain 4"]);
    assert_eq!((belief(&state, "bob", "x"), belief(&state, "bob", "y")), (1.0, 0.0), "of what he only told");
}

#[test]
fn those_who_hear_or_see_something_know_of_one_another() {
    let state = world(
        "sessions: [{id: s, start: 4 Rain 4, present: [ann, bob], log: [{text: A bell rings., facts: [{id: x, subject: inn, text: It rang.}]},
  {speaker: ann, text: So., with: [dan], facts: [{id: y, subject: eve, text: Eve owes.}]}]}]
facts: [{id: z, subject: book, text: T., secret: true, conceals: false, known_by: [{who: ann, how: witnessed, with: [ann, dan, bob]}]}]",
    );
    let co_present = |knower: &str, name: &str| {
        edges(&state, knower, name)[0].co_present.iter().map(|id| id.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!((co_present("ann", "x"), co_present("bob", "x")), ("bob".into(), "ann".into()));
    assert_eq!((co_present("bob", "y"), co_present("dan", "y")), ("dan".into(), "bob".into()), "the speaker told it");
    assert_eq!(co_present("ann", "z"), "bob dan");
    let thinks = |knower: &str, other: &str, name: &str| {
        let view = View::new(&state, &Knower::Entity(id(knower)), None);
        view.attributed_facts(&id(other)).contains_key(&fact(&state, name).id())
    };
    assert!(thinks("bob", "dan", "y") && thinks("ann", "dan", "y") && thinks("ann", "dan", "z"));
    assert!(!thinks("dan", "ann", "z") && !thinks("bob", "eve", "y"));
}

#[test]
fn a_fact_for_a_rank_reaches_that_rank() {
    let check = |ranks: &str| {
        let state = world(&format!(
            "  - {{id: crafts, name: The Crafts, kind: faction, attributes: {{ranks: {ranks}}}}}
relationships: [{{source: bob, type: MEMBER_OF, target: crafts, rank: master}}, {{source: eve, type: MEMBER_OF, target: crafts, rank: apprentice}}]
facts: [{{id: x, subject: book, text: T., secret: true, conceals: false, known_by: [{{who: crafts, rank: journeyman}}]}}]"
        ));
        assert_eq!(known(&state, "x"), ["crafts authored 1 from journeyman on"]);
        assert_eq!((belief(&state, "bob", "x"), belief(&state, "eve", "x")), (1.0, -1.0), "{ranks}");
    };
    check("'apprentice, journeyman, master'");
    check("[apprentice, journeyman, master]");
    let yaml = format!("{HEAD}facts: [{{subject: book, text: T., known_by: [{{who: guild, rank: warden}}]}}]");
    let campaign = read_text(&yaml).unwrap();
    let [warning] = campaign.warnings() else { panic!("{:?}", campaign.warnings()) };
    assert!(warning.message.contains("`guild` has no rank `warden`; add `ranks` to the attributes"), "{warning}");
}

#[test]
fn a_written_credence_is_kept_as_far_as_the_chain_gives_it() {
    for n in 1..=10 {
        let wish = f64::from(n) / 10.0;
        let state = world(&format!(
            "facts: [{{id: x, subject: book, text: T., secret: true, conceals: false, known_by: [{{who: ann, credence: 0.8}}, {{who: bob, from: ann, credence: {wish}}}]}}]"
        ));
        let expected_belief = wish.min(0.8 * RETELLING_FACTOR);
        assert!((belief(&state, "bob", "x") - expected_belief).abs() < 1e-9, "{wish}");
    }
}
