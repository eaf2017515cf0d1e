//! Tests of the panel with the engine.

use super::*;

/// Opens the example campaign and adds facts that wait for review.
fn waiting() -> Memory {
    let memory = gullhaven();
    let fact = |object: &str, sure: f64| Proposal {
        confidence: Confidence::new(sure).unwrap(),
        speaker: Some(id("odo-brandt")),
        statement: Some(format!("Mirela fears {object}.")),
        ..Proposal::new(id("mirela-voss"), Predicate::new("FEARS").unwrap(), Object::Entity(id(object)))
    };
    let proposals = vec![fact("odo-brandt", 0.5), fact("hob-carrow", 0.6), fact("captain-rusk", 0.4)];
    memory.propose(Author::Extractor, proposals).unwrap().wait().unwrap();
    memory
}

fn doubtful(bench: &Bench<ReviewPanel>) -> usize {
    let model = bench.state().panel.model();
    let is_listed =
        |head: &&Head| matches!(head.key, CardKey::Fact(_)) && !bench.state().panel.view().gone.contains_key(&head.key);
    model.heads.iter().filter(is_listed).count()
}

/// Opens the panel with three doubtful cards. The first card is focused.
fn opened() -> Bench<ReviewPanel> {
    let mut panel = ReviewPanel::default();
    panel.view.filter.kind = Some(CardKind::Doubtful);
    let mut bench = bench(panel, waiting());
    wait_until(&mut bench, |bench| doubtful(bench) == 3 && is_open(bench));
    bench
}

/// Returns whether the focused card shows its details.
fn is_open(bench: &Bench<ReviewPanel>) -> bool {
    let panel = &bench.state().panel;
    panel.view().focus.as_ref().is_some_and(|key| panel.model().details.contains_key(key))
}

#[test]
fn a_decision_reaches_the_engine_and_undo_brings_it_back() {
    let mut bench = opened();
    settle(&mut bench);
    let first = bench.state().panel.view().focus.clone();
    bench.key_press(Key::A);
    bench.run_steps(2);
    assert_eq!(doubtful(&bench), 2, "it is gone at once");
    wait_until(&mut bench, |bench| !bench.state().outcomes.is_empty() && doubtful(bench) == 2);
    let summary = bench.state().outcomes[0].done.as_ref().unwrap().summary.clone();
    assert!(summary.starts_with("accept \u{201C}Mirela fears"), "{summary}");
    let undo = DeskCommand::Undo(hearsay_query::journal::UndoTarget::LastBy(Author::Dm));
    bench.state_mut().desk_commands.begin(undo);
    wait_until(&mut bench, |bench| doubtful(bench) == 3);
    assert_eq!(bench.state().panel.view().focus, first, "the restored card gets the focus");
}

#[test]
fn consequential_facts_come_first_and_guesses_last() {
    let memory = gullhaven();
    let says = |who: &str, object: &str, sure: f64| Proposal {
        confidence: Confidence::new(sure).unwrap(),
        ..Proposal::new(id(who), Predicate::new("FEARS").unwrap(), Object::Entity(id(object)))
    };
    // Mirela has far more relations than Hob.
    let proposals = vec![
        says("mirela-voss", "odo-brandt", 0.3),
        says("mirela-voss", "captain-rusk", 0.65),
        says("hob-carrow", "bettony-lark", 0.3),
    ];
    memory.propose(Author::Extractor, proposals).unwrap().wait().unwrap();
    let model = memory.read(|world| Ok(ReviewModel::load(world, &[]))).unwrap().wait().unwrap();
    let doubtful = model.heads.iter().filter(|head| matches!(head.key, CardKey::Fact(_)));
    let order: Vec<_> = doubtful.map(|head| (head.about[0].id.as_str(), head.confidence)).collect();
    assert_eq!(order, [("mirela-voss", 0.65), ("mirela-voss", 0.3), ("hob-carrow", 0.3)]);
    assert!(model.heads.is_sorted_by(|a, b| a.score >= b.score));
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
    let mut bench = bench(panel, memory);
    wait_until(&mut bench, |bench| doubtful(bench) == 500);
    let (begun, mut strokes) = (std::time::Instant::now(), 0);
    while doubtful(&bench) > 0 {
        // The key J skips a card, so the DM sees some cards twice.
        let key = [Key::A, Key::A, Key::R, Key::A, Key::F, Key::J][strokes % 6];
        bench.key_press(key);
        bench.step();
        strokes += 1;
        assert!(strokes < 700, "{} are left", doubtful(&bench));
    }
    settle(&mut bench);
    assert_eq!(bench.state().outcomes.len(), 500);
    assert!(bench.state().outcomes.iter().all(|outcome| outcome.done.is_ok()));
    let waits = |world: &hearsay_engine::ReadSnapshot| Ok(hearsay_query::review::review_items(&world.state).len());
    let read = bench.state().memory.read(waits).unwrap().wait().unwrap();
    assert!(read < 50, "{read} still wait");
    // A key press counts as 0.2 s. The keys may take half of the ten minutes; the rest is for reading.
    let seconds = strokes as f32 * 0.2 + begun.elapsed().as_secs_f32();
    assert!(seconds < 300.0, "{seconds}");
}

