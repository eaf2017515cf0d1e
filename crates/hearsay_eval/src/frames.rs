//! What the Bevy plugin costs a game: the main thread's time in each frame, while thousands of characters go about and the
//! memory's worker works beside it.
//!
//! Two games without a window run in turn, 60 frames a second, in one process: one with the plugin, one without. In each
//! frame both make the same changes, between the same two readings of the clock as the frame itself: so what an observer
//! or a hook of the plugin does at an insertion is counted like its systems, and whatever Bevy itself takes is in both.
//! The plugin's own cost of a frame is the time of the game with it, less the median of the game without it. Which of
//! the two comes first alternates; after both, the thread sleeps until the next frame is due. The first second is played
//! and not counted: buffers grow to their size. All systems of both run on the main thread, one after the other: so all
//! that the plugin does in a frame counts, and no frame waits for another thread of Bevy's.
//!
//! Before, in the same way, a game that keeps by hand lists (`by_hand.rs`) of who is where and who moved plays against one
//! without: the least that following moves can cost. What the game without anything takes is told too: it says how
//! unsteady the machine is by itself.
//!
//! Where the system tells it (Linux), each frame is also counted without the time that its thread was ready to run and
//! had to wait for a processor, because the worker or another program had them all.

mod by_hand;

use std::{
    fs::File,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use bevy::{diagnostic::DiagnosticsStore, ecs::schedule::SingleThreadedExecutor, prelude::*, time::TimeUpdateStrategy};
use bevy_hearsay::{HearsayDiagnosticsPlugin, NpcMemory, prelude::*, testing};
use hearsay_memory::{Record, Settings};
use hearsay_model::{Predicate, predicate};
use serde::Serialize;

use crate::Random;

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Characters.
    pub npcs: usize,
    /// What changes in each frame.
    pub changes: usize,
    /// Frames that are counted.
    pub frames: usize,
    /// Questions that are under way at any time.
    pub questions: usize,
}

/// What the plugin costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cost {
    /// Characters.
    pub npcs: usize,
    /// What changed in each frame.
    pub changes: usize,
    /// The plugin's own cost of a frame on the main thread, in microseconds: the median.
    pub frame_us_p50: f64,
    /// 99 of 100 frames took no longer.
    pub frame_us_p99: f64,
    /// The worst frame.
    pub worst_us: f64,
    /// Entities of which the state says otherwise than the game, once all is quiet.
    pub dropped: usize,
    /// Milliseconds from the first change of a batch to its commit: 99 of 100 batches took no longer.
    pub commit_lag_ms_p99: f64,
    /// Questions that were under way at any time.
    pub questions: usize,
    /// How many were answered.
    pub answered: usize,
    /// Frames that were counted.
    pub frames: usize,
    /// What lists by hand of who is where and who moved cost, and nothing else: the median, counted likewise.
    pub by_hand_us_p50: f64,
    /// 99 of 100 frames took no longer.
    pub by_hand_us_p99: f64,
    /// A frame of the game without any of it: the median, in microseconds.
    pub game_us_p50: f64,
    /// 99 of 100 frames took no longer. So much more than the median it takes by itself.
    pub game_us_p99: f64,
    /// As the frames above, without the time that the thread waited for a processor; where the system tells it.
    pub unhindered_us_p50: Option<f64>,
    /// 99 of 100 frames took no longer.
    pub unhindered_us_p99: Option<f64>,
    /// The worst frame.
    pub unhindered_worst_us: Option<f64>,
}

const PLACES: usize = 500;
const GROUPS: usize = 50;
const FRAME: Duration = Duration::from_nanos(16_666_667);
const WARM_UP: usize = 60;
const PATIENCE: Duration = Duration::from_secs(300);

/// Something that happens in a game.
#[derive(Debug, Clone, Copy)]
enum Change {
    Move(usize, usize),
    Mood(usize, usize),
    Rename(usize, usize),
    Join(usize, usize),
    Leave(usize, usize),
}

/// Changes by lot: mostly people who go elsewhere.
struct Changes {
    random: Random,
    npcs: usize,
    groups: Vec<Option<usize>>,
    number: usize,
}

impl Changes {
    fn new(npcs: usize) -> Self {
        let groups = (0..npcs).map(|npc| Some(npc % GROUPS)).collect();
        Self { random: Random::new(17, 0), npcs, groups, number: 0 }
    }

    fn next(&mut self) -> Change {
        self.number += 1;
        let (npc, number) = (self.random.below(self.npcs), self.number);
        match self.random.below(100) {
            0..78 => Change::Move(npc, self.random.below(PLACES)),
            78..88 => Change::Mood(npc, number),
            88..98 => Change::Rename(npc, number),
            _ => match self.groups[npc].take() {
                Some(group) => Change::Leave(npc, group),
                None => {
                    let group = self.random.below(GROUPS);
                    self.groups[npc] = Some(group);
                    Change::Join(npc, group)
                }
            },
        }
    }
}

