use hearsay_commands::{
    proposal::{Proposal, ProposalCounts},
    prune::Prune,
    review::Decision,
    teach::Teach,
};
use hearsay_engine::{DuplicateSettings, Memory, MemoryOptions, Settings};
use hearsay_model::{Author, Change, Confidence, Evidence, FactStatus, Kind, Method, Operation, Passage, Span};

use crate::support::*;

fn quote(line: u32) -> Vec<Evidence> {
    vec![Evidence::File { path: "log.md".into(), line, field: String::new() }]
}

fn heard(speaker: Option<&str>, predicate_name: &str, object: &str, sure: f64, line: u32) -> Proposal {
    Proposal {
        confidence: Confidence::new(sure).unwrap(),
        speaker: speaker.map(id),
        evidence: quote(line),
        ..Proposal::new(id("pell"), predicate(predicate_name), entity(object))
    }
}

fn propose(memory: &Memory, proposal: Proposal) -> ProposalCounts {
    memory.propose(Author::Extractor, vec![proposal]).unwrap().wait().unwrap()
}

fn decide(memory: &Memory, fact: hearsay_model::FactId, decision: Decision) {
    memory.decide(fact, decision).unwrap().wait().unwrap();
}

fn reviews(memory: &Memory) -> usize {
    let count = memory.status().unwrap().wait().unwrap().reviews;
    assert_eq!(count, hearsay_query::review::review_items(&state(memory)).len());
    count
}

fn lore(text: &str, sure: f64) -> Proposal {
    let value = hearsay_model::Object::Value(text.into());
    let confidence = Confidence::new(sure).unwrap();
    let statement = Some(text.to_owned());
    Proposal { confidence, statement, ..Proposal::new(id("pell"), predicate("lore"), value) }
}

#[test]
fn a_repeated_statement_is_evidence_and_not_a_second_fact() {
    let memory = town();
    let counts = propose(&memory, heard(Some("odo-brandt"), "OWES", "mirela-voss", 0.5, 1));
    assert_eq!(counts.waiting, 1);
    let in_other_words = Proposal {
        statement: Some("Pell is in debt.".into()),
        ..heard(Some("odo-brandt"), "OWES", "mirela-voss", 0.6, 2)
    };
    let counts = propose(&memory, in_other_words.clone());
    assert_eq!(counts, ProposalCounts { known: 1, supported: 1, ..ProposalCounts::default() });
    let owes = fact(&memory, "pell", "OWES");
    assert_eq!((owes.provenance().evidence.len(), owes.provenance().confidence.get()), (2, 0.6));
    // Repeating a statement with the same evidence adds nothing.
    assert_eq!(propose(&memory, in_other_words).supported, 0);
    // The statement of another speaker is a separate fact, but the DM decides on both facts at once.
    assert_eq!(propose(&memory, heard(Some("mirela-voss"), "OWES", "mirela-voss", 0.4, 3)).waiting, 1);
    assert_eq!((facts(&memory, "pell", "OWES").len(), reviews(&memory)), (2, 1));
    decide(&memory, owes.id(), Decision::Accept);
    assert_eq!(reviews(&memory), 0);
    assert!(facts(&memory, "pell", "OWES").iter().all(|fact| fact.status() == FactStatus::Canon));
    // A canon fact needs no review, even if another speaker repeats it.
    let counts = propose(&memory, heard(Some("pell"), "OWES", "mirela-voss", 0.4, 4));
    assert_eq!((counts.claimed, counts.waiting), (1, 0));
    let counts = propose(&memory, heard(None, "OWES", "mirela-voss", 0.9, 5));
    assert_eq!((counts.known, counts.canon), (0, 1), "a speaker's fact is not the narrator's: {counts:?}");
    // The statement of a narrator is evidence for the DM's fact.
    do_edit(&memory, relate("Pell", "FEARS", "The Guild"));
    let counts = propose(&memory, heard(None, "FEARS", "the-guild", 0.5, 6));
    assert_eq!((counts.known, counts.supported), (1, 1));
    assert_eq!(fact(&memory, "pell", "FEARS").provenance().evidence, quote(6));
}

