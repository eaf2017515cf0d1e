use egui::Key;
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_commands::{edit::Edit, retcon::Retcon};
use hearsay_model::{FactStatus, Kind};

use super::*;
use crate::{
    names::NamedEntity,
    panel::DeskCommand,
    panels::fact::{FactModel, KnowerLine, PartyKnowledge, SourceLine},
    testing::{PanelHarness, draw_harness, fact_id_from_text, gullhaven, gullhaven_state, open_panel, step_until},
    text::LinkedText,
};

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn named_entity(text: &str, name: &str) -> NamedEntity {
    NamedEntity { id: id(text), name: name.into(), kind: Some(Kind::Npc) }
}

fn fact(statement: &str, object: &str, safe: bool) -> FactModel {
    let knower = KnowerLine {
        knower: named_entity("pell", "Pell"),
        acquisition: "witnessed".into(),
        credence: 1.0,
        since: None,
        conceals: !safe,
        group: false,
    };
    let table = PartyKnowledge {
        text: "The party knows it, since session 2".into(),
        session: hearsay_model::SessionId::new("session-2").ok(),
        all: safe,
        known_by: Vec::new(),
    };
    FactModel {
        fact: fact_id_from_text(statement),
        subject: named_entity("odo-brandt", "Odo Brandt"),
        predicate: "occupation".into(),
        object: object.into(),
        object_entity: None,
        statement: LinkedText::plain(statement),
        status: FactStatus::Canon,
        secret: !safe,
        concealed: !safe,
        since: None,
        until: None,
        attitude: None,
        confidence: Some(0.8),
        origin: "imported".into(),
        session: None,
        party_knowledge: safe.then_some(table),
        known_to_everybody: false,
        knowers: vec![knower],
        more_knowers: 0,
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
        exists: true,
        name: "Odo Brandt".into(),
        kind: Some(Kind::Npc),
        clock: Some("6 Rainmoon 412".into()),
        sections: vec![FactSection {
            title: "Attributes".into(),
            facts: vec![fact("Odo is a sergeant.", "sergeant", true), fact("Odo owes the club.", "the club", false)],
            more: 0,
        }],
        knows: vec![KnowsLine {
            fact: fact_id_from_text("known"),
            statement: "The clerk was sober.".into(),
            belief_status: "believes it".into(),
            credence: 1.0,
            acquisition: "witnessed".into(),
            conceals: true,
            secret: true,
            known_to_party: false,
        }],
        knows_total: 1,
        secrets: vec![SecretLine {
            fact: fact_id_from_text("secret"),
            statement: "He was at the quay.".into(),
            is_holder: true,
            tellings: Vec::new(),
            known_by: vec![named_entity("pell", "Pell")],
            known_to_party: false,
            conditions: Vec::new(),
        }],
        ..EntityModel::default()
    }
}

struct DrawnPage {
    model: EntityModel,
    view: EntityView,
    actions: Vec<EntityAction>,
}

impl DrawnPage {
    fn last_request(&self) -> Option<&Request> {
        self.actions.iter().rev().find_map(|action| match action {
            EntityAction::Request(request) => Some(request),
            _ => None,
        })
    }
}

fn page_harness(model: EntityModel) -> Harness<'static, DrawnPage> {
    page_harness_on_screen(model, false)
}

fn page_harness_on_screen(model: EntityModel, screen_safe: bool) -> Harness<'static, DrawnPage> {
    let state = DrawnPage { model, view: EntityView::default(), actions: Vec::new() };
    draw_harness(state, move |ui, display, state| {
        let navigation = PageNavigation { has_previous: true, has_next: false };
        let display = DisplayContext { screen_safe, ..display.clone() };
        state.actions.extend(entity_ui(ui, &display, &state.model, &mut state.view, navigation));
    })
}