/// What keeps track of a game.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeper {
    Nothing,
    Lists,
    Plugin,
}

/// A game: with the plugin, or without.
struct Game {
    app: App,
    places: Vec<Whereabouts>,
    groups: Vec<EntityId>,
    npcs: Vec<Entity>,
    occupation: Predicate,
    keeper: Keeper,
    took: Vec<(Duration, Option<Duration>)>,
}

impl Game {
    fn new(keeper: Keeper, add: impl FnOnce(&mut App), npcs: usize) -> Result<Self> {
        let mut app = App::new();
        app.add_plugins(MinimalPlugins).insert_resource(TimeUpdateStrategy::ManualDuration(FRAME));
        add(&mut app);
        app.finish();
        app.cleanup();
        for (_, schedule) in app.world_mut().resource_mut::<Schedules>().iter_mut() {
            schedule.set_executor(SingleThreadedExecutor::new());
        }
        let world = app.world_mut();
        let (mut places, mut groups) = (Vec::new(), Vec::new());
        for place in 0..PLACES {
            let id = EntityId::new(format!("place-{place}"))?;
            let components = (MemoryId::from(id.clone()), Remembered::location(), Name::new(format!("Place {place}")));
            let entity = world.spawn((components, by_hand::Crowd::default())).id();
            if let Some(mut places) = world.get_resource_mut::<by_hand::Places>() {
                places.0.insert(id.clone(), entity);
            }
            places.push(Whereabouts(id));
        }
        for group in 0..GROUPS {
            let id = EntityId::new(format!("group-{group}"))?;
            world.spawn((MemoryId::from(id.clone()), Remembered::faction(), Name::new(format!("Group {group}"))));
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
                let whereabouts = places[npc % PLACES].clone();
                let attributes = Attributes(attributes.into_iter().collect());
                Ok(world.spawn((MemoryId::from(id), Remembered::npc(), name, whereabouts, attributes)).id())
            })
            .collect::<Result<Vec<_>>>()?;
        let mut game = Self { app, places, groups, npcs, occupation, keeper, took: Vec::new() };
        for npc in 0..game.npcs.len() {
            game.make(Change::Join(npc, npc % GROUPS));
            if keeper == Keeper::Lists {
                game.make(Change::Move(npc, npc % PLACES));
            }
        }
        Ok(game)
    }

    fn make(&mut self, change: Change) {
        let world = self.app.world_mut();
        match change {
            Change::Move(npc, place) if self.keeper == Keeper::Lists => {
                world.entity_mut(self.npcs[npc]).insert(by_hand::Stands(self.places[place].0.clone()));
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
            // That there is such a thing as joining is the plugin's doing: all of it is its cost.
            Change::Join(npc, group) if self.keeper == Keeper::Plugin => {
                world.commands().entity(self.npcs[npc]).join(&self.groups[group]);
                world.flush();
            }
            Change::Leave(npc, group) if self.keeper == Keeper::Plugin => {
                world.commands().entity(self.npcs[npc]).leave(&self.groups[group]);
                world.flush();
            }
            Change::Join(..) | Change::Leave(..) => {}
        }
    }

    /// Plays a frame, and notes what it took.
    fn frame(&mut self, changes: &[Change], before: impl FnOnce(&mut App), delays: Option<&Delays>) {
        let delayed = delays.and_then(Delays::read);
        let since = Instant::now();
        before(&mut self.app);
        for change in changes {
            self.make(*change);
        }
        self.app.update();
        let took = since.elapsed();
        let delayed = delays.and_then(Delays::read).zip(delayed).map(|(after, before)| after.saturating_sub(before));
        self.took.push((took, delayed.map(|delayed| took.saturating_sub(delayed))));
    }

    fn settle(&mut self) -> Result<()> {
        let begun = Instant::now();
        let mut quiet = 0;
        while quiet < 70 {
            self.app.update();
            let waits = testing::what_waits(self.app.world());
            quiet = if waits.is_empty() { quiet + 1 } else { 0 };
            ensure!(begun.elapsed() < PATIENCE, "the game does not come to rest: {waits}");
            if quiet == 0 {
                thread::sleep(Duration::from_millis(1));
            }
        }
        Ok(())
    }
}

/// How long this thread has been ready to run and waited for a processor, where the system tells it.
pub(crate) struct Delays(File);

