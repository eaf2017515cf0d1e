use egui::Key;
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_commands::{
    edit::{Edit, FactOptions},
    session::{NewSession, SessionStep},
};
use hearsay_model::{Author, EntityId, FactId, FactStatus, Kind};

use super::*;
use crate::{
    names::NamedEntity,
    panel::DeskCommand,
    testing::{DrawnPanel, draw_panel, gullhaven, open_panel, press_key, shows_text, wait_for},
    text::LinkedText,
};

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn named_entity(name: &str, kind: Kind) -> NamedEntity {
    NamedEntity { id: EntityId::new(hearsay_model::slug(name)).unwrap(), name: name.into(), kind: Some(kind) }
}

fn fact(n: u8) -> FactId {
    format!("{n:032x}").parse().unwrap()
}

fn row(category: ThreadCategory, description: &str, n: u8) -> ThreadRow {
    ThreadRow {
        category,
        description: LinkedText::plain(description),
        fact: Some(fact(n)),
        quest: None,
        entities: vec![named_entity("Odo", Kind::Npc)],
        since: None,
        session: None,
        details: Vec::new(),
        tellings: Vec::new(),
        status: FactStatus::Canon,
        secret: matches!(category, ThreadCategory::Untold | ThreadCategory::Told),
        search_text: description.to_lowercase(),
    }
}

type ThreadsHarness = Harness<'static, DrawnPanel<ThreadsModel, ThreadsView, ThreadsAction>>;

fn threads_harness() -> ThreadsHarness {
    let rows = vec![
        ThreadRow { quest: Some(named_entity("The Hunt", Kind::Quest)), ..row(ThreadCategory::Quest, "The Hunt", 1) },
        row(ThreadCategory::Promise, "Odo promised rope.", 2),
        row(ThreadCategory::Debt, "Odo owes a crown.", 3),
        row(ThreadCategory::Untold, "Odo is afraid.", 4),
    ];
    let model = ThreadsModel { rows, more: 0, clock: Some("3 Rainmoon 412".into()) };
    let party = [EntityId::new("wren").unwrap()];
    draw_panel(model, ThreadsView::default(), move |ui, display, model, view| {
        threads_ui(ui, display, model, &party, view)
    })
}

fn desk_commands(harness: &ThreadsHarness) -> Vec<String> {
    let desk_command = |action: &ThreadsAction| match action {
        ThreadsAction::Execute(desk_command) => Some(desk_command.description().into_owned()),
        _ => None,
    };
    harness.state().actions.iter().filter_map(desk_command).collect()
}

#[test]
fn keys_go_through_the_threads_and_settle_them() {
    let mut harness = threads_harness();
    press_key(&mut harness, Key::D);
    press_key(&mut harness, Key::J);
    press_key(&mut harness, Key::D);
    press_key(&mut harness, Key::J);
    press_key(&mut harness, Key::J);
    press_key(&mut harness, Key::J);
    assert_eq!(harness.state().view.selected, 3, "it stops at the last");
    press_key(&mut harness, Key::T);
    press_key(&mut harness, Key::K);
    press_key(&mut harness, Key::Enter);
    assert_eq!(desk_commands(&harness), ["edit", "retract", "record an event"]);
    assert!(matches!(harness.state().actions.last(), Some(ThreadsAction::ShowFact(id)) if *id == fact(3)));
    press_key(&mut harness, Key::Slash);
    assert!(harness.get_by_label("Filter threads").is_focused());
}

#[test]
fn buttons_filter_and_show() {
    let mut harness = threads_harness();
    harness.get_by_label("Debts").click();
    harness.run_steps(2);
    assert!(!shows_text(&harness, "promised rope"));
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
    assert!(shows_text(&harness, "promised rope"));
}

#[test]
fn the_example_campaign_has_threads_and_they_are_settled() {
    let memory = gullhaven();
    let promise = |subject: &str, object: &str| Edit::Relate {
        subject: id(subject),
        predicate: "PROMISED".into(),
        object: id(object),
        options: FactOptions { statement: Some("Wren promised Mirela the ledger.".into()), ..FactOptions::default() },
    };
    memory.edit(promise("wren-oake", "mirela-voss")).unwrap().wait().unwrap();
    memory.session(Author::Dm, SessionStep::Start(NewSession::default())).unwrap().wait().unwrap();
    let mut harness = open_panel(ThreadsPanel::default(), memory);
    wait_for(&mut harness, "Quests");
    let model = harness.state().panel.loaded.model().unwrap().0.clone();
    let count = |category| model.rows.iter().filter(|row| row.category == category).count();
    for category in ThreadCategory::ALL {
        assert!(count(category) > 0, "{}", category.name());
    }
    let quest = model.rows.iter().find(|row| row.description.text == "Who killed the clerk?").unwrap();
    assert!(quest.details.iter().any(|detail| detail.starts_with("reward: fifty crowns")), "{:?}", quest.details);
    let told_secret = model
        .rows
        .iter()
        .find(|row| row.category == ThreadCategory::Told && row.description.text.contains("Cobb"))
        .unwrap();
    assert!(
        !told_secret.tellings.is_empty() && told_secret.tellings.iter().any(|telling| telling.session.is_some()),
        "{told_secret:?}"
    );
    assert!(
        model
            .rows
            .iter()
            .all(|row| row.category != ThreadCategory::Debt || !row.description.text.contains("owed Aldous"))
    );
    // A kept promise is no longer a thread.
    harness.state_mut().panel.view.filter = "promised mirela".into();
    harness.get_by_label("Promises").click();
    // The row that is selected at first has the same button, so wait until the filter hides this row.
    crate::testing::wait_until(&mut harness, |harness| !shows_text(harness, "Who killed the clerk?"));
    harness.run_steps(3);
    harness.get_by_label("Settled").click();
    crate::testing::wait_until(&mut harness, |harness| !harness.state().outcomes.is_empty());
    assert!(harness.state().outcomes[0].result.is_ok(), "{:?}", harness.state().outcomes);
    crate::testing::wait_until(&mut harness, |harness| !shows_text(harness, "promised Mirela"));
    assert!(
        matches!(harness.state().outcomes[0].desk_command, DeskCommand::Retcon(_))
            && harness.state().outcomes[0].result.is_ok()
    );
}

#[test]
fn a_secret_is_revealed_to_those_at_the_table() {
    let memory = gullhaven();
    memory.session(Author::Dm, SessionStep::Start(NewSession::default())).unwrap().wait().unwrap();
    let mut harness = open_panel(ThreadsPanel::default(), memory);
    wait_for(&mut harness, "Untold secrets");
    harness.get_by_label("Untold secrets").click();
    wait_for(&mut harness, "Reveal to the table");
    harness.get_by_label("Reveal to the table").click();
    crate::testing::settle(&mut harness);
    let outcome = harness.state().outcomes.first().expect("it was done");
    let report = outcome.result.as_ref().unwrap();
    assert!(report.summary.contains("reveal") || report.summary.contains("see"), "{}", report.summary);
}
