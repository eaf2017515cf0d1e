//! Closes the memory when the game exits.

use std::{
    thread,
    time::{Duration, Instant},
};

use bevy::{app::AppExit, prelude::*};
use hearsay_engine::MemoryError;

use super::{
    close_steps::{MemoryExit, close_steps, send},
    closing::Closing,
    handle::NpcMemory,
    lifecycle::{Lifecycle, update_phase},
    options::MemorySettings,
};

/// Interval between two attempts to send the remaining requests when the game exits.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Closes the memory in the frame in which the game exits.
pub(super) fn close_at_exit(mut exits: MessageReader<AppExit>, mut commands: Commands) {
    if exits.read().count() > 0 {
        commands.queue(close);
    }
}

/// Sends all pending changes and game events, closes the memory, and counts the committed changes. If another memory is
/// already being closed, also waits until that memory is closed.
fn close(world: &mut World) {
    let timeout = world.resource::<MemorySettings>().exit_timeout;
    let mut exit = MemoryExit::default();
    let closing = world.resource_mut::<Lifecycle>().stop();
    let is_closing = closing.is_some();
    if let Some(closing) = closing {
        report_result(closing.wait(), timeout);
        exit.not_committed += closing.count_uncommitted();
    }
    if close_open_memory(world, timeout, &mut exit) || is_closing {
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
    }
    update_phase(world);
}

/// Closes the open memory. Returns false if no memory is open.
fn close_open_memory(world: &mut World, timeout: Duration, exit: &mut MemoryExit) -> bool {
    let deadline = Instant::now() + timeout;
    let plugins = close_steps(world);
    plugins.iter().for_each(|plugin| (plugin.collect)(world));
    while !send(world, &plugins) && Instant::now() < deadline {
        plugins.iter().for_each(|plugin| (plugin.count_answered)(world, exit));
        thread::sleep(POLL_INTERVAL);
    }
    let Some(memory) = world.resource_mut::<NpcMemory>().0.take() else { return false };
    report_result(Closing::start(memory, deadline, Vec::new()).wait(), timeout);
    for plugin in &plugins {
        (plugin.count_answered)(world, exit);
        exit.not_committed += (plugin.count_unanswered)(world);
    }
    true
}

fn report_result(result: Option<Result<(), MemoryError>>, timeout: Duration) {
    match result {
        Some(Ok(())) => {}
        Some(Err(error)) => tracing::error!("closing the memory failed: {error}"),
        None => tracing::warn!("the memory was not closed within {timeout:?}; all acknowledged changes are safe"),
    }
}
