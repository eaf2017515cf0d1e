//! Tests that the text of an answer is computed from the data of its lines.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::{Line, Source};

fn named(entity: &str, name: &str) -> CitedEntity {
    CitedEntity { id: id(entity), name: Some(name.into()) }
}

fn unnamed(entity: &str) -> CitedEntity {
    CitedEntity { id: id(entity), name: None }
}

/// Returns a context with one line, which states a fact, after `change` modifies the line.
fn context_with_line(change: impl FnOnce(&mut Line)) -> SceneContext {
    let mut context = World::tavern().context("mirela", "Where is the harbour ledger?", 1000);
    context.sections.retain(|section| section.kind == SectionKind::Knowledge);
    context.sections[0].lines.truncate(1);
    change(&mut context.sections[0].lines[0]);
    context
}

#[test]
fn the_note_of_a_line_follows_from_its_remarks_and_secrecy() {
    let check = |remarks: Vec<Remark>, secrecy: LineSecrecy, note: &str| {
        let context = context_with_line(|line| (line.remarks, line.secrecy) = (remarks, secrecy));
        let line = context.lines().next().unwrap();
        assert_eq!(line.note(), note);
        let text = "The harbour ledger lies under the chapel floor.";
        let [plain, markdown] = match note {
            "" => [format!("{text}\n"), format!("{text}\n")],
            note => [format!("{text} [{note}]\n"), format!("{text} *[{note}]*\n")],
        };
        // The headings of the prompt form say what the speaker conceals, and what the speaker made up.
        let is_said_by_heading = line.secrecy == LineSecrecy::Concealed || line.remarks.contains(&Remark::MadeUp);
        let prompt = (!is_said_by_heading).then_some((Form::Prompt, &plain));
        for (form, expected) in [(Form::Text, &plain), (Form::Markdown, &markdown)].into_iter().chain(prompt) {
            let output = context.render(form, false);
            assert!(output.contains(expected), "{expected} in {output}");
        }
    };
    let (odo, nico, group) = (|| named("odo", "Odo Brandt"), || named("nico", "Nico"), || named("watch", "the Watch"));
    for (remark, note) in [
        (Remark::Ended { until: None }, "it is so no longer"),
        (Remark::Ended { until: Some("8 Rainmoon".into()) }, "it was so until 8 Rainmoon"),
        (Remark::Outweighed, "you have heard that it is not so, and believe that"),
        (Remark::Denied, "you have heard that it is not so"),
        (Remark::Contradicted, "you have also heard the contrary"),
        (Remark::Untrue, "you know that this is untrue"),
        (Remark::Doubted, "you doubt it"),
        (Remark::Uncertain, "you are not sure of it"),
        (Remark::Believed, "you believe it"),
        (Remark::Faded, "you remember it only dimly"),
        (Remark::MadeUp, "you made it up"),
        (
            Remark::Repeated { days: 3, first: "1 Rainmoon".into(), last: "8 Rainmoon".into() },
            "on 3 days since 1 Rainmoon, last on 8 Rainmoon",
        ),
        (Remark::ToldYou(vec![odo()]), "Odo Brandt told you"),
        (Remark::ToldYou(vec![unnamed("odo")]), "somebody told you"),
        (Remark::YouTold(vec![odo(), nico()]), "you told Odo Brandt and Nico"),
        (Remark::WerePresent(vec![odo()]), "Odo Brandt was there"),
        (Remark::WerePresent(vec![odo(), nico()]), "Odo Brandt and Nico were there"),
        (Remark::Belongs { entity: odo(), group: group() }, "Odo Brandt belongs to the Watch"),
        (Remark::Belongs { entity: odo(), group: unnamed("watch") }, "Odo Brandt belongs to those who know it"),
    ] {
        check(vec![remark], LineSecrecy::Open, note);
    }
    check(vec![], LineSecrecy::Open, "");
    check(vec![], LineSecrecy::Concealed, "you keep it to yourself");
    check(vec![], LineSecrecy::MayTell { to: vec![odo()] }, "you may tell Odo Brandt, but nobody else");
    check(
        vec![],
        LineSecrecy::MayTell { to: vec![nico(), odo(), unnamed("wren")] },
        "you may tell Nico, Odo Brandt and somebody whom you do not know by name, but nobody else",
    );
    check(
        vec![],
        LineSecrecy::MayTell { to: vec![unnamed("pell"), odo(), unnamed("wren")] },
        "you may tell Odo Brandt and two people whom you do not know by name, but nobody else",
    );
    check(
        vec![Remark::WerePresent(vec![unnamed("pell"), unnamed("wren")])],
        LineSecrecy::Open,
        "two people were there",
    );
    check(
        vec![Remark::Doubted, Remark::ToldYou(vec![odo()])],
        LineSecrecy::Concealed,
        "you doubt it; Odo Brandt told you; you keep it to yourself",
    );
}

