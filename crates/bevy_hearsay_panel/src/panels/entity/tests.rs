use egui::Key;
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_commands::{edit::Edit, retcon::Retcon};
use hearsay_model::{FactStatus, Kind};

use super::*;
use crate::{
    names::Named,
    panel::DeskCommand,
    panels::fact::{FactModel, HolderLine, SourceLine, TableLine},
    testing::{Bench, bench, bench_with, drawn, fact_of, gullhaven, gullhaven_state, step_until},
    text::Linked,
};

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn named(text: &str, name: &str) -> Named {
    Named { id: id(text), name: name.into(), kind: Some(Kind::Npc) }
}

fn fact(statement: &str, object: &str, safe: bool) -> FactModel {
    let knower = HolderLine {
        who: named("pell", "Pell"),
        acquisition: "witnessed".into(),
        credence: 1.0,
        since: None,
        conceals: !safe,
        group: false,
    };
    let table = TableLine {
        text: "The party knows it, since session 2".into(),
        session: hearsay_model::SessionId::new("session-2").ok(),
        all: safe,
        known_by: Vec::new(),
    };
    FactModel {
        fact: fact_of(statement),
        subject: named("odo-brandt", "Odo Brandt"),
        predicate: "occupation".into(),
        object: object.into(),
        object_entity: None,
        statement: Linked::plain(statement),
        status: FactStatus::Canon,
        secret: !safe,
        concealed: !safe,
        safe,
        since: None,
        until: None,
        attitude: None,
        confidence: Some(0.8),
        origin: "imported".into(),
        session: None,
        table: safe.then_some(table),
        everybody: false,
        held_by: vec![knower],
        more_holders: 0,
        sources: vec![SourceLine {
            place: "people.yaml, line 3".into(),
            text: Some("He is a sergeant.".into()),
            quote: Some((8, 16)),
        }],
    }
}

fn model() -> EntityModel {
    EntityModel {
        id: Some(id("odo-brandt")),
        found: true,
        name: "Odo Brandt".into(),
        kind: Some(Kind::Npc),
        safe: true,
        clock: Some("6 Rainmoon 412".into()),
        sections: vec![FactSection {
            title: "Attributes".into(),
            facts: vec![fact("Odo is a sergeant.", "sergeant", true), fact("Odo owes the club.", "the club", false)],
            more: 0,
        }],
        knows: vec![KnowsLine {
            fact: fact_of("known"),
            statement: "The clerk was sober.".into(),
            hold: "believes it".into(),
            credence: 1.0,
            acquisition: "witnessed".into(),
            conceals: true,
            secret: true,
            table: false,
            safe: false,
        }],
        knows_all: 1,
        secrets: vec![SecretLine {
            fact: fact_of("secret"),
            statement: "He was at the quay.".into(),
            keeps: true,
            told: Vec::new(),
            known_by: vec![named("pell", "Pell")],
            table: false,
            conditions: Vec::new(),
        }],
        ..EntityModel::default()
    }
}

struct Drawn {
    model: EntityModel,
    view: EntityView,
    actions: Vec<EntityAction>,
}

impl Drawn {
    fn asked(&self) -> Option<&Request> {
        self.actions.iter().rev().find_map(|action| match action {
            EntityAction::Ask(request) => Some(request),
            _ => None,
        })
    }
}

fn shown(model: EntityModel, screen_safe: bool) -> Harness<'static, Drawn> {
    let state = Drawn { model, view: EntityView::default(), actions: Vec::new() };
    drawn(state, move |ui, look, state| {
        let look = Look { screen_safe, ..look.clone() };
        let ways = Ways { back: true, forward: false };
        state.actions.extend(entity_ui(ui, &look, &state.model, &mut state.view, ways));
    })
}

