//! The queue of game events, edits, session events and world events for the memory. These requests are sent in order.

use std::collections::VecDeque;

use bevy::{ecs::system::SystemParam, prelude::*};
use hearsay_commands::edit::Edit;
use hearsay_engine::{EventOutcome, Memory, MemoryError, ReadSnapshot, Ticket, Written, real_time};
use hearsay_model::Author;

use super::{
    action::{ActionCommitted, ActionFailed, ActionId, fail_action},
    game_event::{GameEvent, NamedEvent},
    session::{self, PendingSessionMessage, SessionEnded, SessionEvent, SessionMessage, SessionStarted},
    target::{Target, Unresolved, resolve_name},
    world::WorldEvent,
};
use crate::{
    bridge::{
        CountFn, FrameCost, HearsayError, MemoryErrorMessage, MemoryExit, NpcMemory, SentRequest, is_open,
        report_error, report_missing_plugin, total_size, uncommitted_size,
    },
    components::MemoryId,
    schedule::{Activity, InstalledPlugins, PluginName, wake},
    sync::{self, Outbox},
};

/// A request in the queue.
enum Request {
    GameEvent { actor: Target, game_event: GameEvent },
    Edit { edit: Edit, author: Author },
    Session(SessionEvent),
    World(WorldEvent),
}

/// A request that was sent, with the ticket of its answer.
enum Sent {
    /// A game event. `actor` is the id or name by which the memory knows the acting entity.
    GameEvent { entity: Entity, id: ActionId, actor: String, ticket: Ticket<EventOutcome> },
    /// An edit, a session event or a world event, and the Bevy message to write when it is recorded.
    Write { message: SessionMessage, ticket: Ticket<Written> },
}

impl SentRequest for Sent {
    fn is_committed(&self) -> Option<bool> {
        match self {
            Self::GameEvent { ticket, .. } => ticket.try_take().map(|answer| answer.is_ok()),
            Self::Write { ticket, .. } => ticket.try_take().map(|answer| answer.is_ok()),
        }
    }
}

/// Settings of [`GameEventsPlugin`](crate::GameEventsPlugin) that can change at run time. If the app already has this
/// resource, the plugin does not overwrite it.
#[derive(Resource, Debug, Clone, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct GameEventSettings {
    /// Maximum number of game events that can wait while the memory is being opened or is busy. If this number is
    /// reached, the plugin rejects each new event with [`HearsayError::QueueFull`].
    pub queue_capacity: usize,
}

impl Default for GameEventSettings {
    fn default() -> Self {
        Self { queue_capacity: 10_000 }
    }
}

/// Requests that are waiting to be sent, and requests that were sent but have no answer yet.
#[derive(Resource, Default)]
pub(crate) struct GameEventQueue {
    waiting: VecDeque<Request>,
    sent: Vec<Sent>,
    /// Pending requests for the content of session messages.
    pending_session_messages: Vec<PendingSessionMessage>,
    /// Number of requests that were sent or dropped so far.
    pub(crate) sent_count: u64,
    /// Number of requests that were answered or dropped so far.
    pub(crate) completed_count: u64,
}

impl GameEventQueue {
    /// Returns the number of unsent requests, and the number of sent requests without an answer.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.waiting.len(), self.sent.len() + self.pending_session_messages.len())
    }

    /// Drops the waiting requests, because a slot was loaded or the memory closes. The waiting game events fail with
    /// `error`.
    pub(crate) fn fail_waiting(world: &mut World, error: &HearsayError) {
        let mut game_events = world.resource_mut::<Self>();
        let dropped = std::mem::take(&mut game_events.waiting);
        game_events.sent_count += dropped.len() as u64;
        game_events.completed_count += dropped.len() as u64;
        for request in dropped {
            if let Request::GameEvent { game_event: GameEvent { entity, id, .. }, .. } = request {
                world.trigger(ActionFailed { entity, action: id, error: error.clone() });
            }
        }
    }

    /// Returns a count of requests. All requests until now are sent when `sent_count` reaches this count, and done when
    /// `completed_count` reaches it.
    pub(crate) fn watermark(&self) -> u64 {
        self.sent_count + self.waiting.len() as u64
    }

    fn push(&mut self, request: Request, settings: &GameEventSettings) -> Result<(), HearsayError> {
        let capacity = settings.queue_capacity;
        if self.waiting.len() >= capacity {
            return Err(HearsayError::QueueFull { capacity });
        }
        self.waiting.push_back(request);
        Ok(())
    }
}

