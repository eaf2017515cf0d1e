//! The queue of game events, edits and session events for the memory. Requests are sent in order.

use std::collections::VecDeque;

use bevy::prelude::*;
use hearsay_commands::edit::Edit;
use hearsay_engine::{Memory, MemoryError, Ticket, Written};
use hearsay_model::Author;

use super::{
    game_event::{GameEvent, resolved},
    session::{self, Asked, SessionEnded, SessionEvent, SessionStarted, Tells},
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
    GameEvent { by: Target, game_event: GameEvent },
    Edit { edit: Edit, author: Author },
    Session(SessionEvent),
}

/// Requests that are waiting to be sent, and requests that were sent but have no answer yet.
#[derive(Resource, Default)]
pub(crate) struct GameEvents {
    waiting: VecDeque<Request>,
    sent: Vec<(Option<Entity>, Tells, Ticket<Written>)>,
    /// Pending requests for the content of session messages.
    asked: Vec<Asked>,
    most: usize,
    /// Number of requests sent so far.
    pub(crate) sent_count: u64,
    pub(crate) done_count: u64,
}

impl GameEvents {
    /// Creates an empty queue for at most `most` requests.
    pub(super) fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// Returns the number of unsent requests, and the number of sent requests without an answer.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.waiting.len(), self.sent.len() + self.asked.len())
    }

    /// Drops the waiting requests, because their timeline was abandoned.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Returns the value that `done_count` must reach before a question is sent. The answer then includes all earlier
    /// events.
    pub(crate) fn mark(&self) -> u64 {
        self.sent_count + self.waiting.len() as u64
    }

    /// Queues a session event.
    pub(crate) fn push_session(&mut self, event: SessionEvent) -> Result<(), String> {
        match self.push(Request::Session(event)) {
            true => Ok(()),
            false => Err(format!(
                "the queue is full ({} requests), so this session command is dropped; raise `GameEventsPlugin::queue`",
                self.most
            )),
        }
    }

    fn push(&mut self, request: Request) -> bool {
        let room = self.waiting.len() < self.most;
        if room {
            self.waiting.push_back(request);
        }
        room
    }
}

pub(super) fn has_waiting(world: &World) -> bool {
    !world.resource::<GameEvents>().waiting.is_empty() && is_open(world)
}

/// Returns whether any request is unsent or unanswered.
pub(super) fn is_busy(world: &World) -> bool {
    world.resource::<GameEvents>().counts() != (0, 0) && is_open(world)
}

pub(super) fn has_sent(world: &World) -> bool {
    let game_events = world.resource::<GameEvents>();
    !game_events.sent.is_empty() || !game_events.asked.is_empty()
}

pub(super) fn on_game_event(
    on: On<GameEvent>,
    ids: Query<&MemoryId>,
    mut game_events: ResMut<GameEvents>,
    mut steps: ResMut<Steps>,
    mut trouble: MessageWriter<MemoryErrorMessage>,
) {
    steps.wake();
    let game_event = on.event().clone();
    // Resolve the id now: the entity may be despawned when the event is sent.
    let by = match ids.get(game_event.entity).ok().and_then(MemoryId::get) {
        Some(id) => Target::from(id),
        None => Target::Entity(game_event.entity),
    };
    let entity = Some(game_event.entity);
    if !game_events.push(Request::GameEvent { by, game_event }) {
        let what = format!(
            "the queue is full ({} requests), so this game event is dropped; raise `GameEventsPlugin::queue`",
            game_events.most
        );
        trouble.write(MemoryErrorMessage { what, entity });
    }
}

/// Queues a manual edit.
pub(crate) fn edit(world: &mut World, edit: Edit, author: Author) {
    if let Some(mut game_events) = world.get_resource_mut::<GameEvents>() {
        game_events.push(Request::Edit { edit, author });
        world.resource_mut::<Steps>().wake();
    }
}

/// Sends the waiting requests in order, after the component changes that precede them.
pub(super) fn send(world: &mut World) {
    let _cost = world.resource::<FrameCost>().begin();
    if world.resource::<Outbox>().is_loading() {
        return;
    }
    sync::flush(world);
    loop {
        let Some(request) = world.resource_mut::<GameEvents>().waiting.pop_front() else { return };
        let sent = match &request {
            Request::Edit { edit, author } => {
                let (edit, author) = (edit.clone(), author.clone());
                write(world, None, Tells::Nothing, |memory| memory.edit_as(author, edit))
            }
            Request::GameEvent { by, game_event } => match resolved(world, by, game_event) {
                Ok(event) => {
                    let author = game_event.author.clone();
                    write(world, Some(game_event.entity), Tells::Nothing, |memory| memory.learn(author, event))
                }
                Err(Unresolved::NotYet) => false,
                Err(Unresolved::Never(what)) => never(world, what, Some(game_event.entity)),
            },
            Request::Session(event) => match session::send(world, event) {
                Ok(send) => write(world, None, Tells::of(event), send),
                Err(Unresolved::NotYet) => false,
                Err(Unresolved::Never(what)) => never(world, what, None),
            },
        };
        if !sent {
            // The memory is busy, or an entity has no id yet. Later requests also wait, because the order must be kept.
            world.resource_mut::<GameEvents>().waiting.push_front(request);
            return;
        }
    }
}