#[test]
fn every_fact_says_who_knows_it_and_where_it_is_written() {
    let mut harness = shown(model(), false);
    harness.get_by_label_contains("The party knows it, since session 2").click();
    harness.step();
    assert!(matches!(harness.state().asked(), Some(Request::Session(_))));
    harness.get_by_label_contains("The party does not know it");
    harness.get_by_label("Sources: Odo is a sergeant.").click();
    harness.step();
    harness.step();
    harness.get_by_label("people.yaml, line 3");
    harness.get_by_label("Who knows it?").click();
    harness.step();
    assert!(matches!(harness.state().asked(), Some(Request::Search(text)) if text.starts_with("who knows ")));
    harness.get_by_label("Hide sources: Odo is a sergeant.").click();
    harness.step();
    harness.step();
    assert!(harness.query_by_label("people.yaml, line 3").is_none());
    harness.get_all_by_label("Pell").next().unwrap().click();
    harness.step();
    assert!(matches!(harness.state().asked(), Some(Request::Show(who)) if *who == id("pell")));
}

fn edit_object(harness: &mut Harness<'static, Drawn>, value: &str) {
    harness.step();
    harness.get_by_label("Edit: Odo is a sergeant.").click();
    harness.step();
    harness.step();
    harness.state_mut().view.facts.edit.as_mut().unwrap().object = value.into();
    harness.step();
}

#[test]
fn facts_are_edited_in_place() {
    let mut harness = shown(model(), false);
    edit_object(&mut harness, "captain");
    harness.get_by_label("Correct").click();
    harness.step();
    let wrong = matches!(harness.state().asked(), Some(Request::Do(DeskCommand::Edit(Edit::Correct { object: Some(object), statement: None, .. }))) if object == "captain");
    assert!(wrong, "{:?}", harness.state().asked());
    edit_object(&mut harness, "captain");
    harness.get_by_label("From now on").click();
    harness.step();
    assert!(
        matches!(harness.state().asked(), Some(Request::Do(DeskCommand::Edit(Edit::Set { value, .. }))) if value == "captain")
    );
    edit_object(&mut harness, "sergeant");
    harness.get_by_label("No longer").click();
    harness.step();
    assert!(
        matches!(harness.state().asked(), Some(Request::Do(DeskCommand::Retcon(Retcon::Until { until, .. }))) if until == "6 Rainmoon 412")
    );
    edit_object(&mut harness, "sergeant");
    harness.get_by_label("Never true").click();
    harness.step();
    assert!(matches!(harness.state().asked(), Some(Request::Do(DeskCommand::Retcon(Retcon::NeverSo { .. })))));
    edit_object(&mut harness, "x");
    harness.get_by_label("Cancel").click();
    harness.step();
    assert_eq!(harness.state().view.facts.edit, None);
    edit_object(&mut harness, "x");
    harness.key_press(Key::Escape);
    harness.step();
    assert_eq!(harness.state().view.facts.edit, None);
}

