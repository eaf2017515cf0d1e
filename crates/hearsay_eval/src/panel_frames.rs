//! Measures the cost of the DM's panels on the main thread, per frame, with a large generated campaign. The measurement
//! runs the real panel code without a window.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use bevy_hearsay_panel::{Desk, PanelKind, Request};
use egui::{Event, Key, Modifiers, RawInput};
use hearsay_commands::session::{NewSession, SessionStep};
use hearsay_engine::{Memory, MemoryOptions};
use hearsay_model::{
    Author, Change, Confidence, Entity, EntityId, Fact, FactStatus, Knower, KnowledgeEdge, Method, Operation,
    Provenance,
};
use serde::Serialize;

use crate::{
    frames::{SchedulingDelays, quantile},
    speed,
};

/// Parameters of a measurement of the panels.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Number of entities in the generated campaign.
    pub entities: usize,
    /// Number of facts in the generated campaign.
    pub facts: usize,
    /// Number of facts that wait for review.
    pub rows: usize,
    /// Number of measured frames per panel.
    pub frames: usize,
}

/// The time that a panel takes per frame on the main thread, in milliseconds. The time covers all visible panels, with
/// this panel in front, until the triangles for the renderer are computed.
#[derive(Debug, Clone, Serialize)]
pub struct Cost {
    /// The name of the panel, and a few words about its contents or the simulated input.
    pub panel: String,
    /// Number of measured frames, including frames in which the panel read its data again.
    pub frames: usize,
    /// Median time of a frame, in milliseconds.
    pub ms_p50: f64,
    /// 99th percentile of the time of a frame, in milliseconds.
    pub ms_p99: f64,
    /// Time of the slowest frame, in milliseconds.
    pub worst_ms: f64,
    /// Median time of a frame in milliseconds, without the time in which the thread waited for a processor. `None` if
    /// the system does not report the waiting time.
    pub unhindered_ms_p50: Option<f64>,
    /// 99th percentile of the time of a frame in milliseconds, without the time in which the thread waited for a
    /// processor. `None` if the system does not report the waiting time.
    pub unhindered_ms_p99: Option<f64>,
    /// Largest time of a frame in milliseconds, without the time in which the thread waited for a processor. `None` if
    /// the system does not report the waiting time.
    pub unhindered_worst_ms: Option<f64>,
}

/// Duration of a frame on the screen.
const FRAME_TIME: Duration = Duration::from_nanos(16_666_667);

/// Number of frames before the first counted frame. Fonts and data are loaded in these frames.
const WARM_UP: usize = 120;

/// Maximum time until the panels have loaded their data.
const MAX_WAIT: Duration = Duration::from_secs(300);

/// A function that returns the key that the simulated DM presses in the frame with the given number, if any.
type KeyScript = fn(usize) -> Option<Key>;

fn navigate(frame: usize) -> Option<Key> {
    frame.is_multiple_of(6).then_some(if frame.is_multiple_of(60) { Key::K } else { Key::J })
}

fn accept(frame: usize) -> Option<Key> {
    frame.is_multiple_of(20).then_some(Key::A)
}

fn press_nothing(_: usize) -> Option<Key> {
    None
}

/// Measures the panels one after the other. Calls `report` with the cost of each panel as soon as the panel was
/// measured.
///
/// # Errors
/// Returns an error if the world cannot be generated, or if the memory returns an error.
pub fn measure(plan: Plan, report: &mut dyn FnMut(&Cost) -> Result<()>) -> Result<()> {
    ensure!(plan.frames > 0, "the number of frames must be at least 1");
    let (memory, people) = world(plan)?;
    let hub = &people[0];
    let mut desk = Desk::default();
    let mut screen = Screen { ctx: egui::Context::default(), delays: SchedulingDelays::new(), frame: 0 };
    let start = Instant::now();
    while desk.is_busy() || desk.panel_context().names.is_empty() || screen.frame < WARM_UP {
        screen.frame(&mut desk, &memory, None);
        ensure!(start.elapsed() < MAX_WAIT, "the panels are still loading data after {MAX_WAIT:?}");
    }
    let knowledge_search = || Request::Search("who knows where the lost boat lies?".into());
    let scene = || Request::Scene { place: None, speaker: Some(hub.clone()) };
    let runs: [(PanelKind, &str, Option<Request>, KeyScript); 14] = [
        (PanelKind::Review, "walking", None, navigate),
        (PanelKind::Review, "deciding", None, accept),
        (PanelKind::Search, "a name", Some(Request::Search("lark".into())), press_nothing),
        (PanelKind::Search, "who knows", Some(knowledge_search()), press_nothing),
        (PanelKind::Entity, "of many relations", Some(Request::ShowEntity(hub.clone())), press_nothing),
        (PanelKind::Scene, "asking", Some(scene()), press_nothing),
        (PanelKind::Graph, "around one", Some(Request::Graph(hub.clone())), press_nothing),
        (PanelKind::Graph, "whole", None, |frame| (frame == 1).then_some(Key::W)),
        (PanelKind::Threads, "walking", None, navigate),
        (PanelKind::Timeline, "walking", None, navigate),
        (PanelKind::Time, "three days", None, |frame| (frame == 1).then_some(Key::Num3)),
        (PanelKind::History, "walking", None, navigate),
        (PanelKind::Import, "", None, press_nothing),
        (PanelKind::Session, "", None, press_nothing),
    ];
    for (kind, label, request, key_script) in runs {
        if let Some(request) = request {
            desk.request(&screen.ctx, request);
        }
        desk.open(kind);
        let frame_times: Vec<FrameTime> =
            (0..plan.frames).map(|frame| screen.frame(&mut desk, &memory, key_script(frame))).collect();
        report(&cost(format!("{} {label}", kind.name()).trim_end().to_owned(), &frame_times))?;
    }
    memory.close()?;
    Ok(())
}

