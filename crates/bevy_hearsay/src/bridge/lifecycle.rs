//! Opens and closes memories at the game's request, and sets the [`MemoryPhase`].
//!
//! At most one memory is open. If the game requests another memory, the plugin first sends the waiting changes and
//! requests to the open memory. The plugin then removes the content of this memory from the app. A separate thread then
//! closes the memory. Afterwards, another thread opens the next memory. If the game makes several requests in the
//! meantime, only the last request takes effect.

use std::time::Instant;

use bevy::prelude::*;
use hearsay_engine::ModelStatus;

use super::{
    close_steps::{close_steps, reset, send},
    closing::Closing,
    error::HearsayError,
    handle::{NpcMemory, is_open},
    messages::{MemoryErrorMessage, report_error},
    opening::{Opening, OpeningMessage},
    options::{MemoryPlugin, MemorySettings, MemorySource},
    resync::{Resync, StatusPoll},
    state::{EncoderStatus, LoadProgress, MemoryFailure, MemoryPhase},
};
use crate::schedule::wake;

/// A request of the game to open or close a memory.
pub(super) enum Request {
    /// Closes the open memory, and opens another memory.
    Open(MemorySource),
    /// Closes the open memory.
    Close,
}

/// The memory that is being opened or closed, and the game's request.
#[derive(Resource)]
pub(crate) struct Lifecycle {
    /// Options with which each memory is opened. A request replaces the campaign and the save.
    options: MemoryPlugin,
    phase: MemoryPhase,
    opening: Option<Opening>,
    closing: Option<Closing>,
    /// The game's last request, until its memory is being opened.
    request: Option<Request>,
    /// Time at which closing stops waiting for commits.
    deadline: Instant,
}

impl Lifecycle {
    pub(super) fn new(options: MemoryPlugin) -> Self {
        Self {
            options,
            phase: MemoryPhase::Closed,
            opening: None,
            closing: None,
            request: None,
            deadline: Instant::now(),
        }
    }

    /// Starts to open the memory that the options describe.
    pub(super) fn open(&mut self) {
        self.phase = MemoryPhase::Opening;
        self.opening = Some(Opening::start(self.options.clone()));
    }

    pub(super) fn phase(&self) -> MemoryPhase {
        self.phase
    }

    /// Drops the game's request. Returns the memory that is being closed.
    pub(super) fn stop(&mut self) -> Option<Closing> {
        self.request = None;
        self.closing.take()
    }

    /// Returns whether a memory is being opened, or is opened next.
    pub(crate) fn is_opening(&self) -> bool {
        self.opening.is_some() || matches!(self.request, Some(Request::Open(_)))
    }

    /// Returns whether a memory is being closed, or a request of the game is waiting.
    fn is_closing(&self) -> bool {
        self.closing.is_some() || self.request.is_some()
    }
}

/// Conditions that are true while the plugins load the content of an open memory.
#[derive(Resource, Default)]
struct LoadingConditions(Vec<fn(&World) -> bool>);

/// Extends [`App`] with a method for plugins that load content.
pub(crate) trait LoadingAppExt {
    /// Adds a condition that is true while a plugin loads the content of an open memory. [`MemoryPhase::Playable`]
    /// starts only when all these conditions are false.
    fn add_loading(&mut self, is_loading: fn(&World) -> bool) -> &mut Self;
}

impl LoadingAppExt for App {
    fn add_loading(&mut self, is_loading: fn(&World) -> bool) -> &mut Self {
        self.world_mut().get_resource_or_init::<LoadingConditions>().0.push(is_loading);
        self
    }
}

/// Returns whether a memory is being opened, or its content is being loaded.
pub(super) fn is_loading(world: &World) -> bool {
    matches!(world.resource::<Lifecycle>().phase, MemoryPhase::Opening | MemoryPhase::Loading)
}

/// Returns whether a memory is being closed.
pub(super) fn is_closing(world: &World) -> bool {
    world.resource::<Lifecycle>().is_closing()
}

/// Stores a request of the game, and starts to handle the request. An earlier request is dropped if its memory is not
/// being opened yet.
pub(super) fn make_request(world: &mut World, request: Request) {
    let deadline = Instant::now() + world.resource::<MemorySettings>().exit_timeout;
    let mut lifecycle = world.resource_mut::<Lifecycle>();
    lifecycle.request = Some(request);
    lifecycle.deadline = deadline;
    world.remove_resource::<MemoryFailure>();
    if !is_open(world) {
        // The game made all waiting changes and game events before this request. They are not meant for the next
        // memory, so they are dropped.
        let plugins = close_steps(world);
        drop(reset(world, &plugins));
    }
    advance(world);
    wake(world);
}

