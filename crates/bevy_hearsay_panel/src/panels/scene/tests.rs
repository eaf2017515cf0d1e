use egui::{Event, Key};
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_model::FactStatus;
use hearsay_recall::{CitedEntity, LineSecrecy};

use super::*;
use crate::{
    names::NamedEntity,
    testing::{PanelHarness, draw_harness, fact_id_from_text, gullhaven, gullhaven_state, open_panel, step_until},
    text::LinkedText,
};

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn named_entity(text: &str, name: &str, kind: Kind) -> NamedEntity {
    NamedEntity { id: id(text), name: name.into(), kind: Some(kind) }
}

fn fact_id() -> FactId {
    fact_id_from_text("a fact")
}

#[derive(Default)]
struct DrawnScene {
    setting: SceneSettingModel,
    answer: AnswerModel,
    knowledge: KnowledgeModel,
    why_not: Option<WhyNotModel>,
    view: SceneView,
    actions: Vec<SceneAction>,
}

fn state() -> DrawnScene {
    let odo = named_entity("odo-brandt", "Odo Brandt", Kind::Npc);
    let wren = named_entity("wren-oake", "Wren Oake", Kind::Player);
    let line = |character: &NamedEntity, player| PresentLine {
        character: character.clone(),
        player,
        role: None,
        manner: Some("tired".into()),
    };
    let knowledge_of = |character: &NamedEntity, category| CharacterKnowledge {
        character: character.clone(),
        category,
        acquisition: "witnessed".into(),
        assumptions: Vec::new(),
    };
    let answer_line = AnswerLine {
        text: "You were at the quay.".into(),
        note: "you doubt it".into(),
        citation: "witnessed \u{00B7} fact 1234".into(),
        fact: Some(fact_id()),
        secrecy: LineSecrecy::Concealed,
        secret: true,
    };
    let fact = |n: u8| FactKnowledge {
        fact: if n == 0 { fact_id() } else { fact_id_from_text(&n.to_string()) },
        statement: LinkedText::plain(format!("Fact {n}.")),
        status: FactStatus::Canon,
        secret: n == 0,
        party_knowledge: None,
        characters: vec![
            knowledge_of(&wren, KnowledgeCategory::Unaware),
            knowledge_of(&odo, KnowledgeCategory::Conceals),
        ],
    };
    DrawnScene {
        setting: SceneSettingModel {
            place: Some(named_entity("the-gull", "The Gull", Kind::Location)),
            time: Some("6 Rainmoon 412".into()),
            present: vec![line(&wren, true), line(&odo, false)],
            ..SceneSettingModel::default()
        },
        answer: AnswerModel {
            speaker: Some(odo.clone()),
            question: "Where were you?".into(),
            sections: vec![AnswerSection { title: "Relevant to the question".into(), lines: vec![answer_line] }],
            summary: "90 of 800 tokens".into(),
            prompt: "the prompt".into(),
            with_citations: "the citations".into(),
        },
        knowledge: KnowledgeModel { question: "Where were you?".into(), facts: vec![fact(0), fact(1)] },
        ..DrawnScene::default()
    }
}

fn scene_harness(state: DrawnScene, screen_safe: bool) -> Harness<'static, DrawnScene> {
    draw_harness(state, move |ui, display, state| {
        let display = DisplayContext { screen_safe, ..display.clone() };
        let models = SceneModels {
            setting: &state.setting,
            answer: &state.answer,
            knowledge: &state.knowledge,
            why_not: state.why_not.as_ref(),
            answer_pending: false,
        };
        state.actions.extend(scene_ui(ui, &display, models, &mut state.view));
    })
}

fn copied(action: &SceneAction) -> Option<&str> {
    match action {
        SceneAction::Request(Request::Copy(text)) => Some(text),
        _ => None,
    }
}

#[test]
fn a_badge_says_whom_the_speaker_may_tell() {
    let line = state().answer.sections.remove(0).lines.remove(0);
    let badge = |secrecy, secret| AnswerLine { secrecy, secret, ..line.clone() }.badge_text();
    let wren = CitedEntity { id: id("wren-oake"), name: Some("Wren Oake".into()) };
    let unnamed = CitedEntity { id: id("pell"), name: None };
    assert_eq!(badge(LineSecrecy::Concealed, true).as_deref(), Some("\u{1F512} hides it"));
    let told = badge(LineSecrecy::MayTell { to: vec![unnamed, wren] }, true);
    assert_eq!(told.as_deref(), Some("\u{1F512} may tell pell, Wren Oake"));
    assert_eq!(badge(LineSecrecy::Open, true).as_deref(), Some("\u{1F512} secret"));
    assert_eq!(badge(LineSecrecy::Open, false), None);
}

