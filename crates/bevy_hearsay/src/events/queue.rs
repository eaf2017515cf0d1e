//! The queue of game events, edits and session events for the memory. Requests are sent in order.

use std::collections::VecDeque;

use bevy::prelude::*;
use hearsay_commands::edit::Edit;
use hearsay_engine::{Memory, MemoryError, Ticket, Written};
use hearsay_model::Author;

use super::{
    game_event::{GameEvent, to_engine_event},
    session::{self, PendingSessionMessage, SessionEnded, SessionEvent, SessionMessage, SessionStarted},
    target::{Target, Unresolved},
};
use crate::{
    bridge::{FrameCost, MemoryErrorMessage, MemoryExit, NpcMemory, is_open},
    components::MemoryId,
    schedule::Steps,
    sync::{self, Outbox},
};

/// A request in the queue: a game event, a manual edit, or a session event.
enum Request {
    GameEvent { actor: Target, game_event: GameEvent },
    Edit { edit: Edit, author: Author },
    Session(SessionEvent),
}

/// Requests that are waiting to be sent, and requests that were sent but have no answer yet.
#[derive(Resource, Default)]
pub(crate) struct GameEventQueue {
    waiting: VecDeque<Request>,
    sent: Vec<(Option<Entity>, SessionMessage, Ticket<Written>)>,
    /// Pending requests for the content of session messages.
    pending_session_messages: Vec<PendingSessionMessage>,
    capacity: usize,
    /// Number of requests sent so far.
    pub(crate) sent_count: u64,
    pub(crate) completed_count: u64,
}

impl GameEventQueue {
    /// Creates an empty queue for at most `capacity` requests.
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, ..Self::default() }
    }

    /// Returns the number of unsent requests, and the number of sent requests without an answer.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.waiting.len(), self.sent.len() + self.pending_session_messages.len())
    }

    /// Drops the waiting requests, because their timeline was abandoned.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Returns the value that `completed_count` must reach before a question is sent. The answer then includes all
    /// earlier events.
    pub(crate) fn watermark(&self) -> u64 {
        self.sent_count + self.waiting.len() as u64
    }

    /// Queues a session event.
    pub(crate) fn push_session(&mut self, event: SessionEvent) -> Result<(), String> {
        match self.push(Request::Session(event)) {
            true => Ok(()),
            false => Err(format!(
                "the queue is full ({} requests), so this session command is dropped; raise `GameEventsPlugin::queue_capacity`",
                self.capacity
            )),
        }
    }

    fn push(&mut self, request: Request) -> bool {
        let has_room = self.waiting.len() < self.capacity;
        if has_room {
            self.waiting.push_back(request);
        }
        has_room
    }
}

pub(super) fn has_unsent(world: &World) -> bool {
    !world.resource::<GameEventQueue>().waiting.is_empty() && is_open(world)
}

/// Returns whether any request is unsent or unanswered.
pub(super) fn is_busy(world: &World) -> bool {
    world.resource::<GameEventQueue>().counts() != (0, 0) && is_open(world)
}

pub(super) fn has_unanswered(world: &World) -> bool {
    let game_events = world.resource::<GameEventQueue>();
    !game_events.sent.is_empty() || !game_events.pending_session_messages.is_empty()
}

pub(super) fn on_game_event(
    on: On<GameEvent>,
    ids: Query<&MemoryId>,
    mut game_events: ResMut<GameEventQueue>,
    mut steps: ResMut<Steps>,
    mut errors: MessageWriter<MemoryErrorMessage>,
) {
    steps.wake();
    let game_event = on.event().clone();
    // Resolve the id now: the entity may be despawned when the event is sent.
    let actor = match ids.get(game_event.entity).ok().and_then(MemoryId::get) {
        Some(id) => Target::from(id),
        None => Target::Entity(game_event.entity),
    };
    let entity = Some(game_event.entity);
    if !game_events.push(Request::GameEvent { actor, game_event }) {
        let text = format!(
            "the queue is full ({} requests), so this game event is dropped; raise `GameEventsPlugin::queue_capacity`",
            game_events.capacity
        );
        errors.write(MemoryErrorMessage { text, entity });
    }
}

/// Queues a manual edit.
pub(crate) fn queue_edit(world: &mut World, edit: Edit, author: Author) {
    if let Some(mut game_events) = world.get_resource_mut::<GameEventQueue>() {
        game_events.push(Request::Edit { edit, author });
        world.resource_mut::<Steps>().wake();
    }
}

/// Sends the waiting requests in order, after the component changes that precede them.
pub(super) fn send(world: &mut World) {
    let _cost = world.resource::<FrameCost>().measure();
    if world.resource::<Outbox>().is_loading() {
        return;
    }
    sync::flush(world);
    loop {
        let Some(request) = world.resource_mut::<GameEventQueue>().waiting.pop_front() else { return };
        let sent = match &request {
            Request::Edit { edit, author } => {
                let (edit, author) = (edit.clone(), author.clone());
                send_write(world, None, SessionMessage::Nothing, |memory| memory.edit_as(author, edit))
            }
            Request::GameEvent { actor, game_event } => match to_engine_event(world, actor, game_event) {
                Ok(event) => {
                    let author = game_event.author.clone();
                    send_write(world, Some(game_event.entity), SessionMessage::Nothing, |memory| {
                        memory.learn(author, event)
                    })
                }
                Err(Unresolved::NotYet) => false,
                Err(Unresolved::Never(text)) => reject(world, text, Some(game_event.entity)),
            },
            Request::Session(event) => match session::session_request(world, event) {
                Ok(send) => send_write(world, None, SessionMessage::for_event(event), send),
                Err(Unresolved::NotYet) => false,
                Err(Unresolved::Never(text)) => reject(world, text, None),
            },
        };
        if !sent {
            // The memory is busy, or an entity has no id yet. Later requests also wait, because the order must be kept.
            world.resource_mut::<GameEventQueue>().waiting.push_front(request);
            return;
        }
    }
}

