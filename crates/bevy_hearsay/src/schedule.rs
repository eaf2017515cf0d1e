//! The work of the plugins in a frame. The work is divided into steps, and each system set has one system that runs the
//! steps of the set.
//!
//! In Bevy, each system and each run condition costs a fraction of a microsecond in every frame, even if there is
//! nothing to do. Steps are cheaper: a step that is not due costs one read of a resource. While no work is pending, the
//! steps are not checked and cost nothing.

use bevy::{
    ecs::{change_detection::CheckChangeTicks, system::BoxedSystem},
    prelude::*,
};

/// System sets of the plugin. [`Receive`](Self::Receive) and [`Apply`](Self::Apply) are in [`PreUpdate`],
/// [`Collect`](Self::Collect) and [`Send`](Self::Send) in [`PostUpdate`]. Each set runs after the previous one.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HearsaySystems {
    /// Receives the memory's answers and events.
    Receive,
    /// Writes the answers to components, within the budget of the frame.
    Apply,
    /// Collects the game's changes of components.
    Collect,
    /// Sends changes, game events, requests to save or load, and questions to the memory.
    Send,
}

const RECEIVE: usize = HearsaySystems::Receive as usize;
const APPLY: usize = HearsaySystems::Apply as usize;
const COLLECT: usize = HearsaySystems::Collect as usize;
const SEND: usize = HearsaySystems::Send as usize;

/// The steps of a frame, in order. Each plugin registers the systems of its own steps. The guarantees of this crate
/// depend on the order of all steps, so this type lists the steps of all plugins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// Receives the opened memory.
    ReceiveOpenedMemory,
    /// Requests records from the memory. This step runs before `ReceiveEvents`, so a record that an event reports as
    /// changed is requested one frame later. By then the plugin knows which changes this game made itself.
    RequestRecords,
    /// Receives the memory's events. This step runs after `ReceiveOpenedMemory`, in the same frame. The first frame
    /// with an open memory therefore already has the events of the opening.
    ReceiveEvents,
    /// Receives acknowledgements of sent changes.
    ReceiveAcknowledgements,
    /// Requests the list of the entities that the spawn policy selects, whenever the policy changes.
    RequestListing,
    /// Receives the list of selected entities.
    ReceiveListing,
    /// Receives the requested records.
    ReceiveRecords,
    /// Receives the outcomes of game events.
    ReceiveGameEventOutcomes,
    /// Receives the replies to questions.
    ReceiveReplies,
    /// Receives the outcomes of saving and loading.
    ReceiveSaveOutcomes,
    /// Writes the records to components.
    Apply,
    /// Binds Bevy entities to entities of the memory.
    Bind,
    /// Finds components of the game's own types that the game mutated.
    PollSyncedTypes,
    /// Finds names that the game mutated.
    PollNames,
    /// Compares components of the game's own types with the memory's values.
    CompareSyncedTypes,
    /// Compares changed entities with the memory's values.
    Compare,
    /// Sends changes.
    SendChanges,
    /// Sends game events.
    SendGameEvents,
    /// Requests an autosave when it is due.
    Autosave,
    /// Sends saves. A save includes all earlier changes.
    SendSaves,
    /// Sends questions. This step runs after `SendSaves`: if a question is asked in the frame in which a slot is
    /// loaded, the question gets no reply.
    SendQuestions,
    /// Requests and receives the memory's status.
    PollStatus,
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

/// A condition on the Bevy world.
type Condition = fn(&World) -> bool;

/// A step with its system.
struct ScheduledStep {
    step: Step,
    is_due: Condition,
    system: BoxedSystem,
}

/// The steps of each set, in order.
#[derive(Resource)]
pub(crate) struct Steps {
    steps_by_set: [Vec<ScheduledStep>; 4],
    /// Whether any step may be due. If false, the conditions of the steps are not checked.
    awake: bool,
    /// Conditions that wake the steps at the beginning of a set.
    wake_conditions: [Vec<Condition>; 4],
    /// The name of each kind of work, and the condition that is true while such work is pending.
    work: Vec<(&'static str, Condition)>,
    /// Conditions that keep the steps awake while no work is pending.
    keep_awake: Vec<Condition>,
}

impl Default for Steps {
    fn default() -> Self {
        Self {
            steps_by_set: Default::default(),
            awake: true,
            wake_conditions: Default::default(),
            work: Vec::new(),
            keep_awake: Vec::new(),
        }
    }
}

impl Steps {
    /// Makes the plugin check every step in this frame. Code that adds work calls this method. Otherwise the work
    /// starts after at most [`SyncPlugin::poll`](crate::SyncPlugin::poll).
    pub(crate) fn wake(&mut self) {
        self.awake = true;
    }

    /// Returns whether the steps of this set and of the later sets must be checked. If no plugin detects the game's
    /// changes, the steps are checked in every frame.
    fn is_woken(&self, set: usize, world: &World) -> bool {
        let conditions = &self.wake_conditions[set];
        conditions.iter().any(|is_due| is_due(world)) || set == COLLECT && conditions.is_empty()
    }