/// Returns whether any request is unsent or unanswered.
pub(super) fn is_busy(world: &World) -> bool {
    world.resource::<GameEventQueue>().counts() != (0, 0) && is_open(world)
}

/// Queues game events, session events and edits.
#[derive(SystemParam)]
pub(super) struct RequestQueue<'w> {
    installed: Res<'w, InstalledPlugins>,
    settings: Res<'w, GameEventSettings>,
    game_events: ResMut<'w, GameEventQueue>,
    activity: ResMut<'w, Activity>,
    errors: MessageWriter<'w, MemoryErrorMessage>,
}

impl RequestQueue<'_> {
    /// Queues a request. If this fails, reports the error with `entity` as the affected entity, and returns the error.
    fn push(&mut self, request: Request, entity: Option<Entity>) -> Result<(), HearsayError> {
        let pushed = match self.installed.missing_for(PluginName::GameEvents) {
            Some(plugin) => Err(HearsayError::PluginMissing(plugin)),
            None => self.game_events.push(request, &self.settings),
        };
        match &pushed {
            Ok(()) => self.activity.wake(),
            Err(error) => {
                tracing::warn!("{error}");
                self.errors.write(MemoryErrorMessage { error: error.clone(), entity });
            }
        }
        pushed
    }
}

pub(super) fn on_game_event(on: On<GameEvent>, ids: Query<&MemoryId>, mut queue: RequestQueue, mut commands: Commands) {
    let game_event = on.event().clone();
    // Resolve the id now: the entity may be despawned when the event is sent.
    let actor = match ids.get(game_event.entity).ok().and_then(MemoryId::get) {
        Some(id) => Target::from(id),
        None => Target::Entity(game_event.entity),
    };
    let (entity, action) = (game_event.entity, game_event.id);
    if let Err(error) = queue.push(Request::GameEvent { actor, game_event }, Some(entity)) {
        commands.trigger(ActionFailed { entity, action, error });
    }
}

pub(super) fn on_session(on: On<SessionEvent>, mut queue: RequestQueue) {
    // `push` has already reported the error.
    let _ = queue.push(Request::Session(on.event().clone()), None);
}

pub(super) fn on_world_event(on: On<WorldEvent>, mut queue: RequestQueue) {
    // `push` has already reported the error.
    let _ = queue.push(Request::World(on.event().clone()), None);
}

/// Queues a manual edit. Returns false and reports an error if the edit cannot be queued.
pub(super) fn queue_edit(world: &mut World, edit: Edit, author: Author, entity: Entity) -> bool {
    if report_missing_plugin(world, PluginName::GameEvents, Some(entity)) {
        return false;
    }
    let pushed = world.resource_scope(|world, mut game_events: Mut<GameEventQueue>| {
        game_events.push(Request::Edit { edit, author }, world.resource::<GameEventSettings>())
    });
    match pushed {
        Ok(()) => wake(world),
        Err(error) => {
            report_error(world, error, Some(entity));
            return false;
        }
    }
    true
}

/// Sends the waiting requests.
pub(super) fn send(game_events: Res<GameEventQueue>, memory: Res<NpcMemory>, mut commands: Commands) {
    if !game_events.waiting.is_empty() && memory.is_open() {
        commands.queue(send_requests);
    }
}

