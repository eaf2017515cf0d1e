//! Tests of every key and button of the review panel, with hand-made models and with the engine.

use egui::{Key, Modifiers};
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_commands::proposal::Proposal;
use hearsay_model::{Confidence, FactId, Knower, Object, Predicate};

use super::{view::SentenceParts, *};
use crate::{
    names::{NameIndex, NamedEntity},
    testing::{DrawnPanel, PanelHarness, draw_panel, gullhaven, open_panel, press_key, settle, wait_until},
    text::LinkedText,
};

mod engine;

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn fact_id(number: usize) -> FactId {
    format!("{number:032x}").parse().unwrap()
}

fn named_entity(name: &str) -> NamedEntity {
    NamedEntity { id: EntityId::from_name(name).unwrap(), name: name.into(), kind: None }
}

fn card(number: usize, confidence: f64) -> CardSummary {
    CardSummary {
        key: CardKey::Fact(fact_id(number)),
        statement: format!("Ann owes Bob {number} crowns."),
        confidence,
        score: 10.0 - number as f64,
        reasons: vec!["entities that would learn it: 3".into()],
        source: if number.is_multiple_of(2) { "Mirela Voss".into() } else { "notes.md".into() },
        session: Some(format!("Session {}", number % 3)),
        recorded: number as i64,
        about: vec![named_entity("Ann"), named_entity("Bob")],
        secret: number == 4,
    }
}

fn detail_of(number: usize, confidence: f64) -> FactDetail {
    FactDetail {
        id: fact_id(number),
        statement: LinkedText::plain(format!("Ann owes Bob {number} crowns.")),
        subject: named_entity("Ann"),
        predicate: "OWES".into(),
        object: ObjectModel::Entity(named_entity("Bob")),
        status: "proposed".into(),
        factuality: Some("hedged".into()),
        secret: number == 4,
        confidence,
        extracted: Some(confidence - 0.05),
        trust: vec!["Statements by Mirela Voss: you accepted 3, and rejected 1".into()],
        method: "stated".into(),
        author: "extractor".into(),
        stage: Some("clauses".into()),
        speaker: Some(named_entity("Mirela Voss")),
        session: Some("Session 1".into()),
        when: Some("since 3 Reaping".into()),
        quotes: vec![SourceQuote {
            text: "I heard Ann owes Bob.".into(),
            highlighted: 8..20,
            place: "Session 1, line 4".into(),
        }],
        contradicts: vec![OtherFact {
            id: fact_id(90),
            statement: "Ann owes nobody.".into(),
            status: "canon".into(),
            reason: "the opposite".into(),
            secret: false,
        }],
        similar: vec![OtherFact {
            id: fact_id(91),
            statement: "Ann trusts Bob.".into(),
            status: "canon".into(),
            reason: "about the same two entities".into(),
            secret: false,
        }],
        more_similar: 2,
        other_proposals: Vec::new(),
        learners: ["Lyra", "The Gull"]
            .map(|name| Learner { knower: Knower::Entity(named_entity(name).id), name: name.into() })
            .to_vec(),
        more_learners: 3,
    }
}

fn model(count: usize) -> ReviewModel {
    let confidence = |number: usize| 0.3 + 0.05 * (number % 8) as f64;
    let cards: Vec<CardSummary> = (0..count).map(|number| card(number, confidence(number))).collect();
    let details = (0..count)
        .map(|number| (CardKey::Fact(fact_id(number)), CardDetail::Facts(vec![detail_of(number, confidence(number))])));
    ReviewModel { position: 1, details: details.collect(), cards, is_read: true, ..ReviewModel::default() }
}

type ReviewState = DrawnPanel<ReviewModel, ReviewView, ReviewAction>;

fn review_harness(model: ReviewModel) -> Harness<'static, ReviewState> {
    draw_panel(model, ReviewView::default(), review_ui)
}

fn focus(harness: &Harness<'_, ReviewState>) -> CardKey {
    harness.state().view.focus.clone().unwrap()
}