/// Duration of a frame, and the part of it in which the main thread waited for a processor, if the system reports it.
type FrameTime = (Duration, Option<Duration>);

fn cost(panel: String, frame_times: &[FrameTime]) -> Cost {
    let sorted = |time: &dyn Fn(&FrameTime) -> Option<Duration>| -> Option<Vec<f64>> {
        let mut times: Vec<f64> =
            frame_times.iter().map(|frame_time| Some(time(frame_time)?.as_secs_f64() * 1e3)).collect::<Option<_>>()?;
        times.sort_by(f64::total_cmp);
        Some(times)
    };
    let total = sorted(&|(frame_time, _)| Some(*frame_time)).unwrap_or_default();
    let unhindered = sorted(&|(frame_time, delay)| Some(frame_time.saturating_sub((*delay)?)));
    let unhindered = |fraction: f64| unhindered.as_ref().map(|unhindered| quantile(unhindered, fraction));
    Cost {
        panel,
        frames: frame_times.len(),
        ms_p50: quantile(&total, 0.5),
        ms_p99: quantile(&total, 0.99),
        worst_ms: quantile(&total, 1.0),
        unhindered_ms_p50: unhindered(0.5),
        unhindered_ms_p99: unhindered(0.99),
        unhindered_worst_ms: unhindered(1.0),
    }
}

/// A simulated window.
struct Screen {
    ctx: egui::Context,
    delays: Option<SchedulingDelays>,
    frame: usize,
}

impl Screen {
    fn frame(&mut self, desk: &mut Desk, memory: &Memory, pressed: Option<Key>) -> FrameTime {
        self.frame += 1;
        let key = |key, pressed| Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::default(),
        };
        let input = RawInput {
            screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1920.0, 1080.0))),
            time: Some(self.frame as f64 * FRAME_TIME.as_secs_f64()),
            events: pressed.into_iter().flat_map(|pressed| [key(pressed, true), key(pressed, false)]).collect(),
            focused: true,
            ..RawInput::default()
        };
        let delay = self.delays.as_ref().and_then(SchedulingDelays::read);
        let start = Instant::now();
        let output = self.ctx.run_ui(input, |ui| desk.ui(ui, memory));
        let triangles = self.ctx.tessellate(output.shapes, output.pixels_per_point);
        let frame_time = start.elapsed();
        std::hint::black_box(triangles);
        let after = self.delays.as_ref().and_then(SchedulingDelays::read);
        let delay = after.zip(delay).map(|(after, before)| after.saturating_sub(before));
        thread::sleep(FRAME_TIME.saturating_sub(frame_time));
        (frame_time, delay)
    }
}

/// Creates a memory with a generated world, four player characters, and facts that wait for review.
fn world(plan: Plan) -> Result<(Memory, Vec<EntityId>)> {
    let mut options = MemoryOptions::in_memory();
    options.settings.model.enabled = false;
    options.settings.extraction.enabled = false;
    let memory = Memory::open(options)?;
    let (people, mut changes) = speed::GeneratedWorld::generate(plan.entities, plan.facts)?.into_parts();
    let provenance = || Provenance::new(Method::Authored, Author::Dm);
    for number in 0..4 {
        let (id, name) = (EntityId::new(format!("player-{number}"))?, format!("Player {number}"));
        changes.push(Change::AddEntity(Entity::new(id.clone())));
        for (attribute, value) in [("name", name.as_str()), ("kind", "player")] {
            let fact = Fact::attribute(&id, attribute, value, provenance())?.statement(value).build()?;
            let edge = KnowledgeEdge::authored(Knower::Entity(id.clone()), fact.id());
            changes.extend([Change::AssertFact(fact.into()), Change::Learn(edge.into())]);
        }
    }
    for number in 0..plan.rows {
        let (subject, object) = (&people[number * 31 % people.len()], &people[(number * 17 + 5) % people.len()]);
        let confidence = Confidence::new(0.3 + (number % 40) as f64 / 100.0)?;
        let proposal_provenance = Provenance { confidence, ..Provenance::new(Method::Inferred, Author::Extractor) };
        let statement = format!("{subject} is said to owe {object} {number} crowns.");
        let fact =
            Fact::attribute(subject, "lore", statement.as_str(), proposal_provenance)?.statement(statement.as_str());
        changes.push(Change::AssertFact(fact.status(FactStatus::Proposed).build()?.into()));
    }
    let operation = Operation::new(Author::Dm, "a world", changes);
    memory.write(move |_| Ok(operation.clone()))?.wait()?;
    memory.session(Author::Dm, SessionStep::Start(NewSession::default()))?.wait()?;
    Ok((memory, people))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_panel_is_drawn_in_a_small_world() {
        let mut costs = Vec::new();
        let plan = Plan { entities: 120, facts: 400, rows: 30, frames: 12 };
        measure(plan, &mut |cost| {
            costs.push(cost.clone());
            Ok(())
        })
        .unwrap();
        for kind in PanelKind::ALL {
            assert!(costs.iter().any(|cost| cost.panel.starts_with(kind.name())), "{kind:?}");
        }
        assert!(costs.iter().all(|cost| cost.frames == 12 && cost.ms_p50 > 0.0 && cost.worst_ms >= cost.ms_p99));
    }
}
