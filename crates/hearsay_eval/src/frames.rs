//! Measures the cost of the Bevy plugin for a game: the time that the plugin takes on the main thread in each frame.
//! During the measurement, thousands of characters move, and the memory's worker runs on another thread.
//!
//! Two games without a window run in one process at 60 frames per second: one with the plugin, one without. In each
//! frame, both games make the same changes. The measured time covers the changes and the frame. It therefore includes
//! the observers, hooks and systems of the plugin. The time of both games includes the cost of Bevy itself. The
//! plugin's own cost in a frame is the time of that frame in the game with the plugin, minus the median time of a frame
//! in the game without the plugin.
//!
//! Each frame runs in both games, one after the other, and the order alternates from frame to frame. Then the thread
//! sleeps until the next frame starts. The measurement ignores the first second, because buffers still grow in this
//! time. All systems of both games run on the main thread in sequence. The measured time therefore includes all work of
//! the plugin, and no frame waits for another thread of Bevy.
//!
//! Before this measurement, the program compares two other games in the same way. One game has hand-written lists of
//! locations and moves (`hand_written.rs`), and the other game has neither lists nor plugin. The difference between
//! their times is the minimum cost of tracking moves. The report also contains the time of the game without the plugin,
//! because this time shows the noise of the machine.
//!
//! On Linux, the report contains a second set of figures (*unhindered*). These figures do not include the time in which
//! the main thread waited for a processor, because the worker or other programs used all processors.

mod hand_written;

use std::{
    fs::File,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use bevy::{diagnostic::DiagnosticsStore, ecs::schedule::SingleThreadedExecutor, prelude::*, time::TimeUpdateStrategy};
use bevy_hearsay::{HearsayDiagnosticsPlugin, NpcMemory, prelude::*, testing};
use hearsay_engine::Settings;
use hearsay_model::{Predicate, PredicateRole};
use hearsay_query::records::Record;
use serde::Serialize;

use crate::Random;

/// Parameters of a measurement of the plugin.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Number of characters.
    pub npcs: usize,
    /// Number of changes per frame.
    pub changes: usize,
    /// Number of measured frames.
    pub frames: usize,
    /// Number of questions that wait for an answer at any time. A new question replaces each answered question.
    pub questions: usize,
}

/// The cost of the plugin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cost {
    /// Number of characters.
    pub npcs: usize,
    /// Number of changes per frame.
    pub changes: usize,
    /// Median of the plugin's own cost per frame on the main thread, in microseconds.
    pub frame_us_p50: f64,
    /// 99th percentile of the plugin's own cost per frame on the main thread, in microseconds.
    pub frame_us_p99: f64,
    /// Largest own cost of the plugin in a frame, on the main thread, in microseconds.
    pub worst_us: f64,
    /// Number of characters whose values in the memory differ from their values in the game, after the memory has
    /// finished all its work.
    pub dropped: usize,
    /// 99th percentile of the time from the first change of a batch to the commit of the batch, in milliseconds.
    pub commit_lag_ms_p99: f64,
    /// Number of questions that wait for an answer at any time.
    pub questions: usize,
    /// Number of questions that were answered during the measurement.
    pub answered: usize,
    /// Number of measured frames.
    pub frames: usize,
    /// Median cost per frame of tracking moves with hand-written lists instead of the plugin, in microseconds.
    pub by_hand_us_p50: f64,
    /// 99th percentile of the cost per frame of tracking moves with hand-written lists instead of the plugin, in
    /// microseconds.
    pub by_hand_us_p99: f64,
    /// Median time of a frame in the game without the plugin, in microseconds.
    pub game_us_p50: f64,
    /// 99th percentile of the time of a frame in the game without the plugin, in microseconds. The difference from the
    /// median shows the noise of the machine.
    pub game_us_p99: f64,
    /// Median of the plugin's own cost per frame in microseconds, without the time in which the thread waited for a
    /// processor. `None` if the system does not report the waiting time.
    pub unhindered_us_p50: Option<f64>,
    /// 99th percentile of the plugin's own cost per frame in microseconds, without the time in which the thread waited
    /// for a processor. `None` if the system does not report the waiting time.
    pub unhindered_us_p99: Option<f64>,
    /// Largest own cost of the plugin in a frame in microseconds, without the time in which the thread waited for a
    /// processor. `None` if the system does not report the waiting time.
    pub unhindered_worst_us: Option<f64>,
}