fn decisions(panel: &ReviewState) -> Vec<(Vec<FactId>, Decision)> {
    let decision_of = |action: &ReviewAction| match action {
        ReviewAction::Decide { facts, decision, .. } => Some((facts.clone(), decision.clone())),
        _ => None,
    };
    panel.actions.iter().filter_map(decision_of).collect()
}

#[test]
fn j_and_k_walk_and_the_focus_stays_where_the_eye_is() {
    let mut harness = review_harness(model(5));
    assert_eq!(focus(&harness), CardKey::Fact(fact_id(0)));
    press_key(&mut harness, Key::J);
    press_key(&mut harness, Key::J);
    assert_eq!(focus(&harness), CardKey::Fact(fact_id(2)));
    press_key(&mut harness, Key::K);
    assert_eq!(focus(&harness), CardKey::Fact(fact_id(1)));
    press_key(&mut harness, Key::A);
    assert_eq!(focus(&harness), CardKey::Fact(fact_id(2)), "the next card is shown at once");
    assert_eq!(decisions(harness.state()), [(vec![fact_id(1)], Decision::Accept)]);
    // At the end of the list, the focus moves to a remaining card.
    for _ in 0..9 {
        press_key(&mut harness, Key::J);
    }
    press_key(&mut harness, Key::R);
    assert_eq!(focus(&harness), CardKey::Fact(fact_id(3)));
}

#[test]
fn each_key_decides() {
    for (key, decision) in [(Key::A, Decision::Accept), (Key::R, Decision::Reject), (Key::F, Decision::False)] {
        let mut harness = review_harness(model(3));
        press_key(&mut harness, key);
        assert_eq!(decisions(harness.state()), [(vec![fact_id(0)], decision)]);
    }
    let mut harness = review_harness(model(3));
    press_key(&mut harness, Key::S);
    assert_eq!(harness.state().actions, [ReviewAction::SetSecrecy { facts: vec![fact_id(0)], secret: true }]);
    press_key(&mut harness, Key::D);
    assert_eq!(focus(&harness), CardKey::Fact(fact_id(1)));
    assert!(harness.state().view.deferred.contains(&CardKey::Fact(fact_id(0))), "deferred cards come last");
    press_key(&mut harness, Key::U);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::U);
    harness.run_steps(2);
    assert_eq!(harness.state().actions[1..], [ReviewAction::Undo, ReviewAction::Redo]);
}

#[test]
fn each_button_decides() {
    for (name, decision) in
        [("Accept", Decision::Accept), ("Reject", Decision::Reject), ("Mark false", Decision::False)]
    {
        let mut harness = review_harness(model(2));
        harness.get_by_label(name).click();
        harness.run_steps(3);
        assert_eq!(decisions(harness.state()), [(vec![fact_id(0)], decision)], "{name}");
    }
    let mut harness = review_harness(model(2));
    harness.get_by_label("Make secret").click();
    harness.run_steps(2);
    harness.get_by_label("Undo").click();
    harness.run_steps(2);
    harness.get_by_label("Ann owes nobody.").click();
    harness.run_steps(2);
    harness.get_by_label("Ann").click();
    harness.run_steps(2);
    let set_secrecy = ReviewAction::SetSecrecy { facts: vec![fact_id(0)], secret: true };
    let shown = [ReviewAction::ShowFact(fact_id(90)), ReviewAction::Show(id("ann"))];
    assert_eq!(harness.state().actions[..2], [set_secrecy, ReviewAction::Undo]);
    assert_eq!(harness.state().actions[2..], shown);
    harness.get_by_label("Defer").click();
    harness.run_steps(2);
    assert_eq!(focus(&harness), CardKey::Fact(fact_id(1)));
}

#[test]
fn space_selects_and_a_decision_is_for_all_selected() {
    let mut harness = review_harness(model(8));
    press_key(&mut harness, Key::Space);
    press_key(&mut harness, Key::J);
    press_key(&mut harness, Key::Space);
    harness.get_by_label("2 selected:");
    harness.get_by_label("Reject the selected").click();
    harness.run_steps(2);
    assert_eq!(decisions(harness.state()), [(vec![fact_id(0), fact_id(1)], Decision::Reject)]);
    assert!(harness.state().view.selected.is_empty());
    // Select all cards of the same source, and then all cards with the same or a higher confidence.
    press_key(&mut harness, Key::G);
    assert_eq!(harness.state().view.selected.len(), 3, "2, 4 and 6 are Mirela's");
    press_key(&mut harness, Key::Escape);
    assert!(harness.state().view.selected.is_empty());
    press_key(&mut harness, Key::J);
    press_key(&mut harness, Key::J);
    press_key(&mut harness, Key::X);
    assert_eq!(harness.state().view.selected.len(), 4, "5, 6 and 7 are at least as sure as 4");
    press_key(&mut harness, Key::A);
    assert_eq!(decisions(harness.state())[1].0.len(), 4);
}

