use std::collections::BTreeSet;

use hearsay_commands::{
    proposal::Proposal,
    review::{Decision, Decisions, Keep},
};
use hearsay_engine::{Memory, MemoryError};
use hearsay_model::{Author, Confidence, FactStatus, Knower};
use hearsay_query as query;
use hearsay_query::{
    contradictions::Clash,
    review::{ReviewItem, review_items},
};

use crate::support::*;

fn hear(memory: &Memory, name: &str, object: &str, sure: f64) {
    let confidence = Confidence::new(sure).unwrap();
    let proposal = Proposal {
        confidence,
        speaker: Some(id("odo-brandt")),
        ..Proposal::new(id("pell"), predicate(name), entity(object))
    };
    memory.propose(Author::Extractor, vec![proposal]).unwrap().wait().unwrap();
}

fn decide(memory: &Memory, fact: &hearsay_model::Fact, decision: Decision) -> Result<String, MemoryError> {
    memory.decide(fact.id(), decision).unwrap().wait().map(|written| written.summary)
}

fn reviews(memory: &Memory) -> usize {
    let count = memory.status().unwrap().wait().unwrap().reviews;
    assert_eq!(count, review_items(&state(memory)).len());
    count
}

#[test]
fn the_most_consequential_comes_first() {
    let memory = town();
    // The fact about the guild comes first, because a decision on it matters most. The least probable fact comes last.
    for (object, sure) in [("the-gull", 0.31), ("mirela-voss", 0.5), ("the-guild", 0.69)] {
        hear(&memory, "FEARS", object, sure);
    }
    let (rows, all) = {
        let state = state(&memory);
        query::review::review(&state, &hearsay_query::trust::TrustCalibration::from_state(&state), 2)
    };
    let objects: Vec<_> = rows.iter().map(|row| row.in_full[0].object.as_str()).collect();
    assert_eq!((objects, all), (vec!["the-guild", "mirela-voss"], 3));
    assert_eq!(reviews(&memory), 3);
    // A missing kind in campaign files is a minor question, so it comes last.
    let kindless = Proposal::new(id("the-guild"), predicate("kind"), hearsay_model::Object::Value("unknown".into()));
    let kindless = Proposal { confidence: Confidence::new(0.5).unwrap(), ..kindless };
    memory.propose(Author::Importer("files".into()), vec![kindless]).unwrap().wait().unwrap();
    let items = review_items(&state(&memory));
    let Some(ReviewItem::Doubtful { fact, .. }) = items.last() else { panic!("{items:?}") };
    assert_eq!(state(&memory).fact(*fact).unwrap().predicate().as_str(), "kind");
}

#[test]
fn claims_that_overlap_contradict_each_other() {
    let memory = town();
    do_edit(&memory, relate("Pell", "EMPLOYED_BY", "Mirela Voss"));
    hear(&memory, "EMPLOYED_BY", "the-guild", 0.9);
    hear(&memory, "OWES", "the-guild", 0.9);
    hear(&memory, "OWES", "mirela-voss", 0.9);
    let items = review_items(&state(&memory));
    let [ReviewItem::Contradiction { subject, clash, facts: found }] = &items[..] else { panic!("{items:?}") };
    let employer = Clash::OneAtATime("EMPLOYED_BY".parse().unwrap());
    assert_eq!((subject.as_str(), clash, found.len()), ("pell", &employer, 2));
    assert_eq!(reviews(&memory), 1);
    // If the DM marks one of the facts false, the contradiction is resolved.
    let claim = facts(&memory, "pell", "EMPLOYED_BY").into_iter().find(|f| f.status() == FactStatus::Claimed).unwrap();
    decide(&memory, &claim, Decision::False).unwrap();
    assert_eq!(reviews(&memory), 0);
    memory.undo(hearsay_query::journal::UndoTarget::Last).unwrap().wait().unwrap();
    assert_eq!(reviews(&memory), 1, "an undo brings it back");
}

