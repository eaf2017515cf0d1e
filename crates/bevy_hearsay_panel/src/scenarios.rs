//! Tests of ten typical moments of a session at the table, with the complete DM console and the real engine. Each
//! moment may take at most ten seconds of input. Five keys count as one second, and one click also counts as one
//! second.

use std::time::{Duration, Instant};

use egui::{Event, Key, Modifiers, OutputCommand};
use egui_kittest::{
    Harness,
    kittest::{NodeT, Queryable},
};
use hearsay_belief::View;
use hearsay_commands::session::{Log, LogLine, NewSession, SessionStep};
use hearsay_engine::Memory;
use hearsay_model::{Author, EntityId, Knower, State};
use hearsay_query as query;

use crate::{
    commands::PanelKind,
    desk::Desk,
    testing::{TIMEOUT, gullhaven, shows_text},
};

/// Time that each key press adds to the duration of a scenario, in seconds. `CLICK_SECONDS` is the time for a click.
const KEY_SECONDS: f32 = 0.2;
const CLICK_SECONDS: f32 = 1.0;

struct DeskHost {
    desk: Desk,
    memory: Memory,
    copied: Option<String>,
}

/// The DM console in a test, with the time that the DM has spent on keys and clicks.
struct Scenario {
    harness: Harness<'static, DeskHost>,
    seconds: f32,
}

impl Scenario {
    /// Opens the example campaign in a window of 1600×900.
    fn new() -> Self {
        Self::with(gullhaven())
    }

    /// Opens the example campaign during a session at the Gilded Gull.
    fn playing() -> Self {
        let memory = gullhaven();
        let new = NewSession { place: Some(id("the-gilded-gull")), ..NewSession::default() };
        memory.session(Author::Dm, SessionStep::Start(new)).unwrap().wait().unwrap();
        Self::with(memory)
    }

    fn with(memory: Memory) -> Self {
        let host = DeskHost { desk: Desk::default(), memory, copied: None };
        let frame = |ui: &mut egui::Ui, host: &mut DeskHost| {
            host.desk.ui(ui, &host.memory);
            // A step of the harness runs several frames and returns only the output of the last frame, so collect
            // copied text here.
            let copied = ui.ctx().output(|output| output.commands.iter().find_map(copied));
            host.copied = copied.or(host.copied.take());
        };
        let harness = Harness::builder().with_size([1600.0, 900.0]).build_ui_state(frame, host);
        let mut scenario = Self { harness, seconds: 0.0 };
        scenario.settle();
        scenario
    }

    fn step(&mut self) {
        self.harness.step();
    }

    /// Waits for all pending work, without input.
    fn settle(&mut self) {
        let started_at = Instant::now();
        let mut idle_frames = 0;
        while idle_frames < 12 {
            self.step();
            let busy = self.harness.state().desk.is_busy() || self.is_reading();
            idle_frames = if busy { 0 } else { idle_frames + 1 };
            std::thread::sleep(Duration::from_millis(4));
            assert!(started_at.elapsed() < TIMEOUT, "the desk still has pending work");
        }
    }

    fn press(&mut self, key: Key) {
        self.press_with_modifiers(Modifiers::NONE, key);
    }

    /// Presses a key with modifiers. Modifiers count as one additional key press.
    fn press_with_modifiers(&mut self, modifiers: Modifiers, key: Key) {
        self.seconds += KEY_SECONDS * if modifiers.any() { 2.0 } else { 1.0 };
        self.harness.key_press_modifiers(modifiers, key);
        self.settle();
    }

    fn press_with_ctrl(&mut self, key: Key) {
        self.press_with_modifiers(Modifiers::COMMAND, key);
    }

    fn press_with_alt(&mut self, key: Key) {
        self.press_with_modifiers(Modifiers::ALT, key);
    }

    fn type_text(&mut self, text: &str) {
        for letter in text.chars() {
            self.seconds += KEY_SECONDS;
            self.harness.event(Event::Text(letter.to_string()));
            self.step();
        }
        self.settle();
    }

    fn click(&mut self, name: &str) {
        self.wait_until(name, |scenario| scenario.harness.query_all_by_label(name).next().is_some());
        // Wait first, because pending data can move the widget to be clicked.
        self.settle();
        self.seconds += CLICK_SECONDS;
        self.harness.get_all_by_label(name).next().unwrap().click();
        self.settle();
    }

    /// Waits until a condition is true, without input.
    fn wait_until(&mut self, description: &str, condition: impl Fn(&Self) -> bool) {
        let started_at = Instant::now();
        while !condition(self) {
            self.step();
            std::thread::sleep(Duration::from_millis(2));
            let timed_out = started_at.elapsed() > TIMEOUT;
            assert!(!timed_out, "timeout while waiting for {description}; on the screen: {:?}", self.texts());
        }
    }

    fn expect_text(&mut self, text: &str) {
        self.wait_until(text, |scenario| shows_text(&scenario.harness, text));
    }

