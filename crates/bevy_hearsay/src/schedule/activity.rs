//! Decides in which frames the systems run.

use bevy::prelude::*;

/// A condition on the Bevy world.
type Condition = fn(&World) -> bool;

/// A function that runs at the end of the frame.
type Postponed = Box<dyn FnOnce(&mut World) + Send + Sync>;

/// Whether the systems of the plugins run. The systems are skipped while no work is pending, so that an idle frame is
/// cheap.
#[derive(Resource)]
pub(crate) struct Activity {
    is_awake: bool,
    /// The name of each kind of work, and the condition that is true while such work is pending.
    work: Vec<(&'static str, Condition)>,
    /// Conditions under which the systems run although no work is pending.
    keep_awake: Vec<Condition>,
    postponed: Vec<Postponed>,
}

impl Default for Activity {
    fn default() -> Self {
        Self { is_awake: true, work: Vec::new(), keep_awake: Vec::new(), postponed: Vec::new() }
    }
}

impl Activity {
    /// Returns whether work may be pending, so that the systems must run.
    pub(crate) fn is_awake(&self) -> bool {
        self.is_awake
    }

    /// Makes the systems run in this frame. Code that adds work calls this method. Without this call, the work could
    /// start late, after at most [`SyncSettings::poll`](crate::SyncSettings::poll).
    pub(crate) fn wake(&mut self) {
        self.is_awake = true;
    }

    /// Returns whether no work is pending and nothing keeps the systems awake.
    fn is_idle(&self, world: &World) -> bool {
        self.postponed.is_empty()
            && !self.work.iter().any(|(_, is_pending)| is_pending(world))
            && !self.keep_awake.iter().any(|is_needed| is_needed(world))
    }
}

/// Makes the systems run in this frame.
pub(crate) fn wake(world: &mut World) {
    if let Some(mut activity) = world.get_resource_mut::<Activity>() {
        activity.wake();
    }
}

/// Runs a function at the end of this frame, when the commands of the game's systems have been applied. Returns false
/// and drops the function if no plugin of this crate was added to the app.
pub(crate) fn postpone(world: &mut World, function: impl FnOnce(&mut World) + Send + Sync + 'static) -> bool {
    let Some(mut activity) = world.get_resource_mut::<Activity>() else { return false };
    activity.postponed.push(Box::new(function));
    activity.wake();
    true
}

/// Returns the name of each kind of pending work.
pub(crate) fn pending_work(world: &World) -> Vec<&'static str> {
    let work = world.get_resource::<Activity>().map_or(&[][..], |activity| &activity.work);
    work.iter().filter(|(_, is_pending)| is_pending(world)).map(|(name, _)| *name).collect()
}

/// Extends [`App`] with methods for plugins whose systems run only while work is pending.
pub(crate) trait ActivityAppExt {
    /// Adds a kind of work. The systems run while the condition `is_pending` is true.
    fn add_work(&mut self, name: &'static str, is_pending: Condition) -> &mut Self;

    /// Adds a condition. While the condition is true, the systems run even if no work is pending.
    fn keep_awake_while(&mut self, is_needed: Condition) -> &mut Self;
}

impl ActivityAppExt for App {
    fn add_work(&mut self, name: &'static str, is_pending: Condition) -> &mut Self {
        self.world_mut().get_resource_or_init::<Activity>().work.push((name, is_pending));
        self
    }

    fn keep_awake_while(&mut self, is_needed: Condition) -> &mut Self {
        self.world_mut().get_resource_or_init::<Activity>().keep_awake.push(is_needed);
        self
    }
}

/// Ends the frame after all commands of the plugins have been applied.
pub(super) fn rest(mut commands: Commands) {
    commands.queue(end_frame);
}

/// Runs the postponed functions. If no work is pending, the systems are skipped from the next frame on.
fn end_frame(world: &mut World) {
    for function in std::mem::take(&mut world.resource_mut::<Activity>().postponed) {
        function(world);
    }
    let is_idle = world.resource::<Activity>().is_idle(world);
    world.resource_mut::<Activity>().is_awake = !is_idle;
}