#[test]
fn intervals_that_follow_each_other_do_not_contradict() {
    let memory = town();
    let since = |since: &str, until: Option<&str>| hearsay_commands::edit::FactOptions {
        since: Some(since.into()),
        until: until.map(str::to_owned),
        ..Default::default()
    };
    do_edit(&memory, relate_with("Pell", "EMPLOYED_BY", "Mirela Voss", since("4", Some("6"))));
    do_edit(&memory, relate_with("Pell", "EMPLOYED_BY", "The Guild", since("6", Some("8"))));
    assert_eq!(reviews(&memory), 0);
    do_edit(&memory, relate_with("Pell", "EMPLOYED_BY", "Odo Brandt", since("5", Some("7"))));
    assert_eq!(reviews(&memory), 0, "canon facts that all ended are settled");
}

#[test]
fn a_fact_true_from_now_on_ends_the_earlier_one() {
    let memory = town();
    set_clock(&memory, 5 * DAY);
    do_edit(&memory, relate("Pell", "EMPLOYED_BY", "Mirela Voss"));
    hear(&memory, "EMPLOYED_BY", "the-guild", 0.5);
    let waiting =
        facts(&memory, "pell", "EMPLOYED_BY").into_iter().find(|f| f.status() == FactStatus::Proposed).unwrap();
    decide(&memory, &waiting, Decision::Accept).unwrap();
    assert_eq!(course(&memory, "pell", "EMPLOYED_BY").len(), 2);
    assert_eq!(reviews(&memory), 0, "what ended contradicts nothing that goes on");
}

#[test]
fn accepting_makes_canon_and_confirms() {
    let memory = town();
    hear(&memory, "OWES", "mirela-voss", 0.5);
    let summary = decide(&memory, &fact(&memory, "pell", "OWES"), Decision::Accept).unwrap();
    assert_eq!(summary, "accept \u{201C}Pell owes Mirela Voss.\u{201D}");
    let owes = fact(&memory, "pell", "OWES");
    assert!(owes.status() == FactStatus::Canon && owes.provenance().confirmed);
    assert_eq!(owes.provenance().confidence.get(), 0.5, "how sure the source was stays on record");
    assert_eq!(reviews(&memory), 0);
}

#[test]
fn accepting_in_other_words_keeps_the_old_words_as_rejected() {
    for sure in [0.5, 0.9] {
        let memory = town();
        hear(&memory, "OWES", "mirela-voss", sure);
        let old = fact(&memory, "pell", "OWES");
        let edit = Decision::Edit {
            subject: None,
            predicate: None,
            object: Some(entity("The Guild")),
            statement: Some("Pell owes the guild.".into()),
        };
        let summary = decide(&memory, &old, edit).unwrap();
        assert_eq!(summary, "accept as \u{201C}Pell owes the guild.\u{201D}");
        assert_eq!(with_status(&memory, FactStatus::Rejected), ["Pell owes Mirela Voss."]);
        let new = facts(&memory, "pell", "OWES").into_iter().find(|fact| fact.id() != old.id()).unwrap();
        assert_eq!((new.status(), new.object()), (FactStatus::Canon, &entity("the-guild")));
        assert_eq!(known_by(&memory, &new), ["odo-brandt"], "whoever would have learned it learns it");
        assert_eq!(reviews(&memory), 0);
        hear(&memory, "OWES", "mirela-voss", sure);
        assert_eq!(facts(&memory, "pell", "OWES").len(), 2, "the old words are not proposed again");
    }
}

#[test]
fn false_facts_are_still_believed_and_rejected_ones_are_not() {
    let memory = town();
    hear(&memory, "OWES", "mirela-voss", 0.9);
    let owes = fact(&memory, "pell", "OWES");
    decide(&memory, &owes, Decision::False).unwrap();
    assert!(knows(&memory, "odo-brandt", owes.statement()));
    decide(&memory, &owes, Decision::Reject).unwrap();
    assert!(!knows(&memory, "odo-brandt", owes.statement()));
}