    /// Returns whether any panel shows that it is reading or computing.
    fn is_reading(&self) -> bool {
        self.texts().iter().any(|text| text.starts_with("Reading") || text.starts_with("Computing"))
    }

    fn texts(&self) -> Vec<String> {
        let all = self.harness.query_all_by_label_contains("");
        all.filter_map(|node| node.accesskit_node().label().or_else(|| node.accesskit_node().value())).collect()
    }

    fn state(&self) -> std::sync::Arc<State> {
        self.harness.state().memory.read(|world| Ok(std::sync::Arc::clone(&world.state))).unwrap().wait().unwrap()
    }

    fn copied(&self) -> &str {
        self.harness.state().copied.as_deref().expect("something was copied")
    }

    /// Ends the scenario and checks its duration.
    fn finish(self) {
        assert!(self.seconds <= 10.0, "{:.1} s of input", self.seconds);
    }
}

fn copied(command: &OutputCommand) -> Option<String> {
    match command {
        OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    }
}

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

const PLAYERS: [&str; 4] = ["wren-oake", "dorric-stane", "sister-ilva", "kestrel-vane"];

/// Returns the number of player characters that know a sentence.
fn players_who_know(state: &State, sentence: &str) -> usize {
    let knows = |player_id: &&str| {
        let view = View::new(state, &Knower::Entity(id(player_id)), None);
        view.facts().any(|known| known.statement().contains(sentence))
    };
    PLAYERS.iter().filter(|player_id| knows(player_id)).count()
}

#[test]
fn before_the_session_the_dm_sees_what_is_open() {
    let mut scenario = Scenario::new();
    scenario.press_with_alt(Key::Num6);
    scenario.expect_text("Who killed the clerk?");
    scenario.click("Untold secrets");
    scenario.wait_until("secrets alone", |scenario| !shows_text(&scenario.harness, "Who killed the clerk?"));
    scenario.press_with_ctrl(Key::K);
    scenario.type_text("mirela");
    scenario.expect_text("Mirela Voss");
    scenario.press(Key::Enter);
    scenario.expect_text("First met");
    scenario.finish();
}

#[test]
fn the_session_begins_with_a_recap_for_the_players() {
    let mut scenario = Scenario::new();
    scenario.press_with_alt(Key::Num0);
    scenario.press(Key::C);
    scenario.click("For the players");
    scenario.expect_text("Recap for the players");
    scenario.press(Key::Y);
    scenario.wait_until("the recap on the clipboard", |scenario| scenario.harness.state().copied.is_some());
    let (recap, state) = (scenario.copied().to_owned(), scenario.state());
    assert!(recap.split_whitespace().count() > 30, "{recap}");
    let secrets = state.facts().filter(|fact| query::facts::is_secret(&state, fact));
    for secret in secrets.filter(|fact| players_who_know(&state, fact.statement()) == 0) {
        assert!(!recap.contains(secret.statement()), "{}", secret.statement());
    }
    scenario.finish();
}

#[test]
fn do_they_know_that() {
    let mut scenario = Scenario::playing();
    scenario.press_with_ctrl(Key::K);
    scenario.type_text("who knows ledger");
    scenario.expect_text("Who knows");
    scenario.expect_text("hid the harbour ledger under the floor");
    scenario.expect_text("Father Teodor");
    scenario.finish();
}

#[test]
fn somebody_from_long_ago_walks_in() {
    let mut scenario = Scenario::playing();
    scenario.press_with_ctrl(Key::K);
    scenario.type_text("lise");
    scenario.expect_text("Lise Penhale");
    scenario.press(Key::Enter);
    for words in ["First met", "Last seen", "Open threads"] {
        scenario.expect_text(words);
    }
    scenario.finish();
}

#[test]
fn a_secret_is_revealed() {
    let mut scenario = Scenario::playing();
    scenario.press_with_alt(Key::Num6);
    scenario.click("Untold secrets");
    scenario.expect_text("Reveal to the table");
    let before = scenario.state();
    scenario.press(Key::T);
    scenario.wait_until("the reveal", |scenario| scenario.state().position() > before.position());
    let state = scenario.state();
    let summary = state.journal().next_back().unwrap().1.operation.summary.clone();
    let learned = state.facts().filter(|fact| query::facts::is_secret(&before, fact)).filter(|fact| {
        let (then, now) = (players_who_know(&before, fact.statement()), players_who_know(&state, fact.statement()));
        then < now && now == PLAYERS.len()
    });
    assert_eq!(learned.count(), 1, "{summary}");
    scenario.finish();
}

