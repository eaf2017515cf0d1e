use egui::Key;
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_commands::{
    edit::{Edit, FactOptions},
    session::{NewSession, SessionStep},
};
use hearsay_model::{Author, EntityId, FactId, FactStatus, Kind};

use super::*;
use crate::{
    names::Named,
    panel::DeskCommand,
    testing::{bench, drawn, gullhaven, shows, wait_for},
    text::Linked,
};

fn named(name: &str, kind: Kind) -> Named {
    Named { id: EntityId::new(hearsay_model::slug(name)).unwrap(), name: name.into(), kind: Some(kind) }
}

fn fact(n: u8) -> FactId {
    format!("{n:032x}").parse().unwrap()
}

fn row(tab: ThreadTab, what: &str, n: u8) -> ThreadRow {
    ThreadRow {
        tab,
        what: Linked::plain(what),
        fact: Some(fact(n)),
        quest: None,
        who: vec![named("Odo", Kind::Npc)],
        since: None,
        session: None,
        details: Vec::new(),
        told: Vec::new(),
        status: FactStatus::Canon,
        secret: matches!(tab, ThreadTab::Untold | ThreadTab::Told),
        safe: !matches!(tab, ThreadTab::Untold | ThreadTab::Told),
        words: what.to_lowercase(),
    }
}

struct Hand {
    model: ThreadsModel,
    view: ThreadsView,
    actions: Vec<ThreadsAction>,
    screen_safe: bool,
}

fn hand() -> Harness<'static, Hand> {
    let rows = vec![
        ThreadRow { quest: Some(named("The Hunt", Kind::Quest)), ..row(ThreadTab::Quest, "The Hunt", 1) },
        row(ThreadTab::Promise, "Odo promised rope.", 2),
        row(ThreadTab::Debt, "Odo owes a crown.", 3),
        row(ThreadTab::Untold, "Odo is afraid.", 4),
    ];
    let model = ThreadsModel { rows, more: 0, clock: Some("3 Rainmoon 412".into()) };
    let hand = Hand { model, view: ThreadsView::default(), actions: Vec::new(), screen_safe: false };
    let party = [EntityId::new("wren").unwrap()];
    let mut drawn = drawn(hand, move |ui, look, hand: &mut Hand| {
        let look = Look { screen_safe: hand.screen_safe, ..look.clone() };
        let actions = threads_ui(ui, &look, &hand.model, &party, &mut hand.view);
        hand.actions.extend(actions);
    });
    drawn.run_steps(2);
    drawn
}

fn press(harness: &mut Harness<'static, Hand>, key: Key) {
    harness.key_press(key);
    harness.run_steps(2);
}

fn desk_commands(harness: &Harness<'static, Hand>) -> Vec<String> {
    let desk_command = |action: &ThreadsAction| match action {
        ThreadsAction::Do(desk_command) => Some(desk_command.what().into_owned()),
        _ => None,
    };
    harness.state().actions.iter().filter_map(desk_command).collect()
}

#[test]
fn keys_go_through_the_threads_and_settle_them() {
    let mut harness = hand();
    press(&mut harness, Key::D);
    press(&mut harness, Key::J);
    press(&mut harness, Key::D);
    press(&mut harness, Key::J);
    press(&mut harness, Key::J);
    press(&mut harness, Key::J);
    assert_eq!(harness.state().view.at, 3, "it stops at the last");
    press(&mut harness, Key::T);
    press(&mut harness, Key::K);
    press(&mut harness, Key::Enter);
    assert_eq!(desk_commands(&harness), ["edit", "retract", "record an event"]);
    assert!(matches!(harness.state().actions.last(), Some(ThreadsAction::ShowFact(id)) if *id == fact(3)));
    press(&mut harness, Key::Slash);
    assert!(harness.get_by_label("Filter threads").is_focused());
}