#[test]
fn a_card_is_selected_by_its_box_and_focused_by_a_click() {
    let mut harness = review_harness(model(3));
    harness.get_by_label("Select Ann owes Bob 2 crowns.").click();
    harness.run_steps(2);
    assert!(harness.state().view.selected.contains(&CardKey::Fact(fact_id(2))));
    harness.get_by_label("Ann owes Bob 1 crowns.").click();
    harness.run_steps(2);
    assert_eq!(focus(&harness), CardKey::Fact(fact_id(1)));
}

#[test]
fn an_edit_is_typed_in_place_and_accepted_with_enter() {
    let mut harness = review_harness(model(2));
    press_key(&mut harness, Key::E);
    let sentence = harness.get_by_label("Sentence");
    assert!(sentence.is_focused());
    harness.event(egui::Event::Key {
        key: Key::A,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: Modifiers::COMMAND,
    });
    harness.run_steps(1);
    harness.get_by_label("Sentence").type_text("Ann owes Bob a horse.");
    harness.run_steps(2);
    assert!(decisions(harness.state()).is_empty(), "a focused field receives letters");
    harness.key_press(Key::Enter);
    harness.run_steps(3);
    harness.get_by_label("Reading the sentence\u{2026}");
    assert!(decisions(harness.state()).is_empty(), "the parts are read first");
    read_sentence(&mut harness, "FEARS");
    let statement = Some("Ann owes Bob a horse.".to_owned());
    let decision = Decision::Edit { subject: None, predicate: Some("FEARS".into()), object: None, statement };
    assert_eq!(decisions(harness.state()), [(vec![fact_id(0)], decision)]);
    assert_eq!(focus(&harness), CardKey::Fact(fact_id(1)));
}

/// Does what the panel does when the sentence of the first draft has been read.
fn read_sentence(harness: &mut Harness<'_, ReviewState>, predicate: &str) {
    let draft = harness.state_mut().view.drafts.get_mut(&fact_id(0)).unwrap();
    let (subject, object) = (draft.subject.clone(), draft.object.clone());
    draft.set_parts(SentenceParts { subject, predicate: predicate.into(), object, object_is_entity: true });
    harness.run_steps(3);
}

#[test]
fn an_edited_part_replaces_the_sentence() {
    let mut harness = review_harness(model(1));
    press_key(&mut harness, Key::E);
    let field = harness.get_by_label("Predicate");
    field.focus();
    harness.run_steps(2);
    harness.get_by_label("Predicate").type_text("S");
    harness.run_steps(3);
    let draft = &harness.state().view.drafts[&fact_id(0)];
    assert!(draft.predicate.contains("OWES") && draft.predicate != "OWES", "{}", draft.predicate);
    assert_eq!(draft.statement, "", "the old sentence does not say this");
}

#[test]
fn a_secret_is_kept_from_single_knowers() {
    let mut model = model(1);
    let key = CardKey::Fact(fact_id(0));
    let Some(CardDetail::Facts(facts)) = model.details.get_mut(&key) else { panic!("the card has a fact") };
    facts[0].secret = true;
    let mut harness = review_harness(model);
    for name in ["Keep from Lyra", "Keep from all of them"] {
        harness.get_by_label(name).click();
        harness.run_steps(2);
    }
    let knower = |name: &str| Knower::Entity(named_entity(name).id);
    let keep_from =
        |knowers: &[Knower]| ReviewAction::KeepFrom { fact: fact_id(0), knowers: knowers.iter().cloned().collect() };
    let both = [knower("Lyra"), knower("The Gull")];
    assert_eq!(harness.state().actions, [keep_from(&both[..1]), keep_from(&both)]);
}