#[test]
fn the_words_of_a_citation_follow_from_its_data() {
    let odo = || Some(named("odo", "Odo Brandt"));
    let watch = || CitedAccessPath::Member(named("watch", "the Watch"));
    let told = |by, citing| CitedAcquisition::Told { by, citing };
    for (acquisition, access_path, words) in [
        (CitedAcquisition::Authored, CitedAccessPath::Own, "own knowledge"),
        (CitedAcquisition::Authored, CitedAccessPath::Common, "common lore"),
        (CitedAcquisition::Authored, watch(), "as a member of the Watch"),
        (CitedAcquisition::Authored, CitedAccessPath::Resident(unnamed("quay")), "as a resident of a place"),
        (CitedAcquisition::Witnessed, CitedAccessPath::Own, "witnessed"),
        (CitedAcquisition::Witnessed, watch(), "witnessed, as a member of the Watch"),
        (told(odo(), None), CitedAccessPath::Own, "told by Odo Brandt"),
        (told(Some(unnamed("odo")), None), CitedAccessPath::Own, "told by somebody"),
        (told(odo(), Some(unnamed("nico"))), CitedAccessPath::Own, "told by Odo Brandt, who has it from somebody"),
        (told(None, None), CitedAccessPath::Own, "heard talk of it"),
        (CitedAcquisition::Read { document: None }, CitedAccessPath::Own, "read"),
        (CitedAcquisition::Read { document: odo() }, CitedAccessPath::Own, "read in Odo Brandt"),
        (CitedAcquisition::Deduced, CitedAccessPath::Own, "concluded"),
        (CitedAcquisition::MadeUp, CitedAccessPath::Own, "made it up"),
        (CitedAcquisition::OwnVersion, CitedAccessPath::Own, "own version of what it heard"),
        (CitedAcquisition::Said, CitedAccessPath::Own, "said it"),
        (CitedAcquisition::Heard, CitedAccessPath::Own, "heard it"),
        (CitedAcquisition::Attended, CitedAccessPath::Own, "was there"),
        (CitedAcquisition::Recorded, CitedAccessPath::Own, "recorded"),
        (CitedAcquisition::Scene, CitedAccessPath::Own, "the scene"),
    ] {
        let context = context_with_line(|line| {
            (line.citation.acquisition, line.citation.access_path) = (acquisition, access_path);
        });
        assert_eq!(context.lines().next().unwrap().citation.describe_acquisition(), words);
        let output = context.render(Form::Prompt, true);
        assert!(output.contains(&format!(" [{words} \u{00B7} credence 1.00")), "{words} in {output}");
    }
}

#[test]
fn every_line_of_a_concealed_fact_says_so() {
    let mut world = World::tavern();
    let fact = world.attribute("odo", "occupation", "smuggler", "");
    let edge = KnowledgeEdge {
        acquisition: Acquisition::Witnessed,
        co_present: vec![id("odo")],
        conceals: true,
        ..KnowledgeEdge::authored(Knower::Entity(id("mirela")), fact)
    };
    world.apply(vec![Change::Learn(edge.into())]);
    let context = world.context("mirela", "Is Odo Brandt a smuggler?", 1000);
    for (kind, note) in [
        (SectionKind::Scene, "you may tell Odo Brandt, but nobody else"),
        (SectionKind::Knowledge, "Odo Brandt was there; you may tell Odo Brandt, but nobody else"),
    ] {
        let states_fact = |line: &&Line| line.citation.source == Source::Fact(fact);
        let line = context.section_lines(kind).iter().find(states_fact).unwrap();
        assert_eq!(line.note(), note, "{kind:?}");
    }
}

