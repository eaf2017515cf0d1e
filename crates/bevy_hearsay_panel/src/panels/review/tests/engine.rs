//! Tests of the panel with the engine.

use hearsay_model::{Change, Evidence, Fact, FactStatus, Method, Passage, Provenance, Span};

use super::*;

/// Opens the example campaign and adds facts that wait for review.
fn memory_with_proposals() -> Memory {
    let memory = gullhaven();
    let fact = |object: &str, confidence: f64| Proposal {
        confidence: Confidence::new(confidence).unwrap(),
        speaker: Some(id("odo-brandt")),
        statement: Some(format!("Mirela fears {object}.")),
        ..Proposal::new(id("mirela-voss"), Predicate::new("FEARS").unwrap(), Object::Entity(id(object)))
    };
    let proposals = vec![fact("odo-brandt", 0.5), fact("hob-carrow", 0.6), fact("captain-rusk", 0.4)];
    memory.propose(Author::Extractor, proposals).unwrap().wait().unwrap();
    memory
}

fn doubtful_count(harness: &PanelHarness<ReviewPanel>) -> usize {
    let model = harness.state().panel.model();
    let is_listed = |card: &&CardSummary| {
        matches!(card.key, CardKey::Fact(_)) && !harness.state().panel.view().decided_cards.contains_key(&card.key)
    };
    model.cards.iter().filter(is_listed).count()
}

/// Opens the panel with three doubtful cards. The first card is focused.
fn open_review() -> PanelHarness<ReviewPanel> {
    let mut panel = ReviewPanel::default();
    panel.view.filter.kind = Some(CardKind::Doubtful);
    let mut harness = open_panel(panel, memory_with_proposals());
    wait_until(&mut harness, |harness| doubtful_count(harness) == 3 && has_details(harness));
    harness
}

/// Returns whether the focused card shows its details.
fn has_details(harness: &PanelHarness<ReviewPanel>) -> bool {
    let panel = &harness.state().panel;
    panel.view().focus.as_ref().is_some_and(|key| panel.model().details.contains_key(key))
}

#[test]
fn a_decision_reaches_the_engine_and_undo_brings_it_back() {
    let mut harness = open_review();
    settle(&mut harness);
    let first = harness.state().panel.view().focus.clone();
    press_key(&mut harness, Key::A);
    assert_eq!(doubtful_count(&harness), 2, "it is gone at once");
    wait_until(&mut harness, |harness| !harness.state().outcomes.is_empty() && doubtful_count(harness) == 2);
    let summary = harness.state().outcomes[0].result.as_ref().unwrap().summary.clone();
    assert!(summary.starts_with("accept \u{201C}Mirela fears"), "{summary}");
    let undo = DeskCommand::Undo(hearsay_query::journal::UndoTarget::LastBy(Author::Dm));
    harness.state_mut().desk_commands.submit(undo);
    wait_until(&mut harness, |harness| doubtful_count(harness) == 3);
    assert_eq!(harness.state().panel.view().focus, first, "the restored card gets the focus");
}

#[test]
fn consequential_facts_come_first_and_guesses_last() {
    let memory = gullhaven();
    let fears_proposal = |subject: &str, object: &str, confidence: f64| Proposal {
        confidence: Confidence::new(confidence).unwrap(),
        ..Proposal::new(id(subject), Predicate::new("FEARS").unwrap(), Object::Entity(id(object)))
    };
    // Mirela has far more relations than Hob.
    let proposals = vec![
        fears_proposal("mirela-voss", "odo-brandt", 0.3),
        fears_proposal("mirela-voss", "captain-rusk", 0.65),
        fears_proposal("hob-carrow", "bettony-lark", 0.3),
    ];
    memory.propose(Author::Extractor, proposals).unwrap().wait().unwrap();
    let triage = ReviewTriage::default();
    let model = memory.read(move |world| Ok(ReviewModel::load(world, &[], triage))).unwrap().wait().unwrap();
    let doubtful = model.cards.iter().filter(|card| matches!(card.key, CardKey::Fact(_)));
    let order: Vec<_> = doubtful.map(|card| (card.about[0].id.as_str(), card.confidence)).collect();
    assert_eq!(order, [("mirela-voss", 0.65), ("mirela-voss", 0.3), ("hob-carrow", 0.3)]);
    assert!(model.cards.is_sorted_by(|a, b| a.score >= b.score));
}