#[test]
fn rejected_facts_count_as_decided() {
    let memory = town();
    hear(&memory, "OWES", "mirela-voss", 0.5);
    let owes = fact(&memory, "pell", "OWES");
    decide(&memory, &owes, Decision::Reject).unwrap();
    for decision in [Decision::False, Decision::Reject] {
        refused(
            &memory,
            |memory| decide(memory, &owes, decision),
            &["does not wait for review, because its status is rejected"],
        );
    }
    // Only a decision that the fact is true reopens it.
    decide(&memory, &owes, Decision::Accept).unwrap();
    assert_eq!(fact(&memory, "pell", "OWES").status(), FactStatus::Canon);
    refused(&memory, |memory| memory.decide(no_fact(), Decision::Accept).unwrap().wait(), &["there is no fact"]);
}

#[test]
fn many_facts_are_decided_in_one_operation_with_one_undo() {
    let memory = town();
    for object in ["the-guild", "mirela-voss", "the-gull"] {
        hear(&memory, "FEARS", object, 0.5);
    }
    let ids: Vec<_> = facts(&memory, "pell", "FEARS").iter().map(|fact| fact.id()).collect();
    let reason = Some("Odo was drunk".to_owned());
    let decisions = Decisions { facts: ids.clone(), decision: Decision::Reject, reason };
    let written = memory.decide_all(decisions.clone()).unwrap().wait().unwrap();
    assert!(written.summary.ends_with("and 2 more, because: Odo was drunk"), "{}", written.summary);
    assert_eq!(reviews(&memory), 0);
    refused(&memory, |memory| memory.decide_all(decisions).unwrap().wait(), &["is rejected"]);
    memory.undo(hearsay_query::journal::UndoTarget::Last).unwrap().wait().unwrap();
    assert_eq!(reviews(&memory), 3);
    let nothing = Decisions { facts: Vec::new(), decision: Decision::Accept, reason: None };
    refused(&memory, |memory| memory.decide_all(nothing).unwrap().wait(), &["already decided"]);
}

#[test]
fn a_decision_edits_subject_and_predicate_too() {
    let memory = town();
    hear(&memory, "OWES", "mirela-voss", 0.5);
    let old = fact(&memory, "pell", "OWES");
    let decision = Decision::Edit {
        subject: Some(id("The Guild")),
        predicate: Some("FEARS".into()),
        object: None,
        statement: None,
    };
    decide(&memory, &old, decision).unwrap();
    let new = fact(&memory, "the-guild", "FEARS");
    assert_eq!((new.status(), new.object()), (FactStatus::Canon, &entity("mirela-voss")));
    assert_eq!(with_status(&memory, FactStatus::Rejected), ["Pell owes Mirela Voss."]);
}

#[test]
fn a_new_secret_stays_known_to_its_hearers_and_to_no_place() {
    let memory = town();
    do_edit(&memory, relate("Pell", "OWES", "Mirela Voss"));
    let owes = fact(&memory, "pell", "OWES");
    let before = known_by(&memory, &owes);
    let keep = Keep { facts: vec![owes.id()], secret: true, keep_from: BTreeSet::new() };
    let written = memory.keep(keep.clone()).unwrap().wait().unwrap();
    assert_eq!(written.summary, "make secret \u{201C}Pell owes Mirela Voss.\u{201D}");
    let after = fact(&memory, "pell", "OWES");
    assert_eq!(after.secrecy(), hearsay_model::Secrecy::Secret);
    let known = known_by(&memory, &after);
    assert!(!known.iter().any(|knower| knower == "the-gull" || knower == "*"), "{known:?}");
    refused(&memory, |memory| memory.keep(keep.clone()).unwrap().wait(), &["already decided"]);
    let (first, rest) = known.split_first().unwrap();
    let keep_from = BTreeSet::from([Knower::Entity(id(first))]);
    let written = memory.keep(Keep { keep_from, ..keep }).unwrap().wait().unwrap();
    assert!(written.summary.contains(", kept from "), "{}", written.summary);
    assert_eq!(known_by(&memory, &after), rest, "the others still know the secret");
    memory.undo(hearsay_query::journal::UndoTarget::Last).unwrap().wait().unwrap();
    memory.undo(hearsay_query::journal::UndoTarget::Last).unwrap().wait().unwrap();
    assert_eq!(known_by(&memory, &fact(&memory, "pell", "OWES")), before);
}
