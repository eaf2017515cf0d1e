use egui::{Key, Modifiers};
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_model::Kind;

use super::*;
use crate::{
    names::Named,
    testing::{Bench, bench, bench_with, drawn, fact_of, gullhaven, shows, step_until, wait_until},
};

fn id(text: &str) -> hearsay_model::EntityId {
    hearsay_model::EntityId::new(text).unwrap()
}

fn row(target: Target, text: &str, safe: bool) -> SearchRow {
    SearchRow {
        target,
        text: text.into(),
        why: "by name".into(),
        named: None,
        status: None,
        secret: !safe,
        safe,
        knowers: None,
    }
}

fn model() -> SearchModel {
    let odo = Named { id: id("odo-brandt"), name: "Odo Brandt".into(), kind: Some(Kind::Npc) };
    let entity = SearchRow { named: Some(odo), ..row(Target::Entity(id("odo-brandt")), "Odo Brandt", true) };
    let fact = fact_of("a fact");
    let fact = SearchRow {
        knowers: Some(Knowers { table: Some("Wren Oake knows it, since session 2".into()), ..Knowers::default() }),
        ..row(Target::Fact(fact), "Odo Brandt was on Salt Quay.", false)
    };
    let group = |title: &str, rows| SearchGroup { title: title.into(), rows };
    SearchModel {
        asked: "odo".into(),
        groups: vec![group("Entities", vec![entity]), group("Facts", vec![fact])],
        hints: Vec::new(),
        meaning: true,
    }
}

struct Drawn {
    model: SearchModel,
    view: SearchView,
    actions: Vec<SearchAction>,
}

fn shown(model: SearchModel, text: &str, screen_safe: bool) -> Harness<'static, Drawn> {
    let view = SearchView { text: text.into(), focus: true, ..SearchView::default() };
    drawn(Drawn { model, view, actions: Vec::new() }, move |ui, look, state| {
        let look = Look { screen_safe, ..look.clone() };
        state.actions.extend(search_ui(ui, &look, &state.model, &mut state.view, false));
    })
}

#[test]
fn results_lead_to_their_knowers() {
    let mut bench = bench(SearchPanel::default(), gullhaven());
    bench.get_by_label("Search").focus();
    bench.run_steps(1);
    bench.get_by_label("Search").type_text("missing ledger");
    wait_until(&mut bench, |bench| shows(bench, "hid the harbour ledger"));
    bench.get_by_label("Who knows about this?").click();
    wait_until(&mut bench, |bench| shows(bench, "The party does not know it"));
    assert_eq!(bench.state().panel.view.text, "who knows about missing ledger?");
    assert!(bench.query_by_label("Who knows about this?").is_none());
}

#[test]
fn results_are_chosen_with_the_keys_and_opened_with_enter() {
    let mut harness = shown(model(), "odo", false);
    harness.step();
    harness.step();
    harness.get_by_label("Odo Brandt was on Salt Quay.");
    harness.get_by_label_contains("Wren Oake knows it");
    harness.key_press(Key::ArrowDown);
    harness.step();
    assert_eq!(harness.state().view.marked, 1);
    harness.key_press(Key::ArrowDown);
    harness.step();
    assert_eq!(harness.state().view.marked, 1, "the last stays marked");
    harness.key_press(Key::ArrowUp);
    harness.step();
    harness.key_press(Key::Enter);
    harness.step();
    let opened =
        |action: &SearchAction| matches!(action, SearchAction::Ask(Request::Show(who)) if *who == id("odo-brandt"));
    assert!(harness.state().actions.iter().any(opened), "{:?}", harness.state().actions);
    assert_eq!(harness.state().view.recent, [id("odo-brandt")]);
    harness.get_by_label("Odo Brandt was on Salt Quay.").click();
    harness.step();
    assert!(harness.state().actions.iter().any(|action| matches!(action, SearchAction::Ask(Request::ShowFact(_)))));
    harness.get_by_label("Clear the search").click();
    harness.step();
    assert!(harness.state().view.text.is_empty());
}

#[test]
fn what_is_secret_is_not_drawn_while_players_look() {
    let harness = shown(model(), "odo", true);
    assert!(harness.query_by_label("Odo Brandt was on Salt Quay.").is_none());
    assert!(harness.query_by_label_contains("Odo Brandt").is_some());
    harness.get_by_label("1 hidden in screen-safe mode");
}

#[test]
fn an_empty_box_says_what_can_be_asked() {
    let mut harness = shown(SearchModel::default(), "", false);
    harness.get_by_label("who knows about the ledger?").click();
    harness.step();
    assert_eq!(harness.state().view.text, "who knows about the ledger?");
    assert!(matches!(harness.state().actions[..], [SearchAction::Typed]));
    let hints = vec![Named { id: id("odo-brandt"), name: "Odo Brandt".into(), kind: None }];
    let mut harness = shown(SearchModel { asked: "oddo".into(), hints, ..SearchModel::default() }, "oddo", false);
    harness.get_by_label("Odo Brandt").click();
    harness.step();
    assert!(matches!(&harness.state().actions[..], [SearchAction::Ask(Request::Show(_))]));
}