#[test]
fn buttons_filter_and_show() {
    let mut harness = hand();
    harness.get_by_label("Debts").click();
    harness.run_steps(2);
    assert!(!shows(&harness, "promised rope"));
    harness.get_by_label("Settled").click();
    harness.get_by_label("Odo").click();
    harness.run_steps(2);
    assert_eq!(desk_commands(&harness), ["retract"]);
    assert!(
        harness.state().actions.iter().any(|action| matches!(action, ThreadsAction::Show(id) if id.as_str() == "odo"))
    );
    harness.get_by_label("Debts").click();
    harness.run_steps(2);
    harness.get_by_label("Filter threads").focus();
    harness.run_steps(1);
    harness.get_by_label("Filter threads").type_text("nothing of the kind");
    harness.run_steps(2);
    harness.get_by_label("Show all").click();
    harness.run_steps(2);
    assert!(shows(&harness, "promised rope"));
}

#[test]
fn while_players_look_no_secret_is_there() {
    let mut harness = hand();
    assert!(shows(&harness, "afraid"));
    harness.state_mut().screen_safe = true;
    harness.run_steps(2);
    assert!(!shows(&harness, "afraid"));
    assert!(
        harness.query_by_label("Untold secrets").is_none() && harness.query_by_label("Reveal to the table").is_none()
    );
    assert!(shows(&harness, "promised rope"));
}

#[test]
fn the_example_campaign_has_threads_and_they_are_settled() {
    let memory = gullhaven();
    let promise = |subject: &str, object: &str| Edit::Relate {
        subject: subject.into(),
        predicate: "PROMISED".into(),
        object: object.into(),
        options: FactOptions { statement: Some("Wren promised Mirela the ledger.".into()), ..FactOptions::default() },
    };
    memory.edit(promise("wren-oake", "mirela-voss")).unwrap().wait().unwrap();
    memory.session(Author::Dm, SessionStep::Start(NewSession::default())).unwrap().wait().unwrap();
    let mut bench = bench(ThreadsPanel::default(), memory);
    wait_for(&mut bench, "Quests");
    let model = bench.state().panel.read.model().unwrap().0.clone();
    let count = |tab| model.rows.iter().filter(|row| row.tab == tab).count();
    for tab in ThreadTab::ALL {
        assert!(count(tab) > 0, "{}", tab.name());
    }
    let quest = model.rows.iter().find(|row| row.what.text == "Who killed the clerk?").unwrap();
    assert!(quest.details.iter().any(|detail| detail.starts_with("reward: fifty crowns")), "{:?}", quest.details);
    let told = model.rows.iter().find(|row| row.tab == ThreadTab::Told && row.what.text.contains("Cobb")).unwrap();
    assert!(!told.told.is_empty() && told.told.iter().any(|told| told.session.is_some()), "{told:?}");
    assert!(model.rows.iter().all(|row| row.tab != ThreadTab::Debt || !row.what.text.contains("owed Aldous")));
    // A kept promise is no longer a thread.
    bench.state_mut().panel.view.filter = "promised mirela".into();
    bench.get_by_label("Promises").click();
    // The row that is selected at first has the same button, so wait until the filter hides this row.
    crate::testing::wait_until(&mut bench, |bench| !shows(bench, "Who killed the clerk?"));
    bench.run_steps(3);
    bench.get_by_label("Settled").click();
    crate::testing::wait_until(&mut bench, |bench| !bench.state().outcomes.is_empty());
    assert!(bench.state().outcomes[0].done.is_ok(), "{:?}", bench.state().outcomes);
    crate::testing::wait_until(&mut bench, |bench| !shows(bench, "promised Mirela"));
    assert!(
        matches!(bench.state().outcomes[0].desk_command, DeskCommand::Retcon(_))
            && bench.state().outcomes[0].done.is_ok()
    );
}

#[test]
fn a_secret_is_revealed_to_those_at_the_table() {
    let memory = gullhaven();
    memory.session(Author::Dm, SessionStep::Start(NewSession::default())).unwrap().wait().unwrap();
    let mut bench = bench(ThreadsPanel::default(), memory);
    wait_for(&mut bench, "Untold secrets");
    bench.get_by_label("Untold secrets").click();
    wait_for(&mut bench, "Reveal to the table");
    bench.get_by_label("Reveal to the table").click();
    crate::testing::settle(&mut bench);
    let outcome = bench.state().outcomes.first().expect("it was done");
    let done = outcome.done.as_ref().unwrap();
    assert!(done.summary.contains("reveal") || done.summary.contains("see"), "{}", done.summary);
}
