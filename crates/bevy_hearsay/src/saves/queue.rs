//! The queue of save and load requests to the memory, and the outcomes of these requests.

use std::path::PathBuf;

use bevy::prelude::*;
use hearsay_engine::{MemoryError, Ticket, Written};

use crate::{
    bridge::{ChangedKeys, CountFn, HearsayError, NpcMemory, Resync, is_open, report_error, report_missing_plugin},
    events::GameEventQueue,
    questions::QuestionQueue,
    schedule::{PluginName, wake},
    speech::forget_conversations,
    sync::{self, Inbox, Outbox, Registry},
};

/// Message: a slot was saved to the disk.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct SlotSaved {
    /// Name of the slot.
    pub name: String,
}

/// Message: a slot was loaded. Over the next frames, the plugin writes the loaded values to components.
/// [`LoadProgress`](crate::LoadProgress) shows the progress.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct SlotLoaded {
    /// Name of the slot.
    pub name: String,
}

/// A request to save, load or delete a slot, or to export the memory.
pub(super) enum SaveRequest {
    Save(String),
    Load(String),
    Drop(String),
    Export(PathBuf),
}

enum PendingSave {
    Writing(SaveRequest, Ticket<Written>),
    Exporting(PathBuf, Ticket<()>),
}

/// Requests that are waiting to be sent, and requests that were sent but have no answer yet.
#[derive(Resource, Default)]
pub(super) struct SaveQueue {
    /// The waiting requests. Each has the number of game events that must be sent before it, so that it includes all
    /// earlier events.
    waiting: Vec<(u64, SaveRequest)>,
    pending: Vec<PendingSave>,
}

impl SaveQueue {
    /// Adds a request that includes all game events until now.
    pub(super) fn push(&mut self, request: SaveRequest, game_events: Option<&GameEventQueue>) {
        self.waiting.push((game_events.map_or(0, GameEventQueue::watermark), request));
    }
}

/// Queues a request.
pub(super) fn queue_request(commands: &mut Commands, request: SaveRequest) {
    commands.queue(move |world: &mut World| {
        if report_missing_plugin(world, PluginName::Saves, None) {
            return;
        }
        world.resource_scope(|world, mut saves: Mut<SaveQueue>| saves.push(request, world.get_resource()));
        wake(world);
    });
}

/// Sends the waiting requests.
pub(super) fn send(saves: Res<SaveQueue>, memory: Res<NpcMemory>, mut commands: Commands) {
    if !saves.waiting.is_empty() && memory.is_open() {
        commands.queue(send_requests);
    }
}

/// Sends the waiting requests in order, after all changes and game events that precede them.
fn send_requests(world: &mut World) {
    // While a slot is being loaded, changes and game events are not sent, because they belong to the state before
    // loading.
    if !sync::send_changes(world) && !world.resource::<Outbox>().is_loading() {
        return;
    }
    loop {
        let is_loading = world.resource::<Outbox>().is_loading();
        let sent_events = world.get_resource::<GameEventQueue>().map_or(u64::MAX, |game_events| game_events.sent_count);
        let waiting = &mut world.resource_mut::<SaveQueue>().waiting;
        if waiting.first().is_none_or(|(required_events, _)| !is_loading && *required_events > sent_events) {
            return;
        }
        let (_, request) = waiting.remove(0);
        let Some(memory) = world.resource::<NpcMemory>().get() else { return };
        let pending = match &request {
            SaveRequest::Save(name) => {
                memory.save_slot(name.as_str()).map(|ticket| PendingSave::Writing(request, ticket))
            }
            SaveRequest::Load(name) => {
                let pending = memory.load_slot(name.as_str()).map(|ticket| PendingSave::Writing(request, ticket));
                world.resource_mut::<Outbox>().loading += usize::from(pending.is_ok());
                pending
            }
            SaveRequest::Drop(name) => {
                memory.drop_slot(name.as_str()).map(|ticket| PendingSave::Writing(request, ticket))
            }
            SaveRequest::Export(path) => {
                let path = path.clone();
                memory.export(path.clone()).map(|ticket| PendingSave::Exporting(path, ticket))
            }
        };
        match pending {
            Ok(pending) => world.resource_mut::<SaveQueue>().pending.push(pending),
            Err(error) => report_error(world, error, None),
        }
    }
}