#[test]
fn the_session_ends_with_a_report_and_a_recap() {
    let mut scenario = Scenario::playing();
    let lines = ["We have the ledger, Mirela.", "Then hide it again, and pay Lise what you promised her."];
    let line = |(speaker, text): (&str, &str)| LogLine { speaker: Some(id(speaker).into()), ..LogLine::new(text) };
    let lines = ["wren-oake", "mirela-voss"].into_iter().zip(lines).map(line).collect();
    scenario.harness.state().memory.log(Author::Dm, Log { lines, ..Log::default() }).unwrap().wait().unwrap();
    scenario.settle();
    scenario.press_with_alt(Key::Num0);
    scenario.press(Key::E);
    scenario.press(Key::Enter);
    for words in ["Facts to confirm", "The players learned", "What changed", "Open threads"] {
        scenario.expect_text(words);
    }
    assert!(scenario.state().active_session().is_none());
    scenario.press(Key::C);
    scenario.expect_text("Recap text");
    scenario.press(Key::Y);
    scenario.wait_until("the recap on the clipboard", |scenario| scenario.harness.state().copied.is_some());
    assert!(scenario.copied().contains("We have the ledger"), "{}", scenario.copied());
    scenario.finish();
}

#[test]
fn three_days_pass() {
    let mut scenario = Scenario::new();
    let before = scenario.state();
    scenario.press_with_alt(Key::Num8);
    scenario.press(Key::Num3);
    scenario.expect_text("Let it pass");
    scenario.press(Key::Enter);
    scenario.wait_until("three days", |scenario| scenario.state().clock() > before.clock());
    let state = scenario.state();
    assert_eq!(state.clock().unwrap().0 - before.clock().unwrap().0, 3 * 24 * 60);
    assert!(state.all_knowledge().count() > before.all_knowledge().count(), "a character learned a fact");
    assert_eq!(scenario.harness.state().desk.active(), PanelKind::Time);
    scenario.finish();
}

#[test]
fn everyone_saw_the_fight() {
    let mut scenario = Scenario::playing();
    let before = scenario.state();
    scenario.press_with_alt(Key::Num4);
    scenario.click("Event");
    scenario.type_text("Hob breaks a stool on Pell");
    scenario.press(Key::Enter);
    scenario.wait_until("what happened", |scenario| scenario.state().position() > before.position());
    assert_eq!(players_who_know(&scenario.state(), "Hob breaks a stool on Pell"), PLAYERS.len());
    scenario.finish();
}

#[test]
fn something_never_was_so() {
    let mut scenario = Scenario::playing();
    let before = scenario.state();
    let pie = before.facts().find(|fact| fact.statement().contains("nutmeg in the eel pie")).unwrap();
    scenario.press_with_ctrl(Key::K);
    scenario.type_text("nutmeg");
    scenario.expect_text(pie.statement());
    scenario.press(Key::Enter);
    scenario.click(&format!("Edit: {}", pie.statement()));
    scenario.click("Never true");
    scenario.wait_until("the retcon", |scenario| scenario.state().fact(pie.id()).is_none());
    // One key undoes the change.
    scenario.press(Key::Escape);
    scenario.press_with_ctrl(Key::Z);
    scenario.wait_until("the undo", |scenario| scenario.state().fact(pie.id()).is_some());
    scenario.finish();
}

#[test]
fn somebody_is_improvised() {
    let mut scenario = Scenario::playing();
    scenario.press_with_ctrl(Key::L);
    scenario.type_text("+Bram, ferryman, Salt Quay");
    scenario.press(Key::Enter);
    scenario.wait_until("Bram", |scenario| scenario.state().entity(&id("bram")).is_some());
    let state = scenario.state();
    assert_eq!(state.kind(&id("bram")), Some(hearsay_model::Kind::Npc));
    let knows = View::new(&state, &Knower::Entity(id("bram")), None).facts().count();
    assert!(knows > 10, "he knows what the place knows, not {knows} facts");
    scenario.finish();
}

#[test]
fn while_players_look_no_panel_shows_a_secret() {
    let mut scenario = Scenario::playing();
    let state = scenario.state();
    let secrets: Vec<String> = state
        .facts()
        .filter(|fact| query::facts::is_secret(&state, fact) && fact.statement().split_whitespace().count() > 3)
        .map(|fact| fact.statement().to_owned())
        .collect();
    // Names in a sentence are links, and the pieces between them are separate texts.
    let screen_text = |scenario: &Scenario| scenario.texts().concat();
    let count_shown_secrets =
        |scenario: &Scenario| secrets.iter().filter(|secret| screen_text(scenario).contains(secret.as_str())).count();
    let panels = [Key::Num6, Key::Num7, Key::Num8, Key::Num9, Key::Num0];
    let mut shown_secrets = 0;
    for screen_safe in [false, true] {
        scenario.harness.state_mut().desk.set_screen_safe(screen_safe);
        for panel in panels {
            scenario.press_with_alt(panel);
            for key in [Key::Num3, Key::R, Key::N] {
                scenario.press(key);
                scenario.wait_until("all data", |scenario| !scenario.is_reading());
                match screen_safe {
                    false => shown_secrets += count_shown_secrets(&scenario),
                    true => assert_eq!(count_shown_secrets(&scenario), 0, "{panel:?} {key:?}: {:?}", scenario.texts()),
                }
            }
        }
    }
    assert!(shown_secrets > 5, "the DM sees secrets: {shown_secrets}");
}