/// Entities to whom a fact may be told. Mirela does not know the last one.
const LISTENERS: [&str; 3] = ["odo", "chapel", "wren"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_line_may_be_told_only_to_listeners_who_may_hear_all_its_facts(
        facts in prop::collection::vec(
            (any::<bool>(), prop::option::of(prop::collection::btree_set(prop::sample::select(&LISTENERS[..]), 0..3))),
            6,
        ),
    ) {
        let mut world = World::tavern();
        let passages = ["first", "second"].map(|part| {
            let mut passage = Passage::new(format!("Tales of the harbour ledger, {part} part."));
            (passage.speaker, passage.heard_by) = (Some(id("odo")), vec![Knower::Entity(id("mirela"))]);
            let passage_id = passage.id();
            world.apply(vec![Change::AddPassage(passage.into())]);
            passage_id
        });
        let (mut ids, mut revealable) = (Vec::new(), RevealableFacts::new());
        for (number, noun) in ["bell", "rope", "boat", "lamp", "sail", "crab"].into_iter().enumerate() {
            // Each passage states three of the facts.
            let passage = passages[number % 2];
            let evidence = vec![Evidence::Passage { passage, span: Span { start: 0, end: 5 }, quote: "Tales".into() }];
            let statement = format!("The {noun} is in the tales of the harbour ledger.");
            let provenance = Provenance { evidence, ..World::provenance() };
            let fact = Fact::attribute(&id("chapel"), "lore", statement.as_str(), provenance).unwrap();
            let fact = world.record(fact.statement(statement.as_str()).build().unwrap(), "");
            let (conceals, listeners) = &facts[number];
            let knower = Knower::Entity(id("mirela"));
            let edge = KnowledgeEdge { conceals: *conceals, ..KnowledgeEdge::authored(knower, fact) };
            world.apply(vec![Change::Learn(edge.into())]);
            ids.push(fact);
            revealable.extend(listeners.as_ref().map(|names| {
                (fact, names.iter().map(|name| id(name)).collect::<BTreeSet<_>>())
            }));
        }
        // Leaks the map, because the request borrows it.
        let revealable: &RevealableFacts = Box::leak(Box::new(revealable));
        let question = "What are the tales of the harbour ledger?";
        let context = world.context_with("mirela", question, |request| ContextRequest {
            revealable, budget: 10_000, limit: 50, ..request
        });
        let may_hear = |number: usize, listener: &EntityId| {
            let listeners = revealable.get(&ids[number]);
            !facts[number].0 || listeners.is_some_and(|all| all.is_empty() || all.contains(listener))
        };
        let states = |source: Source, number: usize| match source {
            Source::Fact(fact) => ids[number] == fact,
            Source::Passage(passage) => passages[number % 2] == passage,
            Source::Scene => false,
        };
        let mut found = 0;
        for line in context.lines() {
            let sources = std::iter::once(&line.citation).chain(&line.also).map(|citation| citation.source);
            let numbers: Vec<usize> =
                sources.flat_map(|source| (0..ids.len()).filter(move |number| states(source, *number))).collect();
            found += numbers.len();
            for listener in LISTENERS.map(id) {
                let expected = numbers.iter().all(|number| may_hear(*number, &listener));
                prop_assert_eq!(line.secrecy.allows(&listener), expected, "{:?} to {}", line, listener);
            }
            let note = line.note();
            prop_assert_eq!(note.contains("you keep it to yourself"), line.secrecy == LineSecrecy::Concealed);
            let is_revealed = matches!(&line.secrecy, LineSecrecy::MayTell { to } if !to.is_empty());
            prop_assert_eq!(note.contains("you may tell"), is_revealed);
        }
        prop_assert!(found >= 12, "a fact or a passage is missing: {:?}", context);
    }
}
