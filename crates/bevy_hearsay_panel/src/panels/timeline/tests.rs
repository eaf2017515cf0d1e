use egui_kittest::{Harness, kittest::Queryable};
use hearsay_model::{EntityId, FactStatus, GameTime, Kind, Precision, SessionId};
use hearsay_query::timeline::MomentKind;

use super::*;
use crate::{
    names::Named,
    testing::{bench, drawn, gullhaven, gullhaven_state, shows, wait_for, wait_until},
    text::Linked,
};

struct Hand {
    model: TimelineModel,
    view: TimelineView,
    actions: Vec<TimelineAction>,
    screen_safe: bool,
}

fn moment(what: &str, secret: bool) -> MomentModel {
    MomentModel {
        kind: MomentKind::Event,
        when: "3 Rainmoon 412".into(),
        what: Linked::plain(what),
        fact: None,
        event: None,
        session: Some((SessionId::new("session-1").unwrap(), "The first night".into())),
        place: Some(Named { id: EntityId::new("quay").unwrap(), name: "Salt Quay".into(), kind: Some(Kind::Location) }),
        there: vec![Named { id: EntityId::new("wren").unwrap(), name: "Wren".into(), kind: Some(Kind::Player) }],
        status: FactStatus::Canon,
        secret,
        safe: !secret,
        ahead: false,
    }
}

fn hand() -> Harness<'static, Hand> {
    let span = |label: &str, first, count, open| SpanModel {
        label: label.into(),
        first: GameTime(first),
        precision: Precision::Year,
        count,
        open,
        now: false,
    };
    let model = TimelineModel {
        spans: vec![span("411 HR", 0, 3, 3), span("412 HR", 400_000, 2, 1), span("413 HR", 900_000, 1, 0)],
        moments: vec![moment("The feast began.", false), moment("The murder.", true)],
        undated: vec![MomentModel { when: String::new(), ..moment("The flood.", false) }],
        now: Some((GameTime(400_500), "3 Rainmoon 412".into())),
        ..TimelineModel::default()
    };
    let hand = Hand { model, view: TimelineView::default(), actions: Vec::new(), screen_safe: false };
    let mut drawn = drawn(hand, |ui, look, hand: &mut Hand| {
        let look = Look { screen_safe: hand.screen_safe, ..look.clone() };
        let actions = timeline_ui(ui, &look, &hand.model, &mut hand.view);
        hand.actions.extend(actions);
    });
    drawn.run_steps(3);
    drawn
}

#[test]
fn a_click_looks_into_a_year_and_a_key_out_of_it() {
    let mut harness = hand();
    harness.get_by_label("412 HR").click();
    harness.run_steps(2);
    let request = harness.state().view.request.clone();
    assert_eq!((request.within, request.by), (Some((GameTime(400_000), Precision::Year)), Precision::Month));
    harness.key_press(egui::Key::Minus);
    harness.run_steps(2);
    assert_eq!(harness.state().view.request, TimelineRequest::default());
    harness.key_press(egui::Key::N);
    harness.run_steps(2);
    let request = &harness.state().view.request;
    assert_eq!((request.within, request.by), (Some((GameTime(400_500), Precision::Month)), Precision::Day));
    harness.get_by_label("All of time").click();
    harness.run_steps(2);
    assert_eq!(harness.state().view.request.within, None);
}

#[test]
fn buttons_choose_what_is_listed_and_lead_elsewhere() {
    let mut harness = hand();
    for name in ["Days", "Events", "Ends"] {
        harness.get_by_label(name).click();
        harness.run_steps(2);
    }
    let request = harness.state().view.request.clone();
    assert_eq!((request.by, request.kinds), (Precision::Day, vec![MomentKind::Event, MomentKind::Ended]));
    harness.get_by_label("Without a date").click();
    harness.run_steps(3);
    assert!(shows(&harness, "The flood"));
    for name in ["Salt Quay", "Wren", "The first night"] {
        harness.get_by_label(name).click();
        harness.run_steps(2);
    }
    let id = |text: &str| TimelineAction::Show(EntityId::new(text).unwrap());
    let session = TimelineAction::Session(SessionId::new("session-1").unwrap());
    assert_eq!(harness.state().actions, [id("quay"), id("wren"), session]);
}

#[test]
fn while_players_look_neither_secrets_nor_their_numbers_are_there() {
    let mut harness = hand();
    assert!(shows(&harness, "murder") && harness.query_by_label("413 HR").is_some());
    harness.state_mut().screen_safe = true;
    harness.run_steps(2);
    assert!(!shows(&harness, "murder") && harness.query_by_label("413 HR").is_none());
    assert!(shows(&harness, "feast"));
}

#[test]
fn the_example_campaign_is_looked_into_down_to_a_day() {
    let mut bench = bench(TimelinePanel::default(), gullhaven());
    wait_for(&mut bench, "398 HR");
    bench.get_by_label("398 HR").click();
    wait_for(&mut bench, "Frostmoon 398 HR");
    bench.get_by_label("Frostmoon 398 HR").click();
    wait_for(&mut bench, "12 Frostmoon 398 HR");
    bench.get_by_label("12 Frostmoon 398 HR").click();
    wait_until(&mut bench, |bench| shows(bench, "eleven dead"));
    bench.get_by_label("Zoom out").click();
    bench.get_by_label("Zoom out").click();
    wait_for(&mut bench, "Thawmoon 398 HR");
    bench.get_by_label("About").focus();
    bench.run_steps(2);
    bench.get_by_label("About").type_text("Lantern");
    bench.run_steps(3);
    bench.key_press(egui::Key::Enter);
    wait_until(&mut bench, |bench| {
        let panel = &bench.state().panel;
        panel.read.of(&panel.view.request).is_some_and(|model| model.about.is_some())
    });
    assert!(bench.state().panel.view.request.about.is_some());
}

#[test]
fn a_load_counts_what_it_leaves_out() {
    let world = crate::testing::world_of(gullhaven_state());
    let all = TimelineModel::load(&world, &TimelineRequest::default()).unwrap();
    assert_eq!(all.spans.iter().map(|span| span.count).sum::<usize>(), all.moments.len() + all.more);
    assert!(all.moments.iter().any(|moment| moment.secret) && all.now.is_some());
    let mut request = TimelineRequest::default();
    let last = all.spans.last().unwrap();
    request.enter(last.first, last.precision);
    let year = TimelineModel::load(&world, &request).unwrap();
    assert_eq!(year.path.len(), 1);
    assert_eq!(year.moments.len() + year.more, all.spans.last().unwrap().count);
}