#[test]
fn every_fact_says_who_knows_it_and_where_it_is_written() {
    let mut harness = page_harness(model());
    harness.get_by_label_contains("The party knows it, since session 2").click();
    harness.step();
    assert!(matches!(harness.state().last_request(), Some(Request::Session(_))));
    harness.get_by_label_contains("The party does not know it");
    harness.get_by_label("Sources: Odo is a sergeant.").click();
    harness.step();
    harness.step();
    harness.get_by_label("people.yaml, line 3");
    harness.get_by_label("Who knows it?").click();
    harness.step();
    assert!(matches!(harness.state().last_request(), Some(Request::Search(text)) if text.starts_with("who knows ")));
    harness.get_by_label("Hide sources: Odo is a sergeant.").click();
    harness.step();
    harness.step();
    assert!(harness.query_by_label("people.yaml, line 3").is_none());
    harness.get_all_by_label("Pell").next().unwrap().click();
    harness.step();
    assert!(matches!(harness.state().last_request(), Some(Request::ShowEntity(who)) if *who == id("pell")));
}

fn edit_object(harness: &mut Harness<'static, DrawnPage>, value: &str) {
    harness.step();
    harness.get_by_label("Edit: Odo is a sergeant.").click();
    harness.step();
    harness.step();
    harness.state_mut().view.facts.edit.as_mut().unwrap().object = value.into();
    harness.step();
}

