//! Tests of ten typical moments of a session at the table, with the complete desk and the real engine. Each moment may
//! take at most ten seconds of input: five keys count as one second, and so does one click.

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
    testing::{PATIENCE, gullhaven, shows},
};

/// Time that one key press counts, in seconds. `CLICK` is the time of one click.
const KEY: f32 = 0.2;
const CLICK: f32 = 1.0;

struct Seat {
    desk: Desk,
    memory: Memory,
    copied: Option<String>,
}

/// The desk in a test, with the time that the DM has spent on keys and clicks.
struct Table {
    harness: Harness<'static, Seat>,
    seconds: f32,
}

impl Table {
    /// Opens the example campaign in a window of 1600×900.
    fn new() -> Self {
        Self::with(gullhaven())
    }

    /// Opens the example campaign during a session at the Gilded Gull.
    fn playing() -> Self {
        let memory = gullhaven();
        let new = NewSession { place: Some("the-gilded-gull".into()), ..NewSession::default() };
        memory.session(Author::Dm, SessionStep::Start(new)).unwrap().wait().unwrap();
        Self::with(memory)
    }

    fn with(memory: Memory) -> Self {
        let seat = Seat { desk: Desk::default(), memory, copied: None };
        let frame = |ui: &mut egui::Ui, seat: &mut Seat| {
            seat.desk.ui(ui, &seat.memory);
            // A step of the harness runs several frames and returns only the output of the last frame, so collect
            // copied text here.
            let copied = ui.ctx().output(|output| output.commands.iter().find_map(copied));
            seat.copied = copied.or(seat.copied.take());
        };
        let harness = Harness::builder().with_size([1600.0, 900.0]).build_ui_state(frame, seat);
        let mut table = Self { harness, seconds: 0.0 };
        table.rest();
        table
    }

    fn step(&mut self) {
        self.harness.step();
    }

    /// Waits for all pending work, without input.
    fn rest(&mut self) {
        let begun = Instant::now();
        let mut quiet = 0;
        while quiet < 12 {
            self.step();
            let busy = self.harness.state().desk.is_busy() || self.is_reading();
            quiet = if busy { 0 } else { quiet + 1 };
            std::thread::sleep(Duration::from_millis(4));
            assert!(begun.elapsed() < PATIENCE, "the desk still has pending work");
        }
    }

    fn key(&mut self, key: Key) {
        self.keys(Modifiers::NONE, key);
    }

    /// Presses a key with modifiers. Modifiers count as one additional key press.
    fn keys(&mut self, modifiers: Modifiers, key: Key) {
        self.seconds += KEY * if modifiers.any() { 2.0 } else { 1.0 };
        self.harness.key_press_modifiers(modifiers, key);
        self.rest();
    }

    fn ctrl(&mut self, key: Key) {
        self.keys(Modifiers::COMMAND, key);
    }

    fn alt(&mut self, key: Key) {
        self.keys(Modifiers::ALT, key);
    }

    fn types(&mut self, text: &str) {
        for letter in text.chars() {
            self.seconds += KEY;
            self.harness.event(Event::Text(letter.to_string()));
            self.step();
        }
        self.rest();
    }

    fn click(&mut self, name: &str) {
        self.until(name, |table| table.harness.query_all_by_label(name).next().is_some());
        // Wait first, because pending data can move the widget to be clicked.
        self.rest();
        self.seconds += CLICK;
        self.harness.get_all_by_label(name).next().unwrap().click();
        self.rest();
    }

