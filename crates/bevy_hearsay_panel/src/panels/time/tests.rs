use egui::Key;
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_model::{EntityId, FactId, Kind};

use super::*;
use crate::{
    names::NamedEntity,
    testing::{
        DrawnPanel, draw_panel, empty_memory, gullhaven, open_panel, press_key, shows_text, wait_for, wait_until,
    },
    text::LinkedText,
};

fn named_entity(name: &str) -> NamedEntity {
    NamedEntity { id: EntityId::new(hearsay_model::slug(name)).unwrap(), name: name.into(), kind: Some(Kind::Npc) }
}

fn model() -> TimeModel {
    let fact: FactId = format!("{:032x}", 7).parse().unwrap();
    let telling = |statement: &str, secret| TellingModel {
        when: "4 Rainmoon 412, 09:00".into(),
        place: named_entity("Salt Quay"),
        teller: named_entity("Pell"),
        hearer: named_entity("Bram"),
        fact,
        statement: LinkedText::plain(statement),
        credence: 0.6,
        secret,
    };
    let spread = |statement: &str, secret| SpreadModel {
        fact,
        statement: LinkedText::plain(statement),
        before: 1,
        after: 4,
        places: vec![named_entity("Salt Quay")],
        secret,
    };
    TimeModel {
        from: "3 Rainmoon 412".into(),
        until: "6 Rainmoon 412".into(),
        meetings: 12,
        spread: vec![spread("The ferry was late.", false), spread("The clerk was killed.", true)],
        tellings: vec![telling("The ferry was late.", false), telling("The clerk was killed.", true)],
        untold: vec![UntoldModel {
            fact,
            statement: LinkedText::plain("The bell is cracked."),
            reason: "those who know it can meet nobody at their places".into(),
            knowers: vec![named_entity("Cy")],
            secret: false,
        }],
        ..TimeModel::default()
    }
}

type TimeHarness = Harness<'static, DrawnPanel<Option<TimeModel>, TimeView, TimeAction>>;

fn time_harness(model: Option<TimeModel>) -> TimeHarness {
    draw_panel(model, TimeView::default(), |ui, display, model: &Option<TimeModel>, view| {
        let state = model.as_ref().map_or(TimeState::Idle, TimeState::Ready);
        time_ui(ui, display, Some("3 Rainmoon 412"), state, view)
    })
}

#[test]
fn a_key_or_a_click_previews_a_number_of_days() {
    for (key, name, days) in [(Key::Num1, "One day", 1), (Key::Num3, "Three days", 3), (Key::Num7, "Seven days", 7)] {
        let mut harness = time_harness(None);
        press_key(&mut harness, key);
        assert_eq!(
            (harness.state().view.request.days, &harness.state().actions[..]),
            (days, &[TimeAction::Preview][..])
        );
        harness.get_by_label(name).click();
        harness.run_steps(2);
        assert_eq!(harness.state().actions.len(), 2);
    }
}

#[test]
fn a_preview_is_inspected_and_applied_or_discarded() {
    let mut harness = time_harness(Some(model()));
    assert!(shows_text(&harness, "1 \u{2192} 4 know it"));
    harness.get_by_label("Who tells whom").click();
    harness.run_steps(3);
    harness.get_all_by_label("Pell").next().unwrap().click();
    harness.run_steps(2);
    press_key(&mut harness, Key::Escape);
    press_key(&mut harness, Key::Enter);
    let pell = TimeAction::Show(EntityId::new("pell").unwrap());
    assert_eq!(harness.state().actions, [pell, TimeAction::Discard, TimeAction::Apply]);
}

#[test]
fn a_fact_that_does_not_spread_has_a_reason() {
    let reason = "those who know it can meet nobody";
    let mut harness = time_harness(Some(model()));
    assert!(!shows_text(&harness, reason));
    harness.get_by_label("What does not spread").click();
    harness.run_steps(3);
    assert!(shows_text(&harness, reason) && shows_text(&harness, "bell is cracked"));
    harness.get_by_label("Cy").click();
    harness.run_steps(2);
    assert_eq!(harness.state().actions, [TimeAction::Show(EntityId::new("cy").unwrap())]);

    // If nobody tells anything, the reasons are listed at once.
    let silent = TimeModel { spread: Vec::new(), tellings: Vec::new(), ..model() };
    let harness = time_harness(Some(silent));
    assert!(shows_text(&harness, "Nobody learns anything new") && shows_text(&harness, reason));
}

#[test]
fn without_a_clock_it_says_what_to_do() {
    let harness = open_panel(TimePanel::default(), empty_memory());
    assert!(harness.query_by_label("No game clock is set").is_some());
}

#[test]
fn three_days_pass_in_the_example_campaign_and_are_undone() {
    let mut harness = open_panel(TimePanel::default(), gullhaven());
    wait_for(&mut harness, "Three days");
    let before = harness.state().context_poller.panel_context().clock_time.unwrap();
    harness.key_press(Key::Num3);
    wait_for(&mut harness, "Let it pass");
    let ((model, plan), _) = harness.state().panel.preview.as_ref().unwrap();
    let report = &plan.as_ref().unwrap().report;
    assert_eq!((model.meetings, model.tellings.len() + model.omitted_tellings), (report.meetings, report.news.len()));
    assert!(!model.tellings.is_empty() && !model.spread.is_empty());
    harness.key_press(Key::Enter);
    wait_until(&mut harness, |harness| !harness.state().outcomes.is_empty());
    crate::testing::settle(&mut harness);
    let day = 24 * 60;
    assert_eq!(harness.state().context_poller.panel_context().clock_time.unwrap().0, before.0 + 3 * day);
    assert!(harness.state().outcomes[0].result.as_ref().unwrap().summary.starts_with("gossip from"));
    // Without gossip only the clock advances.
    harness.get_by_label("Characters talk").click();
    harness.run_steps(2);
    harness.key_press(Key::Num1);
    wait_for(&mut harness, "Let it pass");
    harness.get_by_label("Let it pass").click();
    wait_until(&mut harness, |harness| harness.state().outcomes.len() == 2);
    crate::testing::settle(&mut harness);
    assert_eq!(harness.state().context_poller.panel_context().clock_time.unwrap().0, before.0 + 4 * day);
    harness.get_by_label("Undo it").click();
    wait_until(&mut harness, |harness| harness.state().outcomes.len() == 3);
    crate::testing::settle(&mut harness);
    assert_eq!(harness.state().context_poller.panel_context().clock_time.unwrap().0, before.0 + 3 * day);
}

#[test]
fn an_invalid_date_gives_a_reason() {
    let mut harness = open_panel(TimePanel::default(), gullhaven());
    wait_for(&mut harness, "Until");
    harness.get_by_label("Until").focus();
    harness.run_steps(2);
    harness.get_by_label("Until").type_text("when pigs fly");
    harness.run_steps(2);
    harness.key_press(Key::Enter);
    wait_until(&mut harness, |harness| harness.state().panel.error.is_some());
    harness.get_by_label("Preview").click();
    wait_until(&mut harness, |harness| shows_text(harness, "pigs"));
}
