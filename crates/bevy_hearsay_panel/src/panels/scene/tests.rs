use egui::{Event, Key};
use egui_kittest::{Harness, kittest::Queryable};
use hearsay_model::FactStatus;

use super::*;
use crate::{
    names::Named,
    testing::{Bench, bench, bench_with, drawn, fact_of, gullhaven, gullhaven_state, step_until},
    text::Linked,
};

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn named(text: &str, name: &str, kind: Kind) -> Named {
    Named { id: id(text), name: name.into(), kind: Some(kind) }
}

fn fact_id() -> FactId {
    fact_of("a fact")
}

#[derive(Default)]
struct Drawn {
    stage: StageModel,
    answer: AnswerModel,
    minds: MindsModel,
    why_not: Option<WhyNotModel>,
    view: SceneView,
    actions: Vec<SceneAction>,
}

fn state() -> Drawn {
    let odo = named("odo-brandt", "Odo Brandt", Kind::Npc);
    let wren = named("wren-oake", "Wren Oake", Kind::Player);
    let line = |who: &Named, player| PresentLine {
        who: who.clone(),
        player,
        role: None,
        manner: Some("tired".into()),
        safe: true,
    };
    let mind =
        |who: &Named, mind| MindLine { who: who.clone(), mind, acquisition: "witnessed".into(), thinks: Vec::new() };
    let told = AnswerLine {
        text: "You were at the quay.".into(),
        note: "you doubt it".into(),
        citation: "witnessed \u{00B7} fact 1234".into(),
        fact: Some(fact_id()),
        conceals: true,
        secret: true,
        safe: false,
    };
    let fact = |n: u8| MindFact {
        fact: if n == 0 { fact_id() } else { fact_of(&n.to_string()) },
        statement: Linked::plain(format!("Fact {n}.")),
        status: FactStatus::Canon,
        secret: n == 0,
        safe: n != 0,
        table: None,
        minds: vec![mind(&wren, Mind::Unaware), mind(&odo, Mind::Hides)],
    };
    Drawn {
        stage: StageModel {
            place: Some(named("the-gull", "The Gull", Kind::Location)),
            time: Some("6 Rainmoon 412".into()),
            present: vec![line(&wren, true), line(&odo, false)],
            ..StageModel::default()
        },
        answer: AnswerModel {
            speaker: Some(odo.clone()),
            question: "Where were you?".into(),
            sections: vec![AnswerSection { title: "Relevant to the question".into(), lines: vec![told] }],
            summary: "90 of 800 tokens".into(),
            prompt: "the prompt".into(),
            with_citations: "the citations".into(),
        },
        minds: MindsModel { question: "Where were you?".into(), facts: vec![fact(0), fact(1)] },
        ..Drawn::default()
    }
}

fn shown(state: Drawn, screen_safe: bool) -> Harness<'static, Drawn> {
    drawn(state, move |ui, look, state| {
        let look = Look { screen_safe, ..look.clone() };
        let models = SceneModels {
            stage: &state.stage,
            answer: &state.answer,
            minds: &state.minds,
            why_not: state.why_not.as_ref(),
            waits: false,
        };
        state.actions.extend(scene_ui(ui, &look, models, &mut state.view));
    })
}

fn copied(action: &SceneAction) -> Option<&str> {
    match action {
        SceneAction::Ask(Request::Copy(text)) => Some(text),
        _ => None,
    }
}

#[test]
fn a_speaker_is_chosen_and_asked() {
    let mut harness = shown(state(), false);
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
    assert!(harness.state().actions.iter().any(|action| matches!(action, SceneAction::Question)));
    harness.step();
    harness.get_by_label("Ask").click();
    harness.step();
    let asked = harness.state().actions.iter().filter(|action| matches!(action, SceneAction::Question)).count();
    assert_eq!(asked, 2);
    harness.get_by_label("Remove Wren Oake from the scene").click();
    harness.step();
    assert_eq!(harness.state().view.left_out, [id("wren-oake")]);
    harness.state_mut().view.happens = "The lamp falls.".into();
    harness.step();
    harness.get_by_label("Everyone saw it").click();
    harness.step();
    let saw = |action: &SceneAction| matches!(action, SceneAction::Happened(text) if text == "The lamp falls.");
    assert!(harness.state().actions.iter().any(saw));
}

#[test]
fn an_answer_is_copied_with_one_key_and_shows_its_citations() {
    let mut harness = shown(state(), false);
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
        matches!(harness.state().actions.last(), Some(SceneAction::Ask(Request::ShowFact(fact))) if *fact == fact_id())
    );
}

