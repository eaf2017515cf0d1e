use egui::{Key, Modifiers};
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_model::Kind;

use super::*;
use crate::{
    names::NamedEntity,
    testing::{
        PanelHarness, draw_harness, fact_id_from_text, gullhaven, open_panel, shows_text, step_until, wait_until,
    },
};

fn id(text: &str) -> hearsay_model::EntityId {
    hearsay_model::EntityId::new(text).unwrap()
}

fn row(target: SearchTarget, text: &str, secret: bool) -> SearchRow {
    SearchRow {
        target,
        text: text.into(),
        match_reason: "by name".into(),
        entity: None,
        status: None,
        secret,
        knowers: None,
    }
}

fn model() -> SearchModel {
    let odo = NamedEntity { id: id("odo-brandt"), name: "Odo Brandt".into(), kind: Some(Kind::Npc) };
    let entity = SearchRow { entity: Some(odo), ..row(SearchTarget::Entity(id("odo-brandt")), "Odo Brandt", false) };
    let fact = fact_id_from_text("a fact");
    let fact = SearchRow {
        knowers: Some(Knowers {
            party_knowledge: Some("Wren Oake knows it, since session 2".into()),
            ..Knowers::default()
        }),
        ..row(SearchTarget::Fact(fact), "Odo Brandt was on Salt Quay.", true)
    };
    let group = |title: &str, rows| SearchGroup { title: title.into(), rows };
    SearchModel {
        query: "odo".into(),
        groups: vec![group("Entities", vec![entity]), group("Facts", vec![fact])],
        hints: Vec::new(),
        meaning: true,
    }
}

struct DrawnSearch {
    model: SearchModel,
    view: SearchView,
    actions: Vec<SearchAction>,
}

fn search_harness(model: SearchModel, text: &str) -> Harness<'static, DrawnSearch> {
    let view = SearchView { text: text.into(), focus: true, ..SearchView::default() };
    draw_harness(DrawnSearch { model, view, actions: Vec::new() }, move |ui, display, state| {
        state.actions.extend(search_ui(ui, display, &state.model, &mut state.view, false));
    })
}

#[test]
fn results_lead_to_their_knowers() {
    let mut harness = open_panel(SearchPanel::default(), gullhaven());
    harness.get_by_label("Search").focus();
    harness.run_steps(1);
    harness.get_by_label("Search").type_text("missing ledger");
    wait_until(&mut harness, |harness| shows_text(harness, "hid the harbour ledger"));
    harness.get_by_label("Who knows about this?").click();
    wait_until(&mut harness, |harness| shows_text(harness, "The party does not know it"));
    assert_eq!(harness.state().panel.view.text, "who knows about missing ledger?");
    assert!(harness.query_by_label("Who knows about this?").is_none());
}

#[test]
fn results_are_chosen_with_the_keys_and_opened_with_enter() {
    let mut harness = search_harness(model(), "odo");
    harness.step();
    harness.step();
    harness.get_by_label("Odo Brandt was on Salt Quay.");
    harness.get_by_label_contains("Wren Oake knows it");
    harness.key_press(Key::ArrowDown);
    harness.step();
    assert_eq!(harness.state().view.highlighted, 1);
    harness.key_press(Key::ArrowDown);
    harness.step();
    assert_eq!(harness.state().view.highlighted, 1, "the last stays marked");
    harness.key_press(Key::ArrowUp);
    harness.step();
    harness.key_press(Key::Enter);
    harness.step();
    let is_opened = |action: &SearchAction| matches!(action, SearchAction::Request(Request::ShowEntity(who)) if *who == id("odo-brandt"));
    assert!(harness.state().actions.iter().any(is_opened), "{:?}", harness.state().actions);
    assert_eq!(harness.state().view.recent, [id("odo-brandt")]);
    harness.get_by_label("Odo Brandt was on Salt Quay.").click();
    harness.step();
    assert!(harness.state().actions.iter().any(|action| matches!(action, SearchAction::Request(Request::ShowFact(_)))));
    harness.get_by_label("Clear the search").click();
    harness.step();
    assert!(harness.state().view.text.is_empty());
}

