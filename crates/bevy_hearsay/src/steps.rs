//! What the plugins do in a frame: steps, run by one system for each set.
//!
//! Each system of a schedule, and each run condition, costs a game a part of a microsecond in every frame, in which they
//! mostly have nothing to do. A step that is not due costs a look at a resource; while nothing at all waits, the steps
//! sleep, and cost nothing.

use bevy::{
    ecs::{change_detection::CheckChangeTicks, system::BoxedSystem},
    prelude::*,
};

use crossbeam_channel::Receiver;
use hearsay_memory::Event;

use crate::{
    HearsaySystems, diagnostics,
    happenings::Happenings,
    memory::{MemoryState, NpcMemory, Touched},
    questions::Inquiries,
    sync::{self, Inbox, Outbox, Registry},
};

const RECEIVE: usize = HearsaySystems::Receive as usize;
const APPLY: usize = HearsaySystems::Apply as usize;
const COLLECT: usize = HearsaySystems::Collect as usize;
const SEND: usize = HearsaySystems::Send as usize;

/// The steps of a frame, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// Takes the memory that was opened.
    Open,
    /// Asks for what is to be read. What happened is looked at a frame later, when it is known which of it was this
    /// game's doing: so it comes before the events.
    Ask,
    /// Takes the memory's events. Opening comes before: what it changes is seen in the same frame, or not at all.
    Events,
    /// Takes what was acknowledged.
    Acknowledge,
    /// Lists what is to be materialised, when that changes.
    Rescope,
    /// Takes the list.
    List,
    /// Takes what was read.
    Read,
    /// Takes what happenings became.
    TakeHappenings,
    /// Takes replies.
    TakeReplies,
    /// Takes what was saved and loaded.
    TakeSaves,
    /// Turns what was read into components.
    Apply,
    /// Binds entities to ids.
    Bind,
    /// Looks for a game's own components that changed in place.
    PollOwn,
    /// Looks for names that changed in place.
    PollNames,
    /// Compares a game's own components.
    CompareOwn,
    /// Compares what changed.
    Compare,
    /// Sends changes.
    SendChanges,
    /// Sends happenings.
    SendHappenings,
    /// Asks for a save, when it is time.
    Autosave,
    /// Sends saves. What was said before is saved with it.
    SendSaves,
    /// Sends questions. What is asked in the frame in which a slot is loaded is asked of what is left.
    SendQuestions,
    /// Measures what all that cost.
    Measure,
}

impl Step {
    fn set(self) -> HearsaySystems {
        match self {
            step if step < Self::Apply => HearsaySystems::Receive,
            Self::Apply => HearsaySystems::Apply,
            step if step < Self::SendChanges => HearsaySystems::Collect,
            _ => HearsaySystems::Send,
        }
    }
}

/// A step with what does it.
struct Doing {
    step: Step,
    is_due: fn(&World) -> bool,
    system: BoxedSystem,
}

/// The steps of each set, in their order.
#[derive(Resource)]
pub(crate) struct Steps {
    of: [Vec<Doing>; 4],
    /// Whether any of them may be due. While nothing waits they sleep: whether each is due is not even asked.
    awake: bool,
    /// What happens in the memory.
    events: Option<Receiver<Event>>,
}

impl Default for Steps {
    fn default() -> Self {
        Self { of: Default::default(), awake: true, events: None }
    }
}

impl Steps {
    /// Has every step looked at in this frame. What forgets to call it waits for at most as long as
    /// [`SyncPlugin::poll`](crate::SyncPlugin::poll).
    pub(crate) fn wake(&mut self) {
        self.awake = true;
    }

    /// What happens in the memory wakes the steps.
    pub(crate) fn listen(&mut self, events: Receiver<Event>) {
        self.events = Some(events);
    }
}

pub(crate) trait StepsAppExt {
    /// Adds a system that runs in a step, on the main thread, whenever it is due.
    fn add_step<M>(
        &mut self,
        step: Step,
        is_due: fn(&World) -> bool,
        system: impl IntoSystem<(), (), M> + 'static,
    ) -> &mut Self;
}

