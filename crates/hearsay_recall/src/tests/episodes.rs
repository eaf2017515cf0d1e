//! Tests of facts that repeat on different days.

use hearsay_model::Precision;

use super::*;
use crate::{Line, Source};

const DAY: i64 = 24 * 60;

/// Records that Odo was somewhere or did something at a moment, and returns the source for citations.
fn record(world: &mut World, name: &str, object: &str, statement: &str, start: i64) -> Source {
    let fact = Fact::relation(&id("odo"), name, &id(object), World::provenance()).unwrap();
    let validity = Validity { from: Some(Date::at(GameTime(start))), until: None };
    Source::Fact(world.record(fact.statement(statement).validity(validity).build().unwrap(), ""))
}

fn learn(world: &mut World, source: Source, conceals: bool) {
    let Source::Fact(fact) = source else { panic!("{source:?}") };
    let edge = KnowledgeEdge { conceals, ..KnowledgeEdge::authored(id("mirela").into(), fact) };
    world.apply(vec![Change::Learn(edge.into())]);
}

/// Returns the lines of a section about a relation of Odo.
fn lines(world: &World, kind: SectionKind, name: &str, min_episodes: usize) -> Vec<Line> {
    let question = "What of Odo Brandt?";
    let context = world.context_with("mirela", question, |request| ContextRequest { min_episodes, ..request });
    let is_wanted = |line: &&Line| {
        let claim = line.claim.as_ref();
        claim.is_some_and(|claim| claim.subject == id("odo") && claim.predicate.as_str() == name)
    };
    context.section_lines(kind).iter().filter(is_wanted).cloned().collect()
}

fn texts(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

fn day_text(world: &World, day: i64) -> String {
    world.0.calendar().format_with_precision(GameTime(day * DAY), Precision::Day)
}

#[test]
fn past_locations_of_many_days_are_one_line_in_the_past_tense() {
    let mut world = World::tavern();
    let mut at_gull = BTreeSet::new();
    for day in 0..20 {
        let start = day * DAY + DAY / 2;
        let source = record(&mut world, "LOCATED_AT", "gull", "Odo Brandt is at the Gilded Gull.", start);
        learn(&mut world, source, false);
        at_gull.insert(source);
    }
    // As long as Odo is there, the statement is in the present tense.
    let present = lines(&world, SectionKind::Knowledge, "LOCATED_AT", 3);
    assert_eq!(texts(&present), ["Odo Brandt is at the Gilded Gull."]);
    assert_eq!(present[0].sources().collect::<BTreeSet<_>>(), at_gull);

    let left = record(&mut world, "LOCATED_AT", "chapel", "Odo Brandt is at the Drowned Chapel.", 20 * DAY);
    learn(&mut world, left, false);
    let past = lines(&world, SectionKind::Knowledge, "LOCATED_AT", 3);
    assert_eq!(texts(&past), ["Odo Brandt is at the Drowned Chapel.", "Odo Brandt was at the Gilded Gull."]);
    assert_eq!(past[1].sources().collect::<BTreeSet<_>>(), at_gull);
    assert_eq!(past[1].also.len(), 19);
    let (first, last) = (day_text(&world, 0), day_text(&world, 19));
    assert!(past[1].note().contains(&format!("on 20 days since {first}, last on {last}")), "{}", past[1].note());
    let json = serde_json::to_value(&past[1]).unwrap();
    assert_eq!(json["remarks"][0]["repeated"]["days"], 20);
    let output = world.context("mirela", "Where is Odo Brandt?", 1000).render(Form::Text, true);
    assert!(output.contains("[also 16 more]"), "{output}");

    // Below the minimum, and without a minimum, the context states only the present location.
    for min_episodes in [0, 21] {
        let present = lines(&world, SectionKind::Knowledge, "LOCATED_AT", min_episodes);
        assert_eq!(texts(&present), ["Odo Brandt is at the Drowned Chapel."]);
    }
}

#[test]
fn only_known_deeds_of_different_days_are_counted() {
    for (starts, conceals, known_count, expected) in [
        ([0, DAY, 2 * DAY], false, 3, Some(3)),
        ([0, 60, 120], false, 3, None),
        ([0, DAY, 2 * DAY], false, 2, None),
        ([0, DAY, 2 * DAY], true, 3, None),
    ] {
        let mut world = World::tavern();
        for (number, start) in starts.into_iter().enumerate() {
            let source = record(&mut world, "HELPED", "mirela", "Odo Brandt helped Mirela Voss.", start);
            if number < known_count {
                learn(&mut world, source, conceals && number == 0);
            }
        }
        let lines = lines(&world, SectionKind::Relations, "HELPED", 3);
        let repeated = lines.iter().flat_map(|line| &line.remarks).find_map(|remark| match remark {
            Remark::Repeated { days, .. } => Some(*days),
            _ => None,
        });
        assert!(!lines.is_empty());
        assert_eq!(repeated, expected, "{lines:?}");
    }
}

#[test]
fn a_repeated_deed_is_one_line_of_the_relations() {
    let mut world = World::tavern();
    for day in 0..5 {
        let source = record(&mut world, "HELPED", "mirela", "Odo Brandt helped Mirela Voss.", day * DAY);
        learn(&mut world, source, false);
    }
    let context = world.context("mirela", "What now?", 1000);
    let relations = context.section_lines(SectionKind::Relations).iter();
    let helped: Vec<&Line> = relations.filter(|line| line.text.contains("helped")).collect();
    assert_eq!(helped.len(), 1, "{helped:?}");
    assert_eq!((helped[0].also.len(), helped[0].text.as_str()), (4, "Odo Brandt helped Mirela Voss."));
}