#[test]
fn an_empty_box_says_what_can_be_asked() {
    let mut harness = search_harness(SearchModel::default(), "");
    harness.get_by_label("who knows about the ledger?").click();
    harness.step();
    assert_eq!(harness.state().view.text, "who knows about the ledger?");
    assert!(matches!(harness.state().actions[..], [SearchAction::TextChanged]));
    let hints = vec![NamedEntity { id: id("odo-brandt"), name: "Odo Brandt".into(), kind: None }];
    let mut harness = search_harness(SearchModel { query: "oddo".into(), hints, ..SearchModel::default() }, "oddo");
    harness.get_by_label("Odo Brandt").click();
    harness.step();
    assert!(matches!(&harness.state().actions[..], [SearchAction::Request(Request::ShowEntity(_))]));
}

fn search_for(harness: &mut PanelHarness<SearchPanel>, text: &str) {
    harness.state_mut().panel.handle_request(&Request::Search(text.into()));
    let query = text.to_owned();
    step_until(harness, text, move |host| host.panel.model().query == query && !host.panel.is_pending());
}

fn texts(harness: &PanelHarness<SearchPanel>, title: &str) -> Vec<String> {
    let groups = &harness.state().panel.model().groups;
    let group = groups.iter().find(|group| group.title == title);
    group.map(|group| group.rows.iter().map(|row| row.text.clone()).collect()).unwrap_or_default()
}

#[test]
fn names_aliases_beginnings_and_words_are_found_in_a_campaign() {
    let mut harness = open_panel(SearchPanel::default(), gullhaven());
    search_for(&mut harness, "mire");
    assert_eq!(texts(&harness, "Entities")[0], "Mirela Voss");
    assert_eq!(harness.state().panel.model().groups[0].rows[0].match_reason, "its name begins with this");
    search_for(&mut harness, "mother gull");
    let first = harness.state().panel.model().groups[0].rows[0].clone();
    assert_eq!((first.text.as_str(), first.match_reason.as_str()), ("Mirela Voss", "also called Mother Gull"));
    search_for(&mut harness, "the grey lady");
    let first = harness.state().panel.model().groups[0].rows[0].clone();
    assert!(first.secret && first.match_reason == "secretly called The Grey Lady", "{first:?}");
    search_for(&mut harness, "nutmeg eel pie");
    assert!(texts(&harness, "Facts").iter().any(|text| text.contains("nutmeg in the eel pie")));
    search_for(&mut harness, "mirela vos");
    assert_eq!(texts(&harness, "Entities")[0], "Mirela Voss");
    // Each typed letter updates the results.
    harness.state_mut().panel.handle_request(&Request::Search("g".into()));
    harness.step();
    harness.step();
    for letter in ["r", "i", "m"] {
        harness.event(egui::Event::Text(letter.into()));
        harness.step();
    }
    step_until(&mut harness, "what was typed", |host| !host.panel.is_pending());
    assert!(harness.state().panel.view.text.ends_with("rim"), "{}", harness.state().panel.view.text);
}

#[test]
fn who_knows_is_answered() {
    let mut harness = open_panel(SearchPanel::default(), gullhaven());
    search_for(&mut harness, "Who knows about the harbour ledger?");
    let model = harness.state().panel.model().clone();
    assert_eq!(model.groups[0].title, "Who knows");
    let fact_row = model.groups[0].rows.iter().find(|row| row.text.contains("hid the harbour ledger under the floor"));
    let knowers = fact_row.unwrap().knowers.clone().unwrap();
    let names: Vec<&str> = knowers.lines.iter().map(|line| line.knower.name.as_str()).collect();
    assert!(names.contains(&"Father Teodor"), "{names:?}");
    assert!(knowers.lines.iter().any(|line| line.conceals));
    // Enter opens the first result.
    harness.key_press_modifiers(Modifiers::NONE, Key::Enter);
    harness.step();
    assert!(matches!(harness.state().requests[..], [Request::ShowFact(_)]), "{:?}", harness.state().requests);
    search_for(&mut harness, "who knows");
    search_for(&mut harness, "xyzzyplugh");
    assert!(!harness.state().panel.model().hints.is_empty());
}