#[test]
fn a_draft_is_neither_restarted_nor_skipped() {
    let mut harness = review_harness(model(2));
    press_key(&mut harness, Key::E);
    harness.state_mut().view.drafts.get_mut(&fact_id(0)).unwrap().statement = "Ann owes Bob a horse.".into();
    // Take the keyboard focus away, as if the window had been closed and opened again.
    let surrender_focus = |memory: &mut egui::Memory| memory.focused().map(|id| memory.surrender_focus(id));
    harness.ctx.memory_mut(surrender_focus);
    harness.run_steps(1);
    press_key(&mut harness, Key::E);
    assert!(harness.get_by_label("Sentence").is_focused());
    assert_eq!(harness.state().view.drafts[&fact_id(0)].statement, "Ann owes Bob a horse.");
    harness.ctx.memory_mut(surrender_focus);
    harness.run_steps(1);
    press_key(&mut harness, Key::A);
    read_sentence(&mut harness, "OWES");
    let statement = Some("Ann owes Bob a horse.".to_owned());
    let decision = Decision::Edit { subject: None, predicate: None, object: None, statement };
    assert_eq!(decisions(harness.state()), [(vec![fact_id(0)], decision)]);
}

#[test]
fn an_edit_is_kept_while_another_is_begun() {
    let mut harness = review_harness(model(3));
    press_key(&mut harness, Key::E);
    harness.state_mut().view.drafts.get_mut(&fact_id(0)).unwrap().statement = "Ann owes Bob a horse.".into();
    let surrender_focus = |memory: &mut egui::Memory| memory.focused().map(|id| memory.surrender_focus(id));
    for key in [Key::J, Key::E] {
        harness.ctx.memory_mut(surrender_focus);
        harness.run_steps(1);
        press_key(&mut harness, key);
    }
    let drafts = &harness.state().view.drafts;
    assert!(drafts.len() == 2 && drafts.contains_key(&fact_id(1)), "{drafts:?}");
    assert_eq!(drafts[&fact_id(0)].statement, "Ann owes Bob a horse.");
    harness.get_by_label("edit in progress");
    harness.get_by_label("Cancel").click();
    harness.run_steps(2);
    assert_eq!(harness.state().view.drafts.len(), 1, "the other stays");
}

#[test]
fn subject_predicate_and_object_are_edited_too() {
    let mut harness = review_harness(model(2));
    harness.get_by_label("Edit the parts").click();
    harness.run_steps(2);
    harness.state_mut().view.drafts.get_mut(&fact_id(0)).unwrap().predicate = "FEARS".into();
    harness.run_steps(1);
    harness.get_by_label("Accept the edit").click();
    harness.run_steps(2);
    let decision = Decision::Edit { subject: None, predicate: Some("FEARS".into()), object: None, statement: None };
    assert_eq!(decisions(harness.state()), [(vec![fact_id(0)], decision)], "the sentence is generated again");
}

#[test]
fn names_in_an_edit_are_resolved() {
    let names = NameIndex::from_state(&crate::testing::gullhaven_state());
    let fact = detail_of(0, 0.5);
    let mut draft = ReviewDraft::from_fact(&fact);
    (draft.subject, draft.object) = ("Mirela Voss".into(), "odo-brandt".into());
    let decision = Decision::Edit {
        subject: Some(id("mirela-voss")),
        predicate: None,
        object: Some(Object::Entity(id("odo-brandt"))),
        statement: None,
    };
    assert_eq!(draft.decision(Some(&fact), &names).unwrap(), decision);
    draft.object = "Nobody At All".into();
    let error = draft.decision(Some(&fact), &names).unwrap_err().to_string();
    assert!(error.contains("no entity is called `Nobody At All`"), "{error}");
}

