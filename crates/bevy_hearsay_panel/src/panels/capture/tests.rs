//! Tests of the capture line with the engine.

use egui::Key;
use egui_kittest::kittest::Queryable;
use hearsay_model::Author;

use super::*;
use crate::testing::{PanelHarness, gullhaven, gullhaven_with_encoder, open_panel, settle};

fn capture_harness() -> PanelHarness<CapturePanel> {
    let mut harness = open_panel(CapturePanel::default(), gullhaven());
    harness.state_mut().panel.focus();
    harness.run_steps(2);
    harness
}

fn send(harness: &mut PanelHarness<CapturePanel>, line: &str) -> Result<String, String> {
    harness.state_mut().panel.view.typed = line.into();
    harness.state_mut().panel.view.completion.dismissed = Some(line.into());
    harness.state_mut().panel.focus();
    harness.run_steps(2);
    harness.key_press(Key::Enter);
    settle(harness);
    match harness.state().outcomes.last() {
        Some(outcome) => outcome.result.clone().map(|report| report.summary),
        None => Err("nothing was done".into()),
    }
}

#[test]
fn one_line_adds_a_new_character() {
    let mut harness = capture_harness();
    let place =
        harness.state().display.names.all().iter().find(|entity| entity.kind == Some(Kind::Location)).unwrap().clone();
    let summary = send(&mut harness, &format!("+Bramwell Oarsong, ferryman, {}", place.name));
    assert_eq!(summary, Ok("add Bramwell Oarsong".into()));
    let state = harness.state().memory.read(|world| Ok(std::sync::Arc::clone(&world.state))).unwrap().wait().unwrap();
    let id = EntityId::new("bramwell-oarsong").unwrap();
    assert_eq!(state.kind(&id), Some(Kind::Npc));
    let occupation = state.newest(&id, "occupation").unwrap();
    assert_eq!(occupation.object().text(), Some("ferryman"));
    assert_eq!(occupation.status(), hearsay_model::FactStatus::Canon);
    assert_eq!(harness.state().panel.typed(), "", "the field is empty after sending");
}

#[test]
fn a_line_without_a_session_asks_first_and_is_not_lost() {
    let mut harness = capture_harness();
    if harness.state().context_poller.panel_context().session.is_some() {
        return;
    }
    let _ = send(&mut harness, "Grimjaw told Lyra the shipment is under the chapel");
    assert!(harness.state().panel.typed().contains("shipment"));
    assert!(harness.ctx.text_edit_focused(), "letters that are typed now are no commands");
    harness.get_by_label("Start a session and log it").click();
    settle(&mut harness);
    let earlier = harness.state().outcomes.len();
    harness.state_mut().panel.log_pending_line();
    wait_for_outcome(&mut harness, earlier);
    let summary = harness.state().outcomes.last().unwrap().result.as_ref().unwrap().summary.clone();
    assert!(summary.contains("Grimjaw told Lyra"), "{summary}");
    assert_eq!(harness.state().panel.typed(), "");
}

#[test]
fn names_complete_while_typing() {
    let mut harness = capture_harness();
    harness.get_by_label("Capture").type_text("Mire");
    harness.run_steps(3);
    harness.key_press(Key::Tab);
    harness.run_steps(3);
    assert_eq!(harness.state().panel.typed(), "Mirela Voss ");
}

#[test]
fn enter_sends_a_line_that_ends_in_a_part_of_a_name() {
    let mut harness = capture_harness();
    harness.get_by_label("Capture").type_text("!Mirela Voss fears Od");
    harness.run_steps(3);
    assert!(!harness.state().panel.completions(&harness.state().display).is_empty());
    harness.key_press(Key::Enter);
    settle(&mut harness);
    assert!(harness.state().outcomes.last().unwrap().result.is_ok());
    assert_eq!(harness.state().panel.view.history, ["!Mirela Voss fears Od"]);
    assert_eq!(harness.state().panel.typed(), "");
}

#[test]
fn escape_clears_the_line_and_up_recalls_it() {
    let mut harness = capture_harness();
    harness.get_by_label("Capture").type_text("the bells ring");
    harness.run_steps(3);
    harness.key_press(Key::Escape);
    harness.run_steps(3);
    assert_eq!(harness.state().panel.typed(), "");
    harness.key_press(Key::ArrowUp);
    harness.run_steps(3);
    assert_eq!(harness.state().panel.typed(), "the bells ring");
}

#[test]
fn a_secret_is_kept_secret() {
    let mut harness = capture_harness();
    let summary = send(&mut harness, "!Mirela Voss poisoned the well");
    assert!(summary.is_ok(), "{summary:?}");
    let state = harness.state().memory.read(|world| Ok(std::sync::Arc::clone(&world.state))).unwrap().wait().unwrap();
    let id = EntityId::new("mirela-voss").unwrap();
    let secret = state.facts_of(&id).find(|fact| fact.statement() == "Mirela Voss poisoned the well").cloned().unwrap();
    assert_eq!(secret.secrecy(), hearsay_model::Secrecy::Secret);
    let knowers: Vec<_> =
        state.recorded_knowledge(secret.id()).map(|edge| (edge.knower.to_string(), edge.conceals)).collect();
    assert_eq!(knowers, [("mirela-voss".to_owned(), true)]);
}

