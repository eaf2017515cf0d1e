use egui_kittest::{Harness, kittest::Queryable};
use hearsay_model::{EntityId, FactStatus, GameTime, Kind, Precision, SessionId};
use hearsay_query::timeline::MomentKind;

use super::*;
use crate::{
    names::NamedEntity,
    testing::{
        DrawnPanel, draw_panel, gullhaven, gullhaven_state, open_panel, press_key, shows_text, wait_for, wait_until,
    },
    text::LinkedText,
};

fn moment(description: &str, secret: bool) -> MomentModel {
    MomentModel {
        kind: MomentKind::Event,
        when: "3 Rainmoon 412".into(),
        description: LinkedText::plain(description),
        fact: None,
        event: None,
        session: Some((SessionId::new("session-1").unwrap(), "The first night".into())),
        place: Some(NamedEntity {
            id: EntityId::new("quay").unwrap(),
            name: "Salt Quay".into(),
            kind: Some(Kind::Location),
        }),
        present: vec![NamedEntity {
            id: EntityId::new("wren").unwrap(),
            name: "Wren".into(),
            kind: Some(Kind::Player),
        }],
        status: FactStatus::Canon,
        secret,
        is_future: false,
    }
}

fn timeline_harness() -> Harness<'static, DrawnPanel<TimelineModel, TimelineView, TimelineAction>> {
    let span = |label: &str, first, count| SpanModel {
        label: label.into(),
        first: GameTime(first),
        precision: Precision::Year,
        count,
        is_current: false,
    };
    let model = TimelineModel {
        spans: vec![span("411 HR", 0, 3), span("412 HR", 400_000, 2), span("413 HR", 900_000, 1)],
        moments: vec![moment("The feast began.", false), moment("The murder.", true)],
        undated: vec![MomentModel { when: String::new(), ..moment("The flood.", false) }],
        current_time: Some((GameTime(400_500), "3 Rainmoon 412".into())),
        ..TimelineModel::default()
    };
    draw_panel(model, TimelineView::default(), timeline_ui)
}

#[test]
fn a_click_looks_into_a_year_and_a_key_out_of_it() {
    let mut harness = timeline_harness();
    harness.get_by_label("412 HR").click();
    harness.run_steps(2);
    let request = harness.state().view.request.clone();
    assert_eq!((request.within, request.unit), (Some((GameTime(400_000), Precision::Year)), Precision::Month));
    press_key(&mut harness, egui::Key::Minus);
    assert_eq!(harness.state().view.request, TimelineRequest::default());
    press_key(&mut harness, egui::Key::N);
    let request = &harness.state().view.request;
    assert_eq!((request.within, request.unit), (Some((GameTime(400_500), Precision::Month)), Precision::Day));
    harness.get_by_label("All of time").click();
    harness.run_steps(2);
    assert_eq!(harness.state().view.request.within, None);
}

#[test]
fn buttons_choose_what_is_listed_and_lead_elsewhere() {
    let mut harness = timeline_harness();
    for name in ["Days", "Events", "Ends"] {
        harness.get_by_label(name).click();
        harness.run_steps(2);
    }
    let request = harness.state().view.request.clone();
    assert_eq!((request.unit, request.kinds), (Precision::Day, vec![MomentKind::Event, MomentKind::Ended]));
    harness.get_by_label("Without a date").click();
    harness.run_steps(3);
    assert!(shows_text(&harness, "The flood"));
    for name in ["Salt Quay", "Wren", "The first night"] {
        harness.get_by_label(name).click();
        harness.run_steps(2);
    }
    let id = |text: &str| TimelineAction::Show(EntityId::new(text).unwrap());
    let session = TimelineAction::Session(SessionId::new("session-1").unwrap());
    assert_eq!(harness.state().actions, [id("quay"), id("wren"), session]);
}

#[test]
fn the_example_campaign_is_looked_into_down_to_a_day() {
    let mut harness = open_panel(TimelinePanel::default(), gullhaven());
    wait_for(&mut harness, "398 HR");
    harness.get_by_label("398 HR").click();
    wait_for(&mut harness, "Frostmoon 398 HR");
    harness.get_by_label("Frostmoon 398 HR").click();
    wait_for(&mut harness, "12 Frostmoon 398 HR");
    harness.get_by_label("12 Frostmoon 398 HR").click();
    wait_until(&mut harness, |harness| shows_text(harness, "eleven dead"));
    harness.get_by_label("Zoom out").click();
    harness.get_by_label("Zoom out").click();
    wait_for(&mut harness, "Thawmoon 398 HR");
    harness.get_by_label("About").focus();
    harness.run_steps(2);
    harness.get_by_label("About").type_text("Lantern");
    harness.run_steps(3);
    harness.key_press(egui::Key::Enter);
    wait_until(&mut harness, |harness| {
        let panel = &harness.state().panel;
        panel.loaded.model_for(&panel.view.request).is_some_and(|model| model.about.is_some())
    });
    assert!(harness.state().panel.view.request.about.is_some());
}

#[test]
fn a_load_counts_what_it_leaves_out() {
    let world = crate::testing::read_snapshot(gullhaven_state());
    let all_of_time = TimelineModel::load(&world, &TimelineRequest::default()).unwrap();
    assert_eq!(
        all_of_time.spans.iter().map(|span| span.count).sum::<usize>(),
        all_of_time.moments.len() + all_of_time.more
    );
    assert!(all_of_time.moments.iter().any(|moment| moment.secret) && all_of_time.current_time.is_some());
    let mut request = TimelineRequest::default();
    let last = all_of_time.spans.last().unwrap();
    request.zoom_in(last.first, last.precision);
    let year = TimelineModel::load(&world, &request).unwrap();
    assert_eq!(year.path.len(), 1);
    assert_eq!(year.moments.len() + year.more, all_of_time.spans.last().unwrap().count);
}