impl StepsAppExt for App {
    fn add_step<M>(
        &mut self,
        step: Step,
        is_due: fn(&World) -> bool,
        system: impl IntoSystem<(), (), M> + 'static,
    ) -> &mut Self {
        if !self.world().contains_resource::<Steps>() {
            self.init_resource::<Steps>()
                .add_observer(check_change_ticks)
                .configure_sets(PreUpdate, (HearsaySystems::Receive, HearsaySystems::Apply).chain())
                .configure_sets(PostUpdate, (HearsaySystems::Collect, HearsaySystems::Send).chain())
                .add_systems(PreUpdate, run::<RECEIVE>.in_set(HearsaySystems::Receive))
                .add_systems(PreUpdate, run::<APPLY>.in_set(HearsaySystems::Apply))
                .add_systems(PostUpdate, run::<COLLECT>.in_set(HearsaySystems::Collect))
                .add_systems(PostUpdate, run::<SEND>.in_set(HearsaySystems::Send));
        }
        let mut system: BoxedSystem = Box::new(IntoSystem::into_system(system));
        system.initialize(self.world_mut());
        let steps = &mut self.world_mut().resource_mut::<Steps>().of[step.set() as usize];
        let place = steps.partition_point(|doing| doing.step <= step);
        steps.insert(place, Doing { step, is_due, system });
        self
    }
}

/// Runs the steps of a set that are due.
fn run<const SET: usize>(world: &mut World) {
    let mut steps = world.resource_mut::<Steps>();
    if !steps.awake {
        let wakes = match SET {
            RECEIVE => steps.events.as_ref().is_some_and(|events| !events.is_empty()),
            COLLECT => sync::has_stirred(world),
            _ => false,
        };
        if !wakes {
            return;
        }
        steps = world.resource_mut::<Steps>();
        steps.awake = true;
    }
    let mut doings = std::mem::take(&mut steps.of[SET]);
    for doing in &mut doings {
        if (doing.is_due)(world)
            && let Err(error) = doing.system.run((), world)
        {
            tracing::error!("{:?}: {error:?}", doing.step);
        }
    }
    let rests = SET == SEND && waits(world).iter().all(|(_, waits)| !waits) && !diagnostics::is_measuring(world);
    let mut steps = world.resource_mut::<Steps>();
    steps.of[SET] = doings;
    steps.awake = !rests;
}

/// What there is that may wait, with whether it does.
pub(crate) fn waits(world: &World) -> [(&'static str, bool); 9] {
    let is_loading = *world.resource::<MemoryState>() == MemoryState::Loading;
    let is_open = world.resource::<NpcMemory>().get().is_some();
    let outbox = world.get_resource::<Outbox>().filter(|_| is_open);
    let registry = world.get_resource::<Registry>().filter(|_| is_open);
    let inbox = world.get_resource::<Inbox>().filter(|_| is_open);
    let counts = [
        world.get_resource::<Happenings>().map(Happenings::counts),
        world.get_resource::<Inquiries>().map(Inquiries::counts),
    ];
    let [happenings, questions] = counts.map(|counts| counts.is_some_and(|counts| counts != (0, 0)));
    let touched = || !world.resource::<Touched>().0.is_empty() || sync::is_to_be_listed(world);
    [
        ("the memory is loading", is_loading),
        ("changes", outbox.is_some_and(|outbox| outbox.is_waiting())),
        (
            "entities that want to be bound",
            registry.is_some_and(|registry| !registry.unbound.is_empty() || !registry.binding.is_empty()),
        ),
        ("entities that changed", registry.is_some_and(Registry::has_stirred)),
        ("records", inbox.is_some_and(|inbox| !inbox.is_quiet() || touched())),
        ("happenings", happenings && is_open),
        ("questions", questions && is_open),
        ("events", world.resource::<NpcMemory>().get().is_some_and(|memory| !memory.events().is_empty())),
        ("slots", crate::saves::is_busy(world) && is_open),
    ]
}

/// Bevy counts changes with 32 bits and keeps old counts from wrapping around, in systems that it knows of.
fn check_change_ticks(check: On<CheckChangeTicks>, mut steps: ResMut<Steps>) {
    for doing in steps.of.iter_mut().flatten() {
        doing.system.check_change_tick(*check);
    }
}
