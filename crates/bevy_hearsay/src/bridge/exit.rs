//! Closes the memory when the game exits, and counts the requests that were committed.

use std::{
    thread,
    time::{Duration, Instant},
};

use bevy::{app::AppExit, prelude::*};
use crossbeam_channel::bounded;
use hearsay_engine::MemoryError;

use super::{
    handle::{NpcMemory, is_open},
    options::MemorySettings,
    state::MemoryState,
};

/// Outcome of the changes and game events that were still pending when the game exited. All pending changes of one
/// entity count as one change. The plugin inserts this resource when the memory closes.
#[derive(Resource, Debug, Clone, Copy, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct MemoryExit {
    /// Number of the pending changes and game events that were committed before the memory closed.
    pub committed: usize,
    /// Number of the pending changes and game events that the memory rejected, or that were not committed within
    /// [`MemorySettings::exit_timeout`](crate::MemorySettings::exit_timeout).
    pub not_committed: usize,
}

impl MemoryExit {
    /// Counts the contents of the answered requests, and removes these requests from `sent`. For each request, `answer`
    /// returns whether it was committed, or `None` if it has no answer yet. `size` returns the number of changes and
    /// game events in a request.
    pub(crate) fn count_answered<R>(
        &mut self,
        sent: &mut Vec<R>,
        answer: impl Fn(&R) -> Option<bool>,
        size: impl Fn(&R) -> usize,
    ) {
        sent.retain(|request| {
            let answer = answer(request);
            match answer {
                Some(true) => self.committed += size(request),
                Some(false) => self.not_committed += size(request),
                None => {}
            }
            answer.is_none()
        });
    }
}

/// Functions that a plugin registers to handle its requests at exit.
#[derive(Clone, Copy)]
pub(crate) struct ExitSteps {
    /// Collects the last changes, before anything is sent.
    pub(crate) collect: fn(&mut World),
    /// Sends the waiting requests. Returns false if any remaining request can still be sent later.
    pub(crate) send: fn(&mut World) -> bool,
    /// Counts the answered requests.
    pub(crate) count_answered: fn(&mut World, &mut MemoryExit),
    /// Returns the number of changes and game events in unanswered and unsent requests.
    pub(crate) count_unanswered: fn(&World) -> usize,
}

#[derive(Resource, Default)]
struct ExitStepList(Vec<ExitSteps>);

/// Registers the functions that a plugin runs at exit.
pub(crate) trait ExitAppExt {
    /// Adds the exit steps of a plugin. Steps run in the order in which they were added.
    fn add_exit_steps(&mut self, steps: ExitSteps) -> &mut Self;
}

impl ExitAppExt for App {
    fn add_exit_steps(&mut self, steps: ExitSteps) -> &mut Self {
        self.world_mut().get_resource_or_init::<ExitStepList>().0.push(steps);
        self
    }
}

/// Closes the memory in the frame in which the game exits.
pub(super) fn close_at_exit(mut exits: MessageReader<AppExit>, mut commands: Commands) {
    if exits.read().count() > 0 {
        commands.queue(close);
    }
}

/// Sends all pending changes and events, closes the memory, and counts the outcome.
fn close(world: &mut World) {
    let timeout = world.resource::<MemorySettings>().exit_timeout;
    let deadline = Instant::now() + timeout;
    let mut exit = MemoryExit::default();
    let plugins = world.get_resource::<ExitStepList>().map_or_else(Vec::new, |plugins| plugins.0.clone());
    plugins.iter().for_each(|plugin| (plugin.collect)(world));
    while !send(world, &plugins) && Instant::now() < deadline {
        plugins.iter().for_each(|plugin| (plugin.count_answered)(world, &mut exit));
        thread::sleep(POLL_INTERVAL);
    }
    let Some(memory) = world.resource_mut::<NpcMemory>().0.take() else { return };
    let (result_sender, result_receiver) = bounded(1);
    let remaining = deadline.saturating_duration_since(Instant::now());
    let closing = thread::Builder::new().name("hearsay-close".into()).spawn(move || {
        let _ = result_sender.send(memory.close_within(remaining).map(drop));
    });
    let result = match closing {
        // A commit that is in progress at the deadline still completes. Then the database closes.
        Ok(_) => result_receiver.recv_timeout(remaining + CLOSE_GRACE_PERIOD),
        Err(error) => Ok(Err(MemoryError::Thread(error))),
    };
    match result {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!("closing the memory failed: {error}"),
        Err(_) => tracing::warn!("the memory was not closed within {timeout:?}; all acknowledged changes are safe"),
    }
    for plugin in &plugins {
        (plugin.count_answered)(world, &mut exit);
        exit.not_committed += (plugin.count_unanswered)(world);
    }
    let MemoryExit { committed, not_committed } = exit;
    if not_committed > 0 {
        tracing::error!(
            "{not_committed} of {} changes and game events were not committed when the game exited; if this happens regularly, raise `MemorySettings::exit_timeout` (now {timeout:?})",
            committed + not_committed
        );
    } else if committed > 0 {
        tracing::info!("{committed} changes and game events were committed when the game exited");
    }
    world.insert_resource(exit);
    *world.resource_mut::<MemoryState>() = MemoryState::Closed;
}

/// Interval between two polls at exit.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Maximum time that the database may take to close after the deadline.
const CLOSE_GRACE_PERIOD: Duration = Duration::from_secs(5);

/// Sends the waiting requests of all plugins. Returns false if any remaining request can still be sent later.
fn send(world: &mut World, plugins: &[ExitSteps]) -> bool {
    let mut all_sent = true;
    if is_open(world) {
        for plugin in plugins {
            all_sent &= (plugin.send)(world);
        }
    }
    all_sent
}