impl Delays {
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

/// Questions under way.
#[derive(Resource, Default)]
struct Asked {
    open: usize,
    answered: usize,
}

fn count_answer(on: On<Answered>, mut asked: ResMut<Asked>, mut commands: Commands) {
    asked.open -= 1;
    asked.answered += 1;
    commands.entity(on.entity).despawn();
}

fn count_failure(on: On<Unanswered>, mut asked: ResMut<Asked>, mut commands: Commands) {
    asked.open -= 1;
    commands.entity(on.entity).despawn();
}

/// Asks until so many questions are under way.
fn ask(app: &mut App, npcs: &[Entity], random: &mut Random, questions: usize) {
    let world = app.world_mut();
    let missing = questions - world.resource::<Asked>().open;
    if missing == 0 {
        return;
    }
    for _ in 0..missing {
        let npc = npcs[random.below(npcs.len())];
        world.commands().entity(npc).ask("Who is here, and what does the smith do?");
    }
    world.flush();
    world.resource_mut::<Asked>().open = questions;
}

/// The commits' lags in milliseconds, as the plugin's diagnostics tell them.
#[derive(Default)]
struct Lags {
    last: Option<Instant>,
    all: Vec<f64>,
}

impl Lags {
    fn note(&mut self, world: &World) {
        let lag = world.resource::<DiagnosticsStore>().get(&HearsayDiagnosticsPlugin::COMMIT_LAG);
        if let Some(lag) = lag.and_then(|lag| lag.measurement())
            && self.last != Some(lag.time)
        {
            self.last = Some(lag.time);
            self.all.push(lag.value);
        }
    }
}

/// Measures the plugin in a directory that it may fill: first idle, then as planned.
///
/// # Errors
/// When the memory cannot be opened, or does not come to rest.
pub fn measure(plan: Plan, directory: &Path, tell: &mut dyn FnMut(&Cost) -> Result<()>) -> Result<()> {
    ensure!(plan.npcs > 0 && plan.frames > 0, "there is nothing to measure without characters or frames");
    let mut plugins = HearsayPlugins::open(directory);
    let mut settings = Settings::default();
    settings.model.enabled = false;
    plugins.memory.settings = Some(settings);
    let idle = Plan { changes: 0, questions: 0, ..plan };
    let plans = if plan.changes + plan.questions > 0 { vec![idle, plan] } else { vec![idle] };
    let peers = plans.iter().map(|plan| by_hand(*plan)).collect::<Result<Vec<_>>>()?;
    let mut with = Game::new(Keeper::Plugin, |app| _ = app.add_plugins(plugins), plan.npcs)?;
    let mut without = Game::new(Keeper::Nothing, |_| {}, plan.npcs)?;
    with.app.init_resource::<Asked>().add_observer(count_answer).add_observer(count_failure);
    with.settle()?;
    let mut changes = Changes::new(plan.npcs);
    for (plan, peer) in plans.into_iter().zip(peers) {
        tell(&play(plan, &mut with, &mut without, &mut changes, &peer)?)?;
    }
    with.app.world_mut().write_message(AppExit::Success);
    with.app.update();
    Ok(())
}

/// What the lists by hand cost.
fn by_hand(plan: Plan) -> Result<Own> {
    let mut lists = Game::new(Keeper::Lists, |app| _ = app.add_plugins(by_hand::plugin), plan.npcs)?;
    let mut without = Game::new(Keeper::Nothing, |_| {}, plan.npcs)?;
    in_turn(plan, &mut lists, &mut without, &mut Changes::new(plan.npcs), |_| {}, |_| {});
    own(&lists.took, &without.took, |(took, _)| Some(*took)).context("no frame was played")
}

/// Plays two games in turn, with the same changes: what `before` does belongs to a frame of the first.
fn in_turn(
    plan: Plan,
    first: &mut Game,
    second: &mut Game,
    changes: &mut Changes,
    mut before: impl FnMut(&mut App),
    mut after: impl FnMut(&World),
) {
    let (delays, mut next) = (Delays::new(), Instant::now());
    for number in 0..WARM_UP + plan.frames {
        if number == WARM_UP {
            first.took.clear();
            second.took.clear();
        }
        let made: Vec<Change> = (0..plan.changes).map(|_| changes.next()).collect();
        if number % 2 == 0 {
            first.frame(&made, &mut before, delays.as_ref());
            second.frame(&made, |_| {}, delays.as_ref());
        } else {
            second.frame(&made, |_| {}, delays.as_ref());
            first.frame(&made, &mut before, delays.as_ref());
        }
        after(first.app.world());
        next += FRAME;
        match next.checked_duration_since(Instant::now()) {
            Some(rest) => thread::sleep(rest),
            None => next = Instant::now(),
        }
    }
}

fn play(plan: Plan, with: &mut Game, without: &mut Game, changes: &mut Changes, by_hand: &Own) -> Result<Cost> {
    let (mut asking, mut lags) = (Random::new(19, 0), Lags::default());
    let answered_before = with.app.world().resource::<Asked>().answered;
    lags.note(with.app.world());
    lags.all.clear();
    let npcs = with.npcs.clone();
    let before = |app: &mut App| {
        if plan.questions > 0 {
            ask(app, &npcs, &mut asking, plan.questions);
        }
    };
    in_turn(plan, with, without, changes, before, |world| lags.note(world));
    let answered = with.app.world().resource::<Asked>().answered - answered_before;
    let whole = own(&with.took, &without.took, |(took, _)| Some(*took)).context("no frame was played")?;
    let game = own(&without.took, &[], |(took, _)| Some(*took)).context("no frame was played")?;
    let unhindered = own(&with.took, &without.took, |(_, took)| *took);
    with.settle()?;
    lags.note(with.app.world());
    lags.all.sort_by(f64::total_cmp);
    Ok(Cost {
        npcs: plan.npcs,
        changes: plan.changes,
        frame_us_p50: whole.p50,
        frame_us_p99: whole.p99,
        worst_us: whole.worst,
        dropped: differing(with, without, &changes.groups)?,
        commit_lag_ms_p99: at(&lags.all, 0.99),
        questions: plan.questions,
        answered,
        frames: plan.frames,
        by_hand_us_p50: by_hand.p50,
        by_hand_us_p99: by_hand.p99,
        game_us_p50: game.p50,
        game_us_p99: game.p99,
        unhindered_us_p50: unhindered.as_ref().map(|own| own.p50),
        unhindered_us_p99: unhindered.as_ref().map(|own| own.p99),
        unhindered_worst_us: unhindered.as_ref().map(|own| own.worst),
    })
}

/// What one game takes more than the median of the other, in microseconds.
struct Own {
    p50: f64,
    p99: f64,
    worst: f64,
}

fn own(
    with: &[(Duration, Option<Duration>)],
    without: &[(Duration, Option<Duration>)],
    time: impl Fn(&(Duration, Option<Duration>)) -> Option<Duration>,
) -> Option<Own> {
    let sorted = |took: &[(Duration, Option<Duration>)]| -> Option<Vec<f64>> {
        let mut took = took.iter().map(|took| Some(time(took)?.as_secs_f64() * 1e6)).collect::<Option<Vec<f64>>>()?;
        took.sort_by(f64::total_cmp);
        Some(took)
    };
    let (with, without) = (sorted(with)?, sorted(without)?);
    let median = at(&without, 0.5);
    Some(Own { p50: at(&with, 0.5) - median, p99: at(&with, 0.99) - median, worst: at(&with, 1.0) - median })
}

/// The value that so great a part of sorted values does not exceed; 0 of none.
pub(crate) fn at(sorted: &[f64], part: f64) -> f64 {
    let place = (part * sorted.len() as f64).ceil() as usize;
    sorted.get(place.clamp(1, sorted.len().max(1)) - 1).copied().unwrap_or_default()
}

/// How many characters the memory holds otherwise than the game without it does, or than the game with it shows.
fn differing(with: &Game, without: &Game, groups: &[Option<usize>]) -> Result<usize> {
    let memory = with.app.world().resource::<NpcMemory>().get().context("the memory is not open")?;
    let ids: Vec<EntityId> =
        (0..with.npcs.len()).map(|npc| EntityId::new(format!("npc-{npc}"))).collect::<Result<_, _>>()?;
    let records =
        memory.read(move |world| Ok(ids.iter().map(|id| Record::of(&world.state, id)).collect::<Vec<_>>()))?;
    let records = records.wait()?;
    let shows = |game: &Game, npc: usize, record: &Record| {
        let npc = game.app.world().entity(game.npcs[npc]);
        npc.get::<Name>().map(Name::as_str) == record.name.as_deref()
            && npc.get::<Whereabouts>().map(|at| &at.0) == record.place.as_ref()
            && npc.get::<Attributes>().map(|shown| &shown.0) == Some(&record.attributes)
    };
    let is_member = |npc: usize, record: &Record| {
        let mut groups_held = record.relations.keys().filter(|(name, _)| *name == *predicate::MEMBER_OF);
        groups_held.next().map(|(_, group)| group) == groups[npc].map(|group| &with.groups[group])
            && groups_held.next().is_none()
    };
    let same = records.iter().enumerate().filter(|(npc, record)| {
        let same =
            |record: &Record| shows(with, *npc, record) && shows(without, *npc, record) && is_member(*npc, record);
        record.as_ref().is_some_and(same)
    });
    Ok(records.len() - same.count())
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
        assert_eq!([at(&values, 0.5), at(&values, 0.99), at(&values, 1.0), at(&[], 0.5)], [100.0, 198.0, 200.0, 0.0]);
    }
}
