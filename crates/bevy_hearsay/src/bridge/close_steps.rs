//! The functions that the plugins run when the memory closes, and the resource that counts the committed changes.

use bevy::prelude::*;

use super::handle::is_open;

/// Numbers of the changes and game events that were still pending when the game exited. All pending changes of one
/// entity count as one change. The plugin inserts this resource when the game exits.
#[derive(Resource, Debug, Clone, Copy, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct MemoryExit {
    /// Number of pending changes and game events that were committed before the memory closed.
    pub committed: usize,
    /// Number of pending changes and game events that the memory rejected, or that were not committed within
    /// [`MemorySettings::exit_timeout`](crate::MemorySettings::exit_timeout).
    pub not_committed: usize,
}

/// A request that was sent to the memory.
pub(crate) trait SentRequest {
    /// Returns whether the request was committed, or `None` if the request has no answer yet.
    fn is_committed(&self) -> Option<bool>;

    /// Returns the number of changes and game events in the request.
    fn size(&self) -> usize {
        1
    }
}

/// Returns the number of changes and game events in requests.
pub(crate) fn total_size<R: SentRequest>(sent: &[R]) -> usize {
    sent.iter().map(SentRequest::size).sum()
}

/// Returns the number of changes and game events in the requests that were not committed.
pub(crate) fn uncommitted_size<R: SentRequest>(sent: &[R]) -> usize {
    sent.iter().filter(|request| request.is_committed() != Some(true)).map(SentRequest::size).sum()
}

impl MemoryExit {
    /// Removes the answered requests from `sent`, and adds their changes and game events to the counts.
    pub(crate) fn count_answered<R: SentRequest>(&mut self, sent: &mut Vec<R>) {
        sent.retain(|request| {
            let is_committed = request.is_committed();
            match is_committed {
                Some(true) => self.committed += request.size(),
                Some(false) => self.not_committed += request.size(),
                None => {}
            }
            is_committed.is_none()
        });
    }
}

/// Function that returns the number of changes and game events that the memory did not commit. The function is called
/// after the memory is closed.
pub(crate) type CountFn = Box<dyn FnOnce() -> usize + Send + Sync>;

/// Functions that a plugin registers to handle its requests when the memory closes. The memory closes when the app
/// exits or when the game requests it. By default, each function does nothing.
#[derive(Clone, Copy)]
pub(crate) struct CloseSteps {
    /// Collects the last changes, before anything is sent.
    pub(crate) collect: fn(&mut World),
    /// Sends the waiting requests. Returns false if some requests cannot be sent now but can be sent later.
    pub(crate) send: fn(&mut World) -> bool,
    /// Counts the answered requests at exit.
    pub(crate) count_answered: fn(&mut World, &mut MemoryExit),
    /// Returns the number of changes and game events in unanswered and unsent requests at exit.
    pub(crate) count_unanswered: fn(&World) -> usize,
    /// Removes everything that belongs to the memory, so that the app can continue with another memory. The returned
    /// function owns the unanswered requests, because dropping a request cancels it.
    pub(crate) reset: fn(&mut World) -> CountFn,
}

impl Default for CloseSteps {
    fn default() -> Self {
        Self {
            collect: |_| (),
            send: |_| true,
            count_answered: |_, _| (),
            count_unanswered: |_| 0,
            reset: |_| Box::new(|| 0),
        }
    }
}

#[derive(Resource, Default)]
struct CloseStepList(Vec<CloseSteps>);

/// Registers the functions that a plugin runs when the memory closes.
pub(crate) trait CloseAppExt {
    /// Adds the functions that a plugin runs when the memory closes. The functions of the plugins run in the order in
    /// which they were added.
    fn add_close_steps(&mut self, steps: CloseSteps) -> &mut Self;
}

impl CloseAppExt for App {
    fn add_close_steps(&mut self, steps: CloseSteps) -> &mut Self {
        self.world_mut().get_resource_or_init::<CloseStepList>().0.push(steps);
        self
    }
}

/// Returns the close steps of all plugins.
pub(super) fn close_steps(world: &World) -> Vec<CloseSteps> {
    world.get_resource::<CloseStepList>().map_or_else(Vec::new, |plugins| plugins.0.clone())
}

/// Sends the waiting requests of all plugins. Returns false if some requests cannot be sent now but can be sent later.
pub(super) fn send(world: &mut World, plugins: &[CloseSteps]) -> bool {
    let mut all_sent = true;
    if is_open(world) {
        for plugin in plugins {
            all_sent &= (plugin.send)(world);
        }
    }
    all_sent
}

/// Removes everything that belongs to the memory. Returns the functions that later count the uncommitted requests.
pub(super) fn reset(world: &mut World, plugins: &[CloseSteps]) -> Vec<CountFn> {
    plugins.iter().map(|plugin| (plugin.reset)(world)).collect()
}