const PLACE_COUNT: usize = 500;
const GROUP_COUNT: usize = 50;
const FRAME_TIME: Duration = Duration::from_nanos(16_666_667);
const WARM_UP: usize = 60;
const MAX_WAIT: Duration = Duration::from_secs(300);

/// A change in a game.
#[derive(Debug, Clone, Copy)]
enum Change {
    Move(usize, usize),
    Mood(usize, usize),
    Rename(usize, usize),
    Join(usize, usize),
    Leave(usize, usize),
}

/// Generates random changes, mostly moves of characters.
struct Changes {
    random: Random,
    npcs: usize,
    groups: Vec<Option<usize>>,
    number: usize,
}

impl Changes {
    fn new(npcs: usize) -> Self {
        let groups = (0..npcs).map(|npc| Some(npc % GROUP_COUNT)).collect();
        Self { random: Random::new(17, 0), npcs, groups, number: 0 }
    }

    fn next(&mut self) -> Change {
        self.number += 1;
        let (npc, number) = (self.random.below(self.npcs), self.number);
        match self.random.below(100) {
            0..78 => Change::Move(npc, self.random.below(PLACE_COUNT)),
            78..88 => Change::Mood(npc, number),
            88..98 => Change::Rename(npc, number),
            _ => match self.groups[npc].take() {
                Some(group) => Change::Leave(npc, group),
                None => {
                    let group = self.random.below(GROUP_COUNT);
                    self.groups[npc] = Some(group);
                    Change::Join(npc, group)
                }
            },
        }
    }
}

/// How a game tracks its changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChangeTracking {
    Untracked,
    Lists,
    Plugin,
}

/// A game, with the plugin or without.
struct Game {
    app: App,
    places: Vec<PlaceId>,
    groups: Vec<EntityId>,
    npcs: Vec<Entity>,
    occupation: Predicate,
    tracking: ChangeTracking,
    frame_times: Vec<(Duration, Option<Duration>)>,
}

impl Game {
    fn new(tracking: ChangeTracking, add: impl FnOnce(&mut App), npcs: usize) -> Result<Self> {
        let mut app = App::new();
        app.add_plugins(MinimalPlugins).insert_resource(TimeUpdateStrategy::ManualDuration(FRAME_TIME));
        add(&mut app);
        app.finish();
        app.cleanup();
        for (_, schedule) in app.world_mut().resource_mut::<Schedules>().iter_mut() {
            schedule.set_executor(SingleThreadedExecutor::new());
        }
        let world = app.world_mut();
        let (mut places, mut groups) = (Vec::new(), Vec::new());
        for place in 0..PLACE_COUNT {
            let id = EntityId::new(format!("place-{place}"))?;
            let components = (MemoryId::from(id.clone()), EntityKind::location(), Name::new(format!("Place {place}")));
            let entity = world.spawn((components, hand_written::Occupants::default())).id();
            if let Some(mut places) = world.get_resource_mut::<hand_written::Places>() {
                places.0.insert(id.clone(), entity);
            }
            places.push(PlaceId(id));
        }
        for group in 0..GROUP_COUNT {
            let id = EntityId::new(format!("group-{group}"))?;
            world.spawn((MemoryId::from(id.clone()), EntityKind::faction(), Name::new(format!("Group {group}"))));
            groups.push(id);
        }
        let occupation = Predicate::new("occupation")?;
        let trade = |npc: usize| ["ferryman", "baker", "smith", "clerk"][npc % 4];
        let species = Predicate::new("species")?;
        let npcs = (0..npcs)
            .map(|npc| {
                let attributes = [(occupation.clone(), Value::from(trade(npc))), (species.clone(), "human".into())];
                let id = EntityId::new(format!("npc-{npc}"))?;
                let name = Name::new(format!("Npc Number {npc}"));
                let place_id = places[npc % PLACE_COUNT].clone();
                let attributes = Attributes(attributes.into_iter().collect());
                Ok(world.spawn((MemoryId::from(id), EntityKind::npc(), name, place_id, attributes)).id())
            })
            .collect::<Result<Vec<_>>>()?;
        let mut game = Self { app, places, groups, npcs, occupation, tracking, frame_times: Vec::new() };
        for npc in 0..game.npcs.len() {
            game.apply(Change::Join(npc, npc % GROUP_COUNT));
            if tracking == ChangeTracking::Lists {
                game.apply(Change::Move(npc, npc % PLACE_COUNT));
            }
        }
        Ok(game)
    }