#[test]
fn something_is_added() {
    let mut harness = shown(model(), false);
    harness.key_press(Key::A);
    harness.step();
    harness.step();
    let adding = Adding { what: "eye colour".into(), value: "grey".into(), secret: true, ..Adding::default() };
    harness.state_mut().view.adding = Some(adding);
    harness.step();
    harness.get_by_label("Add").click();
    harness.step();
    match harness.state().asked() {
        Some(Request::Do(DeskCommand::Edit(Edit::Set { attribute, value, options, .. }))) => {
            assert_eq!((attribute.as_str(), value.as_str(), options.secret), ("eye_colour", "grey", true));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(harness.state().view.adding, None);
    let who = Some(id("captain-rusk"));
    let adding = Adding { what: "owes".into(), value: "Captain Rusk".into(), who, ..Adding::default() };
    harness.state_mut().view.adding = Some(adding);
    harness.step();
    harness.get_by_label("Add").click();
    harness.step();
    assert!(
        matches!(harness.state().asked(), Some(Request::Do(DeskCommand::Edit(Edit::Relate { object, .. }))) if object == "captain-rusk")
    );
}

#[test]
fn tabs_ways_and_the_graph() {
    let mut harness = shown(model(), false);
    harness.get_by_label("Knows").click();
    harness.step();
    harness.step();
    harness.get_by_label("The clerk was sober.").click();
    harness.step();
    assert!(matches!(harness.state().asked(), Some(Request::ShowFact(_))));
    harness.get_by_label("Secrets").click();
    harness.step();
    harness.step();
    harness.get_by_label("He was at the quay.");
    harness.get_by_label("untold");
    for (tab, empty) in [("Timeline", "No dated facts"), ("Words", "No passages yet")] {
        harness.get_by_label(tab).click();
        harness.step();
        harness.step();
        harness.get_by_label(empty);
    }
    harness.get_by_label("Graph").click();
    harness.step();
    assert!(matches!(harness.state().asked(), Some(Request::Graph(_))));
    harness.get_by_label("Scene").click();
    harness.step();
    assert!(matches!(harness.state().asked(), Some(Request::Scene { speaker: Some(_), .. })));
    harness.get_by_label("Back").click();
    harness.step();
    assert!(harness.state().actions.iter().any(|action| matches!(action, EntityAction::Back)));
}

#[test]
fn nothing_secret_is_drawn_while_players_look() {
    let mut harness = shown(model(), true);
    harness.get_by_label_contains("Odo is a sergeant");
    assert!(harness.query_by_label_contains("owes the club").is_none());
    harness.get_by_label("1 hidden in screen-safe mode");
    for (tab, hidden) in [("Knows", "sober"), ("Secrets", "at the quay")] {
        harness.get_by_label(tab).click();
        harness.step();
        harness.step();
        assert!(harness.query_by_label_contains(hidden).is_none());
    }
    let unknown = EntityModel { safe: false, ..model() };
    let harness = shown(unknown, true);
    assert!(harness.query_by_label_contains("Odo").is_none());
    harness.get_by_label("Hidden in screen-safe mode");
}

#[test]
fn empty_states_say_what_to_do() {
    let mut harness = shown(EntityModel::default(), false);
    harness.get_by_label("Search…").click();
    harness.step();
    assert!(matches!(harness.state().asked(), Some(Request::Search(_))));
    let gone = EntityModel { id: Some(id("odo-brandt")), ..EntityModel::default() };
    shown(gone, false).get_by_label("`odo-brandt` does not exist");
}

fn open(bench: &mut Bench<EntityPanel>, who: &str) {
    bench.state_mut().panel.show(&Request::Show(id(who)));
    let who = id(who);
    step_until(bench, "the page", move |stage| {
        stage.panel.model().id.as_ref() == Some(&who) && stage.panel.reading.is_none()
    });
}

#[test]
fn a_page_of_the_campaign() {
    let world = gullhaven();
    let request = EntityRequest { id: id("odo-brandt") };
    let page = world.read(move |world| EntityModel::load(world, &request)).unwrap().wait().unwrap();
    assert_eq!((page.name.as_str(), page.found), ("Odo Brandt", true));
    assert!(page.last_seen.as_ref().unwrap().text.contains("Session 4"), "{:?}", page.last_seen);
    assert!(page.unsettled.iter().any(|thread| thread.text.contains("owes the Lantern Club")));
    let titles: Vec<&str> = page.sections.iter().map(|section| section.title.as_str()).collect();
    assert_eq!(titles[..3], ["Description", "Attributes", "Relations"]);
    let owes = page.facts().find(|fact| fact.statement.text.contains("owes the Lantern Club")).unwrap();
    assert!(owes.secret && !owes.safe && !owes.sources.is_empty());
    assert!(owes.held_by.iter().any(|holder| holder.who.name == "Odo Brandt" && holder.conceals));
    let quay = page.facts().find(|fact| fact.statement.text.contains("a quarter past ten")).unwrap();
    let table = quay.table.as_ref().unwrap();
    assert!(table.text.contains("since session") && table.session.is_some(), "{table:?}");
    assert!(page.secrets.iter().any(|secret| secret.keeps && !secret.known_by.is_empty()));
    assert!(page.knows_all > 10 && page.timeline.len() > 5 && page.passages.iter().any(|passage| passage.own));
    assert!(page.timeline.windows(2).all(|pair| pair[0].time <= pair[1].time));
    // Every item that players may see is known to all player characters and is not secret.
    for entity in gullhaven_state().entities() {
        let request = EntityRequest { id: entity.id.clone() };
        let page = world.read(move |world| EntityModel::load(world, &request)).unwrap().wait().unwrap();
        for fact in page.facts().filter(|fact| fact.safe) {
            assert!(!fact.secret && !fact.concealed && fact.table.as_ref().is_some_and(|table| table.all), "{fact:?}");
        }
    }
}

#[test]
fn pages_are_walked_and_edited() {
    let mut bench = bench(EntityPanel::default(), gullhaven());
    open(&mut bench, "odo-brandt");
    open(&mut bench, "mirela-voss");
    bench.get_by_label("Back").click();
    step_until(&mut bench, "the page before", |stage| stage.panel.model().name == "Odo Brandt");
    bench.get_by_label("Forward").click();
    step_until(&mut bench, "the page after", |stage| stage.panel.model().name == "Mirela Voss");
    // A requested fact is shown open on the page of its subject.
    let fact = hearsay_query::resolve::find_fact(&gullhaven_state(), "odo-at-the-quay").unwrap().id();
    assert!(bench.state_mut().panel.show(&Request::ShowFact(fact)));
    step_until(&mut bench, "the fact", |stage| {
        stage.panel.model().name == "Odo Brandt" && stage.panel.kept.fact.is_none()
    });
    assert!(bench.state().panel.kept.view.facts.open.contains(&fact));
    for _ in 0..8 {
        bench.step();
    }
    let words = "a quarter past ten on the night";
    assert!(bench.query_all_by_label_contains(words).count() > 0, "{:?}", bench.root());
    // An edit in progress survives closing the desk.
    let model = bench.state().panel.model().fact(fact).unwrap().clone();
    let mut edit = crate::panels::fact::FactEdit::new(&model);
    edit.statement = "Odo Brandt was never there.".into();
    bench.state_mut().panel.kept.view.facts.edit = Some(edit);
    let kept = bench.state().panel.save().unwrap();
    let mut again = EntityPanel::default();
    again.restore(kept);
    assert_eq!(again.kept.view.facts.edit.as_ref().unwrap().statement, "Odo Brandt was never there.");
    bench.step();
    bench.step();
    bench.get_by_label("Correct").click();
    step_until(&mut bench, "the correction", |stage| {
        stage.panel.model().facts().any(|fact| fact.statement.text == "Odo Brandt was never there.")
    });
    assert!(bench.state().outcomes.iter().all(|outcome| outcome.done.is_ok()), "{:?}", bench.state().outcomes);
    // Undoing the creation of an entity leaves an empty page with a message.
    bench.state_mut().panel.show(&Request::Show(id("nobody-at-all")));
    step_until(&mut bench, "the empty page", |stage| stage.panel.model().id == Some(id("nobody-at-all")));
    bench.get_by_label("`nobody-at-all` does not exist");
    bench.state_mut().panel.show(&Request::ShowFact(fact_of("nothing")));
    step_until(
        &mut bench,
        "the note",
        |stage| matches!(stage.requests.last(), Some(Request::Tell(note)) if note.trouble),
    );
}

#[test]
fn no_secret_of_the_campaign_is_drawn_while_players_look() {
    let look = Look { screen_safe: true, ..Look::default() };
    let mut bench = bench_with(EntityPanel::default(), gullhaven(), look);
    for who in ["odo-brandt", "mirela-voss", "lantern-club", "drowned-chapel", "wren-oake"] {
        open(&mut bench, who);
        for tab in Tab::ALL {
            bench.state_mut().panel.kept.view.tab = tab;
            bench.state_mut().panel.kept.view.heights.clear();
            bench.step();
            bench.step();
            let page = bench.state().panel.model().clone();
            let facts = page.facts().filter(|fact| !fact.safe).map(|fact| fact.statement.text.clone());
            let others = page.secrets.iter().map(|secret| secret.statement.clone());
            let lines = page.passages.iter().filter(|line| !line.safe).map(|line| line.text.clone());
            for text in facts.chain(others).chain(lines) {
                assert!(bench.query_by_label_contains(&text).is_none(), "{who} {tab:?}: {text}");
            }
        }
    }
}