fn type_in(bench: &mut Bench<SearchPanel>, text: &str) {
    bench.state_mut().panel.show(&Request::Search(text.into()));
    let wanted = text.to_owned();
    step_until(bench, text, move |stage| stage.panel.model().asked == wanted && !stage.panel.waits());
}

fn texts(bench: &Bench<SearchPanel>, title: &str) -> Vec<String> {
    let groups = &bench.state().panel.model().groups;
    let group = groups.iter().find(|group| group.title == title);
    group.map(|group| group.rows.iter().map(|row| row.text.clone()).collect()).unwrap_or_default()
}

#[test]
fn names_aliases_beginnings_and_words_are_found_in_a_campaign() {
    let mut bench = bench(SearchPanel::default(), gullhaven());
    type_in(&mut bench, "mire");
    assert_eq!(texts(&bench, "Entities")[0], "Mirela Voss");
    assert_eq!(bench.state().panel.model().groups[0].rows[0].why, "its name begins with this");
    type_in(&mut bench, "mother gull");
    let first = bench.state().panel.model().groups[0].rows[0].clone();
    assert_eq!((first.text.as_str(), first.why.as_str()), ("Mirela Voss", "also called Mother Gull"));
    type_in(&mut bench, "the grey lady");
    let first = bench.state().panel.model().groups[0].rows[0].clone();
    assert!(first.secret && !first.safe && first.why == "secretly called The Grey Lady", "{first:?}");
    type_in(&mut bench, "nutmeg eel pie");
    assert!(texts(&bench, "Facts").iter().any(|text| text.contains("nutmeg in the eel pie")));
    type_in(&mut bench, "mirela vos");
    assert_eq!(texts(&bench, "Entities")[0], "Mirela Voss");
    // Each typed letter updates the results.
    bench.state_mut().panel.show(&Request::Search("g".into()));
    bench.step();
    bench.step();
    for letter in ["r", "i", "m"] {
        bench.event(egui::Event::Text(letter.into()));
        bench.step();
    }
    step_until(&mut bench, "what was typed", |stage| !stage.panel.waits());
    assert!(bench.state().panel.view.text.ends_with("rim"), "{}", bench.state().panel.view.text);
}

#[test]
fn who_knows_is_answered() {
    let mut bench = bench(SearchPanel::default(), gullhaven());
    type_in(&mut bench, "Who knows about the harbour ledger?");
    let model = bench.state().panel.model().clone();
    assert_eq!(model.groups[0].title, "Who knows");
    let hid = model.groups[0].rows.iter().find(|row| row.text.contains("hid the harbour ledger under the floor"));
    let knowers = hid.unwrap().knowers.clone().unwrap();
    let names: Vec<&str> = knowers.held_by.iter().map(|holder| holder.who.name.as_str()).collect();
    assert!(names.contains(&"Father Teodor"), "{names:?}");
    assert!(knowers.held_by.iter().any(|holder| holder.conceals));
    // Enter opens the first result.
    bench.key_press_modifiers(Modifiers::NONE, Key::Enter);
    bench.step();
    assert!(matches!(bench.state().requests[..], [Request::ShowFact(_)]), "{:?}", bench.state().requests);
    type_in(&mut bench, "who knows");
    type_in(&mut bench, "xyzzyplugh");
    assert!(!bench.state().panel.model().hints.is_empty());
}

#[test]
fn no_secret_of_the_campaign_is_drawn_while_players_look() {
    let look = Look { screen_safe: true, ..Look::default() };
    let mut bench = bench_with(SearchPanel::default(), gullhaven(), look);
    for text in ["ledger", "odo", "who knows about the great fire", "the grey lady"] {
        type_in(&mut bench, text);
        let unsafe_rows: Vec<SearchRow> = bench.state().panel.model().rows().filter(|row| !row.safe).cloned().collect();
        for row in unsafe_rows {
            assert!(bench.query_by_label(&row.text).is_none(), "{}", row.text);
        }
    }
    // The path between two results that players may see can be secret.
    type_in(&mut bench, "the grey lady");
    let mirela = "mirela-voss".parse().map(Target::Entity).unwrap();
    assert!(bench.state().panel.model().rows().any(|row| row.target == mirela && !row.safe), "by a secret name");
    type_in(&mut bench, "mirela voss");
    let rows: Vec<SearchRow> = bench.state().panel.model().rows().cloned().collect();
    assert!(rows.iter().any(|row| row.target == mirela && row.safe), "by her own");
    assert!(rows.iter().all(|row| !row.safe || !row.why.contains("related") && !row.why.contains("by way of")));
}
