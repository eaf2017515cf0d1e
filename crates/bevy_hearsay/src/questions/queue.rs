//! The queue of questions to the memory, and their replies.

use std::time::{Duration, Instant};

use bevy::prelude::*;
use hearsay_engine::{Memory, MemoryError, Ticket};

use super::question::{Answered, QuestionState, Reply, Unanswered};
use crate::{
    bridge::{FrameCost, MemoryState, NpcMemory, is_open},
    events::GameEvents,
    schedule::Steps,
    sync::{self, Outbox},
};

/// Function that sends a question. Returns an error if the question cannot be sent now.
pub(super) type Sending = Box<dyn FnMut(&World, &Memory) -> Result<Taking, NotSent> + Send + Sync>;

/// Function that polls for a reply and inserts the reply on the entity of the question. Returns whether the reply
/// arrived or the question failed.
pub(super) type Taking = Box<dyn FnMut(&mut World, Entity) -> bool + Send + Sync>;

/// Reason why a question was not sent.
pub(super) enum NotSent {
    /// The memory is busy, or the character has no id yet.
    NotYet,
    /// The question can never be sent. The text is the reason, for display.
    Never(String),
}

/// Questions that are waiting to be sent, and questions that were sent but have no reply yet.
#[derive(Resource, Default)]
pub(crate) struct Inquiries {
    waiting: Vec<(Entity, u64, Sending)>,
    sent: Vec<(Entity, Instant, Taking)>,
    /// Time from sending the last question to its reply.
    pub(crate) latency: Option<Duration>,
}

impl Inquiries {
    /// Returns the number of unsent questions, and the number of sent questions without a reply.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.waiting.len(), self.sent.len())
    }

    /// Fails all questions, because their timeline was abandoned.
    pub(crate) fn fail_all(world: &mut World, why: &str) {
        let mut inquiries = world.resource_mut::<Self>();
        let waiting = std::mem::take(&mut inquiries.waiting).into_iter().map(|(entity, ..)| entity);
        let sent = std::mem::take(&mut inquiries.sent).into_iter().map(|(entity, ..)| entity);
        for entity in waiting.chain(sent).collect::<Vec<_>>() {
            fail(world, entity, why.to_owned());
        }
    }
}

pub(super) fn has_waiting(world: &World) -> bool {
    !world.resource::<Inquiries>().waiting.is_empty() && *world.resource::<MemoryState>() != MemoryState::Loading
}

pub(super) fn has_sent(world: &World) -> bool {
    !world.resource::<Inquiries>().sent.is_empty()
}

fn fail(world: &mut World, entity: Entity, why: String) {
    if let Ok(mut question) = world.get_entity_mut(entity) {
        question.insert(QuestionState::Failed(why.clone()));
        world.trigger(Unanswered { entity, why });
    }
}

/// Returns whether any question is unsent or unanswered.
pub(super) fn is_busy(world: &World) -> bool {
    world.resource::<Inquiries>().counts() != (0, 0) && is_open(world)
}

pub(super) fn send(world: &mut World) {
    let _cost = world.resource::<FrameCost>().begin();
    if world.resource::<Outbox>().is_loading() {
        return;
    }
    // A question to a new character waits until the memory contains the character, so send the new character now.
    if world.resource::<Outbox>().is_creating() {
        sync::flush(world);
    }
    let mut inquiries = world.resource_mut::<Inquiries>();
    let waiting = std::mem::take(&mut inquiries.waiting);
    let done = world.get_resource::<GameEvents>().map_or(u64::MAX, |game_events| game_events.done_count);
    let mut still = Vec::new();
    for (entity, after, mut sending) in waiting {
        if world.get_entity(entity).is_err() {
            continue;
        }
        // The reply must include all earlier game events, so wait until they are done.
        if after > done && world.resource::<NpcMemory>().get().is_some() {
            still.push((entity, after, sending));
            continue;
        }
        let sent = match world.resource::<NpcMemory>().get() {
            Some(memory) => sending(world, memory),
            None => Err(NotSent::Never("the memory is not open".to_owned())),
        };
        match sent {
            Ok(taking) => world.resource_mut::<Inquiries>().sent.push((entity, Instant::now(), taking)),
            Err(NotSent::NotYet) => still.push((entity, after, sending)),
            Err(NotSent::Never(why)) => fail(world, entity, why),
        }
    }
    let mut inquiries = world.resource_mut::<Inquiries>();
    // Observers of failed questions may have asked new questions. Add these at the end.
    still.append(&mut inquiries.waiting);
    inquiries.waiting = still;
}

pub(super) fn take_replies(world: &mut World) {
    let _cost = world.resource::<FrameCost>().begin();
    let mut sent = std::mem::take(&mut world.resource_mut::<Inquiries>().sent);
    sent.retain_mut(|(entity, since, taking)| {
        if world.get_entity(*entity).is_err() {
            // The question's entity was despawned. Dropping the ticket cancels the request.
            return false;
        }
        let done = taking(world, *entity);
        if done {
            world.resource_mut::<Inquiries>().latency = Some(since.elapsed());
        }
        !done
    });
    let mut inquiries = world.resource_mut::<Inquiries>();
    sent.append(&mut inquiries.sent);
    inquiries.sent = sent;
}

/// Returns a function that inserts the reply on the entity of the question when the reply arrives.
fn taking<T: Send + Sync + 'static>(ticket: Ticket<T>) -> Taking {
    Box::new(move |world, entity| match ticket.try_take() {
        None => false,
        Some(Ok(reply)) => {
            world.entity_mut(entity).insert((Reply(reply), QuestionState::Answered));
            world.trigger(Answered { entity });
            true
        }
        Some(Err(error)) => {
            fail(world, entity, error.to_string());
            true
        }
    })
}

/// Returns the function that receives the reply to a request, or the reason why the request was not sent.
pub(super) fn sent<T: Send + Sync + 'static>(result: Result<Ticket<T>, MemoryError>) -> Result<Taking, NotSent> {
    match result {
        Ok(ticket) => Ok(taking(ticket)),
        Err(MemoryError::Full { .. }) => Err(NotSent::NotYet),
        Err(error) => Err(NotSent::Never(error.to_string())),
    }
}

/// Queues a question.
pub(super) fn queue(commands: &mut Commands, entity: Entity, sending: Sending) {
    commands.queue(move |world: &mut World| {
        let after = world.get_resource::<GameEvents>().map_or(0, GameEvents::mark);
        match world.get_resource_mut::<Inquiries>() {
            Some(mut inquiries) => {
                inquiries.waiting.push((entity, after, sending));
                world.resource_mut::<Steps>().wake();
            }
            None => tracing::error!("a question was asked, but `QuestionsPlugin` was not added to the app"),
        }
    });
}