/// Sends the waiting requests in order, after the component changes that precede them.
fn send_requests(world: &mut World) {
    if world.resource::<Outbox>().is_loading() || !sync::send_changes(world) {
        return;
    }
    let _cost = world.resource::<FrameCost>().measure();
    // Observers of failed events may add further requests. These are sent in the next frame, so that an observer that
    // always repeats a failing event does not block this frame.
    for _ in 0..world.resource::<GameEventQueue>().waiting.len() {
        let Some(request) = world.resource_mut::<GameEventQueue>().waiting.pop_front() else { return };
        let sent = match &request {
            Request::Edit { edit, author } => {
                let (edit, author) = (edit.clone(), author.clone());
                send_write(world, SessionMessage::Nothing, |memory| memory.edit_as(author, edit))
            }
            Request::GameEvent { actor, game_event } => send_game_event(world, actor, game_event),
            Request::Session(event) => session::session_request(world, event)
                .and_then(|send| send_write(world, SessionMessage::for_event(event), send)),
            Request::World(event) => {
                let event = event.clone();
                send_write(world, SessionMessage::Nothing, |memory| event.send(memory))
            }
        };
        match sent {
            Ok(()) => {}
            Err(Unresolved::NotYet) => {
                // The memory is busy, or an entity has no id yet. Later requests also wait, so that the order is kept.
                world.resource_mut::<GameEventQueue>().waiting.push_front(request);
                return;
            }
            Err(Unresolved::Never(error)) => reject(world, error, &request),
        }
    }
}

/// Sends the waiting requests before the memory closes. Returns true if all requests were sent, or if the remaining
/// requests can never be sent. An entity that has no id by then will never get one.
pub(super) fn send_when_closing(world: &mut World) -> bool {
    send_requests(world);
    let game_events = world.resource::<GameEventQueue>();
    let Some(first) = game_events.waiting.front() else { return true };
    let is_unsendable = match first {
        Request::GameEvent { actor, game_event } => {
            matches!(NamedEvent::new(world, actor, game_event), Err(Unresolved::NotYet))
        }
        Request::Edit { .. } | Request::Session(_) | Request::World(_) => false,
    };
    is_unsendable || world.resource::<Outbox>().is_loading()
}

/// Counts the answered requests at exit.
pub(super) fn count_answered(world: &mut World, exit: &mut MemoryExit) {
    exit.count_answered(&mut world.resource_mut::<GameEventQueue>().sent);
}

/// Returns the number of unanswered requests, including unsent requests.
pub(super) fn count_unanswered(world: &World) -> usize {
    let game_events = world.resource::<GameEventQueue>();
    total_size(&game_events.sent) + game_events.waiting.len()
}

/// Drops all requests when the memory closes. The waiting game events fail. The outcomes of sent game events are not
/// reported. Returns a function that counts the requests that were not committed.
pub(super) fn reset(world: &mut World) -> CountFn {
    let unsent = world.resource::<GameEventQueue>().waiting.len();
    GameEventQueue::fail_waiting(world, &HearsayError::NotOpen);
    let mut game_events = world.resource_mut::<GameEventQueue>();
    game_events.pending_session_messages.clear();
    let sent = std::mem::take(&mut game_events.sent);
    game_events.completed_count += sent.len() as u64;
    Box::new(move || unsent + uncommitted_size(&sent))
}

/// Reports a request that can never be sent. Also counts the request as done, so that later requests do not wait for
/// it.
fn reject(world: &mut World, error: HearsayError, request: &Request) {
    let mut game_events = world.resource_mut::<GameEventQueue>();
    game_events.sent_count += 1;
    game_events.completed_count += 1;
    match request {
        Request::GameEvent { game_event: GameEvent { entity, id, .. }, .. } => fail_action(world, *entity, *id, error),
        Request::Edit { .. } | Request::Session(_) | Request::World(_) => report_error(world, error, None),
    }
}