/// Sends the waiting requests at exit. Returns true if all requests were sent, or if the remaining requests can never
/// be sent. An entity that has no id at exit will never get one.
pub(super) fn send_at_exit(world: &mut World) -> bool {
    send(world);
    let game_events = world.resource::<GameEvents>();
    let Some(first) = game_events.waiting.front() else { return true };
    let never = match first {
        Request::GameEvent { by, game_event } => matches!(resolved(world, by, game_event), Err(Unresolved::NotYet)),
        Request::Edit { .. } | Request::Session(_) => false,
    };
    never || world.resource::<Outbox>().is_loading()
}

/// Counts the answered requests at exit.
pub(super) fn count_answered(world: &mut World, exit: &mut MemoryExit) {
    let sent = &mut world.resource_mut::<GameEvents>().sent;
    exit.count_answered(sent, |(_, _, ticket)| Some(ticket.try_take()?.is_ok()));
}

/// Returns the number of unanswered requests, including unsent requests.
pub(super) fn count_open(world: &World) -> usize {
    let game_events = world.resource::<GameEvents>();
    game_events.sent.len() + game_events.waiting.len()
}

/// Reports a request that can never be sent. Also counts the request as done, so that later requests do not wait for
/// it.
fn never(world: &mut World, what: String, entity: Option<Entity>) -> bool {
    world.write_message(MemoryErrorMessage { what, entity });
    let mut game_events = world.resource_mut::<GameEvents>();
    game_events.sent_count += 1;
    game_events.done_count += 1;
    true
}

fn write(
    world: &mut World,
    entity: Option<Entity>,
    tells: Tells,
    send: impl FnOnce(&Memory) -> Result<Ticket<Written>, MemoryError>,
) -> bool {
    let Some(memory) = world.resource::<NpcMemory>().get() else { return false };
    match send(memory) {
        Ok(ticket) => {
            let mut game_events = world.resource_mut::<GameEvents>();
            game_events.sent_count += 1;
            game_events.sent.push((entity, tells, ticket));
            true
        }
        Err(MemoryError::Full { .. }) => false,
        Err(error) => never(world, error.to_string(), entity),
    }
}

pub(super) fn on_session(
    on: On<SessionEvent>,
    mut game_events: ResMut<GameEvents>,
    mut steps: ResMut<Steps>,
    mut trouble: MessageWriter<MemoryErrorMessage>,
) {
    steps.wake();
    if let Err(what) = game_events.push_session(on.event().clone()) {
        trouble.write(MemoryErrorMessage { what, entity: None });
    }
}

/// Receives the answers to sent requests. Reports each refused request.
pub(super) fn take_done(
    mut game_events: ResMut<GameEvents>,
    memory: Res<NpcMemory>,
    mut trouble: MessageWriter<MemoryErrorMessage>,
    mut started: MessageWriter<SessionStarted>,
    mut ended: MessageWriter<SessionEnded>,
) {
    let game_events = game_events.as_mut();
    let mut fail = |error: MemoryError, entity| {
        if !matches!(error, MemoryError::Closed) {
            tracing::warn!("a game event was not recorded: {error}");
            trouble.write(MemoryErrorMessage { what: error.to_string(), entity });
        }
    };
    while let Some((entity, tells, answer)) =
        game_events.sent.first().and_then(|(entity, tells, ticket)| Some((*entity, *tells, ticket.try_take()?)))
    {
        drop(game_events.sent.remove(0));
        game_events.done_count += 1;
        let asked = answer.and_then(|_| memory.get().map_or(Ok(None), |memory| tells.ask(memory)));
        match asked {
            Ok(asked) => game_events.asked.extend(asked),
            Err(error) => fail(error, entity),
        }
    }
    game_events.asked.retain_mut(|asked| {
        let answer = match asked {
            Asked::Started(ticket) => {
                ticket.try_take().map(|id| id.map(|session| _ = started.write(SessionStarted { session })))
            }
            Asked::Ended(ticket) => ticket
                .try_take()
                .map(|report| report.map(|report| _ = ended.write(SessionEnded { report: Box::new(report) }))),
        };
        match answer {
            None => true,
            Some(answer) => {
                answer.err().into_iter().for_each(|error| fail(error, None));
                false
            }
        }
    });
}