    fn apply(&mut self, change: Change) {
        let world = self.app.world_mut();
        match change {
            Change::Move(npc, place) if self.tracking == ChangeTracking::Lists => {
                world.entity_mut(self.npcs[npc]).insert(hand_written::Location(self.places[place].0.clone()));
            }
            Change::Move(npc, place) => _ = world.entity_mut(self.npcs[npc]).insert(self.places[place].clone()),
            Change::Mood(npc, number) => {
                let mut npc = world.entity_mut(self.npcs[npc]);
                let mut attributes = npc.get::<Attributes>().cloned().unwrap_or_default();
                attributes.0.insert(self.occupation.clone(), Value::from(format!("trade {number}").as_str()));
                npc.insert(attributes);
            }
            Change::Rename(npc, number) => {
                if let Some(mut name) = world.get_mut::<Name>(self.npcs[npc]) {
                    name.set(format!("Renamed {number}"));
                }
            }
            // Only the game with the plugin has groups, so all the time to join a group counts as a cost of the plugin.
            Change::Join(npc, group) if self.tracking == ChangeTracking::Plugin => {
                world.commands().entity(self.npcs[npc]).join(&self.groups[group]);
                world.flush();
            }
            Change::Leave(npc, group) if self.tracking == ChangeTracking::Plugin => {
                world.commands().entity(self.npcs[npc]).leave(&self.groups[group]);
                world.flush();
            }
            Change::Join(..) | Change::Leave(..) => {}
        }
    }

    /// Runs a frame with these changes, and records its time.
    fn frame(&mut self, changes: &[Change], before: impl FnOnce(&mut App), delays: Option<&SchedulingDelays>) {
        let delay = delays.and_then(SchedulingDelays::read);
        let start = Instant::now();
        before(&mut self.app);
        for change in changes {
            self.apply(*change);
        }
        self.app.update();
        let frame_time = start.elapsed();
        let delay =
            delays.and_then(SchedulingDelays::read).zip(delay).map(|(after, before)| after.saturating_sub(before));
        self.frame_times.push((frame_time, delay.map(|delay| frame_time.saturating_sub(delay))));
    }

    fn settle(&mut self) -> Result<()> {
        let start = Instant::now();
        let mut idle_frames = 0;
        while idle_frames < 70 {
            self.app.update();
            let unfinished = testing::describe_pending_work(self.app.world());
            idle_frames = if unfinished.is_empty() { idle_frames + 1 } else { 0 };
            ensure!(start.elapsed() < MAX_WAIT, "the game still has unfinished work after {MAX_WAIT:?}: {unfinished}");
            if idle_frames == 0 {
                thread::sleep(Duration::from_millis(1));
            }
        }
        Ok(())
    }
}

/// Reads the time in which this thread was ready to run but waited for a processor, if the system reports it.
pub(crate) struct SchedulingDelays(File);

impl SchedulingDelays {
    pub(crate) fn new() -> Option<Self> {
        let delays = Self(File::open("/proc/thread-self/schedstat").ok()?);
        delays.read().map(|_| delays)
    }