#[test]
fn a_text_has_at_most_25_cards_until_the_dm_asks_for_more() {
    let memory = gullhaven();
    let passage = Passage::new("Somebody saw it.");
    let quote = Evidence::Passage { passage: passage.id(), span: Span { start: 0, end: 8 }, quote: "Somebody".into() };
    let (confidence, evidence) = (Confidence::new(0.5).unwrap(), vec![quote]);
    let provenance = Provenance { confidence, evidence, ..Provenance::new(Method::Inferred, Author::Extractor) };
    let proposed = |number: usize| {
        let value = format!("was seen on day {number}");
        let fact = Fact::attribute(&id("mirela-voss"), "lore", value, provenance.clone()).unwrap();
        Change::AssertFact(fact.status(FactStatus::Proposed).build().unwrap().into())
    };
    let changes = std::iter::once(Change::AddPassage(passage.into())).chain((0..30).map(proposed)).collect();
    let operation = Operation::new(Author::Extractor, "read a text", changes);
    memory.write(move |_| Ok(operation.clone())).unwrap().wait().unwrap();
    assert_eq!(memory.status().unwrap().wait().unwrap().held_back, 5);
    let mut panel = ReviewPanel::default();
    panel.view.filter.kind = Some(CardKind::Doubtful);
    let mut harness = open_panel(panel, memory);
    wait_until(&mut harness, |harness| doubtful_count(harness) == 25);
    harness.get_by_label("5 less certain cards held back");
    harness.get_by_label("Show more cards").click();
    wait_until(&mut harness, |harness| doubtful_count(harness) == 30);
}

#[test]
fn five_hundred_facts_are_decided_within_ten_minutes() {
    let memory = gullhaven();
    let people = ["mirela-voss", "odo-brandt", "hob-carrow", "captain-rusk"];
    let fact = |number: usize| Proposal {
        confidence: Confidence::new(0.5).unwrap(),
        statement: Some(format!("Somebody saw it on day {number}.")),
        ..Proposal::new(
            id(people[number % people.len()]),
            Predicate::new("lore").unwrap(),
            Object::Value(format!("was seen on day {number}").into()),
        )
    };
    memory.propose(Author::Extractor, (0..500).map(fact).collect()).unwrap().wait().unwrap();
    let mut panel = ReviewPanel::default();
    panel.view.filter.kind = Some(CardKind::Doubtful);
    let mut harness = open_panel(panel, memory);
    wait_until(&mut harness, |harness| doubtful_count(harness) == 500);
    let (started_at, mut key_presses) = (std::time::Instant::now(), 0);
    while doubtful_count(&harness) > 0 {
        // The key J skips a card, so the DM sees some cards twice.
        let key = [Key::A, Key::A, Key::R, Key::A, Key::F, Key::J][key_presses % 6];
        harness.key_press(key);
        harness.step();
        key_presses += 1;
        assert!(key_presses < 700, "{} are left", doubtful_count(&harness));
    }
    settle(&mut harness);
    assert_eq!(harness.state().outcomes.len(), 500);
    assert!(harness.state().outcomes.iter().all(|outcome| outcome.result.is_ok()));
    let count_review_items =
        |world: &hearsay_engine::ReadSnapshot| Ok(hearsay_query::review::review_items(&world.state).len());
    let remaining = harness.state().memory.read(count_review_items).unwrap().wait().unwrap();
    assert!(remaining < 50, "{remaining} still wait");
    // A key press counts as 0.2 s. The keys may take half of the ten minutes; the rest is for reading.
    let seconds = key_presses as f32 * 0.2 + started_at.elapsed().as_secs_f32();
    assert!(seconds < 300.0, "{seconds}");
}

#[test]
fn the_card_of_a_fact_shows_all_related_records() {
    let mut harness = open_review();
    settle(&mut harness);
    settle(&mut harness);
    let panel = &harness.state().panel;
    let key = panel.view().focus.clone().unwrap();
    let Some(CardDetail::Facts(facts)) = panel.model().details.get(&key) else { panic!("no details of {key:?}") };
    let fact = &facts[0];
    assert_eq!(fact.predicate, "FEARS");
    assert_eq!(fact.speaker.as_ref().map(|speaker| speaker.id.as_str()), Some("odo-brandt"));
    assert!(!fact.similar.is_empty(), "{fact:?}");
    assert!(harness.query_all_by_label("Odo Brandt").next().is_some());
}

#[test]
fn many_are_decided_in_one_operation_with_a_reason() {
    let mut harness = open_review();
    harness.state_mut().panel.view.reason = "Odo lies".into();
    settle(&mut harness);
    harness.key_press(Key::G);
    harness.run_steps(1);
    harness.key_press(Key::F);
    wait_until(&mut harness, |harness| !harness.state().outcomes.is_empty());
    let summaries: Vec<_> =
        harness.state().outcomes.iter().map(|o| o.result.as_ref().unwrap().summary.clone()).collect();
    assert_eq!(summaries.len(), 1, "{summaries:?}");
    assert!(summaries[0].ends_with("and 2 more, because: Odo lies"), "{summaries:?}");
    assert_eq!(doubtful_count(&harness), 0);
}

