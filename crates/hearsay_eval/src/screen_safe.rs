//! Searches for leaks on the screen. In screen-safe mode, the panels must depend only on data that all players know.
//!
//! The measurement generates a world with two player characters, adds secrets that contain an invented word, and draws
//! all panels of the DM console in screen-safe mode. It then removes all data that is unknown to at least one player
//! character, and thus also the invented word. It draws the panels for the remaining world. All texts on the two
//! screens must be equal.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use bevy_hearsay_panel::{Desk, PanelKind, Request};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, RawInput, Shape};
use hearsay_belief::View;
use hearsay_engine::{Memory, MemoryOptions};
use hearsay_model::{
    Acquisition, ActiveSession, Author, CampaignInfo, Change, EditedRecap, Entity, EntityId, Fact, FactStatus,
    GameSetting, Knower, KnowledgeEdge, Method, Operation, Passage, Provenance, RecapReader, Secrecy, Session,
    SessionId, SessionSetting, Setting, State, WorldSetting, attribute,
};

use crate::{Random, worlds::GeneratedWorld};

/// A word that occurs only in secrets.
const SECRET_WORD: &str = "Zyxomma";

/// The player characters of each world.
const PLAYERS: [&str; 2] = ["ann", "bob"];

/// Maximum time until the two screens show the same texts.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Minimum time that the panels get to read their data after an input.
const MIN_WAIT: Duration = Duration::from_millis(25);

/// The result of a comparison of several worlds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScreenReport {
    /// Number of compared worlds.
    pub worlds: usize,
    /// Number of compared screens.
    pub screens: usize,
    /// Number of texts on these screens.
    pub texts: usize,
    /// Descriptions of the screens that differ or show a secret.
    pub differences: Vec<String>,
}

/// Compares the screens of generated worlds with the screens of the same worlds without the secrets.
///
/// # Errors
/// Returns an error if a world is invalid or the memory returns an error.
pub fn compare_screens(worlds: std::ops::Range<usize>, seed: u64) -> Result<ScreenReport> {
    let mut report = ScreenReport::default();
    for world in worlds {
        let changes = changes_of(&world_with_secrets(seed, world as u64)?);
        // The screen shows the state that one operation creates, so the public world is derived from the same state.
        let mut state = State::default();
        state.apply(Operation::new(Author::Game, "a world", changes.clone()))?;
        let public_changes = without_secrets(&state)?;
        let mut complete = Screen::open(changes)?;
        ensure!(!format!("{public_changes:?}").contains(SECRET_WORD), "world {world}: the secrets are still there");
        let mut common = Screen::open(public_changes)?;
        for step in steps() {
            complete.carry_out(&step);
            common.carry_out(&step);
            let texts = wait_for_equal_texts(&mut complete, &mut common);
            report.screens += 1;
            report.texts += texts.0.len();
            if let Some(difference) = difference(&texts.0, &texts.1) {
                report.differences.push(format!("world {world}, {step:?}: {difference}"));
            }
        }
        report.worlds += 1;
    }
    Ok(report)
}

/// Returns the first difference between the texts of the complete world and those of the world without secrets.
fn difference(complete: &[String], common: &[String]) -> Option<String> {
    if complete == common {
        return None;
    }
    let at = complete.iter().zip(common).take_while(|(a, b)| a == b).count();
    Some(format!("text {at}: {:?} and {:?} without secrets", complete.get(at), common.get(at)))
}