#[test]
fn a_speaker_is_chosen_and_asked() {
    let mut harness = scene_harness(state(), false);
    harness.get_by_label("Ask Odo Brandt").click();
    harness.step();
    assert_eq!(harness.state().view.speaker, Some(id("odo-brandt")));
    harness.key_press(Key::N);
    harness.step();
    assert_eq!(harness.state().view.speaker, Some(id("wren-oake")));
    harness.key_press(Key::Slash);
    harness.step();
    harness.step();
    harness.event(Event::Text("Where?".into()));
    harness.step();
    assert_eq!(harness.state().view.question, "Where?");
    harness.key_press(Key::Enter);
    harness.step();
    assert!(harness.state().actions.iter().any(|action| matches!(action, SceneAction::AskQuestion)));
    harness.step();
    harness.get_by_label("Ask").click();
    harness.step();
    let question_count =
        harness.state().actions.iter().filter(|action| matches!(action, SceneAction::AskQuestion)).count();
    assert_eq!(question_count, 2);
    harness.get_by_label("Remove Wren Oake from the scene").click();
    harness.step();
    assert_eq!(harness.state().view.removed, [id("wren-oake")]);
    harness.state_mut().view.event_text = "The lamp falls.".into();
    harness.step();
    harness.get_by_label("Everyone saw it").click();
    harness.step();
    let is_recorded_event =
        |action: &SceneAction| matches!(action, SceneAction::RecordEvent(text) if text == "The lamp falls.");
    assert!(harness.state().actions.iter().any(is_recorded_event));
}

#[test]
fn an_answer_is_copied_with_one_key_and_shows_its_citations() {
    let mut harness = scene_harness(state(), false);
    harness.step();
    harness.key_press(Key::C);
    harness.step();
    assert_eq!(harness.state().actions.last().and_then(copied), Some("the prompt"));
    harness.key_press_modifiers(egui::Modifiers::SHIFT, Key::C);
    harness.step();
    assert_eq!(harness.state().actions.last().and_then(copied), Some("the citations"));
    harness.get_by_label("Copy").click();
    harness.step();
    assert_eq!(harness.state().actions.last().and_then(copied), Some("the prompt"));
    assert!(harness.query_by_label("witnessed \u{00B7} fact 1234").is_none());
    harness.key_press(Key::R);
    harness.step();
    harness.step();
    harness.get_by_label("witnessed \u{00B7} fact 1234");
    harness.get_by_label("Citations").click();
    harness.step();
    assert!(!harness.state().view.citations);
    harness.get_by_label("You were at the quay.").click();
    harness.step();
    assert!(
        matches!(harness.state().actions.last(), Some(SceneAction::Request(Request::ShowFact(fact))) if *fact == fact_id())
    );
}

#[test]
fn keys_record_witnesses_and_reveals_and_explain_ignorance() {
    let mut harness = scene_harness(state(), false);
    harness.step();
    let last = |harness: &Harness<'static, DrawnScene>| harness.state().actions.last().cloned();
    harness.key_press(Key::W);
    harness.step();
    assert!(matches!(last(&harness), Some(SceneAction::AllSaw(fact)) if fact == fact_id()));
    harness.key_press(Key::V);
    harness.step();
    assert!(matches!(last(&harness), Some(SceneAction::RevealToParty(fact)) if fact == fact_id()));
    harness.key_press(Key::Y);
    harness.step();
    assert!(matches!(last(&harness), Some(SceneAction::WhyNot(Some((character, _)))) if character == id("wren-oake")));
    harness.key_press(Key::J);
    harness.step();
    assert_eq!(harness.state().view.fact, Some(fact_id_from_text("1")));
    harness.key_press(Key::K);
    harness.step();
    assert_eq!(harness.state().view.fact, Some(fact_id()));
    for (button, check) in [
        ("All present saw this", (|action| matches!(action, SceneAction::AllSaw(_))) as fn(&SceneAction) -> bool),
        ("Revealed to the party", |action| matches!(action, SceneAction::RevealToParty(_))),
        ("Why not?", |action| matches!(action, SceneAction::WhyNot(Some(_)))),
    ] {
        harness.get_by_label(button).click();
        harness.step();
        assert!(last(&harness).as_ref().is_some_and(check), "{button}");
    }
    harness.state_mut().why_not = Some(WhyNotModel {
        character: named_entity("wren-oake", "Wren Oake", Kind::Player),
        fact: fact_id(),
        statement: "Fact 0.".into(),
        knows: None,
        reasons: vec!["it was not there".into()],
        sources: Vec::new(),
        conditions: Vec::new(),
    });
    harness.step();
    harness.get_by_label_contains("it was not there");
    harness.get_by_label("Close the reasons").click();
    harness.step();
    assert!(matches!(last(&harness), Some(SceneAction::WhyNot(None))));
    harness.get_all_by_label("Why does Wren Oake not know it?").next().unwrap().click();
    harness.step();
    assert!(matches!(last(&harness), Some(SceneAction::WhyNot(Some(_)))));
    harness.get_by_label("Choose").click();
    harness.step();
    assert_eq!(harness.state().view.fact, Some(fact_id_from_text("1")));
}