#[test]
fn facts_are_edited_in_place() {
    let mut harness = page_harness(model());
    edit_object(&mut harness, "captain");
    harness.get_by_label("Correct").click();
    harness.step();
    let is_correction = matches!(harness.state().last_request(), Some(Request::Execute(DeskCommand::Edit(Edit::Correct { object: Some(object), statement: None, .. }))) if object.text() == Some("captain"));
    assert!(is_correction, "{:?}", harness.state().last_request());
    edit_object(&mut harness, "captain");
    harness.get_by_label("From now on").click();
    harness.step();
    assert!(
        matches!(harness.state().last_request(), Some(Request::Execute(DeskCommand::Edit(Edit::Set { value, .. }))) if value == "captain")
    );
    edit_object(&mut harness, "sergeant");
    harness.get_by_label("No longer").click();
    harness.step();
    assert!(
        matches!(harness.state().last_request(), Some(Request::Execute(DeskCommand::Retcon(Retcon::Until { until, .. }))) if until == "6 Rainmoon 412")
    );
    edit_object(&mut harness, "sergeant");
    harness.get_by_label("Never true").click();
    harness.step();
    assert!(matches!(
        harness.state().last_request(),
        Some(Request::Execute(DeskCommand::Retcon(Retcon::Retract { .. })))
    ));
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
    let mut harness = page_harness(model());
    harness.key_press(Key::A);
    harness.step();
    harness.step();
    let new_fact =
        NewFactDraft { predicate: "eye colour".into(), value: "grey".into(), secret: true, ..NewFactDraft::default() };
    harness.state_mut().view.new_fact = Some(new_fact);
    harness.step();
    harness.get_by_label("Add").click();
    harness.step();
    match harness.state().last_request() {
        Some(Request::Execute(DeskCommand::Edit(Edit::Set { attribute, value, options, .. }))) => {
            assert_eq!((attribute.as_str(), value.as_str(), options.secret), ("eye_colour", "grey", true));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(harness.state().view.new_fact, None);
    let object_entity = Some(id("captain-rusk"));
    let new_fact = NewFactDraft {
        predicate: "owes".into(),
        value: "Captain Rusk".into(),
        object_entity,
        ..NewFactDraft::default()
    };
    harness.state_mut().view.new_fact = Some(new_fact);
    harness.step();
    harness.get_by_label("Add").click();
    harness.step();
    assert!(
        matches!(harness.state().last_request(), Some(Request::Execute(DeskCommand::Edit(Edit::Relate { object, .. }))) if *object == id("captain-rusk"))
    );
}

#[test]
fn tabs_ways_and_the_graph() {
    let mut harness = page_harness(model());
    harness.get_by_label("Knows").click();
    harness.step();
    harness.step();
    harness.get_by_label("The clerk was sober.").click();
    harness.step();
    assert!(matches!(harness.state().last_request(), Some(Request::ShowFact(_))));
    harness.get_by_label("Secrets").click();
    harness.step();
    harness.step();
    harness.get_by_label("He was at the quay.");
    harness.get_by_label("untold");
    for (tab, empty_text) in [("Timeline", "No dated facts"), ("Words", "No passages yet")] {
        harness.get_by_label(tab).click();
        harness.step();
        harness.step();
        harness.get_by_label(empty_text);
    }
    harness.get_by_label("Graph").click();
    harness.step();
    assert!(matches!(harness.state().last_request(), Some(Request::Graph(_))));
    harness.get_by_label("Scene").click();
    harness.step();
    assert!(matches!(harness.state().last_request(), Some(Request::Scene { speaker: Some(_), .. })));
    harness.get_by_label("Back").click();
    harness.step();
    assert!(harness.state().actions.iter().any(|action| matches!(action, EntityAction::Back)));
}

#[test]
fn feelings_are_shown_to_the_dm_only() {
    let feelings = vec![FeelingsLine {
        towards: named_entity("silas-grout", "Silas Grout"),
        words: "dislikes and is afraid of".into(),
        causes: vec!["Odo fears Silas Grout.".into()],
    }];
    let with_feelings = EntityModel { feelings, ..model() };
    let mut harness = page_harness(with_feelings.clone());
    harness.get_by_label("Feelings");
    harness.get_by_label("dislikes and is afraid of");
    harness.get_by_label("Silas Grout").click();
    harness.step();
    assert!(matches!(harness.state().last_request(), Some(Request::ShowEntity(who)) if *who == id("silas-grout")));
    assert!(page_harness_on_screen(with_feelings, true).query_by_label("Feelings").is_none());
    assert!(page_harness(model()).query_by_label("Feelings").is_none(), "no feelings, no row");
}

#[test]
fn empty_states_say_what_to_do() {
    let mut harness = page_harness(EntityModel::default());
    harness.get_by_label("Search…").click();
    harness.step();
    assert!(matches!(harness.state().last_request(), Some(Request::Search(_))));
    let missing_page = EntityModel { id: Some(id("odo-brandt")), ..EntityModel::default() };
    page_harness(missing_page).get_by_label("`odo-brandt` does not exist");
}

fn open(harness: &mut PanelHarness<EntityPanel>, entity_id: &str) {
    harness.state_mut().panel.handle_request(&Request::ShowEntity(id(entity_id)));
    let entity_id = id(entity_id);
    step_until(harness, "the page", move |host| {
        host.panel.model().id.as_ref() == Some(&entity_id) && host.panel.pending_page.is_none()
    });
}

#[test]
fn a_page_of_the_campaign() {
    let world = gullhaven();
    let request = EntityRequest { id: id("odo-brandt") };
    let page = world.read(move |world| EntityModel::load(world, &request)).unwrap().wait().unwrap();
    assert_eq!((page.name.as_str(), page.exists), ("Odo Brandt", true));
    assert!(page.last_seen.as_ref().unwrap().text.contains("Session 4"), "{:?}", page.last_seen);
    assert!(page.unsettled.iter().any(|thread| thread.text.contains("owes the Lantern Club")));
    let feelings = page.feelings.iter().find(|line| line.towards.name == "Lucan Fairweather").unwrap();
    assert_eq!(feelings.words, "strongly dislikes and is afraid of");
    assert_eq!(feelings.causes, ["Odo Brandt is afraid of Lucan Fairweather."]);
    let titles: Vec<&str> = page.sections.iter().map(|section| section.title.as_str()).collect();
    assert_eq!(titles[..3], ["Description", "Attributes", "Relations"]);
    let debt = page.facts().find(|fact| fact.statement.text.contains("owes the Lantern Club")).unwrap();
    assert!(debt.secret && !debt.sources.is_empty());
    assert!(debt.knowers.iter().any(|line| line.knower.name == "Odo Brandt" && line.conceals));
    let quay_fact = page.facts().find(|fact| fact.statement.text.contains("a quarter past ten")).unwrap();
    let party_knowledge = quay_fact.party_knowledge.as_ref().unwrap();
    assert!(party_knowledge.text.contains("since session") && party_knowledge.session.is_some(), "{party_knowledge:?}");
    assert!(page.secrets.iter().any(|secret| secret.is_holder && !secret.known_by.is_empty()));
    assert!(page.knows_total > 10 && page.timeline.len() > 5 && page.passages.iter().any(|passage| passage.is_speaker));
    assert!(page.timeline.windows(2).all(|pair| pair[0].time <= pair[1].time));
}

#[test]
fn pages_are_walked_and_edited() {
    let mut harness = open_panel(EntityPanel::default(), gullhaven());
    open(&mut harness, "odo-brandt");
    open(&mut harness, "mirela-voss");
    harness.get_by_label("Back").click();
    step_until(&mut harness, "the page before", |host| host.panel.model().name == "Odo Brandt");
    harness.get_by_label("Forward").click();
    step_until(&mut harness, "the page after", |host| host.panel.model().name == "Mirela Voss");
    // A requested fact is shown open on the page of its subject.
    let fact = hearsay_query::resolve::find_fact(&gullhaven_state(), "odo-at-the-quay").unwrap().id();
    assert!(harness.state_mut().panel.handle_request(&Request::ShowFact(fact)));
    step_until(&mut harness, "the fact", |host| {
        host.panel.model().name == "Odo Brandt" && host.panel.state.pending_fact.is_none()
    });
    assert!(harness.state().panel.state.view.facts.expanded.contains(&fact));
    for _ in 0..8 {
        harness.step();
    }
    let words = "a quarter past ten on the night";
    assert!(harness.query_all_by_label_contains(words).count() > 0, "{:?}", harness.root());
    // An edit in progress is kept when the DM console closes.
    let model = harness.state().panel.model().fact(fact).unwrap().clone();
    let mut edit = crate::panels::fact::FactEdit::new(&model);
    edit.statement = "Odo Brandt was never there.".into();
    harness.state_mut().panel.state.view.facts.edit = Some(edit);
    let saved = harness.state().panel.save().unwrap();
    let mut restored_panel = EntityPanel::default();
    restored_panel.restore(saved);
    assert_eq!(restored_panel.state.view.facts.edit.as_ref().unwrap().statement, "Odo Brandt was never there.");
    harness.step();
    harness.step();
    harness.get_by_label("Correct").click();
    step_until(&mut harness, "the correction", |host| {
        host.panel.model().facts().any(|fact| fact.statement.text == "Odo Brandt was never there.")
    });
    assert!(harness.state().outcomes.iter().all(|outcome| outcome.result.is_ok()), "{:?}", harness.state().outcomes);
    // Undoing the creation of an entity leaves an empty page with a message.
    harness.state_mut().panel.handle_request(&Request::ShowEntity(id("nobody-at-all")));
    step_until(&mut harness, "the empty page", |host| host.panel.model().id == Some(id("nobody-at-all")));
    harness.get_by_label("`nobody-at-all` does not exist");
    harness.state_mut().panel.handle_request(&Request::ShowFact(fact_id_from_text("nothing")));
    step_until(
        &mut harness,
        "the note",
        |host| matches!(host.requests.last(), Some(Request::ShowMessage(message)) if message.is_error),
    );
}

#[test]
fn a_long_page_is_compact_and_its_groups_close() {
    let statements: Vec<String> = (0..20).map(|number| format!("Odo owes the club {number} crowns.")).collect();
    let facts = statements.iter().map(|statement| fact(statement, "the club", true)).collect();
    let section = FactSection { title: "Relations".into(), facts, more: 0 };
    let mut harness = page_harness(EntityModel { sections: vec![section], ..model() });
    let click = |harness: &mut Harness<'static, DrawnPage>, name: &str| {
        harness.get_by_label(name).click();
        harness.run_steps(3);
    };
    click(&mut harness, "Compact");
    let visible = |harness: &Harness<'static, DrawnPage>| {
        statements.iter().filter(|text| harness.query_by_label(text.as_str()).is_some()).count()
    };
    assert!(visible(&harness) >= 15, "{} facts on one screen", visible(&harness));
    assert!(harness.query_by_label_contains("The party knows it").is_none());
    click(&mut harness, "Open: Odo owes the club 3 crowns.");
    harness.get_by_label_contains("The party knows it");
    click(&mut harness, "Close the group Relations");
    assert_eq!(visible(&harness), 0);
    click(&mut harness, "Open the group Relations");
    assert!(visible(&harness) > 0);
}