#[test]
fn a_less_specific_statement_is_evidence_for_a_more_specific_one() {
    let memory = town();
    let works = |trade: &str, sure: f64, line: u32| {
        let value = hearsay_model::Object::Value(trade.into());
        let confidence = Confidence::new(sure).unwrap();
        let proposal = Proposal::new(id("pell"), predicate("occupation"), value);
        propose(&memory, Proposal { confidence, evidence: quote(line), ..proposal })
    };
    assert_eq!(works("bandit leader", 0.9, 1).canon, 1);
    assert_eq!(works("leader", 0.8, 2), ProposalCounts { known: 1, supported: 1, ..ProposalCounts::default() });
    assert_eq!(works("bandit", 0.8, 3).canon, 1, "a bandit need not lead");
    // A statement that supports only a part of a doubtful fact does not raise the confidence of the fact.
    assert_eq!(works("harbour pilot", 0.5, 4).waiting, 1);
    assert_eq!(works("pilot", 0.9, 5).canon, 1);
    assert_eq!(with_status(&memory, FactStatus::Proposed).len(), 1);
}

#[test]
fn undoing_the_first_word_leaves_the_second() {
    let memory = town();
    propose(&memory, heard(None, "OWES", "mirela-voss", 0.9, 1));
    let first = state(&memory).position();
    propose(&memory, heard(None, "OWES", "mirela-voss", 0.9, 2));
    memory.undo(hearsay_query::journal::UndoTarget::At(first)).unwrap().wait().unwrap();
    let owes = fact(&memory, "pell", "OWES");
    assert_eq!((owes.status(), owes.provenance().evidence.clone()), (FactStatus::Canon, quote(2)));
}

#[test]
fn a_rejected_fact_is_not_proposed_in_other_words() {
    let memory = town();
    propose(&memory, lore("Pell hides the ledger in the old mill.", 0.5));
    decide(&memory, fact(&memory, "pell", "lore").id(), Decision::Reject);
    let again = |text: &str| propose(&memory, lore(text, 0.9));
    assert_eq!(again("In the old mill Pell hides the ledgers.").rejected_before, 1);
    assert_eq!(again("Pell does not hide the ledger in the old mill.").canon, 1);
    assert_eq!(again("Pell hides the boat behind the harbour wall.").canon, 1);
    // A rejected relation is also recognized under its inverse name and from another speaker.
    propose(&memory, heard(None, "MEMBER_OF", "the-guild", 0.5, 1));
    decide(&memory, fact(&memory, "pell", "MEMBER_OF").id(), Decision::Reject);
    let backwards = Proposal {
        subject: id("the-guild"),
        object: entity("pell"),
        ..heard(Some("odo-brandt"), "HAS_MEMBER", "pell", 0.9, 2)
    };
    assert_eq!(propose(&memory, backwards).rejected_before, 1);
    // A fact that the DM removed is not proposed again by extraction, but the game can state it.
    propose(&memory, heard(None, "OWES", "the-guild", 0.9, 3));
    let owes = fact(&memory, "pell", "OWES").id();
    memory.retcon(hearsay_commands::retcon::Retcon::Retract { fact: owes }).unwrap().wait().unwrap();
    assert_eq!(propose(&memory, heard(None, "OWES", "the-guild", 0.9, 3)).rejected_before, 1);
    let by_game = vec![heard(None, "OWES", "the-guild", 1.0, 3)];
    assert_eq!(memory.propose(Author::Game, by_game).unwrap().wait().unwrap().canon, 1);
}

#[test]
fn the_word_of_the_dm_outranks_all_others() {
    let memory = town();
    propose(&memory, heard(None, "EMPLOYED_BY", "the-guild", 0.9, 1));
    let wrong_fact = fact(&memory, "pell", "EMPLOYED_BY").id();
    let edit = Decision::Edit { subject: None, predicate: None, object: Some(entity("mirela-voss")), statement: None };
    memory.decide(wrong_fact, edit).unwrap().wait().unwrap();
    let employers = || -> Vec<hearsay_model::Object> {
        let state = state(&memory);
        state.values(&id("pell"), &predicate("EMPLOYED_BY")).iter().map(|fact| fact.object().clone()).collect()
    };
    // No proposal ends the DM's fact, whatever its confidence and speaker.
    assert_eq!(propose(&memory, heard(None, "EMPLOYED_BY", "the-guild", 1.0, 2)).rejected_before, 1);
    assert_eq!(propose(&memory, heard(None, "EMPLOYED_BY", "odo-brandt", 1.0, 3)).waiting, 1);
    assert_eq!(propose(&memory, heard(Some("pell"), "EMPLOYED_BY", "silver-ring", 1.0, 4)).canon, 0);
    assert_eq!(employers(), [entity("mirela-voss")]);
    assert_eq!(reviews(&memory), 2, "one waits, one contradicts");
    // A proposal of the opposite relation does not become canon either.
    do_edit(&memory, relate("Pell", "ALLIED_WITH", "The Guild"));
    let counts = propose(&memory, heard(None, "HOSTILE_TO", "the-guild", 1.0, 5));
    assert_eq!((counts.canon, counts.waiting), (0, 1));
    // A fact that the DM marked false stays false when a narrator states it.
    propose(&memory, heard(Some("pell"), "FEARS", "the-guild", 0.9, 6));
    decide(&memory, fact(&memory, "pell", "FEARS").id(), Decision::False);
    assert_eq!(propose(&memory, heard(None, "FEARS", "the-guild", 1.0, 7)).rejected_before, 1);
}