/// Sends the waiting requests at exit. Returns true if all requests were sent, or if the remaining requests can never
/// be sent. An entity that has no id at exit will never get one.
pub(super) fn send_at_exit(world: &mut World) -> bool {
    send(world);
    let game_events = world.resource::<GameEventQueue>();
    let Some(first) = game_events.waiting.front() else { return true };
    let is_unsendable = match first {
        Request::GameEvent { actor, game_event } => {
            matches!(to_engine_event(world, actor, game_event), Err(Unresolved::NotYet))
        }
        Request::Edit { .. } | Request::Session(_) => false,
    };
    is_unsendable || world.resource::<Outbox>().is_loading()
}

/// Counts the answered requests at exit.
pub(super) fn count_answered(world: &mut World, exit: &mut MemoryExit) {
    let sent = &mut world.resource_mut::<GameEventQueue>().sent;
    exit.count_answered(sent, |(_, _, ticket)| Some(ticket.try_take()?.is_ok()), |_| 1);
}

/// Returns the number of unanswered requests, including unsent requests.
pub(super) fn count_unanswered(world: &World) -> usize {
    let game_events = world.resource::<GameEventQueue>();
    game_events.sent.len() + game_events.waiting.len()
}

/// Reports a request that can never be sent. Also counts the request as done, so that later requests do not wait for
/// it.
fn reject(world: &mut World, text: String, entity: Option<Entity>) -> bool {
    world.write_message(MemoryErrorMessage { text, entity });
    let mut game_events = world.resource_mut::<GameEventQueue>();
    game_events.sent_count += 1;
    game_events.completed_count += 1;
    true
}

fn send_write(
    world: &mut World,
    entity: Option<Entity>,
    session_message: SessionMessage,
    send: impl FnOnce(&Memory) -> Result<Ticket<Written>, MemoryError>,
) -> bool {
    let Some(memory) = world.resource::<NpcMemory>().get() else { return false };
    match send(memory) {
        Ok(ticket) => {
            let mut game_events = world.resource_mut::<GameEventQueue>();
            game_events.sent_count += 1;
            game_events.sent.push((entity, session_message, ticket));
            true
        }
        Err(MemoryError::Full { .. }) => false,
        Err(error) => reject(world, error.to_string(), entity),
    }
}

pub(super) fn on_session(
    on: On<SessionEvent>,
    mut game_events: ResMut<GameEventQueue>,
    mut steps: ResMut<Steps>,
    mut errors: MessageWriter<MemoryErrorMessage>,
) {
    steps.wake();
    if let Err(text) = game_events.push_session(on.event().clone()) {
        errors.write(MemoryErrorMessage { text, entity: None });
    }
}

/// Receives the answers to sent requests. Reports each refused request.
pub(super) fn receive_outcomes(
    mut game_events: ResMut<GameEventQueue>,
    memory: Res<NpcMemory>,
    mut errors: MessageWriter<MemoryErrorMessage>,
    mut started: MessageWriter<SessionStarted>,
    mut ended: MessageWriter<SessionEnded>,
) {
    let game_events = game_events.as_mut();
    let mut report_error = |error: MemoryError, entity| {
        if !matches!(error, MemoryError::Closed) {
            tracing::warn!("a game event was not recorded: {error}");
            errors.write(MemoryErrorMessage { text: error.to_string(), entity });
        }
    };
    while let Some((entity, session_message, answer)) = game_events
        .sent
        .first()
        .and_then(|(entity, session_message, ticket)| Some((*entity, *session_message, ticket.try_take()?)))
    {
        drop(game_events.sent.remove(0));
        game_events.completed_count += 1;
        let pending_message =
            answer.and_then(|_| memory.get().map_or(Ok(None), |memory| session_message.request_content(memory)));
        match pending_message {
            Ok(pending_message) => game_events.pending_session_messages.extend(pending_message),
            Err(error) => report_error(error, entity),
        }
    }
    game_events.pending_session_messages.retain_mut(|pending_message| {
        let answer = match pending_message {
            PendingSessionMessage::Started(ticket) => {
                ticket.try_take().map(|id| id.map(|session| _ = started.write(SessionStarted { session })))
            }
            PendingSessionMessage::Ended(ticket) => ticket
                .try_take()
                .map(|report| report.map(|report| _ = ended.write(SessionEnded { report: Box::new(report) }))),
        };
        match answer {
            None => true,
            Some(answer) => {
                answer.err().into_iter().for_each(|error| report_error(error, None));
                false
            }
        }
    });
}