    pub(crate) fn read(&self) -> Option<Duration> {
        use std::io::{Read, Seek};
        let (mut file, mut text) = (&self.0, [0; 128]);
        file.rewind().ok()?;
        let length = file.read(&mut text).ok()?;
        let nanoseconds = std::str::from_utf8(&text[..length]).ok()?.split_ascii_whitespace().nth(1)?;
        Some(Duration::from_nanos(nanoseconds.parse().ok()?))
    }
}

/// Questions that are not answered yet.
#[derive(Resource, Default)]
struct OpenQuestions {
    open: usize,
    answered: usize,
}

fn count_answer(_: On<Answered>, mut questions: ResMut<OpenQuestions>) {
    questions.open -= 1;
    questions.answered += 1;
}

fn count_failure(_: On<Unanswered>, mut questions: ResMut<OpenQuestions>) {
    questions.open -= 1;
}

/// Asks new questions until `questions` questions wait for an answer.
fn ask(app: &mut App, npcs: &[Entity], random: &mut Random, questions: usize) {
    let world = app.world_mut();
    let missing_count = questions - world.resource::<OpenQuestions>().open;
    if missing_count == 0 {
        return;
    }
    for _ in 0..missing_count {
        let npc = npcs[random.below(npcs.len())];
        world.commands().entity(npc).ask("Who is here, and what does the smith do?");
    }
    world.flush();
    world.resource_mut::<OpenQuestions>().open = questions;
}

/// Commit lags in milliseconds, from the plugin's diagnostics. A commit lag is the time from the first change of a
/// batch to its commit.
#[derive(Default)]
struct Lags {
    last: Option<Instant>,
    all: Vec<f64>,
}

impl Lags {
    fn record(&mut self, world: &World) {
        let lag = world.resource::<DiagnosticsStore>().get(&HearsayDiagnosticsPlugin::COMMIT_LAG);
        if let Some(lag) = lag.and_then(|lag| lag.measurement())
            && self.last != Some(lag.time)
        {
            self.last = Some(lag.time);
            self.all.push(lag.value);
        }
    }
}

/// Measures the cost of the plugin twice: first without changes and questions, then with the changes and questions of
/// the plan. The second measurement is skipped if the plan has neither changes nor questions. Calls `report` with each
/// result. Stores the campaign in `directory`.
///
/// # Errors
/// Returns an error if the memory cannot be opened, or does not become idle.
pub fn measure(plan: Plan, directory: &Path, report: &mut dyn FnMut(&Cost) -> Result<()>) -> Result<()> {
    ensure!(plan.npcs > 0 && plan.frames > 0, "the number of characters and the number of frames must be at least 1");
    let mut plugins = HearsayPlugins::open(directory);
    let mut settings = Settings::default();
    settings.model.enabled = false;
    plugins.memory.settings = Some(settings);
    let idle = Plan { changes: 0, questions: 0, ..plan };
    let plans = if plan.changes + plan.questions > 0 { vec![idle, plan] } else { vec![idle] };
    let hand_written_costs = plans.iter().map(|plan| measure_hand_written(*plan)).collect::<Result<Vec<_>>>()?;
    let mut with_plugin = Game::new(ChangeTracking::Plugin, |app| _ = app.add_plugins(plugins), plan.npcs)?;
    let mut without_plugin = Game::new(ChangeTracking::Untracked, |_| {}, plan.npcs)?;
    with_plugin.app.init_resource::<OpenQuestions>().add_observer(count_answer).add_observer(count_failure);
    with_plugin.settle()?;
    let mut changes = Changes::new(plan.npcs);
    for (plan, hand_written_cost) in plans.into_iter().zip(hand_written_costs) {
        report(&measure_plan(plan, &mut with_plugin, &mut without_plugin, &mut changes, &hand_written_cost)?)?;
    }
    with_plugin.app.world_mut().write_message(AppExit::Success);
    with_plugin.app.update();
    Ok(())
}