    /// Returns whether no work is pending and nothing keeps the steps awake.
    fn is_idle(&self, world: &World) -> bool {
        !self.work.iter().any(|(_, is_pending)| is_pending(world))
            && !self.keep_awake.iter().any(|is_needed| is_needed(world))
    }
}

/// Returns the name of each kind of pending work.
pub(crate) fn pending_work(world: &World) -> Vec<&'static str> {
    let work = world.get_resource::<Steps>().map_or(&[][..], |steps| &steps.work);
    work.iter().filter(|(_, is_pending)| is_pending(world)).map(|(name, _)| *name).collect()
}

/// Registers the work that a plugin does in a frame.
pub(crate) trait StepsAppExt {
    /// Adds a system that runs in a step, on the main thread, whenever the step is due.
    fn add_step<M>(&mut self, step: Step, is_due: Condition, system: impl IntoSystem<(), (), M> + 'static)
    -> &mut Self;

    /// Adds a condition that wakes the steps at the beginning of a set.
    fn add_wake_condition(&mut self, set: HearsaySystems, condition: Condition) -> &mut Self;

    /// Adds a kind of work. The condition `is_pending` is true while such work is pending. The steps stay awake while
    /// it is true.
    fn add_work(&mut self, name: &'static str, is_pending: Condition) -> &mut Self;

    /// Adds a condition that keeps the steps awake even if no work is pending.
    fn keep_awake_while(&mut self, is_needed: Condition) -> &mut Self;
}

impl StepsAppExt for App {
    fn add_step<M>(
        &mut self,
        step: Step,
        is_due: Condition,
        system: impl IntoSystem<(), (), M> + 'static,
    ) -> &mut Self {
        let mut system: BoxedSystem = Box::new(IntoSystem::into_system(system));
        system.initialize(self.world_mut());
        let steps = &mut steps_mut(self).steps_by_set[step.set() as usize];
        let index = steps.partition_point(|scheduled_step| scheduled_step.step <= step);
        steps.insert(index, ScheduledStep { step, is_due, system });
        self
    }

    fn add_wake_condition(&mut self, set: HearsaySystems, condition: Condition) -> &mut Self {
        steps_mut(self).wake_conditions[set as usize].push(condition);
        self
    }

    fn add_work(&mut self, name: &'static str, is_pending: Condition) -> &mut Self {
        steps_mut(self).work.push((name, is_pending));
        self
    }

    fn keep_awake_while(&mut self, is_needed: Condition) -> &mut Self {
        steps_mut(self).keep_awake.push(is_needed);
        self
    }
}

/// Returns the steps of an app. Adds the system of each set on the first call.
fn steps_mut(app: &mut App) -> Mut<'_, Steps> {
    if !app.world().contains_resource::<Steps>() {
        app.init_resource::<Steps>()
            .add_observer(check_change_ticks)
            .configure_sets(PreUpdate, (HearsaySystems::Receive, HearsaySystems::Apply).chain())
            .configure_sets(PostUpdate, (HearsaySystems::Collect, HearsaySystems::Send).chain())
            .add_systems(PreUpdate, run::<RECEIVE>.in_set(HearsaySystems::Receive))
            .add_systems(PreUpdate, run::<APPLY>.in_set(HearsaySystems::Apply))
            .add_systems(PostUpdate, run::<COLLECT>.in_set(HearsaySystems::Collect))
            .add_systems(PostUpdate, run::<SEND>.in_set(HearsaySystems::Send));
    }
    app.world_mut().resource_mut::<Steps>()
}

/// Runs the due steps of a set.
fn run<const SET: usize>(world: &mut World) {
    let steps = world.resource::<Steps>();
    if !steps.awake && !steps.is_woken(SET, world) {
        return;
    }
    let mut steps = world.resource_mut::<Steps>();
    steps.awake = true;
    let mut scheduled = std::mem::take(&mut steps.steps_by_set[SET]);
    for scheduled_step in &mut scheduled {
        if (scheduled_step.is_due)(world)
            && let Err(error) = scheduled_step.system.run((), world)
        {
            tracing::error!("{:?}: {error:?}", scheduled_step.step);
        }
    }
    let is_idle = SET == SEND && world.resource::<Steps>().is_idle(world);
    let mut steps = world.resource_mut::<Steps>();
    steps.steps_by_set[SET] = scheduled;
    steps.awake = !is_idle;
}

/// Prevents overflow of the steps' change ticks. Bevy counts changes with 32 bits. It maintains the ticks only of
/// systems in its schedules, and steps are not in a schedule.
fn check_change_ticks(check: On<CheckChangeTicks>, mut steps: ResMut<Steps>) {
    for scheduled_step in steps.steps_by_set.iter_mut().flatten() {
        scheduled_step.system.check_change_tick(*check);
    }
}