#[test]
fn the_card_of_a_fact_shows_all_related_records() {
    let mut bench = opened();
    settle(&mut bench);
    settle(&mut bench);
    let panel = &bench.state().panel;
    let key = panel.view().focus.clone().unwrap();
    let Some(Detail::Facts(facts)) = panel.model().details.get(&key) else { panic!("no details of {key:?}") };
    let fact = &facts[0];
    assert_eq!(fact.predicate, "FEARS");
    assert_eq!(fact.speaker.as_ref().map(|speaker| speaker.id.as_str()), Some("odo-brandt"));
    assert!(!fact.similar.is_empty(), "{fact:?}");
    assert!(bench.query_all_by_label("Odo Brandt").next().is_some());
}

#[test]
fn many_are_decided_in_one_operation_with_a_reason() {
    let mut bench = opened();
    bench.state_mut().panel.view.reason = "Odo lies".into();
    settle(&mut bench);
    bench.key_press(Key::G);
    bench.run_steps(1);
    bench.key_press(Key::F);
    wait_until(&mut bench, |bench| !bench.state().outcomes.is_empty());
    let summaries: Vec<_> = bench.state().outcomes.iter().map(|o| o.done.as_ref().unwrap().summary.clone()).collect();
    assert_eq!(summaries.len(), 1, "{summaries:?}");
    assert!(summaries[0].ends_with("and 2 more, because: Odo lies"), "{summaries:?}");
    assert_eq!(doubtful(&bench), 0);
}

#[test]
fn an_impossible_edit_comes_back_with_a_reason() {
    let mut bench = opened();
    settle(&mut bench);
    bench.key_press(Key::E);
    bench.run_steps(2);
    let drafts = &mut bench.state_mut().panel.view.drafts;
    drafts.values_mut().for_each(|draft| draft.object = "Nobody of that name".into());
    bench.get_by_label("Accept the edit").click();
    wait_until(&mut bench, |bench| !bench.state().outcomes.is_empty());
    let error = bench.state().outcomes[0].done.as_ref().unwrap_err();
    assert!(error.contains("Nobody of that name"), "{error}");
    let objects: Vec<_> = bench.state().panel.view().drafts.values().map(|draft| draft.object.as_str()).collect();
    assert_eq!(objects, ["Nobody of that name"], "the refused edit is restored");
    assert_eq!(doubtful(&bench), 3, "it is listed again");
}

#[test]
#[ignore = "measures"]
#[allow(clippy::print_stdout)]
fn ten_thousand_cards() {
    let mut harness = page(model(10_000));
    harness.run_steps(5);
    let begun = std::time::Instant::now();
    for step in 0..60 {
        if step % 2 == 0 {
            harness.key_press(Key::J);
        }
        harness.step();
    }
    let each = begun.elapsed() / 60;
    println!("review, 10,000 cards: {each:?} a frame, with the harness");
}