#[test]
fn only_a_certain_fact_becomes_a_secret_relation() {
    for (line, predicate) in
        [("!Mirela Voss hates Odo Brandt", "HOSTILE_TO"), ("!Maybe Mirela Voss hates Odo Brandt", "secret")]
    {
        let mut harness = capture_harness();
        let draft = Draft { text: line[1..].into(), form: TextType::Narration, ..Draft::default() };
        let extracted = harness.state().memory.draft(draft).unwrap().wait().unwrap();
        assert!(!extracted.extraction.facts.is_empty(), "{line}");
        harness.state_mut().panel.extracted = Some((line.into(), extracted));
        send(&mut harness, line).unwrap();
        let state =
            harness.state().memory.read(|world| Ok(std::sync::Arc::clone(&world.state))).unwrap().wait().unwrap();
        let id = EntityId::new("mirela-voss").unwrap();
        let secret = state.facts_of(&id).find(|fact| fact.statement() == &line[1..]).unwrap();
        assert_eq!(secret.predicate().as_str(), predicate, "{line}");
    }
}

#[test]
fn typed_text_survives_closing_the_window() {
    let mut panel = CapturePanel::default();
    panel.view.typed = "Half a li".into();
    let mut restored_panel = CapturePanel::default();
    restored_panel.restore(panel.save().unwrap());
    assert_eq!(restored_panel.typed(), "Half a li");
}

#[test]
fn the_name_that_is_typed_is_the_last_with_a_capital() {
    assert_eq!(name_start("Grimjaw told Lyr"), (13, false));
    assert_eq!(name_start("the ledger of Mirela Vo"), (14, false));
    assert_eq!(name_start("#Salt"), (1, true));
    assert_eq!(name_start("+Bram, ferryman, Sal"), (17, true));
    assert_eq!(name_start("he went home").0, 12);
}

/// Opens the panel in a session at the Gilded Gull, with a sentence encoder.
fn speech_harness() -> PanelHarness<CapturePanel> {
    let memory = gullhaven_with_encoder();
    let new = NewSession { place: Some(EntityId::new("the-gilded-gull").unwrap()), ..NewSession::default() };
    memory.session(Author::Dm, SessionStep::Start(new)).unwrap().wait().unwrap();
    let mut harness = open_panel(CapturePanel::default(), memory);
    harness.state_mut().panel.focus();
    harness.run_steps(2);
    harness
}

#[test]
fn a_move_that_is_typed_after_a_line_waits_until_the_line_is_logged() {
    let move_scene = || DeskCommand::Session(SessionStep::Move { place: EntityId::new("harbour").unwrap() });
    let mut spoken = SpokenLines::default();
    assert!(spoken.after_lines(move_scene()).is_some());
    spoken.push(Log { lines: vec![LogLine::typed("The bells ring.")], ..Log::default() });
    assert!(spoken.after_lines(move_scene()).is_none());
    assert!(spoken.take_due().is_empty(), "the line is not read yet");
    spoken.update(None);
    let due = spoken.take_due();
    assert!(matches!(
        &due[..],
        [Request::Execute(DeskCommand::Log(_)), Request::Execute(DeskCommand::Session(SessionStep::Move { .. }))]
    ));
}

/// Sends a spoken line, and waits until it is logged.
fn speak(harness: &mut PanelHarness<CapturePanel>, line: &str) {
    let earlier = harness.state().outcomes.len();
    let _ = send(harness, line);
    assert_eq!(harness.state().panel.typed(), "", "the next line can be typed at once");
    wait_for_outcome(harness, earlier);
}

/// Waits until no line waits to be logged, and until there are more than `earlier` outcomes.
fn wait_for_outcome(harness: &mut PanelHarness<CapturePanel>, earlier: usize) {
    let started = Instant::now();
    while harness.state().outcomes.len() == earlier || harness.state().panel.is_busy() {
        settle(harness);
        assert!(started.elapsed() < crate::testing::TIMEOUT, "the line is not logged");
    }
}

fn knows(harness: &PanelHarness<CapturePanel>, who: &str, fact: &str) -> bool {
    let state = harness.state().memory.read(|world| Ok(std::sync::Arc::clone(&world.state))).unwrap().wait().unwrap();
    let fact = hearsay_query::resolve::find_fact(&state, fact).unwrap().id();
    let knower = hearsay_model::Knower::Entity(EntityId::new(who).unwrap());
    hearsay_belief::View::new(&state, &knower, None).fact(fact).is_some()
}