#[test]
fn nothing_secret_is_drawn_while_players_look() {
    let mut harness = scene_harness(state(), true);
    harness.step();
    assert!(harness.query_by_label_contains("at the quay").is_none());
    assert!(harness.query_by_label_contains("Fact 0").is_none());
    assert!(harness.query_by_label("tired").is_none());
    let before = harness.state().actions.len();
    for key in [Key::W, Key::V, Key::Y, Key::C] {
        harness.key_press(key);
        harness.step();
    }
    assert_eq!(harness.state().actions.len(), before, "hidden buttons have no keys");
}

#[test]
fn an_empty_scene_says_what_to_do() {
    scene_harness(DrawnScene::default(), false).get_by_label("No characters in the scene");
}

fn move_scene(harness: &mut PanelHarness<ScenePanel>, place: &str, speaker: Option<&str>) {
    let request = Request::Scene { place: Some(id(place)), speaker: speaker.map(id) };
    assert!(harness.state_mut().panel.handle_request(&request));
    let (place, speaker) = (id(place), speaker.map(id));
    step_until(harness, "the stage", move |host| {
        let panel = &host.panel;
        let is_at_place = panel.setting().place.as_ref().is_some_and(|at| at.id == place);
        let is_speaker_present = speaker.as_ref().is_none_or(|character| panel.present().contains(character));
        is_at_place && is_speaker_present && panel.pending_setting.is_none()
    });
}

fn ask(harness: &mut PanelHarness<ScenePanel>, question: &str) {
    harness.state_mut().panel.state.submitted_question = question.into();
    harness.state_mut().panel.state.view.question = question.into();
    let question = question.to_owned();
    step_until(harness, "the answer", move |host| {
        let panel = &host.panel;
        let is_answered = panel.state.view.speaker.is_none() || panel.answer().question == question;
        is_answered && panel.knowledge().question == question && !panel.is_busy()
    });
}