/// Receives the opened memory.
pub(super) fn receive_opened_memory(
    mut lifecycle: ResMut<Lifecycle>,
    mut memory: ResMut<NpcMemory>,
    mut progress: ResMut<LoadProgress>,
    mut errors: MessageWriter<MemoryErrorMessage>,
    mut commands: Commands,
) {
    while let Some(message) = lifecycle.opening.as_ref().and_then(Opening::try_receive) {
        let opened = match message {
            OpeningMessage::Stage(stage) => {
                progress.stage = stage.into();
                continue;
            }
            OpeningMessage::Done(opened) => *opened,
        };
        progress.stage.clear();
        lifecycle.opening = None;
        match opened {
            // The game has made another request in the meantime.
            Ok(opened) if lifecycle.request.is_some() => {
                let deadline = lifecycle.deadline;
                lifecycle.closing = Some(Closing::start(opened, deadline, Vec::new()));
            }
            Ok(opened) => memory.0 = Some(opened),
            Err(error) => {
                tracing::error!("the memory could not be opened: {error}");
                let error = HearsayError::from(error);
                if lifecycle.request.is_none() {
                    commands.insert_resource(MemoryFailure(error.clone()));
                }
                errors.write(MemoryErrorMessage { error, entity: None });
            }
        }
    }
}

/// Continues to handle the game's request, if there is a request.
pub(super) fn continue_request(lifecycle: Res<Lifecycle>, mut commands: Commands) {
    if lifecycle.is_closing() {
        commands.queue(advance);
    }
}

/// Does all steps of the game's request that can be done now.
fn advance(world: &mut World) {
    if has_closed(world) && world.resource::<Lifecycle>().opening.is_none() && !close(world) {
        let request = world.resource_mut::<Lifecycle>().request.take();
        if let Some(Request::Open(source)) = request {
            let mut lifecycle = world.resource_mut::<Lifecycle>();
            lifecycle.options.set_source(source);
            lifecycle.open();
        }
    }
    update_phase(world);
}

/// Returns true if no memory is being closed. When a memory has closed, reports its error and its uncommitted changes.
fn has_closed(world: &mut World) -> bool {
    let result = match &world.resource::<Lifecycle>().closing {
        None => return true,
        Some(closing) => closing.try_result(),
    };
    let Some(result) = result else { return false };
    let closing = world.resource_mut::<Lifecycle>().closing.take();
    let not_committed = closing.map_or(0, Closing::count_uncommitted);
    if let Err(error) = result {
        report_error(world, error, None);
    }
    if not_committed > 0 {
        report_error(world, HearsayError::NotCommitted(not_committed), None);
    }
    true
}

/// Closes the open memory for the game's request. Returns false if there is nothing to close, because the game made no
/// request or no memory is open. If the memory is too busy to accept all changes, it stays open, and the next frame
/// tries again.
fn close(world: &mut World) -> bool {
    let lifecycle = world.resource::<Lifecycle>();
    if lifecycle.request.is_none() || !is_open(world) {
        return false;
    }
    let deadline = lifecycle.deadline;
    let plugins = close_steps(world);
    plugins.iter().for_each(|plugin| (plugin.collect)(world));
    if !send(world, &plugins) && Instant::now() < deadline {
        return true;
    }
    let Some(memory) = world.resource_mut::<NpcMemory>().0.take() else { return false };
    let requests = reset(world, &plugins);
    world.insert_resource(Resync::default());
    world.insert_resource(StatusPoll::default());
    world.insert_resource(LoadProgress::default());
    world.insert_resource(EncoderStatus(ModelStatus::Loading));
    world.resource_mut::<Lifecycle>().closing = Some(Closing::start(memory, deadline, requests));
    true
}

/// Updates the phase if it may have changed.
pub(super) fn watch_phase(lifecycle: Res<Lifecycle>, phase: Option<Res<State<MemoryPhase>>>, mut commands: Commands) {
    let is_current = phase.is_some_and(|phase| *phase.get() == lifecycle.phase);
    if !is_current || matches!(lifecycle.phase, MemoryPhase::Opening | MemoryPhase::Loading) {
        commands.queue(update_phase);
    }
}

/// Sets the phase. Bevy starts the new phase at its next state transition.
pub(super) fn update_phase(world: &mut World) {
    let lifecycle = world.resource::<Lifecycle>();
    let phase = match lifecycle.phase {
        _ if !is_open(world) && lifecycle.is_opening() => MemoryPhase::Opening,
        _ if !is_open(world) && world.contains_resource::<MemoryFailure>() => MemoryPhase::Failed,
        _ if !is_open(world) => MemoryPhase::Closed,
        MemoryPhase::Playable => MemoryPhase::Playable,
        MemoryPhase::Loading if !is_loading_content(world) => MemoryPhase::Playable,
        _ => MemoryPhase::Loading,
    };
    world.resource_mut::<Lifecycle>().phase = phase;
    if let Some(mut next_phase) = world.get_resource_mut::<NextState<MemoryPhase>>() {
        *next_phase = NextState::PendingIfNeq(phase);
    }
}

fn is_loading_content(world: &World) -> bool {
    let conditions = world.get_resource::<LoadingConditions>();
    conditions.is_some_and(|conditions| conditions.0.iter().any(|is_loading| is_loading(world)))
}