#[test]
fn a_spoken_line_that_states_a_fact_teaches_its_hearers() {
    let mut harness = speech_harness();
    let fact = "wren-is-cobbs-daughter";
    assert!(!knows(&harness, "kestrel-vane", fact));
    speak(&mut harness, "@Wren Oake I am the daughter of Cobb Farrow.");
    assert!(knows(&harness, "kestrel-vane", fact) && knows(&harness, "sister-ilva", fact));
    harness.get_by_label_contains("The line states: Wren Oake is the daughter of Cobb Farrow.");
    // The next line removes the note.
    speak(&mut harness, "@Wren Oake Good night.");
    assert!(harness.query_by_label_contains("The line states").is_none());
}

#[test]
fn the_line_of_a_player_is_logged_for_the_character_or_out_of_character() {
    let mut harness = speech_harness();
    let (entity, value) = (EntityId::new("wren-oake").unwrap(), "Laura".to_owned());
    let player = Edit::Set { entity, attribute: "player".into(), value, options: FactOptions::default() };
    harness.state().memory.edit(player).unwrap().wait().unwrap();
    let fact = "wren-is-cobbs-daughter";
    speak(&mut harness, "Laura: ((I am the daughter of Cobb Farrow.))");
    assert!(!knows(&harness, "kestrel-vane", fact));
    harness.get_by_label_contains("Out of character: kept in the log");
    let state = harness.state().memory.read(|world| Ok(std::sync::Arc::clone(&world.state))).unwrap().wait().unwrap();
    let (_, logged) = state.passages().find(|(_, passage)| passage.text.starts_with("((I am")).unwrap();
    assert_eq!(logged.speaker, EntityId::new("wren-oake").ok());
    assert!(logged.is_out_of_character());
    speak(&mut harness, "@Wren Oake Good night.");
    assert!(harness.query_by_label_contains("Out of character").is_none());
    speak(&mut harness, "(ooc) pizza?");
    harness.get_by_label_contains("Out of character: kept in the log");
}

#[test]
fn a_doubtful_line_asks_a_question_and_yes_teaches_its_hearers() {
    let mut harness = speech_harness();
    let fact = "wren-is-cobbs-daughter";
    for (answer, is_known) in [("No, another fact", false), ("Yes, that fact", true)] {
        speak(&mut harness, "@Wren Oake Perhaps I am the daughter of Cobb Farrow.");
        harness.get_by_label_contains("Wren Oake is the daughter of Cobb Farrow.");
        assert!(!knows(&harness, "kestrel-vane", fact), "a question teaches nobody");
        harness.get_by_label(answer).click();
        settle(&mut harness);
        assert_eq!(knows(&harness, "kestrel-vane", fact), is_known, "{answer}");
        assert!(harness.query_by_label(answer).is_none());
    }
    assert!(harness.state().outcomes.iter().all(|outcome| outcome.result.is_ok()), "{:?}", harness.state().outcomes);
}

#[test]
fn narration_that_states_a_secret_is_heard_only_if_the_secret_comes_out() {
    let mut harness = speech_harness();
    let fact = "wren-is-cobbs-daughter";
    let line = "Wren Oake is the daughter of Cobb Farrow.";
    let kind = |harness: &PanelHarness<CapturePanel>| {
        let state =
            harness.state().memory.read(|world| Ok(std::sync::Arc::clone(&world.state))).unwrap().wait().unwrap();
        let logged = state.passages().filter(|(_, passage)| passage.text == line && passage.session.is_some());
        logged.map(|(_, passage)| passage.talk_kind).collect::<Vec<_>>()
    };
    speak(&mut harness, line);
    assert_eq!(kind(&harness), [Some(hearsay_model::TalkKind::Withheld)]);
    assert!(!knows(&harness, "kestrel-vane", fact));
    harness.get_by_label_contains("Does this secret come out: \u{201C}Wren Oake is the daughter of Cobb Farrow.");
    let earlier = harness.state().outcomes.len();
    harness.get_by_label("Yes, that fact").click();
    harness.run_steps(2);
    wait_for_outcome(&mut harness, earlier);
    assert_eq!(kind(&harness), [Some(hearsay_model::TalkKind::Narration)]);
    assert!(knows(&harness, "kestrel-vane", fact));
}

#[test]
fn lines_are_logged_in_the_order_in_which_they_were_typed() {
    let mut harness = speech_harness();
    for line in ["@Wren Oake I am the daughter of Cobb Farrow.", "The bells ring.", "@Wren Oake Listen!"] {
        harness.state_mut().panel.view.typed = line.into();
        let display = harness.state().display.clone();
        let requests = harness.state_mut().panel.send(&display);
        assert!(requests.is_empty(), "the line waits for the lines before it");
    }
    while harness.state().panel.is_busy() {
        settle(&mut harness);
    }
    settle(&mut harness);
    let summaries = harness.state().outcomes.iter().map(|outcome| outcome.result.clone().unwrap().summary);
    let summaries: Vec<String> = summaries.collect();
    assert_eq!(summaries.len(), 3, "{summaries:?}");
    assert!(summaries[0].contains("daughter") && summaries[1].contains("bells") && summaries[2].contains("Listen"));
}