#[test]
fn keys_record_witnesses_and_reveals_and_explain_ignorance() {
    let mut harness = shown(state(), false);
    harness.step();
    let last = |harness: &Harness<'static, Drawn>| harness.state().actions.last().cloned();
    harness.key_press(Key::W);
    harness.step();
    assert!(matches!(last(&harness), Some(SceneAction::AllSaw(fact)) if fact == fact_id()));
    harness.key_press(Key::V);
    harness.step();
    assert!(matches!(last(&harness), Some(SceneAction::Revealed(fact)) if fact == fact_id()));
    harness.key_press(Key::Y);
    harness.step();
    assert!(matches!(last(&harness), Some(SceneAction::WhyNot(Some((who, _)))) if who == id("wren-oake")));
    harness.key_press(Key::J);
    harness.step();
    assert_eq!(harness.state().view.fact, Some(fact_of("1")));
    harness.key_press(Key::K);
    harness.step();
    assert_eq!(harness.state().view.fact, Some(fact_id()));
    for (button, check) in [
        ("All present saw this", (|action| matches!(action, SceneAction::AllSaw(_))) as fn(&SceneAction) -> bool),
        ("Revealed to the party", |action| matches!(action, SceneAction::Revealed(_))),
        ("Why not?", |action| matches!(action, SceneAction::WhyNot(Some(_)))),
    ] {
        harness.get_by_label(button).click();
        harness.step();
        assert!(last(&harness).as_ref().is_some_and(check), "{button}");
    }
    harness.state_mut().why_not = Some(WhyNotModel {
        who: named("wren-oake", "Wren Oake", Kind::Player),
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
    assert_eq!(harness.state().view.fact, Some(fact_of("1")));
}

#[test]
fn nothing_secret_is_drawn_while_players_look() {
    let mut harness = shown(state(), true);
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
    shown(Drawn::default(), false).get_by_label("No characters in the scene");
}

fn at(bench: &mut Bench<ScenePanel>, place: &str, speaker: Option<&str>) {
    let request = Request::Scene { place: Some(id(place)), speaker: speaker.map(id) };
    assert!(bench.state_mut().panel.show(&request));
    let (place, speaker) = (id(place), speaker.map(id));
    step_until(bench, "the stage", move |stage| {
        let panel = &stage.panel;
        let here = panel.stage().place.as_ref().is_some_and(|at| at.id == place);
        let speaks = speaker.as_ref().is_none_or(|who| panel.present().contains(who));
        here && speaks && panel.staging.is_none()
    });
}

fn ask(bench: &mut Bench<ScenePanel>, question: &str) {
    bench.state_mut().panel.kept.asked = question.into();
    bench.state_mut().panel.kept.view.question = question.into();
    let question = question.to_owned();
    step_until(bench, "the answer", move |stage| {
        let panel = &stage.panel;
        let answered = panel.kept.view.speaker.is_none() || panel.answer().question == question;
        answered && panel.minds().question == question && !panel.is_busy()
    });
}

#[test]
fn a_scene_of_the_campaign() {
    let mut bench = bench(ScenePanel::default(), gullhaven());
    at(&mut bench, "the-gilded-gull", Some("bettony-lark"));
    let names: Vec<String> = bench.state().panel.stage().present.iter().map(|line| line.who.name.clone()).collect();
    assert!(names.contains(&"Bettony Lark".to_owned()) && names.contains(&"Mirela Voss".to_owned()), "{names:?}");
    ask(&mut bench, "When did Odo leave the Gull?");
    let answer = bench.state().panel.answer().clone();
    let told = answer.sections.iter().flat_map(|section| &section.lines);
    assert!(told.clone().any(|line| line.text.contains("twenty to ten")), "{answer:?}");
    assert!(told.clone().all(|line| !line.citation.is_empty()));
    assert!(answer.prompt.starts_with("You are Bettony Lark.") && answer.with_citations.len() > answer.prompt.len());
    let minds = bench.state().panel.minds().clone();
    let left = minds.facts.iter().find(|fact| fact.statement.text.contains("twenty to ten")).unwrap();
    let mind = |who: &str| left.minds.iter().find(|line| line.who.id == id(who)).unwrap();
    assert_eq!(mind("bettony-lark").mind, Mind::Knows);
    assert_eq!(mind("hob-carrow").mind, Mind::Unaware);
    // The explanation has reasons and names characters that could tell the fact.
    let fact = left.fact;
    bench.state_mut().panel.wonder = Some((id("hob-carrow"), fact));
    step_until(&mut bench, "the reasons", |stage| stage.panel.why_not.is_some());
    let why = bench.state().panel.why_not.clone().unwrap();
    assert!(!why.reasons.is_empty() && why.sources.iter().any(|source| source.who.name == "Bettony Lark"), "{why:?}");
    assert!(why.reasons.iter().all(|reason| !reason.contains("-lark") && !reason.contains("-voss")));
    // One key records that everyone present saw the fact.
    bench.state_mut().panel.kept.view.fact = Some(fact);
    bench.key_press(Key::W);
    step_until(&mut bench, "everybody knows it", move |stage| {
        let minds = &stage.panel.minds().facts;
        minds.iter().any(|mind| mind.fact == fact && mind.minds.iter().all(|line| line.mind != Mind::Unaware))
    });
    // With one key, a knower reveals the fact to the party.
    let players = |stage: &crate::testing::Stage<ScenePanel>| {
        let knows = |who: &&str| {
            let (who, fact) = (id(who), fact.to_string());
            let read =
                stage.memory.read(move |world| Ok(hearsay_query::who_knows::who_knows(&world.state, &fact, None)?));
            read.unwrap().wait().unwrap().characters.iter().any(|row| row.knower == who)
        };
        ["wren-oake", "dorric-stane", "sister-ilva", "kestrel-vane"].iter().filter(|who| knows(who)).count()
    };
    bench.key_press(Key::V);
    step_until(&mut bench, "the deed", |stage| stage.outcomes.len() == 2);
    assert!(bench.state().outcomes.iter().all(|outcome| outcome.done.is_ok()), "{:?}", bench.state().outcomes);
    assert_eq!(players(bench.state()), 4);
    // Record a new event that everyone present sees.
    let request = bench.state().panel.happened("A bell rang three times.".into());
    let Request::Do(desk_command) = request else { panic!("{request:?}") };
    bench.state_mut().desk_commands.begin(desk_command);
    step_until(&mut bench, "what happened", |stage| stage.outcomes.len() == 3);
    assert!(bench.state().outcomes[2].done.is_ok(), "{:?}", bench.state().outcomes[2]);
    ask(&mut bench, "What about the bell?");
    let minds = bench.state().panel.minds().clone();
    let bell = minds.facts.iter().find(|fact| fact.statement.text.contains("three times")).unwrap();
    assert!(bell.minds.iter().all(|line| line.mind == Mind::Knows), "{bell:?}");
    // The typed text and the question are restored when the desk opens.
    let mut again = ScenePanel::default();
    again.restore(bench.state().panel.save().unwrap());
    assert_eq!(again.kept.view.question, "What about the bell?");
    assert_eq!(again.kept.view.place, Some(id("the-gilded-gull")));
}

#[test]
fn the_scene_moves_to_the_asked_character() {
    let mut bench = bench(ScenePanel::default(), gullhaven());
    bench.state_mut().panel.show(&Request::Scene { place: None, speaker: Some(id("bettony-lark")) });
    step_until(&mut bench, "the stage and the speaker", |stage| {
        let panel = &stage.panel;
        panel.stage().present.len() > 1 && panel.answer().speaker.is_some() && !panel.is_busy()
    });
    let panel = &bench.state().panel;
    assert_eq!(panel.stage().place.as_ref().map(|place| place.name.as_str()), Some("The Gilded Gull"));
    // Before the first question, the answer describes the speaker and the people that the speaker knows.
    assert!(panel.answer().prompt.starts_with("You are Bettony Lark.") && panel.minds().facts.is_empty());
}

#[test]
fn hidden_facts_and_beliefs_of_others_are_shown() {
    let memory = gullhaven();
    let fact = hearsay_query::resolve::find_fact(&gullhaven_state(), "mirela-hid-the-ledger").unwrap().id();
    let present = ["mirela-voss", "father-teodor", "hob-carrow"].map(id).to_vec();
    let request = MindsRequest { question: "The ledger?".into(), facts: vec![fact], present };
    let minds = memory.read(move |world| MindsModel::load(world, &request)).unwrap().wait().unwrap();
    let [mirela, teodor, hob] = &minds.facts[0].minds[..] else { panic!("{minds:?}") };
    assert_eq!((teodor.mind, hob.mind), (Mind::Hides, Mind::Unaware));
    assert_ne!(mirela.mind, Mind::Unaware);
    assert!(teodor.acquisition.contains("told by Mirela Voss"), "{}", teodor.acquisition);
    assert!(teodor.thinks.iter().any(|thought| thought.contains("Mirela Voss")), "{:?}", teodor.thinks);
    assert!(minds.facts[0].secret && !minds.facts[0].safe);
}

#[test]
fn no_secret_of_the_campaign_is_drawn_while_players_look() {
    let look = Look { screen_safe: true, ..Look::default() };
    let mut bench = bench_with(ScenePanel::default(), gullhaven(), look);
    at(&mut bench, "the-gilded-gull", Some("mirela-voss"));
    ask(&mut bench, "Where is the harbour ledger?");
    let answer = bench.state().panel.answer().clone();
    for line in answer.sections.iter().flat_map(|section| &section.lines).filter(|line| !line.safe) {
        assert!(bench.query_by_label_contains(&line.text).is_none(), "{}", line.text);
    }
    for fact in &bench.state().panel.minds().facts {
        assert!(bench.query_by_label_contains(&fact.statement.text).is_none());
    }
}