#[test]
fn an_edit_with_an_unknown_name_stays_open() {
    let mut harness = review_harness(model(2));
    harness.get_by_label("Edit the parts").click();
    harness.run_steps(2);
    harness.state_mut().view.drafts.get_mut(&fact_id(0)).unwrap().subject = "Nobody".into();
    harness.run_steps(1);
    harness.get_by_label("Accept the edit").click();
    harness.run_steps(2);
    let error = ReviewAction::ShowError(
        "no entity is called `Nobody`; check the spelling, or first add an entity with this name".into(),
    );
    assert_eq!(harness.state().actions, [error]);
    assert_eq!(harness.state().view.drafts[&fact_id(0)].subject, "Nobody");
}

#[test]
fn escape_leaves_an_edit_and_a_reason_goes_with_the_next_decision() {
    let mut harness = review_harness(model(2));
    press_key(&mut harness, Key::E);
    harness.get_by_label("Cancel").click();
    harness.run_steps(2);
    assert!(harness.state().view.drafts.is_empty());
    press_key(&mut harness, Key::W);
    harness.run_steps(1);
    harness.get_by_label("Reason").type_text("she was asleep");
    harness.run_steps(2);
    press_key(&mut harness, Key::Enter);
    press_key(&mut harness, Key::R);
    let reasons: Vec<_> = harness
        .state()
        .actions
        .iter()
        .map(|action| match action {
            ReviewAction::Decide { reason, .. } => reason.clone(),
            _ => None,
        })
        .collect();
    assert_eq!(reasons, [Some("she was asleep".to_owned())]);
    assert_eq!(harness.state().view.reason, "");
}

#[test]
fn slash_filters_and_filters_can_be_cleared() {
    let mut harness = review_harness(model(12));
    press_key(&mut harness, Key::Slash);
    assert!(harness.get_by_label("Filter").is_focused());
    harness.get_by_label("Filter").type_text("Bob 11");
    harness.run_steps(2);
    assert_eq!(focus(&harness), CardKey::Fact(fact_id(11)));
    harness.get_by_label("1 of 12");
    harness.get_by_label("Filter").type_text(" no such");
    harness.run_steps(2);
    harness.get_by_label("No card matches the filter");
    harness.get_by_label("Show all").click();
    harness.run_steps(2);
    harness.get_by_label("12 cards");
}