    /// Waits until a condition is true, without input.
    fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !is_so(self) {
            self.step();
            std::thread::sleep(Duration::from_millis(2));
            let late = begun.elapsed() > PATIENCE;
            assert!(!late, "timeout while waiting for {what}; on the screen: {:?}", self.texts());
        }
    }

    fn sees(&mut self, words: &str) {
        self.until(words, |table| shows(&table.harness, words));
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

    /// Ends the moment and checks its duration.
    fn done(self) {
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
    let knows = |who: &&str| {
        let view = View::of(state, &Knower::Entity(id(who)), None);
        view.facts().any(|known| known.statement().contains(sentence))
    };
    PLAYERS.iter().filter(|who| knows(who)).count()
}

#[test]
fn before_the_session_the_dm_sees_what_is_open() {
    let mut table = Table::new();
    table.alt(Key::Num6);
    table.sees("Who killed the clerk?");
    table.click("Untold secrets");
    table.until("secrets alone", |table| !shows(&table.harness, "Who killed the clerk?"));
    table.ctrl(Key::K);
    table.types("mirela");
    table.sees("Mirela Voss");
    table.key(Key::Enter);
    table.sees("First met");
    table.done();
}

#[test]
fn the_session_begins_with_a_recap_for_the_players() {
    let mut table = Table::new();
    table.alt(Key::Num0);
    table.key(Key::C);
    table.click("For the players");
    table.sees("Recap for the players");
    table.key(Key::Y);
    table.until("the recap on the clipboard", |table| table.harness.state().copied.is_some());
    let (recap, state) = (table.copied().to_owned(), table.state());
    assert!(recap.split_whitespace().count() > 30, "{recap}");
    let secrets = state.facts().filter(|fact| query::facts::is_secret(&state, fact));
    for secret in secrets.filter(|fact| players_who_know(&state, fact.statement()) == 0) {
        assert!(!recap.contains(secret.statement()), "{}", secret.statement());
    }
    table.done();
}

#[test]
fn do_they_know_that() {
    let mut table = Table::playing();
    table.ctrl(Key::K);
    table.types("who knows ledger");
    table.sees("Who knows");
    table.sees("hid the harbour ledger under the floor");
    table.sees("Father Teodor");
    table.done();
}

#[test]
fn somebody_from_long_ago_walks_in() {
    let mut table = Table::playing();
    table.ctrl(Key::K);
    table.types("lise");
    table.sees("Lise Penhale");
    table.key(Key::Enter);
    for words in ["First met", "Last seen", "Open threads"] {
        table.sees(words);
    }
    table.done();
}

#[test]
fn a_secret_is_revealed() {
    let mut table = Table::playing();
    table.alt(Key::Num6);
    table.click("Untold secrets");
    table.sees("Reveal to the table");
    let before = table.state();
    table.key(Key::T);
    table.until("the reveal", |table| table.state().position() > before.position());
    let state = table.state();
    let summary = state.journal().next_back().unwrap().1.operation.summary.clone();
    let learned = state.facts().filter(|fact| query::facts::is_secret(&before, fact)).filter(|fact| {
        let (then, now) = (players_who_know(&before, fact.statement()), players_who_know(&state, fact.statement()));
        then < now && now == PLAYERS.len()
    });
    assert_eq!(learned.count(), 1, "{summary}");
    table.done();
}

#[test]
fn the_session_ends_with_a_report_and_a_recap() {
    let mut table = Table::playing();
    let lines = ["We have the ledger, Mirela.", "Then hide it again, and pay Lise what you promised her."];
    let line = |(speaker, text): (&str, &str)| LogLine { speaker: Some(speaker.into()), ..LogLine::new(text) };
    let lines = ["wren-oake", "mirela-voss"].into_iter().zip(lines).map(line).collect();
    table.harness.state().memory.log(Author::Dm, Log { lines, ..Log::default() }).unwrap().wait().unwrap();
    table.rest();
    table.alt(Key::Num0);
    table.key(Key::E);
    table.key(Key::Enter);
    for words in ["Review these first", "The players learned", "What changed", "Open threads"] {
        table.sees(words);
    }
    assert!(table.state().playing().is_none());
    table.key(Key::C);
    table.sees("Recap text");
    table.key(Key::Y);
    table.until("the recap on the clipboard", |table| table.harness.state().copied.is_some());
    assert!(table.copied().contains("We have the ledger"), "{}", table.copied());
    table.done();
}

#[test]
fn three_days_pass() {
    let mut table = Table::new();
    let before = table.state();
    table.alt(Key::Num8);
    table.key(Key::Num3);
    table.sees("Let it pass");
    table.key(Key::Enter);
    table.until("three days", |table| table.state().clock() > before.clock());
    let state = table.state();
    assert_eq!(state.clock().unwrap().0 - before.clock().unwrap().0, 3 * 24 * 60);
    assert!(state.all_knowledge().count() > before.all_knowledge().count(), "a character learned a fact");
    assert_eq!(table.harness.state().desk.active(), PanelKind::Time);
    table.done();
}

#[test]
fn everyone_saw_the_fight() {
    let mut table = Table::playing();
    let before = table.state();
    table.alt(Key::Num4);
    table.click("Event");
    table.types("Hob breaks a stool on Pell");
    table.key(Key::Enter);
    table.until("what happened", |table| table.state().position() > before.position());
    assert_eq!(players_who_know(&table.state(), "Hob breaks a stool on Pell"), PLAYERS.len());
    table.done();
}

#[test]
fn something_never_was_so() {
    let mut table = Table::playing();
    let before = table.state();
    let pie = before.facts().find(|fact| fact.statement().contains("nutmeg in the eel pie")).unwrap();
    table.ctrl(Key::K);
    table.types("nutmeg");
    table.sees(pie.statement());
    table.key(Key::Enter);
    table.click(&format!("Edit: {}", pie.statement()));
    table.click("Never true");
    table.until("the retcon", |table| table.state().fact(pie.id()).is_none());
    // One key undoes the change.
    table.key(Key::Escape);
    table.ctrl(Key::Z);
    table.until("the undo", |table| table.state().fact(pie.id()).is_some());
    table.done();
}

#[test]
fn somebody_is_improvised() {
    let mut table = Table::playing();
    table.ctrl(Key::L);
    table.types("+Bram, ferryman, Salt Quay");
    table.key(Key::Enter);
    table.until("Bram", |table| table.state().entity(&id("bram")).is_some());
    let state = table.state();
    assert_eq!(state.kind(&id("bram")), Some(hearsay_model::Kind::Npc));
    let knows = View::of(&state, &Knower::Entity(id("bram")), None).facts().count();
    assert!(knows > 10, "he knows what the place knows, not {knows} facts");
    table.done();
}

#[test]
fn while_players_look_no_panel_shows_a_secret() {
    let mut table = Table::playing();
    let state = table.state();
    let secrets: Vec<String> = state
        .facts()
        .filter(|fact| query::facts::is_secret(&state, fact) && fact.statement().split_whitespace().count() > 3)
        .map(|fact| fact.statement().to_owned())
        .collect();
    // Names in a sentence are links, and the pieces between them are separate texts.
    let shown = |table: &Table| table.texts().concat();
    let seen = |table: &Table| secrets.iter().filter(|secret| shown(table).contains(secret.as_str())).count();
    let panels = [Key::Num6, Key::Num7, Key::Num8, Key::Num9, Key::Num0];
    let mut open = 0;
    for safe in [false, true] {
        table.harness.state_mut().desk.set_screen_safe(safe);
        for panel in panels {
            table.alt(panel);
            for key in [Key::Num3, Key::R, Key::N] {
                table.key(key);
                table.until("all data", |table| !table.is_reading());
                match safe {
                    false => open += seen(&table),
                    true => assert_eq!(seen(&table), 0, "{panel:?} {key:?}: {:?}", table.texts()),
                }
            }
        }
    }
    assert!(open > 5, "the DM sees secrets: {open}");
}