/// Measures the cost of hand-written lists of locations and moves.
fn measure_hand_written(plan: Plan) -> Result<OwnCost> {
    let mut lists = Game::new(ChangeTracking::Lists, |app| _ = app.add_plugins(hand_written::plugin), plan.npcs)?;
    let mut untracked = Game::new(ChangeTracking::Untracked, |_| {}, plan.npcs)?;
    run_alternately(plan, &mut lists, &mut untracked, &mut Changes::new(plan.npcs), |_| {}, |_| {});
    own_cost(&lists.frame_times, &untracked.frame_times, |(took, _)| Some(*took)).context("no frame was played")
}

/// Runs two games alternately with the same changes. The time of `before` is included in the time of each frame of the
/// first game.
fn run_alternately(
    plan: Plan,
    first: &mut Game,
    second: &mut Game,
    changes: &mut Changes,
    mut before: impl FnMut(&mut App),
    mut after: impl FnMut(&World),
) {
    let (delays, mut next) = (SchedulingDelays::new(), Instant::now());
    for number in 0..WARM_UP + plan.frames {
        if number == WARM_UP {
            first.frame_times.clear();
            second.frame_times.clear();
        }
        let frame_changes: Vec<Change> = (0..plan.changes).map(|_| changes.next()).collect();
        if number % 2 == 0 {
            first.frame(&frame_changes, &mut before, delays.as_ref());
            second.frame(&frame_changes, |_| {}, delays.as_ref());
        } else {
            second.frame(&frame_changes, |_| {}, delays.as_ref());
            first.frame(&frame_changes, &mut before, delays.as_ref());
        }
        after(first.app.world());
        next += FRAME_TIME;
        match next.checked_duration_since(Instant::now()) {
            Some(remaining) => thread::sleep(remaining),
            None => next = Instant::now(),
        }
    }
}

fn measure_plan(
    plan: Plan,
    with_plugin: &mut Game,
    without_plugin: &mut Game,
    changes: &mut Changes,
    hand_written: &OwnCost,
) -> Result<Cost> {
    let (mut question_random, mut lags) = (Random::new(19, 0), Lags::default());
    let answered_before = with_plugin.app.world().resource::<OpenQuestions>().answered;
    lags.record(with_plugin.app.world());
    lags.all.clear();
    let npcs = with_plugin.npcs.clone();
    let before = |app: &mut App| {
        if plan.questions > 0 {
            ask(app, &npcs, &mut question_random, plan.questions);
        }
    };
    run_alternately(plan, with_plugin, without_plugin, changes, before, |world| lags.record(world));
    let answered = with_plugin.app.world().resource::<OpenQuestions>().answered - answered_before;
    let own = own_cost(&with_plugin.frame_times, &without_plugin.frame_times, |(took, _)| Some(*took))
        .context("no frame was played")?;
    let game = own_cost(&without_plugin.frame_times, &[], |(took, _)| Some(*took)).context("no frame was played")?;
    let unhindered = own_cost(&with_plugin.frame_times, &without_plugin.frame_times, |(_, took)| *took);
    with_plugin.settle()?;
    lags.record(with_plugin.app.world());
    lags.all.sort_by(f64::total_cmp);
    Ok(Cost {
        npcs: plan.npcs,
        changes: plan.changes,
        frame_us_p50: own.p50,
        frame_us_p99: own.p99,
        worst_us: own.worst,
        dropped: count_differences(with_plugin, without_plugin, &changes.groups)?,
        commit_lag_ms_p99: quantile(&lags.all, 0.99),
        questions: plan.questions,
        answered,
        frames: plan.frames,
        by_hand_us_p50: hand_written.p50,
        by_hand_us_p99: hand_written.p99,
        game_us_p50: game.p50,
        game_us_p99: game.p99,
        unhindered_us_p50: unhindered.as_ref().map(|own| own.p50),
        unhindered_us_p99: unhindered.as_ref().map(|own| own.p99),
        unhindered_worst_us: unhindered.as_ref().map(|own| own.worst),
    })
}

/// Quantiles of the frame time in one game, minus the median frame time in the other game, in microseconds.
struct OwnCost {
    p50: f64,
    p99: f64,
    worst: f64,
}

