use egui::Key;
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_model::{EntityId, FactId, Kind};

use super::*;
use crate::{
    names::Named,
    testing::{bench, drawn, empty, gullhaven, shows, wait_for, wait_until},
    text::Linked,
};

fn named(name: &str) -> Named {
    Named { id: EntityId::new(hearsay_model::slug(name)).unwrap(), name: name.into(), kind: Some(Kind::Npc) }
}

fn model() -> TimeModel {
    let fact: FactId = format!("{:032x}", 7).parse().unwrap();
    let news = |what: &str, secret| NewsModel {
        when: "4 Rainmoon 412, 09:00".into(),
        place: named("Salt Quay"),
        teller: named("Pell"),
        hearer: named("Bram"),
        fact,
        what: Linked::plain(what),
        credence: 0.6,
        secret,
    };
    let spread = |what: &str, secret| SpreadModel {
        fact,
        what: Linked::plain(what),
        before: 1,
        after: 4,
        places: vec![named("Salt Quay")],
        secret,
    };
    TimeModel {
        from: "3 Rainmoon 412".into(),
        until: "6 Rainmoon 412".into(),
        meetings: 12,
        spread: vec![spread("The ferry was late.", false), spread("The clerk was killed.", true)],
        news: vec![news("The ferry was late.", false), news("The clerk was killed.", true)],
        ..TimeModel::default()
    }
}

struct Hand {
    model: Option<TimeModel>,
    view: TimeView,
    actions: Vec<TimeAction>,
    screen_safe: bool,
}

fn hand(model: Option<TimeModel>) -> Harness<'static, Hand> {
    let hand = Hand { model, view: TimeView::default(), actions: Vec::new(), screen_safe: false };
    let mut drawn = drawn(hand, |ui, look, hand: &mut Hand| {
        let look = Look { screen_safe: hand.screen_safe, ..look.clone() };
        let state = hand.model.as_ref().map_or(TimeState::Idle, TimeState::Ready);
        let actions = time_ui(ui, &look, Some("3 Rainmoon 412"), state, &mut hand.view);
        hand.actions.extend(actions);
    });
    drawn.run_steps(3);
    drawn
}

#[test]
fn a_key_or_a_click_previews_a_number_of_days() {
    for (key, name, days) in [(Key::Num1, "One day", 1), (Key::Num3, "Three days", 3), (Key::Num7, "Seven days", 7)] {
        let mut harness = hand(None);
        harness.key_press(key);
        harness.run_steps(2);
        assert_eq!(
            (harness.state().view.request.days, &harness.state().actions[..]),
            (days, &[TimeAction::WorkOut][..])
        );
        harness.get_by_label(name).click();
        harness.run_steps(2);
        assert_eq!(harness.state().actions.len(), 2);
    }
}

#[test]
fn a_preview_is_inspected_and_applied_or_discarded() {
    let mut harness = hand(Some(model()));
    assert!(shows(&harness, "1 \u{2192} 4 know it"));
    harness.get_by_label("Who tells whom").click();
    harness.run_steps(3);
    harness.get_all_by_label("Pell").next().unwrap().click();
    harness.run_steps(2);
    harness.key_press(Key::Escape);
    harness.run_steps(2);
    harness.key_press(Key::Enter);
    harness.run_steps(2);
    let pell = TimeAction::Show(EntityId::new("pell").unwrap());
    assert_eq!(harness.state().actions, [pell, TimeAction::Discard, TimeAction::Apply]);
}

#[test]
fn while_players_look_secrets_do_not_spread_on_the_screen() {
    let mut harness = hand(Some(model()));
    for name in ["What spreads", "Who tells whom"] {
        harness.get_by_label(name).click();
        harness.run_steps(3);
        harness.state_mut().screen_safe = false;
        harness.run_steps(2);
        assert!(shows(&harness, "was killed"));
        harness.state_mut().screen_safe = true;
        harness.run_steps(2);
        assert!(!shows(&harness, "was killed"));
        assert!(shows(&harness, "ferry"));
    }
}

#[test]
fn without_a_clock_it_says_what_to_do() {
    let bench = bench(TimePanel::default(), empty());
    assert!(bench.query_by_label("No game clock is set").is_some());
}

#[test]
fn three_days_pass_in_the_example_campaign_and_are_undone() {
    let mut bench = bench(TimePanel::default(), gullhaven());
    wait_for(&mut bench, "Three days");
    let before = bench.state().watch.panel_context().clock_time.unwrap();
    bench.key_press(Key::Num3);
    wait_for(&mut bench, "Let it pass");
    let ((model, plan), _) = bench.state().panel.ready.as_ref().unwrap();
    let report = &plan.as_ref().unwrap().report;
    assert_eq!((model.meetings, model.news.len() + model.more), (report.meetings, report.news.len()));
    assert!(!model.news.is_empty() && !model.spread.is_empty());
    bench.key_press(Key::Enter);
    wait_until(&mut bench, |bench| !bench.state().outcomes.is_empty());
    crate::testing::settle(&mut bench);
    let day = 24 * 60;
    assert_eq!(bench.state().watch.panel_context().clock_time.unwrap().0, before.0 + 3 * day);
    assert!(bench.state().outcomes[0].done.as_ref().unwrap().summary.starts_with("gossip from"));
    // Without gossip only the clock advances.
    bench.get_by_label("Characters talk").click();
    bench.run_steps(2);
    bench.key_press(Key::Num1);
    wait_for(&mut bench, "Let it pass");
    bench.get_by_label("Let it pass").click();
    wait_until(&mut bench, |bench| bench.state().outcomes.len() == 2);
    crate::testing::settle(&mut bench);
    assert_eq!(bench.state().watch.panel_context().clock_time.unwrap().0, before.0 + 4 * day);
    bench.get_by_label("Undo it").click();
    wait_until(&mut bench, |bench| bench.state().outcomes.len() == 3);
    crate::testing::settle(&mut bench);
    assert_eq!(bench.state().watch.panel_context().clock_time.unwrap().0, before.0 + 3 * day);
}

#[test]
fn an_invalid_date_gives_a_reason() {
    let mut bench = bench(TimePanel::default(), gullhaven());
    wait_for(&mut bench, "Until");
    bench.get_by_label("Until").focus();
    bench.run_steps(2);
    bench.get_by_label("Until").type_text("when pigs fly");
    bench.run_steps(2);
    bench.key_press(Key::Enter);
    wait_until(&mut bench, |bench| bench.state().panel.trouble.is_some());
    bench.get_by_label("Preview").click();
    wait_until(&mut bench, |bench| shows(bench, "pigs"));
}