fn wait_for_equal_texts(complete: &mut Screen, common: &mut Screen) -> (Vec<String>, Vec<String>) {
    let started_at = Instant::now();
    loop {
        let texts = (complete.frame(Vec::new()), common.frame(Vec::new()));
        let is_ready = complete.is_ready() && common.is_ready() && started_at.elapsed() >= MIN_WAIT;
        if is_ready && texts.0 == texts.1 || started_at.elapsed() > TIMEOUT {
            return texts;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// An input to the DM console.
#[allow(clippy::large_enum_variant, reason = "a world has about a hundred inputs")]
#[derive(Debug, Clone)]
enum Step {
    Open(PanelKind),
    Request(Request),
    Press(Key),
    Click(&'static str),
    Type(&'static str),
}

/// Returns the inputs that show all panels, their parts, and the completion of names.
fn steps() -> Vec<Step> {
    let id = |text: &str| EntityId::new(text).ok();
    let mut steps: Vec<Step> = PanelKind::ALL.into_iter().map(Step::Open).collect();
    for text in ["Ann", "the Grey Lady", "ledger", "Zyxomma", "who knows Zyxomma"] {
        steps.push(Step::Request(Request::Search(text.into())));
    }
    for entity in ["ann", "cat", "dan", "guild", "inn", "zyxomma"].into_iter().filter_map(id) {
        steps.push(Step::Request(Request::ShowEntity(entity.clone())));
        steps.extend(["Knows", "Secrets", "Words"].map(Step::Click));
        steps.push(Step::Request(Request::Graph(entity)));
    }
    steps.extend([Step::Press(Key::D), Step::Press(Key::W)]);
    steps.push(Step::Request(Request::Scene { place: id("inn"), speaker: id("cat") }));
    steps.push(Step::Press(Key::R));
    steps.push(Step::Open(PanelKind::Timeline));
    steps.push(Step::Press(Key::N));
    steps.push(Step::Open(PanelKind::Session));
    steps.extend([Key::L, Key::R, Key::C].map(Step::Press));
    steps.push(Step::Click("For the players"));
    steps.push(Step::Request(Request::Undo));
    // The capture line completes the names of entities.
    for text in ["Zyx", "the Gr", "Ca"] {
        steps.extend([Step::Type(text), Step::Press(Key::Escape)]);
    }
    steps
}

/// A DM console in screen-safe mode, in a simulated window.
struct Screen {
    ctx: egui::Context,
    desk: Desk,
    memory: Memory,
    frame: usize,
    /// The texts of the last frame, with the positions of their centres.
    texts: Vec<(String, Pos2)>,
}

impl Screen {
    fn open(changes: Vec<Change>) -> Result<Self> {
        let mut options = MemoryOptions::in_memory();
        options.settings.model.enabled = false;
        options.settings.extraction.enabled = false;
        let memory = Memory::open(options)?;
        let operation = Operation::new(Author::Game, "a world", changes);
        memory.write(move |_| Ok(operation.clone()))?.wait().context("the world is invalid")?;
        let mut desk = Desk::default();
        desk.set_screen_safe(true);
        Ok(Self { ctx: egui::Context::default(), desk, memory, frame: 0, texts: Vec::new() })
    }

    /// Returns whether no read is known to be in progress.
    fn is_ready(&self) -> bool {
        let is_waiting = |text: &str| ["Reading", "Computing", "Searching"].iter().any(|word| text.starts_with(word));
        !self.desk.is_busy() && !self.texts.iter().any(|(text, _)| is_waiting(text))
    }

    fn carry_out(&mut self, step: &Step) {
        match step {
            Step::Open(kind) => self.desk.open(*kind),
            Step::Request(request) => {
                let ctx = self.ctx.clone();
                self.desk.request(&ctx, request.clone());
            }
            Step::Press(key) => self.press(*key, Modifiers::NONE),
            Step::Type(text) => {
                // Ctrl+L moves the focus to the capture line.
                self.press(Key::L, Modifiers::COMMAND);
                self.frame(vec![Event::Text((*text).into())]);
            }
            Step::Click(label) => {
                let centre = self.texts.iter().find(|(text, _)| text.starts_with(label)).map(|(_, centre)| *centre);
                for pressed in [true, false].into_iter().filter(|_| centre.is_some()) {
                    let pos = centre.unwrap_or_default();
                    let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
                    let event = Event::PointerButton { pos, button, pressed, modifiers };
                    self.frame(vec![Event::PointerMoved(pos), event]);
                }
                self.frame(vec![Event::PointerGone]);
            }
        }
    }

    fn press(&mut self, key: Key, modifiers: Modifiers) {
        let event = |pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
        let released = Event::ModifiersChanged(Modifiers::NONE);
        self.frame(vec![Event::ModifiersChanged(modifiers), event(true), event(false), released]);
    }

    /// Draws a frame and returns its texts.
    fn frame(&mut self, events: Vec<Event>) -> Vec<String> {
        self.frame += 1;
        let input = RawInput {
            screen_rect: Some(egui::Rect::from_min_size(Pos2::ZERO, egui::vec2(1800.0, 2400.0))),
            time: Some(self.frame as f64 / 20.0),
            events,
            focused: true,
            ..RawInput::default()
        };
        let Self { ctx, desk, memory, .. } = self;
        let output = ctx.run_ui(input, |ui| desk.ui(ui, memory));
        self.texts.clear();
        output.shapes.iter().for_each(|clipped| add_texts(&clipped.shape, &mut self.texts));
        self.texts.iter().map(|(text, _)| text.clone()).collect()
    }
}

fn add_texts(shape: &Shape, texts: &mut Vec<(String, Pos2)>) {
    match shape {
        Shape::Vec(shapes) => shapes.iter().for_each(|shape| add_texts(shape, texts)),
        Shape::Text(text) if !text.galley.text().trim().is_empty() => {
            texts.push((text.galley.text().to_owned(), text.visual_bounding_rect().center()));
        }
        _ => {}
    }
}

fn provenance() -> Provenance {
    Provenance::new(Method::Authored, Author::Dm)
}

/// Generates a world with player characters, public names, a running session and secrets.
fn world_with_secrets(seed: u64, number: u64) -> Result<State> {
    let mut random = Random::new(seed, number);
    let mut state = GeneratedWorld::generate(&mut random).state;
    // The kinds of the player characters are set below.
    let is_generated_kind =
        |fact: &&Arc<Fact>| *fact.predicate() == *attribute::KIND && PLAYERS.contains(&fact.subject().as_str());
    let mut changes: Vec<Change> =
        state.facts().filter(is_generated_kind).map(|fact| Change::RetractFact(fact.id())).collect();
    let mut add = |fact: Fact, knowers: Vec<Knower>| {
        let id = fact.id();
        changes.push(Change::AssertFact(Arc::new(fact)));
        changes.extend(knowers.into_iter().map(|knower| Change::Learn(Arc::new(KnowledgeEdge::authored(knower, id)))));
    };
    for id in PLAYERS {
        let kind = Fact::attribute(&EntityId::new(id)?, attribute::KIND, "player", provenance())?.build()?;
        add(kind, vec![Knower::World]);
    }
    let entities: Vec<EntityId> = state.entities().map(|entity| entity.id.clone()).collect();
    for id in &entities {
        if random.percent(75) {
            let name = state.name(id).map_or_else(|| format!("the {id}"), str::to_owned);
            let name = Fact::attribute(id, attribute::NAME, name, Provenance::new(Method::Imported, Author::Dm))?;
            add(name.build()?, vec![Knower::World]);
        }
        let person = Knower::Entity(EntityId::new(*random.choose(&["cat", "dan"]).unwrap_or(&"cat"))?);
        let other = random.choose(&entities).unwrap_or(id);
        let alias = Fact::attribute(id, attribute::ALIAS, format!("{SECRET_WORD} {id}"), provenance())?;
        add(alias.secrecy(Secrecy::Secret).build()?, vec![Knower::Entity(EntityId::new("cat")?)]);
        let lore = format!("{SECRET_WORD} hid the {id}.");
        let status =
            *random.choose(&[FactStatus::Canon, FactStatus::False, FactStatus::Proposed]).unwrap_or(&FactStatus::Canon);
        let secret = Fact::attribute(id, "lore", lore.as_str(), provenance())?.statement(lore.as_str()).status(status);
        add(secret.build()?, if status == FactStatus::Proposed { vec![] } else { vec![person] });
        let debt = format!("{id} owes {other} for {SECRET_WORD}.");
        let debt = Fact::relation(id, "OWES", other, provenance())?.statement(debt).build()?;
        add(debt, vec![Knower::Entity(EntityId::new(PLAYERS[0])?)]);
    }
    let (session, hidden) = (SessionId::new("s1")?, EntityId::new("zyxomma")?);
    changes.push(Change::AddEntity(Entity::new(hidden.clone())));
    let name = Fact::attribute(&hidden, attribute::NAME, SECRET_WORD, provenance())?.build()?;
    changes.push(Change::AssertFact(Arc::new(name)));
    for (line, hearers) in [(1, &PLAYERS[..]), (2, &PLAYERS[..1]), (3, &["cat"][..])] {
        let word = if line == 1 { "bread" } else { SECRET_WORD };
        let heard_by = hearers.iter().filter_map(|id| EntityId::new(*id).ok()).map(Knower::Entity).collect();
        let (session, speaker) = (Some(session.clone()), Some(EntityId::new(if line == 1 { "cat" } else { "dan" })?));
        let text = format!("I sold the {word} to the guild.");
        let mentions = vec![hidden.clone()];
        let passage = Passage { session, line, heard_by, speaker, mentions, ..Passage::new(text) };
        changes.push(Change::AddPassage(Arc::new(passage)));
    }
    let recap = EditedRecap { session: session.clone(), reader: RecapReader::Dm, text: format!("{SECRET_WORD} won.") };
    changes.push(Change::Set(Setting::Session(SessionSetting::Recap(recap))));
    let here = PLAYERS.iter().map(|id| EntityId::new(*id)).collect::<Result<_, _>>()?;
    let place = Some(EntityId::new("inn")?);
    let playing = ActiveSession { session, here, absent: BTreeMap::new(), place, time: None };
    changes.push(Change::Set(Setting::Session(SessionSetting::Playing(playing))));
    let description = format!("The story of {SECRET_WORD}.");
    let campaign = CampaignInfo { name: "A world".into(), description, ..CampaignInfo::default() };
    changes.push(Change::Set(Setting::World(WorldSetting::Campaign(campaign))));
    state.apply(Operation::new(Author::Dm, format!("secrets of {SECRET_WORD}"), changes))?;
    Ok(state)
}

/// Returns the changes that create a state.
fn changes_of(state: &State) -> Vec<Change> {
    let entities = state.entities().map(|entity| Change::AddEntity(Entity::clone(entity)));
    let sessions = state.sessions().map(|session| Change::SetSession(Session::clone(session)));
    let passages = state.passages().map(|(_, passage)| Change::AddPassage(Arc::clone(passage)));
    let facts = state.facts_by_assertion().into_iter().map(|fact| Change::AssertFact(Arc::clone(fact)));
    let edges = state.all_knowledge().map(|(_, edge)| Change::Learn(Arc::clone(edge)));
    let settings = state.settings().map(|setting| Change::Set(Setting::clone(setting)));
    entities.chain(sessions).chain(passages).chain(facts).chain(edges).chain(settings).collect()
}

/// Returns the changes that create the same world without all data that some player character does not know.
fn without_secrets(state: &State) -> Result<Vec<Change>> {
    let players: Vec<EntityId> = PLAYERS.iter().map(|id| EntityId::new(*id)).collect::<Result<_, _>>()?;
    let views: Vec<View> = players.iter().map(|id| View::new(state, &id.clone().into(), None)).collect();
    let all_know = |fact: &Fact| {
        let is_open = fact.secrecy() != Secrecy::Secret && fact.status().is_knowable();
        is_open && views.iter().all(|view| view.fact(fact.id()).is_some_and(|known| !known.conceals()))
    };
    let names = state.facts().filter(|fact| *fact.predicate() == *attribute::NAME && all_know(fact));
    let entities: BTreeSet<EntityId> =
        names.map(|fact| fact.subject().clone()).chain(players.iter().cloned()).collect();
    let public = |id: &Option<EntityId>| id.clone().filter(|id| entities.contains(id));
    let mut changes: Vec<Change> = entities.iter().cloned().map(Entity::new).map(Change::AddEntity).collect();
    for session in state.sessions() {
        let present = session.present.iter().filter(|id| players.contains(id)).cloned().collect();
        changes.push(Change::SetSession(Session { present, ..Session::clone(session) }));
    }
    for fact in state.facts_by_assertion() {
        let is_kind = state.newest(fact.subject(), attribute::KIND).is_some_and(|kind| kind.id() == fact.id());
        let is_kept = all_know(fact) || is_kind && players.contains(fact.subject());
        if !is_kept || ![fact.subject()].into_iter().chain(fact.object().entity()).all(|id| entities.contains(id)) {
            continue;
        }
        changes.push(Change::AssertFact(Arc::new(fact.without_dm_data())));
        let edges: Vec<&Arc<KnowledgeEdge>> = state.known_by(fact.id()).collect();
        let (mut own, mut is_shared) = (BTreeSet::new(), false);
        for edge in edges {
            let is_player = edge.knower.entity().is_some_and(|id| players.contains(id));
            if !is_player && edge.knower != Knower::World {
                continue;
            }
            is_shared |= edge.knower == Knower::World;
            own.extend(edge.knower.entity().cloned());
            let acquisition = match &edge.acquisition {
                Acquisition::Told { by, citing } => Acquisition::Told { by: public(by), citing: public(citing) },
                Acquisition::Read { document } => Acquisition::Read { document: public(document) },
                Acquisition::Deduced { .. } => Acquisition::Authored,
                other => other.clone(),
            };
            let mut edge = KnowledgeEdge { acquisition, conceals: false, rank: None, ..KnowledgeEdge::clone(edge) };
            edge.sources.clear();
            edge.co_present.retain(|id| players.contains(id));
            changes.push(Change::Learn(Arc::new(edge)));
        }
        for player in players.iter().filter(|player| !is_shared && !own.contains(player)) {
            let edge = KnowledgeEdge::authored(Knower::Entity(player.clone()), fact.id());
            changes.push(Change::Learn(Arc::new(edge)));
        }
    }
    for (id, _) in views[0].passages().filter(|(id, _)| views[1].passage(*id).is_some()) {
        let seen: Vec<&Passage> = views.iter().filter_map(|view| Some(&*view.passage(id)?.passage)).collect();
        let is_hidden = seen.iter().any(|passage| passage.speaker.is_none());
        let speaker = seen[0].speaker.clone().filter(|speaker| !is_hidden && entities.contains(speaker));
        let (text, session, line, time) =
            (seen[0].text.clone(), seen[0].session.clone(), seen[0].line, seen[0].time.clone());
        let mut readers = seen[0].readers.clone();
        readers.retain(|reader| reader.knower.entity().is_some_and(|id| players.contains(id)));
        let is_reader = |id: &EntityId| readers.iter().any(|reader| reader.knower.entity() == Some(id));
        let is_hearer = |id: &EntityId| seen[0].heard_by.contains(&Knower::Entity(id.clone()));
        let hears = |id: &&EntityId| is_hearer(id) || !is_reader(id) && Some(*id) != speaker.as_ref();
        let heard_by = players.iter().filter(hears).cloned().map(Knower::Entity).collect();
        let (place, document) = (public(&seen[0].place), public(&seen[0].document));
        let talk_kind = seen[0].talk_kind;
        let passage = Passage {
            speaker,
            session,
            line,
            time,
            heard_by,
            readers,
            place,
            document,
            talk_kind,
            ..Passage::new(text)
        };
        changes.push(Change::AddPassage(Arc::new(passage)));
    }
    changes.extend(state.settings().filter_map(|setting| match &**setting {
        Setting::World(WorldSetting::Campaign(campaign)) => {
            let campaign = CampaignInfo { name: campaign.name.clone(), ..CampaignInfo::default() };
            Some(Change::Set(Setting::World(WorldSetting::Campaign(campaign))))
        }
        Setting::Game(GameSetting::Clock(_)) | Setting::World(WorldSetting::Calendar(_)) => {
            Some(Change::Set(Setting::clone(setting)))
        }
        Setting::Session(SessionSetting::Playing(playing)) => {
            let playing = ActiveSession { place: public(&playing.place), ..playing.clone() };
            Some(Change::Set(Setting::Session(SessionSetting::Playing(playing))))
        }
        _ => None,
    }));
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name of the environment variable with the number of worlds to compare.
    const WORLDS_VARIABLE: &str = "HEARSAY_SCREEN_WORLDS";

    #[test]
    fn what_players_see_does_not_depend_on_secrets() {
        let worlds = std::env::var(WORLDS_VARIABLE).ok().and_then(|worlds| worlds.parse().ok()).unwrap_or(20);
        let report = compare_screens(0..worlds, 1).unwrap();
        assert_eq!(report.worlds, worlds);
        assert!(report.texts > 40 * report.screens, "the screens are not empty: {report:?}");
        assert!(
            report.differences.is_empty(),
            "{} of {}: {:#?}",
            report.differences.len(),
            report.screens,
            report.differences
        );
    }

    #[test]
    fn a_secret_on_the_screen_is_a_difference() {
        let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(difference(&texts(&["Ann"]), &texts(&["Ann"])), None);
        assert!(difference(&texts(&["Ann", SECRET_WORD]), &texts(&["Ann"])).is_some());
        assert!(difference(&texts(&["15 relations"]), &texts(&["2 relations"])).is_some());
    }
}
