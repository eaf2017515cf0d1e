//! The plugins' work in a frame: steps, run by one system per set.
//!
//! Each system of a schedule, and each run condition, costs a part of a microsecond in every frame, mostly without any
//! work to do. A step that is not due costs one read of a resource. While no work waits, the steps are inactive and
//! cost nothing.

use bevy::{
    ecs::{change_detection::CheckChangeTicks, system::BoxedSystem},
    prelude::*,
};

use crossbeam_channel::Receiver;
use hearsay_memory::Event;

use crate::{
    HearsaySystems, diagnostics,
    game_events::GameEvents,
    memory::{MemoryState, NpcMemory, Touched},
    questions::Inquiries,
    sync::{self, Inbox, Outbox, Registry},
};

const RECEIVE: usize = HearsaySystems::Receive as usize;
const APPLY: usize = HearsaySystems::Apply as usize;
const COLLECT: usize = HearsaySystems::Collect as usize;
const SEND: usize = HearsaySystems::Send as usize;

/// The steps of a frame, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// Takes the opened memory.
    Open,
    /// Requests the records to read. It runs before `Events`: changed records are requested a frame later, when it is
    /// known which changes this game made.
    Ask,
    /// Takes the memory's events. It runs after `Open`: changes made during opening are seen in the same frame, or not
    /// at all.
    Events,
    /// Takes acknowledgements.
    Acknowledge,
    /// Lists the entities that the spawn policy selects, when the policy changes.
    Rescope,
    /// Takes this list.
    List,
    /// Takes the records read.
    Read,
    /// Takes the outcomes of game events.
    TakeGameEvents,
    /// Takes replies.
    TakeReplies,
    /// Takes the outcomes of saving and loading.
    TakeSaves,
    /// Writes the records to components.
    Apply,
    /// Binds entities to ids.
    Bind,
    /// Finds components of the game's own types that changed in place.
    PollOwn,
    /// Finds names that changed in place.
    PollNames,
    /// Compares components of the game's own types.
    CompareOwn,
    /// Compares changed entities.
    Compare,
    /// Sends changes.
    SendChanges,
    /// Sends game events.
    SendGameEvents,
    /// Requests an autosave when it is due.
    Autosave,
    /// Sends saves. A save includes all earlier changes.
    SendSaves,
    /// Sends questions. A question asked in the frame in which a slot is loaded refers to the abandoned timeline.
    SendQuestions,
    /// Measures the cost of all steps.
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

/// A step with its system.
struct Doing {
    step: Step,
    is_due: fn(&World) -> bool,
    system: BoxedSystem,
}

/// The steps of each set, in order.
#[derive(Resource)]
pub(crate) struct Steps {
    of: [Vec<Doing>; 4],
    /// Whether any step may be due. If false, the steps' conditions are not evaluated.
    awake: bool,
    /// The memory's events.
    events: Option<Receiver<Event>>,
}

impl Default for Steps {
    fn default() -> Self {
        Self { of: Default::default(), awake: true, events: None }
    }
}

impl Steps {
    /// Evaluates every step in this frame. Work whose origin does not call this method waits for at most
    /// [`SyncPlugin::poll`](crate::SyncPlugin::poll).
    pub(crate) fn wake(&mut self) {
        self.awake = true;
    }

    /// Lets the memory's events wake the steps.
    pub(crate) fn listen(&mut self, events: Receiver<Event>) {
        self.events = Some(events);
    }
}

pub(crate) trait StepsAppExt {
    /// Adds a system that runs in a step, on the main thread, whenever the step is due.
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

/// Runs the due steps of a set.
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

/// Returns each kind of work with whether any of it waits.
pub(crate) fn waits(world: &World) -> [(&'static str, bool); 9] {
    let is_loading = *world.resource::<MemoryState>() == MemoryState::Loading;
    let is_open = world.resource::<NpcMemory>().get().is_some();
    let outbox = world.get_resource::<Outbox>().filter(|_| is_open);
    let registry = world.get_resource::<Registry>().filter(|_| is_open);
    let inbox = world.get_resource::<Inbox>().filter(|_| is_open);
    let counts = [
        world.get_resource::<GameEvents>().map(GameEvents::counts),
        world.get_resource::<Inquiries>().map(Inquiries::counts),
    ];
    let [game_events, questions] = counts.map(|counts| counts.is_some_and(|counts| counts != (0, 0)));
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
        ("game_events", game_events && is_open),
        ("questions", questions && is_open),
        ("events", world.resource::<NpcMemory>().get().is_some_and(|memory| !memory.events().is_empty())),
        ("slots", crate::saves::is_busy(world) && is_open),
    ]
}

/// Keeps the steps' change ticks from wrapping. Bevy counts changes with 32 bits and maintains only the systems that it
/// schedules.
fn check_change_ticks(check: On<CheckChangeTicks>, mut steps: ResMut<Steps>) {
    for doing in steps.of.iter_mut().flatten() {
        doing.system.check_change_tick(*check);
    }
}