/// Sends a game event.
fn send_game_event(world: &mut World, actor: &Target, game_event: &GameEvent) -> Result<(), Unresolved> {
    let event = NamedEvent::new(world, actor, game_event)?;
    let (entity, id, actor) = (game_event.entity, game_event.id, resolve_name(world, actor)?);
    let author = game_event.author.clone();
    let build_plan = move |snapshot: &ReadSnapshot| {
        let event = event.to_engine_event(&snapshot.state)?;
        Ok(event.plan(&snapshot.state, author.clone(), real_time())?)
    };
    let sent = |ticket| Sent::GameEvent { entity, id, actor, ticket };
    send_request(world, |memory| memory.record_event(build_plan), sent)
}

/// Sends a request that is not a game event. The Bevy message `message` is written when the request is recorded.
fn send_write(
    world: &mut World,
    message: SessionMessage,
    send: impl FnOnce(&Memory) -> Result<Ticket<Written>, MemoryError>,
) -> Result<(), Unresolved> {
    send_request(world, send, |ticket| Sent::Write { message, ticket })
}

/// Sends a request, and stores its ticket.
///
/// # Errors
/// Returns [`Unresolved::NotYet`] if the memory is busy, and the error of the memory if it rejects the request.
fn send_request<T>(
    world: &mut World,
    send: impl FnOnce(&Memory) -> Result<Ticket<T>, MemoryError>,
    sent: impl FnOnce(Ticket<T>) -> Sent,
) -> Result<(), Unresolved> {
    let Some(memory) = world.resource::<NpcMemory>().get() else { return Err(Unresolved::NotYet) };
    match send(memory) {
        Ok(ticket) => {
            let mut game_events = world.resource_mut::<GameEventQueue>();
            game_events.sent_count += 1;
            game_events.sent.push(sent(ticket));
            Ok(())
        }
        Err(MemoryError::Full { .. }) => Err(Unresolved::NotYet),
        Err(error) => Err(Unresolved::Never(error.into())),
    }
}

/// Receives the answers to sent requests. Reports each refused request.
pub(super) fn receive_outcomes(
    mut game_events: ResMut<GameEventQueue>,
    memory: Res<NpcMemory>,
    mut errors: MessageWriter<MemoryErrorMessage>,
    mut started: MessageWriter<SessionStarted>,
    mut ended: MessageWriter<SessionEnded>,
    mut commands: Commands,
) {
    if game_events.sent.is_empty() && game_events.pending_session_messages.is_empty() {
        return;
    }
    let game_events = game_events.as_mut();
    let mut report_error = |error: MemoryError, entity: Option<Entity>| {
        let is_closed = matches!(error, MemoryError::Closed);
        let error = HearsayError::from(error);
        if !is_closed {
            tracing::warn!("a game event was not recorded: {error}");
            errors.write(MemoryErrorMessage { error: error.clone(), entity });
        }
        error
    };
    while let Some(sent) = game_events.sent.first() {
        match sent {
            Sent::GameEvent { entity, id, actor, ticket } => {
                let Some(answer) = ticket.try_take() else { break };
                let (entity, action) = (*entity, *id);
                match answer {
                    Ok(EventOutcome { written, facts, mut heard_by }) => {
                        heard_by.retain(|hearer| hearer.as_str() != actor.as_str());
                        let position = written.position;
                        commands.trigger(ActionCommitted { entity, action, position, facts, heard_by });
                    }
                    Err(error) => {
                        let error = report_error(error, Some(entity));
                        commands.trigger(ActionFailed { entity, action, error });
                    }
                }
            }
            Sent::Write { message, ticket } => {
                let Some(answer) = ticket.try_take() else { break };
                let request_content = |_| memory.get().map_or(Ok(None), |memory| message.request_content(memory));
                match answer.and_then(request_content) {
                    Ok(pending_message) => game_events.pending_session_messages.extend(pending_message),
                    Err(error) => _ = report_error(error, None),
                }
            }
        }
        drop(game_events.sent.remove(0));
        game_events.completed_count += 1;
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
                if let Err(error) = answer {
                    report_error(error, None);
                }
                false
            }
        }
    });
}