#[test]
fn decisions_move_confidence_and_both_numbers_stay() {
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::open(options_at(directory.path())).unwrap();
    found_town(&memory);
    for (number, object) in ["the-guild", "mirela-voss", "the-gull", "harbour", "silver-ring"].into_iter().enumerate() {
        propose(&memory, heard(Some("odo-brandt"), "FEARS", object, 0.6, number as u32));
    }
    let waiting = facts(&memory, "pell", "FEARS");
    for fact in &waiting {
        decide(&memory, fact.id(), Decision::Accept);
    }
    let counts = propose(&memory, heard(Some("odo-brandt"), "FEARS", "odo-brandt", 0.6, 9));
    assert_eq!((counts.waiting, counts.claimed), (0, 1), "what was always right is trusted");
    let newest = |memory: &Memory| {
        facts(memory, "pell", "FEARS").into_iter().find(|fact| *fact.object() == entity("odo-brandt")).unwrap()
    };
    let provenance = newest(&memory).provenance().clone();
    assert_eq!(provenance.extracted.map(Confidence::get), Some(0.6));
    assert!(provenance.confidence.get() > 0.7);
    // The learned trust is the same after the memory is opened again. Turning learning off can be undone.
    memory.close().unwrap();
    let memory = Memory::open(options_at(directory.path())).unwrap();
    let confidence_of = |memory: &Memory, line: u32| {
        propose(
            memory,
            heard(Some("odo-brandt"), "LIKES", ["the-guild", "mirela-voss", "the-gull"][line as usize], 0.6, line),
        );
        let facts = facts(memory, "pell", "LIKES");
        let of = |fact: &hearsay_model::Fact| fact.provenance().evidence == quote(line);
        facts.into_iter().find(|fact| of(fact)).unwrap().provenance().confidence.get()
    };
    assert!(confidence_of(&memory, 0) > 0.6);
    memory.teach(Teach::Off).unwrap().wait().unwrap();
    assert_eq!(confidence_of(&memory, 1), 0.6);
    memory.undo(hearsay_query::journal::UndoTarget::LastBy(Author::Dm)).unwrap().wait().unwrap();
    assert!(confidence_of(&memory, 2) > 0.6);
}

#[test]
fn a_merged_entity_is_known_as_before() {
    let memory = town();
    do_edit(&memory, add("Old Odo", Kind::Npc, Some("The Gull")));
    do_edit(&memory, relate("Old Odo", "OWES", "Mirela Voss"));
    let before = state(&memory);
    let plan = memory.plan_merge(id("Old Odo"), id("odo-brandt")).unwrap().wait().unwrap();
    assert!(plan.moved.facts > 0 && plan.moved.edges > 0);
    // The state changes after the planning, so the merge is planned again.
    do_edit(&memory, relate("Old Odo", "FEARS", "The Guild"));
    memory.commit_merge(plan).unwrap().wait().unwrap();
    assert_eq!(facts(&memory, "odo-brandt", "FEARS").len(), 1);
    let owes = fact(&memory, "odo-brandt", "OWES");
    assert!(knows(&memory, "mirela-voss", owes.statement()));
    refused(
        &memory,
        |memory| memory.plan_merge(id("old-odo"), id("pell")).unwrap().wait(),
        &["there is no entity `old-odo`"],
    );
    set_clock(&memory, DAY);
    memory.split(id("odo-brandt")).unwrap().wait().unwrap();
    assert_eq!(facts(&memory, "old-odo", "FEARS").len(), 1, "what was said before the merge was told apart");
    let after = state(&memory);
    assert!(before.facts().all(|fact| after.fact(fact.id()) == Some(fact)));
    assert_eq!(reviews(&memory), 0);
}