#[test]
fn a_scene_of_the_campaign() {
    let mut harness = open_panel(ScenePanel::default(), gullhaven());
    move_scene(&mut harness, "the-gilded-gull", Some("bettony-lark"));
    let names: Vec<String> =
        harness.state().panel.setting().present.iter().map(|line| line.character.name.clone()).collect();
    assert!(names.contains(&"Bettony Lark".to_owned()) && names.contains(&"Mirela Voss".to_owned()), "{names:?}");
    ask(&mut harness, "When did Odo leave the Gull?");
    let answer = harness.state().panel.answer().clone();
    let lines = answer.sections.iter().flat_map(|section| &section.lines);
    assert!(lines.clone().any(|line| line.text.contains("twenty to ten")), "{answer:?}");
    assert!(lines.clone().all(|line| !line.citation.is_empty()));
    assert!(answer.prompt.starts_with("You are Bettony Lark.") && answer.with_citations.len() > answer.prompt.len());
    let knowledge = harness.state().panel.knowledge().clone();
    let departure = knowledge.facts.iter().find(|fact| fact.statement.text.contains("twenty to ten")).unwrap();
    let knowledge_of =
        |character: &str| departure.characters.iter().find(|line| line.character.id == id(character)).unwrap();
    assert_eq!(knowledge_of("bettony-lark").category, KnowledgeCategory::Knows);
    assert_eq!(knowledge_of("hob-carrow").category, KnowledgeCategory::Unaware);
    // The explanation has reasons and names characters that could tell the fact.
    let fact = departure.fact;
    harness.state_mut().panel.why_not_request = Some((id("hob-carrow"), fact));
    step_until(&mut harness, "the reasons", |host| host.panel.why_not.is_some());
    let why_not = harness.state().panel.why_not.clone().unwrap();
    assert!(
        !why_not.reasons.is_empty() && why_not.sources.iter().any(|source| source.character.name == "Bettony Lark"),
        "{why_not:?}"
    );
    assert!(why_not.reasons.iter().all(|reason| !reason.contains("-lark") && !reason.contains("-voss")));
    // One key records that everyone present saw the fact.
    harness.state_mut().panel.state.view.fact = Some(fact);
    harness.key_press(Key::W);
    step_until(&mut harness, "everybody knows it", move |host| {
        let knowledge = &host.panel.knowledge().facts;
        knowledge.iter().any(|line| {
            line.fact == fact && line.characters.iter().all(|line| line.category != KnowledgeCategory::Unaware)
        })
    });
    // With one key, a knower reveals the fact to the party.
    let count_informed_players = |host: &crate::testing::PanelHost<ScenePanel>| {
        let is_known_to = |character: &&str| {
            let character = id(character);
            let read =
                host.memory.read(move |world| Ok(hearsay_query::who_knows::who_knows(&world.state, fact, None)?));
            read.unwrap().wait().unwrap().characters.iter().any(|row| row.knower == character)
        };
        ["wren-oake", "dorric-stane", "sister-ilva", "kestrel-vane"]
            .iter()
            .filter(|character| is_known_to(character))
            .count()
    };
    harness.key_press(Key::V);
    step_until(&mut harness, "the deed", |host| host.outcomes.len() == 2);
    assert!(harness.state().outcomes.iter().all(|outcome| outcome.result.is_ok()), "{:?}", harness.state().outcomes);
    assert_eq!(count_informed_players(harness.state()), 4);
    // Record a new event that everyone present sees.
    let request = harness.state().panel.event_request("A bell rang three times.".into());
    let Request::Execute(desk_command) = request else { panic!("{request:?}") };
    harness.state_mut().desk_commands.submit(desk_command);
    step_until(&mut harness, "what happened", |host| host.outcomes.len() == 3);
    assert!(harness.state().outcomes[2].result.is_ok(), "{:?}", harness.state().outcomes[2]);
    ask(&mut harness, "What about the bell?");
    let knowledge = harness.state().panel.knowledge().clone();
    let bell_fact = knowledge.facts.iter().find(|fact| fact.statement.text.contains("three times")).unwrap();
    assert!(bell_fact.characters.iter().all(|line| line.category == KnowledgeCategory::Knows), "{bell_fact:?}");
    // The typed text and the question are restored when the DM console opens.
    let mut restored_panel = ScenePanel::default();
    restored_panel.restore(harness.state().panel.save().unwrap());
    assert_eq!(restored_panel.state.view.question, "What about the bell?");
    assert_eq!(restored_panel.state.view.place, Some(id("the-gilded-gull")));
}

#[test]
fn the_scene_moves_to_the_asked_character() {
    let mut harness = open_panel(ScenePanel::default(), gullhaven());
    harness.state_mut().panel.handle_request(&Request::Scene { place: None, speaker: Some(id("bettony-lark")) });
    step_until(&mut harness, "the stage and the speaker", |host| {
        let panel = &host.panel;
        panel.setting().present.len() > 1 && panel.answer().speaker.is_some() && !panel.is_busy()
    });
    let panel = &harness.state().panel;
    assert_eq!(panel.setting().place.as_ref().map(|place| place.name.as_str()), Some("The Gilded Gull"));
    // Before the first question, the answer describes the speaker and the people that the speaker knows.
    assert!(panel.answer().prompt.starts_with("You are Bettony Lark.") && panel.knowledge().facts.is_empty());
}

#[test]
fn hidden_facts_and_beliefs_of_others_are_shown() {
    let memory = gullhaven();
    let fact = hearsay_query::resolve::find_fact(&gullhaven_state(), "mirela-hid-the-ledger").unwrap().id();
    let present = ["mirela-voss", "father-teodor", "hob-carrow"].map(id).to_vec();
    let request = KnowledgeRequest { question: "The ledger?".into(), facts: vec![fact], present };
    let knowledge = memory.read(move |world| KnowledgeModel::load(world, &request)).unwrap().wait().unwrap();
    let [mirela, teodor, hob] = &knowledge.facts[0].characters[..] else { panic!("{knowledge:?}") };
    assert_eq!((teodor.category, hob.category), (KnowledgeCategory::Conceals, KnowledgeCategory::Unaware));
    assert_ne!(mirela.category, KnowledgeCategory::Unaware);
    assert!(teodor.acquisition.contains("told by Mirela Voss"), "{}", teodor.acquisition);
    assert!(teodor.assumptions.iter().any(|assumption| assumption.contains("Mirela Voss")), "{:?}", teodor.assumptions);
    assert!(knowledge.facts[0].secret);
}