#[test]
fn lists_are_ordered_and_narrowed() {
    let model = model(9);
    let recorded_times = |filter: Filter, order| {
        let rows = model.listed_rows(&filter, order, |_| false);
        rows.into_iter().map(|row| model.cards[row].recorded).collect::<Vec<_>>()
    };
    assert_eq!(recorded_times(Filter::default(), Order::Newest), [8, 7, 6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(recorded_times(Filter::default(), Order::LowestConfidence)[..2], [0, 8]);
    assert_eq!(recorded_times(Filter::default(), Order::HighestConfidence)[0], 7);
    let source = Filter { source: Some("notes.md".into()), ..Filter::default() };
    assert_eq!(recorded_times(source, Order::Oldest), [1, 3, 5, 7]);
    let session = Filter { session: Some("Session 2".into()), ..Filter::default() };
    assert_eq!(recorded_times(session, Order::Oldest), [2, 5, 8]);
    let confident = Filter { min_confidence: 0.6, ..Filter::default() };
    assert_eq!(recorded_times(confident, Order::Oldest), [6, 7]);
    assert_eq!(recorded_times(Filter { entity: Some(id("zed")), ..Filter::default() }, Order::Oldest), [0; 0]);
}

fn click(harness: &mut Harness<'_, ReviewState>, name: &str) {
    harness.get_all_by_label(name).last().unwrap().click();
    harness.run_steps(3);
}

#[test]
fn order_and_filters_are_chosen_by_name() {
    let mut harness = review_harness(model(9));
    click(&mut harness, "Order");
    click(&mut harness, "Newest");
    assert_eq!(harness.state().view.order, Order::Newest);
    click(&mut harness, "Filters");
    for (list, choice) in
        [("Kind", "Doubtful facts"), ("Source", "notes.md (4)"), ("Session", "Session 2 (3)"), ("Age", "The last week")]
    {
        click(&mut harness, list);
        click(&mut harness, choice);
    }
    let expected_filter = Filter {
        kind: Some(CardKind::Doubtful),
        source: Some("notes.md".into()),
        session: Some("Session 2".into()),
        hours: Some(168),
        ..Filter::default()
    };
    assert_eq!(harness.state().view.filter, expected_filter);
    harness.get_by_label("1 of 9");
    click(&mut harness, "Show all");
    assert!(harness.state().view.filter.is_empty());
    press_key(&mut harness, Key::Slash);
    harness.get_by_label("Filter").type_text("Bob 3");
    harness.run_steps(2);
    click(&mut harness, "Clear the filter");
    harness.get_by_label("9 cards");
}

#[test]
fn what_is_older_is_left_out() {
    let hour = 3_600_000;
    let cards =
        [1, 30, 200].map(|hours| CardSummary { recorded: 1_000 * hour - hours * hour, ..card(hours as usize, 0.5) });
    let read_at = hearsay_model::Timestamp(1_000 * hour);
    let model = ReviewModel { cards: cards.into(), read_at, is_read: true, ..ReviewModel::default() };
    let count = |hours| model.listed_rows(&Filter { hours, ..Filter::default() }, Order::Newest, |_| false).len();
    assert_eq!([Some(1), Some(24), Some(168), None].map(count), [1, 1, 2, 3]);
}

#[test]
fn reasons_selections_and_edits_are_begun_and_ended_by_buttons() {
    let mut harness = review_harness(model(3));
    click(&mut harness, "Reason\u{2026}");
    assert!(harness.get_by_label("Reason").is_focused());
    click(&mut harness, "No reason");
    assert!(harness.query_by_label("Reason").is_none());
    click(&mut harness, "Edit\u{2026}");
    assert!(harness.get_by_label("Sentence").is_focused());
    click(&mut harness, "Cancel");
    press_key(&mut harness, Key::Space);
    for name in ["Make secret the selected", "Defer the selected"] {
        harness.get_by_label(name);
    }
    click(&mut harness, "Select none");
    assert!(harness.state().view.selected.is_empty());
    press_key(&mut harness, Key::Space);
    click(&mut harness, "Mark false the selected");
    press_key(&mut harness, Key::Space);
    click(&mut harness, "Accept the selected");
    let decided = decisions(harness.state());
    assert_eq!(decided, [(vec![fact_id(0)], Decision::False), (vec![fact_id(1)], Decision::Accept)]);
}

#[test]
fn one_of_two_contradicting_facts_becomes_true_from_now_on() {
    let key = CardKey::Contradiction(vec![fact_id(1), fact_id(2)]);
    let card = CardSummary { key: key.clone(), ..card(1, 0.5) };
    let details = [(key, CardDetail::Facts(vec![detail_of(1, 0.5), detail_of(2, 0.6)]))].into();
    let mut harness =
        review_harness(ReviewModel { cards: vec![card], details, is_read: true, ..ReviewModel::default() });
    click(&mut harness, "True from now on: Ann owes Bob 2 crowns.");
    assert_eq!(decisions(harness.state()), [(vec![fact_id(2)], Decision::Accept)]);
}

#[test]
fn a_stub_is_filled_in_or_removed() {
    let entity_summary =
        EntitySummary { entity: named_entity("Bram"), aliases: Vec::new(), facts: Vec::new(), fact_count: 0 };
    let key = CardKey::Stub(id("bram"));
    let card = CardSummary { key: key.clone(), ..card(1, 0.0) };
    let details = [(key, CardDetail::Stub(entity_summary))].into();
    let model = ReviewModel { cards: vec![card], details, is_read: true, ..ReviewModel::default() };
    for (name, action) in
        [("Fill in\u{2026}", ReviewAction::Show(id("bram"))), ("Remove", ReviewAction::Remove(id("bram")))]
    {
        let mut harness = review_harness(model.clone());
        click(&mut harness, name);
        assert_eq!(harness.state().actions, [action]);
    }
    for (key, action) in [(Key::E, ReviewAction::Show(id("bram"))), (Key::R, ReviewAction::Remove(id("bram")))] {
        let mut harness = review_harness(model.clone());
        press_key(&mut harness, key);
        assert_eq!(harness.state().actions, [action]);
    }
}

#[test]
fn contradictions_are_decided_by_choosing_the_true_fact() {
    let key = CardKey::Contradiction(vec![fact_id(1), fact_id(2)]);
    let card = CardSummary { key: key.clone(), ..card(1, 0.5) };
    let details = [(key, CardDetail::Facts(vec![detail_of(1, 0.5), detail_of(2, 0.6)]))].into();
    let model = ReviewModel { position: 1, cards: vec![card], details, is_read: true, ..ReviewModel::default() };
    let only_this = |fact: usize, other: usize| ReviewAction::OnlyThis {
        fact: fact_id(fact),
        others: vec![fact_id(other)],
        reason: None,
    };
    let mut harness = review_harness(model.clone());
    press_key(&mut harness, Key::ArrowRight);
    press_key(&mut harness, Key::A);
    assert_eq!(harness.state().actions, [only_this(2, 1)]);
    let mut harness = review_harness(model);
    harness.get_by_label("Only this: Ann owes Bob 1 crowns.").click();
    harness.run_steps(2);
    harness.run_steps(1);
    assert_eq!(harness.state().actions, [only_this(1, 2)]);
}

#[test]
fn twins_are_merged_either_way_or_told_apart() {
    let entity_summary = |name: &str, fact_count| EntitySummary {
        entity: named_entity(name),
        aliases: Vec::new(),
        facts: Vec::new(),
        fact_count,
    };
    let key = CardKey::Duplicate(id("bram"), id("bramm"));
    let card = CardSummary { key: key.clone(), ..card(1, 0.9) };
    let details =
        [(key, CardDetail::Duplicate(Box::new([entity_summary("Bram", 2), entity_summary("Bramm", 5)]), Vec::new()))]
            .into();
    let model = ReviewModel { position: 1, cards: vec![card], details, is_read: true, ..ReviewModel::default() };
    let merge = |from: &str, into: &str| ReviewAction::Merge { from: id(from), into: id(into) };
    for (name, action) in [
        ("Merge into Bram", merge("bramm", "bram")),
        ("Merge into Bramm", merge("bram", "bramm")),
        ("Not the same", ReviewAction::NotTheSame(id("bram"), id("bramm"))),
    ] {
        let mut harness = review_harness(model.clone());
        harness.get_by_label(name).click();
        harness.run_steps(2);
        assert_eq!(harness.state().actions, [action], "{name}");
    }
    let mut harness = review_harness(model.clone());
    press_key(&mut harness, Key::A);
    assert_eq!(harness.state().actions, [merge("bram", "bramm")], "the entity with more facts stays");
    let mut harness = review_harness(model);
    press_key(&mut harness, Key::R);
    assert_eq!(harness.state().actions, [ReviewAction::NotTheSame(id("bram"), id("bramm"))]);
}

#[test]
fn an_empty_review_says_what_will_be_here() {
    let harness = review_harness(ReviewModel { is_read: true, ..ReviewModel::default() });
    harness.get_by_label("No cards to review");
}

#[test]
fn cards_that_are_held_back_are_shown_on_request() {
    let mut harness = review_harness(ReviewModel { held_back: 84, ..model(3) });
    harness.get_by_label("84 less certain cards held back");
    click(&mut harness, "Show more cards");
    assert!(harness.state().view.shows_held_back);
    harness.get_by_label("84 less certain cards shown");
    click(&mut harness, "Hide less certain cards");
    assert!(!harness.state().view.shows_held_back);
}

#[test]
fn an_edit_under_way_survives_the_window() {
    let mut panel = ReviewPanel::default();
    let mut draft = ReviewDraft::from_fact(&detail_of(1, 0.5));
    draft.statement = "Half a sent".into();
    panel.view.drafts.insert(draft.fact, draft);
    panel.view.reason = "because".into();
    panel.view.deferred.insert(CardKey::Duplicate(id("a"), id("b")));
    let text = serde_json::to_string(&panel.save().unwrap()).unwrap();
    let mut restored_panel = ReviewPanel::default();
    restored_panel.restore(serde_json::from_str(&text).unwrap());
    assert_eq!(restored_panel.view.drafts, panel.view.drafts);
    assert_eq!((restored_panel.view.reason.as_str(), restored_panel.view.deferred.len()), ("because", 1));
}