fn own_cost(
    measured: &[(Duration, Option<Duration>)],
    baseline: &[(Duration, Option<Duration>)],
    time: impl Fn(&(Duration, Option<Duration>)) -> Option<Duration>,
) -> Option<OwnCost> {
    let sorted = |times: &[(Duration, Option<Duration>)]| -> Option<Vec<f64>> {
        let mut times =
            times.iter().map(|entry| Some(time(entry)?.as_secs_f64() * 1e6)).collect::<Option<Vec<f64>>>()?;
        times.sort_by(f64::total_cmp);
        Some(times)
    };
    let (measured, baseline) = (sorted(measured)?, sorted(baseline)?);
    let median = quantile(&baseline, 0.5);
    Some(OwnCost {
        p50: quantile(&measured, 0.5) - median,
        p99: quantile(&measured, 0.99) - median,
        worst: quantile(&measured, 1.0) - median,
    })
}

/// Returns a quantile of sorted values. `fraction` is from 0 to 1. Returns 0 if there are no values.
pub(crate) fn quantile(sorted: &[f64], fraction: f64) -> f64 {
    let rank = (fraction * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied().unwrap_or_default()
}

/// Returns the number of characters whose values in the memory differ from the values in at least one of the two games.
fn count_differences(with_plugin: &Game, without_plugin: &Game, groups: &[Option<usize>]) -> Result<usize> {
    let memory = with_plugin.app.world().resource::<NpcMemory>().get().context("the memory is not open")?;
    let ids: Vec<EntityId> =
        (0..with_plugin.npcs.len()).map(|npc| EntityId::new(format!("npc-{npc}"))).collect::<Result<_, _>>()?;
    let records =
        memory.read(move |world| Ok(ids.iter().map(|id| Record::from_state(&world.state, id)).collect::<Vec<_>>()))?;
    let records = records.wait()?;
    let matches_game = |game: &Game, npc: usize, record: &Record| {
        let npc = game.app.world().entity(game.npcs[npc]);
        npc.get::<Name>().map(Name::as_str) == record.name.as_deref()
            && npc.get::<PlaceId>().map(|at| &at.0) == record.place.as_ref()
            && npc.get::<Attributes>().map(|attributes| &attributes.0) == Some(&record.attributes)
    };
    let is_member = |npc: usize, record: &Record| {
        let mut memberships = record.relations.keys().filter(|(name, _)| PredicateRole::Membership.is(name));
        memberships.next().map(|(_, group)| group) == groups[npc].map(|group| &with_plugin.groups[group])
            && memberships.next().is_none()
    };
    let unchanged = records.iter().enumerate().filter(|(npc, record)| {
        let is_unchanged = |record: &Record| {
            matches_game(with_plugin, *npc, record)
                && matches_game(without_plugin, *npc, record)
                && is_member(*npc, record)
        };
        record.as_ref().is_some_and(is_unchanged)
    });
    Ok(records.len() - unchanged.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_dropped_in_a_small_world() {
        let directory = tempfile::tempdir().unwrap();
        let mut costs = Vec::new();
        let plan = Plan { npcs: 60, changes: 20, frames: 30, questions: 3 };
        measure(plan, directory.path(), &mut |cost| {
            costs.push(cost.clone());
            Ok(())
        })
        .unwrap();
        let [idle, busy] = &costs[..] else { panic!("{costs:?}") };
        assert_eq!((idle.changes, idle.questions, idle.dropped), (0, 0, 0));
        assert_eq!((busy.npcs, busy.changes, busy.frames, busy.dropped), (60, 20, 30, 0), "{busy:?}");
        assert!(busy.commit_lag_ms_p99 > 0.0 && busy.answered > 0, "{busy:?}");
    }

    #[test]
    fn a_part_of_sorted_values() {
        let values: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!(
            [quantile(&values, 0.5), quantile(&values, 0.99), quantile(&values, 1.0), quantile(&[], 0.5)],
            [100.0, 198.0, 200.0, 0.0]
        );
    }
}