#[test]
fn near_certain_ones_are_merged_where_the_settings_say_so() {
    let check = |merge_near_certain: bool| {
        let duplicates = DuplicateSettings { merge_near_certain };
        let memory =
            Memory::open(MemoryOptions { settings: Settings { duplicates, ..settings() }, ..options() }).unwrap();
        found_town(&memory);
        let similar_entity = hearsay_commands::edit::Edit::Add {
            name: "Odo Brandt".into(),
            kind: Kind::Npc,
            id: Some(id("odo-brandt-2")),
            place: None,
        };
        do_edit(&memory, similar_entity);
        let merged = |memory: &Memory| state(memory).entity(&id("odo-brandt-2")).is_none();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while merge_near_certain && !merged(&memory) && std::time::Instant::now() < deadline {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert_eq!(merged(&memory), merge_near_certain);
        if merge_near_certain {
            // A merge that was reverted is not made automatically again.
            memory.split(id("odo-brandt")).unwrap().wait().unwrap();
            do_edit(&memory, set("pell", "alias", "Pelle"));
            std::thread::sleep(std::time::Duration::from_millis(100));
            assert!(!merged(&memory));
        }
        memory.close().unwrap();
    };
    check(false);
    check(true);
}

#[test]
fn pruning_spares_the_word_of_the_dm() {
    let memory = town();
    propose(&memory, heard(None, "OWES", "mirela-voss", 0.35, 1));
    propose(&memory, heard(None, "OWES", "the-guild", 0.6, 2));
    let uncertain_facts = Prune { below: Confidence::new(0.5).ok(), ..Prune::default() };
    let plan = memory.plan_prune(uncertain_facts.clone()).unwrap().wait().unwrap();
    assert_eq!((plan.facts.len(), plan.spared), (1, 0));
    let all_facts = Prune { statuses: FactStatus::ALL.to_vec(), ..Prune::default() };
    let plan = memory.plan_prune(all_facts).unwrap().wait().unwrap();
    assert!(plan.facts.iter().all(|row| row.status == FactStatus::Proposed) && plan.spared > 5, "{plan:?}");
    let before = state(&memory);
    memory.prune(uncertain_facts.clone()).unwrap().wait().unwrap();
    assert_eq!(facts(&memory, "pell", "OWES").len(), 1);
    memory.undo(hearsay_query::journal::UndoTarget::Last).unwrap().wait().unwrap();
    assert!(*before == *state(&memory));
    let old = Prune { older_than_days: Some(1), ..Prune::default() };
    assert!(memory.plan_prune(old).unwrap().wait().unwrap().facts.is_empty());
    refused(&memory, |memory| memory.plan_prune(Prune::default()).unwrap().wait(), &["give a maximum confidence"]);
}

#[test]
fn health_checks_name_the_problems() {
    let memory = town();
    let passage = Passage::new("Pell owes Mirela.");
    let span = Span { start: 0, end: 4 };
    let evidence = vec![Evidence::Passage { passage: passage.id(), span, quote: "Pell".into() }];
    let text = std::sync::Arc::new(passage.clone());
    memory
        .write(move |_| Ok(Operation::new(Author::Extractor, "text", vec![Change::AddPassage(text.clone())])))
        .unwrap()
        .wait()
        .unwrap();
    let owes = Proposal { evidence, ..heard(None, "OWES", "mirela-voss", 0.9, 1) };
    memory.propose(Author::Importer("notes".into()), vec![owes]).unwrap().wait().unwrap();
    propose(&memory, Proposal { evidence: Vec::new(), ..heard(None, "FEARS", "mirela-voss", 0.5, 1) });
    let count = |memory: &Memory, name: &str| {
        let health = memory.health(5).unwrap().wait().unwrap();
        health.checks.iter().find(|check| check.name == name).unwrap().count
    };
    assert_eq!((count(&memory, "reviews"), count(&memory, "no_evidence"), count(&memory, "dangling")), (1, 1, 0));
    assert!(count(&memory, "stubs") > 0, "the ring has a name and a kind");
    let removed_passage = passage.id();
    memory
        .write(move |_| Ok(Operation::new(Author::Dm, "text", vec![Change::RemovePassage(removed_passage)])))
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!(count(&memory, "dangling"), 1);
    assert_eq!(fact(&memory, "pell", "OWES").provenance().method, Method::Inferred);
}