#[test]
fn an_impossible_edit_comes_back_with_a_reason() {
    let mut harness = open_review();
    settle(&mut harness);
    press_key(&mut harness, Key::E);
    let drafts = &mut harness.state_mut().panel.view.drafts;
    drafts.values_mut().for_each(|draft| draft.object = "Nobody of that name".into());
    harness.get_by_label("Accept the edit").click();
    let message_of = |request: &Request| match request {
        Request::ShowMessage(message) => Some(message.clone()),
        _ => None,
    };
    let find_message = |harness: &PanelHarness<ReviewPanel>| harness.state().requests.iter().find_map(message_of);
    wait_until(&mut harness, |harness| find_message(harness).is_some());
    let message = find_message(&harness).unwrap();
    assert!(message.is_error && message.text.contains("Nobody of that name"), "{message:?}");
    assert!(harness.state().outcomes.is_empty(), "nothing is sent to the memory");
    let objects: Vec<_> = harness.state().panel.view().drafts.values().map(|draft| draft.object.as_str()).collect();
    assert_eq!(objects, ["Nobody of that name"], "the refused edit stays open");
    assert_eq!(doubtful_count(&harness), 3, "it stays listed");
}

#[test]
#[ignore = "measures"]
#[allow(clippy::print_stdout)]
fn ten_thousand_cards() {
    let mut harness = review_harness(model(10_000));
    harness.run_steps(5);
    let started_at = std::time::Instant::now();
    for step in 0..60 {
        if step % 2 == 0 {
            harness.key_press(Key::J);
        }
        harness.step();
    }
    let frame_time = started_at.elapsed() / 60;
    println!("review, 10,000 cards: {frame_time:?} a frame, with the harness");
}

#[test]
fn an_edited_sentence_changes_subject_predicate_and_object() {
    let mut options = hearsay_engine::MemoryOptions::in_memory();
    options.settings.model.enabled = false;
    options.settings.extraction.enabled = false;
    options.settings.extraction.engine = hearsay_engine::ExtractionEngine::Patterns;
    let memory = Memory::open(options).unwrap();
    memory.import(crate::testing::GULLHAVEN).unwrap().wait().unwrap();
    let proposal = Proposal {
        confidence: Confidence::new(0.5).unwrap(),
        statement: Some("Odo Brandt fears Mirela Voss.".into()),
        ..Proposal::new(id("odo-brandt"), Predicate::new("FEARS").unwrap(), Object::Entity(id("mirela-voss")))
    };
    memory.propose(Author::Extractor, vec![proposal]).unwrap().wait().unwrap();
    let edited = [
        ("Hob Carrow owes Captain Rusk money.", ("hob-carrow", "OWES", "captain-rusk")),
        ("Bettony Lark whistles like nobody else.", ("bettony-lark", "personality", "whistles like nobody else")),
    ];
    let mut harness = open_panel(ReviewPanel::default(), memory);
    for (number, (sentence, (subject, predicate, object))) in edited.into_iter().enumerate() {
        if number > 0 {
            let undo = DeskCommand::Undo(hearsay_query::journal::UndoTarget::LastBy(Author::Dm));
            harness.state_mut().desk_commands.submit(undo);
        }
        let has_card = |harness: &PanelHarness<ReviewPanel>| {
            let statement = |card: &CardSummary| card.statement.contains("Odo Brandt fears Mirela Voss");
            harness.state().panel.model().cards.iter().any(statement) && harness.state().outcomes.len() >= 2 * number
        };
        wait_until(&mut harness, has_card);
        let card = harness.state().panel.model().cards.iter().find(|card| card.statement.contains("Odo Brandt fears"));
        let CardKey::Fact(fact) = card.unwrap().key.clone() else { panic!("the card has one fact") };
        harness.state_mut().panel.handle_request(&Request::ShowFact(fact));
        settle(&mut harness);
        let is_shown = |harness: &PanelHarness<ReviewPanel>| {
            harness.state().panel.view().focus == Some(CardKey::Fact(fact)) && has_details(harness)
        };
        wait_until(&mut harness, is_shown);
        press_key(&mut harness, Key::E);
        wait_until(&mut harness, |harness| harness.state().panel.view().drafts.contains_key(&fact));
        harness.state_mut().panel.view.drafts.get_mut(&fact).unwrap().statement = sentence.into();
        harness.run_steps(2);
        harness.get_by_label("Accept the edit").click();
        wait_until(&mut harness, |harness| harness.state().outcomes.len() > 2 * number);
        let recorded = harness
            .state()
            .memory
            .read(move |world| {
                let fact = world.state.facts().find(|fact| fact.statement() == sentence);
                Ok(fact.map(|fact| {
                    let (subject, predicate) = (fact.subject().to_string(), fact.predicate().to_string());
                    (subject, predicate, fact.object().to_string())
                }))
            })
            .unwrap();
        let recorded = recorded.wait().unwrap().expect("the edited sentence is recorded");
        assert_eq!(recorded, (subject.to_owned(), predicate.to_owned(), object.to_owned()));
    }
}