/// Sends the waiting requests before the memory closes. All requests that remain unsent wait for game events that can
/// never be sent.
pub(super) fn send_when_closing(world: &mut World) -> bool {
    send_requests(world);
    true
}

/// Drops the waiting requests when the memory closes, and counts them as not committed. The outcomes of sent requests
/// still arrive while the memory closes. A slot that is being loaded has no effect on the next memory.
pub(super) fn reset(world: &mut World) -> CountFn {
    let mut saves = world.resource_mut::<SaveQueue>();
    let unsent = saves.waiting.drain(..).count();
    saves.pending.retain(|pending| !matches!(pending, PendingSave::Writing(SaveRequest::Load(_), _)));
    Box::new(move || unsent)
}

/// Receives the outcomes of sent requests.
pub(super) fn receive(saves: Res<SaveQueue>, mut commands: Commands) {
    if !saves.pending.is_empty() {
        commands.queue(receive_outcomes);
    }
}

fn receive_outcomes(world: &mut World) {
    let pending = std::mem::take(&mut world.resource_mut::<SaveQueue>().pending);
    for pending in pending {
        match pending {
            PendingSave::Writing(request, ticket) => match ticket.try_take() {
                None => world.resource_mut::<SaveQueue>().pending.push(PendingSave::Writing(request, ticket)),
                Some(result) => finish(world, request, result.map(drop)),
            },
            PendingSave::Exporting(path, ticket) => match ticket.try_take() {
                None => world.resource_mut::<SaveQueue>().pending.push(PendingSave::Exporting(path, ticket)),
                Some(Ok(())) => tracing::info!("exported to {}", path.display()),
                Some(Err(error)) => report_error(world, error, None),
            },
        }
    }
}

fn finish(world: &mut World, request: SaveRequest, result: Result<(), MemoryError>) {
    if let SaveRequest::Load(_) = request {
        world.resource_mut::<Outbox>().loading -= 1;
    }
    match (result, request) {
        (Err(error), _) => report_error(world, error, None),
        (Ok(()), SaveRequest::Save(name)) => _ = world.write_message(SlotSaved { name }),
        (Ok(()), SaveRequest::Load(name)) => {
            abandon_timeline(world);
            world.write_message(SlotLoaded { name });
        }
        (Ok(()), _) => {}
    }
}

/// Drops all pending changes and requests after a slot is loaded, because they belong to the reverted state. All
/// entities are compared with the memory again, because this is faster than handling each changed record.
fn abandon_timeline(world: &mut World) {
    let abandoned = world.resource_mut::<Outbox>().abandon_timeline();
    let binding: Vec<_> = world.resource::<Registry>().bindings.keys().cloned().collect();
    world.resource_mut::<Inbox>().abandon_timeline(abandoned, binding);
    world.resource_mut::<Resync>().0 = true;
    if let Some(mut changed_keys) = world.get_resource_mut::<ChangedKeys>() {
        changed_keys.0.clear();
    }
    forget_conversations(world);
    if world.contains_resource::<GameEventQueue>() {
        GameEventQueue::fail_waiting(world, &HearsayError::SlotLoaded);
    }
    if world.contains_resource::<QuestionQueue>() {
        QuestionQueue::fail_all(world, &HearsayError::SlotLoaded);
    }
}

/// Returns whether any save or load request is unsent or unanswered.
pub(super) fn is_busy(world: &World) -> bool {
    let saves = world.resource::<SaveQueue>();
    !(saves.waiting.is_empty() && saves.pending.is_empty()) && is_open(world)
}
